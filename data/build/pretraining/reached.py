"""What the second backbone should reach and what it reached: the first table of PRETRAINING.md.

    python data/build/pretraining/reached.py

fills it from data/results. A classifier's accuracy is in no table of the paper, and a bi-encoder's
head goes when its training ends. So it is measured on a checkpoint while there is one, or after a
training of its own on the first of Table 1's pairs, and recorded:

    export SBERT_LAB_DATA=/path/to/corpora
    python data/build/pretraining/reached.py --checkpoint bi-encoder \\
        runs/zoo/sbert-nli-0123.training/checkpoint-00004096
    python data/build/pretraining/reached.py --train cross-encoder 16384
"""

import argparse
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import torch

from sbert_lab import data
from sbert_lab.encoder import SentenceEncoder
from sbert_lab.experiments.ledger_page import fill
from sbert_lab.experiments.results import open_table, results_dir
from sbert_lab.experiments.store import describe_machine
from sbert_lab.experiments.zoo.rows import nli_pairs
from sbert_lab.files import read_json, write_bytes, write_json
from sbert_lab.paths import runs_dir
from sbert_lab.profiles import PROFILES
from sbert_lab.tasks import CrossEncoder, Siamese
from sbert_lab.training import train
from sbert_lab.training.checkpoint import MODEL, STATE, load_model_tensors

PAGE = Path(__file__).resolve().parent.parent / "PRETRAINING.md"
TASKS = {"bi-encoder": Siamese, "cross-encoder": CrossEncoder}
NOT_MEASURED = "not measured"
REAL = PROFILES["real"]


def fresh(kind: str) -> torch.nn.Module:
    """The task before training, with the seed of every first run."""
    start = SentenceEncoder.load(REAL.backbone, max_length=REAL.max_length)
    return TASKS[kind](start, "classification", seed=1)


def trained(kind: str, pairs: int) -> torch.nn.Module:
    """The task after the first of Table 1's pairs, with its settings; interrupted, it goes on."""
    task, rows = fresh(kind), nli_pairs(replace(REAL, nli_pairs=pairs))
    train(task, rows, replace(REAL.train, seed=1), run_dir=runs_dir("reached", f"{kind}-{pairs}"))
    return task


def measure(kind: str, task: torch.nn.Module, pairs: int) -> None:
    """Record what percentage of SNLI dev the task gets right."""
    task.eval()
    rows = data.load("snli", "dev", profile=REAL)
    sides = list(rows["sentence1"]), list(rows["sentence2"])
    if kind == "bi-encoder":
        predicted = task.predict_labels(*sides).numpy()
    else:
        predicted = task.predict(*sides).argmax(axis=1)
    right = 100 * float(np.mean(predicted == np.array(rows["label"])))
    kept = recorded()
    about = {"backbone": REAL.backbone, "SNLI dev pairs": len(rows), "about": describe_machine()}
    kept.setdefault(kind, {})[str(pairs)] = {"SNLI dev": round(right, 2), **about}
    write_json(accuracies(), kept)
    print(f"{kind}, {pairs:,} pairs: {right:.1f} % of SNLI dev")


def accuracies() -> Path:
    return results_dir("pretraining", "nli_accuracy.json")


def recorded() -> dict[str, dict[str, dict]]:
    """Kind -> pairs seen -> accuracy and how it was measured."""
    return read_json(accuracies()) if accuracies().is_file() else {}


def lines() -> list[str]:
    """The table. What was there before and the goals were written down before the pretraining."""
    first, second = (open_table(number, "real") for number in (1, 2))
    right = recorded()
    bi, cross = (
        {int(pairs): one["SNLI dev"] for pairs, one in right.get(kind, {}).items()}
        for kind in TASKS
    )
    most = f"{bi[max(bi)]:.1f} % ({max(bi):,})" if bi else NOT_MEASURED
    both = max(bi.keys() & cross.keys(), default=None)
    over = f"{cross[both] - bi[both]:+.1f} ({both:,} pairs each)" if both else NOT_MEASURED
    seven = {p: first.mean(f"raw BERT {p}", "average") for p in ("MEAN", "CLS", "MAX")}
    gain = first.mean("SBERT-NLI", "average") - seven["MEAN"]
    above = second.mean("cross-encoder-STSb", "test") - second.mean("SBERT-STSb", "test")
    pooled = ", ".join(f"{name} {value:.1f}" for name, value in seven.items())
    rows = (
        ("SNLI dev, bi-encoder, softmax (pairs seen)", "66.6 % (100,000)", "75 % (all 282,184)",
         most),
        ("SNLI dev, cross-encoder minus bi-encoder, same pairs", "below 0", "+3", over),
        ("SBERT-NLI minus raw MEAN, average of seven real sets", "-2.2", "+5", f"{gain:+.1f}"),
        ("cross-encoder minus SBERT, STSb test, trained on STSb", "-23.5", "above 0",
         f"{above:+.1f}"),
        ("raw CLS, average of seven real sets", "close to MAX", "the worst of the three",
         f"{min(seven, key=seven.get)} is the worst ({pooled})"),
        ("mini-sbert, real STSb test", "62.4", "75", f"{first.mean('mini-sbert', 'stsb'):.1f}"),
    )  # fmt: skip
    head = ("| | first generation | goal | reached |", "|---|---|---|---|")
    return [*head, *(f"| {' | '.join(row)} |" for row in rows)]


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "--checkpoint", nargs=2, metavar=("KIND", "FOLDER"), help="measure it first"
    )
    parser.add_argument("--train", nargs=2, metavar=("KIND", "PAIRS"), help="train and measure")
    given = parser.parse_args(arguments)
    if given.checkpoint:
        kind, folder = given.checkpoint[0], Path(given.checkpoint[1])
        task = fresh(kind)
        load_model_tensors(task, folder / MODEL)
        measure(kind, task, read_json(folder / STATE)["rows_seen"])
    if given.train:
        kind, pairs = given.train[0], int(given.train[1])
        measure(kind, trained(kind, pairs), pairs)
    text = fill(PAGE.read_text(encoding="utf-8"), "reached", "\n".join(lines()))
    write_bytes(PAGE, text.encode("utf-8"))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
