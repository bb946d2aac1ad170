"""The checks of notebook 16: right answers pass in any style, known wrong ones get their hint."""

import numpy as np
import pytest
import torch
from torch.nn import functional as F

from sbert_lab.course import nb16
from sbert_lab.course.diagnose import CORRECT, NOT_ATTEMPTED, verdict_of
from sbert_lab.course.nb16 import FAMILIES, family_of, front_of
from sbert_lab.tasks.poly_encoder import PolyEncoder

# ---- passes for re-ranking


def test_the_passes_pass_as_a_formula_and_as_a_loop():
    def by_loop(queries, questions, k):
        passes = 0
        for _ in range(queries):
            passes += 1
            passes += sum(1 for _ in range(k))
        return passes

    assert verdict_of(nb16.rerank_passes, lambda q, n, k: q + q * k) == CORRECT
    assert verdict_of(nb16.rerank_passes, by_loop) == CORRECT


@pytest.mark.parametrize(
    ("answer", "hint"),
    [
        (lambda q, n, k: q * n, "the cross-encoder alone"),
        (lambda q, n, k: q * (1 + n), "n per query"),
        (lambda q, n, k: q * k, "and the query itself"),
        (lambda q, n, k: n + q * (1 + k), "kept already"),
        (lambda q, n, k: 1 + k, "this is one query"),
        (lambda q, n, k: q + k, "its own k candidates"),
        (lambda q, n, k: q * (1 + 2 * k), "one input to the cross-encoder"),
        (lambda q, n, k: 147, "use the arguments"),
        (lambda q, n, k: 3, "count for one query"),
        (lambda q, n, k: [q, k], "one number"),
    ],
)
def test_wrong_passes_get_their_hint(answer, hint):
    assert hint in verdict_of(nb16.rerank_passes, answer)


def test_the_passes_stub_is_not_attempted():
    def rerank_passes(queries, questions, k): ...

    assert verdict_of(nb16.rerank_passes, rerank_passes) == NOT_ATTEMPTED


# ---- the ceiling


def right_ceiling(ranks, k):
    seen = ranks <= k
    return seen.mean(), (seen + ~seen / ranks).mean()


def test_the_ceiling_passes_with_arrays_and_with_a_loop():
    def by_loop(ranks, k):
        found, total = 0, 0.0
        for rank in ranks:
            found += rank <= k
            total += 1 if rank <= k else 1 / rank
        return found / len(ranks), total / len(ranks)

    assert verdict_of(nb16.ceiling, right_ceiling) == CORRECT
    assert verdict_of(nb16.ceiling, by_loop) == CORRECT


@pytest.mark.parametrize(
    ("answer", "hint"),
    [
        (lambda r, k: (1.0, 1.0), "cannot raise recall@k"),
        (lambda r, k: ((r < k).mean(), 0.5), "still among the first k"),
        (lambda r, k: ((r <= k).sum(), 0.5), "as a share"),
        (lambda r, k: (0.123, 0.5), "the share of the queries"),
        (lambda r, k: ((r <= k).mean(), 1.0), "not every duplicate reaches"),
        (lambda r, k: ((r <= k).mean(), (1 / r).mean()), "the first stage's own"),
        (lambda r, k: ((r <= k).mean(), (r <= k).mean()), "is not lost"),
        (lambda r, k: ((r <= k).mean(), np.where(r <= k, 1 / r, 0).mean()), "moves what it sees"),
        (lambda r, k: ((r <= k).mean(), 1 / np.where(r <= k, 1, r).mean()), "then the mean"),
        (lambda r, k: ((r <= k).mean(), 0.123), "the old rank for the rest"),
        (lambda r, k: (4 / 6, right_ceiling(r, 5)[1]), "With k = 1"),
        (lambda r, k: 0.5, "two numbers are needed"),
    ],
)
def test_a_wrong_ceiling_gets_its_hint(answer, hint):
    assert hint in verdict_of(nb16.ceiling, answer)


def test_the_ceiling_stub_is_not_attempted():
    def ceiling(ranks, k): ...

    assert verdict_of(nb16.ceiling, ceiling) == NOT_ATTEMPTED


# ---- the meeting


def right_meeting(views, candidates):
    weights = torch.softmax(candidates @ views.T / views.shape[1] ** 0.5, dim=-1)
    return torch.cosine_similarity(weights @ views, candidates, dim=-1)


def test_the_meeting_passes_by_matrices_by_loop_in_numpy_and_from_the_package():
    def by_loop(views, candidates):
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

    for answer in (right_meeting, by_loop, in_numpy, from_the_package, without_the_sum):
        assert verdict_of(nb16.meet, answer) == CORRECT


def _cosine_with(choose):
    def answer(views, candidates):
        logits = candidates @ views.T / views.shape[1] ** 0.5
        return F.cosine_similarity(choose(logits) @ views, candidates)

    return answer


@pytest.mark.parametrize(
    ("answer", "hint"),
    [
        (_cosine_with(lambda x: x.softmax(dim=0)), "runs over the candidates"),
        (_cosine_with(lambda x: (x * 5**0.5).softmax(dim=1)), "the root of H"),
        (_cosine_with(torch.ones_like), "the same weight"),
        (_cosine_with(lambda x: x), "the softmax is missing"),
        (
            lambda v, c: (((c @ v.T / 5**0.5).softmax(1) @ v) * c).sum(1),
            "the score is a cosine",
        ),
        (lambda v, c: right_meeting(v, c)[0], "shape (4,)"),
        (lambda v, c: torch.zeros(4), "three steps"),
    ],
)
def test_a_wrong_meeting_gets_its_hint(answer, hint):
    assert hint in verdict_of(nb16.meet, answer)


def test_the_meeting_stub_is_not_attempted():
    def meet(views, candidates): ...

    assert verdict_of(nb16.meet, meet) == NOT_ATTEMPTED


# ---- the front of its figure


def test_the_front_keeps_whom_no_cheaper_system_equals():
    costs, quality = [1, 1, 2, 3, 4, 5], [30, 50, 50, 70, 60, 80]
    assert front_of(costs, quality) == [1, 3, 5]
    assert front_of(costs[::-1], quality[::-1]) == [4, 2, 0]


def test_every_recorded_system_has_a_family():
    names = ("raw", "bi-encoder", "poly-encoder, 16 codes", "re-rank 20", "cross-encoder")
    assert [family_of(name) for name in names] == list(FAMILIES)
