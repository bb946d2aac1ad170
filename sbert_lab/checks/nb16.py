"""Checks of 16_between_the_two."""

import math

import numpy as np
import torch
from torch.nn import functional as F

from sbert_lab.checks.core import Hint, check, near, need_number, need_shape

# The rank at which a first stage finds the duplicate of each of six queries.
RANKS = (1, 3, 2, 12, 40, 5)


@check
def rerank_passes(answer):
    """answer(queries, questions, k) -> passes, the questions' vectors being kept already."""
    queries, questions, k = 7, 1000, 20
    result = need_number(answer(queries, questions, k), "the number of passes")
    right = queries * (1 + k)
    if near(result, right):
        other = need_number(answer(3, 500, 100), "the number of passes")
        if not near(other, 3 * 101):
            raise Hint("right for 7 queries and k = 20, not for 3 and 100: use the arguments")
        return
    mistakes = {
        queries * questions: "this is n per query, the cross-encoder alone: the second stage reads "
        "only the k that the first one found",
        queries * (1 + questions): "n per query: the second stage reads only the k that the first "
        "one found",
        queries * k: "and the query itself? The first stage needs its vector: one more pass",
        right + questions: "the questions' vectors are kept already: only what a query costs",
        1 + k: "this is one query: there are several",
        queries + k: "each query has its own k candidates",
        queries * 2 * k: "a pair is one input to the cross-encoder, and so one pass",
        queries * (1 + 2 * k): "a pair is one input to the cross-encoder, and so one pass",
    }
    for wrong, hint in mistakes.items():
        if near(result, wrong):
            raise Hint(hint)
    raise Hint("count for one query: its own vector, then one pair for each candidate")


@check
def ceiling(answer):
    """answer(ranks, k) -> (recall@k, mean reciprocal rank) after the best possible re-ranking."""
    ranks = np.array(RANKS)
    recall, quality = _two(answer(ranks, 5))
    seen = ranks <= 5
    _recall(recall, seen, (ranks < 5).mean())
    best = np.where(seen, 1, 1 / ranks).mean()
    if not near(quality, best):
        _quality(quality, ranks, seen)
    recall, quality = _two(answer(ranks, 1))
    if not near(recall, 1 / 6) or not near(quality, (1 / ranks).mean()):
        raise Hint("right for k = 5. With k = 1 there is nothing to reorder: nothing may change")


def _two(result: object) -> tuple[float, float]:
    try:
        recall, quality = result
    except (TypeError, ValueError):
        raise Hint("two numbers are needed: return recall, mean_reciprocal_rank") from None
    return need_number(recall, "the recall"), need_number(quality, "the mean reciprocal rank")


def _recall(recall: float, seen: np.ndarray, strict: float) -> None:
    if near(recall, seen.mean()):
        return
    if near(recall, 1):
        raise Hint(
            "re-ranking cannot raise recall@k: it reorders the k that were found and never sees "
            "the others"
        )
    if near(recall, strict):
        raise Hint("rank k itself is still among the first k")
    if near(recall, seen.sum()):
        raise Hint("as a share of the queries, please")
    raise Hint("recall@k: the share of the queries whose duplicate is among the first k")


def _quality(quality: float, ranks: np.ndarray, seen: np.ndarray) -> None:
    mistakes = {
        1.0: "not every duplicate reaches the second stage: what is below rank k stays there",
        (1 / ranks).mean(): "this is the first stage's own: a perfect second stage puts every "
        "duplicate that it sees on rank 1",
        seen.mean(): "a duplicate below rank k is not lost, it keeps its rank and counts 1 / rank",
        np.where(seen, 1 / ranks, 0).mean(): "a perfect second stage moves what it sees to rank 1, "
        "and what it does not see keeps its rank",
        (1 / np.where(seen, 1, ranks).mean()): "take 1 / rank of each query first, then the mean",
    }
    for wrong, hint in mistakes.items():
        if near(quality, wrong):
            raise Hint(f"the recall is right; {hint}")
    raise Hint("the recall is right; for the rank: 1 for what is seen, the old rank for the rest")


@check
def meet(answer):
    """answer(views (M, H), candidates (C, H)) -> cosines (C,), as in a poly-encoder."""
    draw = torch.Generator().manual_seed(16)
    views, candidates = (2 * torch.randn(n, 5, generator=draw) for n in (3, 4))
    result = answer(views, candidates)
    need_shape(result, (4,), "the scores of four candidates")
    logits = candidates @ views.T / math.sqrt(5)  # (C, M)
    right = F.cosine_similarity(logits.softmax(dim=1) @ views, candidates)
    if near(result, right, tolerance=1e-4):
        return
    over_candidates = logits.softmax(dim=0) @ views
    unscaled = (logits * math.sqrt(5)).softmax(dim=1) @ views
    attended = logits.softmax(dim=1) @ views
    mistakes = [
        (
            F.cosine_similarity(over_candidates, candidates),
            "the softmax runs over the candidates, so they compete with each other: for one "
            "candidate the weights of the M views must sum to 1",
        ),
        (
            (over_candidates * candidates).sum(dim=1),
            "the softmax runs over the candidates: the weights of the M views must sum to 1",
        ),
        (F.cosine_similarity(unscaled, candidates), "divide by the root of H before the softmax"),
        ((attended * candidates).sum(dim=1), "this is a dot product: the score is a cosine"),
        (
            F.cosine_similarity(views.mean(dim=0, keepdim=True), candidates),
            "all views have the same weight: the candidate should choose among them",
        ),
        (
            F.cosine_similarity(logits @ views, candidates),
            "the softmax is missing: weights are positive and sum to 1",
        ),
    ]
    for wrong, hint in mistakes:
        if near(result, wrong, tolerance=1e-4):
            raise Hint(hint)
    raise Hint(
        "three steps: weights (C, M) by a softmax over the views, their weighted sum (C, H), its "
        "cosine with the candidate"
    )
