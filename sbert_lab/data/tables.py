"""From rows to a `datasets.Dataset` with fixed columns and types. pyarrow comes in when used."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import islice
from typing import TYPE_CHECKING

from sbert_lab.errors import DataError

if TYPE_CHECKING:
    import datasets
    import pyarrow as pa

    from sbert_lab.data.corpus import Corpus

CHUNK = 10_000  # rows held as Python objects at a time; Arrow is far smaller


def schema_of(columns: tuple[str, ...]) -> pa.Schema:
    """score is a float, label an integer, every other column text (None: not known)."""
    import pyarrow as pa

    types = {"score": pa.float64(), "label": pa.int64()}
    return pa.schema([(name, types.get(name, pa.string())) for name in columns])


def rows_to_table(rows: Iterable[dict], columns: tuple[str, ...]) -> pa.Table:
    """Gather rows into one Arrow table, a chunk at a time."""
    import pyarrow as pa

    schema = schema_of(columns)
    chunks = [pa.Table.from_pylist(chunk, schema=schema) for chunk in _chunks(rows)]
    return pa.concat_tables(chunks) if chunks else schema.empty_table()


def rows_to_dataset(rows: Iterable[dict], columns: tuple[str, ...]) -> datasets.Dataset:
    """Rows as a Dataset."""
    return table_to_dataset(rows_to_table(rows, columns))


def table_to_dataset(table: pa.Table, description: str = "") -> datasets.Dataset:
    """An Arrow table as a Dataset; the description says where the rows are from."""
    import datasets

    return datasets.Dataset(table, info=datasets.DatasetInfo(description=description))


def check_values(table: pa.Table, corpus: Corpus, origin: str) -> None:
    """Scores lie in 0..1, labels are those of the registry, no sentence is missing."""
    import pyarrow.compute as pc

    optional = ("genre", "article", "attribution")
    for name in table.column_names:
        if name not in optional and table[name].null_count:
            raise DataError(f"{origin}: column {name} has {table[name].null_count:,} empty values")
    limits = {"score": (0, 1), "label": (0, len(corpus.labels) - 1)}
    for name in limits.keys() & set(table.column_names):
        low, high = limits[name]
        found = pc.min_max(table[name]).as_py()
        if table.num_rows and not (low <= found["min"] and found["max"] <= high):
            raise DataError(
                f"{origin}: {name} runs from {found['min']:g} to {found['max']:g}, "
                f"not from {low} to {high}"
            )


def _chunks(rows: Iterable[dict]) -> Iterator[list[dict]]:
    iterator = iter(rows)
    while chunk := list(islice(iterator, CHUNK)):
        yield chunk
