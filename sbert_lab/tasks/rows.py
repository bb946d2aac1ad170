"""Training rows: checked once, tokenised once, then only picked from."""

import math
from collections.abc import Callable, Sequence

import numpy as np
import torch

from sbert_lab.errors import InputError

PAIR = ("sentence1", "sentence2")
TRIPLET = ("anchor", "positive", "negative")
WINDOW = 10_000  # texts tokenised at a time: the tokenizer's own records are large


class PreparedRows(Sequence):
    """The same rows with token ids in place of texts, and how many tokens each row has."""

    def __init__(self, columns: dict[str, Sequence], lengths: np.ndarray) -> None:
        self.columns, self.lengths = columns, lengths

    def __len__(self) -> int:
        return len(self.lengths)

    def __getitem__(self, number: int) -> dict:
        return {name: values[number] for name, values in self.columns.items()}


def prepare_rows(
    rows: Sequence[dict],
    texts: Sequence[str],
    *,
    tokenize: Callable[[Sequence[str]], tuple[list[list[int]], int]],
    answer: str | None = None,
    labels: int | None = None,
) -> PreparedRows:
    """Check the rows and turn their texts into token ids. The first broken row is named."""
    columns = read_columns(rows, texts, answer, labels)
    columns |= {name: token_ids(columns[name], tokenize) for name in texts}
    return PreparedRows(columns, sum(count_tokens(columns[name]) for name in texts))


def collate_rows(
    rows: Sequence[dict], texts: Sequence[str], *, pad: Callable, answer: str | None = None
) -> dict[str, object]:
    """Prepared rows as a batch: each column of texts padded, ready for an encoder, and answers."""
    batch = {name: pad(column(rows, name)) for name in texts}
    return batch | ({"answer": answers(rows, answer)} if answer else {})


def answers(rows: Sequence[dict], name: str) -> torch.Tensor:
    """Labels as whole numbers, scores as float32: (B,)."""
    kind = torch.long if name == "label" else torch.float32
    return torch.tensor(column(rows, name), dtype=kind)


def token_ids(texts: Sequence, tokenize: Callable) -> list[np.ndarray]:
    """Each text's ids as a small array: a quarter of the memory of a list."""
    found = []
    for start in range(0, len(texts), WINDOW):
        ids, _ = tokenize(texts[start : start + WINDOW])
        found += [np.array(one, dtype=np.int32) for one in ids]
    return found


def count_tokens(ids: Sequence[Sequence[int]]) -> np.ndarray:
    return np.fromiter(map(len, ids), dtype=np.int64, count=len(ids))


def column(rows: Sequence[dict], name: str) -> list:
    """One column of a list of rows or of a datasets.Dataset."""
    if hasattr(rows, "column_names"):
        return list(rows[name][:])  # the whole column at once, not row by row
    return [row[name] for row in rows]


def read_columns(
    rows: Sequence[dict], texts: Sequence[str], answer: str | None, labels: int | None
) -> dict[str, list]:
    """The columns that a task needs, as lists of strings and of answers that make sense."""
    wanted = [*texts, answer] if answer else list(texts)
    if isinstance(rows, (str, bytes, dict)) or not hasattr(rows, "__getitem__"):
        raise InputError(f"rows is a {type(rows).__name__}: expected a list of mappings")
    if hasattr(rows, "column_names"):
        missing = [name for name in wanted if name not in rows.column_names]
        if missing:
            raise InputError(f"the rows have {rows.column_names}, but {missing} is needed")
    try:
        columns = {name: column(rows, name) for name in wanted}
    except (KeyError, TypeError, IndexError):
        _name_odd_row(rows, texts, wanted)
        raise
    for name in texts:
        for position, text in enumerate(columns[name]):
            if not isinstance(text, str):
                raise InputError(f"row {position}: {name} is {text!r}, not a string")
    if answer == "label":
        check_labels(columns[answer], labels)
    elif answer == "score":
        check_scores(columns[answer])
    return columns


def _name_odd_row(rows: Sequence[object], texts: Sequence[str], wanted: Sequence[str]) -> None:
    """Say which row is no mapping, or lacks a column."""
    for position, row in enumerate(rows):
        if not isinstance(row, dict):
            needed = ", ".join(wanted)
            raise InputError(f"row {position} is {row!r}: expected a mapping with {needed}")
        if any(name not in row for name in wanted):
            given = [name for name in (*PAIR, *TRIPLET) if name in row]
            raise InputError(
                f"row {position} has {', '.join(row)}; needed are {', '.join(wanted)}: "
                f"{len(given)} texts where {len(texts)} are needed, or a column is missing"
            )


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
