"""What the registry says about a corpus. Plain descriptions: nothing here opens a file."""

import re
from dataclasses import dataclass, field

from sbert_lab.errors import InputError


@dataclass(frozen=True)
class Layout:
    """A folder and the files of each split in it, as people find them on their disk."""

    folder: str
    files: dict[str, tuple[str, ...]]


@dataclass(frozen=True, kw_only=True)
class HubTable:
    """A data set on the hub that needs no code of its own: parquet or json lines."""

    id: str
    revision: str
    config: str | None = None
    splits: dict[str, str]
    columns: dict[str, str]
    size_mb: float | None = None

    def __post_init__(self) -> None:
        require_full_revision(self.id, self.revision)


@dataclass(frozen=True, kw_only=True)
class HubArchive:
    """One tar file in a hub repository."""

    id: str
    file: str
    revision: str
    size_mb: float | None = None

    def __post_init__(self) -> None:
        require_full_revision(self.id, self.revision)


@dataclass(frozen=True, kw_only=True)
class Corpus:
    """One corpus: its rows by the book, its columns, where it can be had, under which terms.

    `splits` holds the official row counts, in the order in which split "all" joins them.
    """

    name: str
    title: str
    columns: tuple[str, ...]
    splits: dict[str, int]
    licence: str
    citation: str
    reader: str = ""
    layouts: tuple[Layout, ...] = ()
    hub: HubTable | HubArchive | None = None
    wheel: str | None = None
    homepage: str | None = None
    labels: tuple[str, ...] = ()
    parts: tuple[str, ...] = ()
    subsets: dict[str, int] = field(default_factory=dict)
    in_mini: bool = True
    own: bool = False  # it is ours alone: every profile reads it from data/mini
    note: str = ""

    def split_names(self, split: str) -> list[str]:
        """The splits that `split` stands for; "all" stands for every one."""
        allowed = list(dict.fromkeys([*self.splits, "all"]))
        if split not in allowed:
            listed = ", ".join(allowed[:-1]) + " or " + allowed[-1] if allowed[1:] else allowed[0]
            raise InputError(f"unknown split {split!r} of {self.name}: choose {listed}")
        return [split] if split in self.splits else list(self.splits)


def require_full_revision(hub_id: str, revision: str) -> None:
    """A short revision or a branch name can come to mean something else; 40 digits cannot."""
    if not re.fullmatch(r"[0-9a-f]{40}", revision):
        raise InputError(f"{hub_id}: revision {revision!r} is not a full 40-digit commit")
