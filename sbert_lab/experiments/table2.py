"""Table 2: the STS benchmark with training. Spearman on its test pairs, and on dev beside it.

Each row scores the same test pairs, so every comparison can be paired. Dev is kept because a seed
may be picked there, never on test.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

import numpy as np

from sbert_lab.experiments import minilm
from sbert_lab.experiments.evaluation import sts
from sbert_lab.experiments.evaluation.resampling import bootstrap_systems

if TYPE_CHECKING:
    from sbert_lab.experiments.results import Outcome, Results, Row
    from sbert_lab.profiles import Profile

TABLE = 2
SPLITS = ("test", "dev")
CORPUS = "stsb"

# Ours, the zoo's name, the paper's row, what it is. All are trained, with profile.seeds seeds.
TRAINED = (
    ("InferSent", "infersent-nli", "InferSent - GloVe", "BiLSTM with max over time, NLI softmax"),
    ("USE", "use-nli", "Universal Sentence Encoder", "deep averaging net, NLI softmax"),
    ("SBERT-NLI", "sbert-nli", "SBERT-NLI-base", "NLI softmax, no STSb pair seen"),
    ("SBERT-STSb", "sbert-stsb", "SBERT-STSb-base", "cosine and squared error on STSb"),
    ("SRoBERTa-STSb", "sroberta-stsb", "SRoBERTa-STSb-base", "the same from the RoBERTa backbone"),
    ("cross-encoder-STSb", "cross-stsb", "BERT-STSb-base", "both sentences in one input"),
    ("SBERT-NLI-STSb", "sbert-nli-stsb", "SBERT-NLI-STSb-base", "first NLI, then STSb"),
    (
        "SRoBERTa-NLI-STSb",
        "sroberta-nli-stsb",
        "SRoBERTa-NLI-STSb-base",
        "first NLI, then STSb, from the RoBERTa backbone",
    ),
    (
        "cross-encoder-NLI-STSb",
        "cross-nli-stsb",
        "BERT-NLI-STSb-base",
        "both sentences in one input, first NLI, then STSb",
    ),
)
# The same two from a stronger backbone; profile real only.
MINILM = (
    ("SBERT-STSb", "sbert-stsb", "as SBERT-STSb, from all-MiniLM-L6-v2, the paper's settings"),
    ("cross-encoder-STSb", "cross-stsb", "both sentences in one input, from all-MiniLM-L6-v2"),
)


def rows(profile: Profile) -> list[Row]:
    """The systems of Table 2, untrained ones first, the floors last."""
    from sbert_lab.experiments.results import Row

    def row(name: str, system: Callable[[Profile, int], object], note: str, **given) -> Row:
        return Row(name=name, run=lambda s: _score(profile, system(profile, s)), note=note, **given)

    words, raw = "word vectors of our own, averaged", f"{profile.backbone} as it is, MEAN pooling"
    found = [
        row("averaged word vectors", _word_vectors, words, paper="Avg. GloVe embeddings"),
        row("raw MEAN", _raw, raw, paper="Avg. BERT embeddings"),
    ]
    for name, system, in_paper, note in TRAINED:
        found.append(row(name, _from_zoo(system), note, seeds=profile.seeds, paper=in_paper))
    if profile.name == "real":
        found.append(row(minilm.NAME, minilm.load, minilm.NOTE, kind="extra"))
        for name, system, note in MINILM:
            given = {"kind": "extra", "seeds": profile.seeds}
            found.append(row(f"{name}, MiniLM", _from_minilm(system), note, **given))
    for name, system, note in (
        ("random weights", _random, "untrained network with random weights, MEAN pooling"),
        ("shuffled scores", _shuffled, "as SBERT-STSb, but the training scores are shuffled"),
        ("random start", _random_start, "as SBERT-STSb, but from random weights"),
    ):
        found.append(row(name, system, note, kind="floor"))
    return found


def gold(profile: Profile) -> dict[str, np.ndarray]:
    """The people's scores of the test and the dev pairs."""
    return {s: np.array(_pairs(profile, s)["score"], dtype=np.float64) for s in SPLITS}


