"""Profiles: how large a run is. They change scale, never the algorithm."""

import math
import os
from dataclasses import dataclass, field, fields, replace
from pathlib import Path

from sbert_lab.errors import InputError, choices, require_choice

SCHEDULES = ("linear", "cosine", "constant")
PRECISIONS = ("auto", "fp32", "tf32", "bf16", "fp16")


class _Settings:
    """A frozen keyword-only dataclass that answers a misspelt field with the list of fields."""

    def __new__(cls, *args: object, **given: object):
        known = [f.name for f in fields(cls)]
        for name in given:
            if name not in known:
                raise InputError(f"{cls.__name__} has no field {name!r}: choose {choices(known)}")
        return super().__new__(cls)


@dataclass(frozen=True, kw_only=True)
class TrainConfig(_Settings):
    """Everything the training loop may be told. The defaults are the paper's NLI settings."""

    epochs: int = 1
    batch_size: int = 16
    batch_tokens: int | None = None
    learning_rate: float = 2e-5
    head_times: float = 1.0  # a new head may learn so many times as fast as the encoder
    warmup_share: float = 0.1
    schedule: str = "linear"
    weight_decay: float = 0.01
    beta2: float = 0.999
    clip_norm: float = 1.0
    accumulate: int = 1
    precision: str = "auto"
    bucket_batches: int = 50
    max_steps: int | None = None
    evaluate_every: int | None = None
    checkpoint_every: int = 500
    compile: bool = False
    seed: int = 1

    def __post_init__(self) -> None:
        require_choice("schedule", self.schedule, SCHEDULES)
        require_choice("precision", self.precision, PRECISIONS)
        for name in ("epochs", "batch_size", "accumulate", "checkpoint_every"):
            value = getattr(self, name)
            if not isinstance(value, int) or value < 1:
                raise InputError(f"{name} must be a whole number of at least 1, got {value!r}")
        for name in ("max_steps", "evaluate_every", "batch_tokens"):
            value = getattr(self, name)
            if value is not None and (not isinstance(value, int) or value < 1):
                raise InputError(f"{name} must be None or a whole number >= 1, got {value!r}")
        numbers = ("learning_rate", "head_times", "warmup_share", "weight_decay", "beta2")
        for name in (*numbers, "clip_norm"):
            value = getattr(self, name)
            if not isinstance(value, (int, float)) or not math.isfinite(value):
                raise InputError(f"{name} must be a number, got {value!r}")
        for name in ("bucket_batches", "seed", "compile"):
            if not isinstance(getattr(self, name), int):
                raise InputError(f"{name} must be a whole number, got {getattr(self, name)!r}")
        for name in ("learning_rate", "head_times"):
            if getattr(self, name) <= 0:
                raise InputError(f"{name} must be above 0, got {getattr(self, name)!r}")
        if not 0 <= self.warmup_share < 1:
            raise InputError(f"warmup_share must lie in [0, 1), got {self.warmup_share!r}")
        if self.bucket_batches < 0 or self.weight_decay < 0 or self.clip_norm < 0:
            raise InputError("bucket_batches, weight_decay and clip_norm must not be negative")


@dataclass(frozen=True, kw_only=True)
class Profile(_Settings):
    """One scale of the course: which backbone, which data, how many seeds, which settings.

    What is not said is as in the paper. Code asks these fields, never for the profile's name.
    """

    name: str
    backbone: str
    roberta: str
    max_length: int
    live_seeds: int
    seeds: int
    folds: int
    train: TrainConfig = field(default_factory=TrainConfig)
    sts: TrainConfig = field(default_factory=TrainConfig)
    sections: TrainConfig = field(default_factory=TrainConfig)
    words: TrainConfig = field(default_factory=TrainConfig)
    own_data: bool = False  # the corpora are those of data/mini, written for this course
    stsb_seeds: int | None = None  # what only STSb trains takes minutes: more seeds; None: as all
    partial: bool = False  # a part of a corpus is welcome; the tables say how much there was
    minilm: bool = False  # the tables also have all-MiniLM-L6-v2, a second and stronger backbone
    claimed_words: str = "glove"  # which word vectors Table 1's claims are about
    arguments: str = "afs"  # the corpus of Table 3
    argument_folds: int = 10
    topic_folds: int | None = None  # None: every topic is a fold of its own
    more_arguments: str | None = None  # a second corpus for Table 3, in columns beside the first
    argument_epochs: int = 4
    built_sections: bool = False  # Table 4's triplets are built from WikiText-2's articles
    quick_senteval: bool = False  # fewer folds and fewer choices of C
    short_cells: bool = False  # Table 6 trains on a few thousand pairs, see evaluation/ablation.py
    infersent_hidden: int = 128  # of the BiLSTM that Table 7 times; InferSent's own is 2,048
    nli: str = "nli"  # the corpus of whatever trains on NLI
    nli_pairs: int | None = None  # at most so many of its pairs are trained on; None: all
    live_pairs: int | None = None  # NLI pairs that notebook 05 trains on; None: all
    watched_pairs: int = 2_000  # dev pairs that it watches meanwhile
    studied: str | None = None  # the backbone of notebook 05 and study "nli", if another
    apart: str | None = None  # the folder for what is recorded with a backbone of your own

    def __str__(self) -> str:
        return f"profile {self.name}: {self.backbone}, {self.seeds} seeds, {self.folds} folds"


