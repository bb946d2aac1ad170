"""Duplicate questions: how well a cosine finds them, among labelled pairs and among all pairs."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from sbert_lab.errors import InputError
from sbert_lab.experiments.evaluation.vectors import connect, finite_numbers
from sbert_lab.search import top_k
from sbert_lab.search.blocks import BLOCK, checked_units, upper_triangle


@dataclass(frozen=True, kw_only=True)
class Questions:
    """A collection of questions (each once) and the pairs that people labelled."""

    texts: list[str]
    left: np.ndarray  # (P,) row of the first question
    right: np.ndarray  # (P,) row of the second
    labels: np.ndarray  # (P,) 1: duplicates
    groups: np.ndarray  # (N,) equal for questions that chains of duplicates connect

    @property
    def gold_pairs(self) -> int:
        """How many pairs of the whole collection lie within a group."""
        sizes = np.unique(self.groups, return_counts=True)[1]
        return int((sizes * (sizes - 1) // 2).sum())


def collect(rows) -> Questions:
    """Questions of pairs (columns sentence1, sentence2, label), in order of appearance."""
    first, second = list(rows["sentence1"]), list(rows["sentence2"])
    labels = np.asarray(rows["label"])
    if not len(labels) or not set(np.unique(labels)) <= {0, 1}:
        raise InputError(f"labels should be 0 or 1, got {sorted(set(labels.tolist()))[:5]}")
    group_of = connect(zip(first, second, strict=True), (labels == 1).tolist())
    place = {text: number for number, text in enumerate(group_of)}
    left, right = (np.array([place[text] for text in side]) for side in (first, second))
    groups = np.array(list(group_of.values()))
    return Questions(texts=list(group_of), left=left, right=right, labels=labels, groups=groups)


def precision_recall(cosines, labels, threshold: float) -> tuple[float, float, float]:
    """Precision, recall and F1 (0 to 1) of calling every pair from this cosine on a duplicate.

    With nothing called a duplicate all three are 0.
    """
    called = finite_numbers(cosines, "cosines") >= threshold
    true = finite_numbers(labels, "labels") == 1
    if called.shape != true.shape or not true.any():
        raise InputError(f"{called.shape} cosines, {true.shape} labels, {true.sum()} duplicates")
    hits = int((called & true).sum())
    if not hits:
        return 0.0, 0.0, 0.0
    precision, recall = hits / int(called.sum()), hits / int(true.sum())
    return precision, recall, 2 * precision * recall / (precision + recall)


def best_threshold(cosines, labels) -> float:
    """The cosine from which on calling pairs duplicates gives the best F1: (P,), (P,) -> float."""
    cosines = finite_numbers(cosines, "cosines")
    true = finite_numbers(labels, "labels") == 1
    if cosines.shape != true.shape or not true.any():
        raise InputError(f"{cosines.shape} cosines, {true.shape} labels, {true.sum()} duplicates")
    order = np.argsort(-cosines, kind="stable")
    hits, called = np.cumsum(true[order]), np.arange(1, len(order) + 1)
    last = np.append(np.diff(cosines[order]) != 0, True)  # equal cosines are called together
    scores = np.where(last, 2 * hits / (called + true.sum()), -1)
    return float(cosines[order][scores.argmax()])


def hit_rates(vectors, groups, ks: Sequence[int] = (1, 10, 100)) -> dict[int, float]:
    """Of the questions that have a duplicate, the share (per cent) with one among the k nearest."""
    groups = np.asarray(groups)
    sizes = np.bincount(groups)
    asked = np.flatnonzero(sizes[groups] > 1)
    if not len(asked):
        raise InputError("no question has a duplicate: nothing to find")
    rows = top_k(vectors, vectors, k=max(ks), skip_self=True)[1][asked]
    found = groups[rows] == groups[asked][:, None]  # (asked, k)
    return {k: float(100 * found[:, :k].any(axis=1).mean()) for k in ks}


def among_all_pairs(vectors, groups, thresholds: Sequence[float]) -> tuple[np.ndarray, np.ndarray]:
    """Precision and recall (0 to 1) for each threshold if all pairs may be called.

    Gold are the pairs within a group. Where no pair is called the precision is NaN.
    """
    groups, thresholds = np.asarray(groups), np.asarray(thresholds, dtype=np.float64)
    called, hits, gold = np.zeros(len(thresholds)), np.zeros(len(thresholds)), 0
    for start, offset, cosines in upper_triangle(vectors, BLOCK):
        values = cosines.numpy()
        same = (
            groups[start : start + len(values), None] == groups[offset : offset + values.shape[1]]
        )
        same &= np.isfinite(values)
        mine = np.sort(values[same])
        gold += len(mine)
        hits += len(mine) - np.searchsorted(mine, thresholds)
        called += [np.count_nonzero(values >= one) for one in thresholds]
    if not gold:
        raise InputError("no question has a duplicate: nothing to find")
    precision = np.divide(hits, called, out=np.full(len(hits), np.nan), where=called > 0)
    return precision, hits / gold


def report(vectors, questions: Questions) -> dict[str, float]:
    """Everything for one table row, in per cent: labelled pairs, all pairs, nearest questions.

    The threshold is chosen on the first half of the labelled pairs and scored on the second; the
    same threshold is then let loose on all pairs of the collection.
    """
    units = checked_units(vectors)
    cosines = (units[questions.left] * units[questions.right]).sum(axis=1)
    half = len(cosines) // 2
    threshold = best_threshold(cosines[:half], questions.labels[:half])
    labelled = precision_recall(cosines[half:], questions.labels[half:], threshold)
    everywhere = among_all_pairs(units, questions.groups, [threshold])
    hits = hit_rates(units, questions.groups, ks=(1, 10))
    return {
        "threshold": threshold,
        "labelled precision": 100 * labelled[0],
        "labelled recall": 100 * labelled[1],
        "all-pairs precision": 100 * float(everywhere[0][0]),
        "all-pairs recall": 100 * float(everywhere[1][0]),
        "found at 1": hits[1],
        "found in 10": hits[10],
    }
