"""The systems of Table 1: each is a function (profile, seed) -> encode."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from sbert_lab.experiments.evaluation.vectors import Encode

if TYPE_CHECKING:
    from sbert_lab.profiles import Profile

System = Callable[["Profile", int], Encode]

WORDS, MEAN, CLS, GLOVE = "word vectors", "raw BERT MEAN", "raw BERT CLS", "GloVe"


def untrained(profile: Profile) -> list[tuple]:
    """Name, system, note, kind, the paper's row: what needs no training here."""
    bert, roberta = (lambda p: p.backbone), (lambda p: p.roberta)
    glove = "Avg. GloVe embeddings"
    ours = "averaged; from the backbone's own pretraining text"
    found = [
        (WORDS, _words("word-vectors"), ours, "system", glove),
        (f"{WORDS}, no stop words", _words("word-vectors", True), ours, "extra", None),
        ("subword vectors", _words("subword-vectors"), f"fastText-like; {ours}", "extra", None),
    ]
    if profile.name != "mini" and _glove_is_here():
        note = "averaged; the vectors of the local copy"
        found += [
            (GLOVE, _words(None), note, "system", glove),
            (f"{GLOVE}, no stop words", _words(None, True), note, "extra", None),
        ]
    raw = f"{profile.backbone.partition('@')[0]} as pretrained"
    return [
        *found,
        (MEAN, _model(bert, "mean"), f"{raw}, averaged", "system", "Avg. BERT embeddings"),
        (CLS, _model(bert, "cls"), f"{raw}, first token", "system", "BERT CLS-vector"),
        ("raw BERT MAX", _model(bert, "max"), f"{raw}, max over time", "extra", None),
        ("raw RoBERTa MEAN", _model(roberta, "mean"), "RoBERTa, all tokens", "extra", None),
        (
            "mini-sbert",
            _model(lambda _: "mini-sbert"),
            "in-batch negatives on entailments",
            "extra",
            None,
        ),
    ]


def _words(name: str | None, drop: bool = False) -> System:
    """Averaged vectors of data/models; without a name GloVe's of the local copy."""

    def system(profile: Profile, seed: int) -> Encode:
        from sbert_lab.word_vectors import WordVectors

        vectors = WordVectors.load(name) if name else WordVectors.from_glove()
        return lambda sentences: vectors.encode(sentences, drop_stop_words=drop)

    return system


def _model(find: Callable[[Profile], object], pooling: str | None = None) -> System:
    """A saved model as it is; with a pooling, a backbone under that pooling."""

    def system(profile: Profile, seed: int) -> Encode:
        from sbert_lab.encoder import SentenceEncoder

        longest = profile.max_length if pooling else None
        return SentenceEncoder.load(find(profile), pooling=pooling, max_length=longest).encode

    return system


def from_zoo(name: str) -> System:
    def system(profile: Profile, seed: int) -> Encode:
        from sbert_lab.experiments import zoo

        return zoo.get(name, seed=seed, profile=profile, show_progress=False).encode

    return system


def random_weights(profile: Profile, seed: int) -> Encode:
    from sbert_lab.experiments import zoo

    return zoo.random_encoder(profile, seed, pooling="mean").encode


def _glove_is_here() -> bool:
    from sbert_lab.data.local import local_copy

    root = local_copy()
    return bool(root) and any((root / "glove").glob("glove.*.txt*"))
