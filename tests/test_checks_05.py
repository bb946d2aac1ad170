"""The checks of notebook 05: right answers pass in any style; wrong ones beyond the tables."""

import random
from functools import partial

import numpy as np
import pytest
import torch
from conftest import expect
from sklearn.metrics import roc_auc_score

from sbert_lab.course import curve, nb05
from sbert_lab.course.diagnose import CORRECT
from sbert_lab.experiments.evaluation.sts import spearman
from sbert_lab.objectives import concatenate

# ---- (u, v, |u-v|)


@pytest.mark.parametrize(
    ("answer", "line"),
    [
        (lambda u, v: torch.cat([u, v, (u - v).abs()], dim=1), CORRECT),
        (
            lambda u, v: torch.hstack((u, v, torch.maximum(u, v) - torch.minimum(u, v))),
            CORRECT,
        ),
        (lambda u, v: np.concatenate([u, v, np.abs(u.numpy() - v.numpy())], axis=-1), CORRECT),
        (lambda u, v: torch.cat([v, u, (u - v).abs()], dim=1), "another order"),
        (lambda u, v: torch.cat([u, v], dim=1), "shape (4, 6)"),
        (lambda u, v: torch.cat([u, v, u + v], dim=1), "it should be"),
    ],
)
def test_the_features_pass_in_any_style(answer, line):
    expect(line, nb05.features, answer)


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


@pytest.mark.parametrize(
    ("answer", "line"),
    [
        (by_argmax, CORRECT),
        (pair_by_pair, CORRECT),
        (lambda head, u, v: 0.123, "you have 0.123"),
        (lambda head, u, v: by_argmax(nb05._head_and_pairs()[0], u, v), "use the head"),
        (lambda head, u, v: head(concatenate(u, v)), "one number"),
        (lambda head, u, v: head(u, v), "count them"),
        (
            lambda head, u, v: (
                head(concatenate(u, v)).argmax() != head(concatenate(v, u)).argmax()
            ).float(),
            "argmax(dim=1), one class per pair",
        ),
    ],
)
def test_the_share_of_flips_passes_in_any_style(answer, line):
    expect(line, nb05.flip_share, answer)


# ---- the shuffled control


def relabel(rows, labels):
    return [{**row, "label": int(label)} for row, label in zip(rows, labels, strict=True)]


def permuted(rows, seed):
    return relabel(rows, np.random.default_rng(seed).permutation([row["label"] for row in rows]))


def control(fit, train_rows, dev_rows, seeds, *, shuffle=permuted):
    return [fit(shuffle(train_rows, seed), seed)(dev_rows) for seed in seeds]


def in_another_style(fit, train_rows, dev_rows, seeds):
    def one(seed):
        labels = [row["label"] for row in train_rows]
        random.Random(seed).shuffle(labels)
        return fit(relabel(train_rows, labels), seed=seed)(list(dev_rows))

    return np.array([one(seed) for seed in seeds])


def on_training_pairs(fit, train_rows, dev_rows, seeds):
    shuffled = [permuted(train_rows, seed) for seed in seeds]
    return [fit(rows, seed)(rows) for rows, seed in zip(shuffled, seeds, strict=True)]


def new_labels(rows, seed):
    return relabel(rows, np.random.default_rng(seed).integers(3, size=len(rows)))


def in_place(rows, seed):
    for row, other in zip(rows, permuted(rows, seed), strict=True):
        row["label"] = other["label"]
    return rows


def never_scored(fit, train_rows, dev_rows, seeds):
    control(lambda rows, seed: fit(rows, seed) and (lambda rows: 0.33), train_rows, dev_rows, seeds)
    return [0.33] * len(seeds)


@pytest.mark.parametrize(
    ("answer", "line"),
    [
        (control, CORRECT),
        (in_another_style, CORRECT),
        (on_training_pairs, "scored on training pairs"),
        (lambda fit, train, dev, seeds: control(fit, train, dev, seeds[:1]), "one draw"),
        (
            lambda fit, train, dev, seeds: control(fit, train, dev, [1] * len(seeds)),
            "the same shuffled labels",
        ),
        (
            partial(
                control, shuffle=lambda rows, seed: random.Random(seed).sample(rows, len(rows))
            ),
            "every pair still has its own label",
        ),
        (partial(control, shuffle=new_labels), "permute the old"),
        (partial(control, shuffle=in_place), "train_rows was changed"),
        (
            lambda fit, train, dev, seeds: control(fit, train, permuted(dev, 0), seeds),
            "dev labels were shuffled too",
        ),
        (
            partial(control, shuffle=lambda rows, seed: permuted(rows[::2], seed)),
            "all pairs of train_rows",
        ),
        (never_scored, "gives back a function"),
        (
            lambda fit, train, dev, seeds: float(np.mean(control(fit, train, dev, seeds))),
            "one per seed",
        ),
        (lambda fit, train, dev, seeds: control(fit, train, dev, seeds)[::-1], "in the order"),
        (lambda fit, train, dev, seeds: [1 / 3] * 3, "nothing was trained"),
        (lambda fit, train, dev, seeds: [fit([0, 1, 2], 1)(dev)], "whole rows"),
        (lambda fit, train, dev, seeds: train["label"], "for row in rows"),
    ],
)
def test_a_right_control_passes_in_any_style_and_a_wrong_one_gets_its_hint(answer, line):
    expect(line, nb05.shuffled_control, answer)


# ---- classes in order


def by_loops(entailment, contradiction):
    found = [1 if e > c else 0.5 if e == c else 0 for e in entailment for c in contradiction]
    return sum(found) / len(found)


def from_scikit_learn(entailment, contradiction):
    is_entailment = np.repeat([1, 0], [len(entailment), len(contradiction)])
    return roc_auc_score(is_entailment, np.concatenate([entailment, contradiction]))


@pytest.mark.parametrize(
    ("answer", "line"),
    [
        (by_loops, CORRECT),
        (from_scikit_learn, CORRECT),
        (lambda e, c: 0.5, "5 x 7 comparisons"),
        (lambda e, c: e[:, None] > c, "one number"),
        (lambda e, c: by_loops(e, c) if len(c) == 7 else 0.5, "7 x 3 comparisons"),
    ],
)
def test_classes_in_order_pass_by_loops_and_from_scikit_learn(answer, line):
    expect(line, nb05.in_order, answer)


# ---- the bands of the curves


def test_a_band_holds_its_curve_and_says_how_far_other_pairs_scatter():
    rng, n, r = np.random.default_rng(0), 400, 0.7
    (low, high), (worst, best) = curve._bands(np.array([40.0]), np.array([100 * r]), (n, n))
    shares = rng.binomial(n, 0.4, size=4_000) / n
    assert abs(np.mean((low < 100 * shares) & (100 * shares < high)) - 0.95) < 0.02
    drawn = rng.multivariate_normal([0, 0], [[1, r], [r, 1]], size=(400, n))
    found = np.array([100 * spearman(*one.T) for one in drawn])
    assert abs(np.ptp(np.quantile(found, [0.025, 0.975])) - (best - worst)[0]) < 2
