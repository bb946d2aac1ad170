"""Searching a text file; its index may be kept in a folder and opened again."""

import sys
from collections.abc import Iterable, Iterator
from pathlib import Path

from sbert_lab.encode_to_file import encode_to_file, encoder_digest, read_lines
from sbert_lab.encoder import SentenceEncoder
from sbert_lab.errors import InputError
from sbert_lab.search.index import VectorIndex, has_faiss


def search_file(
    path: Path,
    queries: Iterable[str] | None = None,
    *,
    k: int = 5,
    model: str = "mini-sbert",
    kind: str = "flat",
    index: Path | None = None,
) -> Iterator[str]:
    """Each query and, as text, the k sentences of the file that are nearest to it.

    Without queries the lines of standard input are asked.
    """
    if k < 1:
        raise InputError(f"-k must be at least 1, got {k}")
    sentences = [line for line in read_lines(path) if line.strip()]
    if not sentences:
        raise InputError(f"{path} holds no sentence: nothing to search in")
    encoder = SentenceEncoder.load(model)
    found = open_or_build(sentences, encoder, model=model, kind=kind, folder=index)
    print(f"{len(found):,} sentences, {found.kind} index", file=sys.stderr)
    for query in queries or _typed():
        yield query
        cosines, rows = found.search(encoder.encode([query]), k=k)
        for cosine, row in zip(cosines[0], rows[0], strict=True):
            if row >= 0:  # an approximate index may find fewer than k
                yield f"  {cosine:6.3f}  {found.sentences[row]}"


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
