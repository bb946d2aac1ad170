"""Odd input everywhere: a right result or an error of ours that helps; no hang, no silent nan."""

import random
import signal
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial

import hypothesis
import numpy as np
from hypothesis import HealthCheck

from faults import targets
from faults.table import Case, Impossible, Lost
from sbert_lab.errors import LabError

PATIENCE = 30  # seconds for one input
TOTAL = 100_000


def cases() -> Iterator[Case]:
    """The shares of the 100,000 that the targets take; the parsers take the rest."""
    taken = 0
    for name, (strategy, target, share) in targets.GENERATED.items():
        taken += share
        attempt = partial(generated, strategy, target, share)
        yield Case(f"{name}: {share:,} generated inputs", attempt, short=0)
        yield Case(f"{name}: 25 generated inputs", partial(generated, strategy, target, 25), 0)
    parsers = targets.parsers()
    share = -(-(TOTAL - taken) // len(parsers))
    for name, target in parsers.items():
        yield Case(f"{name}: {share:,} spoiled files", partial(spoiled, target, share), short=0)
        yield Case(f"{name}: 25 spoiled files", partial(spoiled, target, 25), 0)
    for name, target in targets.SINGLE.items():
        yield Case(name, lambda _, target=target: handed_in(target))
    yield Case("parsers under atheris, guided by coverage", atheris, short=0)


def generated(strategy, target: Callable, share: int, number: int) -> int:
    """So many inputs from hypothesis; a loss is made as small as it can."""
    count = [0]

    @hypothesis.seed(number)
    @hypothesis.settings(
        max_examples=share,
        deadline=None,
        database=None,
        suppress_health_check=list(HealthCheck),
        report_multiple_bugs=False,
    )
    @hypothesis.given(strategy)
    def every(given) -> None:
        count[0] += 1
        try:
            handed_in(partial(target, given))
        except Lost as loss:
            raise Lost(f"{str(loss)[:900]}\nfor {str(given)[:300]}") from loss.__cause__

    every()
    return count[0]


def spoiled(target: Callable, share: int, number: int) -> int:
    for one in range(share):
        handed_in(partial(target, random.Random(f"{number} {one}")))
    return share


def handed_in(target: Callable[[], object]) -> None:
    """Call it: whatever it raises must be ours, with a message; a number must be a number."""
    try:
        with time_limit(), warnings.catch_warnings(), np.errstate(all="ignore"):
            warnings.simplefilter("ignore")
            target()
    except LabError as error:
        if len(str(error)) < 15:
            raise Lost(f"the message is of little use: {error!r}") from error
    except Lost:
        raise
    except Exception as error:
        raise Lost(f"a raw {type(error).__name__}: {str(error)[:300]}") from error


@contextmanager
def time_limit() -> Iterator[None]:
    def stop(*_: object) -> None:
        raise Lost(f"it hangs: no answer after {PATIENCE} s")

    before = signal.signal(signal.SIGALRM, stop)
    signal.alarm(PATIENCE)
    try:
        yield
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, before)


def atheris(number: int) -> int:
    """In a process of its own: the fuzzer ends it."""
    import importlib.util
    import re
    import subprocess
    import sys

    if not importlib.util.find_spec("atheris"):
        raise Impossible("atheris is not installed (pip install atheris)")
    command = [sys.executable, "-m", "faults.fuzz", "-max_total_time=60", f"-seed={number + 1}"]
    done = subprocess.run(command, capture_output=True, text=True)
    said = done.stdout + done.stderr
    if done.returncode:
        raise Lost(said[-1200:])
    return int(re.findall(r"Done (\d+) runs", said)[-1])
