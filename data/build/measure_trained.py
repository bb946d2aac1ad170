"""What trained models reach on the mini corpora: the floors that need a model.

    SBERT_LAB_DATA=/path/to/corpora python data/build/measure_trained.py --work runs/measure

Trains mini-bert on our NLI pairs alone, as SBERT and as cross-encoder, prints the accuracy on each
part of dev and test (new wordings, unseen groups, kinds and files), the Spearman on every STS set
before and after, and, with a local copy, on the real STSb dev set. Writes the record.
"""

import argparse
import json
import sys
from pathlib import Path

import numpy as np
import torch
from measure import nli_parts

from sbert_lab import data
from sbert_lab.encoder import SentenceEncoder
from sbert_lab.errors import LabError
from sbert_lab.experiments.evaluation.sts import score_pairs
from sbert_lab.files import write_json
from sbert_lab.paths import data_dir
from sbert_lab.profiles import TrainConfig
from sbert_lab.tasks import CrossEncoder, Siamese
from sbert_lab.training import train

STS = ("sts12", "sts13", "sts14", "sts15", "sts16", "stsb", "sick")


def read_parts(split: str) -> list[dict]:
    """Rows of a split of both NLI corpora, with the part that each belongs to."""
    rows = []
    for name in ("snli", "multinli"):
        parts = nli_parts(name, split)
        loaded = data.load(name, split, profile="mini")
        rows += [{**row, "part": part} for row, part in zip(loaded, parts, strict=True)]
    return rows


def accuracies(predict, rows: list[dict]) -> dict[str, float]:
    """Per cent right, in all and per part."""
    gold = np.array([row["label"] for row in rows])
    given = predict([r["sentence1"] for r in rows], [r["sentence2"] for r in rows])
    right, parts = np.asarray(given) == gold, np.array([row["part"] for row in rows])
    found = {"all": right.mean(), **{p: right[parts == p].mean() for p in sorted(set(parts))}}
    return {name: round(100 * float(value), 1) for name, value in found.items()}


def sts_scores(encoder: SentenceEncoder) -> dict[str, float]:
    """Spearman x 100 on the mini sets, and on the real STSb dev set where it can be had."""
    scores = {
        name: score_pairs(encoder.encode, data.load(name, "test", profile="mini")).spearman
        for name in STS
    }
    scores["average"] = float(np.mean(list(scores.values())))
    try:
        rows = data.load("stsb", "dev", profile="real")
        scores["real stsb dev"] = score_pairs(encoder.encode, rows).spearman
    except LabError as error:
        print(f"real STSb left out: {error}")
    return {name: round(value, 1) for name, value in scores.items()}


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--work", type=Path, required=True)
    parser.add_argument("--epochs", type=int, default=3)
    parser.add_argument("--learning-rate", type=float, default=4e-4)
    parser.add_argument("--threads", type=int)
    given = parser.parse_args(arguments)
    if given.threads:
        torch.set_num_threads(given.threads)
    rows = list(data.load("nli", "train", profile="mini"))
    config = TrainConfig(
        epochs=given.epochs, batch_size=32, learning_rate=given.learning_rate, seed=1
    )
    record = {"pairs": len(rows), "epochs": given.epochs, "learning_rate": given.learning_rate}
    record["raw MEAN"] = {"sts": sts_scores(SentenceEncoder.load("mini-bert"))}
    sbert = Siamese(SentenceEncoder.load("mini-bert"), "classification")
    cross = CrossEncoder(SentenceEncoder.load("mini-bert"), "classification")
    systems = {
        "SBERT": (sbert, sbert.predict_labels),
        "cross-encoder": (cross, lambda a, b: cross.predict(a, b).argmax(axis=1)),
    }
    for name, (task, predict) in systems.items():
        train(task, rows, config, run_dir=given.work / name)
        record[name] = {split: accuracies(predict, read_parts(split)) for split in ("dev", "test")}
        if name == "SBERT":
            record[name]["sts"] = sts_scores(sbert.encoder)
        print(name, record[name], flush=True)
    write_json(data_dir("results", "mini", "trained_floors.json"), record)
    print(json.dumps(record, indent=1))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
