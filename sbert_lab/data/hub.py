"""Corpora from the hub: tables through `datasets.load_dataset`, and SentEval's files in one tar.

Every revision is pinned, and no code of a repository is ever run. One question with a short timeout
comes first: a hub out of reach is said at once. Files are checked before they are used.
"""

from __future__ import annotations

import os
import tarfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING

from sbert_lab.data.atomic import arriving
from sbert_lab.data.corpus import Corpus, HubArchive, HubTable
from sbert_lab.data.local import find_files
from sbert_lab.errors import DataError, OutOfReachError
from sbert_lab.network import check_file, is_network_trouble, patiently, reason, require_reach
from sbert_lab.paths import runs_dir

if TYPE_CHECKING:
    import pyarrow as pa

SENTEVAL_FOLDERS = frozenset(("STS", "SICK", "MR", "CR", "SUBJ", "MPQA", "SST", "TREC", "MRPC"))


def is_offline() -> bool:
    """True if the user told the hub's library to stay offline (HF_HUB_OFFLINE=1)."""
    return os.environ.get("HF_HUB_OFFLINE", "").lower() in ("1", "true", "yes", "on")


def read_table(corpus: Corpus, split: str) -> pa.Table:
    """One split of a hub data set, with our column names and without unlabelled rows."""
    import pyarrow as pa
    import pyarrow.compute as pc

    from sbert_lab.data.tables import schema_of

    hub = corpus.hub
    table = _load_split(hub, split)
    where = f"{hub.id}@{hub.revision[:7]} {hub.splits[split]}"
    missing = [name for name in hub.columns.values() if name not in table.column_names]
    if missing:
        raise DataError(
            f"{where} has the columns {', '.join(table.column_names)} but not "
            f"{', '.join(missing)}: the hub's copy has changed; bring a local copy instead "
            "(SBERT_LAB_DATA)"
        )
    schema = schema_of(corpus.columns)
    arrays = []
    for field in schema:
        if field.name in hub.columns:
            arrays.append(_cast(table[hub.columns[field.name]], field, where))
        else:
            arrays.append(pa.nulls(table.num_rows, field.type))
    table = pa.table(arrays, schema=schema)
    if "label" in corpus.columns:
        table = table.filter(pc.not_equal(table["label"], -1))
    return table


def senteval_files(corpus: Corpus, split: str) -> list[Path]:
    """The files of one split out of the pinned tar, which is fetched and unpacked on first use."""
    archive = corpus.hub
    top = unpacked_folder(archive)
    if not top.is_dir():
        tar = _fetch_archive(archive)
        with arriving(top) as work:
            unpack_senteval(tar, work)
    files = unpacked_files(corpus, split)
    if not files:
        raise DataError(
            f"{corpus.name} {split} is not in {archive.file} of {archive.id}: see {top}"
        )
    return files


def unpacked_files(corpus: Corpus, split: str) -> list[Path]:
    """The files of one split in the unpacked tar, at whatever depth it has them."""
    top = unpacked_folder(corpus.hub)
    for folder in (top, *sorted(path for path in top.rglob("*") if path.is_dir())):
        files = find_files(corpus, split, folder)
        if files:
            return files
    return []


def unpacked_folder(archive: HubArchive) -> Path:
    """Where the tar's files go, whether or not they are there yet."""
    return runs_dir("downloads", f"senteval-{archive.revision[:12]}")


def unpack_senteval(tar: Path, folder: Path) -> None:
    """Unpack the text files that we read; a member that points outside the folder is an error."""
    try:
        with tarfile.open(tar) as archive:
            archive.extractall(folder, members=_wanted(archive), filter="data")
    except tarfile.FilterError as problem:
        raise DataError(f"{tar} is not to be trusted: {problem}") from None
    except (tarfile.TarError, EOFError) as problem:
        raise DataError(f"{tar} is not a complete tar file: {problem}; fetch it again") from None


def _wanted(archive: tarfile.TarFile) -> Iterator[tarfile.TarInfo]:
    for member in archive:
        name = PurePosixPath(member.name)
        if SENTEVAL_FOLDERS.intersection(name.parts) and name.suffix not in (".pkl", ".npy"):
            yield member


def _fetch_archive(archive: HubArchive) -> Path:
    with _explained(archive):
        require_reach(archive.id, archive.revision, kind="dataset")
        return _fetch(archive, archive.file)


def _fetch(source: HubTable | HubArchive, file: str) -> Path:
    """One file of a data set in the hub's cache, fetched if it is not there, and checked."""
    import huggingface_hub

    def ask() -> Path:
        path = huggingface_hub.hf_hub_download(
            source.id, file, repo_type="dataset", revision=source.revision
        )
        check_file(Path(path))
        return Path(path)

    return patiently(f"{source.id} {file}", ask)


def _load_split(hub: HubTable, split: str) -> pa.Table:
    import datasets

    with _explained(hub):
        if not Path(hub.id).is_dir():  # a local clone needs no network
            require_reach(hub.id, hub.revision, kind="dataset")
        builder = patiently(
            hub.id,
            lambda: datasets.load_dataset_builder(hub.id, hub.config, revision=hub.revision),
        )
        if not Path(builder.cache_dir).exists():  # else it was checked and prepared before
            files = [file for files in builder.config.data_files.values() for file in files]
            for file in (name for name in files if name.startswith("hf://")):
                _fetch(hub, file.partition(f"@{hub.revision}/")[2])
        patiently(hub.id, builder.download_and_prepare)
        return builder.as_dataset(hub.splits[split]).data.table


@contextmanager
def _explained(source: HubTable | HubArchive) -> Iterator[None]:
    """Turn whatever the libraries raise into an error that says what to do."""
    where = f"{source.id}@{source.revision[:7]}"
    try:
        yield
    except DataError as problem:
        raise DataError(f"{where}: {problem}") from problem
    except Exception as problem:  # they raise a dozen kinds
        if is_network_trouble(problem):
            raise _out_of_reach(source.id, problem) from problem
        cause = reason(problem.__cause__ or problem)
        raise DataError(f"{where} cannot be read: {cause}") from problem


def _out_of_reach(hub_id: str, problem: Exception) -> OutOfReachError:
    hint = "HF_HUB_OFFLINE is set and it is not in the cache" if is_offline() else reason(problem)
    return OutOfReachError(
        f"the hub's {hub_id} is out of reach ({hint}). Connect and try again; or bring a "
        "local copy and set SBERT_LAB_DATA; or, if you fetched it before, set HF_HUB_OFFLINE=1 "
        "to use the cache"
    )


def _cast(column: pa.ChunkedArray, field: pa.Field, where: str) -> pa.ChunkedArray:
    import pyarrow as pa

    try:
        return column.cast(field.type)
    except (pa.ArrowInvalid, pa.ArrowNotImplementedError) as problem:
        raise DataError(f"{where}: column {field.name} is {column.type}: {problem}") from None
