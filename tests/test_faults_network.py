"""Network accidents: a clear message, another try where that helps, and a sound cache."""

import re
import subprocess
import sys
import time
from pathlib import Path
from types import SimpleNamespace

import datasets
import huggingface_hub.constants
import pytest
from fake_hub import FakeHub, Fault, table_files, tar_of

from sbert_lab import data, network
from sbert_lab.data import registry
from sbert_lab.encoder import SentenceEncoder
from sbert_lab.errors import CheckpointError, DataError, LabError, OutOfReachError
from sbert_lab.profiles import PROFILES

SMALL = Path(__file__).parent / "fixtures" / "data" / "small" / "senteval"
MODEL = PROFILES["paper"].backbone
SNLI = registry.CORPORA["snli"].hub
PAIRS = {"premise": ["A bell rings.", "A hen runs."], "hypothesis": ["It is loud.", "A bird."]}
TABLES = {split: {**PAIRS, "label": [0, n]} for n, split in enumerate(SNLI.splits.values())}

# What is fetched, as (how, what a message must name): a data set, a tar of texts, a model.
FETCH = {
    "table": (lambda: data.load("snli", "train", profile="real").to_dict(), SNLI.id),
    "tar": (lambda: data.load("mr", "all", profile="real").to_dict(), "datasets-for-simcse"),
    "model": (
        lambda: SentenceEncoder.load(MODEL).encode(["a dog"]).tolist(),
        "google-bert/bert-base-uncased",
    ),
}
FIRST = r"GET /api/.*/revision/"  # the first question
BODY = r"GET .*(train-.*parquet|\.tar|\.safetensors)$"  # the largest file


def point_at(url: str, monkeypatch) -> None:
    """What HF_ENDPOINT does when it is set before the libraries are imported."""
    constants = huggingface_hub.constants
    template = constants.HUGGINGFACE_CO_URL_TEMPLATE.replace(constants.ENDPOINT, url)
    monkeypatch.setattr(constants, "HUGGINGFACE_CO_URL_TEMPLATE", template)
    monkeypatch.setattr(constants, "ENDPOINT", url)
    monkeypatch.setattr(datasets.config, "HF_ENDPOINT", url)


