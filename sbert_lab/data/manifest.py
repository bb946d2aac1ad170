"""data/mini/manifest.json: how many rows each mini corpus has, and the digest of each file."""

import contextlib
import json
from collections.abc import Iterator, Sequence
from functools import lru_cache
from pathlib import Path

from sbert_lab.errors import DataError
from sbert_lab.files import sha256

RESTORE = "restore it with `git checkout -- data/mini`"


def expected_rows(root: Path, name: str, split: str) -> int:
    """The row count that the manifest gives for one split of a mini corpus."""
    counts = read_manifest(root).get("corpora", {}).get(name, {})
    if not isinstance(counts.get(split), int):
        raise DataError(f"{root / 'manifest.json'} has no row count for {name} {split}: {RESTORE}")
    return counts[split]


def changed_files(root: Path, files: list[Path]) -> list[str]:
    """A line for each file whose digest is not the manifest's."""
    digests = read_manifest(root).get("files", {})
    changed = []
    for path in files:
        name = path.relative_to(root).as_posix()
        pinned = digests.get(name, {}).get("sha256")
        if pinned is None:
            changed.append(f"{name} is not in the manifest")
        elif sha256(path) != pinned:
            changed.append(f"{name} has changed: its SHA-256 is not the manifest's")
    return changed


@contextlib.contextmanager
def restorable(changed: Sequence[str]) -> Iterator[None]:
    """What is wrong with rows of files that were changed has a way out, and it is said."""
    try:
        yield
    except DataError as problem:
        if not changed:
            raise
        raise DataError(f"{problem}. {'; '.join(changed)}: {RESTORE}") from problem


def read_manifest(root: Path) -> dict:
    """The manifest as written; an error says how to get it back."""
    path = root / "manifest.json"
    try:
        return _parse(path, path.stat().st_mtime_ns)
    except FileNotFoundError:
        raise DataError(f"there is no {path}: {RESTORE}") from None
    except (ValueError, RecursionError) as problem:
        raise DataError(f"{path} is broken ({problem}): {RESTORE}") from None


@lru_cache(maxsize=8)
def _parse(path: Path, _changed: int) -> dict:
    found = json.loads(path.read_text(encoding="utf-8"))
    for part in ("corpora", "files"):
        entries = found.get(part, {}) if isinstance(found, dict) else None
        if not isinstance(entries, dict) or not all(isinstance(e, dict) for e in entries.values()):
            raise ValueError(f"no table under {part!r}")
    return found
