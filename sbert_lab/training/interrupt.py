"""Ctrl-C (or the notebook's stop button) ends training between two steps, never inside one."""

import contextlib
import signal
import threading
from collections.abc import Iterator


class StopRequest:
    """Set by the first interrupt; a second one stops at once."""

    def __init__(self) -> None:
        self.asked = False

    def __call__(self, signal_number: int, frame: object) -> None:
        if self.asked:
            raise KeyboardInterrupt
        self.asked = True


@contextlib.contextmanager
def deferred_interrupt() -> Iterator[StopRequest]:
    """Collect an interrupt as a request. Outside the main thread nothing is changed."""
    request = StopRequest()
    if threading.current_thread() is not threading.main_thread():
        yield request
        return
    before = signal.signal(signal.SIGINT, request)
    try:
        yield request
    finally:
        signal.signal(signal.SIGINT, before)
