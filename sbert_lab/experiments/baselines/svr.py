"""Support vector regression on how two texts overlap, in the manner of Misra et al. (2016).

The features compare the two texts and forget them: shared words and n-grams, their share of each
text, the longest common sequence, lengths, negation. None of them says which sentences these are.
Their knowledge-based features (LIWC, UMBC similarity) need resources that we may not pass on.
"""

from collections.abc import Sequence

import numpy as np

from sbert_lab.errors import InputError
from sbert_lab.words import STOP_WORDS, split_words

_NEGATION = frozenset(
    ("no", "not", "never", "none", "nobody", "nothing", "nor", "without", "cannot")
)
FEATURES = (
    *(f"shared {n}-grams" for n in (1, 2, 3)),
    *(f"cosine of {n}-grams" for n in (1, 2, 3)),
    "cosine of 3- to 5-letter pieces",
    "shared content words",
    "longest common sequence",
    "difference in length",
    "length",
    "one of them negates",
)


class OverlapSVR:
    """fit on scored pairs, then predict. Nothing of the tested pairs is used before."""

    def __init__(self, *, cost: float = 1.0, tolerance: float = 0.1) -> None:
        self.cost, self.tolerance = cost, tolerance
        self._model = None

    def fit(
        self, first: Sequence[str], second: Sequence[str], scores: Sequence[float]
    ) -> "OverlapSVR":
        """Learn the rarity of words, then the regression, both from these pairs only."""
        from sklearn.pipeline import make_pipeline
        from sklearn.preprocessing import StandardScaler
        from sklearn.svm import SVR

        first, second = _texts(first), _texts(second)
        scores = np.asarray(scores, dtype=float)
        if not len(first) == len(second) == len(scores) or len(scores) < 2:
            raise InputError(
                f"{len(first)} first sentences, {len(second)} second ones and {len(scores)} "
                "scores: at least two complete pairs are needed"
            )
        if not np.isfinite(scores).all() or np.ptp(scores) == 0:
            raise InputError("the scores must be finite and not all equal: there is nothing to fit")
        self._weights = _vectorizers(list(dict.fromkeys([*first, *second])))
        self._model = make_pipeline(StandardScaler(), SVR(C=self.cost, epsilon=self.tolerance))
        self._model.fit(self.features(first, second), scores)
        return self

    def predict(self, first: Sequence[str], second: Sequence[str]) -> np.ndarray:
        """A score for each pair: (N,)."""
        if self._model is None:
            raise InputError("the regression knows nothing yet: call fit first")
        return self._model.predict(self.features(_texts(first), _texts(second)))

    def features(self, first: Sequence[str], second: Sequence[str]) -> np.ndarray:
        """N pairs -> (N, len(FEATURES)). Swapping the two texts changes nothing."""
        plain = np.array([_overlaps(a, b) for a, b in zip(first, second, strict=True)])
        cosines = []
        for weights in self._weights:
            left, right = weights.transform(first), weights.transform(second)
            cosines.append(np.asarray(left.multiply(right).sum(axis=1)).ravel())
        return np.column_stack([plain[:, :3], *cosines, plain[:, 3:]])


def _vectorizers(texts: list[str]) -> list:
    """tf-idf of 1-, 2- and 3-grams of words and of pieces of words, fitted."""
    from sklearn.feature_extraction.text import TfidfVectorizer

    words = {"tokenizer": split_words, "token_pattern": None, "lowercase": False}
    made = [TfidfVectorizer(ngram_range=(n, n), **words) for n in (1, 2, 3)]
    made.append(TfidfVectorizer(analyzer="char_wb", ngram_range=(3, 5)))
    try:
        return [one.fit(texts) for one in made]
    except ValueError as error:
        raise InputError(f"no n-grams can be learned from these texts: {error}") from error


def _overlaps(first: str, second: str) -> list[float]:
    """Shared n-grams (Jaccard), shared content words, common sequence, lengths, negation."""
    a, b = split_words(first), split_words(second)
    shared = [_jaccard(_ngrams(a, n), _ngrams(b, n)) for n in (1, 2, 3)]
    content = _jaccard(set(a) - STOP_WORDS, set(b) - STOP_WORDS)
    shorter = max(1, min(len(a), len(b)))
    return [
        *shared,
        content,
        _common_sequence(a, b) / shorter,
        abs(len(a) - len(b)),
        len(a) + len(b),
        float(_negates(a) != _negates(b)),
    ]


def _ngrams(words: list[str], n: int) -> set:
    return set(zip(*(words[i:] for i in range(n)), strict=False))


def _jaccard(a: set, b: set) -> float:
    return len(a & b) / len(a | b) if a | b else 0.0


def _common_sequence(a: list[str], b: list[str]) -> int:
    """The length of the longest common subsequence (ROUGE-L counts it)."""
    row = [0] * (len(b) + 1)
    for word in a:
        diagonal = 0
        for j, other in enumerate(b, start=1):
            above = row[j]
            row[j] = diagonal + 1 if word == other else max(above, row[j - 1])
            diagonal = above
    return row[-1]


def _negates(words: list[str]) -> bool:
    return any(word in _NEGATION or word.endswith("n't") for word in words)


def _texts(texts: Sequence[str]) -> list[str]:
    if isinstance(texts, str):
        raise InputError("a list of sentences is needed, not a single string")
    return list(texts)
