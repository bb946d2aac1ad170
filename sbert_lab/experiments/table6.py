"""Table 6: pooling and concatenation, one dial at a time. Spearman on STSb's dev set.

Outside profile paper a cell is a short training, the same for all cells of an objective (see
evaluation/ablation.py), so that all cells and seeds fit into minutes. The two BiLSTM rows are the
zoo's InferSent, trained on all NLI pairs of the profile: a BiLSTM starts with random weights.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np

from sbert_lab.experiments.evaluation import ablation, sts
from sbert_lab.experiments.evaluation.ablation import EPOCHS, PAIRS, POOLINGS, Cell
from sbert_lab.experiments.evaluation.vectors import Encode
from sbert_lab.objectives import CONCATENATIONS, PAPER_CONCATENATION

if TYPE_CHECKING:
    from sbert_lab.experiments.results import Outcome, Results, Row
    from sbert_lab.profiles import Profile

TABLE = 6
SET = "stsb dev"
LSTM = {"BiLSTM MAX": "infersent-nli", "BiLSTM MEAN": "infersent-nli-mean"}
RANDOM = "random weights, untrained"
# Trained floors: what is left when the answers or the pretraining mean nothing.
FLOORS = {
    "random weights, then NLI": Cell(start="random"),
    "shuffled labels, NLI": Cell(shuffled=True),
    "shuffled scores, STSb": Cell(objective="STSb", shuffled=True),
}


def pooled(choice: str, objective: str) -> str:
    """The name of a row of the pooling half: 'MEAN, NLI'."""
    return f"{choice}, {objective}"


def concatenated(concatenation: str) -> str:
    """The name of a row of the concatenation half; the paper's own choice is 'MEAN, NLI'."""
    return pooled("MEAN", "NLI") if concatenation == PAPER_CONCATENATION else concatenation


def cells() -> dict[str, Cell]:
    """The cells of the paper's table by our row names: six poolings, six more concatenations."""
    found = {}
    for objective in ablation.OBJECTIVES:
        for choice, pooling in POOLINGS.items():
            found[pooled(choice, objective)] = Cell(objective=objective, pooling=pooling)
    for name in CONCATENATIONS:
        found.setdefault(concatenated(name), Cell(concatenation=name))
    return found


def rows(profile: Profile) -> list[Row]:
    """The paper's cells, the BiLSTM pair, the raw backbone under each pooling, the floors."""
    from sbert_lab.experiments.results import Row

    def row(name: str, system: Callable[[int], Encode], note: str, **given) -> Row:
        return Row(name=name, run=lambda seed: outcome(system(seed), profile), note=note, **given)

    found = []
    for name, cell in cells().items():
        choice = name.partition(", ")[0] if name.startswith(tuple(POOLINGS)) else name
        given = {"seeds": profile.seeds, "paper": choice}
        found.append(row(name, _trained(cell, profile), _note(cell, profile), **given))
    for name, system in LSTM.items():
        note = f"{system}: BiLSTM, all NLI pairs, (u, v, |u-v|, u*v)"
        given = {"seeds": profile.seeds, "kind": "extra"}
        found.append(row(name, _from_zoo(system, profile), note, **given))
    for choice, pooling in POOLINGS.items():
        raw = _raw(Cell(pooling=pooling), profile)
        found.append(row(f"raw {choice}", raw, "the backbone as pretrained", kind="extra"))
    random = _raw(Cell(start="random"), profile)
    found.append(row(RANDOM, random, "MEAN of a network that learned nothing", kind="floor"))
    for name, cell in FLOORS.items():
        note = _note(cell, profile)
        found.append(row(name, _trained(cell, profile), note, kind="floor"))
    return found


def gold(profile: Profile) -> dict[str, np.ndarray]:
    return {SET: np.array(_dev(profile)["score"], dtype=np.float64)}


def data_seen(profile: Profile) -> str:
    """How much of each corpus was there, and how much of it a cell trains on."""
    from sbert_lab import data

    parts = (("nli", "train"), ("stsb", "train"), ("stsb", "dev"))
    said = [f"{n} {s}: {data.coverage(n, s, profile=profile)}" for n, s in parts]
    if profile.name != "paper":
        said.append(f"a cell trains on {PAIRS['NLI']:,} NLI pairs or {PAIRS['STSb']:,} STSb pairs")
    return "; ".join(said)


