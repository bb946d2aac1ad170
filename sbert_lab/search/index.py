"""One small class for every index: vectors and their sentences, searched, saved and measured."""

import importlib.util
import json
import warnings
from collections.abc import Iterable, Sequence
from pathlib import Path

import numpy as np

from sbert_lab.errors import CheckpointError, InputError, require_choice
from sbert_lab.files import read_sealed, sealed_folder
from sbert_lab.search.blocks import check_vectors, top_k
from sbert_lab.search.engines import BUILDERS, extend, search_engine
from sbert_lab.search.records import Where, checked_records, matching

KINDS = ("exact", "flat", "hnsw", "ivfpq")
ABOUT, SENTENCES, METADATA, FAISS_FILE, VECTORS = (
    "index.json", "sentences.jsonl", "metadata.jsonl", "index.faiss", "vectors.npy",
)  # fmt: skip


def has_faiss() -> bool:
    """Whether FAISS is installed."""
    return importlib.util.find_spec("faiss") is not None


class VectorIndex:
    """Finds the nearest sentences by cosine.

    Kinds: "exact" (our own blocks), "flat" (FAISS, every vector), "hnsw" (a graph, fast and
    large), "ivfpq" (cells and compressed vectors, fast and small). Where FAISS is missing every
    kind becomes "exact". A row keeps its number: deleted ones are only never found again.
    """

    def __init__(
        self, kind: str, engine, sentences: list[str], about: dict, metadata: list[dict] | None
    ) -> None:
        self.kind, self.sentences, self.about, self.metadata = kind, sentences, about, metadata
        self._engine = engine  # a FAISS index, or the unit vectors (N, H) for "exact"
        self._kept = np.ones(len(sentences), dtype=bool)  # False once deleted

    def __len__(self) -> int:
        return int(self._kept.sum())

    @classmethod
    def build(
        cls,
        vectors,
        sentences: Sequence[str],
        *,
        kind: str = "flat",
        about: dict | None = None,
        metadata: Iterable[dict] | None = None,
        **settings: int,
    ) -> "VectorIndex":
        """Index vectors (N, H) with their N sentences and, to choose by, N small dictionaries.

        Settings for hnsw: links (32), build_effort (80), search_effort (64); for ivfpq: cells
        (sqrt(N)), probes (8), code_bytes (H / 4). `about` is saved with it.
        """
        require_choice("kind of index", kind, KINDS)
        listed, known = checked_records(vectors, sentences, metadata)
        if kind != "exact" and not has_faiss():
            warnings.warn(
                f"FAISS is not installed, so the {kind} index becomes exact search: "
                "pip install faiss-cpu",
                stacklevel=2,
            )
            kind, settings = "exact", {}
        build = BUILDERS[kind]
        allowed = sorted(build.__kwdefaults__ or ())
        for name in settings:
            if name not in allowed:
                raise InputError(f"{kind} has no setting {name!r}, only {allowed or 'none'}")
        engine = build(vectors, **settings)
        return cls(kind, engine, listed, {**(about or {}), "settings": settings}, known)

    def search(
        self, queries, *, k: int = 10, where: Where | None = None
    ) -> tuple[np.ndarray, np.ndarray]:
        """The k nearest of each query: (Q, H) -> cosines (Q, k), rows (Q, k), best first.

        `where` looks only at rows with such metadata: {"year": [2023, 2024]}. An approximate index
        may find fewer: such places have row -1. IVF-PQ's cosines are estimates from compressed
        vectors.
        """
        check_vectors(queries, 1, width=self.dimension)
        if k < 1:
            raise InputError(f"k must be at least 1, got {k}")
        among = self._kept if where is None else self._kept & matching(self.metadata, where)
        among = None if among.all() else among
        return search_engine(self._engine, queries, min(k, len(self.sentences)), among)

    def texts(self, rows: Iterable[int]) -> list[str]:
        """The sentences of these rows."""
        return [self.sentences[row] for row in rows]

    def add(
        self, vectors, sentences: Sequence[str], *, metadata: Iterable[dict] | None = None
    ) -> np.ndarray:
        """Take in more vectors (M, H) with their sentences: their rows (M,)."""
        listed, known = checked_records(vectors, sentences, metadata)
        check_vectors(vectors, 1, width=self.dimension)
        first = len(self.sentences)
        if self.metadata is not None or known is not None:
            self.metadata = (self.metadata or [{}] * first) + (known or [{}] * len(listed))
        self._engine = extend(self._engine, vectors)
        self.sentences = self.sentences + listed
        self._kept = np.append(self._kept, np.ones(len(listed), dtype=bool))
        return np.arange(first, len(self.sentences))

    def delete(self, rows: Iterable[int] = (), *, where: Where | None = None) -> int:
        """Forget these rows, or all with such metadata: how many were there."""
        before = len(self)
        gone = np.isin(np.arange(len(self.sentences)), list(rows))
        self._kept &= ~(gone if where is None else gone | matching(self.metadata, where))
        return before - len(self)

    def set_effort(self, effort: int) -> None:
        """Let a query look at more: hnsw's search_effort, ivfpq's probes. The others see all."""
        if effort < 1:
            raise InputError(f"effort must be at least 1, got {effort}")
        if self.kind == "hnsw":
            self._engine.hnsw.efSearch = effort
        elif self.kind == "ivfpq":
            self._engine.nprobe = effort

    def recall(self, queries, vectors, *, k: int = 10) -> float:
        """The share (0 to 1) of the true k nearest, by exact search in `vectors`, that it finds."""
        if len(vectors) != len(self):
            raise InputError(f"the index holds {len(self)} vectors, these are {len(vectors)}")
        return recall_of(self.search(queries, k=k)[1], top_k(queries, vectors, k=k)[1])

    @property
    def dimension(self) -> int:
        return self._engine.shape[1] if self.kind == "exact" else self._engine.d

    @property
    def bytes_per_vector(self) -> float:
        """What the index keeps, ids and links included, divided by its vectors."""
        if self.kind == "exact":
            return self._engine.nbytes / len(self.sentences)
        import faiss

        writer = _Counter()
        faiss.write_index(self._engine, faiss.PyCallbackIOWriter(writer))
        return writer.total / len(self.sentences)

    # ---- saving and loading

    def save(self, path: str | Path) -> Path:
        """Write a folder with the index, its sentences and their digests. All or nothing."""
        size = {"vectors": len(self), "dimension": int(self.dimension)}
        deleted = np.flatnonzero(~self._kept).tolist()
        about = {"kind": self.kind, **size, "deleted": deleted, "about": self.about}
        with sealed_folder(path, ABOUT, about) as folder:
            _write_lines(folder / SENTENCES, self.sentences)
            if self.metadata is not None:
                _write_lines(folder / METADATA, self.metadata)
            if self.kind == "exact":
                np.save(folder / VECTORS, self._engine, allow_pickle=False)
            else:
                import faiss

                faiss.write_index(self._engine, str(folder / FAISS_FILE))
        return Path(path)

    @classmethod
    def load(cls, path: str | Path) -> "VectorIndex":
        """Open a folder written by save(); a damaged file is an error that names it."""
        path = Path(path)
        found = read_sealed(path, ABOUT, kind="a saved index", way_out="build the index again")
        try:
            kind, about = found["kind"], found["about"]
            engine_file = VECTORS if kind == "exact" else FAISS_FILE
            metadata = _read_lines(path / METADATA) if (path / METADATA).exists() else None
            engine = _read_engine(kind, path / engine_file)
            index = cls(kind, engine, _read_lines(path / SENTENCES), about, metadata)
            index.delete(found.get("deleted", ()))
            return index
        except KeyError as error:
            raise CheckpointError(f"{path / ABOUT} lacks {error}: build the index again") from error
        except (OSError, ValueError, TypeError, RecursionError) as error:
            raise CheckpointError(f"{path} is broken ({error}): build the index again") from error


