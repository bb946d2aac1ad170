"""Figures of 08_unsupervised_sts."""

from collections.abc import Mapping, Sequence

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from sbert_lab.plots import COLORS, new

GREY = "#777777"
WAYS = {"all": ("o", COLORS[0]), "mean": ("s", COLORS[1]), "weighted mean": ("^", COLORS[2])}
KINDS = {"system": ("o", COLORS[0]), "extra": ("D", COLORS[2]), "floor": ("s", GREY)}


def three_numbers(
    years: Sequence[str], ways: Mapping[str, Sequence[float]], gaps: Sequence[float], *, rivals: str
) -> Figure:
    """Left: three scores of one system per year. Right: how far they lie apart, beside a gap.

    ways maps 'all', 'mean' and 'weighted mean' to a score per year; gaps are the (absolute)
    differences between two systems' "all".
    """
    figure, (left, right) = new(9.5, 3.9, columns=2, width_ratios=[1.15, 1])
    table = np.array([ways[name] for name in WAYS])  # (3, years)
    places = np.arange(len(years))
    left.vlines(places, table.min(axis=0), table.max(axis=0), color="#cccccc", lw=5, zorder=1)
    for shift, (name, (marker, color)) in zip((-0.12, 0, 0.12), WAYS.items(), strict=True):
        left.scatter(places + shift, ways[name], marker=marker, color=color, s=55, label=name,
                     zorder=3)  # fmt: skip
    left.set_ylabel("Spearman (points)")
    left.set_title("one system, three numbers a year")
    spans = np.ptp(table, axis=0)
    right.bar(places - 0.19, spans, 0.36, color="#bbbbbb", label="largest minus smallest number")
    right.bar(places + 0.19, gaps, 0.36, color=COLORS[5], label=rivals)
    right.set_ylabel("points")
    right.set_title("that span, beside a gap between systems")
    for axes in (left, right):
        axes.set_xticks(places, years)
        axes.set_xlim(-0.5, len(years) - 0.5)
    left.legend(loc="upper center", bbox_to_anchor=(0.5, -0.1), ncols=3, fontsize=9)
    right.legend(loc="upper center", bbox_to_anchor=(0.5, -0.1), ncols=1, fontsize=9)
    return figure


def bent(gold: Sequence[float], panels: Mapping[str, tuple]) -> Figure:
    """One panel per similarity: values against gold with the straight line that fits best.

    panels maps a title to (values, line below the title).
    """
    figure, axes = new(9.5, 3.7, columns=len(panels))
    gold = np.asarray(gold)
    for number, (one, (title, (values, words))) in enumerate(
        zip(np.atleast_1d(axes), panels.items(), strict=True)
    ):
        slope, start = np.polyfit(gold, values, 1)
        one.scatter(gold, values, s=10, alpha=0.55, lw=0, color=COLORS[(0, 5, 2)[number]])
        ends = np.array([0, 1])
        one.plot(ends, start + slope * ends, color="black", lw=1.2, ls="--")
        one.set_title(f"{title}\n{words}")
        one.set_xlabel("gold score (0 to 1)")
    np.atleast_1d(axes)[0].set_ylabel("similarity")
    return figure


def table_one(
    names: Sequence[str],
    scores: Mapping[str, Sequence[float]],
    kinds: Mapping[str, str],
    *,
    paper: Mapping[str, float],
    live: tuple[str, float] | None = None,
) -> Axes:
    """The averages of all rows: a dot per seed, the paper's figure as a tick, a star for `live`."""
    _, axes = new(8, 0.9 + 0.33 * len(names))
    places = {name: len(names) - 1 - number for number, name in enumerate(names)}
    floor = max(np.mean(scores[name]) for name in names if kinds[name] == "floor")
    axes.axvline(floor, color=GREY, lw=1, ls=":", zorder=0, label="highest floor")
    seen = set()
    for name in names:
        marker, color = KINDS[kinds[name]]
        label = None if kinds[name] in seen else kinds[name]
        seen.add(kinds[name])
        values = np.asarray(scores[name])
        axes.scatter(values, [places[name]] * len(values), marker=marker, s=34, color=color,
                     alpha=0.8, lw=0, label=label, zorder=3)  # fmt: skip
    known = [name for name in names if name in paper]
    axes.scatter([paper[name] for name in known], [places[name] for name in known], marker="|",
                 s=130, color="black", lw=2, label="paper", zorder=2)  # fmt: skip
    if live is not None:
        axes.scatter(live[1], places[live[0]], marker="*", s=150, color=COLORS[5],
                     edgecolor="white", lw=0.5, label="trained just now", zorder=4)  # fmt: skip
    axes.set_yticks(list(places.values()), list(places))
    axes.set_ylim(-0.6, len(names) - 0.4)
    axes.grid(axis="y", color="#eeeeee", zorder=0)
    axes.set_axisbelow(True)
    axes.set_xlabel("average Spearman over the sets (points)")
    axes.legend(loc="upper center", bbox_to_anchor=(0.4, -0.1), ncols=6, fontsize=9,
                columnspacing=1.2, handletextpad=0.3)  # fmt: skip
    return axes


def intervals(parts: Mapping[str, tuple[float, float, str]], *, tolerance: float = 2.0) -> Axes:
    """The 95 % interval of each part of the claims: name -> (low, high, kind of the part)."""
    _, axes = new(8, 0.8 + 0.36 * len(parts))
    axes.axvspan(-tolerance, tolerance, color="#eeeeee", zorder=0, lw=0)
    axes.axvline(0, color=GREY, lw=1)
    names = list(parts)[::-1]
    for place, name in enumerate(names):
        low, high, kind = parts[name]
        color = COLORS[0] if kind == "above" else COLORS[1]
        axes.plot([low, high], [place, place], color=color, lw=3, solid_capstyle="butt")
        axes.plot((low + high) / 2, place, "o" if kind == "above" else "s", color=color, ms=6)
    handles = [
        axes.plot([], [], "o-", color=COLORS[0], label="must lie to the right of 0")[0],
        axes.plot([], [], "s-", color=COLORS[1], label="must lie inside the grey band")[0],
    ]
    axes.set_yticks(range(len(names)), names)
    axes.set_ylim(-0.6, len(names) - 0.4)
    axes.set_xlabel("difference (points), 95 % interval over the test pairs")
    axes.legend(handles=handles, loc="upper center", bbox_to_anchor=(0.35, 1.16), ncols=2,
                fontsize=9)  # fmt: skip
    return axes
