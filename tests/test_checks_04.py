"""The checks of notebook 04: right answers pass in any style, known wrong ones get their hint."""

import copy

import numpy as np
import pytest
import torch
from torch.nn import functional as F

from sbert_lab.course import nb04
from sbert_lab.course.diagnose import CORRECT, NOT_ATTEMPTED, verdict_of

# ---- the first training loop


def loop(encoder, first, second, scores, steps, learning_rate):
    optimizer = torch.optim.Adam(encoder.parameters(), lr=learning_rate)
    losses = []
    for _ in range(steps):
        u, v = encoder(**first), encoder(**second)
        loss = ((F.cosine_similarity(u, v) - scores) ** 2).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    return losses


def pair_by_pair(encoder, first, second, scores, steps, learning_rate):
    """Eight backward passes a step: their gradients are meant to add up."""
    optimizer = torch.optim.AdamW(list(encoder.parameters()), lr=learning_rate, weight_decay=0)
    kept = torch.zeros(steps)
    for step in range(steps):
        for i in range(len(scores)):
            u = encoder(first["input_ids"][i : i + 1], first["attention_mask"][i : i + 1])
            v = encoder(second["input_ids"][i : i + 1])
            one = F.mse_loss(F.cosine_similarity(u, v), scores[i : i + 1]) / len(scores)
            one.backward()
            kept[step] += one.detach()
        optimizer.step()
        for weight in encoder.parameters():
            weight.grad = None
    return kept


def with_start_kept(encoder, first, second, scores, steps, learning_rate):
    """A copy that only remembers the start is no second tower."""
    start = copy.deepcopy(encoder)
    with torch.no_grad():
        start(**first)
    return loop(encoder, first, second, scores, steps, learning_rate)


def written_by_hand(encoder, first, second, scores, steps, learning_rate):
    """Adam without torch.optim, changing weight.data."""
    weights, losses = list(encoder.parameters()), []
    mean = [torch.zeros_like(w) for w in weights]
    square = [torch.zeros_like(w) for w in weights]
    for step in range(1, steps + 1):
        cosines = F.cosine_similarity(encoder(**first), encoder(**second))
        loss = (cosines - scores).square().mean()
        losses.append(float(loss))
        for i, gradient in enumerate(torch.autograd.grad(loss, weights)):
            weights[i].grad = gradient
            mean[i] = 0.9 * mean[i] + 0.1 * gradient
            square[i] = 0.999 * square[i] + 0.001 * gradient**2
            rate = learning_rate * (1 - 0.999**step) ** 0.5 / (1 - 0.9**step)
            weights[i].data -= rate * mean[i] / (square[i].sqrt() + 1e-8)
    return losses


def without_zero_grad(encoder, first, second, scores, steps, learning_rate):
    optimizer = torch.optim.Adam(encoder.parameters(), lr=learning_rate)
    losses = []
    for _ in range(steps):
        loss = F.mse_loss(F.cosine_similarity(encoder(**first), encoder(**second)), scores)
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    return losses


def second_without_gradient(encoder, first, second, scores, steps, learning_rate):
    optimizer = torch.optim.Adam(encoder.parameters(), lr=learning_rate)
    losses = []
    for _ in range(steps):
        with torch.no_grad():
            v = encoder(**second)
        loss = F.mse_loss(F.cosine_similarity(encoder(**first), v), scores)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    return losses


def first_cut_off(encoder, first, second, scores, steps, learning_rate):
    optimizer = torch.optim.Adam(encoder.parameters(), lr=learning_rate)
    losses = []
    for _ in range(steps):
        u = encoder(**first).detach()
        loss = F.mse_loss(F.cosine_similarity(u, encoder(**second)), scores)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    return losses


def two_towers(encoder, first, second, scores, steps, learning_rate):
    twin = copy.deepcopy(encoder)
    weights = [*encoder.parameters(), *twin.parameters()]
    optimizer = torch.optim.Adam(weights, lr=learning_rate)
    losses = []
    for _ in range(steps):
        loss = F.mse_loss(F.cosine_similarity(encoder(**first), twin(**second)), scores)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    return losses


def without_step(encoder, first, second, scores, steps, learning_rate):
    losses = []
    for _ in range(steps):
        encoder.zero_grad()
        loss = F.mse_loss(F.cosine_similarity(encoder(**first), encoder(**second)), scores)
        loss.backward()
        losses.append(loss.item())
    return losses


def without_backward(encoder, first, second, scores, steps, learning_rate):
    optimizer = torch.optim.Adam(encoder.parameters(), lr=learning_rate)
    losses = []
    for _ in range(steps):
        loss = F.mse_loss(F.cosine_similarity(encoder(**first), encoder(**second)), scores)
        optimizer.step()
        losses.append(loss.item())
    return losses


def last_loss_only(encoder, first, second, scores, steps, learning_rate):
    return loop(encoder, first, second, scores, steps, learning_rate)[-1]


def ten_steps(encoder, first, second, scores, steps, learning_rate):
    return loop(encoder, first, second, scores, 10, learning_rate)


def summed(encoder, first, second, scores, steps, learning_rate):
    return [8 * x for x in loop(encoder, first, second, scores, steps, learning_rate)]


