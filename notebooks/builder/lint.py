"""What a committed notebook must be: its script, executed, without traces of one machine."""

import re
from pathlib import Path

import nbformat

from builder import IGNORED, NOTEBOOKS, ROOT, SOLUTIONS, cells, names
from builder.execution import WIDGET

LARGEST = 400_000  # bytes
TRACES = re.compile(r"/tmp/|/home/|/Users/|/root/|ipykernel_\d|<[\w. ]+ at 0x[0-9a-f]+>")


def differences(name: str) -> list[str]:
    """Where the committed student and solution notebooks are not what the script says."""
    found = []
    for path, built in (
        (NOTEBOOKS / f"{name}.ipynb", cells.student(name)),
        (SOLUTIONS / f"{name}.ipynb", cells.solution(name)),
    ):
        where = path.relative_to(NOTEBOOKS)
        if not path.exists():
            found.append(f"{where} is missing")
            continue
        book = nbformat.read(path, as_version=4)
        found += [f"{where}: {text}" for text in _compare(book, built)]
    return found


def orphans() -> list[Path]:
    """Committed notebooks that no script belongs to."""
    known = set(names())
    books = [*NOTEBOOKS.glob("*.ipynb"), *SOLUTIONS.glob("*.ipynb")]
    return sorted(path for path in books if path.stem not in known)


def _compare(book, built) -> list[str]:
    found = []
    if book.metadata != built.metadata:
        found.append("its metadata is not what build.py writes")
    if len(book.cells) != len(built.cells):
        found.append(f"{len(book.cells)} cells, but the script has {len(built.cells)}")
    for number, (cell, wanted) in enumerate(zip(book.cells, built.cells, strict=False), start=1):
        for part in ("cell_type", "id", "source", "metadata"):
            if cell.get(part) != wanted.get(part):
                found.append(f"cell {number} ({wanted.id}) has another {part}")
                return found  # the cells after it are likely to be shifted
    return found


def faults(path: Path) -> list[str]:
    """What is wrong with an executed student notebook."""
    if not path.exists():
        return [f"{path.name} is missing"]
    book = nbformat.read(path, as_version=4)
    found = []
    if path.stat().st_size > LARGEST:
        found.append(f"{path.stat().st_size:,} bytes: at most {LARGEST:,}")
    if "widgets" in book.metadata:
        found.append("it stores widget state")
    for number, cell in enumerate(book.cells, start=1):
        if cell.cell_type == "code":
            found += [f"cell {number} ({cell.id}): {text}" for text in _cell_faults(cell)]
    return found


def _cell_faults(cell) -> list[str]:
    found = []
    if cell.source.strip() and cell.execution_count is None:
        found.append("was not executed, so nbval would compare nothing")
    for output, following in zip(cell.outputs, [*cell.outputs, {}][1:], strict=True):
        data = output.get("data", {})
        if output.output_type == "error":
            found.append(f"ends with {output.ename}")
        if output.get("name") == "stderr" and IGNORED not in cell.metadata.get("tags", []):
            found.append("writes to stderr in a compared cell")
        if WIDGET in data:
            found.append("stores a widget")
        if any(mime.startswith("image/") for mime in data):
            found += _image_faults(output, following)
        trace = TRACES.search(_text(output)) or re.search(re.escape(str(ROOT)), _text(output))
        if trace:
            found.append(f"shows a trace of one machine or run: {trace[0]!r}")
    return found


def _image_faults(output, following) -> list[str]:
    found = []
    texts = [value.get("alt", "") for value in output.metadata.values() if isinstance(value, dict)]
    if not any(text.strip() for text in texts):
        found.append("an image without alt text")
    if "text/markdown" not in following.get("data", {}):
        found.append("an image without a caption: use plots.show")
    return found


def _text(output) -> str:
    """All that the output says in words."""
    data = output.get("data", {})
    texts = [value for mime, value in data.items() if mime.startswith("text/")]
    return "\n".join([output.get("text", ""), *map(str, texts)])
