"""The checks of notebook 15: right answers pass in any style; wrong ones beyond the tables."""

import numpy as np
import pytest
import torch
from conftest import expect

from sbert_lab.course import nb15
from sbert_lab.course.diagnose import CORRECT
from sbert_lab.experiments.evaluation import duplicates
from sbert_lab.search import best_pairs
from sbert_lab.search.index import recall_of

# ---- the closest pairs


def by_blocks(vectors, k, block, shift=1):
    found = []
    for start in range(0, len(vectors), block):
        cosines = vectors[start : start + block] @ vectors[start:].T
        for row in range(len(cosines)):
            for column in range(row + 1, cosines.shape[1]):
                found.append((cosines[row, column], shift * start + row, shift * start + column))
    pairs = dict.fromkeys((i, j) for _, i, j in sorted(found, reverse=True))
    return list(pairs)[:k]


def with_triu(vectors, k, block):
    best = []
    for start in range(0, len(vectors), block):
        cosines = np.triu(np.matmul(vectors[start : start + block], vectors.T), start + 1)
        rows, columns = np.nonzero(cosines)
        scores = cosines[rows, columns]
        best += list(zip(scores, rows + start, columns, strict=True))
    return [(i, j) for _, i, j in sorted(best, key=lambda one: -one[0])[:k]]


def from_the_package(vectors, k, block):
    return [(i, j) for _, i, j in best_pairs(np.asarray(vectors), limit=k, block=block)]


def in_torch(vectors, k, block):
    vectors = torch.from_numpy(np.asarray(vectors))
    return by_blocks(vectors, k, block)


def with_concatenate(vectors, k, block):
    cosines, rows, columns = [], [], []
    for start in range(0, len(vectors), block):
        some = np.dot(np.concatenate([vectors[start : start + block]]), vectors.T)
        i, j = np.triu_indices(len(some), start + 1, len(vectors))
        cosines.append(some[i, j])
        rows.append(i + start)
        columns.append(j)
    order = np.argsort(-np.concatenate(cosines))[:k]
    return np.stack([np.concatenate(rows)[order], np.concatenate(columns)[order]], axis=1)


def with_numbers_only(vectors, k, block):
    pairs = [(i, j) for i in range(len(vectors)) for j in range(i + 1, len(vectors))]
    return sorted(pairs, key=lambda pair: -vectors[pair[0]].dot(vectors[pair[1]]))[:k]


def scored(vectors):
    cosines = np.asarray(vectors) @ np.asarray(vectors).T
    count = len(cosines)
    return sorted(((cosines[i, j], i, j) for i in range(count) for j in range(count)), reverse=True)


def first_of(keep, turned=1):
    """An answer: the best pairs, or the worst, among those with keep(i, j, block)."""
    return lambda vectors, k, block: [
        (i, j) for _, i, j in scored(vectors)[::turned] if keep(i, j, block)
    ][:k]


