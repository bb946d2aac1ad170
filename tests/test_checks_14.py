"""The checks of notebook 14: right answers pass in any style, known wrong ones get their hint."""

import numpy as np
import pytest
import torch

from sbert_lab.course import nb14
from sbert_lab.course.diagnose import CORRECT, NOT_ATTEMPTED, verdict_of
from sbert_lab.experiments.evaluation import speed


def cut(lengths, size):
    return [lengths[i : i + size] for i in range(0, len(lengths), size)]


def computed(lengths, size):
    return sum(len(batch) * max(batch) for batch in cut(lengths, size))


# ---- the share of padding


def right_share(lengths, batch_size):
    return 1 - sum(lengths) / computed(lengths, batch_size)


def mean_of_ratios(lengths, size):
    return np.mean([1 - sum(batch) / (len(batch) * max(batch)) for batch in cut(lengths, size)])


def test_the_share_passes_as_a_loop_and_from_the_package():
    def from_the_package(lengths, batch_size):
        return speed.count_padding(lengths, speed.in_order(lengths, batch_size)).share

    def as_a_tensor(lengths, batch_size):
        parts = torch.tensor(lengths).split(batch_size)
        empty = sum((part.max() - part).sum() for part in parts)
        return empty / sum(part.max() * len(part) for part in parts)

    for answer in (right_share, from_the_package, as_a_tensor):
        assert verdict_of(nb14.padding_share, answer) == CORRECT


@pytest.mark.parametrize(
    ("answer", "hint"),
    [
        (mean_of_ratios, "mean of the batches' shares"),
        (lambda n, size: computed(n, size) / sum(n) - 1, "divided by the real tokens"),
        (lambda n, size: sum(n) / computed(n, size), "share of real tokens"),
        (lambda n, size: 100 * right_share(n, size), "between 0 and 1"),
        (lambda n, size: computed(n, size) - sum(n), "how many tokens of padding"),
        (lambda n, size: 1 - sum(n) / (len(n) * max(n)), "longest of all"),
        (
            lambda n, size: 1 - sum(n) / sum(size * max(b) for b in cut(n, size)),
            "the last batch may have fewer rows",
        ),
        (lambda n, size: right_share(sorted(n), size), "not sorted yet"),
        (lambda n, size: right_share(n, 4), "should be"),
        (lambda n, size: 0.123, "rows times longest"),
        (lambda n, size: [0.1, 0.2], "one number"),
    ],
)
def test_a_wrong_share_gets_its_hint(answer, hint):
    assert hint in verdict_of(nb14.padding_share, answer)


def test_the_share_stub_is_not_attempted():
    def padding_share(lengths, batch_size): ...

    assert verdict_of(nb14.padding_share, padding_share) == NOT_ATTEMPTED


# ---- restoring the order


def test_the_order_is_restored_by_argsort_by_writing_and_in_a_loop():
    def by_writing(vectors, order):
        result = np.empty_like(vectors)
        result[order] = vectors
        return result

    def in_a_loop(vectors, order):
        place = {number: row for row, number in enumerate(order)}
        return [vectors[place[number]] for number in range(len(order))]

    for answer in (lambda v, order: v[np.argsort(order)], by_writing, in_a_loop):
        assert verdict_of(nb14.restore, answer) == CORRECT


def test_the_example_order_is_not_its_own_inverse():
    order = np.array(nb14.ORDER)
    assert not np.array_equal(order[order], np.arange(len(order)))


def in_place(vectors, order):
    vectors[order] = vectors.copy()
    return vectors


@pytest.mark.parametrize(
    ("answer", "hint"),
    [
        (lambda v, order: v[order], "sorts a second time"),
        (lambda v, order: v, "still in the sorted order"),
        (lambda v, order: v[::-1], "turning them round"),
        (in_place, "you changed the vectors"),
        (lambda v, order: v[:3], "shape (5, 2)"),
        (lambda v, order: 0 * v, "put it there"),
    ],
)
def test_a_wrong_order_gets_its_hint(answer, hint):
    assert hint in verdict_of(nb14.restore, answer)


def test_the_restore_stub_is_not_attempted():
    def restore(sorted_vectors, order): ...

    assert verdict_of(nb14.restore, restore) == NOT_ATTEMPTED


# ---- the saving


def right_saving(lengths, batch_size):
    return computed(lengths, batch_size) / computed(sorted(lengths), batch_size)


def test_the_saving_passes_longest_first_shortest_first_and_from_the_package():
    def longest_first(lengths, size):
        return computed(lengths, size) / computed(sorted(lengths, reverse=True), size)

    def from_the_package(lengths, size):
        plans = (speed.in_order(lengths, size), speed.by_length(lengths, size))
        before, after = (speed.count_padding(lengths, plan).computed for plan in plans)
        return before / after

    for answer in (right_saving, longest_first, from_the_package):
        assert verdict_of(nb14.saving, answer) == CORRECT


@pytest.mark.parametrize(
    ("answer", "hint"),
    [
        (lambda n, size: 1.0, "padding to the batch's longest is enough"),
        (lambda n, size: len(n) * max(n) / computed(n, size), "what SORTING adds"),
        (lambda n, size: computed(n, size) / sum(n), "if no padding were left"),
        (lambda n, size: 1 / right_saving(n, size), "upside down"),
        (lambda n, size: 1 - 1 / right_saving(n, size), "share saved"),
        (lambda n, size: len(n) * max(n) / computed(sorted(n)[::-1], size), "fixed width"),
        (lambda n, size: computed(n, size) - computed(sorted(n)[::-1], size), "how many tokens"),
        (lambda n, size: right_saving(n, 4), "given order computes"),
        (lambda n, size: "twice", "one number"),
    ],
)
def test_a_wrong_saving_gets_its_hint(answer, hint):
    assert hint in verdict_of(nb14.saving, answer)


def test_the_saving_stub_is_not_attempted():
    def saving(lengths, batch_size): ...

    assert verdict_of(nb14.saving, saving) == NOT_ATTEMPTED
