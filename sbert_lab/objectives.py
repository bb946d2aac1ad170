"""The training objectives of section 3.1, as functions of embeddings. They never see a model.

u and v are the embeddings of the two sentences of a pair: (B, H).
"""

import torch
from torch import Tensor
from torch.nn import functional as F

from sbert_lab.errors import InputError, require_choice
from sbert_lab.similarity import all_cosine, check_tensors, pairwise_cosine

# The seven concatenations of Table 6, by the names they have there.
_PARTS = {
    "u": lambda u, v: u,
    "v": lambda u, v: v,
    "|u-v|": lambda u, v: (u - v).abs(),
    "u*v": lambda u, v: u * v,
}
CONCATENATIONS: dict[str, tuple[str, ...]] = {
    "(u, v)": ("u", "v"),
    "(|u-v|)": ("|u-v|",),
    "(u*v)": ("u*v",),
    "(|u-v|, u*v)": ("|u-v|", "u*v"),
    "(u, v, u*v)": ("u", "v", "u*v"),
    "(u, v, |u-v|)": ("u", "v", "|u-v|"),
    "(u, v, |u-v|, u*v)": ("u", "v", "|u-v|", "u*v"),
}
PAPER_CONCATENATION = "(u, v, |u-v|)"


def concatenate(u: Tensor, v: Tensor, concatenation: str = PAPER_CONCATENATION) -> Tensor:
    """What the softmax classifier sees: (B, H), (B, H) -> (B, parts * H)."""
    name = require_choice("concatenation", concatenation, CONCATENATIONS)
    _check_batches(u, v)
    return torch.cat([_PARTS[part](u, v) for part in CONCATENATIONS[name]], dim=-1)


def classification_loss(logits: Tensor, labels: Tensor) -> Tensor:
    """Cross-entropy of softmax(W_t(...)): (B, K), (B,) -> scalar."""
    _check_batches(logits)
    _check_answers(labels, logits)
    try:
        return F.cross_entropy(logits.float(), labels)
    except (IndexError, RuntimeError) as error:
        raise InputError(
            f"labels must be whole numbers from 0 to {logits.shape[1] - 1}: {error}"
        ) from error


def regression_loss(u: Tensor, v: Tensor, scores: Tensor) -> Tensor:
    """Mean squared error between the cosine and the gold score (scaled to 0..1): -> scalar."""
    _check_batches(u, v)
    _check_answers(scores, u)
    return F.mse_loss(pairwise_cosine(u.float(), v.float()), scores.float())


def triplet_losses(
    anchor: Tensor, positive: Tensor, negative: Tensor, margin: float = 1.0
) -> Tensor:
    """max(|a-p| - |a-n| + margin, 0) with Euclidean distances, one per triplet: -> (B,)."""
    _check_batches(anchor, positive, negative)
    to_positive = F.pairwise_distance(anchor.float(), positive.float())
    to_negative = F.pairwise_distance(anchor.float(), negative.float())
    return (to_positive - to_negative + margin).clamp(min=0)


def triplet_loss(anchor: Tensor, positive: Tensor, negative: Tensor, margin: float = 1.0) -> Tensor:
    """The mean of triplet_losses."""
    return triplet_losses(anchor, positive, negative, margin).mean()


def in_batch_negatives_loss(
    u: Tensor, v: Tensor, scale: float = 20.0, *, among: tuple[Tensor, int] | None = None
) -> Tensor:
    """Each u must find its own v among all v of the batch, the idea that came after: -> scalar.

    If u and v are only a part of the batch, `among` is all its v and the place of our first.
    """
    _check_batches(u, v)
    candidates, first = among or (v, 0)
    cosines = all_cosine(u.float(), candidates.float())  # (B, all B)
    return F.cross_entropy(cosines * scale, torch.arange(len(u), device=u.device) + first)


def _check_batches(*embeddings: Tensor) -> None:
    """Raise unless all are (B, H), of one shape, with a row at least: a mean of none is nan."""
    check_tensors(*embeddings)
    shapes = [tuple(one.shape) for one in embeddings]
    if len(set(shapes)) > 1 or len(shapes[0]) != 2 or not all(shapes[0]):
        raise InputError(f"expected equal shapes (B, H), got {' and '.join(map(str, shapes))}")


def _check_answers(answers: Tensor, embeddings: Tensor) -> None:
    """Raise unless there is one answer for each row; otherwise torch would repeat the one."""
    if not isinstance(answers, Tensor) or answers.shape != embeddings.shape[:1]:
        found = tuple(getattr(answers, "shape", ())) or type(answers).__name__
        raise InputError(f"{len(embeddings)} rows need as many answers, got {found}")
