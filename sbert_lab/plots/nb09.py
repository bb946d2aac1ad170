"""Figures of 09_supervised_sts."""

from collections.abc import Mapping, Sequence

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from sbert_lab.plots import COLORS, new

GREY, PAPER = "#777777", "#444444"
KINDS = {"system": COLORS[0], "extra": COLORS[2], "floor": COLORS[5]}
NAMES = {"system": "every seed", "extra": "with MiniLM", "floor": "a floor"}
LUCKS = {"over the test pairs": COLORS[0], "over the seeds": COLORS[1]}


def rows_of(table, column: str) -> list[dict]:
    """What seed_dots needs of a recorded table (results.Results), row by row."""
    return [
        {
            "name": row,
            "scores": table.scores(row, column),
            "kind": table.kind(row),
            "paper": table.paper_name(row),
        }
        for row in table.rows
    ]


def seed_dots(panels: Mapping[str, Sequence[Mapping]], *, paper: Mapping[str, tuple]) -> Figure:
    """Every seed a dot, mean and sd per setting, the paper's as ticks.

    panels maps a title to rows: {"name", "scores": (seeds,), "kind", "paper": name or None};
    `paper` maps the paper's names to (mean, sd or nan).
    """
    longest_first = sorted(panels.values(), key=len, reverse=True)
    names = list(dict.fromkeys(row["name"] for rows in longest_first for row in rows))
    place = {name: len(names) - number for number, name in enumerate(names)}
    figure, axes = new(3.4 + 3.2 * len(panels), 1.3 + 0.32 * len(names), columns=len(panels),
                       sharex=True, sharey=True, squeeze=False)  # fmt: skip
    for one, (title, rows) in zip(axes[0], panels.items(), strict=True):
        for row in rows:
            _setting(one, place[row["name"]], row, paper.get(row["paper"]))
        one.set_title(title)
        one.set_xlabel("Spearman on the test pairs (x 100)")
        one.grid(axis="x", color="#e6e6e6", lw=0.8)
        one.set_axisbelow(True)
    axes[0][0].set_yticks(list(place.values()), list(place))
    _legend(figure, axes[0][0], panels)
    return figure


def _setting(axes: Axes, y: int, row: Mapping, printed: tuple | None) -> None:
    scores, color = np.asarray(row["scores"], dtype=float), KINDS[row["kind"]]
    if printed is not None:
        mean, spread = printed
        axes.plot([mean], [y], "|", color=PAPER, ms=13, mew=2)
        if np.isfinite(spread):
            axes.plot([mean - spread, mean + spread], [y, y], color=PAPER, lw=1.2)
    if len(scores) > 1:
        mean, spread = scores.mean(), scores.std(ddof=1)
        axes.plot([mean - spread, mean + spread], [y, y], color=color, lw=5, alpha=0.3)
        axes.plot([mean], [y], "|", color=color, ms=13, mew=1.5)
    marker = "s" if row["kind"] == "floor" else "o"
    axes.plot(scores, [y] * len(scores), marker, color=color, ms=6, mec="white", mew=0.6)


def _legend(figure: Figure, axes: Axes, panels: Mapping[str, Sequence[Mapping]]) -> None:
    kinds = [k for k in KINDS if any(row["kind"] == k for rows in panels.values() for row in rows)]
    handles = [
        axes.plot([], [], "s" if kind == "floor" else "o", color=KINDS[kind], label=NAMES[kind])[0]
        for kind in kinds
    ]
    band = axes.plot([], [], color=KINDS["system"], lw=5, alpha=0.3, label="mean ± sd")[0]
    tick = axes.plot([], [], "|", color=PAPER, ms=12, mew=2, label="the paper (real STSb)")[0]
    figure.legend(handles=[*handles, band, tick], loc="outside lower center", ncols=5, fontsize=9)


def two_lucks(panels: Mapping[str, Mapping[str, Mapping[str, tuple]]]) -> Figure:
    """95 % intervals of differences: panels[title][comparison][kind of luck] = (low, high).

    The kinds are those of LUCKS. An interval that leaves the picture is cut off, with an arrow; a
    panel may lack comparisons, and an interval that is nan is not drawn.
    """
    first = max(panels.values(), key=len)
    figure, axes = new(3.2 + 3.0 * len(panels), 1.2 + 0.62 * len(first), columns=len(panels),
                       sharey=True, squeeze=False)  # fmt: skip
    for one, (title, comparisons) in zip(axes[0], panels.items(), strict=True):
        inside = [ends["over the test pairs"] for ends in comparisons.values()]
        limit = 1.25 * float(np.abs(inside).max())
        for y, ends in enumerate(comparisons.get(name) for name in reversed(first)):
            if ends is None:
                continue
            for (kind, color), shift in zip(LUCKS.items(), (0.14, -0.14), strict=True):
                _interval(one, y + shift, ends[kind], color, limit)
        one.axvline(0, color=GREY, lw=1)
        one.set_xlim(-limit, limit)
        one.set_title(title)
        one.set_xlabel("difference in Spearman (points)")
    axes[0][0].set_yticks(range(len(first)), list(reversed(first)))
    handles = [axes[0][0].plot([], [], color=c, lw=3, label=k)[0] for k, c in LUCKS.items()]
    figure.legend(handles=handles, loc="outside lower center", ncols=2)
    return figure


def _interval(axes: Axes, y: float, ends: tuple, color: str, limit: float) -> None:
    low, high = ends
    axes.plot(np.clip([low, high], -limit, limit), [y, y], color=color, lw=3,
              solid_capstyle="butt")  # fmt: skip
    middle = (low + high) / 2
    if abs(middle) <= limit:
        axes.plot([middle], [y], "o", color=color, ms=5)
    for end, edge, arrow in ((low, -limit, "<"), (high, limit, ">")):
        if abs(end) > limit:
            axes.plot([edge], [y], arrow, color=color, ms=7, clip_on=False)


def best_of_many(seeds: Sequence[int], leads: Mapping[str, Sequence[float]]) -> Axes:
    """How far the winner of k seeds is ahead of the average seed: on dev, and on test."""
    _, axes = new(6.6, 3.4)
    for number, (name, values) in enumerate(leads.items()):
        axes.plot(seeds, values, ("-", "--")[number], marker="os"[number], ms=4,
                  color=(COLORS[5], COLORS[0])[number], label=name)  # fmt: skip
    axes.axhline(0, color=GREY, lw=1)
    axes.set_xlabel("seeds to choose from")
    axes.set_ylabel("lead over the\naverage seed (points)")
    axes.set_xticks(list(seeds))
    axes.legend(loc="center right")
    return axes
