"""Notebook 07. Checks: four losses, semi-hard negatives, triplets at rest, the magnifier.

Figures: the plane of both distances, points that move, shares over time, loss when stretched.
"""

import math
from collections.abc import Mapping, Sequence
from functools import partial

import numpy as np
import torch
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from sbert_lab.course.diagnose import Hint, check, diagnose, near, need_number, need_shape
from sbert_lab.course.plots import COLORS, GREY, new

# Four triplets of points: anchor, positive, negative.
FOUR = (
    ((0, 0), (3, 4), (0, 2)),
    ((1, 1), (1, 2), (4, 5)),
    ((0, 0), (0, 2), (2.5, 0)),
    ((0, 0), (0, 3), (4, 0)),
)
# Distances anchor-positive and anchor-negative of five triplets: four hits and a near miss.
FIVE = ((1.0, 2.2, 1.2, 0.8, 1.51), (1.5, 2.5, 2.0, 1.0, 1.50))


def _distances(order: int = 2) -> tuple[np.ndarray, np.ndarray]:
    points = np.array(FOUR, dtype=float)  # (4, 3, 2)
    near_ = np.linalg.norm(points[:, 0] - points[:, 1], ord=order, axis=1)
    far = np.linalg.norm(points[:, 0] - points[:, 2], ord=order, axis=1)
    return near_, far


def _loss(near_: np.ndarray, far: np.ndarray, margin: float = 1.0) -> np.ndarray:
    return np.maximum(near_ - far + margin, 0)


LOSSES = (
    (
        lambda near_, far: _loss(near_**2, far**2),
        "these are squared distances, as in FaceNet: this paper takes the root",
    ),
    (
        lambda near_, far: _loss(far, near_),
        "positive and negative are swapped: the distance to the positive has the plus sign",
    ),
    (
        lambda near_, far: near_ - far + 1,
        "a loss below 0 would reward going on for ever: max(..., 0) cuts it off",
    ),
    (
        lambda near_, far: near_ - far,
        "the margin and the max are missing: max(d(a,p) - d(a,n) + 1, 0)",
    ),
    (lambda near_, far: _loss(near_, far, margin=0), "the margin is missing: + 1 inside the max"),
    (lambda near_, far: _loss(near_, far, margin=0) + 1, "the + 1 belongs inside the max"),
    (
        lambda near_, far: _loss(near_, far, margin=-1),
        "the margin has the wrong sign: it asks for more distance",
    ),
    (
        lambda near_, far: _loss(*_distances(order=1)),
        "these are Manhattan distances: take the straight line",
    ),
)


@check(mistakes=LOSSES, value_from=_distances())
def four_losses(answer):
    """answer: the losses of the triplets in FOUR, a list of four numbers."""
    try:
        mine = np.array([float(value) for value in answer])
    except (TypeError, ValueError):
        raise Hint("a list of four numbers is needed, one loss per triplet") from None
    if mine.shape != (4,):
        raise Hint(f"four losses are needed, one per triplet, but there are {mine.size}")
    same = partial(near, tolerance=1e-3)
    diagnose(mine, _loss, LOSSES, _distances(), same=same, otherwise=_first_wrong_triplet)


def _first_wrong_triplet(mine: np.ndarray, expected: np.ndarray) -> str:
    off = np.flatnonzero(~np.isclose(mine, expected, atol=1e-3)) + 1
    return f"look at triplet {off[0]} again: what are its two distances, and what is its loss?"


def _resting(to_positive: torch.Tensor, to_negative: torch.Tensor, margin: float) -> torch.Tensor:
    return (to_positive + margin <= to_negative).float().mean()


ZERO_SHARE = (
    (
        lambda near_, far, margin: (near_ < far).float().mean(),
        "you forgot the margin: closer is not enough, the loss is 0 only if the positive is "
        "closer by the margin",
    ),
    (
        lambda near_, far, margin: (near_ >= far).float().mean(),
        "this is the share of hard triplets: the loss is 0 for the easy ones",
    ),
    (
        lambda near_, far, margin: ((near_ < far) & (far < near_ + margin)).float().mean(),
        "this is the share of semi-hard triplets: the loss is 0 for the easy ones",
    ),
    (
        lambda near_, far, margin: (near_ - margin <= far).float().mean(),
        "the margin has the wrong sign: the positive must be closer by the margin",
    ),
    (
        lambda near_, far, margin: 1 - _resting(near_, far, margin),
        "this is the share that still teaches: zero gradient is the rest",
    ),
    (
        lambda near_, far, margin: (near_ + margin <= far).sum(),
        "this is how many: divide by the number of triplets",
    ),
    (
        lambda near_, far, margin: 100 * _resting(near_, far, margin),
        "as a share, please: between 0 and 1",
    ),
    (
        lambda near_, far, margin: (far + margin < near_).float().mean(),
        "you give 0: is one of the two signs turned round?",
    ),
)


