"""What a learner sees, in a real browser: JupyterLab with the work folder, and the site's pages.

`make test-browser` runs this; pictures of what failed are kept in runs/browser.
"""

import json
import os
import re
import signal
import socket
import subprocess
import sys
import time
import urllib.request
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import NamedTuple

import pytest

from sbert_lab.cli import main

api = pytest.importorskip("playwright.sync_api", reason="run it with `make test-browser`")
pytestmark = [pytest.mark.browser, pytest.mark.slow, pytest.mark.usefixtures("loopback")]

ROOT = Path(__file__).resolve().parent.parent
SITE = ROOT / "site" / "_build" / "html"
SHOTS = ROOT / "runs" / "browser"
SECONDS = 180  # for anything one waits for: slow machines are not a mistake
api.expect.set_options(timeout=1000 * SECONDS)
QUIET = (
    "--disable-gpu --disable-quic --no-first-run --disable-background-networking "
    "--disable-component-update --disable-sync --disable-dev-shm-usage"
)
SETTINGS = {  # no news, every cell in the page, nothing saved behind our back
    "apputils-extension/notification": {"fetchNews": "false", "checkForUpdates": False},
    "notebook-extension/tracker": {"windowingMode": "none"},
    "docmanager-extension/plugin": {"autosave": False},
}
PANEL = ".jp-NotebookPanel:not(.lm-mod-hidden)"
RUNNING = (
    f"() => {{ const prompts = [...document.querySelectorAll('{PANEL} .jp-CodeCell "
    ".jp-InputPrompt')].map(one => one.textContent);"
    " return prompts.some(one => /[0-9]/.test(one)) && !prompts.some(one => one.includes('*')) }"
)


@pytest.fixture(scope="module")
def browser():
    chromium = os.environ.get("CHROMIUM") or pytest.skip("CHROMIUM is not set")
    root = ["--no-sandbox"] if hasattr(os, "geteuid") and os.geteuid() == 0 else []
    with api.sync_playwright() as playwright:
        started = playwright.chromium.launch(executable_path=chromium, args=[*QUIET.split(), *root])
        yield started
        started.close()


@contextmanager
def watched(browser, name: str, **looks):
    """A page that fails on script errors and outside requests, and leaves a picture if it fails."""
    page = browser.new_page(**looks)
    page.set_default_timeout(1000 * SECONDS)
    wrong = []
    page.on("pageerror", lambda error: wrong.append(f"script error: {error}"))
    page.on("request", lambda request: wrong.extend(_outside(request.url)))
    try:
        yield page
        assert wrong == []
    except BaseException:
        SHOTS.mkdir(parents=True, exist_ok=True)
        page.screenshot(path=SHOTS / f"{name}.png")
        print(f"see {SHOTS / name}.png")
        raise
    finally:
        page.close()


def _outside(address: str) -> list[str]:
    inside = re.match(r"(file|data|blob|about):|(http|ws)://127\.0\.0\.1:", address)
    return [] if inside else [f"outside request: {address}"]


# ---- JupyterLab


class Lab(NamedTuple):
    address: str
    folder: Path


@pytest.fixture(scope="module")
def lab(tmp_path_factory):
    """A JupyterLab on a new work folder, with settings of its own."""
    scratch = tmp_path_factory.mktemp("lab")
    assert main(["start", str(scratch / "work")]) == 0
    for plugin, values in SETTINGS.items():
        file = scratch / "settings" / "@jupyterlab" / f"{plugin}.jupyterlab-settings"
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(json.dumps(values))
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    places = {
        "JUPYTER_CONFIG_DIR": "config", "JUPYTER_DATA_DIR": "data", "IPYTHONDIR": "ipython",
        "JUPYTER_RUNTIME_DIR": "runtime", "JUPYTERLAB_SETTINGS_DIR": "settings",
        "JUPYTERLAB_WORKSPACES_DIR": "workspaces",
    }  # fmt: skip
    settings = {name: str(scratch / folder) for name, folder in places.items()}
    options = ["--no-browser", "--allow-root", "--ip=127.0.0.1", f"--port={port}"]
    options += ["--ServerApp.port_retries=0", "--IdentityProvider.token=t"]
    log = open(scratch / "log", "w+")  # noqa: SIM115
    server = subprocess.Popen(
        [sys.executable, "-m", "jupyterlab", *options, f"--ServerApp.root_dir={scratch / 'work'}"],
        env={**os.environ, **settings, "PYTHONPATH": str(ROOT), "OMP_NUM_THREADS": "1"},
        stdout=log, stderr=subprocess.STDOUT, start_new_session=True,
    )  # fmt: skip
    address = f"http://127.0.0.1:{port}"
    try:
        wait_for(lambda: server.poll() is not None or ask(address, "status"), "JupyterLab")
        assert server.poll() is None, (scratch / "log").read_text()
        yield Lab(address, scratch / "work")
    finally:
        with suppress(ProcessLookupError):
            os.killpg(server.pid, signal.SIGTERM)
        server.wait(30)
        log.close()


