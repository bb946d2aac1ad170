"""What every notebook uses: `setup`, `peek`, `you_said`, `shows` and `came_from`."""

import inspect
import os
import random
import subprocess
import sys
import tempfile
import textwrap
import tomllib
import warnings
from collections.abc import Callable
from importlib import metadata
from pathlib import Path

from sbert_lab.errors import LabError
from sbert_lab.profiles import get_profile

SEED = 1
HOME = Path(__file__).resolve().parents[2]
NEVER_INSTALLED = ("torch", "numpy")  # Colab's own builds fit its GPU; another one would break it

# The first lines of every notebook; build.py fills in the address from pyproject.toml.
BOOTSTRAP = """\
# Finds the course's package (in Colab it fetches it). Nothing to read here: just run the cell.
import importlib.util, os, pathlib, subprocess, sys, zipfile

REPOSITORY, why = "{repository}", "one click is not available yet"
here, clone = pathlib.Path.cwd(), pathlib.Path("sbert-lab").resolve()
if "google.colab" in sys.modules and not clone.exists():
    if zipfile.is_zipfile("sbert-lab.zip"):
        zipfile.ZipFile("sbert-lab.zip").extractall()
    elif REPOSITORY:
        os.environ["GIT_TERMINAL_PROMPT"] = "0"  # an unknown address must not ask for a password
        git = ["git", "clone", "-q", "--depth", "1", REPOSITORY, "sbert-lab"]
        said = subprocess.run(git, capture_output=True, text=True).stderr.strip()
        why = f"nothing could be fetched from {{REPOSITORY}} ({{said.splitlines()[-1:]}})"
found = [p for p in (here, *here.parents, clone) if (p / "sbert_lab/course/lab.py").exists()]
sys.path[:0] = [str(p) for p in found[:1]]
if not importlib.util.find_spec("sbert_lab"):
    raise ImportError(
        "the course is not here. On your machine: open this notebook in the course's folder. In "
        f"Colab: {{why}}; upload sbert-lab.zip (`make zip` makes it) with the folder button on the "
        "left, wait until all of it has arrived, and run this cell again"
    )
from sbert_lab.course.lab import came_from, peek, setup, shows, you_said
"""


def setup(
    notebook: str,
    *,
    study_minutes: int,
    computing_seconds: int,
    needs: tuple[str, ...] = (),
    seed: int = SEED,
) -> None:
    """Seed everything, keep the libraries quiet, and say where and for how long we compute.

    needs: packages beyond those that every notebook uses, such as "faiss-cpu".
    """
    provide(missing(needs))
    quiet()
    import numpy as np
    import torch

    from sbert_lab.devices import pick_device

    random.seed(seed)
    np.random.seed(seed)
    torch.manual_seed(seed)
    profile = get_profile()
    print(f"{notebook}: about {study_minutes} minutes of study")
    device = pick_device()
    if device.type != "cuda":  # a GPU leaves the processor's cores to the tokenizer
        os.environ.setdefault("TOKENIZERS_PARALLELISM", "false")
    print(f"{profile}, on {_device_name(device)}")
    print(_duration(profile.name, computing_seconds))


def quiet() -> None:
    """Silence the libraries' own logs and warnings; errors still appear."""
    os.environ.setdefault("TRANSFORMERS_VERBOSITY", "error")
    os.environ.setdefault("TRANSFORMERS_NO_ADVISORY_WARNINGS", "1")
    os.environ.setdefault("DATASETS_VERBOSITY", "error")
    for category in (DeprecationWarning, FutureWarning, PendingDeprecationWarning):
        warnings.filterwarnings("ignore", category=category)
    if transformers := sys.modules.get("transformers"):
        transformers.logging.set_verbosity_error()


def missing(needs: tuple[str, ...] = ()) -> list[str]:
    """The course's requirements that are not installed here, or too old."""
    from packaging.requirements import Requirement

    file = HOME / "pyproject.toml"
    if not file.is_file():
        return []
    project = tomllib.loads(file.read_text(encoding="utf-8"))["project"]
    extras = [one for group in project["optional-dependencies"].values() for one in group]
    names = {"matplotlib", *needs}
    wanted = [Requirement(text) for text in project["dependencies"]]
    wanted += {one.name: one for one in map(Requirement, extras) if one.name in names}.values()
    return [str(one) for one in wanted if not _installed(one)]


def _installed(requirement) -> bool:
    try:
        return requirement.specifier.contains(metadata.version(requirement.name), prereleases=True)
    except metadata.PackageNotFoundError:
        return False


