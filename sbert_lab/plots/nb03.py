"""Figures of 03_raw_embeddings."""

from collections.abc import Mapping, Sequence

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Arc, Circle

from sbert_lab.plots import COLORS, new

_BLUE, _ORANGE, _GREEN, _RED = COLORS[0], COLORS[1], COLORS[2], COLORS[5]


def three_distances(u: Sequence[float], v: Sequence[float]) -> Axes:
    """Two arrows in the plane with their angle, their straight and their city-block distance."""
    u, v = np.asarray(u, dtype=float), np.asarray(v, dtype=float)
    _, axes = new(5.4, 4)
    for vector, name in ((u, "u"), (v, "v")):
        axes.annotate(
            "", vector, xytext=(0, 0), arrowprops={"arrowstyle": "-|>", "lw": 2, "color": "#444444"}
        )
        axes.annotate(name, vector, xytext=(6, 4), textcoords="offset points", fontsize=13)
    first, second = (np.degrees(np.arctan2(*vector[::-1])) for vector in (u, v))
    low, high = sorted((first, second))
    axes.add_patch(Arc((0, 0), 2, 2, theta1=low, theta2=high, color=_GREEN, lw=3))
    middle = np.radians((low + high) / 2)
    axes.text(1.15 * np.cos(middle), 1.15 * np.sin(middle), "cosine: the angle", color=_GREEN)
    axes.plot(*zip(u, v, strict=True), color=_BLUE)
    centre = (u + v) / 2
    axes.text(*(centre + [-0.2, -0.1]), "Euclid", color=_BLUE, ha="right")
    axes.plot([u[0], u[0], v[0]], [u[1], v[1], v[1]], color=_RED, ls="--")
    axes.text(max(u[0], v[0]) + 0.1, centre[1], "Manhattan", color=_RED)
    axes.set_xlim(0, max(u[0], v[0]) + 1.3)
    axes.set_ylim(0, max(u[1], v[1]) + 0.6)
    axes.set_aspect("equal")
    axes.set_xlabel("dimension 0")
    axes.set_ylabel("dimension 1")
    return axes


def cosine_histograms(
    random: Mapping[str, np.ndarray], similar: Mapping[str, np.ndarray]
) -> Figure:
    """One row per system: cosines of random pairs and of pairs that people call similar."""
    low = min(float(values.min()) for values in [*random.values(), *similar.values()])
    bins = np.linspace(np.floor(low * 10) / 10, 1, 41)
    figure, all_axes = new(7.5, 0.6 + 1.35 * len(random), rows=len(random), sharex=True)
    for axes, name in zip(np.atleast_1d(all_axes), random, strict=True):
        for values, color in ((random[name], _BLUE), (similar[name], _ORANGE)):
            weights = np.full(len(values), 100 / len(values))
            axes.hist(values, bins=bins, weights=weights, color=color, alpha=0.65)
            axes.axvline(values.mean(), color=color, ls="--", lw=1.5)
        axes.set_title(name, fontsize=10)
        axes.set_yticks([])
        axes.spines["left"].set_visible(False)
    axes.set_xlabel("cosine")
    patches = [_swatch(_BLUE, "random pairs"), _swatch(_ORANGE, "pairs with gold 4 to 5")]
    figure.legend(handles=patches, loc="outside upper right", ncols=2, fontsize=9)
    return figure


def _swatch(color: str, label: str):
    from matplotlib.patches import Patch

    return Patch(facecolor=color, alpha=0.65, label=label)


def spectrum(energies: Mapping[str, np.ndarray]) -> Axes:
    """Share of all squared length in the first k directions, against k (log axis), in per cent."""
    _, axes = new(6.8, 3.6)
    for number, (name, values) in enumerate(energies.items()):
        share = 100 * np.cumsum(values) / np.sum(values)
        axes.plot(
            range(1, len(share) + 1), share, ["-", "--", "-.", ":"][number % 4],
            color=COLORS[number], label=name, marker="o", markevery=[0],
        )  # fmt: skip
    axes.set_xscale("log", base=2)
    axes.set_xticks([1, 2, 4, 8, 16, 32, 64, 128], [1, 2, 4, 8, 16, 32, 64, 128])
    axes.minorticks_off()
    axes.set_ylim(0, 102)
    axes.set_xlabel("directions kept")
    axes.set_ylabel("share of the squared length (%)")
    axes.legend(loc="lower right", fontsize=9)
    return axes


def cones(points: Mapping[str, np.ndarray]) -> Figure:
    """Unit vectors seen along their two main directions, one panel per name: each (N, 2)."""
    figure, all_axes = new(2.7 * len(points) + 0.3, 3.2, columns=len(points))
    for axes, (name, plane) in zip(np.atleast_1d(all_axes), points.items(), strict=True):
        axes.add_patch(Circle((0, 0), 1, fill=False, color="#999999", lw=1))
        axes.plot(0, 0, "k+", ms=9)
        axes.scatter(*plane.T, s=9, color=_BLUE, alpha=0.5, lw=0)
        axes.set_title(name, fontsize=10)
        axes.set_xlim(-1.08, 1.08)
        axes.set_ylim(-1.08, 1.08)
        axes.set_aspect("equal")
        axes.set_xticks([-1, 0, 1])
        axes.set_yticks([-1, 0, 1])
        axes.set_xlabel("first direction")
    np.atleast_1d(all_axes)[0].set_ylabel("second direction")
    return figure
