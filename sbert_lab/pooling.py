"""From token vectors to one sentence vector: the three ways of the paper (section 3).

Shapes: B sentences, T tokens, H dimensions. The mask is 1 for real tokens, 0 for padding.
"""

from collections.abc import Callable

import torch
from torch import Tensor

from sbert_lab.errors import require_choice


def cls_pool(token_embeddings: Tensor, attention_mask: Tensor) -> Tensor:
    """Take the first token's vector: (B, T, H), (B, T) -> (B, H). The mask is not needed."""
    return token_embeddings[:, 0]


def mean_pool(token_embeddings: Tensor, attention_mask: Tensor) -> Tensor:
    """Average the vectors of the real tokens: (B, T, H), (B, T) -> (B, H).

    Padding never counts. A row that is all padding gives zeros, not NaN.
    """
    mask = attention_mask.unsqueeze(-1).to(token_embeddings.dtype)  # (B, T, 1)
    return (token_embeddings * mask).sum(dim=1) / mask.sum(dim=1).clamp(min=1)


def max_pool(token_embeddings: Tensor, attention_mask: Tensor) -> Tensor:
    """Per dimension the largest value over the real tokens: (B, T, H), (B, T) -> (B, H).

    Padding is pushed to minus infinity in a copy, which also works in half precision. A row that
    is all padding gives zeros.
    """
    padding = attention_mask.unsqueeze(-1) == 0  # (B, T, 1)
    largest = token_embeddings.masked_fill(padding, float("-inf")).max(dim=1).values  # (B, H)
    return torch.where(padding.all(dim=1), torch.zeros_like(largest), largest)


POOLERS: dict[str, Callable[[Tensor, Tensor], Tensor]] = {
    "cls": cls_pool,
    "mean": mean_pool,
    "max": max_pool,
}


def pool(name: str, token_embeddings: Tensor, attention_mask: Tensor | None) -> Tensor:
    """Pool by name. No mask means that there is no padding: (B, T, H) -> (B, H)."""
    pooler = POOLERS[require_choice("pooling", name, POOLERS)]
    if attention_mask is not None:
        return pooler(token_embeddings, attention_mask)
    if name == "mean":
        return token_embeddings.mean(dim=1)
    if name == "max":
        return token_embeddings.max(dim=1).values
    return token_embeddings[:, 0]
