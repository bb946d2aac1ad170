"""The systems of Table 3: those that learn from scored pairs, those that do not, and the floors.

A learner is a function (known pairs, asked pairs, folder) -> a score for each asked pair. What it
answered for a fold is kept under runs/, so an interrupted row goes on with the next fold, and two
splits that happen to have the same fold share its answers.
"""

from __future__ import annotations

import hashlib
import json
import shutil
from collections.abc import Callable, Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from sbert_lab.experiments.evaluation.afs import Ask

if TYPE_CHECKING:
    from sbert_lab.profiles import Profile, TrainConfig

Pairs = Sequence[dict]
Learn = Callable[["Profile", int, Pairs, Pairs, Path], np.ndarray]

VERSION = 1  # bump when a learner changes its meaning: kept answers are then not used any more
EPOCHS = 2  # of SBERT and the cross-encoder where there is only a CPU; profile paper has its own
WORD_EPOCHS = 5


def settings(profile: Profile, seed: int) -> TrainConfig:
    """As for STSb, with fewer epochs in mini and real: a table has many folds."""
    epochs = profile.sts.epochs if profile.name == "paper" else EPOCHS
    return replace(profile.sts, epochs=epochs, seed=seed)


def word_settings(profile: Profile, seed: int) -> TrainConfig:
    """A BiLSTM begins at random, so it gets more epochs and smaller batches than on NLI."""
    return replace(profile.words, epochs=WORD_EPOCHS, batch_size=32, seed=seed)


# ---- learners


def learn_svr(profile, seed, known: Pairs, asked: Pairs, folder: Path) -> np.ndarray:
    from sbert_lab.experiments.baselines.svr import OverlapSVR

    return OverlapSVR().fit(*texts(known), scores(known)).predict(*texts(asked))


def learn_lookup(profile, seed, known: Pairs, asked: Pairs, folder: Path) -> np.ndarray:
    from sbert_lab.experiments.baselines.lookup import LookUpTable

    return LookUpTable(seed=seed).fit(*texts(known), scores(known)).predict(*texts(asked))


def learn_bilstm(profile, seed, known: Pairs, asked: Pairs, folder: Path) -> np.ndarray:
    from sbert_lab.word_encoder import WordEncoder

    encoder = WordEncoder.fresh("word-vectors", seed=seed, network="bilstm", pooling="max")
    return train_siamese(encoder, known, asked, word_settings(profile, seed), folder)


def learn_sbert(profile, seed, known: Pairs, asked: Pairs, folder: Path) -> np.ndarray:
    return train_siamese(raw(profile, seed), known, asked, settings(profile, seed), folder)


def learn_shuffled(profile, seed, known: Pairs, asked: Pairs, folder: Path) -> np.ndarray:
    """As SBERT, but each training pair has the score of another one."""
    mixed = np.random.default_rng(seed).permutation(scores(known)).tolist()
    known = [{**row, "score": score} for row, score in zip(known, mixed, strict=True)]
    return learn_sbert(profile, seed, known, asked, folder)


def learn_cross(profile, seed, known: Pairs, asked: Pairs, folder: Path) -> np.ndarray:
    from sbert_lab.tasks import CrossEncoder
    from sbert_lab.training import train

    task = CrossEncoder(raw(profile, seed), "regression", seed=seed)
    train(task, known, settings(profile, seed), run_dir=folder, show_progress=False)
    return np.asarray(task.predict(*texts(asked)), dtype=float)


def train_siamese(
    encoder, known: Pairs, asked: Pairs, config: TrainConfig, folder: Path
) -> np.ndarray:
    """Cosine against the score, squared error; then the cosines of the asked pairs."""
    from sbert_lab.experiments.evaluation import sts
    from sbert_lab.tasks import Siamese
    from sbert_lab.training import train

    task = Siamese(encoder, "regression", seed=config.seed)
    train(task, known, config, run_dir=folder, show_progress=False)
    return sts.similarities(encoder.encode, asked)


# ---- systems that see no score: (profile, seed, sentences) -> something with encode()


def raw(profile: Profile, seed: int, sentences: Sequence[str] = ()):
    from sbert_lab.encoder import SentenceEncoder

    return SentenceEncoder.load(profile.backbone, pooling="mean", max_length=profile.max_length)


def tfidf(profile: Profile, seed: int, sentences: Sequence[str]):
    from sbert_lab.experiments.baselines.tfidf import TfIdf

    return TfIdf(sentences)


def word_vectors(profile: Profile, seed: int, sentences: Sequence[str]):
    from sbert_lab.word_vectors import WordVectors

    return WordVectors.load("word-vectors")


def infersent(profile: Profile, seed: int, sentences: Sequence[str]):
    from sbert_lab.experiments import zoo

    return zoo.get("infersent-nli", seed=seed, profile=profile, show_progress=False)


def random_weights(profile: Profile, seed: int, sentences: Sequence[str]):
    from sbert_lab.experiments import zoo

    return zoo.random_encoder(profile, seed, pooling="mean")


# ---- keeping answers


def remembering(name: str, learn: Learn, profile: Profile, seed: int) -> Ask:
    """The learner as `ask(known, asked)`, with each fold's answers kept under runs/table3."""
    from sbert_lab.files import read_json, write_json
    from sbert_lab.paths import runs_dir

    def ask(known: Pairs, asked: Pairs) -> np.ndarray:
        folder = runs_dir("table3", profile.name)
        path = (
            folder / f"{name.replace(' ', '-')}-{_digest(name, profile, seed, known, asked)}.json"
        )
        if path.is_file():
            return np.array(read_json(path))
        work = path.with_suffix(".training")
        work.parent.mkdir(parents=True, exist_ok=True)
        answers = np.asarray(learn(profile, seed, known, asked, work), dtype=float)
        write_json(path, answers.tolist())
        shutil.rmtree(work, ignore_errors=True)
        return answers

    return ask


def _digest(name: str, profile: Profile, seed: int, known: Pairs, asked: Pairs) -> str:
    """What an answer depends on, in sixteen letters."""
    config = [asdict(settings(profile, seed)), asdict(word_settings(profile, seed))]
    made_of = [VERSION, name, profile.backbone, profile.max_length, seed, config]
    text = json.dumps([made_of, list(known), list(asked)], sort_keys=True)
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def texts(rows: Pairs) -> tuple[list[str], list[str]]:
    return [row["sentence1"] for row in rows], [row["sentence2"] for row in rows]


def scores(rows: Pairs) -> list[float]:
    return [row["score"] for row in rows]
