"""The optimizer and its learning rate over time."""

import math

import torch

from sbert_lab.profiles import TrainConfig


def rate_at(step: int, total: int, config: TrainConfig) -> float:
    """The share of the peak learning rate in step 0, 1, ... total-1: warm-up, then decay."""
    warmup = round(total * config.warmup_share)
    if step < warmup:
        return (step + 1) / warmup
    progress = (step - warmup) / max(1, total - warmup)
    if config.schedule == "linear":
        return 1 - progress
    if config.schedule == "cosine":
        return 0.5 * (1 + math.cos(math.pi * progress))
    return 1.0


def make_optimizer(task: torch.nn.Module, config: TrainConfig) -> torch.optim.AdamW:
    """AdamW, in one kernel that reads each weight once.

    Biases and normalisation weights do not decay, as in the 2019 code. The weights of `task.head`,
    which know nothing yet, may learn faster than the encoder's: `times` is the factor.
    """
    trainable = [p for p in task.parameters() if p.requires_grad]
    fused = {p.device.type for p in trainable} in ({"cpu"}, {"cuda"}) or None
    head = getattr(task, "head", None) if config.head_times != 1 else None
    new = {id(p) for p in head.parameters()} if head is not None else set()
    rates = [(1.0, [p for p in trainable if id(p) not in new])]
    rates += [(config.head_times, [p for p in trainable if id(p) in new])] if new else []
    groups = []
    for times, part in rates:
        matrices, others = [p for p in part if p.ndim >= 2], [p for p in part if p.ndim < 2]
        groups.append({"params": matrices, "weight_decay": config.weight_decay, "times": times})
        groups.append({"params": others, "weight_decay": 0.0, "times": times})
    betas = (0.9, config.beta2)
    return torch.optim.AdamW(groups, lr=config.learning_rate, betas=betas, fused=fused)
