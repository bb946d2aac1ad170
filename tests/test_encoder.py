import json
import shutil

import numpy as np
import pytest
import torch

from sbert_lab.encoder import SentenceEncoder
from sbert_lab.errors import CheckpointError, InputError, OutOfReachError
from sbert_lab.pooling import POOLERS

LENGTH = 32


def alone(encoder, sentence):
    """A second implementation: one sentence, no padding, straight through transformers."""
    ids = encoder.tokenizer(sentence, truncation=True, max_length=LENGTH, return_tensors="pt")
    with torch.no_grad():
        tokens = encoder.backbone(input_ids=ids["input_ids"]).last_hidden_state
    return POOLERS[encoder.pooling](tokens, torch.ones_like(ids["input_ids"]))[0].numpy()


@pytest.mark.parametrize("kind", ["bert", "roberta"])
@pytest.mark.parametrize("pooling", POOLERS)
def test_a_batch_gives_what_each_sentence_gives_alone(tiny_folders, sentences, kind, pooling):
    encoder = SentenceEncoder.load(tiny_folders[kind], pooling=pooling)
    vectors = encoder.encode(sentences)
    assert vectors.dtype == np.float32 and vectors.shape == (len(sentences), 32)
    expected = np.stack([alone(encoder, s) for s in sentences])
    np.testing.assert_allclose(vectors, expected, atol=1e-5)


def test_batch_size_and_order_never_change_an_embedding(encoder, sentences):
    whole = encoder.encode(sentences)
    for budget in (1, 16, 10_000):
        np.testing.assert_allclose(encoder.encode(sentences, token_budget=budget), whole, atol=1e-5)
    backwards = encoder.encode(sentences[::-1])[::-1]
    np.testing.assert_allclose(backwards, whole, atol=1e-5)


def test_the_thread_count_never_changes_an_embedding(encoder, sentences):
    before, results = torch.get_num_threads(), []
    try:
        for threads in (1, 2, 4):
            torch.set_num_threads(threads)
            results.append(encoder.encode(sentences * 20))
    finally:
        torch.set_num_threads(before)
    for other in results[1:]:
        np.testing.assert_allclose(other, results[0], atol=1e-5)


def test_an_empty_string_is_cls_and_sep(encoder):
    assert encoder.tokenize([""])[0] == [
        [encoder.tokenizer.cls_token_id, encoder.tokenizer.sep_token_id]
    ]
    assert np.isfinite(encoder.encode([""])).all()


def test_too_long_a_sentence_is_cut_with_one_warning(encoder):
    with pytest.warns(UserWarning, match="2 of 3 sentences were longer than the model allows"):
        vectors = encoder.encode(["the dog " * 100, "cat", "bird " * 60])
    assert np.isfinite(vectors).all()


def test_normalize_gives_unit_length(encoder, sentences):
    lengths = np.linalg.norm(encoder.encode(sentences, normalize=True), axis=1)
    np.testing.assert_allclose(lengths, 1, atol=1e-5)


def test_encode_switches_dropout_off_and_restores_the_mode(encoder, sentences):
    encoder.train()
    first, second = encoder.encode(sentences), encoder.encode(sentences)
    assert np.array_equal(first, second)
    assert encoder.training


# ---- save and load


@pytest.mark.parametrize("pooling", POOLERS)
@pytest.mark.parametrize("normalize", [False, True])
def test_a_saved_encoder_comes_back_the_same(tiny_bert, tmp_path, sentences, pooling, normalize):
    encoder = SentenceEncoder.load(tiny_bert, pooling=pooling)
    encoder.normalize = normalize
    back = SentenceEncoder.load(encoder.save(tmp_path / "model"))
    assert (back.pooling, back.normalize, back.max_length) == (pooling, normalize, LENGTH)
    assert np.array_equal(back.encode(sentences), encoder.encode(sentences))


def test_saving_over_an_older_model_replaces_it(encoder, tmp_path, sentences):
    path = encoder.save(tmp_path / "model")
    (path / "old.txt").write_text("left over")
    encoder.save(path)
    assert not (path / "old.txt").exists()
    assert [p.name for p in tmp_path.iterdir()] == ["model"]


