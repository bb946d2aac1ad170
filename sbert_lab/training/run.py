"""A training run: the steps that are left, taken and written down, in one process or in several."""

import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from dataclasses import asdict
from inspect import signature

import torch
from torch.nn.parallel import DistributedDataParallel
from tqdm.auto import tqdm

from sbert_lab.devices import fast_products, pick_precision
from sbert_lab.errors import InputError
from sbert_lab.files import write_json
from sbert_lab.training.checkpoint import (
    load_checkpoint,
    load_optimizer,
    load_weights,
    optimizer_tensors,
    save_checkpoint,
    save_weights,
)
from sbert_lab.training.gather import Shares
from sbert_lab.training.history import History
from sbert_lab.training.interrupt import deferred_interrupt
from sbert_lab.training.plan import Plan, Step, share
from sbert_lab.training.processes import Vote, working_alone
from sbert_lab.training.run_folder import BEST, RUN, finish_run
from sbert_lab.training.schedule import make_optimizer, rate_at
from sbert_lab.training.step import even_lengths, take_step

# The networks' buffers never change: nobody has to send them. torch 2.13 renamed the setting.
_KNOWN = signature(DistributedDataParallel.__init__).parameters
_NEWER = "forward_sync_buffers"
BUFFERS = {_NEWER if _NEWER in _KNOWN else "broadcast_buffers": False}
EVEN = 8  # a compiled network sees lengths that are multiples of it


class Run:
    """The state of one call of train(), in one of its processes. The first one has the files."""

    def __init__(self, task, config, evaluate, run_dir, device, processes) -> None:
        self.task, self.config, self.evaluate, self.run_dir = task, config, evaluate, run_dir
        self.device, self.processes = device, processes
        self.precision = pick_precision(config.precision, device)
        self.step, self.rows_seen, self.history = 0, 0, History()

    def plan_steps(self, rows: Sequence) -> None:
        self.rows = rows
        lengths = getattr(rows, "lengths", None)
        if self.config.batch_tokens and lengths is None:
            raise InputError("batch_tokens needs a task with prepare(rows): use batch_size")
        self.plan = Plan(len(rows), self.config, lengths=lengths)
        self.total = self.plan.epoch_ends[-1]

    def order(self) -> tuple:
        """What a helper needs to know, on the host: its GPU is another one."""
        judged = None if self.evaluate is None else bool  # only the first process judges
        return self.task.cpu(), self.rows, self.config, judged

    def carry_out(self, mark: dict | None, show_progress: bool) -> History:
        self.task.to(self.device)
        self.optimizer = make_optimizer(self.task, self.config)
        scaled = self.precision == "fp16" and self.device.type != "mps"
        self.scaler = torch.amp.GradScaler(self.device.type, enabled=scaled)
        if self.processes.is_main:
            write_json(self.run_dir / RUN, mark)
        forked = [self.device] if self.device.type == "cuda" else []
        with (
            torch.random.fork_rng(devices=forked),
            fast_products(self.device, self.precision),
            even_lengths(self.task, EVEN if self.config.compile else 1),
            deferred_interrupt() as stop,
        ):
            self.resume()
            self.model = torch.compile(self.task) if self.config.compile else self.task
            if self.processes.world > 1:  # it also gives everybody the main process's weights
                self.model = DistributedDataParallel(self.model, **BUFFERS)
            self.advance(stop, show_progress)
        return self.finish()

    def _collate(self, step: Step) -> tuple[list[tuple[object, float]], int]:
        """Batches of this process with what they count, and the rows that all processes see."""
        us, batches = self.processes, []
        for part, counts in share(step, us.rank, us.world):
            batches.append((self.task.collate([self.rows[i] for i in part]), counts))
        if us.world > 1 and getattr(self.task, "gathers", False):
            for (batch, _), whole in zip(batches, step, strict=True):
                sizes = tuple(len(whole[rank :: us.world]) for rank in range(us.world))
                batch["shares"] = Shares(sizes, us.rank)
        return batches, sum(map(len, step))

    # ---- going on

    def resume(self) -> None:
        found = self.processes.first(self._load)
        if found is None:
            return
        state, tensors = found
        if not self.processes.is_main:
            load_optimizer(self.optimizer, tensors)
        self.step, self.rows_seen = state["step"], state["rows_seen"]
        self.history = History(**state["history"])
        if state["scaler"]:
            self.scaler.load_state_dict(state["scaler"])

    def _load(self) -> tuple[dict, dict] | None:
        """The last checkpoint's state; the optimizer's tensors only if others need them."""
        state = load_checkpoint(self.run_dir, self.task, self.optimizer)
        if state is None:
            return None
        return state, optimizer_tensors(self.optimizer) if self.processes.world > 1 else {}

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
        vote = Vote(self.processes)
        self.task.train()
        with bar, closing(steps):
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
                if vote(stop.asked):
                    self.checkpoint()
                    if self.processes.is_main:
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
            with torch.no_grad(), working_alone():
                score = float(self.evaluate(self.task))
            self.task.train()
            if score != score:
                raise InputError(f"evaluate(task) gave nan at step {self.step}")
        score = self.processes.tell(score)
        best = self.history.best_score
        self.history.log_score(self.step, score)
        if self.processes.is_main and (best is None or score > best):
            save_weights(self.task, self.run_dir / BEST)

    def finish(self) -> History:
        if self.history.scores:
            if self.processes.is_main:
                load_weights(self.task, self.run_dir / BEST)
            self.processes.copy(self.task)
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
