"""`load`: a corpus by name, with its row count checked. `coverage`: how much of it is here."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from sbert_lab.data.corpus import Corpus
from sbert_lab.data.manifest import RESTORE, restorable
from sbert_lab.data.registry import get_corpus
from sbert_lab.errors import DataError
from sbert_lab.profiles import Profile, as_profile

if TYPE_CHECKING:
    import datasets

    from sbert_lab.data.sources import Found


@dataclass(frozen=True)
class Coverage:
    """How many rows are here, how many the official corpus has, and where these are from.

    `partial` is about what should be here: a complete mini corpus is small, but not partial.
    """

    rows: int
    official: int
    partial: bool
    source: str

    def __str__(self) -> str:
        if self.partial:
            return f"partial: {self.rows:,} of {self.official:,}"
        if self.source == "mini":
            beside = f" (official: {self.official:,})" if self.official != self.rows else ""
            return f"mini: {self.rows:,} rows of our own{beside}"
        return f"complete: {self.rows:,}"


def load(
    name: str, split: str, *, profile: str | Profile | None = None, partial: bool | None = None
) -> datasets.Dataset:
    """One split of a corpus as a Dataset with fixed columns; split "all" joins the splits.

    Columns: pairs sentence1, sentence2 and score (0..1) or label; triplets anchor, positive,
    negative; texts text, label. A file with too few or too many rows is an error unless
    `partial` is true; without it the profile decides (profile real takes what is there).
    """
    from sbert_lab.data.tables import table_to_dataset

    corpus, scale = get_corpus(name), as_profile(profile)
    partial = scale.partial if partial is None else partial
    pieces = _find_pieces(corpus, split, scale)
    for piece_of, piece_split, found in pieces:
        _check(piece_of, piece_split, found, partial)
    table = _join([found for _, _, found in pieces], corpus.columns)
    origins = ", ".join(dict.fromkeys(found.origin for _, _, found in pieces))
    described = f"{name} {split}: {_covered(pieces)}; from {origins}"
    return table_to_dataset(table, described)


def coverage(name: str, split: str, *, profile: str | Profile | None = None) -> Coverage:
    """How much of a split is here; str() of it is what a table prints.

    Reads the split to count it, so it costs as much as `load`.
    """
    return _covered(_find_pieces(get_corpus(name), split, as_profile(profile)))


Piece = tuple[Corpus, str, "Found"]


def _find_pieces(corpus: Corpus, split: str, profile: Profile) -> list[Piece]:
    """Everything that `split` of `corpus` consists of: its splits, each of its parts."""
    from sbert_lab.data.sources import find

    name = profile.name
    parts = [get_corpus(part) for part in corpus.parts] or [corpus]
    return [
        (part, one, find(part, one, name)) for one in corpus.split_names(split) for part in parts
    ]


def _covered(pieces: list[Piece]) -> Coverage:
    return Coverage(
        rows=sum(found.table.num_rows for _, _, found in pieces),
        official=sum(corpus.splits[split] for corpus, split, _ in pieces),
        partial=any(found.table.num_rows != found.expected for _, _, found in pieces),
        source="+".join(dict.fromkeys(found.source for _, _, found in pieces)),
    )


def _check(corpus: Corpus, split: str, found: Found, partial: bool) -> None:
    """Refuse short, changed or impossible data; `partial` forgives a wrong count, nothing else."""
    from sbert_lab.data.tables import check_values

    with restorable(found.changed):
        check_values(found.table, corpus, found.origin)
        rows = found.table.num_rows
        if rows == 0:
            raise DataError(f"{corpus.name} {split}: no rows in {found.origin}")
    if partial:
        return
    if rows != found.expected:
        raise DataError(
            f"{corpus.name} {split}: {rows:,} rows in {found.origin}, but it should have "
            f"{found.expected:,}. {_way_out(found)}, or pass partial=True to go on with what is "
            "there: every table then says 'partial'"
        )
    if found.changed:
        raise DataError(f"{corpus.name} {split}: {'; '.join(found.changed)}. {_way_out(found)}")


def _way_out(found: Found) -> str:
    ways = {
        "mini": RESTORE.capitalize(),
        "local": "Put the complete file there",
        "hub": "The hub's copy has changed: bring a local copy (SBERT_LAB_DATA)",
        "wheel": "Delete runs/downloads and fetch it again",
    }
    return ways[found.source]


def _join(pieces: list[Found], columns: tuple[str, ...]):
    import pyarrow as pa

    return pa.concat_tables([found.table.select(list(columns)) for found in pieces])
