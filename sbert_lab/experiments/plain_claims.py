"""The claims that no table holds: counts, properties and times. Each gives (holds, note)."""

import itertools
import time
from collections.abc import Callable
from functools import cache

import numpy as np
import torch

from sbert_lab import data
from sbert_lab.experiments.building import build
from sbert_lab.experiments.evaluation import sts
from sbert_lab.experiments.evaluation.speed import synchronize
from sbert_lab.experiments.zoo.rows import nli_pairs
from sbert_lab.profiles import Profile
from sbert_lab.tasks import CrossEncoder, PolyEncoder, Siamese
from sbert_lab.training import take_step

SENTENCES = 1000  # for the times; the cross-encoder's part is extrapolated from PAIRS
PAIRS = 300
STEPS = 22  # of training, for C04
PLAIN: dict[str, Callable[[Profile], tuple[bool, str]]] = {}


def measures(claim: str) -> Callable:
    """Decorator: this function measures that claim."""
    return lambda function: PLAIN.setdefault(claim, function)


@measures("C01")
def c01(profile: Profile) -> tuple[bool, str]:
    """n(n-1)/2, counted where counting is possible, computed for 10,000."""
    counted = sum(1 for _ in itertools.combinations(range(200), 2))
    passes = 10_000 * 9_999 // 2
    return counted == 200 * 199 // 2 and passes == 49_995_000, f"{passes:,} passes"


@measures("C02")
def c02(profile: Profile) -> tuple[bool, str]:
    """Embedding everything and all cosines against all cross-encoder passes."""
    pair, embed, _ = _times(profile)
    crossed = pair * SENTENCES * (SENTENCES - 1) / 2
    note = f"{SENTENCES:,} sentences: {embed:.1f} s against {crossed:,.0f} s (extrapolated)"
    return embed <= crossed / 100, note


@measures("C03")
def c03(profile: Profile) -> tuple[bool, str]:
    """One query: an index over embeddings against a cross-encoder pass for every sentence."""
    pair, _, query = _times(profile)
    crossed = pair * SENTENCES
    note = (
        f"one query against {SENTENCES:,}: {1000 * query:.2f} ms, with the cross-encoder "
        f"{crossed:.1f} s (extrapolated)"
    )
    return query < 0.1 and query <= crossed / 1000, note


@measures("C04")
def c04(profile: Profile) -> tuple[bool, str]:
    """The profile's NLI training, extrapolated from some of its steps."""
    rows = nli_pairs(profile)
    encoder = build("raw-mean", profile)
    task = Siamese(encoder, "classification").train()
    optimizer = torch.optim.AdamW(task.parameters(), lr=profile.train.learning_rate)
    size, seconds = profile.train.batch_size, []
    picks = np.random.default_rng(0).permutation(len(rows))[: STEPS * size].reshape(STEPS, size)
    for numbers in picks:
        began = time.perf_counter()
        batch = task.collate(task.prepare([rows[int(i)] for i in numbers]))
        rate = profile.train.learning_rate
        take_step(task, [(batch, 1.0)], optimizer=optimizer, rate=rate)
        synchronize(encoder.device)  # a GPU may still be at it
        seconds.append(time.perf_counter() - began)
    pairs = len(rows) * profile.train.epochs
    minutes = float(np.median(seconds[2:])) * pairs / size / 60
    return (
        minutes < 20,
        f"{minutes:.1f} minutes for {pairs:,} pairs, extrapolated from {STEPS} steps",
    )


@measures("C10")
def c10(profile: Profile) -> tuple[bool, str]:
    """Three monotone changes of the similarities: Spearman stays, Pearson moves."""
    rows = data.load("stsb", "test", profile=profile)
    encoder = build("raw-mean", profile)
    cosines = sts.similarities(encoder.encode, rows)
    plain = sts.correlations(rows["score"], cosines)
    angles = -np.arccos(np.clip(cosines, -1, 1))
    changed = (angles, np.exp(10 * cosines), np.exp(20 * cosines))
    bent = [sts.correlations(rows["score"], values) for values in changed]
    moved = max(abs(one.pearson - plain.pearson) for one in bent)
    stays = all(abs(one.spearman - plain.spearman) < 1e-6 for one in bent)
    return stays and moved > 1, f"Spearman stays, Pearson moves by up to {moved:.1f} points"


@measures("C25")
def c25(profile: Profile) -> tuple[bool, str]:
    """Swap the sentences of a poly-encoder; count its passes for all pairs."""
    sentences = ["A man plays the flute.", "Two dogs run.", "The river is high."]
    encoder = build("raw-mean", profile)
    poly = PolyEncoder(encoder, seed=1)
    pairs = list(itertools.permutations(range(3), 2))
    first, second = ([sentences[pair[side]] for pair in pairs] for side in (0, 1))
    there, back = poly.score(first, second), poly.score(second, first)
    gap = float(np.abs(there - back).min())
    asymmetric = gap > 1e-6
    return asymmetric and len(pairs) == 3 * 2, f"a swap moves every score by at least {gap:.2g}"


@cache
def _times(profile: Profile) -> tuple[float, float, float]:
    """Seconds per cross-encoder pair, for embedding and all cosines, and per query; the median of
    three interleaved turns."""
    rows = data.load("quora", "train", profile=profile)
    sentences = list(dict.fromkeys(rows["sentence1"]))[:SENTENCES]
    encoder = build("raw-mean", profile)
    cross = CrossEncoder(encoder, "regression", seed=1)
    others = sentences[PAIRS : 2 * PAIRS]
    turns = [_turn(encoder, cross, sentences, others) for _ in range(3)]
    return tuple(float(value) for value in np.median(turns, axis=0))


def _turn(encoder, cross, sentences: list[str], others: list[str]) -> tuple[float, float, float]:
    marks = [time.perf_counter()]
    cross.predict(sentences[:PAIRS], others)
    marks.append(time.perf_counter())
    vectors = encoder.encode(sentences, normalize=True)
    _ = vectors @ vectors.T
    marks.append(time.perf_counter())
    for row in range(20):
        np.argpartition(-(vectors @ vectors[row]), 10)
    marks.append(time.perf_counter())
    pair, embed, queries = np.diff(marks)
    return pair / PAIRS, embed, queries / 20
