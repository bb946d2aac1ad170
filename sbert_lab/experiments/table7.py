"""Table 7: sentences per second on the STS benchmark's sentences, and the padding they cost.

One measurement takes all systems in turn (evaluation.speed.measure), because only times of the
same minute can be compared. Every row reads its part of that measurement, which is kept per profile
and seed. A "seed" is one more measurement, with another order of the systems. Training does not
change the speed of a network, so nothing is trained here.
"""

from __future__ import annotations

import functools
import importlib.util
import os
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

import numpy as np

from sbert_lab.experiments import table7_systems as build
from sbert_lab.experiments.evaluation import speed

if TYPE_CHECKING:
    from sbert_lab.experiments.results import Outcome, Results, Row
    from sbert_lab.profiles import Profile

TABLE = 7
ROUNDS = 5
MOST_SENTENCES = 2000  # of the real sets, taken evenly
FEW = 128  # sentences for the variant with fixed padding, which is slow
WORDS, INFERSENT, USE = "averaged word vectors", "InferSent", "USE"
GIVEN, SMART = "SBERT, given order", "SBERT, smart batching"
BUDGET, FIXED, ROBERTA = "SBERT, token budget", "SBERT, padded to 128", "SRoBERTa, smart batching"
OTHERS, RANDOM = "sentence-transformers", "random weights"

# Name, the paper's row, kind, what it is.
LINES = (
    (WORDS, "Avg. GloVe embeddings", "system", "word vectors of our own, averaged"),
    (INFERSENT, "InferSent", "system", "BiLSTM with max over time, sorted by length, untrained"),
    (USE, "Universal Sentence Encoder", "system", "averaging net, sorted by length, untrained"),
    (GIVEN, "SBERT-base", "system", "batches of 32 in file order, padded to their longest"),
    (SMART, "SBERT-base - smart batching", "system", "batches of 32, sorted by length first"),
    (BUDGET, None, "extra", "sorted, as many rows as fit a token budget: encoder.encode"),
    (ROBERTA, None, "extra", "the RoBERTa backbone, batches of 32 sorted by length"),
    (FIXED, None, "extra", "batches of 32, every sentence padded to 128 tokens"),
    (OTHERS, None, "extra", "the public library on the same folder, batches of 32"),
    (RANDOM, None, "floor", "as smart batching, but with random weights"),
)


def rows(profile: Profile) -> list[Row]:
    """The systems of Table 7; all share one measurement per seed."""
    from sbert_lab.experiments.results import Row

    def run(name: str) -> Callable[[int], Outcome]:
        return lambda seed: measurement(profile, seed)[name]

    return [
        Row(name=name, run=run(name), seeds=profile.seeds, paper=paper, kind=kind, note=note)
        for name, paper, kind, note in LINES
        if name != OTHERS or _library_is_here()
    ]


def gold(profile: Profile) -> dict[str, np.ndarray]:
    """Nothing: no answer is right or wrong here."""
    return {}


def data_seen(profile: Profile) -> str:
    """How many sentences were encoded, and of how much of STSb they are."""
    from sbert_lab import data

    count = len(stsb_sentences(profile))
    return f"{count:,} sentences of stsb: {data.coverage('stsb', 'all', profile=profile)}"


def claims(results: Results) -> dict[str, dict[str, np.ndarray]]:
    """No claim of this table rests on test items: see time_claims."""
    return {}


def time_claims(results: Results) -> dict[str, tuple[bool, str]]:
    """C23 and C24 by their rules: whether they hold, and the figures."""
    found = {}
    if _all_there(results, GIVEN, SMART):
        found["C23"] = _smart_batching_is_faster(results)
    if _all_there(results, WORDS, USE, INFERSENT, SMART):
        words, use, infersent, smart = (
            results.mean(name, "CPU") for name in (WORDS, USE, INFERSENT, SMART)
        )
        note = (
            f"CPU: word vectors {words:,.0f}, USE {use:,.0f}, InferSent {infersent:,.0f}, "
            f"SBERT with smart batching {smart:,.0f}; {_gpu_half(results)}"
        )
        found["C24"] = bool(words > max(use, infersent) and infersent > smart), note
    return found