def slow(encoder, first, second, scores, steps, learning_rate):
    return loop(encoder, first, second, scores, steps, learning_rate / 1000)


def stub(encoder, first, second, scores, steps, learning_rate): ...


@pytest.mark.parametrize("answer", [loop, pair_by_pair, with_start_kept, written_by_hand])
def test_a_loop_that_learns_passes_in_any_style(answer):
    assert verdict_of(nb04.memorise, answer) == CORRECT


@pytest.mark.parametrize(
    ("answer", "hint"),
    [
        (without_zero_grad, "zero_grad"),
        (second_without_gradient, "no gradient reaches the second sentences: v"),
        (first_cut_off, "no gradient reaches the first sentences: u"),
        (two_towers, "a copy of the encoder"),
        (without_step, "optimizer.step()"),
        (without_backward, "loss.backward()"),
        (last_loss_only, "one loss per step"),
        (ten_steps, "not 10"),
        (summed, "take their mean"),
        (slow, "should be below"),
    ],
)
def test_a_wrong_loop_gets_its_hint(answer, hint):
    assert hint in verdict_of(nb04.memorise, answer)


def test_the_loop_stub_is_not_attempted():
    assert verdict_of(nb04.memorise, stub) == NOT_ATTEMPTED


def test_the_learners_own_exception_passes_through():
    def broken(encoder, first, second, scores, steps, learning_rate):
        return encoder(first)

    with pytest.raises(TypeError):
        verdict_of(nb04.memorise, broken)


# ---- distance from cosine


def from_cosine(u, v):
    return (2 - 2 * F.cosine_similarity(u, v)).clamp(min=0).sqrt()


def by_normalising(u, v):
    return (F.normalize(u, dim=1) - F.normalize(v, dim=1)).norm(dim=1)


def in_numpy(u, v):
    u, v = u.numpy().astype(float), v.numpy().astype(float)
    cosines = (u * v).sum(1) / np.linalg.norm(u, axis=1) / np.linalg.norm(v, axis=1)
    return np.sqrt(np.maximum(0, 2 - 2 * cosines))


@pytest.mark.parametrize("answer", [from_cosine, by_normalising, in_numpy])
def test_the_distance_of_unit_vectors_passes_in_any_style(answer):
    assert verdict_of(nb04.distance_from_cosine, answer) == CORRECT


@pytest.mark.parametrize(
    ("answer", "hint"),
    [
        (lambda u, v: 2 - 2 * F.cosine_similarity(u, v), "the *squared* distance"),
        (lambda u, v: (u - v).norm(dim=1), "this is the raw distance"),
        (lambda u, v: (2 - 2 * (u * v).sum(1)).clamp(min=0).sqrt(), "the dot product is not"),
        (lambda u, v: (2 - 2 * F.cosine_similarity(u, v)).clamp(max=1).sqrt(), "multiply out"),
        (lambda u, v: (1 - F.cosine_similarity(u, v)).sqrt(), "multiply out"),
        (lambda u, v: (2 - 2 * (1 + 1e-6) * F.cosine_similarity(u, v)).sqrt(), "not NaN"),
        (lambda u, v: torch.cdist(u, v), "shape (6,)"),
    ],
)
def test_a_wrong_distance_gets_its_hint(answer, hint):
    assert hint in verdict_of(nb04.distance_from_cosine, answer)


def test_the_distance_stub_is_not_attempted():
    def distance(u, v): ...

    assert verdict_of(nb04.distance_from_cosine, distance) == NOT_ATTEMPTED


# ---- neighbours that differ


@pytest.mark.parametrize(
    "vectors",
    [
        ([1, 0], [9, 1], [1, 1]),
        np.array([[1.0, 1.0], [1.0, 0.2], [7.0, 6.0]]),
        [torch.tensor(x) for x in ([0.0, 2.0, 0.0], [0.0, 40.0, 1.0], [1.0, 2.0, 1.0])],
    ],
)
def test_three_vectors_on_which_the_two_disagree_pass(vectors):
    assert verdict_of(nb04.different_neighbours, vectors) == CORRECT


@pytest.mark.parametrize(
    ("vectors", "hint"),
    [
        (([1, 0], [2, 0.1], [0, 3]), "both choose the same neighbour"),
        (([1, 0], [0.6, 0.8], [0, 1]), "the same length"),
        (([1, 0], [0, 0], [1, 1]), "zero vector"),
        (([1, 0], [1, 1], [1, 1]), "the same vector"),
        (([1, 0], [2, 2], [1, 1]), "a tie chooses nobody"),
        (([1, 0], [1, 1]), "three vectors"),
        (([1, 0], [1, 1], [1, 2, 3]), "one length"),
        (5, "three vectors"),
    ],
)
def test_three_vectors_that_do_not_show_it_get_their_hint(vectors, hint):
    assert hint in verdict_of(nb04.different_neighbours, vectors)


def test_the_three_vectors_stub_is_not_attempted():
    assert verdict_of(nb04.different_neighbours, ...) == NOT_ATTEMPTED
    assert verdict_of(nb04.different_neighbours, None) == NOT_ATTEMPTED
