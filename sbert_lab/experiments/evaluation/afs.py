"""Argument facets: which pairs may be trained on, which are tested, and the score (Table 3).

Rows are pairs with sentence1, sentence2, score and topic. A split is a list of folds; each fold
names the rows that a system learns from and those it is asked about.

    folds = random_folds(rows, 10)
    predicted = out_of_fold(rows, folds, fit_and_predict)
    print(score_topics(gold, predicted, topics))
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from sbert_lab.errors import InputError
from sbert_lab.experiments.evaluation import sts
from sbert_lab.experiments.evaluation.resampling import over_seeds
from sbert_lab.experiments.evaluation.vectors import column, connect

Ask = Callable[[list[dict], list[dict]], np.ndarray]


def texts(rows: Sequence[dict]) -> tuple[list[str], list[str]]:
    """The first and the second sentences."""
    return column(rows, "sentence1"), column(rows, "sentence2")


def scores(rows: Sequence[dict]) -> list[float]:
    return column(rows, "score")


@dataclass(frozen=True)
class Fold:
    """Row numbers to learn from and to be tested on. Rows may be in neither."""

    train: np.ndarray
    test: np.ndarray


@dataclass(frozen=True)
class Leak:
    """How many of the tested pairs have no, one or both sentences in the fold's training pairs."""

    none: int
    one: int
    both: int

    @property
    def pairs(self) -> int:
        return self.none + self.one + self.both

    def __add__(self, other: "Leak") -> "Leak":
        return Leak(self.none + other.none, self.one + other.one, self.both + other.both)


@dataclass(frozen=True)
class TopicScores:
    """In points: the mean over topics, and each topic's own correlations.

    `auc`, the area under the ROC curve, is there where all scores are 0 or 1; chance is 50.
    """

    spearman: float
    pearson: float
    topics: dict[str, sts.Correlations]
    auc: float | None = None

    def __str__(self) -> str:
        count = sum(one.n for one in self.topics.values())
        return (
            f"Spearman {self.spearman:.2f}, Pearson {self.pearson:.2f} "
            f"(mean of {len(self.topics)} topics, {count:,} pairs)"
        )


# ---- splits


def random_folds(rows: Sequence[dict], folds: int, *, seed: int = 0) -> list[Fold]:
    """The usual cross-validation: pairs are shuffled and dealt out."""
    _need_folds(folds, len(rows), "pairs")
    order = np.random.default_rng(seed).permutation(len(rows))
    fold_of = np.empty(len(rows), dtype=int)
    fold_of[order] = np.arange(len(rows)) % folds
    return _by_number(fold_of)


def topic_folds(rows: Sequence[dict], folds: int | None = None) -> list[Fold]:
    """Cross-topic: test on topics of which no pair was trained on.

    Without `folds` each topic is tested alone, as in the paper; with many topics they are dealt
    into that many groups, in alphabetical order.
    """
    names = column(rows, "topic")
    topics = sorted(set(names))
    folds = len(topics) if folds is None else folds
    _need_folds(folds, len(topics), "topics")
    group = {topic: number % folds for number, topic in enumerate(topics)}
    return _by_number(np.array([group[name] for name in names]))


def component_folds(rows: Sequence[dict], folds: int) -> list[Fold]:
    """No sentence on both sides: pairs that hang together by sentences stay together.

    The largest component goes first, each into the fold with the fewest pairs so far.
    """
    part_of = components(rows)
    sizes = np.bincount(part_of)
    _need_folds(folds, len(sizes), "connected components")
    filled, fold_of_part = np.zeros(folds, dtype=int), np.empty(len(sizes), dtype=int)
    for part in np.argsort(-sizes, kind="stable"):
        fold_of_part[part] = filled.argmin()
        filled[fold_of_part[part]] += sizes[part]
    return _by_number(fold_of_part[part_of])


