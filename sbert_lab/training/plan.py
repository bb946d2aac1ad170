"""Which rows go into which batch: decided before the first step, from the seed alone.

A step is a list of micro-batches, a micro-batch a list of row numbers. Nothing here is random at
run time, so resuming needs the step number and no generator state.
"""

from collections.abc import Sequence

import numpy as np

Step = list[list[int]]


def _shuffled_by_length(
    order: np.ndarray, lengths: Sequence[int], pool: int, rng: np.random.Generator
) -> np.ndarray:
    """Sort by length inside random pools: batches of even length, yet different every epoch."""
    counts = np.asarray(lengths)
    # A little noise breaks ties differently in every epoch.
    keys = counts[order] + rng.random(len(order))
    pools = [slice(i, i + pool) for i in range(0, len(order), pool)]
    return np.concatenate([order[p][np.argsort(keys[p], kind="stable")] for p in pools])


def _cut(
    order: np.ndarray, lengths: Sequence[int] | None, batch_size: int, batch_tokens: int | None
):
    """Cut an order of rows into batches of batch_size rows, or of at most batch_tokens tokens."""
    if batch_tokens is None:
        return [order[i : i + batch_size].tolist() for i in range(0, len(order), batch_size)]
    batches, current, longest = [], [], 0
    for row in order.tolist():
        longest = max(longest, int(lengths[row]))
        if current and longest * (len(current) + 1) > batch_tokens:
            batches.append(current)
            current, longest = [], int(lengths[row])
        current.append(row)
    return [*batches, current] if current else batches


def plan_epoch(
    rows: int,
    *,
    seed: int,
    epoch: int,
    batch_size: int,
    accumulate: int = 1,
    lengths: Sequence[int] | None = None,
    bucket_batches: int = 50,
    batch_tokens: int | None = None,
) -> list[Step]:
    """All steps of one epoch: each row once, in an order fixed by (seed, epoch, lengths)."""
    rng = np.random.default_rng([seed, epoch])
    order = rng.permutation(rows)
    if lengths is not None and bucket_batches > 0:
        typical = max(1, int(np.mean(lengths)))
        batch_rows = batch_size if batch_tokens is None else max(1, batch_tokens // typical)
        order = _shuffled_by_length(order, lengths, batch_rows * bucket_batches, rng)
    batches = _cut(order, lengths, batch_size, batch_tokens)
    batches = [batches[i] for i in rng.permutation(len(batches))]
    return [batches[i : i + accumulate] for i in range(0, len(batches), accumulate)]


def share(step: Step, rank: int, world: int) -> Step:
    """The part of a step that one of several processes computes: equal shares, the rest dropped."""
    if world == 1:
        return step
    parts = [batch[rank : len(batch) - len(batch) % world : world] for batch in step]
    return [part for part in parts if part]