def ask(address: str, what: str):
    """The server's own answer, None while there is none."""
    try:
        return json.load(urllib.request.urlopen(f"{address}/api/{what}?token=t", timeout=10))
    except OSError:
        return None


def wait_for(condition, what: str):
    """The first true value of `condition()`."""
    until = time.monotonic() + SECONDS
    while time.monotonic() < until:
        if found := condition():
            return found
        time.sleep(0.25)
    pytest.fail(f"waited {SECONDS} s for {what}")


def open_and_run(page, lab: Lab, name: str) -> None:
    """Open a notebook of the work folder, wait for its kernel, and choose Run All Cells."""

    def ready():
        sessions = ask(lab.address, "sessions") or []
        return any(
            one["path"] == name and one["kernel"]["execution_state"] == "idle" for one in sessions
        )

    page.goto(f"{lab.address}/lab/tree/{name}?reset&token=t")
    page.locator(f"{PANEL} .jp-CodeCell").first.wait_for()
    setup = page.locator(f"{PANEL} .jp-CodeCell").first
    api.expect(
        setup.locator(".jp-InputArea .jp-Placeholder, .jp-Placeholder").first
    ).to_be_visible()
    wait_for(ready, f"the kernel of {name}")
    page.locator(".lm-MenuBar-itemLabel", has_text=re.compile("^Run$")).click()
    page.locator('.lm-Menu-item[data-command="runmenu:run-all"]').click()
    page.wait_for_function(RUNNING)


def errors_in(page, lab: Lab, name: str) -> list[str]:
    """Save the notebook; the errors that it then holds. Every cell must have been executed.

    Read from the disk: a server that is asked for a file while it saves it takes the save for a
    crash, and moves the file away.
    """
    page.keyboard.press("Escape")
    page.keyboard.press("Control+s")

    def saved():
        try:
            cells = json.loads((lab.folder / name).read_text(encoding="utf-8"))["cells"]
        except ValueError:  # half written
            return None
        code = [cell for cell in cells if cell["cell_type"] == "code"]
        return all(cell["execution_count"] for cell in code) and code

    outputs = [one for cell in wait_for(saved, f"{name} saved") for one in cell["outputs"]]
    return [one["evalue"] for one in outputs if one["output_type"] == "error"]


def answer(page, beginning: str, code: str) -> str:
    """Type an answer into the exercise that begins so and run it; what its check says."""
    cells = page.locator(f"{PANEL} .jp-CodeCell")
    sources = cells.evaluate_all(
        "cells => cells.map(one => one.querySelector('.cm-content')?.textContent ?? '')"
    )
    number = next(n for n, source in enumerate(sources) if source.startswith(beginning))
    check = cells.nth(number + 1)
    before = check.locator(".jp-InputPrompt").text_content()
    cells.nth(number).locator(".cm-content").click()
    page.keyboard.press("Control+a")
    page.keyboard.insert_text(code)
    page.keyboard.press("Shift+Enter")
    page.keyboard.press("Shift+Enter")
    prompt = check.locator(".jp-InputPrompt")
    wait_for(lambda: re.search(r"\d", t := prompt.text_content()) and t != before, "the check")
    page.wait_for_function(RUNNING)
    return check.locator(".jp-OutputArea-output").first.text_content()


