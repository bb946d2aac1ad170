"""Resampling: what is drawn together, how seeds count, and what both do to an interval."""

import numpy as np
import pytest
from scipy import stats

from sbert_lab.errors import InputError
from sbert_lab.experiments.evaluation import resampling, sections, sts
from sbert_lab.experiments.evaluation.resampling import draw_counts, over_seeds


def counts(items, **given):
    return np.concatenate(list(draw_counts(items, **given)))


def test_items_are_drawn_with_repeats_and_as_many_as_there_are():
    drawn = counts(50, samples=400, seed=3)
    assert drawn.shape == (400, 50) and (drawn.sum(axis=1) == 50).all()
    assert drawn.mean() == 1 and drawn.var() == pytest.approx(1, abs=0.1)
    picks = np.random.default_rng(3).integers(50, size=(400, 50))
    assert np.array_equal(drawn[7], np.bincount(picks[7], minlength=50))


def test_blocks_change_the_memory_and_nothing_else(monkeypatch):
    whole = counts(30, samples=25)
    monkeypatch.setattr(resampling, "BLOCK", 100)
    assert len(list(draw_counts(30, samples=25))) == 9
    assert np.array_equal(counts(30, samples=25), whole)


def test_a_group_comes_as_a_whole_and_a_pair_needs_both_its_sentences():
    groups = np.array([0, 0, 7, 7, 7])
    drawn = counts(5, groups=groups, samples=200)
    assert (drawn[:, 0] == drawn[:, 1]).all() and (drawn[:, 2] == drawn[:, 4]).all()
    ends = np.array([[0, 1, 0], [1, 2, 2]])  # three sentences, every pair of them
    drawn = counts(3, groups=ends, samples=200)
    assert set(map(tuple, np.sort(drawn))) == {(0, 0, 0), (0, 0, 2), (1, 1, 1)}


@pytest.mark.parametrize("score", ["Spearman", "accuracy"])
def test_a_pair_that_stands_there_four_times_teaches_no_more_than_once(score):
    """Copies of one premise: drawn one by one they make the interval half as wide as it is."""
    rng = np.random.default_rng(1)
    gold = rng.normal(size=100)
    predicted = gold + rng.normal(size=100)
    groups = np.repeat(np.arange(100), 4)

    def width(copies, **given):
        if score == "accuracy":
            return sections.bootstrap_hits(np.repeat(predicted > 0, copies), **given).std()
        sides = np.repeat(gold, copies), np.repeat(predicted, copies)
        return sts.bootstrap_runs(*sides, **given).std()

    assert width(4) < 0.6 * width(1)
    assert width(4, groups=groups) == pytest.approx(width(1))


def test_a_resample_of_groups_is_scipys_spearman_of_its_pairs():
    rng = np.random.default_rng(2)
    gold, runs = rng.integers(5, size=40), rng.normal(size=(2, 40)).round(1)
    groups = rng.integers(12, size=(2, 40))
    found = sts.bootstrap_runs(gold, runs, groups=groups, samples=5, seed=9)
    for number, times in enumerate(counts(40, groups=groups, samples=5, seed=9)):
        chosen = np.repeat(np.arange(40), times)
        for run, value in zip(runs, found[:, number], strict=True):
            expected = stats.spearmanr(gold[chosen], run[chosen]).statistic
            assert value == pytest.approx(100 * expected)


@pytest.mark.parametrize("seeds", [2, 3, 10])
def test_the_spread_over_seeds_is_that_of_their_mean(seeds):
    scores = np.random.default_rng(seeds).normal(size=seeds)
    drawn = over_seeds(np.repeat(scores[:, None], 20_000, axis=1))
    assert drawn.mean() == pytest.approx(scores.mean(), abs=0.03)
    assert drawn.std() == pytest.approx(scores.std(ddof=1) / np.sqrt(seeds), rel=0.05)


def test_one_seed_adds_nothing_and_seed_1_is_compared_with_seed_1():
    values = np.random.default_rng(0).normal(size=(1, 50))
    assert np.array_equal(over_seeds(values), values[0])
    luck = np.random.default_rng(1).normal(size=(3, 1)) * np.ones((3, 50))
    assert np.allclose(over_seeds(luck + 5) - over_seeds(luck), 5)


def test_what_cannot_be_drawn_is_refused():
    with pytest.raises(InputError, match="3 items but 2 groups"):
        counts(3, groups=np.array([0, 1]))
    with pytest.raises(InputError, match="at least 1"):
        counts(3, samples=0)
