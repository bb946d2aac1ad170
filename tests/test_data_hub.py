"""The hub, on local repositories with the hub's schema, through the real `load_dataset`."""

import dataclasses
import io
import tarfile
import time
from pathlib import Path

import datasets
import huggingface_hub
import huggingface_hub.constants
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from sbert_lab import data
from sbert_lab.data import hub, registry
from sbert_lab.data.atomic import arriving
from sbert_lab.errors import DataError, OutOfReachError

SMALL = Path(__file__).parent / "fixtures" / "data" / "small"


@pytest.fixture(autouse=True)
def clean_machine(tmp_path, monkeypatch):
    """No local copy, no cache, nothing downloaded before."""
    monkeypatch.delenv("SBERT_LAB_DATA", raising=False)
    monkeypatch.delenv("HF_HUB_OFFLINE", raising=False)
    monkeypatch.setenv("SBERT_LAB_RUNS", str(tmp_path / "runs"))
    monkeypatch.setattr(datasets.config, "HF_DATASETS_CACHE", tmp_path / "cache")
    monkeypatch.setattr(huggingface_hub.constants, "HF_HUB_OFFLINE", False)


@pytest.fixture
def publish(tmp_path, monkeypatch):
    """Put tables into a local repository and make it the hub source of a corpus."""

    def publish(name: str, tables: dict[str, dict], *, jsonl: bool = False, **counts: int):
        corpus = registry.CORPORA[name]
        folder = tmp_path / "hub" / name
        folder.mkdir(parents=True)
        for split, columns in tables.items():
            _write_table(folder / split, columns, jsonl)
        (folder / "README.md").write_text(_card(corpus.hub.config, tables, jsonl))
        changed = dataclasses.replace(
            corpus,
            hub=dataclasses.replace(corpus.hub, id=str(folder)),
            splits={**corpus.splits, **counts},
            wheel=None,
        )
        monkeypatch.setitem(registry.CORPORA, name, changed)

    return publish


def _write_table(stem: Path, columns: dict, jsonl: bool) -> None:
    if jsonl:
        datasets.Dataset.from_dict(columns).to_json(stem.with_suffix(".jsonl"))
    else:
        pq.write_table(pa.table(columns), stem.with_suffix(".parquet"))


def _card(config: str | None, tables: dict, jsonl: bool) -> str:
    ending = "jsonl" if jsonl else "parquet"
    lines = ["---", "configs:", f"- config_name: {config or 'default'}", "  data_files:"]
    for split in tables:
        lines += [f"  - split: {split}", f"    path: {split}.{ending}"]
    return "\n".join([*lines, "---", ""])


def unreachable(*_args, **_kwargs):
    raise ConnectionError("no route to the hub")


SNLI_TRAIN = {
    "premise": ["A bell rings.", "A boy naps.", "A hen runs."],
    "hypothesis": ["It is loud.", "It is noon.", "A bird moves."],
    "label": [1, -1, 0],
}


@pytest.mark.parametrize("jsonl", [False, True], ids=["parquet", "jsonl"])
def test_hub_rows_get_our_columns_and_unlabelled_ones_are_dropped(publish, jsonl):
    publish("snli", {"train": SNLI_TRAIN}, jsonl=jsonl, train=2)
    rows = data.load("snli", "train", profile="real")
    assert rows.to_dict() == {
        "sentence1": ["A bell rings.", "A hen runs."],
        "sentence2": ["It is loud.", "A bird moves."],
        "label": [1, 0],
    }
    assert "from hub" in rows.info.description


def test_the_hubs_split_names_are_mapped(publish):
    row = {
        "promptID": [1],
        "premise": ["The ferry left."],
        "premise_parse": ["(ROOT)"],
        "hypothesis": ["It is gone."],
        "genre": ["travel"],
        "label": [0],
    }
    mismatched = {**row, "genre": ["letters"]}
    tables = {"validation_matched": row, "validation_mismatched": mismatched}
    publish("multinli", tables, dev=1, test=1)
    assert data.load("multinli", "dev", profile="real")["genre"][:] == ["travel"]
    assert data.load("multinli", "test", profile="real")["genre"][:] == ["letters"]


def test_the_hubs_stsb_is_scaled_already(publish):
    publish("stsb", {"validation": {"sentence1": ["A"], "sentence2": ["B"], "score": [0.6]}}, dev=1)
    assert data.load("stsb", "dev", profile="real")["score"][:] == [0.6]


def test_scores_on_another_scale_are_an_error(publish):
    publish("stsb", {"validation": {"sentence1": ["A"], "sentence2": ["B"], "score": [3.0]}}, dev=1)
    with pytest.raises(DataError, match="score runs from 3 to 3, not from 0 to 1"):
        data.load("stsb", "dev", profile="real")


def test_an_unknown_label_is_an_error(publish):
    publish("snli", {"train": {**SNLI_TRAIN, "label": [0, 1, 3]}}, train=3)
    with pytest.raises(DataError, match="label runs from 0 to 3, not from 0 to 2"):
        data.load("snli", "train", profile="real")


def test_a_missing_sentence_is_an_error(publish):
    publish("snli", {"train": {**SNLI_TRAIN, "premise": ["A bell rings.", None, None]}}, train=2)
    with pytest.raises(DataError, match="column sentence1 has 1 empty values"):
        data.load("snli", "train", profile="real")


def test_hub_triplets_have_an_empty_article(publish):
    table = {"anchor": ["a"], "positive": ["b"], "negative": ["c"]}
    publish("wiki_sections", {"test": table}, test=1)
    assert data.load("wiki_sections", "test", profile="real")["article"][:] == [None]