@check(mistakes=ZERO_SHARE)
def zero_share(answer):
    """answer(to_positive, to_negative, margin) -> the share of triplets with zero gradient."""
    to_positive = torch.tensor([1.0, 1.0, 2.0, 3.0, 0.5, 2.5, 1.0, 2.0, 1.5])
    to_negative = torch.tensor([3.0, 1.4, 1.1, 4.3, 1.2, 2.0, 1.7, 1.5, 1.8])
    compare = partial(diagnose, answer, _resting, look=partial(need_number, what="the share"))
    compare(
        ZERO_SHARE,
        (to_positive, to_negative, 1.0),
        otherwise="count the triplets whose loss max(d(a,p) - d(a,n) + margin, 0) is 0",
    )
    compare(
        inputs=(to_positive, to_negative, 0.5),
        otherwise="right for a margin of 1, not for 0.5: use the argument `margin`",
    )


# Distances of five anchors to their positives and to four candidates each.
TO_POSITIVE = (1.0, 2.0, 1.5, 3.0, 0.5)
TO_CANDIDATES = (
    (0.8, 1.9, 1.3, 2.5),
    (1.0, 1.5, 3.5, 4.0),  # hard or easy only
    (2.4, 2.0, 1.2, 1.9),
    (5.0, 6.0, 4.5, 9.0),  # easy only
    (0.9, 1.4, 0.7, 3.0),
)


def _chosen(near, far, margin=1.0, *, rank=lambda far: far, lowest=None, limit=None, none=-1):
    """The place of the lowest in `rank` among those between two lines, or `none`: -> (N,)."""
    lowest = near[:, None] if lowest is None else lowest
    fits = (far > lowest) & (far < near[:, None] + (margin if limit is None else limit))
    best = rank(far).masked_fill(~fits, math.inf).argmin(dim=1)
    return torch.where(fits.any(dim=1), best, none)


HARD = (
    "some of yours are no farther away than the positive: these are hard. Semi-hard begins above"
    " the distance to the positive"
)
CHOSEN = (
    (partial(_chosen, lowest=0, limit=math.inf), HARD),
    (partial(_chosen, lowest=0), HARD),
    (
        partial(_chosen, limit=math.inf),
        "where nothing lies inside the margin yours is an easy one, which teaches nothing: -1",
    ),
    (
        partial(_chosen, rank=torch.neg),
        "of the semi-hard ones you took the farthest: the nearest has the largest loss",
    ),
    (partial(_chosen, rank=torch.zeros_like), "the first that fits is not yet the nearest one"),
    (
        partial(_chosen, none=0),
        "argmin has to name a place even where no candidate fits: make that -1 yourself",
    ),
    (
        lambda near, far, margin: far.gather(1, _chosen(near, far, margin)[:, None].clamp(0))[:, 0],
        "these are distances: give back the place of the candidate, 0 to M - 1",
    ),
)


@check(mistakes=CHOSEN)
def choose_negatives(answer):
    """answer(to_positive, to_candidates, margin) -> the nearest semi-hard one, or -1: (N,)."""
    near_, far = torch.tensor(TO_POSITIVE), torch.tensor(TO_CANDIDATES)
    compare = partial(
        diagnose, answer, _chosen, look=partial(need_shape, shape=(5,), what="the places")
    )
    compare(
        CHOSEN,
        (near_, far, 1.0),
        otherwise=lambda found, right: (
            f"for positives at {TO_POSITIVE} it should be {right.tolist()}, yours is"
            f" {[round(float(one), 2) for one in found]}"
        ),
    )
    compare(
        inputs=(near_, far, 0.25),
        otherwise="right for a margin of 1, not for 0.25: use the argument `margin`",
    )


