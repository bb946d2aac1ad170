"""Semantic textual similarity: how well do similarities rank pairs as people do? (Tables 1, 2)

`spearman` and `pearson` are the plain correlations, from -1 to 1. Whatever scores a system
(`score_pairs`, `correlations`, `score_subsets`, `bootstrap_difference`) is in points: times 100.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import torch
from scipy import stats

from sbert_lab.errors import InputError
from sbert_lab.experiments.evaluation.resampling import draw_counts
from sbert_lab.experiments.evaluation.vectors import Encode, column, embed
from sbert_lab.similarity import pairwise

FEWEST = 3  # with two rows every correlation is -1, 1 or undefined


@dataclass(frozen=True)
class Correlations:
    """Both correlations in points (times 100), and of how many pairs."""

    spearman: float
    pearson: float
    n: int

    def __str__(self) -> str:
        return f"Spearman {self.spearman:.2f}, Pearson {self.pearson:.2f} ({self.n:,} pairs)"


@dataclass(frozen=True)
class SubsetScores:
    """One year of STS, three ways to say its Spearman (points): they are different numbers.

    `all` puts all pairs into one list, as the paper does; `mean` averages the subsets' own
    correlations, `weighted_mean` weighs them by their pairs, as SentEval does.
    """

    all: float
    mean: float
    weighted_mean: float
    subsets: dict[str, Correlations]


def spearman(gold: Sequence[float], predicted: Sequence[float]) -> float:
    """Spearman's rank correlation, from -1 to 1; equal values share their mean rank."""
    gold, predicted = _checked(gold, predicted)
    return _correlate(stats.rankdata(gold), stats.rankdata(predicted))


def pearson(gold: Sequence[float], predicted: Sequence[float]) -> float:
    """Pearson's linear correlation, from -1 to 1."""
    return _correlate(*_checked(gold, predicted))


def area_under_curve(gold: Sequence[float], predicted: Sequence[float]) -> float:
    """How often a pair of score 1 is ranked above one of score 0, ties half: from 0 to 1."""
    gold, predicted = _checked(gold, predicted)
    ones = int(gold.sum())
    above = stats.rankdata(predicted)[gold == 1].sum() - ones * (ones + 1) / 2
    return float(above / (ones * (len(gold) - ones)))


def correlations(gold: Sequence[float], predicted: Sequence[float]) -> Correlations:
    """Both correlations in points: for scores that come from elsewhere, such as a cross-encoder."""
    return Correlations(
        spearman=100 * spearman(gold, predicted),
        pearson=100 * pearson(gold, predicted),
        n=len(gold),
    )


def similarities(encode: Encode, rows: Sequence[dict], *, similarity: str = "cosine") -> np.ndarray:
    """The similarity of each row's two sentences: (N,). 'cosine', 'euclidean' or 'manhattan'.

    Rounded to twelve decimals, so that identical sentences tie instead of being ranked by noise.
    """
    u, v = embed(encode, column(rows, "sentence1"), column(rows, "sentence2"))
    values = pairwise(similarity, torch.from_numpy(u), torch.from_numpy(v)).numpy()
    return np.round(values, 12)


def score_pairs(
    encode: Encode, rows: Sequence[dict], *, similarity: str = "cosine"
) -> Correlations:
    """Compare similarities with the gold scores of rows with sentence1, sentence2 and score."""
    predicted = similarities(encode, rows, similarity=similarity)
    return correlations(column(rows, "score"), predicted)


def score_subsets(
    gold: Sequence[float], predicted: Sequence[float], subsets: Sequence[str]
) -> SubsetScores:
    """The three scores of a set that consists of named subsets (STS12 to STS16)."""
    gold, predicted = _checked(gold, predicted)
    names = np.asarray(subsets)
    if len(names) != len(gold):
        raise InputError(f"{len(gold)} pairs but {len(names)} subset names")
    parts = {}
    for name in dict.fromkeys(names.tolist()):
        here = names == name
        try:
            parts[name] = correlations(gold[here], predicted[here])
        except InputError as error:
            raise InputError(f"subset {name!r}: {error}") from error
    values = [part.spearman for part in parts.values()]
    return SubsetScores(
        all=100 * spearman(gold, predicted),
        mean=float(np.mean(values)),
        weighted_mean=float(np.average(values, weights=[part.n for part in parts.values()])),
        subsets=parts,
    )


def bootstrap_difference(
    gold: Sequence[float],
    scores_a: np.ndarray,
    scores_b: np.ndarray,
    *,
    samples: int = 1000,
    seed: int = 0,
) -> np.ndarray:
    """Spearman of a minus Spearman of b (points) on resampled pairs: (samples,).

    Both systems see the same pairs each time, so what is hard for both cancels out. A system with
    several seeds comes as (seeds, N): its Spearmans are averaged. For a mean over several sets,
    average the arrays that you get per set, each with its own seed.
    """
    return bootstrap(gold, scores_a, scores_b, samples=samples, seed=seed)


def bootstrap_spearman(
    gold: Sequence[float], scores: np.ndarray, *, samples: int = 1000, seed: int = 0
) -> np.ndarray:
    """Spearman of one system (points) on resampled pairs: (samples,). Is it above chance at all?"""
    return bootstrap(gold, scores, samples=samples, seed=seed)


