"""The systems of Table 5: where their encode functions come from."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from sbert_lab.experiments.evaluation.senteval import Task
    from sbert_lab.experiments.evaluation.vectors import Encode
    from sbert_lab.profiles import Profile

WORDS, MEAN, CLS, SUBWORDS = "word vectors", "raw MEAN", "raw CLS", "subword vectors"


def untrained(profile: Profile) -> list[tuple]:
    """Name, seed -> encode, the paper's row, what it is."""
    own = profile.name == "mini"
    words = "our own word vectors, averaged" if own else "GloVe of the local copy, averaged"
    subwords = "fastText-like: n-grams of letters too, averaged"
    raw = f"{short_name(profile)} as pretrained"
    return [
        (WORDS, lambda seed: word_vectors(profile), "Avg. GloVe embeddings", words),
        (SUBWORDS, lambda seed: subword_vectors(), "Avg. fast-text embeddings", subwords),
        (
            MEAN,
            lambda seed: load_encoder(profile, "mean").encode,
            "Avg. BERT embeddings",
            f"{raw}, averaged",
        ),
        (
            CLS,
            lambda seed: load_encoder(profile, "cls").encode,
            "BERT CLS-vector",
            f"{raw}, first token",
        ),
    ]


def short_name(profile: Profile) -> str:
    """The backbone without its revision."""
    return profile.backbone.partition("@")[0]


def load_encoder(profile: Profile, pooling: str):
    """The profile's backbone as it is, with this pooling."""
    from sbert_lab.encoder import SentenceEncoder

    return SentenceEncoder.load(profile.backbone, pooling=pooling, max_length=profile.max_length)


def saved(name: str) -> Encode:
    """A model of data/models with its own pooling."""
    from sbert_lab.encoder import SentenceEncoder

    return SentenceEncoder.load(name).encode


def from_zoo(profile: Profile, name: str, seed: int) -> Encode:
    from sbert_lab.experiments import zoo

    return zoo.get(name, seed=seed, profile=profile, show_progress=False).encode


def random_weights(profile: Profile, seed: int) -> Encode:
    from sbert_lab.experiments import zoo

    return zoo.random_encoder(profile, seed, pooling="mean").encode


def word_vectors(profile: Profile) -> Encode:
    """Ours in mini, elsewhere GloVe's of the local copy."""
    from sbert_lab.word_vectors import WordVectors

    if profile.name == "mini":
        return WordVectors.load("word-vectors").encode
    return WordVectors.from_glove().encode


def subword_vectors() -> Encode:
    from sbert_lab.word_vectors import WordVectors

    return WordVectors.load("subword-vectors").encode


def tfidf(tasks: Sequence[Task]) -> Encode:
    """Weights from the tasks' texts without labels; the test texts of fixed splits are left out."""
    from sbert_lab.experiments.baselines.tfidf import TfIdf

    texts = []
    for task in tasks:
        seen = task.parts.get("train", task.tested)
        columns = [task.first] if task.second is None else [task.first, task.second]
        texts += [column[i] for column in columns for i in seen]
    return TfIdf(texts, most_words=3_000).encode
