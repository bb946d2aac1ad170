"""Measuring an index: vectors to fill it with, how dense they lie, and what a query costs."""

import time
from collections.abc import Callable

import numpy as np

from sbert_lab.errors import InputError
from sbert_lab.search.blocks import checked_units, top_k
from sbert_lab.search.index import VectorIndex, recall_of

STEP = 0.3
CHUNK = 100_000


def perturb(vectors, count: int, *, step: float = STEP, seed: int = 1) -> np.ndarray:
    """New unit vectors (count, H) near real ones (N, H): a + step * (b - c), a, b, c drawn freely.

    They stand for no sentence. But the steps go along differences of real embeddings, so the new
    vectors lie in the same few directions, and their neighbours are about as near as real ones.
    """
    if count < 1:
        raise InputError(f"count must be at least 1, got {count}")
    units, draw = checked_units(vectors), np.random.default_rng(seed)
    made = np.empty((count, units.shape[1]), dtype=np.float32)
    for start in range(0, count, CHUNK):
        size = min(CHUNK, count - start)
        a, b, c = (units[draw.integers(len(units), size=size)] for _ in range(3))
        made[start : start + size] = checked_units(a + np.float32(step) * (b - c))
    return made


def neighbour_curve(vectors, *, ranks: int = 100, sample: int = 1000) -> np.ndarray:
    """The mean cosine with the 1st, 2nd, ... nearest neighbour: (N, H) -> (ranks,).

    Averaged over the first `sample` vectors; nobody is its own neighbour.
    """
    if not 1 <= ranks < len(vectors):
        raise InputError(f"{ranks} neighbours of each of {len(vectors)} vectors: ask for fewer")
    cosines = top_k(vectors[:sample], vectors, k=ranks + 1)[0]  # the first one is itself
    return cosines[:, 1:].mean(axis=0)


def measure_index(
    index: VectorIndex,
    queries,
    truth: np.ndarray,
    *,
    clock: Callable[[], float] = time.perf_counter,
) -> dict[str, float]:
    """Recall (0 to 1) and milliseconds per query, asked one at a time: (Q, H), true rows (Q, k)."""
    index.search(queries[:1], k=truth.shape[1])  # the first call warms up
    start = clock()
    found = [index.search(queries[i : i + 1], k=truth.shape[1])[1] for i in range(len(queries))]
    seconds = clock() - start
    return {
        "recall": recall_of(np.concatenate(found), truth),
        "ms": 1000 * seconds / len(queries),
    }
