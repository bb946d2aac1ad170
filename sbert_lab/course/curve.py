"""Curves that grow while a training runs: NLI accuracy and STS Spearman against pairs seen."""

import time
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np
from matplotlib.figure import Figure

from sbert_lab.course.plots import COLORS, bundle, new
from sbert_lab.files import read_json, write_json

CHANCE = 100 / 3
FILE = "curve.json"
STYLES = (("-", "o"), ("--", "s"), (":", "^"), ("-.", "D"))
CAPTION = (
    "Left: how well the head tells the three classes apart. Right: how well cosines rank STSb."
)


class Curve:
    """NLI accuracy and STS Spearman against pairs seen, kept beside the run's checkpoints.

    `add` is called at each evaluation. With live=True it redraws the figure in the notebook. A run
    that is continued, or opened again when it is finished, finds its points in the file.
    """

    def __init__(self, run_dir: Path, *, pairs: int, every: int, name: str, live: bool = False):
        self.path, self.name, self.live = Path(run_dir) / FILE, name, live
        self.pairs, self.every = pairs, every
        self._handle, self._since, self._new = None, time.perf_counter(), not self.points
        if self.points:
            self._draw()

    @property
    def points(self) -> list[list[float]]:
        return self._kept()["points"]

    @property
    def seconds(self) -> float:
        return self._kept()["seconds"]

    def _kept(self) -> dict:
        return read_json(self.path) if self.path.is_file() else {"points": [], "seconds": 0.0}

    def add(self, accuracy: float, spearman: float) -> float:
        """One more evaluation; the first one is before training. Gives back the accuracy."""
        first, self._new = self._new, False
        points, seconds = self.points, self.seconds
        if first and points:  # another notebook on the same run was faster
            return float(accuracy)
        seen = min(len(points) * self.every, self.pairs)
        if points:
            seconds += time.perf_counter() - self._since
        self._since = time.perf_counter()
        points.append([seen, float(accuracy), float(spearman)])
        write_json(self.path, {"points": points, "seconds": seconds})
        self._draw()
        return float(accuracy)

    def _draw(self) -> None:
        if not self.live:
            return
        from IPython.display import display

        said = ", ".join(f"{a:.1f} and {s:.1f} after {n:,}" for n, a, s in self.points[-1:])
        alt = (
            f"NLI accuracy and STSb Spearman against pairs seen; the last values are {said} pairs."
        )
        picture, about = bundle(curves({self.name: self.points}, pairs=self.pairs), alt)
        if self._handle is None:
            self._handle = display(picture, metadata=about, raw=True, display_id=True)
            display({"text/markdown": f"*{CAPTION}*", "text/plain": CAPTION}, raw=True)
        else:
            self._handle.update(picture, metadata=about, raw=True)


def curves(runs: Mapping[str, Sequence], *, pairs: int | None = None) -> Figure:
    """Two panels over pairs seen: NLI accuracy with its chance line, STSb Spearman.

    Each run is a list of (pairs seen, accuracy, Spearman).
    """
    figure, axes = new(9.5, 3.6, columns=2)
    for number, (name, points) in enumerate(runs.items()):
        seen, *values = np.asarray(points, dtype=float).T
        line, marker = STYLES[number % len(STYLES)]
        for panel, scores in zip(axes, values, strict=True):
            panel.plot(seen, scores, line, marker=marker, ms=5, color=COLORS[number], label=name)
    axes[0].axhline(CHANCE, color="black", lw=1, ls=(0, (1, 2)), label="guessing")
    axes[0].set(xlabel="NLI pairs seen", ylabel="accuracy (%)", title="NLI dev: the classes")
    axes[1].set(xlabel="NLI pairs seen", ylabel="Spearman (points)", title="STSb dev: the cosines")
    for panel in axes:
        _give_room(panel, least=12)
        if pairs:
            panel.set_xlim(-0.03 * pairs, 1.03 * pairs)
        panel.xaxis.set_major_formatter(lambda value, _: f"{value:,.0f}")
    figure.legend(*axes[0].get_legend_handles_labels(), loc="outside lower center", ncols=5)
    return figure


def gains(runs: Mapping[str, Sequence]) -> Figure:
    """Spearman since the start against the pairs seen. A run: (pairs seen, accuracy, Spearman)."""
    figure, axis = new(8, 3.8)
    for number, (name, points) in enumerate(runs.items()):
        seen, spearman = ([point[place] for point in points] for place in (0, 2))
        line, marker = STYLES[number % len(STYLES)]
        change = [value - spearman[0] for value in spearman]
        axis.plot(seen, change, line, marker=marker, ms=5, color=COLORS[number], label=name)
    axis.axhline(0, color="black", lw=1, ls=(0, (1, 2)))
    axis.set_xscale("symlog", linthresh=1_000)
    axis.set_xlim(left=-60)
    axis.xaxis.set_major_formatter(lambda value, _: f"{value:,.0f}")
    axis.set(xlabel="NLI pairs seen", ylabel="gain on STSb dev (points)")
    figure.legend(loc="outside lower center", ncols=2)
    return figure


def _give_room(panel, *, least: float) -> None:
    """At least `least` points of height, so that noise does not look like a mountain."""
    low, high = panel.get_ylim()
    missing = max(0.0, least - (high - low)) / 2
    panel.set_ylim(low - missing, high + missing)
