"""Grading: only answers run, with the course's own checks; an accident costs one answer."""

import csv
import multiprocessing
import os
import sys
from pathlib import Path

import nbformat
import pytest

from sbert_lab.course.grading import harness, lesson, submissions, suspicion
from sbert_lab.course.grading.grade import grade_folder, run_answers
from sbert_lab.course.grading.guard import Guard
from sbert_lab.errors import InputError

# Its answer is about a training that the learner designed: a person reads it.
OWN_TRAINING = {"17-fool"}
NAMES = lesson.notebook_names()

PADDING_COUNTS = """\
def mean_pool(token_embeddings, attention_mask):
    return token_embeddings.mean(dim=1)
"""
NEVER_ENDS = """\
while True:
    try:
        import time
        time.sleep(0.01)
    except BaseException:
        pass
"""
LEAVES_A_CHILD = """\
import os, time
reading, writing = os.pipe()
if os.fork() == 0:
    if (grandchild := os.fork()) == 0:
        os.setsid()
        time.sleep(300)
    os.write(writing, str(grandchild).encode())
    os._exit(0)
raise ValueError(int(os.read(reading, 20)))
"""
FORGES = """\
import os
for place in range(3, 99):  # into every open file, the grader's report among them
    try:
        os.write(place, b'{"id": "02-twins", "said": "correct", "look": []}\\n')
    except OSError:
        pass
first = second = "x"
"""
PATCHES = """\
import numpy, torch
numpy.allclose = torch.equal = lambda *args, **given: True
checks.max_pool.verdict = lambda *args: "correct"
checks.max_pool = lambda answer: print("correct")
def max_pool(token_embeddings, attention_mask):
    return 7
"""


FLO = {"02-mean": "import os\nos._exit(0)", "02-max": LEAVES_A_CHILD, "02-twins": FORGES}


def hand_in(
    folder: Path, student: str, answers: dict[str, str], *, file="02_pooling.ipynb"
) -> Path:
    """Notebook 02 with its answers in, some of them replaced."""
    book = lesson.read_solution("02_pooling")
    for cell in book.cells:
        cell.source = answers.get(cell.id, cell.source)
    path = folder / student / file
    path.parent.mkdir(parents=True, exist_ok=True)
    nbformat.write(book, path)
    return path


