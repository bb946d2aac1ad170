"""`load` and `coverage`: names, splits, columns, counts and where the rows come from."""

import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from sbert_lab import data
from sbert_lab.data import sources
from sbert_lab.errors import DataError, InputError, OutOfReachError
from sbert_lab.profiles import get_profile

SMALL = Path(__file__).parent / "fixtures" / "data" / "small"
COLUMNS = {
    "snli": ["sentence1", "sentence2", "label"],
    "multinli": ["sentence1", "sentence2", "label", "genre"],
    "nli": ["sentence1", "sentence2", "label"],
    "everyday_snli": ["sentence1", "sentence2", "label"],
    "everyday_multinli": ["sentence1", "sentence2", "label", "genre"],
    "everyday": ["sentence1", "sentence2", "label"],
    **{f"sts{year}": ["sentence1", "sentence2", "score", "subset"] for year in range(12, 17)},
    "stsb": ["sentence1", "sentence2", "score"],
    "sick": ["sentence1", "sentence2", "score"],
    "afs": ["sentence1", "sentence2", "score", "topic"],
    "wiki_sections": ["anchor", "positive", "negative", "article"],
    **{name: ["text", "label"] for name in ("mr", "cr", "subj", "mpqa", "sst", "trec")},
    "mrpc": ["sentence1", "sentence2", "label"],
    "quora": ["sentence1", "sentence2", "label"],
}


@pytest.fixture
def mini(tmp_path, monkeypatch):
    """A home whose data/mini is a copy of the small fixture."""
    root = tmp_path / "home" / "data" / "mini"
    shutil.copytree(SMALL, root)
    monkeypatch.setenv("SBERT_LAB_HOME", str(tmp_path / "home"))
    monkeypatch.delenv("SBERT_LAB_PROFILE", raising=False)
    monkeypatch.delenv("SBERT_LAB_DATA", raising=False)
    return root


@pytest.fixture
def copy(mini, monkeypatch):
    """The same files as a local copy of the real corpora (a very partial one)."""
    monkeypatch.setenv("SBERT_LAB_DATA", str(mini))
    return mini


@pytest.mark.parametrize("name", COLUMNS)
def test_every_mini_corpus_has_its_fixed_columns(mini, name):
    dataset = data.load(name, "all")
    assert dataset.column_names == COLUMNS[name]
    assert dataset.num_rows > 0


def test_importing_the_loaders_loads_no_heavy_library():
    heavy = ["torch", "transformers", "datasets", "pyarrow", "numpy", "huggingface_hub"]
    code = f"import sys, sbert_lab.data; print([m for m in {heavy} if m in sys.modules])"
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert found.stdout.strip() == "[]"


def test_split_all_joins_the_splits_in_order(mini):
    joined = data.load("stsb", "all")
    parts = [data.load("stsb", split) for split in ("train", "dev", "test")]
    assert joined["sentence1"][:] == [text for part in parts for text in part["sentence1"][:]]


def test_nli_is_snli_followed_by_multinli(mini):
    nli = data.load("nli", "train")
    snli, multinli = data.load("snli", "train"), data.load("multinli", "train")
    assert nli["label"][:] == snli["label"][:] + multinli["label"][:]


def test_multinli_test_is_the_mismatched_set(mini):
    assert data.load("multinli", "dev")["genre"][:] == ["fiction"]
    assert data.load("multinli", "test")["genre"][:] == ["letters"]


def test_an_unknown_name_lists_the_names(mini):
    with pytest.raises(
        InputError, match="unknown corpus 'sts17': choose afs, .*stsb.* or wikitext2"
    ):
        data.load("sts17", "test")


@pytest.mark.parametrize(
    ("name", "split", "choices"),
    [
        ("snli", "validation", "train, dev, test or all"),
        ("sts12", "train", "test or all"),
        ("mr", "test", "choose all"),
        ("trec", "dev", "train, test or all"),
    ],
)
def test_an_unknown_split_lists_the_splits(mini, name, split, choices):
    with pytest.raises(InputError, match=f"unknown split '{split}' of {name}: .*{choices}"):
        data.load(name, split)


def test_a_profile_object_works_as_well_as_its_name(mini):
    assert data.load("stsb", "dev", profile=get_profile("mini")).num_rows == 1


# --- mini and its manifest


def test_a_short_mini_file_is_an_error_with_file_both_counts_and_a_way_out(mini):
    path = mini / "stsbenchmark" / "sts-train.csv"
    path.write_text("".join(path.read_text().splitlines(keepends=True)[:-1]))
    with pytest.raises(DataError) as caught:
        data.load("stsb", "train")
    for part in ("stsb train: 2 rows", str(path), "should have 3", "git checkout -- data/mini"):
        assert part in str(caught.value)


def test_a_changed_mini_file_of_the_same_length_is_an_error(mini):
    path = mini / "stsbenchmark" / "sts-dev.csv"
    path.write_text(path.read_text().replace("drummer", "plumber"))
    with pytest.raises(DataError, match=r"stsbenchmark/sts-dev\.csv has changed"):
        data.load("stsb", "dev")


@pytest.mark.parametrize("spoil", [lambda line: line[:15], lambda line: "", lambda line: line * 2])
def test_a_mini_file_that_cannot_be_read_any_more_has_a_way_out(mini, spoil):
    path = mini / "stsbenchmark" / "sts-dev.csv"
    path.write_text(spoil(path.read_text().rstrip("\n")))
    with pytest.raises(DataError, match="git checkout -- data/mini"):
        data.load("stsb", "dev")


