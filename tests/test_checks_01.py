"""The checks of notebook 01: right answers pass in any style; wrong ones beyond the tables."""

import math

import pytest
from conftest import expect

from sbert_lab.course import nb01
from sbert_lab.course.diagnose import CORRECT


@pytest.mark.parametrize(
    ("one_query", "all_pairs", "line"),
    [
        (lambda n: sum(1 for _ in range(n)), lambda n: n * (n - 1) // 2, CORRECT),
        (lambda n: float(n), lambda n: math.comb(n, 2), CORRECT),
        (lambda n: n, lambda n: sum(range(n)), CORRECT),
        (lambda n: n + 5, lambda n: math.comb(n, 2), "count the pairs (query, sentence)"),
        (lambda n: n, lambda n: 9 * n, "write down the pairs"),
        (lambda n: n, lambda n: 2**n, "write down the pairs"),
        (lambda n: n, lambda n: math.comb(n, 2) if n > 1 else 1, "makes no pair"),
    ],
)
def test_passes_may_be_counted_summed_or_taken_from_a_formula(one_query, all_pairs, line):
    expect(line, nb01.passes, one_query, all_pairs)


@pytest.mark.parametrize(
    ("fewer", "cheaper", "line"),
    [
        (49_995_000 / 10_000, 46_800 / 4_999.5, CORRECT),
        (5_000, 9.4, CORRECT),
        (1, 46_800, "did not get 46,800 times faster"),
        (46_800, 1, "do not explain all of it"),
        (10_000**2, 46_800 / 10_000**2, "passes before (all pairs)"),
        (10_000, 4.68, "passes before (all pairs)"),
        (9_999, 46_800 / 9_999, "every pair twice"),
        (46_800 / 4_999.5, 4_999.5, "wrong way round"),
        (4_999.5, 2, "multiply to 9,999"),
        (1 / 4_999.5, 9.36, "turned round"),
        (400, 117, "passes before / passes after"),
    ],
)
def test_the_split_passes_exact_and_rounded_and_a_wrong_one_gets_its_hint(fewer, cheaper, line):
    expect(line, nb01.split, fewer, cheaper)


def by_bisection(pairs_per_second, hours):
    low, high = 1, 10**7
    while high - low > 1:
        middle = (low + high) // 2
        fits = math.comb(middle, 2) <= pairs_per_second * hours * 3600
        low, high = (middle, high) if fits else (low, middle)
    return low


@pytest.mark.parametrize(
    ("answer", "line"),
    [
        (by_bisection, CORRECT),
        (lambda rate, hours: math.floor((1 + (1 + 8 * rate * hours * 3600) ** 0.5) / 2), CORRECT),
        (lambda rate, hours: (2 * rate * hours * 3600) ** 0.5, CORRECT),
        (lambda rate, hours: 12, "12 are too few: they make 66 pairs, and 2,880,000 fit"),
        (lambda rate, hours: 10**9, "too many"),
        (lambda rate, hours: (1 - (1 + 8 * rate * hours * 3600) ** 0.5) / 2, "positive one"),
    ],
)
def test_one_night_passes_by_formula_and_by_trying(answer, line):
    expect(line, nb01.one_night, answer)


def by_trying(n, pair_cost):
    return next(q for q in range(1, 100) if n + q < q * n * pair_cost)


@pytest.mark.parametrize(
    ("answer", "line"),
    [
        (by_trying, CORRECT),
        (lambda n, cost: float(by_trying(n, cost)), CORRECT),
        (lambda n, cost: math.ceil(n / (n * cost - 1)), "both cost the same"),
        (lambda n, cost: 7, "yours says 7"),
        (lambda n, cost: by_trying(10, 0.3), "100 sentences, pair_cost 2"),
        (lambda n, cost: [1, 2], "one number"),
    ],
)
def test_it_pays_off_by_trying(answer, line):
    expect(line, nb01.pays_off, answer)
