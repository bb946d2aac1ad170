"""What the tables have in common: rows from the registry, the data they saw, claims about rows."""

from collections.abc import Callable, Iterable, Mapping
from functools import cache

import numpy as np

from sbert_lab import data
from sbert_lab.experiments.building import build
from sbert_lab.experiments.evaluation import sections, sts
from sbert_lab.experiments.evaluation.resampling import over_seeds
from sbert_lab.experiments.results import Outcome, Results, Row
from sbert_lab.experiments.systems import get_system
from sbert_lab.experiments.zoo.rows import corpus_of
from sbert_lab.profiles import Profile

Make = Callable[["Profile", int], object]
Parts = Mapping[str, Mapping[str, tuple[str, str | None]]]


def row(
    id: str,
    profile: Profile,
    score: Callable[[object], Outcome] | None = None,
    *,
    make: Make | None = None,
    beside: bool = False,
    **given,
) -> Row:
    """A table's row of a registered system; `score(system)` measures it.

    `make(profile, seed)` replaces the registry's way to build it, `beside` marks a row that this
    table of the paper does not have, and `given` (run, seeds, paper, kind, note) replaces what the
    registry says. Trained systems have profile.seeds seeds, floors one.
    """
    system = get_system(id)

    def run(seed: int) -> Outcome:
        return score(make(profile, seed) if make else build(id, profile, seed))

    usual = {"kind": system.kind, "paper": system.paper, "note": system.note, "run": run}
    usual["seeds"] = profile.seeds if system.trained and system.kind != "floor" else 1
    usual |= {"kind": "extra", "paper": None} if beside else {}
    return Row(name=system.name, **usual | given)


def data_seen(profile: Profile, parts: Iterable[tuple[str, str]]) -> str:
    """How much of each corpus and split was there, and how much of it was used."""
    said = []
    for given, split in parts:
        name = corpus_of(given, profile)
        covered = data.coverage(name, split, profile=profile)
        most = profile.nli_pairs if (name, split) == (profile.nli, "train") else None
        said.append(f"{name} {split}: {covered}" + (f", {most:,} of them used" if most else ""))
    return "; ".join(said)


def differences(
    results: Results, claims: Parts, difference: Callable[[str, str | None], np.ndarray]
) -> dict[str, dict[str, np.ndarray]]:
    """Claim -> part -> bootstrapped differences of its two rows; (row, None): is it above chance?

    A claim of which some row was not recorded is left out.
    """
    return {
        claim: {part: difference(*pair) for part, pair in parts.items()}
        for claim, parts in claims.items()
        if all(results.exists(name) for pair in parts.values() for name in pair if name)
    }


def spearmans(results: Results, samples: int = 1000) -> Callable[..., np.ndarray]:
    """draw(row, key): a recorded row's Spearman (points) on resampled pairs, (samples,).

    The same seed draws the same pairs, so sums and differences of rows are paired. Of a row with
    several seeds these are drawn, too. `gold` is the set of the pairs where it is not the key.
    """

    @cache
    def draw(row: str, key: str, *, gold: str | None = None, seed: int = 0) -> np.ndarray:
        people, runs = results.gold(gold or key), results.predictions(row, key)
        return over_seeds(sts.bootstrap_runs(people, runs, samples=samples, seed=seed))

    return draw


def accuracies(results: Results) -> Callable[..., np.ndarray]:
    """draw(row, key): the same for rows of which each answer is right or wrong, in per cent."""

    @cache
    def draw(row: str, key: str, *, groups: str | None = None, seed: int = 0) -> np.ndarray:
        among = {"groups": results.gold(groups) if groups else None, "seed": seed}
        return over_seeds(sections.bootstrap_hits(results.predictions(row, key), **among))

    return draw
