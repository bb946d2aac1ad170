"""The checks of notebook 07: right answers pass in any style, known wrong ones get their hint."""

import numpy as np
import pytest
import torch

from sbert_lab.course import nb07
from sbert_lab.course.diagnose import CORRECT, NOT_ATTEMPTED, verdict_of
from sbert_lab.objectives import triplet_losses

POINTS = torch.tensor(nb07.FOUR, dtype=torch.float64)
NEAR = (POINTS[:, 0] - POINTS[:, 1]).norm(dim=1)
FAR = (POINTS[:, 0] - POINTS[:, 2]).norm(dim=1)

# ---- four losses


def test_four_losses_pass_by_hand_as_a_tensor_and_from_the_package():
    assert verdict_of(nb07.four_losses, [4, 0, 0.5, 0]) == CORRECT
    assert verdict_of(nb07.four_losses, (NEAR - FAR + 1).clamp(min=0)) == CORRECT
    assert verdict_of(nb07.four_losses, triplet_losses(*POINTS.unbind(dim=1))) == CORRECT


@pytest.mark.parametrize(
    ("answer", "hint"),
    [
        ((NEAR**2 - FAR**2 + 1).clamp(min=0), "squared distances"),
        ((FAR - NEAR + 1).clamp(min=0), "swapped"),
        (NEAR - FAR + 1, "cuts it off"),
        ((NEAR - FAR).clamp(min=0), "the margin is missing"),
        ((NEAR - FAR).clamp(min=0) + 1, "inside the max"),
        ((NEAR - FAR - 1).clamp(min=0), "wrong sign"),
        ([6, 0, 0.5, 0], "Manhattan"),
        ([4, 0, 0.5, 1], "look at triplet 4"),
        ([4, 0], "four losses are needed"),
        (4.5, "a list of four numbers"),
        ([4, 0, None, 0], "a list of four numbers"),
    ],
)
def test_wrong_losses_get_their_hint(answer, hint):
    assert hint in verdict_of(nb07.four_losses, answer)


def test_the_four_triplets_are_hard_easy_semi_hard_and_on_the_line():
    assert NEAR.tolist() == [5, 1, 2, 3]
    assert FAR.tolist() == [2, 5, 2.5, 4]


def test_the_losses_stub_is_not_attempted():
    assert verdict_of(nb07.four_losses, None) == NOT_ATTEMPTED


# ---- the share with zero gradient


def right_share(to_positive, to_negative, margin=1.0):
    return ((to_positive - to_negative + margin).clamp(min=0) == 0).float().mean()


def test_the_share_passes_by_loss_by_comparison_and_in_numpy():
    def by_comparison(to_positive, to_negative, margin=1.0):
        return float((to_negative >= to_positive + margin).double().mean())

    def in_numpy(to_positive, to_negative, margin=1.0):
        return np.mean(np.asarray(to_positive) + margin < np.asarray(to_negative))

    for answer in (right_share, by_comparison, in_numpy):
        assert verdict_of(nb07.zero_share, answer) == CORRECT


@pytest.mark.parametrize(
    ("answer", "hint"),
    [
        (lambda p, n, margin=1: (p < n).float().mean(), "you forgot the margin"),
        (lambda p, n, margin=1: (p > n).float().mean(), "hard triplets"),
        (lambda p, n, margin=1: (p + 1 > n).float().mean(), "still teaches"),
        (lambda p, n, margin=1: (p + margin < n).sum(), "divide by the number"),
        (lambda p, n, margin=1: 100 * right_share(p, n), "between 0 and 1"),
        (lambda p, n, margin=1: right_share(p, n), "use the argument"),
        (lambda p, n, margin=1: (n + 2 < p).float().mean(), "turned round"),
        (lambda p, n, margin=1: 0.42, "count the triplets"),
        (lambda p, n, margin=1: p < n, "one number"),
    ],
)
def test_a_wrong_share_gets_its_hint(answer, hint):
    assert hint in verdict_of(nb07.zero_share, answer)


def test_the_share_stub_is_not_attempted():
    def zero_share(to_positive, to_negative, margin=1.0): ...

    assert verdict_of(nb07.zero_share, zero_share) == NOT_ATTEMPTED


# ---- the magnifier


@pytest.mark.parametrize("factor", [3, 5.0, 10, -10, torch.tensor(20.0)])
def test_every_factor_that_halves_the_loss_passes(factor):
    assert verdict_of(nb07.magnifier, factor, 0.8) == CORRECT


@pytest.mark.parametrize(
    ("factor", "accuracy", "hint"),
    [
        (10, 1.0, "so a better model? No"),
        (10, 0.9, "so a better model? No"),
        (10, 80, "between 0 and 1"),
        (10, 0.0, "accuracy has no margin"),
        (10, 0.6, "in how many of the five"),
        (1.5, 0.8, "stretch more"),
        (0.1, 0.8, "stretch more"),
        (1000, 0.8, "stretch less: the miss grows"),
        (0, 0.8, "stretches the embeddings"),
    ],
)
def test_a_wrong_factor_or_accuracy_gets_its_hint(factor, accuracy, hint):
    assert hint in verdict_of(nb07.magnifier, factor, accuracy)


def test_the_magnifier_stub_is_not_attempted():
    assert verdict_of(nb07.magnifier, None, None) == NOT_ATTEMPTED
    assert verdict_of(nb07.magnifier, 10, None) == NOT_ATTEMPTED
