"""MEAN against MAX pooling: one epoch of the regression objective on STSb, scored on dev."""

from dataclasses import replace

from sbert_lab import data
from sbert_lab.encoder import SentenceEncoder
from sbert_lab.experiments.evaluation import sts
from sbert_lab.experiments.results import Outcome, Row
from sbert_lab.profiles import Profile
from sbert_lab.tasks import Siamese
from sbert_lab.training import train


def rows(profile: Profile) -> list[Row]:
    def run(pooling: str, seed: int) -> Outcome:
        pairs, dev = (data.load("stsb", split, profile=profile) for split in ("train", "dev"))
        encoder = SentenceEncoder.load(profile.backbone, pooling=pooling)
        config = replace(profile.sts, epochs=1, seed=seed)
        train(Siamese(encoder, "regression"), pairs, config, show_progress=False)
        return Outcome({"dev": sts.score_pairs(encoder.encode, dev).spearman})

    note = "one epoch of the regression objective"
    return [
        Row(name=pooling.upper(), run=lambda seed, p=pooling: run(p, seed), note=note)
        for pooling in ("mean", "max")
    ]


def data_seen(profile: Profile) -> str:
    return str(data.coverage("stsb", "train", profile=profile))
