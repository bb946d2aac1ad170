"""A folder to work in: clean copies of the notebooks, without outputs and without the answers.

`sbert-lab start [FOLDER]` may be called again at any time: what a learner wrote is never touched.
"""

import hashlib
import time
from collections.abc import Iterator
from pathlib import Path

import nbformat

from sbert_lab.errors import InputError, choices
from sbert_lab.files import read_json, write_bytes, write_json
from sbert_lab.paths import home

RECORD = ".sbert-lab.json"
GLOSSARY = "GLOSSARY.md"
BROKEN = "not a notebook"
FOLDED = {"jupyter": {"source_hidden": True}}


def start(folder: Path, *, fresh: tuple[str, ...] = ()) -> Iterator[str]:
    """Write what is missing, leave what was changed; a line about everything worth telling.

    `fresh` are beginnings of names ("05") whose notebooks begin anew; the old file is kept beside.
    """
    books = {path.stem: path for path in sorted((home() / "notebooks").glob("*.ipynb"))}
    wanted = {begin: [name for name in books if name.startswith(begin)] for begin in fresh}
    for begin, found in wanted.items():
        if not found:
            raise InputError(f"no notebook begins with {begin!r}: choose {choices(books)}")
    anew = {name for found in wanted.values() for name in found}
    record = _read_record(folder)
    for name, source in books.items():
        book, path = clean(source), folder / source.name
        digest = digest_of(book)
        mine = _digest_in(path) if path.is_file() else None
        untouched = mine is None or mine == record.get(name)
        if mine == digest:
            pass
        elif untouched or name in anew:
            if not untouched:
                yield f"{path.name}: begins anew; yours is kept as {_set_aside(path).name}"
            elif mine is not None:
                yield f"{path.name}: a newer version, taken over"
            write_bytes(path, (nbformat.writes(book) + "\n").encode("utf-8"))
        elif mine == BROKEN:
            yield f"{path.name}: is not a notebook any more; kept as it is (--fresh {name[:2]})"
            continue
        elif record.get(name) != digest:
            yield f"{path.name}: yours is kept; the course has a newer version (--fresh {name[:2]})"
            continue
        record[name] = digest
    _copy_glossary(folder, record)
    write_json(folder / RECORD, record)


def _copy_glossary(folder: Path, record: dict[str, str]) -> None:
    """The notebooks link to it; a copy in which the learner wrote something is kept."""
    source, path = home() / "notebooks" / GLOSSARY, folder / GLOSSARY
    if not source.is_file():
        return
    mine = hashlib.sha256(path.read_bytes()).hexdigest() if path.is_file() else None
    if mine in (None, record.get(GLOSSARY)):
        write_bytes(path, source.read_bytes())
        record[GLOSSARY] = hashlib.sha256(source.read_bytes()).hexdigest()


def clean(path: Path) -> nbformat.NotebookNode:
    """A notebook as a learner should meet it: nothing executed, the first code cell folded."""
    book = nbformat.read(path, as_version=4)
    code = [cell for cell in book.cells if cell.cell_type == "code"]
    for cell in code:
        cell.outputs, cell.execution_count = [], None
    code[0].metadata.update(FOLDED)
    return book


def digest_of(book: nbformat.NotebookNode) -> str:
    """Of what a learner can write; running cells does not change it."""
    parts = [(cell.cell_type, cell.source) for cell in book.cells]
    return hashlib.sha256(repr(parts).encode()).hexdigest()


def _digest_in(path: Path) -> str:
    """The digest of a learner's file, BROKEN where it is not a notebook any more."""
    try:
        return digest_of(nbformat.read(path, as_version=4))
    except Exception:  # nbformat raises many kinds
        return BROKEN


def _read_record(folder: Path) -> dict[str, str]:
    return read_json(folder / RECORD) if (folder / RECORD).is_file() else {}


def _set_aside(path: Path) -> Path:
    """Rename the learner's file, so that nothing is lost."""
    stamp = time.strftime("%Y-%m-%d %H.%M.%S")
    aside = path.with_name(f"{path.stem} (before {stamp}).ipynb")
    path.rename(aside)
    return aside
