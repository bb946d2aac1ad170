"""Ours beside sentence-transformers: python data/build/bench [row ...] writes results/bench.json.

Same weights, sentences and threads; systems take turns, so what else the machine does slows both.
Times are processor seconds. Without names all rows are measured (about 20 minutes on a quiet core).
"""

import argparse
import platform
import sys
from datetime import date

import rows
import torch

from sbert_lab.course.nb14 import bench_picture, bench_table
from sbert_lab.files import read_json, write_json
from sbert_lab.paths import data_dir

MINILM = "all-MiniLM-L6-v2"
ROWS = {
    "import": lambda n: rows.imports(min(n, 3)),
    "encode mini-bert": lambda n: rows.encode("mini-bert", 2000, n, 2.0),
    f"encode {MINILM}": lambda n: rows.encode(MINILM, 400, n, 1.35),
    "training": lambda n: rows.training(min(n, 4)),
    "best pairs": rows.pairs,
    "int8 mini-sbert": lambda n: rows.int8("mini-sbert"),
    f"int8 {MINILM}": lambda n: rows.int8(MINILM),
    "hnsw": lambda n: rows.graph(),
    "encode to a file": None,
    "growth": None,
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("names", nargs="*", metavar="row", help=", ".join(ROWS))
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--sentences", type=int, default=1_000_000, help="to encode to a file")
    given = parser.parse_args()
    ROWS["encode to a file"] = lambda n: rows.to_file(given.sentences)
    ROWS["growth"] = lambda n: rows.growth(min(given.sentences, 10**6))
    unknown = [name for name in given.names if name not in ROWS]
    if unknown:
        sys.exit(f"unknown row {unknown[0]!r}: choose {', '.join(ROWS)}")
    torch.set_num_threads(1)
    path = data_dir("results", "bench.json")
    found = read_json(path) if path.is_file() else {"rows": {}}
    for name in given.names or ROWS:
        found["rows"][name] = {**ROWS[name](given.rounds), "date": str(date.today())}
        found["about"] = {"hardware": hardware(), "clock": "processor seconds, one thread",
                          "versions": versions()}  # fmt: skip
        write_json(path, found)
        print(f"measured: {name}", flush=True)
    print(bench_table(found))
    bench_picture(found).savefig(data_dir("results", "bench.png"), dpi=110)


def hardware() -> str:
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
