"""Notebook 16, between the two: checks (passes, ceiling, meeting, front) and figures."""

import math
from collections.abc import Callable, Mapping, Sequence
from functools import partial

import numpy as np
import torch
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from torch.nn import functional as F

from sbert_lab.course.diagnose import (
    check,
    diagnose,
    near,
    near_first,
    need_number,
    need_numbers,
    need_shape,
)
from sbert_lab.course.plots import COLORS, GREY, log_ticks, new

# ---- exercise 1: passes for re-ranking

RERANK_PASSES = (
    (
        lambda q, n, k: q * n,
        "this is n per query, the cross-encoder alone: the second stage reads only the k that "
        "the first one found",
    ),
    (
        lambda q, n, k: q * (1 + n),
        "n per query: the second stage reads only the k that the first one found",
    ),
    (
        lambda q, n, k: q * k,
        "and the query itself? The first stage needs its vector: one more pass",
    ),
    (
        lambda q, n, k: q * (1 + k) + n,
        "the questions' vectors are kept already: only what a query costs",
    ),
    (lambda q, n, k: 1 + k, "this is one query: there are several"),
    (lambda q, n, k: q + k, "each query has its own k candidates"),
    (lambda q, n, k: q * 2 * k, "a pair is one input to the cross-encoder, and so one pass"),
    (lambda q, n, k: q * (1 + 2 * k), "a pair is one input to the cross-encoder, and so one pass"),
)


@check(mistakes=RERANK_PASSES)
def rerank_passes(answer):
    """answer(queries, questions, k) -> passes, the questions' vectors being kept already."""
    look = partial(need_number, what="the number of passes")
    compare = partial(diagnose, answer, lambda q, n, k: q * (1 + k), look=look)
    unknown = "count for one query: its own vector, then one pair for each candidate"
    compare(RERANK_PASSES, (7, 1000, 20), otherwise=unknown)
    constant = "right for 7 queries and k = 20, not for 3 and 100: use the arguments"
    compare((), (3, 500, 100), otherwise=constant)


# ---- exercise 2: the ceiling

# The rank at which a first stage finds the duplicate of each of six queries.
RANKS = (1, 3, 2, 12, 40, 5)
RECALL = (
    (
        lambda ranks, k: (1.0, 1.0),
        "re-ranking cannot raise recall@k: it reorders the k that were found and never sees the "
        "others",
    ),
    (lambda ranks, k: ((ranks < k).mean(), 1.0), "rank k itself is still among the first k"),
    (lambda ranks, k: ((ranks <= k).sum(), 1.0), "as a share of the queries, please"),
    (lambda ranks, k: (100 * (ranks <= k).mean(), 1.0), "as a number from 0 to 1, please"),
    (
        lambda ranks, k: (np.where(ranks <= k, 1, 1 / ranks).mean(), 1.0),
        "your first number is the mean reciprocal rank: recall@k comes first",
    ),
)


def _with_recall(quality: Callable) -> Callable:
    """An answer with the right recall; quality(ranks, who is seen)."""
    return lambda ranks, k: ((ranks <= k).mean(), quality(ranks, ranks <= k))


QUALITY = (
    (
        lambda ranks, seen: 1.0,
        "not every duplicate reaches the second stage: what is below rank k stays there",
    ),
    (
        lambda ranks, seen: (1 / ranks).mean(),
        "this is the first stage's own: a perfect second stage puts every duplicate that it sees "
        "on rank 1",
    ),
    (
        lambda ranks, seen: seen.mean(),
        "a duplicate below rank k is not lost, it keeps its rank and counts 1 / rank",
    ),
    (
        lambda ranks, seen: np.where(seen, 1 / ranks, 0).mean(),
        "a perfect second stage moves what it sees to rank 1, and what it does not see keeps its "
        "rank",
    ),
    (
        lambda ranks, seen: 1 / np.where(seen, 1, ranks).mean(),
        "take 1 / rank of each query first, then the mean",
    ),
)
QUALITY = tuple((_with_recall(value), f"the recall is right; {hint}") for value, hint in QUALITY)


