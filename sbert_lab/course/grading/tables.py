"""The results on disk: a line per answer, a line per learner, and what a person has to read."""

import csv
import io
from collections.abc import Iterable, Iterator
from dataclasses import astuple, dataclass, fields
from pathlib import Path

from sbert_lab.files import write_bytes

GRADES, LEARNERS, TO_READ = "grades.csv", "learners.csv", "to_read.md"


@dataclass(frozen=True)
class Grade:
    """One answer: its points, or None where a person has to decide; `said` is the check's line."""

    student: str
    notebook: str
    answer: str
    points: int | None
    of: int
    said: str
    look_at_this: str = ""


def write_tables(folder: Path, grades: list[Grade], prose: list[str]) -> None:
    """All three files, each whole or not at all."""
    header = [field.name for field in fields(Grade)]
    rows = [astuple(grade) for grade in grades]
    write_bytes(folder / GRADES, _csv([header, *rows]))
    write_bytes(folder / LEARNERS, _csv(_learner_rows(grades)))
    write_bytes(folder / TO_READ, "\n".join(prose).encode("utf-8"))


def totals(grades: list[Grade]) -> Iterator[str]:
    """A line per submission."""
    for student, notebook in dict.fromkeys((g.student, g.notebook) for g in grades):
        here = [g for g in grades if (g.student, g.notebook) == (student, notebook)]
        if not any(g.answer for g in here):
            yield f"{student:20} {notebook:30} {here[0].said}"
            continue
        points, undecided = sum(g.points or 0 for g in here), [g for g in here if g.points is None]
        left = f", {sum(g.of for g in undecided)} more to be given by a person" * bool(undecided)
        yield f"{student:20} {notebook:30} {points:2} of {sum(g.of for g in here)} points{left}"


def _learner_rows(grades: list[Grade]) -> Iterator[list]:
    """A line per learner with a column per notebook, as learning platforms import it.

    A file that could not be graded leaves its place empty and is counted: it is no 0.
    """
    notebooks = sorted({grade.notebook for grade in grades if grade.answer})
    yield ["student", *notebooks, "points", "of", "to be given by a person", "files not graded"]
    for student in sorted({grade.student for grade in grades}):
        mine = [grade for grade in grades if grade.student == student]
        by_notebook = []
        for name in notebooks:
            here = [grade for grade in mine if grade.notebook == name and grade.answer]
            by_notebook.append(sum(g.points or 0 for g in here) if here else "")
        left = sum(grade.of for grade in mine if grade.points is None)
        total = sum(grade.points or 0 for grade in mine)
        not_graded = sum(not grade.answer for grade in mine)
        yield [student, *by_notebook, total, sum(grade.of for grade in mine), left, not_graded]


def _csv(rows: Iterable[Iterable]) -> bytes:
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerows(rows)
    return text.getvalue().encode("utf-8")
