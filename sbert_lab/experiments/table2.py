"""Table 2: the STS benchmark with training. Spearman on its test pairs, and on dev beside it.

Each row scores the same test pairs, so every comparison can be paired. Dev is kept because a seed
may be picked there, never on test.
"""

from functools import partial

import numpy as np

from sbert_lab import data
from sbert_lab.experiments import lines
from sbert_lab.experiments.evaluation import sts
from sbert_lab.experiments.results import Outcome, Results, Row
from sbert_lab.experiments.systems import name_of
from sbert_lab.profiles import Profile

TABLE = 2
SPLITS = ("test", "dev")
CORPUS = "stsb"
STSB_ONLY = ("sbert-stsb", "sroberta-stsb", "cross-stsb")
LINES = (
    *("word-vectors", "raw-mean", "infersent-nli", "use-nli", "sbert-nli"),
    *STSB_ONLY,
    *("sbert-nli-stsb", "sroberta-nli-stsb", "cross-nli-stsb"),
)
MINILM = ("minilm", "sbert-stsb-minilm", "cross-stsb-minilm")  # the same from a stronger backbone
FLOORS = ("random-weights", "sbert-stsb-shuffled", "sbert-stsb-random")


def rows(profile: Profile) -> list[Row]:
    """The systems of Table 2, untrained ones first, the floors last."""
    chosen = (*LINES, *(MINILM if profile.minilm else ()), *FLOORS)
    more = dict.fromkeys((*STSB_ONLY, *MINILM[1:]), {"seeds": profile.stsb_seeds or profile.seeds})
    return [lines.row(id, profile, partial(score, profile), **more.get(id, {})) for id in chosen]


def gold(profile: Profile) -> dict[str, np.ndarray]:
    """The people's scores of the test and the dev pairs."""
    return {s: np.array(_pairs(profile, s)["score"], dtype=np.float64) for s in SPLITS}


def data_seen(profile: Profile) -> str:
    """How much of STSb and of NLI was there."""
    splits = [(CORPUS, split) for split in ("train", *SPLITS)]
    return lines.data_seen(profile, [*splits, ("nli", "train")])


def claims(results: Results) -> dict[str, dict[str, np.ndarray]]:
    """C11 and C12: bootstrapped differences in points, pairs and seeds resampled.

    A claim of which some row was not recorded is left out.
    """
    draw = lines.spearmans(results)
    sbert, cross = (draw(name_of(id), "test") for id in ("sbert-stsb", "cross-stsb"))
    found = {"C11": {"SBERT above chance": sbert, "SBERT - cross-encoder": sbert - cross}}
    first = [name_of(id) for id in ("sbert-nli-stsb", "cross-nli-stsb")]
    if all(map(results.exists, first)):
        sbert_gain, cross_gain = draw(first[0], "test") - sbert, draw(first[1], "test") - cross
        found["C12"] = {
            "SBERT gain": sbert_gain,
            "cross-encoder gain": cross_gain,
            "cross-encoder gain - SBERT gain": cross_gain - sbert_gain,
        }
    return found


def score(profile: Profile, system: object) -> Outcome:
    """Similarities and Spearman of test and dev; a cross-encoder has predict() instead."""
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
    return data.load(CORPUS, split, profile=profile)
