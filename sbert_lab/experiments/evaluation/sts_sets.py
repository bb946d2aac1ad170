"""The seven sets of Table 1, scored by one encode function: STS12 to STS16, STSb and SICK-R."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from sbert_lab import data
from sbert_lab.data.registry import get_corpus
from sbert_lab.data.sources import splits_here
from sbert_lab.errors import DataError, InputError
from sbert_lab.experiments.evaluation.sts import correlations, score_subsets, similarities
from sbert_lab.experiments.evaluation.vectors import Encode, column, embed
from sbert_lab.profiles import Profile, as_profile

SETS = ("sts12", "sts13", "sts14", "sts15", "sts16", "stsb", "sick")
SPLIT = "test"
TITLES = {
    "sts12": "STS12",
    "sts13": "STS13",
    "sts14": "STS14",
    "sts15": "STS15",
    "sts16": "STS16",
    "stsb": "STSb",
    "sick": "SICK-R",
    "average": "Avg",
}  # as the paper's Table 1 heads its columns

Rows = Sequence[dict]


@dataclass(frozen=True)
class SetScore:
    """One system on one set, in points. Without subsets the three Spearmans are one number."""

    all: float
    mean: float
    weighted_mean: float
    pearson: float
    n: int


def sets_here(profile: str | Profile | None = None) -> list[str]:
    """The sets to score. In mini and paper all seven, in real those that need no network."""
    scale = as_profile(profile)
    if not scale.partial:
        return list(SETS)
    found = [name for name in SETS if SPLIT in splits_here(get_corpus(name), scale.name)]
    if not found:
        raise DataError(
            "none of the seven STS sets is here: set SBERT_LAB_DATA to a folder with some of "
            "them, or fetch one (`sbert-lab data get stsb`)"
        )
    return found


def load_sets(profile: str | Profile | None = None) -> dict[str, Rows]:
    """The test split of every set that sets_here() names, in the order of Table 1."""
    scale = as_profile(profile)
    return {name: data.load(name, SPLIT, profile=scale) for name in sets_here(scale)}


def encode_once(encode: Encode, sets: Mapping[str, Rows]) -> Encode:
    """An encode that looks up: each different sentence of all the sets is encoded once, now."""
    sides = [column(rows, side) for rows in sets.values() for side in ("sentence1", "sentence2")]
    known = list(dict.fromkeys(sentence for side in sides for sentence in side))
    (vectors,) = embed(encode, known)
    place = {sentence: number for number, sentence in enumerate(known)}

    def look_up(sentences: list[str]) -> np.ndarray:
        return vectors[[place[sentence] for sentence in sentences]]

    return look_up


def predict_sets(
    encode: Encode, sets: Mapping[str, Rows], *, similarity: str = "cosine"
) -> dict[str, np.ndarray]:
    """The similarity of every pair of every set: set name -> (N,)."""
    return {name: similarities(encode, rows, similarity=similarity) for name, rows in sets.items()}


def score_set(rows: Rows, predicted: np.ndarray) -> SetScore:
    """All, mean and weighted mean of the subsets' Spearmans, and Pearson, of one set."""
    gold = column(rows, "score")
    both = correlations(gold, predicted)
    names = getattr(rows, "column_names", None) or list(rows[0])
    if "subset" not in names:
        only = both.spearman
        return SetScore(all=only, mean=only, weighted_mean=only, pearson=both.pearson, n=both.n)
    three = score_subsets(gold, predicted, column(rows, "subset"))
    return SetScore(
        all=three.all,
        mean=three.mean,
        weighted_mean=three.weighted_mean,
        pearson=both.pearson,
        n=both.n,
    )


def score_sets(
    sets: Mapping[str, Rows], predictions: Mapping[str, np.ndarray]
) -> dict[str, SetScore]:
    """score_set() for every set; an error names the set that cannot be scored."""
    missing = sorted(set(sets) - set(predictions))
    if missing:
        raise InputError(f"there are no predictions for {', '.join(missing)}")
    found = {}
    for name, rows in sets.items():
        try:
            found[name] = score_set(rows, predictions[name])
        except InputError as error:
            raise InputError(f"{name}: {error}") from error
    return found


def average(scores: Mapping[str, SetScore], which: str = "all") -> float:
    """The plain mean over the sets, as in Table 1's last column: a small set counts as a large."""
    if not scores:
        raise InputError("there are no scores to average")
    return float(np.mean([getattr(score, which) for score in scores.values()]))
