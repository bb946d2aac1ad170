"""The files of data/mini while they are still in memory, and the writing of them."""

import csv
import hashlib
import io
import json
import os
import shutil
import tempfile
from dataclasses import dataclass, field
from pathlib import Path

from templates import SourceError


@dataclass
class Output:
    """Relative path -> bytes, with row counts for the manifest."""

    files: dict[str, bytes] = field(default_factory=dict)
    rows: dict[str, int] = field(default_factory=dict)
    corpora: dict[str, dict[str, int]] = field(default_factory=dict)
    shown: dict[str, list[tuple]] = field(default_factory=dict)

    def add(self, path: str, text: str, rows: int, *, encoding: str = "utf-8") -> None:
        """Keep one file. `rows` is what the loader gives from it."""
        try:
            self.files[path] = text.encode(encoding)
        except UnicodeEncodeError as problem:
            near = text[max(0, problem.start - 40) : problem.end + 10]
            raise SourceError(f"{path} is {encoding}: cannot write {near!r}") from None
        self.rows[path] = rows

    def count(self, corpus: str, split: str, rows: int) -> None:
        """Add rows to the count of one split."""
        splits = self.corpora.setdefault(corpus, {})
        splits[split] = splits.get(split, 0) + rows

    def show(self, corpus: str, rows: list[tuple]) -> None:
        """Keep the readable part of the rows for the data card."""
        self.shown.setdefault(corpus, []).extend(rows)

    def manifest(self) -> bytes:
        """manifest.json as bytes: every other file with its digest and rows."""
        files = {
            path: {"sha256": hashlib.sha256(data).hexdigest(), "rows": self.rows[path]}
            for path, data in sorted(self.files.items())
        }
        content = {"files": files, "corpora": dict(sorted(self.corpora.items()))}
        return (json.dumps(content, indent=1) + "\n").encode()

    def all_files(self) -> dict[str, bytes]:
        return {**self.files, "manifest.json": self.manifest()}


def json_lines(rows: list[dict]) -> str:
    return "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)


def tab_lines(rows: list[tuple]) -> str:
    """Tabs and no quoting: a tab or line end inside a field would shift everything."""
    for row in rows:
        if any("\t" in str(cell) or "\n" in str(cell) for cell in row):
            raise SourceError(f"a tab or line end inside {row!r}")
    return "".join("\t".join(str(cell) for cell in row) + "\n" for row in rows)


def quoted_lines(rows: list[tuple], delimiter: str = ",") -> str:
    """Fields in quotes where they need them."""
    text = io.StringIO(newline="")
    csv.writer(text, delimiter=delimiter, lineterminator="\n").writerows(rows)
    return text.getvalue()


def write_folder(files: dict[str, bytes], folder: Path) -> None:
    """Replace a folder as a whole: a reader sees the old one or the new one."""
    folder.parent.mkdir(parents=True, exist_ok=True)
    work = Path(tempfile.mkdtemp(prefix=f".{folder.name}-", dir=folder.parent))
    try:
        for path, data in files.items():
            target = work / "new" / path
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(data)
        if folder.exists():
            os.rename(folder, work / "old")
        os.rename(work / "new", folder)
    finally:
        shutil.rmtree(work, ignore_errors=True)


def differences(files: dict[str, bytes], folder: Path) -> list[str]:
    """A line for each file that is missing, superfluous or different in the folder."""
    here = {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }
    return [
        *(f"{path} is missing" for path in sorted(files.keys() - here.keys())),
        *(f"{path} should not be there" for path in sorted(here.keys() - files.keys())),
        *(f"{p} differs" for p in sorted(files.keys() & here.keys()) if files[p] != here[p]),
    ]