def _smart_batching_is_faster(results: Results) -> tuple[bool, str]:
    devices = [name for name in ("CPU", "GPU") if name in results.columns]
    holds, notes = True, []
    for device in devices:
        slow, fast = results.mean(GIVEN, device), results.mean(SMART, device)
        holds = holds and fast > slow
        notes.append(f"{device} {slow:,.0f} to {fast:,.0f} ({100 * (fast / slow - 1):+.0f} %)")
    if "GPU" not in devices:
        notes.append("GPU half not measurable here")
    return bool(holds), "; ".join(notes)


def _gpu_half(results: Results) -> str:
    if "GPU" not in results.columns:
        return "GPU half not measurable here"
    parts = (f"{name} {results.mean(name, 'GPU'):,.0f}" for name in (SMART, INFERSENT, USE))
    return "GPU: " + ", ".join(parts)


def _all_there(results: Results, *names: str) -> bool:
    return all(results.exists(name) for name in names)


# ---- the measurement


def stsb_sentences(profile: Profile) -> list[str]:
    """The different sentences of STSb, pair by pair in the order of its files."""
    from sbert_lab import data

    pairs = data.load("stsb", "all", profile=profile, partial=profile.name == "real")
    both = zip(pairs["sentence1"], pairs["sentence2"], strict=True)
    different = dict.fromkeys(sentence for pair in both for sentence in pair)
    return speed.take_evenly(list(different), MOST_SENTENCES)


@functools.cache
def measurement(profile: Profile, seed: int) -> dict[str, Outcome]:
    """Every system's outcome of one interleaved measurement, on the CPU and on a GPU if any."""
    return measure_all(profile, seed, stsb_sentences(profile))


def measure_all(
    profile: Profile, seed: int, sentences: Sequence[str], *, rounds: int = ROUNDS
) -> dict[str, Outcome]:
    """The measurement itself, for any sentences: row name -> outcome."""
    import torch

    from sbert_lab.experiments.results import Outcome

    timed, padding, weights = {}, {}, {}
    devices = {"CPU": "cpu"} | ({"GPU": "cuda"} if torch.cuda.is_available() else {})
    for column, device in devices.items():
        systems = build_systems(profile, device, sentences, seed)
        padding = padding or {name: one.padding for name, one in systems.items()}
        weights = weights or {name: one.weights for name, one in systems.items()}
        timed[column] = speed.measure(
            {name: one.encode for name, one in systems.items()},
            sentences,
            rounds=rounds,
            seed=seed,
            at_most={FIXED: FEW},
            device=device,
        )
    about = {"threads": torch.get_num_threads(), "load": round(os.getloadavg()[0], 1)}
    return {
        name: Outcome(
            scores={
                **{column: found[name].median for column, found in timed.items()},
                "real tokens": one.real,
                "computed tokens": one.computed,
                "padding": 100 * one.share,
            },
            predictions={f"{column} rounds": found[name].rates for column, found in timed.items()},
            info={**about, "sentences": timed["CPU"][name].sentences, "weights": weights[name]},
        )
        for name, one in padding.items()
    }


def build_systems(
    profile: Profile, device: str, sentences: Sequence[str], seed: int
) -> dict[str, build.System]:
    """All systems on one device, in the table's order; tokens are counted for all `sentences`."""
    encoder = build.load_encoder(profile.backbone, profile, device)
    found = {
        WORDS: build.word_vectors(sentences),
        INFERSENT: build.word_encoder("bilstm", profile, device, sentences),
        USE: build.word_encoder("averaging", profile, device, sentences),
        GIVEN: build.planned(encoder, speed.in_order, sentences),
        SMART: build.planned(encoder, speed.by_length, sentences),
        BUDGET: build.budgeted(encoder, sentences),
        ROBERTA: build.planned(
            build.load_encoder(profile.roberta, profile, device), speed.by_length, sentences
        ),
        FIXED: build.planned(encoder, speed.in_order, sentences, width=profile.max_length),
    }
    if _library_is_here():
        found[OTHERS] = build.public_library(profile, encoder, sentences)
    random = build.randomised(build.load_encoder(profile.backbone, profile, device), seed)
    found[RANDOM] = build.planned(random, speed.by_length, sentences)
    return found


def _library_is_here() -> bool:
    return importlib.util.find_spec("sentence_transformers") is not None
