"""What trained models reach on our own NLI pairs alone: floors that need a model.

SBERT and a cross-encoder, each trained on all pairs three times: per cent right on each part of dev
and test (new wordings, unseen groups, kinds and files), and SBERT's Spearman on every STS set.
"""

import json
from collections.abc import Callable
from dataclasses import replace

import numpy as np

from sbert_lab import data
from sbert_lab.encoder import SentenceEncoder
from sbert_lab.errors import InputError, LabError
from sbert_lab.experiments.evaluation.sts import score_pairs
from sbert_lab.experiments.results import Outcome, Row
from sbert_lab.experiments.systems import name_of
from sbert_lab.paths import data_dir
from sbert_lab.profiles import Profile
from sbert_lab.tasks import CrossEncoder, Siamese
from sbert_lab.training import train

EPOCHS = 3
SETS = ("sts12", "sts13", "sts14", "sts15", "sts16", "stsb", "sick")
NLI_FILES = {
    ("snli", "dev"): "snli/snli_1.0_dev.jsonl",
    ("snli", "test"): "snli/snli_1.0_test.jsonl",
    ("multinli", "dev"): "multinli/multinli_1.0_dev_matched.jsonl",
    ("multinli", "test"): "multinli/multinli_1.0_dev_mismatched.jsonl",
}


def rows(profile: Profile) -> list[Row]:
    if not profile.own_data:
        raise InputError("trained_floors is about the parts of our own corpora: choose mini")

    def raw(seed: int) -> Outcome:
        return Outcome(_sts(profile, SentenceEncoder.load(profile.backbone)))

    def sbert(seed: int) -> Outcome:
        task = Siamese(SentenceEncoder.load(profile.backbone), "classification")
        _fit(profile, task, seed)
        return Outcome(_nli(profile, task.predict_labels) | _sts(profile, task.encoder))

    def cross(seed: int) -> Outcome:
        task = CrossEncoder(SentenceEncoder.load(profile.backbone), "classification")
        _fit(profile, task, seed)
        return Outcome(_nli(profile, lambda a, b: task.predict(a, b).argmax(axis=1)))

    return [
        Row(name=name_of("raw-mean"), run=raw, kind="floor", note="the backbone before training"),
        Row(name="SBERT", run=sbert, note="softmax objective on all our NLI pairs"),
        Row(name="cross-encoder", run=cross, note="the same pairs, both sentences at once"),
    ]


def data_seen(profile: Profile) -> str:
    return str(data.coverage("nli", "train", profile=profile))


def about(profile: Profile) -> dict:
    pairs = len(data.load("nli", "train", profile=profile))
    return {"pairs": pairs, "epochs": EPOCHS, "learning_rate": profile.train.learning_rate}


def parts_of(rows: list[dict]) -> list[str]:
    """What training lacks of each row of a mini NLI file: new-wording, unseen-group, and so on."""
    return [row["pairID"].rsplit("#", 1)[1] for row in rows]


def nli_parts(name: str, split: str) -> list[str]:
    """The part of each row that data.load gives, in its order."""
    with open(data_dir("mini", NLI_FILES[name, split]), encoding="utf-8") as lines:
        return parts_of([json.loads(line) for line in lines])


def _fit(profile: Profile, task: Siamese | CrossEncoder, seed: int) -> None:
    pairs = list(data.load("nli", "train", profile=profile))
    config = replace(profile.train, epochs=EPOCHS, seed=seed)
    train(task, pairs, config)


def _nli(profile: Profile, predict: Callable[[list, list], np.ndarray]) -> dict[str, float]:
    """Per cent right on dev and test, in all and per part: 'dev all', 'dev new-wording', ..."""
    found = {}
    for split in ("dev", "test"):
        right, parts = [], []
        for name in ("snli", "multinli"):
            pairs = data.load(name, split, profile=profile)
            given = predict(list(pairs["sentence1"]), list(pairs["sentence2"]))
            right += list(np.asarray(given) == np.array(pairs["label"]))
            parts += nli_parts(name, split)
        right, parts = np.array(right), np.array(parts)
        found[f"{split} all"] = 100 * right.mean()
        found |= {f"{split} {p}": 100 * right[parts == p].mean() for p in sorted(set(parts))}
    return found


def _sts(profile: Profile, encoder: SentenceEncoder) -> dict[str, float]:
    """Spearman on the sets, their average, and on the real STSb dev set where it can be had."""
    tests = {name: data.load(name, "test", profile=profile) for name in SETS}
    found = {name: score_pairs(encoder.encode, one).spearman for name, one in tests.items()}
    found["average"] = float(np.mean(list(found.values())))
    try:
        pairs = data.load("stsb", "dev", profile="real")
        found["real stsb dev"] = score_pairs(encoder.encode, pairs).spearman
    except LabError as error:
        print(f"real STSb left out: {error}")
    return {f"sts {name}": value for name, value in found.items()}
