"""Sentences that are left out because a real corpus happens to have them, too.

    python data/build/everyday_avoid.py /path/to/corpora

Plain sentences occur to everybody. So that no sentence of six words or more and no run
of eight words is shared with the real corpora, this lists the digests of such sentences of ours in
sources/everyday/avoid.txt, and the builder passes them over. The file holds no text.
"""

import argparse
import gzip
import hashlib
import json
import re
import sys
from collections.abc import Iterable, Iterator
from functools import cache
from pathlib import Path

LIST = Path(__file__).parent / "sources" / "everyday" / "avoid.txt"
SENTENCE, RUN = 6, 8  # words from which on a match counts


def words_of(text: str) -> list[str]:
    return re.findall(r"[a-z0-9]+(?:'[a-z]+)?", text.lower())


def digest(text: str) -> str:
    return hashlib.sha256(" ".join(words_of(text)).encode()).hexdigest()[:16]


@cache
def avoided() -> frozenset[str]:
    return frozenset(LIST.read_text(encoding="utf-8").split()) if LIST.exists() else frozenset()


def is_avoided(text: str) -> bool:
    """True for what a real corpus has as well, and for a word that comes twice: plants plants."""
    return digest(text) in avoided() or bool(re.search(r"\b(\w+) \1\b", text))


def pieces(text: str) -> set[str]:
    """The sentence, if it is long enough, and its runs of eight words."""
    found = words_of(text)
    runs = {" ".join(found[at : at + RUN]) for at in range(len(found) - RUN + 1)}
    return runs | ({" ".join(found)} if len(found) >= SENTENCE else set())


def real_texts(folder: Path) -> Iterator[str]:
    """Every text of a local copy; of json lines the two sentences, of tables the cells."""
    for path in sorted(folder.rglob("*")):
        if not path.is_file() or "glove" in path.parts or path.name.lower().startswith("readme"):
            continue
        opener = gzip.open if path.suffix == ".gz" else open
        with opener(path, "rt", encoding="utf-8", errors="replace") as lines:
            for line in lines:
                if ".jsonl" in path.suffixes:
                    row = json.loads(line)
                    yield from (row["sentence1"], row["sentence2"])
                else:
                    yield from line.split("\t")


def shared_sentences(ours: Iterable[str], folder: Path) -> set[str]:
    """Our sentences that have a piece in common with a real text."""
    owners: dict[str, set[str]] = {}
    for text in ours:
        for piece in pieces(text):
            owners.setdefault(piece, set()).add(text)
    found: set[str] = set()
    for text in real_texts(folder):
        for piece in pieces(text) & owners.keys():
            found |= owners[piece]
    return found


def main(arguments: list[str] | None = None) -> int:
    import everyday
    import everyday_avoid  # the copy that the builder uses, where this file runs as a script

    parser = argparse.ArgumentParser(description="List the sentences that the builder must avoid.")
    parser.add_argument("real", metavar="FOLDER", help="a local copy of the real corpora")
    options = parser.parse_args(arguments)
    while True:
        everyday_avoid.avoided.cache_clear()
        everyday.all_pairs.cache_clear()
        ours = everyday.sentences()
        shared = shared_sentences(ours, Path(options.real))
        print(f"{len(shared):,} of {len(ours):,} sentences are in a real corpus, too")
        if not shared:
            return 0
        digests = sorted(everyday_avoid.avoided() | {digest(text) for text in shared})
        LIST.write_text("\n".join(digests) + "\n", encoding="utf-8")


if __name__ == "__main__":
    sys.exit(main())
