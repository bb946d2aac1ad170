"""The regression objective on STSb: the whole training, and MEAN against MAX after one epoch."""

from __future__ import annotations

import tempfile
from dataclasses import replace

from sbert_lab import data
from sbert_lab.encoder import SentenceEncoder
from sbert_lab.experiments import zoo
from sbert_lab.experiments.evaluation import sts
from sbert_lab.experiments.results import Outcome, Row
from sbert_lab.experiments.systems import name_of
from sbert_lab.profiles import Profile
from sbert_lab.tasks import Siamese
from sbert_lab.training import train


def rows(profile: Profile) -> list[Row]:
    def score(encoder: SentenceEncoder, split: str) -> Outcome:
        pairs = data.load("stsb", split, profile=profile)
        return Outcome({split: sts.score_pairs(encoder.encode, pairs).spearman})

    def raw(seed: int) -> Outcome:
        return score(SentenceEncoder.load(profile.backbone), "test")

    def trained(seed: int) -> Outcome:
        tuned = zoo.get("sbert-stsb", seed=seed, profile=profile, show_progress=False)
        return score(tuned, "test")

    def one_epoch(pooling: str) -> Outcome:
        return score(_one_epoch(profile, pooling), "dev")

    note = "one epoch with this pooling"
    return [
        Row(name=name_of("raw-mean"), run=raw, kind="floor", note="the backbone before training"),
        Row(name="trained", run=trained, note="the regression objective on STSb"),
        Row(name="MEAN, one epoch", run=lambda seed: one_epoch("mean"), note=note),
        Row(name="MAX, one epoch", run=lambda seed: one_epoch("max"), note=note),
    ]


def data_seen(profile: Profile) -> str:
    return str(data.coverage("stsb", "train", profile=profile))


def _one_epoch(profile: Profile, pooling: str) -> SentenceEncoder:
    encoder = SentenceEncoder.load(profile.backbone, pooling=pooling)
    pairs = data.load("stsb", "train", profile=profile)
    with tempfile.TemporaryDirectory() as folder:
        config = replace(profile.sts, epochs=1)
        train(Siamese(encoder, "regression"), pairs, config, run_dir=folder)
    return encoder
