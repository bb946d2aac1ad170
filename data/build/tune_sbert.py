"""Tune mini-bert on NLI: mini-sbert, and the record of how it went.

    SBERT_LAB_DATA=/path/to/corpora python data/build/tune_sbert.py --work runs/t --save mini-sbert

Trains on the NLI pairs of the local copy (all that are there; the record says how many) and on our
own. Two objectives: the paper's softmax (`--objective classification`), and in-batch negatives on
the entailment pairs, which is what mini-sbert uses: PRETRAINING.md compares the two.
"""

import argparse
import sys
from dataclasses import asdict
from pathlib import Path

import numpy as np
import torch

from sbert_lab import data
from sbert_lab.encoder import SentenceEncoder
from sbert_lab.experiments.evaluation.sts import score_pairs
from sbert_lab.files import write_json
from sbert_lab.paths import data_dir
from sbert_lab.profiles import TrainConfig
from sbert_lab.tasks import Siamese
from sbert_lab.training import train

COLUMNS = ["sentence1", "sentence2", "label"]


def nli_rows(*, real: bool, mini: bool) -> list[dict]:
    rows = []
    for profile, wanted in (("real", real), ("mini", mini)):
        if wanted:
            found = data.load("nli", "train", profile=profile, partial=True)
            rows += list(found.select_columns(COLUMNS))
    return rows


def entailment_rows(rows: list[dict]) -> list[dict]:
    """What in-batch negatives learn from: a sentence and one that follows from it."""
    return [
        {"anchor": row["sentence1"], "positive": row["sentence2"]}
        for row in rows
        if row["label"] == 0
    ]


def label_accuracy(task: Siamese, rows) -> float:
    """Share of NLI labels that the softmax head gets right."""
    predicted = task.predict_labels(list(rows["sentence1"]), list(rows["sentence2"])).numpy()
    return float((predicted == np.array(rows["label"])).mean())


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--work", type=Path, required=True)
    parser.add_argument("--backbone", default="mini-bert")
    objectives = ["classification", "in-batch negatives"]
    parser.add_argument("--objective", choices=objectives, default="in-batch negatives")
    parser.add_argument("--epochs", type=int, default=2)
    parser.add_argument("--learning-rate", type=float, default=3e-4)
    parser.add_argument("--batch-size", type=int, default=64)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--pairs", choices=["real", "mini", "both"], default="both")
    parser.add_argument("--threads", type=int)
    parser.add_argument("--save", help="name in data/models; without it only scores are printed")
    given = parser.parse_args(arguments)
    if given.threads:
        torch.set_num_threads(given.threads)
    softmax = given.objective == "classification"
    rows = nli_rows(real=given.pairs != "mini", mini=given.pairs != "real")
    rows = rows if softmax else entailment_rows(rows)
    dev = data.load("stsb", "dev", profile="real")
    encoder = SentenceEncoder.load(given.backbone, pooling="mean")
    before = score_pairs(encoder.encode, dev).spearman
    config = TrainConfig(
        epochs=given.epochs,
        batch_size=given.batch_size,
        learning_rate=given.learning_rate,
        seed=given.seed,
        # Batches of mixed lengths: among sentences of one length the right one is easier to guess.
        bucket_batches=50 if softmax else 0,
    )
    task = Siamese(encoder, given.objective, seed=given.seed)
    history = train(task, rows, config, run_dir=given.work)
    after = score_pairs(encoder.encode, dev).spearman
    record = {
        "objective": given.objective,
        "pairs": len(rows),
        "sources": given.pairs,
        "config": asdict(config),
        "stsb_dev_before": round(before, 2),
        "stsb_dev_after": round(after, 2),
        "curve_rows": history.rows_seen,
        "curve_losses": [round(loss, 4) for loss in history.losses],
    }
    if softmax:
        snli = data.load("snli", "dev", profile="real")
        record["snli_dev_accuracy"] = label_accuracy(task, snli)
    print({k: v for k, v in record.items() if not k.startswith("curve")})
    if given.save:
        encoder.save(data_dir("models", given.save))
        write_json(data_dir("results", "pretraining", f"{given.save}.json"), record)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
