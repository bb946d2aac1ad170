"""Checks of 13_ablations: marginal values, what an additive head cannot say, staking a range."""

import math
from collections.abc import Callable, Mapping

import numpy as np
import torch
from scipy import stats

from sbert_lab.checks.core import Hint, check, near, need_number
from sbert_lab.evaluation.ablation import interaction as own_interaction
from sbert_lab.objectives import CONCATENATIONS

# ---- exercise 1: marginal values


@check
def marginal(best_alone, added, last, *, scores: Mapping[str, float]):
    """The best single part, what each adds to (u, v), what u*v adds to (u, v, |u-v|)."""
    _best_alone(best_alone, scores)
    _added(added, scores)
    value = need_number(last, "last")
    right = scores["(u, v, |u-v|, u*v)"] - scores["(u, v, |u-v|)"]
    if near(value, right, tolerance=6e-3):
        return
    if abs(value - right) < 0.06:
        raise Hint("last: two decimals, please")
    if abs(value + right) < 0.06:
        raise Hint("last has the wrong sign: with the part minus without it")
    if near(value, scores["(u, v, u*v)"] - scores["(u, v)"], tolerance=6e-3):
        raise Hint("last: that is what u*v adds to (u, v); here |u-v| is there already")
    if near(value, scores["(|u-v|, u*v)"] - scores["(|u-v|)"], tolerance=6e-3):
        raise Hint("last: that is what u*v adds to (|u-v|) alone; u and v are in, too")
    raise Hint("last: take the two rows that have u, v and |u-v| and differ in u*v alone")


def _best_alone(answer: object, scores: Mapping[str, float]) -> None:
    said = str(answer).strip().strip("()").replace(" ", "")
    alone = {parts[0]: scores[name] for name, parts in CONCATENATIONS.items() if len(parts) == 1}
    best = max(alone, key=alone.get)
    if said == best:
        return
    if said in alone:
        raise Hint(
            f"{said} alone has {alone[said]:.2f}: the key part of a team need not be the best "
            "alone. Read the two rows with a single part again"
        )
    raise Hint(f"best_alone should be one of the parts that stand alone: {' or '.join(alone)}")


def _added(answer: object, scores: Mapping[str, float]) -> None:
    if not isinstance(answer, Mapping) or set(answer) != {"|u-v|", "u*v"}:
        raise Hint("added should be a dictionary with two numbers, for '|u-v|' and 'u*v'")
    for part, value in answer.items():
        value = need_number(value, f"added[{part!r}]")
        together = scores[f"(u, v, {part})"]
        if near(value, together - scores["(u, v)"], tolerance=6e-3):
            continue
        mistakes = [
            (together, "this is the score with it; take off the score without it"),
            (scores["(u, v)"] - together, "the sign is wrong: with it minus without it"),
            (scores[f"({part})"] - scores["(u, v)"], "you compared it alone with (u, v): add it"),
            (together - scores[f"({part})"], "this is what u and v add to it, not it to them"),
        ]
        for wrong, hint in mistakes:
            if near(value, wrong, tolerance=6e-3):
                raise Hint(f"{part}: {hint}")
        raise Hint(f"{part}: take the row (u, v, {part}) and the row (u, v)")


# ---- exercise 2: additive


@check
def additive(answer: Callable, symmetry_helps):
    """answer(score, a, b): the interaction of a score; and whether a symmetric head would help."""
    rng = np.random.default_rng(13)
    a, b = (torch.from_numpy(rng.normal(size=(6, 5))) for _ in range(2))
    weight = torch.from_numpy(rng.normal(size=(5, 2)))
    scores = [
        lambda u, v: u @ weight[:, 0] + (u * v) @ weight[:, 1],
        lambda u, v: (u - v).abs() @ weight[:, 0],
    ]
    for score in scores:
        _interaction(answer, score, a, b)
    if symmetry_helps not in (True, False):
        raise Hint("symmetry_helps should be True or False")
    if symmetry_helps:
        raise Hint(
            "try it: with the same weights w for u and v, equal pairs get w·a + w·a + w·b + w·b, "
            "mixed pairs w·a + w·b + w·b + w·a. Being a sum is the reason, not a lack of symmetry"
        )


