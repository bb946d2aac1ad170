"""Record what notebook 17 compares: the softmax objective and in-batch negatives, same budget.

    python data/build/record_in_batch.py [--rows NAME ...]

Writes data/results/mini/17_in_batch.json: about three minutes of computing on one core; what is
there already is kept (delete the file to begin anew). Every trained system starts from mini-bert,
sees PAIRS pairs of our own NLI training set once and has the same settings, tuned for neither.
Softmax takes pairs of all three labels, in-batch negatives the entailments. The metric was fixed
before the run: the mean over the STS sets ("sts").
"""

import argparse
import sys
import tempfile
import time
from dataclasses import replace
from pathlib import Path

import torch
from torch.nn import functional as F

from sbert_lab import data
from sbert_lab.encoder import SentenceEncoder
from sbert_lab.experiments.evaluation import everything
from sbert_lab.experiments.results import results_dir
from sbert_lab.experiments.store import describe_machine
from sbert_lab.experiments.zoo import random_encoder
from sbert_lab.experiments.zoo.lock import locked
from sbert_lab.files import read_json, write_json
from sbert_lab.paths import runs_dir
from sbert_lab.profiles import get_profile
from sbert_lab.tasks import Siamese
from sbert_lab.training import train

PROFILE = get_profile("mini")
STEPS, SEEDS, METRIC = 48, (1, 2, 3), "sts"
CONFIG = replace(PROFILE.train, max_steps=STEPS, bucket_batches=0)  # batches of mixed length
PAIRS = STEPS * CONFIG.batch_size
FILE = results_dir(PROFILE.name, "17_in_batch.json")


class Masked(Siamese):
    """In-batch negatives that leave out twins: rows that share an anchor or a positive."""

    def collate(self, rows):
        batch = super().collate(rows)
        keys = [[row[name] for row in rows] for name in ("anchor", "positive")]
        twins = torch.tensor([[any(k[i] == k[j] for k in keys) for j in range(len(rows))]
                              for i in range(len(rows))])  # fmt: skip
        batch["twins"] = twins & ~torch.eye(len(rows), dtype=torch.bool)  # (B, B)
        return batch

    def forward(self, batch):
        u, v = (F.normalize(self.encoder(**batch[name]), dim=-1) for name in self.texts)
        logits = (self.scale * u @ v.T).masked_fill(batch["twins"], float("-inf"))
        return F.cross_entropy(logits, torch.arange(len(u), device=u.device))


def start() -> SentenceEncoder:
    return SentenceEncoder.load(PROFILE.backbone, max_length=PROFILE.max_length)


def fit(task: Siamese, rows: list[dict], seed: int) -> SentenceEncoder:
    with tempfile.TemporaryDirectory() as folder:
        config = replace(CONFIG, seed=seed)
        train(task, rows, config, run_dir=Path(folder, "run"), show_progress=False)
    return task.encoder


def shuffled(rows: list[dict]) -> list[dict]:
    """Each anchor with the positive of another: the floor."""
    order = torch.randperm(len(rows), generator=torch.Generator().manual_seed(0)).tolist()
    return [{**row, "positive": rows[i]["positive"]} for row, i in zip(rows, order, strict=True)]


def systems(nli: list[dict], entailments: list[dict]) -> dict:
    """name -> (seeds, kind, what it is, make(seed))."""
    objective, floor = "in-batch negatives", shuffled(entailments)
    return {
        "random weights": ((1,), "floor", "mini-bert's shape, nothing learned",
                           lambda seed: random_encoder(PROFILE, seed)),
        "in-batch, shuffled": ((1,), "floor", "as in-batch negatives, positives dealt out anew",
                               lambda seed: fit(Siamese(start(), objective), floor, seed)),
        "raw mini-bert": ((1,), "system", "where all of them start", lambda seed: start()),
        "softmax": (SEEDS, "system", f"{PAIRS:,} NLI pairs of all labels, softmax(u, v, |u-v|)",
                    lambda seed: fit(Siamese(start(), "classification", seed=seed), nli, seed)),
        "in-batch negatives": (SEEDS, "system", f"{PAIRS:,} entailment pairs",
                               lambda seed: fit(Siamese(start(), objective), entailments, seed)),
        "in-batch, twins masked": (SEEDS, "system", "the same; rows that share a text do not count",
                                   lambda seed: fit(Masked(start(), objective), entailments, seed)),
        "mini-sbert": ((1,), "extra",
                       "in-batch negatives on real and our own entailments: other data",
                       lambda seed: SentenceEncoder.load("mini-sbert")),
    }  # fmt: skip


def recorded() -> dict:
    return read_json(FILE)["rows"] if FILE.is_file() else {}


def record(name: str, row: dict, seed: int, run: dict, *, order: list[str], tests: dict) -> None:
    """Add one run to the file; two processes may do so at once."""
    about = {
        **describe_machine(),
        "profile": PROFILE.name,
        "command": "python data/build/record_in_batch.py",
        "data": str(data.coverage("nli", "train", profile=PROFILE)),
        "metric": METRIC,
        "pairs seen": PAIRS,
        "settings": {"batch_size": CONFIG.batch_size, "steps": STEPS, "scale": 20.0,
                     "learning_rate": CONFIG.learning_rate},
        "tests": tests,
    }  # fmt: skip
    with locked(runs_dir("locks", f"{PROFILE.name}-in-batch.lock")):
        rows = recorded()
        entry = rows.setdefault(name, {**row, "seeds": {}})
        entry["seeds"] = dict(sorted({**entry["seeds"], str(seed): run}.items()))
        write_json(FILE, {"about": about, "rows": {n: rows[n] for n in order if n in rows}})


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rows", nargs="+", help="only these")
    chosen = parser.parse_args().rows
    torch.set_num_threads(1)
    nli = [dict(row) for row in data.load("nli", "train", profile=PROFILE)]
    entailments = [
        {"anchor": row["sentence1"], "positive": row["sentence2"]}
        for row in nli
        if row["label"] == 0
    ]
    tests, all_systems = everything.load_tests(PROFILE), systems(nli, entailments)
    for name, (seeds, kind, note, make) in all_systems.items():
        for seed in seeds:
            there = str(seed) in recorded().get(name, {}).get("seeds", {})
            if there or (chosen and name not in chosen):
                continue
            began = time.process_time()
            encoder = make(seed)
            trained = time.process_time()
            found = everything.score(encoder.encode, tests)
            seconds = {"training": round(trained - began, 1),
                       "scoring": round(time.process_time() - trained, 1)}  # fmt: skip
            scores = {key: round(value, 3) for key, value in found.items()}
            run = {"scores": scores, "cpu_seconds": seconds}
            row = {"kind": kind, "note": note}
            record(name, row, seed, run, order=list(all_systems), tests=dict(tests.about))
            print(name, seed, seconds, {k: scores[k] for k in everything.SUMMARY}, flush=True)


if __name__ == "__main__":
    sys.exit(main())
