"""Figures of 11_wikipedia_sections."""

from collections.abc import Mapping, Sequence

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Patch

from sbert_lab.plots import COLORS, new

KINDS = {
    "cue": ("cheap cues", COLORS[1]),
    "untrained": ("not trained on sections", COLORS[4]),
    "trained": ("trained on sections", COLORS[0]),
    "floor": ("floors", "#999999"),
}
GREY = "#555555"


def ladder(
    names: Sequence[str],
    hits: Sequence[float],
    ties: Sequence[float],
    *,
    kinds: Sequence[str],
    spreads: Sequence[float] | None = None,
) -> Axes:
    """One bar per system: its hits (per cent), then, hatched, the half of the ties a coin wins."""
    figure, axes = new(7.6, 0.36 * len(names) + 1.3)
    hits, coin = np.asarray(hits, dtype=float), np.asarray(ties, dtype=float) / 2
    spreads = np.zeros(len(hits)) if spreads is None else np.asarray(spreads, dtype=float)
    places = np.arange(len(names))[::-1]
    colors = [KINDS[kind][1] for kind in kinds]
    axes.barh(places, hits, color=colors, height=0.7)
    axes.barh(places, coin, left=hits, color="white", edgecolor=colors, hatch="////", height=0.7)
    for place, end, spread in zip(places, hits + coin, spreads, strict=True):
        if spread > 0:
            axes.errorbar(end, place, xerr=spread, color="black", capsize=3, lw=1.2)
        axes.text(max(end + spread, 50) + 1, place, f"{end:.1f}", va="center", fontsize=9)
    axes.plot([50, 50], [-0.6, len(names) - 0.3], color=GREY, lw=1, ls="--")
    axes.text(50, len(names) - 0.1, "chance", color=GREY, ha="center", va="bottom", fontsize=9)
    axes.set_yticks(places, names)
    axes.set_xlim(0, max(80, float((hits + coin + spreads).max()) + 9))
    axes.set_ylim(-0.6, len(names) + 0.5)
    axes.set_xlabel("triplets with the positive closer (%), hatched: half of the ties")
    handles = [Patch(color=c, label=label) for kind, (label, c) in KINDS.items() if kind in kinds]
    figure.legend(handles=handles, loc="outside lower center", ncols=len(handles), fontsize=9)
    return axes


def leaks(
    seen: Mapping[str, Sequence[float]], labels: Sequence[str], memory: Mapping[str, float]
) -> Figure:
    """Left: what of the test set training had seen (per cent). Right: what memory alone scores."""
    figure, (left, right) = new(9, 3.3, columns=2, width_ratios=[3, 2])
    width, colors, hatches = 0.38, (COLORS[5], COLORS[0]), ("", "///")
    for number, (split, shares) in enumerate(seen.items()):
        places = np.arange(len(labels)) + (number - 0.5) * width
        style = {"color": colors[number], "hatch": hatches[number], "edgecolor": "white"}
        left.bar(places, shares, width, label=split, **style)
        right.bar(number, memory[split], 0.45, **style)
        for place, share in zip(places, shares, strict=True):
            left.text(place, share + 2, f"{share:.0f} %", ha="center", fontsize=9)
        right.text(number, memory[split] + 2, f"{memory[split]:.1f} %", ha="center", fontsize=9)
    left.set_xticks(range(len(labels)), labels)
    left.set_ylabel("seen in training (%)")
    left.set_title("of the test set, training has seen ...")
    right.set_xticks(range(len(memory)), list(memory))
    right.set_xlim(-0.6, len(memory) - 0.4)
    right.axhline(50, color=GREY, lw=1, ls="--")
    right.text(
        (len(memory) - 1) / 2, 51, "chance", color=GREY, ha="center", va="bottom", fontsize=9
    )
    right.set_ylabel("accuracy with a coin (%)")
    right.set_title("a memory that reads nothing")
    for axes in (left, right):
        axes.set_ylim(0, 112)
        axes.set_yticks(range(0, 101, 25))
    figure.legend(*left.get_legend_handles_labels(), loc="outside lower center", ncols=2)
    return figure
