"""The loaders on real files, where there are some; their counts are those of their README."""

import os
from pathlib import Path

import pytest

from sbert_lab import data
from sbert_lab.errors import DataError
from sbert_lab.experiments.triplets import section_triplets

REAL = Path(
    os.environ.get("SBERT_LAB_DATA") or Path(__file__).parent.parent.parent / "shared" / "real"
)
PARTIAL = {("snli", "train"): 163_976, ("multinli", "train"): 118_208, ("quora", "train"): 39_205}
COMPLETE = {
    ("snli", "dev"): 9_842,
    ("snli", "test"): 9_824,
    ("multinli", "dev"): 9_815,
    ("multinli", "test"): 9_832,
    ("nli", "dev"): 19_657,
    ("nli", "test"): 19_656,
    ("stsb", "train"): 5_749,
    ("stsb", "dev"): 1_500,
    ("stsb", "test"): 1_379,
    ("sick", "train"): 4_500,
    ("sick", "dev"): 500,
    ("sick", "test"): 4_927,
    ("sts12", "test"): 3_108,
    ("sts13", "test"): 1_500,
    ("sts14", "test"): 3_750,
    ("sts15", "test"): 3_000,
    ("sts16", "test"): 1_186,
    ("mr", "all"): 10_662,
    ("cr", "all"): 3_775,
    ("subj", "all"): 10_000,
    ("mpqa", "all"): 10_606,
    ("sst", "train"): 67_349,
    ("sst", "dev"): 872,
    ("sst", "test"): 1_821,
    ("trec", "train"): 5_452,
    ("trec", "test"): 500,
    ("mrpc", "train"): 4_076,
    ("mrpc", "test"): 1_725,
    ("afs_binary", "all"): 6_000,
    ("more_nli", "train"): 98_085,
    ("ukp_aspect", "all"): 3_595,
    ("tatoeba", "all"): 191_460,
    ("wikitext2", "train"): 17_556,
}

pytestmark = pytest.mark.skipif(
    not (REAL / "stsbenchmark").is_dir(), reason="no local copy of the real corpora"
)


@pytest.fixture(autouse=True)
def local_copy(monkeypatch):
    monkeypatch.setenv("SBERT_LAB_DATA", str(REAL))


@pytest.mark.parametrize(("name", "split"), COMPLETE)
def test_complete_splits_have_their_official_counts(name, split):
    dataset = data.load(name, split, profile="real")
    assert dataset.num_rows == COMPLETE[name, split]
    assert "complete" in dataset.info.description


@pytest.mark.parametrize(("name", "split"), PARTIAL)
def test_partial_splits_are_refused_and_then_called_partial(name, split):
    rows, official = PARTIAL[name, split], data.CORPORA[name].splits[split]
    if data.coverage(name, split, profile="real").rows == official:
        pytest.skip("this copy is complete")
    with pytest.raises(DataError, match=f"{rows:,} rows in .* should have {official:,}"):
        data.load(name, split, profile="real", partial=False)
    assert data.load(name, split, profile="real", partial=True).num_rows == rows
    covered = data.coverage(name, split, profile="real")
    assert covered.partial and str(covered) == f"partial: {rows:,} of {official:,}"


def test_quora_has_hardly_any_doubled_quotes_left():
    rows = data.load("quora", "train", profile="real", partial=True)
    doubled = sum('""' in text for text in rows["sentence1"])
    assert doubled < len(rows) / 10_000  # people do type them now and then


def test_wikitext_articles_are_not_shared_between_splits():
    dev, test = (set(section_triplets(s)["article"]) for s in ("dev", "test"))
    assert len(dev) > 50 and len(test) > 50 and not dev & test


def test_glove_reads_as_a_float32_table():
    if not (REAL / "glove").is_dir():
        pytest.skip("no GloVe vectors in this copy")
    words, vectors = data.load_glove(limit=2_000)
    assert vectors.shape[0] == len(set(words)) == 2_000
    assert vectors.dtype == "float32"
