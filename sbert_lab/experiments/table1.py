"""Table 1: seven STS sets, no training on any of them. Spearman of the cosine, all pairs of a set.

Which row stands for which system of a claim is settled here, whatever comes out: "USE" is the
averaging net that saw questions and forum text beside NLI, as Google's did; "word vectors" are our
own, from the text that the backbone was pretrained on (in profile paper GloVe, as in the paper).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from sbert_lab.experiments import minilm
from sbert_lab.experiments.evaluation import sts_sets
from sbert_lab.experiments.evaluation.resampling import bootstrap_systems
from sbert_lab.experiments.evaluation.vectors import Encode
from sbert_lab.experiments.table1_systems import (
    CLS,
    GLOVE,
    MEAN,
    WORDS,
    System,
    from_zoo,
    random_weights,
    untrained,
)

if TYPE_CHECKING:
    from sbert_lab.experiments.results import Outcome, Results, Row
    from sbert_lab.profiles import Profile

TABLE = 1
DISTANCES = ("manhattan", "euclidean")  # beside the cosine, for C09

INFERSENT, USE = "InferSent", "USE"
SBERT, SROBERTA = "SBERT-NLI", "SRoBERTa-NLI"

# Our name, the zoo's, the paper's, kind, what it is. Trained with profile.seeds seeds.
TRAINED = (
    (INFERSENT, "infersent-nli", "InferSent - GloVe", "system", "BiLSTM, max over time; NLI"),
    ("USE, NLI only", "use-nli", None, "extra", "averaging net; NLI and nothing else"),
    (
        USE,
        "use-nli-forum",
        "Universal Sentence Encoder",
        "system",
        "averaging net; questions and forum arguments first, then NLI",
    ),
    (SBERT, "sbert-nli", "SBERT-NLI-base", "system", "BERT backbone, MEAN; NLI softmax"),
    (SROBERTA, "sroberta-nli", "SRoBERTa-NLI-base", "system", "RoBERTa backbone, MEAN; NLI"),
)
# Trained floors, one seed each.
FLOORS = (
    ("SBERT-NLI, shuffled labels", "sbert-nli-shuffled", "as SBERT-NLI, NLI labels shuffled"),
    ("SBERT-NLI, random start", "sbert-nli-random", "as SBERT-NLI, but from random weights"),
)


def rows(profile: Profile) -> list[Row]:
    """The systems of Table 1: untrained, trained, floors; what is not at hand is left out."""
    from sbert_lab.experiments.results import Row

    def row(name: str, system: System, note: str, **given) -> Row:
        def run(seed: int) -> Outcome:
            return outcome(system(profile, seed), profile, distances=name == SBERT)

        return Row(name=name, run=run, note=note, **given)

    found = [row(*one[:3], kind=one[3], paper=one[4]) for one in untrained(profile)]
    for name, system, in_paper, kind, note in TRAINED:
        trained = {"seeds": profile.seeds, "paper": in_paper, "kind": kind}
        found.append(row(name, from_zoo(system), note, **trained))
    found.append(
        row("random weights", random_weights, "untrained network, MEAN pooling", kind="floor")
    )
    for name, system, note in FLOORS:
        found.append(row(name, from_zoo(system), note, kind="floor"))
    if profile.name == "real" or minilm.is_here():  # last: fetching it may fail
        system = lambda p, seed: minilm.load(p, seed).encode  # noqa: E731
        found.append(row(minilm.NAME, system, minilm.NOTE, kind="extra"))
    return found


def gold(profile: Profile) -> dict[str, np.ndarray]:
    """The people's scores, set by set."""
    sets = sts_sets.load_sets(profile)
    return {name: np.array(pairs["score"], dtype=np.float64) for name, pairs in sets.items()}


def data_seen(profile: Profile) -> str:
    """How much of each set was there, which sets were not, and how much NLI."""
    from sbert_lab import data

    here = sts_sets.sets_here(profile)
    parts = [(name, sts_sets.SPLIT) for name in here] + [("nli", "train")]
    said = [f"{n} {s}: {data.coverage(n, s, profile=profile)}" for n, s in parts]
    away = [name for name in sts_sets.SETS if name not in here]
    return "; ".join(said + [f"not at hand: {', '.join(away)}"] * bool(away))


