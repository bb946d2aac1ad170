"""Which rows go into which batch: decided before the first step, from the seed alone.

A step is a list of micro-batches, a micro-batch a list of row numbers. Nothing here is random at
run time, so resuming needs the step number and no generator state.
"""

from collections.abc import Iterator, Sequence

import numpy as np

from sbert_lab.profiles import TrainConfig

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


def share(step: Step, rank: int, world: int) -> list[tuple[list[int], float]]:
    """What one of several processes computes of a step: micro-batches, and what each counts.

    Every row is in one process's part. Gradients are averaged over the processes, so a part counts
    by its rows, `world` times; a process without rows computes one that counts nothing.
    """
    total = sum(map(len, step))
    parts = [(batch[rank::world], batch) for batch in step]
    return [(part or batch[:1], len(part) * world / total) for part, batch in parts]


class Plan:
    """The steps of a whole run, epoch by epoch; an epoch is planned when it is first needed.

    The plan is the same for any number of processes: they share the rows of each batch.
    """

    def __init__(self, rows: int, config: TrainConfig, *, lengths: Sequence[int] | None) -> None:
        self.rows = rows
        self.settings = {
            "seed": config.seed,
            "batch_size": config.batch_size,
            "accumulate": config.accumulate,
            "lengths": lengths,
            "bucket_batches": config.bucket_batches,
            "batch_tokens": config.batch_tokens,
        }
        self._planned: dict[int, list[Step]] = {}
        self.epoch_ends = self._count(config.epochs, config.max_steps)

    def steps_from(self, first: int) -> Iterator[Step]:
        """What is left of the run when `first` steps have been taken."""
        start = 0
        for epoch, end in enumerate(self.epoch_ends):
            if first < end:
                yield from self._epoch(epoch)[max(0, first - start) : end - start]
                self._planned.pop(epoch)
            start = end

    def _epoch(self, epoch: int) -> list[Step]:
        if epoch not in self._planned:
            self._planned[epoch] = plan_epoch(self.rows, epoch=epoch, **self.settings)
        return self._planned[epoch]

    def _count(self, epochs: int, limit: int | None) -> list[int]:
        """The step number at which each epoch ends, cut off at `limit`."""
        batches = -(-self.rows // self.settings["batch_size"])
        steps = -(-batches // self.settings["accumulate"])
        ends, by_tokens = [0], self.settings["batch_tokens"] is not None
        for epoch in range(epochs):
            # How many batches a budget of tokens makes shows only when they are cut.
            ends.append(ends[-1] + (len(self._epoch(epoch)) if by_tokens else steps))
            if limit and ends[-1] >= limit:
                return [*ends[1:-1], limit]
        return ends[1:]
