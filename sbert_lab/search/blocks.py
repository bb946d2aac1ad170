"""Exact search in blocks: every cosine is computed, but never more than one block of them is kept.

Vectors may be arrays, tensors or memory-mapped files; they are read and scaled to length 1 block by
block, so what has to fit into memory is the block and the answer, not the N x N matrix.
"""

from collections.abc import Iterator
from itertools import chain

import numpy as np
import torch
from torch import Tensor

from sbert_lab.errors import InputError
from sbert_lab.products import product

BLOCK = 2048
TILE = 512  # so that a tile of cosines stays in the cache while its best are found


def top_k(
    queries, vectors, *, k: int = 10, block: int = BLOCK, skip_self: bool = False
) -> tuple[np.ndarray, np.ndarray]:
    """The k most similar vectors of each query: (Q, H), (N, H) -> cosines (Q, k), rows (Q, k).

    Best first. With fewer than k vectors there are fewer columns. `skip_self` is for queries that
    are the vectors themselves, row by row: no row then finds itself.
    """
    check_vectors(vectors, block)
    check_vectors(queries, block, width=vectors.shape[1])
    if k < 1:
        raise InputError(f"k must be at least 1, got {k}")
    if skip_self and len(queries) != len(vectors):
        raise InputError(
            f"skip_self means that the queries are the vectors: got {len(queries)} and "
            f"{len(vectors)} rows"
        )
    keep = min(k, len(vectors) - skip_self)
    scores = np.empty((len(queries), keep), dtype=np.float32)
    rows = np.empty((len(queries), keep), dtype=np.int64)
    for start, some in blocks_of(queries, block):
        best = _Best(len(some), keep)
        for offset, others in blocks_of(vectors, block):
            cosines = product(some, others)  # (B, B)
            if skip_self:
                _strike_self(cosines, start - offset)
            best.add(cosines, offset)
        stop = start + len(some)
        scores[start:stop], rows[start:stop] = best.scores.numpy(), best.rows.numpy()
    return scores, rows


def best_pairs(
    vectors,
    *,
    limit: int = 1000,
    per_sentence: int | None = None,
    minimum: float = -2.0,
    block: int = BLOCK,
) -> list[tuple[float, int, int]]:
    """The most similar pairs as (cosine, i, j) with i < j, best first: (N, H) -> at most `limit`.

    Only the upper triangle is computed, so each pair comes once and nobody meets itself.
    `per_sentence` asks that i be among the so many best of j, or j among those of i: what
    sentence-transformers' paraphrase_mining calls top_k. Without it all pairs compete.
    """
    check_vectors(vectors, block)
    if limit < 1 or (per_sentence is not None and per_sentence < 1):
        raise InputError(f"limit and per_sentence must be at least 1, got {limit}, {per_sentence}")
    if len(vectors) < 2:
        raise InputError(f"a pair needs two vectors, got {len(vectors)}")
    if per_sentence is None:
        return _best_overall(vectors, limit, minimum, block)
    return _best_by_sentence(vectors, limit, per_sentence, minimum, block)


def _best_overall(vectors, limit: int, minimum: float, block: int) -> list[tuple]:
    """A tile's rows are looked at only if their best pair passes the bar: so far the limit-th."""
    scores, left, bar = torch.empty(0), torch.empty(0, dtype=torch.long), minimum
    right = left
    for start, offset, cosines in upper_triangle(vectors, block, tile=TILE):
        rows = torch.nonzero(cosines.amax(dim=1) >= bar).squeeze(1)
        if not len(rows):
            continue
        some = cosines[rows]
        places, columns = torch.nonzero(some >= bar, as_tuple=True)
        scores = torch.cat([scores, some[places, columns]])
        left = torch.cat([left, start + rows[places]])
        right = torch.cat([right, offset + columns])
        if len(scores) > 2 * limit:  # not each time: a long list would be sorted too often
            scores, order = torch.topk(scores, limit)
            left, right, bar = left[order], right[order], float(scores[-1])
    return _listed(scores.numpy(), left.numpy(), right.numpy(), limit)