def claims(results: Results, *, samples: int = 1000) -> dict[str, dict[str, np.ndarray]]:
    """C05 to C09: bootstrapped differences in points, averaged over the sets, seeds averaged.

    A claim whose rows or sets were not recorded is left out. (C10 needs no system.)
    """
    sets = [name for name in sts_sets.SETS if name in results.columns]
    words = GLOVE if results.profile == "paper" and results.exists(GLOVE) else WORDS
    needed = (words, MEAN, CLS, INFERSENT, USE, SBERT, SROBERTA)
    rows_there = [row for row in needed if results.exists(row)]
    by_set = {name: _draw(results, name, rows_there, samples) for name in sets}
    over = {key: np.mean([by_set[s][key] for s in sets], axis=0) for key in by_set[sets[0]]}

    found: dict[str, dict[str, np.ndarray]] = {}
    if {words, MEAN, CLS} <= set(rows_there):
        found["C05"] = {
            "word vectors - raw MEAN": over[words] - over[MEAN],
            "raw MEAN - raw CLS": over[MEAN] - over[CLS],
        }
    if {SBERT, INFERSENT, USE} <= set(rows_there):
        found["C06"] = {
            "SBERT - InferSent": over[SBERT] - over[INFERSENT],
            "SBERT - USE": over[SBERT] - over[USE],
        }
    if {SBERT, USE} <= set(rows_there) and "sick" in sets:
        found["C07"] = {"USE - SBERT on SICK-R": by_set["sick"][USE] - by_set["sick"][SBERT]}
    if {SBERT, SROBERTA} <= set(rows_there):
        found["C08"] = {
            "SBERT above chance": over[SBERT],
            "SRoBERTa - SBERT": over[SROBERTA] - over[SBERT],
        }
    if SBERT in rows_there:
        found["C09"] = {
            "cosine above chance": over[SBERT],
            "Manhattan - cosine": over["manhattan"] - over[SBERT],
            "Euclidean - cosine": over["euclidean"] - over[SBERT],
        }
    return found


def _draw(results: Results, name: str, there: list[str], samples: int) -> dict[str, np.ndarray]:
    """Bootstrapped Spearmans of the rows on one set, and of SBERT's distances: all paired.

    Each set has a seed of its own, always the same.
    """
    systems = {row: results.predictions(row, name) for row in there}
    if SBERT in there:
        systems |= {other: results.predictions(SBERT, f"{name} {other}") for other in DISTANCES}
    seed = sts_sets.SETS.index(name)
    return bootstrap_systems(results.gold(name), systems, samples=samples, seed=seed)


def outcome(encode: Encode, profile: Profile, *, distances: bool = False) -> Outcome:
    """One system on all sets: Spearman "all" per set and their average.

    Predictions: the cosines under each set's name; with `distances` also "<set> manhattan" and
    "<set> euclidean". Scores are taken from them as they are kept (float32), so whoever computes
    them again gets the same. The other ways to say a score are in `info`.
    """
    from sbert_lab.experiments.results import Outcome

    sets = sts_sets.load_sets(profile)
    encode = sts_sets.encode_once(encode, sets)
    predictions = _kept(sts_sets.predict_sets(encode, sets))
    found = sts_sets.score_sets(sets, predictions)
    scores = {name: score.all for name, score in found.items()}
    info = {
        which: {name: round(getattr(score, which), 4) for name, score in found.items()}
        for which in ("mean", "weighted_mean", "pearson")
    }
    for other in DISTANCES if distances else ():
        measured = _kept(sts_sets.predict_sets(encode, sets, similarity=other))
        spearmans = sts_sets.score_sets(sets, measured)
        info[other] = {name: round(score.all, 4) for name, score in spearmans.items()}
        predictions |= {f"{name} {other}": values for name, values in measured.items()}
    return Outcome(
        scores={**scores, "average": sts_sets.average(found)}, predictions=predictions, info=info
    )


def _kept(predictions: dict[str, np.ndarray]) -> dict[str, np.ndarray]:
    return {name: values.astype(np.float32) for name, values in predictions.items()}