def test_a_renamed_column_is_an_error_that_shows_both(publish):
    table = {**SNLI_TRAIN, "text": SNLI_TRAIN["premise"]}
    del table["premise"]
    publish("snli", {"train": table})
    with pytest.raises(DataError, match="columns hypothesis, label, text but not premise"):
        data.load("snli", "train", profile="real")


def test_a_column_of_another_type_is_an_error(publish):
    publish("snli", {"train": {**SNLI_TRAIN, "label": ["neutral", "-", "neutral"]}})
    with pytest.raises(DataError, match="column label is"):
        data.load("snli", "train", profile="real")


def test_a_changed_count_is_an_error_with_both_counts(publish):
    publish("snli", {"train": SNLI_TRAIN})
    with pytest.raises(
        DataError, match="2 rows in hub .* should have 549,367.*hub's copy has changed"
    ):
        data.load("snli", "train", profile="real", partial=False)
    assert data.load("snli", "train", profile="real", partial=True).num_rows == 2


def test_a_split_that_is_gone_is_an_error(publish):
    publish("snli", {"train": SNLI_TRAIN})
    with pytest.raises(DataError, match="cannot be read"):
        data.load("snli", "test", profile="real")


def test_a_hub_out_of_reach_is_said_at_once_without_retries(monkeypatch):
    monkeypatch.setattr(huggingface_hub.HfApi, "dataset_info", unreachable)
    start = time.perf_counter()
    with pytest.raises(OutOfReachError, match=r"stanfordnlp/snli is out of reach \(no route"):
        data.load("snli", "train", profile="real")
    assert time.perf_counter() - start < 10  # the libraries alone would retry for 23 s


def test_offline_on_purpose_is_said_at_once(monkeypatch):
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    monkeypatch.setattr(huggingface_hub.constants, "HF_HUB_OFFLINE", True)
    monkeypatch.setattr(datasets.config, "HF_HUB_OFFLINE", True)
    start = time.perf_counter()
    for name in ("quora", "mr"):
        with pytest.raises(OutOfReachError, match="HF_HUB_OFFLINE is set"):
            data.load(name, "all", profile="real")
    assert time.perf_counter() - start < 10  # the libraries alone would retry for 23 s


# --- senteval.tar


def make_tar(path: Path, *, extra: dict[str, bytes] | None = None) -> Path:
    with tarfile.open(path, "w") as archive:
        archive.add(SMALL / "STS", "data/downstream/STS")
        archive.add(SMALL / "SICK", "data/downstream/SICK")
        archive.add(SMALL / "senteval", "data/downstream")
        for name, content in (extra or {}).items():
            member = tarfile.TarInfo(name)
            member.size = len(content)
            archive.addfile(member, io.BytesIO(content))
    return path


@pytest.fixture
def tar_on_hub(tmp_path, monkeypatch):
    """Serve a tar in the place of the pinned one; the calls made are recorded."""
    calls = []
    path = make_tar(tmp_path / "senteval.tar", extra={"data/downstream/STS/features.pkl": b"x"})

    def download(*args, **kwargs):
        calls.append((args, kwargs))
        return str(path)

    monkeypatch.setattr(huggingface_hub.HfApi, "dataset_info", lambda *_, **__: None)
    monkeypatch.setattr(huggingface_hub, "hf_hub_download", download)
    return calls


@pytest.mark.parametrize(
    ("name", "rows"), [("sts15", 11), ("sick", 4), ("mr", 3), ("sst", 4), ("trec", 6), ("mrpc", 3)]
)
def test_corpora_of_the_tar_are_found_at_whatever_depth(tar_on_hub, name, rows):
    loaded = data.load(name, "all", profile="real", partial=True)
    assert loaded.num_rows == rows
    assert "senteval.tar" in loaded.info.description


def test_the_tar_is_fetched_once_by_its_full_revision(tar_on_hub):
    data.load("sst", "all", profile="real", partial=True)
    data.load("sts12", "test", profile="real", partial=True)
    assert len(tar_on_hub) == 1
    assert len(tar_on_hub[0][1]["revision"]) == 40


def test_pickles_in_the_tar_are_left_in_it(tar_on_hub, tmp_path):
    data.load("sst", "dev", profile="real", partial=True)
    names = [path.name for path in (tmp_path / "runs").rglob("*")]
    assert "sentiment-dev" in names and "features.pkl" not in names


@pytest.mark.parametrize("absolute", [False, True])
def test_a_member_never_lands_outside_the_folder(tmp_path, absolute):
    name = str(tmp_path / "STS" / "evil.txt") if absolute else "../STS/evil.txt"
    tar = make_tar(tmp_path / "bad.tar", extra={name: b"gotcha"})
    try:
        with arriving(tmp_path / "safe" / "out") as work:
            hub.unpack_senteval(tar, work)
    except DataError as problem:
        assert "not to be trusted" in str(problem)
    outside = [p for p in tmp_path.rglob("evil.txt") if tmp_path / "safe" / "out" not in p.parents]
    assert not outside


def test_a_link_out_of_the_folder_is_refused(tmp_path):
    path = tmp_path / "bad.tar"
    with tarfile.open(path, "w") as archive:
        member = tarfile.TarInfo("STS/link")
        member.type, member.linkname = tarfile.SYMTYPE, "../../secret"
        archive.addfile(member)
    with pytest.raises(DataError, match="not to be trusted"), arriving(tmp_path / "out") as work:
        hub.unpack_senteval(path, work)
    assert not (tmp_path / "out").exists()


def test_a_truncated_tar_leaves_nothing_behind(tar_on_hub, tmp_path):
    path = tmp_path / "senteval.tar"
    path.write_bytes(path.read_bytes()[:5000])
    with pytest.raises(DataError, match="not a complete tar file"):
        data.load("sick", "dev", profile="real", partial=True)
    assert list((tmp_path / "runs" / "downloads").iterdir()) == []
