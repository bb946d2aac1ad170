"""train(): the one way to train anything in this course. See run.py for the steps themselves."""

import contextlib
from collections.abc import Callable, Sequence
from pathlib import Path

import torch

from sbert_lab.devices import pick_device
from sbert_lab.errors import InputError
from sbert_lab.files import locked
from sbert_lab.profiles import TrainConfig
from sbert_lab.training.history import History
from sbert_lab.training.processes import Processes, commanding, crew, join_processes
from sbert_lab.training.run import Run
from sbert_lab.training.run_folder import (
    check_run,
    fingerprint,
    finished_history,
    leave_run,
    name_run,
)


def train(
    task: torch.nn.Module,
    rows: Sequence,
    config: TrainConfig,
    *,
    evaluate: Callable[[torch.nn.Module], float] | None = None,
    run_dir: str | Path | None = None,
    show_progress: bool = True,
    device: str | None = None,
) -> History:
    """Train a task in place and return its history.

    A task is an nn.Module with `collate(rows) -> batch` and `forward(batch) -> scalar loss`. If it
    has `prepare(rows)`, too, that is called once, and collate gets some of what came out; if that
    has `lengths`, batches are filled with rows of similar length. `evaluate(task)` gives a score,
    higher is better; the best weights are kept.

    Calling again with the same arguments continues an interrupted run, and returns at once for a
    finished one. Without `run_dir` the run has a folder of its own under runs/training, named after
    what it is made of. A second process that asks for the same run waits for the first.
    """
    if len(rows) == 0:
        raise InputError("there are no rows to train on: the list is empty")
    target = pick_device(device)
    us = crew() or join_processes(target)
    if not us.is_main:
        return _open_or_run(Run(task, config, evaluate, None, target, us), rows)
    mark = fingerprint(task, rows, config, us.world)
    folder = Path(run_dir) if run_dir is not None else name_run(task, mark, evaluate)
    note = f"another process is training the same run ({folder.name}); waiting for its result"
    with locked(folder.with_name(f"{folder.name}.lock"), waiting=note):
        try:
            run = Run(task, config, evaluate, folder, target, us)
            return _open_or_run(run, rows, mark, show_progress)
        finally:
            if run_dir is None:
                leave_run(folder, task, mark, evaluate)


def _open_or_run(run: Run, rows, mark: dict | None = None, shown: bool = False) -> History:
    """What the finished run left, or the run itself. Only the main process looks at files."""

    def opened() -> History | None:
        check_run(run.run_dir, mark)
        return finished_history(run.run_dir, run.task)

    led = crew() is not None
    talking = Processes() if led else run.processes  # who helps does not ask
    done = talking.first(opened)
    if done is None:
        prepare = getattr(run.task, "prepare", None)
        run.plan_steps(prepare(rows) if prepare else rows)
        with commanding(run.order()) if led else contextlib.nullcontext():
            return run.carry_out(mark, shown)
    if talking.world > 1:
        talking.copy(run.task.to(run.device))
        run.task.eval()
    return done


def help_train(order: tuple, us: Processes, device: torch.device) -> None:
    """Take part in a training that the first process leads."""
    task, rows, config, evaluate = order
    run = Run(task, config, evaluate, None, device, us)
    run.plan_steps(rows)
    run.carry_out(None, False)
