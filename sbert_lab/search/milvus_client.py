"""Reaching Milvus: the packages, the address, the columns, and errors that say what to do."""

import contextlib
import importlib.util
import logging
import math
import os
from collections.abc import Iterator
from pathlib import Path

from sbert_lab.errors import InputError, LabError, OutOfReachError
from sbert_lab.search.blocks import blocks_of

PACKAGES = {"pymilvus": "pymilvus>=3.0", "milvus_lite": "milvus-lite>=3.2"}
KINDS = {"flat": "FLAT", "hnsw": "HNSW", "ivf": "IVF_FLAT"}
LONGEST = 65_535  # bytes of a text in Milvus
ROWS_AT_ONCE = 4096  # a message to a server has at most 64 MB
SECONDS_TO_ANSWER = 10
UNAVAILABLE = 2  # Milvus's own number for it
# The embedded engine hangs up on a client that says hello every ten seconds, as is usual.
IDLE = {"grpc.keepalive_time_ms": 3_600_000, "grpc.keepalive_permit_without_calls": False}


def is_local(uri: str | Path) -> bool:
    """Whether this is a database on this machine, not the address of a server."""
    return "://" not in str(uri) and not str(uri).startswith("unix:")


def shown(uri: str | Path) -> str:
    """The address without a user's name and password."""
    start, _, rest = str(uri).rpartition("@")
    return f"{start.split('://')[0]}://{rest}" if start else rest


def has_milvus(uri: str | Path = "search.db") -> bool:
    """Whether what this address needs is installed."""
    return not _missing(uri)


def connect(uri: str | Path):
    """A client for this address; a local database is made if it is not there."""
    missing = _missing(uri)
    if missing:
        wanted = " ".join(f'"{one}"' for one in missing)
        raise LabError(f"Milvus is not installed: pip install {wanted}")
    import pymilvus

    for name in ("pymilvus", "milvus_lite", "grpc"):
        logging.getLogger(name).setLevel(logging.CRITICAL)  # our errors tell it in one line
    options = {"token": os.environ.get("MILVUS_TOKEN", ""), "timeout": SECONDS_TO_ANSWER}
    if is_local(uri):
        if Path(uri).suffix != ".db":
            raise InputError(f"{uri} must end in .db, or be an address such as http://host:19530")
        Path(uri).parent.mkdir(parents=True, exist_ok=True)
        options["grpc_options"] = IDLE
    try:
        return pymilvus.MilvusClient(str(uri), **options)
    except pymilvus.MilvusException as error:
        if is_local(uri):
            raise OutOfReachError(
                f"cannot open {uri}: another process has it open, or it is no Milvus database"
            ) from error
        raise OutOfReachError(
            f"no Milvus answers at {shown(uri)} ({error.message}): check the address and that the "
            'server runs, or keep the index on this machine with uri="search.db"'
        ) from error


def disconnect(client, uri: str | Path) -> None:
    """Close the client; a local database is free for other processes then."""
    client.close()
    if is_local(uri):
        from milvus_lite.server_manager import server_manager_instance

        server_manager_instance.release_server(str(uri))


@contextlib.contextmanager
def told(uri: str | Path) -> Iterator[None]:
    """Milvus's errors as ours, with the address."""
    import pymilvus

    try:
        yield
    except pymilvus.MilvusException as error:
        if error.code == UNAVAILABLE or not isinstance(error.code, int):  # others are the network's
            raise OutOfReachError(f"Milvus at {shown(uri)} no longer answers") from error
        raise InputError(f"Milvus at {shown(uri)} says: {error.message}") from error


def create(client, name: str, dimension: int, properties: dict[str, str]) -> None:
    """An empty collection: a row's number, its vector, its sentence and whatever else is given."""
    from pymilvus import DataType

    schema = client.create_schema(auto_id=False, enable_dynamic_field=True)
    schema.add_field("row", DataType.INT64, is_primary=True)
    schema.add_field("vector", DataType.FLOAT_VECTOR, dim=dimension)
    schema.add_field("sentence", DataType.VARCHAR, max_length=LONGEST)
    strong = {"consistency_level": "Strong"}  # what was added is found at once
    client.create_collection(name, schema=schema, properties=properties, **strong)


def insert(
    client, name: str, first: int, vectors, sentences: list[str], metadata: list[dict] | None
) -> None:
    """Add vectors (M, H), scaled to length 1, as the rows first, first + 1, ..."""
    for number, sentence in enumerate(sentences):
        if len(sentence.encode()) > LONGEST:
            raise InputError(f"sentence {number} has more than Milvus's {LONGEST:,} bytes: cut it")
    for start, units in blocks_of(vectors, ROWS_AT_ONCE):
        rows = [
            {"row": first + place, "vector": vector, "sentence": sentences[place],
             **(metadata[place] if metadata else {})}
            for place, vector in enumerate(units.numpy(), start)
        ]  # fmt: skip
        client.insert(name, rows)


def index(client, name: str, kind: str, shape: dict[str, int]) -> None:
    """Build the index of a collection that has its rows; for unit vectors IP is the cosine."""
    client.flush(name)
    wanted = client.prepare_index_params()
    named = {"index_type": KINDS[kind], "metric_type": "IP"}
    # Params within params: the embedded engine reads no others, a server reads these too.
    wanted.add_index("vector", **named, params={"params": shape})
    client.create_index(name, wanted)


def shape_and_effort(kind: str, count: int, settings: dict[str, int]) -> tuple[dict, int]:
    """Milvus's names for what is chosen at building, and how hard a query looks."""
    usual = {
        "flat": {},
        "hnsw": {"links": 32, "build_effort": 80, "search_effort": 64},
        "ivf": {"cells": max(1, math.isqrt(count)), "probes": 8},
    }[kind]
    for name in settings:
        if name not in usual:
            raise InputError(f"{kind} has no setting {name!r}, only {sorted(usual) or 'none'}")
    given = usual | settings
    names = {"links": "M", "build_effort": "efConstruction", "cells": "nlist"}
    shape = {names[name]: value for name, value in given.items() if name in names}
    return shape, given.get("search_effort", given.get("probes", 1))


def _missing(uri: str | Path) -> list[str]:
    needed = list(PACKAGES) if is_local(uri) else ["pymilvus"]
    return [PACKAGES[name] for name in needed if importlib.util.find_spec(name) is None]
