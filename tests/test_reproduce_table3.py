"""Table 3: its rows, what they keep, and the claims that follow from them."""

from dataclasses import replace

import numpy as np
import pytest
from conftest import make_results, noisy, verdicts

from sbert_lab.experiments import learners, table3
from sbert_lab.experiments.building import build
from sbert_lab.experiments.evaluation import afs
from sbert_lab.experiments.paper.claims import HOLDS
from sbert_lab.profiles import get_profile

MINI = get_profile("mini")


@pytest.fixture
def small(monkeypatch, tmp_path):
    """Three topics of 8 sentences, all pairs of a topic, in place of the corpus."""
    monkeypatch.setenv("SBERT_LAB_RUNS", str(tmp_path))
    rng = np.random.default_rng(0)
    rows = [
        {
            "sentence1": f"{topic} argument {i} about money",
            "sentence2": f"{topic} reason {j} about air",
            "score": float(rng.integers(0, 6)) / 5,
            "topic": topic,
        }
        for topic in ("cars", "school", "work")
        for i in range(8)
        for j in range(8)
    ]
    monkeypatch.setattr(table3, "pairs", lambda profile: [dict(row) for row in rows])
    table3._splits.cache_clear()
    yield rows
    table3._splits.cache_clear()


def recorded(quality: dict[str, float], count=900):
    """Rows that answer with the gold score plus noise; quality is the noise's size."""
    people = np.random.default_rng(3).normal(size=count)
    gold = {"pairs": people, "pairs topic": np.arange(count) % 3}
    gold |= {"pairs first": np.arange(count), "pairs second": count + np.arange(count)}
    sizes = enumerate(quality.items())
    return make_results(3, {(n, "pairs"): noisy(people, s, i) for i, (n, s) in sizes}, gold)


NEEDED = (
    "tf-idf",
    "averaged word vectors",
    "InferSent",
    "SBERT-AFS, random folds",
    "cross-encoder-AFS, random folds",
    "SBERT-AFS, cross-topic",
    "cross-encoder-AFS, cross-topic",
)


def test_every_learner_has_a_row_under_every_protocol_and_there_are_floors(small):
    names = {row.name for row in table3.rows(MINI)}
    for learner in ("SVR", "BiLSTM-AFS", "SBERT-AFS", "cross-encoder-AFS", "look-up table"):
        assert {f"{learner}, {protocol}" for protocol in table3.PROTOCOLS} <= names
    floors = {row.name for row in table3.rows(MINI) if row.kind == "floor"}
    assert floors == {
        "random weights, untrained",
        "SBERT-AFS, shuffled scores, random folds",
    }
    assert set(NEEDED) <= names
    assert all(row.seeds == 1 for row in table3.rows(MINI))


def test_a_learner_row_answers_each_pair_from_a_fold_that_did_not_train_on_it(small):
    row = {row.name: row for row in table3.rows(MINI)}["SVR, random folds"]
    outcome = row.run(1)
    assert set(outcome.scores) == {"spearman", "pearson"}
    assert outcome.predictions["pairs"].shape == (len(small),)
    assert set(outcome.info["spearman by topic"]) == {"cars", "school", "work"}
    people, topics = [r["score"] for r in small], [r["topic"] for r in small]
    again = afs.score_topics(people, outcome.predictions["pairs"], topics)
    assert outcome.scores["spearman"] == pytest.approx(again.spearman)


def test_sentence_rows_answer_exactly_the_pairs_that_gold_names(small):
    rows = {row.name: row for row in table3.rows(MINI)}
    gold = table3.gold(MINI)
    for protocol in ("new sentences", "seen sentences"):
        found = rows[f"look-up table, {protocol}"].run(1).predictions["sentence pairs"]
        assert found.shape == gold["sentence pairs"].shape
    chosen = gold["sentence pairs row"].astype(int)
    assert np.array_equal(gold["pairs"][chosen], gold["sentence pairs"])
    assert np.array_equal(gold["pairs topic"][chosen], gold["sentence pairs topic"])


def test_folds_are_kept_so_that_an_interrupted_row_goes_on(small, monkeypatch):
    calls = []

    def learn(id, profile, seed, known, asked, run_dir):
        calls.append(len(asked))
        if len(calls) == 3:
            raise KeyboardInterrupt
        return np.linspace(0, 1, len(asked))

    monkeypatch.setattr(table3, "learn", learn)
    folds = table3.splits(MINI)["random folds"]
    ask = table3.remembering("svr", MINI, 1)
    with pytest.raises(KeyboardInterrupt):
        afs.out_of_fold(small, folds, ask)
    first = afs.out_of_fold(small, folds, ask)
    assert len(calls) == 3 + len(folds) - 2  # two folds were done before
    assert np.array_equal(first, afs.out_of_fold(small, folds, ask))
    assert len(calls) == 3 + len(folds) - 2


def test_answers_are_kept_apart_by_learner_seed_and_settings(small, monkeypatch):
    calls = []

    def learn(id, profile, seed, known, asked, run_dir):
        calls.append((id, seed))
        return np.zeros(len(asked))

    monkeypatch.setattr(table3, "learn", learn)
    known, asked = small[:50], small[50:60]
    faster = replace(MINI, sts=replace(MINI.sts, learning_rate=1e-3))
    for id, profile, seed in (
        ("sbert-afs", MINI, 1),
        ("sbert-afs", MINI, 2),
        ("cross-afs", MINI, 1),
        ("sbert-afs", faster, 1),
        ("sbert-afs", MINI, 1),
    ):
        table3.remembering(id, profile, seed)(known, asked)
    assert calls == [("sbert-afs", 1), ("sbert-afs", 2), ("cross-afs", 1), ("sbert-afs", 1)]


