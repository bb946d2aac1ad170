"""Measuring tables row by row; what is recorded already is not measured again."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import replace

from sbert_lab.errors import InputError, choices
from sbert_lab.experiments import table_module
from sbert_lab.experiments.results import Results, Row, open_table
from sbert_lab.experiments.store import record, record_gold, recorded_seeds
from sbert_lab.profiles import Profile, get_profile


def run_table(
    number: int,
    profile: str | Profile | None = None,
    *,
    rows: Sequence[str] | None = None,
    seeds: int | None = None,
    again: bool = False,
    say: Callable[[str], None] = print,
) -> Results:
    """Measure the rows of a table that are not recorded yet, and return the table.

    `rows` chooses some by name, `seeds` caps the number of seeds, `again` measures anew.
    """
    scale = profile if isinstance(profile, Profile) else get_profile(profile)
    module = table_module(number)
    known = module.rows(scale)
    chosen = _choose(known, rows)
    plan = [(row, seed) for row in chosen for seed in _seeds(row, seeds)]
    done = {row.name: recorded_seeds(number, scale, row.name) for row in chosen}
    todo = [(row, seed) for row, seed in plan if again or seed not in done[row.name]]
    say(f"Table {number}, profile {scale.name}: {len(todo)} of {len(plan)} runs to do")
    if todo:
        record_gold(number, scale, module.gold(scale))
    about = {
        "profile": scale.name,
        "command": f"sbert-lab evaluate table{number} --profile {scale.name}",
        "data": module.data_seen(scale),
    }
    order = [row.name for row in known]
    for place, (row, seed) in enumerate(todo, start=1):
        began = time.perf_counter()
        outcome = row.run(seed)
        seconds = time.perf_counter() - began
        outcome = replace(outcome, info={**outcome.info, "seconds": round(seconds, 1)})
        record(number, scale, row, seed, outcome, order=order, about=about)
        say(f"  {place}/{len(todo)}  {row.name}, seed {seed}: {_short(outcome)} ({seconds:.0f} s)")
    return open_table(number, scale)


def _choose(known: list[Row], names: Sequence[str] | None) -> list[Row]:
    if not names:
        return known
    by_name = {row.name: row for row in known}
    unknown = [name for name in names if name not in by_name]
    if unknown:
        raise InputError(f"no row {choices(unknown)} in this table: choose {choices(by_name)}")
    return [by_name[name] for name in names]


def _seeds(row: Row, most: int | None) -> range:
    return range(1, (row.seeds if most is None else min(most, row.seeds)) + 1)


def _short(outcome) -> str:
    """The average if there is one, else the first scores."""
    if "average" in outcome.scores:
        return f"average {outcome.scores['average']:.2f}"
    shown = list(outcome.scores.items())[:3]
    return ", ".join(f"{name} {value:.2f}" for name, value in shown)
