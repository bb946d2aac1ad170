"""Embed any number of sentences into a .npy file: memory stays bounded, and a cut-off run goes on.

Sentences are read in windows. Each window is planned into batches exactly as `encode` plans them,
so the file holds the same vectors as `encode` would give. The plan covers the whole file and comes
from the sentences alone: under torchrun (on one machine) its batches are dealt out in turn, and the
bytes are the same whoever computed which.

Beside `out.npy` lie, while it is being made, `out.npy.part` (the rows so far) and
`out.npy.progress.json` (how many rows are done, of what, and their checksum).
"""

import contextlib
import hashlib
import json
import os
import zlib
from collections.abc import Callable, Iterable, Iterator
from itertools import islice
from pathlib import Path

import numpy as np
from tqdm.auto import tqdm

from sbert_lab.encoder import SentenceEncoder
from sbert_lab.encoding import (
    WINDOW,
    check_sentence,
    evaluating,
    smart_plan,
    tokenize_ahead,
    warn_cut_off,
)
from sbert_lab.errors import CheckpointError, InputError
from sbert_lab.files import explained, read_json, write_json
from sbert_lab.training.processes import Processes, join_processes

DONE = ("rows", "crc32", "truncated")  # finished rows, their checksum, sentences cut off


def encode_to_file(
    encoder: SentenceEncoder,
    sentences: str | Path | Iterable[str],
    output: str | Path,
    *,
    normalize: bool = False,
    token_budget: int | None = None,
    precision: str = "auto",
    window: int = WINDOW,
    show_progress: bool = False,
) -> np.ndarray:
    """Embed a text file (one sentence a line) or any iterable into `output`: float32 (N, H).

    Returns the finished file, memory-mapped for reading. Called again after an interruption with
    the same sentences, encoder and settings it goes on after the last finished window.
    """
    if window < 1:
        raise InputError(f"window must be at least 1, got {window}")
    precision = encoder.auto_precision if precision == "auto" else precision
    us, plan = join_processes(encoder.device), smart_plan(encoder.device, token_budget)
    with _as_file(sentences, Path(output), us) as read:
        count, digest = _survey(read(), sentences)
        job = {
            "sentences": digest,
            "encoder": encoder_digest(encoder),
            "shape": [count, encoder.dimension],
            "settings": [normalize, plan.keywords["token_budget"], precision, window],
        }
        made = _Growing(Path(output), job, us)
        bar = tqdm(total=count, initial=made.done["rows"], unit="sentence",
                   disable=not show_progress or not us.is_main)  # fmt: skip
        left = (one for one in _windows(read(), window) if one[0] >= made.done["rows"])
        ready = encoder.ready(precision, count)
        with bar, evaluating(encoder, precision):
            for start, ids, cut in tokenize_ahead(left, encoder.tokenize):
                batches = plan([len(one) for one in ids])
                for place, batch in enumerate(batches, start=start // window):
                    if place % us.world == us.rank:
                        some = [ids[i] for i in batch]
                        vectors = encoder.embed(some, ready=ready, normalize=normalize)
                        made.rows[start + batch] = vectors
                made.finish_window(start + len(ids), cut)
                bar.update(len(ids))
        made.publish()
    if us.is_main:
        warn_cut_off(made.done["truncated"], count)
    return np.load(output, mmap_mode="r", allow_pickle=False)


def check_output(path: Path) -> None:
    """Refuse a name that would hide what the file is."""
    if path.suffix != ".npy":
        raise InputError(f"{path} should end in .npy: the vectors are a numpy array")


def read_lines(path: str | Path) -> Iterator[str]:
    """The lines of a UTF-8 text file without their ends, one at a time."""
    try:
        with open(path, encoding="utf-8") as file:
            for line in file:
                yield line.rstrip("\n")
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(f"cannot read {path}: {error}") from error


# ---- the sentences


@contextlib.contextmanager
def _as_file(sentences, output: Path, us: Processes) -> Iterator[Callable[[], Iterator[str]]]:
    """A function that reads the sentences: from their own file, or from a copy as JSON lines."""
    if isinstance(sentences, (str, Path)):
        yield lambda: read_lines(sentences)
        return
    spool = output.with_name(output.name + ".sentences.jsonl")
    try:
        if us.is_main:
            _write_spool(sentences, spool)
        us.wait()
        yield lambda: map(json.loads, read_lines(spool))
    finally:
        if us.is_main:
            with contextlib.suppress(OSError):  # where it could not be written
                spool.unlink(missing_ok=True)


def _write_spool(sentences: Iterable[str], spool: Path) -> None:
    with explained(spool):
        spool.parent.mkdir(parents=True, exist_ok=True)
        with open(spool, "w", encoding="utf-8", newline="\n") as file:
            for position, sentence in enumerate(sentences):
                check_sentence(position, sentence)
                file.write(json.dumps(sentence) + "\n")


def _windows(lines: Iterator[str], window: int) -> Iterator[tuple[int, list[str]]]:
    start = 0
    while some := list(islice(lines, window)):
        yield start, some
        start += len(some)


def _survey(lines: Iterator[str], source: object) -> tuple[int, str]:
    """How many sentences there are, and a digest of them all."""
    count, digest = 0, hashlib.sha256()
    for sentence in lines:
        count += 1
        content = sentence.encode("utf-8", "surrogatepass")
        digest.update(len(content).to_bytes(8, "little") + content)
    if not count:
        where = source if isinstance(source, (str, Path)) else "no sentence"
        raise InputError(f"there is nothing to encode: {where}")
    return count, digest.hexdigest()


def encoder_digest(encoder: SentenceEncoder) -> str:
    """A digest of what decides the vectors: weights, tokenizer, pooling."""
    digest = hashlib.sha256()
    about = (encoder.pooling, encoder.normalize, encoder.max_length, encoder.lower_case)
    digest.update(repr(about).encode())
    digest.update(encoder.tokenizer.backend_tokenizer.to_str().encode())
    for name, tensor in sorted(encoder.state_dict().items()):
        digest.update(name.encode() + tensor.detach().cpu().contiguous().float().numpy().tobytes())
    return digest.hexdigest()


# ---- the file


class _Growing:
    """The output while it is being made: its `rows`, and how much is `done`."""

    def __init__(self, output: Path, job: dict, us: Processes) -> None:
        self.output, self.job, self.us = output, job, us
        self.part, self.progress = (
            output.with_name(output.name + end) for end in (".part", ".progress.json")
        )
        self.done = self._start()
        self.rows = np.lib.format.open_memmap(self.part, mode="r+")

    def _start(self) -> dict:
        """Make the empty file, or check what an interrupted run left: what is done."""
        done, problem = dict.fromkeys(DONE, 0), None
        if self.us.is_main:
            try:
                if self.progress.exists():
                    done = _checked(self.part, self.progress, self.job)
                else:
                    _allocate(self.part, self.job["shape"])
            except (CheckpointError, InputError) as error:
                problem = error
        problem = self.us.agree(problem)
        if problem is not None:
            raise problem
        return self.us.agree(done)

    def finish_window(self, stop: int, cut: int) -> None:
        """Everybody's rows reach the disk before the progress counts them."""
        self.rows.flush()
        self.us.wait()
        done = self.done
        if self.us.is_main:
            done["crc32"] = _crc32(self.rows, done["rows"], stop, done["crc32"])
        done["rows"], done["truncated"] = stop, done["truncated"] + cut
        if self.us.is_main:
            write_json(self.progress, {**self.job, **done})

    def publish(self) -> None:
        """All rows are there: give the file its name."""
        del self.rows
        self.us.wait()
        if self.us.is_main:
            os.replace(self.part, self.output)
            self.progress.unlink(missing_ok=True)
        self.us.wait()


def _crc32(rows: np.ndarray, start: int, stop: int, crc: int = 0) -> int:
    """The checksum of rows, read a window at a time, after that of the rows before them."""
    for first in range(start, stop, WINDOW):
        crc = zlib.crc32(np.ascontiguousarray(rows[first : min(first + WINDOW, stop)]), crc)
    return crc


def _allocate(part: Path, shape: list[int]) -> None:
    """A file of the full size at once: a full disk is noticed now, not after hours."""
    try:
        part.parent.mkdir(parents=True, exist_ok=True)
        np.lib.format.open_memmap(part, mode="w+", dtype=np.float32, shape=tuple(shape)).flush()
        if hasattr(os, "posix_fallocate"):
            with open(part, "r+b") as file:
                os.posix_fallocate(file.fileno(), 0, part.stat().st_size)
    except OSError as error:
        part.unlink(missing_ok=True)
        need = 4 * shape[0] * shape[1] / 1e9
        raise CheckpointError(
            f"cannot make {part}: {error.strerror or error}. It needs {need:.2f} GB in a folder "
            "that you may write to"
        ) from error


def _checked(part: Path, progress: Path, job: dict) -> dict:
    """The progress of an interrupted run, if it is of this very job and its rows are whole."""
    found = read_json(progress)
    way_out = f"delete {progress.name} and {part.name} to start anew"
    if not isinstance(found, dict) or not {*job, *DONE} <= set(found):
        raise CheckpointError(f"{progress} is damaged: {way_out}")
    for what, value in job.items():
        if found[what] != value:
            raise CheckpointError(
                f"{progress} is of a run with other {what}: finish that one first, or {way_out}"
            )
    try:
        rows = np.lib.format.open_memmap(part, mode="r")
        whole = rows.shape == tuple(job["shape"]) and rows.dtype == np.float32
        crc = _crc32(rows, 0, found["rows"] if whole else 0)
    except (OSError, ValueError) as error:
        raise CheckpointError(f"{part} cannot be read ({error}): {way_out}") from error
    if not whole or crc != found["crc32"]:
        raise CheckpointError(f"{part} was changed after it was written: {way_out}")
    return {name: found[name] for name in DONE}
