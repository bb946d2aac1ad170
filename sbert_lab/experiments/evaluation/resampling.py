"""What a score owes to luck: other test items, or other seeds, might have come."""

from collections.abc import Iterator

import numpy as np

from sbert_lab.errors import InputError

BLOCK = 1_000_000  # how many numbers at once: keeps the memory small


def draw_counts(
    items: int, *, groups: np.ndarray | None = None, samples: int = 1000, seed: int = 0
) -> Iterator[np.ndarray]:
    """How often each item counts in each resample: blocks of (some samples, items).

    The same seed draws the same. Without `groups` single items are drawn. Items that share
    something are easy or hard together: with groups (items,), such as each item's article or
    premise, whole groups are drawn. Pairs that share sentences often hang together in one piece,
    which leaves no groups to draw. So groups (2, items), the two sentences of each pair, draws
    sentences, and a pair counts as often as its first was drawn, times its second: the pigeonhole
    bootstrap (Owen 2007), rather too wide than too narrow.
    """
    if samples < 1:
        raise InputError(f"samples must be at least 1, got {samples!r}")
    place = np.arange(items)[None] if groups is None else np.atleast_2d(groups)
    if place.shape[1] != items:
        raise InputError(f"{items} items but {place.shape[1]} groups")
    names, flat = np.unique(place, return_inverse=True)
    place, things = flat.reshape(place.shape), len(names)
    rng, most = np.random.default_rng(seed), max(1, BLOCK // items)
    for start in range(0, samples, most):
        now = min(most, samples - start)
        picks = rng.integers(things, size=(now, things)) + things * np.arange(now)[:, None]
        drawn = np.bincount(picks.ravel(), minlength=now * things).reshape(now, things)
        yield drawn[:, place].prod(axis=1)


def over_seeds(values: np.ndarray) -> np.ndarray:
    """The mean over seeds that are drawn, too: (seeds, samples) -> (samples,).

    One fewer is drawn than there are, so that the spread is that of a mean of so many seeds (ddof
    1). Systems with equally many seeds get the same draws: seed 1 is compared with seed 1.
    """
    seeds, samples = values.shape
    picks = np.random.default_rng(seeds).integers(seeds, size=(max(1, seeds - 1), samples))
    return np.take_along_axis(values, picks, axis=0).mean(axis=0)
