"""Checks of 03_raw_embeddings."""

import numpy as np
from scipy import stats

from sbert_lab.checks.core import Hint, check, near, need_number, need_shape

_GOLD = np.array([4.0, 1.0, 5.0, 0.0, 4.0, 2.5, 1.0, 4.0])
_PREDICTED = np.array([0.9, 0.1, 0.7, 0.2, 0.8, 0.3, 0.6, 0.4])
_PLAIN_GOLD = np.array([3.0, 0.5, 4.0, 1.0, 2.0])
_PLAIN = np.array([0.7, 0.2, 0.95, 0.94, 0.3])


@check
def spearman(answer):
    """answer(gold, predicted): two lists of n numbers -> one number from -1 to 1."""
    _compare_spearman(answer, _PLAIN_GOLD, _PLAIN)
    if _depends_on_tied_order(lambda tied, other: answer(tied, other)):
        raise Hint("right without ties; but equal values must share the mean of their ranks")
    if _depends_on_tied_order(lambda tied, other: answer(other, tied)):
        raise Hint("right, but not if the ties stand in the second list: rank both the same way")
    _compare_spearman(answer, _GOLD, _PREDICTED)
    _compare_spearman(answer, _PREDICTED, _GOLD)


def _depends_on_tied_order(answer) -> bool:
    """True if swapping the partners of two equal values changes the result: it must not."""
    tied = np.array([1.0, 1.0, 2.0])
    first, second = (answer(tied, np.array(other)) for other in ([1.0, 2.0, 3.0], [2.0, 1.0, 3.0]))
    return not near(need_number(first, "Spearman"), need_number(second, "Spearman"))


def _compare_spearman(answer, gold: np.ndarray, predicted: np.ndarray) -> None:
    result = need_number(answer(gold.copy(), predicted.copy()), "Spearman")
    if near(result, stats.spearmanr(gold, predicted).statistic):
        return
    if near(result, np.corrcoef(gold, predicted)[0, 1]):
        raise Hint("this is Pearson of the values: replace each value by its rank first")
    if near(result, np.corrcoef(gold.argsort(), predicted.argsort())[0, 1]):
        raise Hint(
            "a single argsort says which item comes first, second, ...; the rank of each item is "
            "the argsort of that"
        )
    ranks = [stats.rankdata(values) for values in (gold, predicted)]
    if near(result, _textbook_formula(*ranks)):
        raise Hint("1 - 6 sum(d^2) / (n(n^2 - 1)) holds only without ties: correlate the ranks")
    for method in ("min", "max", "dense"):
        ranks = [stats.rankdata(values, method=method) for values in (gold, predicted)]
        if near(result, np.corrcoef(*ranks)[0, 1]):
            raise Hint(
                f"equal values get the {method} rank in yours: they must share the mean of their "
                "ranks"
            )
    raise Hint("write both columns of ranks down for [10, 30, 30]: they are 1, 2.5, 2.5")


def _textbook_formula(a: np.ndarray, b: np.ndarray) -> float:
    n = len(a)
    return 1 - 6 * ((a - b) ** 2).sum() / (n * (n**2 - 1))


def sentence_pairs() -> tuple[np.ndarray, np.ndarray]:
    """Six gold pairs that lie together, far from the origin: (6, 4), (6, 4)."""
    rng = np.random.default_rng(3)
    u = rng.normal(size=(6, 4)) * [[1], [2], [3], [1], [2], [3]] + [3, 0, 1, 0]
    v = u + 0.3 * rng.normal(size=(6, 4))
    return u, v


def _cosines(u: np.ndarray, v: np.ndarray) -> np.ndarray:
    return _unit(u) @ _unit(v).T


def _unit(vectors: np.ndarray) -> np.ndarray:
    return vectors / np.linalg.norm(vectors, axis=1, keepdims=True)


@check
def random_pair_cosine(answer):
    """answer(u, v): (N, H), (N, H) -> the mean cosine of u[i] and v[j] over all i != j."""
    u, v = sentence_pairs()
    table = _cosines(u, v)
    away = ~np.eye(len(u), dtype=bool)
    result = need_number(answer(u.copy(), v.copy()), "the mean cosine")
    if near(result, table[away].mean()):
        return
    mistakes = [
        (np.diag(table).mean(), "these are the gold pairs, u[i] with v[i]: no random ones at all"),
        (
            table.mean(),
            "the diagonal is in your mean: there u[i] meets its own partner v[i]. Leave it out",
        ),
        (
            table[away].sum() / table.size,
            "you left the diagonal out of the sum, but not out of the count: N(N-1) cosines remain",
        ),
        ((u @ v.T)[away].mean(), "these are dot products: bring every vector to length 1 first"),
        ((u @ v.T).mean(), "these are dot products: bring every vector to length 1 first"),
        (
            table[np.triu_indices(len(u), 1)].mean(),
            "only j > i is in yours: u[i] with v[j] and u[j] with v[i] are two different pairs",
        ),
        (_cosines(u, u)[away].mean(), "you compared u with itself: v is missing"),
        (_cosines(u, u).mean(), "you compared u with itself: v is missing"),
    ]
    for wrong, hint in mistakes:
        if near(result, wrong):
            raise Hint(hint)
    raise Hint("make the (N, N) table of all cosines first, then leave its diagonal out")


@check
def centred_cosine(answer):
    """answer(u, v): (N, H), (N, H) -> (N,), cosines after one common mean was subtracted."""
    u, v = sentence_pairs()
    given = u.copy(), v.copy()
    result = answer(*given)
    need_shape(result, (len(u),), "the cosines")
    if not (np.array_equal(given[0], u) and np.array_equal(given[1], v)):
        raise Hint(
            "your function changed the vectors it was given: `u = u - mean`, not `u -= mean`"
        )
    centre = np.concatenate([u, v]).mean(axis=0)
    if near(result, np.diag(_cosines(u - centre, v - centre))):
        return
    middle = (u + v) / 2
    mistakes = [
        (
            np.diag(_cosines(u - middle, v - middle)),
            "you took the mean of each pair: both vectors then point away from their own middle, "
            "and every cosine is -1. One mean for all sentences",
        ),
        (np.diag(_cosines(u, v)), "nothing is centred yet: these are the plain cosines"),
        (
            np.diag(_cosines(u - u.mean(0), v - v.mean(0))),
            "two means: then the same sentence has one vector on the left and another on the "
            "right. One mean for both sides",
        ),
        (
            np.diag(_cosines(u - u.mean(1, keepdims=True), v - v.mean(1, keepdims=True))),
            "you averaged over the dimensions (axis=1): average over the sentences (axis=0)",
        ),
        (
            np.diag(_cosines(u - np.concatenate([u, v]).mean(), v - np.concatenate([u, v]).mean())),
            "you subtracted a single number: the mean is a vector, one number per dimension",
        ),
        (
            ((u - centre) * (v - centre)).sum(axis=1),
            "centred, but these are dot products: divide by both lengths",
        ),
    ]
    for wrong, hint in mistakes:
        if near(result, wrong):
            raise Hint(hint)
    raise Hint("one mean vector over all 2N sentences, subtracted from both sides, then the cosine")
