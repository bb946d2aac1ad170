"""Figures: the same bytes each time, alt text, a caption, nothing drawn twice."""

import io

import matplotlib.pyplot as plt
import numpy as np
import pytest
from PIL import Image

from sbert_lab.course import plots
from sbert_lab.errors import InputError


@pytest.fixture
def displayed(monkeypatch):
    """What would be displayed, as (bundle, metadata)."""
    import IPython.display

    shown = []
    monkeypatch.setattr(
        IPython.display,
        "display",
        lambda bundle, metadata=None, raw=False: shown.append((bundle, metadata)),
    )
    return shown


def test_show_displays_a_picture_with_alt_text_and_then_its_caption(displayed):
    _, axes = plots.new(3, 2)
    plots.show(axes, caption="It is empty.", alt="Two empty axes.")
    (picture, metadata), (caption, _) = displayed
    assert metadata == {"image/png": {"alt": "Two empty axes."}}
    assert picture["text/plain"] == "figure: Two empty axes."
    assert caption["text/markdown"] == "*It is empty.*"


@pytest.mark.parametrize("texts", [{"caption": " ", "alt": "a"}, {"caption": "c", "alt": ""}])
def test_a_figure_without_caption_or_alt_text_is_refused(texts, displayed):
    with pytest.raises(InputError, match="is empty"):
        plots.show(plots.new()[0], **texts)
    assert displayed == []


def test_the_same_figure_gives_the_same_bytes_without_a_version_stamp():
    def picture() -> bytes:
        figure, axes = plots.new(3, 2)
        axes.plot([1, 2], [1, 4], label="squares")
        axes.legend()
        return plots.png(figure)

    assert picture() == picture()
    assert b"Software" not in picture() and picture().startswith(b"\x89PNG")


def test_a_new_figure_is_unknown_to_pyplot_and_a_shown_one_is_closed(displayed):
    plt.close("all")
    plots.new()
    assert plt.get_fignums() == []
    figure, _ = plt.subplots()
    plots.show(figure, caption="c", alt="a")
    assert plt.get_fignums() == []


def test_figures_axes_and_groups_of_axes_can_be_shown():
    figure, axes = plots.new(4, 2, columns=2)
    assert axes.shape == (2,)
    for drawing in (figure, axes, axes[0], list(axes), (figure, axes)):
        assert plots.figure_of(drawing) is figure
    for wrong in (None, [], 3):
        with pytest.raises(InputError, match="cannot show"):
            plots.figure_of(wrong)


def test_colours_differ_and_differ_in_lightness_too():
    from matplotlib.colors import to_rgb

    light = [np.dot(to_rgb(color), (0.299, 0.587, 0.114)) for color in plots.COLORS[:3]]
    assert len(set(plots.COLORS)) == 8
    assert min(abs(a - b) for a in light for b in light if a != b) > 0.05


def test_log_ticks_name_their_values_and_no_others():
    figure, axes = plots.new(3, 2)
    plots.log_ticks(axes, (1, 2.5, 100))
    assert [label.get_text() for label in axes.get_xticklabels()] == ["1", "2.5", "100"]
    assert axes.get_xscale() == "log" and len(axes.get_xticks(minor=True)) == 0


def test_a_heatmap_writes_every_value_where_it_belongs():
    figure, axes = plots.new(3, 3)
    plots.heatmap(axes, [[1, 0.25], [0.75, 1]], ["a", "b"])
    written = {text.get_position(): text.get_text() for text in axes.texts}
    assert written == {(0, 0): "1.00", (1, 0): "0.25", (0, 1): "0.75", (1, 1): "1.00"}
    assert [label.get_text() for label in axes.get_yticklabels()] == ["a", "b"]


def test_fewer_colours_change_no_colour_that_a_reader_would_see():
    figure, axes = plots.new(4, 3)
    axes.imshow(np.linspace(0, 1, 400).reshape(20, 20))
    axes.scatter(range(8), range(8), c=plots.COLORS)
    full = io.BytesIO()
    figure.savefig(full, format="png", dpi=plots.DPI)
    before, after = (
        np.asarray(Image.open(one).convert("RGB"), dtype=int)
        for one in (full, io.BytesIO(plots.png(figure)))
    )
    assert np.abs(before - after).max() <= 16  # of 255
    assert len(plots.png(figure)) < len(full.getvalue()) / 2
