"""The checks of notebook 06: right answers pass in any style; wrong ones beyond the tables."""

import numpy as np
import pytest
import torch
from conftest import expect
from torch.nn import functional as F

from sbert_lab import pooling
from sbert_lab.course import nb06
from sbert_lab.course.diagnose import CORRECT

# ---- scaling and the loss floor


def scale(gold):
    return gold / 5


def floor(gold):
    return (gold - gold.clamp(-1, 1)).square().mean()


def plain_floor(gold):
    errors = [max(g - 1, -1 - g, 0.0) ** 2 for g in gold.tolist()]
    return sum(errors) / len(errors)


@pytest.mark.parametrize(
    ("scale_gold", "loss_floor", "line"),
    [
        (scale, floor, CORRECT),
        (lambda gold: np.asarray(gold) * 0.2, plain_floor, CORRECT),
        (lambda gold: gold / 7, floor, "a gold of 5 should become 1"),
        (lambda gold: 0.5, floor, "should have the shape (6,)"),
        (scale, lambda gold: floor(gold) + (gold.max() < 2) / 10, "every score is in reach"),
        (scale, lambda gold: (gold - gold.clamp(max=1)).square().mean(), "lower end"),
        (scale, lambda gold: gold, "one number"),
        (scale, lambda gold: 99.0, "nearest to gold"),
    ],
)
def test_scaling_passes_in_torch_numpy_and_plain_python(scale_gold, loss_floor, line):
    expect(line, nb06.scaling, scale_gold, loss_floor)


# ---- worse MSE, Spearman 1


@pytest.mark.parametrize(
    ("cosines", "line"),
    [
        ([0.94, 0.95, 0.96, 0.97, 0.98, 0.99], CORRECT),
        ((-1, -0.9, -0.8, -0.7, -0.6, 0.5), CORRECT),
        (np.array(nb06.GOLD) ** 3, CORRECT),
        (torch.tensor(nb06.GOLD) / 2, CORRECT),
        ([0.01, 0.21, 0.41, 0.61, 0.81, 0.99], "may have the WORSE MSE"),
        (list(nb06.CAREFUL), "each cosine must be larger"),
        (list(nb06.GOLD)[::-1], "upside down"),
        ([0.9, 0.9, 0.92, 0.93, 0.94, 0.95], "a tie"),
        ([0.5] * 6, "no ranking"),
        ([0, 1, 2, 3, 4, 5], "between -1 and 1"),
        ([0.1, 0.2], "six cosines are needed"),
        ("abcdef", "a list of six numbers"),
    ],
)
def test_any_six_cosines_in_order_but_far_off_pass(cosines, line):
    expect(line, nb06.ranking, cosines)


def test_the_careful_encoder_is_close_but_swaps_two():
    assert 0.9 < nb06.spearman(nb06.GOLD, nb06.CAREFUL) < 1
    assert np.mean((np.array(nb06.GOLD) - nb06.CAREFUL) ** 2) < 0.01


# ---- random pairs under MAX


def mean_of_pairs(vectors):
    unit = F.normalize(vectors, dim=-1)
    n = len(unit)
    return ((unit @ unit.T).sum() - n) / (n * (n - 1))


def loop_over_pairs(tokens, mask):
    pooled = [row[keep == 1].amax(dim=0) for row, keep in zip(tokens, mask, strict=True)]
    pairs = [(i, j) for i in range(len(pooled)) for j in range(i)]
    return np.mean([float(torch.cosine_similarity(pooled[i], pooled[j], 0)) for i, j in pairs])


def in_place(tokens, mask):
    tokens[mask == 0] = float("-inf")
    return mean_of_pairs(tokens.max(dim=1).values)


@pytest.mark.parametrize(
    ("answer", "line"),
    [
        (lambda tokens, mask: mean_of_pairs(pooling.max_pool(tokens, mask)), CORRECT),
        (loop_over_pairs, CORRECT),
        (in_place, "changed the vectors"),
        (lambda tokens, mask: 0.123, "compare each pair once"),
        (lambda tokens, mask: tokens, "one number"),
    ],
)
def test_random_pairs_pass_with_tensors_and_with_loops(answer, line):
    expect(line, nb06.random_pairs, answer)
