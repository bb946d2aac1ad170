"""How far a learner is: read from the notebooks in their own folder, sent to nobody."""

import html
import re
from dataclasses import dataclass
from pathlib import Path

import nbformat

from sbert_lab.course.diagnose import CORRECT
from sbert_lab.course.grading.lesson import points_of, tags_of
from sbert_lab.errors import InputError
from sbert_lab.files import write_bytes

PAGE = "progress.html"
_STYLE = (
    "body{font:16px/1.5 system-ui,sans-serif;margin:2rem auto;max-width:44rem;padding:0 1rem;"
    "color-scheme:light dark}table{border-collapse:collapse;width:100%}td,th{padding:.3rem .6rem;"
    "text-align:left;border-bottom:1px solid #8884}progress{width:8rem}"
)


@dataclass(frozen=True)
class Progress:
    """One notebook: exercises whose check said "correct", points, and study minutes."""

    notebook: str
    solved: int
    exercises: int
    points: int
    of: int
    minutes: int

    @property
    def minutes_left(self) -> int:
        """By the exercises that are left: rough, but it goes down."""
        share = 1 - self.solved / self.exercises if self.exercises else 1.0
        return round(self.minutes * share)


def read_progress(folder: Path) -> list[Progress]:
    """Every notebook of the folder, in its order."""
    paths = sorted(p for p in folder.glob("[0-9A]*_*.ipynb") if "(" not in p.name)
    if not paths:
        raise InputError(f"{folder} has no notebooks: `sbert-lab start {folder}` puts them there")
    return [_of_notebook(path) for path in paths]


def table(found: list[Progress]) -> str:
    """The same as text for a terminal."""
    lines = [f"{'notebook':32}  exercises   points   minutes left"]
    for one in found:
        bar = "#" * one.solved + "." * (one.exercises - one.solved)
        points = f"{one.points:3} of {one.of:2}"
        lines.append(f"{one.notebook:32}  {bar:9}  {points}   {one.minutes_left:4}")
    return "\n".join([*lines, _summary(found)])


def write_page(folder: Path, found: list[Progress]) -> Path:
    """The same as a page for the browser; it loads nothing from anywhere."""
    rows = "".join(
        f'<tr><td><a href="{html.escape(one.notebook)}.ipynb">{html.escape(one.notebook)}</a></td>'
        f'<td><progress value="{one.solved}" max="{max(1, one.exercises)}"></progress> '
        f"{one.solved} of {one.exercises}</td><td>{one.points} of {one.of}</td>"
        f"<td>{one.minutes_left}</td></tr>"
        for one in found
    )
    head = "<tr><th>notebook</th><th>exercises</th><th>points</th><th>minutes left</th></tr>"
    page = (
        '<!doctype html><html lang="en"><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width">'
        f"<title>SBERT Lab: your progress</title><style>{_STYLE}</style>"
        f"<h1>Your progress</h1><p>{html.escape(_summary(found))}</p>"
        f"<table>{head}{rows}</table></html>\n"
    )
    write_bytes(folder / PAGE, page.encode("utf-8"))
    return folder / PAGE


def _summary(found: list[Progress]) -> str:
    solved, points = sum(one.solved for one in found), sum(one.points for one in found)
    hours = sum(one.minutes_left for one in found) / 60
    return (
        f"{solved} of {sum(one.exercises for one in found)} exercises solved, {points} of "
        f"{sum(one.of for one in found)} points, about {hours:.0f} hours left"
    )


def _of_notebook(path: Path) -> Progress:
    try:
        cells = nbformat.read(path, as_version=4).cells
    except Exception as error:  # nbformat raises many kinds
        raise InputError(f"{path} is not a notebook: {str(error)[:100]}") from error
    tests = [cell for cell in cells if "test" in tags_of(cell)]
    solved = [cell for cell in tests if CORRECT in _printed(cell).splitlines()]
    setup = next((cell.source for cell in cells if "setup" in tags_of(cell)), "")
    minutes = re.search(r"study_minutes=(\d+)", setup)
    return Progress(
        path.stem,
        len(solved),
        len(tests),
        sum(map(points_of, solved)),
        sum(map(points_of, tests)),
        int(minutes[1]) if minutes else 0,
    )


def _printed(cell) -> str:
    text = "".join(out.get("text", "") for out in cell.outputs if out.output_type == "stream")
    return re.sub(r"\x1b\[[\d;]*m", "", text)  # verdicts are printed in colour
