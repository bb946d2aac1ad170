"""Retrieve and re-rank: a fast encoder finds candidates, a slow and careful scorer orders them."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from sbert_lab.encoding import check_sentences
from sbert_lab.errors import InputError
from sbert_lab.search.index import VectorIndex
from sbert_lab.search.milvus import MilvusIndex

Encode = Callable[[list[str]], np.ndarray]
Score = Callable[[list[tuple[str, str]]], np.ndarray]


@dataclass(frozen=True, kw_only=True)
class Hit:
    """A sentence that was found: its row, the scorer's verdict and the cosine it came with."""

    row: int
    sentence: str
    score: float
    cosine: float


def retrieve_and_rerank(
    queries: Sequence[str],
    index: VectorIndex | MilvusIndex,
    *,
    encode: Encode,
    score: Score,
    candidates: int = 100,
    k: int = 10,
) -> list[list[Hit]]:
    """The k best sentences of each query, ordered by `score` among the index's candidates.

    score(pairs) takes (query, sentence) pairs and gives a number for each, larger is better:
    `candidates` passes per query, however large the index is. What the index did not find cannot
    be won back. Equal scores stay in the order of the cosines.
    """
    listed = check_sentences(queries)
    if not 1 <= k <= candidates:
        raise InputError(f"k must lie between 1 and candidates ({candidates}), got {k}")
    cosines, rows = index.search(encode(listed), k=candidates)
    places = [(query, column) for query, found in enumerate(rows) for column in
              np.flatnonzero(found >= 0)]  # fmt: skip
    texts = index.texts([int(rows[place]) for place in places])
    pairs = [(listed[query], text) for (query, _), text in zip(places, texts, strict=True)]
    scores = np.asarray(score(pairs), dtype=np.float64)
    if scores.shape != (len(pairs),):
        raise InputError(f"score gave {scores.shape} for {len(pairs)} pairs: one number for each")
    if not np.isfinite(scores).all():
        raise InputError("score gave NaN or infinity: such an order means nothing")
    hits: list[list[Hit]] = [[] for _ in listed]
    for (query, column), pair, value in zip(places, pairs, scores, strict=True):
        row, cosine = int(rows[query, column]), float(cosines[query, column])
        hits[query].append(Hit(row=row, sentence=pair[1], score=float(value), cosine=cosine))
    return [sorted(found, key=lambda hit: -hit.score)[:k] for found in hits]
