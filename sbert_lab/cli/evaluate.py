"""`sbert-lab evaluate tableN` and `sbert-lab reproduce`: the tables outside the notebooks."""

from __future__ import annotations

import argparse
import functools

from sbert_lab.cli.command import add_command
from sbert_lab.profiles import PROFILES, get_profile

TABLES = [f"table{number}" for number in range(1, 8)]


def add_evaluate_commands(commands) -> None:
    """Register both commands with an argparse sub-parser."""
    evaluate = add_command(
        commands,
        "evaluate",
        _evaluate,
        "Measure one table of the paper; rows that are recorded already are not measured again.",
        'sbert-lab evaluate table1 --profile mini --rows "SBERT-NLI" --seeds 1',
    )
    evaluate.add_argument("table", choices=TABLES, metavar="tableN", help="table1 to table7")
    evaluate.add_argument("--rows", nargs="+", metavar="NAME", help="only these rows")
    evaluate.add_argument("--list", action="store_true", help="list the rows and stop")
    evaluate.add_argument("--again", action="store_true", help="measure recorded rows anew")
    reproduce = add_command(
        commands,
        "reproduce",
        _reproduce,
        "Measure every table, then the claims. An interrupted run goes on when called again.",
        "sbert-lab reproduce --profile mini",
    )
    reproduce.add_argument(
        "--tables", nargs="+", choices=TABLES, metavar="tableN", help="only these tables"
    )
    for parser in (evaluate, reproduce):
        parser.add_argument("--profile", choices=sorted(PROFILES), help="default: the current one")
        parser.add_argument("--seeds", type=int, help="at most so many seeds a row")


def _evaluate(given: argparse.Namespace) -> int:
    from sbert_lab.experiments import table_module
    from sbert_lab.experiments.runner import run_table

    number = TABLES.index(given.table) + 1
    profile = get_profile(given.profile)
    if given.list:
        for row in table_module(number).rows(profile):
            print(f"{row.name:36} {row.seeds} seed{'s' * (row.seeds > 1)}  {row.note}")
        return 0
    say = functools.partial(print, flush=True)
    table = run_table(
        number, profile, rows=given.rows, seeds=given.seeds, again=given.again, say=say
    )
    print(table.frame().to_string())
    print(f"data: {table.about['data']}\nwritten to {table.path}")
    return 0


def _reproduce(given: argparse.Namespace) -> int:
    from sbert_lab.errors import DataError, OutOfReachError
    from sbert_lab.experiments.ledger import write_ledger
    from sbert_lab.experiments.ledger_page import write_page
    from sbert_lab.experiments.runner import run_table

    profile = get_profile(given.profile)
    say = functools.partial(print, flush=True)
    for name in given.tables or TABLES:
        try:
            run_table(TABLES.index(name) + 1, profile, seeds=given.seeds, say=say)
        except (DataError, OutOfReachError) as error:
            say(f"{name} is left out: {error}")
    for entry in write_ledger(profile):
        print(f"{entry['id']}  {entry['verdict']:28} {entry['claim']}")
    print(f"written to {write_page()}")
    return 0
