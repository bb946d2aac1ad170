"""The checks of notebook 08: right answers pass in any style; wrong ones beyond the tables."""

import numpy as np
import pytest
from conftest import expect
from scipy import stats

from sbert_lab.course import nb08
from sbert_lab.course.diagnose import CORRECT

# ---- two subsets

LOW, HIGH = ([0, 1, 2], [0.7, 0.8, 0.9]), ([3, 4, 5], [0.1, 0.2, 0.3])
MANY = (np.linspace(0, 1, 30), np.linspace(0.5, 0.6, 30))
OTHERS = np.array([np.linspace(4, 5, 20), np.linspace(-0.9, 0.1, 20)])


@pytest.mark.parametrize(
    ("first", "second", "line"),
    [
        (LOW, HIGH, CORRECT),
        (HIGH, LOW, CORRECT),
        (MANY, OTHERS, CORRECT),
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
def test_every_pair_of_subsets_that_turns_round_passes(first, second, line):
    expect(line, nb08.two_subsets, first, second)


# ---- two correlations


def by_ranks(gold, predicted):
    ranks = stats.rankdata(gold), stats.rankdata(predicted)
    return np.corrcoef(gold, predicted)[0, 1], np.corrcoef(*ranks)[0, 1]


def from_scipy(gold, predicted):
    return [stats.pearsonr(gold, predicted)[0], stats.spearmanr(gold, predicted)[0]]


def by_hand(gold, predicted):
    def correlate(a, b):
        a, b = a - a.mean(), b - b.mean()
        return (a * b).sum() / np.sqrt((a * a).sum() * (b * b).sum())

    def rank(x):
        return np.array([(x < one).sum() + ((x == one).sum() + 1) / 2 for one in x])

    return correlate(gold, predicted), correlate(rank(gold), rank(predicted))


def spearman_from(ranks):
    return lambda g, p: (np.corrcoef(g, p)[0, 1], np.corrcoef(ranks(g), ranks(p))[0, 1])


@pytest.mark.parametrize(
    ("answer", "line"),
    [
        (by_ranks, CORRECT),
        (from_scipy, CORRECT),
        (by_hand, CORRECT),
        (spearman_from(lambda x: np.argsort(np.argsort(x))), "share their mean"),
        (spearman_from(lambda x: np.argsort(np.argsort(-x))), "share their mean"),
        (spearman_from(lambda x: stats.rankdata(x, "ordinal")), "share their mean"),
        (spearman_from(np.cos), "rank both lists"),
        (lambda g, p: tuple(100 * one for one in by_ranks(g, p)), "times 100 comes later"),
        (lambda g, p: (0.5, by_ranks(g, p)[1]), "look at Pearson"),
        (lambda g, p: np.corrcoef(g, p), "2 x 2 table"),
        (lambda g, p: (np.corrcoef(g, p), 0.9), "2 x 2 table"),
        (lambda g, p: (stats.pearsonr(g, p), stats.spearmanr(g, p)), "take .statistic"),
        (lambda g, p: (by_ranks(g, p)[0], 100 * by_ranks(g, p)[1]), "no times 100"),
        (lambda g, p: 0.9, "two numbers"),
    ],
)
def test_correlations_pass_by_ranks_from_scipy_and_by_hand(answer, line):
    expect(line, nb08.two_correlations, answer)


def test_every_way_to_break_the_ties_is_among_the_mistakes():
    gold, predicted = (np.array(side) for side in nb08.CURVE)
    assert [len(nb08._without_ties(one)) for one in (gold, predicted)] == [8, 2]
    for ranks in nb08._without_ties(gold):
        assert np.array_equal(gold[np.argsort(ranks)], np.sort(gold))
    assert sum(hint == nb08.TIES for _, hint in nb08.CORRELATIONS) == 8 * 2


# ---- twenty ratings


def rough(gold):
    return np.clip(gold + np.random.default_rng(0).normal(0, 0.8, size=20), 0, 5)


@pytest.mark.parametrize(
    ("change", "line"),
    [
        (list, CORRECT),
        (np.round, CORRECT),
        (rough, CORRECT),
        (lambda gold: [3] * 20, "agrees with nobody"),
        (lambda gold: [0] * 10 + [5] * 10, "only 2 different"),
        (lambda gold: [5 - one for one in gold], "is 5 the same meaning"),
        (lambda gold: gold[::-1], "from the last to the first"),
        (lambda gold: gold[:19], "but there are 19"),
        (lambda gold: [20 * one for one in gold], "from 0 to 5"),
        (lambda gold: [*gold[:19], None], "none of them None"),
        (lambda gold: 3, "a list of 20 numbers"),
    ],
)
def test_ratings_pass_as_they_are_rounded_or_roughly_right(change, line):
    expect(line, nb08.ratings, change([5 * row["score"] for row in nb08.twenty()]))


# ---- the interval of a difference


def sorted_by_hand(gold, first, second, draws):
    def spearman(a, b):
        return stats.spearmanr(a, b).statistic

    found = [spearman(gold[p], first[p]) - spearman(gold[p], second[p]) for p in draws]
    found, last = sorted(found), len(found) - 1
    ends = []
    for place in (0.025 * last, 0.975 * last):
        low = int(place)
        ends.append(found[low] + (place - low) * (found[low + 1] - found[low]))
    return tuple(ends)


@pytest.mark.parametrize(
    ("answer", "line"),
    [
        (sorted_by_hand, CORRECT),
        (lambda *given: np.array(sorted_by_hand(*given)), CORRECT),
        (lambda g, a, b, d: sorted_by_hand(g, a, a, d), "two Spearmans"),
        (lambda *given: sorted_by_hand(*given)[0], "two numbers"),
    ],
)
def test_the_interval_passes_by_hand_and_as_an_array(answer, line):
    expect(line, nb08.difference_interval, answer)