def test_a_failed_save_leaves_the_older_model_alone(encoder, tmp_path, sentences, monkeypatch):
    path = encoder.save(tmp_path / "model")
    before = {p: p.read_bytes() for p in path.rglob("*") if p.is_file()}

    def full(*_, **__):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(encoder.backbone, "save_pretrained", full)
    with pytest.raises(CheckpointError, match="disk is full"):
        encoder.save(path)
    assert before == {p: p.read_bytes() for p in path.rglob("*") if p.is_file()}
    assert [p.name for p in tmp_path.iterdir()] == ["model"]


def test_a_saved_folder_holds_no_pickle_and_no_class_of_ours(encoder, tmp_path):
    path = encoder.save(tmp_path / "model")
    suffixes = {p.suffix for p in path.rglob("*") if p.is_file()}
    assert suffixes <= {".json", ".safetensors", ".txt"}
    types = [module["type"] for module in json.loads((path / "modules.json").read_text())]
    assert all(kind.startswith("sentence_transformers.models.") for kind in types)
    assert json.loads((path / "config.json").read_text())["dtype"] == "float32"


def test_pooling_none_takes_the_folders_own_else_mean(tiny_bert, tmp_path):
    assert SentenceEncoder.load(tiny_bert).pooling == "mean"
    path = SentenceEncoder.load(tiny_bert, pooling="max").save(tmp_path / "model")
    assert SentenceEncoder.load(path).pooling == "max"
    assert SentenceEncoder.load(path, pooling="cls").pooling == "cls"


# ---- bad input


def test_an_unknown_pooling_is_refused(tiny_bert):
    with pytest.raises(InputError, match="unknown pooling 'avg': choose cls, max or mean"):
        SentenceEncoder.load(tiny_bert, pooling="avg")


def test_an_unknown_name_says_what_there_is():
    with pytest.raises(
        InputError, match="no model 'nonsense': give a folder, a name in data/models"
    ):
        SentenceEncoder.load("nonsense")


def test_a_folder_without_config_is_refused(tmp_path):
    with pytest.raises(CheckpointError, match="has no config.json"):
        SentenceEncoder.load(tmp_path)


def test_other_weight_formats_are_refused(tiny_bert, tmp_path):
    folder = tmp_path / "pickled"
    shutil.copytree(tiny_bert, folder)
    (folder / "model.safetensors").rename(folder / "pytorch_model.bin")
    with pytest.raises(
        CheckpointError, match="no safetensors file: other weight formats can run code"
    ):
        SentenceEncoder.load(folder)


@pytest.mark.parametrize("saved_by_us", [True, False])
def test_a_truncated_model_is_noticed(tiny_bert, tmp_path, saved_by_us):
    folder = tmp_path / "cut"
    if saved_by_us:
        SentenceEncoder.load(tiny_bert).save(folder)
    else:
        shutil.copytree(tiny_bert, folder)
    weights = folder / "model.safetensors"
    weights.write_bytes(weights.read_bytes()[:2000])
    with pytest.raises(CheckpointError, match="damaged|cannot be opened"):
        SentenceEncoder.load(folder)


def test_a_tampered_model_is_noticed(encoder, tmp_path):
    path = encoder.save(tmp_path / "model")
    content = bytearray((path / "model.safetensors").read_bytes())
    content[-1] ^= 1
    (path / "model.safetensors").write_bytes(content)
    with pytest.raises(CheckpointError, match="damaged or was changed after it was saved"):
        SentenceEncoder.load(path)


def test_an_unknown_module_is_named(encoder, tmp_path):
    path = encoder.save(tmp_path / "model")
    modules = json.loads((path / "modules.json").read_text())
    modules.append(
        {"idx": 2, "name": "2", "path": "2_Dense", "type": "sentence_transformers.models.Dense"}
    )
    (path / "modules.json").write_text(json.dumps(modules))
    (path / "sbert_lab.json").unlink()
    with pytest.raises(
        CheckpointError, match="models.Dense': only Normalize, Pooling or Transformer"
    ):
        SentenceEncoder.load(path)


def test_a_hub_id_needs_a_full_revision():
    with pytest.raises(InputError, match="needs a full revision"):
        SentenceEncoder.load("google-bert/bert-base-uncased")
    with pytest.raises(InputError, match="got 'main'"):
        SentenceEncoder.load("google-bert/bert-base-uncased@main")


def test_a_hub_out_of_reach_is_said_at_once(monkeypatch, tmp_path):
    monkeypatch.setenv("HF_HOME", str(tmp_path))
    with pytest.raises(OutOfReachError, match="cannot get no-such/model from the hub"):
        SentenceEncoder.load("no-such/model@" + "0" * 40)
