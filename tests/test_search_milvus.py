"""Milvus answers as exact search does. Runs only where the optional packages are installed.

They are not in requirements.txt: pip install -e ".[milvus]".
"""

import importlib.util
import subprocess
import sys

import numpy as np
import pytest

from sbert_lab import search
from sbert_lab.cli import main
from sbert_lab.errors import CheckpointError, InputError, LabError, OutOfReachError
from sbert_lab.search import MilvusIndex, VectorIndex, top_k

REASON = 'Milvus is optional and not installed: pip install -e ".[milvus]"'
needs_milvus = pytest.mark.skipif(not search.has_milvus(), reason=REASON)
COUNT = 2000


def random_units(count: int, seed: int = 0, width: int = 16) -> np.ndarray:
    vectors = np.random.default_rng(seed).normal(size=(count, width)).astype(np.float32)
    return vectors / np.linalg.norm(vectors, axis=1, keepdims=True)


VECTORS, QUERIES = random_units(COUNT), 3 * random_units(20, seed=1)
NAMES = [f'sentence {number}: ümlaut, "quote" and line\nbreak' for number in range(COUNT)]
METADATA = [{"year": 2000 + number % 10, "topic": 'a "b"\\' if number % 2 else "ü",
             "new": number % 3 == 0} for number in range(COUNT)]  # fmt: skip


@pytest.fixture(scope="module")
def database(tmp_path_factory):
    """One database for the file; a test takes a collection of its own."""
    path = tmp_path_factory.mktemp("milvus") / "new" / "all.db"
    first = MilvusIndex.build(VECTORS[:9], NAMES[:9], uri=path, name="first")
    yield path
    first.close()


@pytest.fixture
def shelves(database):
    """The same sentences in memory and in Milvus."""
    both = (VECTORS, NAMES)
    exact = VectorIndex.build(*both, kind="exact", metadata=METADATA)
    kept = MilvusIndex.build(*both, metadata=METADATA, uri=database, name="shelf", replace=True)
    return exact, kept


def same(exact, kept, **given) -> None:
    for mine, theirs in zip(exact.search(QUERIES, **given), kept.search(QUERIES, **given),
                            strict=True):  # fmt: skip
        assert theirs == pytest.approx(mine, abs=1e-5)


@needs_milvus
@pytest.mark.parametrize(
    ("kind", "settings", "least"),
    [("flat", {}, 1.0), ("hnsw", {"links": 16}, 0.95), ("ivf", {"cells": 40, "probes": 40}, 1.0)],
)
def test_it_finds_what_exact_search_finds(database, kind, settings, least):
    given = {"kind": kind, "about": {"model": "tiny ü"}, "uri": database, "name": f"of_{kind}"}
    index = MilvusIndex.build(VECTORS, NAMES, **given, **settings)
    assert (len(index), index.dimension, index.kind) == (COUNT, 16, kind)
    assert least <= index.recall(QUERIES, VECTORS) <= 1
    cosines, rows = index.search(QUERIES)
    expected, truth = top_k(QUERIES, VECTORS)
    assert cosines[:, 0] == pytest.approx(expected[:, 0], abs=1e-5)
    assert index.texts(rows[0]) == [NAMES[row] for row in rows[0]]
    if least == 1:
        assert (rows == truth).all()
        assert cosines == pytest.approx(expected, abs=1e-5)


@needs_milvus
def test_more_effort_finds_more(database):
    given = {"kind": "ivf", "cells": 40, "uri": database, "name": "effort"}
    index = MilvusIndex.build(VECTORS, NAMES, **given)
    index.set_effort(1)
    little = index.recall(QUERIES, VECTORS)
    index.set_effort(20)
    assert little < index.recall(QUERIES, VECTORS)


@needs_milvus
def test_choosing_adding_and_deleting_work_as_in_memory(shelves):
    exact, kept = shelves
    for where in (
        {"year": 2003},
        {"year": [2003, 2004], "topic": 'a "b"\\'},
        {"topic": "ü", "new": True},
    ):
        same(exact, kept, where=where)
    more = random_units(5, seed=2)
    for index in shelves:
        nothing = index.search(QUERIES, where={"year": 1900})[1]
        assert nothing.shape == (20, 0)
        assert index.delete([5, 7, 7, 99_999]) == 2
        assert index.delete(where={"year": 2004}) == 200
        rows = index.add(more, [f"new {n}" for n in range(5)], metadata=[{"year": 1}] * 5)
        assert rows.tolist() == list(range(COUNT, COUNT + 5))
        assert len(index) == COUNT - 202 + 5
        assert index.search(more, k=1)[1].ravel().tolist() == rows.tolist()
        assert index.texts(rows[[3, 1, 3]]) == ["new 3", "new 1", "new 3"]
        assert index.search(QUERIES, k=9999, where={"year": 1})[1].shape == (20, 5)
    same(exact, kept)
    same(exact, kept, where={"year": [1, 2005]})
    rows = kept.search(QUERIES, where="year > 2007")[1]
    assert {METADATA[row]["year"] for row in rows.ravel()} == {2008, 2009}


