"""The site without Sphinx: what becomes a page, what is folded, and what the link check finds."""

import importlib.util
import json
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
SPEC = importlib.util.spec_from_file_location("site_build", ROOT / "site" / "build.py")
build = importlib.util.module_from_spec(SPEC)
SPEC.loader.exec_module(build)
PAGES = {name for names in build.pages().values() for name in names}


def test_every_page_is_there_and_every_notebook_is_a_page():
    assert [name for name in PAGES if not (ROOT / name).is_file()] == []
    notebooks = {f"notebooks/{path.stem}.ipynb" for path in (ROOT / "notebooks/src").glob("*.py")}
    assert notebooks <= PAGES


def test_the_landing_page_links_to_pages_and_shows_commands_that_exist():
    page = build.landing_page()
    links = [link for link in re.findall(r"\]\((.+?)\)", page) if "://" not in link]
    assert set(links) <= PAGES | {build.FIGURE}
    assert {name for name in PAGES if name.endswith(".ipynb")} <= set(links)
    assert (ROOT / build.FIGURE).is_file()
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    commands = re.findall(r"^make (\w+)", page, re.MULTILINE)
    assert len(commands) == 2
    assert all(re.search(rf"^{command}:", makefile, re.MULTILINE) for command in commands)


def test_the_findings_count_every_recorded_claim_once():
    text = build.findings()
    recorded = json.loads((ROOT / "data/results/mini/claims.json").read_text(encoding="utf-8"))
    claims = [claim["id"] for claim in recorded["claims"]]
    assert sorted(re.findall(r"^- \*\*(C\d\d)\*\*", text, re.MULTILINE)) == claims
    counted = re.findall(r"^- Of (\d+) .+\.$", text, re.MULTILINE)  # findings, timings, arithmetic
    assert len(counted) == 3 and sum(map(int, counted)) == len(claims)


@pytest.mark.parametrize(
    ("code", "tags", "folded"),
    [
        ("you_said(guess, 3)", [], "hide-output"),
        ("peek(max_pool)", [], "hide-output"),
        ("plots.show(figure)", [], "hide-input"),
        ("setup('02')", ["setup"], "hide-input"),
        ("guess = None", [], None),
    ],
)
def test_answers_are_folded_and_outputs_stay_as_committed(code, tags, folded):
    output = {"output_type": "stream", "name": "stdout", "text": ["74 %\n"]}
    cell = {"cell_type": "code", "source": [code], "metadata": {"tags": tags}, "outputs": [output]}
    page = json.loads(build.notebook(json.dumps({"cells": [cell]}), "notebooks/a.ipynb", PAGES))
    assert page["cells"][0]["outputs"] == [output]
    assert page["cells"][0]["metadata"]["tags"] == tags + ([folded] if folded else [])


@pytest.mark.parametrize(
    ("link", "expected"),
    [
        ("[pooling](02_pooling.ipynb)", "[pooling](02_pooling.ipynb)"),
        ("[paper](https://arxiv.org/abs/1908.10084)", "[paper](https://arxiv.org/abs/1908.10084)"),
        ("[the loop](../README.md)", "the loop (`README.md`)"),
        ("[gone](gone.ipynb)", "[gone](gone.ipynb)"),  # Sphinx complains
        ("[shape](A1_pytorch_refresher.ipynb#shape)", None),
    ],
)
def test_links_that_sphinx_cannot_follow_are_rewritten(link, expected):
    html = '<a href="A1_pytorch_refresher.html#shape">shape</a>'
    assert build.relink(link, "notebooks/00_start_here.ipynb", PAGES) == (expected or html)


@pytest.mark.parametrize(
    ("content", "trouble"),
    [
        ('<a href="other.html#here">', None),
        ('<a href="https://arxiv.org/abs/1908.10084">', None),
        ('<img src="data:image/png;base64,AAAA">', None),
        ('<a href="gone.html">', "gone.html is not there"),
        ('<img src="gone.png">', "gone.png is not there"),
        ('<a href="other.html#there">', "other.html#there has no such place"),
        ('<a href="#nowhere">', "#nowhere has no such place"),
        ('<script src="https://cdn.org/x.js">', "https://cdn.org/x.js would be fetched"),
        ('<link href="//cdn.org/x.css">', "//cdn.org/x.css would be fetched"),
    ],
)
def test_the_link_check_names_what_is_broken_or_outside(tmp_path, content, trouble):
    (tmp_path / "page.html").write_text(content, encoding="utf-8")
    (tmp_path / "other.html").write_text('<p id="here">', encoding="utf-8")
    found = build.problems(tmp_path)
    assert [line.startswith(f"page.html: {trouble}") for line in found] == [True] * bool(trouble)


def test_the_link_check_reads_styles(tmp_path):
    (tmp_path / "a.css").write_text("@import 'https://fonts.org/a'; p {}", encoding="utf-8")
    assert "https://fonts.org/a would be fetched" in build.problems(tmp_path)[0]


def test_what_builds_the_site_is_pinned():
    lines = (ROOT / "site/requirements.txt").read_text(encoding="utf-8").splitlines()
    for line in lines:
        assert line.startswith("#") or re.match(r"^[a-z0-9-]+==[0-9][\w.]*(\s+#.*)?$", line), line
