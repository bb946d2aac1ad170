"""`sbert-lab search`: build an index from a text file and answer questions on the terminal."""

import argparse
import sys
from collections.abc import Iterable
from pathlib import Path

from sbert_lab.errors import InputError


def add_search_command(commands) -> None:
    """Register the command with an argparse sub-parser."""
    parser = commands.add_parser(
        "search",
        help="find the sentences of a text file that are nearest to yours",
        description="Build an index from a text file (one sentence a line) and answer queries: "
        "those of --query, else one a line from the terminal. With --index the index is kept, and "
        "the next call only opens it.",
        epilog='example:\n  sbert-lab search questions.txt --query "How do I learn to cook?"',
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("sentences", type=Path, help="text file, UTF-8, one sentence a line")
    parser.add_argument("--query", action="append", metavar="TEXT", help="may be given repeatedly")
    parser.add_argument("-k", type=int, default=5, help="answers for each query (default: 5)")
    parser.add_argument("--index", type=Path, help="folder to keep the index in")
    parser.add_argument("--kind", choices=["exact", "flat", "hnsw", "ivfpq"], default="flat")
    parser.add_argument("--model", default="mini-sbert", help="name, folder or hub id@revision")
    parser.set_defaults(run=_search)


def _search(given: argparse.Namespace) -> int:
    from sbert_lab.encode_to_file import read_lines
    from sbert_lab.encoder import SentenceEncoder

    if given.k < 1:
        raise InputError(f"-k must be at least 1, got {given.k}")
    sentences = [line for line in read_lines(given.sentences) if line.strip()]
    if not sentences:
        raise InputError(f"{given.sentences} holds no sentence: nothing to search in")
    encoder = SentenceEncoder.load(given.model)
    index = _open_or_build(given, sentences, encoder)
    print(f"{len(index):,} sentences, {index.kind} index", file=sys.stderr)
    for query in _queries(given.query):
        cosines, rows = index.search(encoder.encode([query]), k=given.k)
        print(query)
        for cosine, row in zip(cosines[0], rows[0], strict=True):
            if row >= 0:  # an approximate index may find fewer than k
                print(f"  {cosine:6.3f}  {index.sentences[row]}")
        sys.stdout.flush()
    return 0


def _open_or_build(given: argparse.Namespace, sentences: list[str], encoder):
    """The kept index if it is of these sentences, this model and kind; otherwise a new one."""
    from sbert_lab.encode_to_file import encode_to_file, encoder_digest
    from sbert_lab.search import VectorIndex, has_faiss

    about = {"model": str(given.model), "encoder": encoder_digest(encoder)}
    show = sys.stderr.isatty()
    if given.index is None:
        vectors = encoder.encode(sentences, show_progress=show)
        return VectorIndex.build(vectors, sentences, kind=given.kind, about=about)
    if given.index.exists():
        index = VectorIndex.load(given.index)
        same_kind = index.kind == (given.kind if has_faiss() else "exact")
        same = all(index.about.get(name) == value for name, value in about.items())
        if same and same_kind and index.sentences == sentences:
            return index
        raise InputError(
            f"{given.index} is an index of other sentences, another model or another kind: give "
            "another --index, or delete that folder to build it anew"
        )
    path = given.index.with_name(given.index.name + ".npy")
    vectors = encode_to_file(encoder, sentences, path, show_progress=show)  # may be cut off
    index = VectorIndex.build(vectors, sentences, kind=given.kind, about=about)
    index.save(given.index)
    del vectors
    path.unlink()
    return index


def _queries(given: list[str] | None) -> Iterable[str]:
    """Those given; else the lines typed, until an empty one or the end."""
    if given:
        yield from given
        return
    if sys.stdin.isatty():
        print("your query (an empty line ends):", file=sys.stderr)
    for line in sys.stdin:
        if not line.strip():
            if sys.stdin.isatty():
                return
            continue
        yield line.strip()
