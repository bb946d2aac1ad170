"""Fair timing and memory: in turn, processor seconds, one thread; memory in a fresh process."""

import json
import os
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Mapping
from pathlib import Path

import numpy as np

HERE = Path(__file__).parent


def in_turn(systems: Mapping[str, Callable[[], object]], rounds: int) -> dict[str, list[float]]:
    """Processor seconds of every system in every round; each round has another order."""
    for run in systems.values():
        run()  # warms up
    seconds: dict[str, list[float]] = {name: [] for name in systems}
    draw = np.random.default_rng(1)
    for _ in range(rounds):
        for name in draw.permutation(list(systems)).tolist():
            start = time.process_time()
            systems[name]()
            seconds[name].append(time.process_time() - start)
    return seconds


def ratios(slow: list[float], fast: list[float]) -> dict[str, float]:
    """How many times as fast, round by round: the median, the lowest, the highest."""
    each = np.array(slow) / np.array(fast)
    return {name: round(float(f(each)), 3) for name, f in
            (("median", np.median), ("low", np.min), ("high", np.max))}  # fmt: skip


def resident() -> float:
    """Megabytes of this process in memory, without files that are only mapped."""
    with open("/proc/self/status", encoding="ascii") as file:
        sizes = dict(line.split(":", 1) for line in file)
    return int(sizes["RssAnon"].split()[0]) / 1024


class Watch:
    """Memory over time while something runs: `samples` of (seconds, MB), and their `peak`."""

    def __init__(self, every: float = 0.02) -> None:
        self.every, self.samples, self._done = every, [], threading.Event()

    def __enter__(self) -> "Watch":
        self.start, self._thread = time.perf_counter(), threading.Thread(target=self._look)
        self._thread.start()
        return self

    def _look(self) -> None:
        while not self._done.wait(self.every):
            self.samples.append((time.perf_counter() - self.start, resident()))

    def __exit__(self, *_) -> None:
        self._done.set()
        self._thread.join()

    @property
    def peak(self) -> float:
        return max((size for _, size in self.samples), default=resident())


def watched(run: Callable[[], object]) -> dict[str, float]:
    """Processor seconds of one run, and the most memory that it took beyond what was there."""
    before, start = resident(), time.process_time()
    with Watch() as watch:
        run()
    seconds = time.process_time() - start
    return {"seconds": round(seconds, 4), "mb": round(max(0.0, watch.peak - before), 1)}


def in_new_process(job: str, *given: object) -> object:
    """jobs.py's function of that name in a process of its own, so that memory starts afresh."""
    command = [sys.executable, str(HERE / "jobs.py"), job, *map(str, given)]
    result = subprocess.run(command, capture_output=True, text=True, env=os.environ)
    if result.returncode:
        raise RuntimeError(f"{job} {given} failed: {result.stderr[-600:]}")
    return json.loads(result.stdout.splitlines()[-1])
