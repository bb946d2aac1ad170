"""Table 6: pooling and concatenation, one dial at a time. Spearman on STSb's dev set.

Outside profile paper a cell is a short training, the same for all cells of an objective (see
evaluation/ablation.py), so that all cells and seeds fit into minutes. The two BiLSTM rows are the
zoo's InferSent, trained on all NLI pairs of the profile: a BiLSTM starts with random weights.
"""

import numpy as np

from sbert_lab import data
from sbert_lab.experiments import lines
from sbert_lab.experiments.evaluation import ablation, sts
from sbert_lab.experiments.evaluation.ablation import EPOCHS, PAIRS, POOLINGS, Cell
from sbert_lab.experiments.evaluation.vectors import Encode
from sbert_lab.experiments.results import Outcome, Results, Row
from sbert_lab.experiments.systems import name_of
from sbert_lab.objectives import CONCATENATIONS, PAPER_CONCATENATION
from sbert_lab.profiles import Profile

TABLE = 6
SET = "stsb dev"
LSTM = {
    pooling: name_of(f"infersent-nli{end}") for pooling, end in (("MAX", ""), ("MEAN", "-mean"))
}
RAW = {choice: name_of(f"raw-{pooling}") for choice, pooling in POOLINGS.items()}
RANDOM = name_of("random-weights")
SHUFFLED = "MEAN, NLI, shuffled labels"
# Trained floors: what is left when the answers or the pretraining mean nothing.
FLOORS = {
    "MEAN, NLI, random start": Cell(start="random"),
    SHUFFLED: Cell(shuffled=True),
    "MEAN, STSb, shuffled scores": Cell(objective="STSb", shuffled=True),
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

    def cell(name: str, cell: Cell, **given) -> Row:
        def run(seed: int) -> Outcome:
            return outcome(ablation.train_cell(cell, profile, seed).encode, profile)

        return Row(name=name, run=run, note=_note(cell, profile), **given)

    def score(system: object) -> Outcome:
        return outcome(system.encode, profile)

    found = []
    for name, one in cells().items():
        choice = name.partition(", ")[0] if name.startswith(tuple(POOLINGS)) else name
        found.append(cell(name, one, seeds=profile.seeds, paper=choice))
    others = ("infersent-nli", "infersent-nli-mean", *(f"raw-{p}" for p in POOLINGS.values()))
    found += [lines.row(id, profile, score, beside=True) for id in others]
    found.append(lines.row("random-weights", profile, score))
    return found + [cell(name, one, kind="floor") for name, one in FLOORS.items()]


def gold(profile: Profile) -> dict[str, np.ndarray]:
    return {SET: np.array(_dev(profile)["score"], dtype=np.float64)}


def data_seen(profile: Profile) -> str:
    """How much of each corpus was there, and how much of it a cell trains on."""
    said = lines.data_seen(profile, (("nli", "train"), ("stsb", "train"), ("stsb", "dev")))
    if not profile.short_cells:
        return said
    few = f"{PAIRS['NLI']:,} NLI pairs or {PAIRS['STSb']:,} STSb pairs"
    return f"{said}; a cell trains on {few}"


def outcome(encode: Encode, profile: Profile) -> Outcome:
    """One encoder on STSb dev: the cosines as they are kept (float32) and their Spearman."""
    pairs = _dev(profile)
    cosines = sts.similarities(encode, pairs).astype(np.float32)
    found = sts.correlations(pairs["score"], cosines)
    return Outcome(
        scores={SET: found.spearman},
        predictions={SET: cosines},
        info={"pearson": round(found.pearson, 4)},
    )


def claims(results: Results, *, samples: int = 1000) -> dict[str, dict[str, np.ndarray]]:
    """C20, C21, C22 and C26: bootstrapped differences in points, pairs and seeds resampled.

    A claim whose rows were not recorded is left out.
    """
    draw = lines.spearmans(results, samples)
    return lines.differences(
        results, _claim_parts(), lambda a, b: draw(a, SET) - (draw(b, SET) if b else 0)
    )


def _claim_parts() -> lines.Parts:
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
            "BiLSTM MAX - BiLSTM MEAN": (LSTM["MAX"], LSTM["MEAN"]),
            "SBERT MAX - SBERT MEAN": (most, mean),
        },
    }


def _dev(profile: Profile):
    return data.load("stsb", "dev", profile=profile)


def _note(cell: Cell, profile: Profile) -> str:
    start = {"backbone": "pretrained", "random": "random weights"}[cell.start]
    head = f", {cell.concatenation}" if cell.objective == "NLI" else ""
    wrong = ", answers shuffled" if cell.shuffled else ""
    pairs, epochs = f"{PAIRS[cell.objective]:,} pairs", EPOCHS[cell.objective]
    seen = f"{pairs} x {epochs}" if profile.short_cells else "all pairs"
    return f"{cell.pooling} pooling{head}; {cell.objective}, {seen}; {start}{wrong}"
