"""Record what indexes cost and find, up to a million vectors: python data/build/record_search.py

With --real it adds, instead, the duplicates found among real Quora questions ($SBERT_LAB_DATA).

Writes data/results/mini/15_search.json, which notebook 15 shows as recorded. Times are processor
seconds of one thread, so a busy machine does not change them much. About ten minutes.
"""

import argparse
import datetime
import os
import platform
import sys
import time
from pathlib import Path

for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ[name] = "1"  # before numpy, torch and FAISS are loaded
sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

SIZES = (100_000, 1_000_000)
QUERIES = 200
REAL_PAIRS = 10_000
SETTINGS = {
    "flat": ({}, (1,)),
    "hnsw": ({"links": 16, "build_effort": 40}, (16, 64, 256)),
    "ivfpq": ({"code_bytes": 32}, (1, 8, 64)),
}


def measure(vectors, queries) -> list[dict]:
    """One entry for each kind and effort."""
    from sbert_lab.search import VectorIndex, measure_index, top_k

    truth = top_k(queries, vectors, k=10)[1]
    entries = []
    for kind, (settings, efforts) in SETTINGS.items():
        start = time.process_time()
        index = VectorIndex.build(vectors, ["-"] * len(vectors), kind=kind, **settings)
        build_seconds = time.process_time() - start
        for effort in efforts:
            index.set_effort(effort)
            found = measure_index(index, queries, truth, clock=time.process_time)
            entry = {
                "kind": kind,
                "vectors": len(vectors),
                "effort": effort,
                "recall": round(found["recall"], 4),
                "ms": round(found["ms"], 4),
                "bytes": round(index.bytes_per_vector, 1),
                "build_seconds": round(build_seconds, 1),
            }
            print(entry, flush=True)
            entries.append(entry)
    return entries


def duplicates_real(path: Path) -> None:
    """The first pairs of the real corpus, by the same functions as in the notebook."""
    from sbert_lab import data
    from sbert_lab.encoder import SentenceEncoder
    from sbert_lab.experiments.evaluation import duplicates
    from sbert_lab.files import read_json, write_json

    rows = data.load("quora", "train", profile="real", partial=True).select(range(REAL_PAIRS))
    questions = duplicates.collect(rows)
    vectors = SentenceEncoder.load("mini-sbert").encode(questions.texts, normalize=True)
    found = {name: round(value, 3) for name, value in duplicates.report(vectors, questions).items()}
    about = {
        "date": datetime.date.today().isoformat(),
        "command": "python data/build/record_search.py --real",
        "data": f"the first {len(rows):,} pairs, {len(questions.texts):,} questions, "
        f"{questions.gold_pairs:,} gold pairs",
    }
    write_json(path, {**read_json(path), "duplicates_real": {"about": about, **found}})


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sizes", type=int, nargs="+", default=SIZES)
    parser.add_argument("--output", type=Path, help="default: data/results/mini/15_search.json")
    parser.add_argument("--real", action="store_true", help="only the real duplicates")
    given = parser.parse_args()
    if given.real:
        from sbert_lab.experiments.results import results_dir

        duplicates_real(given.output or results_dir("mini", "15_search.json"))
        return
    import faiss
    import torch

    from sbert_lab import data
    from sbert_lab.encoder import SentenceEncoder
    from sbert_lab.experiments.results import results_dir
    from sbert_lab.files import write_json
    from sbert_lab.search import neighbour_curve, perturb

    faiss.omp_set_num_threads(1)
    torch.set_num_threads(1)
    rows = data.load("quora", "train", profile="mini")
    questions = list(dict.fromkeys([*rows["sentence1"], *rows["sentence2"]]))
    real = SentenceEncoder.load("mini-sbert").encode(questions, normalize=True)
    queries = perturb(real, QUERIES, seed=2)
    entries, curves = [], {}
    for size in given.sizes:
        vectors = perturb(real, size, seed=1)
        curves[str(size)] = [round(float(c), 4) for c in neighbour_curve(vectors, sample=QUERIES)]
        entries += measure(vectors, queries)
    write_json(
        given.output or results_dir("mini", "15_search.json"),
        {
            "about": {
                "date": datetime.date.today().isoformat(),
                "command": "python data/build/record_search.py",
                "hardware": f"{_processor()}, one thread, processor seconds",
                "versions": {"faiss": faiss.__version__, "python": platform.python_version()},
                "profile": "mini",
                "data": f"mini-sbert embeddings of {len(questions):,} questions, perturbed: "
                "a + 0.3 (b - c); no new sentences",
                "queries": QUERIES,
            },
            "settings": {kind: settings for kind, (settings, _) in SETTINGS.items()},
            "neighbour_curves": curves,
            "measured": entries,
        },
    )


def _processor() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
        return next(
            line.split(":", 1)[1].strip() for line in lines if line.startswith("model name")
        )
    except (OSError, StopIteration):
        return platform.processor() or platform.machine()


if __name__ == "__main__":
    main()
