"""Widgets: a picture where nothing moves, a new one when a control does, no state in a notebook."""

import sys

import ipywidgets
import nbformat
import pytest

from sbert_lab.course import plots, widgets
from sbert_lab.errors import InputError

TEXTS = {"caption": "It grows.", "alt": "One bar & its length."}


@pytest.fixture
def displayed(monkeypatch):
    import IPython.display

    shown = []
    monkeypatch.setattr(
        IPython.display, "display", lambda bundle, metadata=None, raw=False: shown.append(bundle)
    )
    return shown


def bar(length=1, name="a"):
    if not name.strip():
        raise InputError("name is empty: type <something>")
    _, axes = plots.new(2, 1)
    axes.barh([name], [length])
    return axes


def picture_of(view: dict):
    """The widget that the displayed view shows, and the HTML of its picture."""
    (box,) = (
        one for one in ipywidgets.widgets.widget._instances.values()
        if one.model_id == view["model_id"]
    )  # fmt: skip
    return box.children[-1]


def test_the_display_has_a_picture_for_readers_and_a_view_for_running_notebooks(displayed):
    live = widgets.explore(bar, length=widgets.Slide("length", range(5), 2), **TEXTS)
    picture, caption = displayed
    assert picture["text/plain"] == "figure: One bar & its length."
    assert picture["image/png"] == plots.bundle(bar(2).get_figure(), "")[0]["image/png"]
    assert caption["text/markdown"] == "*It grows.*"
    shown = picture_of(picture[widgets.VIEW]).value
    assert picture["image/png"] in shown and 'alt="One bar &amp; its length."' in shown
    assert live["length"].value == 2 and live["length"].description == "length"


def test_moving_a_control_draws_what_its_value_gives(displayed):
    controls = {
        "length": widgets.Slide("length", [1, 10, 1000], 1),
        "name": widgets.Words("n", "a"),
    }
    live = widgets.explore(bar, **controls, **TEXTS)
    shown = picture_of(displayed[0][widgets.VIEW])
    live["length"].value = 1000
    live["name"].value = "b"
    assert plots.bundle(bar(1000, "b").get_figure(), "")[0]["image/png"] in shown.value
    live["name"].value = " "
    assert shown.value == "<p>name is empty: type &lt;something&gt;</p>"
    live["name"].value = "c"
    assert "<img" in shown.value


def test_without_ipywidgets_there_is_the_picture_alone(displayed, monkeypatch):
    monkeypatch.setitem(sys.modules, "ipywidgets", None)
    assert widgets.explore(bar, length=widgets.Slide("length", range(5), 2), **TEXTS) == {}
    assert set(displayed[0]) == {"image/png", "text/plain"}


def test_a_committed_notebook_keeps_the_picture_and_no_widget():
    sys.path.insert(0, "notebooks")
    from builder import IGNORED
    from builder.execution import scrub

    view = {widgets.VIEW: {"model_id": "x"}}
    picture, bar = ({"image/png": "iVBOR", **view}, {"text/plain": "0%|", **view})
    for tags in ([], [IGNORED]):
        outputs = [nbformat.v4.new_output("display_data", dict(data)) for data in (picture, bar)]
        cell = nbformat.v4.new_code_cell("1", outputs=outputs, metadata={"tags": tags})
        book = nbformat.v4.new_notebook(cells=[cell])
        scrub(book)
        kept = [sorted(output.data) for output in book.cells[0].outputs]
        assert kept == [["image/png"], ["text/plain"]][: 1 if tags else 2]
