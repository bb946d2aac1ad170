"""The encoders in data/models are what their cards say."""

import json
import warnings
from pathlib import Path

import numpy as np
import pytest
import torch
from transformers import AutoModel, AutoTokenizer, BertModel, RobertaModel

from sbert_lab.encoder import SentenceEncoder
from sbert_lab.files import sha256

MODELS = Path(__file__).resolve().parent.parent / "data" / "models"
ENCODERS = {
    "mini-bert": BertModel,
    "mini-bert-2": BertModel,
    "mini-roberta": RobertaModel,
    "mini-sbert": BertModel,
}
SENTENCES = ["A man plays the flute.", "Somebody makes music.", "The train is late again.", ""]


def test_the_manifest_fits_every_file():
    listed = json.loads((MODELS / "manifest.json").read_text(encoding="utf-8"))["sha256"]
    files = {
        p.relative_to(MODELS).as_posix()
        for p in MODELS.rglob("*")
        if p.is_file() and p.name != "manifest.json"
    }
    assert files == set(listed)
    for name, digest in listed.items():
        assert sha256(MODELS / name) == digest, name


@pytest.mark.parametrize("name", ENCODERS)
def test_an_encoder_is_small_safe_and_float32(name):
    files = [p for p in (MODELS / name).rglob("*") if p.is_file()]
    assert sum(p.stat().st_size for p in files) <= 30_000_000
    assert not {p.suffix for p in files} & {".bin", ".pt", ".pkl", ".pth"}
    config = json.loads((MODELS / name / "config.json").read_text(encoding="utf-8"))
    assert config["dtype"] == "float32"
    card = (MODELS / name / "README.md").read_text(encoding="utf-8")
    for heading in ("How it was made", "Scores", "Limits", "Licence"):
        assert f"## {heading}" in card


@pytest.mark.parametrize("name", ENCODERS)
def test_transformers_opens_it(name):
    model = AutoModel.from_pretrained(MODELS / name)
    assert type(model) is ENCODERS[name]
    assert {p.dtype for p in model.parameters()} == {torch.float32}
    assert all(torch.isfinite(p).all() for p in model.parameters())
    AutoTokenizer.from_pretrained(MODELS / name)


@pytest.mark.reference
@pytest.mark.parametrize("name", ENCODERS)
def test_sentence_transformers_gives_the_same_vectors(name):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        from sentence_transformers import SentenceTransformer
    reference = SentenceTransformer(str(MODELS / name), device="cpu")
    ours = SentenceEncoder.load(name).encode(SENTENCES)
    np.testing.assert_allclose(ours, reference.encode(SENTENCES), atol=1e-5)


@pytest.mark.parametrize("name", ENCODERS)
def test_korean_and_emoji_embed_without_an_error(name):
    encoder = SentenceEncoder.load(name)
    vectors = encoder.encode(["안녕하세요 세계", "🎈🎉", "日本語"])
    assert np.isfinite(vectors).all()


def test_mini_sbert_puts_a_paraphrase_nearer_than_another_topic():
    vectors = SentenceEncoder.load("mini-sbert").encode(SENTENCES[:3], normalize=True)
    assert vectors[0] @ vectors[1] > vectors[0] @ vectors[2]
