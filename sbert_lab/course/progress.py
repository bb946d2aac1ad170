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
    "td{vertical-align:top}ul{list-style:none;margin:.2rem 0 0;padding:0;font-size:.85em}"
)


@dataclass(frozen=True)
class Progress:
    """One notebook: its exercises, whether their checks said "correct", points, study minutes."""

    notebook: str
    titles: tuple[str, ...]
    done: tuple[bool, ...]
    points: int
    of: int
    minutes: int

    @property
    def exercises(self) -> int:
        return len(self.done)

    @property
    def solved(self) -> int:
        return sum(self.done)

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
    lines = [f"{'notebook':32}  solved      points   minutes left"]
    for one in found:
        bar = " ".join(str(n) if done else "." for n, done in enumerate(one.done, start=1))
        points = f"{one.points:3} of {one.of:2}"
        lines.append(f"{one.notebook:32}  {bar:9}  {points}   {one.minutes_left:4}")
    return "\n".join([*lines, _summary(found)])


def write_page(folder: Path, found: list[Progress]) -> Path:
    """The same as a page for the browser; it loads nothing from anywhere."""
    rows = "".join(
        f'<tr><td><a href="{html.escape(one.notebook)}.ipynb">{html.escape(one.notebook)}</a></td>'
        f'<td><progress value="{one.solved}" max="{max(1, one.exercises)}"></progress> '
        f"{one.solved} of {one.exercises}{_list(one)}</td><td>{one.points} of {one.of}</td>"
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


def _list(one: Progress) -> str:
    """The exercises by name; the solved ones have a tick and say so."""
    marks = {True: '<span aria-label="solved">✓</span>', False: '<span aria-label="open">○</span>'}
    lines = [
        f"<li>{marks[done]} {html.escape(title)}</li>"
        for title, done in zip(one.titles, one.done, strict=True)
    ]
    return f"<ul>{''.join(lines)}</ul>" if lines else ""


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
        raise InputError(
            f"{path} is not a notebook any more ({str(error)[:100]}): "
            f"`sbert-lab start {path.parent} --fresh {path.name[:2]}` begins it anew and "
            "keeps yours"
        ) from error
    tests = [cell for cell in cells if "test" in tags_of(cell)]
    done = tuple(CORRECT in _printed(cell).splitlines() for cell in tests)
    points = [points_of(cell) for cell in tests]
    setup = next((cell.source for cell in cells if "setup" in tags_of(cell)), "")
    minutes = re.search(r"study_minutes=(\d+)", setup)
    return Progress(
        path.stem,
        tuple(_title(cells[: cells.index(cell)], n) for n, cell in enumerate(tests, start=1)),
        done,
        sum(earned for earned, solved in zip(points, done, strict=True) if solved),
        sum(points),
        int(minutes[1]) if minutes else 0,
    )


def _title(before: list, number: int) -> str:
    """The heading of the exercise, from the last text above it that has one."""
    texts = "\n".join(cell.source for cell in before if cell.cell_type == "markdown")
    found = re.findall(r"^### Exercise \d+ ?[·:] (.+?)(?: \(\d+ points?\))?$", texts, re.MULTILINE)
    return found[-1] if found else f"Exercise {number}"


def _printed(cell) -> str:
    text = "".join(out.get("text", "") for out in cell.outputs if out.output_type == "stream")
    return re.sub(r"\x1b\[[\d;]*m", "", text)  # verdicts are printed in colour
