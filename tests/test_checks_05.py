"""The checks of notebook 05: right answers pass in any style, known wrong ones get their hint."""

import random

import numpy as np
import pytest
import torch

from sbert_lab.course import nb05
from sbert_lab.course.diagnose import CORRECT, NOT_ATTEMPTED, verdict_of
from sbert_lab.objectives import concatenate

# ---- (u, v, |u-v|)


@pytest.mark.parametrize(
    "answer",
    [
        lambda u, v: torch.cat([u, v, (u - v).abs()], dim=1),
        lambda u, v: torch.hstack((u, v, torch.maximum(u, v) - torch.minimum(u, v))),
        lambda u, v: np.concatenate([u, v, np.abs(u.numpy() - v.numpy())], axis=-1),
    ],
)
def test_the_features_pass_in_any_style(answer):
    assert verdict_of(nb05.features, answer) == CORRECT


@pytest.mark.parametrize(
    ("answer", "hint"),
    [
        (lambda u, v: torch.cat([u, v, u - v], dim=1), "negative numbers"),
        (lambda u, v: torch.cat([u, v, v - u], dim=1), "negative numbers"),
        (lambda u, v: torch.cat([u, v, (u - v).abs()]), "4 pairs became 12 rows"),
        (lambda u, v: torch.stack([u, v, (u - v).abs()]), "torch.cat"),
        (lambda u, v: torch.cat([u, v, (u - v).abs(), u * v], dim=1), "a fourth part"),
        (lambda u, v: torch.cat([u, v, u * v], dim=1), "u*v"),
        (lambda u, v: torch.cat([u, v, (u - v) ** 2], dim=1), "squared difference"),
        (lambda u, v: torch.cat([v, u, (u - v).abs()], dim=1), "another order"),
        (lambda u, v: torch.cat([u, v], dim=1), "shape (4, 6)"),
        (lambda u, v: torch.cat([u, v, u + v], dim=1), "it should be"),
    ],
)
def test_wrong_features_get_their_hint(answer, hint):
    assert hint in verdict_of(nb05.features, answer)


def test_the_features_stub_is_not_attempted():
    def features(u, v): ...

    assert verdict_of(nb05.features, features) == NOT_ATTEMPTED


# ---- predictions that flip


def by_argmax(head, u, v):
    here, there = head(concatenate(u, v)), head(concatenate(v, u))
    return (here.argmax(dim=1) != there.argmax(dim=1)).float().mean()


def pair_by_pair(head, u, v):
    flips = 0
    for one, other in zip(u, v, strict=True):
        difference = (one - other).abs()
        here = head(torch.cat([one, other, difference])).softmax(dim=0)
        there = head(torch.cat([other, one, difference])).softmax(dim=0)
        flips += int(here.argmax()) != int(there.argmax())
    return flips / len(u)


def counted(head, u, v):
    return by_argmax(head, u, v) * len(u)


def staying(head, u, v):
    return 1 - by_argmax(head, u, v)


def by_logits(head, u, v):
    return (head(concatenate(u, v)) != head(concatenate(v, u))).any(dim=1).float().mean()


def learnt_by_heart(head, u, v):
    return by_argmax(nb05._head_and_pairs()[0], u, v)


@pytest.mark.parametrize("answer", [by_argmax, pair_by_pair])
def test_the_share_of_flips_passes_in_any_style(answer):
    assert verdict_of(nb05.flip_share, answer) == CORRECT


@pytest.mark.parametrize(
    ("answer", "hint"),
    [
        (lambda head, u, v: 0.0, "weights of their own"),
        (counted, "divide by the number of pairs"),
        (staying, "the share that stays"),
        (by_logits, "compare argmax"),
        (lambda head, u, v: 0.123, "you have 0.123"),
        (learnt_by_heart, "use the head"),
        (lambda head, u, v: head(concatenate(u, v)), "one number"),
    ],
)
def test_a_wrong_share_gets_its_hint(answer, hint):
    assert hint in verdict_of(nb05.flip_share, answer)


def test_the_flip_stub_is_not_attempted():
    def flip_share(head, u, v): ...

    assert verdict_of(nb05.flip_share, flip_share) == NOT_ATTEMPTED