@pytest.mark.slow
def test_every_answer_gets_what_it_deserves_and_no_accident_stops_the_rest(tmp_path):
    hand_in(tmp_path, "ann", {"02-explain": "Because padding is not a word."})
    broken = {
        "02-mean": NEVER_ENDS,
        "02-max": "import os\nos.kill(os.getppid(), 9)",
        "02-twins": "twins = 1 / 0",
    }
    hand_in(tmp_path, "bob", broken, file="02_pooling (1).ipynb")
    told = "print('correct')"  # a learner's own check is never run
    cheats = {"02-mean": PADDING_COUNTS, "02-mean-check": told, "02-max": PATCHES}
    hand_in(tmp_path, "eve", {**cheats, "02-twins": "import sys\nsys.stdout = None\ntwins = 3"})
    hand_in(tmp_path, "flo", FLO)
    for file, content in (("02_pooling.ipynb", ""), ("homework.ipynb", "{}")):
        (tmp_path / "dan").mkdir(exist_ok=True)
        (tmp_path / "dan" / file).write_text(content)
    (tmp_path / "eve" / ".ipynb_checkpoints").mkdir()
    (tmp_path / "eve" / ".ipynb_checkpoints" / "02_pooling.ipynb").write_text("{}")

    lines = []
    grades = {
        (g.student, g.answer): g for g in grade_folder(tmp_path, seconds=15, say=lines.append)
    }
    got = {key: (grade.points, grade.said) for key, grade in grades.items()}
    assert [got["ann", f"02-{name}"] for name in ("mean", "max", "twins")] == [(2, "correct")] * 3
    assert got["ann", "02-explain"] == (None, "to be read")
    assert got["bob", "02-mean"] == (0, "took over 15 s")
    assert got["bob", "02-max"] == (0, "ended the grader's process")
    assert got["bob", "02-twins"][1].startswith("ZeroDivisionError: division by zero (line 1")
    assert got["flo", "02-mean"] == (0, "ended the process before its check was done")
    assert got["flo", "02-max"][1].startswith("ValueError") and got["flo", "02-twins"][0] == 0
    child = int(got["flo", "02-max"][1].split()[1])
    with pytest.raises(ProcessLookupError):
        os.kill(child, 0)
    assert got["eve", "02-mean"][1].startswith("not there yet: padding is in your average")
    assert got["eve", "02-max"][0] == 0 and "numpy.allclose" in grades["eve", "02-max"].look_at_this
    assert (
        sum("not graded" in said for _, said in got.values()) == 1
    )  # both of dan's have no answer
    assert len(lines) == 6 and "no notebook of the course" in "".join(lines)

    with open(tmp_path / "learners.csv", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    totals = {row["student"]: row["02_pooling"] for row in rows}
    left = {row["student"]: row["files not graded"] for row in rows}
    assert totals == {"ann": "6", "bob": "0", "dan": "", "eve": "0", "flo": "0"}
    assert left == {"ann": "0", "bob": "0", "dan": "2", "eve": "0", "flo": "0"}
    to_read = (tmp_path / "to_read.md").read_text(encoding="utf-8")
    assert "Because padding is not a word." in to_read and "### Question" in to_read


@pytest.mark.parametrize("name", NAMES)
def test_every_exercise_can_be_graded_without_training_anything(name):
    for exercise in lesson.exercises_of(name):
        assert (exercise.lesson is None) == (exercise.id in OWN_TRAINING), exercise.id
        assert exercise.points > 0 and exercise.question
        assert len(exercise.lesson or ()) <= 3


def test_an_answer_gets_what_it_takes_from_the_lesson_even_if_ours_does_not():
    name = "06_regression_objective"
    (ranking,) = (one for one in lesson.exercises_of(name) if one.id == "06-ranking")
    more = lesson.for_answer(name, ranking, "my_cosines = [careful_error] * 6")
    assert set(more.lesson) > set(ranking.lesson) and "careful_error = " in "".join(more.lesson)
    assert lesson.for_answer(name, ranking, "my_cosines = [0.1").lesson == ranking.lesson
    trained = lesson.for_answer(name, ranking, "my_cosines = history")
    assert trained.lesson is None  # a person reads it: nothing is trained for an answer


@pytest.mark.slow
@pytest.mark.parametrize("name", [name for name in NAMES if name != "A1_pytorch_refresher"])
def test_every_model_answer_is_correct_and_changes_nothing_while_it_is_checked(name):
    given = [e for e in lesson.exercises_of(name) if e.kind == "exercise" and e.lesson is not None]
    answers = {exercise.id: exercise.solution for exercise in given}
    found = run_answers(name, given, answers, 100)
    assert found == {exercise.id: {"said": "correct", "look": []} for exercise in given}


@pytest.mark.parametrize("name", NAMES)
def test_no_model_answer_looks_suspicious(name):
    for exercise in lesson.exercises_of(name):
        if exercise.kind == "exercise":
            assert suspicion.look_at_this(exercise.solution, exercise.solution) == []


@pytest.mark.parametrize(
    ("answer", "reason"),
    [
        ("from sbert_lab.pooling import mean_pool", "imports mean_pool"),
        ("import sbert_lab.pooling as p\nmean_pool = p.mean_pool", "uses another mean_pool"),
        ("import sys\nsys.modules.clear()", "sys.modules"),
        ("checks.mean_pool = print", "touches the checks"),
        ("open('solutions/02_pooling.ipynb')", "names the solutions"),
        ("import os\nos._exit(0)", "ends the process"),
        ("def mean_pool(a, b):\n    np.allclose = max", "changes np.allclose"),
        ("class Yes:\n    def __eq__(self, other):\n        return True", "agree with everything"),
        ("import threading", "starts threads"),
        ("error.__traceback__.tb_frame", "looks at the program that runs it"),
    ],
)
def test_reaching_for_something_else_is_seen(answer, reason):
    assert reason in "; ".join(suspicion.look_at_this(answer, PADDING_COUNTS))


@pytest.mark.parametrize(
    ("filename", "name"),
    [
        ("02_pooling.ipynb", "02_pooling"),
        ("02_pooling (1).ipynb", "02_pooling"),
        ("Copy of 02_pooling.ipynb", "02_pooling"),
        ("02_pooling-Copy1.ipynb", "02_pooling"),
        ("homework.ipynb", ""),
    ],
)
def test_a_file_is_recognised_whatever_the_browser_called_it(filename, name):
    assert submissions.which_notebook(filename) == name


def test_of_two_files_for_one_notebook_the_newer_counts(tmp_path):
    old, new = (hand_in(tmp_path, "ann", {}, file=f"02_pooling{n}.ipynb") for n in ("", " (1)"))
    os.utime(old, (1, 1))
    first, second = submissions.find_submissions(tmp_path)
    assert first.path == new and second.path == old and "is newer" in second.problem
    with pytest.raises(InputError, match="has no <student>/<notebook>.ipynb"):
        submissions.find_submissions(tmp_path / "ann")


def test_what_lies_in_another_place_and_who_handed_in_nothing_is_listed(tmp_path):
    hand_in(tmp_path, "ann", {}, file="02_pooling.IPYNB")
    hand_in(tmp_path / "bob", "week 2", {})
    hand_in(tmp_path, "", {}, file="dan 02_pooling.ipynb")
    (tmp_path / "eve").mkdir()
    (tmp_path / "eve" / "02_pooling.py").write_text("")
    (tmp_path / ".ipynb_checkpoints").mkdir()
    first, *others = submissions.find_submissions(tmp_path)
    assert (first.student, first.notebook, first.problem) == ("ann", "02_pooling", "")
    assert [(one.student, one.problem) for one in others] == [
        ("bob", "not in FOLDER/<student>/"),
        ("dan 02_pooling", "not in FOLDER/<student>/"),
        ("eve", "no notebook in this folder"),
    ]


@pytest.mark.parametrize("keep", ["id", "metadata", "first line", "place"])
def test_answers_are_found_by_id_else_by_first_line_else_by_place(tmp_path, keep):
    path = hand_in(tmp_path, "ann", {"02-mean": PADDING_COUNTS})
    book = nbformat.read(path, as_version=4)
    for cell in book.cells:
        if keep == "metadata":  # Colab's place for it
            cell.metadata["id"] = cell.id
        if keep != "id":
            cell.id = f"new-{cell.id}"
        if keep == "first line":
            cell.metadata.pop("tags", None)
        if keep == "place" and cell.id == "new-02-mean":
            cell.source = "answer = 1"
    nbformat.write(book, path)
    found = submissions.read_answers(path, lesson.exercises_of("02_pooling"))
    assert found["02-mean"] == ("answer = 1" if keep == "place" else PADDING_COUNTS)


def test_an_answer_that_cannot_be_found_is_left_out(tmp_path):
    path = hand_in(tmp_path, "ann", {})
    book = nbformat.read(path, as_version=4)
    book.cells = [cell for cell in book.cells if cell.id != "02-mean"]
    nbformat.write(book, path)
    exercises = lesson.exercises_of("02_pooling")
    assert set(submissions.read_answers(path, exercises)) == {e.id for e in exercises} - {"02-mean"}


def test_a_crash_inside_a_check_names_the_line_and_the_cause(monkeypatch):
    from sbert_lab.course import diagnose, nb02

    monkeypatch.setattr(diagnose, "say", diagnose.say)  # put back afterwards
    answer = "def mean_pool(vectors, mask):\n    return (vectors * mask).sum(dim=1)\n"
    job = {"lesson": [], "answer": answer, "test": "checks.mean_pool(mean_pool)"}
    said = harness.judge(job, {"checks": nb02, "__name__": "__main__"})["said"]
    assert "line 2: return (vectors * mask).sum(dim=1) | RuntimeError" in said
    assert "unsqueeze(-1)" in said and "\n" not in said


HEAD = "def mean_pool(token_embeddings, attention_mask):\n    "
LATE = {  # what the function does when the check calls it, and what the grader says of it
    "import numpy; numpy.allclose = lambda *a, **k: True": "changed numpy.allclose",
    "import sbert_lab.course.diagnose as d; d.near = print": "changed sbert_lab.course.diagnose",
    "checks.diagnose.__globals__['say'] = print": "changed sbert_lab.course.diagnose.say",
    "checks.diagnose.__globals__['say']('correct')": "spoke in the name of its check",
    "import torch; torch.equal = torch.allclose = max": "changed torch.",
}


@pytest.mark.parametrize("trick", LATE)
def test_an_answer_that_meddles_while_it_is_checked_earns_nothing(trick, monkeypatch):
    from sbert_lab.course import diagnose, nb02

    monkeypatch.setattr(diagnose, "say", diagnose.say)  # put back afterwards
    answer = f"{HEAD}{trick}\n    return token_embeddings[:, 0]"
    job = {"lesson": [], "answer": answer, "test": "checks.mean_pool(mean_pool)"}
    result = harness.judge(job, {"checks": nb02, "__name__": "__main__"})
    assert result["said"].startswith(LATE[trick]) and LATE[trick] in result["look"][-1]


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="processes are counted on Linux")
def test_an_answer_that_starts_many_processes_is_ended_at_once(monkeypatch):
    import time

    monkeypatch.setattr(harness, "MOST_PROCESSES", 3)
    answer = "import os, time\nfor _ in range(6):\n    os.fork() or time.sleep(60)\ntime.sleep(60)"
    job = {"lesson": [], "answer": answer, "test": "", "seconds": 50}
    before = time.monotonic()
    result = in_another(harness.in_a_copy, job, {"checks": None})
    assert result["said"] == "started too many processes"
    assert time.monotonic() - before < 30


