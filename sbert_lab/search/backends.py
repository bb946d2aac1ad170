"""One call for every index: in memory with our own blocks or FAISS, or kept by Milvus."""

from collections.abc import Sequence
from pathlib import Path

from sbert_lab.errors import InputError, require_choice
from sbert_lab.search.index import VectorIndex
from sbert_lab.search.milvus import MilvusIndex

# The kinds that each offers, the usual one first.
BACKENDS = {
    "exact": ("exact",),
    "faiss": ("flat", "hnsw", "ivfpq"),
    "milvus": ("flat", "hnsw", "ivf"),
}


def build_index(
    vectors,
    sentences: Sequence[str],
    *,
    backend: str = "faiss",
    kind: str | None = None,
    uri: str | Path | None = None,
    **given,
) -> VectorIndex | MilvusIndex:
    """Index vectors (N, H) with their N sentences; `given` is passed on to the backend's build().

    `uri` is Milvus's: a database such as "questions.db" on this machine, or "http://host:19530".
    """
    kind = check_backend(backend, kind)
    if backend == "milvus":
        where = {} if uri is None else {"uri": uri}
        return MilvusIndex.build(vectors, sentences, kind=kind, **where, **given)
    if uri is not None:
        raise InputError(f"{backend} keeps its index in memory: leave uri out, save it to a folder")
    return VectorIndex.build(vectors, sentences, kind=kind, **given)


def check_backend(backend: str, kind: str | None) -> str:
    """The kind of index, or this backend's usual one."""
    kinds = BACKENDS[require_choice("backend", backend, BACKENDS)]
    return require_choice(f"kind of {backend} index", kind or kinds[0], kinds)