def recall_of(found: np.ndarray, truth: np.ndarray) -> float:
    """The share of the true neighbours among those found: (Q, k), (Q, k) -> 0 to 1."""
    if found.shape[0] != truth.shape[0] or not truth.size:
        raise InputError(f"{found.shape} were found for a truth of {truth.shape}")
    hits = sum(len(np.intersect1d(a, b)) for a, b in zip(found, truth, strict=True))
    return hits / truth.size


def _write_lines(path: Path, values: list) -> None:
    with open(path, "w", encoding="utf-8", newline="\n") as file:
        file.writelines(json.dumps(value, ensure_ascii=False) + "\n" for value in values)


def _read_lines(path: Path) -> list:
    with open(path, encoding="utf-8") as file:
        return [json.loads(line) for line in file]


def _read_engine(kind: str, file: Path):
    if kind == "exact":
        return np.load(file, allow_pickle=False)
    if not has_faiss():
        raise CheckpointError(
            f"{file} was made with FAISS, which is not installed: pip install faiss-cpu, or build "
            "the index again for exact search"
        )
    import faiss

    try:
        return faiss.read_index(str(file))
    except RuntimeError as error:
        raise CheckpointError(f"{file} cannot be read: build the index again") from error


class _Counter:
    """Counts what is written to it and keeps nothing."""

    total = 0

    def __call__(self, content: bytes) -> int:
        self.total += len(content)
        return len(content)
