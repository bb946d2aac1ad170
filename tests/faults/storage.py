"""Disks that are full, folders that may not be written, files that vanish, shrink or change."""

import os
import random
import shutil
import subprocess
import tempfile
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache, partial
from pathlib import Path

import numpy as np

from faults import tiny
from faults.child import Child, in_child, without_rights
from faults.killed import SENTENCES, encode_in, index_in, save_in
from faults.table import Case, Impossible, Lost
from sbert_lab.encode_to_file import encoder_digest
from sbert_lab.errors import LabError
from sbert_lab.files import write_json
from sbert_lab.search import VectorIndex
from sbert_lab.tasks import CrossEncoder, PolyEncoder
from sbert_lab.word_encoder import WordEncoder
from sbert_lab.word_vectors import WordVectors


def exact_in(folder: Path) -> str:
    index = VectorIndex.build(_vectors(), SENTENCES, kind="exact")
    index.save(folder / "exact")
    return str(VectorIndex.load(folder / "exact").search(_vectors()[:5], k=3)[1].tolist())


def words_in(folder: Path) -> str:
    words = WordVectors([f"w{n}" for n in range(300)], _vectors()[:192].repeat(2, 0)[:300])
    words.save(folder / "words")
    return str(WordVectors.load(folder / "words").encode(["w3 w4", "w5"]).sum())


def json_in(folder: Path) -> str:
    write_json(folder / "x.json", list(range(9000)))
    return str((folder / "x.json").stat().st_size)


def record_in(folder: Path) -> str:
    """Two rows of a study, as `sbert-lab evaluate` records them."""
    from sbert_lab.experiments import store
    from sbert_lab.experiments.results import Outcome, Row
    from sbert_lab.profiles import PROFILES

    os.environ |= {"SBERT_LAB_RESULTS": str(folder), "SBERT_LAB_RUNS": str(folder / "runs")}
    row = Row(name="a row", run=lambda seed: None)
    outcome = Outcome(scores={"x": 1.5}, predictions={"x": np.arange(2000.0)})
    for seed in (1, 2):
        path = store.record(1, PROFILES["mini"], row, seed, outcome, order=["a row"], about={})
    return f"{path.name} {len(path.with_suffix('.safetensors').read_bytes())}"


WRITERS: dict[str, Callable[[Path], str]] = {
    "training": tiny.train_in,
    "saving a model": save_in,
    "encode to a file": encode_in,
    "an index that is kept": index_in,
    "saving an exact index": exact_in,
    "saving word vectors": words_in,
    "a JSON file": json_in,
    "recording a result": record_in,
}


@cache
def _vectors() -> np.ndarray:
    return tiny.encoder().encode(SENTENCES)


def cases() -> Iterator[Case]:
    tiny.warm_up()
    for name, work in WRITERS.items():
        yield Case(f"disk full: {name}", partial(disk_full, work), times=4)
        yield Case(f"read-only disk: {name}", partial(read_only, work))
        yield Case(f"no permission: {name}", partial(no_permission, work))
    for name, (make, read) in READERS.items():
        for accident in ACCIDENTS:
            attempt = partial(changed, make, read, accident)
            yield Case(f"{accident}: {name}", attempt, times=10)
    for accident in ACCIDENTS:
        yield Case(f"{accident}: a checkpoint", partial(checkpoint, accident), times=6)
    yield Case("two processes train in one folder", two_kernels, times=2)
    yield Case("a mini corpus was changed", corpus_changed, times=30, short=3)


# ---- writing where one cannot


@contextmanager
def small_disk(size: str) -> Iterator[Path]:
    """A disk in memory; needs the right to mount."""
    with tempfile.TemporaryDirectory() as place:
        done = _mount("-t", "tmpfs", "-o", f"size={size}", "tmpfs", place)
        if done.returncode:
            raise Impossible(f"mount: {done.stderr.strip()}")
        try:
            yield Path(place)
        finally:
            subprocess.run(["umount", "--lazy", place], check=True)


def _mount(*arguments: str) -> subprocess.CompletedProcess:
    try:
        return subprocess.run(["mount", *arguments], capture_output=True, text=True)
    except OSError as error:
        raise Impossible(str(error)) from None


@cache
def expected(work: Callable) -> tuple[str, int]:
    """What comes out where nothing is wrong, and how many bytes that takes."""
    with tempfile.TemporaryDirectory() as place:
        digest = in_child(partial(work, Path(place))).require_value()
        return digest, sum(p.stat().st_size for p in Path(place).rglob("*") if p.is_file())


def disk_full(work: Callable, number: int) -> None:
    digest, size = expected(work)
    kilobytes = max(4, int(size / 1024 * random.Random(number).uniform(0.05, 0.9)))
    with small_disk(f"{kilobytes}k") as folder:
        ended = in_child(partial(work, folder))
        if ended.error:
            ended.require_refusal("disk is full", "No space left")
            left = [path for path in folder.rglob(".*.tmp")]
            if left:
                raise Lost(f"left on the full disk: {left}")
        _mount("-o", "remount,size=64m", str(folder))
        if in_child(partial(work, folder)).require_value() != digest:
            raise Lost("with space again, something else came out")


def read_only(work: Callable, number: int) -> None:
    expected(work)
    with small_disk("4m") as folder:
        _mount("-o", "remount,ro", str(folder))
        in_child(partial(work, folder)).require_refusal("read-only", "Read-only")


