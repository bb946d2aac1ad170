"""Figures of 06_regression_objective."""

from collections.abc import Mapping, Sequence

import matplotlib
import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from sbert_lab.plots import COLORS, new

BANDS = 5  # one per point of the 0..5 scale
GREY = "#777777"


def targets() -> Axes:
    """The cosine that each way of scaling asks for, against the score that people gave."""
    _, axes = new(7, 4)
    gold = np.linspace(0, 5, 101)
    axes.axhspan(1, 5.3, color="#eeeeee", zorder=0)
    axes.text(0.15, 4.95, "out of a cosine's reach", color=GREY, va="top")
    lines = [
        ("left at 0..5", gold, "--", COLORS[5], (3.45, 3.2)),
        ("divided by 5", gold / 5, "-", COLORS[0], (1.25, 0.93)),
        ("stretched to -1..1", gold / 2.5 - 1, ":", COLORS[2], (1.2, -0.72)),
    ]
    for name, values, style, color, place in lines:
        axes.plot(gold, values, style, color=color, lw=2.4)
        axes.text(*place, name, color=color, va="top", weight="bold")
    axes.set_xlim(0, 5)
    axes.set_ylim(-1.3, 5.3)
    axes.set_yticks(range(-1, 6))
    axes.set_xlabel("gold score, as people gave it (0 to 5)")
    axes.set_ylabel("the cosine asked for")
    return axes


def _band_colors() -> list:
    return [matplotlib.colormaps["cividis"](x) for x in np.linspace(0.0, 0.92, BANDS)]


def band_of(gold: Sequence[float]) -> np.ndarray:
    """Which fifth of the scale a scaled gold score lies in: (N,) of 0..4."""
    return np.minimum((np.asarray(gold) * BANDS).astype(int), BANDS - 1)


def gold_against_cosine(gold: Sequence[float], panels: Mapping[str, Sequence[float]]) -> Figure:
    """One panel per encoder: cosine against gold, coloured by band, with each band's mean."""
    gold = np.asarray(gold)
    bands, colors = band_of(gold), _band_colors()
    jitter = np.random.default_rng(6).uniform(-0.025, 0.025, len(gold))
    figure, axes = new(9, 3.9, columns=len(panels), sharey=True)
    for one, (title, cosines) in zip(np.atleast_1d(axes), panels.items(), strict=True):
        cosines = np.asarray(cosines)
        one.plot([0, 1], [0, 1], color=GREY, lw=1, ls="--", zorder=1)
        one.axhline(0, color="#cccccc", lw=0.8, zorder=0)
        for band in range(BANDS):
            here = bands == band
            if not here.any():
                continue
            one.scatter(
                gold[here] + jitter[here], cosines[here], s=13, alpha=0.65, color=colors[band],
                lw=0, label=f"gold {band}-{band + 1}",
            )  # fmt: skip
            one.plot(
                [gold[here].min() - 0.05, gold[here].max() + 0.05], [cosines[here].mean()] * 2,
                color=COLORS[5], lw=3, solid_capstyle="butt", zorder=3,
            )  # fmt: skip
        one.set_title(title)
        one.set_xlabel("gold score / 5")
        one.set_xlim(-0.08, 1.08)
    first = np.atleast_1d(axes)[0]
    first.set_ylabel("cosine of the two embeddings")
    first.text(0.62, 0.56, "cosine = gold", color=GREY, fontsize=9, rotation=0)
    first.plot([], [], color=COLORS[5], lw=3, label="mean of the band")
    handles, labels = first.get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside lower center", ncols=len(labels), fontsize=9)
    return figure


def learning_curve(
    rows_seen: Sequence[int],
    losses: Sequence[float],
    scored: Sequence[int],
    scores: Sequence[float],
) -> Figure:
    """Left the training loss, smoothed; right the dev set's Spearman, the raw encoder's first."""
    figure, (left, right) = new(8.5, 3, columns=2)
    width = max(1, len(losses) // 20)
    kernel = np.ones(width) / width
    left.plot(rows_seen, losses, color=COLORS[4], lw=0.8, alpha=0.7, label="each step")
    smooth = np.convolve(losses, kernel, mode="valid")
    left.plot(rows_seen[width - 1 :], smooth, color=COLORS[0], label=f"mean of {width}")
    left.set_ylabel("squared error (training)")
    left.set_ylim(bottom=0)
    left.legend()
    right.plot(scored, scores, marker="o", color=COLORS[2], clip_on=False)
    right.annotate(
        f"raw: {scores[0]:.1f}", (scored[0], scores[0]), xytext=(8, 0), textcoords="offset points"
    )
    right.set_ylabel("Spearman on dev (x100)")
    for one in (left, right):
        one.set_xlabel("pairs seen")
        one.set_xlim(left=0)
        one.xaxis.set_major_formatter(lambda value, _: f"{value:,.0f}")
    return figure


def cosine_histograms(panels: Mapping[str, Mapping[str, Sequence[float]]]) -> Figure:
    """One panel per moment; in each the cosines of random pairs, one outline per pooling."""
    figure, axes = new(9, 3.3, columns=len(panels), sharex=True)
    edges = np.linspace(-0.5, 1, 46)
    for one, (title, poolings) in zip(np.atleast_1d(axes), panels.items(), strict=True):
        for number, (name, values) in enumerate(poolings.items()):
            values = np.asarray(values)
            color = (COLORS[0], COLORS[5])[number % 2]
            weights = np.full(len(values), 100 / len(values))
            one.hist(
                values, edges, weights=weights, histtype="stepfilled", alpha=0.35, color=color,
                label=f"{name}, mean {values.mean():.2f}",
            )  # fmt: skip
            one.axvline(values.mean(), color=color, ls=("-", "--")[number % 2])
        one.axvline(0, color=GREY, lw=0.8)
        one.set_title(title)
        one.set_xlabel("cosine of two random sentences")
        one.legend(
            loc="upper left", frameon=True, facecolor="white", edgecolor="none", framealpha=1
        )
        one.set_ylim(top=one.get_ylim()[1] * 1.25)
    np.atleast_1d(axes)[0].set_ylabel("share of the pairs (%)")
    return figure
