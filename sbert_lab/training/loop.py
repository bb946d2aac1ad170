"""The one training loop of the course."""

import contextlib
import shutil
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict
from pathlib import Path

import torch
from tqdm.auto import tqdm

from sbert_lab.devices import autocast, move, pick_device, pick_precision
from sbert_lab.errors import InputError
from sbert_lab.profiles import TrainConfig
from sbert_lab.training.checkpoint import (
    checkpoints,
    load_checkpoint,
    load_model_tensors,
    save_checkpoint,
)
from sbert_lab.training.history import History
from sbert_lab.training.interrupt import deferred_interrupt
from sbert_lab.training.plan import Step, plan_epoch, share
from sbert_lab.training.processes import Processes, join_processes
from sbert_lab.training.run_folder import (
    BEST,
    fingerprint,
    finish_run,
    finished_history,
    open_run,
    save_weights,
)
from sbert_lab.training.schedule import make_optimizer, rate_at


def train(
    task: torch.nn.Module,
    rows: Sequence,
    config: TrainConfig,
    *,
    evaluate: Callable[[torch.nn.Module], float] | None = None,
    run_dir: str | Path,
    show_progress: bool = True,
    device: str | None = None,
) -> History:
    """Train a task in place and return its history.

    A task is an nn.Module with `collate(rows) -> batch` and `forward(batch) -> scalar loss`. If it
    also has `token_counts(rows) -> list[int]`, batches are filled with rows of similar length.
    `evaluate(task)` gives a score, higher is better; the best weights are kept. Calling again with
    the same arguments continues an interrupted run, and returns at once for a finished one.
    """
    if len(rows) == 0:
        raise InputError("there are no rows to train on: the list is empty")
    run = _Run(task, rows, config, evaluate, Path(run_dir), device)
    done = finished_history(run.run_dir, task)
    if done is not None:
        return done
    forked = [run.device] if run.device.type == "cuda" else []
    with torch.random.fork_rng(devices=forked), deferred_interrupt() as stop:
        run.resume()
        run.advance(stop, show_progress and run.processes.is_main)
    return run.finish()


class _Run:
    """The state of one call of train()."""

    def __init__(self, task, rows, config, evaluate, run_dir, device) -> None:
        self.task, self.rows, self.config, self.evaluate = task, rows, config, evaluate
        self.device = pick_device(device)
        self.processes: Processes = join_processes(self.device)
        self.run_dir = run_dir
        if self.processes.is_main:
            open_run(run_dir, fingerprint(task, rows, config, self.processes.world))
        self.processes.wait()
        self.precision = pick_precision(config.precision, self.device)
        task.to(self.device)
        self.model = torch.compile(task) if config.compile else task
        if self.processes.world > 1:
            self.model = torch.nn.parallel.DistributedDataParallel(self.model)
        self.optimizer = make_optimizer(task, config)
        scaled = self.precision == "fp16" and self.device.type == "cuda"
        self.scaler = torch.amp.GradScaler(self.device.type, enabled=scaled)
        count = getattr(task, "token_counts", None)
        self.lengths = count(rows) if count else None
        if config.batch_tokens and self.lengths is None:
            raise InputError("batch_tokens needs a task with token_counts(rows): use batch_size")
        self.epoch_ends = self._count_steps()
        self.total = self.epoch_ends[-1]
        self.step, self.rows_seen, self.history = 0, 0, History()

    # ---- the plan

    def _plan(self, epoch: int) -> list[Step]:
        config, world = self.config, self.processes.world
        return plan_epoch(
            len(self.rows),
            seed=config.seed,
            epoch=epoch,
            batch_size=config.batch_size * world,
            accumulate=config.accumulate,
            lengths=self.lengths,
            bucket_batches=config.bucket_batches,
            batch_tokens=config.batch_tokens and config.batch_tokens * world,
        )

    def _count_steps(self) -> list[int]:
        """The step number at which each epoch ends, cut off at max_steps."""
        ends, limit = [], self.config.max_steps or float("inf")
        for epoch in range(self.config.epochs):
            ends.append((ends[-1] if ends else 0) + len(self._plan(epoch)))
            if ends[-1] >= limit:
                ends[-1] = int(limit)
                break
        return ends

    def _steps_left(self) -> Iterator[Step]:
        start, first = 0, self.step
        for epoch, end in enumerate(self.epoch_ends):
            if first < end:
                yield from self._plan(epoch)[max(0, first - start) : end - start]
            start = end

    def _collate(self, step: Step) -> list[tuple[object, float]]:
        """Batches of this process with their weight in the step's mean loss."""
        parts = share(step, self.processes.rank, self.processes.world)
        total = sum(map(len, parts))
        fetch = self.rows.__getitem__
        return [(self.task.collate([fetch(i) for i in p]), len(p) / total) for p in parts]

    # ---- going on

    def resume(self) -> None:
        saved = checkpoints(self.run_dir)
        if not saved:
            return
        state = load_checkpoint(saved[-1], self.task, self.optimizer)
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
        self.task.train()
        with bar, contextlib.closing(_ahead(self._collate, self._steps_left())) as batches:
            for step in batches:
                loss_sum, counted = loss_sum + self._take(step), counted + 1
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

    def _take(self, step: list[tuple[object, float]]) -> torch.Tensor:
        """One step of the optimizer; the mean loss of its rows."""
        config, rank = self.config, self.processes.rank
        torch.manual_seed((config.seed * 1_000_003 + self.step) * 1_009 + rank)
        share_of_peak = rate_at(self.step, self.total, config)
        for group in self.optimizer.param_groups:
            group["lr"] = config.learning_rate * share_of_peak
        loss_of_step = torch.zeros((), device=self.device)
        for number, (batch, weight) in enumerate(step, start=1):
            last = number == len(step)
            with contextlib.nullcontext() if last else self._no_sync():
                with autocast(self.device, self.precision):
                    loss = self.model(move(batch, self.device)) * weight
                self.scaler.scale(loss).backward()
            loss_of_step += loss.detach().float()
        self.scaler.unscale_(self.optimizer)
        if config.clip_norm:
            torch.nn.utils.clip_grad_norm_(self.task.parameters(), config.clip_norm)
        self.scaler.step(self.optimizer)
        self.scaler.update()
        self.optimizer.zero_grad(set_to_none=True)
        self.step += 1
        self.rows_seen += sum(_size(batch) for batch, _ in step) * self.processes.world
        return loss_of_step

    def _no_sync(self) -> contextlib.AbstractContextManager:
        no_sync = getattr(self.model, "no_sync", None)
        return no_sync() if no_sync else contextlib.nullcontext()

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
        regular = self.step % every == 0 if every else self.step in self.epoch_ends
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
            load_model_tensors(self.task, self.run_dir / BEST)
        self.task.eval()
        if self.processes.is_main:
            finish_run(self.run_dir, self.task, self.history)
            for folder in checkpoints(self.run_dir):
                shutil.rmtree(folder, ignore_errors=True)
            (self.run_dir / BEST).unlink(missing_ok=True)
        self.processes.wait()
        return self.history


def _size(batch: object) -> int:
    """How many rows a batch holds: the length of the first tensor in it."""
    while not isinstance(batch, torch.Tensor):
        batch = next(iter(batch.values())) if isinstance(batch, dict) else batch[0]
    return len(batch)


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
