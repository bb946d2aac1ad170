"""Backbones of the hub for profile real, published as they are there: names, formats, files."""

import io
import json
import re

import pytest
import torch
from conftest import make_backbone, make_tokenizer
from safetensors.torch import save
from test_faults_network import hub, waited  # noqa: F401, fixtures
from transformers import BertForPreTraining

from sbert_lab.encoder import SentenceEncoder
from sbert_lab.errors import CheckpointError, InputError
from sbert_lab.experiments import results
from sbert_lab.profiles import PROFILES, PUBLIC, get_profile

TOKENIZER = make_tokenizer("bert")
SENTENCES = ["The dog runs.", "a cat"]


def published(format: str) -> tuple[dict[str, bytes], SentenceEncoder]:
    """A tiny BERT as Google published its own: with the pretraining's heads and the old names of
    LayerNorm's weights; its folder as .bin has a word list and a short configuration alone.
    """
    backbone = make_backbone("bert", TOKENIZER)
    whole = BertForPreTraining(backbone.config)
    whole.bert.load_state_dict(backbone.state_dict())
    old = {"LayerNorm.weight": "LayerNorm.gamma", "LayerNorm.bias": "LayerNorm.beta"}
    state = {}
    for name, tensor in whole.state_dict().items():
        for new in old:
            name = name.replace(new, old[new])
        state[name] = tensor.clone()
    config = {k: v for k, v in backbone.config.to_dict().items() if k != "architectures"}
    words = sorted(TOKENIZER.get_vocab(), key=TOKENIZER.get_vocab().get)
    files = {"vocab.txt": "\n".join(words).encode()}
    if format == "bin":
        del config["model_type"]
        written = io.BytesIO()
        torch.save(state, written)
        files["pytorch_model.bin"] = written.getvalue()
    else:
        files["model.safetensors"] = save(state, metadata={"format": "pt"})
        files["tokenizer_config.json"] = b'{"do_lower_case": true, "model_max_length": 512}'
    files["config.json"] = json.dumps(config).encode()
    return files, SentenceEncoder(backbone.eval(), TOKENIZER)


@pytest.fixture
def publish(hub):  # noqa: F811
    def publish(backbone: str, format: str) -> SentenceEncoder:
        name, _, revision = backbone.partition("@")
        files, encoder = published(format)
        hub.add("models", name, revision or 40 * "5", files)
        return encoder

    return publish


def encode(backbone: str):
    return torch.from_numpy(SentenceEncoder.load(backbone).encode(SENTENCES))


def test_bert_base_opens_with_its_old_names_and_its_pretraining_heads(publish, monkeypatch):
    expected = publish(PUBLIC["bert-base"], "safetensors").encode(SENTENCES)
    monkeypatch.setenv("SBERT_LAB_BACKBONE", "bert-base")
    found = encode(get_profile("real").backbone)
    torch.testing.assert_close(found, torch.from_numpy(expected))


def test_what_is_published_as_bin_only_says_how_to_convert_it(hub, publish, monkeypatch, tmp_path):  # noqa: F811
    expected = publish(PUBLIC["bert-mini"], "bin").encode(SENTENCES)
    monkeypatch.chdir(tmp_path)
    with pytest.raises(CheckpointError, match="not opened") as caught:
        SentenceEncoder.load(PUBLIC["bert-mini"])
    assert not [request for request in hub.requests if "pytorch_model" in request]
    recipe = [line[4:] for line in str(caught.value).splitlines() if line.startswith("    ")]
    exec("\n".join(recipe), {})
    folder = re.search(r'"(converted/.*?)"', recipe[-1])[1]
    monkeypatch.setenv("SBERT_LAB_BACKBONE", folder)
    profile = get_profile("real")
    torch.testing.assert_close(encode(profile.backbone), torch.from_numpy(expected))
    assert profile.apart == "on-bert_uncased_L-4_H-256_A-4"


def test_without_a_known_revision_one_is_asked_for(hub):  # noqa: F811
    with pytest.raises(InputError, match="L-4_H-512_A-8.*40 hex digits.*Files, History"):
        SentenceEncoder.load(PUBLIC["bert-small"])
    assert not hub.requests


def test_a_misspelt_short_name_is_told_what_there_is(monkeypatch):
    monkeypatch.setenv("SBERT_LAB_BACKBONE", "bert-smal")
    known = "bert-base, bert-mini or bert-small"
    with pytest.raises(InputError, match=f"no model 'bert-smal': .*{known}"):
        SentenceEncoder.load(get_profile("real").backbone)


def test_every_pinned_revision_is_whole():
    for backbone in PUBLIC.values():
        assert re.fullmatch(r"google(-bert)?/[\w-]+(@[0-9a-f]{40})?", backbone)


def test_a_network_of_the_papers_size_learns_at_the_papers_rate(monkeypatch):
    monkeypatch.setenv("SBERT_LAB_BACKBONE", "bert-base")
    base, paper = get_profile("real"), PROFILES["paper"]
    assert base.backbone == paper.backbone
    assert {base.train.learning_rate, base.sts.learning_rate} == {paper.train.learning_rate}
    monkeypatch.setenv("SBERT_LAB_BACKBONE", "bert-mini")
    assert get_profile("real").train == PROFILES["real"].train


def test_another_backbones_results_never_meet_the_recorded_ones(monkeypatch):
    recorded = results.recorded_path("nli", "real")
    monkeypatch.setenv("SBERT_LAB_BACKBONE", "owner/some-bert@" + 40 * "0")
    own = results.recorded_path("nli", get_profile("real"))
    assert own == recorded.parent / "on-some-bert" / "nli.json"
    assert results.recorded_path("nli", "real") == recorded  # by name: what came with the course
    monkeypatch.setenv("SBERT_LAB_BACKBONE", PROFILES["real"].backbone)
    assert results.recorded_path("nli", get_profile("real")) == recorded
