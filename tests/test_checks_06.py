"""The checks of notebook 06: right answers pass in any style, known wrong ones get their hint."""

import numpy as np
import pytest
import torch
from torch.nn import functional as F

from sbert_lab import pooling
from sbert_lab.course import nb06
from sbert_lab.course.diagnose import CORRECT, NOT_ATTEMPTED, verdict_of

# ---- scaling and the loss floor


def right_scale(gold):
    return gold / 5


def right_floor(gold):
    return (gold - gold.clamp(-1, 1)).square().mean()


def test_scaling_passes_in_torch_numpy_and_plain_python():
    def numpy_scale(gold):
        return np.asarray(gold) * 0.2

    def plain_floor(gold):
        errors = [max(g - 1, -1 - g, 0.0) ** 2 for g in gold.tolist()]
        return sum(errors) / len(errors)

    assert verdict_of(nb06.scaling, right_scale, right_floor) == CORRECT
    assert verdict_of(nb06.scaling, numpy_scale, plain_floor) == CORRECT


@pytest.mark.parametrize(
    ("scale", "hint"),
    [
        (lambda gold: gold, "still run from 0 to 5"),
        (lambda gold: gold / gold.max(), "not by the best in this batch"),
        (lambda gold: 2 * gold / 5 - 1, "runs from -1 to 1"),
        (lambda gold: gold.clamp(max=1), "shrink, do not cut"),
        (lambda gold: 1 - gold / 5, "upside down"),
        (lambda gold: gold / 7, "a gold of 5 should become 1"),
        (lambda gold: 0.5, "should have the shape (6,)"),
    ],
)
def test_a_wrong_scale_gets_its_hint(scale, hint):
    assert hint in verdict_of(nb06.scaling, scale, right_floor)


def test_the_ends_of_the_batch_are_not_the_ends_of_the_scale(monkeypatch):
    monkeypatch.setattr(nb06, "stars", lambda: torch.tensor([1.0, 2, 3, 3.5, 4, 4.5]))

    def to_the_batch(gold):
        return (gold - gold.min()) / (gold.max() - gold.min())

    assert "the scale's ends" in verdict_of(nb06.scaling, to_the_batch, right_floor)


@pytest.mark.parametrize(
    ("floor", "hint"),
    [
        (lambda gold: 0.0, "no cosine reaches"),
        (lambda gold: (gold - 1).square().mean(), "it is in reach"),
        (lambda gold: (gold - gold.clamp(-1, 1)).square().sum(), "their mean"),
        (lambda gold: (gold - 1).clamp(min=0).mean(), "square each error"),
        (lambda gold: gold.var(correction=0), "the best constant"),
        (lambda gold: (gold - gold / 5).square().mean(), "not the nearest cosine"),
        (lambda gold: right_floor(gold).sqrt(), "no root"),
        (lambda gold: right_floor(gold) + (gold.max() < 2) / 10, "every score is in reach"),
        (lambda gold: (gold - gold.clamp(max=1)).square().mean(), "lower end"),
        (lambda gold: gold, "one number"),
        (lambda gold: 99.0, "nearest to gold"),
    ],
)
def test_a_wrong_floor_gets_its_hint(floor, hint):
    assert hint in verdict_of(nb06.scaling, right_scale, floor)


def test_the_scaling_stub_is_not_attempted():
    def scale_gold(gold): ...

    def loss_floor(gold): ...

    assert verdict_of(nb06.scaling, scale_gold, loss_floor) == NOT_ATTEMPTED
    assert verdict_of(nb06.scaling, right_scale, loss_floor) == NOT_ATTEMPTED


# ---- worse MSE, Spearman 1


@pytest.mark.parametrize(
    "cosines",
    [
        [0.94, 0.95, 0.96, 0.97, 0.98, 0.99],
        (-1, -0.9, -0.8, -0.7, -0.6, 0.5),
        np.array(nb06.GOLD) ** 3,
        torch.tensor(nb06.GOLD) / 2,
    ],
)
def test_any_six_cosines_in_order_but_far_off_pass(cosines):
    assert verdict_of(nb06.ranking, cosines) == CORRECT


@pytest.mark.parametrize(
    ("cosines", "hint"),
    [
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
def test_wrong_cosines_get_their_hint(cosines, hint):
    assert hint in verdict_of(nb06.ranking, cosines)


def test_the_careful_encoder_is_close_but_swaps_two():
    assert 0.9 < nb06.spearman(nb06.GOLD, nb06.CAREFUL) < 1
    assert np.mean((np.array(nb06.GOLD) - nb06.CAREFUL) ** 2) < 0.01


def test_the_ranking_stub_is_not_attempted():
    assert verdict_of(nb06.ranking, None) == NOT_ATTEMPTED


# ---- random pairs under MAX


def mean_of_pairs(vectors):
    unit = F.normalize(vectors, dim=-1)
    n = len(unit)
    return ((unit @ unit.T).sum() - n) / (n * (n - 1))


def right_pairs(tokens, mask):
    return mean_of_pairs(pooling.max_pool(tokens, mask))


def loop_over_pairs(tokens, mask):
    pooled = [row[keep == 1].amax(dim=0) for row, keep in zip(tokens, mask, strict=True)]
    pairs = [(i, j) for i in range(len(pooled)) for j in range(i)]
    return np.mean([float(torch.cosine_similarity(pooled[i], pooled[j], 0)) for i, j in pairs])


def test_random_pairs_pass_with_tensors_and_with_loops():
    assert verdict_of(nb06.random_pairs, right_pairs) == CORRECT
    assert verdict_of(nb06.random_pairs, loop_over_pairs) == CORRECT


def in_place(tokens, mask):
    tokens[mask == 0] = float("-inf")
    return mean_of_pairs(tokens.max(dim=1).values)


def with_itself(tokens, mask):
    unit = F.normalize(pooling.max_pool(tokens, mask), dim=-1)
    return (unit @ unit.T).mean()


def all_cells(tokens, mask):
    unit = F.normalize(pooling.max_pool(tokens, mask), dim=-1)
    return (unit @ unit.T).tril(-1).mean()


def dots(tokens, mask):
    pooled = pooling.max_pool(tokens, mask)
    return (pooled @ pooled.T)[~torch.eye(4, dtype=torch.bool)].mean()


@pytest.mark.parametrize(
    ("answer", "hint"),
    [
        (lambda t, m: mean_of_pairs(t.max(dim=1).values), "padding took part in MAX"),
        (lambda t, m: mean_of_pairs((t * m.unsqueeze(-1)).max(dim=1).values), "zeros beat"),
        (lambda t, m: mean_of_pairs(pooling.mean_pool(t, m)), "MEAN pooling"),
        (with_itself, "diagonal"),
        (all_cells, "n (n - 1) / 2"),
        (dots, "dot products"),
        (in_place, "changed the vectors"),
        (lambda t, m: 0.123, "compare each pair once"),
        (lambda t, m: t, "one number"),
    ],
)
def test_wrong_random_pairs_get_their_hint(answer, hint):
    assert hint in verdict_of(nb06.random_pairs, answer)


def test_the_random_pairs_stub_is_not_attempted():
    def random_pair_cosine(token_embeddings, attention_mask): ...

    assert verdict_of(nb06.random_pairs, random_pair_cosine) == NOT_ATTEMPTED
