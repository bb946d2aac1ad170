"""Ours beside sentence-transformers: python data/build/bench [row ...] writes results/bench.json.

Same weights, sentences and threads; systems take turns, so what else the machine does slows both.
Times are processor seconds. Without names all rows are measured (about 20 minutes on a quiet core).
"""

import argparse
import platform
import sys
from datetime import date
from functools import partial

import rows
import torch

from sbert_lab.course.nb14 import bench_picture, bench_table
from sbert_lab.files import read_json, write_json
from sbert_lab.paths import data_dir

MINILM = "all-MiniLM-L6-v2"
ROWS = {  # name: (what to run, given the rounds; in full, and quickly)
    "import": (rows.imports, {}, {}),
    "encode mini-bert": (
        partial(rows.encode, model="mini-bert", goal=2.0), {"count": 4000}, {"count": 600},
    ),
    f"encode {MINILM}": (
        partial(rows.encode, model=MINILM, goal=1.35), {"count": 600}, {"count": 100},
    ),
    "training": (rows.training, {"steps": 100}, {"steps": 50}),
    "best pairs": (rows.pairs, {}, {}),
    "int8 mini-sbert": (partial(rows.int8, model="mini-sbert"), {}, {}),
    f"int8 {MINILM}": (partial(rows.int8, model=MINILM), {"count": 1379}, {"count": 300}),
    "hnsw": (rows.graph, {}, {"count": 30_000}),
    "places, 100,000": (partial(rows.places, count=100_000), {}, {"count": 10_000}),
    "places, 1,000,000": (partial(rows.places, count=1_000_000), {}, {"count": 20_000}),
    # n to 1e6, but not all pairs of a million
    "growth of encode": (partial(rows.growth, job="encode"), {"largest": 6}, {"largest": 4}),
    "growth of search": (partial(rows.growth, job="search"), {"largest": 6}, {"largest": 5}),
    "growth of pairs": (partial(rows.growth, job="pairs"), {"largest": 5}, {"largest": 4}),
}  # fmt: skip


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("names", nargs="*", metavar="row", help=", ".join(ROWS))
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--quick", action="store_true", help="fewer sentences: half a minute a row")
    given = parser.parse_args()
    unknown = [name for name in given.names if name not in ROWS]
    if unknown:
        sys.exit(f"unknown row {unknown[0]!r}: choose {', '.join(ROWS)}")
    torch.set_num_threads(1)
    path = data_dir("results", "bench.json")
    for name in given.names or ROWS:
        run, full, quick = ROWS[name]
        row = run(rounds=given.rounds, **(quick if given.quick else full))
        found = read_json(path) if path.is_file() else {"rows": {}}  # another run may have written
        found["rows"][name] = {**row, "date": str(date.today()), "hardware": hardware()}
        found["about"] = {"hardware": hardware(), "clock": "processor seconds, one thread",
                          "versions": versions()}  # fmt: skip
        write_json(path, found)
        print(f"measured: {name}", flush=True)
    print(bench_table(found))
    bench_picture(found).savefig(data_dir("results", "bench.png"), dpi=110)


def hardware() -> str:
    return f"{processor()}, {torch.backends.cpu.get_cpu_capability()}"


def processor() -> str:
    try:
        with open("/proc/cpuinfo", encoding="utf-8") as file:
            return next(line.split(":")[1].strip() for line in file if "model name" in line)
    except (OSError, StopIteration):
        return platform.processor() or platform.machine()


def versions() -> dict[str, str]:
    from importlib.metadata import version

    return {name: version(name) for name in ("torch", "transformers", "sentence-transformers")}


if __name__ == "__main__":
    main()
