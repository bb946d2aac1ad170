"""Recorded runs: data/results/<profile>/NAME.json, and the answers item by item beside it.

    from sbert_lab.experiments import results

    table = results.open_table(1)                  # of the current profile
    table.mean("SBERT-NLI", "stsb"), table.spread("SBERT-NLI", "stsb")
    table.predictions("SBERT-NLI", "stsb")         # (seeds, N): what a bootstrap needs
    results.open_study("between_the_two", "real")  # what is not in the paper, in the same form

`sbert-lab evaluate table1` and `sbert-lab reproduce` write them.
"""

import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

import numpy as np
import pandas as pd

from sbert_lab.errors import CheckpointError, DataError, InputError, choices, require_choice
from sbert_lab.experiments import command_of, name_of, title_of
from sbert_lab.files import read_json
from sbert_lab.paths import data_dir
from sbert_lab.profiles import PROFILES, Profile, as_profile

KINDS = ("system", "floor", "extra")
GOLD = "gold"


@dataclass(frozen=True)
class Outcome:
    """What one row gave with one seed: scores in points, and the answer to every test item."""

    scores: Mapping[str, float]
    predictions: Mapping[str, np.ndarray] = field(default_factory=dict)
    info: Mapping[str, object] = field(default_factory=dict)

    def __post_init__(self) -> None:
        broken = [name for name, value in self.scores.items() if not np.isfinite(value)]
        if broken:
            raise InputError(f"the scores of {choices(broken)} are not finite: look for the cause")
        for name, values in self.predictions.items():
            if np.ndim(values) != 1 or not np.isfinite(values).all():
                raise InputError(f"the predictions {name!r} are not one finite number per item")


@dataclass(frozen=True, kw_only=True)
class Row:
    """One line of a table: `run(seed)` measures it. `paper` is its name in the paper's table."""

    name: str
    run: Callable[[int], Outcome]
    seeds: int = 1
    paper: str | None = None
    kind: str = "system"
    note: str = ""

    def __post_init__(self) -> None:
        require_choice("kind", self.kind, KINDS)


class Results:
    """A recorded table or study, read from its two files."""

    def __init__(self, content: dict, predictions: Mapping[str, np.ndarray], path: Path) -> None:
        self._content, self._predictions, self.path = content, predictions, path

    @property
    def which(self) -> int | str:
        """The number of the table, or the name of the study."""
        return self._content["table"] if "table" in self._content else self._content["study"]

    @property
    def profile(self) -> str:
        return self._content["profile"]

    @property
    def about(self) -> dict:
        """Date, command, hardware, versions, and how much of the official data was seen."""
        return dict(self._content["about"])

    @property
    def rows(self) -> list[str]:
        return list(self._content["rows"])

    @cached_property
    def columns(self) -> list[str]:
        """Every score that some row has, in the order of their appearance."""
        found: dict[str, None] = {}
        for row in self._content["rows"].values():
            for run in row["seeds"].values():
                found.update(dict.fromkeys(run["scores"]))
        return list(found)

    def exists(self, row: str) -> bool:
        return row in self._content["rows"]

    def kind(self, row: str) -> str:
        return self._row(row)["kind"]

    def note(self, row: str) -> str:
        return self._row(row)["note"]

    def paper_name(self, row: str) -> str | None:
        """The row's name in the paper's table, if it stands for one."""
        return self._row(row)["paper"]

    def seeds(self, row: str) -> list[int]:
        return sorted(int(seed) for seed in self._row(row)["seeds"])

    def info(self, row: str, seed: int = 1) -> dict:
        """What the run left beside its scores, such as the seconds it took."""
        return self._run(row, seed)["info"]

    def scores(self, row: str, column: str) -> np.ndarray:
        """One score per seed: (seeds,)."""
        runs = [self._run(row, seed)["scores"] for seed in self.seeds(row)]
        missing = [run for run in runs if column not in run]
        if missing:
            raise InputError(f"{row!r} has no {column!r}: choose {choices(list(runs[0]))}")
        return np.array([run[column] for run in runs])

    def mean(self, row: str, column: str) -> float:
        return float(self.scores(row, column).mean())

    def spread(self, row: str, column: str) -> float:
        """The standard deviation over the seeds (ddof 1); 0 where there is one seed."""
        values = self.scores(row, column)
        return float(values.std(ddof=1)) if len(values) > 1 else 0.0

    def predictions(self, row: str, key: str) -> np.ndarray:
        """The row's answer to every test item: (seeds, N)."""
        return np.stack([self._array(f"{row}/{seed}/{key}") for seed in self.seeds(row)])

    def gold(self, key: str) -> np.ndarray:
        """What the items of a set should have got: (N,)."""
        return self._array(f"{GOLD}/{key}")

    def frame(self, columns: list[str] | None = None, *, digits: int = 1) -> pd.DataFrame:
        """The table as text: 'mean ± sd' where there are several seeds, else the number."""
        chosen = columns or self.columns
        lines = {row: [self._cell(row, column, digits) for column in chosen] for row in self.rows}
        return pd.DataFrame.from_dict(lines, orient="index", columns=chosen)

    def _cell(self, row: str, column: str, digits: int) -> str:
        runs = self._row(row)["seeds"].values()
        if any(column not in run["scores"] for run in runs):
            return "-"
        text = f"{self.mean(row, column):.{digits}f}"
        return f"{text} ± {self.spread(row, column):.{digits}f}" if len(runs) > 1 else text

    def _row(self, row: str) -> dict:
        if row not in self._content["rows"]:
            raise InputError(f"{self.path.name} has no row {row!r}: choose {choices(self.rows)}")
        return self._content["rows"][row]

    def _run(self, row: str, seed: int) -> dict:
        runs = self._row(row)["seeds"]
        if str(seed) not in runs:
            raise InputError(f"{row!r} has no seed {seed!r}: choose {choices(list(runs))}")
        return runs[str(seed)]

    def _array(self, name: str) -> np.ndarray:
        if name not in self._predictions:
            raise DataError(
                f"{self.path.with_suffix('.safetensors').name} has no {name!r}: "
                f"`{command_of(self.which, self.profile)}` writes it"
            )
        return self._predictions[name].astype(np.float64)


