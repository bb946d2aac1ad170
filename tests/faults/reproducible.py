"""python -m faults.reproducible [notebook ...]: the same outputs under other conditions.

nbval compares every output with the recorded one: three times in a row, with 1, 2 and 4 threads,
other hash seeds, UTF-8 mode on and off, and with AVX2 forced. Without names: the whole course.
"""

import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
CONDITIONS: dict[str, dict[str, str]] = {
    "first run, empty cache": {"SBERT_LAB_RUNS": "new"},
    "second run": {},
    "third run": {},
    "2 threads, empty cache": {"OMP_NUM_THREADS": "2", "SBERT_LAB_RUNS": "new"},
    "4 threads, empty cache": {"OMP_NUM_THREADS": "4", "SBERT_LAB_RUNS": "new"},
    "hash seed 1": {"PYTHONHASHSEED": "1"},
    "hash seed 4242": {"PYTHONHASHSEED": "4242"},
    "UTF-8 mode on": {"PYTHONUTF8": "1"},
    "UTF-8 mode off": {"PYTHONUTF8": "0"},
    "AVX2 forced, empty cache": {"ATEN_CPU_CAPABILITY": "avx2", "SBERT_LAB_RUNS": "new"},
}


def main(names: list[str]) -> int:
    books = [ROOT / "notebooks" / f"{Path(name).stem}.ipynb" for name in names]
    books = books or sorted((ROOT / "notebooks").glob("*.ipynb"))
    if missing := [book.stem for book in books if not book.is_file()]:
        sys.exit(f"no notebook {', '.join(missing)}")
    failed, runs = 0, tempfile.mkdtemp()
    print(f"{'condition':28} outcome ({len(books)} notebooks)", flush=True)
    for condition, variables in CONDITIONS.items():
        runs = tempfile.mkdtemp() if variables.get("SBERT_LAB_RUNS") == "new" else runs
        began = time.perf_counter()
        done = compare(books, {**variables, "SBERT_LAB_RUNS": runs})
        last = done.stdout.strip().splitlines()[-1].strip("= ")
        print(f"{condition:28} {last} ({time.perf_counter() - began:.0f} s)", flush=True)
        if done.returncode:
            failed += 1
            print(done.stdout[-3000:], flush=True)
    return 1 if failed else 0


def compare(books: list[Path], variables: dict[str, str]) -> subprocess.CompletedProcess:
    command = [sys.executable, "-m", "pytest", "-q", "--nbval", "--nbval-current-env"]
    command += ["--nbval-cell-timeout=900", "-p", "no:cacheprovider", "--tb=short"]
    command += [f"--nbval-sanitize-with={ROOT / 'notebooks' / 'nbval.cfg'}", *map(str, books)]
    command += ["-n", os.environ.get("WORKERS", "2"), "--dist", "loadfile"]
    environment = {**os.environ, "OMP_NUM_THREADS": "1", "SBERT_LAB_PROFILE": "mini", **variables}
    return subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
