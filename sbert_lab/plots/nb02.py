"""Figures of 02_pooling."""

from collections.abc import Mapping, Sequence

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Patch, Rectangle

from sbert_lab.plots import COLORS, new

_CLS, _MEAN, _MAX = COLORS[5], COLORS[0], COLORS[2]


def token_grid(tokens: Sequence[Sequence[str]], mask, vectors, *, shown: int = 8) -> Figure:
    """A padded batch, and which cells the three poolings read.

    tokens: B rows of T pieces; mask: (B, T); vectors: (B, T, H), of which the first `shown`
    dimensions tell which token MAX takes.
    """
    mask, vectors = np.asarray(mask), np.asarray(vectors)[:, :, :shown]
    winners = np.where(mask[:, :, None] == 1, vectors, -np.inf).argmax(axis=1)  # (B, shown)
    rows, columns = mask.shape
    figure, axes = new(min(11, 0.8 + 0.73 * columns), 1 + 0.88 * rows)
    for row in range(rows):
        top = rows - 1 - row
        for column in range(columns):
            _cell(axes, column, top, tokens[row][column], int(mask[row, column]))
        _box(axes, 0, top, int(mask[row].sum()), _MEAN, inset=0.02)
        _box(axes, 0, top, 1, _CLS, inset=0.10)
        _mark_winners(axes, winners[row], top)
    axes.set_xlim(-0.05, columns + 0.05)
    axes.set_ylim(-0.05, rows + 0.05)
    axes.set_yticks([rows - 0.5 - row for row in range(rows)], range(rows))
    axes.set_xticks([column + 0.5 for column in range(columns)], range(columns))
    axes.set_xlabel("token (T)")
    axes.set_ylabel("sentence (B)")
    axes.tick_params(length=0)
    axes.spines[:].set_visible(False)
    _grid_legend(figure, winners.shape[1])
    return figure


def _cell(axes: Axes, column: int, top: int, token: str, real: int) -> None:
    fill = {"facecolor": "white"} if real else {"facecolor": "#eeeeee", "hatch": "////"}
    axes.add_patch(
        Rectangle((column + 0.02, top + 0.02), 0.96, 0.96, edgecolor="#bbbbbb", lw=0.6, **fill)
    )
    behind = {"facecolor": "#eeeeee", "edgecolor": "none", "pad": 1} if not real else None
    axes.text(column + 0.5, top + 0.68, token, ha="center", va="center", fontsize=8, bbox=behind)
    axes.text(
        column + 0.5, top + 0.42, real, ha="center", va="center", fontsize=8, color="#555555",
        family="monospace", bbox=behind,
    )  # fmt: skip


def _box(axes: Axes, column: int, top: int, width: int, color: str, inset: float) -> None:
    axes.add_patch(
        Rectangle(
            (column + inset, top + inset),
            width - 2 * inset,
            1 - 2 * inset,
            fill=False,
            edgecolor=color,
            lw=2,
            zorder=3,
        )
    )


def _mark_winners(axes: Axes, winners: np.ndarray, top: int) -> None:
    """The numbers of the dimensions that each token wins, at the foot of its cell."""
    for token in np.unique(winners):
        won = np.flatnonzero(winners == token)
        text = " ".join(str(dimension) for dimension in won)
        axes.text(
            token + 0.5, top + 0.19, text, ha="center", va="center", fontsize=8, color=_MAX,
            weight="bold",
        )  # fmt: skip


def _grid_legend(figure: Figure, dimensions: int) -> None:
    handles = [
        Patch(facecolor="none", edgecolor=_CLS, lw=2, label="CLS reads this cell"),
        Patch(facecolor="none", edgecolor=_MEAN, lw=2, label="MEAN and MAX read these"),
        Patch(facecolor=_MAX, label=f"MAX takes these dimensions (of 0-{dimensions - 1}) here"),
        Patch(facecolor="#eeeeee", edgecolor="#bbbbbb", hatch="////", label="padding, mask 0"),
    ]
    figure.legend(
        handles=handles, loc="outside upper center", ncols=4, fontsize=8.5, columnspacing=1.2
    )


def padding_shift(added: Sequence[int], shifts: Mapping[str, Sequence[float]]) -> Axes:
    """How far the embedding moves (per cent of its norm) against the padding tokens added."""
    _, axes = new(7, 3.6)
    styles = ["-", "--", "-.", ":"]
    for number, (label, values) in enumerate(shifts.items()):
        values = np.asarray(values)
        axes.plot(added, values, styles[number % 4], marker="o", ms=4, color=COLORS[number])
        axes.annotate(
            label, (added[-1], values[-1]), xytext=(8, 0), textcoords="offset points",
            va="center", color=COLORS[number], fontsize=9, annotation_clip=False,
        )  # fmt: skip
    axes.set_xscale("symlog", base=2, linthresh=1)
    axes.set_xticks(added, added)
    axes.minorticks_off()
    axes.set_xlabel("padding tokens added to the sentence")
    axes.set_ylabel("shift of the MEAN vector (%)")
    axes.set_ylim(bottom=-4)
    return axes


def max_picks(tokens: Sequence[str], vectors, *, shown: int = 32) -> Figure:
    """Left: the values of the first dimensions, winners marked; right: wins over all of them.

    vectors: (T, H), real tokens only.
    """
    vectors = np.asarray(vectors)
    winners = vectors.argmax(axis=0)
    wins = np.bincount(winners, minlength=len(tokens))
    figure, (left, right) = new(
        10, 0.9 + 0.27 * len(tokens), columns=2, sharey=True, width_ratios=[3, 1]
    )
    limit = np.abs(vectors[:, :shown]).max()
    image = left.imshow(vectors[:, :shown], cmap="PuOr_r", vmin=-limit, vmax=limit, aspect="auto")
    left.plot(range(shown), winners[:shown], "ko", ms=3.5)
    left.set_yticks(range(len(tokens)), tokens)
    left.set_xlabel(f"dimension (the first {shown} of {vectors.shape[1]})")
    figure.colorbar(image, ax=left, label="value", pad=0.01)
    right.barh(range(len(tokens)), wins, color=_MAX)
    for row, count in enumerate(wins):
        right.text(count, row, f" {count}", va="center", fontsize=8)
    right.set_xlabel("dimensions won")
    right.set_xlim(0, wins.max() * 1.18)
    right.tick_params(axis="y", length=0, labelleft=False)
    return figure