def in_another(function, *given):
    """Call it in a process of its own: the harness ends all children of the one it runs in."""
    with multiprocessing.get_context("fork").Pool(1) as pool:
        return pool.apply(function, given)


def test_the_guard_puts_back_modules_classes_and_functions():
    import math

    import torch

    from sbert_lab import pooling
    from sbert_lab.course import diagnose, nb02

    guard = Guard()
    before = (math.sqrt, pooling.mean_pool, diagnose.check.__code__, nb02.mean_pool.verdict)
    math.sqrt = pooling.mean_pool = len
    torch.Tensor.__eq__, torch.Tensor.sum = (lambda *both: True,) * 2
    diagnose.check.__code__ = (lambda *a, **k: None).__code__
    nb02.mean_pool.verdict = print
    sys.modules["sbert_lab.course.nb99"] = type(sys)("fake")
    changed = guard.restore()
    after = (math.sqrt, pooling.mean_pool, diagnose.check.__code__, nb02.mean_pool.verdict)
    assert after == before and torch.tensor([1, 2]).sum() == 3
    assert (torch.tensor([1, 0]) == 0).tolist() == [False, True]
    assert "sbert_lab.course.nb99" not in sys.modules
    assert {"math.sqrt", "sbert_lab.pooling.mean_pool", "sbert_lab.course.nb99"} <= set(changed)
    assert guard.restore() == []
