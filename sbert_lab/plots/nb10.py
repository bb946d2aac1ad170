"""Figures of 10_argument_facets."""

from collections.abc import Mapping, Sequence

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from sbert_lab.plots import COLORS, new

BLUE, AMBER, RED, GREY = COLORS[0], COLORS[1], "#C1121F", "#9A9A9A"
ROLES = {"training only": (BLUE, "o"), "test only": (AMBER, "s"), "both: shared": (RED, "X")}
# Colour and marker of each system, in every figure. Blue and amber are taken by the roles.
SYSTEMS = {
    "look-up table": (COLORS[3], "o"),
    "SVR": (COLORS[4], "s"),
    "BiLSTM": (COLORS[2], "D"),
    "SBERT-AFS": (COLORS[7], "^"),
    "cross-encoder": (COLORS[5], "v"),
}


def close_knit(first: np.ndarray, second: np.ndarray, count: int) -> np.ndarray:
    """A few sentences with many pairs among them: the best connected one, then whoever joins best.

    `first` and `second` are sentence numbers, one pair each; gives sentence numbers: (count,).
    """
    chosen = [int(np.bincount(np.concatenate([first, second])).argmax())]
    while len(chosen) < count:
        inside = np.isin(first, chosen), np.isin(second, chosen)
        joining = np.concatenate([second[inside[0] & ~inside[1]], first[inside[1] & ~inside[0]]])
        if not len(joining):
            break
        chosen.append(int(np.bincount(joining).argmax()))
    return np.array(chosen)


def graphs_and_bars(
    panels: Mapping[str, tuple[Sequence[int], Sequence[int]]],
    clusters: Sequence[Sequence[int]],
    edges: tuple[np.ndarray, np.ndarray],
    bars: Mapping[str, Mapping[str, float]],
) -> Figure:
    """Above: sentences and their pairs under each split, shared sentences red. Below: scores.

    `panels` maps a split to one fold's (training, tested) pair numbers, `clusters` are lists of
    sentence numbers to draw in a circle each, `edges` the two sentence numbers of every pair, and
    `bars` maps a split to the Spearman of each system.
    """
    figure, axes = new(10, 5.2, columns=len(panels), rows=2, height_ratios=[0.9, 1], squeeze=False)
    place = _circles(clusters)
    for column, (title, (train, test)) in enumerate(panels.items()):
        _graph(axes[0, column], place, edges, np.asarray(train), np.asarray(test))
        axes[0, column].set_title(title)
        _bars(axes[1, column], bars[title])
        if column:
            axes[1, column].set_yticklabels([])
    handles = [
        Line2D([], [], color=color, marker=marker, ls="", label=f"sentence in {name}")
        for name, (color, marker) in ROLES.items()
    ]
    handles += [
        Line2D([], [], color=BLUE, lw=1.2, label="training pair"),
        Line2D([], [], color=AMBER, lw=2.4, label="tested pair"),
        Line2D([], [], color=GREY, lw=1, ls=":", label="pair in neither"),
    ]
    figure.legend(handles=handles, loc="outside upper center", ncols=3, fontsize=9)
    return figure


def _circles(clusters: Sequence[Sequence[int]]) -> dict[int, tuple[float, float]]:
    """Where each sentence stands: one circle per cluster, the circles in a row of two or three."""
    centres = {1: [(0, 0)], 2: [(-1.15, 0), (1.15, 0)], 3: [(-1.2, 0.75), (1.2, 0.75), (0, -1.3)]}
    place = {}
    for (x, y), cluster in zip(centres[len(clusters)], clusters, strict=True):
        for number, sentence in enumerate(cluster):
            angle = 2 * np.pi * number / len(cluster)
            place[int(sentence)] = (x + np.cos(angle), y + np.sin(angle))
    return place


def _graph(axes: Axes, place: dict, edges: tuple, train: np.ndarray, test: np.ndarray) -> None:
    first, second = edges
    drawn = np.flatnonzero([a in place and b in place for a, b in zip(first, second, strict=True)])
    styles = {
        "train": {"color": BLUE, "lw": 0.9, "alpha": 0.55, "zorder": 1},
        "test": {"color": AMBER, "lw": 2.2, "alpha": 0.95, "zorder": 2},
        "neither": {"color": GREY, "lw": 0.9, "ls": ":", "alpha": 0.8, "zorder": 0},
    }
    train_set, test_set = set(train.tolist()), set(test.tolist())
    for pair in drawn:
        kind = "train" if pair in train_set else "test" if pair in test_set else "neither"
        ends = [place[int(first[pair])], place[int(second[pair])]]
        axes.plot(*zip(*ends, strict=True), **styles[kind])
    known = set(first[train]) | set(second[train])
    asked = set(first[test]) | set(second[test])
    for sentence, where in place.items():
        roles = {
            (True, True): "both: shared",
            (True, False): "training only",
            (False, True): "test only",
        }
        role = roles.get((sentence in known, sentence in asked))
        color, marker = ROLES[role] if role else (GREY, "o")
        axes.scatter(*where, s=46, color=color, marker=marker, zorder=3, edgecolor="white", lw=0.6)
    axes.set_aspect("equal")
    axes.axis("off")


def _bars(axes: Axes, values: Mapping[str, float]) -> None:
    names = list(values)[::-1]
    widths = [values[name] for name in names]
    axes.barh(names, widths, color=[SYSTEMS[name][0] for name in names], height=0.7)
    for row, width in enumerate(widths):
        axes.text(max(width, 0) + 1.5, row, f"{width:.0f}", va="center", fontsize=9)
    axes.axvline(0, color="black", lw=0.8)
    axes.spines["left"].set_visible(False)
    axes.set_xlim(min(-8, *widths), 100)
    axes.set_xlabel("Spearman x 100")
    axes.tick_params(axis="y", length=0)


def fall(
    protocols: Sequence[str], values: Mapping[str, Sequence[float]], *, ylabel="Spearman x 100"
) -> Axes:
    """One line per system (a name of SYSTEMS) over the protocols, in the given order."""
    _, axes = new(8, 4)
    places = np.arange(len(protocols))
    ends = []
    for name, line in values.items():
        color, marker = SYSTEMS[name]
        axes.plot(places, line, marker=marker, ms=6, color=color, lw=1.8)
        ends.append((float(line[-1]), name, color))
    low, high = axes.get_ylim()
    above = -np.inf
    for value, name, color in sorted(ends):  # labels at the right end, pushed apart
        above = max(value, above + (high - low) * 0.06)
        axes.text(places[-1] + 0.08, above, name, color=color, va="center", fontsize=9)
    axes.axhline(0, color=GREY, lw=1, ls=":")
    axes.set_xticks(places, protocols)
    axes.set_xlim(-0.2, len(protocols) - 1 + 0.9)
    axes.set_ylabel(ylabel)
    return axes
