"""A sweep over all exercises: plausible slips by somebody who has not read the checks.

tests/fixtures/slips has a file per notebook and a line per slip: what stands in the model answer,
`-->`, and what a learner may write instead. Each must be noticed. `fine:` marks another right way,
or a slip not worth a hint (the reason follows `##`); it must pass.
"""

import multiprocessing
import os
import re
from contextlib import redirect_stderr, redirect_stdout
from functools import cache
from importlib import import_module
from multiprocessing.connection import Connection
from pathlib import Path

import pytest

from sbert_lab.course import diagnose
from sbert_lab.course.grading import harness, lesson
from sbert_lab.encoder import SentenceEncoder

SLIPS = Path(__file__).resolve().parent / "fixtures" / "slips"
EXERCISES = {
    one.id: (name, one)
    for name in lesson.notebook_names()
    for one in lesson.exercises_of(name)
    if one.kind == "exercise"
}
STAND_INS = {  # for an encoder that the learner trains in the lesson
    "17-fool": (  # raw mini-roberta and its own median for alike pairs
        'mine, line = SentenceEncoder.load("mini-roberta"), 0.92',
        "def cosine_of(encoder, a, b):\n"
        "    u, v = encoder.encode([a, b], normalize=True)\n"
        "    return float(u @ v)",
    )
}
LEAST = 10


def read_slips() -> dict[str, list[str]]:
    """The lines for each exercise."""
    found = {}
    for path in sorted(SLIPS.glob("*.txt")):
        for part in re.split(r"^== ", path.read_text(encoding="utf-8"), flags=re.MULTILINE)[1:]:
            exercise, *lines = part.splitlines()
            found[exercise] = [line for line in lines if line]
    return found


ALL = read_slips()


def apply(line: str, solution: str) -> str:
    """The model answer with the slip in it."""
    edit = line.removeprefix("fine: ").split("  ## ")[0].replace("\\n", "\n")
    old, new = edit.split(" --> ") if " --> " in edit else (edit.removesuffix(" -->"), "")
    assert old in solution, f"not in the model answer: {old}"
    return solution.replace(old, new, 1)


def sweep(notebook: str, answer: Connection) -> None:
    """Every slip of a notebook, in a process of its own: setup cells change settings."""
    namespace = {"__name__": "__main__", "display": lambda *args, **given: None}
    with open(os.devnull, "w") as nowhere, redirect_stdout(nowhere), redirect_stderr(nowhere):
        harness.run_source(lesson.plain(lesson.setup_of(notebook)), namespace, "setup")
        said = {name: _said(name, dict(namespace)) for name in ALL if _of(name) == notebook}
    answer.send(said)


def _of(exercise: str) -> str:
    return EXERCISES[exercise][0]


def _said(name: str, namespace: dict) -> dict[str, str]:
    """The check's verdict on each slip of one exercise, or the error that stopped it."""
    one = EXERCISES[name][1]
    for source in STAND_INS.get(name, one.lesson):
        harness.run_source(lesson.plain(source), namespace, "lesson")
    return {line: _verdict(apply(line, one.solution), one.test, namespace) for line in ALL[name]}


def _verdict(answer: str, test: str, namespace: dict) -> str:
    said = ["nothing"]
    diagnose.say = said.append
    own = dict(namespace)
    try:
        harness.run_source(answer, own, "your answer")
        harness.run_source(test, own, "check")
    except Exception as error:
        return repr(error)
    return said[-1]


@cache
def import_once() -> None:
    """What nearly every setup cell imports: here, each process finds it done."""
    for name in ("matplotlib.pyplot", "scipy.stats", "sklearn.linear_model"):
        import_module(name)
    SentenceEncoder.load("mini-bert")


def verdicts(notebook: str) -> dict[str, dict[str, str]]:
    """By exercise and slip."""
    import_once()
    context = multiprocessing.get_context("fork")
    reading, writing = context.Pipe(duplex=False)
    process = context.Process(target=sweep, args=(notebook, writing))
    process.start()
    writing.close()
    try:
        return reading.recv()
    except EOFError:
        pytest.fail(f"the sweep of {notebook} stopped: see its error above")
    finally:
        process.join()


def test_every_exercise_has_its_slips():
    assert set(ALL) == set(EXERCISES)
    few = {name: len(lines) for name, lines in ALL.items() if len(set(lines)) < LEAST}
    assert few == {}


@pytest.mark.slow
@pytest.mark.skipif(not hasattr(os, "fork"), reason="a process for each notebook needs fork")
@pytest.mark.parametrize("notebook", sorted({_of(name) for name in ALL}))
def test_no_slip_is_called_correct(notebook):
    for said in verdicts(notebook).values():
        wrong = {line for line in said if (said[line] == "correct") != line.startswith("fine: ")}
        assert {line: said[line] for line in wrong} == {}
