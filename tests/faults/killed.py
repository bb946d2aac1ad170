"""SIGKILL at random moments and inside writes; the same call again ends with the same bytes."""

import os
import random
import signal
import socket
import tempfile
from collections.abc import Callable, Iterator
from functools import cache, partial
from pathlib import Path

from faults import tiny
from faults.child import Child, Ended, in_child, watching
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
    tiny.warm_up()
    for name, work in WORK.items():
        yield Case(f"{name}: killed by the clock", partial(by_the_clock, work), times=6)
        yield Case(f"{name}: killed at a file operation", partial(at_a_file, work), times=6)
    yield Case("training: killed in a half-written file", in_half_a_file, times=8, short=2)
    yield Case("training, two processes: killed by the clock", two_processes, times=6)
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
        same(in_child(partial(work, Path(place))), digest, Path(place))
    return max(kills, 1)


def at_a_file(work: Callable, number: int) -> None:
    digest, _, count = whole(work)
    die_at = random.Random(f"file {number}").randint(1, count)

    def mortal() -> None:
        with watching(folder, die_at):
            work(folder)

    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        if work is save_in:
            in_child(partial(work, folder)).require_value()
        if in_child(mortal).signal != signal.SIGKILL:
            raise Lost(f"it was to die at file operation {die_at} of {count} and did not")
        if work is save_in and not (folder / "model" / "config.json").is_file():
            raise Lost("the model that was saved before is gone")
        same(in_child(partial(work, folder)), digest, folder)


def in_half_a_file(number: int) -> None:
    """As if the power failed while the weights were on their way to the disk."""
    digest, _, _ = whole(WORK["training, classification"])
    fatal = random.Random(f"half {number}").randint(1, 16)

    def mortal() -> None:
        real, calls = checkpoint.save_file, []

        def save_half(tensors, path) -> None:
            real(tensors, path)
            calls.append(path)
            if len(calls) == fatal:
                os.truncate(path, os.path.getsize(path) // 2)
                os.kill(os.getpid(), signal.SIGKILL)

        checkpoint.save_file = save_half
        tiny.train_in(folder)

    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        if in_child(mortal).signal != signal.SIGKILL:
            raise Lost(f"there were fewer than {fatal} writes")
        same(in_child(partial(tiny.train_in, folder)), digest, folder)


def same(ended: Ended, digest: str, folder: Path) -> None:
    if ended.require_value() != digest:
        raise Lost("the end is not the same as without being killed")
    left = [path.name for path in folder.rglob(".*.tmp")]
    left += [path.name for path in folder.rglob("*.part")]
    if left:
        raise Lost(f"left behind: {', '.join(left)}")


# ---- two processes


def pair_of(folder: Path) -> list[Child]:
    """As torchrun starts them."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = str(server.getsockname()[1])
    shared = {"MASTER_ADDR": "127.0.0.1", "MASTER_PORT": port, "LOCAL_WORLD_SIZE": "2"}
    shared |= {"WORLD_SIZE": "2", "GLOO_SOCKET_IFNAME": "lo"}
    return [
        Child(partial(tiny.train_in, folder), RANK=str(rank), LOCAL_RANK=str(rank), **shared)
        for rank in (0, 1)
    ]


@cache
def whole_pair() -> tuple[str, float]:
    with tempfile.TemporaryDirectory() as place:
        ended = [child.end() for child in pair_of(Path(place))]
        digests = {one.require_value() for one in ended}
        if len(digests) != 1:
            raise Lost("the two processes end with different weights")
        return digests.pop(), ended[0].seconds


def two_processes(number: int) -> None:
    digest, seconds = whole_pair()
    chance = random.Random(f"pair {number}")
    with tempfile.TemporaryDirectory() as place:
        children = pair_of(Path(place))
        chance.shuffle(children)
        children[0].kill(after=chance.uniform(0, seconds))
        children[1].kill()  # torchrun ends the others
        for child in children:
            child.end()
        for child in pair_of(Path(place)):
            same(child.end(), digest, Path(place))


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
