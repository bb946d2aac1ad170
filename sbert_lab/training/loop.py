"""The one training loop of the course."""

import contextlib
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict
from pathlib import Path

import torch
from tqdm.auto import tqdm

from sbert_lab.devices import pick_device, pick_precision
from sbert_lab.errors import InputError
from sbert_lab.files import locked, write_json
from sbert_lab.profiles import TrainConfig
from sbert_lab.training.checkpoint import (
    load_checkpoint,
    load_weights,
    save_checkpoint,
    save_weights,
)
from sbert_lab.training.history import History
from sbert_lab.training.interrupt import deferred_interrupt
from sbert_lab.training.plan import Plan, Step, share
from sbert_lab.training.processes import join_processes
from sbert_lab.training.run_folder import (
    BEST,
    RUN,
    check_run,
    fingerprint,
    finish_run,
    finished_history,
    leave_run,
    name_run,
)
from sbert_lab.training.schedule import make_optimizer, rate_at
from sbert_lab.training.step import take_step


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
    processes = join_processes(target)
    mark = fingerprint(task, rows, config, processes.world)
    folder = Path(run_dir) if run_dir is not None else name_run(task, mark, evaluate)
    alone = contextlib.nullcontext()
    if processes.is_main:
        note = f"another process is training the same run ({folder.name}); waiting for its result"
        alone = locked(folder.with_name(f"{folder.name}.lock"), waiting=note)
    with alone:
        processes.wait()
        check_run(folder, mark)
        try:
            done = finished_history(folder, task)
            if done is None:
                run = _Run(task, rows, config, evaluate, folder, target, processes)
                done = run.carry_out(mark, show_progress)
            return done
        finally:
            if run_dir is None:
                leave_run(folder, task, mark, evaluate)


