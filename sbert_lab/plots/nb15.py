"""Figures of 15_search_and_clustering."""

from collections.abc import Mapping, Sequence
from html import escape

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from sbert_lab.plots import COLORS, new

GREY = "#777777"
KINDS = {"flat": COLORS[0], "hnsw": COLORS[2], "ivfpq": COLORS[5]}
NAMES = {"flat": "flat", "hnsw": "HNSW", "ivfpq": "IVF-PQ"}
LINES = ("-", "--", ":", "-.")
MARKERS = "os^vDPX*"


def precision_and_recall(thresholds, labelled: tuple, everywhere: tuple, chosen: float) -> Figure:
    """Precision and recall (0 to 1) against the threshold: labelled pairs beside all pairs."""
    figure, axes = new(9, 3.6, columns=2, sharey=True)
    titles = ("the labelled pairs", "all pairs of the collection")
    for one, title, (precision, recall) in zip(axes, titles, (labelled, everywhere), strict=True):
        one.plot(thresholds, 100 * np.asarray(precision), "-", color=COLORS[0], label="precision")
        one.plot(thresholds, 100 * np.asarray(recall), "--", color=COLORS[1], label="recall")
        one.axvline(chosen, color=GREY, lw=1, ls=":")
        one.text(chosen, 101, " chosen on dev", color=GREY, fontsize=8, va="bottom", ha="center")
        one.set_title(title, pad=16)
        one.set_xlabel("cosine from which on a pair is called a duplicate")
    axes[0].set_ylabel("per cent")
    axes[0].set_ylim(0, 100)
    figure.legend(*axes[0].get_legend_handles_labels(), loc="outside lower center", ncols=2)
    return figure


def neighbour_curves(curves: Mapping[str, Sequence[float]]) -> Axes:
    """Mean cosine with the r-th nearest neighbour against r (log)."""
    _, axes = new(7, 3.8)
    for number, (name, values) in enumerate(curves.items()):
        ranks = np.arange(1, len(values) + 1)
        color = (COLORS[0], COLORS[2], COLORS[1], COLORS[5])[number]
        axes.plot(ranks, values, LINES[number], color=color, label=name)
    axes.set_xscale("log")
    axes.set_xticks([1, 2, 5, 10, 20, 50, 100], ["1", "2", "5", "10", "20", "50", "100"])
    axes.minorticks_off()
    axes.set_ylim(0, 1)
    axes.set_xlabel("rank of the neighbour")
    axes.set_ylabel("mean cosine")
    axes.legend(loc="upper center", bbox_to_anchor=(0.5, -0.2), ncols=2, fontsize=9)
    return axes


def recall_against_time(panels: Mapping[str, Sequence[Mapping]]) -> Figure:
    """recall@10 against ms per query, one panel a collection; a dot's area is its bytes a vector.

    Entries have kind, effort, recall (0 to 1), ms and bytes.
    """
    figure, axes = new(10, 4.4, columns=len(panels), sharex=True, sharey=True, squeeze=False)
    for one, (title, entries) in zip(axes[0], panels.items(), strict=True):
        for kind, color in KINDS.items():
            mine = [entry for entry in entries if entry["kind"] == kind]
            if not mine:
                continue
            x, y = [e["ms"] for e in mine], [100 * e["recall"] for e in mine]
            one.plot(x, y, color=color, lw=1, alpha=0.6)
            sizes = [max(10, 0.45 * e["bytes"]) for e in mine]
            one.scatter(x, y, s=sizes, color=color, alpha=0.75, edgecolor="white", zorder=3)
            _name_dots(one, mine, color)
        one.set_xscale("log")
        one.set_title(title)
        one.xaxis.set_major_formatter(lambda value, _: f"{value:g}")
        one.set_xlabel("ms per query")
        one.margins(x=0.2)
    axes[0][0].set_ylim(0, 112)
    axes[0][0].set_yticks(range(0, 101, 20))
    axes[0][0].set_ylabel("recall@10 (%)")
    return figure


def _name_dots(axes: Axes, entries: Sequence[Mapping], color: str) -> None:
    """The kind and its bytes once, below its dots; the effort beside each dot."""
    kind = entries[0]["kind"]
    lowest = min(entries, key=lambda entry: entry["recall"])
    text = f"{NAMES[kind]}, {lowest['bytes']:.0f} bytes"
    axes.annotate(text, (lowest["ms"], 100 * lowest["recall"]), xytext=(0, -26), ha="center",
                  va="top", textcoords="offset points", color=color, fontsize=9)  # fmt: skip
    height = -14 if kind == "ivfpq" else 12  # away from the other kind's name
    if len(entries) > 1:
        for entry in entries:
            axes.annotate(str(entry["effort"]), (entry["ms"], 100 * entry["recall"]),
                          xytext=(0, height), textcoords="offset points", ha="center",
                          fontsize=7, color=GREY)  # fmt: skip


def label_map(points, labels: Sequence[int], names: Sequence[str]) -> Axes:
    """A map of sentences, coloured and shaped by label: points (N, 2), labels (N,)."""
    _, axes = new(7.2, 4.8)
    points, labels = np.asarray(points), np.asarray(labels)
    for number, name in enumerate(names):
        here = points[labels == number]
        axes.scatter(here[:, 0], here[:, 1], s=18, marker=MARKERS[number], alpha=0.75, lw=0,
                     color=COLORS[number], label=name)  # fmt: skip
    axes.set_xticks([])
    axes.set_yticks([])
    axes.set_xlabel("UMAP, first direction (no unit)")
    axes.set_ylabel("second direction (no unit)")
    axes.legend(loc="center left", bbox_to_anchor=(1, 0.5), fontsize=9)
    return axes


def hover_map(points, labels: Sequence[int], texts: Sequence[str]) -> str:
    """The same map as SVG in HTML: hold the pointer over a dot and its sentence appears."""
    points = np.asarray(points, dtype=float)
    low, high = points.min(axis=0), points.max(axis=0)
    places = 10 + 580 * (points - low) / np.maximum(high - low, 1e-9)
    dots = [
        f'<circle cx="{x:.0f}" cy="{0.6 * (600 - y):.0f}" r="5" fill="{COLORS[label]}" '
        f'opacity="0.75"><title>{escape(text)}</title></circle>'
        for (x, y), label, text in zip(places, labels, texts, strict=True)
    ]
    return f'<svg viewBox="0 0 600 360" width="600" height="360">{"".join(dots)}</svg>'
