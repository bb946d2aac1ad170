"""Figures of 14_computational_efficiency."""

from collections.abc import Mapping, Sequence

import numpy as np
from matplotlib.axes import Axes
from matplotlib.colors import ListedColormap
from matplotlib.figure import Figure
from matplotlib.patches import Patch

from sbert_lab.plots import COLORS, new

GREY = "#777777"
REAL, PADDING = COLORS[0], COLORS[1]
_KINDS = ListedColormap(["white", REAL, PADDING])


def _grid(lengths: Sequence[int], width: int) -> np.ndarray:
    """1 for a real token, 2 for padding: (B, width)."""
    return np.where(np.arange(width) < np.asarray(lengths)[:, None], 1, 2)


def _legend(figure: Figure) -> None:
    handles = [Patch(color=REAL, label="real token"), Patch(color=PADDING, label="padding")]
    figure.legend(handles=handles, loc="outside lower center", ncols=2)


def lengths_and_batch(lengths: Sequence[int], batch: Sequence[int]) -> Figure:
    """How long the sentences are (left), and one padded batch as a grid of tokens (right)."""
    figure, (left, right) = new(9, 3.9, columns=2)
    counts = np.bincount(np.asarray(lengths))
    left.bar(np.arange(len(counts)), counts, color=GREY, width=0.85)
    left.axvline(np.mean(lengths), color=COLORS[7], lw=1.2, ls="--")
    left.text(np.mean(lengths) + 0.5, left.get_ylim()[1], "mean", va="top", fontsize=9)
    left.set(title="all sentences", xlabel="tokens in a sentence", ylabel="sentences")
    width = max(batch)
    right.imshow(_grid(batch, width), cmap=_KINDS, vmin=0, vmax=2, aspect="auto")
    right.set_xticks(np.arange(-0.5, width), minor=True)
    right.set_yticks(np.arange(-0.5, len(batch)), minor=True)
    right.grid(which="minor", color="white", lw=0.6)
    right.tick_params(which="minor", length=0)
    right.set(title=f"one batch of {len(batch)}", xlabel="position", ylabel="sentence")
    _legend(figure)
    return figure


def mosaics(
    panels: Mapping[str, Sequence[Sequence[int]]],
    widths: Mapping[str, int],
    notes: Mapping[str, str],
) -> Figure:
    """Batches as rectangles of tokens, one panel per way: panels[name] is a list of batches.

    `widths` names the ways whose batches all have one width; `notes` stand under the panels.
    """
    figure, axes = new(9.5, 5.6, columns=len(panels), sharey=True)
    broadest = max([*widths.values(), *(max(map(max, batches)) for batches in panels.values())])
    for axis, (name, batches) in zip(axes, panels.items(), strict=True):
        rows = []
        for batch in batches:
            width = widths.get(name) or max(batch)
            picture = np.zeros((len(batch) + 3, broadest), dtype=int)  # three rows of white between
            picture[: len(batch), :width] = _grid(batch, width)
            rows.append(picture)
        axis.imshow(
            np.concatenate(rows), cmap=_KINDS, vmin=0, vmax=2, aspect="auto", interpolation="none"
        )
        axis.set_title(name)
        axis.set_xlabel(f"tokens\n\n{notes[name]}")
        axis.set_yticks([])
        axis.spines["left"].set_visible(False)
    axes[0].set_ylabel(f"{len(next(iter(panels.values())))} batches")
    _legend(figure)
    return figure


def cost_by_length(
    lengths: Sequence[int], seconds: Sequence[float], shares: Mapping[str, Sequence[float]]
) -> Figure:
    """Left the measured time per token, right the computed share of attention (0 to 1)."""
    figure, (left, right) = new(9, 3.6, columns=2)
    micro = 1e6 * np.asarray(seconds)
    left.plot(lengths, micro, "o-", color=COLORS[0])
    left.set_ylim(0, 1.15 * micro.max())  # room for the highest marker
    left.set(title="measured here", ylabel="microseconds per token")
    for number, (name, values) in enumerate(shares.items()):
        style = {"color": COLORS[number], "ls": ("-", "--", ":")[number]}
        right.plot(lengths, 100 * np.asarray(values), marker="os^"[number], ms=4, **style)
        right.annotate(name, (lengths[-1], 100 * values[-1]), xytext=(-4, 7), ha="right",
                       textcoords="offset points", fontsize=9, color=COLORS[number])  # fmt: skip
    right.set(title="computed: share of attention", ylabel="share of the products (%)")
    right.set_ylim(0, 100 * max(map(max, shares.values())) * 1.25)
    for axis in (left, right):
        axis.set_xscale("log", base=2)
        axis.set_xticks(lengths, [str(length) for length in lengths])
        axis.minorticks_off()
        axis.set_xlabel("tokens in each sentence")
    return figure


def rates(ours: Mapping[str, Sequence[float]], paper: Mapping[str, float]) -> Axes:
    """Sentences per second on a log axis: every recorded round, its median, the paper's value."""
    _, axes = new(8.5, 0.42 * len(ours) + 1.5)
    names = list(ours)
    for place, name in enumerate(names):
        values = np.ravel(ours[name])
        axes.plot(values, [place] * len(values), "|", color=COLORS[0], ms=9, alpha=0.6)
        axes.plot(np.median(values), place, "o", color=COLORS[0], ms=8)
        if name in paper:
            axes.plot(paper[name], place, "D", color=COLORS[1], ms=7, markeredgecolor="black")
    axes.plot([], [], "o", color=COLORS[0], label="recorded here: rounds and their median")
    axes.plot([], [], "D", color=COLORS[1], markeredgecolor="black", label="paper, CPU")
    axes.set_xscale("log")
    axes.xaxis.set_major_formatter(lambda value, _: f"{value:,.0f}")
    axes.set_yticks(range(len(names)), names)
    axes.invert_yaxis()
    axes.grid(axis="x", color="#dddddd", lw=0.7)
    axes.set_xlabel("sentences per second (log scale)")
    axes.legend(loc="lower center", bbox_to_anchor=(0.4, 1.0), ncols=2, fontsize=9)
    return axes
