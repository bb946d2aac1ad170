"""The study 'when does NLI help?' on a network that learns in a second."""

import shutil
from dataclasses import replace

import datasets
import pytest
from conftest import make_backbone, make_tokenizer

from sbert_lab import data
from sbert_lab.encoder import SentenceEncoder
from sbert_lab.experiments.evaluation import sts_sets
from sbert_lab.experiments.studies import nli
from sbert_lab.profiles import get_profile

TOKENIZER = make_tokenizer("bert")


@pytest.fixture
def profile(tmp_path, monkeypatch):
    """64 NLI pairs, a look after 8 of them, and a tiny backbone in a folder."""
    words = ("the dog", "a cat sleeps", "the dog sleeps", "a cat")
    pairs = [{"sentence1": words[i % 4], "sentence2": words[(i + i // 4) % 4], "label": i % 3}
             for i in range(64)]  # fmt: skip
    scored = [{**row, "score": i % 6} for i, row in enumerate(pairs[:24])]
    corpora = {"nli": pairs, "everyday": pairs, **dict.fromkeys(sts_sets.SETS, scored)}
    rows = {name: datasets.Dataset.from_list(content) for name, content in corpora.items()}
    monkeypatch.setattr(data, "load", lambda name, split, **_: rows[name])
    monkeypatch.setattr(nli, "FIRST_LOOK", 8)
    monkeypatch.setenv("SBERT_LAB_RUNS", str(tmp_path / "runs"))
    encoder = SentenceEncoder(make_backbone("bert", TOKENIZER), TOKENIZER)
    encoder.save(tmp_path / "tiny")
    mini = get_profile("mini")
    train = replace(mini.train, batch_size=4, checkpoint_every=3)
    return replace(mini, backbone=str(tmp_path / "tiny"), train=train, studied=None)


def row(profile, name):
    return next(row for row in nli.rows(profile) if row.name == name)


def test_a_run_looks_each_time_the_pairs_have_doubled(profile):
    outcome = row(profile, "softmax").run(1)
    curve = outcome.info["curve"]
    assert [seen for seen, _, _ in curve] == [0, 8, 16, 32, 64]
    assert outcome.scores["gain"] == curve[-1][2] - curve[0][2]
    assert outcome.scores["nli dev"] == curve[-1][1]
    assert outcome.predictions["sts12"].shape == (24,)


def test_the_studied_backbone_may_be_another_than_the_profiles(profile):
    other = replace(profile, backbone="mini-bert", studied=profile.backbone)
    first, again = (row(one, "raw BERT MEAN").run(1).scores for one in (profile, other))
    assert first == again


def test_in_batch_negatives_see_the_entailments_only(profile):
    outcome = row(profile, "in-batch negatives").run(1)
    assert outcome.info["pairs"] == 22 and "nli dev" not in outcome.scores


def test_an_interrupted_run_goes_on_with_the_same_curve(profile, monkeypatch, tmp_path):
    whole = row(profile, "softmax").run(1)
    monkeypatch.setenv("SBERT_LAB_RUNS", str(tmp_path / "again"))
    take = nli._Looks.take

    def cut_off(self, task, seen):
        take(self, task, seen)
        if seen == 32:
            raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr(nli._Looks, "take", cut_off)
        with pytest.raises(KeyboardInterrupt):
            row(profile, "softmax").run(1)
    assert row(profile, "softmax").run(1).info["curve"] == whole.info["curve"]


def test_younger_backbones_are_rows_where_they_are_at_hand(profile, tmp_path):
    names = [row.name for row in nli.rows(profile)]
    assert "softmax, 5 million tokens" not in names
    (tmp_path / "runs" / "pretraining").mkdir(parents=True)
    shutil.copytree(profile.backbone, tmp_path / "runs" / "pretraining" / "tiny-5")
    assert row(profile, "softmax, 5 million tokens").run(1).info["pairs"] == 64
