"""Networks so small that a training takes less than a second, and what to do with them."""

import contextlib
import copy
import os
import sys
import tempfile
from functools import cache
from pathlib import Path

os.environ |= {"TOKENIZERS_PARALLELISM": "false", "HF_HUB_OFFLINE": "1", "OMP_NUM_THREADS": "1"}

import numpy as np
import torch
from conftest import WORDS, make_backbone, make_tokenizer

from sbert_lab.encoder import SentenceEncoder
from sbert_lab.files import sha256
from sbert_lab.profiles import TrainConfig
from sbert_lab.tasks import CrossEncoder, PolyEncoder, Siamese
from sbert_lab.tasks.classifier import Classifier
from sbert_lab.training import train
from sbert_lab.word_encoder import WordEncoder
from sbert_lab.word_vectors import WordVectors

torch.set_num_threads(1)
CONFIG = TrainConfig(
    epochs=2, batch_size=4, learning_rate=1e-3, checkpoint_every=2, evaluate_every=3
)
TASKS = {
    "classification": lambda: Siamese(encoder(), "classification"),
    "regression": lambda: Siamese(encoder(), "regression"),
    "triplet": lambda: Siamese(encoder(), "triplet"),
    "in-batch negatives": lambda: Siamese(encoder(), "in-batch negatives"),
    "cross-encoder, classes": lambda: CrossEncoder(encoder(), "classification"),
    "cross-encoder, scores": lambda: CrossEncoder(encoder(), "regression"),
    "poly-encoder": lambda: PolyEncoder(encoder(), "regression", codes=2),
    "classifier": lambda: Classifier(encoder(), labels=3),
    "words and a BiLSTM": lambda: Siamese(word_encoder(), "classification"),
}


@cache
def _parts():
    tokenizer = make_tokenizer("bert")
    return make_backbone("bert", tokenizer, width=16), tokenizer


def encoder() -> SentenceEncoder:
    backbone, tokenizer = _parts()
    return SentenceEncoder(copy.deepcopy(backbone), tokenizer, max_length=32).eval()


def word_encoder() -> WordEncoder:
    words = WORDS.split()
    vectors = np.random.default_rng(0).normal(size=(len(words), 8)).astype(np.float32)
    return WordEncoder.fresh(WordVectors(words, vectors), network="bilstm", hidden=4)


@cache
def rows() -> list[dict]:
    words, found = WORDS.split(), []
    for i in range(24):
        one = f"the {words[2 + i % 5]} {words[7 + i % 3]}" + " big" * (0, 2, 20, 20)[i % 4]
        other = f"a {words[2 + i * 3 % 5]} in the {words[14 + i % 3]}"
        pair = {"sentence1": one, "sentence2": other, "label": i % 3, "score": i % 6 / 5}
        third = f"not the {words[2 + (i * 2 + 1) % 5]}"
        found.append({**pair, "anchor": one, "positive": other, "negative": third, "text": one})
    return found


def score(task) -> float:
    return float(task.encoder.encode(["the dog runs", "a cat"]).std())


def train_in(folder: Path, kind: str = "classification", *, stop_after: int | None = None) -> str:
    """Train to the end in folder/run: the digest of the weights. It may stop as if killed."""
    task, calls = TASKS[kind](), []

    def count(module, inputs) -> None:
        calls.append(1)
        if len(calls) == stop_after:
            raise RuntimeError("as if killed")

    task.register_forward_pre_hook(count)
    train(task, rows(), CONFIG, evaluate=score, run_dir=folder / "run", show_progress=False)
    return digest_of(task)


@cache
def warm_up() -> None:
    """What the libraries import late is imported here, once, and not in every forked process."""
    for kind in TASKS:
        with tempfile.TemporaryDirectory() as place:
            train_in(Path(place), kind)
            encoder().save(Path(place, "model"))
            SentenceEncoder.load(Path(place, "model"))


def digest_of(module: torch.nn.Module) -> str:
    from safetensors.torch import save_file

    with tempfile.TemporaryDirectory() as place:
        path = Path(place, "weights")
        save_file({name: one.contiguous() for name, one in module.state_dict().items()}, path)
        return sha256(path)


@contextlib.contextmanager
def replaced_stdin(text):
    before, sys.stdin = sys.stdin, text
    try:
        yield
    finally:
        sys.stdin = before
