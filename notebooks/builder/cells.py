"""From a percent script to the cells of the student and of the solution notebook."""

import ast
import hashlib
import re
import tomllib
from pathlib import Path

import jupytext
import nbformat

from builder import IGNORED, ROOT, SCRIPTS, BuildError
from builder.words import link_words
from sbert_lab.course.lab import BOOTSTRAP

METADATA = {
    "kernelspec": {
        "display_name": "Python 3 (ipykernel)",
        "language": "python",
        "name": "python3",
    },
    "language_info": {"name": "python"},
}
STUBS = {"code": "pass  # your answer here", "markdown": "*your answer here*"}
KINDS = ("exercise", "test", "manual")
TAGS = {"setup", "readonly", *KINDS, IGNORED, "nbval-check-output", "hide-input", "remove-output"}
SOLUTION = re.compile(
    r"^([ \t]*)### BEGIN SOLUTION[ \t]*\n(.*?)\n[ \t]*### END SOLUTION[ \t]*$",
    re.MULTILINE | re.DOTALL,
)


def script_cells(name: str) -> list[nbformat.NotebookNode]:
    """The script's cells with their solutions, stable ids and tags only; mistakes are errors."""
    path = SCRIPTS / f"{name}.py"
    cells = jupytext.reads(path.read_text(encoding="utf-8"), fmt="py:percent").cells
    cells = [_clean(cell) for cell in cells if cell.source.strip()]
    _give_ids(cells, name)
    _refuse_mistakes(cells, name)
    needed = str(_minutes(cells))
    cells[0].source = cells[0].source.replace("MINUTES", needed)
    link_words(cells)
    for cell in cells:
        if "setup" in _tags(cell):
            cell.source = cell.source.replace("study_minutes=MINUTES", f"study_minutes={needed}")
            cell.source = f"{BOOTSTRAP.format(repository=repository())}\n{cell.source}"
            cell.metadata["tags"] = [*_tags(cell), IGNORED]
    if badge := colab_badge(name):
        cells[0].source += f"\n\n{badge}"
    return cells


def student(name: str) -> nbformat.NotebookNode:
    """The notebook with a stub wherever there is a solution."""
    return _notebook(script_cells(name), lambda cell: rf"\1{STUBS[cell.cell_type]}")


def solution(name: str) -> nbformat.NotebookNode:
    """The notebook with the answers in, the marks around them removed."""
    return _notebook(script_cells(name), lambda cell: r"\2")


def nbgrader_source(name: str) -> nbformat.NotebookNode:
    """The notebook with marked solutions and the metadata that nbgrader wants."""
    book = _notebook(script_cells(name), lambda cell: r"\g<0>")
    for cell in book.cells:
        tags = _tags(cell)
        flags = _nbgrader_flags(tags)
        if flags is None:
            continue
        grade, answer, locked = flags
        cell.metadata["nbgrader"] = {
            "schema_version": 3,
            "grade": grade,
            "solution": answer,
            "locked": locked,
            "task": False,
            "grade_id": cell.id,
            "cell_type": cell.cell_type,
        } | ({"points": points(tags)} if grade else {})
    return book


def repository() -> str:
    """The repository's public address from pyproject.toml; empty while there is none."""
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    return settings.get("tool", {}).get("sbert_lab", {}).get("repository", "")


def colab_badge(name: str) -> str:
    """A link that opens the notebook in Colab; empty unless the repository is on GitHub."""
    place = re.fullmatch(r"https://github\.com/([^/]+/[^/]+?)(\.git)?/?", repository())
    if not place:
        return ""
    link = f"https://colab.research.google.com/github/{place[1]}/blob/main/notebooks/{name}.ipynb"
    return f"[![Open in Colab](https://colab.research.google.com/assets/colab-badge.svg)]({link})"


def minutes(name: str) -> int:
    """How long the notebook takes to study, as its first cell says."""
    setup = next(cell.source for cell in script_cells(name) if "setup" in _tags(cell))
    return int(re.search(r"study_minutes=(\d+)", setup)[1])


def _minutes(cells) -> int:
    """Minutes of study, in fives: reading slowly, following the code, doing the exercises.

    The three rates were set by what notebooks 05, 09 and 16 took a reader who did everything.
    """
    prose = [cell.source for cell in cells if cell.cell_type == "markdown"]
    code = [c.source for c in cells if c.cell_type == "code" and "setup" not in _tags(c)]
    read = [x for text in prose for x in text.splitlines() if not x.startswith("|")]
    words = sum(len(line.split()) for line in read)
    lines = sum(bool(line.strip()) for text in code for line in text.splitlines())
    tasks = sum(bool({"exercise", "manual"} & set(_tags(cell))) for cell in cells)
    return max(5, 5 * round((words / 70 + lines / 8 + 9 * tasks) / 5))


