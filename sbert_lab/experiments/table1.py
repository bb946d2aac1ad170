"""Table 1: seven STS sets, no training on any of them. Spearman of the cosine, all pairs of a set.

Which row stands for which system of a claim is settled here, whatever comes out: the Universal
Sentence Encoder is the averaging net that saw questions and forum text beside NLI, as Google's did;
the word vectors are our own (in profile paper GloVe's, as in the paper).
"""

from collections.abc import Sequence
from functools import partial

import numpy as np

from sbert_lab.data.local import local_copy
from sbert_lab.experiments import lines
from sbert_lab.experiments.evaluation import sts_sets
from sbert_lab.experiments.evaluation.vectors import Encode
from sbert_lab.experiments.results import Outcome, Results, Row
from sbert_lab.experiments.systems import name_of
from sbert_lab.profiles import Profile, get_profile

TABLE = 1
DISTANCES = ("manhattan", "euclidean")  # beside the cosine, for C09

LINES = (
    *("word-vectors", "word-vectors-content", "subword-vectors", "glove", "glove-content"),
    *("raw-mean", "raw-cls", "raw-max", "raw-roberta", "mini-sbert"),
    *("infersent-nli", "use-nli", "use-nli-forum", "sbert-nli", "sroberta-nli"),
    *("random-weights", "sbert-nli-shuffled", "sbert-nli-random"),
    *("spacy-vectors", "use-v3", "minilm"),  # last: fetching them may fail
)
BESIDE = ("subword-vectors", "use-nli")  # not among the paper's rows here
MEAN, CLS, INFERSENT = (name_of(id) for id in ("raw-mean", "raw-cls", "infersent-nli"))
USE, SBERT, SROBERTA = (name_of(id) for id in ("use-nli-forum", "sbert-nli", "sroberta-nli"))


def rows(profile: Profile) -> list[Row]:
    """The systems of Table 1: untrained, trained, floors; what is not at hand is left out."""
    absent = set() if _glove_is_here(profile) else {"glove", "glove-content"}
    absent |= set() if profile.minilm else {"spacy-vectors", "use-v3", "minilm"}

    def score(id: str, system: object) -> Outcome:
        return outcome(system.encode, profile, distances=id == "sbert-nli")

    here = [id for id in LINES if id not in absent]
    return [lines.row(id, profile, partial(score, id), beside=id in BESIDE) for id in here]


def gold(profile: Profile) -> dict[str, np.ndarray]:
    """The people's scores, set by set."""
    sets = sts_sets.load_sets(profile)
    return {name: np.array(pairs["score"], dtype=np.float64) for name, pairs in sets.items()}


def data_seen(profile: Profile) -> str:
    """How much of each set was there, which sets were not, and how much NLI."""
    here = sts_sets.sets_here(profile)
    said = lines.data_seen(profile, [*((name, sts_sets.SPLIT) for name in here), ("nli", "train")])
    away = [name for name in sts_sets.SETS if name not in here]
    return "; ".join([said] + [f"not at hand: {', '.join(away)}"] * bool(away))


def claims(results: Results, *, samples: int = 1000) -> dict[str, dict[str, np.ndarray]]:
    """C05 to C09: bootstrapped differences in points, averaged over the sets.

    A claim whose rows or sets were not recorded is left out. (C10 needs no system.)
    """
    sets = [name for name in sts_sets.SETS if name in results.columns]
    words = name_of(get_profile(results.profile).claimed_words)
    words = words if results.exists(words) else name_of("word-vectors")
    draw = lines.spearmans(results, samples)

    def over(a: str, b: str | None, sets: Sequence[str] = sets, kind: str = "") -> np.ndarray:
        """The mean over the sets; each has a seed of its own, always the same."""
        gaps = []
        for name in sets:
            pairs = {"gold": name, "seed": sts_sets.SETS.index(name)}
            other = draw(b, name, **pairs) if b else 0
            gaps.append(draw(a, f"{name}{kind}", **pairs) - other)
        return np.mean(gaps, axis=0)

    found = lines.differences(results, _claimed(words), over)
    if "sick" in sets:
        part = {"C07": {"USE - SBERT on SICK-R": (USE, SBERT)}}
        found |= lines.differences(results, part, partial(over, sets=["sick"]))
    if "C09" in found:
        found["C09"] |= {
            f"{d.title()} - cosine": over(SBERT, SBERT, kind=f" {d}") for d in DISTANCES
        }
    return dict(sorted(found.items()))


def _claimed(words: str) -> lines.Parts:
    """The claims about the mean over the sets."""
    return {
        "C05": {
            "averaged word vectors - raw BERT MEAN": (words, MEAN),
            "raw BERT MEAN - raw BERT CLS": (MEAN, CLS),
        },
        "C06": {"SBERT - InferSent": (SBERT, INFERSENT), "SBERT - USE": (SBERT, USE)},
        "C08": {"SBERT above chance": (SBERT, None), "SRoBERTa - SBERT": (SROBERTA, SBERT)},
        "C09": {"cosine above chance": (SBERT, None)},
    }


def outcome(encode: Encode, profile: Profile, *, distances: bool = False) -> Outcome:
    """One system on all sets: Spearman "all" per set and their average.

    Predictions: the cosines under each set's name; with `distances` also "<set> manhattan" and
    "<set> euclidean". Scores are taken from them as they are kept (float32), so whoever computes
    them again gets the same. The other ways to say a score are in `info`.
    """
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


def _glove_is_here(profile: Profile) -> bool:
    root = None if profile.own_data else local_copy()
    return bool(root) and any((root / "glove").glob("glove.*.txt*"))
