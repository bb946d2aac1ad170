"""Figures of notebook 04: one box used twice, losses, cosine against distance."""

from collections.abc import Mapping, Sequence

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import FancyBboxPatch

from sbert_lab.plots import COLORS, new

U, V = COLORS[0], COLORS[1]


def gradients_add_up(from_u, from_v, total) -> Figure:
    """Left the one set of weights and its two uses; right, per weight, u's part and v's on top.

    Three arrays of gradients of the same few weights; `total` is drawn as it was measured.
    """
    figure, (left, right) = new(9.5, 3.9, columns=2, width_ratios=[1, 1.25])
    _one_box_used_twice(left)
    _stacked(right, *(np.asarray(part, dtype=float) for part in (from_u, from_v, total)))
    return figure


def _one_box_used_twice(axes: Axes) -> None:
    axes.set(xlim=(0, 10), ylim=(0, 10), title="one set of weights, two uses")
    axes.axis("off")
    _box(axes, 3.2, 4.0, 3.6, 1.8, "encoder\nweights $W$", "#E8E8E8")
    _box(axes, 3.2, 8.2, 3.6, 1.3, "loss$(u, v)$", "white")
    for number, name, color, side in ((1, "$u$", U, -1), (2, "$v$", V, 1)):

        def at(distance: float, height: float, side: int = side) -> tuple[float, float]:
            return 5 + side * distance, height  # mirrored for the second sentence

        _box(axes, 5 + side * 2.9 - 1.35, 0.4, 2.7, 1.2, f"sentence {number}", "white", edge=color)
        _arrow(axes, at(2.9, 1.7), at(1.3, 3.85), color)
        _arrow(axes, at(0.8, 5.95), at(0.8, 8.05), color)
        axes.text(*at(1.15, 7.0), name, color=color, fontsize=13, ha="center", va="center")
        bend = f"arc3,rad={-side * 0.4}"
        _arrow(axes, at(1.95, 8.7), at(1.95, 5.0), color, style="--", bend=bend)
        words = f"gradient\nvia {name}"
        axes.text(*at(3.95, 7.0), words, color=color, ha="center", va="center")


def _box(axes: Axes, x, y, width, height, text: str, fill: str, edge: str = "black") -> None:
    shape = FancyBboxPatch(
        (x, y), width, height, boxstyle="round,pad=0.1", facecolor=fill, edgecolor=edge, lw=1.5
    )
    axes.add_patch(shape)
    axes.text(x + width / 2, y + height / 2, text, ha="center", va="center")


def _arrow(axes: Axes, start, end, color: str, style: str = "-", bend: str = "arc3") -> None:
    look = {"arrowstyle": "-|>", "color": color, "lw": 1.8, "ls": style, "connectionstyle": bend}
    axes.annotate("", xy=end, xytext=start, arrowprops={**look, "shrinkA": 0, "shrinkB": 0})


def _stacked(axes: Axes, from_u: np.ndarray, from_v: np.ndarray, total: np.ndarray) -> None:
    """u's part from zero; v's part goes on where u's ended; the dot is the total."""
    places = np.arange(len(from_u))
    axes.axhline(0, color="black", lw=0.8)
    axes.bar(places - 0.18, from_u, 0.34, color=U, label="via u")
    axes.bar(places + 0.18, from_v, 0.34, bottom=from_u, color=V, label="via v, starting there")
    axes.hlines(from_u, places - 0.35, places + 0.35, color="black", lw=0.7)
    axes.plot(places + 0.18, total, "D", color="black", ms=5, label="total gradient")
    axes.set(xlabel=f"{len(places)} weights of the last layer, drawn at random", ylabel="gradient")
    axes.set_xticks(places, places + 1)
    axes.set_title("per weight: via u + via v = total")
    ends = np.concatenate([[0], from_u, total])
    reach = np.ptp(ends)
    axes.set_ylim(ends.min() - 0.06 * reach, ends.max() + 0.34 * reach)  # room for the legend
    handles, labels = axes.get_legend_handles_labels()
    order = [labels.index(name) for name in ("via u", "via v, starting there", "total gradient")]
    handles, labels = [handles[i] for i in order], [labels[i] for i in order]
    axes.legend(handles, labels, loc="upper center", ncols=3, fontsize=8.5, columnspacing=1.0)


def losses(curves: Mapping[str, Sequence[float] | None]) -> Axes:
    """Loss against step, on a log axis; a curve that is None is left out."""
    _, axes = new(6.4, 3.4)
    drawn = {name: values for name, values in curves.items() if values is not None}
    for (name, values), color in zip(drawn.items(), COLORS, strict=False):
        axes.plot(range(1, len(values) + 1), values, color=color, label=name)
    axes.set(xlabel="step", ylabel="mean squared error", yscale="log")
    axes.legend()
    return axes


def cosine_against_distance(cosines, raw_squared, unit_squared) -> Figure:
    """Squared Euclidean distance of each pair over its cosine: raw on the left, unit right."""
    figure, axes = new(9, 3.5, columns=2, sharex=True)
    cosines = np.asarray(cosines)
    panels = (("raw vectors", raw_squared, U), ("the same vectors, length 1", unit_squared, V))
    for panel, (title, squared, color) in zip(axes, panels, strict=True):
        panel.plot(cosines, squared, ".", color=color, ms=4, alpha=0.6)
        panel.set(xlabel="cosine of the pair", title=title)
    axes[0].set_ylabel("squared distance")
    ends = np.array([cosines.min(), 1.0])
    axes[1].plot(ends, 2 - 2 * ends, color="black", lw=1, label="2 - 2 cos")
    axes[1].legend()
    for panel in axes:
        panel.set_ylim(bottom=0)
    return figure
