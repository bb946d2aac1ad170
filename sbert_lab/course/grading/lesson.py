"""What an exercise needs: its own cells, and the lesson's cells that define the names it uses."""

import ast
import builtins
import re
from dataclasses import dataclass, replace
from pathlib import Path

import nbformat

from sbert_lab.errors import DataError, choices
from sbert_lab.paths import home

OWN_RUN = re.compile(r"\b(train|zoo\.get)\(")
STUBS = {"code": "pass  # your answer here", "markdown": "*your answer here*"}


@dataclass(frozen=True)
class Exercise:
    """One thing to grade. `lesson` is None where it leans on the learner's own training."""

    id: str
    kind: str  # "exercise": a check judges; "manual": a person does
    points: int
    question: str
    solution: str
    test: str = ""
    lesson: tuple[str, ...] | None = ()


def solutions_dir() -> Path:
    return home() / "notebooks" / "solutions"


def notebook_names() -> list[str]:
    """The notebooks of the course."""
    return sorted(path.stem for path in solutions_dir().glob("*.ipynb"))


def read_solution(name: str) -> nbformat.NotebookNode:
    """The notebook with the answers in."""
    path = solutions_dir() / f"{name}.ipynb"
    if not path.is_file():
        raise DataError(f"there is no notebook {name!r}: choose {choices(notebook_names())}")
    return nbformat.read(path, as_version=4)


def setup_of(name: str) -> str:
    """The source of the setup cell."""
    return next(cell.source for cell in read_solution(name).cells if "setup" in tags_of(cell))


def exercises_of(name: str) -> list[Exercise]:
    """Everything in a notebook that earns points, in its order."""
    cells = read_solution(name).cells
    code = [cell for cell in cells if cell.cell_type == "code"]
    found = []
    for place, cell in enumerate(cells):
        question = next((c.source for c in cells[:place][::-1] if c.cell_type == "markdown"), "")
        if "manual" in tags_of(cell):
            found.append(Exercise(cell.id, "manual", points_of(cell), question, cell.source))
        elif "exercise" in tags_of(cell):
            test, lesson = cells[place + 1], _lesson(code, code.index(cell), cell.source)
            given = (points_of(test), question, cell.source, test.source, lesson)
            found.append(Exercise(cell.id, "exercise", *given))
    return found


def for_answer(name: str, exercise: Exercise, answer: str) -> Exercise:
    """The exercise with what this answer takes from the lesson: often more than ours does."""
    code = [cell for cell in read_solution(name).cells if cell.cell_type == "code"]
    place = next(n for n, cell in enumerate(code) if cell.id == exercise.id)
    try:
        return replace(exercise, lesson=_lesson(code, place, f"{exercise.solution}\n{answer}"))
    except SyntaxError:
        return exercise


def _lesson(code: list, place: int, answer: str) -> tuple[str, ...] | None:
    needed = lesson_cells(code, place, answer)
    own = any(OWN_RUN.search(one.source) for one in needed)
    return None if own else tuple(one.source for one in needed)


def lesson_cells(code: list, place: int, answer: str) -> list:
    """The lesson's cells that define what an answer to code[place] and its test use, in order."""
    setup = next(cell for cell in code if "setup" in tags_of(cell))
    have = _defined(setup.source) | set(dir(builtins))
    sources = (answer, code[place + 1].source)
    missing = set().union(*(_used(one) - _defined(one) for one in sources))
    missing -= have | _defined(answer)
    needed = []
    for cell in reversed(code[:place]):
        if cell is setup or {"exercise", "test"} & set(tags_of(cell)):
            continue
        if missing & _defined(cell.source):
            needed.insert(0, cell)
            missing = (missing - _defined(cell.source)) | (_used(cell.source) - have)
            missing -= _defined(cell.source)
    return needed


def tags_of(cell) -> list[str]:
    return cell.metadata.get("tags", [])


def points_of(cell) -> int:
    return next((int(tag[7:]) for tag in tags_of(cell) if tag.startswith("points:")), 0)


def plain(source: str) -> str:
    """The source without Jupyter's own commands (%magic, !shell)."""
    lines = source.splitlines()
    return "\n".join("" if line.lstrip().startswith(("%", "!")) else line for line in lines)


def _defined(source: str) -> set[str]:
    """Names that the source binds, in functions too: more is safer than less here."""
    found = set()
    for node in ast.walk(ast.parse(plain(source))):
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
    nodes = ast.walk(ast.parse(plain(source)))
    return {n.id for n in nodes if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Load)}
