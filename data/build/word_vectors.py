"""Make data/models/word-vectors and subword-vectors, from the text that mini-bert read.

    SBERT_LAB_DATA=/path/to/corpora python data/build/word_vectors.py

Co-occurrence counts (window of 10 words, a pair at distance d counts 1/d, as GloVe has it),
positive pointwise mutual information, truncated SVD. Then n-gram vectors whose mean comes as near
as possible to each word's vector (fastText's idea). About a minute on one core.
"""

import argparse
import os
import time
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import word_vectors_card
from pretraining_text import Text, mini_text, real_text
from scipy import sparse
from sklearn.utils.extmath import randomized_svd

from sbert_lab.paths import data_dir
from sbert_lab.word_vectors import WordVectors, split_words
from sbert_lab.words import ngram_buckets


@dataclass(frozen=True, kw_only=True)
class Settings:
    """All numbers that shape the vectors."""

    words: int = 20_000
    fewest: int = 3
    dimension: int = 128
    window: int = 10
    smoothing: float = 0.75
    shift: float = 5.0
    spectrum: float = 0.5
    buckets: int = 20_000
    ngrams: tuple[int, int] = (3, 5)
    ridge: float = 0.02
    seed: int = 1


def units(*texts: Text) -> list[list[str]]:
    """Stretches of running words: a sentence that stands alone, or a whole document."""
    found = []
    for text in texts:
        found.extend(split_words(sentence) for sentence in text.sentences)
        found.extend(split_words(" ".join(document)) for document in text.documents)
    return found


def vocabulary(stretches: list[list[str]], settings: Settings) -> tuple[list[str], Counter]:
    """The most frequent words, ties in alphabetical order."""
    counts = Counter(word for stretch in stretches for word in stretch)
    kept = [word for word, count in counts.items() if count >= settings.fewest]
    kept.sort(key=lambda word: (-counts[word], word))
    return kept[: settings.words], counts


def cooccurrences(
    stretches: list[list[str]], words: list[str], settings: Settings
) -> sparse.csr_matrix:
    """Symmetric counts; a pair at distance d adds 1/d. Other words keep their place in the text."""
    place = {word: number for number, word in enumerate(words)}
    ids, owners = [], []
    for number, stretch in enumerate(stretches):
        ids.extend(place.get(word, -1) for word in stretch)
        owners.extend([number] * len(stretch))
    ids, owners = np.array(ids, dtype=np.int64), np.array(owners, dtype=np.int32)
    size = len(words)
    total = sparse.csr_matrix((size, size), dtype=np.float64)
    for distance in range(1, settings.window + 1):
        a, b = ids[:-distance], ids[distance:]
        good = (owners[:-distance] == owners[distance:]) & (a >= 0) & (b >= 0)
        ones = np.full(int(good.sum()), 1.0 / distance)
        total = total + sparse.csr_matrix((ones, (a[good], b[good])), shape=(size, size))
    return (total + total.T).tocsr()


def positive_information(counts: sparse.csr_matrix, settings: Settings) -> sparse.csr_matrix:
    """log(p(w, c) / (p(w) p(c))) where it is above log(shift), p(c) smoothed; else 0."""
    total = counts.sum()
    rows = np.asarray(counts.sum(axis=1)).ravel() / total
    contexts = np.asarray(counts.sum(axis=0)).ravel() ** settings.smoothing
    contexts /= contexts.sum()
    cells = counts.tocoo()
    values = np.log(cells.data / total / (rows[cells.row] * contexts[cells.col]))
    values -= np.log(settings.shift)
    kept = values > 0
    return sparse.csr_matrix(
        (values[kept], (cells.row[kept], cells.col[kept])), shape=counts.shape, dtype=np.float32
    )


def word_matrix(information: sparse.csr_matrix, settings: Settings) -> np.ndarray:
    """The strongest directions, each weighted by its singular value to the power `spectrum`."""
    left, values, _ = randomized_svd(
        information, settings.dimension, n_iter=6, random_state=settings.seed
    )
    vectors = left * values**settings.spectrum
    return (vectors / np.sqrt((vectors**2).sum(axis=1).mean())).astype(np.float32)


