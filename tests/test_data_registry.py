"""The registry agrees with the paper and with itself."""

import json
import re
from pathlib import Path

import pytest

from sbert_lab.data.corpus import HubTable
from sbert_lab.data.registry import CORPORA
from sbert_lab.data.wheels import WHEELS
from sbert_lab.errors import InputError

DATA = Path(__file__).parent.parent / "data"
LAYOUT, MANIFEST = DATA / "LAYOUT.md", DATA / "mini" / "manifest.json"
CORPUS_IDS = [corpus for corpus in CORPORA.values() if not corpus.parts]


def test_row_counts_are_the_papers():
    counts = {name: corpus.splits for name, corpus in CORPORA.items()}
    assert counts["stsb"] == {"train": 5749, "dev": 1500, "test": 1379}  # not 5,479
    assert counts["nli"]["train"] == 549_367 + 392_702 == 942_069
    years = [counts[f"sts{year}"]["test"] for year in range(12, 17)]
    assert years == [3108, 1500, 3750, 3000, 1186]
    assert counts["sick"]["test"] == 4927
    assert counts["afs"] == {"all": 6000}
    assert counts["wiki_sections"]["test"] == 222_957


@pytest.mark.parametrize("name", [corpus.name for corpus in CORPORA.values() if corpus.own])
def test_the_counts_of_what_is_ours_alone_are_the_manifests(name):
    corpus = CORPORA[name]
    counted = json.loads(MANIFEST.read_text(encoding="utf-8"))["corpora"]
    for split, rows in corpus.splits.items():
        assert rows == sum(counted[part][split] for part in corpus.parts or [name])
    assert corpus.in_mini and corpus.hub is None and corpus.wheel is None


@pytest.mark.parametrize("corpus", CORPORA.values(), ids=CORPORA)
def test_every_corpus_states_its_licence_and_citation(corpus):
    assert corpus.licence and corpus.citation and corpus.title


@pytest.mark.parametrize("corpus", CORPUS_IDS, ids=[corpus.name for corpus in CORPUS_IDS])
def test_every_layout_has_the_files_of_every_split(corpus):
    for layout in corpus.layouts:
        assert list(layout.files) == list(corpus.splits)


@pytest.mark.parametrize("corpus", CORPUS_IDS, ids=[corpus.name for corpus in CORPUS_IDS])
def test_the_layout_page_names_every_folder(corpus):
    assert f"`{corpus.layouts[0].folder}/" in LAYOUT.read_text(encoding="utf-8")


def test_every_hub_revision_has_forty_digits():
    hubs = [corpus.hub for corpus in CORPORA.values() if corpus.hub]
    assert len(hubs) > 15
    assert all(re.fullmatch("[0-9a-f]{40}", hub.revision) for hub in hubs)
    assert all(re.fullmatch(r"[\w.-]+/[\w.-]+", hub.id) for hub in hubs)


@pytest.mark.parametrize("revision", ["main", "3c0dde9", "refs/convert/parquet"])
def test_a_short_revision_or_a_branch_is_refused(revision):
    with pytest.raises(InputError, match="not a full 40-digit commit"):
        HubTable(id="some/data", revision=revision, splits={}, columns={})


def test_hub_tables_fill_every_column_but_the_article():
    for corpus in CORPORA.values():
        if isinstance(corpus.hub, HubTable):
            assert set(corpus.columns) - set(corpus.hub.columns) <= {"article"}
            assert list(corpus.hub.splits) == list(corpus.splits)


def test_every_wheel_is_pinned_by_its_digest():
    assert all(re.fullmatch("[0-9a-f]{64}", wheel.sha256) for wheel in WHEELS.values())
