"""Make mini-sbert: mini-bert-2 learns to place sentences as a larger encoder does.

    SBERT_LAB_DATA=/path/to/corpora python data/build/teach_sbert.py --work runs/t --save mini-sbert

The teacher, all-MiniLM-L6-v2, turns unlabelled sentences into vectors. The student is trained until
the cosines among the sentences of a batch are those of the teacher, and until a linear map (thrown
away afterwards) turns its vectors into the teacher's. No label, no score, no pair is used here; the
teacher has seen such, and its makers say which. The weights of the best epoch on real STSb dev are
kept. The defaults are those of the committed mini-sbert. Interrupted, both parts go on when called
again.
"""

import argparse
import sys
from collections.abc import Sequence
from dataclasses import asdict
from hashlib import sha256
from pathlib import Path

import numpy as np
from pretraining_text import mini_text, real_text
from tqdm import tqdm

from sbert_lab import data
from sbert_lab.encoder import SentenceEncoder
from sbert_lab.experiments.evaluation.sts import score_pairs
from sbert_lab.files import write_json
from sbert_lab.paths import data_dir
from sbert_lab.profiles import TrainConfig
from sbert_lab.tasks import Taught
from sbert_lab.training import train

TEACHER = "all-MiniLM-L6-v2"
LONGEST = 60  # words: captions, statements and sentences of articles, not paragraphs
PART = 20_000  # sentences that the teacher reads between two files


def sentences(number: int, seed: int) -> list[str]:
    """Sentences of real corpora's training text, drawn without looking, and all of our own."""
    own = mini_text().all_sentences()
    everyday = data.load("everyday", "train", profile="mini")
    own += [*everyday["sentence1"], *everyday["sentence2"]]
    real = sorted({s for s in real_text().all_sentences() if 3 <= len(s.split()) <= LONGEST})
    drawn = np.random.default_rng(seed).permutation(len(real))[:number]
    return list(dict.fromkeys([real[i] for i in drawn] + own))


def teach(texts: Sequence[str], folder: Path) -> np.ndarray:
    """The teacher's unit vectors, half precision, part by part on disk: (N, 384)."""
    teacher = None
    parts = []
    for start in tqdm(range(0, len(texts), PART), desc="teacher", unit="part"):
        part = texts[start : start + PART]
        of = sha256("\n".join(part).encode()).hexdigest()[:16]  # other sentences, another file
        file = folder / f"teacher-{of}.npy"
        if not file.is_file():
            teacher = teacher or SentenceEncoder.load(data.minilm_folder())
            vectors = teacher.encode(part, normalize=True, precision="bf16")
            np.save(file.with_suffix(".half.npy"), vectors.astype(np.float16))
            file.with_suffix(".half.npy").replace(file)
        parts.append(np.load(file))
    return np.concatenate(parts)


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--work", type=Path, required=True)
    parser.add_argument("--backbone", default="mini-bert-2")
    parser.add_argument("--sentences", type=int, default=170_000, help="of the real corpora")
    parser.add_argument("--epochs", type=int, default=5)
    parser.add_argument("--learning-rate", type=float, default=7e-4)
    parser.add_argument("--batch-size", type=int, default=128)
    parser.add_argument("--precision", default="bf16")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--steps", type=int, help="stop after so many: to try things")
    parser.add_argument("--save", help="name in data/models; without it only scores are printed")
    given = parser.parse_args(arguments)
    given.work.mkdir(parents=True, exist_ok=True)
    texts = sentences(given.sentences, given.seed)
    print(f"{len(texts):,} sentences")
    vectors = teach(texts, given.work)
    dev = data.load("stsb", "dev", profile="real")
    encoder = SentenceEncoder.load(given.backbone, pooling="mean")
    before = score_pairs(encoder.encode, dev).spearman
    config = TrainConfig(
        epochs=given.epochs,
        batch_size=given.batch_size,
        learning_rate=given.learning_rate,
        precision=given.precision,
        seed=given.seed,
        max_steps=given.steps,
        bucket_batches=20,
    )
    task = Taught(encoder, vectors, seed=given.seed)
    rows = [{"text": text} for text in texts]
    history = train(
        task,
        rows,
        config,
        run_dir=given.work / "run",
        evaluate=lambda task: score_pairs(task.encoder.encode, dev).spearman,
    )
    record = {
        "objective": "a teacher's vectors",
        "teacher": TEACHER,
        "backbone": given.backbone,
        "sentences": len(texts),
        "tokens": int(sum(map(len, encoder.tokenize(texts)[0]))),
        "config": asdict(config),
        "stsb_dev_before": round(before, 2),
        "stsb_dev_after": round(score_pairs(encoder.encode, dev).spearman, 2),
        "stsb_dev_by_epoch": [round(score, 2) for score in history.scores],
        "curve_rows": history.rows_seen,
        "curve_losses": [round(loss, 4) for loss in history.losses],
    }
    print({k: v for k, v in record.items() if not k.startswith("curve")})
    if given.save:
        encoder.save(data_dir("models", given.save))
        write_json(data_dir("results", "pretraining", f"{given.save}.json"), record)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
