"""Measuring what is not recorded yet, and writing it down: atomically, one row and seed at a time.

Tables and studies go the same way: a JSON file with scores and what they were measured with, the
answers item by item beside it, one lock for both.
"""

import importlib.metadata
import os
import platform
import re
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import numpy as np

from sbert_lab.errors import DataError, InputError, OutOfReachError, choices
from sbert_lab.experiments import command_of, module_of, title_of
from sbert_lab.experiments.results import (
    GOLD,
    Outcome,
    Results,
    Row,
    open_recorded,
    recorded_path,
)
from sbert_lab.files import locked, read_json, write_bytes, write_json
from sbert_lab.paths import runs_dir
from sbert_lab.profiles import Profile, as_profile

PACKAGES = ("torch", "transformers", "numpy", "scikit-learn", "faiss-cpu", "sbert_lab")


def measure(
    which: int | str,
    profile: str | Profile | None = None,
    *,
    rows: Sequence[str] | None = None,
    seeds: int | None = None,
    again: bool = False,
    say: Callable[[str], None] = print,
) -> Results:
    """Measure the rows of a table or study that are not recorded yet, and return what is recorded.

    `rows` chooses some by name, `seeds` caps the number of seeds, `again` measures anew.
    """
    profile = as_profile(profile)
    module = module_of(which)
    known = module.rows(profile)
    chosen = _choose(known, rows)
    plan = [(row, seed) for row in chosen for seed in _seeds(row, seeds)]
    done = {row.name: recorded_seeds(which, profile, row.name) for row in chosen}
    todo = [(row, seed) for row, seed in plan if again or seed not in done[row.name]]
    say(f"{title_of(which)}, profile {profile.name}: {len(todo)} of {len(plan)} runs to do")
    about = {
        "profile": profile.name,
        "command": command_of(which, profile.name),
        "backbone": profile.backbone,
        "data": module.data_seen(profile),
        **getattr(module, "about", lambda _: {})(profile),
    }
    if todo:
        _refuse_other(recorded_path(which, profile), about)
    if todo and hasattr(module, "gold"):
        record_gold(which, profile, module.gold(profile))
    order = [row.name for row in known]
    for place, (row, seed) in enumerate(todo, start=1):
        began = time.perf_counter()
        outcome = row.run(seed)
        seconds = time.perf_counter() - began
        outcome = replace(outcome, info={**outcome.info, "seconds": round(seconds, 1)})
        record(which, profile, row, seed, outcome, order=order, about=about)
        say(f"  {place}/{len(todo)}  {row.name}, seed {seed}: {_short(outcome)} ({seconds:.0f} s)")
    return open_recorded(which, profile)


def measure_tables(numbers: Sequence[int], profile: Profile, *, seeds: int | None, say) -> None:
    """Measure several tables; one whose data are out of reach is left out, and that is said."""
    for number in numbers:
        try:
            measure(number, profile, seeds=seeds, say=say)
        except (DataError, OutOfReachError) as error:
            say(f"table{number} is left out: {error}")


def _refuse_other(path: Path, about: Mapping[str, object]) -> None:
    """Rows of other data or of another backbone cannot stand in one table with the new ones."""
    before = read_json(path).get("about", {}) if path.is_file() else {}
    for part, said in (("data", "on other data"), ("backbone", "with another backbone")):
        then, now = before.get(part, about[part]), about[part]
        if then != now:
            raise DataError(
                f"{path} was measured {said}. Then: {then}. Now: {now}. Move it and its "
                ".safetensors away to measure all rows anew"
            )


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


def _short(outcome: Outcome) -> str:
    """The average if there is one, else the first scores."""
    if "average" in outcome.scores:
        return f"average {outcome.scores['average']:.2f}"
    shown = list(outcome.scores.items())[:3]
    return ", ".join(f"{name} {value:.2f}" for name, value in shown)


# ---- writing


def recorded_seeds(which: int | str, profile: Profile, row: str) -> set[int]:
    """The seeds of a row that are on disk."""
    path = recorded_path(which, profile)
    if not path.is_file():
        return set()
    return {int(seed) for seed in read_json(path)["rows"].get(row, {}).get("seeds", {})}


