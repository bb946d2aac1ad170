"""Build the notebooks from notebooks/src, the only files to edit by hand.

python notebooks/build.py [NAME ...]            build all, execute the stale ones in profile mini
python notebooks/build.py run [NAME ...]        execute copies of the student notebooks
python notebooks/build.py solutions [NAME ...]  execute the solutions; every check must say correct
python notebooks/build.py check [NAME ...]      list stale notebooks and differences; change nothing
python notebooks/build.py nbgrader FOLDER [NAME ...]  write an nbgrader course

NAME is the beginning of a name: 02 means 02_pooling.
"""

import argparse
import sys
from concurrent.futures import ProcessPoolExecutor, as_completed
from pathlib import Path

import nbformat
from builder import NOTEBOOKS, SOLUTIONS, BuildError, cells, course, digests, lint, names
from builder.execution import MINI, Outcome, execute, scrub

COMMANDS = ("build", "run", "solutions", "check", "nbgrader")


def build(chosen: list[str], force: bool = False, jobs: int = 1) -> int:
    """Write solutions and student notebooks; execute those whose digest has changed.

    More jobs are faster, but then the times that a notebook shows were measured beside another.
    """
    failures, stale = 0, {}
    for name in chosen:
        cells.write(cells.solution(name), SOLUTIONS / f"{name}.ipynb")
        if not force and not digests.is_stale(name) and not lint.differences(name):
            print(f"{name}: up to date")
        else:
            stale[name] = digests.digest(name)  # of what is executed, even if a file changes now
    with ProcessPoolExecutor(max_workers=jobs) as pool:
        waiting = {pool.submit(_execute_student, name): name for name in stale}
        for future in as_completed(waiting):
            failures += _keep(waiting[future], future.result(), stale[waiting[future]])
    for name in set(digests.recorded()) - set(names()):
        digests.record(name, None)
    for path in lint.orphans():
        failures += 1
        print(f"{path.name} has no script: delete it, or add notebooks/src/{path.stem}.py")
    return failures


def _execute_student(name: str) -> Outcome:
    return execute(cells.student(name), NOTEBOOKS, MINI)


def _keep(name: str, outcome: Outcome, digest: str) -> int:
    """Write an executed notebook and say what is wrong with it; the number of faults."""
    if outcome.failure:
        print(f"{name}: FAILED after {outcome.seconds:.0f} s, {outcome.failure}", flush=True)
        return 1
    scrub(outcome.book)
    path = NOTEBOOKS / f"{name}.ipynb"
    cells.write(outcome.book, path)
    digests.record(name, digest)
    size = path.stat().st_size // 1000
    print(f"{name}: executed in {outcome.seconds:.0f} s, {size} kB", flush=True)
    faults = lint.faults(path)
    for fault in faults:
        print(f"  {fault}", flush=True)
    return len(faults)


def run(chosen: list[str]) -> int:
    """Execute the committed notebooks as a learner would; the results go to runs/notebooks."""
    from sbert_lab.paths import runs_dir
    from sbert_lab.profiles import get_profile

    profile = get_profile().name
    target = runs_dir("notebooks", profile)
    timeout = 1800 if profile == "mini" else None
    failures, total = 0, 0.0
    for name in chosen:
        book = nbformat.read(NOTEBOOKS / f"{name}.ipynb", as_version=4)
        outcome = execute(book, NOTEBOOKS, {"SBERT_LAB_PROFILE": profile}, timeout=timeout)
        cells.write(outcome.book, target / f"{name}.ipynb")
        failures += bool(outcome.failure)
        total += outcome.seconds
        print(f"{name:32s} {outcome.seconds:6.1f} s  {outcome.failure or 'ok'}", flush=True)
    print(f"{len(chosen)} notebooks, {total:.0f} s, {failures} failed; copies: {target}")
    return failures


def solutions(chosen: list[str], jobs: int = 2) -> int:
    """Execute the solutions strictly, each in its own process; report the failing cells."""
    failures = {}
    with ProcessPoolExecutor(max_workers=jobs) as pool:
        waiting = {pool.submit(_run_solution, name): name for name in chosen}
        for future in as_completed(waiting):
            name, (seconds, failure) = waiting[future], future.result()
            print(f"{name:32s} {seconds:6.1f} s  {'FAILED' if failure else 'ok'}", flush=True)
            if failure:
                failures[name] = failure
    for name, failure in sorted(failures.items()):
        print(f"\n{name}, {failure}")
    return len(failures)


def _run_solution(name: str) -> tuple[float, str]:
    book = nbformat.read(SOLUTIONS / f"{name}.ipynb", as_version=4)
    outcome = execute(book, SOLUTIONS, MINI | {"SBERT_LAB_STRICT": "1"})
    return outcome.seconds, outcome.failure or _silent_tests(outcome.book)


def _silent_tests(book) -> str:
    """The test cells that ran but did not say correct: they call no check, or hide its line."""
    tests = [cell for cell in book.cells if "test" in cell.metadata.get("tags", [])]
    said = {cell.id: "".join(o.get("text", "") for o in cell.outputs) for cell in tests}
    silent = [key for key, text in said.items() if "correct" not in text.splitlines()]
    return f"test cells that print no 'correct': {', '.join(silent)}" if silent else ""


def check(chosen: list[str]) -> int:
    """Say what is stale or different without changing anything."""
    problems = 0
    for name in chosen:
        found = lint.differences(name)
        found += ["stale: run `make notebooks`"] if digests.is_stale(name) else []
        found += lint.faults(NOTEBOOKS / f"{name}.ipynb")
        problems += len(found)
        print(f"{name}:", *(found or ["up to date"]), sep="\n  " if found else " ")
    return problems + len(lint.orphans())


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("words", nargs="*", metavar="COMMAND or NAME", help=", ".join(COMMANDS))
    parser.add_argument("--force", action="store_true", help="execute even what is not stale")
    parser.add_argument("--jobs", type=int, help="notebooks at once: build 1, solutions 2")
    options = parser.parse_args(arguments)
    words = list(options.words)
    command = words.pop(0) if words and words[0] in COMMANDS else "build"
    try:
        if command == "nbgrader":
            if not words:
                raise BuildError("name the folder to write: build.py nbgrader FOLDER")
            written = course.write_course(Path(words[0]), names(words[1:]))
            print(f"{len(written)} assignments in {words[0]}")
            return 0
        chosen = names(words)
        if not chosen:
            print("There are no notebooks yet: notebooks/src is empty.")
            return 0
        if command == "build":
            failed = build(chosen, force=options.force, jobs=options.jobs or 1)
        elif command == "solutions":
            failed = solutions(chosen, jobs=options.jobs or 2)
        else:
            failed = {"run": run, "check": check}[command](chosen)
    except BuildError as error:
        print(f"build.py: {error}", file=sys.stderr)
        return 2
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