# ---- the shuffled control


def relabel(rows, labels):
    return [{**row, "label": int(label)} for row, label in zip(rows, labels, strict=True)]


def control(fit, train_rows, dev_rows, seeds):
    results = []
    for seed in seeds:
        labels = np.random.default_rng(seed).permutation([row["label"] for row in train_rows])
        results.append(fit(relabel(train_rows, labels), seed)(dev_rows))
    return results


def in_another_style(fit, train_rows, dev_rows, seeds):
    def one(seed):
        labels = [row["label"] for row in train_rows]
        random.Random(seed).shuffle(labels)
        return fit(relabel(train_rows, labels), seed=seed)(list(dev_rows))

    return np.array([one(seed) for seed in seeds])


def on_training_pairs(fit, train_rows, dev_rows, seeds):
    results = []
    for seed in seeds:
        labels = np.random.default_rng(seed).permutation([row["label"] for row in train_rows])
        rows = relabel(train_rows, labels)
        results.append(fit(rows, seed)(rows))
    return results


def one_seed(fit, train_rows, dev_rows, seeds):
    return control(fit, train_rows, dev_rows, seeds[:1])


def one_shuffle(fit, train_rows, dev_rows, seeds):
    return control(fit, train_rows, dev_rows, [1] * len(seeds))


def whole_rows(fit, train_rows, dev_rows, seeds):
    return [fit(random.Random(s).sample(train_rows, len(train_rows)), s)(dev_rows) for s in seeds]


def new_labels(fit, train_rows, dev_rows, seeds):
    results = []
    for seed in seeds:
        labels = np.random.default_rng(seed).integers(3, size=len(train_rows))
        results.append(fit(relabel(train_rows, labels), seed)(dev_rows))
    return results


def in_place(fit, train_rows, dev_rows, seeds):
    results = []
    for seed in seeds:
        labels = np.random.default_rng(seed).permutation([row["label"] for row in train_rows])
        for row, label in zip(train_rows, labels, strict=True):
            row["label"] = int(label)
        results.append(fit(train_rows, seed)(dev_rows))
    return results


def dev_shuffled_too(fit, train_rows, dev_rows, seeds):
    labels = np.random.default_rng(0).permutation([row["label"] for row in dev_rows])
    return control(fit, train_rows, relabel(dev_rows, labels), seeds)


def half_of_the_pairs(fit, train_rows, dev_rows, seeds):
    return control(fit, train_rows[: len(train_rows) // 2], dev_rows, seeds)


def never_scored(fit, train_rows, dev_rows, seeds):
    control(lambda rows, seed: fit(rows, seed) and (lambda rows: 0.33), train_rows, dev_rows, seeds)
    return [0.33] * len(seeds)


def averaged(fit, train_rows, dev_rows, seeds):
    return float(np.mean(control(fit, train_rows, dev_rows, seeds)))


@pytest.mark.parametrize("answer", [control, in_another_style])
def test_a_right_control_passes_in_any_style(answer):
    assert verdict_of(nb05.shuffled_control, answer) == CORRECT


@pytest.mark.parametrize(
    ("answer", "hint"),
    [
        (on_training_pairs, "scored on training pairs"),
        (one_seed, "one control is one draw"),
        (one_shuffle, "the same shuffled labels"),
        (whole_rows, "every pair still has its own label"),
        (new_labels, "permute the old"),
        (in_place, "train_rows was changed"),
        (dev_shuffled_too, "dev labels were shuffled too"),
        (half_of_the_pairs, "all pairs of train_rows"),
        (never_scored, "gives back a function"),
        (averaged, "one per seed"),
        (lambda fit, train_rows, dev_rows, seeds: [1 / 3] * 3, "nothing was trained"),
    ],
)
def test_a_wrong_control_gets_its_hint(answer, hint):
    assert hint in verdict_of(nb05.shuffled_control, answer)


def test_the_control_stub_is_not_attempted():
    def shuffled_control(fit, train_rows, dev_rows, seeds): ...

    assert verdict_of(nb05.shuffled_control, shuffled_control) == NOT_ATTEMPTED
