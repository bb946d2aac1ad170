"""One batched forward for every model that reads sentences, or pairs of them.

Items are tokenized a window ahead, sorted by token count, cut into batches under a token budget and
padded to the longest of their batch; a batch too large for the GPU's memory is halved. The results
come back in the order in which the items were given.
"""

import contextlib
import functools
import warnings
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import torch
from torch import Tensor, nn
from tqdm.auto import tqdm

from sbert_lab.devices import (
    Fetch,
    autocast,
    copy_back,
    fast_products,
    move,
    one_behind,
    pick_precision,
)
from sbert_lab.errors import InputError
from sbert_lab.vectors import unit_rows

Tokenize = Callable[[list], tuple[list, int]]  # items -> rows of tokens, how many were cut off
Collate = Callable[[list], dict[str, Tensor | None]]  # some rows -> what forward(**batch) takes
Forward = Callable[..., Tensor]  # -> (B, ...)
Plan = Callable[[Sequence[int]], list[np.ndarray]]  # token counts -> row numbers batch by batch

WINDOW = 8192  # items tokenized ahead of the computation
TOKEN_BUDGETS = {"cpu": 2048, "mps": 16384, "cuda": 32768}


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
        check_sentence(position, sentence)
    return listed


def check_sentence(position: int, sentence: object) -> None:
    """Raise unless this is a string."""
    if not isinstance(sentence, str):
        raise InputError(
            f"sentence {position} is {sentence!r} ({type(sentence).__name__}), not a string: "
            "convert it with str(), or drop it if a value is missing"
        )


def check_pairs(first: object, second: object) -> list[tuple[str, str]]:
    """Two lists of strings of one length as a list of pairs."""
    first, second = check_sentences(first), check_sentences(second)
    if len(first) != len(second):
        raise InputError(f"{len(first)} first sentences but {len(second)} second ones")
    return list(zip(first, second, strict=True))


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


