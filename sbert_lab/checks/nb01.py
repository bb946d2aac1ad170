"""Checks of notebook 01: how many passes, where the factor comes from, how much fits in a night."""

from collections.abc import Callable

from sbert_lab.checks.core import Hint, check, near, need_number

HOURS, SECONDS = 65, 5
N = 10_000
FACTOR = HOURS * 3600 / SECONDS  # 46,800
FEWER = (N - 1) / 2  # 49,995,000 pairs / 10,000 sentences = 4,999.5
CHEAPER = FACTOR / FEWER  # 9.36


@check
def passes(one_query: Callable, all_pairs: Callable) -> None:
    """Cross-encoder passes for one new query against n sentences, and for all pairs of n."""
    for n in (4, 7, 10_000):
        _check_one_query(n, need_number(one_query(n), f"one_query({n})"))
        _check_all_pairs(n, need_number(all_pairs(n), f"all_pairs({n})"))
    if need_number(all_pairs(1), "all_pairs(1)") != 0:
        raise Hint("one sentence alone makes no pair: all_pairs(1) should be 0")


def _check_one_query(n: int, found: float) -> None:
    if found == n:
        return
    if found == n * (n - 1) / 2:
        raise Hint(
            "one_query counts all pairs; a new query is compared with each of the n sentences, and"
            " they are not compared with each other"
        )
    if found == n - 1:
        raise Hint("the query is new, not one of the n sentences: nobody is left out")
    if found == 1:
        raise Hint("each pass takes one pair: the query has to be paired with every sentence")
    raise Hint(f"one_query({n}) gives {found:,.0f}: count the pairs (query, sentence)")


def _check_all_pairs(n: int, found: float) -> None:
    if found == n * (n - 1) / 2:
        return
    if found == n * (n - 1):
        raise Hint("n(n-1) counts every pair twice, as (A, B) and as (B, A)")
    if found == n * n:
        raise Hint("n squared counts every pair twice, and every sentence with itself")
    if found == n * (n + 1) / 2:
        raise Hint("this includes every sentence paired with itself")
    if found == n:
        raise Hint("all_pairs counts one query only: every sentence has n-1 partners")
    if found == n * n / 2:
        raise Hint("half of n squared still has half of the pairs of a sentence with itself")
    raise Hint(f"all_pairs({n}) gives {found:,.0f}: write down the pairs of four sentences")


@check
def split(fewer: float, cheaper: float) -> None:
    """46,800 = fewer passes (4,999.5) x cheaper passes (9.36)."""
    fewer = need_number(fewer, "fewer_passes")
    cheaper = need_number(cheaper, "cheaper_pass")
    if near(fewer, FEWER, tolerance=2e-4) and near(cheaper, CHEAPER, tolerance=0.01):
        return
    if near(fewer, 1, tolerance=1e-3) or near(cheaper, FACTOR, tolerance=1e-3):
        raise Hint(
            "one pass did not get 46,800 times faster: 49,995,000 passes became 10,000, and that"
            " alone explains most of it"
        )
    if near(fewer, FACTOR, tolerance=1e-3) or near(cheaper, 1, tolerance=1e-3):
        raise Hint(
            "fewer passes do not explain all of it: 49,995,000 / 10,000 is below 46,800, the rest"
            " is a cheaper pass"
        )
    if fewer == N - 1:
        raise Hint("9,999 counts every pair twice")
    if near(fewer, N**2, tolerance=1e-3) or near(fewer, N, tolerance=1e-3):
        raise Hint("fewer passes: divide the passes before (all pairs) by the passes after (n)")
    if near(fewer, CHEAPER, tolerance=0.01) and near(cheaper, FEWER, tolerance=0.01):
        raise Hint("right numbers, but the wrong way round")
    if not near(fewer * cheaper, FACTOR, tolerance=0.01):
        raise Hint(f"the two factors multiply to {fewer * cheaper:,.0f}, not to 46,800")
    raise Hint("fewer_passes is passes before / passes after, both for 10,000 sentences")


@check
def one_night(answer: Callable) -> None:
    """Largest n whose n(n-1)/2 pairs fit into some hours at some pairs per second."""
    for rate, hours in ((100.0, 8), (213.7, 65), (1000.0, 8)):
        found = need_number(answer(rate, hours), "your n")
        budget = rate * hours * 3600
        exact = (1 + (1 + 8 * budget) ** 0.5) / 2
        if abs(found - exact) <= 2:
            continue
        raise Hint(_why_not(found, exact, budget, rate * hours))


def _why_not(found: float, exact: float, pairs: float, without_seconds: float) -> str:
    if near(found, pairs, tolerance=1e-3):
        return (
            "this is the number of pairs that fit, as if each sentence were one pass (a linear"
            " extrapolation): solve n(n-1)/2 = pairs for n"
        )
    if near(found, N * pairs / (N * FEWER), tolerance=1e-3):
        return (
            "this scales 10,000 sentences in proportion to the time (a linear extrapolation): twice"
            " the sentences take four times as long"
        )
    if near(found, pairs**0.5, tolerance=1e-3):
        return "this solves n squared = pairs, which counts every pair twice"
    if near(found, (pairs / 2) ** 0.5, tolerance=1e-3):
        return "the 2 is on the wrong side: n(n-1)/2 = pairs means n(n-1) = 2 * pairs"
    if near(found, (2 * without_seconds) ** 0.5, tolerance=0.01):
        return "hours times pairs per second: an hour has 3,600 seconds"
    if near(found, (120 * without_seconds) ** 0.5, tolerance=0.01):
        return "an hour has 3,600 seconds, not 60"
    too = "many" if found > exact else "few"
    needed = found * (found - 1) / 2
    return f"{found:,.0f} are too {too}: they make {needed:,.0f} pairs, and {pairs:,.0f} fit"
