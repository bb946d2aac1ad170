"""A learner's folder: clean copies, never overwritten; progress read from it."""

import json
import re

import nbformat
import pytest

from sbert_lab.cli import main
from sbert_lab.course import progress
from sbert_lab.course import start as start_module
from sbert_lab.course.start import GLOSSARY, RECORD, digest_of, start
from sbert_lab.errors import InputError
from sbert_lab.paths import home

NAMES = sorted(path.stem for path in (home() / "notebooks").glob("*.ipynb"))


def read(path):
    return nbformat.read(path, as_version=4)


def write_answer(path, text="x = 1  # mine"):
    book = read(path)
    next(c for c in book.cells if "exercise" in c.metadata.get("tags", [])).source = text
    nbformat.write(book, path)


def test_the_copies_hold_no_output_and_no_solution_and_nothing_lies_beside_them(tmp_path):
    assert list(start(tmp_path)) == []
    assert sorted(path.stem for path in tmp_path.glob("*.ipynb")) == NAMES
    beside = {path.name for path in tmp_path.iterdir() if path.suffix != ".ipynb"}
    assert beside == {RECORD, GLOSSARY}
    for path in tmp_path.glob("*.ipynb"):
        code = [cell for cell in read(path).cells if cell.cell_type == "code"]
        assert not any(cell.outputs or cell.execution_count for cell in code)
        assert code[0].metadata["jupyter"]["source_hidden"]
        assert "### BEGIN SOLUTION" not in path.read_text(encoding="utf-8")
        assert read(path).metadata.kernelspec.name == "python3"


def test_what_a_learner_wrote_is_never_overwritten(tmp_path):
    list(start(tmp_path))
    mine = tmp_path / "02_pooling.ipynb"
    write_answer(mine)
    before = mine.read_bytes()
    (tmp_path / "03_raw_embeddings.ipynb").unlink()
    assert list(start(tmp_path)) == []
    assert mine.read_bytes() == before
    assert (tmp_path / "03_raw_embeddings.ipynb").is_file()


def test_the_glossary_comes_along_and_notes_written_into_it_stay(tmp_path):
    list(start(tmp_path))
    mine = tmp_path / GLOSSARY
    assert mine.read_bytes() == (home() / "notebooks" / GLOSSARY).read_bytes()
    mine.write_text("my own words", encoding="utf-8")
    list(start(tmp_path))
    assert mine.read_text(encoding="utf-8") == "my own words"
    mine.unlink()
    list(start(tmp_path))
    assert "## STSb" in mine.read_text(encoding="utf-8")


def test_running_cells_is_no_change_and_a_newer_version_is_taken_over(tmp_path, monkeypatch):
    list(start(tmp_path))
    ran, changed = tmp_path / "00_start_here.ipynb", tmp_path / "02_pooling.ipynb"
    book = read(ran)
    next(c for c in book.cells if c.cell_type == "code").execution_count = 7
    nbformat.write(book, ran)
    write_answer(changed)
    clean = start_module.clean

    def newer(path):
        book = clean(path)
        book.cells[0].source += "\n\nA second edition."
        return book

    monkeypatch.setattr(start_module, "clean", newer)
    lines = list(start(tmp_path))
    assert "A second edition." in read(ran).cells[0].source
    assert "A second edition." not in read(changed).cells[0].source
    assert [line for line in lines if "02_pooling" in line] == [
        "02_pooling.ipynb: yours is kept; the course has a newer version (--fresh 02)"
    ]
    assert list(start(tmp_path)) == [line for line in lines if "02_pooling" in line]


def test_fresh_begins_anew_and_keeps_the_old_file(tmp_path):
    list(start(tmp_path))
    mine = tmp_path / "02_pooling.ipynb"
    write_answer(mine, "y = 2  # precious")
    (line,) = start(tmp_path, fresh=("02",))
    kept = tmp_path / re.search(r"kept as (.*)", line)[1]
    assert "precious" in kept.read_text(encoding="utf-8")
    assert digest_of(read(mine)) == json.loads((tmp_path / RECORD).read_text())["02_pooling"]


def test_a_wrong_name_is_named(tmp_path):
    with pytest.raises(InputError, match="no notebook begins with '77'"):
        list(start(tmp_path, fresh=("77",)))


def test_a_broken_file_is_kept_stops_no_other_and_can_begin_anew(tmp_path):
    list(start(tmp_path))
    broken = tmp_path / "02_pooling.ipynb"
    broken.write_text("{")
    (tmp_path / "03_raw_embeddings.ipynb").unlink()
    (line,) = start(tmp_path)
    assert line == "02_pooling.ipynb: is not a notebook any more; kept as it is (--fresh 02)"
    with pytest.raises(InputError, match="--fresh 02` begins it anew and keeps yours"):
        progress.read_progress(tmp_path)
    assert broken.read_text() == "{" and (tmp_path / "03_raw_embeddings.ipynb").is_file()
    (line,) = start(tmp_path, fresh=("02",))
    assert (tmp_path / re.search(r"kept as (.*)", line)[1]).read_text() == "{"
    assert len(read(broken).cells) > 20


def test_progress_counts_what_the_checks_said(tmp_path):
    with pytest.raises(InputError, match="sbert-lab start"):
        progress.read_progress(tmp_path)
    list(start(tmp_path))
    path = tmp_path / "02_pooling.ipynb"
    book = read(path)
    first, second = [c for c in book.cells if "test" in c.metadata.get("tags", [])][:2]
    first.outputs = [nbformat.v4.new_output("stream", text="correct\n")]
    second.outputs = [nbformat.v4.new_output("stream", text="not there yet: correct the mask\n")]
    nbformat.write(book, path)
    found = {one.notebook: one for one in progress.read_progress(tmp_path)}
    assert (found["02_pooling"].solved, found["02_pooling"].points) == (1, 2)
    assert 0 < found["02_pooling"].minutes_left < found["02_pooling"].minutes
    (line,) = [one for one in progress.table(list(found.values())).splitlines() if "02_" in one]
    assert re.search(r"02_pooling +1 \. \. +2 of +6 ", line)
    assert "1 of " in progress.table(list(found.values())).splitlines()[-1]
    page = progress.write_page(tmp_path, list(found.values())).read_text(encoding="utf-8")
    assert "02_pooling.ipynb" in page and "http" not in page
    assert '"solved">✓</span> MEAN without a loop</li>' in page
    assert '"open">○</span> MAX without the bugs</li>' in page
    assert not any(t.startswith("Exercise") for one in found.values() for t in one.titles)


def test_the_commands_say_what_they_did(tmp_path, capsys):
    work = tmp_path / "my work"
    assert main(["start", str(work)]) == 0
    assert "00_start_here.ipynb in JupyterLab" in capsys.readouterr().out
    assert main(["progress", str(work)]) == 0
    assert "0 of " in capsys.readouterr().out
    assert main(["progress", str(tmp_path)]) == 2
    assert main(["grade", str(tmp_path / "nowhere")]) == 2
    assert main(["grade", str(tmp_path), "--jobs", "0"]) == 2
    assert "--jobs must be at least 1, got 0" in capsys.readouterr().err
