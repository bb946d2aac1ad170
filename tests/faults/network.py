"""A hub on loopback with every accident (tests/test_faults_network.py), and the paper profile."""

import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from functools import cache, partial
from pathlib import Path
from xml.etree import ElementTree

from faults.table import Case, Lost

TESTS = Path(__file__).resolve().parent.parent
GROUPS = {
    "an accident that passes: waited for, tried again": "test_what_passes",
    "an accident that lasts: said, the cache is whole": "test_what_lasts",
    "no server, no network, fetched before": "test_no_server|test_what_was_fetched",
    "changed columns, row counts, cards; pickled weights": "test_changed|test_a_c|test_pickled",
    "profile mini never asks": "test_profile_mini",
}
SLOW = "test_profile_paper_runs_end_to_end_on_stand_ins"


def cases() -> Iterator[Case]:
    """In `make test` they run as tests of their own."""
    for what, pattern in GROUPS.items():
        yield Case(what, partial(group, pattern), short=0)
    yield Case("profile paper on stand-ins, Tables 1 to 7", paper, short=0)


@cache
def outcomes() -> dict[str, str]:
    """Name of each test -> what went wrong, or nothing."""
    with tempfile.TemporaryDirectory() as place:
        out = Path(place, "out.xml")
        command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider"]
        command += [f"--junitxml={out}", str(TESTS / "test_faults_network.py"), "-k", f"not {SLOW}"]
        subprocess.run(command, capture_output=True, env={**os.environ, "OMP_NUM_THREADS": "1"})
        found = {}
        for test in ElementTree.parse(out).iter("testcase"):
            wrong = [one for one in test if one.tag in ("failure", "error", "skipped")]
            found[test.get("name")] = wrong[0].get("message", "failed") if wrong else ""
        return found


def group(pattern: str, number: int) -> int:
    chosen = {name: wrong for name, wrong in outcomes().items() if re.match(pattern, name)}
    failed = [f"{name}: {wrong[:200]}" for name, wrong in chosen.items() if wrong]
    if failed or not chosen:
        raise Lost("\n".join(failed) or f"no test called {pattern}")
    return len(chosen)


def paper(number: int) -> int:
    script = TESTS.parent / ".ci" / "paper_stand_ins.py"
    done = subprocess.run([sys.executable, str(script)], capture_output=True, text=True)
    if done.returncode or "failed: none" not in done.stdout:
        raise Lost(done.stdout[-600:] + done.stderr[-600:])
    return 7
