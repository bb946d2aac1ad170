"""Table 7: sentences per second on the STS benchmark's sentences, and the padding they cost.

One measurement takes all systems in turn (evaluation.speed.measure), because only times of the
same minute can be compared. Every row reads its part of that measurement, which is kept per profile
and seed. A "seed" is one more measurement, with another order of the systems. Training does not
change the speed of a network, so nothing is trained here.
"""

import importlib.util
import os
from collections.abc import Sequence
from functools import cache, partial

import numpy as np
import torch

from sbert_lab import data
from sbert_lab.experiments import lines
from sbert_lab.experiments import table7_systems as timed
from sbert_lab.experiments.building import build
from sbert_lab.experiments.evaluation import speed
from sbert_lab.experiments.results import Outcome, Results, Row
from sbert_lab.experiments.systems import name_of
from sbert_lab.profiles import Profile

TABLE = 7
ROUNDS = 5
MOST_SENTENCES = 2000  # of the real sets, taken evenly
FEW = 128  # sentences for the variant with fixed padding, which is slow
WORDS, INFERSENT, USE = map(name_of, ("word-vectors", "infersent-untrained", "use-untrained"))
GIVEN, SMART, BUDGET = map(name_of, ("sbert-given-order", "sbert-smart", "sbert-budget"))
ROBERTA, FIXED = name_of("sroberta-smart"), name_of("sbert-padded")
OTHERS, RANDOM = name_of("public-library"), name_of("random-smart")
LINES = (
    *("word-vectors", "infersent-untrained", "use-untrained", "sbert-given-order", "sbert-smart"),
    *("sbert-budget", "sroberta-smart", "sbert-padded", "public-library", "random-smart"),
)


def rows(profile: Profile) -> list[Row]:
    """The systems of Table 7; all share one measurement per seed."""

    def run(id: str, seed: int) -> Outcome:
        return measurement(profile, seed)[name_of(id)]

    here = [id for id in LINES if id != "public-library" or _library_is_here()]
    return [lines.row(id, profile, run=partial(run, id), seeds=profile.seeds) for id in here]


def gold(profile: Profile) -> dict[str, np.ndarray]:
    """Nothing: no answer is right or wrong here."""
    return {}


def data_seen(profile: Profile) -> str:
    """How many sentences were encoded, and of how much of STSb they are."""
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
            f"CPU: averaged word vectors {words:,.0f}, USE {use:,.0f}, InferSent {infersent:,.0f}, "
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
    pairs = data.load("stsb", "all", profile=profile)
    both = zip(pairs["sentence1"], pairs["sentence2"], strict=True)
    different = dict.fromkeys(sentence for pair in both for sentence in pair)
    return speed.take_evenly(list(different), MOST_SENTENCES)


@cache
def measurement(profile: Profile, seed: int) -> dict[str, Outcome]:
    """Every system's outcome of one interleaved measurement, on the CPU and on a GPU if any."""
    return measure_all(profile, seed, stsb_sentences(profile))


def measure_all(
    profile: Profile, seed: int, sentences: Sequence[str], *, rounds: int = ROUNDS
) -> dict[str, Outcome]:
    """The measurement itself, for any sentences: row name -> outcome."""
    times, padding, weights = {}, {}, {}
    devices = {"CPU": "cpu"} | ({"GPU": "cuda"} if torch.cuda.is_available() else {})
    for column, device in devices.items():
        systems = build_systems(profile, device, sentences, seed)
        padding = padding or {name: one.padding for name, one in systems.items()}
        weights = weights or {name: one.weights for name, one in systems.items()}
        times[column] = speed.measure(
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
                **{column: found[name].median for column, found in times.items()},
                "real tokens": one.real,
                "computed tokens": one.computed,
                "padding": 100 * one.share,
            },
            predictions={f"{column} rounds": found[name].rates for column, found in times.items()},
            info={**about, "sentences": times["CPU"][name].sentences, "weights": weights[name]},
        )
        for name, one in padding.items()
    }


def build_systems(
    profile: Profile, device: str, sentences: Sequence[str], seed: int
) -> dict[str, timed.Timed]:
    """All systems on one device, in the table's order; tokens are counted for all `sentences`."""

    def network(id: str):
        return build(id, profile, seed).to(device)

    encoder = network("raw-mean")
    found = {
        WORDS: timed.word_vectors(build("word-vectors", profile), sentences),
        INFERSENT: timed.word_encoder("bilstm", profile, device, sentences),
        USE: timed.word_encoder("averaging", profile, device, sentences),
        GIVEN: timed.planned(encoder, speed.in_order, sentences),
        SMART: timed.planned(encoder, speed.by_length, sentences),
        BUDGET: timed.budgeted(encoder, sentences),
        ROBERTA: timed.planned(network("raw-roberta"), speed.by_length, sentences),
        FIXED: timed.planned(encoder, speed.in_order, sentences, width=profile.max_length),
    }
    if _library_is_here():
        found[OTHERS] = timed.public_library(profile, encoder, sentences)
    found[RANDOM] = timed.planned(network("random-weights"), speed.by_length, sentences)
    return found


def _library_is_here() -> bool:
    return importlib.util.find_spec("sentence_transformers") is not None
