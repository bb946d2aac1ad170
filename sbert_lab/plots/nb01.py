"""Figures of notebook 01: what the two encoders read, and what comparing n sentences costs."""

from collections.abc import Mapping, Sequence

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import FancyBboxPatch

from sbert_lab.plots import COLORS, new

MINUTE, HOUR, WEEK = 60, 3600, 7 * 24 * 3600
MARKS = {
    "a coffee (10 min)": 10 * MINUTE,
    "a night (8 h)": 8 * HOUR,
    "a term (15 weeks)": 15 * WEEK,
}
# The paper's own figures as (n, seconds, text), and where the text goes.
PAPER = {
    (1e4, 65 * HOUR, "V100, all pairs: 65 h"): ((-8, 9), "right"),
    (1e4, 5, "V100, embed all: 5 s"): ((9, -9), "left"),
    (4e7, 4e7 / 213.7, "V100, one query:\n52 h, from 213.7/s"): ((-8, 14), "right"),
}
GREY = "#555555"
TOP = 1e10  # seconds: some three centuries


# ---- what they read


def two_inputs(
    pair: tuple[Sequence[str], Sequence[int]],
    first: tuple[Sequence[str], Sequence[int]],
    second: tuple[Sequence[str], Sequence[int]],
) -> Figure:
    """Tokens with their segment ids: the one input of a pair above the two single inputs."""
    figure, axes = new(10, 4.4)
    width = sum(map(_width, pair[0]))
    axes.text(
        0.05, 5.15, "Cross-encoder: one input for both sentences (segment ids below)", weight="bold"
    )
    end = _draw_tokens(axes, pair, 0, 4.2)
    _draw_result(axes, end, 4.2, "BERT", "one score")
    axes.text(0.05, 2.65, "Bi-encoder: one input for each sentence", weight="bold")
    for (tokens, y), vector in zip(((first, 1.7), (second, 0.2)), "uv", strict=True):
        end = _draw_tokens(axes, tokens, 0, y)
        _draw_result(axes, end, y, "BERT + pooling", f"vector {vector}")
    _draw_cosine(axes, sum(map(_width, first[0])) + 4.6)
    axes.set(xlim=(-0.1, width + 4.4), ylim=(-0.75, 5.7))
    axes.set_axis_off()
    return figure


def _width(token: str) -> float:
    return 0.42 + 0.155 * len(token)


def _draw_tokens(
    axes: Axes, tokens: tuple[Sequence[str], Sequence[int]], x: float, y: float
) -> float:
    """One row of boxes, the segment id under each; returns the x at which it ends."""
    for token, segment in zip(*tokens, strict=True):
        color = COLORS[segment]
        box = FancyBboxPatch(
            (x + 0.06, y), _width(token) - 0.12, 0.62, boxstyle="round,pad=0.02,rounding_size=0.08"
        )
        box.set(facecolor=color, alpha=0.22, edgecolor="none")
        axes.add_patch(box)
        special = token.startswith(("[", "<"))
        middle = x + _width(token) / 2
        weight = "bold" if special else "normal"
        axes.text(middle, y + 0.31, token, ha="center", va="center", weight=weight, size=9)
        axes.text(middle, y - 0.3, str(segment), ha="center", va="center", color=GREY, size=8)
        x += _width(token)
    return x


def _draw_result(axes: Axes, x: float, y: float, through: str, result: str) -> None:
    """An arrow with the network's name on it, and what comes out."""
    axes.annotate(
        "", (x + 2.45, y + 0.31), (x + 0.15, y + 0.31), arrowprops={"arrowstyle": "->", "lw": 1.5}
    )
    axes.text(x + 1.25, y + 0.5, through, ha="center", size=9, color=GREY)
    axes.text(x + 2.6, y + 0.31, result, va="center", weight="bold", color=COLORS[5])


def _draw_cosine(axes: Axes, x: float) -> None:
    """The bracket that joins u and v."""
    axes.plot([x, x + 0.3, x + 0.3, x], [2.01, 2.01, 0.51, 0.51], color="black", linewidth=1.2)
    axes.text(x + 0.5, 1.26, "cosine(u, v)", va="center", weight="bold", color=COLORS[5])


# ---- what it costs


def cost_of_n(
    pairs_per_second: float,
    sentences_per_second: float,
    cosines_per_second: float,
    *,
    measured: Mapping[str, Sequence[tuple[float, float]]],
) -> Axes:
    """Seconds against n on log axes: all pairs, one query, encode and compare.

    `measured` has (n, seconds) points of this machine by curve ("pairs", "query", "encode").
    """
    figure, axes = new(9, 5.6)
    n = np.logspace(1, 8, 200)
    pairs = n * (n - 1) / 2
    curves = {
        "pairs": (pairs / pairs_per_second, COLORS[5], "all pairs,\ncross-encoder"),
        "query": (n / pairs_per_second, COLORS[1], "one query,\ncross-encoder"),
        "encode": (
            n / sentences_per_second + pairs / cosines_per_second,
            COLORS[0],
            "embed all,\nthen all cosines",
        ),
    }
    for name, (seconds, color, label) in curves.items():
        axes.loglog(n, seconds, color=color)
        for point in measured.get(name, ()):
            axes.loglog(*point, "o", color=color, markersize=6, zorder=3)
        _label_end(axes, n, seconds, label, color)
    _mark_times(axes)
    for (x, y, text), (offset, side) in PAPER.items():
        axes.loglog(x, y, "D", color="black", markersize=6, zorder=4)
        _label(axes, (x, y), text, "black", offset, side)
    axes.set(xlim=(10, 3e9), ylim=(1e-3, TOP), xlabel="sentences n", ylabel="seconds")
    axes.set_xticks([10.0**k for k in range(1, 9)])
    return axes


def _label_end(axes: Axes, n: np.ndarray, seconds: np.ndarray, text: str, color: str) -> None:
    """The curve's name where it leaves the figure: at its right end, or at the top."""
    last = int(np.flatnonzero(seconds < TOP / 30)[-1])
    _label(axes, (n[last], seconds[last]), text, color, (9, 0), "left")


def _label(axes: Axes, point: tuple, text: str, color: str, offset: tuple, side: str) -> None:
    axes.annotate(
        text,
        point,
        offset,
        textcoords="offset points",
        ha=side,
        va="center",
        color=color,
        size=9,
        bbox={"facecolor": "white", "edgecolor": "none", "pad": 1, "alpha": 0.85},
        zorder=5,
    )


def _mark_times(axes: Axes) -> None:
    for text, seconds in MARKS.items():
        axes.axhline(seconds, color=GREY, linewidth=0.8, linestyle=":")
        axes.text(12, seconds * 1.25, text, color=GREY, size=9)