def test_where_each_topic_is_one_component_both_splits_have_the_same_folds(small):
    splits = table3.splits(MINI)
    of = {name: {tuple(f.test) for f in splits[name]} for name in ("cross-topic", "components")}
    assert of["cross-topic"] == of["components"]


def test_crumbs_beside_large_components_get_no_folds_of_their_own(small, monkeypatch):
    crumbs = [{**small[0], "sentence1": f"left {i}", "sentence2": f"right {i}"} for i in range(9)]
    monkeypatch.setattr(table3, "pairs", lambda profile: [*small, *crumbs])
    table3._splits.cache_clear()
    folds = table3.splits(MINI)["components"]
    assert [len(fold.test) for fold in folds] == [67, 67, 67]


def test_shuffled_scores_keep_their_values_and_lose_their_pairs(small, monkeypatch):
    seen = []
    monkeypatch.setattr(learners, "train", lambda task, rows, *a, **k: seen.append(rows))
    for id in ("sbert-afs", "sbert-afs-shuffled"):
        build(id, MINI, 1).fit(*afs.texts(small), afs.scores(small))
    plain, mixed = map(afs.scores, seen)
    assert plain == afs.scores(small) != mixed and sorted(mixed) == sorted(plain)
    assert afs.texts(seen[0]) == afs.texts(seen[1]) == afs.texts(small)


@pytest.mark.parametrize("id", ["sbert-afs", "cross-afs", "bilstm-afs"])
def test_a_trained_learner_gives_one_finite_score_per_pair_and_leaves_the_rows_alone(
    small, id, tmp_path, monkeypatch
):
    monkeypatch.setattr(learners, "WORD_EPOCHS", 1)
    before = [dict(row) for row in small[:32]]
    asked = [{k: v for k, v in row.items() if k != "score"} for row in small[32:40]]
    profile = replace(MINI, argument_epochs=1)
    found = table3.learn(id, profile, 1, small[:32], asked, run_dir=tmp_path / "run")
    assert found.shape == (8,) and np.isfinite(found).all()
    assert small[:32] == before


def test_the_claims_follow_the_data():
    noise = dict.fromkeys(NEEDED, 3.0) | {"SBERT-AFS, random folds": 0.5}
    noise |= {"cross-encoder-AFS, random folds": 0.5, "cross-encoder-AFS, cross-topic": 0.7}
    found = verdicts(table3.claims(recorded(noise)))
    assert set(found) == {"C13", "C14", "C15"}
    assert found["C13"] == found["C15"] == HOLDS


def test_claims_whose_rows_are_missing_are_left_out():
    found = table3.claims(
        recorded({"SBERT-AFS, random folds": 1, "cross-encoder-AFS, random folds": 1})
    )
    assert set(found) == {"C14"}


def test_a_claim_draws_the_sentences_that_the_recorded_gold_names():
    table = recorded(dict.fromkeys(NEEDED, 1.0))
    own = table3.claims(table)["C15"]["cross-encoder - SBERT, cross-topic"]
    for side in ("first", "second"):
        table._predictions[f"gold/pairs {side}"] = np.arange(900) // 30  # 30 pairs of each sentence
    shared = table3.claims(table)["C15"]["cross-encoder - SBERT, cross-topic"]
    assert not np.array_equal(own, shared) and abs(own.mean() - shared.mean()) < 3


def test_gold_has_the_two_sentences_of_each_pair_as_numbers(small):
    gold = table3.gold(MINI)
    first, second = (gold[f"pairs {side}"] for side in ("first", "second"))
    alike = [a["sentence1"] == b["sentence1"] for a in small[:20] for b in small[:20]]
    assert alike == (first[:20, None] == first[None, :20]).ravel().tolist()
    assert set(first).isdisjoint(second)
    chosen = gold["sentence pairs row"].astype(int)
    assert np.array_equal(first[chosen], gold["sentence pairs first"])


def test_a_second_corpus_has_columns_keys_and_folds_of_its_own(small):
    both = replace(MINI, more_arguments="ukp_aspect", argument_folds=4)
    gold, rows = table3.gold(both), {row.name: row for row in table3.rows(both)}
    folds = [gold[f"{corpus}fold, random folds"].max() + 1 for corpus in ("", "ukp_aspect ")]
    assert folds == [4, 3]
    for name in ("SVR, random folds", "averaged word vectors"):
        outcome = rows[name].run(1)
        scores = ["spearman", "pearson", "ukp_aspect spearman", "ukp_aspect pearson"]
        assert list(outcome.scores) == scores
        assert set(outcome.predictions) == {"pairs", "ukp_aspect pairs"} <= set(gold)
    assert not np.array_equal(*rows["SVR, random folds"].run(1).predictions.values())


def test_profile_real_has_the_sentences_of_afs_and_ukp_aspect_beside_them():
    real, whole = get_profile("real"), get_profile("paper")
    assert (real.arguments, real.argument_folds, real.topic_folds) == ("afs_binary", 10, None)
    assert (whole.arguments, whole.argument_folds, whole.topic_folds) == ("afs", 10, None)
    assert real.more_arguments == "ukp_aspect"
    assert (MINI.arguments, MINI.more_arguments) == ("afs", None)