def no_permission(work: Callable, number: int) -> None:
    def refused() -> str:
        with without_rights():
            return work(folder)

    expected(work)
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place, "theirs")
        folder.mkdir(mode=0o555)
        in_child(refused).require_refusal("ermission")


# ---- reading what is no longer the same


def _model(folder: Path) -> None:
    tiny.encoder().save(folder)


def _word_encoder(folder: Path) -> None:
    words = WordVectors(["dog", "cat", "runs"], np.eye(3, 8))
    WordEncoder.fresh(words, network="averaging", hidden=4).save(folder)


def _index(kind: str) -> tuple[Callable, Callable]:
    def make(folder: Path) -> None:
        VectorIndex.build(_vectors(), SENTENCES, kind=kind).save(folder)

    def read(folder: Path) -> str:
        index = VectorIndex.load(folder)
        return str([index.search(_vectors()[:5], k=3)[1].tolist(), index.sentences])

    return make, read


def _words(folder: Path) -> None:
    WordVectors(["dog", "cat", "runs"], np.eye(3, 8)).save(folder)


READERS: dict[str, tuple[Callable, Callable]] = {
    "a saved model": (_model, lambda f: encoder_digest(tiny.SentenceEncoder.load(f))),
    "a saved cross-encoder": (
        lambda f: CrossEncoder(tiny.encoder(), "regression").save(f),
        lambda f: tiny.digest_of(CrossEncoder.load(f)),
    ),
    "a saved poly-encoder": (
        lambda f: PolyEncoder(tiny.encoder()).save(f),
        lambda f: tiny.digest_of(PolyEncoder.load(f)),
    ),
    "a saved word encoder": (_word_encoder, lambda f: tiny.digest_of(WordEncoder.load(f))),
    "saved word vectors": (_words, lambda f: str(WordVectors.load(f).encode(["dog cat"]))),
    "a saved FAISS index": _index("flat"),
    "a saved exact index": _index("exact"),
}


def vanish(path: Path, chance: random.Random) -> None:
    path.unlink()


def shorten(path: Path, chance: random.Random) -> None:
    os.truncate(path, int(path.stat().st_size * chance.random()))


def flip_a_bit(path: Path, chance: random.Random) -> None:
    content = bytearray(path.read_bytes())
    content[chance.randrange(len(content))] ^= 1 << chance.randrange(8)
    path.write_bytes(content)


ACCIDENTS = {"file vanished": vanish, "file cut short": shorten, "a bit flipped": flip_a_bit}


def changed(make: Callable, read: Callable, accident: str, number: int) -> None:
    """Noticed with an error of ours; a change without any effect may pass."""
    chance = random.Random(f"{accident} {number}")
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place, "saved")
        make(folder)
        right = read(folder)
        files = [path for path in sorted(folder.rglob("*")) if path.is_file()]
        largest = max(files, key=lambda path: path.stat().st_size)
        path = chance.choice([*files, *[largest] * len(files)])
        ACCIDENTS[accident](path, chance)
        try:
            found = read(folder)
        except LabError as error:
            if str(folder) not in str(error):
                raise Lost(f"the message does not say where: {error}") from None
            return
        if found != right:
            raise Lost(f"{path.name} was changed, and nobody noticed")


def checkpoint(accident: str, number: int) -> None:
    """The one before it is used, the user is told, and the end is the same."""
    digest, _ = expected(tiny.train_in)
    chance = random.Random(f"{accident} {number}")

    def go_on() -> list:
        with warnings.catch_warnings(record=True) as told:
            warnings.simplefilter("always")
            return [tiny.train_in(folder), [str(one.message) for one in told]]

    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        in_child(partial(tiny.train_in, folder, stop_after=8))
        saved = sorted((folder / "run").glob("checkpoint-*"))
        if len(saved) != 2:
            raise Lost(f"{len(saved)} checkpoints are kept, not two")
        path = chance.choice(sorted(saved[1].iterdir()))
        ACCIDENTS[accident](path, chance)
        found, told = in_child(go_on).require_value()
        if found != digest:
            raise Lost(f"another end after {path.name} was changed")
        noticed = any("Going on from" in one for one in told)
        if not noticed and accident != "a bit flipped" and path.name != "state.json":
            raise Lost(f"nobody was told that {path.name} was changed")


def two_kernels(number: int) -> None:
    digest, _ = expected(tiny.train_in)
    with tempfile.TemporaryDirectory() as place:
        both = [Child(partial(tiny.train_in, Path(place))) for _ in range(2)]
        ended = [child.end() for child in both]
        if any(one.require_value() != digest for one in ended):
            raise Lost("two at once end differently")
        said = "".join(one.said for one in ended)
        if not any(f"it is process {child.process} on" in said for child in both):
            raise Lost(f"the second one was not told who holds the run: {said!r}")


def corpus_changed(number: int) -> None:
    """In a copy of data/mini, as learners have it."""
    from sbert_lab.data import get_corpus, load
    from sbert_lab.data.local import find_files
    from sbert_lab.paths import data_dir

    def read() -> int:
        return len(load("stsb", "dev", profile="mini"))

    chance = random.Random(number)
    with tempfile.TemporaryDirectory() as place:
        mini, folder = data_dir("mini"), Path(place, "data", "mini")
        (there,) = find_files(get_corpus("stsb"), "dev", mini)
        path = folder / there.relative_to(mini)
        path.parent.mkdir(parents=True)
        shutil.copy(there, path)
        shutil.copy(mini / "manifest.json", folder)
        list(ACCIDENTS.values())[number % 3](path, chance)
        in_child(read, SBERT_LAB_HOME=place).require_refusal("git checkout")