@check
def magnifier(factor, accuracy):
    """A factor that halves the loss of the triplets in FIVE, and the accuracy afterwards."""
    near_, far = np.array(FIVE)
    factor = need_number(factor, "factor")
    if not math.isfinite(factor) or factor == 0:
        raise Hint("factor should be a number that stretches the embeddings, for example 2")
    stretched = abs(factor)
    before, after = _loss(near_, far).mean(), _loss(stretched * near_, stretched * far).mean()
    if after > before / 2:
        direction = "less" if stretched > 20 else "more"
        why = ": the miss grows with the factor too" if direction == "less" else ""
        raise Hint(
            f"the loss goes from {before:.2f} to {after:.2f}, not to half: stretch {direction}{why}"
        )
    hits = float((near_ < far).mean())
    said = need_number(accuracy, "accuracy")
    if near(said, hits, tolerance=1e-3):
        return
    if said > 1:
        raise Hint("as a share, please: between 0 and 1")
    if said > hits:
        raise Hint(
            "a smaller loss, so a better model? No: both distances of a triplet grow by the same "
            "factor, so whoever was nearer still is. Count the hits again"
        )
    if near(said, (near_ + 1 <= far).mean(), tolerance=1e-3):
        raise Hint("accuracy has no margin: closer is enough for a hit")
    raise Hint("in how many of the five is the positive closer than the negative?")


# ---- figures


KINDS = {"easy": COLORS[2], "semi-hard": COLORS[1], "hard": COLORS[5]}
MARKERS = {"easy": "o", "semi-hard": "^", "hard": "s"}


def kind_of(to_positive, to_negative, margin: float = 1.0) -> np.ndarray:
    """'easy', 'semi-hard' or 'hard' per triplet: (N,)."""
    gap = np.asarray(to_negative) - np.asarray(to_positive)
    return np.where(gap >= margin, "easy", np.where(gap > 0, "semi-hard", "hard"))


def regions(to_positive, to_negative, *, names: Sequence[str], margin: float = 1.0) -> Axes:
    """The plane of both distances with its three regions, and a few named triplets in it."""
    _, axes = new(5.6, 5)
    limit = 6.0
    _background(axes, limit, margin)
    _scatter(axes, to_positive, to_negative, margin, size=70)
    for x, y, name in zip(to_positive, to_negative, names, strict=True):
        axes.annotate(name, (x, y), xytext=(8, -4), textcoords="offset points", weight="bold")
    axes.text(1.0, 5.3, "easy: loss 0", color=KINDS["easy"], weight="bold")
    hard = "hard: the negative is\nas close or closer"
    axes.text(3.3, 0.8, hard, color=KINDS["hard"], weight="bold", ha="left")
    axes.text(4.05, 4.55, "semi-hard", color="#9a6a00", weight="bold", rotation=45,
              rotation_mode="anchor", va="center")  # fmt: skip
    axes.annotate("", (1, 2.06), (1, 0.94), arrowprops={"arrowstyle": "<->", "color": GREY})
    axes.text(1.12, 1.6, "margin", color=GREY, va="center", fontsize=9, rotation=90)
    _label(axes, limit)
    return axes


def planes(panels: Mapping[str, tuple], *, margin: float = 1.0) -> Figure:
    """One plane per moment: panels maps a title to (to_positive, to_negative)."""
    figure, axes = new(9, 4.8, columns=len(panels), sharex=True, sharey=True)
    every = np.concatenate([np.ravel(both) for both in panels.values()])
    shown = slice(0, 1500)  # more dots would hide one another
    limit = float(np.ceil(np.quantile(every, 0.995)))
    for one, (title, (to_positive, to_negative)) in zip(axes, panels.items(), strict=True):
        _background(one, limit, margin)
        _scatter(one, to_positive[shown], to_negative[shown], margin, size=11)
        kinds = kind_of(to_positive, to_negative, margin)
        shares = "   ".join(f"{name} {100 * np.mean(kinds == name):.0f} %" for name in KINDS)
        one.set_title(f"{title}\n{shares}")
        _label(one, limit)
        one.label_outer()
    handles = [
        axes[0].scatter([], [], color=color, marker=MARKERS[name], label=name)
        for name, color in KINDS.items()
    ]
    figure.legend(handles=handles, loc="outside lower center", ncols=3)
    return figure


def _background(axes: Axes, limit: float, margin: float) -> None:
    x = np.array([0, limit])
    axes.fill_between(x, x + margin, limit + margin, color=KINDS["easy"], alpha=0.10, lw=0)
    axes.fill_between(x, x, x + margin, color=KINDS["semi-hard"], alpha=0.18, lw=0)
    axes.fill_between(x, 0, x, color=KINDS["hard"], alpha=0.10, lw=0)
    axes.plot(x, x, color=GREY, lw=1)
    axes.plot(x, x + margin, color=GREY, lw=1.2, ls="--")


def _scatter(axes: Axes, to_positive, to_negative, margin: float, *, size: float) -> None:
    to_positive, to_negative = np.asarray(to_positive), np.asarray(to_negative)
    kinds = kind_of(to_positive, to_negative, margin)
    for name, color in KINDS.items():
        here = kinds == name
        axes.scatter(
            to_positive[here], to_negative[here], s=size, color=color, marker=MARKERS[name],
            alpha=0.8, lw=0.4, edgecolor="white", zorder=3,
        )  # fmt: skip