@pytest.fixture
def waited(tmp_path, monkeypatch):
    """Empty caches, a network that may be used, and no real waiting: the pauses are listed."""
    for name in ("SBERT_LAB_DATA", "HF_HUB_OFFLINE"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("SBERT_LAB_RUNS", str(tmp_path / "runs"))
    monkeypatch.setattr(datasets.config, "HF_DATASETS_CACHE", tmp_path / "datasets")
    for module in (huggingface_hub.constants, datasets.config):
        monkeypatch.setattr(module, "HF_HUB_OFFLINE", False)
    monkeypatch.setattr(huggingface_hub.constants, "HF_HUB_CACHE", str(tmp_path / "hub"))
    monkeypatch.setattr(huggingface_hub.constants, "HF_HUB_DOWNLOAD_TIMEOUT", 0.5)
    monkeypatch.setattr(network, "TIMEOUT", 0.5)
    pauses = []
    clock = SimpleNamespace(**{**vars(time), "sleep": pauses.append})
    for module in ("sbert_lab.network", "huggingface_hub.utils._http"):
        monkeypatch.setattr(f"{module}.time", clock)
    monkeypatch.setattr("huggingface_hub.file_download.time", clock)
    return pauses


@pytest.fixture
def hub(loopback, waited, monkeypatch, tiny_bert):
    with FakeHub() as hub:
        point_at(hub.url, monkeypatch)
        hub.add("datasets", SNLI.id, SNLI.revision, table_files(SNLI.config, TABLES))
        tar = registry.CORPORA["mr"].hub
        texts = [(f"data/{p.relative_to(SMALL)}", p.read_bytes()) for p in SMALL.glob("MR/*")]
        hub.add("datasets", tar.id, tar.revision, {tar.file: tar_of(texts)})
        model, _, revision = MODEL.partition("@")
        files = {path.name: path.read_bytes() for path in tiny_bert.iterdir()}
        hub.add("models", model, revision, {**files, "pytorch_model.bin": b"never fetched"})
        yield hub


PASSING = {
    "nothing": (),
    "slow": (Fault(".", delay=0.02),),
    "too slow once": (Fault(FIRST, delay=0.9, times=1),),
    "500 once": (Fault(FIRST, status=500, times=1),),
    "503 in front of the file": (Fault(BODY, status=503, times=1),),
    "429 twice": (Fault(FIRST, status=429, headers={"Retry-After": "7"}, times=2),),
    "cut once": (Fault(BODY, cut=100, times=1),),
    "cut early, often": (Fault(BODY, cut=0, times=8),),
    "damaged once": (Fault(BODY, flip=True, times=1),),
}


@pytest.mark.parametrize("kind", FETCH)
@pytest.mark.parametrize("accident", PASSING)
def test_what_passes_is_waited_for(hub, waited, kind, accident):
    fetch, _ = FETCH[kind]
    hub.faults = [Fault(**vars(fault)) for fault in PASSING[accident]]
    found = fetch()
    assert all(fault.times in (None, 0) for fault in hub.faults), "the accident did not happen"
    assert bool(waited) == (accident not in ("nothing", "slow"))
    if accident == "429 twice":
        assert waited == [7, 7]
    hub.faults = []
    assert fetch() == found


LASTING = {
    "too slow": (Fault(FIRST, delay=0.9), "no answer in time", 4),
    "401": (Fault(".", status=401), "401, the hub wants a login", 1),
    "403": (Fault(".", status=403), "403, .* accept its terms", 1),
    "404": (Fault(".", status=404), "404, .* check its name and revision", 1),
    "429": (Fault(".", status=429), "429, too many questions", 4),
    "429 for an hour": (Fault(".", status=429, headers={"Retry-After": "3600"}), r"3600 s\)", 1),
    "500": (Fault(".", status=500), "500, the hub has trouble: try again later", 4),
    "a login page": (Fault(".", status=200), "is there a login page in between", 1),
    "401 for the file": (Fault(BODY, status=401), "401, the hub wants a login", 1),
    "404 for the file": (Fault(BODY, status=404), "404, .* check its name and revision", 1),
    "500 for the file": (Fault(BODY, status=500), "500, the hub has trouble: try again later", 4),
    "cut": (Fault(BODY, cut=0), "closed|disconnected", 24),  # its library tries six times
    "damaged": (Fault(BODY, flip=True), "came damaged: its digest is .* It was removed", 4),
}


@pytest.mark.parametrize("kind", FETCH)
@pytest.mark.parametrize("accident", LASTING)
def test_what_lasts_is_said_and_leaves_the_cache_whole(hub, tmp_path, kind, accident):
    fetch, name = FETCH[kind]
    fault, message, tries = LASTING[accident]
    hub.faults = [fault]
    with pytest.raises(LabError, match=message) as caught:
        fetch()
    if accident == "damaged":
        assert isinstance(caught.value, CheckpointError if kind == "model" else DataError)
    else:
        assert isinstance(caught.value, OutOfReachError)
    said = str(caught.value)
    assert name in said and "try again" in said and len(said) < 700
    asked = [request for request in hub.requests if re.search(fault.where, request)]
    assert sum(request == asked[0] for request in asked) == tries
    assert not list(tmp_path.rglob("runs/**/*.txt")), "nothing is unpacked"
    hub.faults = []
    found = fetch()
    assert hub.requests and fetch() == found


@pytest.mark.parametrize("kind", FETCH)
def test_no_server_at_all_is_said_at_once(waited, monkeypatch, kind, loopback):
    with FakeHub() as gone:
        url = gone.url
    point_at(url, monkeypatch)
    fetch, name = FETCH[kind]
    with pytest.raises(OutOfReachError, match="(?i)connect") as caught:
        fetch()
    assert name in str(caught.value) and not waited


@pytest.mark.parametrize("kind", FETCH)
def test_what_was_fetched_once_survives_the_hub(hub, monkeypatch, kind):
    fetch, _ = FETCH[kind]
    found = fetch()
    hub.faults = [Fault(".", status=500)]
    hub.requests.clear()
    if kind == "table":  # the hub is asked which files there are, unless one says not to
        for module in (huggingface_hub.constants, datasets.config):
            monkeypatch.setattr(module, "HF_HUB_OFFLINE", True)
    assert fetch() == found and not hub.requests


def test_changed_columns_are_told_from_network_trouble(hub, waited):
    renamed = {split: {"text": columns["premise"]} for split, columns in TABLES.items()}
    hub.add("datasets", SNLI.id, SNLI.revision, table_files(SNLI.config, renamed))
    with pytest.raises(DataError, match="has the columns text but not premise, hypothesis, label"):
        data.load("snli", "train", profile="real")
    assert not waited


def test_a_changed_row_count_is_told_from_network_trouble(hub, waited):
    with pytest.raises(DataError, match="549,367.*hub's copy has changed"):
        data.load("snli", "train", profile="paper")
    assert not waited


def test_a_card_that_counts_other_rows_is_an_error(hub):
    files = table_files(SNLI.config, TABLES)
    files["README.md"] = files["README.md"].replace(b"num_examples: 2", b"num_examples: 3")
    hub.add("datasets", SNLI.id, SNLI.revision, files)
    with pytest.raises(DataError, match="snli@cdb5c3d cannot be read: "):
        data.load("snli", "train", profile="real")


def test_pickled_weights_are_never_asked_for(hub):
    FETCH["model"][0]()
    assert not [request for request in hub.requests if "pytorch_model" in request]


def test_profile_mini_never_asks(hub):
    hub.faults = [Fault(".", status=500)]
    assert data.load("stsb", "dev", profile="mini").num_rows
    assert SentenceEncoder.load(PROFILES["mini"].backbone)
    assert not hub.requests


@pytest.mark.slow
def test_profile_paper_runs_end_to_end_on_stand_ins(loopback):
    script = Path(__file__).parent.parent / ".ci" / "paper_stand_ins.py"
    run = subprocess.run([sys.executable, script], capture_output=True, text=True)
    assert run.returncode == 0, run.stdout[-2000:] + run.stderr[-2000:]
    assert "failed: none; never asked for: none" in run.stdout
