"""Encoding speed beside sentence-transformers: same model and sentences, interleaved.

python tests/bench_encoding.py [model] [--rounds 5] [--sentences 4000]
"""

import argparse
import os
import statistics
import time
import warnings

os.environ.setdefault("HF_HUB_OFFLINE", "1")

import numpy as np

from sbert_lab import data
from sbert_lab.encoder import SentenceEncoder


def sentences_of_many_lengths(count: int) -> list[str]:
    """Sentences of the mini STSb, NLI and question collections, in a fixed shuffled order."""
    found: dict[str, None] = {}
    for name, split in (("stsb", "train"), ("nli", "train"), ("quora", "train")):
        rows = data.load(name, split, profile="mini")
        for column in ("sentence1", "sentence2"):
            found.update(dict.fromkeys(rows[column]))
    listed = sorted(found)
    chosen = np.random.default_rng(0).permutation(len(listed))[:count]
    return [listed[i] for i in chosen]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("model", nargs="?", default="mini-sbert")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--sentences", type=int, default=4000)
    given = parser.parse_args()
    sentences = sentences_of_many_lengths(given.sentences)
    ours = SentenceEncoder.load(given.model)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        from sentence_transformers import SentenceTransformer

        from sbert_lab.encoder_folder import find_folder

        theirs = SentenceTransformer(str(find_folder(given.model)), device=str(ours.device))
    systems = {
        "sbert_lab": lambda: ours.encode(sentences),
        "sentence-transformers, batch 32": lambda: theirs.encode(sentences, batch_size=32),
        "sentence-transformers, batch 128": lambda: theirs.encode(sentences, batch_size=128),
    }
    vectors = {name: run() for name, run in systems.items()}  # also warms up
    seconds: dict[str, list[float]] = {name: [] for name in systems}
    for _ in range(given.rounds):
        for name, run in systems.items():
            start = time.perf_counter()
            run()
            seconds[name].append(time.perf_counter() - start)
    first = vectors["sbert_lab"]
    print(f"{len(sentences):,} sentences, {given.rounds} rounds, device {ours.device}")
    for name in systems:
        ratios = [b / a for a, b in zip(seconds["sbert_lab"], seconds[name], strict=True)]
        speed = len(sentences) / statistics.median(seconds[name])
        apart = np.abs(vectors[name] - first).max()
        print(
            f"{name:34} {speed:8,.0f} sentences/s, {statistics.median(ratios):.2f} x our time "
            f"({min(ratios):.2f} to {max(ratios):.2f}), largest difference {apart:.1e}"
        )


if __name__ == "__main__":
    main()
