"""Splits of argument pairs: what leaks and what does not; scores within topics."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats
from sklearn.metrics import roc_auc_score

from sbert_lab.errors import InputError
from sbert_lab.experiments.evaluation import afs


def pairs(*edges, topic="t"):
    """Rows from (first, second) or (first, second, topic), with scores that differ."""
    rows = []
    for number, edge in enumerate(edges):
        first, second, *rest = edge
        score = (number % 5) / 5
        rows.append({"sentence1": first, "sentence2": second, "score": score})
        rows[-1]["topic"] = rest[0] if rest else topic
    return rows


CHAIN = pairs(("a", "b"), ("c", "b"), ("d", "c"), ("x", "y"), ("z", "x"), ("p", "q"))
some_pairs = st.lists(
    st.tuples(st.sampled_from("abcdefghij"), st.sampled_from("klmnopqrst"), st.sampled_from("uvw")),
    min_size=12,
    max_size=60,
)


def sentences(rows, numbers):
    return {rows[i][side] for i in numbers for side in ("sentence1", "sentence2")}


# ---- components


def test_components_follow_a_chain_through_both_columns():
    assert afs.components(CHAIN).tolist() == [0, 0, 0, 1, 1, 2]


@given(some_pairs)
@settings(max_examples=60, deadline=None)
def test_components_are_those_of_a_plain_union_find(edges):
    rows = pairs(*edges)
    parent = {s: s for s in sentences(rows, range(len(rows)))}

    def root(s):
        while parent[s] != s:
            s = parent[s]
        return s

    for row in rows:
        parent[root(row["sentence1"])] = root(row["sentence2"])
    mine = afs.components(rows)
    theirs = [root(row["sentence1"]) for row in rows]
    for i in range(len(rows)):
        for j in range(i):
            assert (mine[i] == mine[j]) == (theirs[i] == theirs[j])


def test_no_sentence_crosses_a_component_split():
    folds = afs.component_folds(CHAIN, 2)
    for fold in folds:
        assert not sentences(CHAIN, fold.train) & sentences(CHAIN, fold.test)
    assert sorted(len(fold.test) for fold in folds) == [3, 3]


def test_too_few_components_are_said_with_both_counts():
    with pytest.raises(InputError, match="4 folds but only 3 connected components"):
        afs.component_folds(CHAIN, 4)


# ---- the other splits


@given(some_pairs, st.integers(2, 5))
@settings(max_examples=40, deadline=None)
def test_random_and_topic_folds_test_every_pair_exactly_once(edges, count):
    rows = pairs(*edges)
    splits = [afs.random_folds(rows, count)]
    if len({row["topic"] for row in rows}) > 1:
        splits.append(afs.topic_folds(rows))
    for folds in splits:
        assert afs.tested(folds).tolist() == list(range(len(rows)))
        for fold in folds:
            assert sorted([*fold.train, *fold.test]) == list(range(len(rows)))


def test_random_folds_are_of_equal_size_and_repeat_for_the_same_seed():
    rows = pairs(*[(f"a{i}", f"b{i}") for i in range(23)])
    folds = afs.random_folds(rows, 5, seed=3)
    assert sorted(len(fold.test) for fold in folds) == [4, 4, 5, 5, 5]
    again = afs.random_folds(rows, 5, seed=3)
    assert all(np.array_equal(a.test, b.test) for a, b in zip(folds, again, strict=True))
    other = afs.random_folds(rows, 5, seed=4)
    assert not all(np.array_equal(a.test, b.test) for a, b in zip(folds, other, strict=True))


def test_cross_topic_tests_each_topic_alone_or_topics_in_groups():
    rows = pairs(*[(f"a{i}", f"b{i}", f"topic {i % 7}") for i in range(70)])
    for fold in afs.topic_folds(rows):
        assert len({rows[i]["topic"] for i in fold.test}) == 1
    grouped = afs.topic_folds(rows, 3)
    assert len(grouped) == 3
    for fold in grouped:
        trained = {rows[i]["topic"] for i in fold.train}
        assert trained.isdisjoint({rows[i]["topic"] for i in fold.test})


def dense(topics=("u", "v"), count=20):
    """Every sentence of a topic paired with every other: one component per topic."""
    return pairs(
        *[(f"{t}{i}", f"{t}{j}", t) for t in topics for i in range(count) for j in range(i)]
    )


def test_sentence_folds_test_only_pairs_of_two_new_sentences_and_drop_the_straddlers():
    rows = dense()
    folds = afs.sentence_folds(rows, 4)
    for fold in folds:
        assert afs.leak(rows, fold) == afs.Leak(none=len(fold.test), one=0, both=0)
        assert {rows[i]["topic"] for i in fold.test} == {rows[i]["topic"] for i in fold.train}
    assert len(afs.tested(folds)) < len(rows)


def test_the_control_tests_the_same_pairs_with_as_many_training_pairs_and_does_leak():
    rows = dense()
    new = afs.sentence_folds(rows, 4)
    seen = afs.seen_folds(rows, new)
    for a, b in zip(new, seen, strict=True):
        assert np.array_equal(a.test, b.test)
        assert len(a.train) == len(b.train) == len(set(b.train.tolist()))
        assert not set(b.train.tolist()) & set(b.test.tolist())
    assert afs.total_leak(rows, seen).both > 0.9 * len(afs.tested(seen))


def test_the_leak_is_counted_by_hand():
    fold = afs.Fold(np.array([0]), np.array([1, 2, 3]))  # a-b is known
    rows = pairs(("a", "b"), ("b", "a"), ("c", "b"), ("c", "d"))
    assert afs.leak(rows, fold) == afs.Leak(none=1, one=1, both=1)
    assert afs.leak(rows, fold).pairs == 3


@pytest.mark.parametrize("folds", [0, 1, 2.5, None])
def test_fewer_than_two_folds_are_refused(folds):
    with pytest.raises(InputError, match="folds must be a whole number"):
        afs.random_folds(CHAIN, folds)


def test_more_folds_than_pairs_or_topics_or_sentences_are_refused():
    with pytest.raises(InputError, match="7 folds but only 6 pairs"):
        afs.random_folds(CHAIN, 7)
    with pytest.raises(InputError, match="only 1 topics|1 topics"):
        afs.topic_folds(CHAIN, 2)
    with pytest.raises(InputError, match="pairs of sentences of 't'"):
        afs.sentence_folds(CHAIN, 6)


def test_no_pairs_is_an_error():
    with pytest.raises(InputError, match="empty"):
        afs.components([])


# ---- asking and scoring


def test_each_answer_lands_at_its_pair_and_no_gold_score_is_shown():
    rows = pairs(*[(f"a{i}", f"b{i}") for i in range(20)])

    def ask(known, asked):
        assert all("score" in row for row in known)
        assert not any("score" in row for row in asked)
        return np.array([float(row["sentence1"][1:]) for row in asked])

    answers = afs.out_of_fold(rows, afs.random_folds(rows, 4), ask)
    assert answers.tolist() == list(range(20))


@pytest.mark.parametrize("answer", [[1.0], [np.nan] * 5, np.ones((5, 2))])
def test_a_wrong_number_of_answers_or_a_nan_is_an_error(answer):
    rows = pairs(*[(f"a{i}", f"b{i}") for i in range(20)])
    with pytest.raises(InputError, match="fold 0: needed are 5 finite scores"):
        afs.out_of_fold(rows, afs.random_folds(rows, 4), lambda known, asked: answer)


def test_topic_scores_are_scipys_averaged_and_differ_from_the_pooled_one():
    rng = np.random.default_rng(0)
    topics = np.repeat(["a", "b", "c"], 40)
    gold = rng.normal(size=120)
    predicted = gold + rng.normal(size=120) + np.repeat([0, 10, -10], 40)  # topics apart
    found = afs.score_topics(gold, predicted, topics)
    by_hand = [stats.spearmanr(gold[topics == t], predicted[topics == t])[0] for t in "abc"]
    lines = [stats.pearsonr(gold[topics == t], predicted[topics == t])[0] for t in "abc"]
    assert found.spearman == pytest.approx(100 * np.mean(by_hand))
    assert found.pearson == pytest.approx(100 * np.mean(lines))
    assert found.spearman > 100 * stats.spearmanr(gold, predicted)[0] + 20
    assert "mean of 3 topics, 120 pairs" in str(found)


def test_scores_of_0_and_1_also_get_the_area_under_the_curve():
    rng = np.random.default_rng(6)
    gold, predicted = rng.integers(2, size=90), np.round(rng.normal(size=90), 1)
    topics = np.repeat(list("abc"), 30)
    found = afs.score_topics(gold, predicted, topics)
    areas = [roc_auc_score(gold[topics == t], predicted[topics == t]) for t in "abc"]
    assert found.auc == pytest.approx(100 * np.mean(areas))
    assert afs.score_topics(gold / 2, predicted, topics).auc is None


def test_a_constant_prediction_in_one_topic_is_named():
    topics = ["a"] * 5 + ["b"] * 5
    with pytest.raises(InputError, match="subset 'b'.*all equal"):
        afs.score_topics(np.arange(10), [1, 2, 3, 4, 5, 7, 7, 7, 7, 7], topics)


def test_the_bootstrap_is_centred_on_the_difference_of_topic_means():
    rng = np.random.default_rng(1)
    topics, gold = np.repeat([0, 1, 2], 150), rng.normal(size=450)
    among = {"topics": topics, "sentences": np.arange(900).reshape(2, 450), "samples": 300}
    good, poor = gold + 0.5 * rng.normal(size=450), gold + 2 * rng.normal(size=450)
    drawn = [afs.bootstrap_topics(gold, one, **among) for one in (good, poor)]
    scores = [afs.score_topics(gold, one, topics).spearman for one in (good, poor)]
    for found, score in zip(drawn, scores, strict=True):
        assert found.shape == (300,) and found.mean() == pytest.approx(score, abs=1.0)
    gap = drawn[0] - drawn[1]
    assert np.quantile(gap, 0.025) > 0
    assert gap.std() < np.hypot(drawn[0].std(), drawn[1].std())  # paired: the same sentences


def pair_world(sentences: int, degree: int):
    """Random pairs of sentences; how far a system is off depends on the two sentences alone."""
    rng = np.random.default_rng(4)
    ends = np.stack([rng.integers(sentences, size=degree * sentences) for _ in range(2)])
    gold, off = rng.normal(size=ends.shape[1]), rng.normal(size=sentences)
    return ends, gold, gold + 2 * off[ends].sum(axis=0)


def test_pairs_that_share_sentences_give_a_wider_interval_than_pairs_of_their_own():
    ends, gold, predicted = pair_world(sentences=60, degree=10)
    assert afs.components([{"sentence1": a, "sentence2": b} for a, b in ends.T]).max() == 0
    given = {"topics": np.zeros(len(gold)), "samples": 400}
    apart = np.arange(ends.size).reshape(ends.shape)
    shared, own = (
        afs.bootstrap_topics(gold, predicted, sentences=one, **given).std() for one in (ends, apart)
    )
    assert shared > 1.2 * own


def test_a_topic_that_came_out_with_one_score_is_left_out_of_its_resample():
    rng = np.random.default_rng(5)
    gold = np.array([1.0] + [0.0] * 19 + list(rng.normal(size=30)))
    predicted, topics = rng.normal(size=50), np.repeat([0, 1], [20, 30])
    sentences = np.arange(100).reshape(2, 50)
    drawn = afs.bootstrap_topics(gold, predicted, topics=topics, sentences=sentences, samples=200)
    assert np.isfinite(drawn).all()


def test_seeds_count_beside_sentences_and_equal_runs_cancel():
    rng = np.random.default_rng(2)
    topics, gold = np.repeat([0, 1], 60), rng.normal(size=120)
    among = {"topics": topics, "sentences": np.arange(240).reshape(2, 120), "samples": 200}
    runs = gold + np.array([[0.1], [1.0], [9.0]]) * rng.normal(size=(3, 120))
    drawn = afs.bootstrap_topics(gold, runs, **among)
    assert np.allclose(drawn - afs.bootstrap_topics(gold, runs.copy(), **among), 0)
    alike = afs.bootstrap_topics(gold, runs[[1, 1, 1]], **among)
    assert np.allclose(alike, afs.bootstrap_topics(gold, runs[1], **among))
    assert drawn.std() > 2 * alike.std()