def outcome(encode: Encode, profile: Profile) -> Outcome:
    """One encoder on STSb dev: the cosines as they are kept (float32) and their Spearman."""
    from sbert_lab.experiments.results import Outcome

    pairs = _dev(profile)
    cosines = sts.similarities(encode, pairs).astype(np.float32)
    found = sts.correlations(pairs["score"], cosines)
    return Outcome(
        scores={SET: found.spearman},
        predictions={SET: cosines},
        info={"pearson": round(found.pearson, 4)},
    )


def claims(results: Results, *, samples: int = 1000) -> dict[str, dict[str, np.ndarray]]:
    """C20, C21, C22 and C26: bootstrapped differences in points, seeds averaged.

    A claim whose rows were not recorded is left out.
    """
    found = {}
    for claim, parts in _claim_parts().items():
        if all(results.exists(name) for pair in parts.values() for name in pair if name):
            found[claim] = {
                part: _bootstrap(results, *pair, samples) for part, pair in parts.items()
            }
    return found


def _claim_parts() -> dict[str, dict[str, tuple[str, str | None]]]:
    """Part -> the two rows whose difference it is; (row, None) asks whether it is above chance."""
    mean, most, first = (pooled(choice, "NLI") for choice in ("MEAN", "MAX", "CLS"))
    mean_sts, most_sts, first_sts = (pooled(choice, "STSb") for choice in ("MEAN", "MAX", "CLS"))
    both = "(u, v, |u-v|, u*v)"
    return {
        "C20": {
            "MEAN above chance, NLI": (mean, None),
            "MEAN - MAX, NLI": (mean, most),
            "MEAN - CLS, NLI": (mean, first),
        },
        "C21": {
            "MEAN - MAX, regression": (mean_sts, most_sts),
            "CLS - MAX, regression": (first_sts, most_sts),
        },
        "C22": {
            "(u, v, |u-v|) - (u, v)": (mean, "(u, v)"),
            "(u, v, |u-v|) - (u, v, u*v)": (mean, "(u, v, u*v)"),
            "(u, v, |u-v|, u*v) - (u, v, |u-v|)": (both, mean),
        },
        "C26": {
            "BiLSTM MAX - BiLSTM MEAN": ("BiLSTM MAX", "BiLSTM MEAN"),
            "SBERT MAX - SBERT MEAN": (most, mean),
        },
    }


def _bootstrap(results: Results, a: str, b: str | None, samples: int) -> np.ndarray:
    gold_scores, first = results.gold(SET), results.predictions(a, SET)
    if b is None:
        return sts.bootstrap_spearman(gold_scores, first, samples=samples)
    second = results.predictions(b, SET)
    return sts.bootstrap_difference(gold_scores, first, second, samples=samples)


def _dev(profile: Profile):
    from sbert_lab import data

    return data.load("stsb", "dev", profile=profile, partial=profile.name == "real")


def _trained(cell: Cell, profile: Profile) -> Callable[[int], Encode]:
    return lambda seed: ablation.train_cell(cell, profile, seed).encode


def _raw(cell: Cell, profile: Profile) -> Callable[[int], Encode]:
    return lambda seed: ablation.start_encoder(cell, profile, seed).encode


def _from_zoo(name: str, profile: Profile) -> Callable[[int], Encode]:
    from sbert_lab.experiments import zoo

    return lambda seed: zoo.get(name, seed=seed, profile=profile, show_progress=False).encode


def _note(cell: Cell, profile: Profile) -> str:
    start = {"backbone": "pretrained", "random": "random weights"}[cell.start]
    head = f", {cell.concatenation}" if cell.objective == "NLI" else ""
    wrong = ", answers shuffled" if cell.shuffled else ""
    pairs, epochs = f"{PAIRS[cell.objective]:,} pairs", EPOCHS[cell.objective]
    seen = "all pairs" if profile.name == "paper" else f"{pairs} x {epochs}"
    return f"{cell.pooling} pooling{head}; {cell.objective}, {seen}; {start}{wrong}"
