"""SIGKILL at random moments and inside writes; the same call again ends with the same bytes."""

import json
import os
import random
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache, partial
from pathlib import Path

import faiss
import numpy as np
from safetensors.torch import load_file

from faults import tiny
from faults.child import PATIENCE, Child, Ended, in_child, watching
from faults.table import Case, Lost
from sbert_lab.encode_to_file import encode_to_file
from sbert_lab.files import sha256
from sbert_lab.search.kept import open_or_build
from sbert_lab.training import checkpoint

SENTENCES = [row["text"] + f" {number}" for number, row in enumerate(tiny.rows() * 8)]


def encode_in(folder: Path) -> str:
    encode_to_file(tiny.encoder(), SENTENCES, folder / "v.npy", window=16)
    return sha256(folder / "v.npy")


def index_in(folder: Path) -> str:
    index = open_or_build(SENTENCES, tiny.encoder(), model="tiny", folder=folder / "index")
    return str(index.search(tiny.encoder().encode(SENTENCES[:9]), k=3)[1].tolist())


def save_in(folder: Path) -> str:
    """Over a folder that is there already: afterwards the old or the new one opens."""
    tiny.encoder().save(folder / "model")
    return tiny.digest_of(tiny.SentenceEncoder.load(folder / "model"))


WORK: dict[str, Callable[[Path], str]] = {
    **{f"training, {kind}": partial(tiny.train_in, kind=kind) for kind in tiny.TASKS},
    "encode to a file": encode_in,
    "an index that is kept": index_in,
    "saving over a saved model": save_in,
}


def cases() -> Iterator[Case]:
    """Fifty moments for each way to train, and for two processes."""
    tiny.warm_up()
    for name, work in WORK.items():
        trains = name.startswith("training")
        by, at = partial(by_the_clock, work), partial(at_a_file, work)
        yield Case(f"{name}: killed by the clock", by, times=25 if trains else 6)
        yield Case(f"{name}: killed at a file operation", at, times=15 if trains else 30)
        if trains:
            half = partial(in_half_a_file, work)
            yield Case(f"{name}: killed in a half-written file", half, times=10, short=0)
    half = partial(in_half_a_file, WORK["training, classification"])
    yield Case("training, a few times: killed in a half-written file", half, times=0, short=2)
    yield Case("training, two processes: killed by the clock", pair_by_the_clock, times=35)
    yield Case("training, two processes: killed in a half-written file", pair_in_half_a_file, 15, 1)
    yield Case("training, two processes: Ctrl-C", pair_interrupted, times=10)
    yield Case("torchrun sbert-lab train: Ctrl-C", torchrun_interrupted, times=2, short=0)
    yield Case("a lock left by a killed process", dead_lock, times=3)


@cache
def whole(work: Callable) -> tuple[str, float, int]:
    """Uninterrupted: what comes out, in how many seconds, with how many file operations."""

    def counted() -> list:
        with watching(folder) as count:
            return [work(folder), count[0]]

    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        ended = in_child(counted)
        digest, count = ended.require_value()
        return digest, ended.seconds, count


def by_the_clock(work: Callable, number: int) -> int:
    digest, seconds, _ = whole(work)
    chance, kills = random.Random(f"clock {number}"), 0
    with tempfile.TemporaryDirectory() as place:
        for _ in range(chance.choice((1, 1, 2, 3))):
            child = Child(partial(work, Path(place)))
            child.kill(after=chance.uniform(0, seconds))
            kills += child.end().signal == signal.SIGKILL
            only_whole_files(Path(place))
        same(in_child(partial(work, Path(place))), digest, Path(place))
    return max(kills, 1)


def at_a_file(work: Callable, number: int) -> None:
    digest, _, count = whole(work)
    die_at = random.Random(f"file {number}").randint(1, count)

    def doomed() -> None:
        with watching(folder, die_at):
            work(folder)

    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        if work is save_in:
            in_child(partial(work, folder)).require_value()
        if in_child(doomed).signal != signal.SIGKILL:
            raise Lost(f"it was to die at file operation {die_at} of {count} and did not")
        only_whole_files(folder)
        if work is save_in and not (folder / "model" / "config.json").is_file():
            raise Lost("the model that was saved before is gone")
        same(in_child(partial(work, folder)), digest, folder)


