"""Which device to compute on, in which precision, and how tensors get there."""

import contextlib
import os
from collections.abc import Callable, Iterable, Iterator, Mapping

import numpy as np
import torch

from sbert_lab.errors import InputError, require_choice

Fetch = Callable[[], np.ndarray]  # waits for the results of a batch that was started
PRECISIONS = ("auto", "fp32", "tf32", "bf16", "fp16", "int8")
_DTYPES = {"bf16": torch.bfloat16, "fp16": torch.float16}


def pick_device(name: str | None = None) -> torch.device:
    """The named device; without a name $SBERT_LAB_DEVICE, else the best one at hand.

    Under torchrun each process of a machine has a GPU of its own, unless a number is named.
    """
    chosen = name or os.environ.get("SBERT_LAB_DEVICE")
    if chosen is None and not torch.cuda.is_available():
        return torch.device("mps" if torch.backends.mps.is_available() else "cpu")
    try:
        device = torch.device(chosen or "cuda")
        if device.type == "cuda" and device.index is None and torch.cuda.is_available():
            rank = int(os.environ.get("LOCAL_RANK", "0"))
            device = torch.device("cuda", rank % torch.cuda.device_count())
        torch.empty(0, device=device)
    except (RuntimeError, AssertionError) as error:
        raise InputError(
            f"device {chosen!r} cannot be used here ({str(error).splitlines()[0]}): "
            "choose cpu, or unset SBERT_LAB_DEVICE to take the best one at hand"
        ) from error
    return device


def pick_precision(name: str, device: torch.device) -> str:
    """Turn 'auto' into bf16 or fp16 on a GPU and fp32 elsewhere.

    GPUs before compute capability 8.0 (T4, V100) say that they know bf16, but emulate it slowly.
    """
    if require_choice("precision", name, PRECISIONS) != "auto":
        return name
    if device.type != "cuda":
        return "fp32"
    return "bf16" if torch.cuda.get_device_capability(device) >= (8, 0) else "fp16"


def autocast(device: torch.device, precision: str) -> contextlib.AbstractContextManager:
    """Mixed precision for the forward pass; nothing at all for fp32, tf32 and int8."""
    if precision not in _DTYPES:
        return contextlib.nullcontext()
    return torch.autocast(device.type, dtype=_DTYPES[precision])


@contextlib.contextmanager
def fast_products(device: torch.device, precision: str) -> Iterator[None]:
    """On a GPU, what is left of float32 products in TF32; only fp32 means every digit."""
    if device.type != "cuda" or precision == "fp32":
        yield
        return
    before = torch.get_float32_matmul_precision()
    torch.set_float32_matmul_precision("high")
    try:
        yield
    finally:
        torch.set_float32_matmul_precision(before)


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


def copy_back(results: torch.Tensor) -> Fetch:
    """Begin to copy results to the host as float32; the function waits for them.

    From a GPU they go into pinned memory while the GPU goes on with what it is given meanwhile.
    """
    if results.device.type != "cuda":
        return lambda: results.float().cpu().numpy()
    host = torch.empty(results.shape, dtype=torch.float32, pin_memory=True)
    host.copy_(results.float(), non_blocking=True)
    arrived = torch.cuda.Event()
    arrived.record()

    def wait() -> np.ndarray:
        arrived.synchronize()
        return host.numpy()

    return wait


def one_behind(
    batches: Iterable[tuple[np.ndarray, Fetch]],
) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    """Places and results of each batch, waited for when the next one has been started."""
    waiting = None
    for batch in batches:
        if waiting is not None:
            yield waiting[0], waiting[1]()
        waiting = batch
    if waiting is not None:
        yield waiting[0], waiting[1]()
