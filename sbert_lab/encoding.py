"""Smart batching: encode many sentences fast, whatever the model.

Sentences are sorted by token count, cut into batches under a token budget, padded to the longest of
their batch, and the rows come back in the order in which they were given. The work is done by
`forward(input_ids, mask)`; mask is None for a batch without padding.
"""

import warnings
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import torch
from torch import Tensor
from tqdm.auto import tqdm

from sbert_lab.devices import move
from sbert_lab.errors import InputError

Forward = Callable[[Tensor, Tensor | None], Tensor]
Tokenize = Callable[[Sequence[str]], tuple[list[list[int]], int]]

WINDOW = 8192  # sentences tokenized ahead of the computation


def check_sentences(sentences: object) -> list[str]:
    """A list of strings, or an error that names what is not one and where."""
    if isinstance(sentences, str):
        raise InputError(f"expected a list of sentences, got one string: use [{sentences[:30]!r}]")
    try:
        listed = list(sentences)
    except TypeError:
        raise InputError(f"expected a list of sentences, got {type(sentences).__name__}") from None
    if not listed:
        raise InputError("there is nothing to encode: the list of sentences is empty")
    for position, sentence in enumerate(listed):
        if not isinstance(sentence, str):
            raise InputError(
                f"sentence {position} is {sentence!r} ({type(sentence).__name__}), not a string: "
                "convert it with str(), or drop it if a value is missing"
            )
    return listed


def plan_batches(
    lengths: Sequence[int], *, token_budget: int, max_rows: int = 1024
) -> list[np.ndarray]:
    """Row numbers batch by batch, longest first, at most token_budget tokens with padding."""
    if token_budget < 1:
        raise InputError(f"token_budget must be at least 1, got {token_budget}")
    counts = np.asarray(lengths)
    order = np.argsort(-counts, kind="stable")
    batches, start = [], 0
    while start < len(order):
        longest = max(1, int(counts[order[start]]))
        rows = min(max_rows, max(1, token_budget // longest))
        batches.append(order[start : start + rows])
        start += rows
    return batches


def pad(rows: Sequence[Sequence[int]], pad_id: int) -> tuple[Tensor, Tensor | None]:
    """Token ids as one rectangle (B, T) and its mask (None if nothing had to be padded)."""
    longest = max(map(len, rows))
    if all(len(row) == longest for row in rows):
        return torch.tensor(np.asarray(rows, dtype=np.int64)), None
    ids = np.full((len(rows), longest), pad_id, dtype=np.int64)
    mask = np.zeros((len(rows), longest), dtype=np.int64)
    for number, row in enumerate(rows):
        ids[number, : len(row)] = row
        mask[number, : len(row)] = 1
    return torch.from_numpy(ids), torch.from_numpy(mask)


def encode_sentences(
    sentences: Sequence[str],
    *,
    tokenize: Tokenize,
    forward: Forward,
    pad_id: int,
    device: torch.device,
    token_budget: int,
    show_progress: bool = False,
) -> np.ndarray:
    """Embed sentences: N strings -> float32 (N, H), in the order given.

    Sentences that were too long for the model are counted by `tokenize` and reported once.
    """
    listed = check_sentences(sentences)
    vectors: np.ndarray | None = None
    truncated = 0
    bar = tqdm(total=len(listed), disable=not show_progress, unit="sentence")
    with bar, torch.inference_mode():
        for start, (ids, cut) in _windows_ahead(listed, tokenize):
            truncated += cut
            for batch in plan_batches([len(row) for row in ids], token_budget=token_budget):
                rows = [ids[i] for i in batch]
                output = _forward_or_split(rows, forward, pad_id, device)
                if vectors is None:
                    vectors = np.empty((len(listed), output.shape[1]), dtype=np.float32)
                vectors[start + batch] = output.float().cpu().numpy()
                bar.update(len(batch))
    if truncated:
        warnings.warn(
            f"{truncated} of {len(listed)} sentences were longer than the model allows and were "
            "cut off at the end",
            stacklevel=3,
        )
    return vectors


def _windows_ahead(sentences: list[str], tokenize: Tokenize) -> Iterator[tuple[int, tuple]]:
    """Tokenize the next window in a second thread while this one is computed."""
    starts = range(0, len(sentences), WINDOW)
    if len(starts) == 1:
        yield 0, tokenize(sentences)
        return
    with ThreadPoolExecutor(max_workers=1) as pool:
        pending = None
        for start in starts:
            following = pool.submit(tokenize, sentences[start : start + WINDOW])
            if pending is not None:
                yield pending[0], pending[1].result()
            pending = (start, following)
        yield pending[0], pending[1].result()


def _forward_or_split(
    rows: list[Sequence[int]], forward: Forward, pad_id: int, device: torch.device
) -> Tensor:
    """Run one batch; if the GPU's memory does not suffice, run its halves."""
    ids, mask = pad(rows, pad_id)
    try:
        return forward(move(ids, device), None if mask is None else move(mask, device))
    except torch.OutOfMemoryError as error:
        if len(rows) == 1:
            raise InputError(
                f"one sentence of {len(rows[0])} tokens does not fit into the GPU's memory: close "
                "other programs, or load the encoder with a smaller max_length"
            ) from error
    if device.type == "cuda":
        torch.cuda.empty_cache()
    middle = len(rows) // 2
    halves = (rows[:middle], rows[middle:])
    return torch.cat([_forward_or_split(half, forward, pad_id, device) for half in halves])
