"""Files on this disk: data/mini, or a local copy of the real corpora in $SBERT_LAB_DATA."""

import os
from pathlib import Path

from sbert_lab.data.corpus import Corpus, Layout
from sbert_lab.errors import DataError


def local_copy() -> Path | None:
    """The folder named by $SBERT_LAB_DATA, if it is set."""
    named = os.environ.get("SBERT_LAB_DATA")
    if not named:
        return None
    root = Path(named).expanduser()
    if not root.is_dir():
        raise DataError(f"SBERT_LAB_DATA is {named}, which is not a folder: correct or unset it")
    return root


def find_files(corpus: Corpus, split: str, root: Path) -> list[Path]:
    """The files of one split below root, in the first layout that has any; [] if none has.

    A layout with some files there and some missing is an error: half a corpus is no corpus.
    """
    for layout in corpus.layouts:
        files, missing = _look(root / layout.folder, layout, split)
        if files and missing:
            raise DataError(
                f"{corpus.name} {split}: {root / layout.folder} lacks {', '.join(missing)}; "
                "fetch the corpus again"
            )
        if files:
            return files
    return []


def expected_files(corpus: Corpus, split: str) -> str:
    """Where the files of a split should lie, for messages."""
    layout = corpus.layouts[0]
    names = layout.files[split]
    more = f" and {len(names) - 1} more" if len(names) > 1 else ""
    return f"{layout.folder}/{names[0]}{more}"


def _look(folder: Path, layout: Layout, split: str) -> tuple[list[Path], list[str]]:
    files: list[Path] = []
    missing: list[str] = []
    for name in layout.files[split]:
        found = _matches(folder, name)
        files.extend(found)
        if not found:
            missing.append(name)
    return files, missing


def _matches(folder: Path, name: str) -> list[Path]:
    """The file, else its gzipped form; a name with a * may match several."""
    if "*" in name:
        return sorted([*folder.glob(name), *folder.glob(name + ".gz")])
    for candidate in (folder / name, folder / f"{name}.gz"):
        if candidate.is_file():
            return [candidate]
    return []
