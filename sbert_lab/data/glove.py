"""Word vectors in GloVe's text format."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from sbert_lab.data.formats.lines import fail, numbered
from sbert_lab.data.local import local_copy
from sbert_lab.errors import DataError

if TYPE_CHECKING:
    import numpy as np


def load_glove(
    path: str | Path | None = None, *, limit: int | None = None
) -> tuple[list[str], np.ndarray]:
    """Words and their vectors: n words, float32 (n, dimensions), most frequent first.

    Without a path: the first glove/glove.*.txt (or .gz) of the local copy. A first line with just
    two whole numbers (word2vec's header) is skipped.
    """
    import numpy as np

    path = Path(path) if path else _find_glove()
    words: list[str] = []
    vectors: list[np.ndarray] = []
    size = None
    for number, line in numbered(path):
        if limit is not None and len(words) == limit:
            break
        if number == 1 and _is_header(line):
            continue
        size = size or line.count(" ")
        if not size:
            fail(path, number, "not a word and numbers")
        word, vector = _parse_line(path, number, line, size)
        words.append(word)
        vectors.append(np.asarray(vector, dtype=np.float32))
    if not words:
        raise DataError(f"{path}: no word vectors in it")
    return words, np.stack(vectors)


def _parse_line(path: Path, number: int, line: str, size: int) -> tuple[str, list[float]]:
    """Split from the right: in the 840B file some words contain spaces."""
    word, *numbers = line.rsplit(" ", size)
    try:
        vector = [float(text) for text in numbers]
    except ValueError:
        fail(path, number, f"not a word and {size} numbers")
    if len(vector) != size or _ends_in_number(word) or not all(map(_fits, vector)):
        fail(path, number, f"not a word and {size} numbers")
    return word, vector


def _ends_in_number(word: str) -> bool:
    """True if part of the vector got into the word: the line has too many numbers."""
    _, space, last = word.rpartition(" ")
    try:
        return bool(space) and bool(float(last) or True)
    except ValueError:
        return False


def _fits(value: float) -> bool:
    """Neither NaN nor too large for the 32 bits that are kept."""
    return abs(value) < 3e38


def _is_header(line: str) -> bool:
    fields = line.split(" ")
    return len(fields) == 2 and all(text.isdigit() for text in fields)


def _find_glove() -> Path:
    root = local_copy()
    found = sorted((root / "glove").glob("glove.*.txt*")) if root else []
    if not found:
        raise DataError(
            "no GloVe vectors: put glove.6B.300d.txt (or another size) into the folder glove of "
            "your local copy and set SBERT_LAB_DATA to that copy, or give load_glove a path"
        )
    return found[0]
