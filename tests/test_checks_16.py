"""The checks of notebook 16: right answers pass in any style; wrong ones beyond the tables."""

import numpy as np
import pytest
import torch
from conftest import expect
from torch.nn import functional as F

from sbert_lab.course import nb16
from sbert_lab.course.diagnose import CORRECT
from sbert_lab.course.nb16 import FAMILIES, family_of, front_of
from sbert_lab.tasks.poly_encoder import PolyEncoder

# ---- passes for re-ranking


def by_loop(queries, questions, k):
    passes = 0
    for _ in range(queries):
        passes += 1
        passes += sum(1 for _ in range(k))
    return passes


@pytest.mark.parametrize(
    ("answer", "line"),
    [
        (lambda q, n, k: q + q * k, CORRECT),
        (by_loop, CORRECT),
        (lambda q, n, k: 147, "use the arguments"),
        (lambda q, n, k: 3, "count for one query"),
        (lambda q, n, k: [q, k], "one number"),
    ],
)
def test_the_passes_pass_as_a_formula_and_as_a_loop(answer, line):
    expect(line, nb16.rerank_passes, answer)


# ---- the ceiling


def ceiling(ranks, k):
    seen = ranks <= k
    return seen.mean(), (seen + ~seen / ranks).mean()


def ceiling_by_loop(ranks, k):
    found, total = 0, 0.0
    for rank in ranks:
        found += rank <= k
        total += 1 if rank <= k else 1 / rank
    return found / len(ranks), total / len(ranks)


@pytest.mark.parametrize(
    ("answer", "line"),
    [
        (ceiling, CORRECT),
        (ceiling_by_loop, CORRECT),
        (lambda r, k: (0.123, 0.5), "the share of the queries"),
        (lambda r, k: ((r <= k).mean(), 0.123), "the old rank for the rest"),
        (lambda r, k: (4 / 6, ceiling(r, 5)[1]), "With k = 1"),
        (lambda r, k: 0.5, "two numbers are needed"),
    ],
)
def test_the_ceiling_passes_with_arrays_and_with_a_loop(answer, line):
    expect(line, nb16.ceiling, answer)


# ---- the meeting


def meeting(views, candidates):
    weights = torch.softmax(candidates @ views.T / views.shape[1] ** 0.5, dim=-1)
    return torch.cosine_similarity(weights @ views, candidates, dim=-1)


def meeting_by_loop(views, candidates):
    scores = []
    for candidate in candidates:
        weights = (views @ candidate / len(candidate) ** 0.5).softmax(dim=0)
        scores.append(F.cosine_similarity(weights @ views, candidate, dim=0))
    return torch.stack(scores)


def in_numpy(views, candidates):
    views, candidates = views.numpy(), candidates.numpy()
    raised = np.exp(views @ candidates.T / np.sqrt(views.shape[1]))  # (M, C)
    chosen = (raised / raised.sum(axis=0)).T @ views
    lengths = np.linalg.norm(chosen, axis=1) * np.linalg.norm(candidates, axis=1)
    return (chosen * candidates).sum(axis=1) / lengths


def from_the_package(views, candidates):
    return PolyEncoder.meet(views[None], candidates)[0]


def without_the_sum(views, candidates):  # a cosine does not see the length of its vectors
    raised = torch.exp(candidates @ views.T / views.shape[1] ** 0.5)
    return F.cosine_similarity(raised @ views, candidates)


@pytest.mark.parametrize(
    ("answer", "line"),
    [
        (meeting, CORRECT),
        (meeting_by_loop, CORRECT),
        (in_numpy, CORRECT),
        (from_the_package, CORRECT),
        (without_the_sum, CORRECT),
        (lambda views, candidates: meeting(views, candidates)[0], "shape (4,)"),
        (lambda views, candidates: torch.zeros(4), "three steps"),
    ],
)
def test_the_meeting_passes_by_matrices_by_loop_in_numpy_and_from_the_package(answer, line):
    expect(line, nb16.meet, answer)


# ---- the front of its figure


def test_the_front_keeps_whom_no_cheaper_system_equals():
    costs, quality = [1, 1, 2, 3, 4, 5], [30, 50, 50, 70, 60, 80]
    assert front_of(costs, quality) == [1, 3, 5]
    assert front_of(costs[::-1], quality[::-1]) == [4, 2, 0]


def test_every_recorded_system_has_a_family():
    names = ["raw BERT MEAN", "bi-encoder", "poly-encoder, 16 codes"]
    names += ["re-rank 20", "MiniLM re-rank 20", "cross-encoder"]
    assert [family_of(name) for name in names] == list(FAMILIES)


# ---- the Pareto front


def by_the_figure(costs, qualities):
    best = {(costs[place], qualities[place]) for place in front_of(costs, qualities)}
    return [both in best for both in zip(costs, qualities, strict=True)]


def sorted_first(costs, qualities):
    front, best = np.zeros(len(costs), dtype=bool), (-np.inf, np.inf)
    for place in np.lexsort((-qualities, costs)):
        both = qualities[place], costs[place]
        front[place] = both[0] > best[0] or both == best
        best = both if front[place] else best
    return front


@pytest.mark.parametrize(
    ("answer", "line"),
    [
        (by_the_figure, CORRECT),
        (sorted_first, CORRECT),
        (lambda costs, qualities: front_of(costs, qualities), "have the shape (9,)"),
        (lambda costs, qualities: [True] * 9, "it should be [True, False"),
    ],
)
def test_the_front_passes_in_two_styles(answer, line):
    expect(line, nb16.on_front, answer)
