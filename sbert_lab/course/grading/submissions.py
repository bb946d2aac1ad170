"""Which file is which notebook of the course, and which of its cells is which answer."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import nbformat

from sbert_lab.course.grading.lesson import STUBS, Exercise, notebook_names, tags_of
from sbert_lab.errors import InputError


@dataclass(frozen=True)
class Submission:
    """A file of one learner; `notebook` is "" where it is none of ours and `problem` says why."""

    student: str
    path: Path
    notebook: str
    problem: str = ""


def find_submissions(folder: Path) -> list[Submission]:
    """FOLDER/<student>/<notebook>.ipynb, whatever a browser made of the name.

    Of several files for one notebook the newest counts; the others, files in another place and
    learners without a notebook are listed with the reason.
    """
    files = _notebook_files(folder)
    if not files:
        raise InputError(
            f"{folder} has no <student>/<notebook>.ipynb, such as ann/02_pooling.ipynb"
        )
    found: dict[tuple[str, str], Submission] = {}
    left_out = list(_elsewhere(folder, files))
    for path in sorted(files, key=lambda p: p.stat().st_mtime):
        student, name = path.parent.name, which_notebook(path.name)
        if not name:
            left_out.append(Submission(student, path, "", "no notebook of the course"))
            continue
        if older := found.get((student, name)):
            left_out.append(Submission(student, older.path, "", f"{path.name} is newer"))
        found[student, name] = Submission(student, path, name)
    order = sorted(found.values(), key=lambda one: (one.student, one.notebook))
    return order + sorted(left_out, key=lambda one: (one.student, one.path.name))


def _notebook_files(folder: Path) -> list[Path]:
    files = (path for path in folder.glob("*/*") if path.suffix.lower() == ".ipynb")
    return sorted(p for p in files if p.is_file() and not _hidden(p, folder))


def _elsewhere(folder: Path, files: list[Path]) -> Iterator[Submission]:
    """Notebooks that lie too high or too deep, and learners who handed in none."""
    seen = {path.parent for path in files}
    for path in sorted(folder.rglob("*")):
        if path in files or _hidden(path, folder):
            continue
        inside = path.relative_to(folder).parts
        if path.is_file() and path.suffix.lower() == ".ipynb":
            student = inside[0] if len(inside) > 1 else path.stem
            seen.add(folder / inside[0])
            yield Submission(student, path, "", "not in FOLDER/<student>/")
    for path in sorted(p for p in folder.iterdir() if p.is_dir() and not _hidden(p, folder)):
        if path not in seen:
            yield Submission(path.name, path, "", "no notebook in this folder")


def _hidden(path: Path, folder: Path) -> bool:
    """Such as .ipynb_checkpoints, which Jupyter makes by itself."""
    return any(part.startswith(".") for part in path.relative_to(folder).parts)


def which_notebook(filename: str) -> str:
    """'02_pooling (1).ipynb', 'Copy of 02_pooling.ipynb' -> '02_pooling'; '' for any other file."""
    matching = [name for name in notebook_names() if name in filename]
    return max(matching, key=len, default="")


def read_answers(path: Path, exercises: list[Exercise]) -> dict[str, str]:
    """The submission's answers by exercise id; an error where the file is no notebook.

    Cells are found by their id; Colab keeps it in the metadata. Where ids are lost, a cell with
    the exercise's own first line (`def mean_pool(`), or else with its tag and place, will do.
    """
    try:
        book = nbformat.read(path, as_version=4)
        cells = [cell for cell in book.cells if isinstance(cell.get("source"), str)]
    except Exception as error:  # whatever people hand in: nbformat raises many kinds
        raise InputError(f"{path.name} is not a notebook: {str(error)[:200]}") from error
    by_id = {c.metadata.get("id") or c.get("id", ""): c.source for c in cells}
    found = {one.id: by_id[one.id] for one in exercises if one.id in by_id}
    for one in exercises:
        if one.id not in found:
            source = _by_first_line(one, cells) or _by_place(one, exercises, cells)
            if source is not None:
                found[one.id] = source
    return found


def is_empty(text: str) -> bool:
    """Nothing, or still the stub."""
    return text.strip() in ("", *STUBS.values())


def _by_first_line(exercise: Exercise, cells: list) -> str | None:
    """The one cell that defines what the exercise asks for."""
    asked = re.search(r"^(def \w+\(|class \w+\b|\w+ =)", exercise.solution, re.MULTILINE)
    if exercise.kind == "manual" or not asked:
        return None
    begins = re.compile(rf"^{re.escape(asked[1])}", re.MULTILINE)
    holding = [c.source for c in cells if c.cell_type == "code" and begins.search(c.source)]
    return holding[0] if len(holding) == 1 else None


def _by_place(exercise: Exercise, exercises: list[Exercise], cells: list) -> str | None:
    """The cell with the same tag and number, if no such cell was added or removed."""
    alike = [one.id for one in exercises if one.kind == exercise.kind]
    tagged = [cell.source for cell in cells if exercise.kind in tags_of(cell)]
    return tagged[alike.index(exercise.id)] if len(tagged) == len(alike) else None
