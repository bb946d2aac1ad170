"""When does NLI help? STSb Spearman against the pairs seen, the pretraining and the objective (05).

Every row tunes one backbone once over the same NLI pairs and looks at it after 1,000, 2,000, 4,000
... of them. Rates were chosen on STSb dev and NLI dev; the seven STS sets of Table 1 are looked at
once, at the end. Backbones of shorter pretraining are those that data/build/pretraining/export.py
wrote into runs/pretraining. A run that is cut off goes on where it was.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path

import torch

from sbert_lab import data
from sbert_lab.encoder import SentenceEncoder
from sbert_lab.experiments import minilm, table1, zoo
from sbert_lab.experiments.evaluation import sts
from sbert_lab.experiments.results import Outcome, Row
from sbert_lab.files import read_json, write_json
from sbert_lab.paths import runs_dir
from sbert_lab.profiles import Profile, TrainConfig, lesson
from sbert_lab.tasks import Siamese
from sbert_lab.training import train

LENGTHS = (5, 10, 20, 25)  # million tokens of pretraining, beside the backbone's own
PAIRS = {"own": 8_192, "real": 16_384}  # at most so many: minutes for a row on one core
FIRST_LOOK, WATCHED, LOWER = 1_000, 2_000, 3
SOFTMAX, NEGATIVES = "classification", "in-batch negatives"
gold = table1.gold


def rows(profile: Profile) -> list[Row]:
    """The backbone with three kinds of labels, then its younger selves, as far as at hand."""
    profile = lesson(profile)

    def row(name: str, start: Callable[[int], SentenceEncoder], note: str, **given) -> Row:
        objective, kind = given.pop("objective", SOFTMAX), given.pop("kind", "system")
        run = lambda seed: _curve(profile, name, start(seed), objective, seed, **given)  # noqa: E731
        return Row(name=name, run=run, note=note, kind=kind)

    backbone = partial(_open, profile.backbone, profile)
    raw = lambda seed: table1.outcome(backbone(seed).encode, profile)  # noqa: E731
    found = [
        Row(name="raw BERT MEAN", run=raw, note="the backbone as it came out of pretraining"),
        row("softmax", backbone, "the paper's objective; the head learns faster than the encoder"),
        row("softmax, one rate", backbone, "the same, but head and encoder learn equally fast",
            head_times=1.0),
        row(NEGATIVES, backbone, "the entailments, other rows of the batch as negatives",
            objective=NEGATIVES),
        row(f"{NEGATIVES}, more", backbone, "the same from as many pairs as softmax has",
            objective=NEGATIVES, kind="extra", filled=True),
        row("softmax, shuffled labels", backbone, "the labels dealt out anew", kind="floor",
            shuffled=True),
        row("softmax, random start", lambda seed: zoo.random_encoder(profile, seed),
            "the backbone's shape, nothing learned before", kind="floor"),
    ]  # fmt: skip
    for millions, folder in _younger(profile).items():
        start = partial(_open, folder, profile)
        note = f"the backbone after {millions} million tokens of pretraining"
        found.append(row(f"softmax, {millions} million tokens", start, note))
    if profile.minilm and not profile.apart:
        note = f"the first {LOWER} of all-MiniLM-L6-v2's 6 layers: a larger network"
        found.append(row("softmax, MiniLM's lower half", _lower_half, note, kind="extra"))
    return found


def data_seen(profile: Profile) -> str:
    covered = data.coverage(profile.nli, "train", profile=profile)
    return f"at most {_most(profile):,} of {covered}, one epoch"


def about(profile: Profile) -> dict:
    config = _config(lesson(profile))
    return {
        "backbone": lesson(profile).backbone,
        "settings": {
            "learning_rate": config.learning_rate,
            "head_times": config.head_times,
            "batch_size": config.batch_size,
            "schedule": config.schedule,
            "precision": config.precision,
        },
    }


def _config(profile: Profile) -> TrainConfig:
    return replace(profile.train, epochs=1)


def _most(profile: Profile) -> int:
    return PAIRS["own" if profile.own_data else "real"]


def _younger(profile: Profile) -> dict[int, Path]:
    """Million tokens of pretraining -> folder, for those that are at hand."""
    name = Path(profile.backbone).name
    folders = {millions: runs_dir("pretraining", f"{name}-{millions}") for millions in LENGTHS}
    return {millions: folder for millions, folder in folders.items() if folder.is_dir()}


def _open(folder: str | Path, profile: Profile, seed: int) -> SentenceEncoder:
    return SentenceEncoder.load(folder, max_length=profile.max_length)


def _lower_half(seed: int) -> SentenceEncoder:
    encoder = minilm.load()
    encoder.backbone.encoder.layer = encoder.backbone.encoder.layer[:LOWER]
    encoder.backbone.config.num_hidden_layers = LOWER
    return encoder


def _pairs(
    profile: Profile, objective: str, seed: int, *, shuffled: bool, filled: bool
) -> list[dict]:
    """The first training pairs in an order of the seed's; `filled`: as many where some drop out."""
    pairs = [dict(row) for row in data.load(profile.nli, "train", profile=profile)]
    rng = random.Random(seed)
    rng.shuffle(pairs)
    if not filled:
        pairs = pairs[: _most(profile)]
    if objective == NEGATIVES:
        pairs = [
            {"anchor": row["sentence1"], "positive": row["sentence2"]}
            for row in pairs
            if row["label"] == 0
        ]
    pairs = pairs[: _most(profile)]
    if shuffled:
        labels = [row["label"] for row in pairs]
        rng.shuffle(labels)
        pairs = [{**row, "label": label} for row, label in zip(pairs, labels, strict=True)]
    return pairs