@pytest.mark.parametrize(
    ("answer", "line"),
    [
        (by_blocks, CORRECT),
        (with_triu, CORRECT),
        (with_concatenate, CORRECT),
        (with_numbers_only, CORRECT),
        (from_the_package, CORRECT),
        (in_torch, CORRECT),
        (lambda v, k, b: by_blocks(v, k, len(v)), "cosines in memory at once"),
        (first_of(lambda i, j, b: True), "a sentence met itself"),
        (first_of(lambda i, j, b: i != j), "(i, j) and (j, i) are the same pair"),
        (first_of(lambda i, j, b: i < j, turned=-1), "least similar"),
        (first_of(lambda i, j, b: i < j and i // b == j // b), "is every block compared with all"),
        (lambda v, k, b: by_blocks(v, k, b, shift=0), "Add the block's first row"),
        (lambda v, k, b: by_blocks(v, 8, b), "not for k = 3"),
        (lambda v, k, b: [(j, i) for i, j in by_blocks(v, k, b)], "smaller number should stand"),
        (lambda v, k, b: by_blocks(v, k, b)[::-1], "the highest cosine first"),
        (lambda v, k, b: scored(v)[:k], "two row numbers each, no cosines"),
        (lambda v, k, b: 3.0, "a list of pairs"),
        (lambda v, k, b: by_blocks(v, k + 9, b), "keep the best k"),
    ],
)
def test_right_pairs_pass_in_any_style(answer, line):
    expect(line, nb15.closest_pairs, answer)


def zeros_below(vectors, k, block):
    """np.triu leaves zeros, and a zero beats every negative cosine."""
    best = []
    for start in range(0, len(vectors), block):
        cosines = np.triu(vectors[start : start + block] @ vectors.T, start + 1)
        for place in np.argsort(-cosines, axis=None)[:k]:
            row, column = np.unravel_index(place, cosines.shape)
            best.append((cosines[row, column], start + row, column))
    return [(i, j) for _, i, j in sorted(best, reverse=True)[:k]]


def no_cosine_of_one(vectors, k, block):
    pairs = by_blocks(vectors, k + 1, block)
    return [(i, j) for i, j in pairs if vectors[i] @ vectors[j] < 0.9999][:k]


@pytest.mark.parametrize(
    ("answer", "line"),
    [(zeros_below, "beats a negative cosine"), (no_cosine_of_one, "one question asked twice")],
)
def test_what_stands_in_for_a_left_out_pair_is_noticed(answer, line):
    expect(line, nb15.closest_pairs, answer)


PRODUCTS = {
    "@": lambda v: v @ v.T,
    "matmul": lambda v: np.matmul(v, v.T),
    "np.dot": lambda v: np.dot(v, v.T),
    "dot": lambda v: v.dot(v.T),
    "inner": lambda v: np.inner(v, v),
    "einsum": lambda v: np.einsum("ih,jh->ij", v, v),
    "tensordot": lambda v: np.tensordot(v, v, axes=([1], [1])),
    "normalised again": lambda v: (v / np.linalg.norm(v, axis=1, keepdims=True)) @ v.T,
    "broadcast": lambda v: (v[:, None] * v[None]).sum(axis=-1),
}


@pytest.mark.parametrize("product", PRODUCTS.values(), ids=PRODUCTS)
def test_all_cosines_at_once_are_noticed_however_they_are_computed(product):
    def answer(vectors, k, block):
        rows, columns = np.triu_indices(len(vectors), 1)
        order = np.argsort(-product(vectors)[rows, columns])[:k]
        return list(zip(rows[order], columns[order], strict=True))

    expect("cosines in memory at once", nb15.closest_pairs, answer)


# ---- the threshold


def by_loop(dev_cosines, dev_labels, test_cosines, test_labels):
    best = max(np.unique(dev_cosines), key=lambda one: nb15.f1(dev_cosines, dev_labels, one))
    return best, nb15.f1(test_cosines, test_labels, best)


def from_duplicates(dev_cosines, dev_labels, test_cosines, test_labels):
    best = duplicates.best_threshold(dev_cosines, dev_labels)
    return best, duplicates.precision_recall(test_cosines, test_labels, best)[2]


def on_a_grid(steps):
    def answer(dev_cosines, dev_labels, test_cosines, test_labels):
        grid = np.linspace(0, 1, steps)
        best = grid[np.argmax([nb15.f1(dev_cosines, dev_labels, one) for one in grid])]
        return [torch.tensor(best), nb15.f1(test_cosines, test_labels, best)]

    return answer


def tuned_on_test(dev_cosines, dev_labels, test_cosines, test_labels):
    return by_loop(test_cosines, test_labels, test_cosines, test_labels)


def by_accuracy(dev_cosines, dev_labels, test_cosines, test_labels):
    def accuracy(one):
        return ((dev_cosines >= one) == (dev_labels == 1)).mean()

    best = max(np.unique(dev_cosines), key=accuracy)
    return best, nb15.f1(test_cosines, test_labels, best)


def by_share(dev_cosines, dev_labels, test_cosines, test_labels):
    """As many called as there are duplicates: not what F1 asks for."""
    best = np.quantile(dev_cosines, 1 - dev_labels.mean())
    return best, nb15.f1(test_cosines, test_labels, best)


def labels_left_behind(dev_cosines, dev_labels, test_cosines, test_labels):
    dev_cosines.sort()
    return by_loop(dev_cosines, dev_labels, test_cosines, test_labels)


def reporting(report):
    """The right threshold, and report(threshold, dev cosines, dev labels, test ...) beside it."""
    return lambda *halves: (by_loop(*halves)[0], report(by_loop(*halves)[0], *halves))


@pytest.mark.parametrize(
    ("answer", "line"),
    [
        (by_loop, CORRECT),
        (from_duplicates, CORRECT),
        (on_a_grid(101), CORRECT),
        (on_a_grid(1001), CORRECT),
        (tuned_on_test, "tuned on the test pairs"),
        (by_accuracy, "best accuracy, not the best F1"),
        (by_share, "another one has"),
        (labels_left_behind, "another one has"),
        (lambda dc, dl, tc, tl: by_loop(dc, tl, tc, tl), "another one has"),
        (reporting(lambda one, dc, dl, tc, tl: nb15.f1(dc, dl, one)), "where it was chosen"),
        (reporting(lambda one, dc, dl, tc, tl: ((tc >= one) == tl).mean()), "the accuracy on test"),
        (reporting(lambda one, dc, dl, tc, tl: 100 * nb15.f1(tc, tl, one)), "between 0 and 1"),
        (reporting(lambda *given: 0.123), "2 hits"),
        (lambda *halves: (0.1, nb15.f1(*halves[2:], 0.1)), "another one has"),
        (lambda *halves: by_loop(*halves)[0], "two numbers are needed"),
        (lambda *halves: by_loop(*halves)[::-1], "the threshold comes first"),
    ],
)
def test_a_threshold_from_dev_passes(answer, line):
    expect(line, nb15.threshold, answer)


def test_in_the_fixture_the_three_choices_differ():
    halves = nb15.threshold_fixture()
    thresholds = {answer(*halves)[0] for answer in (by_loop, tuned_on_test, by_accuracy)}
    assert len(thresholds) == 3
    on_dev = [nb15.f1(*halves[:2], one) for one in sorted(thresholds)]
    assert max(on_dev) - sorted(on_dev)[-2] > 0.03  # the check forgives a grid 0.02, no more


# ---- the budget


@pytest.mark.parametrize(
    ("answer", "line"),
    [
        ((192, 48), CORRECT),
        ((8e9 / 40e6 - 8, 192 // 4), CORRECT),
        ((192.0, 48.0), CORRECT),
        ((206.7, 51), "1e9 bytes"),
        ((214.7, 51), "1e9 bytes"),
        ((100, 25), "divide the 8e9 bytes"),
        ((192, 17), "how many numbers of 4 bytes"),
    ],
)
def test_the_budget_passes(answer, line):
    expect(line, nb15.budget, *answer)


# ---- the recall of an index


@pytest.mark.parametrize(
    ("answer", "line"),
    [
        (recall_of, CORRECT),
        (lambda f, e: np.mean([np.isin(b, a).mean() for a, b in zip(f, e, strict=True)]), CORRECT),
        (lambda found, exact: 0.5, "2 / 5"),
        (lambda found, exact: [0.5, 0.5], "one number"),
    ],
)
def test_recall_passes_from_the_package_and_with_isin(answer, line):
    expect(line, nb15.recall, answer)
