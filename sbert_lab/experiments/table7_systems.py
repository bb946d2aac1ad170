"""The systems of Table 7, ready to be timed: each with the tokens it computes, padding included."""

from __future__ import annotations

import functools
import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from sbert_lab.experiments.evaluation import speed

if TYPE_CHECKING:
    from sbert_lab.encoder import SentenceEncoder
    from sbert_lab.profiles import Profile

HIDDEN = {"paper": 2048}  # InferSent's own size; elsewhere the size of our trained rows
BATCH_SIZE = speed.BATCH_SIZE


@dataclass(frozen=True)
class System:
    """What is timed: encode(list of sentences), the tokens it reads, the weights each one meets."""

    encode: Callable[[list[str]], np.ndarray]
    padding: speed.Padding
    weights: int


def load_encoder(name: str, profile: Profile, device: str) -> SentenceEncoder:
    """A backbone with MEAN pooling."""
    from sbert_lab.encoder import SentenceEncoder

    return SentenceEncoder.load(name, pooling="mean", max_length=profile.max_length, device=device)


def word_vectors(sentences: Sequence[str]) -> System:
    """Averaged word vectors: no batches, no padding, no network."""
    from sbert_lab.word_vectors import WordVectors
    from sbert_lab.words import split_words

    words = sum(len(split_words(sentence)) for sentence in sentences)
    padding = speed.Padding(real=words, computed=words, batches=len(sentences))
    return System(WordVectors.load("word-vectors").encode, padding, weights=0)


def word_encoder(network: str, profile: Profile, device: str, sentences: Sequence[str]) -> System:
    """InferSent's BiLSTM or the averaging net, untrained: its time does not depend on weights."""
    from sbert_lab.encoding import TOKEN_BUDGETS, plan_batches
    from sbert_lab.word_encoder import WordEncoder

    size = {"hidden": HIDDEN[profile.name]} if profile.name in HIDDEN else {}
    encoder = WordEncoder.fresh(network=network, pooling="max", **size).to(device)
    lengths = [len(ids) for ids in encoder.tokenize(list(sentences))[0]]
    budget = TOKEN_BUDGETS[device]
    padding = speed.count_padding(lengths, plan_batches(lengths, token_budget=budget))
    encode = functools.partial(encoder.encode, token_budget=budget)
    return System(encode, padding, weights=_count(encoder.network))


def planned(
    encoder: SentenceEncoder,
    plan: speed.Plan,
    sentences: Sequence[str],
    *,
    width: int | None = None,
) -> System:
    """An encoder whose batches are made by `plan`."""
    lengths = _lengths(encoder, sentences)
    padding = speed.count_padding(lengths, plan(lengths), width=width)
    return System(speed.encode_with(encoder, plan, width=width), padding, _layers(encoder))


def budgeted(encoder: SentenceEncoder, sentences: Sequence[str]) -> System:
    """The package's own encode, in full precision as all the others."""
    from sbert_lab.encoding import TOKEN_BUDGETS, plan_batches

    budget = TOKEN_BUDGETS[encoder.device.type]
    lengths = _lengths(encoder, sentences)
    padding = speed.count_padding(lengths, plan_batches(lengths, token_budget=budget))
    encode = functools.partial(encoder.encode, token_budget=budget, precision="fp32")
    return System(encode, padding, _layers(encoder))


def public_library(profile: Profile, encoder: SentenceEncoder, sentences: Sequence[str]) -> System:
    """sentence-transformers on the same folder. It sorts by characters, not by tokens."""
    from transformers.utils import logging

    from sbert_lab.encoder_folder import find_folder

    logging.disable_progress_bar()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        from sentence_transformers import SentenceTransformer

        theirs = SentenceTransformer(
            str(find_folder(profile.backbone)), device=str(encoder.device), local_files_only=True
        )
    theirs.max_seq_length = profile.max_length
    order = np.argsort([-len(sentence) for sentence in sentences])
    batches = [order[i : i + BATCH_SIZE] for i in range(0, len(order), BATCH_SIZE)]
    padding = speed.count_padding(_lengths(encoder, sentences), batches)

    def encode(texts: list[str]) -> np.ndarray:
        return theirs.encode(texts, batch_size=BATCH_SIZE, show_progress_bar=False)

    return System(encode, padding, _layers(encoder))


def randomised(encoder: SentenceEncoder, seed: int) -> SentenceEncoder:
    """The same network with all its weights drawn anew."""
    import torch

    drawn = torch.Generator().manual_seed(seed)
    with torch.no_grad():
        for weights in encoder.parameters():
            weights.copy_(0.02 * torch.randn(weights.shape, generator=drawn))
    return encoder


def _lengths(encoder: SentenceEncoder, sentences: Sequence[str]) -> list[int]:
    return [len(ids) for ids in encoder.tokenize(list(sentences))[0]]


def _layers(encoder: SentenceEncoder) -> int:
    """The weights of the layers: each token passes all of them."""
    return _count(encoder.backbone.encoder)


def _count(module) -> int:
    return sum(weights.numel() for weights in module.parameters())
