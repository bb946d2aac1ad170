"""Checks of 07_triplet_objective."""

import math

import numpy as np
import torch

from sbert_lab.checks.core import Hint, check, near, need_number

# Four triplets of points: anchor, positive, negative.
FOUR = (
    ((0, 0), (3, 4), (0, 2)),
    ((1, 1), (1, 2), (4, 5)),
    ((0, 0), (0, 2), (2.5, 0)),
    ((0, 0), (0, 3), (4, 0)),
)
# Distances anchor-positive and anchor-negative of five triplets: four hits and a near miss.
FIVE = ((1.0, 2.2, 1.2, 0.8, 1.51), (1.5, 2.5, 2.0, 1.0, 1.50))


@check
def four_losses(answer):
    """answer: the losses of the triplets in FOUR, a list of four numbers."""
    try:
        mine = np.array([float(value) for value in answer])
    except (TypeError, ValueError):
        raise Hint("a list of four numbers is needed, one loss per triplet") from None
    if mine.shape != (4,):
        raise Hint(f"four losses are needed, one per triplet, but there are {mine.size}")
    near_, far = _distances(2)
    if near(mine, _loss(near_, far), tolerance=1e-3):
        return
    mistakes = [
        (
            _loss(near_**2, far**2),
            "these are squared distances, as in FaceNet: this paper takes the root",
        ),
        (
            _loss(far, near_),
            "positive and negative are swapped: the distance to the positive has the plus sign",
        ),
        (
            near_ - far + 1,
            "a loss below 0 would reward going on for ever: max(..., 0) cuts it off",
        ),
        (_loss(near_, far, margin=0), "the margin is missing: + 1 inside the max"),
        (np.maximum(near_ - far, 0) + 1, "the + 1 belongs inside the max"),
        (_loss(near_, far, margin=-1), "the margin has the wrong sign: it asks for more distance"),
        (_loss(*_distances(1)), "these are Manhattan distances: take the straight line"),
    ]
    for wrong, hint in mistakes:
        if near(mine, wrong, tolerance=1e-3):
            raise Hint(hint)
    off = np.flatnonzero(~np.isclose(mine, _loss(near_, far), atol=1e-3)) + 1
    raise Hint(f"look at triplet {off[0]} again: what are its two distances?")


def _distances(order: int) -> tuple[np.ndarray, np.ndarray]:
    points = np.array(FOUR, dtype=float)  # (4, 3, 2)
    near_ = np.linalg.norm(points[:, 0] - points[:, 1], ord=order, axis=1)
    far = np.linalg.norm(points[:, 0] - points[:, 2], ord=order, axis=1)
    return near_, far


def _loss(near_: np.ndarray, far: np.ndarray, margin: float = 1.0) -> np.ndarray:
    return np.maximum(near_ - far + margin, 0)


@check
def zero_share(answer):
    """answer(to_positive, to_negative, margin) -> the share of triplets with zero gradient."""
    to_positive = torch.tensor([1.0, 1.0, 2.0, 3.0, 0.5, 2.5, 1.0, 2.0])
    to_negative = torch.tensor([3.0, 1.4, 1.0, 4.3, 1.2, 2.0, 1.7, 1.5])
    result = need_number(answer(to_positive, to_negative, 1.0), "the share")
    resting, closer = 2 / 8, 5 / 8
    if near(result, resting):
        narrow = need_number(answer(to_positive, to_negative, 0.5), "the share")
        if not near(narrow, 4 / 8):
            raise Hint("right for a margin of 1, not for 0.5: use the argument `margin`")
        return
    mistakes = [
        (
            closer,
            "you forgot the margin: closer is not enough, the loss is 0 only if the positive is "
            "closer by the margin",
        ),
        (1 - closer, "this is the share of hard triplets: the loss is 0 for the easy ones"),
        (1 - resting, "this is the share that still teaches: zero gradient is the rest"),
        (2, "this is how many: divide by the number of triplets"),
        (100 * resting, "as a share, please: between 0 and 1"),
        (0.0, "you give 0: is one of the two signs turned round?"),
    ]
    for wrong, hint in mistakes:
        if near(result, wrong):
            raise Hint(hint)
    raise Hint("count the triplets whose loss max(d(a,p) - d(a,n) + margin, 0) is 0")


@check
def magnifier(factor, accuracy):
    """A factor that halves the loss of the triplets in FIVE, and the accuracy afterwards."""
    near_, far = np.array(FIVE)
    factor = need_number(factor, "factor")
    if not math.isfinite(factor) or factor == 0:
        raise Hint("factor should be a number that stretches the embeddings, for example 2")
    stretched = abs(factor)
    before, after = _loss(near_, far).mean(), _loss(stretched * near_, stretched * far).mean()
    if after > before / 2:
        direction = "less" if stretched > 20 else "more"
        why = ": the miss grows with the factor too" if direction == "less" else ""
        raise Hint(
            f"the loss goes from {before:.2f} to {after:.2f}, not to half: stretch {direction}{why}"
        )
    hits = float((near_ < far).mean())
    said = need_number(accuracy, "accuracy")
    if near(said, hits, tolerance=1e-3):
        return
    if near(said, 100 * hits, tolerance=1e-3):
        raise Hint("as a share, please: between 0 and 1")
    if said > hits:
        raise Hint(
            "a smaller loss, so a better model? No: both distances of a triplet grow by the same "
            "factor, so whoever was nearer still is. Count the hits again"
        )
    if near(said, (near_ + 1 <= far).mean(), tolerance=1e-3):
        raise Hint("accuracy has no margin: closer is enough for a hit")
    raise Hint("in how many of the five is the positive closer than the negative?")
