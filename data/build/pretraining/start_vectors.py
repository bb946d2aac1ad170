"""Word vectors to start from: spaCy's en_core_web_md table (CC0)."""

from pathlib import Path

import numpy as np

from sbert_lab.data.spacy_vectors import load_table, word_hash


def reduced(vectors: np.ndarray, width: int) -> np.ndarray:
    """The rows in their `width` strongest directions, centred."""
    centred = vectors - vectors.mean(axis=0)
    _, axes = np.linalg.eigh(centred.T @ centred)
    return centred @ axes[:, ::-1][:, :width]


def start_from_vectors(table, tokenizer, folder: Path | None = None, *, scale: float = 0.05) -> int:
    """Put a vector into every row of the embedding table whose piece is a known word; count them.

    Pieces that go on with a word ('##ing') stay random.
    """
    import torch

    rows, vectors = load_table(folder)
    small = reduced(vectors, table.shape[1])
    small *= scale / small.std()
    byte_level = any(piece.startswith("Ġ") for piece in tokenizer.get_vocab())
    found = 0
    for piece, number in tokenizer.get_vocab().items():
        if byte_level and not piece.startswith("Ġ"):
            continue
        row = rows.get(word_hash(piece.removeprefix("Ġ")))
        if row is not None:
            table[number] = torch.from_numpy(small[row])
            found += 1
    return found
