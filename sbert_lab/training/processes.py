"""Several processes under torchrun, or just this one."""

import os
from dataclasses import dataclass

import torch
import torch.distributed as dist

from sbert_lab.errors import InputError


@dataclass(frozen=True, kw_only=True)
class Processes:
    """Which process this is, out of how many."""

    rank: int = 0
    world: int = 1

    @property
    def is_main(self) -> bool:
        return self.rank == 0

    def mean(self, value: torch.Tensor) -> torch.Tensor:
        """Average a tensor over all processes."""
        if self.world == 1:
            return value
        value = value.clone()
        dist.all_reduce(value)
        return value / self.world

    def agree(self, value: float) -> float:
        """The main process's number, told to all."""
        if self.world == 1:
            return value
        box = [value]
        dist.broadcast_object_list(box, src=0)
        return box[0]

    def wait(self) -> None:
        if self.world > 1:
            dist.barrier()


def join_processes(device: torch.device) -> Processes:
    """Join the group that torchrun started (nccl on GPUs, gloo elsewhere); alone, do nothing."""
    world = int(os.environ.get("WORLD_SIZE", "1"))
    if world == 1:
        return Processes()
    if not dist.is_available():
        raise InputError("this build of PyTorch has no torch.distributed: run without torchrun")
    if not dist.is_initialized():
        if device.type == "cuda":
            torch.cuda.set_device(device)
        dist.init_process_group("nccl" if device.type == "cuda" else "gloo")
    return Processes(rank=dist.get_rank(), world=dist.get_world_size())
