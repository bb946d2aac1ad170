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


def sums(rows: list[Row]) -> list[Row]:
    """One row for each section, and one for all."""
    found = []
    for section in [*dict.fromkeys(row.section for row in rows), "all"]:
        some = [row for row in rows if section in (row.section, "all")]
        tried, lost = sum(row.tried for row in some), [text for row in some for text in row.lost]
        seconds = sum(row.seconds for row in some)
        found.append(Row(section, "together", tried, lost, seconds=seconds))
    return found


def printed(rows: list[Row]) -> str:
    """The table, then what was lost in words."""
    lines = [f"{'section':10} {'what was tried':60} {'tried':>7} {'lost':>5} {'seconds':>8}"]
    for row in [*rows, *sums(rows)]:
        lost = "-" if row.note else str(len(row.lost))
        counts = f"{row.tried:7,} {lost:>5} {row.seconds:8.0f}"
        lines.append(f"{row.section:10} {row.what[:60]:60} {counts}")
        if row.note:
            lines.append(f"{'':11}{row.note}")
    for row in rows:
        for text in row.lost[:3]:
            lines += ["", f"LOST, {row.section}: {row.what}", textwrap.indent(text, "  ")]
    return "\n".join(lines)


def page(rows: list[Row]) -> str:
    """The table for people who did not run it."""
    lines = [
        "# What was tried, how often, what was lost",
        "",
        "Written by `make faults PAGE=tests/faults/README.md`, or by `python -m faults --read`",
        "from the kept rows of several runs, the last one of each accident: what had been lost",
        "before was put right. Lost means: work was gone, a message was missing or of no use, or a",
        "result was silently wrong. What is not listed was not run. The seconds are those of a",
        "busy machine.",
        "",
        "| section | what was tried | tried | lost | seconds |",
        "|---|---|--:|--:|--:|",
    ]
    for row in [*sums(rows), *rows]:
        what = row.what.replace("|", "/") + f" ({row.note})" * bool(row.note)
        counts = f"{row.tried:,} | {len(row.lost)} | {row.seconds:.0f}"
        lines.append(f"| {row.section} | {what} | {counts} |")
    return "\n".join(lines) + "\n"