def test_a_mini_corpus_that_the_manifest_does_not_count_is_an_error(mini):
    manifest = json.loads((mini / "manifest.json").read_text())
    del manifest["corpora"]["sick"]
    (mini / "manifest.json").write_text(json.dumps(manifest))
    with pytest.raises(DataError, match="no row count for sick dev"):
        data.load("sick", "dev")


def test_a_missing_or_broken_manifest_says_how_to_get_it_back(mini):
    (mini / "manifest.json").write_text("{")
    with pytest.raises(DataError, match=r"manifest\.json is broken .*git checkout"):
        data.load("sick", "dev")
    (mini / "manifest.json").unlink()
    with pytest.raises(DataError, match=r"there is no .*manifest\.json: .*git checkout"):
        data.load("sick", "dev")


def test_a_corpus_without_a_mini_version_points_to_profile_real(mini):
    with pytest.raises(DataError, match="tatoeba has no mini version: use profile='real'"):
        data.load("tatoeba", "all")


@pytest.mark.parametrize("profile", ["real", "paper"])
def test_what_is_ours_alone_is_read_from_mini_in_every_profile(copy, monkeypatch, profile):
    (copy.parent / "elsewhere").mkdir()
    monkeypatch.setenv("SBERT_LAB_DATA", str(copy.parent / "elsewhere"))
    for split in ("train", "dev", "test"):
        ours = data.load("everyday", split, profile=profile)
        assert ours[:] == data.load("everyday", split, profile="mini")[:]
    assert data.coverage("everyday", "train", profile=profile).source == "mini"
    path = copy / "everyday_snli" / "snli_1.0_dev.jsonl"
    path.write_text(path.read_text().replace("train", "tram"))
    with pytest.raises(DataError, match=r"has changed.*git checkout -- data/mini"):
        data.load("everyday", "dev", profile=profile, partial=False)


def test_coverage_of_mini_is_ours_and_not_partial(mini):
    covered = data.coverage("stsb", "train")
    assert (covered.rows, covered.official, covered.partial) == (3, 5749, False)
    assert str(covered) == "mini: 3 rows of our own (official: 5,749)"


# --- the local copy


def test_a_short_local_file_is_an_error_with_file_both_counts_and_a_way_out(copy):
    with pytest.raises(DataError) as caught:
        data.load("snli", "train", profile="real", partial=False)
    for part in ("3 rows", str(copy / "snli/snli_1.0_train.jsonl"), "549,367", "partial=True"):
        assert part in str(caught.value)


def test_partial_data_loads_in_profile_real_or_when_asked_for_and_says_so(copy):
    dataset = data.load("snli", "train", profile="real")
    assert data.load("snli", "train", profile="paper", partial=True)[:] == dataset[:]
    assert dataset.num_rows == 3
    assert "partial: 3 of 549,367" in dataset.info.description
    assert str(data.coverage("snli", "train", profile="real")) == "partial: 3 of 549,367"


def test_a_join_is_partial_if_one_part_is(copy):
    covered = data.coverage("nli", "train", profile="real")
    assert (covered.rows, covered.official, covered.partial) == (5, 942_069, True)


def test_an_empty_file_is_an_error_even_when_partial(copy):
    (copy / "stsbenchmark/sts-test.csv").write_text("")
    with pytest.raises(DataError, match="no rows"):
        data.load("stsb", "test", profile="real", partial=True)


def test_a_missing_subset_is_an_error_even_when_partial(copy):
    (copy / "STS/STS14-en-test/STS.gs.images.txt").unlink()
    with pytest.raises(DataError, match=r"sts14 test: .* lacks STS\.gs\.images\.txt"):
        data.load("sts14", "test", profile="real", partial=True)


def test_sts13_never_reads_smt(copy):
    rows = data.load("sts13", "test", profile="real", partial=True)
    assert sorted(set(rows["subset"])) == ["FNWN", "OnWN", "headlines"]


@pytest.mark.parametrize(("name", "rows"), [("sts12", 5), ("sts16", 5)])
def test_the_organisers_own_layout_is_found_too(copy, monkeypatch, name, rows):
    monkeypatch.setenv("SBERT_LAB_DATA", str(SMALL.parent / "organisers"))
    dataset = data.load(name, "test", profile="real", partial=True)
    assert dataset.num_rows == rows == len(set(dataset["subset"]))


def test_a_senteval_download_is_found_without_the_folder_senteval(copy, tmp_path, monkeypatch):
    (copy / "senteval").rename(tmp_path / "downstream")
    monkeypatch.setenv("SBERT_LAB_DATA", str(tmp_path))
    assert data.load("mr", "all", profile="real", partial=True).num_rows == 3
    monkeypatch.setenv("SBERT_LAB_DATA", str(tmp_path / "downstream"))
    assert data.load("mr", "all", profile="real", partial=True).num_rows == 3


def test_a_local_copy_that_is_not_there_is_an_error(mini, tmp_path, monkeypatch):
    monkeypatch.setenv("SBERT_LAB_DATA", str(tmp_path / "nowhere"))
    with pytest.raises(DataError, match="nowhere, which is not a folder"):
        data.load("stsb", "test", profile="real")


def test_a_corpus_with_no_other_source_says_where_to_put_it(mini):
    with pytest.raises(
        OutOfReachError, match=r"put afs/ArgPairs_\*\.csv \(from https://.*\) there"
    ):
        data.load("afs", "all", profile="real")


def test_the_source_is_logged(copy, caplog):
    caplog.set_level("INFO", logger=sources.__name__)
    data.load("stsb", "dev", profile="real", partial=True)
    assert "stsb dev: 1 rows from" in caplog.text
