"""Searching a text file; its index may be kept in a folder or by Milvus and opened again."""

import hashlib
import json
import re
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path

from sbert_lab.encode_to_file import encode_to_file, encoder_digest, read_lines
from sbert_lab.encoder import SentenceEncoder
from sbert_lab.errors import CheckpointError, InputError
from sbert_lab.search.backends import build_index, check_backend
from sbert_lab.search.index import VectorIndex, has_faiss
from sbert_lab.search.milvus import MilvusIndex
from sbert_lab.search.milvus_client import connect, is_local


def search_file(
    path: Path,
    queries: Iterable[str] | None = None,
    *,
    k: int = 5,
    model: str = "mini-sbert",
    backend: str | None = None,
    kind: str | None = None,
    index: str | Path | None = None,
) -> Iterator[str]:
    """Each query and, as text, the k sentences of the file that are nearest to it.

    Without queries the lines of standard input are asked. `index` is the folder that keeps the
    index, for Milvus its address; there the collection is called as the file is.
    """
    if k < 1:
        raise InputError(f"-k must be at least 1, got {k}")
    if any(not query.strip() for query in queries or ()):
        raise InputError("an empty query finds nothing that means anything: type some words")
    backend = backend or ("exact" if kind == "exact" else "faiss")
    kind = check_backend(backend, kind)
    if backend == "milvus":
        if index is None:
            raise InputError("--backend milvus needs --index: questions.db or http://host:19530")
        connect(index)  # a missing package or server is told before the model loads
    sentences = [line for line in read_lines(path) if line.strip()]
    if not sentences:
        raise InputError(f"{path} holds no sentence: nothing to search in")
    encoder = SentenceEncoder.load(model)
    if backend == "milvus":
        name = "_" + re.sub(r"\W", "_", Path(path).stem)  # a digit may not come first
        given = {"model": model, "kind": kind, "uri": index, "name": name}
        found = open_or_build_milvus(sentences, encoder, **given)
    else:
        folder = None if index is None else Path(index)
        found = open_or_build(sentences, encoder, model=model, kind=kind, folder=folder)
    print(f"{len(found):,} sentences, {found.kind} index", file=sys.stderr)
    for query in queries or _typed():
        yield query
        cosines, rows = found.search(encoder.encode([query]), k=k)
        there = rows[0] >= 0  # an approximate index may find fewer than k
        for cosine, text in zip(cosines[0][there], found.texts(rows[0][there]), strict=True):
            yield f"  {cosine:6.3f}  {text}"


def _typed() -> Iterator[str]:
    """The lines typed or piped in; an empty one ends what is typed."""
    by_hand = sys.stdin.isatty()
    if by_hand:
        print("your query (an empty line ends):", file=sys.stderr)
    for line in sys.stdin:
        if line.strip():
            yield line.strip()
        elif by_hand:
            return


def open_or_build(
    sentences: list[str],
    encoder: SentenceEncoder,
    *,
    model: str,
    kind: str = "flat",
    folder: Path | None = None,
) -> VectorIndex:
    """The kept index if it is of these sentences, this model and kind; otherwise a new one."""
    about = {"model": model, "encoder": encoder_digest(encoder)}
    show = sys.stderr.isatty()
    if folder is None:
        vectors = encoder.encode(sentences, show_progress=show)
        return VectorIndex.build(vectors, sentences, kind=kind, about=about)
    if folder.exists():
        index = VectorIndex.load(folder)
        same_kind = index.kind == (kind if has_faiss() else "exact")
        same = all(index.about.get(name) == value for name, value in about.items())
        if same and same_kind and index.sentences == sentences:
            return index
        raise InputError(
            f"{folder} is an index of other sentences, another model or another kind: give "
            "another --index, or delete that folder to build it anew"
        )
    path = folder.with_name(folder.name + ".npy")
    vectors = encode_to_file(encoder, sentences, path, show_progress=show)  # may be cut off
    index = VectorIndex.build(vectors, sentences, kind=kind, about=about)
    index.save(folder)
    del vectors
    path.unlink()
    return index


def open_or_build_milvus(
    sentences: list[str],
    encoder: SentenceEncoder,
    *,
    model: str,
    kind: str,
    uri: str | Path,
    name: str,
) -> MilvusIndex:
    """The same, kept by Milvus as the collection `name`."""
    about = {"model": model, "encoder": encoder_digest(encoder)}
    about["sentences"] = hashlib.sha256(json.dumps(sentences).encode()).hexdigest()
    try:
        index = MilvusIndex.load(uri, name=name)
    except CheckpointError:  # it is not there yet
        folder = Path(uri).parent if is_local(uri) else Path()
        path = folder / f"{name}.milvus.npy"
        vectors = encode_to_file(encoder, sentences, path, show_progress=sys.stderr.isatty())
        options = {"kind": kind, "about": about, "uri": uri, "name": name}
        index = build_index(vectors, sentences, backend="milvus", **options)
        del vectors
        path.unlink()
        return index
    if index.kind == kind and all(index.about.get(key) == value for key, value in about.items()):
        return index
    raise InputError(
        f"collection {name!r} is an index of other sentences, another model or another kind: give "
        "another --index, or rename the text file"
    )
