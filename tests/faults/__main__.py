"""python -m faults [--short] [--jobs 2] [section ...]: run them all and print the table."""

import argparse
import importlib
import json
import re
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from faults import SECTIONS
from faults.table import Row, as_json, page, printed, run_case


def main() -> int:
    parser = argparse.ArgumentParser(prog="faults", description=__doc__)
    parser.add_argument("sections", nargs="*", metavar="section", help=", ".join(SECTIONS))
    parser.add_argument("--short", action="store_true", help="each case once or a few times")
    parser.add_argument("--jobs", type=int, default=2, help="sections at a time (default: 2)")
    parser.add_argument("--only", default="", help="only cases whose name fits this expression")
    parser.add_argument("--json", type=Path, help="write the rows of one section there")
    parser.add_argument(
        "--read", type=Path, nargs="+", help="print what such files say (the last one counts)"
    )
    parser.add_argument("--page", type=Path, help="write the table there, in Markdown, too")
    given = parser.parse_args()
    chosen = given.sections or list(SECTIONS)
    if unknown := set(chosen) - set(SECTIONS):
        parser.error(f"no section {', '.join(unknown)}: choose {', '.join(SECTIONS)}")
    if given.json:
        for rows in run_section(chosen[0], given.short, given.only):
            given.json.write_text(json.dumps(as_json(rows)))
        return 0
    began = time.perf_counter()
    if given.read:
        kept = [Row(**row) for path in given.read for row in json.loads(path.read_text())]
        rows = list({(row.section, row.what): row for row in kept}.values())
        rows.sort(key=lambda row: SECTIONS.index(row.section))
    else:
        with ThreadPoolExecutor(given.jobs) as pool:
            rows = [r for found in pool.map(lambda s: in_process(s, given), chosen) for r in found]
    print(printed(rows))
    if given.page:
        given.page.write_text(page(rows), encoding="utf-8")
    if not given.read:
        print(f"{time.perf_counter() - began:.0f} s")
    return 1 if any(row.lost for row in rows) else 0


def run_section(section: str, short: bool, only: str = "") -> Iterator[list[Row]]:
    """After each case the rows so far: they are kept even if the next one ends the process."""
    rows = []
    yield rows
    for case in importlib.import_module(f"faults.{section}").cases():
        if re.search(only, case.what) and (case.short if short else case.times):
            rows.append(run_case(section, case, short=short))
            row = rows[-1]
            done = f"{section}: {row.what}: {row.tried} tried, {len(row.lost)} lost"
            print(f"{done}, {row.seconds:.0f} s", file=sys.stderr, flush=True)
            yield rows


def in_process(section: str, given: argparse.Namespace) -> list[Row]:
    """A section on its own: what it does to its process is no other section's trouble."""
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder, "rows.json")
        command = [sys.executable, "-m", "faults", section, "--json", str(out)]
        command += ["--short"] * given.short + ["--only", given.only] * bool(given.only)
        code = subprocess.run(command).returncode
        rows = [Row(**row) for row in json.loads(out.read_text())] if out.exists() else []
        if code:
            rows.append(Row(section, "the section itself", 1, [f"it ended with exit code {code}"]))
        return rows


if __name__ == "__main__":
    sys.exit(main())
