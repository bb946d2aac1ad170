"""What does the work in an index: our own blocks, or FAISS. One builder a kind.

Vectors are added block by block, scaled to length 1. An engine is a FAISS index, or for "exact" the
unit vectors (N, H) themselves.
"""

import math

import numpy as np

from sbert_lab.errors import InputError
from sbert_lab.search.blocks import blocks_of, checked_units, top_k

FEWEST_FOR_PQ = 256  # one byte chooses among 256 learned pieces, so as many vectors are needed
POINTS_PER_MEAN, ROUNDS = 39, 5  # of k-means: more learn longer, hardly better


def search_engine(engine, queries, k: int, among: np.ndarray | None = None):
    """Cosines and rows (Q, k); `among` are booleans (N,) when only some rows may be found."""
    exact = isinstance(engine, np.ndarray)
    if among is None:
        return top_k(queries, engine, k=k) if exact else engine.search(checked_units(queries), k)
    rows = np.flatnonzero(among)
    if not len(rows):
        return np.empty((len(queries), 0), np.float32), np.empty((len(queries), 0), np.int64)
    if exact:
        cosines, found = top_k(queries, engine[rows], k=k)
        return cosines, rows[found]
    units = checked_units(queries)
    return engine.search(units, min(k, len(rows)), params=_only(engine, among))


def _only(engine, among: np.ndarray):
    """FAISS's way to say so; it asks for the effort again, or it would take its own."""
    import faiss

    chosen = faiss.IDSelectorBitmap(np.packbits(among, bitorder="little"))
    if isinstance(engine, faiss.IndexHNSW):
        return faiss.SearchParametersHNSW(sel=chosen, efSearch=engine.hnsw.efSearch)
    if isinstance(engine, faiss.IndexIVF):
        return faiss.SearchParametersIVF(sel=chosen, nprobe=engine.nprobe)
    return faiss.SearchParameters(sel=chosen)


def extend(engine, vectors):
    """The engine with more vectors (M, H), whose rows follow those it has."""
    if isinstance(engine, np.ndarray):
        return np.concatenate([engine, checked_units(vectors)])
    return _filled(engine, vectors)


def _flat(vectors):
    import faiss

    return _filled(faiss.IndexFlatIP(vectors.shape[1]), vectors)


def _hnsw(vectors, *, links: int = 32, build_effort: int = 80, search_effort: int = 64):
    import faiss

    index = faiss.IndexHNSWFlat(vectors.shape[1], links, faiss.METRIC_INNER_PRODUCT)
    index.hnsw.efConstruction, index.hnsw.efSearch = build_effort, search_effort
    return _filled(index, vectors)


def _ivfpq(vectors, *, cells: int = 0, probes: int = 8, code_bytes: int = 0):
    import faiss

    count, width = vectors.shape
    if count < FEWEST_FOR_PQ:
        raise InputError(
            f"ivfpq learns from at least {FEWEST_FOR_PQ} vectors, got {count}: use flat"
        )
    cells = cells or max(1, math.isqrt(count))
    code_bytes = code_bytes or max(1, width // 4)
    if width % code_bytes:
        raise InputError(f"code_bytes {code_bytes} does not divide the vectors' {width} numbers")
    quantizer = faiss.IndexFlatIP(width)
    index = faiss.IndexIVFPQ(quantizer, width, cells, code_bytes, 8, faiss.METRIC_INNER_PRODUCT)
    for learner in (index.cp, index.pq.cp):  # k-means: of the cells, and of the pieces
        learner.niter, learner.max_points_per_centroid = ROUNDS, POINTS_PER_MEAN
        learner.min_points_per_centroid = 1  # below 39 FAISS would print a warning
    most = POINTS_PER_MEAN * max(cells, FEWEST_FOR_PQ)
    chosen = np.random.default_rng(1).permutation(count)[:most]
    index.train(checked_units(vectors[np.sort(chosen)]))
    index.nprobe = probes
    return _filled(index, vectors)


def _filled(index, vectors):
    for _, some in blocks_of(vectors, 65_536):
        index.add(some.numpy())
    return index


BUILDERS = {"exact": checked_units, "flat": _flat, "hnsw": _hnsw, "ivfpq": _ivfpq}
