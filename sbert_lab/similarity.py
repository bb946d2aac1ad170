"""How alike two embeddings are. Larger is always more alike, so distances come with a minus.

`pairwise_*` compares row i with row i: (N, H), (N, H) -> (N,). `all_*` compares every row with
every row: (N, H), (M, H) -> (N, M). Half precision is compared as float32: in float16 the guard
against dividing by zero would be zero itself.
"""

from collections.abc import Callable

import torch
from torch import Tensor
from torch.nn import functional as F

from sbert_lab.errors import InputError, require_choice


def pairwise_cosine(u: Tensor, v: Tensor) -> Tensor:
    """Cosine of the angle, in [-1, 1]. A zero vector is like nothing: 0, not NaN."""
    u, v = _paired(u, v)
    return (F.normalize(u, dim=-1) * F.normalize(v, dim=-1)).sum(dim=-1)


def pairwise_euclidean(u: Tensor, v: Tensor) -> Tensor:
    """Minus the Euclidean distance."""
    u, v = _paired(u, v)
    return -torch.linalg.vector_norm(u - v, dim=-1)


def pairwise_manhattan(u: Tensor, v: Tensor) -> Tensor:
    """Minus the sum of the absolute differences."""
    u, v = _paired(u, v)
    return -(u - v).abs().sum(dim=-1)


def all_cosine(u: Tensor, v: Tensor) -> Tensor:
    """Every cosine at once: one matrix product."""
    u, v = _equally_wide(u, v)
    return F.normalize(u, dim=-1) @ F.normalize(v, dim=-1).T


def all_euclidean(u: Tensor, v: Tensor) -> Tensor:
    """Minus every Euclidean distance, computed from the differences and so exact for near pairs."""
    u, v = _equally_wide(u, v)
    return -torch.cdist(u, v, compute_mode="donot_use_mm_for_euclid_dist")


def all_manhattan(u: Tensor, v: Tensor) -> Tensor:
    """Minus every Manhattan distance."""
    u, v = _equally_wide(u, v)
    return -torch.cdist(u, v, p=1)


Similarity = Callable[[Tensor, Tensor], Tensor]
PAIRWISE: dict[str, Similarity] = {
    "cosine": pairwise_cosine,
    "euclidean": pairwise_euclidean,
    "manhattan": pairwise_manhattan,
}
ALL_PAIRS: dict[str, Similarity] = {
    "cosine": all_cosine,
    "euclidean": all_euclidean,
    "manhattan": all_manhattan,
}


def pairwise(name: str, u: Tensor, v: Tensor) -> Tensor:
    """Compare row i with row i by name."""
    return PAIRWISE[require_choice("similarity", name, PAIRWISE)](u, v)


def all_pairs(name: str, u: Tensor, v: Tensor) -> Tensor:
    """Compare every row with every row by name."""
    return ALL_PAIRS[require_choice("similarity", name, ALL_PAIRS)](u, v)


def check_tensors(*tensors: Tensor) -> None:
    """Raise unless these are tensors of floating-point numbers."""
    for one in tensors:
        if not isinstance(one, Tensor) or not one.is_floating_point():
            found = one.dtype if isinstance(one, Tensor) else type(one).__name__
            raise InputError(f"expected a tensor of floats, got {found}: use torch.as_tensor(...)")


def _paired(u: Tensor, v: Tensor) -> tuple[Tensor, Tensor]:
    check_tensors(u, v)
    if u.shape != v.shape:
        raise InputError(
            f"pairs need equal shapes, got {tuple(u.shape)} and {tuple(v.shape)}: "
            "for every row against every row use the all_ functions"
        )
    return _alike(u, v)


def _equally_wide(u: Tensor, v: Tensor) -> tuple[Tensor, Tensor]:
    check_tensors(u, v)
    if u.ndim != 2 or v.ndim != 2 or u.shape[1] != v.shape[1]:
        raise InputError(
            f"expected (N, H) and (M, H) with one H, got {tuple(u.shape)} and {tuple(v.shape)}"
        )
    return _alike(u, v)


def _alike(u: Tensor, v: Tensor) -> tuple[Tensor, Tensor]:
    """Both in the more exact of their types, float32 at least."""
    kind = torch.promote_types(torch.promote_types(u.dtype, v.dtype), torch.float32)
    return u.to(kind), v.to(kind)
