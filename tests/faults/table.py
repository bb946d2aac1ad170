"""Cases, how they are tried, and the table of what came out."""

import textwrap
import time
import traceback
from collections.abc import Callable, Iterable
from dataclasses import asdict, dataclass, field


class Lost(AssertionError):
    """Work was lost, or a message was missing or useless."""


class Impossible(Exception):
    """This machine cannot stage the accident (no right to mount, no other user)."""


@dataclass(frozen=True)
class Case:
    """An accident. `attempt(number)` stages it once and may say how many inputs that were."""

    what: str
    attempt: Callable[[int], int | None]
    times: int = 1
    short: int = 1  # how often in `make test`


@dataclass
class Row:
    """A line of the table."""

    section: str
    what: str
    tried: int = 0
    lost: list[str] = field(default_factory=list)
    note: str = ""
    seconds: float = 0


def run_case(section: str, case: Case, *, short: bool = False) -> Row:
    """Try a case as often as it says; the first three losses are kept in words."""
    row, began = Row(section, case.what), time.perf_counter()
    for number in range(case.short if short else case.times):
        try:
            row.tried += case.attempt(number) or 1
        except Impossible as reason:
            row.note = f"not possible here: {reason}"
            break
        except Exception as error:
            row.tried += 1
            row.lost.append(_described(number, error))
    row.seconds = time.perf_counter() - began
    return row


def _described(number: int, error: Exception) -> str:
    said = f"attempt {number}: {type(error).__name__}: {error}"
    if not isinstance(error, Lost):
        said += "\n" + "".join(traceback.format_tb(error.__traceback__)[-3:])
    return said[:1500]


def as_json(rows: Iterable[Row]) -> list[dict]:
    return [asdict(row) for row in rows]


def printed(rows: list[Row]) -> str:
    """The table, then what was lost in words."""
    lines = [f"{'section':10} {'what was tried':58} {'tried':>7} {'lost':>5}"]
    for row in rows:
        lost = "-" if row.note else str(len(row.lost))
        lines.append(f"{row.section:10} {row.what[:58]:58} {row.tried:7,} {lost:>5}")
        if row.note:
            lines.append(f"{'':11}{row.note}")
    tried, lost = sum(row.tried for row in rows), sum(len(row.lost) for row in rows)
    lines.append(f"{'':10} {'all':58} {tried:7,} {lost:5}")
    for row in rows:
        for text in row.lost[:3]:
            lines += ["", f"LOST, {row.section}: {row.what}", textwrap.indent(text, "  ")]
    return "\n".join(lines)
