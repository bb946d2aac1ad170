"""Grading: of a submitted notebook only the answers run, each with our own check after it.

Nothing is trained again: an exercise needs the setup cell and at most a few cells of the lesson,
and those come from the course, not from the submission. Cells are found by their ids, so a learner
may add, move and delete others. What a person must read is gathered in one text.
"""

import ast
import builtins
import csv
import io
import re
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from dataclasses import astuple, dataclass, fields
from pathlib import Path

import nbformat

from builder import NOTEBOOKS, BuildError, cells, names
from builder.execution import MINI, execute

OWN_RUN = re.compile(r"\b(train|zoo\.get)\(")
SECONDS = 60  # for one cell: a check needs less than five


@dataclass(frozen=True)
class Grade:
    """One answer: its points, or None where a person has to read; `said` is the check's line."""

    student: str
    notebook: str
    answer: str
    points: int | None
    of: int
    said: str


def grade_folder(folder: Path, *, jobs: int = 2) -> tuple[list[Grade], str]:
    """The grades of FOLDER/<student>/<notebook>.ipynb, and what is left to read."""
    found = sorted((path.parent.name, path) for path in folder.glob("*/*.ipynb"))
    known = set(names())
    for student, path in found:
        if path.stem not in known:
            raise BuildError(f"{student} handed in {path.name}: no notebook of the course")
    if not found:
        raise BuildError(
            f"{folder} has no <student>/<notebook>.ipynb, such as ann/02_pooling.ipynb"
        )
    with ProcessPoolExecutor(max_workers=jobs) as pool:
        results = list(pool.map(grade_notebook, *zip(*found, strict=True)))
    grades = [grade for several, _ in results for grade in several]
    return grades, "\n".join(text for _, text in results if text)


def grade_notebook(student: str, path: Path) -> tuple[list[Grade], str]:
    """The grades of one submission, and its answers in prose."""
    official = cells.solution(path.stem)
    given = _answers(path)
    book = grading_book(path.stem, given)
    outcome = execute(book, NOTEBOOKS, MINI, timeout=SECONDS, interrupt=True)
    ran = {cell.id: cell for cell in outcome.book.cells}
    grades, prose = [], []
    for cell, test in zip(official.cells, [*official.cells, None][1:], strict=True):
        tags = cell.metadata.get("tags", [])
        if "exercise" in tags:
            of = cells.points(test.metadata["tags"])
            said = _said(cell.id, test.id, given, ran, outcome.failure)
            points = None if test.id not in ran and cell.id in given else of * (said == "correct")
            grades.append(Grade(student, path.stem, cell.id, points, of, said))
        elif "manual" in tags:
            of, text = cells.points(tags), given.get(cell.id, "").strip()
            empty = text in ("", cells.STUBS[cell.cell_type])
            said = "nothing written" if empty else "to be read"
            grades.append(Grade(student, path.stem, cell.id, 0 if empty else None, of, said))
            if not empty:
                prose.append(f"## {path.stem}, {cell.id}, {student} (of {of})\n\n{text}\n")
    return grades, "\n".join(prose)


def grading_book(name: str, given: dict[str, str]) -> nbformat.NotebookNode:
    """The setup cell, then for each answer what it needs of the lesson, the answer, the check."""
    book = cells.solution(name)
    code = [cell for cell in book.cells if cell.cell_type == "code"]
    kept = [cell for cell in code if "setup" in cell.metadata.get("tags", [])]
    for place, cell in enumerate(code):
        if "exercise" not in cell.metadata.get("tags", []) or cell.id not in given:
            continue
        test = code[place + 1]
        needed = lesson_cells(code, place)
        if any(OWN_RUN.search(one.source) for one in needed):
            continue  # it is about the learner's own training: for a person
        kept += [one for one in needed if one not in kept]
        cell.source = given[cell.id]
        for one in (cell, test):
            one.metadata["tags"] = [*one.metadata["tags"], "raises-exception"]
        kept += [cell, test]
    book.cells = kept
    return book


def lesson_cells(code: list, place: int) -> list:
    """The lesson's cells that define what an exercise (code[place]) and its test use, in order."""
    setup = next(cell for cell in code if "setup" in cell.metadata.get("tags", []))
    have = _defined(setup.source) | set(dir(builtins))
    missing = set().union(*(_used(c.source) - _defined(c.source) for c in code[place : place + 2]))
    missing -= have | _defined(code[place].source)
    needed = []
    for cell in reversed(code[:place]):
        if cell is setup or {"exercise", "test"} & set(cell.metadata.get("tags", [])):
            continue
        if missing & _defined(cell.source):
            needed.insert(0, cell)
            missing = (missing - _defined(cell.source)) | (_used(cell.source) - have)
            missing -= _defined(cell.source)
    return needed


def table(grades: list[Grade]) -> str:
    """The grades as CSV."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow([field.name for field in fields(Grade)])
    writer.writerows(astuple(grade) for grade in grades)
    return text.getvalue()


def totals(grades: list[Grade]) -> Iterator[str]:
    """A line per submission."""
    for student, notebook in dict.fromkeys((g.student, g.notebook) for g in grades):
        here = [g for g in grades if (g.student, g.notebook) == (student, notebook)]
        points, open_ = sum(g.points or 0 for g in here), [g for g in here if g.points is None]
        read = f", {sum(g.of for g in open_)} more to be given by a person" * bool(open_)
        yield f"{student:20} {notebook:30} {points:2} of {sum(g.of for g in here)} points{read}"


def _answers(path: Path) -> dict[str, str]:
    """The submission's cells by id; Colab keeps the id in the cell's metadata."""
    try:
        book = nbformat.read(path, as_version=4)
    except (nbformat.reader.NotJSONError, nbformat.ValidationError, OSError) as error:
        raise BuildError(f"{path} is not a notebook: {str(error)[:200]}") from error
    return {c.metadata.get("id") or c.get("id", ""): c.source for c in book.cells}


def _said(answer: str, test: str, given: dict, ran: dict, failure: str) -> str:
    """The check's line, or the error that the answer or the check ended in."""
    if answer not in given:
        return "the cell is missing"
    if test not in ran:
        return "leans on the learner's own training: to be read"
    for key in (answer, test):
        for output in ran[key].outputs:
            if output.output_type == "error":
                return f"{output.ename}: {output.evalue}"[:200]
    printed = "".join(o.get("text", "") for o in ran[test].outputs if o.output_type == "stream")
    lines = printed.strip().splitlines()
    return lines[-1] if lines else failure or "the check printed nothing"


def _tree(source: str) -> ast.AST:
    plain = (line for line in source.splitlines() if not line.startswith(("%", "!")))
    return ast.parse("\n".join(plain))


def _defined(source: str) -> set[str]:
    """Names that the source binds, in functions too: more is safer than less here."""
    found = set()
    for node in ast.walk(_tree(source)):
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            found.add(node.id)
        elif isinstance(node, (ast.FunctionDef, ast.ClassDef)):
            found.add(node.name)
        elif isinstance(node, (ast.Import, ast.ImportFrom)):
            found |= {(alias.asname or alias.name).split(".")[0] for alias in node.names}
        elif isinstance(node, ast.arg):
            found.add(node.arg)
    return found


def _used(source: str) -> set[str]:
    nodes = ast.walk(_tree(source))
    return {n.id for n in nodes if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Load)}
