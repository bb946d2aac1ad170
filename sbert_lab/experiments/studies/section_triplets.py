"""The triplet objective on sections of articles: before and after."""

from __future__ import annotations

from sbert_lab.encoder import SentenceEncoder
from sbert_lab.experiments import zoo
from sbert_lab.experiments.evaluation import sections
from sbert_lab.experiments.results import Outcome, Row
from sbert_lab.experiments.systems import name_of
from sbert_lab.experiments.table4 import triplets
from sbert_lab.profiles import Profile


def rows(profile: Profile) -> list[Row]:
    def score(encoder: SentenceEncoder) -> Outcome:
        test = triplets(profile, "test")
        return Outcome({"accuracy": sections.triplet_accuracy(encoder.encode, test)})

    def trained(seed: int) -> Outcome:
        return score(zoo.get("sbert-sections", seed=seed, profile=profile, show_progress=False))

    def raw(seed: int) -> Outcome:
        return score(SentenceEncoder.load(profile.backbone))

    return [
        Row(name=name_of("raw-mean"), run=raw, kind="floor", note="the backbone before training"),
        Row(name="trained", run=trained, note="the triplet objective on sections"),
    ]


def data_seen(profile: Profile) -> str:
    there = {split: len(triplets(profile, split)) for split in ("train", "test")}
    return f"trained on {there['train']:,} triplets; {there['test']:,} test triplets"
