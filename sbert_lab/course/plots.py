"""Figures: functions take arrays and return Axes or a Figure; `show` puts one into a notebook.

figure, axes = plots.new(6, 3.5)
axes.plot(steps, losses, color=plots.COLORS[0])
plots.show(figure, caption="The loss falls fast, then slowly.", alt="A falling curve.")
"""

import base64
import io
import sys
from collections.abc import Mapping

import matplotlib
import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure, SubFigure
from PIL import Image

from sbert_lab.errors import InputError

# Okabe and Ito's colours: told apart by colour-blind readers too.
COLORS = ["#0072B2", "#E69F00", "#009E73", "#CC79A7", "#56B4E9", "#D55E00", "#F0E442", "#000000"]
GREY = "#777777"  # for what is said beside the message
DPI = 110

STYLE = {
    "axes.prop_cycle": matplotlib.cycler(color=COLORS),
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.titlesize": 11,
    "axes.titlelocation": "left",
    "axes.labelsize": 10,
    "axes.grid": False,
    "figure.facecolor": "white",
    "font.size": 10,
    "image.cmap": "cividis",
    "legend.frameon": False,
    "lines.linewidth": 2,
    "xtick.labelsize": 9,
    "ytick.labelsize": 9,
}


def new(width: float = 6, height: float = 3.6, columns: int = 1, rows: int = 1, **given):
    """A figure in the house style: (figure, axes), or an array of axes if there are several.

    Sizes are in inches. It is not known to pyplot, so nothing appears before `show`. Further
    keywords go to `Figure.subplots` (`sharex`, `sharey`, `width_ratios`, ...).
    """
    matplotlib.rcParams.update(STYLE)
    figure = Figure(figsize=(width, height), layout="constrained")
    axes = figure.subplots(rows, columns, **given)
    return figure, axes


def show(drawing, *, caption: str, alt: str, view: Mapping | None = None) -> None:
    """Display a Figure or Axes as PNG with its alt text, and the caption below it.

    view: the same in a livelier form, by MIME type, for front ends that know it.
    """
    from IPython.display import display

    for name, text in (("caption", caption), ("alt", alt)):
        if not text.strip():
            raise InputError(
                f"{name} is empty: say what to notice (caption) and what is seen (alt)"
            )
    picture, about = bundle(figure_of(drawing), alt)
    display(picture | (view or {}), metadata=about, raw=True)
    display({"text/markdown": f"*{caption}*", "text/plain": caption}, raw=True)


def bundle(figure: Figure, alt: str) -> tuple[dict, dict]:
    """What `display` takes for a figure: the PNG and its text, and the metadata with its alt."""
    image = base64.b64encode(png(figure)).decode()
    return {"image/png": image, "text/plain": f"figure: {alt}"}, {"image/png": {"alt": alt}}


def figure_of(drawing) -> Figure:
    """The figure that an Axes, an array of Axes, a (figure, axes) pair or a Figure belongs to."""
    if isinstance(drawing, Figure):
        return drawing
    if isinstance(drawing, (Axes, SubFigure)):
        return drawing.get_figure(root=True)
    if isinstance(drawing, (list, tuple, np.ndarray)) and len(drawing):
        return figure_of(drawing[0])
    raise InputError(f"cannot show a {type(drawing).__name__}: give a Figure or an Axes")


def png(figure: Figure) -> bytes:
    """The figure as PNG in 256 colours, which makes a notebook less than half as large.

    It has no version stamp, which would differ from machine to machine.
    """
    full, buffer = io.BytesIO(), io.BytesIO()
    figure.savefig(full, format="png", dpi=DPI)
    image = Image.open(full).convert("RGB")
    image.quantize(256, method=Image.Quantize.FASTOCTREE, dither=Image.Dither.NONE).save(
        buffer, format="png", optimize=True
    )
    if pyplot := sys.modules.get("matplotlib.pyplot"):
        pyplot.close(figure)  # made with pyplot: otherwise Jupyter would draw it a second time
    return buffer.getvalue()


def log_ticks(axes: Axes, values, base: int = 10) -> None:
    """A logarithmic x axis that names these values and marks no others."""
    axes.set_xscale("log", base=base)
    axes.set_xticks(list(values), [f"{value:g}" for value in values])
    axes.minorticks_off()


def heatmap(axes: Axes, values, labels, *, minimum=0.0, maximum=1.0, digits: int = 2) -> Axes:
    """A labelled square of numbers, for example a similarity matrix: (n, n)."""
    values = np.asarray(values)
    axes.imshow(values, vmin=minimum, vmax=maximum, cmap="cividis")
    axes.set_xticks(range(len(labels)), labels, rotation=45, ha="right")
    axes.set_yticks(range(len(labels)), labels)
    middle = (minimum + maximum) / 2
    for row, column in np.ndindex(values.shape):
        value = values[row, column]
        color = "white" if value < middle else "black"
        axes.text(column, row, f"{value:.{digits}f}", ha="center", va="center", color=color)
    return axes
