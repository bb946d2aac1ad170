"""The checks of notebook 03: right answers in any style pass, each named mistake gets its hint."""

import numpy as np
import pytest
import torch
from scipy import stats

from sbert_lab.course import nb03
from sbert_lab.course.diagnose import CORRECT, NOT_ATTEMPTED, NOT_THERE_YET, verdict_of
from sbert_lab.similarity import all_cosine, pairwise_cosine


def stub(u, v): ...


@pytest.mark.parametrize(
    "check", [nb03.spearman, nb03.random_pair_cosine, nb03.centred_cosine], ids=lambda c: c.__name__
)
def test_a_stub_is_not_attempted(check):
    assert verdict_of(check, stub) == NOT_ATTEMPTED
    assert verdict_of(check, None) == NOT_ATTEMPTED


def pearson(a, b):
    return np.corrcoef(a, b)[0, 1]


def spearman_of_scipy(gold, predicted):
    return stats.spearmanr(gold, predicted).statistic


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


@pytest.mark.parametrize("answer", [spearman_of_scipy, spearman_by_unique, spearman_with_loops])
def test_spearman_is_right_in_any_style(answer):
    assert verdict_of(nb03.spearman, answer) == CORRECT


def single_argsort(gold, predicted):
    return pearson(np.argsort(gold), np.argsort(predicted))


def double_argsort(gold, predicted):
    return pearson(np.argsort(np.argsort(gold)), np.argsort(np.argsort(predicted)))


def textbook(gold, predicted):
    d, n = stats.rankdata(gold) - stats.rankdata(predicted), len(gold)
    return 1 - 6 * (d**2).sum() / (n * (n**2 - 1))


def smallest_rank(gold, predicted):
    return pearson(stats.rankdata(gold, method="min"), stats.rankdata(predicted, method="min"))


def ties_in_the_first_only(gold, predicted):
    return pearson(stats.rankdata(gold), np.argsort(np.argsort(predicted)))


@pytest.mark.parametrize(
    ("answer", "hint"),
    [
        (pearson, "Pearson of the values"),
        (single_argsort, "single argsort"),
        (double_argsort, "must share the mean"),
        (textbook, "only without ties"),
        (smallest_rank, "the min rank"),
        (ties_in_the_first_only, "rank both the same way"),
        (lambda gold, predicted: np.zeros(3), "one number"),
        (lambda gold, predicted: 0.123, "1, 2.5, 2.5"),
    ],
)
def test_a_wrong_spearman_gets_its_hint(answer, hint):
    line = verdict_of(nb03.spearman, answer)
    assert line.startswith(NOT_THERE_YET)
    assert hint in line


def unit(x):
    return x / np.linalg.norm(x, axis=1, keepdims=True)


def random_by_mask(u, v):
    table = all_cosine(torch.from_numpy(u), torch.from_numpy(v))
    return table[~torch.eye(len(u), dtype=torch.bool)].mean()


def random_by_rolling(u, v):
    shifts = range(1, len(u))
    return np.mean([(unit(u) * np.roll(unit(v), s, axis=0)).sum(1).mean() for s in shifts])


@pytest.mark.parametrize("answer", [random_by_mask, random_by_rolling])
def test_random_pairs_are_right_in_any_style(answer):
    assert verdict_of(nb03.random_pair_cosine, answer) == CORRECT


def off_diagonal(table):
    return table[~np.eye(len(table), dtype=bool)]


@pytest.mark.parametrize(
    ("answer", "hint"),
    [
        (lambda u, v: (unit(u) @ unit(v).T).mean(), "diagonal is in your mean"),
        (lambda u, v: (unit(u) * unit(v)).sum(1).mean(), "these are the gold pairs"),
        (lambda u, v: off_diagonal(u @ v.T).mean(), "dot products"),
        (lambda u, v: off_diagonal(unit(u) @ unit(v).T).sum() / len(u) ** 2, "out of the count"),
        (lambda u, v: off_diagonal(unit(u) @ unit(u).T).mean(), "v is missing"),
        (lambda u, v: (unit(u) @ unit(v).T)[np.triu_indices(len(u), 1)].mean(), "only j > i"),
        (lambda u, v: unit(u) @ unit(v).T, "one number"),
        (lambda u, v: 0.5, "table of all cosines"),
    ],
)
def test_wrong_random_pairs_get_their_hint(answer, hint):
    line = verdict_of(nb03.random_pair_cosine, answer)
    assert line.startswith(NOT_THERE_YET)
    assert hint in line


def cosine(u, v):
    return (unit(u) * unit(v)).sum(1)


def centred_with_torch(u, v):
    both = torch.from_numpy(np.stack([u, v]))  # (2, N, H)
    return pairwise_cosine(*(both - both.mean(dim=(0, 1))))


def centred_with_two_halves(u, v):
    middle = (u.mean(0) + v.mean(0)) / 2
    return cosine(u - middle, v - middle)


@pytest.mark.parametrize("answer", [centred_with_torch, centred_with_two_halves])
def test_centring_is_right_in_any_style(answer):
    assert verdict_of(nb03.centred_cosine, answer) == CORRECT


def centred_per_pair(u, v):
    return cosine(u - (u + v) / 2, v - (u + v) / 2)


def centred_in_place(u, v):
    mean = np.concatenate([u, v]).mean(0)
    u -= mean
    v -= mean
    return cosine(u, v)


def centred_dot(u, v):
    mean = np.concatenate([u, v]).mean(0)
    return ((u - mean) * (v - mean)).sum(1)


@pytest.mark.parametrize(
    ("answer", "hint"),
    [
        (centred_per_pair, "mean of each pair"),
        (cosine, "nothing is centred"),
        (lambda u, v: cosine(u - u.mean(0), v - v.mean(0)), "two means"),
        (lambda u, v: cosine(u - u.mean(1)[:, None], v - v.mean(1)[:, None]), "axis=0"),
        (lambda u, v: cosine(u - np.mean([u, v]), v - np.mean([u, v])), "single number"),
        (centred_dot, "dot products"),
        (centred_in_place, "changed the vectors"),
        (lambda u, v: 0.0, "shape (6,)"),
        (lambda u, v: np.zeros(6), "one mean vector"),
    ],
)
def test_wrong_centring_gets_its_hint(answer, hint):
    line = verdict_of(nb03.centred_cosine, answer)
    assert line.startswith(NOT_THERE_YET)
    assert hint in line


def test_the_learners_own_errors_pass_through():
    with pytest.raises(ZeroDivisionError):
        verdict_of(nb03.spearman, lambda gold, predicted: 1 / 0)
