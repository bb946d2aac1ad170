"""What belongs to a vector beside its numbers: the sentence and its metadata, to choose rows by.

A choice is a dictionary: {"language": "en", "year": [2023, 2024]} means English *and* one of these
years. The same choice works in memory and in Milvus.
"""

import json
from collections.abc import Iterable, Sequence

import numpy as np

from sbert_lab.encoding import check_sentences
from sbert_lab.errors import InputError
from sbert_lab.search.blocks import check_vectors

Value = str | int | float | bool
Where = dict[str, Value | Sequence[Value]]
TAKEN = ("row", "sentence", "vector")  # the names of the other columns


def checked_records(
    vectors, sentences: Sequence[str], metadata: Iterable[dict] | None
) -> tuple[list[str], list[dict] | None]:
    """One sentence and, if there is metadata, one dictionary for each of the vectors (N, H)."""
    listed = check_sentences(sentences)
    check_vectors(vectors, 1)
    if len(listed) != len(vectors):
        raise InputError(f"{len(vectors)} vectors but {len(listed)} sentences")
    if metadata is None:
        return listed, None
    known = [dict(one) for one in metadata]
    if len(known) != len(listed):
        raise InputError(f"{len(listed)} sentences but metadata of {len(known)}")
    for one in known:
        for name, value in one.items():
            _check(name, value)
    return listed, known


def matching(metadata: Sequence[dict] | None, where: Where) -> np.ndarray:
    """Which of the N dictionaries fit: booleans (N,). One that lacks a name does not."""
    asked = _allowed(where)
    if metadata is None:
        raise InputError("this index was built without metadata: build it with metadata=[...]")
    return np.array([all(one.get(name) in values for name, values in asked.items())
                     for one in metadata], dtype=bool)  # fmt: skip


def expression(where: Where) -> str:
    """The same choice in Milvus's language: 'language in ["en"] and year in [2023, 2024]'."""
    return " and ".join(
        f"{name} in {json.dumps(values, ensure_ascii=False)}"
        for name, values in _allowed(where).items()
    )


def _allowed(where: Where) -> dict[str, list]:
    if not isinstance(where, dict) or not where:
        raise InputError(f"where is {where!r}: give names and values, such as {{'year': 2024}}")
    listed = {
        name: list(value) if isinstance(value, list | tuple) else [value]
        for name, value in where.items()
    }
    for name, values in listed.items():
        if not values:
            raise InputError(f"where names no value for {name!r}: give one, or leave it out")
        for value in values:
            _check(name, value)
    return listed


def _check(name: str, value: object) -> None:
    """Names and values reach Milvus inside an expression, so nothing else may get through."""
    if not str(name).isidentifier() or name in TAKEN:
        raise InputError(
            f"metadata cannot be called {name!r}: use letters, digits and _, and not "
            f"{', '.join(TAKEN)}"
        )
    if not isinstance(value, Value) or value != value:  # NaN is not even itself
        raise InputError(f"metadata {name!r} is {value!r}: use text, a number, True or False")