def _best_by_sentence(vectors, limit: int, keep: int, minimum: float, block: int) -> list[tuple]:
    """Each block serves its rows and, turned over, its columns."""
    count = len(vectors)
    starts = range(0, count, block)
    best = {s: _Best(min(block, count - s), min(keep, count - 1)) for s in starts}
    for start, offset, cosines in upper_triangle(vectors, block):
        best[start].add(cosines, offset)
        best[offset].add(cosines.T, start)
    scores = torch.cat([part.scores for part in best.values()])
    rows = torch.cat([part.rows for part in best.values()])
    mine = torch.arange(count).unsqueeze(1).expand_as(rows)
    there = (rows >= 0) & (scores >= minimum)
    low, high = torch.minimum(mine, rows)[there], torch.maximum(mine, rows)[there]
    _, first = np.unique((low * count + high).numpy(), return_index=True)  # a pair found twice
    return _listed(scores[there].numpy()[first], low.numpy()[first], high.numpy()[first], limit)


def _listed(scores: np.ndarray, left: np.ndarray, right: np.ndarray, limit: int) -> list[tuple]:
    order = np.lexsort((right, left, -scores))[:limit]  # equal cosines by row
    return [(float(scores[i]), int(left[i]), int(right[i])) for i in order]


def upper_triangle(
    vectors, block: int, *, tile: int | None = None
) -> Iterator[tuple[int, int, Tensor]]:
    """(first row, first column, cosines) of every tile with j > i; the rest of it is -inf.

    Vectors are read by blocks; cosines come in tiles of them, by default as large as a block.
    """
    tile = tile or block
    for start, some in blocks_of(vectors, block):
        for offset, others in chain([(start, some)], blocks_of(vectors, block, start + block)):
            for i in range(0, len(some), tile):
                for j in range(i if offset == start else 0, len(others), tile):
                    cosines = product(some[i : i + tile], others[j : j + tile])
                    if start + i == offset + j:
                        below = torch.ones_like(cosines, dtype=torch.bool).tril()
                        cosines.masked_fill_(below, float("-inf"))
                    yield start + i, offset + j, cosines


class _Best:
    """The best columns of some rows, while blocks of cosines come in."""

    def __init__(self, rows: int, keep: int) -> None:
        self.scores = torch.full((rows, keep), float("-inf"))
        self.rows = torch.full((rows, keep), -1, dtype=torch.long)

    def add(self, cosines: Tensor, offset: int) -> None:
        """cosines (B, C) with the columns offset, offset + 1, ..."""
        keep = self.scores.shape[1]
        scores, columns = torch.topk(cosines, min(keep, cosines.shape[1]), dim=1)
        columns = torch.where(scores == float("-inf"), -1, columns + offset)
        both, names = torch.cat([self.scores, scores], 1), torch.cat([self.rows, columns], 1)
        self.scores, places = torch.topk(both, keep, dim=1)
        self.rows = names.gather(1, places)


def _strike_self(cosines: Tensor, shift: int) -> None:
    """Row r is vector r + shift of this block: no match with itself."""
    rows = torch.arange(cosines.shape[0])
    rows = rows[(rows + shift >= 0) & (rows + shift < cosines.shape[1])]
    cosines[rows, rows + shift] = float("-inf")


def blocks_of(vectors, block: int, start: int = 0) -> Iterator[tuple[int, Tensor]]:
    """(first row, rows of length 1) of each block."""
    for offset in range(start, len(vectors), block):
        yield offset, torch.from_numpy(checked_units(vectors[offset : offset + block], offset))


def checked_units(some, first: int = 0) -> np.ndarray:
    """Rows scaled to length 1, float32, on the CPU; `first` is the number of the first one."""
    if isinstance(some, Tensor):
        rows = some.detach().to("cpu", torch.float32, copy=True)
    else:
        rows = torch.from_numpy(np.array(some, dtype=np.float32))
    lengths = rows.norm(dim=1, keepdim=True)
    if not torch.isfinite(lengths).all():  # or finite numbers whose squares are not
        bad = torch.nonzero(~torch.isfinite(rows).all(dim=1))
        if len(bad):
            raise InputError(f"vector {first + int(bad[0])} holds NaN or infinity: encode it again")
    return rows.div_(lengths.clamp_(min=1e-12)).numpy()


def check_vectors(vectors, block: int, *, width: int | None = None) -> None:
    """Raise unless these are vectors (N, H), as wide as asked for."""
    shape = tuple(getattr(vectors, "shape", ()))
    if len(shape) != 2 or not all(shape):
        wanted = "vectors of shape (N, H) with N > 0 and H > 0"
        raise InputError(f"expected {wanted}, got {shape or vectors!r}")
    if width is not None and shape[1] != width:
        raise InputError(f"queries have {shape[1]} numbers each, the vectors {width}: one encoder?")
    if block < 1:
        raise InputError(f"block must be at least 1, got {block}")