def _notebook(cells, replacement) -> nbformat.NotebookNode:
    book = nbformat.v4.new_notebook(metadata=nbformat.from_dict(METADATA), cells=cells)
    for cell in cells:
        cell.source = SOLUTION.sub(replacement(cell), cell.source).rstrip("\n")
        if cell.cell_type == "code":
            cell.outputs, cell.execution_count = [], None
    book.nbformat, book.nbformat_minor = 4, 5
    return book


def _clean(cell):
    tags = cell.metadata.get("tags", [])
    given = cell.metadata.get("id")
    cell.metadata = nbformat.from_dict({"tags": list(tags)} if tags else {})
    cell.source = cell.source.strip("\n")
    cell.id = given or ""
    return cell


def _give_ids(cells, name: str) -> None:
    """Explicit ids stay; the others are digests of the text, so a rebuild gives the same ones."""
    given = [cell.id for cell in cells if cell.id]
    for one in given:
        if given.count(one) > 1 or not re.fullmatch(r"[A-Za-z0-9_-]{1,64}", one):
            raise BuildError(f"{name}: cell id {one!r} is used twice or has odd characters")
    seen: dict[str, int] = {}
    for cell in cells:
        if cell.id:
            continue
        key = "setup" if "setup" in _tags(cell) else _digest(f"{cell.cell_type}\0{cell.source}")
        seen[key] = seen.get(key, 0) + 1
        cell.id = key if seen[key] == 1 else f"{key}-{seen[key]}"


def _refuse_mistakes(cells, name: str) -> None:
    if sum("setup" in _tags(cell) for cell in cells) != 1:
        raise BuildError(f"{name}: there must be exactly one cell tagged setup")
    for fault in (_unknown_tag, _exercise_fault, _solution_fault):
        for cell, following in zip(cells, [*cells, None][1:], strict=True):
            if reason := fault(cell, following):
                start = cell.source.splitlines()[0][:50]
                raise BuildError(f"{name}, cell {cell.id} ({start!r}): {reason}")


def _unknown_tag(cell, following) -> str:
    for tag in _tags(cell):
        if tag not in TAGS and not re.fullmatch(r"points:\d+", tag):
            return f"unknown tag {tag!r}: choose points:N, {', '.join(sorted(TAGS))}"
    return ""


def _exercise_fault(cell, following) -> str:
    tags = _tags(cell)
    if set(KINDS) & set(tags) and re.fullmatch(r"[0-9a-f]{12}(-\d+)?", cell.id):
        return 'an exercise, its test and a manual question need an id="..."'
    if {"test", "manual"} & set(tags) and not points(tags):
        return 'a test and a manual question need a tag "points:N"'
    if "exercise" in tags and (following is None or "test" not in _tags(following)):
        return "the cell after an exercise must be its test"
    return ""


def _solution_fault(cell, following) -> str:
    solved = len(SOLUTION.findall(cell.source))
    if {cell.source.count(f"### {word} SOLUTION") for word in ("BEGIN", "END")} != {solved}:
        return "### BEGIN SOLUTION and ### END SOLUTION do not match"
    if bool(solved) != bool({"exercise", "manual"} & set(_tags(cell))):
        return "a solution belongs into a cell tagged exercise or manual, and only there"
    if cell.cell_type == "code":
        stubbed = SOLUTION.sub(rf"\1{STUBS['code']}", cell.source).splitlines()
        try:
            ast.parse("\n".join(line for line in stubbed if not line.startswith(("%", "!"))))
        except SyntaxError as error:
            return f"with the stub in place of the solution: {error}"
    return ""


def _nbgrader_flags(tags: list[str]) -> tuple[bool, bool, bool] | None:
    """(grade, solution, locked)"""
    if "test" in tags:
        return True, False, True
    if "manual" in tags:
        return True, True, False
    if "exercise" in tags:
        return False, True, False
    return (False, False, True) if {"setup", "readonly"} & set(tags) else None


def points(tags: list[str]) -> int:
    return next((int(tag[7:]) for tag in tags if tag.startswith("points:")), 0)


def _tags(cell) -> list[str]:
    return cell.metadata.get("tags", [])


def _digest(text: str) -> str:
    return hashlib.sha1(text.encode(), usedforsecurity=False).hexdigest()[:12]


def write(book: nbformat.NotebookNode, path: Path) -> None:
    """Validate, then write under another name and rename."""
    from sbert_lab.files import write_bytes

    nbformat.validate(book)
    write_bytes(path, text_of(book).encode("utf-8"))


def text_of(book: nbformat.NotebookNode) -> str:
    return nbformat.writes(book).rstrip("\n") + "\n"
