"""The course's own commands: `sbert-lab start`, `progress` and `grade`."""

import argparse
from collections.abc import Callable
from pathlib import Path

WORK = Path("work")


def add_course_commands(commands, add: Callable) -> None:
    """`add(commands, name, run, text, example)` makes a sub-parser, as the command line has it."""
    text = (
        "Put clean copies of the notebooks into a folder to work in: no outputs, no answers. What "
        "you wrote there is never overwritten; call it again to get what is new."
    )
    start = add(commands, "start", run_start, text, "start work --fresh 05")
    _add_folder(start)
    start.add_argument(
        "--fresh", nargs="+", default=[], metavar="NN", help="begin these anew; yours are kept"
    )
    text = "Tell which exercises are solved, from the notebooks in your folder. Nothing is sent."
    _add_folder(add(commands, "progress", run_progress, text, "progress"))
    text = (
        "Grade FOLDER/<student>/<notebook>.ipynb: only the answers and our checks run. Answers are "
        "programs: use an account that has nothing to lose (notebooks/INSTRUCTORS.md)."
    )
    grade = add(commands, "grade", run_grade, text, "grade submissions")
    grade.add_argument("folder", type=Path, help="a folder with a folder per learner")
    grade.add_argument("--jobs", type=int, default=2, help="submissions at once (default: 2)")
    grade.add_argument("--seconds", type=int, default=60, help="for one answer (default: 60)")


def _add_folder(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("folder", type=Path, nargs="?", default=WORK, help="default: work")


def run_start(given: argparse.Namespace) -> None:
    from sbert_lab.course.start import start

    for line in start(given.folder, fresh=tuple(given.fresh)):
        print(line)
    print(f"{given.folder}: ready; open {given.folder / '00_start_here.ipynb'} in JupyterLab")


def run_progress(given: argparse.Namespace) -> None:
    from sbert_lab.course import progress

    found = progress.read_progress(given.folder)
    print(progress.table(found))
    print(f"the same as a page: {progress.write_page(given.folder, found)}")


def run_grade(given: argparse.Namespace) -> None:
    from sbert_lab.course.grading.grade import grade_folder
    from sbert_lab.course.grading.tables import GRADES, LEARNERS, TO_READ, totals
    from sbert_lab.errors import InputError

    for name in ("jobs", "seconds"):
        if getattr(given, name) < 1:
            raise InputError(f"--{name} must be at least 1, got {getattr(given, name)}")
    grades = grade_folder(given.folder, jobs=given.jobs, seconds=given.seconds)
    print("", *totals(grades), sep="\n")
    look = sum(bool(grade.look_at_this) for grade in grades)
    print(f"{GRADES}: every answer ({look} to look at); {LEARNERS}: a line per learner; {TO_READ}")
