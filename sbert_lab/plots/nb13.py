"""Figures of 13_ablations."""

from collections.abc import Mapping, Sequence

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from sbert_lab.plots import COLORS, new

GREY = "#777777"
LIGHT = "#DDDDDD"


def parts_and_bars(
    present: Mapping[str, Mapping[str, bool]],
    ours: Mapping[str, Sequence[float]],
    papers: Mapping[str, float],
    *,
    lines: Mapping[str, float],
) -> Figure:
    """Dots for the parts that the head sees, a bar per choice with its seeds, the paper's tick.

    `present` maps a concatenation to {part: seen}; `ours` to one score per seed; `lines` are
    further levels to draw, such as the raw backbone; where two of them nearly coincide, one line
    stands for both.
    """
    figure, (dots, bars) = new(9, 4.4, columns=2, width_ratios=(1, 2.6), sharey=True)
    names = list(present)
    _dots(dots, present)
    heights = [float(np.mean(ours[name])) for name in names]
    rows = np.arange(len(names))
    bars.barh(rows, heights, height=0.62, color=COLORS[4], label="recorded: mean")
    x, y = _points([ours[name] for name in names])
    bars.plot(x, y, "o", color=COLORS[0], ms=5, label="recorded: each seed")
    theirs = [papers[name] for name in names]
    ticks = {"color": COLORS[5], "lw": 3, "label": "paper (BERT-base, all of NLI)"}
    bars.vlines(theirs, rows - 0.34, rows + 0.34, **ticks)
    for number, (name, level) in enumerate(merge_levels(lines).items()):
        style = {"color": GREY, "lw": 1.2, "ls": ("--", ":")[number % 2]}
        bars.axvline(level, **style, label=f"recorded: {name}")
    for row, name in enumerate(names):
        spread = np.std(ours[name], ddof=1) if len(ours[name]) > 1 else 0.0
        bars.text(1, row, f"{heights[row]:.1f} ± {spread:.1f}", va="center", fontsize=9)
    bars.set_xlim(0, max([*heights, *theirs, *lines.values()]) + 4)
    bars.set_xlabel("Spearman on STSb dev (points)")
    bars.tick_params(left=False)
    figure.legend(
        *bars.get_legend_handles_labels(), loc="outside lower center", ncols=3, fontsize=9
    )
    return figure


def merge_levels(lines: Mapping[str, float], nearest: float = 0.5) -> dict[str, float]:
    """Levels closer than `nearest` become one, at their mean, under both names."""
    merged: dict[str, float] = {}
    for name, level in lines.items():
        twin = next((other for other in merged if abs(merged[other] - level) < nearest), None)
        if twin is None:
            merged[name] = level
        else:
            merged[f"{twin}; {name}"] = (merged.pop(twin) + level) / 2
    return merged


def _points(groups: Sequence[Sequence[float]]) -> tuple[np.ndarray, np.ndarray]:
    """All values in a row, and the number of the group that each belongs to."""
    sizes = [len(group) for group in groups]
    return np.concatenate(groups), np.repeat(np.arange(len(groups)), sizes)


def _dots(axes: Axes, present: Mapping[str, Mapping[str, bool]]) -> None:
    names, parts = list(present), list(next(iter(present.values())))
    for row, name in enumerate(names):
        seen = [number for number, part in enumerate(parts) if present[name][part]]
        axes.scatter(range(len(parts)), [row] * len(parts), s=60, color=LIGHT, zorder=2)
        axes.scatter(seen, [row] * len(seen), s=70, color="black", zorder=3)
        if len(seen) > 1:
            axes.plot([seen[0], seen[-1]], [row, row], color="black", lw=1.5, zorder=2)
    axes.set_xticks(range(len(parts)), parts)
    axes.xaxis.tick_top()
    axes.tick_params(top=False, left=False)
    axes.set_yticks(range(len(names)), names)
    axes.set_xlim(-0.6, len(parts) - 0.4)
    axes.set_ylim(len(names) - 0.4, -0.6)
    for side in ("left", "bottom"):
        axes.spines[side].set_visible(False)


def poolings(panels: Mapping[str, Mapping[str, tuple]], *, raw: Mapping[str, float]) -> Figure:
    """One panel per objective: {title: {choice: (scores per seed, the paper's score)}}.

    `raw` has the untrained backbone's score under each pooling.
    """
    figure, axes = new(9, 3.9, columns=len(panels), sharey=True)
    for one, (title, choices) in zip(axes, panels.items(), strict=True):
        scores, papers = zip(*choices.values(), strict=True)
        places = np.arange(len(choices))
        means = [float(np.mean(values)) for values in scores]
        one.bar(places, means, width=0.6, color=COLORS[4], label="recorded: mean")
        values, place = _points(scores)
        one.plot(place, values, "o", color=COLORS[0], ms=5, label="recorded: each seed")
        left, right = places - 0.36, places + 0.36
        one.hlines(papers, left, right, color=COLORS[5], lw=3, label="paper")
        before = [raw[name] for name in choices]
        style = {"color": GREY, "ls": ":", "lw": 2, "label": "recorded: before training"}
        one.hlines(before, left, right, **style)
        one.set_xticks(places, list(choices))
        one.set_title(title)
    axes[0].set_ylabel("Spearman on STSb dev (points)")
    axes[0].set_ylim(bottom=0, top=100)
    handles, labels = axes[0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside lower center", ncols=4, fontsize=9)
    return figure


def equal_or_not(accuracies: Mapping[str, float]) -> Axes:
    """How often a linear head on each concatenation tells equal vectors from different ones."""
    _, axes = new(7, 3.2)
    names = list(accuracies)
    values = [accuracies[name] for name in names]
    axes.barh(range(len(names)), values, height=0.62, color=COLORS[4])
    for row, value in enumerate(values):
        axes.text(value + 1, row, f"{value:.0f} %", va="center", fontsize=9)
    axes.axvline(50, color=GREY, ls="--", lw=1.2)
    axes.text(50.8, len(names) - 0.45, "a coin", color=GREY, fontsize=9, va="center")
    axes.set_yticks(range(len(names)), names)
    axes.set_ylim(len(names) - 0.1, -0.6)
    axes.set_xlim(0, 112)
    axes.set_xlabel("accuracy on new pairs (%)")
    return axes


def stakes(recorded: Sequence[float], low: float, high: float, live: float) -> Axes:
    """The recorded seeds, the staked range, and the new run on one line."""
    figure, axes = new(7, 1.9)
    axes.plot([low, high], [0, 0], color=COLORS[4], lw=12, solid_capstyle="butt", label="staked")
    axes.plot(recorded, [0] * len(recorded), "o", color=COLORS[0], ms=7, label="recorded seeds")
    axes.plot([live], [0], "D", color=COLORS[5], ms=9, label="your new seed")
    axes.set_yticks([])
    axes.spines["left"].set_visible(False)
    axes.set_ylim(-0.6, 0.6)
    axes.set_xlabel("Spearman on STSb dev (points)")
    figure.legend(loc="outside upper center", ncols=3, fontsize=9)
    return axes