def pad(
    rows: Sequence[Sequence[int]], pad_id: int, multiple: int = 1, most: int | None = None
) -> tuple[Tensor, Tensor | None]:
    """Token ids as one rectangle (B, T) and its mask (None if nothing had to be padded).

    To compile for few shapes, T is rounded up to a multiple, at most `most`, and always has a mask.
    """
    longest = max(map(len, rows))
    rounded = -(-longest // multiple) * multiple
    longest = max(longest, min(rounded, most or rounded))
    if multiple == 1 and all(len(row) == longest for row in rows):
        return torch.tensor(np.asarray(rows, dtype=np.int64)), None
    ids = np.full((len(rows), longest), pad_id, dtype=np.int64)
    mask = np.zeros((len(rows), longest), dtype=np.int64)
    for number, row in enumerate(rows):
        ids[number, : len(row)] = row
        mask[number, : len(row)] = 1
    return torch.from_numpy(ids), torch.from_numpy(mask)


def smart_plan(device: torch.device, token_budget: int | None = None) -> Plan:
    """plan_batches with this budget, or with the one that suits the device."""
    budget = token_budget or TOKEN_BUDGETS.get(device.type, 4096)
    return functools.partial(plan_batches, token_budget=budget)


# ---- the one way through


def forward_all(
    items: Sequence,
    network: nn.Module,
    *,
    tokenize: Tokenize,
    collate: Collate,
    forward: Forward,
    plan: Plan | None = None,
    precision: str = "fp32",
    normalize: bool = False,
    window: int | None = None,
    show_progress: bool = False,
    unit: str = "sentence",
) -> np.ndarray:
    """Send every item through the network: N items -> float32 (N, ...), in the order given.

    Without a plan batches are as large as suits the device. Items that were too long for the model
    are counted by `tokenize` and reported once.
    """
    plan = plan or smart_plan(_device(network))
    begin = functools.partial(begin_batch, network, collate, forward, normalize=normalize)
    size, truncated, results = window or WINDOW, 0, None
    windows = ((start, items[start : start + size]) for start in range(0, len(items), size))

    def batches() -> Iterator[tuple[np.ndarray, Fetch]]:
        nonlocal truncated
        for start, rows, cut in tokenize_ahead(windows, tokenize):
            truncated += cut
            for batch in plan([len(row) for row in rows]):
                yield start + batch, begin([rows[i] for i in batch])

    bar = tqdm(total=len(items), disable=not show_progress, unit=unit)
    with bar, evaluating(network, precision):
        for places, output in one_behind(batches()):
            if results is None:
                results = np.empty((len(items), *output.shape[1:]), dtype=np.float32)
            results[places] = output
            bar.update(len(places))
    warn_cut_off(truncated, len(items), unit, stacklevel=4)
    return results


@contextlib.contextmanager
def evaluating(network: nn.Module, precision: str = "fp32") -> Iterator[None]:
    """No dropout, no gradients, in this precision; afterwards each part is in its mode again."""
    device, modes = _device(network), [(part, part.training) for part in network.modules()]
    kind = pick_precision(precision, device)
    network.eval()
    try:
        with torch.inference_mode(), fast_products(device, kind), autocast(device, kind):
            yield
    finally:
        for part, training in modes:
            part.training = training


def tokenize_ahead(
    windows: Iterable[tuple[int, list]], tokenize: Tokenize
) -> Iterator[tuple[int, list, int]]:
    """(number of its first item, rows, how many were cut off) of each window.

    While one window is computed, the next one is tokenized in a second thread.
    """
    windows, ahead = iter(windows), None
    with ThreadPoolExecutor(max_workers=1) as pool:  # it starts no thread for a single window
        window = next(windows, None)
        while window is not None:
            start, items = window
            rows, cut = tokenize(items) if ahead is None else ahead.result()
            window = next(windows, None)
            if window is not None:
                ahead = pool.submit(tokenize, window[1])
            yield start, rows, cut


def begin_batch(
    network: nn.Module, collate: Collate, forward: Forward, rows: list, *, normalize: bool = False
) -> Fetch:
    """Start a batch, to be fetched as float32 (B, ...); its halves if memory does not suffice."""
    device = _device(network)
    try:
        fetch = copy_back(forward(**move(collate(rows), device)))
        return (lambda: unit_rows(fetch())) if normalize else fetch
    except torch.OutOfMemoryError as error:
        if len(rows) == 1:
            raise InputError(
                f"one sentence of {len(rows[0])} tokens does not fit into the GPU's memory: close "
                "other programs, or load the encoder with a smaller max_length"
            ) from error
    if device.type == "cuda":
        torch.cuda.empty_cache()
    middle = len(rows) // 2
    begin = functools.partial(begin_batch, network, collate, forward, normalize=normalize)
    halves = [begin(rows[:middle]), begin(rows[middle:])]
    return lambda: np.concatenate([half() for half in halves])


def _device(network: nn.Module) -> torch.device:
    return next(network.parameters()).device


def warn_cut_off(count: int, total: int, unit: str = "sentence", *, stacklevel: int = 3) -> None:
    """Say how many items were too long, if any were."""
    if count:
        warnings.warn(
            f"{count} of {total} {unit}s were longer than the model allows and were cut off at "
            "the end",
            stacklevel=stacklevel,
        )


class Encoder(nn.Module):
    """What sentence encoders share; their own are `tokenize`, `forward` and the id of padding."""

    pad_id: int
    normalize = False  # whether forward itself gives vectors of length 1
    auto_precision = "auto"  # what precision="auto" means
    token_budget: int | None = None  # of a batch; None is the device's
    max_length: int | None = None  # in tokens
    pad_multiple = 1  # batches are this, or a multiple of it, wide

    @property
    def device(self) -> torch.device:
        return _device(self)

    def pad(self, ids: Sequence[Sequence[int]]) -> dict[str, Tensor | None]:
        """Tokenized sentences as a batch, ready for forward(**batch)."""
        input_ids, mask = pad(ids, self.pad_id, self.pad_multiple, self.max_length)
        return {"input_ids": input_ids, "attention_mask": mask}

    def collate(self, sentences: Sequence[str]) -> dict[str, Tensor | None]:
        """Sentences as a batch, ready for forward(**batch)."""
        return self.pad(self.tokenize(sentences)[0])

    def together(self, batches: Sequence[dict[str, Tensor | None]]) -> Tensor:
        """Batches of different widths to embeddings with gradients: (B, T) each -> (all B, H)."""
        return torch.cat([self(**batch) for batch in batches])

    def encode(
        self,
        sentences: Sequence[str],
        *,
        normalize: bool = False,
        show_progress: bool = False,
        token_budget: int | None = None,
        precision: str = "auto",
    ) -> np.ndarray:
        """Embed sentences: N strings -> float32 array (N, H), in the order given.

        `token_budget` is the most tokens, padding included, that one batch may hold.
        """
        sentences = check_sentences(sentences)
        precision = self.auto_precision if precision == "auto" else precision
        collate, forward = self.ready(precision, len(sentences))
        return forward_all(
            sentences,
            self,
            tokenize=self.tokenize,
            collate=collate,
            forward=forward,
            plan=smart_plan(self.device, token_budget or self.token_budget),
            precision=precision,
            normalize=normalize and not self.normalize,
            show_progress=show_progress,
        )

    def ready(self, precision: str, sentences: int) -> tuple[Collate, Forward]:
        """How to encode so many sentences: what makes a batch of token ids, what computes it."""
        return self.pad, self

    def begin(
        self, ids: list[list[int]], *, ready: tuple[Collate, Forward], normalize: bool = False
    ) -> Fetch:
        """Start a batch of tokenized sentences, to be fetched as vectors: float32 (B, H)."""
        return begin_batch(self, *ready, ids, normalize=normalize and not self.normalize)
