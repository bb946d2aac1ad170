"""The checks of notebook 01: right answers pass in any style, known wrong ones get their hint."""

import itertools
import math

import pytest

from sbert_lab.course import nb01
from sbert_lab.course.diagnose import CORRECT, NOT_ATTEMPTED, verdict_of

PASSES_AFTER, PASSES_BEFORE = 10_000, 49_995_000


def right_query(n):
    return n


def right_pairs(n):
    return n * (n - 1) // 2


def right_night(pairs_per_second, hours):
    pairs = pairs_per_second * hours * 3600
    return math.floor((1 + math.sqrt(1 + 8 * pairs)) / 2)


# ---- passes


def test_passes_may_be_counted_summed_or_taken_from_a_formula():
    def counted(n):
        return sum(1 for _ in itertools.combinations(range(n), 2)) if n < 100 else math.comb(n, 2)

    assert verdict_of(nb01.passes, right_query, right_pairs) == CORRECT
    assert verdict_of(nb01.passes, lambda n: sum(1 for _ in range(n)), counted) == CORRECT
    assert verdict_of(nb01.passes, lambda n: float(n), lambda n: math.comb(n, 2)) == CORRECT
    assert verdict_of(nb01.passes, lambda n: n, lambda n: sum(range(n))) == CORRECT


@pytest.mark.parametrize(
    ("all_pairs", "hint"),
    [
        (lambda n: n * (n - 1), "every pair twice, as (A, B)"),
        (lambda n: n**2, "n squared counts every pair twice"),
        (lambda n: n * (n + 1) / 2, "paired with itself"),
        (lambda n: n, "one query only"),
        (lambda n: n**2 / 2, "half of n squared"),
        (lambda n: 5 * n, "write down the pairs"),
        (lambda n: math.comb(n, 2) if n > 1 else 1, "makes no pair"),
    ],
)
def test_a_wrong_count_of_all_pairs_gets_its_hint(all_pairs, hint):
    assert hint in verdict_of(nb01.passes, right_query, all_pairs)


@pytest.mark.parametrize(
    ("one_query", "hint"),
    [
        (right_pairs, "one_query counts all pairs"),
        (lambda n: n - 1, "nobody is left out"),
        (lambda n: 1, "paired with every sentence"),
        (lambda n: n + 5, "count the pairs (query, sentence)"),
    ],
)
def test_a_wrong_count_for_one_query_gets_its_hint(one_query, hint):
    assert hint in verdict_of(nb01.passes, one_query, right_pairs)


def test_the_passes_stub_is_not_attempted():
    def one_query(n): ...

    def all_pairs(n): ...

    assert verdict_of(nb01.passes, one_query, all_pairs) == NOT_ATTEMPTED
    assert verdict_of(nb01.passes, right_query, all_pairs) == NOT_ATTEMPTED


# ---- the factor 46,800


def test_the_split_passes_exact_and_rounded():
    assert verdict_of(nb01.split, PASSES_BEFORE / PASSES_AFTER, 46_800 / 4_999.5) == CORRECT
    assert verdict_of(nb01.split, 5_000, 9.4) == CORRECT


@pytest.mark.parametrize(
    ("fewer", "cheaper", "hint"),
    [
        (1, 46_800, "did not get 46,800 times faster"),
        (46_800, 1, "do not explain all of it"),
        (10_000**2, 46_800 / 10_000**2, "passes before (all pairs)"),
        (10_000, 4.68, "passes before (all pairs)"),
        (9_999, 46_800 / 9_999, "every pair twice"),
        (46_800 / 4_999.5, 4_999.5, "wrong way round"),
        (4_999.5, 2, "multiply to 9,999"),
        (400, 117, "passes before / passes after"),
    ],
)
def test_a_wrong_split_gets_its_hint(fewer, cheaper, hint):
    assert hint in verdict_of(nb01.split, fewer, cheaper)


def test_the_split_stub_is_not_attempted():
    assert verdict_of(nb01.split, None, None) == NOT_ATTEMPTED


# ---- one night


def test_one_night_passes_by_formula_and_by_trying():
    def by_bisection(pairs_per_second, hours):
        low, high = 1, 10**7
        while high - low > 1:
            middle = (low + high) // 2
            fits = math.comb(middle, 2) <= pairs_per_second * hours * 3600
            low, high = (middle, high) if fits else (low, middle)
        return low

    def nearly(pairs_per_second, hours):
        return (2 * pairs_per_second * hours * 3600) ** 0.5

    for answer in (right_night, by_bisection, nearly):
        assert verdict_of(nb01.one_night, answer) == CORRECT


@pytest.mark.parametrize(
    ("answer", "hint"),
    [
        (lambda rate, hours: rate * hours * 3600, "as if each sentence were one pass"),
        (lambda rate, hours: 10_000 * hours * 3600 * rate / PASSES_BEFORE, "in proportion"),
        (lambda rate, hours: (rate * hours * 3600) ** 0.5, "counts every pair twice"),
        (lambda rate, hours: (rate * hours * 1800) ** 0.5, "wrong side"),
        (lambda rate, hours: (2 * rate * hours) ** 0.5, "3,600 seconds"),
        (lambda rate, hours: (2 * rate * hours * 60) ** 0.5, "not 60"),
        (lambda rate, hours: 12, "too few"),
        (lambda rate, hours: 10**9, "too many"),
    ],
)
def test_a_wrong_night_gets_its_hint(answer, hint):
    assert hint in verdict_of(nb01.one_night, answer)


def test_the_night_stub_is_not_attempted():
    def sentences_in(pairs_per_second, hours): ...

    assert verdict_of(nb01.one_night, sentences_in) == NOT_ATTEMPTED
