"""The checks of notebook 13: right answers pass in any style, known wrong ones get their hint."""

import math

import numpy as np
import pytest
import torch
from scipy import stats

from sbert_lab.course import nb13
from sbert_lab.course import nb13 as figures
from sbert_lab.course.diagnose import CORRECT, NOT_ATTEMPTED, verdict_of
from sbert_lab.experiments import paper

TABLE = paper.table(6)
HALF = TABLE[TABLE["factor"] == "concatenation"]
SCORES = dict(zip(HALF["choice"], HALF["NLI"], strict=True))
ADDED = {"|u-v|": 14.74, "u*v": 11.40}

# ---- marginal values


@pytest.mark.parametrize("alone", ["u*v", "(u*v)", " (u * v) "])
def test_marginal_values_pass_rounded_and_computed(alone):
    assert verdict_of(nb13.marginal, alone, ADDED, -0.34, scores=SCORES) == CORRECT
    computed = {part: SCORES[f"(u, v, {part})"] - SCORES["(u, v)"] for part in ADDED}
    last = torch.tensor(SCORES["(u, v, |u-v|, u*v)"] - SCORES["(u, v, |u-v|)"])
    assert verdict_of(nb13.marginal, alone, computed, last, scores=SCORES) == CORRECT


@pytest.mark.parametrize(
    ("alone", "added", "last", "hint"),
    [
        ("|u-v|", ADDED, -0.34, "need not be the best alone"),
        ("(|u-v|)", ADDED, -0.34, "|u-v| alone has 69.78"),
        ("(u, v)", ADDED, -0.34, "parts that stand alone: |u-v| or u*v"),
        ("u*v", [14.74, 11.40], -0.34, "a dictionary with two numbers"),
        ("u*v", ADDED | {"|u-v|": 80.78}, -0.34, "take off the score without it"),
        ("u*v", ADDED | {"|u-v|": -14.74}, -0.34, "the sign is wrong"),
        ("u*v", ADDED | {"|u-v|": 69.78 - 66.04}, -0.34, "you compared it alone"),
        ("u*v", ADDED | {"u*v": 77.44 - 70.54}, -0.34, "what u and v add to it"),
        ("u*v", ADDED | {"u*v": 3.0}, -0.34, "the row (u, v, u*v)"),
        ("u*v", ADDED, 0.34, "wrong sign"),
        ("u*v", ADDED, 0.3, "wrong sign"),
        ("u*v", ADDED, -0.3, "two decimals, please"),
        ("u*v", ADDED, 11.40, "adds to (u, v)"),
        ("u*v", ADDED, 78.37 - 69.78, "adds to (|u-v|) alone"),
        ("u*v", ADDED, 5, "differ in u*v alone"),
    ],
)
def test_wrong_marginal_values_get_their_hint(alone, added, last, hint):
    assert hint in verdict_of(nb13.marginal, alone, added, last, scores=SCORES)


def test_the_marginal_stub_is_not_attempted():
    assert verdict_of(nb13.marginal, None, None, None, scores=SCORES) == NOT_ATTEMPTED
    assert verdict_of(nb13.marginal, "u*v", ADDED, None, scores=SCORES) == NOT_ATTEMPTED


# ---- the figure of the seven concatenations


def test_levels_that_nearly_coincide_share_a_line():
    assert figures.merge_levels({"raw": 61.3, "shuffled": 61.5}) == {"raw; shuffled": 61.4}
    apart = {"raw": 65.0, "shuffled": 62.9}
    assert figures.merge_levels(apart) == apart


# ---- additive heads


def right_interaction(score, a, b):
    return score(a, a) + score(b, b) - score(a, b) - score(b, a)


def test_the_interaction_passes_at_once_and_row_by_row():
    def by_rows(score, a, b):
        rows = [(a[i : i + 1], b[i : i + 1]) for i in range(len(a))]
        return [float(score(x, x) - score(x, y) - score(y, x) + score(y, y)) for x, y in rows]

    for answer in (right_interaction, by_rows):
        assert verdict_of(nb13.additive, answer, False) == CORRECT