# On 4,000 to 16,000 real pairs mini-bert-2's cosines gained 7 to 9 points of STSb dev with these
# rates, lost 1 with 5e-5 for encoder and head, and lost 5 with 3e-4 for the encoder.
_NLI_TRAIN = TrainConfig(epochs=1, batch_size=32, learning_rate=1e-4, head_times=30)
# Word encoders begin with random networks and need a larger rate. On mini NLI dev an averaging net
# had 43 % with rate 1e-3 and 3 epochs, 50 % with 2e-3 and 6; four keep a BiLSTM under a minute.
_WORDS = TrainConfig(epochs=4, batch_size=64, learning_rate=2e-3)

PROFILES = {
    "mini": Profile(
        name="mini",
        backbone="mini-bert",
        roberta="mini-roberta",
        max_length=128,
        live_seeds=1,
        seeds=3,
        folds=5,
        train=_NLI_TRAIN,
        sts=TrainConfig(epochs=4, batch_size=16, learning_rate=2e-4),
        sections=TrainConfig(epochs=1, batch_size=16, learning_rate=2e-4),
        words=_WORDS,
        own_data=True,
        claimed_words="word-vectors",
        argument_folds=5,
        argument_epochs=2,
        quick_senteval=True,
        short_cells=True,
        nli="everyday",
        nli_pairs=16_384,
        live_pairs=3_000,
        watched_pairs=600,
        studied="mini-bert-2",
    ),
    "real": Profile(
        name="real",
        backbone="mini-bert-2",
        roberta="mini-roberta",
        max_length=128,
        live_seeds=1,
        seeds=3,
        folds=10,
        train=_NLI_TRAIN,
        sts=TrainConfig(epochs=4, batch_size=16, learning_rate=1e-4, head_times=10),
        sections=TrainConfig(epochs=1, batch_size=16, learning_rate=2e-4),
        words=_WORDS,
        stsb_seeds=5,
        partial=True,
        minilm=True,
        claimed_words="word-vectors",
        arguments="afs_binary",
        more_arguments="ukp_aspect",
        argument_epochs=2,
        built_sections=True,
        short_cells=True,
        nli_pairs=131_072,
    ),
    "paper": Profile(
        name="paper",
        backbone="google-bert/bert-base-uncased@86b5e0934494bd15c9632b12f734a8a67f723594",
        roberta="FacebookAI/roberta-base@e2da8e2f811d1448a5b465c236feacd80ffbac7b",
        max_length=128,
        live_seeds=10,
        seeds=10,
        folds=10,
        train=TrainConfig(),
        sts=TrainConfig(epochs=4),
        sections=TrainConfig(),
        words=_WORDS,
        infersent_hidden=2_048,
    ),
}


# Short names of public backbones, with the revisions that are known. Only bert-base is published as
# safetensors; the error about the other two says how to convert them.
PUBLIC = {
    "bert-mini": "google/bert_uncased_L-4_H-256_A-4@d8da3df2839036efd5a324678f220e05df531e09",
    "bert-small": "google/bert_uncased_L-4_H-512_A-8",
    "bert-base": PROFILES["paper"].backbone,
}


def lesson(profile: Profile) -> Profile:
    """The profile as notebook 05 and the study "nli" take it: with their backbone."""
    return replace(profile, backbone=profile.studied) if profile.studied else profile


def get_profile(name: str | None = None) -> Profile:
    """The named profile; without a name the one in $SBERT_LAB_PROFILE, else mini.

    $SBERT_LAB_BACKBONE names another backbone for profile real: bert-mini, bert-small, bert-base, a
    name in data/models, a folder, or a hub id with its revision. Its results are recorded apart.
    """
    chosen = name or os.environ.get("SBERT_LAB_PROFILE") or "mini"
    profile = PROFILES[require_choice("profile", chosen, PROFILES)]
    named = os.environ.get("SBERT_LAB_BACKBONE")
    return _on(named, profile) if named and profile.partial else profile


def _on(named: str, profile: Profile) -> Profile:
    """The profile with another backbone; one of the paper's size learns at the paper's rate."""
    backbone = named if Path(named).is_dir() else PUBLIC.get(named, named)
    if backbone == profile.backbone:
        return profile
    apart = f"on-{Path(backbone.partition('@')[0]).name}"
    profile = replace(profile, backbone=backbone, apart=apart)
    if backbone != PUBLIC["bert-base"]:
        return profile
    slow = {"learning_rate": PROFILES["paper"].train.learning_rate}
    kinds = ("train", "sts", "sections")
    return replace(profile, **{kind: replace(getattr(profile, kind), **slow) for kind in kinds})


def as_profile(profile: str | Profile | None) -> Profile:
    """A profile as it is; a name or nothing as get_profile() takes it."""
    return profile if isinstance(profile, Profile) else get_profile(profile)