COSINE = "def cosine(u, v):\n    return u @ v / {}"
MEAN = "def mean_pool(token_embeddings, attention_mask):\n    {}"
RIGHT = (
    "weights = attention_mask.unsqueeze(-1)\n"
    "    return (token_embeddings * weights).sum(dim=1) / weights.sum(dim=1)"
)
JOURNEYS = {  # notebook: its exercise, a wrong answer and a word of its hint, a right answer
    "00_start_here.ipynb": (
        "def cosine(", COSINE.format("np.linalg.norm(u)"), "both lengths",
        COSINE.format("np.linalg.norm(u) / np.linalg.norm(v)"),
    ),
    "02_pooling.ipynb": (
        "def mean_pool(", MEAN.format("return token_embeddings.mean(dim=1)"), "padding is in",
        MEAN.format(RIGHT),
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", JOURNEYS)
def test_a_learner_runs_a_notebook_answers_and_moves_its_widget(browser, lab, name):
    beginning, wrong, hint, right = JOURNEYS[name]
    looks = {"viewport": {"width": 1280, "height": 1000}}
    with watched(browser, name.removesuffix(".ipynb"), **looks) as page:
        open_and_run(page, lab, name)
        assert errors_in(page, lab, name) == []
        said = answer(page, beginning, wrong)
        assert "not there yet" in said and hint in said
        assert re.search(r"\bcorrect\b", answer(page, beginning, right))
        move_the_widget(page)


def move_the_widget(page) -> None:
    """A change draws another picture in the kernel; taking it back draws the first one again."""
    picture = page.locator(f"{PANEL} .jp-OutputArea-output .widget-html img")
    first = picture.get_attribute("src")
    line, handle = (
        page.locator(f"{PANEL} .jp-OutputArea-output {one}")
        for one in (".widget-text input", ".noUi-handle")
    )
    picture.scroll_into_view_if_needed()
    if line.count():
        before = line.input_value()
        there, back = (lambda: line.fill("A puppy barks.")), (lambda: line.fill(before))
    else:
        there, back = (lambda: handle.press("ArrowRight")), (lambda: handle.press("ArrowLeft"))
    there()
    wait_for(lambda: picture.get_attribute("src") != first, "a new picture")
    assert picture.evaluate("one => one.naturalWidth") > 300
    back()
    wait_for(lambda: picture.get_attribute("src") == first, "the first picture again")


# ---- the site

SCREENS = {"phone": {"width": 390, "height": 844}, "desktop": {"width": 1280, "height": 900}}
LOOK = """() => ({
  wide: document.documentElement.scrollWidth - document.documentElement.clientWidth,
  broken: [...document.images].filter(one => !one.naturalWidth).map(one => one.src),
  dumb: [...document.querySelectorAll('article img')].filter(one => !one.alt).length,
  open: document.querySelectorAll('details.hide[open]').length,
  light: getComputedStyle(document.body).backgroundColor.match(/[0-9]+/g).slice(0, 3)
    .reduce((sum, one) => sum + Number(one), 0) / 765,
})"""


@pytest.mark.parametrize("screen", SCREENS)
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_every_page_of_the_site_fits_and_shows_its_pictures(browser, screen, scheme):
    if not (SITE / "index.html").is_file():
        pytest.skip("the site is not built: run `make site`")
    made = {"genindex.html", "search.html"}  # by Sphinx, nothing to read there
    pages = sorted(path for path in SITE.rglob("*.html") if path.name not in made)
    assert len(pages) > 20
    looks = {"viewport": SCREENS[screen], "color_scheme": scheme}
    found = {}
    with watched(browser, f"site-{screen}-{scheme}", **looks) as page:
        for path in pages:
            page.goto(path.as_uri())
            api.expect(page.locator("h1").first).to_be_visible()
            page.evaluate("document.querySelectorAll('img').forEach(one => one.loading = 'eager')")
            page.wait_for_function("[...document.images].every(one => one.complete)")
            seen = page.evaluate(LOOK)
            right = (seen["light"] > 0.8) == (scheme == "light") and seen["wide"] <= 0
            if not right or seen["broken"] or seen["open"] or seen["dumb"]:
                found[path.relative_to(SITE).as_posix()] = seen
                page.screenshot(path=SHOTS / f"site-{screen}-{scheme}-{path.stem}.png")
        assert found == {}
