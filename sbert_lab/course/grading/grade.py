"""From a folder of submissions to grades."""

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor, as_completed
from pathlib import Path

from sbert_lab.course.grading.harness import STARTED
from sbert_lab.course.grading.lesson import Exercise, exercises_of, for_answer, plain, setup_of
from sbert_lab.course.grading.submissions import (
    Submission,
    find_submissions,
    is_empty,
    read_answers,
)
from sbert_lab.course.grading.suspicion import look_at_this
from sbert_lab.course.grading.tables import Grade, write_tables
from sbert_lab.errors import InputError
from sbert_lab.paths import home

SECONDS = 60  # for one answer: a check needs less than five
SETUP_SECONDS = 120
KEPT = ("PATH", "LANG", "LC_ALL", "SYSTEMROOT", "SBERT_LAB_HOME")  # of the environment
OWN = {
    "SBERT_LAB_PROFILE": "mini",
    "SBERT_LAB_DEVICE": "cpu",
    "HF_HUB_OFFLINE": "1",
    "OMP_NUM_THREADS": "1",
    "TOKENIZERS_PARALLELISM": "false",
    "MPLBACKEND": "agg",
}


def grade_folder(
    folder: Path, *, jobs: int = 2, seconds: int = SECONDS, say: Callable[[str], None] = print
) -> list[Grade]:
    """Grade FOLDER/<student>/<notebook>.ipynb; the tables in FOLDER grow with every submission."""
    if not folder.is_dir():
        raise InputError(f"there is no folder {folder}")
    submissions = find_submissions(folder)
    grades: list[Grade] = []
    prose: dict[tuple[str, str], list[str]] = {}
    with ThreadPoolExecutor(max_workers=jobs) as pool:
        waiting = {pool.submit(grade_one, one, seconds): one for one in submissions}
        for done, future in enumerate(as_completed(waiting), start=1):
            one = waiting[future]
            try:
                found, texts = future.result()
            except Exception as error:  # a fault of ours must not stop the others' grades
                found, texts = [_not_graded(one, f"the grader failed: {error!r}")], []
            grades += found
            prose[one.student, one.notebook] = texts
            grades.sort(key=lambda g: (g.student, g.notebook))
            write_tables(folder, grades, [t for key in sorted(prose) for t in prose[key]])
            points = f"{sum(g.points or 0 for g in found)} points"
            said = next((g.said for g in found if not g.answer), points)  # no answer: not graded
            say(f"{done} of {len(submissions)}: {one.student}/{one.path.name}: {said}")
    return grades


def grade_one(submission: Submission, seconds: int = SECONDS) -> tuple[list[Grade], list[str]]:
    """The grades of one submission, and its answers that a person reads. Never raises."""
    if submission.problem:
        return [_not_graded(submission, submission.problem)], []
    exercises = exercises_of(submission.notebook)
    try:
        answers = read_answers(submission.path, exercises)
    except InputError as error:
        return [_not_graded(submission, str(error))], []
    exercises = [_with_lesson(submission.notebook, one, answers.get(one.id)) for one in exercises]
    checked = [e for e in exercises if e.kind == "exercise" and e.lesson is not None]
    given = [exercise for exercise in checked if exercise.id in answers]
    results = run_answers(submission.notebook, given, answers, seconds)
    grades, prose = [], []
    for exercise in exercises:
        answer = answers.get(exercise.id)
        points, said, look = _decide(exercise, answer, results.get(exercise.id))
        reasons = [*look, *(look_at_this(answer or "", exercise.solution))]
        unique = "; ".join(dict.fromkeys(reasons)) if exercise.kind == "exercise" else ""
        given = (submission.student, submission.notebook, exercise.id, points, exercise.points)
        grades.append(Grade(*given, said, unique))
        if points is None and answer is not None:
            prose.append(_to_read(submission, exercise, answer))
    return grades, prose


def _with_lesson(notebook: str, exercise: Exercise, answer: str | None) -> Exercise:
    checked = exercise.kind == "exercise" and answer is not None
    return for_answer(notebook, exercise, answer) if checked else exercise


def run_answers(
    notebook: str, exercises: list[Exercise], answers: dict[str, str], seconds: int
) -> dict[str, dict]:
    """What the harness says of each answer, by exercise id."""
    waiting = [exercises] if hasattr(os, "fork") else [[one] for one in exercises]
    found = {}
    while waiting:
        part = waiting.pop(0)
        if not part:
            continue
        job = {
            "setup": plain(setup_of(notebook)),
            "exercises": [
                {
                    "id": one.id,
                    "lesson": [plain(source) for source in one.lesson],
                    "answer": plain(answers[one.id]),
                    "test": plain(one.test),
                    "seconds": seconds,
                }
                for one in part
            ],
        }
        limit = SETUP_SECONDS + (seconds + 10) * len(part)
        found |= {line.pop("id"): line for line in _harness(job, limit)}
        started = found.pop(STARTED, None) is not None
        left = [one for one in part if one.id not in found]
        if left and started:  # it killed more than itself
            found[left[0].id] = {"said": "ended the grader's process", "look": ["ends processes"]}
            waiting.append(left[1:])
    return found


def _harness(job: dict, limit: int) -> Iterator[dict]:
    """Start the harness in a scratch folder with a short environment; its lines."""
    with tempfile.TemporaryDirectory() as scratch:
        environment = {name: os.environ[name] for name in KEPT if name in os.environ}
        own = {"HOME": scratch, "TMPDIR": scratch, "SBERT_LAB_RUNS": f"{scratch}/runs"}
        environment |= {**OWN, **own, "PYTHONPATH": str(home())}
        process = subprocess.Popen(
            [sys.executable, "-m", "sbert_lab.course.grading.harness"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            encoding="utf-8",
            cwd=scratch,
            env=environment,
        )
        try:
            output, _ = process.communicate(json.dumps(job), timeout=limit)
        except subprocess.TimeoutExpired:
            process.kill()
            output, _ = process.communicate()
    for line in (output or "").splitlines():
        try:
            found = json.loads(line)
        except ValueError:
            continue  # cut off when it was killed
        if isinstance(found, dict) and "id" in found:
            yield found


def _decide(
    exercise: Exercise, answer: str | None, result: dict | None
) -> tuple[int | None, str, list[str]]:
    """Points (None: for a person), what to tell the learner, why to look at it."""
    if answer is None:
        return None, "the cell was not found: needs a person", []
    if exercise.kind == "manual":
        return (0, "nothing written", []) if is_empty(answer) else (None, "to be read", [])
    if exercise.lesson is None:
        return None, "leans on the learner's own training: to be read", []
    if result is None or "broken" in result:
        reason = result["broken"] if result else "the grader was cut off"
        return None, f"could not be run ({reason}): needs a person", []
    said = result["said"]
    return exercise.points * (said == "correct"), said, result["look"]


def _not_graded(submission: Submission, reason: str) -> Grade:
    name = submission.notebook or submission.path.name
    return Grade(submission.student, name, "", None, 0, f"not graded: {reason}")


def _to_read(submission: Submission, exercise: Exercise, answer: str) -> str:
    """An answer with its question and the model answer beside it."""
    title = f"## {submission.notebook}, {exercise.id}, {submission.student} (of {exercise.points})"
    parts = [title, "### Question", exercise.question, "### Answer", answer]
    return "\n\n".join([*parts, "### Model answer or rubric", exercise.solution, ""])
