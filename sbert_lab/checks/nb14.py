"""Checks of 14_computational_efficiency."""

import numpy as np

from sbert_lab.checks.core import Hint, check, near, need_number, need_shape

# Token counts of ten sentences, as two examples that no wrong formula gets right by luck.
TEN = (5, 20, 6, 7, 30, 8, 12, 9, 40, 11)
OTHER = (13, 4, 22, 5, 6, 31, 7)
# Row i of the sorted vectors belongs to sentence ORDER[i]. It is not its own inverse.
ORDER = (3, 0, 4, 1, 2)


def _batches(lengths, size: int) -> list[np.ndarray]:
    counts = np.asarray(lengths)
    return [counts[start : start + size] for start in range(0, len(counts), size)]


def _computed(lengths, size: int) -> int:
    return int(sum(len(batch) * batch.max() for batch in _batches(lengths, size)))


def _share(lengths, size: int) -> float:
    return 1 - sum(lengths) / _computed(lengths, size)


@check
def padding_share(answer):
    """answer(lengths, batch_size) -> padding / all computed tokens, batches in the given order."""
    for lengths, size in ((TEN, 4), (OTHER, 2), (TEN, 1)):
        _one_share(answer, lengths, size)


def _one_share(answer, lengths, size: int) -> None:
    result = need_number(answer(list(lengths), size), "the share")
    if near(result, _share(lengths, size)):
        return
    batches, real = _batches(lengths, size), sum(lengths)
    computed = _computed(lengths, size)
    full = sum(size * batch.max() for batch in batches)
    mistakes = [
        (
            np.mean([1 - batch.sum() / (len(batch) * batch.max()) for batch in batches]),
            "this is the mean of the batches' shares, where a small batch counts as much as a "
            "large one: add up all tokens first, then divide once",
        ),
        (computed / real - 1, "you divided by the real tokens: divide by all that are computed"),
        (real / computed, "this is the share of real tokens: padding is the rest"),
        (100 * _share(lengths, size), "as a share, please: between 0 and 1"),
        (computed - real, "this is how many tokens of padding: divide by all computed tokens"),
        (
            1 - real / (len(lengths) * max(lengths)),
            "you padded to the longest of all: each batch is only as wide as its own longest",
        ),
        (1 - real / full, "the last batch may have fewer rows than the others"),
        (_share(sorted(lengths), size), "batches in the given order, please: not sorted yet"),
        (_share(sorted(lengths)[::-1], size), "batches in the given order: not sorted yet"),
    ]
    for wrong, hint in mistakes:
        if near(result, wrong):
            raise Hint(hint)
    raise Hint(
        f"for lengths {list(lengths)} and batches of {size} it should be "
        f"{_share(lengths, size):.3f}, yours is {result:.3f}: rows times longest, batch by batch"
    )


@check
def restore(answer):
    """answer(sorted_vectors, order) -> the vectors in the order in which sentences were given."""
    order = np.array(ORDER)
    given = np.arange(10.0).reshape(5, 2) + 1  # row i is the vector of sentence i
    arrived = given[order]
    before = arrived.copy()
    result = answer(arrived, order.copy())
    if not near(arrived, before):
        raise Hint("you changed the vectors you were given: write into a new array")
    result = np.asarray(result)
    need_shape(result, (5, 2))
    if near(result, given):
        return
    if near(result, arrived[order]):
        raise Hint(
            "this is vectors[order], which sorts a second time. order[i] says WHERE row i came "
            "from: the way back is argsort(order)"
        )
    if near(result, arrived):
        raise Hint("the rows are still in the sorted order")
    if near(result, arrived[::-1]):
        raise Hint("turning them round is not enough: sorting did more than that")
    raise Hint("row i of the sorted vectors belongs to sentence order[i]: put it there")


@check
def saving(answer):
    """answer(lengths, batch_size) -> tokens in the given order / tokens after sorting."""
    for lengths, size in ((TEN, 4), (OTHER, 2)):
        _one_saving(answer, lengths, size)


def _one_saving(answer, lengths, size: int) -> None:
    result = need_number(answer(list(lengths), size), "the factor")
    given, real = _computed(lengths, size), sum(lengths)
    longest_first = _computed(sorted(lengths)[::-1], size)
    shortest_first = _computed(sorted(lengths), size)
    if near(result, given / longest_first) or near(result, given / shortest_first):
        return
    fixed = len(lengths) * max(lengths)
    mistakes = [
        (
            1.0,
            "1 would mean that padding to the batch's longest is enough. It is not: a batch still "
            "mixes short and long. Sort ALL lengths, then cut them into batches",
        ),
        (
            fixed / given,
            "this is what padding to the batch's longest saves against one fixed width: the "
            "question is what SORTING adds to that",
        ),
        (
            given / real,
            "this would be the factor if no padding were left: count what is left after sorting",
        ),
        (longest_first / given, "upside down: the factor is above 1 if sorting helps"),
        (shortest_first / given, "upside down: the factor is above 1 if sorting helps"),
        (1 - longest_first / given, "this is the share saved: the factor is before / after"),
        (1 - shortest_first / given, "this is the share saved: the factor is before / after"),
        (
            fixed / longest_first,
            "compare with padding to the batch's longest, not to a fixed width",
        ),
        (
            given - longest_first,
            "this is how many tokens are saved: a factor is before divided by after",
        ),
    ]
    for wrong, hint in mistakes:
        if near(result, wrong):
            raise Hint(hint)
    raise Hint(
        f"for lengths {list(lengths)} and batches of {size} the given order computes {given} "
        "tokens: how many are left after sorting?"
    )
