"""Figures of 12_senteval."""

from collections.abc import Mapping, Sequence

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from sbert_lab.plots import COLORS, new

GREY = "#777777"
STYLES = (
    (COLORS[5], "-", "o"),
    (COLORS[0], "--", "s"),
    (COLORS[2], "-.", "^"),
    (COLORS[3], ":", "D"),
)


def ranks(values: Sequence[float]) -> np.ndarray:
    """1 for the largest value; equal values share their mean rank: (n,)."""
    from scipy.stats import rankdata

    return rankdata(-np.asarray(values, dtype=float))


def slopes(
    panels: Mapping[str, Mapping[str, tuple[float, float]]], *, marked: Sequence[str] = ()
) -> Figure:
    """Rank under cosine -> rank under logistic regression, one panel per source of scores.

    panels maps a title to {system: (score under cosine, score of the classifier)}; the systems in
    `marked` have a colour, a line style and a marker of their own.
    """
    figure, axes = new(5.2 * len(panels), 4.6, columns=len(panels), squeeze=False)
    for one, (title, systems) in zip(axes[0], panels.items(), strict=True):
        left, right = (ranks([pair[side] for pair in systems.values()]) for side in (0, 1))
        for number, name in enumerate(systems):
            ends = float(left[number]), float(right[number])
            _slope(one, name, ends, systems[name], marked)
        one.set_title(title)
        one.set_xlim(-1.35, 2.35)
        one.set_ylim(len(systems) + 0.6, 0.4)
        one.set_xticks([0, 1], ["cosine\n(STS)", "logistic regression\n(seven tasks)"])
        one.set_yticks([])
        one.spines[["left", "bottom"]].set_visible(False)
        one.tick_params(length=0)
    return figure


def _slope(axes: Axes, name: str, ends, scores, marked: Sequence[str]) -> None:
    color, line, marker = (GREY, "-", "o")
    bold = name in marked
    if bold:
        color, line, marker = STYLES[list(marked).index(name) % len(STYLES)]
    axes.plot([0, 1], ends, line, color=color, marker=marker, lw=2.6 if bold else 1, ms=7)
    text = {"color": color if bold else "#333333", "va": "center", "fontsize": 9}
    text["weight"] = "bold" if bold else "normal"
    axes.text(-0.07, ends[0], f"{name}  {scores[0]:.1f}", ha="right", **text)
    axes.text(1.07, ends[1], f"{scores[1]:.1f}  {name}", ha="left", **text)


def stretch_curves(factors: Sequence[float], curves: Mapping[str, Sequence[float]]) -> Axes:
    """Score against the factor on one dimension, as a share of the score at factor 1."""
    _, axes = new(7, 3.6)
    for number, (name, values) in enumerate(curves.items()):
        color, line, marker = STYLES[number % len(STYLES)]
        values = np.asarray(values, dtype=float)
        axes.plot(
            factors, 100 * values / values[0], line, marker=marker, ms=6, color=color, label=name
        )
    axes.axhline(100, color=GREY, lw=1, ls=":")
    axes.set_xscale("log")
    axes.set_xticks(list(factors), [f"{factor:g}" for factor in factors])
    axes.minorticks_off()
    axes.set_ylim(0, 112)
    axes.set_xlabel("factor on one dimension")
    axes.set_ylabel("score, per cent of\nthe unstretched one")
    axes.legend(loc="lower left")
    return axes


def fold_map(outer: np.ndarray, inner: np.ndarray) -> Axes:
    """Nested folds: one line per fit, shade by the part a row plays in it.

    outer (folds, N): 1 where a row is tested. inner (inner folds, N): 0 fits, 1 chooses C, and 2
    is the outer test fold, left alone.
    """
    _, axes = new(8, 3.4)
    shades = {0: "#cfe3f2", 1: COLORS[1], 2: COLORS[5]}
    rows = [*(2 * np.asarray(outer)), *np.asarray(inner)]
    count = len(outer)
    for line, row in enumerate(rows):
        height = line + (0.8 if line >= count else 0)
        for value, color in shades.items():
            places = np.flatnonzero(row == value)
            axes.bar(places, 0.8, bottom=height, width=1.0, color=color, align="edge", lw=0)
    middle = [line + 0.4 for line in range(count)]
    middle += [line + 1.2 for line in range(count, len(rows))]
    names = [f"outer fold {n + 1}" for n in range(count)]
    names += [f"inside fold 1: {n + 1}" for n in range(len(inner))]
    axes.set_yticks(middle, names)
    axes.set_ylim(len(rows) + 0.8, 0)
    axes.set_xlim(0, len(rows[0]))
    axes.set_xlabel("rows of the task, shortest first")
    axes.spines[["left", "bottom"]].set_visible(False)
    axes.tick_params(length=0)
    handles = [
        axes.bar(0, 0, color=color, label=label)
        for color, label in zip(
            shades.values(), ("fit", "choose C", "test, seen once"), strict=True
        )
    ]
    axes.legend(handles=handles, loc="upper center", bbox_to_anchor=(0.5, 1.17), ncols=3)
    return axes


def task_bars(
    columns: Sequence[str],
    systems: Mapping[str, Sequence[float]],
    *,
    levels: tuple[str, Sequence[float]] | None = None,
) -> Axes:
    """Accuracy per task as dots, one marker per system: systems maps a name to len(columns).

    `levels` is a name and one value per task, drawn as a short line across the task's column.
    """
    _, axes = new(8, 3.8)
    places = np.arange(len(columns))
    for number, (name, values) in enumerate(systems.items()):
        color, _, marker = STYLES[number % len(STYLES)]
        shift = 0.16 * (number - (len(systems) - 1) / 2)
        axes.plot(places + shift, values, marker, color=color, ms=7, label=name, ls="")
    if levels:
        name, values = levels
        axes.hlines(values, places - 0.38, places + 0.38, color=GREY, lw=1.5, label=name, zorder=1)
    for place in places[:-1]:
        axes.axvline(place + 0.5, color="#e5e5e5", lw=1, zorder=0)
    axes.set_xticks(places, [name.upper() for name in columns])
    axes.set_ylabel("accuracy (%)")
    columns_of_legend = len(systems) + bool(levels)
    axes.legend(loc="upper center", bbox_to_anchor=(0.5, 1.17), ncols=columns_of_legend, fontsize=9)
    return axes
