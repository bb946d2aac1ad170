"""Which notebooks are stale: a digest of everything that a notebook's outputs depend on.

That is its built source, the package files that it can import (directly or through others), and, if
these can read data at all, the data manifest, the models, and the paper's and the recorded numbers.
A change in another notebook's checks or plots makes nothing else stale.
"""

import ast
import hashlib
from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path

import nbformat

from builder import NOTEBOOKS, ROOT, cells
from sbert_lab.files import read_json, write_json

PACKAGE = ROOT / "sbert_lab"
FILE = NOTEBOOKS / "digests.json"
DATA = ("data/mini/manifest.json", "data/models/*/*.safetensors", "data/models/*/*.json")
NUMBERS = ("data/paper/*.csv", "data/results/**/*.json")


def digest(name: str) -> str:
    """One digest for all that the notebook's outputs depend on."""
    book = cells.student(name)
    total = hashlib.sha256()
    for cell in book.cells:
        total.update(repr((cell.cell_type, cell.source, cell.metadata.get("tags"))).encode())
    for file in inputs(book, name):
        total.update(f"{file.relative_to(ROOT).as_posix()} {_sha256(file, *_state(file))}".encode())
    return total.hexdigest()


def inputs(book: nbformat.NotebookNode, name: str) -> list[Path]:
    """The files that the notebook depends on, besides its script."""
    source = "\n".join(cell.source for cell in book.cells if cell.cell_type == "code")
    own = [PACKAGE / part / f"nb{name[:2]}.py" for part in ("checks", "plots")]
    modules = reachable(source, [file for file in own if file.exists()])
    patterns: tuple[str, ...] = ()
    if PACKAGE / "paths.py" in modules:
        patterns += DATA
    if PACKAGE / "paper.py" in modules or PACKAGE / "paper" / "__init__.py" in modules:
        patterns += NUMBERS
    data = {file for pattern in patterns for file in ROOT.glob(pattern)}
    return sorted(modules) + sorted(data)


def reachable(source: str, files: list[Path]) -> set[Path]:
    """The package's files that running this can import, found without importing anything."""
    found: set[Path] = set()
    waiting = [*_imports(_without_magics(source), PACKAGE), *files]
    while waiting:
        file = waiting.pop()
        if file not in found:
            found.add(file)
            waiting += _imports(file.read_text(encoding="utf-8"), file.parent)
    return found


def _imports(source: str, folder: Path) -> Iterator[Path]:
    """The package's files named by import statements, wherever in the source these stand."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            for alias in node.names:
                yield from _files(ROOT, alias.name)
        elif isinstance(node, ast.ImportFrom):
            start = ROOT if not node.level else [folder, *folder.parents][node.level - 1]
            for alias in node.names:
                yield from _files(start, f"{node.module or ''}.{alias.name}".lstrip("."))


def _files(start: Path, dotted: str) -> Iterator[Path]:
    """sbert_lab.a.b -> sbert_lab/__init__.py, sbert_lab/a/__init__.py, sbert_lab/a/b.py"""
    path = start
    for part in dotted.split("."):
        path = path / part
        for file in (path / "__init__.py", path.with_suffix(".py")):
            if part and file.is_file() and file.is_relative_to(PACKAGE):
                yield file


def _without_magics(source: str) -> str:
    return "\n".join("" if x.startswith(("%", "!")) else x for x in source.splitlines())


def _state(file: Path) -> tuple[int, int]:
    status = file.stat()
    return status.st_size, status.st_mtime_ns


@lru_cache(maxsize=4096)
def _sha256(file: Path, size: int, changed: int) -> str:
    with open(file, "rb") as content:
        return hashlib.file_digest(content, "sha256").hexdigest()


def recorded() -> dict[str, str]:
    """The digests that the committed notebooks were executed with."""
    return read_json(FILE) if FILE.exists() else {}


def record(name: str, value: str | None) -> None:
    """Remember a notebook's digest; None forgets it."""
    known = {key: old for key, old in recorded().items() if key != name}
    if value is not None:
        known[name] = value
    write_json(FILE, dict(sorted(known.items())))


def is_stale(name: str) -> bool:
    """True if the notebook has to be executed again."""
    missing = not (NOTEBOOKS / f"{name}.ipynb").exists()
    return missing or recorded().get(name) != digest(name)