@check(mistakes=RECALL + QUALITY)
def ceiling(answer):
    """answer(ranks, k) -> (recall@k, mean reciprocal rank) after the best possible re-ranking."""
    ranks = np.array(RANKS)
    right = _with_recall(lambda ranks, seen: np.where(seen, 1, 1 / ranks).mean())
    compare = partial(diagnose, answer, right, look=_two)
    unknown = "recall@k: the share of the queries whose duplicate is among the first k"
    changed = "your function changed the ranks it was given: work on a copy, or with np.where"
    compare(RECALL, (ranks, 5), same=near_first, untouched=changed, otherwise=unknown)
    unknown = "the recall is right; for the rank: 1 for what is seen, the old rank for the rest"
    compare(QUALITY, (ranks, 5), otherwise=unknown)
    unmoved = "right for k = 5. With k = 1 there is nothing to reorder: nothing may change"
    compare((), (ranks, 1), otherwise=unmoved)


def _two(result: object) -> list[float]:
    hint = "two numbers are needed: return recall, mean_reciprocal_rank"
    return need_numbers(result, "the recall", "the mean reciprocal rank", hint=hint)


# ---- exercise 3: the meeting


def _logits(views: torch.Tensor, candidates: torch.Tensor) -> torch.Tensor:
    return candidates @ views.T / math.sqrt(views.shape[1])  # (C, M)


def _cosines(weigh: Callable) -> Callable:
    """An answer: cosines of the candidates with their views, weighed by weigh(logits)."""
    return lambda v, c: F.cosine_similarity(weigh(_logits(v, c)) @ v, c)


MEET = (
    (
        _cosines(lambda logits: logits.softmax(dim=0)),
        "the softmax runs over the candidates, so they compete with each other: for one "
        "candidate the weights of the M views must sum to 1",
    ),
    (
        lambda v, c: (_logits(v, c).softmax(dim=0) @ v * c).sum(dim=1),
        "the softmax runs over the candidates: the weights of the M views must sum to 1",
    ),
    (
        _cosines(lambda logits: (logits * math.sqrt(5)).softmax(dim=1)),
        "divide by the root of H before the softmax",
    ),
    (
        _cosines(lambda logits: (logits / math.sqrt(5)).softmax(dim=1)),
        "you divided by H: its square root is wanted (H ** 0.5)",
    ),
    (
        _cosines(lambda logits: (logits * math.sqrt(5 / logits.shape[1])).softmax(dim=1)),
        "you divided by the root of M, the number of views: H, the length of a vector, is wanted",
    ),
    (
        _cosines(lambda logits: (logits * math.sqrt(5) / 2).softmax(dim=1)),
        "you divided by 2, the root of H in the text's example: take this H, views.shape[1]",
    ),
    (
        _cosines(lambda logits: F.one_hot(logits.argmax(dim=1), logits.shape[1]).float()),
        "one view takes everything: softmax gives each view its share",
    ),
    (
        lambda v, c: (_logits(v, c).softmax(dim=1) @ v * c).sum(dim=1),
        "this is a dot product: the score is a cosine",
    ),
    (
        _cosines(torch.ones_like),
        "all views have the same weight: the candidate should choose among them",
    ),
    (_cosines(lambda logits: logits), "the softmax is missing: weights are positive and sum to 1"),
)


@check(mistakes=MEET)
def meet(answer):
    """answer(views (M, H), candidates (C, H)) -> cosines (C,), as in a poly-encoder."""
    draw = torch.Generator().manual_seed(16)
    diagnose(
        answer,
        _cosines(lambda logits: logits.softmax(dim=1)),
        MEET,
        [2 * torch.randn(n, 5, generator=draw) for n in (3, 4)],
        look=lambda found: need_shape(found, (4,), "the scores of four candidates"),
        same=partial(near, tolerance=1e-4),
        otherwise="three steps: weights (C, M) by a softmax over the views, their weighted sum "
        "(C, H), its cosine with the candidate",
    )


# ---- exercise 4: the Pareto front

