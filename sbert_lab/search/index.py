"""One small class for every index: vectors and their sentences, searched, saved and measured."""

import importlib.util
import json
import math
import warnings
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from sbert_lab.encoding import check_sentences
from sbert_lab.errors import CheckpointError, InputError, require_choice
from sbert_lab.files import read_sealed, sealed_folder
from sbert_lab.search.blocks import blocks_of, check_vectors, checked_units, top_k

KINDS = ("exact", "flat", "hnsw", "ivfpq")
ABOUT, SENTENCES, FAISS_FILE, VECTORS = (
    "index.json", "sentences.jsonl", "index.faiss", "vectors.npy",
)  # fmt: skip
FEWEST_FOR_PQ = 256  # one byte chooses among 256 learned pieces, so as many vectors are needed
POINTS_PER_MEAN, ROUNDS = 39, 5  # of k-means: more learn longer, hardly better


def has_faiss() -> bool:
    """Whether FAISS is installed."""
    return importlib.util.find_spec("faiss") is not None


class VectorIndex:
    """Finds the nearest sentences by cosine.

    Kinds: "exact" (our own blocks), "flat" (FAISS, every vector), "hnsw" (a graph, fast and
    large), "ivfpq" (cells and compressed vectors, fast and small). Where FAISS is missing every
    kind becomes "exact".
    """

    def __init__(self, kind: str, engine, sentences: list[str], about: dict) -> None:
        self.kind, self.sentences, self.about = kind, sentences, about
        self._engine = engine  # a FAISS index, or the unit vectors (N, H) for "exact"

    def __len__(self) -> int:
        return len(self.sentences)

    @classmethod
    def build(
        cls,
        vectors,
        sentences: Sequence[str],
        *,
        kind: str = "flat",
        about: dict | None = None,
        **settings: int,
    ) -> "VectorIndex":
        """Index vectors (N, H) with their N sentences.

        Settings for hnsw: links (32), build_effort (80), search_effort (64); for ivfpq: cells
        (sqrt(N)), probes (8), code_bytes (H / 4). `about` is saved with it.
        """
        require_choice("kind of index", kind, KINDS)
        listed = check_sentences(sentences)
        check_vectors(vectors, 1)
        if len(listed) != len(vectors):
            raise InputError(f"{len(vectors)} vectors but {len(listed)} sentences")
        if kind != "exact" and not has_faiss():
            warnings.warn(
                f"FAISS is not installed, so the {kind} index becomes exact search: "
                "pip install faiss-cpu",
                stacklevel=2,
            )
            kind, settings = "exact", {}
        build = _BUILDERS[kind]
        allowed = sorted(build.__kwdefaults__ or ())
        for name in settings:
            if name not in allowed:
                raise InputError(f"{kind} has no setting {name!r}, only {allowed or 'none'}")
        return cls(
            kind, build(vectors, **settings), listed, {**(about or {}), "settings": settings}
        )

    def search(self, queries, *, k: int = 10) -> tuple[np.ndarray, np.ndarray]:
        """The k nearest of each query: (Q, H) -> cosines (Q, k), rows (Q, k), best first.

        An approximate index may find fewer: such places have row -1. IVF-PQ's cosines are
        estimates from compressed vectors.
        """
        check_vectors(queries, 1, width=self.dimension)
        if k < 1:
            raise InputError(f"k must be at least 1, got {k}")
        if self.kind == "exact":
            return top_k(queries, self._engine, k=k)
        return self._engine.search(checked_units(queries), min(k, len(self)))

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
        truth = top_k(queries, vectors, k=k)[1]
        return recall_of(self.search(queries, k=k)[1], truth)

    @property
    def dimension(self) -> int:
        return self._engine.shape[1] if self.kind == "exact" else self._engine.d

    @property
    def bytes_per_vector(self) -> float:
        """What the index keeps, ids and links included, divided by its vectors."""
        if self.kind == "exact":
            return self._engine.nbytes / len(self)
        import faiss

        writer = _Counter()
        faiss.write_index(self._engine, faiss.PyCallbackIOWriter(writer))
        return writer.total / len(self)

    # ---- saving and loading

    def save(self, path: str | Path) -> Path:
        """Write a folder with the index, its sentences and their digests. All or nothing."""
        size = {"vectors": len(self), "dimension": int(self.dimension)}
        about = {"kind": self.kind, **size, "about": self.about}
        with sealed_folder(path, ABOUT, about) as folder:
            with open(folder / SENTENCES, "w", encoding="utf-8", newline="\n") as file:
                file.writelines(json.dumps(s, ensure_ascii=False) + "\n" for s in self.sentences)
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
        except KeyError as error:
            raise CheckpointError(f"{path / ABOUT} lacks {error}: build the index again") from error
        with open(path / SENTENCES, encoding="utf-8") as file:
            sentences = [json.loads(line) for line in file]
        return cls(kind, _read_engine(kind, path / engine_file), sentences, about)


def recall_of(found: np.ndarray, truth: np.ndarray) -> float:
    """The share of the true neighbours among those found: (Q, k), (Q, k) -> 0 to 1."""
    if found.shape[0] != truth.shape[0] or not truth.size:
        raise InputError(f"{found.shape} were found for a truth of {truth.shape}")
    hits = sum(len(np.intersect1d(a, b)) for a, b in zip(found, truth, strict=True))
    return hits / truth.size


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


# ---- one builder a kind; vectors are added block by block, scaled to length 1


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


_BUILDERS = {"exact": checked_units, "flat": _flat, "hnsw": _hnsw, "ivfpq": _ivfpq}
