"""Grading submissions: only answers run, with the course's own checks, and nothing is trained."""

import csv
import sys
from pathlib import Path

import nbformat
import pytest

NOTEBOOKS = Path(__file__).resolve().parent.parent / "notebooks"
sys.path.insert(0, str(NOTEBOOKS))

from builder import BuildError, cells, grading, names  # noqa: E402

# Its answer is about a training that the learner designed: a person reads it.
OWN_TRAINING = {"17-fool"}

MEAN = """\
def mean_pool(token_embeddings, attention_mask):
    return token_embeddings.mean(dim=1)
"""


def submission(folder, student, change):
    """Notebook 02 with its answers in, after `change(cells by id)`."""
    book = cells.solution("02_pooling")
    change({cell.id: cell for cell in book.cells})
    path = folder / student / "02_pooling.ipynb"
    path.parent.mkdir(parents=True)
    nbformat.write(book, path)
    return path


@pytest.mark.slow
def test_right_wrong_broken_and_written_answers_each_get_what_they_deserve(tmp_path):
    def change(found):
        found["02-mean"].source = MEAN  # padding counts: the check knows that mistake
        found["02-mean-check"].source = "print('correct')"  # a learner's check is never run
        found["02-twins"].source = "twins = 1 / 0"
        found["02-explain"].source = "Because padding is not a word."

    submission(tmp_path, "ann", change)
    grades, prose = grading.grade_folder(tmp_path, jobs=1)
    by_id = {grade.answer: grade for grade in grades}
    assert by_id["02-mean"].points == 0 and by_id["02-mean"].said.startswith("not there yet: ")
    assert by_id["02-max"].points == by_id["02-max"].of == 2
    assert by_id["02-twins"].points == 0
    assert by_id["02-twins"].said == "ZeroDivisionError: division by zero"
    assert by_id["02-explain"].points is None and "padding is not a word" in prose
    rows = list(csv.DictReader(grading.table(grades).splitlines()))
    assert [row["answer"] for row in rows] == [grade.answer for grade in grades]
    assert list(grading.totals(grades))[0].endswith("2 of 9 points, 3 more to be given by a person")


def test_an_answer_whose_cell_was_deleted_gets_nothing_and_runs_nothing():
    book = grading.grading_book("02_pooling", {"02-mean": MEAN})
    assert [cell.id for cell in book.cells] == ["setup", "02-mean", "02-mean-check"]
    said = grading._said("02-max", "02-max-check", {"02-mean": MEAN}, {}, "")
    assert said == "the cell is missing"


@pytest.mark.parametrize("name", names())
def test_every_exercise_can_be_graded_without_training_anything(name):
    code = [cell for cell in cells.solution(name).cells if cell.cell_type == "code"]
    for place, cell in enumerate(code):
        if "exercise" in cell.metadata.get("tags", []):
            needed = grading.lesson_cells(code, place)
            trains = any(grading.OWN_RUN.search(one.source) for one in needed)
            assert trains == (cell.id in OWN_TRAINING), cell.id
            assert trains or len(needed) <= 3, [one.id for one in needed]


def test_colabs_place_for_the_cell_id_is_understood(tmp_path):
    book = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell("x = 1")])
    book.cells[0].metadata["id"] = "02-mean"
    nbformat.write(book, tmp_path / "colab.ipynb")
    assert grading._answers(tmp_path / "colab.ipynb") == {"02-mean": "x = 1"}


def test_a_folder_without_submissions_and_a_strange_file_are_named(tmp_path):
    with pytest.raises(BuildError, match="has no <student>/<notebook>.ipynb"):
        grading.grade_folder(tmp_path)
    (tmp_path / "ann").mkdir()
    (tmp_path / "ann" / "homework.ipynb").write_text("{}")
    with pytest.raises(BuildError, match="ann handed in homework.ipynb"):
        grading.grade_folder(tmp_path)
    (tmp_path / "ann" / "02_pooling.ipynb").write_text("not json")
    with pytest.raises(BuildError, match="is not a notebook"):
        grading._answers(tmp_path / "ann" / "02_pooling.ipynb")
