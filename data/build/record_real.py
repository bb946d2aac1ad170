"""Record, on the real corpora, what notebooks 05, 06 and 07 show beside their mini figures.

    SBERT_LAB_DATA=/folder/with/the/corpora python data/build/record_real.py 05 06 07

05: NLI accuracy and STSb Spearman against pairs seen (20,000 pairs; pretrained and random start).
06: the regression objective on STSb, MEAN and, for one epoch, MEAN against MAX on dev.
07: the triplet objective on section triplets from WikiText-2.
"""

import sys
import tempfile
from dataclasses import replace

import torch

from sbert_lab import data
from sbert_lab.encoder import SentenceEncoder
from sbert_lab.experiments import zoo
from sbert_lab.experiments.evaluation import sections, sts
from sbert_lab.experiments.results import results_dir
from sbert_lab.experiments.store import describe_machine
from sbert_lab.files import write_json
from sbert_lab.profiles import get_profile
from sbert_lab.tasks import Siamese
from sbert_lab.training import train

PROFILE = get_profile("real")
PAIRS, WATCHED, LOOKS = 20_000, 2_000, 8


def about(notebook: str, seen: str) -> dict:
    command = f"python data/build/record_real.py {notebook}"
    return {**describe_machine(), "command": command, "data": seen, "profile": "real"}


def record_05() -> None:
    rows = data.load("nli", "train", profile=PROFILE, partial=True).shuffle(seed=1)
    rows = rows.select(range(PAIRS))
    watched = data.load("nli", "dev", profile=PROFILE).shuffle(seed=1).select(range(WATCHED))
    stsb = data.load("stsb", "dev", profile=PROFILE)
    starts = {
        "pretrained": SentenceEncoder.load(PROFILE.backbone),
        "random start": zoo.random_encoder(PROFILE, 1),
    }
    runs = {name: curve(encoder, rows, watched, stsb) for name, encoder in starts.items()}
    seen = f"{PAIRS:,} of the {data.coverage('nli', 'train', profile=PROFILE)}, one epoch"
    path = results_dir("real", "05_classification_objective.json")
    write_json(path, {**about("05", seen), "runs": runs})


def curve(encoder, rows, watched, stsb) -> list[list[float]]:
    """[pairs seen, NLI accuracy, STSb Spearman], before training and at every look."""
    every = -(-len(rows) // (PROFILE.train.batch_size * LOOKS))
    points: list[list[float]] = []

    def look(task) -> float:
        predicted = task.predict_labels(watched["sentence1"], watched["sentence2"])
        right = (predicted == torch.tensor(watched["label"])).float().mean()
        spearman = sts.score_pairs(task.encoder.encode, stsb).spearman
        seen = min(len(points) * every * PROFILE.train.batch_size, len(rows))
        points.append([seen, 100 * float(right), spearman])
        return float(right)

    task = Siamese(encoder, "classification")
    look(task)
    config = replace(PROFILE.train, epochs=1, evaluate_every=every)
    with tempfile.TemporaryDirectory() as folder:
        train(task, rows, config, evaluate=look, run_dir=folder, show_progress=False)
    return points


def record_06() -> None:
    test, dev = (data.load("stsb", split, profile=PROFILE) for split in ("test", "dev"))
    raw = SentenceEncoder.load(PROFILE.backbone)
    tuned = zoo.get("sbert-stsb", seed=1, profile=PROFILE, show_progress=False)
    found = {
        "spearman": sts.score_pairs(tuned.encode, test).spearman,
        "spearman_raw": sts.score_pairs(raw.encode, test).spearman,
    }
    pairs = data.load("stsb", "train", profile=PROFILE)
    for pooling in ("mean", "max"):
        encoder = SentenceEncoder.load(PROFILE.backbone, pooling=pooling)
        with tempfile.TemporaryDirectory() as folder:
            config = replace(PROFILE.sts, epochs=1)
            train(Siamese(encoder, "regression"), pairs, config, run_dir=folder)
        found[f"dev_{pooling.upper()}"] = sts.score_pairs(encoder.encode, dev).spearman
    seen = f"{data.coverage('stsb', 'train', profile=PROFILE)}; dev_ scores after one epoch"
    write_json(results_dir("real", "06_regression.json"), {**about("06", seen), **found})


def record_07() -> None:
    from sbert_lab.experiments.table4 import triplets

    test = triplets(PROFILE, "test")
    tuned = zoo.get("sbert-sections", seed=1, profile=PROFILE, show_progress=False)
    raw = SentenceEncoder.load(PROFILE.backbone)
    found = {
        "accuracy": sections.triplet_accuracy(tuned.encode, test),
        "accuracy_raw": sections.triplet_accuracy(raw.encode, test),
    }
    rows = zoo.about("sbert-sections", seed=1, profile=PROFILE)["data"]
    seen = f"trained on {rows['text']}; {len(test):,} test triplets from WikiText-2"
    write_json(results_dir("real", "07_triplet.json"), {**about("07", seen), **found})


RECORDERS = {"05": record_05, "06": record_06, "07": record_07}

if __name__ == "__main__":
    for name in sys.argv[1:] or RECORDERS:
        RECORDERS[name]()
        print(f"recorded {name}")
