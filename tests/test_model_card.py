"""Model cards: honest fields, written whole, and the folder still opens."""

import math
from dataclasses import replace

import numpy as np
import pytest

from sbert_lab import data
from sbert_lab.course import model_card
from sbert_lab.course.model_card import ModelCard, Prediction, card_text, write_card
from sbert_lab.encoder import SentenceEncoder
from sbert_lab.encoder_folder import DIGESTS, write_digests
from sbert_lab.errors import CheckpointError, InputError
from sbert_lab.files import read_json
from sbert_lab.profiles import TrainConfig

GIVEN = {
    "name": "my-encoder",
    "start": "mini-bert",
    "objective": "in-batch negatives",
    "data": {"quora": "mini: 6,500 rows of our own (official: 404,290)"},
    "pairs_seen": 2048,
    "settings": TrainConfig(batch_size=32, max_steps=64),
    "scores": {"my-encoder": {"sts": 61.25, "sections": 55.0}, "random": {"sts": 31.0}},
    "tests": {"sts": "2,160 pairs"},
    "limits": ["English only."],
}


@pytest.fixture(scope="module")
def saved(tmp_path_factory):
    return SentenceEncoder.load("mini-bert").save(tmp_path_factory.mktemp("card") / "model")


def test_the_card_says_what_was_used_and_what_came_out(saved):
    text = write_card(saved, ModelCard(**GIVEN)).read_text(encoding="utf-8")
    assert "| quora | mini: 6,500 rows of our own (official: 404,290) |" in text
    assert "| sts | 2,160 pairs | 61.2 | 31.0 |" in text
    assert "| sections |  | 55.0 | - |" in text
    assert "2,048 rows seen, 1 seed." in text and "| max_steps | 64 |" in text
    assert "None was written before training." in text
    assert "English only." in text and "One seed" in text and "not comparable" in text


def test_pooling_and_width_are_read_from_the_folder(saved, tmp_path):
    assert "MEAN pooling" in card_text(saved, ModelCard(**GIVEN))
    other = SentenceEncoder.load("mini-bert", pooling="max", max_length=40).save(tmp_path / "m")
    text = card_text(other, ModelCard(**GIVEN))
    assert "MAX pooling" in text and "at most 40 tokens" in text and "have 128 numbers" in text


def test_the_header_is_what_the_hub_reads(saved):
    yaml = pytest.importorskip("yaml")
    header = yaml.safe_load(card_text(saved, ModelCard(**GIVEN)).split("---")[1])
    assert header["library_name"] == "sentence-transformers"
    assert header["pipeline_tag"] == "sentence-similarity"


def test_the_folder_opens_with_the_same_vectors_after_one_card_and_after_another(saved):
    before = SentenceEncoder.load(saved).encode(["A sentence."])
    write_card(saved, ModelCard(**GIVEN))
    write_digests(saved)  # now the card is among the digests
    write_card(saved, ModelCard(**{**GIVEN, "limits": ["Another limit."]}))
    np.testing.assert_array_equal(SentenceEncoder.load(saved).encode(["A sentence."]), before)
    assert "model.safetensors" in read_json(saved / DIGESTS)["sha256"]


def test_a_card_does_not_bless_damaged_weights(tmp_path):
    folder = SentenceEncoder.load("mini-bert").save(tmp_path / "model")
    with open(folder / "model.safetensors", "ab") as file:
        file.write(b"x")
    write_card(folder, ModelCard(**GIVEN))
    with pytest.raises(CheckpointError, match="damaged"):
        SentenceEncoder.load(folder)


def test_a_crash_leaves_the_old_card(saved, monkeypatch):
    old = write_card(saved, ModelCard(**GIVEN)).read_bytes()

    def full(*_):
        raise CheckpointError("the disk is full")

    monkeypatch.setattr(model_card, "write_bytes", full)
    with pytest.raises(CheckpointError):
        write_card(saved, ModelCard(**{**GIVEN, "limits": ["New."]}))
    assert (saved / "README.md").read_bytes() == old


@pytest.mark.parametrize(
    ("measured", "words"), [(61.25, "outside"), (59.0, "inside"), (None, "not measured")]
)
def test_the_prediction_is_judged_and_not_rounded_into_its_range(saved, measured, words):
    scores = {"my-encoder": {"sections": 50.0} if measured is None else {"sts": measured}}
    prediction = Prediction(metric="sts", low=58, high=61.2, written="before the first step")
    text = card_text(saved, ModelCard(**{**GIVEN, "scores": scores, "prediction": prediction}))
    assert "sts between 58 and 61.2" in text and words in text


@pytest.mark.parametrize("field", ["name", "start", "objective", "data", "scores", "limits"])
def test_a_card_with_an_empty_field_is_refused(field):
    with pytest.raises(InputError, match=field):
        ModelCard(**{**GIVEN, field: type(GIVEN[field])()})


def test_scores_of_others_only_and_scores_that_are_nan_are_refused():
    with pytest.raises(InputError, match="own are missing"):
        ModelCard(**{**GIVEN, "scores": {"mini-sbert": {"sts": 66.0}}})
    with pytest.raises(InputError, match="not a finite"):
        ModelCard(**{**GIVEN, "scores": {"my-encoder": {"sts": math.nan}}})
    with pytest.raises(InputError, match="how much of quora"):
        ModelCard(**{**GIVEN, "data": {"quora": ""}})


def test_a_folder_that_is_no_encoder_gets_no_card(tmp_path):
    with pytest.raises(CheckpointError, match=r"modules\.json"):
        write_card(tmp_path, ModelCard(**GIVEN))
    assert not list(tmp_path.iterdir())


def test_three_seeds_need_no_warning_and_a_mapping_may_hold_the_settings(saved):
    card = replace(ModelCard(**GIVEN), seeds=3, profile="real", settings={"rate|peak": 0.1})
    text = card_text(saved, card)
    assert "One seed" not in text and "not comparable" not in text
    assert "| rate\\|peak | 0.1 |" in text


def test_coverage_objects_may_be_given_as_they_are(saved):
    covered = data.coverage("stsb", "train", profile="mini")
    assert str(covered) in card_text(saved, ModelCard(**{**GIVEN, "data": {"stsb": covered}}))