def sentence_folds(rows: Sequence[dict], folds: int, *, seed: int = 0) -> list[Fold]:
    """Deal out sentences, topic by topic. Tested are pairs of two sentences of the fold.

    Trained on are the pairs with no sentence of the fold. Pairs with one foot on each side are in
    neither: the price for keeping the topics and forbidding the leak.
    """
    first, second, _ = sentence_numbers(rows)
    fold_of = np.empty(max(first.max(), second.max()) + 1, dtype=int)
    names, rng = np.array(column(rows, "topic")), np.random.default_rng(seed)
    for topic in sorted(set(names.tolist())):
        mine = np.union1d(first[names == topic], second[names == topic])
        _need_folds(folds, len(mine) // 2, f"pairs of sentences of {topic!r}")
        fold_of[rng.permutation(mine)] = np.arange(len(mine)) % folds
    left, right = fold_of[first], fold_of[second]
    result = []
    for number in range(folds):
        inside = np.flatnonzero((left == number) & (right == number))
        result.append(Fold(np.flatnonzero((left != number) & (right != number)), inside))
    return _checked(result)


def seen_folds(rows: Sequence[dict], folds: Sequence[Fold], *, seed: int = 0) -> list[Fold]:
    """The control: the same tested pairs and as many training pairs, drawn from all the others.

    Whatever a system gains over `folds` it owes to sentences that it has seen, not to more pairs.
    """
    rng = np.random.default_rng(seed)
    result = []
    for fold in folds:
        others = np.setdiff1d(np.arange(len(rows)), fold.test)
        chosen = rng.choice(others, size=len(fold.train), replace=False)
        result.append(Fold(np.sort(chosen), fold.test))
    return result


def components(rows: Sequence[dict]) -> np.ndarray:
    """The connected component of each pair: (N,), numbered from 0 as they appear.

    Two pairs that share a sentence are connected, and so is all that is connected to either.
    """
    first, second, _ = sentence_numbers(rows)
    group_of = connect(zip(first, second, strict=True))
    return np.array([group_of[sentence] for sentence in first])


def leak(rows: Sequence[dict], fold: Fold) -> Leak:
    """How many tested pairs have sentences that stand in a training pair of the fold."""
    first, second, count = sentence_numbers(rows)
    known = np.zeros(count, dtype=bool)
    known[first[fold.train]] = known[second[fold.train]] = True
    seen = known[first[fold.test]].astype(int) + known[second[fold.test]]
    return Leak(*(int((seen == number).sum()) for number in range(3)))


def total_leak(rows: Sequence[dict], folds: Sequence[Fold]) -> Leak:
    """The leaks of all folds together."""
    return sum((leak(rows, fold) for fold in folds), Leak(0, 0, 0))


# ---- asking and scoring


def out_of_fold(rows: Sequence[dict], folds: Sequence[Fold], ask: Ask) -> np.ndarray:
    """A prediction for each tested row, in the order of `tested(folds)`: (tested rows,).

    `ask(training rows, tested rows)` learns from the first and gives a score for each of the
    second. It never gets to see the gold scores that it is asked for.
    """
    rows = [dict(row) for row in rows]
    values = np.full(len(rows), np.nan)
    for number, fold in enumerate(folds):
        hidden = [{k: v for k, v in rows[i].items() if k != "score"} for i in fold.test]
        answer = np.asarray(ask([rows[i] for i in fold.train], hidden), dtype=float)
        if answer.shape != (len(fold.test),) or not np.isfinite(answer).all():
            raise InputError(
                f"fold {number}: needed are {len(fold.test)} finite scores, but the answer has "
                f"shape {answer.shape}, {int((~np.isfinite(answer)).sum())} of it not finite"
            )
        values[fold.test] = answer
    return values[tested(folds)]


def tested(folds: Sequence[Fold]) -> np.ndarray:
    """The numbers of the rows that some fold tests, ascending."""
    return np.sort(np.concatenate([fold.test for fold in folds]))


def score_topics(
    gold: Sequence[float], predicted: Sequence[float], topics: Sequence[str]
) -> TopicScores:
    """Both correlations within each topic, then their mean, as the paper reports cross-topic."""
    by_topic = sts.score_subsets(gold, predicted, topics).subsets
    gold, predicted, topics = map(np.asarray, (gold, predicted, topics))
    auc = None
    if set(gold.tolist()) == {0, 1}:
        places = [topics == topic for topic in by_topic]
        areas = [sts.area_under_curve(gold[here], predicted[here]) for here in places]
        auc = 100 * float(np.mean(areas))
    return TopicScores(
        auc=auc,
        spearman=float(np.mean([one.spearman for one in by_topic.values()])),
        pearson=float(np.mean([one.pearson for one in by_topic.values()])),
        topics=by_topic,
    )


def bootstrap_topics(
    gold: np.ndarray,
    scores: np.ndarray,
    *,
    topics: np.ndarray,
    sentences: np.ndarray,
    samples: int = 1000,
) -> np.ndarray:
    """The mean over topics of Spearman (points): (seeds, N) -> (samples,), differences are paired.

    Resampled are the sentences (2, N) within topics, because pairs share them, and the seeds. A
    topic of which a resample has one score only is left out of its mean.
    """
    gold, topics, runs = np.asarray(gold), np.asarray(topics), np.atleast_2d(scores)
    parts = []
    for number, topic in enumerate(np.unique(topics)):
        here = topics == topic
        given = {"groups": sentences[:, here], "samples": samples, "seed": number}
        parts.append(sts.bootstrap_runs(gold[here], runs[:, here], **given))
    return over_seeds(np.nanmean(parts, axis=0))


def sentence_numbers(rows: Sequence[dict]) -> tuple[np.ndarray, np.ndarray, int]:
    """Each sentence as a number, the same text the same number: (N,), (N,), how many."""
    first, second = column(rows, "sentence1"), column(rows, "sentence2")
    if not first:
        raise InputError("there are no pairs to split: the list is empty")
    number = {text: i for i, text in enumerate(dict.fromkeys([*first, *second]))}
    return np.array([number[s] for s in first]), np.array([number[s] for s in second]), len(number)


# ---- helpers


def _by_number(fold_of: np.ndarray) -> list[Fold]:
    folds = range(int(fold_of.max()) + 1)
    return _checked(
        [Fold(np.flatnonzero(fold_of != f), np.flatnonzero(fold_of == f)) for f in folds]
    )


def _checked(folds: list[Fold]) -> list[Fold]:
    for number, fold in enumerate(folds):
        if not len(fold.train) or not len(fold.test):
            raise InputError(
                f"fold {number} has {len(fold.train)} pairs to learn from and {len(fold.test)} to "
                "test: use fewer folds or more pairs"
            )
    return folds


def _need_folds(folds: int, things: int, what: str) -> None:
    if not isinstance(folds, (int, np.integer)) or folds < 2:
        raise InputError(f"folds must be a whole number of at least 2, got {folds!r}")
    if folds > things:
        raise InputError(f"{folds} folds but only {things} {what}: use fewer folds")
