"""The checks of notebook 08: right answers pass in any style, known wrong ones get their hint."""

import numpy as np
import pytest
from scipy import stats

from sbert_lab.course import nb08
from sbert_lab.course.diagnose import CORRECT, NOT_ATTEMPTED, verdict_of

# ---- two subsets

LOW, HIGH = ([0, 1, 2], [0.7, 0.8, 0.9]), ([3, 4, 5], [0.1, 0.2, 0.3])


def test_every_pair_of_subsets_that_turns_round_passes():
    assert verdict_of(nb08.two_subsets, LOW, HIGH) == CORRECT
    assert verdict_of(nb08.two_subsets, HIGH, LOW) == CORRECT
    many = (np.linspace(0, 1, 30), np.linspace(0.5, 0.6, 30))
    others = np.array([np.linspace(4, 5, 20), np.linspace(-0.9, 0.1, 20)])
    assert verdict_of(nb08.two_subsets, many, others) == CORRECT


@pytest.mark.parametrize(
    ("first", "second", "hint"),
    [
        (LOW, ([3, 4, 5], [0.91, 0.92, 0.93]), "The *average* of the two correlations is 1"),
        (LOW, LOW, "The *average* of the two"),
        (LOW, ([3, 4, 5], [0.3, 0.2, 0.1]), "the second subset alone"),
        (LOW, ([3, 3, 5], [0.1, 0.2, 0.3]), "neither may have ties"),
        (([2, 2, 2], [0.1, 0.2, 0.3]), HIGH, "a constant list"),
        (([0, 1], [0.7, 0.8]), HIGH, "at least three"),
        (([0, 1, 2], [0.7, 0.8]), HIGH, "3 gold scores but 2 similarities"),
        (([0, 1, 9], [0.7, 0.8, 0.9]), HIGH, "from 0 to 5"),
        (([0, 1, 2], [7, 8, 9]), HIGH, "from -1 to 1"),
        (3, HIGH, "two lists of numbers"),
        (([0, None, 2], [0.7, 0.8, 0.9]), HIGH, "two lists of numbers"),
        (([0, float("nan"), 2], [0.7, 0.8, 0.9]), HIGH, "not a number"),
    ],
)
def test_other_subsets_get_their_hint(first, second, hint):
    assert hint in verdict_of(nb08.two_subsets, first, second)


def test_the_subsets_stub_is_not_attempted():
    assert verdict_of(nb08.two_subsets, None, None) == NOT_ATTEMPTED
    assert verdict_of(nb08.two_subsets, LOW, None) == NOT_ATTEMPTED


# ---- two correlations


def by_ranks(gold, predicted):
    ranks = stats.rankdata(gold), stats.rankdata(predicted)
    return np.corrcoef(gold, predicted)[0, 1], np.corrcoef(*ranks)[0, 1]


def test_correlations_pass_by_ranks_from_scipy_and_by_hand():
    def from_scipy(gold, predicted):
        return [stats.pearsonr(gold, predicted)[0], stats.spearmanr(gold, predicted)[0]]

    def by_hand(gold, predicted):
        def correlate(a, b):
            a, b = a - a.mean(), b - b.mean()
            return (a * b).sum() / np.sqrt((a * a).sum() * (b * b).sum())

        def rank(x):
            return np.array([(x < one).sum() + ((x == one).sum() + 1) / 2 for one in x])

        return correlate(gold, predicted), correlate(rank(gold), rank(predicted))

    for answer in (by_ranks, from_scipy, by_hand):
        assert verdict_of(nb08.two_correlations, answer) == CORRECT


def spearman_from(ranks):
    return lambda g, p: (np.corrcoef(g, p)[0, 1], np.corrcoef(ranks(g), ranks(p))[0, 1])


@pytest.mark.parametrize(
    ("answer", "hint"),
    [
        (spearman_from(np.argsort), "it lists *pairs*"),
        (spearman_from(lambda x: np.argsort(x, kind="stable")), "it lists *pairs*"),
        (spearman_from(lambda x: np.argsort(np.argsort(x, kind="stable"))), "share their mean"),
        (spearman_from(lambda x: np.argsort(np.argsort(x))), "share their mean"),
        (spearman_from(lambda x: np.argsort(np.argsort(-x))), "share their mean"),
        (spearman_from(lambda x: stats.rankdata(x, "ordinal")), "share their mean"),
        (spearman_from(lambda x: stats.rankdata(x, "min")), "share the *mean*"),
        (spearman_from(lambda x: x), "the same number twice"),
        (spearman_from(np.cos), "rank both lists"),
        (lambda g, p: by_ranks(g, p)[::-1], "swapped"),
        (lambda g, p: tuple(100 * one for one in by_ranks(g, p)), "times 100 comes later"),
        (lambda g, p: (0.5, by_ranks(g, p)[1]), "look at Pearson"),
        (lambda g, p: np.corrcoef(g, p), "should be one number"),
        (lambda g, p: 0.9, "two numbers"),
    ],
)
def test_wrong_correlations_get_their_hint(answer, hint):
    assert hint in verdict_of(nb08.two_correlations, answer)


def test_every_way_to_break_the_ties_is_recognised():
    gold, predicted = (np.array(side) for side in nb08.CURVE)
    rankings = nb08._without_ties(gold), nb08._without_ties(predicted)
    assert [len(one) for one in rankings] == [8, 2]  # three ties of two, and one
    for first in rankings[0]:
        assert np.array_equal(gold[np.argsort(first)], np.sort(gold))
        for second in rankings[1]:
            spearman = np.corrcoef(first, second)[0, 1]
            answer = lambda g, p, s=spearman: (np.corrcoef(g, p)[0, 1], s)  # noqa: E731
            assert "share their mean" in verdict_of(nb08.two_correlations, answer)


def test_the_correlations_stub_is_not_attempted():
    def two_correlations(gold, predicted): ...

    assert verdict_of(nb08.two_correlations, two_correlations) == NOT_ATTEMPTED


# ---- twenty ratings


def gold_ratings():
    return [5 * row["score"] for row in nb08.twenty()]


def test_ratings_pass_as_they_are_rounded_or_roughly_right():
    gold = np.array(gold_ratings())
    rough = np.clip(gold + np.random.default_rng(0).normal(0, 0.8, size=20), 0, 5)
    for answer in (gold.tolist(), np.round(gold), rough):
        assert verdict_of(nb08.ratings, answer) == CORRECT


@pytest.mark.parametrize(
    ("change", "hint"),
    [
        (lambda gold: [3] * 20, "agrees with nobody"),
        (lambda gold: [0] * 10 + [5] * 10, "only 2 different"),
        (lambda gold: [5 - one for one in gold], "is 5 the same meaning"),
        (lambda gold: gold[:19], "but there are 19"),
        (lambda gold: [20 * one for one in gold], "from 0 to 5"),
        (lambda gold: [*gold[:19], None], "none of them None"),
        (lambda gold: 3, "a list of 20 numbers"),
    ],
)
def test_other_ratings_get_their_hint(change, hint):
    assert hint in verdict_of(nb08.ratings, change(gold_ratings()))


def test_the_ratings_stub_is_not_attempted():
    assert verdict_of(nb08.ratings, None) == NOT_ATTEMPTED
