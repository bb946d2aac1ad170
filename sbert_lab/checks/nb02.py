"""Checks of 02_pooling."""

from functools import cache

import numpy as np
import torch
from torch import Tensor

from sbert_lab import pooling
from sbert_lab.checks.core import Hint, check, near, need_shape


def padded_batch() -> tuple[Tensor, Tensor]:
    """Three sentences of 5, 3 and 4 tokens, all values below 0, padding loud: (3, 5, 4), (3, 5)."""
    generator = torch.Generator().manual_seed(2)
    vectors = -1 - 4 * torch.rand(3, 5, 4, generator=generator)
    vectors[:, :, 3] *= 100  # so far down that a timid "very small number" does not suffice
    mask = torch.tensor([[1, 1, 1, 1, 1], [1, 1, 1, 0, 0], [1, 1, 1, 1, 0]])
    vectors[mask == 0] = 50.0
    return vectors, mask


@check
def mean_pool(answer):
    """answer(token_embeddings, attention_mask): (B, T, H), (B, T) -> (B, H)."""
    vectors, mask = padded_batch()
    given = vectors.clone()
    result = answer(given, mask.clone())
    need_shape(result, (3, 4), "the pooled batch")
    if not torch.equal(given, vectors):
        raise Hint("your function changed the vectors it was given: work on a copy")
    if near(result, pooling.mean_pool(vectors, mask)):
        return
    weights = mask.unsqueeze(-1).float()
    total = (vectors * weights).sum(dim=1)
    inner = torch.stack([vectors[i, 1 : n - 1].mean(0) for i, n in enumerate(mask.sum(1))])
    mistakes = [
        (vectors.mean(dim=1), "padding is in your average: give it the weight 0 before you sum"),
        (
            total / mask.shape[1],
            "your sums are right, but you divided by T, padding too: divide by the real tokens",
        ),
        (
            vectors.sum(dim=1) / weights.sum(dim=1),
            "you divided by the real tokens, but padding is still in the sum",
        ),
        (
            total / weights.sum(),
            "you divided by the real tokens of the whole batch: each sentence has its own count",
        ),
        (total, "these are sums: divide each by its number of real tokens"),
        (inner, "[CLS] and [SEP] count as well: the paper's MEAN takes every token but padding"),
    ]
    for wrong, hint in mistakes:
        if near(result, wrong):
            raise Hint(hint)
    raise Hint("compare with the slow loop on the tiny batch: which sentence differs?")


@check
def max_pool(answer):
    """answer(token_embeddings, attention_mask): (B, T, H), (B, T) -> (B, H)."""
    vectors, mask = padded_batch()
    given = vectors.clone()
    result = _run_max(answer, given, mask.clone())
    need_shape(result, (3, 4), "the pooled batch")
    if not torch.equal(given, vectors):
        raise Hint(
            "you wrote into the model's output: whoever uses it next finds your number there. "
            "Fill a copy (masked_fill without the underscore at the end)"
        )
    if not near(result, pooling.max_pool(vectors, mask)):
        _explain_max(result, vectors, mask)
    half = vectors.half()
    result = _run_max(answer, half.clone(), mask.clone())
    if result.dtype != torch.float16:
        raise Hint(f"half precision went in and {result.dtype} came out: keep the dtype")
    if not near(result, pooling.max_pool(half, mask)):
        raise Hint("right in float32, wrong in float16: its smallest number is -65,504")


def _run_max(answer, vectors: Tensor, mask: Tensor) -> Tensor:
    """Call the answer; a number too large for its dtype is a named mistake, not a crash."""
    try:
        return answer(vectors, mask)
    except RuntimeError as error:
        if "overflow" not in str(error):
            raise
        raise Hint(
            "your number does not fit into float16, which ends at -65,504: use float('-inf') or "
            "torch.finfo(dtype).min"
        ) from error


def _explain_max(result: Tensor, vectors: Tensor, mask: Tensor) -> None:
    weights = mask.unsqueeze(-1).float()
    if near(result, vectors.max(dim=1).values):
        raise Hint("padding won: push it far below every real value first")
    if near(result, (vectors * weights).max(dim=1).values):
        raise Hint("you multiplied by the mask: padding became 0, and 0 beats every negative value")
    if near(result, pooling.mean_pool(vectors, mask)):
        raise Hint("this is the mean: take the largest value per dimension")
    if isinstance(result, Tensor) and (result > pooling.max_pool(vectors, mask) + 1e-3).any():
        raise Hint("padding won in some dimension: your filling number is not low enough")
    raise Hint("compare with the slow loop on the tiny batch: which dimension differs?")


@cache
def _encoder():
    from sbert_lab.encoder import SentenceEncoder

    return SentenceEncoder.load("mini-bert", device="cpu")


@check
def same_vector(first, second):
    """Two different sentences with the identical embedding."""
    if not isinstance(first, str) or not isinstance(second, str):
        raise Hint("give two strings")
    if first == second:
        raise Hint("these two are the same string")
    if "".join(first.split()) == "".join(second.split()):
        raise Hint("they differ in white space only: change something that a reader would see")
    if not first.strip() or not second.strip():
        raise Hint("an empty string is no sentence")
    encoder = _encoder()
    (left, right), _ = encoder.tokenize([first, second])
    if left == right:
        return
    u, v = encoder.encode([first, second])
    if np.allclose(u, v, atol=1e-6):
        return
    if sorted(left) == sorted(right):
        raise Hint(
            "same pieces in another order: each token's vector already knows its place, so the "
            "mean does too"
        )
    differ = sum(a != b for a, b in zip(left, right, strict=False)) + abs(len(left) - len(right))
    raise Hint(
        f"their token ids still differ in {differ} place{'s' if differ > 1 else ''}: look for a "
        "step of the tokenizer that throws information away"
    )