# Two alike, one as dear and worse, one as good and dearer; not sorted.
COSTS = (1.0, 1.0, 3.0, 2.0, 5.0, 4.0, 5.0, 8.0, 4.0)
QUALITIES = (70.0, 65.0, 80.0, 80.0, 80.0, 90.0, 92.0, 85.0, 90.0)


def _unbeaten(costs, qualities, *, beats: Callable) -> list[bool]:
    """True for each system that no system beats: beats(how much cheaper, how much better)."""
    systems = list(zip(costs, qualities, strict=True))
    return [not any(beats(a - c, q - b) for c, q in systems) for a, b in systems]


_on_front = partial(
    _unbeaten, beats=lambda saved, gained: min(saved, gained) >= 0 and saved + gained > 0
)
NOBODY = (
    "nobody is left. A system does not beat itself, and cheaper *or* better is not enough to beat "
    "another: it takes both"
)
ON_FRONT = (
    (
        partial(_unbeaten, beats=lambda saved, gained: min(saved, gained) > 0),
        "one of yours costs as much as another and is worse, or is as good and dearer: who would "
        "buy that?",
    ),
    (partial(_unbeaten, beats=lambda saved, gained: min(saved, gained) >= 0), NOBODY),
    (partial(_unbeaten, beats=lambda saved, gained: max(saved, gained) > 0), NOBODY),
    (
        partial(
            _unbeaten, beats=lambda saved, gained: min(saved, -gained) >= 0 and saved != gained
        ),
        "upside down: a higher quality is better",
    ),
    (
        lambda costs, q: [one > max(q[:place], default=0) for place, one in enumerate(q)],
        "you compared with the systems that come earlier: they are not sorted by cost",
    ),
    (
        lambda costs, q: [not one for one in _on_front(costs, q)],
        "turned round: True for the systems that nobody beats",
    ),
)


@check(mistakes=ON_FRONT)
def on_front(answer: Callable) -> None:
    """answer(costs, qualities) -> True for each system on the front: (N,), (N,) -> (N,)."""
    diagnose(
        answer,
        _on_front,
        ON_FRONT,
        (np.array(COSTS), np.array(QUALITIES)),
        look=lambda found: need_shape(np.asarray(found), (len(COSTS),), "the list of True, False"),
        otherwise=lambda found, right: (
            f"for costs {COSTS} and qualities {QUALITIES} it should be {right}"
        ),
    )


# ---- figures


# family: colour, marker, how its points are labelled
FAMILIES = {
    "raw": (GREY, "X"),
    "bi-encoder": (COLORS[0], "o"),
    "poly-encoder": (COLORS[2], "s"),
    "re-rank": (COLORS[1], "^"),
    "MiniLM re-rank": (COLORS[3], "v"),
    "cross-encoder": (COLORS[5], "D"),
}


def family_of(name: str) -> str:
    """'re-rank 20' -> 're-rank': the family that a system belongs to."""
    return next(family for family in FAMILIES if name.startswith(family))


def front_of(costs: Sequence[float], quality: Sequence[float]) -> list[int]:
    """The systems that no other beats at once in cost and in quality, cheapest first."""
    costs, quality = np.asarray(costs, dtype=float), np.asarray(quality, dtype=float)
    front, best = [], -np.inf
    for row in np.lexsort((-quality, costs)):
        if quality[row] > best:
            front.append(int(row))
            best = quality[row]
    return front


def quality_and_cost(panels: Mapping[str, Mapping[str, tuple]], *, unit: float) -> Figure:
    """panels: title -> {system: (cost, low, mean, high)}; cost in multiply-adds, rest in points.

    `unit` is the cost of one sentence's pass, marked by a line.
    """
    width = 7.4 if len(panels) == 1 else 10.4
    figure, axes = new(width, 4.8, columns=len(panels), sharey=True, squeeze=False)
    for one, (title, systems) in zip(axes[0], panels.items(), strict=True):
        _panel(one, systems, unit)
        one.set_title(title)
        one.set_xlabel("multiply-adds per query")
        one.label_outer()
    first = axes[0][0]
    first.set_ylabel("mean reciprocal rank (points)")
    first.set_ylim(0, 100)
    handles = [
        first.scatter([], [], color=color, marker=marker, label=name)
        for name, (color, marker) in FAMILIES.items()
    ]
    handles.append(first.plot([], [], color=GREY, ls="--", lw=1.3, label="front")[0])
    figure.legend(handles=handles, loc="outside lower center", ncols=4 if len(panels) == 1 else 7,
                  fontsize=9)  # fmt: skip
    return figure


