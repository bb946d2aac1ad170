"""Sentences per second, and what padding costs (Table 7).

Counts are exact and the same everywhere: `in_order`, `by_length` and encoding.plan_batches cut
sentences into batches, `count_padding` says how many tokens they make. Times belong to one machine
and one moment: `measure` takes several systems in turn, several rounds, and keeps every round.
"""

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import torch
from torch.nn.functional import pad

from sbert_lab.encoding import forward_all
from sbert_lab.errors import InputError
from sbert_lab.experiments.evaluation.vectors import Encode

BATCH_SIZE = 32
WARM_UP = 64  # sentences
Batches = list[np.ndarray]  # the row numbers of each batch
Plan = Callable[[Sequence[int]], Batches]  # lengths -> batches


@dataclass(frozen=True)
class Padding:
    """Tokens that mean something, and tokens that were computed, padding included."""

    real: int
    computed: int
    batches: int

    @property
    def share(self) -> float:
        """The share of all computed tokens that is padding, 0 to 1: a ratio of totals."""
        return 1 - self.real / self.computed

    def __str__(self) -> str:
        return (
            f"{self.real:,} real of {self.computed:,} tokens in {self.batches:,} batches: "
            f"{100 * self.share:.1f} % padding"
        )


@dataclass(frozen=True)
class Speed:
    """Sentences per second of one system, round by round: rates (R,)."""

    rates: np.ndarray
    sentences: int

    @property
    def median(self) -> float:
        return float(np.median(self.rates))

    @property
    def spread(self) -> tuple[float, float]:
        """The slowest and the fastest round."""
        return float(self.rates.min()), float(self.rates.max())

    def __str__(self) -> str:
        low, high = self.spread
        return f"{self.median:,.0f} sentences/s ({low:,.0f} to {high:,.0f})"


# ---- counting


def in_order(lengths: Sequence[int], batch_size: int = BATCH_SIZE) -> Batches:
    """Batches of equal size in the order given."""
    return _cut(np.arange(len(_checked_lengths(lengths))), batch_size)


def by_length(lengths: Sequence[int], batch_size: int = BATCH_SIZE) -> Batches:
    """Batches of equal size, longest first: sentences of about one length come together."""
    return _cut(np.argsort(-_checked_lengths(lengths), kind="stable"), batch_size)


def count_padding(
    lengths: Sequence[int], batches: Sequence[Sequence[int]], *, width: int | None = None
) -> Padding:
    """Count the tokens of a plan: each batch as wide as its longest row, or all `width` wide."""
    lengths = _checked_lengths(lengths)
    rows = np.concatenate([np.asarray(batch, dtype=int) for batch in batches])
    if not np.array_equal(np.sort(rows), np.arange(len(lengths))):
        raise InputError(
            f"the batches hold {len(rows)} rows, {len(set(rows.tolist()))} of them different: "
            f"each of the {len(lengths)} sentences must be in exactly one batch"
        )
    if width is not None and width < lengths.max():
        raise InputError(
            f"width {width} is too small for a sentence of {lengths.max()} tokens: "
            "cut the sentence off first, or choose a larger width"
        )
    computed = sum(len(b) * (width or int(lengths[np.asarray(b)].max())) for b in batches)
    return Padding(real=int(lengths.sum()), computed=int(computed), batches=len(batches))


def _cut(order: np.ndarray, batch_size: int) -> Batches:
    if batch_size < 1:
        raise InputError(f"batch_size must be at least 1, got {batch_size}")
    return [order[start : start + batch_size] for start in range(0, len(order), batch_size)]


def _checked_lengths(lengths: Sequence[int]) -> np.ndarray:
    counts = np.asarray(lengths)
    if counts.ndim != 1 or not len(counts):
        raise InputError(f"one token count per sentence is needed, got shape {counts.shape}")
    if not np.issubdtype(counts.dtype, np.integer) or counts.min() < 1:
        raise InputError(
            f"token counts are whole numbers of at least 1, got {counts.min()!r} "
            f"({counts.dtype}): special tokens count too"
        )
    return counts


# ---- encoding with a plan


