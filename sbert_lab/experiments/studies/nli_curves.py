"""NLI accuracy and STSb Spearman against the pairs seen: notebook 05's curves on more pairs."""

import tempfile
from dataclasses import replace

import torch

from sbert_lab import data
from sbert_lab.encoder import SentenceEncoder
from sbert_lab.experiments import zoo
from sbert_lab.experiments.evaluation import sts
from sbert_lab.experiments.results import Outcome, Row
from sbert_lab.profiles import Profile
from sbert_lab.tasks import Siamese
from sbert_lab.training import train

PAIRS, WATCHED, LOOKS = 20_000, 2_000, 8


def rows(profile: Profile) -> list[Row]:
    def pretrained(seed: int) -> Outcome:
        return _curve(profile, SentenceEncoder.load(profile.backbone))

    def random_start(seed: int) -> Outcome:
        return _curve(profile, zoo.random_encoder(profile, seed))

    return [
        Row(name="pretrained", run=pretrained, note="from the profile's backbone"),
        Row(name="random start", run=random_start, kind="floor", note="from random weights"),
    ]


def data_seen(profile: Profile) -> str:
    return f"{PAIRS:,} of the {data.coverage('nli', 'train', profile=profile)}, one epoch"


def _curve(profile: Profile, encoder: SentenceEncoder) -> Outcome:
    """Train once over the pairs; `info` has [pairs seen, accuracy, Spearman] at every look."""
    pairs = data.load("nli", "train", profile=profile).shuffle(seed=1)
    pairs = pairs.select(range(min(PAIRS, len(pairs))))
    watched = data.load("nli", "dev", profile=profile).shuffle(seed=1)
    watched = watched.select(range(min(WATCHED, len(watched))))
    stsb = data.load("stsb", "dev", profile=profile)
    every = -(-len(pairs) // (profile.train.batch_size * LOOKS))
    points: list[list[float]] = []

    def look(task: Siamese) -> float:
        predicted = task.predict_labels(watched["sentence1"], watched["sentence2"])
        right = 100 * float((predicted == torch.tensor(watched["label"])).float().mean())
        spearman = sts.score_pairs(task.encoder.encode, stsb).spearman
        seen = min(len(points) * every * profile.train.batch_size, len(pairs))
        points.append([seen, right, spearman])
        return right

    task = Siamese(encoder, "classification")
    look(task)
    config = replace(profile.train, epochs=1, evaluate_every=every)
    with tempfile.TemporaryDirectory() as folder:
        train(task, pairs, config, evaluate=look, run_dir=folder, show_progress=False)
    _, right, spearman = points[-1]
    return Outcome({"nli dev": right, "stsb dev": spearman}, info={"curve": points})