@pytest.mark.parametrize(
    ("answer", "hint"),
    [
        (lambda s, a, b: -right_interaction(s, a, b), "equal pairs minus mixed pairs"),
        (lambda s, a, b: s(a, b) - s(b, a), "whether the score is symmetric"),
        (lambda s, a, b: s(a, a) - s(a, b), "use all four pairs"),
        (lambda s, a, b: s(a, a) + s(b, b) - s(a, b), "(b, a)"),
        (lambda s, a, b: s(a, a) + s(b, b) + s(a, b) + s(b, a), "subtracted"),
        (lambda s, a, b: right_interaction(s, a, b).mean(), "one number per row"),
        (lambda s, a, b: 2 * right_interaction(s, a, b), "score(a, a) + score(b, b)"),
    ],
)
def test_a_wrong_interaction_gets_its_hint(answer, hint):
    assert hint in verdict_of(nb13.additive, answer, False)


def test_a_lack_of_symmetry_is_not_the_reason():
    assert "Being a sum is the reason" in verdict_of(nb13.additive, right_interaction, True)
    assert "True or False" in verdict_of(nb13.additive, right_interaction, "no")


def test_the_interaction_stub_is_not_attempted():
    def interaction(score, a, b): ...

    assert verdict_of(nb13.additive, interaction, None) == NOT_ATTEMPTED
    assert verdict_of(nb13.additive, interaction, False) == NOT_ATTEMPTED


# ---- staking a range


def half_width(scores, factor=None, ddof=1, wide=True):
    n = len(scores)
    factor = stats.t.ppf(0.975, n - 1) if factor is None else factor
    return factor * np.std(scores, ddof=ddof) * (math.sqrt(1 + 1 / n) if wide else 1)


def around(half):
    """An answer that refuses one seed and takes `half` as half the width."""

    def answer(scores):
        if len(scores) < 2:
            raise ValueError("one seed has no spread")
        return np.mean(scores) - half(scores), np.mean(scores) + half(scores)

    return answer


def test_ranges_pass_with_numpy_scipy_and_statistics():
    import statistics

    def with_scipy(scores):
        if len(scores) == 1:
            return -math.inf, math.inf
        n = len(scores)
        scale = np.std(scores, ddof=1) * np.sqrt((n + 1) / n)
        return stats.t.interval(0.95, n - 1, loc=np.mean(scores), scale=scale)

    def plain(scores):
        scores = [float(score) for score in scores]
        spread = statistics.stdev(scores)  # raises an error for one value, a ValueError
        half = stats.t.ppf(0.975, len(scores) - 1) * spread * (1 + 1 / len(scores)) ** 0.5
        middle = statistics.mean(scores)
        return [middle - half, middle + half]

    for answer in (around(half_width), with_scipy, plain):
        assert verdict_of(nb13.stake, answer) == CORRECT


@pytest.mark.parametrize(
    ("half", "hint"),
    [
        (lambda s: half_width(s, wide=False) / math.sqrt(len(s)), "for the mean of many seeds"),
        (lambda s: half_width(s, wide=False), "1 + 1/n is missing"),
        (lambda s: half_width(s, factor=1.96), "take t, 4.30"),
        (lambda s: half_width(s, factor=1.96, wide=False), "take t, 4.30"),
        (lambda s: half_width(s, ddof=0), "ddof=1"),
        (lambda s: np.std(s, ddof=1), "two runs in three"),
        (lambda s: np.ptp(s) / 2, "not wide enough"),
        (lambda s: 7.0, "half the width is"),
        (lambda s: -3.0, "is not below the upper end"),
    ],
)
def test_a_wrong_range_gets_its_hint(half, hint):
    assert hint in verdict_of(nb13.stake, around(half))


def test_a_range_from_one_seed_is_refused():
    def careless(scores):
        half = half_width(scores) if len(scores) > 1 else 2.0
        return np.mean(scores) - half, np.mean(scores) + half

    def silent(scores):
        half = half_width(scores) if len(scores) > 1 else math.nan
        return np.mean(scores) - half, np.mean(scores) + half

    assert "one seed says nothing about the spread" in verdict_of(nb13.stake, careless)
    assert "nan, silently" in verdict_of(nb13.stake, silent)
    assert "two numbers" in verdict_of(nb13.stake, lambda scores: 59.0)
    assert "the mean of the scores" in verdict_of(nb13.stake, lambda scores: (1, 2))


def test_the_stake_stub_is_not_attempted():
    def stake(scores): ...

    assert verdict_of(nb13.stake, stake) == NOT_ATTEMPTED