def encode_with(encoder, plan: Plan, *, width: int | None = None) -> Encode:
    """An encode function of a SentenceEncoder that makes its batches by `plan`.

    The same tokens, the same network, the same order of the results as encoder.encode; only the
    batches differ. `width` pads every row to that many tokens, however short its batch is.
    """

    def collate(rows: list) -> dict:
        batch = encoder.pad(rows)
        return batch if width is None else _widen(**batch, width=width, pad_id=encoder.pad_id)

    def encode(sentences: list[str]) -> np.ndarray:
        return forward_all(
            sentences,
            encoder,
            tokenize=encoder.tokenize,
            collate=collate,
            forward=encoder,
            plan=plan,
            window=len(sentences),
        )

    return encode


def _widen(input_ids, attention_mask, *, width: int, pad_id: int) -> dict:
    """Padding up to `width` columns: (B, T) -> (B, width), twice."""
    more = width - input_ids.shape[1]
    if more < 0:
        raise InputError(f"width {width} is too small for a batch of {input_ids.shape[1]} tokens")
    mask = torch.ones_like(input_ids) if attention_mask is None else attention_mask
    return {
        "input_ids": pad(input_ids, (0, more), value=pad_id),
        "attention_mask": pad(mask, (0, more)),
    }


# ---- timing


def measure(
    systems: Mapping[str, Encode],
    sentences: Sequence[str],
    *,
    rounds: int = 5,
    seed: int = 1,
    at_most: Mapping[str, int] | None = None,
    device: str = "cpu",
    clock: Callable[[], float] = time.perf_counter,
) -> dict[str, Speed]:
    """Time several encode functions in turn, `rounds` times, each time in another order.

    Whatever else the machine does slows all systems of a round alike, so compare rates of the same
    round. A first short pass, not timed, warms up. `at_most` gives a slow system fewer sentences,
    taken evenly from the whole list so that the mix of lengths stays. On a GPU the clock is read
    only after everything queued there is done.
    """
    if rounds < 1 or not systems or not len(sentences):
        raise InputError(
            f"{len(systems)} systems, {len(sentences)} sentences, {rounds} rounds: "
            "at least one of each is needed"
        )
    texts = {name: take_evenly(sentences, (at_most or {}).get(name)) for name in systems}
    for name, encode in systems.items():
        first = take_evenly(texts[name], WARM_UP)
        _check_rows(name, encode(first), len(first))
    rng = np.random.default_rng(seed)
    rates: dict[str, list[float]] = {name: [] for name in systems}
    for _ in range(rounds):
        for name in rng.permutation(list(systems)).tolist():
            seconds = _seconds(systems[name], texts[name], device, clock)
            if seconds <= 0:
                raise InputError(
                    f"{name}: {len(texts[name])} sentences took no time that this clock can see: "
                    "give more sentences"
                )
            rates[name].append(len(texts[name]) / seconds)
    return {n: Speed(np.array(values), len(texts[n])) for n, values in rates.items()}


def take_evenly(sentences: Sequence[str], count: int | None) -> list[str]:
    """`count` sentences at even distances, in their order; all of them for None."""
    if count is None or count >= len(sentences):
        return list(sentences)
    if count < 1:
        raise InputError(f"at least one sentence must be taken, not {count}")
    places = np.linspace(0, len(sentences) - 1, count).round().astype(int)
    return [sentences[place] for place in places]


def ratio(fast: Speed, slow: Speed) -> np.ndarray:
    """How many times as fast, round by round: (R,). Rounds of one `measure` belong together."""
    if fast.rates.shape != slow.rates.shape:
        raise InputError(
            f"{len(fast.rates)} and {len(slow.rates)} rounds: compare systems of one measurement"
        )
    return fast.rates / slow.rates


def synchronize(device: str) -> None:
    """Wait until the GPU has done all that it was given; nothing to wait for on a CPU."""
    kind = str(device).partition(":")[0]
    if kind == "cpu":
        return
    getattr(torch, kind).synchronize()


def _seconds(encode: Encode, texts: list[str], device: str, clock: Callable[[], float]) -> float:
    synchronize(device)
    start = clock()
    encode(texts)
    synchronize(device)
    return clock() - start


def _check_rows(name: str, vectors: object, count: int) -> None:
    shape = np.shape(vectors)
    if len(shape) != 2 or shape[0] != count:
        raise InputError(
            f"{name} gave an array of shape {shape} for {count} sentences: expected one vector "
            "per sentence, otherwise its time means nothing"
        )
    if not np.isfinite(vectors).all():
        raise InputError(f"{name} gave NaN or infinity: its time means nothing")
