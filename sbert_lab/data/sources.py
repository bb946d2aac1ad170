"""Where a split comes from: data/mini, the local copy, the hub, or a pinned wheel."""

from __future__ import annotations

import logging
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from sbert_lab.data import hub, manifest, wheels
from sbert_lab.data.corpus import Corpus, HubArchive, HubTable
from sbert_lab.data.formats import READERS
from sbert_lab.data.local import expected_files, find_files, local_copy
from sbert_lab.data.tables import rows_to_table
from sbert_lab.errors import DataError, OutOfReachError
from sbert_lab.paths import data_dir

if TYPE_CHECKING:
    import pyarrow as pa

log = logging.getLogger(__name__)


@dataclass(frozen=True)
class Found:
    """The rows of one split, the kind of source they came from, and where exactly it is."""

    table: pa.Table
    source: str
    origin: str
    expected: int
    changed: tuple[str, ...] = ()


def find(corpus: Corpus, split: str, profile: str) -> Found:
    """Read one split from the first source that has it."""
    found = (_find_mini if _reads_mini(corpus, profile) else _find_real)(corpus, split)
    log.info("%s %s: %d rows from %s", corpus.name, split, found.table.num_rows, found.origin)
    return found


def splits_here(corpus: Corpus, profile: str) -> list[str]:
    """The splits that need no network: in data/mini, in the local copy, or fetched before."""
    return [split for split in corpus.splits if _is_here(corpus, split, profile)]


def _reads_mini(corpus: Corpus, profile: str) -> bool:
    """A corpus that is ours alone is in data/mini for every profile."""
    return corpus.own or profile == "mini"


def _is_here(corpus: Corpus, split: str, profile: str) -> bool:
    """True also for half a corpus: reading it will tell what is missing."""
    mini = _reads_mini(corpus, profile)
    root = data_dir("mini") if mini else local_copy()
    try:
        if root and find_files(corpus, split, root):
            return True
    except DataError:
        return True
    if mini:
        return False
    if isinstance(corpus.hub, HubArchive) and hub.unpacked_files(corpus, split):
        return True
    return bool(corpus.wheel) and wheels.is_unpacked(wheels.get_wheel(corpus.wheel))


def _find_mini(corpus: Corpus, split: str) -> Found:
    if not corpus.in_mini:
        raise DataError(
            f"{corpus.name} has no mini version: use profile='real' with a local copy in "
            "SBERT_LAB_DATA"
        )
    root = data_dir("mini")
    files = find_files(corpus, split, root)
    if not files:
        raise DataError(f"{root} has no {expected_files(corpus, split)}: {manifest.RESTORE}")
    changed = tuple(manifest.changed_files(root, files))
    with manifest.restorable(changed):
        table = _read(corpus, files)
    return Found(
        table=table,
        source="mini",
        origin=_describe(files),
        expected=manifest.expected_rows(root, corpus.name, split),
        changed=changed,
    )


def _find_real(corpus: Corpus, split: str) -> Found:
    root = local_copy()
    files = find_files(corpus, split, root) if root else []
    if files:
        return _found(corpus, split, _read(corpus, files), "local", _describe(files))
    problems: list[str] = []
    for fetch in _remote_sources(corpus):
        try:
            return fetch(corpus, split)
        except OutOfReachError as problem:
            problems.append(str(problem))
    raise OutOfReachError(_nowhere(corpus, split, root, problems))


def _remote_sources(corpus: Corpus) -> list[Callable[[Corpus, str], Found]]:
    """In the order to try. A wheel comes first if it is here already or the hub is offline."""
    order: list[Callable[[Corpus, str], Found]] = []
    if isinstance(corpus.hub, HubTable):
        order.append(_from_table)
    if isinstance(corpus.hub, HubArchive):
        order.append(_from_archive)
    if corpus.wheel:
        here = wheels.is_unpacked(wheels.get_wheel(corpus.wheel))
        order.insert(0 if here or hub.is_offline() else len(order), _from_wheel)
    return order


def _from_table(corpus: Corpus, split: str) -> Found:
    origin = f"hub {corpus.hub.id}@{corpus.hub.revision[:7]}"
    return _found(corpus, split, hub.read_table(corpus, split), "hub", origin)


def _from_archive(corpus: Corpus, split: str) -> Found:
    files = hub.senteval_files(corpus, split)
    origin = f"hub {corpus.hub.id}@{corpus.hub.revision[:7]} {corpus.hub.file}"
    return _found(corpus, split, _read(corpus, files), "hub", origin)


def _from_wheel(corpus: Corpus, split: str) -> Found:
    wheel = wheels.get_wheel(corpus.wheel)
    folder = wheels.fetch(wheel)
    files = [folder / name for name in corpus.layouts[0].files[split]]
    return _found(corpus, split, _read(corpus, files), "wheel", f"wheel {wheel.pin}")


def _found(corpus: Corpus, split: str, table: pa.Table, source: str, origin: str) -> Found:
    return Found(table=table, source=source, origin=origin, expected=corpus.splits[split])


def _read(corpus: Corpus, files: list[Path]) -> pa.Table:
    return rows_to_table(READERS[corpus.reader](files), corpus.columns)


def _describe(files: list[Path]) -> str:
    return str(files[0]) if len(files) == 1 else f"{files[0].parent} ({len(files)} files)"


def _nowhere(corpus: Corpus, split: str, root: Path | None, problems: list[str]) -> str:
    copy = f"not in the local copy {root}" if root else "SBERT_LAB_DATA names no local copy"
    parts = [f"{corpus.name} {split} cannot be had here: {copy}", *problems]
    if corpus.hub is None and corpus.wheel is None:
        place = f" (from {corpus.homepage})" if corpus.homepage else ""
        parts.append(f"there is no other source: put {expected_files(corpus, split)}{place} there")
    return "; ".join(parts)
