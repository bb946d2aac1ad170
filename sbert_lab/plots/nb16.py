"""Figures of 16_between_the_two."""

from collections.abc import Mapping, Sequence

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from sbert_lab.plots import COLORS, new

GREY = "#777777"
# family: colour, marker, how its points are labelled
FAMILIES = {
    "raw": (GREY, "X"),
    "bi-encoder": (COLORS[0], "o"),
    "poly-encoder": (COLORS[2], "s"),
    "re-rank": (COLORS[1], "^"),
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
    figure, axes = new(width, 4.8, columns=len(panels), sharey=True)
    for one, (title, systems) in zip(np.atleast_1d(axes), panels.items(), strict=True):
        _panel(one, systems, unit)
        one.set_title(title)
        one.set_xlabel("multiply-adds per query")
        one.label_outer()
    first = np.atleast_1d(axes)[0]
    first.set_ylabel("mean reciprocal rank (points)")
    first.set_ylim(0, 100)
    handles = [
        first.scatter([], [], color=color, marker=marker, label=name)
        for name, (color, marker) in FAMILIES.items()
    ]
    handles.append(first.plot([], [], color=GREY, ls="--", lw=1.3, label="front")[0])
    figure.legend(handles=handles, loc="outside lower center", ncols=3 if len(panels) == 1 else 6,
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
    axes.set_xscale("log")
    axes.set_xticks(ks, [str(k) for k in ks])
    axes.minorticks_off()
    axes.set_ylim(0, 104)
    axes.set_xlabel("k: candidates that the second stage reads")
    axes.set_ylabel("mean reciprocal rank (points)")
    axes.legend(loc="upper center", bbox_to_anchor=(0.5, 1.25), ncols=2, fontsize=9)
    return axes


def code_views(weights, tokens: Sequence[str]) -> Axes:
    """What each code looks at: attention weights (M, T) over the tokens of a sentence."""
    weights = np.asarray(weights)
    figure, axes = new(0.62 * len(tokens) + 2.4, 0.3 * len(weights) + 1.7)
    image = axes.imshow(weights, vmin=0, cmap="cividis", aspect="auto")
    axes.set_xticks(range(len(tokens)), tokens, rotation=45, ha="right")
    axes.set_yticks(range(len(weights)), range(1, len(weights) + 1))
    axes.set_ylabel("code")
    figure.colorbar(image, ax=axes, label="weight", pad=0.02)
    return axes


def cost_by_size(sizes: Sequence[int], curves: Mapping[str, Sequence[float]]) -> Axes:
    """Multiply-adds per query against the size of the collection, both logarithmic."""
    _, axes = new(6.8, 4)
    for name, values in curves.items():
        color, marker = FAMILIES[family_of(name)]
        style, face = ("--", "white") if "64" in name else ("-", color)
        axes.plot(sizes, values, style, color=color, marker=marker, ms=5, mfc=face, label=name)
    axes.set_xscale("log")
    axes.set_yscale("log")
    axes.set_xlabel("questions in the collection")
    axes.set_ylabel("multiply-adds per query")
    axes.legend(loc="center left", bbox_to_anchor=(1.01, 0.5), fontsize=9)
    return axes
