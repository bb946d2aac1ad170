"""One step of training, the heart of the loop."""

import contextlib
from collections.abc import Iterator, Sequence

import torch

from sbert_lab.devices import autocast, move


def take_step(
    model: torch.nn.Module,
    batches: Sequence[tuple[object, float]],
    *,
    optimizer: torch.optim.Optimizer,
    rate: float,
    clip_norm: float = 1.0,
    precision: str = "fp32",
    scaler: torch.amp.GradScaler | None = None,
) -> torch.Tensor:
    """Move every weight a little; the mean loss of the batches, each with its share of the rows."""
    device = next(model.parameters()).device
    scaler = scaler or torch.amp.GradScaler(enabled=False)  # only fp16 needs one
    for group in optimizer.param_groups:
        group["lr"] = rate * group.get("times", 1.0)
    mean_loss = torch.zeros((), device=device)
    for number, (batch, share) in enumerate(batches, start=1):
        with _gradients_meet(model, number == len(batches)):
            with autocast(device, precision):
                loss = model(move(batch, device)) * share
            scaler.scale(loss).backward()  # gradients of all batches add up
        mean_loss += loss.detach().float()
    scaler.unscale_(optimizer)
    if clip_norm:
        torch.nn.utils.clip_grad_norm_(model.parameters(), clip_norm)
    scaler.step(optimizer)
    scaler.update()
    optimizer.zero_grad(set_to_none=True)
    return mean_loss


def _gradients_meet(model: torch.nn.Module, last: bool) -> contextlib.AbstractContextManager:
    """Several processes exchange their gradients once a step, after its last batch."""
    return contextlib.nullcontext() if last or not hasattr(model, "no_sync") else model.no_sync()


@contextlib.contextmanager
def even_lengths(task: torch.nn.Module, multiple: int) -> Iterator[None]:
    """Let the task's encoders pad to multiples: a compiled network should see few shapes."""
    encoders = [part for part in task.modules() if hasattr(part, "pad_multiple")]
    encoders = encoders if multiple > 1 else []
    for part in encoders:
        part.pad_multiple = multiple
    try:
        yield
    finally:
        for part in encoders:
            del part.pad_multiple  # the class has 1
