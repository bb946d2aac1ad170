"""Sphinx settings of the course site. `site/build.py` gathers the pages and calls Sphinx."""

from docutils.nodes import SkipNode
from latex2mathml.converter import convert
from sphinx.errors import ExtensionError

project = html_title = "SBERT Lab"
language = "en"
extensions = ["myst_nb"]

nb_execution_mode = "off"  # pages show what is committed
nb_merge_streams = True
nb_ipywidgets_js = {}  # would be fetched from a CDN
nb_mime_priority_overrides = [("html", "application/vnd.jupyter.widget-view+json", None)]
nb_code_prompt_show, nb_code_prompt_hide = "Show the {type}", "Hide the {type}"
myst_enable_extensions = ["dollarmath"]
myst_dmath_allow_space = False  # "$5 and $6" is no formula
myst_heading_anchors = 3

html_theme = "furo"
html_static_path = ["site.css"]
html_css_files = ["site.css"]
html_copy_source = False
html_show_copyright = False
html_math_renderer = "mathml"


def mathml(latex: str, display: str) -> str:
    """A formula that browsers draw themselves; an unknown command stops the build."""
    converted = convert(latex, display=display)
    if "\\" in converted:
        raise ExtensionError(f"latex2mathml does not know a command of this formula: {latex}")
    return converted


def inline(writer, node) -> None:
    writer.body.append(mathml(node.astext(), "inline"))
    raise SkipNode


def block(writer, node) -> None:
    writer.body.append(f'<div class="formula">{mathml(node.astext(), "block")}</div>')
    raise SkipNode


def setup(app) -> None:
    app.add_html_math_renderer("mathml", (inline, None), (block, None))
