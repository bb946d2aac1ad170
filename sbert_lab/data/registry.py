"""Every corpus of the course by name, from corpora.toml. data/LAYOUT.md shows the same files."""

import tomllib
from pathlib import Path

from sbert_lab.data.corpus import Corpus, HubArchive, HubTable, Layout
from sbert_lab.errors import require_choice

FILE = Path(__file__).with_name("corpora.toml")


def _read_registry() -> dict[str, Corpus]:
    described = tomllib.loads(FILE.read_text(encoding="utf-8"))
    archives = {name: HubArchive(**entry) for name, entry in described["archives"].items()}
    return {name: _corpus(name, entry, archives) for name, entry in described["corpora"].items()}


def _corpus(name: str, entry: dict, archives: dict[str, HubArchive]) -> Corpus:
    """An entry of the file as a Corpus: lists become tuples, a hub table or an archive its hub."""
    subsets, layouts = entry.get("subsets", {}), entry.pop("layouts", [])
    entry |= {key: tuple(value) for key, value in entry.items() if isinstance(value, list)}
    archive, table = entry.pop("archive", None), entry.pop("hub", None)
    hub = archives[archive] if archive else HubTable(**table) if table else None
    places = [
        Layout(folder, {split: _names(files, subsets) for split, files in layout["files"].items()})
        for layout in layouts
        for folder in layout["folders"]
    ]
    return Corpus(name=name, hub=hub, layouts=tuple(places), **entry)


def _names(files: list[str], subsets: dict[str, int]) -> tuple[str, ...]:
    """File names; {subset} stands for each subset in turn."""
    if not any("{subset}" in file for file in files):
        return tuple(files)
    return tuple(file.format(subset=subset) for subset in subsets for file in files)


CORPORA: dict[str, Corpus] = _read_registry()


def get_corpus(name: str) -> Corpus:
    """The registry's entry for a name; an unknown name is an error that lists the known ones."""
    return CORPORA[require_choice("corpus", name, CORPORA)]
