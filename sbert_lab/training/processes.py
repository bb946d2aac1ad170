"""Several processes under torchrun, on one machine or on many, or just this one.

Gradients go through nccl between GPUs and through gloo elsewhere. What the processes say to each
other always goes through gloo: no GPU is asked, and nobody's patience ends while the first process
scores a table. (When a process fails, torchrun ends the others.)
"""

import atexit
import contextlib
import os
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import timedelta
from typing import TypeVar

import torch
import torch.distributed as dist

from sbert_lab.errors import InputError, LabError

PATIENCE = timedelta(days=7)
Found = TypeVar("Found")


class _State:
    """Of this process: the group for words, whether it works alone, and who waits for orders."""

    words: dist.ProcessGroup | None = None
    alone = False
    crew: "Processes | None" = None


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

    def tell(self, value: object) -> object:
        """The main process's value, told to all."""
        if self.world == 1:
            return value
        box = [value]
        dist.broadcast_object_list(box, src=0, group=_State.words)
        return box[0]

    def first(self, work: Callable[[], Found]) -> Found:
        """Let the main process work; what it found, or what went wrong, is everybody's."""
        if self.world == 1:
            return work()
        found, problem = None, None
        if self.is_main:
            try:
                with working_alone():
                    found = work()
            except LabError as error:
                problem = error
        found, problem = self.tell((found, problem))
        if problem is not None:
            raise problem
        return found

    def wait(self) -> None:
        """Until all are here."""
        if self.world > 1:
            dist.all_reduce(torch.zeros(1), group=_State.words)

    def copy(self, module: torch.nn.Module) -> None:
        """Give every process the main one's weights."""
        if self.world > 1:
            for tensor in module.state_dict().values():
                dist.broadcast(tensor, src=0)


class Vote:
    """Does anybody want to stop? Asked in every step, answered one step later, to all alike."""

    def __init__(self, processes: Processes) -> None:
        self.processes, self.pending = processes, None

    def __call__(self, wish: bool) -> bool:
        if self.processes.world == 1:
            return wish
        before, ballot = self.pending, torch.tensor([float(wish)])
        work = dist.all_reduce(ballot, group=_State.words, async_op=True)
        self.pending = work, ballot
        if before is None:
            return False
        before[0].wait()
        return bool(before[1] > 0)


@contextlib.contextmanager
def working_alone() -> Iterator[None]:
    """What this process does in the block it does without the others."""
    before, _State.alone = _State.alone, True
    try:
        yield
    finally:
        _State.alone = before


@contextlib.contextmanager
def leading(us: Processes) -> Iterator[None]:
    """The first process works alone in the block; the others wait for its orders until the end."""
    _State.crew = us
    try:
        with working_alone():
            yield
    finally:
        if _State.crew is not None:
            us.tell(None)
        _State.crew = None


def crew() -> Processes | None:
    """Everybody, if this process leads."""
    return _State.crew


@contextlib.contextmanager
def commanding(order: object) -> Iterator[None]:
    """Send an order; what fails while it is carried out ends everybody's work."""
    try:
        _State.crew.tell(order)
        yield
    except BaseException:
        _State.crew = None
        raise


def works_alone() -> bool:
    """Whether there is no other process, or none that does the same now."""
    return _State.alone or int(os.environ.get("WORLD_SIZE", "1")) == 1


def join_processes(device: torch.device) -> Processes:
    """All processes that torchrun started and that come here, too; alone, do nothing."""
    return Processes() if works_alone() else everybody(device)


def everybody(device: torch.device) -> Processes:
    """Join the groups of torchrun's processes."""
    if not dist.is_available():
        raise InputError("this build of PyTorch has no torch.distributed: run without torchrun")
    if not dist.is_initialized():
        if device.type == "cuda":
            torch.cuda.set_device(device)
        dist.init_process_group("nccl" if device.type == "cuda" else "gloo")
        atexit.register(_leave)
    if _State.words is None:
        _State.words = dist.new_group(backend="gloo", timeout=PATIENCE)
    return Processes(rank=dist.get_rank(), world=dist.get_world_size())


def _leave() -> None:
    """Leave in good order. After an error we do not: the others may wait for us elsewhere."""
    if dist.is_initialized() and not hasattr(sys, "last_value"):
        dist.destroy_process_group()
