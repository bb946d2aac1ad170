"""Work in a forked process that can be killed: the libraries are imported once, in the parent."""

import io
import json
import os
import signal
import sys
import tempfile
import time
import traceback
from collections.abc import Callable
from contextlib import contextmanager, redirect_stdout
from dataclasses import dataclass
from pathlib import Path

from faults.table import Lost

PATIENCE = 240  # seconds until a child counts as hanging


@dataclass(frozen=True)
class Ended:
    """How a child came to its end: a value, or an error of ours or of others, or a signal."""

    value: object = None
    error: str = ""
    ours: bool = False  # the error is one of the lab's own
    trace: str = ""
    said: str = ""
    signal: int = 0
    seconds: float = 0

    def require_value(self) -> object:
        if self.error or self.signal:
            raise Lost(f"{self.error or f'signal {self.signal}'}\n{self.trace[-900:]}")
        return self.value

    def require_refusal(self, *words: str) -> str:
        """The message of an error of ours that has one of these words in it."""
        if not self.error:
            raise Lost(f"nothing was refused: {self.value!r}, signal {self.signal}")
        if not self.ours:
            raise Lost(f"a raw error: {self.error}\n{self.trace[-900:]}")
        if words and not any(word in self.error for word in words):
            raise Lost(f"the message says nothing of {' or '.join(words)}: {self.error}")
        return self.error


class Child:
    """A forked process that does `work()` and tells what came out."""

    def __init__(self, work: Callable[[], object], **variables: str) -> None:
        self.place = Path(tempfile.mkdtemp())
        self.began = time.perf_counter()
        self.process = os.fork()
        if not self.process:
            _work(work, variables, self.place)

    def kill(self, after: float = 0) -> None:
        """SIGKILL after so many seconds, unless it has ended before."""
        while time.perf_counter() - self.began < after and not self.ended(wait=False):
            time.sleep(0.002)
        if not self.ended(wait=False):
            os.kill(self.process, signal.SIGKILL)

    def ended(self, *, wait: bool = True) -> bool:
        state = os.waitid(
            os.P_PID, self.process, os.WEXITED | os.WNOWAIT | (0 if wait else os.WNOHANG)
        )
        return state is not None

    def end(self) -> Ended:
        while not self.ended(wait=False):
            if time.perf_counter() - self.began > PATIENCE:
                os.kill(self.process, signal.SIGKILL)
                os.waitpid(self.process, 0)
                raise Lost(f"it hangs: no end after {PATIENCE} s")
            time.sleep(0.005)
        _, status = os.waitpid(self.process, 0)
        seconds, code = time.perf_counter() - self.began, os.waitstatus_to_exitcode(status)
        out = self.place / "out.json"
        found = json.loads(out.read_text()) if out.exists() else {"error": f"exit code {code}"}
        if code < 0:
            return Ended(signal=-code, seconds=seconds)
        return Ended(**found, seconds=seconds)


def in_child(work: Callable[[], object], **variables: str) -> Ended:
    return Child(work, **variables).end()


def _work(work: Callable[[], object], variables: dict[str, str], place: Path) -> None:
    """Never returns."""
    from sbert_lab.errors import LabError

    code, found, said = 0, {}, io.StringIO()
    try:
        os.environ.update(variables)
        with redirect_stdout(said):
            found = {"value": work()}
    except BaseException as error:
        ours = isinstance(error, LabError)
        found = {"error": f"{type(error).__name__}: {error}", "ours": ours}
        found["trace"] = traceback.format_exc()
    try:
        (place / "out.json").write_text(json.dumps({**found, "said": said.getvalue()}))
    except BaseException:
        code = 3
    sys.stdout.flush()
    os._exit(code)


# ---- ways to die


FILE_EVENTS = ("open", "os.rename", "os.remove", "os.mkdir", "os.rmdir", "shutil.rmtree")


@contextmanager
def watching(folder: Path, die_at: int | None = None):
    """Count what happens to files below a folder; SIGKILL before the one with this number."""
    counted, active = [0], [True]

    def hook(event: str, arguments: tuple) -> None:
        if not active[0] or event not in FILE_EVENTS:
            return
        if str(folder) not in str(arguments[0]):
            return
        counted[0] += 1
        if counted[0] == die_at:
            os.kill(os.getpid(), signal.SIGKILL)

    sys.addaudithook(hook)
    try:
        yield counted
    finally:
        active[0] = False


@contextmanager
def without_rights():
    """Root that obeys the modes of files: takes its right to override them away, for good."""
    import ctypes

    libc = ctypes.CDLL(None, use_errno=True)
    header = (ctypes.c_uint32 * 2)(0x20080522, 0)
    sets = (ctypes.c_uint32 * 6)()
    if libc.capget(header, sets):
        raise OSError(ctypes.get_errno(), "capget")
    for place in (0, 1):  # effective, permitted: bits 1 and 2 are DAC_OVERRIDE and DAC_READ_SEARCH
        sets[place] &= ~0b111
    if libc.capset(header, sets):
        raise OSError(ctypes.get_errno(), "capset")
    yield
