"""Reading text line by line, so that every complaint can name the file and the line."""

import csv
import gzip
import math
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import NoReturn, TypeVar

from sbert_lab.errors import DataError

BOM = "\ufeff"
Value = TypeVar("Value")


def fail(path: Path, number: int, problem: str) -> NoReturn:
    """Raise the error for a broken line."""
    raise DataError(f"{path}, line {number}: {problem}")


def raw_lines(path: Path) -> Iterator[bytes]:
    """The lines of a plain or gzipped file. Only a line feed ends a line.

    str.splitlines also breaks at U+0085, U+2028 and others, which occur inside sentences: all the
    scores after them would shift.
    """
    opener = gzip.open if path.suffix == ".gz" else open
    try:
        with opener(path, "rb") as file:
            yield from file
    except (EOFError, zlib.error, gzip.BadGzipFile) as problem:
        raise DataError(f"{path}: not a complete gzip file ({problem}); fetch it again") from None
    except OSError as problem:
        raise DataError(f"{path} cannot be read: {problem.strerror or problem}") from None


def numbered(path: Path, encoding: str = "utf-8") -> Iterator[tuple[int, str]]:
    """Line numbers (from 1) and lines, without their ends and without a byte order mark."""
    for number, raw in enumerate(raw_lines(path), start=1):
        try:
            line = raw.decode(encoding)
        except UnicodeDecodeError as problem:
            fail(path, number, f"not {encoding} ({problem.reason} at byte {problem.start})")
        if number == 1:
            line = line.removeprefix(BOM)
        yield number, line.removesuffix("\n").removesuffix("\r")


def tab_rows(path: Path, header: tuple[str, ...]) -> Iterator[tuple[int, dict[str, str]]]:
    """Rows of a tab-separated file with a header and no quoting: a quote is just a character."""
    lines = numbered(path)
    names = next(lines, (1, ""))[1].split("\t")
    require_columns(path, names, header)
    for number, line in lines:
        fields = line.split("\t")
        if len(fields) < len(names):
            fail(path, number, f"{len(fields)} fields where the header has {len(names)}")
        yield number, dict(zip(names, fields, strict=False))


def quoted_rows(
    path: Path, header: tuple[str, ...], *, delimiter: str, encoding: str = "utf-8"
) -> Iterator[tuple[int, dict[str, str]]]:
    """Rows of a file with a header whose quoted fields may hold delimiters and line ends."""
    reader = csv.reader((line + "\n" for _, line in numbered(path, encoding)), delimiter=delimiter)
    try:
        names = next(reader, [])
        require_columns(path, names, header)
        for fields in reader:
            if len(fields) != len(names):
                problem = f"{len(fields)} fields where the header has {len(names)}"
                fail(path, reader.line_num, problem)
            yield reader.line_num, dict(zip(names, fields, strict=True))
    except csv.Error as problem:
        fail(path, reader.line_num, f"{problem} (a quote that is never closed?)")


def require_columns(path: Path, names: list[str], wanted: tuple[str, ...]) -> None:
    """The header must name every wanted column."""
    missing = [name for name in wanted if name not in names]
    if missing:
        fail(path, 1, f"no column {', '.join(missing)} in the header {', '.join(names)}")


def parse_number(path: Path, number: int, text: str, *, low: float, high: float) -> float:
    """A score within its scale."""
    try:
        value = float(text)
    except ValueError:
        fail(path, number, f"{text!r} is not a number")
    if not (math.isfinite(value) and low <= value <= high):
        fail(path, number, f"score {text} is outside {low:g} to {high:g}")
    return value


def parse_choice(path: Path, number: int, text: str, allowed: dict[str, Value]) -> Value:
    """A label by its name in the file."""
    if text not in allowed:
        fail(path, number, f"label {text!r} is none of {', '.join(allowed)}")
    return allowed[text]
