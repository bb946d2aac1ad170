"""One process at a time: a lock file that the system frees when its owner dies."""

import contextlib
import os
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

try:
    import fcntl
except ImportError:  # Windows
    fcntl = None

BEAT = 20.0  # seconds between two signs of life
STALE = 120.0  # a lock file without a sign of life for so long is nobody's


@contextlib.contextmanager
def locked(
    path: Path, *, waiting: Callable[[], None] = lambda: None, poll: float = 0.5
) -> Iterator[None]:
    """Hold the lock while the block runs; `waiting` is called once if somebody else has it."""
    path.parent.mkdir(parents=True, exist_ok=True)
    take = _flock if fcntl and _flock_works(path) else _lock_file
    told = False
    while True:
        release = take(path)
        if release is not None:
            break
        if not told:
            waiting()
            told = True
        time.sleep(poll)
    try:
        yield
    finally:
        release()


def _flock_works(path: Path) -> bool:
    """Some network folders cannot lock."""
    try:
        with open(path.with_name(f".{path.name}.probe"), "w") as probe:
            fcntl.flock(probe, fcntl.LOCK_EX | fcntl.LOCK_NB)
            return True
    except BlockingIOError:
        return True
    except OSError:
        return False
    finally:
        path.with_name(f".{path.name}.probe").unlink(missing_ok=True)


def _flock(path: Path) -> Callable[[], None] | None:
    handle = os.open(path, os.O_RDWR | os.O_CREAT, 0o644)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        os.close(handle)
        return None
    return lambda: os.close(handle)  # the file stays: removing it would let two in


def _lock_file(path: Path) -> Callable[[], None] | None:
    """Without flock: the file's existence is the lock, its time the owner's sign of life."""
    path = path.with_name(path.name + ".held")
    try:
        os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o644))
    except FileExistsError:
        _remove_stale(path)
        return None
    done = threading.Event()

    def beat() -> None:
        while not done.wait(BEAT):
            with contextlib.suppress(OSError):
                os.utime(path)

    threading.Thread(target=beat, daemon=True).start()

    def release() -> None:
        done.set()
        path.unlink(missing_ok=True)

    return release


def _remove_stale(path: Path) -> None:
    """Move a dead owner's file away. Renaming makes sure that only one process succeeds."""
    with contextlib.suppress(OSError):
        if time.time() - path.stat().st_mtime > STALE:
            aside = path.with_name(f".{path.name}.{os.getpid()}.{threading.get_ident()}.stale")
            os.rename(path, aside)
            aside.unlink(missing_ok=True)
