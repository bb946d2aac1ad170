"""The checks of notebook 07: right answers pass in any style; wrong ones beyond the tables."""

import numpy as np
import pytest
import torch
from conftest import expect

from sbert_lab.course import nb07
from sbert_lab.course.diagnose import CORRECT
from sbert_lab.objectives import triplet_losses

POINTS = torch.tensor(nb07.FOUR, dtype=torch.float64)
NEAR = (POINTS[:, 0] - POINTS[:, 1]).norm(dim=1)
FAR = (POINTS[:, 0] - POINTS[:, 2]).norm(dim=1)


def test_the_four_triplets_are_hard_easy_semi_hard_and_on_the_line():
    assert NEAR.tolist() == [5, 1, 2, 3]
    assert FAR.tolist() == [2, 5, 2.5, 4]


@pytest.mark.parametrize(
    ("answer", "line"),
    [
        ([4, 0, 0.5, 0], CORRECT),
        ((NEAR - FAR + 1).clamp(min=0), CORRECT),
        (triplet_losses(*POINTS.unbind(dim=1)), CORRECT),
        ([6, 0, 0.5, 0], "Manhattan"),
        ([4, 0, 0.5, 1], "look at triplet 4"),
        ([3, -4, -0.5, -1], "the margin and the max"),
        ([4, 0], "four losses are needed"),
        (4.5, "a list of four numbers"),
        ([4, 0, None, 0], "a list of four numbers"),
    ],
)
def test_four_losses_pass_by_hand_as_a_tensor_and_from_the_package(answer, line):
    expect(line, nb07.four_losses, answer)


def by_loss(to_positive, to_negative, margin=1.0):
    return ((to_positive - to_negative + margin).clamp(min=0) == 0).float().mean()


def in_numpy(to_positive, to_negative, margin=1.0):
    return np.mean(np.asarray(to_positive) + margin < np.asarray(to_negative))


@pytest.mark.parametrize(
    ("answer", "line"),
    [
        (by_loss, CORRECT),
        (lambda p, n, margin=1: float((n >= p + margin).double().mean()), CORRECT),
        (in_numpy, CORRECT),
        (lambda p, n, margin=1: by_loss(p, n), "use the argument"),
        (lambda p, n, margin=1: 0.42, "count the triplets"),
        (lambda p, n, margin=1: p < n, "one number"),
        (lambda p, n, margin=1: torch.max(p - n + margin, 0), ".clamp(min=0)"),
        (lambda p, n, margin=1: (n - p + margin <= 0).float().mean(), "turned round"),
    ],
)
def test_the_share_passes_by_loss_by_comparison_and_in_numpy(answer, line):
    expect(line, nb07.zero_share, answer)


@pytest.mark.parametrize(
    ("factor", "accuracy", "line"),
    [
        *((factor, 0.8, CORRECT) for factor in (3, 5.0, 10, -10, torch.tensor(20.0))),
        (10, 1.0, "so a better model? No"),
        (10, 0.9, "so a better model? No"),
        (10, 80, "between 0 and 1"),
        (10, 4, "between 0 and 1"),
        (10, 0.0, "accuracy has no margin"),
        (10, 0.6, "in how many of the five"),
        (1.5, 0.8, "stretch more"),
        (0.1, 0.8, "stretch more"),
        (1000, 0.8, "stretch less: the miss grows"),
        (0, 0.8, "stretches the embeddings"),
    ],
)
def test_every_factor_that_halves_the_loss_passes_with_the_accuracy_as_it_was(
    factor, accuracy, line
):
    expect(line, nb07.magnifier, factor, accuracy)


# ---- semi-hard negatives


def one_by_one(to_positive, to_candidates, margin=1.0):
    places = []
    for positive, row in zip(to_positive.tolist(), to_candidates.tolist(), strict=True):
        fits = [(far, m) for m, far in enumerate(row) if positive < far < positive + margin]
        places.append(min(fits)[1] if fits else -1)
    return torch.tensor(places)


@pytest.mark.parametrize(
    ("answer", "line"),
    [
        (one_by_one, CORRECT),
        (lambda *given: one_by_one(*given).numpy(), CORRECT),
        (lambda near, far, margin: one_by_one(near, far), "not for 0.25"),
        (lambda near, far, margin: far.argmin(dim=1), "these are hard"),
        (lambda near, far, margin: torch.zeros(5), "it should be [2, -1, 3, -1, 2]"),
        (lambda near, far, margin: far, "the shape (5,)"),
    ],
)
def test_semi_hard_negatives_pass_row_by_row(answer, line):
    expect(line, nb07.choose_negatives, answer)
