"""What a sentence encoder must beat: averaged word vectors and tf-idf. Neither needs torch."""

from sbert_lab.baselines.tfidf import TfIdf
from sbert_lab.baselines.word_vectors import STOP_WORDS, WordVectors, split_words

__all__ = ["STOP_WORDS", "TfIdf", "WordVectors", "split_words"]
