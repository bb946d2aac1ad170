"""Rows of the other processes: in-batch negatives are the whole batch's, not one share's."""

from dataclasses import dataclass

import torch
import torch.distributed as dist
from torch import Tensor


@dataclass(frozen=True)
class Shares:
    """How many rows of the batch each process has, and the number of this one."""

    sizes: tuple[int, ...]
    rank: int

    @property
    def first(self) -> int:
        """Where this process's rows begin among all (0 if it has none)."""
        return sum(self.sizes[: self.rank]) if self.sizes[self.rank] else 0


class _Gather(torch.autograd.Function):
    """Forward: everybody's rows. Backward: what everybody's loss says about ours."""

    @staticmethod
    def forward(ctx, own: Tensor, shares: Shares) -> Tensor:
        ctx.shares, ctx.rows = shares, len(own)
        padded = own.new_zeros(max(shares.sizes), *own.shape[1:])
        padded[: shares.sizes[shares.rank]] = own[: shares.sizes[shares.rank]]
        parts = [torch.empty_like(padded) for _ in shares.sizes]
        dist.all_gather(parts, padded)
        return torch.cat([part[:size] for part, size in zip(parts, shares.sizes, strict=True)])

    @staticmethod
    def backward(ctx, gradient: Tensor) -> tuple[Tensor, None]:
        gradient = gradient.contiguous()
        dist.all_reduce(gradient)
        own = gradient.new_zeros(ctx.rows, *gradient.shape[1:])
        first, size = ctx.shares.first, ctx.shares.sizes[ctx.shares.rank]
        own[:size] = gradient[first : first + size]
        return own, None


_gathered = torch.compiler.disable(_Gather.apply)


def gather(own: Tensor, shares: Shares | None) -> tuple[Tensor, int]:
    """The whole batch and the place of our first row in it: (B, H) -> (all B, H), number.

    Gradients reach the process that a row comes from. Without shares the batch is all ours.
    """
    return (own, 0) if shares is None else (_gathered(own, shares), shares.first)
