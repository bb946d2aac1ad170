"""The checks of notebook 04: right answers pass in any style; wrong ones beyond the tables."""

import copy
from functools import partial

import numpy as np
import pytest
import torch
from conftest import expect
from torch.nn import functional as F

from sbert_lab.course import nb04
from sbert_lab.course.diagnose import CORRECT

# ---- the first training loop


def both(encoder, first, second):
    return encoder(**first), encoder(**second)


def loop(
    encoder, first, second, scores, steps, learning_rate, *, embed=both, without="", optim="Adam"
):
    optimizer = getattr(torch.optim, optim)(encoder.parameters(), lr=learning_rate)
    losses = []
    for _ in range(steps):
        loss = F.mse_loss(F.cosine_similarity(*embed(encoder, first, second)), scores)
        if without != "zero_grad":
            optimizer.zero_grad()
        if without != "backward":
            loss.backward()
        if without != "step":
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


def second_without_gradient(encoder, first, second):
    with torch.no_grad():
        v = encoder(**second)
    return encoder(**first), v


def first_cut_off(encoder, first, second):
    return encoder(**first).detach(), encoder(**second)


def two_towers(encoder, first, second):
    return encoder(**first), copy.deepcopy(encoder)(**second)


def first_twice(encoder, first, second):
    return encoder(**first), encoder(**first)


def one_star(encoder, first, second):
    return encoder(*first), encoder(*second)


def last_loss_only(*given, steps, learning_rate):
    return loop(*given, steps, learning_rate)[-1]


def ten_steps(*given, steps, learning_rate):
    return loop(*given, 10, learning_rate)


def summed(*given, steps, learning_rate):
    return [8 * x for x in loop(*given, steps, learning_rate)]


def slow(*given, steps, learning_rate):
    return loop(*given, steps, learning_rate / 1000)


@pytest.mark.parametrize(
    ("answer", "line"),
    [
        (loop, CORRECT),
        (pair_by_pair, CORRECT),
        (with_start_kept, CORRECT),
        (written_by_hand, CORRECT),
        (partial(loop, without="zero_grad"), "zero_grad"),
        (partial(loop, without="backward"), "loss.backward()"),
        (partial(loop, without="step"), "optimizer.step()"),
        (
            partial(loop, embed=second_without_gradient),
            "no gradient reaches the second sentences: v",
        ),
        (partial(loop, embed=first_cut_off), "no gradient reaches the first sentences: u"),
        (partial(loop, embed=two_towers), "a copy of the encoder"),
        (partial(loop, embed=first_twice), "the second sentences were never encoded"),
        (partial(loop, embed=one_star), "two are needed"),
        (last_loss_only, "one loss per step"),
        (ten_steps, "not 10"),
        (summed, "take their mean"),
        (slow, "the learning rate was 2e-05"),
        (partial(loop, optim="Adadelta"), "should be below"),
        (lambda *given, **settings: [0.0] * settings["steps"], "never called"),
    ],
)
def test_a_loop_that_learns_passes_in_any_style_and_a_wrong_one_gets_its_hint(answer, line):
    expect(line, nb04.memorise, answer)


# ---- distance from the cosine and the lengths


def squared(cosine, a, b):
    return a * a + b * b - 2 * a * b * cosine


def in_numpy(cosine, a, b):
    a, b, cosine = (x.numpy().astype(float) for x in (a, b, cosine))
    return np.sqrt(np.maximum(0, (a - b) ** 2 + 2 * a * b * (1 - cosine)))


@pytest.mark.parametrize(
    ("answer", "line"),
    [
        (lambda *given: squared(*given).clamp(min=0).sqrt(), CORRECT),
        (lambda c, a, b: squared(c.clamp(-1, 1), a, b).clamp(min=0).sqrt(), CORRECT),
        (in_numpy, CORRECT),
        (lambda *given: squared(*given).sqrt(), "not NaN"),
        (lambda c, a, b: (2 - 2 * c).clamp(min=0).sqrt(), "right for unit vectors"),
        (lambda c, a, b: (a + b - 2 * a * b * c).clamp(min=0).sqrt(), "multiply out"),
        (lambda c, a, b: squared(c, a, b).sum().sqrt(), "shape (6,)"),
    ],
)
def test_the_distance_passes_in_any_style(answer, line):
    expect(line, nb04.distance_from_cosine, answer)


def test_the_distance_is_that_of_the_vectors():
    u, v = torch.randn(2, 5, 3, generator=torch.Generator().manual_seed(0))
    found = nb04._distance(F.cosine_similarity(u, v), u.norm(dim=1), v.norm(dim=1))
    torch.testing.assert_close(found, (u - v).norm(dim=1), rtol=1e-4, atol=1e-5)


# ---- neighbours that differ


@pytest.mark.parametrize(
    ("vectors", "line"),
    [
        (([1, 0], [9, 1], [1, 1]), CORRECT),
        (np.array([[1.0, 1.0], [1.0, 0.2], [7.0, 6.0]]), CORRECT),
        ([torch.tensor(x) for x in ([0.0, 2, 0], [0.0, 40, 1], [1.0, 2, 1])], CORRECT),
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
def test_three_vectors_pass_if_the_two_disagree_on_them(vectors, line):
    expect(line, nb04.different_neighbours, vectors)