def data_seen(profile: Profile) -> str:
    """How much of STSb and of NLI was there."""
    from sbert_lab import data

    parts = [(CORPUS, split) for split in ("train", *SPLITS)] + [("nli", "train")]
    return "; ".join(f"{n} {s}: {data.coverage(n, s, profile=profile)}" for n, s in parts)


def claims(results: Results) -> dict[str, dict[str, np.ndarray]]:
    """C11 and C12: bootstrapped differences in points, each system's seeds averaged."""
    names = {
        "sbert": "SBERT-STSb",
        "cross": "cross-encoder-STSb",
        "sbert first": "SBERT-NLI-STSb",
        "cross first": "cross-encoder-NLI-STSb",
    }
    predicted = {key: results.predictions(row, "test") for key, row in names.items()}
    drawn = bootstrap_systems(results.gold("test"), predicted)
    sbert_gain = drawn["sbert first"] - drawn["sbert"]
    cross_gain = drawn["cross first"] - drawn["cross"]
    return {
        "C11": {
            "SBERT above chance": drawn["sbert"],
            "SBERT - cross-encoder": drawn["sbert"] - drawn["cross"],
        },
        "C12": {
            "SBERT gain": sbert_gain,
            "cross-encoder gain": cross_gain,
            "cross-encoder gain - SBERT gain": cross_gain - sbert_gain,
        },
    }


# ---- the systems, each (profile, seed) -> an encoder with encode(), or one with predict()


def _score(profile: Profile, system: object) -> Outcome:
    """Similarities and Spearman of test and dev."""
    from sbert_lab.experiments.results import Outcome

    predictions, scores = {}, {}
    for split in SPLITS:
        pairs = _pairs(profile, split)
        if hasattr(system, "predict"):
            first, second = list(pairs["sentence1"]), list(pairs["sentence2"])
            predictions[split] = np.asarray(system.predict(first, second), dtype=np.float64)
        else:
            predictions[split] = sts.similarities(system.encode, pairs)
        scores[split] = sts.correlations(pairs["score"], predictions[split]).spearman
    return Outcome(scores=scores, predictions=predictions)


def _pairs(profile: Profile, split: str):
    from sbert_lab import data

    return data.load(CORPUS, split, profile=profile, partial=profile.name == "real")


def _from_zoo(name: str) -> Callable[[Profile, int], object]:
    def system(profile: Profile, seed: int) -> object:
        from sbert_lab.experiments import zoo

        return zoo.get(name, seed=seed, profile=profile, show_progress=False)

    return system


def _from_minilm(name: str) -> Callable[[Profile, int], object]:
    """The zoo's system of that name with MiniLM as its backbone."""
    return lambda profile, seed: _from_zoo(name)(minilm.as_backbone(profile), seed)


def _word_vectors(profile: Profile, seed: int) -> object:
    from sbert_lab.word_vectors import WordVectors

    return WordVectors.load("word-vectors")


def _raw(profile: Profile, seed: int) -> object:
    from sbert_lab.encoder import SentenceEncoder

    return SentenceEncoder.load(profile.backbone, pooling="mean", max_length=profile.max_length)


def _random(profile: Profile, seed: int) -> object:
    from sbert_lab.experiments import zoo

    return zoo.random_encoder(profile, seed, pooling="mean")


def _shuffled(profile: Profile, seed: int) -> object:
    """The raw encoder trained on pairs whose scores were dealt out at random."""
    pairs = _pairs(profile, "train")
    scores = np.random.default_rng(seed).permutation(pairs["score"]).tolist()
    mixed = [{**pair, "score": score} for pair, score in zip(pairs, scores, strict=True)]
    return _trained(profile, _raw(profile, seed), mixed, seed)


def _random_start(profile: Profile, seed: int) -> object:
    return _trained(profile, _random(profile, seed), _pairs(profile, "train"), seed)


def _trained(profile: Profile, encoder: object, pairs: Sequence[dict], seed: int) -> object:
    """An encoder after the regression objective, with the settings of the zoo's sbert-stsb."""
    import tempfile
    from dataclasses import replace

    from sbert_lab.tasks import Siamese
    from sbert_lab.training import train

    with tempfile.TemporaryDirectory() as folder:
        task = Siamese(encoder, "regression", seed=seed)
        config = replace(profile.sts, seed=seed)
        train(task, pairs, config, run_dir=folder, show_progress=False)
    return encoder