def bootstrap(
    gold: Sequence[float], *systems: np.ndarray, samples: int = 1000, seed: int = 0
) -> np.ndarray:
    """The first system's Spearman, minus the second's if there is one, per resample: (samples,)."""
    kept: list[float] = []
    for turn in range(20):  # more than one turn only if resamples came out constant
        more = {"samples": samples, "seed": seed + 1000 * turn}
        first, *others = [bootstrap_runs(gold, one, **more).mean(axis=0) for one in systems]
        values = first - others[0] if others else first
        kept.extend(values[np.isfinite(values)].tolist())
        if len(kept) >= samples:
            return np.array(kept[:samples])
    raise InputError(f"{_too_few(gold)}: use more pairs")


def bootstrap_runs(
    gold: Sequence[float],
    scores: np.ndarray,
    *,
    groups: np.ndarray | None = None,
    samples: int = 1000,
    seed: int = 0,
) -> np.ndarray:
    """Spearman (points) of each run of a system on resampled pairs: (N,) or (seeds, N) -> (seeds,
    samples). nan where a side came out constant. `groups` as in draw_counts()."""
    runs = _runs(gold, scores)
    blocks = []
    for counts in draw_counts(len(gold), groups=groups, samples=samples, seed=seed):
        people = counts * standard_ranks(gold, counts)
        blocks.append([(people * standard_ranks(run, counts)).sum(axis=1) for run in runs])
    return 100 * np.concatenate(blocks, axis=1)


def bootstrap_systems(
    gold: Sequence[float], systems: Mapping[str, np.ndarray], *, samples: int = 1000, seed: int = 0
) -> dict[str, np.ndarray]:
    """Spearman (points) of several systems on ONE series of resampled pairs: name -> (samples,).

    Row i of every result belongs to the same pairs, so any sum or difference of them is paired: a
    difference of differences too. A system is (N,) or (seeds, N); its seeds are averaged. The
    picks are those of bootstrap_difference with the same seed.
    """
    given = {"samples": samples, "seed": seed}
    drawn = {n: bootstrap_runs(gold, one, **given).mean(axis=0) for n, one in systems.items()}
    if not all(np.isfinite(values).all() for values in drawn.values()):
        raise InputError(f"{_too_few(gold)}: use more")
    return drawn


def interval(differences: np.ndarray, level: float = 0.95) -> tuple[float, float]:
    """The middle 95 % of bootstrapped values: lower and upper end."""
    outside = (1 - level) / 2
    low, high = np.quantile(np.asarray(differences, dtype=float), [outside, 1 - outside])
    return float(low), float(high)


def _runs(gold: Sequence[float], scores: np.ndarray) -> list[np.ndarray]:
    """One system's scores as a list of runs (seeds), each checked against the gold scores."""
    try:
        runs = np.atleast_2d(np.asarray(scores, dtype=float))
    except (TypeError, ValueError) as error:
        raise InputError(f"the predicted scores are not all numbers: {error}") from error
    if not runs.size:
        raise InputError("there are no predicted scores: one number per pair is needed")
    return [_checked(gold, run)[1] for run in runs]


def _too_few(gold: np.ndarray) -> str:
    return f"too few different values among the {len(gold)} pairs to resample them"


def standard_ranks(values: np.ndarray, counts: np.ndarray) -> np.ndarray:
    """Ranks of values (N,) of which each counts so often (samples, N), centred and of length 1.

    With them the counts' weighted sum of products is Spearman's correlation: nothing is sorted
    again for a resample. nan where all that counts is equal.
    """
    names, level = np.unique(values, return_inverse=True)
    order = np.argsort(level, kind="stable")
    starts = np.searchsorted(level[order], np.arange(len(names)))
    sizes = np.add.reduceat(counts[:, order], starts, axis=1)  # (samples, different values)
    middle = np.cumsum(sizes, axis=1) - sizes / 2 - sizes.sum(axis=1, keepdims=True) / 2
    ranks = middle[:, level]
    lengths = np.sqrt((counts * ranks**2).sum(axis=1, keepdims=True))
    return np.divide(ranks, lengths, out=np.full_like(ranks, np.nan), where=lengths > 0)


def _correlate(a: np.ndarray, b: np.ndarray) -> float:
    return float(np.clip(_direction(a) @ _direction(b), -1, 1))


def _direction(values: np.ndarray) -> np.ndarray:
    """Centred, of length 1. A power of 2 first: the squares of 1e-200 would be 0, of 1e200 inf."""
    values = np.ldexp(values, -np.frexp(np.abs(values).max())[1])
    values = values - values.mean()
    return values / np.linalg.norm(values)


def _checked(gold: Sequence[float], predicted: Sequence[float]) -> tuple[np.ndarray, np.ndarray]:
    """Both as float arrays, or an error that says why no correlation exists."""
    pair = []
    for name, values in (("gold scores", gold), ("predicted scores", predicted)):
        try:
            array = np.asarray(values, dtype=np.float64)
        except (TypeError, ValueError) as error:
            raise InputError(f"the {name} are not all numbers: {error}") from error
        if array.ndim != 1:
            raise InputError(f"the {name} have shape {array.shape}: expected one number per pair")
        pair.append((name, array))
    (_, first), (_, second) = pair
    if len(first) != len(second):
        raise InputError(f"{len(first)} gold scores but {len(second)} predicted ones")
    if len(first) < FEWEST:
        raise InputError(f"{len(first)} pairs are too few for a correlation: at least {FEWEST}")
    for name, array in pair:
        if not np.isfinite(array).all():
            bad = int(np.flatnonzero(~np.isfinite(array))[0])
            raise InputError(f"the {name} have {array[bad]} at position {bad}: look for its cause")
        with np.errstate(over="ignore"):
            constant = np.ptp(array) <= 1e-12 * np.abs(array).max()
        if constant:
            raise InputError(
                f"the {name} are all equal ({array[0]:g}): a constant has no ranking and no "
                "correlation with anything"
            )
    return first, second
