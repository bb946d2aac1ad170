"""Figures of 17_your_own_encoder."""

from collections.abc import Mapping, Sequence

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle

from sbert_lab.plots import COLORS, heatmap, new

GREY = "#777777"
PAPER = "claimed"
# verdict -> (marker, colour, size, filled): told apart by shape alone, too
VERDICTS = {
    PAPER: ("D", GREY, 38, False),
    "holds": ("o", COLORS[2], 85, True),
    "does not hold": ("X", COLORS[5], 85, True),
    "inconclusive": ("^", COLORS[1], 75, True),
    "not measurable": ("s", GREY, 55, False),
    "not recorded": (".", "#aaaaaa", 30, True),
}
LONG = {"does not hold at this scale": "does not hold", "not measurable here": "not measurable"}
STYLES = {"floor": ("#999999", "s"), "system": (COLORS[0], "o"), "extra": (COLORS[1], "^")}


def batch(cosines, rows: Sequence[str], columns: Sequence[str], twins=None) -> Axes:
    """Every u (rows) against every v (columns): own positives framed, twins hatched."""
    _, axes = new(6.8, 4.2)
    values = np.asarray(cosines)
    heatmap(axes, values, [""] * len(values), minimum=float(values.min()), maximum=1.0)
    axes.set_xticks(range(len(columns)), columns, rotation=30, ha="right")
    axes.set_yticks(range(len(rows)), rows)
    for place in range(len(values)):
        corner = (place - 0.47, place - 0.47)
        axes.add_patch(Rectangle(corner, 0.94, 0.94, fill=False, ec=COLORS[5], lw=3))
    for row, column in np.argwhere(np.asarray(twins) if twins is not None else []):
        corner = (column - 0.47, row - 0.47)
        style = {"fill": False, "ec": "white", "lw": 2, "hatch": "//", "alpha": 0.55}
        axes.add_patch(Rectangle(corner, 0.94, 0.94, **style))
    axes.set_xlabel("positives: v")
    axes.set_ylabel("anchors: u")
    return axes


def systems(
    rows: Mapping[str, Mapping[str, Sequence[float]]],
    titles: Mapping[str, str],
    *,
    kinds: Mapping[str, str],
    live: tuple[str, Mapping[str, float]] | None = None,
) -> Figure:
    """One panel per score, one line per system, one dot per seed; the live run a diamond above."""
    figure, axes = new(9.6, 0.42 * len(rows) + 1.7, columns=len(titles), sharey=True)
    names = list(rows)
    for one, (score, title) in zip(np.atleast_1d(axes), titles.items(), strict=True):
        for height, name in enumerate(names):
            color, marker = STYLES[kinds[name]]
            values = np.asarray(rows[name][score])
            one.plot(values, [height] * len(values), marker, color=color, ms=7, alpha=0.75)
            one.plot(values.mean(), height, "|", color=color, ms=16, mew=2)
        if live is not None and score in live[1]:
            height = names.index(live[0]) - 0.28  # beside its line: the dots stay visible
            one.plot(live[1][score], height, "D", color=COLORS[7], ms=6, zorder=4)
        one.set_title(title, fontsize=9.5)
        one.set_xlabel("points")
        one.grid(axis="x", color="#dddddd", lw=0.7)
        one.margins(x=0.12)
        one.locator_params(axis="x", nbins=4)
    first = np.atleast_1d(axes)[0]
    first.set_yticks(range(len(names)), names)
    first.set_ylim(len(names) - 0.5, -0.5)
    return figure


def ledger(
    entries: Sequence[Mapping[str, str]], profiles: Sequence[str] = ("mini", "real")
) -> Axes:
    """The strip: claims to the right; the paper, and each profile, one line."""
    figure, axes = new(11, 2.9)
    lines = [*profiles, "paper"]
    used: dict[str, list[tuple[int, int]]] = {name: [] for name in VERDICTS}
    for x, entry in enumerate(entries):
        for y, line in enumerate(lines):
            found = PAPER if line == "paper" else LONG.get(entry[line], entry[line])
            used[found].append((x, y))
    for name, places in used.items():
        if places:
            marker, color, size, filled = VERDICTS[name]
            face = color if filled else "white"
            x, y = zip(*places, strict=True)
            style = {"marker": marker, "s": size, "facecolor": face, "edgecolor": color}
            axes.scatter(x, y, linewidths=1.6, label=name, zorder=3, **style)
    for x in range(len(entries) + 1):
        axes.axvline(x - 0.5, color="#eeeeee", lw=0.8, zorder=0)
    axes.set_xticks(range(len(entries)), [entry["id"] for entry in entries], rotation=90)
    axes.set_yticks(range(len(lines)), lines)
    axes.set_xlim(-0.5, len(entries) - 0.5)
    axes.set_ylim(len(lines) - 0.5, -0.5)
    axes.tick_params(length=0)
    axes.spines[["left", "bottom"]].set_visible(False)
    figure.legend(loc="outside lower center", ncols=len(VERDICTS), handletextpad=0.3)
    return axes