@needs_milvus
def test_candidates_from_milvus_can_be_ranked_again(shelves):
    exact, kept = shelves
    given = {"encode": lambda asked: VECTORS[[int(one) for one in asked]], "candidates": 9, "k": 3}

    def score(pairs):
        return [-len(text) for _, text in pairs]

    mine, theirs = (
        [[(hit.row, hit.sentence) for hit in found] for found in
         search.retrieve_and_rerank(["4", "30"], index, score=score, **given)]
        for index in (exact, kept)
    )  # fmt: skip
    assert mine == theirs


@needs_milvus
@pytest.mark.slow
def test_another_process_opens_what_was_closed(tmp_path):
    uri = tmp_path / "kept.db"
    index = MilvusIndex.build(VECTORS, NAMES, kind="hnsw", uri=uri, about={"model": "tiny"})
    index.delete([int(index.search(QUERIES[:1], k=1)[1][0, 0])])
    index.add(QUERIES[:1], ["the query"])
    expected = index.search(QUERIES[:2], k=5)[1].tolist()
    program = (
        "import json, sys, numpy\n"
        "from sbert_lab.search import MilvusIndex\n"
        "index = MilvusIndex.load(sys.argv[1])\n"
        "queries = numpy.array(json.loads(sys.argv[2]), dtype=numpy.float32)\n"
        "print(json.dumps([len(index), index.kind, index.about['model'],\n"
        "                  index.search(queries, k=5)[1].tolist()]))\n"
    )
    command = [sys.executable, "-c", program, str(uri), str(QUERIES[:2].tolist())]
    locked = subprocess.run(command, capture_output=True, text=True)
    assert f"cannot open {uri}: another process has it open" in locked.stderr
    assert index.save() == str(uri)
    index.close()
    opened = subprocess.run(command, capture_output=True, text=True, check=True)
    assert opened.stdout.strip() == f'[2000, "hnsw", "tiny", {expected}]'
    again = MilvusIndex.load(uri)
    assert again.search(QUERIES[:2], k=5)[1].tolist() == expected
    again.close()


@needs_milvus
def test_a_collection_is_replaced_only_when_asked_and_only_by_a_whole_one(database, monkeypatch):
    given = {"uri": database, "name": "mine"}
    MilvusIndex.build(VECTORS[:50], NAMES[:50], **given)
    with pytest.raises(InputError, match="has a collection 'mine'.*replace=True"):
        MilvusIndex.build(VECTORS[:40], NAMES[:40], **given)
    with monkeypatch.context() as patch:
        patch.setattr("sbert_lab.search.milvus_client.index", lambda *_: 1 / 0)
        with pytest.raises(ZeroDivisionError):
            MilvusIndex.build(VECTORS[:40], NAMES[:40], **given, replace=True)
    assert len(MilvusIndex.load(database, name="mine")) == 50
    MilvusIndex.build(VECTORS[:40], NAMES[:40], **given, replace=True)
    assert len(MilvusIndex.load(database, name="mine")) == 40


@needs_milvus
@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda uri: MilvusIndex.load("http://me:secret@127.0.0.1:9"), OutOfReachError,
         "no Milvus answers at http://127.0.0.1:9 .*uri="),
        (lambda uri: MilvusIndex.load("index.npy/x"), CheckpointError, "x does not exist"),
        (lambda uri: MilvusIndex.load(uri, name="other"), CheckpointError, "no collection 'other'"),
        (lambda uri: MilvusIndex.build(VECTORS, NAMES, uri="a.txt"), InputError, "end in .db"),
        (lambda uri: MilvusIndex.build(VECTORS, NAMES, uri=uri, kind="ivfpq"), InputError,
         "unknown kind of Milvus index 'ivfpq': choose flat, hnsw or ivf"),
        (lambda uri: MilvusIndex.build(VECTORS, NAMES, uri=uri, kind="hnsw", cells=3), InputError,
         "hnsw has no setting 'cells'"),
        (lambda uri: MilvusIndex.build(VECTORS[:1], ["x" * 70_000], uri=uri, name="long"),
         InputError, "sentence 0 has more than Milvus's 65,535 bytes"),
        (lambda uri: MilvusIndex.build(VECTORS, NAMES, uri=uri, name="no good"), InputError,
         "name 'no good'"),
    ],
)  # fmt: skip
def test_a_mistake_is_named(database, call, error, message):
    with pytest.raises(error, match=message) as told:
        call(database)
    assert "secret" not in str(told.value)


