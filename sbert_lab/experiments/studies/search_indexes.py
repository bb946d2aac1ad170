"""What indexes cost and find, up to a million vectors: about ten minutes.

Times are processor seconds of one thread, so a busy machine does not change them much.
"""

import time
from functools import cache, lru_cache

import numpy as np

from sbert_lab import data
from sbert_lab.encoder import SentenceEncoder
from sbert_lab.experiments.evaluation.indexes import measure_index, neighbour_curve, perturb
from sbert_lab.experiments.results import Outcome, Row
from sbert_lab.profiles import Profile
from sbert_lab.search import VectorIndex, top_k

SIZES = (100_000, 1_000_000)
QUERIES = 200
SETTINGS = {
    "flat": {},
    "hnsw": {"links": 16, "build_effort": 40},
    "ivfpq": {"code_bytes": 32},
}
EFFORTS = {"flat": (1,), "hnsw": (16, 64, 256), "ivfpq": (1, 8, 64)}
NOTES = {"flat": "exact", "hnsw": "a graph", "ivfpq": "cells and short codes"}


def rows(profile: Profile) -> list[Row]:
    return [
        Row(
            name=f"{kind}, {size:,} vectors, effort {effort}",
            run=lambda seed, given=(kind, size, effort): _measure(profile, *given),
            note=NOTES[kind],
        )
        for size in SIZES
        for kind, efforts in EFFORTS.items()
        for effort in efforts
    ]


def data_seen(profile: Profile) -> str:
    count = len(_sentences(profile))
    return (
        f"mini-sbert embeddings of {count:,} questions, perturbed: a + 0.3 (b - c); "
        "no new sentences"
    )


def about(profile: Profile) -> dict:
    return {"queries": QUERIES, "settings": SETTINGS, "clock": "processor seconds, one thread"}


def _measure(profile: Profile, kind: str, size: int, effort: int) -> Outcome:
    from threadpoolctl import threadpool_limits

    with threadpool_limits(limits=1):
        index, built = _index(profile, kind, size)
        index.set_effort(effort)
        queries = perturb(_real(profile), QUERIES, seed=2)
        found = measure_index(index, queries, _truth(profile, size), clock=time.process_time)
    scores = {"recall": found["recall"], "ms": found["ms"]}
    scores |= {"bytes": index.bytes_per_vector, "build_seconds": built}
    info: dict[str, object] = {"kind": kind, "vectors": size, "effort": effort}
    if kind == "flat":
        curve = neighbour_curve(_collection(profile, size), sample=QUERIES)
        info["neighbour_curve"] = [round(float(cosine), 4) for cosine in curve]
    return Outcome(scores, info=info)


# One size and kind follows the other: only the newest of the large things is kept.


@lru_cache(maxsize=1)
def _index(profile: Profile, kind: str, size: int) -> tuple[VectorIndex, float]:
    vectors = _collection(profile, size)
    start = time.process_time()
    index = VectorIndex.build(vectors, ["-"] * size, kind=kind, **SETTINGS[kind])
    return index, time.process_time() - start


@lru_cache(maxsize=1)
def _collection(profile: Profile, size: int) -> np.ndarray:
    return perturb(_real(profile), size, seed=1)


@lru_cache(maxsize=1)
def _truth(profile: Profile, size: int) -> np.ndarray:
    return top_k(perturb(_real(profile), QUERIES, seed=2), _collection(profile, size), k=10)[1]


@cache
def _real(profile: Profile) -> np.ndarray:
    return SentenceEncoder.load("mini-sbert").encode(_sentences(profile), normalize=True)


@cache
def _sentences(profile: Profile) -> list[str]:
    pairs = data.load("quora", "train", profile=profile)
    return list(dict.fromkeys([*pairs["sentence1"], *pairs["sentence2"]]))
