"""Finding a question's duplicate in a collection: the task of notebook 16.

Questions that people called duplicates of each other form a group (a connected component). Whole
groups go to training or to the test, so that no test question has a twin among the training pairs.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from sbert_lab.errors import InputError
from sbert_lab.experiments.evaluation.vectors import connect, finite_numbers


@dataclass(frozen=True)
class Collection:
    """Test: `queries` look for their duplicates among `questions`; `relevant[q]` are their rows."""

    questions: list[str]
    queries: list[str]
    relevant: list[set[int]]


@dataclass(frozen=True)
class QuestionSplit:
    """Training pairs (sentence1, sentence2, label) and the test collection, no group in both."""

    train: list[dict]
    test: Collection


def split_questions(
    rows: Sequence[dict], *, queries: int = 150, collection: int = 1000, seed: int = 1
) -> QuestionSplit:
    """Cut pairs of questions into a training part and a test collection.

    Each test query is one question of a group; the rest of its group is in the collection, which is
    filled up with other test questions.
    """
    pairs = [(row["sentence1"], row["sentence2"]) for row in rows]
    groups = connect(pairs, [row["label"] == 1 for row in rows])
    members: dict[int, list[str]] = {}
    for question, group in groups.items():
        members.setdefault(group, []).append(question)
    several = [group for group, texts in members.items() if len(texts) > 1]
    rng = np.random.default_rng(seed)
    order = rng.permutation(len(several))
    if len(several) < 2 * queries:
        raise InputError(f"{len(several)} groups of duplicates are too few for {queries} queries")
    tested = {several[i] for i in order[:queries]}
    asked = [sorted(members[group]) for group in sorted(tested)]
    fill = rng.permutation([group for group in members if group not in tested]).tolist()
    questions = [question for group in asked for question in group[1:]]
    held = set(tested)
    for group in fill:
        if len(questions) >= collection or len(held) >= len(members) // 2:
            break
        questions.extend(members[group])
        held.add(group)
    place = {question: row for row, question in enumerate(questions)}
    relevant = [{place[question] for question in group[1:]} for group in asked]
    kept = [
        {"sentence1": row["sentence1"], "sentence2": row["sentence2"], "label": row["label"]}
        for row in rows
        if groups[row["sentence1"]] not in held and groups[row["sentence2"]] not in held
    ]
    return QuestionSplit(kept, Collection(questions, [group[0] for group in asked], relevant))


def reciprocal_ranks(scores: np.ndarray, relevant: Sequence[set[int]]) -> np.ndarray:
    """1 / rank of the first relevant question of each query: (Q, N) -> (Q,).

    A tie counts against the query: a system that scores all alike is last, not first.
    """
    values = finite_numbers(scores, "scores", ndim=2)
    if len(values) != len(relevant) or not values.size:
        raise InputError(f"scores of shape {values.shape} for {len(relevant)} queries")
    ranks = []
    for row, wanted in zip(values, relevant, strict=True):
        best = max(row[list(wanted)])
        ranks.append(int((row >= best).sum()) - sum(row[w] >= best for w in wanted) + 1)
    return 1 / np.array(ranks)


def found_within(scores: np.ndarray, relevant: Sequence[set[int]], k: int) -> np.ndarray:
    """Whether a relevant question is among the first k: (Q,) of True and False."""
    if k < 1:
        raise InputError(f"k must be at least 1, got {k}")
    return reciprocal_ranks(scores, relevant) >= 1 / k - 1e-12


def rerank(first: np.ndarray, second: np.ndarray, k: int) -> np.ndarray:
    """Order the first scorer's top k by the second; below them nothing changes: (Q, N)."""
    first, second = (finite_numbers(one, "scores", ndim=2) for one in (first, second))
    if first.shape != second.shape:
        raise InputError(f"scores of shapes {first.shape} and {second.shape}: of the same pairs?")
    if not 1 <= k <= first.shape[1]:
        raise InputError(f"k must lie between 1 and {first.shape[1]}, got {k}")
    result = -np.argsort(np.argsort(-first, axis=1, kind="stable"), axis=1).astype(np.float64)
    top = np.argsort(-first, axis=1, kind="stable")[:, :k]
    for query, rows in enumerate(top):
        inside = np.argsort(np.argsort(second[query, rows], kind="stable"))
        result[query, rows] = 1 + inside  # above every rank, which is 0 or less
    return result
