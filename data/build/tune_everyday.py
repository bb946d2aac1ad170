"""Tune mini-bert-2 on everyday pairs: the bars of EVERYDAY.md that need a backbone.

    SBERT_LAB_DATA=/path/to/corpora python data/build/tune_everyday.py

One run each, one epoch: the softmax objective, the same with its labels dealt out anew, and a
cross-encoder. About three minutes on one free core. Without a copy of real STSb, that is left out.
"""

import random
import sys
from dataclasses import dataclass, replace

import numpy as np

from sbert_lab import data
from sbert_lab.encoder import SentenceEncoder
from sbert_lab.errors import LabError
from sbert_lab.experiments import table1
from sbert_lab.experiments.evaluation import sts, sts_sets
from sbert_lab.profiles import TrainConfig, get_profile
from sbert_lab.tasks import CrossEncoder, Siamese
from sbert_lab.training import train

BACKBONE, SEED, PAIRS, UNSEEN = "mini-bert-2", 1, 4_000, 1_000
SOFTMAX = TrainConfig(batch_size=32, learning_rate=1e-4, head_times=30, seed=SEED)
CROSS = replace(SOFTMAX, learning_rate=2e-4, head_times=1)
HEADS = ("accuracy", "mini STSb dev", "average of the seven mini sets", "real STSb dev")


@dataclass(frozen=True)
class Look:
    """Per cent right and Spearman x 100; the cosines of the seven sets for the bootstrap."""

    name: str
    scores: tuple[float | None, ...]  # in the order of HEADS
    cosines: dict[str, np.ndarray]


def draw(name: str, split: str, count: int) -> list[dict]:
    """Some rows of a corpus, always the same ones."""
    columns = ["sentence1", "sentence2", "label"]
    rows = list(data.load(name, split, profile="mini").select_columns(columns))
    random.Random(SEED).shuffle(rows)
    return rows[:count]


def deal_labels(rows: list[dict]) -> list[dict]:
    """The same labels on other pairs."""
    labels = [row["label"] for row in rows]
    random.Random(SEED + 1).shuffle(labels)
    return [{**row, "label": label} for row, label in zip(rows, labels, strict=True)]


def accuracy(task: Siamese | CrossEncoder, rows: list[dict]) -> float:
    sides = [[row[side] for row in rows] for side in ("sentence1", "sentence2")]
    if isinstance(task, CrossEncoder):
        given = task.predict(*sides).argmax(axis=1)
    else:
        given = task.predict_labels(*sides).numpy()
    return 100 * float((given == np.array([row["label"] for row in rows])).mean())


def real_stsb() -> list[dict] | None:
    try:
        return data.load("stsb", "dev", profile="real")
    except LabError as problem:
        print(f"real STSb left out: {problem}", file=sys.stderr)
        return None


def look_at(name: str, task: Siamese, unseen: list[dict], real: list[dict] | None) -> Look:
    encode = task.encoder.encode
    seven = table1.outcome(encode, get_profile("mini"))
    mini = sts.score_pairs(encode, data.load("stsb", "dev", profile="mini")).spearman
    beside = sts.score_pairs(encode, real).spearman if real else None
    scores = (accuracy(task, unseen), mini, seven.scores["average"], beside)
    return Look(name=name, scores=scores, cosines=seven.predictions)


def gains(after: Look, before: Look) -> np.ndarray:
    """What the average of the seven sets gained on resampled pairs: (samples,)."""
    gold = table1.gold(get_profile("mini"))
    drawn = [
        sts.bootstrap_difference(gold[name], after.cosines[name], before.cosines[name], seed=number)
        for number, name in enumerate(sts_sets.SETS)
    ]
    return np.mean(drawn, axis=0)


def line(name: str, scores: tuple[float | None, ...]) -> str:
    cells = ["-" if score is None else f"{score:.1f}" for score in scores]
    return f"| {' | '.join([name, *cells])} |"


def main() -> int:
    rows, unseen = draw("everyday", "train", PAIRS), draw("everyday_snli", "dev", UNSEEN)
    real = real_stsb()
    print(f"| {' | '.join(['', *HEADS])} |\n{'|---' * (len(HEADS) + 1)}|")

    def tuned(name: str, pairs: list[dict]) -> Look:
        task = Siamese(SentenceEncoder.load(BACKBONE), "classification", seed=SEED)
        if pairs:
            train(task, pairs, SOFTMAX, show_progress=False)
        found = look_at(name, task, unseen, real)
        print(line(found.name, found.scores), flush=True)
        return found

    before = tuned("before", [])
    after = [tuned("softmax", rows), tuned("softmax, shuffled labels", deal_labels(rows))]
    cross = CrossEncoder(SentenceEncoder.load(BACKBONE), "classification", seed=SEED)
    train(cross, rows, CROSS, show_progress=False)
    print(line("cross-encoder", (accuracy(cross, unseen), None, None, None)), "\n", sep="")
    for look in after:
        low, high = sts.interval(gains(look, before))
        gain = look.scores[2] - before.scores[2]
        print(f"{look.name}: average of the seven {gain:+.1f}, 95 % from {low:+.1f} to {high:+.1f}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
