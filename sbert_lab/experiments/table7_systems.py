"""The systems of Table 7, ready to be timed: each with the tokens it computes, padding included."""

import functools
import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from sbert_lab.encoder import SentenceEncoder
from sbert_lab.encoder_folder import find_folder
from sbert_lab.encoding import TOKEN_BUDGETS, plan_batches
from sbert_lab.experiments.evaluation import speed
from sbert_lab.profiles import Profile
from sbert_lab.word_encoder import WordEncoder
from sbert_lab.word_vectors import WordVectors
from sbert_lab.words import split_words

BATCH_SIZE = speed.BATCH_SIZE


@dataclass(frozen=True)
class Timed:
    """What is timed: encode(list of sentences), the tokens it reads, the weights each one meets."""

    encode: Callable[[list[str]], np.ndarray]
    padding: speed.Padding
    weights: int


def word_vectors(vectors: WordVectors, sentences: Sequence[str]) -> Timed:
    """Averaged word vectors: no batches, no padding, no network."""
    words = sum(len(split_words(sentence)) for sentence in sentences)
    padding = speed.Padding(real=words, computed=words, batches=len(sentences))
    return Timed(vectors.encode, padding, weights=0)


def word_encoder(network: str, profile: Profile, device: str, sentences: Sequence[str]) -> Timed:
    """InferSent's BiLSTM or the averaging net, untrained: its time does not depend on weights."""
    hidden = profile.infersent_hidden
    encoder = WordEncoder.fresh(network=network, pooling="max", hidden=hidden).to(device)
    lengths = [len(ids) for ids in encoder.tokenize(list(sentences))[0]]
    budget = TOKEN_BUDGETS[device]
    padding = speed.count_padding(lengths, plan_batches(lengths, token_budget=budget))
    encode = functools.partial(encoder.encode, token_budget=budget)
    return Timed(encode, padding, weights=_count(encoder.network))


def planned(
    encoder: SentenceEncoder,
    plan: speed.Plan,
    sentences: Sequence[str],
    *,
    width: int | None = None,
) -> Timed:
    """An encoder whose batches are made by `plan`."""
    lengths = _lengths(encoder, sentences)
    padding = speed.count_padding(lengths, plan(lengths), width=width)
    return Timed(speed.encode_with(encoder, plan, width=width), padding, _layers(encoder))


def budgeted(encoder: SentenceEncoder, sentences: Sequence[str]) -> Timed:
    """The package's own encode, in full precision as all the others."""
    budget = TOKEN_BUDGETS[encoder.device.type]
    lengths = _lengths(encoder, sentences)
    padding = speed.count_padding(lengths, plan_batches(lengths, token_budget=budget))
    encode = functools.partial(encoder.encode, token_budget=budget, precision="fp32")
    return Timed(encode, padding, _layers(encoder))


def public_library(profile: Profile, encoder: SentenceEncoder, sentences: Sequence[str]) -> Timed:
    """sentence-transformers on the same folder. It sorts by characters, not by tokens."""
    from transformers.utils import logging

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

    return Timed(encode, padding, _layers(encoder))


def _lengths(encoder: SentenceEncoder, sentences: Sequence[str]) -> list[int]:
    return [len(ids) for ids in encoder.tokenize(list(sentences))[0]]


def _layers(encoder: SentenceEncoder) -> int:
    """The weights of the layers: each token passes all of them."""
    return _count(encoder.backbone.encoder)


def _count(module) -> int:
    return sum(weights.numel() for weights in module.parameters())
