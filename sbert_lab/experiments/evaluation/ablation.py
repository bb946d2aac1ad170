"""Ablations (Table 6): change one thing, keep all others, and score on STSb's dev set.

A `Cell` is one such choice. Cells of one objective train on the same pairs with the same settings;
a difference between two of them is then the work of what was changed, or of chance.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from sbert_lab import data
from sbert_lab.errors import InputError, require_choice
from sbert_lab.experiments.building import build, train_task
from sbert_lab.experiments.zoo import random_encoder
from sbert_lab.objectives import CONCATENATIONS, PAPER_CONCATENATION
from sbert_lab.pooling import POOLERS
from sbert_lab.profiles import Profile, TrainConfig
from sbert_lab.tasks import Siamese

OBJECTIVES = {"NLI": "classification", "STSb": "regression"}
POOLINGS = {"MEAN": "mean", "MAX": "max", "CLS": "cls"}
PARTS = ("u", "v", "|u-v|", "u*v")
# Outside profile paper a cell sees 3,000 pairs: NLI 3,000 once, STSb 1,500 twice.
PAIRS = {"NLI": 3_000, "STSb": 1_500}
EPOCHS = {"NLI": 1, "STSb": 2}
SUBSET_SEED = 0


@dataclass(frozen=True, kw_only=True)
class Cell:
    """One choice of each dial. `shuffled` deals the answers out anew; `start` is the beginning."""

    objective: str = "NLI"
    pooling: str = "mean"
    concatenation: str = PAPER_CONCATENATION
    start: str = "backbone"
    shuffled: bool = False

    def __post_init__(self) -> None:
        require_choice("objective", self.objective, OBJECTIVES)
        require_choice("pooling", self.pooling, POOLERS)
        require_choice("concatenation", self.concatenation, CONCATENATIONS)
        require_choice("start", self.start, ("backbone", "random"))


def training_pairs(objective: str, profile: Profile, *, shuffled: bool = False) -> list[dict]:
    """The pairs that all cells of an objective train on: the same for every cell and seed."""
    names = {"NLI": profile.nli, "STSb": "stsb"}
    corpus = names[require_choice("objective", objective, OBJECTIVES)]
    rows = data.load(corpus, "train", profile=profile)
    if profile.short_cells and len(rows) > PAIRS[objective]:
        order = np.random.default_rng(SUBSET_SEED).permutation(len(rows))
        rows = rows.select(np.sort(order[: PAIRS[objective]]))
    rows = list(rows)
    return shuffle_answers(rows, "label" if objective == "NLI" else "score") if shuffled else rows


def shuffle_answers(rows: Sequence[dict], column: str) -> list[dict]:
    """The same pairs and the same answers, but no answer belongs to its pair any more."""
    order = np.random.default_rng(SUBSET_SEED).permutation(len(rows))
    return [{**row, column: rows[other][column]} for row, other in zip(rows, order, strict=True)]


def settings(objective: str, profile: Profile, seed: int) -> TrainConfig:
    """The profile's settings for that objective; outside profile paper with fewer epochs."""
    config = profile.train if objective == "NLI" else profile.sts
    if profile.short_cells:
        config = replace(config, epochs=EPOCHS[objective])
    return replace(config, seed=seed)


def start_encoder(cell: Cell, profile: Profile, seed: int):
    """The encoder before training: pretrained, or of random weights."""
    if cell.start == "random":
        return random_encoder(profile, seed, cell.pooling)
    return build(f"raw-{cell.pooling}", profile, seed)


def train_cell(cell: Cell, profile: Profile, seed: int, *, show_progress: bool = False):
    """Train one cell with one seed; the encoder, without the head."""
    encoder = start_encoder(cell, profile, seed)
    head = {"concatenation": cell.concatenation, "seed": seed}
    task = Siamese(encoder, OBJECTIVES[cell.objective], **head)
    rows = training_pairs(cell.objective, profile, shuffled=cell.shuffled)
    config = settings(cell.objective, profile, seed)
    train_task(task, rows, config, show_progress=show_progress)
    return encoder


# ---- reading the concatenation half of the table


def presence(concatenation: str) -> dict[str, bool]:
    """Which of u, v, |u-v| and u*v the head sees."""
    name = require_choice("concatenation", concatenation, CONCATENATIONS)
    return {part: part in CONCATENATIONS[name] for part in PARTS}


def marginal_values(scores: Mapping[str, float], part: str) -> dict[tuple[str, str], float]:
    """What adding a part changed: {(without, with): points}, for all rows that differ only in it.

    `part` may be "u, v", since Table 6 never has one of them alone. Rows that the scores lack are
    left out.
    """
    wanted = frozenset(part.split(", "))
    if not wanted <= set(PARTS):
        raise InputError(f"unknown part {part!r}: choose u*v, |u-v| or 'u, v'")
    by_parts = {frozenset(CONCATENATIONS[_known(name)]): name for name in scores}
    found = {}
    for parts, name in by_parts.items():
        without = by_parts.get(parts - wanted)
        if wanted <= parts and without is not None:
            found[without, name] = scores[name] - scores[without]
    if not found:
        raise InputError(f"no two rows differ in {part!r} alone: give more of Table 6's rows")
    return found


def _known(name: str) -> str:
    return require_choice("concatenation", name, CONCATENATIONS)


def interaction(score, a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """score(a,a) + score(b,b) - score(a,b) - score(b,a): 0 for every additive score.

    A score that knows whether its two inputs are alike gives the equal pairs more (or less) than
    the mixed ones. `score` takes two batches (B, H) and gives (B,) or (B, K).
    """
    return score(a, a) + score(b, b) - score(a, b) - score(b, a)