@needs_milvus
def test_a_bad_question_is_named(shelves):
    _, kept = shelves
    for given, message in (
        ({"where": "year >"}, "Milvus at .*all.db says"),
        ({"where": {"year; drop": 1}}, "metadata cannot be called"),
        ({"k": 0}, "k must be at least 1"),
    ):
        with pytest.raises(InputError, match=message):
            kept.search(QUERIES, **given)
    with pytest.raises(InputError, match="queries have 3 numbers each"):
        kept.search(QUERIES[:, :3])


def test_without_the_packages_the_error_names_the_pip_command(monkeypatch, tmp_path):
    real = importlib.util.find_spec
    hidden = {"pymilvus", "milvus_lite"}
    monkeypatch.setattr(
        importlib.util, "find_spec", lambda name, *a: None if name in hidden else real(name, *a)
    )
    assert not search.has_milvus()
    with pytest.raises(LabError, match='pip install "pymilvus>=3.0" "milvus-lite>=3.2"'):
        MilvusIndex.build(VECTORS, NAMES, uri=tmp_path / "a.db")
    with pytest.raises(LabError, match='pip install "pymilvus>=3.0"$'):
        MilvusIndex.load("http://host:19530")


@needs_milvus
def test_the_command_keeps_a_collection_and_opens_it_again(tmp_path, tiny_bert, capsys):
    text = tmp_path / "my lines.txt"
    text.write_text("the dog runs\na cat sleeps\na man in the house\n", encoding="utf-8")
    given = [text, "--query", "a cat sleeps", "--model", tiny_bert, "-k", "2"]
    kept = ["--backend", "milvus", "--index", tmp_path / "kept.db"]

    def printed(*more) -> str:
        assert main(["search", *map(str, given + list(more))]) == 0
        return capsys.readouterr().out

    exact = printed("--backend", "exact")
    assert "1.000  a cat sleeps" in exact
    assert exact == printed(*kept) == printed(*kept)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["kept.db", text.name]
    text.write_text("others\n", encoding="utf-8")
    assert main(["search", *map(str, given + kept)]) == 2
    assert "an index of other sentences" in capsys.readouterr().err
    MilvusIndex.load(tmp_path / "kept.db", name="_my_lines").close()


def test_a_backend_takes_its_own_kinds_and_addresses():
    index = search.build_index(VECTORS[:9], NAMES[:9], backend="exact", metadata=METADATA[:9])
    assert (index.kind, len(index), index.metadata) == ("exact", 9, METADATA[:9])
    for given, message in (
        ({"backend": "elastic"}, "unknown backend 'elastic': choose exact, faiss or milvus"),
        ({"kind": "ivf"}, "unknown kind of faiss index 'ivf'"),
        ({"uri": "a.db"}, "faiss keeps its index in memory: leave uri out"),
    ):
        with pytest.raises(InputError, match=message):
            search.build_index(VECTORS, NAMES, **given)


@needs_milvus
def test_a_server_answers_to_the_same_calls_until_it_is_gone(tmp_path):
    from milvus_lite.adapter.grpc.server import start_server_in_thread

    server, database, port = start_server_in_thread(str(tmp_path), host="127.0.0.1", port=0)
    uri = f"http://127.0.0.1:{port}"
    try:
        MilvusIndex.build(VECTORS, NAMES, metadata=METADATA, kind="hnsw", uri=uri)
        index = MilvusIndex.load(uri)
        assert index.recall(QUERIES, VECTORS) >= 0.95
        assert index.delete(where={"year": 2004}) == 200
        assert index.add(QUERIES[:2], ["new", "newer"]).tolist() == [COUNT, COUNT + 1]
        assert index.texts(index.search(QUERIES[:2], k=1)[1].ravel()) == ["new", "newer"]
    finally:
        server.stop(grace=0).wait()
        database.close()
    with pytest.raises(OutOfReachError, match=f"Milvus at {uri} no longer answers"):
        index.search(QUERIES)
