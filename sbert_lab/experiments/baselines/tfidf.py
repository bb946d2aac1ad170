"""tf-idf: a sentence is the words in it, rare ones counting more."""

from collections.abc import Sequence

import numpy as np

from sbert_lab.errors import InputError
from sbert_lab.words import split_words


class TfIdf:
    """Weights learned from texts (no labels), then one dense row of weights per sentence."""

    def __init__(self, texts: Sequence[str], *, most_words: int = 20_000) -> None:
        from sklearn.feature_extraction.text import TfidfVectorizer

        self._weights = TfidfVectorizer(
            tokenizer=split_words,
            token_pattern=None,
            lowercase=False,
            max_features=most_words,
            dtype=np.float32,
        )
        try:
            self._weights.fit(texts)
        except ValueError as error:
            raise InputError(f"no weights can be learned from these texts: {error}") from error

    @property
    def words(self) -> list[str]:
        """The known words, one per dimension."""
        return self._weights.get_feature_names_out().tolist()

    def encode(self, sentences: Sequence[str]) -> np.ndarray:
        """N sentences -> float32 (N, words), each of length 1; zeros if no word is known."""
        if isinstance(sentences, str):
            raise InputError("encode takes a list of sentences, not a single string")
        return self._weights.transform(sentences).toarray()
