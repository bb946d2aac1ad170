"""The checks of notebook 14: right answers pass in any style; wrong ones beyond the tables."""

import numpy as np
import pytest
import torch
from conftest import expect

from sbert_lab.course import nb14
from sbert_lab.course.diagnose import CORRECT
from sbert_lab.experiments.evaluation import speed


def computed(lengths, size):
    batches = [lengths[i : i + size] for i in range(0, len(lengths), size)]
    return sum(len(batch) * max(batch) for batch in batches)


# ---- the share of padding


def share(lengths, batch_size):
    return 1 - sum(lengths) / computed(lengths, batch_size)


def share_by_the_package(lengths, batch_size):
    return speed.count_padding(lengths, speed.in_order(lengths, batch_size)).share


def share_as_a_tensor(lengths, batch_size):
    parts = torch.tensor(lengths).split(batch_size)
    empty = sum((part.max() - part).sum() for part in parts)
    return empty / sum(part.max() * len(part) for part in parts)


@pytest.mark.parametrize(
    ("answer", "line"),
    [
        (share, CORRECT),
        (share_by_the_package, CORRECT),
        (share_as_a_tensor, CORRECT),
        (lambda n, size: share(n, 4), "should be"),
        (lambda n, size: 0.123, "rows times longest"),
        (lambda n, size: [0.1, 0.2], "one number"),
    ],
)
def test_the_share_passes_as_a_loop_and_from_the_package(answer, line):
    expect(line, nb14.padding_share, answer)


# ---- restoring the order


def by_writing(vectors, order):
    result = np.empty_like(vectors)
    result[order] = vectors
    return result


def in_a_loop(vectors, order):
    place = {number: row for row, number in enumerate(order)}
    return [vectors[place[number]] for number in range(len(order))]


def in_place(vectors, order):
    vectors[order] = vectors.copy()
    return vectors


@pytest.mark.parametrize(
    ("answer", "line"),
    [
        (lambda vectors, order: vectors[np.argsort(order)], CORRECT),
        (by_writing, CORRECT),
        (in_a_loop, CORRECT),
        (in_place, "you changed the vectors"),
        (lambda vectors, order: vectors[:3], "shape (5, 2)"),
        (lambda vectors, order: 0 * vectors, "put it there"),
    ],
)
def test_the_order_is_restored_by_argsort_by_writing_and_in_a_loop(answer, line):
    expect(line, nb14.restore, answer)


# ---- the saving


def shortest_first(lengths, size):
    return computed(lengths, size) / computed(sorted(lengths), size)


def longest_first(lengths, size):
    return computed(lengths, size) / computed(sorted(lengths, reverse=True), size)


def saved_by_the_package(lengths, size):
    plans = (speed.in_order(lengths, size), speed.by_length(lengths, size))
    before, after = (speed.count_padding(lengths, plan).computed for plan in plans)
    return before / after


@pytest.mark.parametrize(
    ("answer", "line"),
    [
        (shortest_first, CORRECT),
        (longest_first, CORRECT),
        (saved_by_the_package, CORRECT),
        (lambda n, size: shortest_first(n, 4), "given order computes"),
        (lambda n, size: "twice", "one number"),
    ],
)
def test_the_saving_passes_longest_first_shortest_first_and_from_the_package(answer, line):
    expect(line, nb14.saving, answer)
