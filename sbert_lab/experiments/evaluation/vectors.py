"""Asking an encode function for vectors, refusing what cannot be scored, connecting texts."""

from collections.abc import Callable, Iterable, Sequence

import numpy as np

from sbert_lab.errors import InputError

Encode = Callable[[list[str]], np.ndarray]


def column(rows: Sequence[dict], name: str) -> list:
    """One column of a list of rows or of a datasets.Dataset."""
    columns = getattr(rows, "column_names", None)
    if columns is not None:
        if name not in columns:
            raise InputError(f"the rows have {', '.join(columns)}, but {name} is needed")
        return list(rows[name])
    try:
        return [row[name] for row in rows]
    except (KeyError, TypeError, IndexError) as error:
        raise InputError(f"every row needs the column {name!r}") from error


def embed(encode: Encode, *columns: Sequence[str]) -> list[np.ndarray]:
    """The vectors of several columns of sentences. Each different sentence is encoded once."""
    for sentence in (sentence for one in columns for sentence in one):
        if not isinstance(sentence, str):
            raise InputError(f"{sentence!r} is not a sentence: expected a string")
    different = list(dict.fromkeys(sentence for one in columns for sentence in one))
    if not different:
        raise InputError("there are no sentences to encode")
    vectors = np.asarray(encode(different))
    if vectors.dtype.kind not in "fiu":
        raise InputError(f"encode gave an array of {vectors.dtype}: expected numbers")
    vectors = vectors.astype(np.float64)
    if vectors.ndim != 2 or len(vectors) != len(different):
        raise InputError(
            f"encode gave an array of shape {vectors.shape} for {len(different)} sentences: "
            "expected one vector per sentence"
        )
    broken = np.flatnonzero(~np.isfinite(vectors).all(axis=1))
    if len(broken):
        raise InputError(
            f"encode gave NaN or infinity for {len(broken)} sentences, the first is "
            f"{different[broken[0]]!r}"
        )
    place = {sentence: number for number, sentence in enumerate(different)}
    return [vectors[[place[sentence] for sentence in one]] for one in columns]


def finite_numbers(values: object, what: str, *, ndim: int = 1) -> np.ndarray:
    """As an array of finite floats with so many axes, or an error that says what is wrong."""
    try:
        array = np.asarray(values, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise InputError(f"the {what} are not all numbers: {error}") from error
    if array.ndim != ndim:
        raise InputError(f"the {what} have shape {array.shape}: expected {ndim} axes")
    if not np.isfinite(array).all():
        raise InputError(f"there is NaN or infinity among the {what}: look for its cause")
    return array


def connect(pairs: Iterable[tuple[str, str]], linked: Iterable[bool] | None = None) -> dict:
    """Each text and the number of its group, both in the order of their first appearance.

    Two texts of a linked pair are in one group, and so is all that is linked to either. Without
    `linked` every pair counts.
    """
    parent: dict[str, str] = {}

    def root(text: str) -> str:
        while parent[text] != text:
            parent[text] = parent[parent[text]]
            text = parent[text]
        return text

    pairs = list(pairs)
    for pair, link in zip(pairs, linked or [True] * len(pairs), strict=True):
        for text in pair:
            parent.setdefault(text, text)
        if link:
            parent[root(pair[0])] = root(pair[1])
    numbers: dict[str, int] = {}
    return {text: numbers.setdefault(root(text), len(numbers)) for text in parent}