def provide(requirements: list[str]) -> None:
    """In Colab install what is missing, but never torch or numpy; elsewhere say what to do."""
    if not requirements:
        return
    fixed = [one for one in requirements if one.startswith(NEVER_INSTALLED)]
    if fixed or "google.colab" not in sys.modules:
        raise LabError(
            f"not installed here, or too old: {', '.join(fixed or requirements)}. "
            f"In a terminal: pip install -r {HOME / 'requirements.txt'}, then restart the kernel"
        )
    print("installing", ", ".join(requirements))
    with tempfile.TemporaryDirectory() as folder:
        pins = Path(folder, "pins.txt")
        pins.write_text("".join(f"{n}=={metadata.version(n)}\n" for n in NEVER_INSTALLED))
        command = [sys.executable, "-m", "pip", "install", "-q", "-c", str(pins), *requirements]
        done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode:
        reason = next((line for line in done.stderr.splitlines() if "ERROR" in line), "no reason")
        raise LabError(
            f"pip could not install {', '.join(requirements)} beside this session's torch and "
            f"numpy: {reason.removeprefix('ERROR: ')}. In Colab try Runtime, Disconnect and delete "
            "runtime, and begin again; or work on your own machine (README, Start)"
        )


def _device_name(device) -> str:
    import torch

    if device.type == "cuda":
        return f"the GPU {torch.cuda.get_device_name(device)}"
    if device.type == "cpu":
        threads = torch.get_num_threads()
        return f"the CPU ({threads} thread{'s' if threads > 1 else ''})"
    return str(device)


def _duration(profile: str, seconds: int) -> str:
    if profile != "mini":
        return f"computing: about {seconds} s in profile mini; {profile} takes much longer"
    return f"computing: about {seconds} s on two CPU cores"


def you_said(guess: object, measured: object, unit: str = "") -> None:
    """Put the reader's guess beside what was measured."""
    said = "no guess" if guess is None or guess is Ellipsis else f"you said {_text(guess, unit)}"
    print(f"{said} / measured {_text(measured, unit)}")


def _text(value: object, unit: str) -> str:
    """A whole number with its thousands, another one with three digits, anything else as it is."""
    if getattr(value, "shape", None) == ():
        value = value.item()  # a NumPy or torch scalar
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        text = str(value)
    elif isinstance(value, int) or abs(value) >= 1000:
        text = f"{value:,.0f}"
    else:
        text = f"{value:.3g}"
    return f"{text} {unit}".rstrip()


def pick(difference, *, more: str, less: str, same: str, margin: float = 0.0) -> str:
    """Of three sentences the one that agrees with a difference; `{by}` in it is its size.

    One number: `more` above the margin, `less` below minus the margin. Resampled differences
    (draws,): the whole 95 % interval has to lie there, otherwise it is `same`.
    """
    import numpy as np

    from sbert_lab.experiments.evaluation.sts import interval

    values = np.asarray(difference, dtype=float)
    low, high = interval(values)
    chosen = more if low > margin else less if high < -margin else same
    return chosen.format(by=abs(values.mean()))


def shows(difference, **sentences) -> None:
    """Say what these numbers show, in the sentence that `pick` takes."""
    _markdown(pick(difference, **sentences))


def came_from(*tables) -> None:
    """Fold away when, how, on what and from which data recorded tables or studies were made."""
    lines = [
        f"- **{one.profile}**, {one.about['date']}, by `{one.about['command']}`; "
        f"{one.about['hardware']}; {one.about['backbone']}; {one.about['data']}"
        for one in tables
    ]
    title = "<details><summary>Where the recorded numbers come from</summary>"
    _markdown("\n".join([title, "", *lines, "", "</details>"]))


def _markdown(text: str) -> None:
    from IPython.display import display

    display({"text/markdown": text, "text/plain": text}, raw=True)


def peek(function: Callable, *, folded: bool = False) -> None:
    """Show the source of a function or class of the package, right here.

    Folded where it is the answer to an exercise: whoever runs all cells does not see it by chance.
    """
    from IPython.display import display

    target = inspect.unwrap(function)
    source = textwrap.dedent(inspect.getsource(target)).rstrip()
    where = f"{target.__module__}.{target.__qualname__}"
    fence = f"**`{where}`**\n\n```python\n{source}\n```"
    if folded:
        closed = f"<details><summary><code>{where}</code>: solve the exercise first</summary>"
        fence = f"{closed}\n\n```python\n{source}\n```\n\n</details>"
    display({"text/markdown": fence, "text/plain": f"# {where}\n{source}"}, raw=True)
