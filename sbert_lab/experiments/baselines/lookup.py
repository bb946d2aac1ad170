"""A system that cannot read: every sentence is a free vector, known by its number alone.

Trained like SBERT (cosine against the score, squared error), it has nothing to go by but which
sentences it met and how their pairs were scored. What it gets right, it remembers.
"""

from collections.abc import Sequence

import numpy as np

from sbert_lab.errors import InputError
from sbert_lab.vectors import unit_rows


class LookUpTable:
    """One unit vector per sentence of the training pairs; an unknown sentence gets a random one."""

    def __init__(self, *, dimension: int = 32, steps: int = 300, seed: int = 1) -> None:
        self.dimension, self.steps = dimension, steps
        self._rng = np.random.default_rng(seed)
        self._place: dict[str, int] = {}
        self._vectors = np.empty((0, dimension))

    def __len__(self) -> int:
        """How many sentences it knows."""
        return len(self._place)

    def fit(
        self, first: Sequence[str], second: Sequence[str], scores: Sequence[float]
    ) -> "LookUpTable":
        """Move the vectors until the cosine of each pair is near its score."""
        scores = np.asarray(scores, dtype=float)
        if not len(first) == len(second) == len(scores) or not len(scores):
            raise InputError(
                f"{len(first)} first sentences, {len(second)} second ones and {len(scores)} scores"
            )
        self._place = {s: i for i, s in enumerate(dict.fromkeys([*first, *second]))}
        vectors = unit_rows(self._rng.normal(size=(len(self), self.dimension)))
        left, right = (np.array([self._place[s] for s in texts]) for texts in (first, second))
        counts = np.bincount(np.concatenate([left, right]), minlength=len(self))[:, None]
        for _ in range(self.steps):  # plain gradient descent, back to length 1 after each step
            u, v = vectors[left], vectors[right]
            error = ((u * v).sum(axis=1) - scores)[:, None]  # (N, 1)
            slope = np.zeros_like(vectors)
            np.add.at(slope, left, error * v)
            np.add.at(slope, right, error * u)
            vectors = unit_rows(vectors - 0.5 * slope / counts)
        self._vectors = vectors
        return self

    def encode(self, sentences: Sequence[str]) -> np.ndarray:
        """N sentences -> (N, H), each of length 1."""
        if not self._place:
            raise InputError("the look-up table is empty: call fit first")
        strangers = {s: None for s in sentences if s not in self._place}
        drawn = unit_rows(self._rng.normal(size=(len(strangers), self.dimension)))
        strangers = dict(zip(strangers, drawn, strict=True))
        rows = [
            self._vectors[self._place[s]] if s in self._place else strangers[s] for s in sentences
        ]
        return np.array(rows)

    def predict(self, first: Sequence[str], second: Sequence[str]) -> np.ndarray:
        """The cosine of each pair: (N,)."""
        vectors = self.encode([*first, *second])
        return (vectors[: len(first)] * vectors[len(first) :]).sum(axis=1)
