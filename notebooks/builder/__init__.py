"""What build.py is made of: scripts to cells, execution, staleness, lint, an nbgrader course."""

import sys
from pathlib import Path

NOTEBOOKS = Path(__file__).resolve().parent.parent
ROOT = NOTEBOOKS.parent
SCRIPTS = NOTEBOOKS / "src"
SOLUTIONS = NOTEBOOKS / "solutions"
sys.path.insert(0, str(ROOT))  # the package beside these notebooks, installed or not
IGNORED = "nbval-ignore-output"


class BuildError(Exception):
    """A script or a notebook that has to be mended; the message says where."""


def names(wanted: list[str] | None = None) -> list[str]:
    """The notebooks that have a script; of these the ones whose names begin as wanted."""
    known = sorted(path.stem for path in SCRIPTS.glob("*.py"))
    for start in wanted or []:
        if not any(name.startswith(start) for name in known):
            raise BuildError(f"no notebook begins with {start!r}: choose {', '.join(known)}")
    return [name for name in known if not wanted or name.startswith(tuple(wanted))]
