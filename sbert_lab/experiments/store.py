"""Writing recorded tables: atomically, one row and seed at a time."""

from __future__ import annotations

import importlib.metadata
import os
import platform
import re
from collections.abc import Mapping, Sequence
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path

import numpy as np

from sbert_lab.errors import InputError
from sbert_lab.experiments.results import GOLD, Outcome, Row, table_path
from sbert_lab.experiments.zoo.lock import locked
from sbert_lab.files import read_json, write_bytes, write_json
from sbert_lab.paths import runs_dir
from sbert_lab.profiles import Profile

PACKAGES = ("torch", "transformers", "numpy", "scikit-learn", "sbert_lab")


def recorded_seeds(number: int, profile: Profile, row: str) -> set[int]:
    """The seeds of a row that are on disk."""
    path = table_path(number, profile)
    if not path.is_file():
        return set()
    return {int(seed) for seed in read_json(path)["rows"].get(row, {}).get("seeds", {})}


def record(
    number: int,
    profile: Profile,
    row: Row,
    seed: int,
    outcome: Outcome,
    *,
    order: Sequence[str],
    about: Mapping[str, object],
) -> Path:
    """Add one run to the table's files. `order` is the order of the table's rows."""
    path = table_path(number, profile)
    with locked(_lock(number, profile)):
        content = _content(path, number, profile)
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


def record_gold(number: int, profile: Profile, gold: Mapping[str, np.ndarray]) -> None:
    """Write what the items should have got."""
    path = table_path(number, profile).with_suffix(".safetensors")
    with locked(_lock(number, profile)):
        _add_arrays(path, {f"{GOLD}/{key}": value for key, value in gold.items()})


def _lock(number: int, profile: Profile) -> Path:
    return runs_dir("locks", f"{profile.name}-table{number}.lock")


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


def _content(path: Path, number: int, profile: Profile) -> dict:
    if not path.is_file():
        return {"table": number, "profile": profile.name, "about": {}, "rows": {}}
    content = read_json(path)
    if content.get("table") != number or content.get("profile") != profile.name:
        raise InputError(f"{path} is not Table {number} of profile {profile.name}: move it away")
    return content


def _add_arrays(path: Path, arrays: Mapping[str, np.ndarray]) -> None:
    from safetensors.numpy import load_file, save

    if not arrays:
        return
    kept = load_file(path) if path.is_file() else {}
    kept.update({n: np.ascontiguousarray(a, dtype=np.float32) for n, a in arrays.items()})
    write_bytes(path, save(dict(sorted(kept.items()))))
