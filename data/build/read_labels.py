"""Read labels a second time: python data/build/read_labels.py draw FOLDER --to READING

`draw` writes unpicked pairs without labels (pairs.txt) and the labels apart (labels.json). A reader
who sees only pairs.txt writes one letter a line, e, n, c or ? for unclear, into answers.txt. Then
`python data/build/read_labels.py score READING` compares.
"""

import argparse
import json
import sys
from collections import Counter
from pathlib import Path

from variation import shuffled

DRAWN = {
    "everyday_snli/snli_1.0_dev.jsonl": 80,
    "everyday_multinli/multinli_1.0_dev_matched.jsonl": 60,
    "everyday_multinli/multinli_1.0_dev_mismatched.jsonl": 60,
}


def draw(folder: Path, to: Path, seed: str) -> None:
    """Some pairs of dev and test, by the digest of their ids: nobody chose them."""
    rows = []
    for name, count in DRAWN.items():
        found = [json.loads(line) for line in (folder / name).read_text("utf-8").splitlines()]
        rows += shuffled(found, "reading", seed, key=lambda row: row["pairID"])[:count]
    rows = shuffled(rows, "order", seed, key=lambda row: row["pairID"])
    to.mkdir(parents=True, exist_ok=True)
    lines = [f"{i}. {r['sentence1']} | {r['sentence2']}" for i, r in enumerate(rows, start=1)]
    (to / "pairs.txt").write_text("\n".join(lines) + "\n", "utf-8")
    (to / "labels.json").write_text(json.dumps([r["gold_label"] for r in rows]), "utf-8")


def kappa(first: list[str], second: list[str]) -> float:
    """Cohen's: agreement beyond what the two readers' habits give by chance."""
    total = len(first)
    agreed = sum(a == b for a, b in zip(first, second, strict=True)) / total
    counts = Counter(first), Counter(second)
    chance = sum(counts[0][label] * counts[1][label] for label in counts[0]) / total**2
    return (agreed - chance) / (1 - chance)


def score(folder: Path) -> int:
    labels = [label[0] for label in json.loads((folder / "labels.json").read_text("utf-8"))]
    answers = (folder / "answers.txt").read_text("utf-8").split()
    if len(answers) != len(labels) or not set(answers) <= set("enc?"):
        print(f"answers.txt needs {len(labels)} letters e, n, c or ?", file=sys.stderr)
        return 1
    same = sum(a == b for a, b in zip(answers, labels, strict=True))
    print(f"{same} of {len(labels)} agree, kappa {kappa(answers, labels):.2f}")
    pairs = (folder / "pairs.txt").read_text("utf-8").splitlines()
    for pair, answer, label in zip(pairs, answers, labels, strict=True):
        if answer != label:
            print(f"{pair} (read {answer}, labelled {label})")
    return 0


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description="Read labels a second time.")
    parser.add_argument("what", choices=("draw", "score"))
    parser.add_argument("folder", type=Path, help="the corpus, or what was drawn")
    parser.add_argument("--to", type=Path, help="where the drawn pairs go")
    parser.add_argument("--seed", default="1", help="another one draws other pairs")
    options = parser.parse_args(arguments)
    if options.what == "score":
        return score(options.folder)
    if options.to is None:
        parser.error("draw needs --to FOLDER")
    draw(options.folder, options.to, options.seed)
    return 0


if __name__ == "__main__":
    sys.exit(main())
