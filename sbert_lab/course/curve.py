"""Curves against NLI pairs seen: those that grow while a training runs, and the recorded study."""

import time
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np
from matplotlib.figure import Figure

from sbert_lab.course.plots import COLORS, GREY, bundle, new
from sbert_lab.data import get_corpus
from sbert_lab.experiments.paper import table as table_of_paper
from sbert_lab.experiments.results import Results
from sbert_lab.files import read_json, write_json
from sbert_lab.profiles import get_profile

CHANCE = 100 / 3
FILE = "curve.json"
STYLES = (("-", "o"), ("--", "s"), (":", "^"), ("-.", "D"))
DARK = [color for color in COLORS if color != "#F0E442"]  # yellow is too pale for a line
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


def curves(
    runs: Mapping[str, Sequence],
    *,
    pairs: int | None = None,
    tested: tuple[int, int] | None = None,
) -> Figure:
    """Two panels over pairs seen: NLI accuracy with its chance line, STSb Spearman.

    Each run is a list of (pairs seen, accuracy, Spearman). With the numbers of NLI and STSb pairs
    `tested`, each curve has a band: the luck of these pairs, 95 %.
    """
    figure, axes = new(9.5, 3.6, columns=2)
    for number, (name, points) in enumerate(runs.items()):
        seen, *values = np.asarray(points, dtype=float).T
        line, marker = STYLES[number % len(STYLES)]
        for panel, scores in zip(axes, values, strict=True):
            panel.plot(seen, scores, line, marker=marker, ms=5, color=COLORS[number], label=name)
        for panel, ends in zip(axes, _bands(*values, tested), strict=True) if tested else ():
            panel.fill_between(seen, *ends, color=COLORS[number], alpha=0.15, lw=0)
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


def _bands(accuracy: np.ndarray, spearman: np.ndarray, tested: tuple[int, int]):
    """The 95 % ends of both: binomial, and Fisher's z in Fieller's form for ranks; in points."""
    half = 1.96 * np.sqrt(accuracy * (100 - accuracy) / tested[0])
    z, wide = np.arctanh(spearman / 100), 1.96 * 1.03 / np.sqrt(tested[1] - 3)
    return (accuracy - half, accuracy + half), (100 * np.tanh(z - wide), 100 * np.tanh(z + wide))


def gains(study: Results, more: Mapping[str, Results], table: Results) -> Figure:
    """When does NLI help? What is gained on STSb dev on the way, and on the seven sets at the end.

    `more`: the same study with other backbones, whose "softmax" is drawn. `table`: Table 1, a
    longer run of the same recipe. Rings: where a curve crosses zero.
    """
    figure, (way, end) = new(9.5, 4.6, columns=2)
    runs = [(study, row, row) for row in study.rows if "curve" in study.info(row)]
    runs += [(other, "softmax", f"{name}, softmax") for name, other in more.items()]
    for number, (results, row, name) in enumerate(runs):
        points = results.info(row)["curve"]
        line, marker = STYLES[number % len(STYLES)]
        look = {"marker": marker, "ms": 5, "color": DARK[number % len(DARK)]}
        way.plot(*_since_start(points), line, label=name, **look)
        for place in crossings(points):
            way.plot(place, 0, "o", ms=11, mfc="none", mec="black", mew=1.5, zorder=3)
        if points[0][2] == results.info("softmax")["curve"][0][2]:  # from the raw row's network
            end.plot(points[-1][0], _gain(results, row), ls="", **look)
    used = get_profile(table.profile).nli_pairs
    grey = {"ls": "", "ms": 8, "color": GREY}
    end.plot(used, _gain(table, "SBERT-NLI"), marker="P", label="Table 1's SBERT-NLI", **grey)
    paper = table_of_paper(1).set_index("model")["Avg"]
    gain = paper["SBERT-NLI-base"] - paper["Avg. BERT embeddings"]
    end.plot(get_corpus("nli").splits["train"], gain, "k*", ms=12, label="the paper's BERT-base")
    for axis, title in ((way, "STSb dev, on the way"), (end, "seven test sets, at the end")):
        axis.axhline(0, color="black", lw=1, ls=(0, (1, 2)))
        axis.set_xscale("symlog", linthresh=1_000)
        axis.set(title=title, xlabel="NLI pairs seen", ylabel="gain over raw MEAN (points)")
        axis.xaxis.set_major_formatter(lambda value, _: f"{value:,.0f}")
    way.set(xlim=(-60, None), xticks=(0, 1_000, 10_000))
    end.set_xlim(1_000, 2_000_000)
    shown = [axis.get_legend_handles_labels() for axis in (way, end)]
    figure.legend(
        *(a + b for a, b in zip(*shown, strict=True)), loc="outside lower center", ncols=3
    )
    return figure


def crossings(points: Sequence) -> list[float]:
    """Pairs seen where the gain since the start changes its sign, on straight lines between looks.

    Points: (pairs seen, accuracy, Spearman). The start itself is none.
    """
    steps = list(zip(*_since_start(points), strict=True))[1:]
    pairs = [(*a, *b) for a, b in zip(steps, steps[1:], strict=False)]
    return [x0 + (x1 - x0) * y0 / (y0 - y1) for x0, y0, x1, y1 in pairs if y0 * y1 < 0]


def _since_start(points: Sequence) -> tuple[list[float], list[float]]:
    return [point[0] for point in points], [point[2] - points[0][2] for point in points]


def _gain(results: Results, row: str) -> float:
    return results.mean(row, "average") - results.mean("raw BERT MEAN", "average")


def _give_room(panel, *, least: float) -> None:
    """At least `least` points of height, so that noise does not look like a mountain."""
    low, high = panel.get_ylim()
    missing = max(0.0, least - (high - low)) / 2
    panel.set_ylim(low - missing, high + missing)
