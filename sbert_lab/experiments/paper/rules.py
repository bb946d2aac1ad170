"""The numbered claims of the paper and their rules: data/paper/claims.csv.

A rule has parts. Each part is a name and a kind:

    above      the 95 % interval of the differences lies above 0
    equal      it lies inside -2 .. +2 points
    no gain    it lies below +2 points

A claim holds if all its parts do. Claims of kind count, property and time have no differences:
there the notebook checks, and says `holds=True` or `holds=False`. They are counted apart from the
findings: what is arithmetic holds by construction, and a time is a matter of the machine.
"""

import csv
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

import pandas as pd

from sbert_lab.errors import DataError, InputError, choices
from sbert_lab.paths import data_dir

FINDING, TIMING, CONSTRUCTION = "finding", "timing", "by construction"
GROUPS = {
    "direction": FINDING,
    "equality": FINDING,
    "time": TIMING,
    "count": CONSTRUCTION,
    "property": CONSTRUCTION,
}
PART_KINDS = ("above", "equal", "no gain")


@dataclass(frozen=True)
class Claim:
    """One line of data/paper/claims.csv. `parts` maps a part's name to its kind."""

    id: str
    claim: str
    section: str
    notebook: str
    kind: str
    rule: str
    paper: str
    parts: Mapping[str, str]

    @property
    def group(self) -> str:
        """A finding, a timing, or true by construction: these are counted apart."""
        return GROUPS[self.kind]


def get_claim(id: str) -> Claim:
    """The claim of that number, C01 to C26."""
    known = _read(data_dir("paper", "claims.csv"))
    if id not in known:
        raise InputError(f"unknown claim {id!r}: choose one of {', '.join(known)}")
    return known[id]


def list_claims() -> pd.DataFrame:
    """All claims with their rules, as a table."""
    return pd.read_csv(data_dir("paper", "claims.csv"), dtype=str, keep_default_na=False)


def _read(path: Path) -> dict[str, Claim]:
    try:
        return _parse(path, path.stat().st_mtime_ns)
    except FileNotFoundError:
        raise DataError(f"{path} is missing: `git checkout -- data/paper` restores it") from None


@lru_cache(maxsize=4)
def _parse(path: Path, _changed: int) -> dict[str, Claim]:
    with open(path, encoding="utf-8", newline="") as file:
        return {row["id"]: _claim(path, row) for row in csv.DictReader(file)}


def _claim(path: Path, row: dict[str, str]) -> Claim:
    if row["kind"] not in GROUPS:
        raise DataError(f"{path}, {row['id']}: kind {row['kind']!r} is none of {choices(GROUPS)}")
    parts = {}
    for part in filter(None, map(str.strip, row["parts"].split(";"))):
        kind, _, name = part.partition(":")
        if kind not in PART_KINDS or not name.strip():
            raise DataError(f"{path}, {row['id']}: part {part!r} is not '<kind>: <name>'")
        parts[name.strip()] = kind
    if bool(parts) != (GROUPS[row["kind"]] == FINDING):
        raise DataError(f"{path}, {row['id']}: kind {row['kind']} with {len(parts)} parts")
    rest = {k: row[k] for k in ("id", "claim", "section", "notebook", "kind", "rule", "paper")}
    return Claim(**rest, parts=parts)
