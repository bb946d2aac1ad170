"""Which notebooks are stale: a digest of everything that a notebook's outputs depend on.

That is its built source, the package files that it can import (directly or through others), and of
the data what it uses: the mini corpora if it can read any, the models that it or these files name,
and exactly those recorded runs and tables of the paper that it opens.
"""

import ast
import hashlib
from collections.abc import Iterable, Iterator
from functools import lru_cache
from pathlib import Path

import nbformat

import sbert_lab
from builder import NOTEBOOKS, ROOT, cells
from sbert_lab.files import read_json, write_json
from sbert_lab.profiles import get_profile

PACKAGE = ROOT / "sbert_lab"
FILE = NOTEBOOKS / "digests.json"
PROFILE = get_profile("mini")  # in which the committed notebooks are executed
# Calls that open a recorded table or study, and others that read the claims or the ledger.
READERS = {"open_table": "table", "has_table": "table", "open_study": "", "has_study": ""}
CLAIMS = {
    **dict.fromkeys(("claim", "judge", "get_claim", "list_claims"), ("data/paper/claims.csv",)),
    "open_bench": ("data/results/bench.json",),
    "recorded_entries": ("data/paper/claims.csv", "data/results/*/claims.json"),
}


def digest(name: str) -> str:
    """One digest for all that the notebook's outputs depend on."""
    book = cells.student(name)
    total = hashlib.sha256()
    for cell in book.cells:
        total.update(repr((cell.cell_type, cell.source, cell.metadata.get("tags"))).encode())
    for file in inputs(book):
        total.update(f"{file.relative_to(ROOT).as_posix()} {_sha256(file, *_state(file))}".encode())
    return total.hexdigest()


def inputs(book: nbformat.NotebookNode) -> list[Path]:
    """The files that the notebook depends on, besides its script."""
    source = "\n".join(cell.source for cell in book.cells if cell.cell_type == "code")
    source = "\n".join("" if x.startswith(("%", "!")) else x for x in source.splitlines())
    modules = reachable(source)
    own = [ast.parse(source), *(_tree(file) for file in modules if file.parent.name == "course")]
    patterns = {pattern for tree in own for pattern in opened(tree)}
    patterns |= {f"data/models/{name}/**/*" for name in models([ast.parse(source)], modules)}
    if PACKAGE / "data" / "loading.py" in modules:
        patterns.add("data/mini/manifest.json")
    data = {file for pattern in patterns for file in ROOT.glob(pattern) if file.suffix != ".md"}
    return sorted(modules) + sorted(file for file in data if file.is_file())


def opened(tree: ast.AST) -> Iterator[str]:
    """Patterns of the recorded files and of the paper's tables that calls in this code open.

    A name or profile that is computed counts as any; without a profile it is that of the build.
    """
    for call in (node for node in ast.walk(tree) if isinstance(node, ast.Call)):
        called = getattr(call.func, "attr", getattr(call.func, "id", ""))
        profile = {word.arg: word.value for word in call.keywords}.get("profile")
        given = [*call.args, *([profile] if profile else [])]
        if called in READERS:
            where = _constant(given[1]) if len(given) > 1 else PROFILE.name
            yield f"data/results/{where}/{READERS[called]}{_constant(given[0])}.*"
        elif called == "table" and getattr(getattr(call.func, "value", None), "id", "") == "paper":
            yield f"data/paper/table{_constant(given[0])}_*.csv"
        else:
            yield from CLAIMS.get(called, ())


def models(trees: Iterable[ast.AST], modules: Iterable[Path]) -> set[str]:
    """The models of data/models that the code names, itself or as the profile's backbone."""
    used: set[str] = set()
    for tree in (*trees, *(_tree(file) for file in modules if file.name != "profiles.py")):
        for node in ast.walk(tree):
            name = node.attr if isinstance(node, ast.Attribute) else getattr(node, "value", None)
            if isinstance(name, str):
                used.add(getattr(PROFILE, name) if name in ("backbone", "roberta") else name)
    return used & {folder.name for folder in (ROOT / "data" / "models").glob("*/")}


def reachable(source: str) -> set[Path]:
    """The package's files that running this can import, found without importing anything."""
    found: set[Path] = set()
    waiting = [*_imports(ast.parse(source), PACKAGE)]
    while waiting:
        file = waiting.pop()
        if file not in found:
            found.add(file)
            waiting += _imports(_tree(file), file.parent)
    return found


def _imports(tree: ast.AST, folder: Path) -> Iterator[Path]:
    """The package's files named by import statements, wherever in the source these stand."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            for alias in node.names:
                yield from _files(ROOT, alias.name)
        elif isinstance(node, ast.ImportFrom):
            start = ROOT if not node.level else [folder, *folder.parents][node.level - 1]
            for alias in node.names:
                home = sbert_lab._HOME_OF.get(alias.name) if node.module == "sbert_lab" else None
                yield from _files(start, f"{node.module or ''}.{home or alias.name}".lstrip("."))


def _files(start: Path, dotted: str) -> Iterator[Path]:
    """sbert_lab.a.b -> sbert_lab/__init__.py, sbert_lab/a/__init__.py, sbert_lab/a/b.py"""
    path = start
    for part in dotted.split("."):
        path = path / part
        for file in (path / "__init__.py", path.with_suffix(".py")):
            if part and file.is_file() and file.is_relative_to(PACKAGE):
                yield file


def _constant(node: ast.AST) -> str:
    return str(node.value) if isinstance(node, ast.Constant) else "*"


def _tree(file: Path) -> ast.AST:
    return _parse(file, *_state(file))


@lru_cache(maxsize=4096)
def _parse(file: Path, size: int, changed: int) -> ast.AST:
    return ast.parse(file.read_text(encoding="utf-8"))


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
