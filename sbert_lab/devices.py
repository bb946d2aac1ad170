"""Which device to compute on, in which precision, and how tensors get there."""

import contextlib
import os
from collections.abc import Mapping

import torch

from sbert_lab.errors import InputError

_DTYPES = {"bf16": torch.bfloat16, "fp16": torch.float16}


def pick_device(name: str | None = None) -> torch.device:
    """The named device; without a name $SBERT_LAB_DEVICE, else the best one at hand."""
    chosen = name or os.environ.get("SBERT_LAB_DEVICE")
    if chosen is None:
        if torch.cuda.is_available():
            rank = int(os.environ.get("LOCAL_RANK", "0"))
            return torch.device("cuda", rank % torch.cuda.device_count())
        return torch.device("mps" if torch.backends.mps.is_available() else "cpu")
    try:
        device = torch.device(chosen)
        torch.empty(0, device=device)
    except (RuntimeError, AssertionError) as error:
        raise InputError(
            f"device {chosen!r} cannot be used here ({str(error).splitlines()[0]}): "
            "choose cpu, or unset SBERT_LAB_DEVICE to take the best one at hand"
        ) from error
    return device


def pick_precision(name: str, device: torch.device) -> str:
    """Turn 'auto' into bf16 or fp16 on a GPU and fp32 elsewhere."""
    if name != "auto":
        return name
    if device.type != "cuda":
        return "fp32"
    return "bf16" if torch.cuda.is_bf16_supported() else "fp16"


def autocast(device: torch.device, precision: str) -> contextlib.AbstractContextManager:
    """Mixed precision for the forward pass; nothing at all for fp32 and int8."""
    if precision not in _DTYPES:
        return contextlib.nullcontext()
    return torch.autocast(device.type, dtype=_DTYPES[precision])


def move(batch: object, device: torch.device) -> object:
    """Copy a batch (tensor, mapping or sequence of them) to the device without waiting for it."""
    if isinstance(batch, torch.Tensor):
        if device.type == "cuda" and batch.device.type == "cpu":
            return batch.pin_memory().to(device, non_blocking=True)
        return batch.to(device)
    if isinstance(batch, Mapping):
        return {key: move(value, device) for key, value in batch.items()}
    if isinstance(batch, (list, tuple)):
        return type(batch)(move(value, device) for value in batch)
    return batch
