"""Embed any number of sentences into a .npy file: memory stays bounded, and a cut-off run goes on.

Sentences are read in windows. Each window is planned into batches exactly as `encode` plans them,
so the file holds the same vectors as `encode` would give. The plan covers the whole file and comes
from the sentences alone: under torchrun the windows are dealt out in turn, nobody waits for another
before the end, and the bytes are the same whoever computed which. On several machines the folder of
the output must be one that all of them see.

Beside `out.npy` lie, while it is being made, `out.npy.part` (the rows so far) and
`out.npy.progress.json` (of what, and the checksums of the windows that are done; a file more for
each further process).
"""

import contextlib
import functools
import glob
import hashlib
import json
import os
import zlib
from collections.abc import Callable, Iterable, Iterator
from itertools import islice
from pathlib import Path

import numpy as np
from tqdm.auto import tqdm

from sbert_lab.devices import one_behind
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

DONE = "windows"  # first row -> checksum, sentences cut off
Windows = dict[int, tuple[int, int]]


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
    settings = [normalize, plan.keywords["token_budget"], precision, window]
    with _as_file(sentences, Path(output), us) as read:
        job = us.first(lambda: _job(read(), sentences, encoder, settings))
        count = job["shape"][0]
        made = _Growing(Path(output), job, us)
        starts = made.todo[us.rank :: us.world]
        mine, rows = set(starts), sum(min(window, count - start) for start in starts)
        bar = tqdm(total=rows, unit="sentence", disable=not show_progress or not us.is_main)
        left = (one for one in _windows(read(), window) if one[0] in mine)
        begin = functools.partial(encoder.begin, ready=encoder.ready(precision, count))
        with bar, evaluating(encoder, precision):
            for start, ids, cut in tokenize_ahead(left, encoder.tokenize):
                batches = ((b, begin([ids[i] for i in b], normalize=normalize))
                           for b in plan([len(one) for one in ids]))  # fmt: skip
                vectors = np.empty((len(ids), encoder.dimension), dtype=np.float32)
                for places, found in one_behind(batches):
                    vectors[places] = found
                made.add(start, vectors, cut)
                bar.update(len(ids))
        made.publish()
    if us.is_main:
        warn_cut_off(made.truncated, count)
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


def _job(lines: Iterator[str], source: object, encoder: SentenceEncoder, settings: list) -> dict:
    """What is to be done: a run that is cut off goes on only with the same."""
    count, digest = _survey(lines, source)
    return {
        "sentences": digest,
        "encoder": encoder_digest(encoder),
        "shape": [count, encoder.dimension],
        "settings": settings,
    }


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
    """The output while it is being made. Each process writes its windows and its own progress."""

    def __init__(self, output: Path, job: dict, us: Processes) -> None:
        self.output, self.job, self.us, self.truncated = output, job, us, 0
        self.part = output.with_name(output.name + ".part")
        self.progress = self._progress(us.rank)
        done = us.first(self._start)
        (count, width), window = job["shape"], job["settings"][-1]
        self.todo = [start for start in range(0, count, window) if start not in done]
        self.done = done if us.is_main else {}
        self.offset, self.row = os.path.getsize(self.part) - 4 * count * width, 4 * width

    def _progress(self, rank: int) -> Path:
        return self.output.with_name(f"{self.output.name}.progress{f'.{rank}' * bool(rank)}.json")

    def _all_progress(self) -> list[Path]:
        found = self.output.parent.glob(f"{glob.escape(self.output.name)}.progress*.json")
        return sorted(found, key=lambda path: path != self.progress)

    def _start(self) -> Windows:
        """Make the empty file, or check what an interrupted run left: what is done."""
        found = self._all_progress()
        if not found:
            _allocate(self.part, self.job["shape"])
            return {}
        done, part = {}, self.part
        if not part.exists() and self.output.exists():
            part = self.output  # it had got its name already
        for path in found:
            done |= _checked(part, path, self.job)
        os.replace(part, self.part)
        self._write(done)
        for path in found[self.progress in found :]:
            path.unlink()
        return done

    def _write(self, done: Windows) -> None:
        write_json(self.progress, {**self.job, DONE: done})

    def add(self, start: int, vectors: np.ndarray, cut: int) -> None:
        """A window's rows reach the disk before the progress counts them.

        They are written, not mapped: machines that share a folder do not share pages of memory.
        """
        with open(self.part, "r+b") as file:
            file.seek(self.offset + start * self.row)
            file.write(vectors)
            file.flush()
            os.fsync(file.fileno())
        self.done[start] = (zlib.crc32(vectors), cut)
        self._write(self.done)

    def publish(self) -> None:
        """When everybody's rows are there, give the file its name."""
        self.us.wait()
        if self.us.is_main:
            kept = self._all_progress()
            self.truncated = sum(one[1] for path in kept for one in read_json(path)[DONE].values())
            os.replace(self.part, self.output)
            for path in kept:
                path.unlink(missing_ok=True)
        self.us.wait()


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


def _checked(part: Path, progress: Path, job: dict) -> Windows:
    """What an interrupted run has done, if it is of this very job and its rows are whole."""
    found = read_json(progress)
    way_out = f"delete {progress.name} and {part.name} to start anew"
    if not isinstance(found, dict) or not {*job, DONE} <= set(found):
        raise CheckpointError(f"{progress} is damaged: {way_out}")
    for what, value in job.items():
        if found[what] != value:
            raise CheckpointError(
                f"{progress} is of a run with other {what}: finish that one first, or {way_out}"
            )
    done = {int(start): tuple(one) for start, one in found[DONE].items()}
    try:
        rows = np.lib.format.open_memmap(part, mode="r")
        whole = rows.shape == tuple(job["shape"]) and rows.dtype == np.float32
        window = job["settings"][-1]
        sums = [zlib.crc32(rows[start : start + window]) for start in done] if whole else []
    except (OSError, ValueError) as error:
        raise CheckpointError(f"{part} cannot be read ({error}): {way_out}") from error
    if not whole or sums != [crc for crc, _ in done.values()]:
        raise CheckpointError(f"{part} was changed after it was written: {way_out}")
    return done
