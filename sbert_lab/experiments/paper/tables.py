"""The seven tables of the paper, and tables of ours beside them."""

import html
import math
import numbers
from collections.abc import Mapping, Sequence

import pandas as pd

from sbert_lab.errors import DataError, InputError
from sbert_lab.paths import data_dir
from sbert_lab.profiles import Profile, as_profile

FIELDS = ("what", "measured", "recorded", "paper", "why")
NOTHING = "-"


def table(number: int) -> pd.DataFrame:
    """Table 1 to 7, every cell as printed in the paper."""
    found = sorted(data_dir("paper").glob(f"table{number}_*.csv"))
    if number not in range(1, 8):
        raise InputError(f"there is no Table {number!r}: the paper has Tables 1 to 7")
    if not found:
        raise DataError(
            f"data/paper has no table{number}_*.csv: restore it with `git checkout -- data/paper`"
        )
    return pd.read_csv(found[0])


def comparison(
    rows: Sequence[Mapping], *, profile: str | Profile | None = None, digits: int = 1
) -> pd.DataFrame:
    """The table that compare() shows: everything formatted as text."""
    name = as_profile(profile).name
    lines = []
    for number, row in enumerate(rows):
        unknown = sorted(set(row) - set(FIELDS))
        if unknown or "what" not in row:
            raise InputError(
                f"row {number} has {', '.join(row)}: give what and any of {', '.join(FIELDS[1:])}"
            )
        lines.append(
            {
                "what": str(row["what"]),
                f"measured ({name})": format_value(row.get("measured"), digits),
                "recorded": format_value(row.get("recorded"), digits),
                "paper": format_value(row.get("paper"), 2),
                "why they differ": str(row.get("why") or ""),
            }
        )
    if not lines:
        raise InputError("there are no rows to compare")
    return pd.DataFrame(lines)


def compare(
    rows: Sequence[Mapping],
    *,
    profile: str | Profile | None = None,
    data: object = None,
    digits: int = 1,
) -> None:
    """Show ours beside the paper's: what, measured here, recorded, paper, why they differ.

    Each row is a mapping with `what` and any of `measured`, `recorded`, `paper`, `why`. Values are
    numbers, (mean, standard deviation), text, or None. `data` says how much of the official data
    was seen: a data.coverage(...), a text, or a list of them.
    """
    shown = comparison(rows, profile=profile, digits=digits)
    caption = _caption(data)
    if _in_notebook():
        from IPython.display import display

        markup = shown.to_html(index=False, justify="left", border=0)
        text = shown.to_string(index=False) + (f"\n{caption}" if caption else "")
        if caption:
            markup += f"\n<p>{html.escape(caption)}</p>"
        display({"text/html": markup, "text/plain": text}, raw=True)
    else:
        print(shown.to_string(index=False))
        if caption:
            print(caption)


def format_value(value: object, digits: int) -> str:
    """44.2, '44.2 ± 0.3' for (mean, sd), text as it is, a dash for nothing."""
    if value is None:
        return NOTHING
    if isinstance(value, str):
        return value
    if isinstance(value, tuple):
        mean, spread = value
        return f"{mean:.{digits}f} ± {spread:.{digits}f}"
    if isinstance(value, numbers.Integral):
        return f"{value:,}"
    if math.isnan(value):
        raise InputError("a value to compare is nan: give None where nothing was measured")
    return f"{value:.{digits}f}"


def _caption(data: object) -> str:
    if data is None:
        return ""
    parts = data if isinstance(data, (list, tuple)) else [data]
    return "Data: " + "; ".join(map(str, parts)) + "."


def _in_notebook() -> bool:
    try:
        from IPython import get_ipython
    except ImportError:
        return False
    shell = get_ipython()
    return shell is not None and hasattr(shell, "kernel")
