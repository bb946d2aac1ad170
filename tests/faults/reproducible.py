"""python -m faults.reproducible [--only text] [notebook ...]: the same under other conditions.

nbval compares every output with the recorded one: three times in a row, with 1, 2 and 4 threads,
other hash seeds, UTF-8 mode on and off, and with AVX2 forced; the verdicts on the paper's claims
are compared with those of the first condition. Without names: the whole course. Each notebook's
outcome is kept in runs/reproducible: called again it goes on where it was stopped.
"""

import argparse
import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path

from sbert_lab.experiments.paper import get_claim
from sbert_lab.files import write_json

ROOT = Path(__file__).resolve().parents[2]
STATE = ROOT / "runs" / "reproducible"
OWN_CACHE = {"SBERT_LAB_RUNS": "its own"}  # what a notebook trains is trained again
CONDITIONS: dict[str, dict[str, str]] = {
    "first run, empty cache": {},
    "second run": {},
    "third run": {},
    "2 threads, empty cache": {"OMP_NUM_THREADS": "2", **OWN_CACHE},
    "4 threads, empty cache": {"OMP_NUM_THREADS": "4", **OWN_CACHE},
    "hash seed 1": {"PYTHONHASHSEED": "1"},
    "hash seed 4242, empty cache": {"PYTHONHASHSEED": "4242", **OWN_CACHE},
    "UTF-8 mode on": {"PYTHONUTF8": "1"},
    "UTF-8 mode off": {"PYTHONUTF8": "0"},
    "AVX2 forced, empty cache": {
        "ATEN_CPU_CAPABILITY": "avx2",
        "ONEDNN_MAX_CPU_ISA": "AVX2",
        **OWN_CACHE,
    },
}


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(prog="faults.reproducible", description=__doc__)
    parser.add_argument("notebooks", nargs="*", help="such as 00_start_here (default: all)")
    parser.add_argument("--only", default="", help="only conditions with this text in their name")
    parser.add_argument("--again", action="store_true", help="forget what was run before")
    given = parser.parse_args(arguments)
    books = [ROOT / "notebooks" / f"{Path(name).stem}.ipynb" for name in given.notebooks]
    books = books or sorted((ROOT / "notebooks").glob("*.ipynb"))
    if missing := [book.stem for book in books if not book.is_file()]:
        parser.error(f"no notebook {', '.join(missing)}")
    chosen = [name for name in CONDITIONS if given.only in name]
    if given.again:
        shutil.rmtree(STATE, ignore_errors=True)
    with ThreadPoolExecutor(int(os.environ.get("WORKERS", "2"))) as pool:
        for condition in chosen:
            outcomes = pool.map(partial(outcome, condition), books)
            for book, found in zip(books, outcomes, strict=True):
                told = "ok" if not found["failed"] else f"{found['failed']} cells FAILED"
                print(f"{condition}: {book.stem}: {told}, {found['seconds']:.0f} s", flush=True)
    lines, good = table(chosen, books)
    print("\n".join(lines))
    return 0 if good else 1


def outcome(condition: str, book: Path) -> dict:
    """What came of a notebook: as it was kept, or it is run now."""
    path = STATE / named(condition) / f"{book.stem}.json"
    digest = digest_of(book)
    if path.is_file() and (kept := json.loads(path.read_text()))["digest"] == digest:
        return kept
    variables = dict(CONDITIONS[condition])
    cache = condition if "SBERT_LAB_RUNS" in variables else next(iter(CONDITIONS))
    variables["SBERT_LAB_RUNS"] = str(STATE / named(cache) / "runs")
    began = time.time()
    done = compare(book, variables)
    counts = {word: int(n) for n, word in re.findall(r"(\d+) (passed|failed|error)", done.stdout)}
    found = {
        "digest": digest,
        "passed": counts.get("passed", 0),
        "failed": counts.get("failed", 0) + counts.get("error", 0) or int(done.returncode != 0),
        "seconds": time.time() - began,
        "verdicts": dict(verdicts(book, Path(variables["SBERT_LAB_RUNS"]), began)),
        "said": (done.stdout + done.stderr)[-3000:] if done.returncode else "",
    }
    write_json(path, found)
    return found


def named(condition: str) -> str:
    return re.sub(r"\W+", "-", condition)


def digest_of(book: Path) -> str:
    """Of the notebook and the package: what was kept of an older edition does not count."""
    digest = hashlib.sha256(book.read_bytes())
    for path in sorted((ROOT / "sbert_lab").rglob("*.py")):
        digest.update(path.read_bytes())
    return digest.hexdigest()


def verdicts(book: Path, runs: Path, began: float) -> Iterator[tuple[str, str]]:
    """The claims that this notebook judges, as it has just judged them."""
    text = book.read_text(encoding="utf-8")
    for path in sorted(runs.glob("claims/*/*.json")):
        if path.stat().st_mtime >= began - 1 and path.stem in text:
            yield f"{path.parent.name} {path.stem}", json.loads(path.read_text())["verdict"]


def compare(book: Path, variables: dict[str, str]) -> subprocess.CompletedProcess:
    command = [sys.executable, "-m", "pytest", "-q", "--nbval", "--nbval-current-env", str(book)]
    command += ["--nbval-cell-timeout=900", "-p", "no:cacheprovider", "--tb=short"]
    command += [f"--nbval-sanitize-with={ROOT / 'notebooks' / 'nbval.cfg'}"]
    environment = {**os.environ, "OMP_NUM_THREADS": "1", "SBERT_LAB_PROFILE": "mini", **variables}
    return subprocess.run(
        command, cwd=ROOT, env=environment, capture_output=True, encoding="utf-8", errors="replace"
    )


def table(conditions: list[str], books: list[Path]) -> tuple[list[str], bool]:
    """Whatever has been run so far, and whether all of it is well. Times may differ."""
    lines = [f"{'condition':30} {'notebooks':>9} {'cells':>6} {'failed':>6}  verdicts"]
    first, good = {}, True
    for condition in conditions:
        found = {book.stem: outcome(condition, book) for book in books}
        failed = {name: one for name, one in found.items() if one["failed"]}
        judged = {claim: said for one in found.values() for claim, said in one["verdicts"].items()}
        first = first or judged
        other = sorted(claim for claim in judged | first if judged.get(claim) != first.get(claim))
        timed = [claim for claim in other if get_claim(claim.split()[-1]).kind == "time"]
        told = f"{len(judged)}, every verdict the same" if judged else "none judged there"
        if other:
            told = f"{len(judged)}, another for {', '.join(other)}"
            told += f" (times: {', '.join(timed)})" * bool(timed)
        cells = sum(one["passed"] for one in found.values())
        lost = sum(one["failed"] for one in found.values())
        lines.append(f"{condition:30} {len(found):9} {cells:6} {lost:6}  {told}")
        lines += [f"{name}:\n{one['said']}" for name, one in failed.items()]
        good = good and not failed and other == timed
    return lines, good


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
