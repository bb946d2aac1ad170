"""The study 'when does NLI help?' on a network that learns in a second."""

import shutil
from dataclasses import replace

import datasets
import pytest
from conftest import make_backbone, make_tokenizer

from sbert_lab import data
from sbert_lab.course.curve import crossings, gains
from sbert_lab.encoder import SentenceEncoder
from sbert_lab.experiments.evaluation import sts_sets
from sbert_lab.experiments.results import open_others, open_study, open_table
from sbert_lab.experiments.store import measure
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


def test_as_many_entailments_as_softmax_has_pairs(profile, monkeypatch):
    monkeypatch.setattr(nli, "PAIRS", {"own": 20})
    pairs = {name: row(profile, name).run(1).info["pairs"] for name in
             ("softmax", "in-batch negatives", "in-batch negatives, more")}  # fmt: skip
    assert pairs["softmax"] == pairs["in-batch negatives, more"] == 20 > pairs["in-batch negatives"]


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


def test_another_backbones_results_stand_apart_and_join_the_figure(profile, tmp_path, monkeypatch):
    first = row(profile, "softmax").run(1).info["curve"]
    wide = make_backbone("bert", TOKENIZER, width=16)
    SentenceEncoder(wide, TOKENIZER).save(tmp_path / "wide")
    study, table = open_study("nli", "real"), open_table(1, "real")
    monkeypatch.setenv("SBERT_LAB_RESULTS", str(tmp_path / "results"))
    other = replace(profile, backbone=str(tmp_path / "wide"), apart="on-wide")
    found = measure("nli", other, rows=["raw BERT MEAN", "softmax"], say=lambda _: None)
    assert found.path == tmp_path / "results" / "mini" / "on-wide" / "nli.json"
    curve = found.info("softmax")["curve"]
    assert curve[0][2] != first[0][2] and [p[0] for p in curve] == [p[0] for p in first]
    figure = gains(study, open_others("nli", "mini"), table)
    assert "wide, softmax" in [line.get_label() for line in figure.axes[0].get_lines()]


def test_a_crossing_lies_between_two_looks_and_never_at_the_start():
    points = [(0, None, 60.0), (100, None, 58.0), (200, None, 61.0), (300, None, 63.0)]
    assert crossings(points) == pytest.approx([100 + 100 * 2 / 3])
    assert crossings([(0, None, 60.0), (100, None, 61.0), (200, None, 60.5)]) == []


def test_the_figure_rings_each_crossing_and_shows_the_papers_gain():
    study = open_study("nli", "real")
    way, end = gains(study, {}, open_table(1, "real")).axes
    runs = [study.info(name)["curve"] for name in study.rows if "curve" in study.info(name)]
    rings = [
        line.get_xdata()[0] for line in way.get_lines() if line.get_markerfacecolor() == "none"
    ]
    assert rings == [place for points in runs for place in crossings(points)]
    star = next(line for line in end.get_lines() if line.get_marker() == "*")
    assert (star.get_xdata()[0], star.get_ydata()[0]) == (942_069, pytest.approx(74.89 - 54.81))