def record(
    which: int | str,
    profile: Profile,
    row: Row,
    seed: int,
    outcome: Outcome,
    *,
    order: Sequence[str],
    about: Mapping[str, object],
) -> Path:
    """Add one run to the files of a table or study. `order` is the order of its rows."""
    path = recorded_path(which, profile)
    with locked(_lock(path)):
        content = _content(path, which, profile)
        entry = content["rows"].setdefault(row.name, {"seeds": {}})
        entry.update(kind=row.kind, note=row.note, paper=row.paper)
        machine = describe_machine()
        made = {key: machine[key] for key in ("date", "hardware")}
        entry["seeds"][str(seed)] = {
            "scores": {name: round(float(value), 4) for name, value in outcome.scores.items()},
            "info": {**outcome.info, **made},
        }
        entry["seeds"] = dict(sorted(entry["seeds"].items(), key=lambda one: int(one[0])))
        known = [name for name in order if name in content["rows"]]
        others = [name for name in content["rows"] if name not in known]
        content["rows"] = {name: content["rows"][name] for name in known + others}
        content["about"] = {**machine, "hardware": _all_hardware(content["rows"]), **about}
        arrays = {f"{row.name}/{seed}/{key}": v for key, v in outcome.predictions.items()}
        _add_arrays(path.with_suffix(".safetensors"), arrays)
        write_json(path, content)
    return path


def record_gold(which: int | str, profile: Profile, gold: Mapping[str, np.ndarray]) -> None:
    """Write what the items should have got."""
    path = recorded_path(which, profile)
    with locked(_lock(path)):
        arrays = {f"{GOLD}/{key}": value for key, value in gold.items()}
        _add_arrays(path.with_suffix(".safetensors"), arrays)


def _lock(path: Path) -> Path:
    return runs_dir("locks", f"{path.parent.name}-{path.stem}.lock")


def describe_machine() -> dict:
    """What belongs to every recorded number: when, on what, with which versions."""
    versions = {"python": platform.python_version()}
    for name in PACKAGES:
        with suppress(importlib.metadata.PackageNotFoundError):
            versions[name] = importlib.metadata.version(name)
    return {
        "date": datetime.now(UTC).date().isoformat(),
        "hardware": f"{_processor()}, {os.cpu_count()} cores; {_gpu()}",
        "versions": versions,
    }


def _all_hardware(rows: Mapping[str, dict]) -> str:
    """Rows and seeds may have been measured on different machines: name each of them."""
    runs = (run for row in rows.values() for run in row["seeds"].values())
    named = (run["info"].get("hardware", "a machine that was not noted") for run in runs)
    return " and ".join(dict.fromkeys(named))


def _processor() -> str:
    with suppress(OSError):
        text = Path("/proc/cpuinfo").read_text(encoding="utf-8")
        if found := re.search(r"model name\s*:\s*(.+)", text):
            return found.group(1).strip()
    return platform.processor() or platform.machine()


def _gpu() -> str:
    import torch

    return torch.cuda.get_device_name(0) if torch.cuda.is_available() else "no GPU"


def _content(path: Path, which: int | str, profile: Profile) -> dict:
    identity = {"study" if isinstance(which, str) else "table": which, "profile": profile.name}
    if not path.is_file():
        return {**identity, "about": {}, "rows": {}}
    content = read_json(path)
    if any(content.get(key) != value for key, value in identity.items()):
        said = f"{title_of(which)} of profile {profile.name}"
        raise InputError(f"{path} is not {said}: move it away")
    return content


def _add_arrays(path: Path, arrays: Mapping[str, np.ndarray]) -> None:
    from safetensors.numpy import load_file, save

    if not arrays:
        return
    kept = load_file(path) if path.is_file() else {}
    kept.update({n: np.ascontiguousarray(a, dtype=np.float32) for n, a in arrays.items()})
    write_bytes(path, save(dict(sorted(kept.items()))))