def _panel(axes: Axes, systems: Mapping[str, tuple], unit: float) -> None:
    names = list(systems)
    costs, low, mean, high = np.array([systems[name] for name in names], dtype=float).T
    front = front_of(costs, mean)
    steps_x = np.append(np.repeat(costs[front], 2)[1:], costs.max() * 2)
    axes.plot(steps_x, np.repeat(mean[front], 2), color=GREY, ls="--", lw=1.3, zorder=1)
    for row, name in enumerate(names):
        color, marker = FAMILIES[family_of(name)]
        bars = [[mean[row] - low[row]], [high[row] - mean[row]]]
        axes.errorbar(costs[row], mean[row], yerr=bars, color=color, lw=1, capsize=2, zorder=2)
        axes.scatter(costs[row], mean[row], color=color, marker=marker, s=48, zorder=3)
        number = "".join(letter for letter in name if letter.isdigit())
        if number:
            axes.annotate(number, (costs[row], high[row]), xytext=(0, 3), fontsize=8, color=color,
                          textcoords="offset points", ha="center")  # fmt: skip
    axes.axvline(unit, color=GREY, lw=0.8, ls=":", zorder=0)
    axes.text(unit * 0.93, 3, "one pass", rotation=90, color=GREY, fontsize=8, ha="right")
    axes.set_xscale("log")


def room(
    ks: Sequence[int],
    ceiling: Sequence[float],
    used: Mapping[str, Sequence[float]],
    alone: float,
) -> Axes:
    """Mean reciprocal rank (points) against k: at best, by each judge, the first stage alone."""
    _, axes = new(6.6, 3.8)
    axes.fill_between(ks, alone, ceiling, color=COLORS[2], alpha=0.12, lw=0)
    axes.plot(ks, ceiling, "-", marker="o", color=COLORS[2], label="a perfect second stage")
    for number, (name, values) in enumerate(used.items()):
        axes.plot(ks, values, "--", marker="^s"[number], color=COLORS[(1, 3)[number]], label=name)
    axes.axhline(alone, color=COLORS[0], lw=1.5, ls=":", label="the first stage alone")
    log_ticks(axes, ks)
    axes.set_ylim(0, 104)
    axes.set_xlabel("k: candidates that the second stage reads")
    axes.set_ylabel("mean reciprocal rank (points)")
    axes.legend(loc="upper center", bbox_to_anchor=(0.5, 1.25), ncols=2, fontsize=9)
    return axes


def cost_by_size(
    sizes: Sequence[int], curves: Mapping[str, Sequence[float]], at: int | None = None
) -> Axes:
    """Multiply-adds per query against the size of the collection, both logarithmic.

    at: one of the sizes, marked by a line; there every cost is compared with the cheapest.
    """
    _, axes = new(6.8, 4)
    times = dict.fromkeys(curves, "")
    if at:
        here = {name: values[list(sizes).index(at)] for name, values in curves.items()}
        least = min(here.values())
        times = {name: f": {cost / least:,.0f} x" for name, cost in here.items()}
        axes.axvline(at, color=GREY, lw=1, ls=":")
        axes.set_title(f"{at:,} questions; right: times the cheapest")
    for name, values in curves.items():
        color, marker = FAMILIES[family_of(name)]
        style, face = ("--", "white") if "64" in name else ("-", color)
        axes.plot(sizes, values, style, color=color, marker=marker, ms=5, mfc=face,
                  label=name + times[name])  # fmt: skip
    axes.set_xscale("log")
    axes.set_yscale("log")
    axes.set_xlabel("questions in the collection")
    axes.set_ylabel("multiply-adds per query")
    axes.legend(loc="center left", bbox_to_anchor=(1.01, 0.5), fontsize=9)
    return axes
