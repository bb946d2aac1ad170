"""The paper's tables, measured: one module per table, a runner, and the ledger of claims.

`rows(profile)` of a table module lists what is measured; `run_table` measures what is not recorded
yet and writes it down row by row, so that an interrupted run goes on where it stopped.
"""

from importlib import import_module
from types import ModuleType

from sbert_lab.errors import InputError

TABLES = tuple(range(1, 8))


def table_module(number: int) -> ModuleType:
    """The module of Table 1 to 7: rows, gold, data_seen, claims."""
    if number not in TABLES:
        raise InputError(f"there is no Table {number!r}: the paper has Tables 1 to 7")
    return import_module(f"sbert_lab.experiments.table{number}")
