"""Questions to the hub: asked again where that can help, answers checked, failures explained."""

from __future__ import annotations

import hashlib
import json
import logging
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TypeVar

from sbert_lab.errors import DataError
from sbert_lab.files import sha256

log = logging.getLogger(__name__)

TIMEOUT = 5  # seconds that a short question may take
WAITS = (1, 3, 9)  # seconds before the second, third and fourth try
LONGEST = 60  # seconds; whoever asks us to wait longer is not waited for
# Network errors by name, because the library under the hub's client has changed twice.
PASSING = {"ReadTimeout", "ReadError", "RemoteProtocolError", "ConnectionResetError"}
REASONS = {
    401: "the hub wants a login, or there is no such repository: see `hf auth login`",
    403: "the hub wants you to accept its terms first: see its page",
    404: "the hub does not have it: check its name and revision",
    429: "too many questions: wait a little",
}
Answer = TypeVar("Answer")


def patiently(what: str, ask: Callable[[], Answer]) -> Answer:
    """The answer of ask(); where the trouble may pass it is asked up to four times.

    That is for a busy or broken server, a cut or slow answer, or a damaged file; not for no network
    at all, nor for what the hub does not have or does not give us.
    """
    for wait in (*WAITS, None):
        try:
            return ask()
        except Exception as problem:  # the hub's client raises a dozen kinds
            pause = max(wait or 0, _asked_to_wait(problem))
            if wait is None or not _may_pass(problem) or pause > LONGEST:
                raise
            log.warning("%s: %s; trying again in %g s", what, reason(problem), pause)
            time.sleep(pause)
    raise AssertionError("the last try returns or raises")


def require_reach(hub_id: str, revision: str, *, kind: str) -> None:
    """Ask a short question first, because the libraries would go on asking for minutes.

    `kind` is "model" or "dataset". Offline on purpose: no question.
    """
    from huggingface_hub import HfApi, constants

    if not constants.HF_HUB_OFFLINE:
        ask = getattr(HfApi(), f"{kind}_info")
        patiently(hub_id, lambda: ask(hub_id, revision=revision, timeout=TIMEOUT))


def check_file(path: Path) -> None:
    """Compare a file in the hub's cache with its digest; a damaged one is removed.

    The cache names a file by its digest, git's for small files and sha256 for large ones, and links
    to it. Where a file system has no links, only the size was checked.
    """
    file = path.resolve()
    if len(file.name) == 64:
        found = sha256(file)
    elif len(file.name) == 40:
        content = file.read_bytes()
        found = hashlib.sha1(b"blob %d\0" % len(content) + content).hexdigest()
    else:
        return
    if found != file.name:
        path.unlink()
        file.unlink(missing_ok=True)
        raise DataError(
            f"{path.name} came damaged: its digest is {found[:12]}, not {file.name[:12]}. It was "
            "removed: try again, or from another network"
        )


def reason(problem: BaseException) -> str:
    """What came instead of an answer, in a few words."""
    status = _status(problem)
    if status:
        default = "the hub has trouble: try again later" if status >= 500 else "not an answer"
        wait = _asked_to_wait(problem)
        return f"{status}, {REASONS.get(status, default)}" + f" ({wait:g} s)" * bool(wait)
    if "ReadTimeout" in (type(error).__name__ for error in _chain(problem)):
        return "no answer in time"
    if isinstance(problem, json.JSONDecodeError):
        return "not the hub's answer: is there a login page in between?"
    return str(problem).strip().partition("\n")[0][:200] or type(problem).__name__


def is_network_trouble(problem: BaseException) -> bool:
    """Whether a library failed because of the network, even if it wrapped that in another error."""
    named = any(type(error).__module__.startswith("http") for error in _chain(problem))
    return named or bool(_status(problem)) or isinstance(problem, (OSError, json.JSONDecodeError))


def _chain(problem: BaseException | None) -> Iterator[BaseException]:
    while problem is not None:
        yield problem
        problem = problem.__cause__ or problem.__context__


def _response(problem: BaseException) -> object | None:
    found = (getattr(error, "response", None) for error in _chain(problem))
    return next((response for response in found if response is not None), None)


def _status(problem: BaseException) -> int:
    return getattr(_response(problem), "status_code", 0)


def _asked_to_wait(problem: BaseException) -> float:
    headers = getattr(_response(problem), "headers", {})
    text = headers.get("Retry-After", "")
    return float(text) if text.isdigit() else 0.0


def _may_pass(problem: BaseException) -> bool:
    status = _status(problem)
    if status:
        return status in (408, 429) or status >= 500
    return any(type(e).__name__ in PASSING or isinstance(e, DataError) for e in _chain(problem))
