"""Verdicts on the paper's claims, by rules fixed before any run (data/paper/claims.csv)."""

import platform
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from textwrap import fill

import numpy as np

from sbert_lab import __version__
from sbert_lab.errors import InputError
from sbert_lab.experiments.paper.rules import Claim, get_claim
from sbert_lab.files import write_json
from sbert_lab.paths import runs_dir
from sbert_lab.profiles import Profile, as_profile

HOLDS = "holds"
FAILS = "does not hold at this scale"
OPEN = "inconclusive"
NOT_HERE = "not measurable here"

TOLERANCE = 2.0  # points
WIDTH = 92  # of the printed line: what fits beside a notebook's margin
FEWEST = 100  # resamples; below that the ends of a 95 % interval mean little


@dataclass(frozen=True)
class Verdict:
    """What came out. `details` has the figures: print it where outputs are not compared."""

    id: str
    verdict: str
    line: str
    details: str
    intervals: Mapping[str, tuple[float, float]] = field(default_factory=dict)

    @property
    def holds(self) -> bool:
        return self.verdict == HOLDS

    def __str__(self) -> str:
        return self.line

    def _ipython_display_(self) -> None:
        """claim() has printed the line already: a cell that ends in it shows nothing more."""


def claim(
    id: str,
    *,
    difference: np.ndarray | Mapping[str, np.ndarray] | Sequence[np.ndarray] | None = None,
    holds: bool | None = None,
    note: str = "",
    profile: str | Profile | None = None,
) -> Verdict:
    """Apply the claim's rule, print one line, and write this machine's record under runs/claims.

    `difference` is an array of bootstrapped differences in points, as sts.bootstrap_difference
    gives it; a claim with several parts takes a mapping from each part's name to its array, or the
    arrays in the parts' order. Claims without parts take `holds`. With neither, but with a note
    that says why, the claim is not measurable here. The printed line has no figures, so that it is
    the same on every machine; `.details` and the record have them.
    """
    where = as_profile(profile).name
    result = judge(id, difference=difference, holds=holds, note=note, profile=where)
    record = _record(get_claim(id), result, where, note)
    write_json(runs_dir("claims", where, f"{id}.json"), record)
    print(fill(result.line, WIDTH, subsequent_indent="    ", break_on_hyphens=False))
    return result


def judge(
    id: str,
    *,
    difference: np.ndarray | Mapping[str, np.ndarray] | Sequence[np.ndarray] | None = None,
    holds: bool | None = None,
    note: str = "",
    profile: str,
) -> Verdict:
    """The verdict that claim() prints and records, without doing either."""
    rule = get_claim(id)
    intervals: dict[str, tuple[float, float]] = {}
    if difference is None and holds is None:
        if not note:
            raise InputError(
                f"{id}: give {_needed(rule)}; if it cannot be measured here, say why in note="
            )
        verdict = NOT_HERE
    elif rule.parts:
        if holds is not None or difference is None:
            raise InputError(f"{id} is decided by its rule, not by holds=: give {_needed(rule)}")
        intervals = {n: _interval(id, n, d) for n, d in _by_part(rule, difference).items()}
        verdict = decide(rule.parts, intervals)
    else:
        if difference is not None or not isinstance(holds, (bool, np.bool_)):
            raise InputError(f"{id} is a claim of kind {rule.kind}: give holds=True or holds=False")
        verdict = HOLDS if holds else FAILS
    return Verdict(
        id=id,
        verdict=verdict,
        line=f"{id} {rule.claim}: {verdict} ({_reason(rule, verdict, profile, note)})",
        details=_details(rule, intervals, note),
        intervals=intervals,
    )


def decide(parts: Mapping[str, str], intervals: Mapping[str, tuple[float, float]]) -> str:
    """The verdict of a rule: all parts hold, one fails, or it stays open."""
    verdicts = [_decide_part(kind, *intervals[name]) for name, kind in parts.items()]
    if all(verdict == HOLDS for verdict in verdicts):
        return HOLDS
    return FAILS if FAILS in verdicts else OPEN


def _decide_part(kind: str, low: float, high: float) -> str:
    if kind == "above":
        return HOLDS if low > 0 else FAILS if high <= 0 else OPEN
    if kind == "equal":
        inside = low > -TOLERANCE and high < TOLERANCE
        outside = low >= TOLERANCE or high <= -TOLERANCE
        return HOLDS if inside else FAILS if outside else OPEN
    return HOLDS if high < TOLERANCE else FAILS if low > 0 else OPEN


def _by_part(rule: Claim, difference: object) -> dict[str, np.ndarray]:
    """The differences by the names of the rule's parts; what is missing or too much is said."""
    names = list(rule.parts)
    if isinstance(difference, Mapping):
        if set(difference) != set(names):
            given = ", ".join(map(repr, difference)) or "nothing"
            raise InputError(f"{rule.id} needs {_needed(rule)}; given: {given}")
        return {name: difference[name] for name in names}
    if len(names) == 1:
        return {names[0]: difference}
    arrays = list(difference)
    if len(arrays) != len(names) or any(np.ndim(one) != 1 for one in arrays):
        raise InputError(f"{rule.id} has {len(names)} parts: give {_needed(rule)}")
    return dict(zip(names, arrays, strict=True))


def _interval(id: str, part: str, difference: object) -> tuple[float, float]:
    array = np.asarray(difference, dtype=float)
    if array.ndim != 1 or len(array) < FEWEST:
        raise InputError(
            f"{id}, {part}: an array of at least {FEWEST} bootstrapped differences is needed, "
            f"got shape {array.shape}: use sts.bootstrap_difference"
        )
    if not np.isfinite(array).all():
        raise InputError(f"{id}, {part}: there is NaN or infinity among the differences")
    low, high = np.quantile(array, [0.025, 0.975])
    return float(low), float(high)


def _needed(rule: Claim) -> str:
    if not rule.parts:
        return "holds=True or holds=False"
    if len(rule.parts) == 1:
        return f"difference=array of {next(iter(rule.parts))!r}"
    named = ", ".join(f"{name!r}: array" for name in rule.parts)
    return f"difference={{{named}}}"


def _reason(rule: Claim, verdict: str, where: str, note: str) -> str:
    """Words that do not change from run to run."""
    if verdict == NOT_HERE:
        return f"profile {where}; {note}"
    if rule.kind == "time":
        return f"profile {where}; a matter of this machine's clock"
    if not rule.parts:
        return f"profile {where}; checked by {'counting' if rule.kind == 'count' else 'example'}"
    return f"profile {where}; rule: {rule.rule}"


def _details(rule: Claim, intervals: Mapping[str, tuple[float, float]], note: str) -> str:
    lines = [
        f"{rule.id} {name} [{rule.parts[name]}]: 95 % interval {low:+.2f} to {high:+.2f} points"
        for name, (low, high) in intervals.items()
    ]
    lines.append(f"{rule.id} paper: {rule.paper}")
    if note:
        lines.append(f"{rule.id} note: {note}")
    return "\n".join(lines)


def _record(rule: Claim, result: Verdict, where: str, note: str) -> dict:
    return {
        "id": rule.id,
        "claim": rule.claim,
        "verdict": result.verdict,
        "profile": where,
        "rule": rule.rule,
        "intervals": {name: list(ends) for name, ends in result.intervals.items()},
        "note": note,
        "date": datetime.now(UTC).isoformat(timespec="seconds"),
        "sbert_lab": __version__,
        "python": platform.python_version(),
        "machine": platform.machine(),
    }
