"""The paper's tables and our own studies, measured: a module each, one store, a ledger of claims.

A table goes by its number, a study by its name. `rows(profile)` of its module lists what is
measured; `store.measure` measures what is not recorded yet and writes it down row by row, so that
an interrupted run goes on where it stopped.
"""

from importlib import import_module
from types import ModuleType

from sbert_lab.errors import InputError, choices

TABLES = tuple(range(1, 8))
STUDIES = {
    "trained_floors": "SBERT and a cross-encoder on our own NLI pairs, part by part (notebook 05)",
    "nli": "when NLI helps: similarity against pairs, pretraining and objective (05, 08)",
    "pooling_race": "MEAN against MAX after one epoch of the regression objective (06)",
    "search_indexes": "time, recall and memory of indexes up to a million vectors (15)",
    "quora_duplicates": "duplicates that mini-sbert finds among questions (15)",
    "between_the_two": "bi-encoder, poly-encoder, re-ranking, cross-encoder (16)",
    "better_judge": "re-ranking by a cross-encoder that can judge (16)",
    "in_batch_negatives": "the softmax objective and in-batch negatives, same budget (17)",
}


def name_of(which: int | str) -> str:
    """The name of what is recorded: table1 for Table 1; a study has its own."""
    if isinstance(which, str):
        if which not in STUDIES:
            raise InputError(f"unknown study {which!r}: choose {choices(STUDIES)}")
        return which
    if which not in TABLES:
        raise InputError(f"there is no Table {which!r}: the paper has Tables 1 to 7")
    return f"table{which}"


def title_of(which: int | str) -> str:
    """Table 1, or: study in_batch_negatives."""
    return f"study {which}" if isinstance(which, str) else f"Table {which}"


def command_of(which: int | str, profile: str) -> str:
    """The command that records a table or a study."""
    name = name_of(which)
    what = f"reproduce --study {name}" if isinstance(which, str) else f"evaluate {name}"
    return f"sbert-lab {what} --profile {profile}"


def module_of(which: int | str) -> ModuleType:
    """The module of a table (rows, gold, data_seen, claims) or of a study (rows, data_seen)."""
    folder = "studies." if isinstance(which, str) else ""
    return import_module(f"sbert_lab.experiments.{folder}{name_of(which)}")
