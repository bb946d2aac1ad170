"""Figures that answer to a slider or to what you type; where nothing can move, a picture.

widgets.explore(draw, caption="...", alt="...", padding=Slide("padding tokens", range(65), 16))

`draw(padding=16)` returns a Figure or Axes. A notebook that is only read (GitHub, the site, a
viewer without widgets) shows the picture of the starting values.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from html import escape

from sbert_lab.course import plots
from sbert_lab.errors import LabError

VIEW = "application/vnd.jupyter.widget-view+json"


@dataclass(frozen=True)
class Slide:
    """A slider that stops at each of `steps`."""

    label: str
    steps: Sequence
    start: object

    def control(self, made_by):
        options = [(f"{step:,}", step) for step in self.steps]
        return made_by.SelectionSlider(options=options, value=self.start, **_looks(self.label))


@dataclass(frozen=True)
class Words:
    """A line to type in; every letter counts at once."""

    label: str
    start: str

    def control(self, made_by):
        return made_by.Text(value=self.start, continuous_update=True, **_looks(self.label))


def _looks(label: str) -> dict:
    """The label in full, and as wide as the page allows."""
    wide = {"width": "auto", "max_width": "42em"}
    return {"description": label, "style": {"description_width": "initial"}, "layout": wide}


def explore(
    draw: Callable, *, caption: str, alt: str, **controls: Slide | Words
) -> Mapping[str, object]:
    """Show draw(**values) with a control for each value; returns the controls by name.

    The dictionary is empty where ipywidgets is not installed: then only the picture appears.
    """
    drawing = draw(**{name: one.start for name, one in controls.items()})
    live, view = _make_live(draw, controls, drawing, alt)
    plots.show(drawing, caption=caption, alt=alt, view=view)
    return live


def _make_live(draw: Callable, controls: Mapping, drawing, alt: str) -> tuple[dict, dict]:
    """The controls, wired to a picture that is drawn anew, and what displays them."""
    try:
        import ipywidgets
    except ImportError:
        return {}, {}
    live = {name: one.control(ipywidgets) for name, one in controls.items()}
    picture = ipywidgets.HTML(_as_html(drawing, alt))

    def redraw(_) -> None:
        try:
            drawn = draw(**{name: control.value for name, control in live.items()})
            picture.value = _as_html(drawn, alt)
        except LabError as error:  # an empty line, say
            picture.value = f"<p>{escape(str(error))}</p>"

    for control in live.values():
        control.observe(redraw, names="value")
    box = ipywidgets.VBox([*live.values(), picture])
    return live, {VIEW: {"version_major": 2, "version_minor": 0, "model_id": box.model_id}}


def _as_html(drawing, alt: str) -> str:
    image = plots.bundle(plots.figure_of(drawing), alt)[0]["image/png"]
    return f'<img alt="{escape(alt)}" style="max-width: 100%" src="data:image/png;base64,{image}">'
