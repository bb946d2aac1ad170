"""The program that runs answers: `python -m sbert_lab.course.grading.harness < job.json`.

It runs the setup cell once, then every answer with its check in a copy of itself (fork), which is
killed when it takes too long. Verdicts go through a pipe, never through what is printed. Where
there is no fork (Windows), the grader starts the program once for every answer.
"""

import ast
import contextlib
import ctypes
import json
import linecache
import os
import secrets
import select
import signal
import sys
import time
from typing import Any

DATA_LIMIT = 4 << 30  # bytes of memory for one answer
STARTED = "setup was run"
TOO_MANY = "too many processes"
FILE_LIMIT = 1 << 28  # bytes of one file that it may write
MOST_PROCESSES = 40  # an honest answer starts none, or a few workers


def main() -> int:
    """Read the job, run it, write a line of JSON per answer."""
    job = json.load(sys.stdin)
    report = os.fdopen(os.dup(1), "w", encoding="utf-8")
    with open(os.devnull, "w") as nowhere:  # what answers print is nobody's verdict
        os.dup2(nowhere.fileno(), 1)
        os.dup2(nowhere.fileno(), 2)
    _adopt()
    namespace: dict[str, Any] = {"__name__": "__main__", "display": lambda *args, **given: None}
    broken = run_setup(job["setup"], namespace)
    report.write(json.dumps({"id": STARTED}) + "\n")
    report.flush()
    one = in_a_copy if hasattr(os, "fork") else judge
    for exercise in job["exercises"]:
        result = {"broken": broken} if broken else one(exercise, namespace)
        report.write(json.dumps({"id": exercise["id"], **result}) + "\n")
        report.flush()
    return 0


def run_setup(source: str, namespace: dict) -> str:
    """Run the course's own setup cell; what went wrong, if anything did."""
    try:
        run_source(source, namespace, "setup")
    except Exception as error:
        return _describe(error)
    return ""


def run_source(source: str, namespace: dict, name: str) -> None:
    """Run a cell's source; the value of a last expression is dropped, as it is not shown."""
    linecache.cache[name] = (len(source), None, source.splitlines(True), name)  # to show its lines
    code = compile(ast.parse(source, filename=name), name, "exec")
    exec(code, namespace)  # answers are programs: running them is what this module is for


def judge(exercise: dict, namespace: dict) -> dict:
    """Run lesson, answer and check: {"said": line, "look": [reasons]}."""
    from sbert_lab.course import diagnose
    from sbert_lab.course.grading.guard import Guard

    for number, source in enumerate(exercise["lesson"]):
        run_source(source, namespace, f"lesson {number + 1}")
    said: list[str] = []
    diagnose.say = said.append
    kept, guard = namespace["checks"], Guard()
    try:
        run_source(exercise["answer"], namespace, "your answer")
    except BaseException as error:  # SystemExit and KeyboardInterrupt, too: only this answer loses
        guard.restore()
        return {"said": _describe(error), "look": []}
    look = [f"changed {name}" for name in guard.restore()[:5]]
    if namespace.get("checks") is not kept:
        look.append("changed the name checks")
        namespace["checks"] = kept
    said.clear()
    try:
        run_source(exercise["test"], namespace, "check")
        line = said[-1] if said else "the check said nothing"
    except BaseException as error:
        line = _describe(error)
    return {"said": _in_a_line(line), "look": look} | _spoiled(look, said, guard.restore())


def _spoiled(look: list[str], said: list[str], changed: list[str]) -> dict:
    """A check that the answer interfered with while it ran is worth nothing."""
    found = [f"changed {name} while it was checked" for name in changed[:5]]
    if len(said) > 1:
        found.append("spoke in the name of its check")
    return {"said": found[0], "look": [*look, *found]} if found else {}


def _in_a_line(text: str) -> str:
    return " | ".join(part.strip() for part in text.splitlines())


def in_a_copy(exercise: dict, namespace: dict) -> dict:
    """Judge in a forked process; whatever happens to it, there is an answer in time."""
    word = secrets.token_hex(16)
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        os.closerange(3, writing)  # the grader's own report is among these
        os.closerange(writing + 1, 4096)
        _in_the_child(exercise, namespace, writing, word)
    os.close(writing)
    text = _read_until(reading, time.monotonic() + exercise["seconds"])
    os.close(reading)
    _end(child)
    if text is TOO_MANY:
        return {"said": "started too many processes", "look": ["starts processes"]}
    if text is None:
        return {"said": f"took over {exercise['seconds']} s", "look": []}
    try:
        result = json.loads(text)
        if result.pop("word") == word:
            return result
    except (ValueError, KeyError, AttributeError):
        pass
    return {"said": "ended the process before its check was done", "look": ["ends the process"]}


def _in_the_child(exercise: dict, namespace: dict, writing: int, word: str) -> None:
    with contextlib.suppress(OSError):
        os.setsid()  # a group of its own, so that its children are found
    _limit()
    result = judge(exercise, namespace)
    os.write(writing, json.dumps({**result, "word": word}).encode())
    os._exit(0)


def _limit() -> None:
    """As little memory, disk and as few core dumps as an honest answer needs."""
    with contextlib.suppress(ImportError, ValueError, OSError):
        import resource

        limits = (("RLIMIT_DATA", DATA_LIMIT), ("RLIMIT_FSIZE", FILE_LIMIT), ("RLIMIT_CORE", 0))
        for name, value in limits:
            resource.setrlimit(getattr(resource, name), (value, value))


def _read_until(reading: int, deadline: float) -> str | None:
    """All that comes through the pipe; None if its other end is still open at the deadline.

    Every half second it counts processes, so that a fork bomb is TOO_MANY at once.
    """
    parts = b""
    while (left := deadline - time.monotonic()) > 0:
        ready, _, _ = select.select([reading], [], [], min(left, 0.5))
        if len(_descendants(os.getpid())) > MOST_PROCESSES:
            return TOO_MANY
        if not ready:
            continue
        part = os.read(reading, 65536)
        parts += part
        if not part or parts.endswith(b"}"):
            return parts.decode(errors="replace")
    return None


def _end(child: int) -> None:
    """Kill the process, its group and what it started elsewhere."""
    alive = [child]
    while alive:  # a fork bomb goes on while we count
        for process in alive:
            for kill in (os.killpg, os.kill):
                with contextlib.suppress(OSError):
                    kill(process, signal.SIGKILL)
        with contextlib.suppress(ChildProcessError):
            os.waitpid(-1, 0)
        alive = _descendants(os.getpid())


def _adopt() -> None:
    """Become the parent of what an answer's processes leave behind, so that it is found (Linux)."""
    with contextlib.suppress(OSError, AttributeError):
        ctypes.CDLL(None).prctl(36, 1, 0, 0, 0)  # PR_SET_CHILD_SUBREAPER


def _descendants(process: int) -> list[int]:
    """Children of children too, where the system lists them (Linux)."""
    found = []
    with contextlib.suppress(OSError):
        for thread in os.listdir(f"/proc/{process}/task"):
            with open(f"/proc/{process}/task/{thread}/children") as file:
                for child in map(int, file.read().split()):
                    found += [child, *_descendants(child)]
    return found


def _describe(error: BaseException) -> str:
    """'ZeroDivisionError: division by zero', and the line of the answer it came from."""
    place, step = "", error.__traceback__
    while step is not None:
        if step.tb_frame.f_code.co_filename == "your answer":
            place = f" (line {step.tb_lineno} of the answer)"
        step = step.tb_next
    return f"{type(error).__name__}: {error}"[:200] + place


if __name__ == "__main__":
    sys.exit(main())
