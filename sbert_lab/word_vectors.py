"""Averaged word vectors: the simplest sentence embedding, and a hard one to beat without training.

A folder holds words.txt (one word a line, most frequent first), vectors.safetensors (`words`, and
`buckets` in the subword kind), settings.json and sbert_lab.json with each file's sha256.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Sequence
from pathlib import Path

import numpy as np

from sbert_lab.errors import InputError
from sbert_lab.files import read_json, read_sealed, sealed_folder, write_bytes, write_json
from sbert_lab.paths import data_dir
from sbert_lab.vectors import unit_rows
from sbert_lab.words import STOP_WORDS, ngram_buckets, split_words

__all__ = ["STOP_WORDS", "WordVectors", "split_words"]

WORDS, VECTORS = "words.txt", "vectors.safetensors"
SETTINGS, DIGESTS = "settings.json", "sbert_lab.json"


class WordVectors:
    """A vector per word; a sentence is the mean of its words' vectors.

    The subword kind (`buckets`) also has vectors of hashed character n-grams: a word that was never
    seen gets the mean of its n-grams' vectors. Without them unknown words are left out.
    """

    def __init__(
        self,
        words: Sequence[str],
        vectors: np.ndarray,
        *,
        buckets: np.ndarray | None = None,
        ngrams: tuple[int, int] = (3, 5),
    ) -> None:
        self.words = list(words)
        self.vectors = np.asarray(vectors, dtype=np.float32)
        if self.vectors.ndim != 2 or len(self.vectors) != len(self.words):
            raise InputError(f"{len(self.words)} words but vectors of shape {self.vectors.shape}")
        self.buckets = None if buckets is None else np.asarray(buckets, dtype=np.float32)
        self.ngrams = tuple(ngrams)
        self._place = {word: number for number, word in enumerate(self.words)}
        if len(self._place) != len(self.words):
            raise InputError("a word stands twice in the list of words")

    @classmethod
    def load(cls, name_or_path: str | Path) -> WordVectors:
        """Open 'word-vectors' or 'subword-vectors' of data/models, or a folder."""
        from safetensors.numpy import load_file

        folder = _find(name_or_path)
        way_out = "restore it from the repository"
        read_sealed(folder, DIGESTS, kind="a folder of word vectors", way_out=way_out)
        tensors = load_file(folder / VECTORS)
        settings = read_json(folder / SETTINGS)
        return cls(
            (folder / WORDS).read_text(encoding="utf-8").splitlines(),
            tensors["words"],
            buckets=tensors.get("buckets"),
            ngrams=tuple(settings["ngrams"]),
        )

    @classmethod
    def from_glove(cls, path: str | Path | None = None, *, limit: int | None = None) -> WordVectors:
        """Vectors in GloVe's text format; without a path those of the local copy."""
        from sbert_lab.data.glove import load_glove

        return cls(*load_glove(path, limit=limit))

    def save(self, path: str | Path, *, card: str = "") -> Path:
        """Write a folder that load() opens: half precision, all or nothing."""
        from safetensors.numpy import save

        tensors = {"words": self.vectors.astype(np.float16)}
        if self.buckets is not None:
            tensors["buckets"] = self.buckets.astype(np.float16)
        with sealed_folder(path, DIGESTS) as folder:
            write_bytes(folder / WORDS, "".join(f"{word}\n" for word in self.words).encode())
            write_bytes(folder / VECTORS, save(tensors))
            about = {"dimension": self.dimension, "ngrams": list(self.ngrams)}
            write_json(folder / SETTINGS, about)
            if card:
                write_bytes(folder / "README.md", card.encode())
        return Path(path)

    @property
    def dimension(self) -> int:
        """How many numbers a vector has."""
        return self.vectors.shape[1]

    def __contains__(self, word: str) -> bool:
        return word in self._place

    def __len__(self) -> int:
        return len(self.words)

    def vector(self, word: str) -> np.ndarray | None:
        """A word's vector; None if it is unknown and there are no n-grams to make one from."""
        place = self._place.get(word)
        if place is not None:
            return self.vectors[place]
        if self.buckets is None:
            return None
        numbers = ngram_buckets(word, len(self.buckets), *self.ngrams)
        return self.buckets[list(numbers)].mean(axis=0) if numbers else None

    def encode(self, sentences: Sequence[str], *, drop_stop_words: bool = False) -> np.ndarray:
        """Mean vectors: N sentences -> float32 (N, H). A sentence of unknown words gives zeros."""
        if isinstance(sentences, str) or not isinstance(sentences, Iterable):
            given = type(sentences).__name__
            raise InputError(f"encode takes a list of sentences, not a single {given}")
        found = [self._look_up(row, s, drop_stop_words) for row, s in enumerate(sentences)]
        return mean_rows(self.vectors, [places for places, _ in found], [m for _, m in found])

    def _look_up(
        self, row: int, sentence: str, drop_stop_words: bool
    ) -> tuple[list[int], list[np.ndarray]]:
        """The places of a sentence's known words, and vectors made for the unknown ones."""
        if not isinstance(sentence, str):
            raise InputError(f"sentence {row} is {sentence!r}, not a string")
        words = split_words(sentence)
        if drop_stop_words:
            words = [word for word in words if word not in STOP_WORDS]
        places = list(map(self._place.get, words))
        if None not in places:
            return places, []
        made = []
        if self.buckets is not None:
            unknown = (w for w, place in zip(words, places, strict=True) if place is None)
            made = [vector for vector in map(self.vector, unknown) if vector is not None]
        return [place for place in places if place is not None], made

    def nearest(self, word: str, count: int = 10) -> list[tuple[str, float]]:
        """The words with the largest cosine to this one."""
        vector = self.vector(word)
        if vector is None:
            raise InputError(f"{word!r} is not among the {len(self):,} known words")
        cosines = unit_rows(self.vectors) @ unit_rows(vector[None])[0]
        order = [i for i in np.argsort(-cosines, kind="stable") if self.words[i] != word]
        return [(self.words[i], float(cosines[i])) for i in order[:count]]


def mean_rows(
    vectors: np.ndarray, places: Sequence[list[int]], made: Sequence[list[np.ndarray]]
) -> np.ndarray:
    """Means over chosen rows of `vectors` and over extra ones: N lists -> (N, H), zeros for none.

    Which sentence has which word is a sparse (N, words) matrix: one product adds up all of them.
    """
    from scipy.sparse import csr_array

    flat = np.fromiter(itertools.chain.from_iterable(places), dtype=np.int64)
    ends = np.concatenate([[0], np.cumsum([len(one) for one in places], dtype=np.int64)])
    ones = np.ones(len(flat), dtype=np.float32)
    sums = csr_array((ones, flat, ends), shape=(len(places), len(vectors))) @ vectors
    counts = np.diff(ends)
    for row, extra in enumerate(made):
        if extra:
            sums[row] += np.sum(extra, axis=0)
            counts[row] += len(extra)
    return sums / np.maximum(counts, 1)[:, None].astype(np.float32)


def _find(name_or_path: str | Path) -> Path:
    for folder in (Path(name_or_path), data_dir("models") / str(name_or_path)):
        if (folder / VECTORS).is_file() and (folder / DIGESTS).is_file():
            return folder
    raise InputError(
        f"no word vectors {str(name_or_path)!r}: give 'word-vectors', 'subword-vectors' or a "
        f"folder with {WORDS} and {VECTORS}"
    )