def bucket_matrix(words: list[str], vectors: np.ndarray, settings: Settings) -> np.ndarray:
    """Ridge regression by conjugate gradients: the mean of a word's n-grams is near its vector."""
    rows, columns, weights = [], [], []
    for number, word in enumerate(words):
        found = ngram_buckets(word, settings.buckets, *settings.ngrams)
        rows.extend([number] * len(found))
        columns.extend(found)
        weights.extend([1 / len(found)] * len(found) if found else [])
    design = sparse.csr_matrix(
        (weights, (rows, columns)), shape=(len(words), settings.buckets), dtype=np.float64
    )
    target = design.T @ vectors.astype(np.float64)
    return _conjugate_gradients(design, target, settings.ridge).astype(np.float32)


def _conjugate_gradients(
    design: sparse.csr_matrix, target: np.ndarray, ridge: float, steps: int = 200
) -> np.ndarray:
    """Solve (X'X + ridge) B = target, all columns at once."""
    solution, residual = np.zeros_like(target), target.copy()
    direction, squared = residual.copy(), (residual**2).sum(axis=0)
    first = squared.copy()
    for _ in range(steps):
        product = design.T @ (design @ direction) + ridge * direction
        step = squared / np.maximum((direction * product).sum(axis=0), 1e-30)
        solution += step * direction
        residual -= step * product
        following = (residual**2).sum(axis=0)
        if np.all(following <= 1e-8 * first):
            break
        direction = residual + following / np.maximum(squared, 1e-30) * direction
        squared = following
    return solution


def with_ngrams(words: list[str], vectors: np.ndarray, settings: Settings) -> WordVectors:
    """Known words as fastText has them: half their own vector, half that of their n-grams."""
    buckets = bucket_matrix(words, vectors, settings)
    mixed = vectors.copy()
    for number, word in enumerate(words):
        found = ngram_buckets(word, settings.buckets, *settings.ngrams)
        if found:
            mixed[number] = (vectors[number] + buckets[list(found)].mean(axis=0)) / 2
    return WordVectors(words, mixed, buckets=buckets, ngrams=settings.ngrams)


def train(stretches: list[list[str]], settings: Settings) -> tuple[WordVectors, WordVectors, dict]:
    """Both kinds of vectors, and what is worth knowing about the text."""
    words, counts = vocabulary(stretches, settings)
    together = cooccurrences(stretches, words, settings)
    vectors = word_matrix(positive_information(together, settings), settings)
    running = sum(counts.values())
    facts = {
        "running words": running,
        "different words": len(counts),
        "words kept": len(words),
        "share of running words that are kept words": sum(counts[w] for w in words) / running,
        "pairs of words seen together": together.nnz // 2,
    }
    return WordVectors(words, vectors), with_ngrams(words, vectors, settings), facts


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--out", type=Path, default=data_dir("models"))
    parser.add_argument("--stretches", type=int, help="only so many stretches of text: a smoke run")
    given = parser.parse_args()
    real = os.environ.get("SBERT_LAB_DATA")
    if not real:
        parser.error("set SBERT_LAB_DATA to a local copy of the corpora (data/LAYOUT.md)")
    settings = Settings()
    stretches = units(real_text(), mini_text())
    if given.stretches:
        stretches = stretches[:: max(1, len(stretches) // given.stretches)]
    plain, subword, facts = train(stretches, settings)
    facts["minutes of computing, one core"] = time.process_time() / 60
    for name, vectors in (("word-vectors", plain), ("subword-vectors", subword)):
        vectors.save(given.out / name)
        saved = WordVectors.load(given.out / name)  # what is scored is what was stored
        card = word_vectors_card.write_card(name, saved, settings, facts)
        vectors.save(given.out / name, card=card)
        print(card)


if __name__ == "__main__":
    main()
