"""The checks of notebook 03: right answers pass in any style; wrong ones beyond the tables."""

import numpy as np
import pytest
import torch
from conftest import expect
from scipy import stats

from sbert_lab.course import nb03
from sbert_lab.course.diagnose import CORRECT
from sbert_lab.similarity import all_cosine, pairwise_cosine


def pearson(a, b):
    return np.corrcoef(a, b)[0, 1]


def spearman_by_unique(gold, predicted):
    def ranks(values):
        _, place, counts = np.unique(values, return_inverse=True, return_counts=True)
        return (np.cumsum(counts) - (counts - 1) / 2)[place]

    return pearson(ranks(gold), ranks(predicted))


def spearman_with_loops(gold, predicted):
    def ranks(values):
        ordered = sorted(values)
        return [ordered.index(x) + (ordered.count(x) + 1) / 2 for x in values]

    return float(pearson(ranks(list(gold)), ranks(list(predicted))))


def places(values):
    return np.argsort(np.argsort(values))


@pytest.mark.parametrize(
    ("answer", "line"),
    [
        (lambda gold, predicted: stats.spearmanr(gold, predicted).statistic, "a library did"),
        (spearman_by_unique, CORRECT),
        (spearman_with_loops, CORRECT),
        (lambda gold, predicted: pearson(places(gold), places(predicted)), "must share the mean"),
        (
            lambda gold, predicted: pearson(stats.rankdata(gold), places(predicted)),
            "rank both the same way",
        ),
        (lambda gold, predicted: np.zeros(3), "one number"),
        (lambda gold, predicted: pearson(0 * gold, predicted), "same rank everywhere"),
        (lambda gold, predicted: 0.123, "1, 2.5, 2.5"),
    ],
)
def test_spearman_is_right_in_any_style(answer, line):
    expect(line, nb03.spearman, answer)


def unit(x):
    return x / np.linalg.norm(x, axis=1, keepdims=True)


def random_by_mask(u, v):
    table = all_cosine(torch.from_numpy(u), torch.from_numpy(v))
    return table[~torch.eye(len(u), dtype=torch.bool)].mean()


def random_by_rolling(u, v):
    shifts = range(1, len(u))
    return np.mean([(unit(u) * np.roll(unit(v), s, axis=0)).sum(1).mean() for s in shifts])


@pytest.mark.parametrize(
    ("answer", "line"),
    [
        (random_by_mask, CORRECT),
        (random_by_rolling, CORRECT),
        (lambda u, v: unit(u) @ unit(v).T, "one number"),
        (lambda u, v: 0.5, "table of all cosines"),
    ],
)
def test_random_pairs_are_right_in_any_style(answer, line):
    expect(line, nb03.random_pair_cosine, answer)


def centred_with_torch(u, v):
    both = torch.from_numpy(np.stack([u, v]))  # (2, N, H)
    return pairwise_cosine(*(both - both.mean(dim=(0, 1))))


def centred_with_two_halves(u, v):
    middle = (u.mean(0) + v.mean(0)) / 2
    return (unit(u - middle) * unit(v - middle)).sum(1)


def centred_in_place(u, v):
    mean = np.concatenate([u, v]).mean(0)
    u -= mean
    v -= mean
    return (unit(u) * unit(v)).sum(1)


@pytest.mark.parametrize(
    ("answer", "line"),
    [
        (centred_with_torch, CORRECT),
        (centred_with_two_halves, CORRECT),
        (centred_in_place, "changed the vectors"),
        (lambda u, v: 0.0, "shape (6,)"),
        (lambda u, v: np.zeros(6), "one mean vector"),
    ],
)
def test_centring_is_right_in_any_style(answer, line):
    expect(line, nb03.centred_cosine, answer)
