"""The checks of notebook 13: right answers pass in any style; wrong ones beyond the tables."""

import math
import statistics

import numpy as np
import pytest
import torch
from conftest import expect
from scipy import stats

from sbert_lab.course import nb13
from sbert_lab.course.diagnose import CORRECT, NOT_ATTEMPTED
from sbert_lab.experiments import paper

TABLE = paper.table(6)
HALF = TABLE[TABLE["factor"] == "concatenation"]
SCORES = dict(zip(HALF["choice"], HALF["NLI"], strict=True))
ADDED = {"|u-v|": 14.74, "u*v": 11.40}

# ---- marginal values


@pytest.mark.parametrize(
    ("alone", "added", "last", "line"),
    [
        ("u*v", ADDED, -0.34, CORRECT),
        ("(u*v)", ADDED, -0.34, CORRECT),
        (" (u * v) ", ADDED, -0.34, CORRECT),
        ("u*v", ADDED, None, NOT_ATTEMPTED),
        ("u*v", ADDED | {"u*v": None}, -0.34, NOT_ATTEMPTED),
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
def test_marginal_values_pass_rounded(alone, added, last, line):
    expect(line, nb13.marginal, alone, added, last, scores=SCORES)


def test_marginal_values_pass_computed():
    added = {part: SCORES[f"(u, v, {part})"] - SCORES["(u, v)"] for part in ADDED}
    last = torch.tensor(SCORES["(u, v, |u-v|, u*v)"] - SCORES["(u, v, |u-v|)"])
    expect(CORRECT, nb13.marginal, "u*v", added, last, scores=SCORES)


# ---- the figure of the seven concatenations


def test_levels_that_nearly_coincide_share_a_line():
    assert nb13.merge_levels({"raw": 61.3, "shuffled": 61.5}) == {"raw; shuffled": 61.4}
    apart = {"raw": 65.0, "shuffled": 62.9}
    assert nb13.merge_levels(apart) == apart


# ---- additive heads


def at_once(score, a, b):
    return score(a, a) + score(b, b) - score(a, b) - score(b, a)


def by_rows(score, a, b):
    rows = [(a[i : i + 1], b[i : i + 1]) for i in range(len(a))]
    return [float(score(x, x) - score(x, y) - score(y, x) + score(y, y)) for x, y in rows]


@pytest.mark.parametrize(
    ("answer", "symmetry_helps", "line"),
    [
        (at_once, False, CORRECT),
        (by_rows, False, CORRECT),
        (at_once, None, NOT_ATTEMPTED),
        (lambda s, a, b: at_once(s, a, b).mean(), False, "one number per row"),
        (lambda s, a, b: 2 * at_once(s, a, b), False, "score(a, a) + score(b, b)"),
        (at_once, True, "Being a sum is the reason"),
        (at_once, "no", "True or False"),
    ],
)
def test_the_interaction_passes_at_once_and_row_by_row(answer, symmetry_helps, line):
    expect(line, nb13.additive, answer, symmetry_helps)


# ---- staking a range


def around(half, alone=None):
    """An answer with `half` as half the width; for one seed `alone`, or an error without it."""

    def answer(scores):
        if len(scores) < 2 and alone is None:
            raise ValueError("one seed has no spread")
        width = half(scores) if len(scores) > 1 else alone
        return np.mean(scores) - width, np.mean(scores) + width

    return answer


def right_half(scores):
    n = len(scores)
    return stats.t.ppf(0.975, n - 1) * np.std(scores, ddof=1) * math.sqrt(1 + 1 / n)


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


@pytest.mark.parametrize(
    ("answer", "line"),
    [
        (around(right_half), CORRECT),
        (with_scipy, CORRECT),
        (plain, CORRECT),
        (around(lambda scores: 7.0), "half the width is"),
        (around(lambda scores: -3.0), "is not below the upper end"),
        (around(right_half, alone=2.0), "one seed says nothing about the spread"),
        (around(right_half, alone=math.nan), "nan, silently"),
        (lambda scores: 59.0, "two numbers"),
        (lambda scores: (1, 2), "the mean of the scores"),
    ],
)
def test_ranges_pass_with_numpy_scipy_and_statistics(answer, line):
    expect(line, nb13.stake, answer)