def results_dir(*parts: str) -> Path:
    """A path under data/results ($SBERT_LAB_RESULTS if set)."""
    named = os.environ.get("SBERT_LAB_RESULTS")
    root = Path(named).expanduser() if named else data_dir("results")
    return root.joinpath(*parts)


def profile_dir(profile: str | Profile | None = None) -> Path:
    """Where a profile's results are kept; those of a backbone of your own stand apart.

    A name means what came with the course, whatever $SBERT_LAB_BACKBONE says.
    """
    if isinstance(profile, str):
        return results_dir(PROFILES[require_choice("profile", profile, PROFILES)].name)
    profile = as_profile(profile)
    return results_dir(profile.name, *filter(None, [profile.apart]))


def recorded_path(which: int | str, profile: str | Profile | None = None) -> Path:
    """Where a table (by its number) or a study (by its name) of a profile is kept."""
    return profile_dir(profile) / f"{name_of(which)}.json"


def open_others(which: int | str, profile: str | Profile | None = None) -> dict[str, "Results"]:
    """The same, recorded with backbones of your own: {backbone's name: results}."""
    found = sorted(profile_dir(as_profile(profile).name).glob(f"on-*/{name_of(which)}.json"))
    return {path.parent.name.removeprefix("on-"): _open(path) for path in found}


def is_recorded(which: int | str, profile: str | Profile | None = None) -> bool:
    """Whether that table (by its number) or study (by its name) was recorded."""
    return recorded_path(which, profile).is_file()


def open_recorded(which: int | str, profile: str | Profile | None = None) -> Results:
    """The recorded table or study; an error says how to record it."""
    path = recorded_path(which, profile)
    if not path.is_file():
        where = as_profile(profile).name
        raise DataError(
            f"{title_of(which)} was not recorded in profile {where}: "
            f"`{command_of(which, where)}` does it"
        )
    return _open(path)


def _open(path: Path) -> Results:
    from safetensors import SafetensorError
    from safetensors.numpy import load_file

    arrays = path.with_suffix(".safetensors")
    try:
        predictions = load_file(arrays) if arrays.is_file() else {}
    except (SafetensorError, OSError) as error:
        raise CheckpointError(f"{arrays} cannot be read ({error}): restore or delete it") from error
    return Results(read_json(path), predictions, path)


def open_pretraining(name: str) -> dict:
    """How a model in data/models was made: settings, loss curve, scores along the way."""
    path = results_dir("pretraining", f"{name}.json")
    if not path.is_file():
        raise DataError(f"{path} is missing: restore it with `git checkout -- data/results`")
    return read_json(path)


def open_bench() -> dict:
    """What `make bench` measured: rows with ratios, and on which machine."""
    path = results_dir("bench.json")
    if not path.is_file():
        raise DataError(f"{path} is missing: `make bench` writes it")
    return read_json(path)


has_table = has_study = is_recorded
open_table = open_study = open_recorded
