"""Training rows: reading columns out of them, and saying what is wrong with one."""

import math
from collections.abc import Sequence

from sbert_lab.errors import InputError

PAIR = ("sentence1", "sentence2")
TRIPLET = ("anchor", "positive", "negative")


def column(rows: Sequence[dict], name: str) -> list:
    """One column of a list of rows or of a datasets.Dataset."""
    if hasattr(rows, "column_names"):
        return list(rows[name])
    return [row[name] for row in rows]


def check_rows(rows: Sequence[dict], texts: Sequence[str], extra: str | None = None) -> None:
    """Every row must be a mapping with these text columns (and `extra`), or we say which is not."""
    wanted = [*texts, extra] if extra else list(texts)
    if hasattr(rows, "column_names"):
        missing = [name for name in wanted if name not in rows.column_names]
        if missing:
            raise InputError(f"the rows have {rows.column_names}, but {missing} is needed")
    for position, row in enumerate(rows):
        _check_row(position, row, texts, wanted)


def _check_row(position: int, row: object, texts: Sequence[str], wanted: Sequence[str]) -> None:
    if not isinstance(row, dict):
        raise InputError(f"row {position} is {row!r}: expected a mapping with {', '.join(wanted)}")
    given = [name for name in (*PAIR, *TRIPLET) if name in row]
    if any(name not in row for name in wanted):
        raise InputError(
            f"row {position} has {', '.join(row)}; needed are {', '.join(wanted)}: "
            f"{len(given)} texts where {len(texts)} are needed, or a column is missing"
        )
    for name in texts:
        if not isinstance(row[name], str):
            raise InputError(f"row {position}: {name} is {row[name]!r}, not a string")


def check_labels(labels: Sequence, classes: int) -> None:
    """Whole numbers from 0 to classes-1, or we say which row is not."""
    for position, label in enumerate(labels):
        whole = isinstance(label, int) and not isinstance(label, bool)
        if not whole or not 0 <= label < classes:
            raise InputError(
                f"row {position}: label {label!r} is not a whole number from 0 to {classes - 1}: "
                "drop rows without a gold label, or set labels= to the number of classes"
            )


def check_scores(scores: Sequence) -> None:
    """Numbers from 0 to 1, or we say which row is not."""
    for position, score in enumerate(scores):
        if not isinstance(score, (int, float)) or not math.isfinite(score) or not 0 <= score <= 1:
            raise InputError(
                f"row {position}: score {score!r} is not a number from 0 to 1: "
                "divide STS scores by 5, and drop rows without a score"
            )
