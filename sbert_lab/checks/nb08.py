"""Checks of 08_unsupervised_sts."""

from functools import lru_cache
from itertools import permutations, product

import numpy as np
from scipy import stats

from sbert_lab.checks.core import Hint, check, near, need_number

PAIRS = 20  # to be rated by the reader

# People's scores and a system's similarities: a rising curve with two pairs out of order, and ties.
CURVE = (
    (0.6, 1.0, 0.2, 0.5, 0.0, 0.8, 0.2, 1.0, 0.4, 0.6),
    (0.16, 0.99, 0.05, 0.10, 0.01, 0.30, 0.02, 0.95, 0.04, 0.30),
)


@lru_cache(maxsize=1)
def twenty() -> list[dict]:
    """Twenty test pairs of our own STSb, drawn by a fixed seed; the same in every profile."""
    from sbert_lab import data

    rows = data.load("stsb", "test", profile="mini").shuffle(seed=8)
    return list(rows.select(range(PAIRS)))


@check
def two_subsets(first, second):
    """Two subsets, each (gold, predicted), each with Spearman 1, together below 0."""
    subsets = [_subset(first, "first"), _subset(second, "second")]
    alone = [_spearman(*one) for one in subsets]
    for name, value in zip(("first", "second"), alone, strict=True):
        if not near(value, 1.0):
            raise Hint(
                f"the {name} subset alone has a Spearman of {value:.2f}: inside a subset the "
                "similarities must rise with the gold scores, and neither may have ties"
            )
    together = _spearman(*(np.concatenate(side) for side in zip(*subsets, strict=True)))
    if together >= 0:
        raise Hint(
            f"one list of all pairs has a Spearman of {together:.2f}. (The *average* of the two "
            "correlations is 1 whatever you do: concatenate first, then correlate.) Which subset "
            "should have the high gold scores, and which the high similarities?"
        )


def _subset(answer: object, name: str) -> tuple[np.ndarray, np.ndarray]:
    try:
        gold, predicted = (np.array([float(v) for v in side]) for side in answer)
    except (TypeError, ValueError):
        raise Hint(f"{name} should be two lists of numbers: gold scores, similarities") from None
    if len(gold) != len(predicted):
        raise Hint(f"{name} has {len(gold)} gold scores but {len(predicted)} similarities")
    if len(gold) < 3:
        raise Hint(f"{name} has {len(gold)} pairs: take at least three")
    if not (np.isfinite(gold).all() and np.isfinite(predicted).all()):
        raise Hint(f"{name} has a value that is not a number")
    if gold.min() < 0 or gold.max() > 5:
        raise Hint(f"gold scores go from 0 to 5, but {name} has {gold.min():g} to {gold.max():g}")
    if predicted.min() < -1 or predicted.max() > 1:
        raise Hint(f"similarities are cosines here, from -1 to 1: look at {name}")
    return gold, predicted


def _spearman(gold: np.ndarray, predicted: np.ndarray) -> float:
    ranked = stats.rankdata(gold), stats.rankdata(predicted)
    if any(np.ptp(one) == 0 for one in ranked):
        raise Hint("a constant list has no ranking: vary the numbers inside each subset")
    return float(np.corrcoef(*ranked)[0, 1])


@check
def two_correlations(answer):
    """answer(gold, predicted) -> (Pearson, Spearman), both from -1 to 1."""
    gold, predicted = (np.array(side) for side in CURVE)
    pearson, spearman = _pair(answer(gold.copy(), predicted.copy()))
    right = np.corrcoef(gold, predicted)[0, 1], _spearman(gold, predicted)
    if near(pearson, right[0]) and near(spearman, right[1]):
        return
    if near(pearson, right[1]) and near(spearman, right[0]):
        raise Hint("both are right, but swapped: first Pearson, then Spearman")
    if near(pearson, 100 * right[0], tolerance=1e-3):
        raise Hint("from -1 to 1, please: the times 100 comes later")
    if not near(pearson, right[0]):
        raise Hint(
            "look at Pearson: it correlates the values themselves. np.corrcoef gives a 2 x 2 table "
            "of which you need one entry off the diagonal"
        )
    once = np.corrcoef(np.argsort(gold), np.argsort(predicted))[0, 1]
    stable = np.corrcoef(
        np.argsort(gold, kind="stable"), np.argsort(predicted, kind="stable")
    )[0, 1]  # fmt: skip
    if near(spearman, once) or near(spearman, stable):
        raise Hint(
            "argsort says which pair comes first, second, third: it lists *pairs*. A rank says "
            "which place a pair has. scipy's rankdata gives ranks"
        )
    broken = product(_without_ties(gold), _without_ties(predicted))
    if any(near(spearman, np.corrcoef(*ranks)[0, 1]) for ranks in broken):
        raise Hint(
            "pairs with equal values must share their mean rank; yours got different ones, as "
            "argsort of argsort gives them. scipy's rankdata shares"
        )
    for method in ("min", "max", "dense"):
        shared = [stats.rankdata(side, method=method) for side in (gold, predicted)]
        if near(spearman, np.corrcoef(*shared)[0, 1]):
            raise Hint("equal values share the *mean* of their ranks: rankdata's own default")
    if near(spearman, right[0]):
        raise Hint("you gave the same number twice: Spearman needs ranks in place of the values")
    raise Hint("Spearman is Pearson of the ranks: rank both lists, then correlate")


def _without_ties(values: np.ndarray) -> list[np.ndarray]:
    """All rankings that give equal values places of their own: (N,) each.

    Which of them np.argsort gives depends on its kind, and for the default on the machine.
    """
    equal = [np.flatnonzero(values == one) for one in np.unique(values)]
    return [np.argsort(np.concatenate(one)) for one in product(*map(permutations, equal))]


def _pair(result: object) -> tuple[float, float]:
    try:
        first, second = result
    except (TypeError, ValueError):
        raise Hint("give back two numbers: Pearson, Spearman") from None
    return need_number(first, "Pearson"), need_number(second, "Spearman")


@check
def ratings(answer):
    """answer: twenty ratings from 0 to 5 of the pairs in twenty()."""
    try:
        mine = np.array([float(value) for value in answer])
    except (TypeError, ValueError):
        raise Hint(f"a list of {PAIRS} numbers is needed, none of them None") from None
    if mine.shape != (PAIRS,):
        raise Hint(f"{PAIRS} ratings are needed, one per pair, but there are {mine.size}")
    if not np.isfinite(mine).all() or mine.min() < 0 or mine.max() > 5:
        raise Hint("the rubric goes from 0 to 5")
    different = len(set(mine.tolist()))
    if different == 1:
        raise Hint(
            "all ratings are equal: a constant has no ranking, so it agrees with nobody. Somebody "
            "who gives everything a 3 has said nothing"
        )
    if different < 3:
        raise Hint(f"only {different} different ratings: use more of the rubric's six steps")
    agreement = _spearman(np.array([row["score"] for row in twenty()]), mine)
    if agreement < 0.2:
        raise Hint(
            f"your order agrees with the gold scores at {100 * agreement:.0f} points. Are the "
            "ratings in the order of the pairs, and is 5 the same meaning, 0 another topic?"
        )
