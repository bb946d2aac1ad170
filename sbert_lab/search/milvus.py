"""The same index kept by Milvus: in a database on this machine, on a server or on a cluster.

Only the address differs: "questions.db" (pip install milvus-lite runs Milvus inside this process)
or "http://host:19530". Sentences, metadata and vectors stay there, so that an index may be larger
than this machine's memory.
"""

import json
from collections.abc import Iterable, Sequence
from pathlib import Path

import numpy as np

from sbert_lab.errors import CheckpointError, InputError, require_choice
from sbert_lab.search import milvus_client
from sbert_lab.search.blocks import blocks_of, check_vectors, top_k
from sbert_lab.search.index import recall_of
from sbert_lab.search.milvus_client import ROWS_AT_ONCE, shown, told
from sbert_lab.search.records import Where, checked_records, expression

ABOUT = "sbert_lab"  # the collection's property that holds what index.json holds in a folder
QUERIES_AT_ONCE = 256


class MilvusIndex:
    """Finds the nearest sentences by cosine; has VectorIndex's methods.

    Kinds: "flat" (every vector), "hnsw" (a graph), "ivf" (cells). One writer at a time. Every
    change is written at once. A password goes into the environment variable MILVUS_TOKEN.
    """

    def __init__(self, client, uri: str, name: str, about: dict) -> None:
        self._client, self.uri, self.name = client, uri, name
        self.kind, self.dimension, self.about = about["kind"], about["dimension"], about["about"]
        self._effort = about["effort"]

    @classmethod
    def build(
        cls,
        vectors,
        sentences: Sequence[str],
        *,
        kind: str = "flat",
        about: dict | None = None,
        metadata: Iterable[dict] | None = None,
        uri: str | Path = "search.db",
        name: str = "sentences",
        replace: bool = False,
        **settings: int,
    ) -> "MilvusIndex":
        """Index vectors (N, H), their N sentences and metadata as the collection `name` at `uri`.

        Settings for hnsw: links (32), build_effort (80), search_effort (64); for ivf: cells
        (sqrt(N)), probes (8). The collection appears under its name when it is complete.
        """
        require_choice("kind of Milvus index", kind, milvus_client.KINDS)
        if not name.isidentifier():
            raise InputError(f"name {name!r}: a collection is called by letters, digits and _")
        records = checked_records(vectors, sentences, metadata)
        shape, effort = milvus_client.shape_and_effort(kind, len(vectors), settings)
        known = {"kind": kind, "dimension": int(vectors.shape[1]), "effort": effort}
        known["about"] = {**(about or {}), "settings": settings}
        client, part = milvus_client.connect(uri), f"{name}_unfinished"
        with told(uri):
            if client.has_collection(name) and not replace:
                raise InputError(
                    f"{shown(uri)} has a collection {name!r}: open it with MilvusIndex.load, give "
                    "another name, or say replace=True"
                )
            client.drop_collection(part)  # if an earlier run was cut off
            milvus_client.create(client, part, known["dimension"], {ABOUT: json.dumps(known)})
            milvus_client.insert(client, part, 0, vectors, *records)
            milvus_client.index(client, part, kind, shape)
            client.drop_collection(name)
            client.rename_collection(part, name)
            client.load_collection(name)
        return cls(client, str(uri), name, known)

    @classmethod
    def load(cls, uri: str | Path = "search.db", *, name: str = "sentences") -> "MilvusIndex":
        """Open a collection that build() made."""
        if milvus_client.is_local(uri) and not Path(uri).exists():
            raise CheckpointError(f"{uri} does not exist: build the index first")
        client = milvus_client.connect(uri)
        with told(uri):
            if not client.has_collection(name):
                there = ", ".join(client.list_collections()) or "none"
                raise CheckpointError(f"{shown(uri)} has no collection {name!r}, only: {there}")
            found = client.describe_collection(name)["properties"].get(ABOUT)
            if found is None:
                raise CheckpointError(f"collection {name!r} at {shown(uri)} is not one of ours")
            client.load_collection(name)
        return cls(client, str(uri), name, json.loads(found))

    def __len__(self) -> int:
        return int(self._query("", ["count(*)"])[0]["count(*)"])

    def search(
        self, queries, *, k: int = 10, where: Where | str | None = None
    ) -> tuple[np.ndarray, np.ndarray]:
        """The k nearest of each query: (Q, H) -> cosines (Q, k), rows (Q, k), best first.

        `where` as in VectorIndex, or Milvus's own language: "year > 2020". Missing places: row -1.
        """
        check_vectors(queries, 1, width=self.dimension)
        if k < 1:
            raise InputError(f"k must be at least 1, got {k}")
        effort = max(k, self._effort) if self.kind == "hnsw" else self._effort  # less is refused
        named = {"hnsw": {"ef": effort}, "ivf": {"nprobe": effort}}.get(self.kind, {})
        asked = {"filter": _expression(where), "search_params": {"params": named}}
        hits = []
        with told(self.uri):
            for _, some in blocks_of(queries, QUERIES_AT_ONCE):
                hits += self._client.search(
                    self.name, list(some.numpy()), limit=k, output_fields=["row"], **asked
                )
        width = max(map(len, hits))
        cosines = np.full((len(hits), width), -np.inf, dtype=np.float32)
        rows = np.full((len(hits), width), -1, dtype=np.int64)
        for place, found in enumerate(hits):
            cosines[place, : len(found)] = [hit["distance"] for hit in found]
            rows[place, : len(found)] = [hit["row"] for hit in found]
        return cosines, rows

    def texts(self, rows: Iterable[int]) -> list[str]:
        """The sentences of these rows."""
        wanted, found = [int(row) for row in rows], {}
        for start in range(0, len(wanted), ROWS_AT_ONCE):
            some = wanted[start : start + ROWS_AT_ONCE]
            for one in self._query(f"row in {some}", ["row", "sentence"]):
                found[one["row"]] = one["sentence"]
        return [found[row] for row in wanted]

    def add(
        self, vectors, sentences: Sequence[str], *, metadata: Iterable[dict] | None = None
    ) -> np.ndarray:
        """Take in more vectors (M, H) with their sentences: their rows (M,)."""
        records = checked_records(vectors, sentences, metadata)
        check_vectors(vectors, 1, width=self.dimension)
        first = self._next_row()
        with told(self.uri):
            milvus_client.insert(self._client, self.name, first, vectors, *records)
        return np.arange(first, first + len(vectors))

    def delete(self, rows: Iterable[int] = (), *, where: Where | str | None = None) -> int:
        """Forget these rows, or all with such metadata: how many were there."""
        before, numbers = len(self), [int(row) for row in rows]
        with told(self.uri):
            for chosen in (f"row in {numbers}" if numbers else "", _expression(where)):
                if chosen:
                    self._client.delete(self.name, filter=chosen)
        return before - len(self)

    def set_effort(self, effort: int) -> None:
        """Let a query look at more: hnsw's search_effort, ivf's probes. Flat sees all."""
        if effort < 1:
            raise InputError(f"effort must be at least 1, got {effort}")
        self._effort = effort

    def recall(self, queries, vectors, *, k: int = 10) -> float:
        """The share (0 to 1) of the true k nearest, by exact search in `vectors`, that it finds."""
        return recall_of(self.search(queries, k=k)[1], top_k(queries, vectors, k=k)[1])

    def save(self) -> str:
        """Write what was added into the index's own files, and say where they are."""
        with told(self.uri):
            self._client.flush(self.name)
        return self.uri

    def close(self) -> None:
        """Let go of the connection; another process may open a local database then."""
        milvus_client.disconnect(self._client, self.uri)

    def _query(self, chosen: str, fields: list[str], **options: int) -> list[dict]:
        with told(self.uri):
            return list(
                self._client.query(self.name, filter=chosen, output_fields=fields, **options)
            )

    def _next_row(self) -> int:
        """One more than the largest row; Milvus does not tell it, so it is found by halving."""

        def reaches(row: int) -> bool:
            return bool(self._query(f"row >= {row}", ["row"], limit=1))

        row, step = len(self), 1
        if not reaches(row):
            return row
        while reaches(row + step):
            row, step = row + step, 2 * step
        while step > 1:
            step //= 2
            row += step if reaches(row + step) else 0
        return row + 1


def _expression(where: Where | str | None) -> str:
    return where if isinstance(where, str) else expression(where) if where is not None else ""