def _interaction(answer: Callable, score: Callable, a: torch.Tensor, b: torch.Tensor) -> None:
    result, right = answer(score, a, b), own_interaction(score, a, b)
    if near(result, right):
        return
    aa, bb, ab, ba = score(a, a), score(b, b), score(a, b), score(b, a)
    mistakes = [
        (-right, "the sign is turned round: equal pairs minus mixed pairs"),
        (ab - ba, "this asks whether the score is symmetric; compare equal pairs with mixed ones"),
        (aa - ab, "a and b differ in more than being alike: use all four pairs"),
        (aa + bb - ab, "one mixed pair is missing: (b, a)"),
        (aa + bb + ab + ba, "the mixed pairs are subtracted"),
        (aa - bb, "both of these are equal pairs: take the mixed ones off"),
    ]
    for wrong, hint in mistakes:
        if near(result, wrong):
            raise Hint(hint)
    if np.shape(result) != tuple(right.shape):
        raise Hint(f"one number per row is needed, shape {tuple(right.shape)}")
    raise Hint("score(a, a) + score(b, b) - score(a, b) - score(b, a)")


# ---- exercise 3: a range for the next run


@check
def stake(answer: Callable):
    """answer(scores) -> (low, high): where the next seed falls, 95 times in 100."""
    for scores in ([58.0, 61.0, 59.0], [50.0, 54.0, 53.0, 49.0, 52.0]):
        _range(answer(np.array(scores)), np.array(scores))
    try:
        alone = answer(np.array([58.0]))
    except ValueError:
        return
    low, high = _two(alone)
    if math.isinf(low) and math.isinf(high):
        return
    if math.isnan(low) or math.isnan(high):
        raise Hint("one seed gives nan, silently: raise a ValueError that says what is missing")
    raise Hint("one seed says nothing about the spread, so no range: raise a ValueError")


def _range(answer: object, scores: np.ndarray) -> None:
    low, high = _two(answer)
    if not low < high:
        raise Hint(f"the lower end {low:.2f} is not below the upper end {high:.2f}")
    n, mean = len(scores), scores.mean()
    if not near((low + high) / 2, mean, tolerance=1e-3):
        raise Hint("the middle of the range should be the mean of the scores")
    t, sd, half = stats.t.ppf(0.975, n - 1), scores.std(ddof=1), (high - low) / 2
    wide = math.sqrt(1 + 1 / n)
    if near(half, t * sd * wide, tolerance=1e-3):
        return
    mistakes = [
        (
            t * sd / math.sqrt(n),
            "this range is for the mean of many seeds; one new run varies, too",
        ),
        (t * sd, "the mean itself is uncertain: the square root of 1 + 1/n is missing"),
        (1.96 * sd * wide, f"1.96 is for a known spread; with {n} seeds take t, {t:.2f}"),
        (1.96 * sd, f"1.96 is for a known spread; with {n} seeds take t, {t:.2f}"),
        (t * scores.std() * wide, "the spread is too small: divide by n - 1 (ddof=1)"),
        (sd, "mean ± one sd holds about two runs in three, not 95 in 100"),
        (np.ptp(scores) / 2, "smallest to largest is not wide enough for a new run"),
    ]
    for wrong, hint in mistakes:
        if near(half, wrong, tolerance=1e-3):
            raise Hint(hint)
    raise Hint("half the width is t * sd * sqrt(1 + 1/n)")


def _two(answer: object) -> tuple[float, float]:
    try:
        low, high = answer
    except (TypeError, ValueError):
        raise Hint("give two numbers: the lower and the upper end") from None
    return need_number(low, "the lower end"), need_number(high, "the upper end")
