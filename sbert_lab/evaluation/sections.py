"""Wikipedia sections (Table 4): how often is the positive closer than the negative?"""

from collections.abc import Sequence

import numpy as np

from sbert_lab.errors import InputError
from sbert_lab.evaluation.vectors import Encode, column, embed


def triplet_hits(encode: Encode, rows: Sequence[dict]) -> np.ndarray:
    """For each row, is the positive strictly closer (Euclid)? (N,) of True and False.

    A tie is a miss: otherwise an encoder that gives one vector to everything would score 100 %.
    """
    if len(rows) == 0:
        raise InputError("there are no triplets to score")
    names = ("anchor", "positive", "negative")
    anchor, positive, negative = embed(encode, *(column(rows, name) for name in names))
    to_positive = np.linalg.norm(anchor - positive, axis=1)
    to_negative = np.linalg.norm(anchor - negative, axis=1)
    return to_positive < to_negative


def triplet_accuracy(encode: Encode, rows: Sequence[dict]) -> float:
    """The share of triplets with the positive closer, in points (times 100); chance is 50."""
    return float(100 * triplet_hits(encode, rows).mean())


def bootstrap_difference(
    hits_a: np.ndarray, hits_b: np.ndarray, *, samples: int = 1000, seed: int = 0
) -> np.ndarray:
    """Accuracy of a minus accuracy of b (points) on resampled items: (samples,).

    Works for anything that is right or wrong per item. Several seeds come as (seeds, N).
    """
    a, b = (np.atleast_2d(np.asarray(hits, dtype=float)).mean(axis=0) for hits in (hits_a, hits_b))
    if a.shape != b.shape or len(a) == 0:
        raise InputError(f"both systems must answer the same items, got {len(a)} and {len(b)}")
    gaps = a - b
    if not np.isfinite(gaps).all():
        raise InputError("there are NaN or infinite values among the answers")
    rng = np.random.default_rng(seed)
    return np.array(
        [100 * gaps[rng.integers(len(gaps), size=len(gaps))].mean() for _ in range(samples)]
    )