class _Run:
    """The state of one call of train()."""

    def __init__(self, task, rows, config, evaluate, run_dir, device, processes) -> None:
        self.task, self.config, self.evaluate, self.run_dir = task, config, evaluate, run_dir
        self.device, self.processes = device, processes
        prepare = getattr(task, "prepare", None)
        self.rows = prepare(rows) if prepare else rows
        lengths = getattr(self.rows, "lengths", None)
        if config.batch_tokens and lengths is None:
            raise InputError("batch_tokens needs a task with prepare(rows): use batch_size")
        self.plan = Plan(len(rows), config, lengths=lengths, world=processes.world)
        self.total = self.plan.epoch_ends[-1]
        self.precision = pick_precision(config.precision, device)
        task.to(device)
        self.model = torch.compile(task) if config.compile else task
        if processes.world > 1:
            self.model = torch.nn.parallel.DistributedDataParallel(self.model)
        self.optimizer = make_optimizer(task, config)
        scaled = self.precision == "fp16" and device.type == "cuda"
        self.scaler = torch.amp.GradScaler(device.type, enabled=scaled)
        self.step, self.rows_seen, self.history = 0, 0, History()

    def carry_out(self, mark: dict, show_progress: bool) -> History:
        if self.processes.is_main:
            write_json(self.run_dir / RUN, mark)
        self.processes.wait()
        forked = [self.device] if self.device.type == "cuda" else []
        with torch.random.fork_rng(devices=forked), deferred_interrupt() as stop:
            self.resume()
            self.advance(stop, show_progress and self.processes.is_main)
        return self.finish()

    def _collate(self, step: Step) -> tuple[list[tuple[object, float]], int]:
        """Batches of this process with their shares of the step, and the rows all processes see."""
        parts = share(step, self.processes.rank, self.processes.world)
        total = sum(map(len, parts))
        batches = [
            (self.task.collate([self.rows[i] for i in part]), len(part) / total) for part in parts
        ]
        return batches, total * self.processes.world

    # ---- going on

    def resume(self) -> None:
        state = load_checkpoint(self.run_dir, self.task, self.optimizer)
        if state is None:
            return
        self.step, self.rows_seen = state["step"], state["rows_seen"]
        self.history = History(**state["history"])
        if state["scaler"]:
            self.scaler.load_state_dict(state["scaler"])

    def checkpoint(self) -> None:
        state = {
            "step": self.step,
            "rows_seen": self.rows_seen,
            "scaler": self.scaler.state_dict(),
            "history": asdict(self.history),
        }
        if self.processes.is_main:
            save_checkpoint(self.run_dir, self.task, self.optimizer, state)
        self.processes.wait()

    def advance(self, stop, show_progress: bool) -> None:
        """Take every step that is left."""
        log_every = max(1, self.total // 200)
        loss_sum, counted, clock, rows_then = 0.0, 0, time.perf_counter(), self.rows_seen
        bar = tqdm(
            total=self.total, initial=self.step, disable=not show_progress, unit="step", leave=True
        )
        steps = _ahead(self._collate, self.plan.steps_from(self.step))
        self.task.train()
        with bar, contextlib.closing(steps):
            for batches, size in steps:
                loss_sum, counted = loss_sum + self._take(batches, size), counted + 1
                bar.update()
                if self.step % log_every == 0 or self.step == self.total:
                    loss = self._log(loss_sum, counted)
                    elapsed = time.perf_counter() - clock
                    speed = (self.rows_seen - rows_then) / max(elapsed, 1e-9)
                    bar.set_postfix_str(f"loss {loss:.3f}, {speed:,.0f} pairs/s")
                    loss_sum, counted = 0.0, 0
                    clock, rows_then = time.perf_counter(), self.rows_seen
                if self._evaluation_due():
                    self._score()
                if self.step % self.config.checkpoint_every == 0 and self.step < self.total:
                    self.checkpoint()
                if stop.asked:
                    self.checkpoint()
                    bar.write(
                        f"stopped after step {self.step} of {self.total}; the same call goes on"
                    )
                    raise KeyboardInterrupt

    def _take(self, batches: list[tuple[object, float]], size: int) -> torch.Tensor:
        """One step, with random numbers (dropout) that depend on nothing but its number."""
        config = self.config
        torch.manual_seed((config.seed * 1_000_003 + self.step) * 1_009 + self.processes.rank)
        loss = take_step(
            self.model,
            batches,
            optimizer=self.optimizer,
            rate=config.learning_rate * rate_at(self.step, self.total, config),
            clip_norm=config.clip_norm,
            precision=self.precision,
            scaler=self.scaler,
        )
        self.step, self.rows_seen = self.step + 1, self.rows_seen + size
        return loss

    def _log(self, loss_sum: torch.Tensor, counted: int) -> float:
        loss = float(self.processes.mean(loss_sum / counted))
        if loss != loss:
            raise InputError(
                f"the loss is not a number any more at step {self.step}: lower the learning rate "
                f"({self.config.learning_rate}) or look for NaN in the labels"
            )
        rate = self.optimizer.param_groups[0]["lr"]
        self.history.log(step=self.step, rows_seen=self.rows_seen, loss=loss, rate=rate)
        return loss

    # ---- evaluation

    def _evaluation_due(self) -> bool:
        if self.evaluate is None:
            return False
        every = self.config.evaluate_every
        regular = self.step % every == 0 if every else self.step in self.plan.epoch_ends
        return regular or self.step == self.total

    def _score(self) -> None:
        """Evaluate in the main process and keep the weights if they are the best so far."""
        score = 0.0
        if self.processes.is_main:
            self.task.eval()
            with torch.no_grad():
                score = float(self.evaluate(self.task))
            self.task.train()
            if score != score:
                raise InputError(f"evaluate(task) gave nan at step {self.step}")
        score = self.processes.agree(score)
        best = self.history.best_score
        self.history.log_score(self.step, score)
        if self.processes.is_main and (best is None or score > best):
            save_weights(self.task, self.run_dir / BEST)

    def finish(self) -> History:
        if self.history.scores:
            self.processes.wait()
            load_weights(self.task, self.run_dir / BEST)
        self.task.eval()
        if self.processes.is_main:
            finish_run(self.run_dir, self.task, self.history)
        self.processes.wait()
        return self.history


def _ahead(make: Callable, items: Iterator) -> Iterator:
    """Prepare the next item in a second thread while the caller works on this one."""
    with ThreadPoolExecutor(max_workers=1) as pool:
        pending = None
        for item in items:
            following = pool.submit(make, item)
            if pending is not None:
                yield pending.result()
            pending = following
        if pending is not None:
            yield pending.result()