@contextmanager
def dying_in_half_a_file(fatal: int | None = None) -> Iterator[list[Path]]:
    """As if the power failed while these weights were on their way to the disk; lists them all."""
    real, written = checkpoint.save_file, []

    def save_half(tensors, path) -> None:
        real(tensors, path)
        written.append(path)
        if len(written) == fatal:
            os.truncate(path, os.path.getsize(path) // 2)
            os.kill(os.getpid(), signal.SIGKILL)

    checkpoint.save_file = save_half
    try:
        yield written
    finally:
        checkpoint.save_file = real


@cache
def writes(work: Callable) -> int:
    def counted() -> int:
        with dying_in_half_a_file() as written:
            work(Path(place))
        return len(written)

    with tempfile.TemporaryDirectory() as place:
        return in_child(counted).require_value()


def mortal(work: Callable, folder: Path, number: int) -> str:
    with dying_in_half_a_file(random.Random(f"half {number}").randint(1, writes(work))):
        return work(folder)


def in_half_a_file(work: Callable, number: int) -> None:
    (digest, _, _), _ = whole(work), writes(work)
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        if in_child(partial(mortal, work, folder, number)).signal != signal.SIGKILL:
            raise Lost("it was to die in a half-written file and did not")
        only_whole_files(folder)
        same(in_child(partial(work, folder)), digest, folder)


def same(ended: Ended, digest: str, folder: Path) -> None:
    if ended.require_value() != digest:
        raise Lost("the end is not the same as without being killed")
    left = [path.name for path in folder.rglob(".*.tmp")]
    left += [path.name for path in folder.rglob("*.part")]
    if left:
        raise Lost(f"left behind: {', '.join(left)}")


READ: dict[str, Callable[[Path], object]] = {
    ".safetensors": load_file,
    ".json": lambda path: json.loads(path.read_text(encoding="utf-8")),
    ".npy": np.load,
    ".faiss": lambda path: faiss.read_index(str(path)),
}


def only_whole_files(folder: Path) -> None:
    """Whatever has its final name, and not a hidden one, can be read."""
    for path in folder.rglob("*"):
        hidden = any(part.startswith(".") for part in path.relative_to(folder).parts)
        if path.suffix in READ and not hidden:
            try:
                READ[path.suffix](path)
            except Exception as error:
                raise Lost(f"half a file has its final name: {path.name}: {error}") from None


# ---- two processes


def pair_of(first: Callable[[], object], second: Callable[[], object]) -> list[Child]:
    """As torchrun starts them."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = str(server.getsockname()[1])
    shared = {"MASTER_ADDR": "127.0.0.1", "MASTER_PORT": port, "LOCAL_WORLD_SIZE": "2"}
    shared |= {"WORLD_SIZE": "2", "GLOO_SOCKET_IFNAME": "lo"}
    return [
        Child(work, RANK=str(rank), LOCAL_RANK=str(rank), **shared)
        for rank, work in enumerate((first, second))
    ]


def training(folder: str, number: int) -> Callable[[], str]:
    """All kinds take their turn."""
    return partial(tiny.train_in, Path(folder), list(tiny.TASKS)[number % len(tiny.TASKS)])


@cache
def whole_pair(kind: int) -> tuple[str, float]:
    with tempfile.TemporaryDirectory() as place:
        ended = [child.end() for child in pair_of(*[training(place, kind)] * 2)]
        digests = {one.require_value() for one in ended}
        if len(digests) != 1:
            raise Lost("the two processes end with different weights")
        return digests.pop(), ended[0].seconds


def same_pair(place: str, number: int) -> None:
    only_whole_files(Path(place))
    digest, _ = whole_pair(number % len(tiny.TASKS))
    for child in pair_of(*[training(place, number)] * 2):
        same(child.end(), digest, Path(place))


def pair_by_the_clock(number: int) -> None:
    _, seconds = whole_pair(number % len(tiny.TASKS))
    chance = random.Random(f"pair {number}")
    with tempfile.TemporaryDirectory() as place:
        children = pair_of(*[training(place, number)] * 2)
        chance.shuffle(children)
        children[0].kill(after=chance.uniform(0, seconds))
        children[1].kill()  # torchrun ends the others
        for child in children:
            child.end()
        same_pair(place, number)


def pair_in_half_a_file(number: int) -> None:
    """The first process writes; while it dies the second one waits for it."""
    with tempfile.TemporaryDirectory() as place:
        work = training(place, number)

        def doomed() -> str:
            with dying_in_half_a_file(random.Random(f"half {number}").randint(1, 12)):
                return work()

        first, second = pair_of(doomed, work)
        if first.end().signal != signal.SIGKILL:
            raise Lost("it was to die in a half-written file and did not")
        second.kill()
        second.end()
        same_pair(place, number)


def pair_interrupted(number: int) -> None:
    """A terminal sends Ctrl-C to all its processes: both end, and the next run goes on."""
    _, seconds = whole_pair(number % len(tiny.TASKS))
    with tempfile.TemporaryDirectory() as place:
        children = pair_of(*[training(place, number)] * 2)
        time.sleep(random.Random(f"stop {number}").uniform(0, seconds))
        for child in children:
            if not child.ended(wait=False):
                os.kill(child.process, signal.SIGINT)
        for child in children:  # who still waits in C++ for the other one, torchrun's agent ends
            child.kill(after=seconds + 30)
            child.end()
        same_pair(place, number)


def torchrun_interrupted(number: int) -> None:
    """The whole command as it is typed; afterwards the same command goes on."""
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        torchrun_train(folder / "stopped", stop_after=random.Random(number).uniform(0, 1))
        if (folder / "stopped").exists():
            raise Lost("it was to be stopped before its end")
        torchrun_train(folder / "stopped")
        if tiny.digest_of(tiny.SentenceEncoder.load(folder / "stopped")) != torchrun_whole():
            raise Lost("the end is not the same as without Ctrl-C")


@cache
def torchrun_whole() -> str:
    with tempfile.TemporaryDirectory() as place:
        torchrun_train(Path(place, "whole"))
        return tiny.digest_of(tiny.SentenceEncoder.load(Path(place, "whole")))


def torchrun_train(out: Path, stop_after: float | None = None) -> None:
    """With a Ctrl-C for the agent and its processes, so long after the training has begun."""
    folder = out.parent
    tiny.encoder().save(folder / "backbone")
    rows = "".join(json.dumps(row) + "\n" for row in tiny.rows() * 10)
    (folder / "rows.jsonl").write_text(rows)
    command = [sys.executable, "-m", "torch.distributed.run", "--standalone", "--nproc-per-node=2"]
    command += ["-m", "sbert_lab", "train", str(out), "--data", str(folder / "rows.jsonl")]
    command += ["--backbone", str(folder / "backbone"), "--batch-size", "2", "--epochs", "2"]
    with open(folder / "said", "w+") as said:
        process = subprocess.Popen(command, stdout=said, stderr=said, start_new_session=True)
        try:
            begun = out.with_name(f"{out.name}.run") / "run.json"
            while stop_after is not None and process.poll() is None and not begun.exists():
                time.sleep(0.02)
            if stop_after is not None:
                time.sleep(stop_after)
                os.killpg(process.pid, signal.SIGINT)
            code = process.wait(PATIENCE)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            raise Lost(f"it hangs: no end after {PATIENCE} s") from None
        said.seek(0)
        if stop_after is None and code:
            raise Lost(said.read()[-900:])


# ---- locks


def dead_lock(number: int) -> None:
    from sbert_lab.files import locked

    def die() -> None:
        with locked(path):
            os.kill(os.getpid(), signal.SIGKILL)

    def take() -> str:
        with locked(path, waiting="waiting"):
            return path.read_text()

    with tempfile.TemporaryDirectory() as place:
        path = Path(place, "x.lock")
        in_child(die)
        ended = in_child(take)
        if "process" not in ended.require_value() or "waiting" in ended.said:
            raise Lost(f"the dead process still holds the lock: {ended.said}")
