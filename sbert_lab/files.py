"""Writing files so that a crash, a full disk or a second process never leaves half of one."""

import contextlib
import errno
import hashlib
import json
import os
import shutil
import uuid
from collections.abc import Iterator
from pathlib import Path

from sbert_lab.errors import CheckpointError


def sha256(path: Path) -> str:
    """The hex digest of a file's bytes."""
    with open(path, "rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _explain(error: OSError, path: Path) -> CheckpointError:
    reasons = {
        errno.ENOSPC: "the disk is full: free some space and run the same call again",
        errno.EDQUOT: "your disk quota is used up: free some space and run the same call again",
        errno.EACCES: "no write permission: choose a folder that you own",
        errno.EPERM: "no write permission: choose a folder that you own",
        errno.EROFS: "the file system is read-only: choose another folder",
        errno.ENOTDIR: "a part of the path is a file, not a folder: choose another path",
        errno.EEXIST: "a file of that name is in the way: choose another path",
    }
    reason = reasons.get(error.errno, str(error))
    return CheckpointError(f"cannot write {path}: {reason}. What was there before is untouched")


def _fsync(path: Path) -> None:
    handle = os.open(path, os.O_RDONLY)
    try:
        with contextlib.suppress(OSError):  # some file systems cannot sync folders
            os.fsync(handle)
    finally:
        os.close(handle)


@contextlib.contextmanager
def atomic_folder(path: str | Path) -> Iterator[Path]:
    """Give a new folder to fill; it becomes `path` only when the block ends without an error."""
    path = Path(path)
    temporary = path.with_name(f".{path.name}.{uuid.uuid4().hex[:8]}.tmp")
    try:
        temporary.mkdir(parents=True)
        yield temporary
        for file in temporary.rglob("*"):
            _fsync(file)
        _swap_in(temporary, path)
    except OSError as error:
        raise _explain(error, path) from error
    finally:
        shutil.rmtree(temporary, ignore_errors=True)


@contextlib.contextmanager
def locked(path: str | Path, *, waiting: str = "") -> Iterator[None]:
    """One process at a time; `waiting` is printed if another one is inside.

    The system frees the lock of a process that dies. The file stays: removing it would let two in.
    """
    from filelock import FileLock, Timeout

    Path(path).parent.mkdir(parents=True, exist_ok=True)
    lock = FileLock(path)
    try:
        lock.acquire(timeout=0)
    except Timeout:
        if waiting:
            print(waiting, flush=True)
        lock.acquire()
    try:
        yield
    finally:
        lock.release()


def _swap_in(temporary: Path, path: Path) -> None:
    """Rename temporary to path; an older folder of that name steps aside first."""
    if not path.exists():
        os.rename(temporary, path)
    else:
        if not path.is_dir():
            raise FileExistsError(errno.EEXIST, "not a folder", str(path))
        aside = path.with_name(f".{path.name}.{uuid.uuid4().hex[:8]}.old")
        os.rename(path, aside)
        os.rename(temporary, path)
        shutil.rmtree(aside, ignore_errors=True)
    _fsync(path.parent)


def write_bytes(path: str | Path, content: bytes) -> None:
    """Write a file under another name, then rename it into place."""
    path = Path(path)
    temporary = path.with_name(f".{path.name}.{uuid.uuid4().hex[:8]}.tmp")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with open(temporary, "wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        os.replace(temporary, path)
    except OSError as error:
        raise _explain(error, path) from error
    finally:
        temporary.unlink(missing_ok=True)


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
    except (OSError, ValueError) as error:
        raise CheckpointError(f"{path} cannot be read ({error}): restore or delete it") from error


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
    write_json(folder / name, {**(about or {}), "sha256": digests})


def read_sealed(folder: str | Path, name: str, *, kind: str, way_out: str) -> dict:
    """What `name` says about a sealed folder; a file that is damaged or missing is an error."""
    folder = Path(folder)
    if not (folder / name).is_file():
        raise CheckpointError(f"{folder} has no {name}: it is not {kind}")
    about = read_json(folder / name)
    if not isinstance(about, dict) or not isinstance(about.get("sha256"), dict):
        raise CheckpointError(f"{folder / name} lacks 'sha256': {way_out}")
    for file, digest in about["sha256"].items():
        if not (folder / file).is_file() or sha256(folder / file) != digest:
            raise CheckpointError(
                f"{folder / file} is damaged or was changed after it was saved: {way_out}"
            )
    return about
