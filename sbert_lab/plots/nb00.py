"""The figure of notebook 00: two similarity matrices under one colour scale."""

from collections.abc import Sequence

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from sbert_lab.plots import new


def raw_beside_tuned(
    raw: np.ndarray, tuned: np.ndarray, sentences: Sequence[str], themes: Sequence[str]
) -> Figure:
    """Two (n, n) cosine matrices, sentences in equal groups, one group per theme."""
    figure, (left, right) = new(10, 3.9, columns=2, sharey=True)
    lowest = min(0.0, float(np.min(raw)), float(np.min(tuned)))
    size = len(sentences) // len(themes)
    for axes, matrix, title in ((left, raw, "raw mini-bert"), (right, tuned, "tuned mini-sbert")):
        image = axes.imshow(matrix, vmin=lowest, vmax=1, cmap="cividis")
        axes.set_title(title)
        _mark_themes(axes, themes, size)
    left.set_yticks(range(len(sentences)), sentences)
    for axes in (left, right):
        axes.tick_params(length=0)
        axes.spines[:].set_visible(False)
    figure.colorbar(image, ax=[left, right], label="cosine", shrink=0.75)
    return figure


def _mark_themes(axes: Axes, themes: Sequence[str], size: int) -> None:
    axes.set_xticks([size * i + (size - 1) / 2 for i in range(len(themes))], themes)
    for i in range(1, len(themes)):
        axes.axhline(size * i - 0.5, color="white", linewidth=2)
        axes.axvline(size * i - 0.5, color="white", linewidth=2)