def _label(axes: Axes, limit: float) -> None:
    axes.set_xlim(0, limit)
    axes.set_ylim(0, limit)
    axes.set_aspect("equal")
    axes.set_xlabel("d(a, p): distance to the positive")
    axes.set_ylabel("d(a, n): distance to the negative")


def toy_paths(panels: Mapping[str, Sequence], groups: Sequence[int]) -> Figure:
    """Points that moved: panels maps a title to positions (steps, points, 2)."""
    figure, axes = new(9.5, 3.7, columns=len(panels))
    groups = np.asarray(groups)
    for one, (title, path) in zip(axes, panels.items(), strict=True):
        _draw_path(one, np.asarray(path), groups)
        one.set_title(title)
        one.set_aspect("equal", adjustable="datalim")
        one.locator_params(nbins=5)
    axes[0].set_ylabel("second dimension")
    hollow = axes[0].scatter([], [], facecolor="white", edgecolor=GREY, label="start")
    filled = axes[0].scatter([], [], color=GREY, label="end")
    figure.legend(handles=[hollow, filled], loc="outside lower center", ncols=2)
    return figure


def _draw_path(axes: Axes, path: np.ndarray, groups: Sequence[int]) -> None:
    for point, group in enumerate(groups):
        color, marker = COLORS[[0, 1, 3][group]], "os^"[group]
        axes.plot(*path[:, point].T, color=color, lw=0.9, alpha=0.6)
        axes.scatter(*path[0, point], s=22, marker=marker, facecolor="white", edgecolor=color)
        axes.scatter(*path[-1, point], s=42, marker=marker, color=color, zorder=3)
    axes.set_xlabel("first dimension")


def margin_moves(margin: float, distances: tuple, path: np.ndarray, groups: Sequence[int]):
    """Left: the regions of this margin and some triplets; right: where the toy comes to rest."""
    figure, (plane, toy) = new(8, 3.7, columns=2)
    _background(plane, 6, margin)
    _scatter(plane, *distances, margin, size=70)
    _label(plane, 6)
    kinds = kind_of(*distances, margin)
    plane.set_title("  ".join(f"{name} {int(np.sum(kinds == name))}" for name in KINDS))
    _draw_path(toy, np.asarray(path), groups)
    toy.set(xlim=(-3.5, 3.5), ylim=(-3.5, 3.5), aspect="equal", ylabel="second dimension")
    toy.set_title(f"margin {margin:g}")
    return figure


def shares_over_time(seen: Sequence[int], shares: Mapping[str, Sequence[float]]) -> Axes:
    """The share (per cent) of triplets with zero gradient against the triplets trained on."""
    _, axes = new(7, 3.6)
    for number, (name, values) in enumerate(shares.items()):
        color = (COLORS[0], COLORS[5], COLORS[2])[number]
        percent = 100 * np.asarray(values)
        axes.plot(seen, percent, ("-", "--", ":")[number], marker="os^"[number], ms=4, color=color,
                  label=name)  # fmt: skip
    axes.set_ylim(0, 100)
    axes.set_xlim(left=0)
    axes.xaxis.set_major_formatter(lambda value, _: f"{value:,.0f}")
    axes.set_xlabel("triplets trained on")
    axes.set_ylabel("share of the triplets (%)")
    axes.legend(loc="upper center", bbox_to_anchor=(0.5, 1.17), ncols=len(shares), fontsize=9)
    return axes


def stretching(factors: Sequence[float], losses: Mapping[str, Sequence[float]]) -> Axes:
    """The mean loss against the factor that multiplies every embedding, least loss marked."""
    _, axes = new(7, 3.6)
    for number, (name, values) in enumerate(losses.items()):
        color, values = (COLORS[0], COLORS[5])[number], np.asarray(values)
        axes.plot(factors, values, ("-", "--")[number], color=color, label=name)
        least = int(values.argmin())
        axes.plot(factors[least], values[least], "o", color=color, ms=7)
    axes.axvline(1, color=GREY, lw=1, ls=":")
    axes.text(1.03, axes.get_ylim()[1], "as trained", color=GREY, va="top", fontsize=9)
    axes.set_xscale("log")
    ticks = [0.01, 0.1, 1, 10]
    axes.set_xticks(ticks, [f"{tick:g}" for tick in ticks])
    axes.set_xlabel("factor on every embedding")
    axes.set_ylabel("mean triplet loss")
    axes.set_ylim(bottom=0)
    axes.legend(loc="upper left")
    return axes
