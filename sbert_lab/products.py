"""Products of float32 matrices on a CPU by oneDNN.

torch leaves them to MKL, which on an AMD processor stays at instructions half as wide.
"""

import torch
from torch import Tensor
from torch.nn import functional as F


def product(x: Tensor, weight: Tensor, bias: Tensor | None = None) -> Tensor:
    """x @ weight.T + bias without gradients: (..., in), (out, in) -> (..., out)."""
    if not onednn_takes(x, weight):
        return F.linear(x, weight, bias)
    return torch.ops.mkldnn._linear_pointwise(x, weight, bias, "none", [], "")


def onednn_takes(*tensors: Tensor) -> bool:
    """Whether oneDNN is there, with the operators that torch.compile uses, for these tensors."""
    known = torch.backends.mkldnn.is_available() and hasattr(torch.ops.mkldnn, "_linear_pointwise")
    return known and all(t.device.type == "cpu" and t.dtype == torch.float32 for t in tensors)


def linear(x: Tensor, weight: Tensor, bias: Tensor) -> Tensor:
    """The same with gradients."""
    return _Linear.apply(x, weight, bias) if onednn_takes(x, weight) else F.linear(x, weight, bias)


class _Linear(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x: Tensor, weight: Tensor, bias: Tensor) -> Tensor:
        ctx.save_for_backward(x, weight)
        return product(x, weight, bias)

    @staticmethod
    @torch.autograd.function.once_differentiable
    def backward(ctx, slope: Tensor) -> tuple[Tensor | None, ...]:
        x, weight = ctx.saved_tensors
        rows, slopes = x.reshape(-1, x.shape[-1]), slope.reshape(-1, slope.shape[-1])
        by_x, by_weight, by_bias = ctx.needs_input_grad
        return (
            product(slope, weight.t()) if by_x else None,
            product(slopes.t(), rows.t()) if by_weight else None,
            slopes.sum(0) if by_bias else None,
        )
