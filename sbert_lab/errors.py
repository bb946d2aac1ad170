"""The errors that a user can do something about."""

from collections.abc import Iterable


class LabError(Exception):
    """Something the user can put right; the message says how."""


class InputError(LabError, ValueError):
    """A value that was given cannot be used."""


class DataError(LabError):
    """A data file is missing, short, changed or broken."""


class CheckpointError(LabError):
    """A saved model or run cannot be read or written."""


class OutOfReachError(LabError, OSError):
    """Something that has to come over the network could not be had."""


def choices(names: Iterable[str]) -> str:
    """Join names for an error message: 'cls, max or mean'."""
    ordered = sorted(names)
    if len(ordered) < 2:
        return "".join(ordered)
    return ", ".join(ordered[:-1]) + " or " + ordered[-1]


def require_choice(kind: str, value: object, allowed: Iterable[str]) -> str:
    """Return value if it is one of the allowed names; otherwise say which there are."""
    names = list(allowed)
    if not isinstance(value, str) or value not in names:
        raise InputError(f"unknown {kind} {value!r}: choose {choices(names)}")
    return value
