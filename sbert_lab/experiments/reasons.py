"""Why a claim does not hold in profile real: data/paper/reasons.toml with its marks filled in.

The paragraphs are written by hand, every figure in them is looked up in the recorded runs.
"""

import re
import tomllib
from functools import cache

from sbert_lab.errors import DataError
from sbert_lab.experiments.ledger import read_ledger
from sbert_lab.experiments.results import open_table
from sbert_lab.paths import data_dir

PROFILE = "real"


@cache
def list_reasons() -> dict[str, str]:
    """Claim id -> paragraph, marks as they stand."""
    path = data_dir("paper", "reasons.toml")
    return {id: " ".join(text.split()) for id, text in tomllib.loads(path.read_text()).items()}


def reason(id: str) -> str:
    """The paragraph on a claim; empty where none was written."""
    return re.sub(r"\{([^{}]+)\}", lambda mark: _value(id, mark[1]), list_reasons().get(id, ""))


def _value(id: str, mark: str) -> str:
    """What stands for one mark: a recorded score with one decimal, or a claim's figures."""
    match [part.strip() for part in mark.split("|")]:
        case [number, row, column] if number.isdigit():
            return f"{open_table(int(number), PROFILE).mean(row, column):.1f}"
        case [claim] if re.fullmatch(r"C\d\d (mini|real)", claim):
            which, profile = claim.split()
            return next(one["figures"] for one in read_ledger(profile) if one["id"] == which)
    raise DataError(f"data/paper/reasons.toml, {id}: {{{mark}}} names no table's score or claim")
