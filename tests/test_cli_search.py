"""`sbert-lab search` on the terminal."""

import io

import numpy as np
import pytest

from sbert_lab.cli import main
from sbert_lab.search import VectorIndex

LINES = ["the dog runs", "a cat sleeps", "the big red bird sings", "a man in the house", ""]


@pytest.fixture
def text(tmp_path):
    path = tmp_path / "lines.txt"
    path.write_text("\n".join(LINES), encoding="utf-8")
    return path


def search(*arguments) -> int:
    return main(["search", *map(str, arguments)])


def test_help_shows_an_example(capsys):
    with pytest.raises(SystemExit) as stop:
        main(["search", "--help"])
    assert stop.value.code == 0
    assert "example:\n  sbert-lab search" in capsys.readouterr().out


@pytest.mark.parametrize("kind", ["exact", "flat", "hnsw"])
def test_a_sentence_of_the_file_finds_itself_first(text, tiny_bert, capsys, kind):
    queries = ["--query", "a cat sleeps", "--query", "the dog runs"]
    assert search(text, "--model", tiny_bert, "--kind", kind, "-k", 2, *queries) == 0
    printed = capsys.readouterr()
    lines = printed.out.splitlines()
    assert lines[0] == "a cat sleeps" and lines[1].split() == ["1.000", "a", "cat", "sleeps"]
    assert lines[3] == "the dog runs" and lines[4].endswith("the dog runs")
    assert len(lines) == 6
    assert printed.err.startswith(f"4 sentences, {kind} index")


def test_queries_are_read_from_standard_input(text, tiny_bert, capsys, monkeypatch):
    monkeypatch.setattr("sys.stdin", io.StringIO("a cat sleeps\n\na man\n"))
    assert search(text, "--model", tiny_bert, "-k", 1) == 0
    lines = capsys.readouterr().out.splitlines()
    assert [lines[0], lines[2]] == ["a cat sleeps", "a man"]


def test_a_kept_index_is_opened_again_and_answers_alike(text, tiny_bert, capsys, tmp_path):
    kept = tmp_path / "kept"
    given = (text, "--model", tiny_bert, "--index", kept, "--query", "a cat")
    assert search(*given) == 0
    first = capsys.readouterr().out
    assert sorted(p.name for p in tmp_path.iterdir()) == ["kept", "lines.txt"]
    before = (kept / "index.json").stat().st_mtime_ns
    assert search(*given) == 0
    assert capsys.readouterr().out == first
    assert (kept / "index.json").stat().st_mtime_ns == before
    assert VectorIndex.load(kept).sentences == LINES[:4]


@pytest.mark.parametrize("change", ["sentences", "model", "kind"])
def test_an_index_of_something_else_is_refused(
    text, tiny_folders, tiny_bert, capsys, tmp_path, change
):
    kept = tmp_path / "kept"
    assert search(text, "--model", tiny_bert, "--index", kept, "--query", "a") == 0
    if change == "sentences":
        text.write_text("another\nfile\n", encoding="utf-8")
    model = tiny_folders["roberta"] if change == "model" else tiny_bert
    kind = "hnsw" if change == "kind" else "flat"
    given = ("--model", model, "--kind", kind, "--index", kept, "--query", "a")
    assert search(text, *given) == 2
    assert "delete that folder to build it anew" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("content", "given", "message"),
    [
        (None, (), "cannot read"),
        ("\n  \n", (), "holds no sentence"),
        ("a\n", ("-k", "0"), "-k must be at least 1"),
        ("a\n", ("--model", "nothing-here"), "no model 'nothing-here'"),
        ("a\nb\n", ("--kind", "ivfpq"), "at least 256 vectors"),
        ("a\n", ("--backend", "exact", "--kind", "hnsw"), "unknown kind of exact index 'hnsw'"),
        ("a\n", ("--backend", "milvus", "--kind", "ivfpq"), "choose flat, hnsw or ivf"),
        ("a\n", ("--backend", "milvus"), "needs --index: questions.db or http://host:19530"),
    ],
)
def test_a_mistake_ends_in_one_clear_line(tmp_path, tiny_bert, capsys, content, given, message):
    path = tmp_path / "in.txt"
    if content is not None:
        path.write_text(content, encoding="utf-8")
    model = () if "--model" in given else ("--model", tiny_bert)
    assert search(path, "--query", "a", *model, *given) == 2
    error = capsys.readouterr().err
    assert message in error and "Traceback" not in error


def test_a_damaged_index_is_told(text, tiny_bert, capsys, tmp_path):
    kept = tmp_path / "kept"
    assert search(text, "--model", tiny_bert, "--index", kept, "--query", "a") == 0
    file = kept / "index.faiss"
    file.write_bytes(np.random.default_rng(0).bytes(100))
    assert search(text, "--model", tiny_bert, "--index", kept, "--query", "a") == 2
    assert "index.faiss is damaged" in capsys.readouterr().err
