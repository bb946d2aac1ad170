"""Where the course's own files are: data/ (read only) and runs/ (what training leaves)."""

import os
from pathlib import Path

from sbert_lab.errors import DataError

PACKAGE = Path(__file__).resolve().parent


def home() -> Path:
    """The folder that holds data/: $SBERT_LAB_HOME, else the clone this package lies in."""
    named = os.environ.get("SBERT_LAB_HOME")
    candidates = [Path(named).expanduser()] if named else [PACKAGE.parent]
    for folder in candidates:
        if (folder / "data").is_dir():
            return folder.resolve()
    raise DataError(
        f"no data folder in {candidates[0]}: clone the repository and install it with "
        "`pip install -e .`, or set SBERT_LAB_HOME to the folder that contains data/"
    )


def data_dir(*parts: str) -> Path:
    """A path under data/."""
    return home().joinpath("data", *parts)


def runs_dir(*parts: str) -> Path:
    """A path under runs/ ($SBERT_LAB_RUNS if set); the folder is not made here."""
    named = os.environ.get("SBERT_LAB_RUNS")
    root = Path(named).expanduser() if named else home() / "runs"
    return root.joinpath(*parts)
