"""The softmax objective and in-batch negatives with the same budget (notebook 17): three minutes.

Every trained system starts from the profile's backbone, sees as many NLI pairs once and has the
same settings, tuned for neither. Softmax takes pairs of all three labels, in-batch negatives the
entailments. The metric was fixed before the run: the mean over the STS sets ("sts").
"""

import time
from collections.abc import Callable
from dataclasses import replace
from functools import cache

import torch
from torch.nn import functional as F

from sbert_lab import data
from sbert_lab.encoder import SentenceEncoder
from sbert_lab.experiments.building import build, train_task
from sbert_lab.experiments.evaluation import everything
from sbert_lab.experiments.results import Outcome, Row
from sbert_lab.experiments.systems import name_of
from sbert_lab.experiments.zoo import random_encoder
from sbert_lab.experiments.zoo.rows import nli_pairs
from sbert_lab.profiles import Profile, TrainConfig
from sbert_lab.tasks import Siamese

STEPS, SEEDS, METRIC = 48, 3, "sts"
OBJECTIVE = "in-batch negatives"


class Masked(Siamese):
    """In-batch negatives that leave out twins: rows that share an anchor or a positive."""

    def prepare(self, rows):
        prepared = super().prepare(rows)
        prepared.columns["words"] = [tuple(row[name] for name in self.texts) for row in rows]
        return prepared

    def collate(self, rows):
        batch = super().collate(rows)
        keys = list(zip(*(row["words"] for row in rows), strict=True))  # all anchors, all positives
        twins = torch.tensor([[any(k[i] == k[j] for k in keys) for j in range(len(rows))]
                              for i in range(len(rows))])  # fmt: skip
        batch["twins"] = twins & ~torch.eye(len(rows), dtype=torch.bool)  # (B, B)
        return batch

    def forward(self, batch):
        u, v = (F.normalize(self.encoder(**batch[name]), dim=-1) for name in self.texts)
        logits = (self.scale * u @ v.T).masked_fill(batch["twins"], float("-inf"))
        return F.cross_entropy(logits, torch.arange(len(u), device=u.device))


def rows(profile: Profile) -> list[Row]:
    """Floors, the start, the three objectives, and an encoder that had other data."""

    def start() -> SentenceEncoder:
        return build("raw-mean", profile)

    def entailed(seed: int, kind: type[Siamese] = Siamese) -> SentenceEncoder:
        return _fit(profile, kind(start(), OBJECTIVE), _entailments(profile), seed)

    def shuffled(seed: int) -> SentenceEncoder:
        return _fit(profile, Siamese(start(), OBJECTIVE), _shuffled(_entailments(profile)), seed)

    def softmax(seed: int) -> SentenceEncoder:
        return _fit(profile, Siamese(start(), "classification", seed=seed), _nli(profile), seed)

    def row(name: str, make: Callable[[int], SentenceEncoder], note: str, **given) -> Row:
        return Row(name=name, run=lambda seed: _outcome(profile, make, seed), note=note, **given)

    pairs = f"{STEPS * _config(profile).batch_size:,}"
    return [
        row(name_of("random-weights"), lambda seed: random_encoder(profile, seed),
            "mini-bert's shape, nothing learned", kind="floor"),
        row("in-batch, shuffled", shuffled, "as in-batch negatives, positives dealt out anew",
            kind="floor"),
        row(name_of("raw-mean"), lambda seed: start(), "where all of them start"),
        row("softmax", softmax, f"{pairs} NLI pairs of all labels, softmax(u, v, |u-v|)",
            seeds=SEEDS),
        row("in-batch negatives", entailed, f"{pairs} entailment pairs", seeds=SEEDS),
        row("in-batch, twins masked", lambda seed: entailed(seed, Masked),
            "the same; rows that share a text do not count", seeds=SEEDS),
        row("mini-sbert", lambda seed: SentenceEncoder.load("mini-sbert"),
            "taught by a larger encoder's vectors: other data", kind="extra"),
    ]  # fmt: skip


def data_seen(profile: Profile) -> str:
    return str(data.coverage(profile.nli, "train", profile=profile))


def about(profile: Profile) -> dict:
    config = _config(profile)
    settings = {"batch_size": config.batch_size, "steps": STEPS, "scale": 20.0}
    return {
        "metric": METRIC,
        "pairs seen": STEPS * config.batch_size,
        "settings": {**settings, "learning_rate": config.learning_rate},
        "tests": dict(_tests(profile).about),
    }


def _config(profile: Profile) -> TrainConfig:
    return replace(profile.train, max_steps=STEPS, bucket_batches=0)  # batches of mixed length


def _outcome(profile: Profile, make: Callable[[int], SentenceEncoder], seed: int) -> Outcome:
    began = time.process_time()
    encoder = make(seed)
    trained = time.process_time()
    scores = everything.score(encoder.encode, _tests(profile))
    seconds = {"training": trained - began, "scoring": time.process_time() - trained}
    return Outcome(scores, info={"cpu_seconds": {k: round(v, 1) for k, v in seconds.items()}})


def _fit(profile: Profile, task: Siamese, pairs: list[dict], seed: int) -> SentenceEncoder:
    train_task(task, pairs, replace(_config(profile), seed=seed))
    return task.encoder


@cache
def _tests(profile: Profile) -> everything.Tests:
    return everything.load_tests(profile)


@cache
def _nli(profile: Profile) -> list[dict]:
    return [dict(row) for row in nli_pairs(profile)]


def _entailments(profile: Profile) -> list[dict]:
    rows = (row for row in _nli(profile) if row["label"] == 0)
    return [{"anchor": row["sentence1"], "positive": row["sentence2"]} for row in rows]


def _shuffled(pairs: list[dict]) -> list[dict]:
    """Each anchor with the positive of another: the floor."""
    order = torch.randperm(len(pairs), generator=torch.Generator().manual_seed(0)).tolist()
    return [{**row, "positive": pairs[i]["positive"]} for row, i in zip(pairs, order, strict=True)]
