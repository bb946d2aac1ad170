"""Writing files so that a crash, a full disk or a second process never leaves half of one."""

import contextlib
import ctypes
import errno
import glob
import hashlib
import json
import os
import platform
import shutil
import time
import uuid
import zlib
from collections.abc import Iterator
from pathlib import Path

from sbert_lab.errors import CheckpointError, LabError

OWN = "own_sha256"
CHANGED = "is damaged or was changed after it was saved"


def sha256(path: Path) -> str:
    """The hex digest of a file's bytes."""
    with open(path, "rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


_MOVE = " (for what is in runs/, name one in SBERT_LAB_RUNS)"
_REASONS = {
    errno.ENOSPC: "the disk is full: free some space and run the same call again",
    errno.EDQUOT: "your disk quota is used up: free some space and run the same call again",
    errno.EACCES: f"no write permission: choose a folder that you own{_MOVE}",
    errno.EPERM: f"no write permission: choose a folder that you own{_MOVE}",
    errno.EROFS: f"the file system is read-only: choose another folder{_MOVE}",
    errno.ENOTDIR: "a part of the path is a file, not a folder: choose another path",
    errno.EEXIST: "a file of that name is in the way: choose another path",
}


def _reason(error: Exception) -> str | None:
    """Why the system refused to write, None if it did not. Libraries in Rust or C++ quote it."""
    said = str(error)
    if "Not enough free space" in said or "requested and" in said:  # NumPy's own words
        return _REASONS[errno.ENOSPC]
    for code, reason in _REASONS.items():
        if getattr(error, "errno", None) == code or os.strerror(code) in said:
            return reason
    return said if isinstance(error, OSError) else None


@contextlib.contextmanager
def explained(path: Path) -> Iterator[None]:
    """Turn what goes wrong while `path` is written into an error that says what to do."""
    try:
        yield
    except LabError:
        raise
    except Exception as error:
        reason = _reason(error)
        if reason is None:
            raise
        text = f"cannot write {path}: {reason}. What was there before is untouched"
        raise CheckpointError(text) from error


def _fsync(path: Path) -> None:
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    except OSError:
        if path.is_file():  # some file systems cannot sync folders
            raise
    finally:
        os.close(handle)


@contextlib.contextmanager
def atomic_folder(path: str | Path) -> Iterator[Path]:
    """Give a new folder to fill; it becomes `path` only when the block ends without an error."""
    path = Path(path)
    with explained(path), _temporary(path) as temporary:
        temporary.mkdir(parents=True)
        yield temporary
        for file in temporary.rglob("*"):
            _fsync(file)
        _swap_in(temporary, path)


@contextlib.contextmanager
def atomic_file(path: str | Path) -> Iterator[Path]:
    """The same for a file: give a name to write to; the file gets its own name at the end."""
    path = Path(path)
    with explained(path), _temporary(path) as temporary:
        path.parent.mkdir(parents=True, exist_ok=True)
        yield temporary
        _fsync(temporary)
        os.replace(temporary, path)


@contextlib.contextmanager
def _temporary(path: Path) -> Iterator[Path]:
    """A name beside `path`. What has it at the end is removed, and what a killed process left."""
    ours = f".{path.name}.{zlib.crc32(platform.node().encode()):08x}-"
    for left in path.parent.glob(f"{glob.escape(ours)}*-*.tmp"):
        process = left.name.removeprefix(ours).partition("-")[0]
        if process.isdigit() and not _is_alive(int(process)):
            _remove(left)
    temporary = path.with_name(f"{ours}{os.getpid()}-{uuid.uuid4().hex[:8]}.tmp")
    try:
        yield temporary
    finally:
        _remove(temporary)


def _remove(path: Path) -> None:
    if path.is_dir():
        shutil.rmtree(path, ignore_errors=True)
    with contextlib.suppress(OSError):
        path.unlink(missing_ok=True)


def _swap_in(temporary: Path, path: Path) -> None:
    """Rename temporary to path; an older folder of that name changes places with it."""
    if not path.exists():
        os.rename(temporary, path)
    elif not path.is_dir():
        raise FileExistsError(errno.EEXIST, "not a folder", str(path))
    elif not _exchange(temporary, path):
        aside = path.with_name(f".{path.name}.{uuid.uuid4().hex[:8]}.old")
        os.rename(path, aside)
        os.rename(temporary, path)
        shutil.rmtree(aside, ignore_errors=True)
    _fsync(path.parent)


def _exchange(one: Path, other: Path) -> bool:
    """Let two folders change names in a single step, where the system can (Linux)."""
    swap = getattr(ctypes.CDLL(None), "renameat2", None) if os.name == "posix" else None
    here, exchange = -100, 2  # AT_FDCWD, RENAME_EXCHANGE
    names = os.fsencode(one.absolute()), os.fsencode(other.absolute())
    return swap is not None and swap(here, names[0], here, names[1], exchange) == 0


def write_bytes(path: str | Path, content: bytes) -> None:
    """Write a file under another name, then rename it into place."""
    with atomic_file(path) as temporary:
        temporary.write_bytes(content)


def write_json(path: str | Path, value: object) -> None:
    """Write readable JSON, atomically."""
    text = json.dumps(value, indent=2, ensure_ascii=False) + "\n"
    write_bytes(path, text.encode("utf-8"))


def read_json(path: str | Path) -> object:
    """Read JSON; a missing or broken file is an error that names it."""
    try:
        return json.loads(Path(path).read_text(encoding="utf-8"))
    except FileNotFoundError as error:
        raise CheckpointError(f"{path} is missing") from error
    except (OSError, ValueError, RecursionError) as error:
        raise CheckpointError(f"{path} cannot be read ({error}): restore or delete it") from error


# ---- one process at a time


@contextlib.contextmanager
def locked(path: str | Path, *, waiting: str = "") -> Iterator[None]:
    """One process at a time; `waiting` is printed, and who it is, if another one is inside.

    The system frees the lock of a process that dies. The file stays: removing it would let two in.
    """
    from filelock import FileLock, Timeout

    path = Path(path)
    lock = FileLock(path)
    with explained(path):
        path.parent.mkdir(parents=True, exist_ok=True)
        try:
            lock.acquire(timeout=0)
        except Timeout:
            if waiting:
                print(f"{waiting}{_holder(path)}", flush=True)
            lock.acquire()
    try:
        _write_holder(path, f"process {os.getpid()} on {platform.node()}")
        yield
    finally:
        _write_holder(path, "")
        lock.release()


def _write_holder(path: Path, text: str) -> None:
    with contextlib.suppress(OSError):  # only a courtesy to those who wait
        path.write_text(text, encoding="utf-8")


def _holder(path: Path) -> str:
    """Who is inside, as far as can be read; who has just gone in may not have written it yet."""
    for _ in range(10):
        with contextlib.suppress(OSError, UnicodeDecodeError):
            if said := path.read_text(encoding="utf-8").strip():
                return f" (it is {said})"
        time.sleep(0.05)
    return ""


def _is_alive(process: int) -> bool:
    """Whether there is such a process on this machine; where asking is dangerous, yes."""
    if os.name == "posix":
        try:
            os.kill(process, 0)
        except ProcessLookupError:
            return False
        except OSError:
            pass  # somebody else's
    return True


# ---- folders that know their files' digests


@contextlib.contextmanager
def sealed_folder(path: str | Path, name: str, about: dict | None = None) -> Iterator[Path]:
    """An atomic folder whose file `name` holds `about` and the digests of the files beside it."""
    with atomic_folder(path) as folder:
        yield folder
        seal(folder, name, about)


def seal(folder: Path, name: str, about: dict | None = None, *, pattern: str = "*") -> None:
    """Remember the sha256 of every file that fits the pattern, so that a change is noticed."""
    files = {p.relative_to(folder).as_posix(): p for p in folder.glob(pattern) if p.is_file()}
    digests = {file: sha256(files[file]) for file in sorted(files) if file != name}
    write_seal(folder / name, {**(about or {}), "sha256": digests})


def write_seal(path: Path, told: dict) -> None:
    """The file that seals its folder, with a digest of what it says itself."""
    write_json(path, {**told, OWN: _own_digest(told)})


def _own_digest(told: dict) -> str:
    """Of what the file itself says."""
    said = json.dumps({key: told[key] for key in told if key != OWN}, sort_keys=True)
    return hashlib.sha256(said.encode()).hexdigest()


def read_sealed(folder: str | Path, name: str, *, kind: str, way_out: str) -> dict:
    """What `name` says about a sealed folder; a file that is damaged or missing is an error."""
    folder = Path(folder)
    if not (folder / name).is_file():
        raise CheckpointError(f"{folder} has no {name}: it is not {kind}")
    about = read_json(folder / name)
    if not isinstance(about, dict) or not isinstance(about.get("sha256"), dict):
        raise CheckpointError(f"{folder / name} lacks 'sha256': {way_out}")
    if about.get(OWN, own := _own_digest(about)) != own:
        raise CheckpointError(f"{folder / name} {CHANGED}: {way_out}")
    for file, digest in about["sha256"].items():
        if not (folder / file).is_file() or sha256(folder / file) != digest:
            raise CheckpointError(f"{folder / file} {CHANGED}: {way_out}")
    return about
