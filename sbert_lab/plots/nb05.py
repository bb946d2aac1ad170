"""Figures of notebook 05: curves that grow while training runs, and what the head learned."""

import base64
import time
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np
from matplotlib.figure import Figure

from sbert_lab.files import read_json, write_json
from sbert_lab.plots import COLORS, new, png

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
        kept = read_json(self.path) if self.path.is_file() else {"points": [], "seconds": 0.0}
        self.points: list[list[float]] = kept["points"]
        self.seconds: float = kept["seconds"]
        self._handle, self._since = None, time.perf_counter()
        if self.points:
            self._draw()

    def add(self, accuracy: float, spearman: float) -> float:
        """One more evaluation; the first one is before training. Gives back the accuracy."""
        seen = min(len(self.points) * self.every, self.pairs)
        if self.points:
            self.seconds += time.perf_counter() - self._since
        self._since = time.perf_counter()
        self.points.append([seen, float(accuracy), float(spearman)])
        write_json(self.path, {"points": self.points, "seconds": self.seconds})
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
        image = base64.b64encode(png(curves({self.name: self.points}, pairs=self.pairs))).decode()
        bundle = {"image/png": image, "text/plain": f"figure: {alt}"}
        about = {"image/png": {"alt": alt}}
        if self._handle is None:
            self._handle = display(bundle, metadata=about, raw=True, display_id=True)
            display({"text/markdown": f"*{CAPTION}*", "text/plain": CAPTION}, raw=True)
        else:
            self._handle.update(bundle, metadata=about, raw=True)


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


def _give_room(panel, *, least: float) -> None:
    """At least `least` points of height, so that noise does not look like a mountain."""
    low, high = panel.get_ylim()
    missing = max(0.0, least - (high - low)) / 2
    panel.set_ylim(low - missing, high + missing)


def head_parts(norms, spreads, before, *, classes: Sequence[str], parts: Sequence[str]) -> Figure:
    """Per class and part: the length of the head's weights, and how far it moves the logit.

    Both are (classes, parts). `before` has the two arrays of the untrained head, drawn as ticks.
    """
    figure, axes = new(9.5, 3.6, columns=2)
    places, width = np.arange(len(classes)), 0.8 / len(parts)
    for panel, values, old in zip(axes, (norms, spreads), before, strict=True):
        for number, part in enumerate(parts):
            shift = places + (number - (len(parts) - 1) / 2) * width
            height, tick = np.asarray(values)[:, number], np.asarray(old)[:, number]
            panel.bar(shift, height, 0.9 * width, color=COLORS[number], label=part)
            ticks = panel.hlines(tick, shift - 0.45 * width, shift + 0.45 * width, color="black")
        panel.set_xticks(places, classes)
    axes[0].set(title="length of the weights", ylabel="norm")
    axes[1].set(title="what they do to the logit", ylabel="standard deviation over pairs")
    bars, labels = axes[0].get_legend_handles_labels()
    labels = [*labels, "untrained head"]
    figure.legend([*bars, ticks], labels, loc="outside lower center", ncols=len(labels))
    return figure
