"""Several systems on one series of resampled pairs, so that any difference of them is paired."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from sbert_lab.errors import InputError
from sbert_lab.experiments.evaluation import sts


def bootstrap_systems(
    gold: Sequence[float],
    systems: Mapping[str, np.ndarray],
    *,
    samples: int = 1000,
    seed: int = 0,
) -> dict[str, np.ndarray]:
    """Spearman (points) of several systems on ONE series of resampled pairs: name -> (samples,).

    Row i of every result belongs to the same pairs, so any sum or difference of them is paired: a
    difference of differences too. A system is (N,) or (seeds, N); its seeds are averaged. The
    picks are those of sts.bootstrap_difference with the same seed.
    """
    if samples < 1:
        raise InputError(f"samples must be at least 1, got {samples!r}")
    runs = {name: np.atleast_2d(np.asarray(one, dtype=float)) for name, one in systems.items()}
    for one in runs.values():
        for run in one:
            sts.spearman(gold, run)  # says what is wrong with these scores, if anything is
    people = np.asarray(gold, dtype=float)
    rng = np.random.default_rng(seed)
    picks = rng.integers(len(people), size=(samples, len(people)))
    drawn = {name: np.empty(samples) for name in runs}
    for start in range(0, samples, 100):  # a hundred at a time keeps the memory small
        chosen = picks[start : start + 100]
        ranked = sts.standard_ranks(people[chosen])
        for name, one in runs.items():
            values = [(ranked * sts.standard_ranks(run[chosen])).sum(axis=1) for run in one]
            drawn[name][start : start + 100] = 100 * np.mean(values, axis=0)
    if not all(np.isfinite(values).all() for values in drawn.values()):
        raise InputError(
            f"too few different values among the {len(people)} pairs to resample them: use more"
        )
    return drawn