def _curve(
    profile: Profile,
    name: str,
    encoder: SentenceEncoder,
    objective: str,
    seed: int,
    shuffled: bool = False,
    filled: bool = False,
    **changed: float,
) -> Outcome:
    """One epoch; `info` has [pairs seen, NLI dev accuracy or None, STSb dev Spearman] per look."""
    pairs = _pairs(profile, objective, seed, shuffled=shuffled, filled=filled)
    task = Siamese(encoder, objective, seed=seed)
    config = replace(_config(profile), **changed)
    if objective == NEGATIVES:
        config = replace(config, bucket_batches=0)  # batches of mixed length: harder to tell by it
    every = max(1, FIRST_LOOK // config.batch_size)
    config = replace(config, seed=seed, evaluate_every=every)
    where = "-".join(["nli", profile.name, *filter(None, [profile.apart])])
    folder = runs_dir("studies", where, f"{name.replace(' ', '-').replace(',', '')}-{seed}")
    look = _Looks(profile, folder / "points.json", len(pairs))
    if not look.points:
        look.take(task, 0)
    _count_pairs(task)
    train(task, pairs, config, evaluate=look, run_dir=folder / "run", show_progress=False)
    seen, right, spearman = look.points[-1]
    scores = {"stsb dev": spearman, "gain": spearman - look.points[0][2]}
    if right is not None:
        scores["nli dev"] = right
    tested = table1.outcome(task.encoder.encode, profile)
    info = {"curve": look.points, "pairs": seen}
    return Outcome({**scores, **tested.scores}, tested.predictions, info)


def _count_pairs(task: Siamese) -> None:
    """The task counts the pairs it trained on; the number is saved and resumed with its weights."""
    task.register_buffer("seen", torch.zeros((), dtype=torch.long))

    def count(module: Siamese, batches: tuple) -> None:
        if module.training:
            module.seen += len(batches[0][module.texts[0]]["input_ids"])

    task.register_forward_pre_hook(count)


class _Looks:
    """Called now and then by train(); looks when the pairs seen have doubled, and at the end."""

    def __init__(self, profile: Profile, path: Path, pairs: int) -> None:
        self.path, self.pairs = path, pairs
        self.points = read_json(path) if path.is_file() else []
        watched = data.load(profile.nli, "dev", profile=profile).shuffle(seed=1)
        self.watched = watched.select(range(min(WATCHED, len(watched))))
        self.stsb = data.load("stsb", "dev", profile=profile)

    def __call__(self, task: Siamese) -> float:
        """A number that grows with every look, so that train() keeps the last weights."""
        seen = int(task.seen)
        self.points = [p for p in self.points if p[0] < max(1, seen)]  # a resumed run looks again
        if seen >= max(FIRST_LOOK, 2 * self.points[-1][0]) or seen >= self.pairs:
            self.take(task, seen)
        return float(len(self.points))

    def take(self, task: Siamese, seen: int) -> None:
        right = None
        if task.head is not None:
            predicted = task.predict_labels(self.watched["sentence1"], self.watched["sentence2"])
            right = 100 * float((predicted == torch.tensor(self.watched["label"])).float().mean())
        spearman = sts.score_pairs(task.encoder.encode, self.stsb).spearman
        self.points.append([seen, right, spearman])
        write_json(self.path, self.points)
