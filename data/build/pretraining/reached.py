"""What the second backbone should reach and what it reached: the first table of PRETRAINING.md.

    python data/build/pretraining/reached.py

fills it from data/results. The accuracy of a classifier is in no table of the paper, and its head
goes when its training ends; so it is measured on a checkpoint while there is one, and recorded:

    SBERT_LAB_DATA=/path/to/corpora python data/build/pretraining/reached.py \\
        --bi-encoder runs/zoo/sbert-nli-0123.training/checkpoint-00004096
"""

import argparse
import sys
from pathlib import Path

import numpy as np

from sbert_lab import data
from sbert_lab.encoder import SentenceEncoder
from sbert_lab.experiments.ledger_page import fill
from sbert_lab.experiments.results import open_table, results_dir
from sbert_lab.experiments.store import describe_machine
from sbert_lab.files import read_json, write_bytes, write_json
from sbert_lab.profiles import get_profile
from sbert_lab.tasks import CrossEncoder, Siamese
from sbert_lab.training.checkpoint import MODEL, STATE, load_model_tensors

PAGE = Path(__file__).resolve().parent.parent / "PRETRAINING.md"
TASKS = {"bi-encoder": Siamese, "cross-encoder": CrossEncoder}
NOT_MEASURED = "not measured"


def measure(kind: str, checkpoint: Path) -> dict:
    """Percent of SNLI dev that the network of a training's checkpoint gets right."""
    profile = get_profile("real")
    start = SentenceEncoder.load(profile.backbone, max_length=profile.max_length)
    task = TASKS[kind](start, "classification")
    load_model_tensors(task, checkpoint / MODEL)
    task.eval()
    rows = data.load("snli", "dev", profile=profile)
    sides = list(rows["sentence1"]), list(rows["sentence2"])
    if kind == "bi-encoder":
        predicted = task.predict_labels(*sides).numpy()
    else:
        predicted = task.predict(*sides).argmax(axis=1)
    right = 100 * float(np.mean(predicted == np.array(rows["label"])))
    pairs = read_json(checkpoint / STATE)["rows_seen"]
    made = {"backbone": profile.backbone, "pairs": pairs, "SNLI dev pairs": len(rows)}
    return {"SNLI dev": round(right, 2), **made, "about": describe_machine()}


def accuracies() -> Path:
    return results_dir("pretraining", "nli_accuracy.json")


def lines() -> list[str]:
    """The table. What was there before and the goals were written down before the pretraining."""
    first, second = (open_table(number, "real") for number in (1, 2))
    right = read_json(accuracies()) if accuracies().is_file() else {}
    said = {kind: f"{one['SNLI dev']:.1f} % ({one['pairs']:,})" for kind, one in right.items()}
    over = NOT_MEASURED
    if len(right) == 2 and len({one["pairs"] for one in right.values()}) == 1:
        bi, cross = (right[kind]["SNLI dev"] for kind in TASKS)
        over = f"{cross - bi:+.1f}"
    seven = {p: first.mean(f"raw BERT {p}", "average") for p in ("MEAN", "CLS", "MAX")}
    gain = first.mean("SBERT-NLI", "average") - seven["MEAN"]
    cross = second.mean("cross-encoder-STSb", "test") - second.mean("SBERT-STSb", "test")
    pooled = ", ".join(f"{name} {value:.1f}" for name, value in seven.items())
    rows = (
        ("SNLI dev, bi-encoder, softmax (pairs seen)", "66.6 % (100,000)", "75 % (all 282,184)",
         said.get("bi-encoder", NOT_MEASURED)),
        ("SNLI dev, cross-encoder minus bi-encoder, same pairs", "below 0", "+3", over),
        ("SBERT-NLI minus raw MEAN, average of seven real sets", "-2.2", "+5", f"{gain:+.1f}"),
        ("cross-encoder minus SBERT, STSb test, trained on STSb", "-23.5", "above 0",
         f"{cross:+.1f}"),
        ("raw CLS, average of seven real sets", "close to MAX", "the worst of the three",
         f"{min(seven, key=seven.get)} is the worst ({pooled})"),
        ("mini-sbert, real STSb test", "62.4", "75", f"{first.mean('mini-sbert', 'stsb'):.1f}"),
    )  # fmt: skip
    head = ("| | first generation | goal | reached |", "|---|---|---|---|")
    return [*head, *(f"| {' | '.join(row)} |" for row in rows)]


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    for kind in TASKS:
        parser.add_argument(f"--{kind}", type=Path, metavar="CHECKPOINT", help="measure this first")
    given = vars(parser.parse_args(arguments))
    kept = read_json(accuracies()) if accuracies().is_file() else {}
    for kind in TASKS:
        if checkpoint := given[kind.replace("-", "_")]:
            kept[kind] = measure(kind, checkpoint)
            write_json(accuracies(), kept)
            print(kind, kept[kind])
    text = fill(PAGE.read_text(encoding="utf-8"), "reached", "\n".join(lines()))
    write_bytes(PAGE, text.encode("utf-8"))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
