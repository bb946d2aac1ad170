"""The mini corpora: rebuilt byte for byte, never leaking, and hard enough for cheap methods."""

import json
import os
import re
import subprocess
import sys
from collections import Counter
from itertools import combinations
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
BUILD, MINI = ROOT / "data" / "build", ROOT / "data" / "mini"
REAL = Path(os.environ.get("SBERT_LAB_DATA") or ROOT.parent / "shared" / "real")
sys.path.insert(0, str(BUILD))

import measure  # noqa: E402
import nli  # noqa: E402
import sources  # noqa: E402
from everyday_avoid import real_texts  # noqa: E402

from sbert_lab import data  # noqa: E402
from sbert_lab.experiments.results import open_study  # noqa: E402
from sbert_lab.experiments.studies.trained_floors import parts_of  # noqa: E402

TEXT_COLUMNS = ("sentence1", "sentence2", "anchor", "positive", "negative", "text")
NAMES = [name for name, corpus in data.CORPORA.items() if corpus.in_mini and not corpus.parts]


def nli_rows(name: str) -> list[dict]:
    with open(MINI / name, encoding="utf-8") as lines:
        return [json.loads(line) for line in lines]


@pytest.fixture(scope="module")
def splits() -> dict[tuple[str, str], dict[str, list]]:
    """Every split of every corpus as plain lists."""
    return {
        (name, split): measure.load(name, split, "mini")
        for name in NAMES
        for split in data.CORPORA[name].splits
    }


@pytest.fixture(scope="module")
def sentences(splits) -> dict[tuple[str, str], set[str]]:
    return {
        key: {text for column in TEXT_COLUMNS for text in rows.get(column, ())}
        for key, rows in splits.items()
    }


@pytest.fixture(scope="module")
def nli_files() -> dict[str, list[dict]]:
    """Those that stand in for SNLI and MultiNLI; test_build_everyday.py has the everyday pairs."""
    return {
        path.stem: nli_rows(f"{path.parent.name}/{path.name}")
        for folder in ("multinli", "snli")
        for path in sorted(MINI.glob(f"{folder}/*.jsonl"))
    }


# --- built, complete, of the promised size


def test_a_rebuild_gives_the_same_bytes_and_the_card_is_true():
    done = subprocess.run(
        [sys.executable, str(BUILD / "build_mini.py"), "--check"],
        capture_output=True,
        text=True,
        env={**os.environ, "PYTHONHASHSEED": "7"},
    )
    assert done.returncode == 0, done.stdout + done.stderr


def test_the_manifest_names_every_file_and_all_of_it_is_a_few_megabytes():
    manifest = json.loads((MINI / "manifest.json").read_text())
    here = {p.relative_to(MINI).as_posix() for p in MINI.rglob("*") if p.is_file()}
    assert here - {"manifest.json"} == set(manifest["files"])
    assert sum(path.stat().st_size for path in MINI.rglob("*") if path.is_file()) < 18e6
    assert set(manifest["corpora"]) == set(NAMES)


def test_the_corpora_have_the_promised_sizes(splits):
    rows = {key: len(next(iter(columns.values()))) for key, columns in splits.items()}
    assert rows["snli", "train"] + rows["multinli", "train"] >= 12_000
    assert rows["everyday_snli", "train"] + rows["everyday_multinli", "train"] >= 40_000
    assert rows["stsb", "train"] >= 1_200 and rows["sick", "train"] >= 500
    for key in (("stsb", "dev"), ("stsb", "test"), ("sick", "test")):
        assert rows[key] >= 300
    for year in range(12, 17):
        assert 150 <= rows[f"sts{year}", "test"] <= 450
    for name in ("mr", "cr", "subj", "mpqa", "sst", "trec", "mrpc"):
        assert 200 <= sum(count for key, count in rows.items() if key[0] == name) <= 1_000
    questions = splits["quora", "train"]
    assert len({*questions["sentence1"], *questions["sentence2"]}) >= 5_000


def test_there_are_150_articles_of_four_to_six_sections():
    articles = [a for path in sources.source_files("articles") for a in sources.read_articles(path)]
    assert len(articles) >= 150
    assert len({article.title for article in articles}) == len(articles)
    assert all(4 <= len(article.sections) <= 6 for article in articles)


# --- nothing leaks


# Of everyday_snli, a premise in one split and a statement about another scene in another split.
IN_BOTH_ROLES = {
    "A boy is picking flowers for the first time.",
    "A horse is pulling a wagon in complete silence.",
    "A man is playing a guitar for tips.",
    "A teenager lifts heavy weights before going home.",
    "Three cats are sleeping after a long trip.",
}


def test_no_sentence_is_in_two_splits_or_two_corpora(sentences, splits):
    """But for NLI statements, which may meet another premise in another split or NLI corpus."""
    for first, second in combinations(sentences, 2):
        shared = sentences[first] & sentences[second]
        if first[0].endswith("nli") and second[0].endswith("nli"):
            shared -= set(splits[first]["sentence2"]) & set(splits[second]["sentence2"])
        if first[0] == second[0] == "everyday_snli":
            shared -= IN_BOTH_ROLES
        assert not shared, (first, second, sorted(shared)[:5])


def test_no_nli_premise_is_in_two_files_and_no_pair_id_either(nli_files):
    for key in ("sentence1", "pairID"):
        found = {name: {row[key] for row in rows} for name, rows in nli_files.items()}
        for first, second in combinations(found, 2):
            assert not found[first] & found[second], (first, second)


def test_no_row_comes_twice(splits):
    for key, columns in splits.items():
        rows = Counter(zip(*(columns[c] for c in TEXT_COLUMNS if c in columns), strict=True))
        assert rows.most_common(1)[0][1] == 1, (key, rows.most_common(3))


def test_nli_groups_files_and_kinds_are_held_out_as_the_card_says(nli_files):
    parts = {name: [row["pairID"].split("#") for row in rows] for name, rows in nli_files.items()}
    groups = {
        name: {tuple(part[:2]) for part in found if part[4] != "new-wording"}
        for name, found in parts.items()
    }
    for first, second in combinations(groups, 2):
        assert not groups[first] & groups[second]
    for name, found in parts.items():
        new = [part for part in found if part[4] == "new-wording"]
        train = f"{name.split('_')[0]}_1.0_train"
        assert {tuple(part[:2]) for part in new} <= groups[train]
        assert not {part[3] for part in new} & set(nli.HELD_OUT_KINDS)
        files, kinds = {part[0] for part in found}, {part[3] for part in found}
        if name.endswith("train"):
            assert not files & set(nli.HELD_OUT_FILES) and not kinds & set(nli.HELD_OUT_KINDS)
            assert {part[4] for part in found} == {"seen"}
    everywhere = {part[4] for found in parts.values() for part in found}
    assert everywhere == {"seen", *nli.PARTS}
    assert {part[0] for part in parts["multinli_1.0_dev_mismatched"]} == {"genre_travel"}


def test_half_of_nli_dev_and_test_are_new_wordings_of_training_groups(nli_files):
    sizes = {"snli_1.0_dev": 600, "snli_1.0_test": 1_200, "multinli_1.0_dev_matched": 600}
    for name, size in sizes.items():
        rows = nli_files[name]
        new = [row for row, part in zip(rows, parts_of(rows), strict=True) if part == "new-wording"]
        assert size <= len(rows) <= 1.2 * size and len(new) >= len(rows) / 2
        labels = Counter(row["gold_label"] for row in new)
        assert len(labels) == 3 and max(labels.values()) == min(labels.values())
        # a statement meets all three premises, so that alone it says nothing
        met = Counter((row["sentence2"], row["gold_label"]) for row in new)
        for statement, _ in met:
            assert len({met[statement, label] for label in labels}) == 1, statement
    parts = set(parts_of(nli_files["multinli_1.0_dev_mismatched"]))
    assert parts == {"unseen-file", "unseen-both"}


def test_nli_labels_are_balanced_and_ids_unique(nli_files):
    for rows in nli_files.values():
        counts = Counter(row["gold_label"] for row in rows)
        assert len(counts) == 3 and max(counts.values()) == min(counts.values())
        assert len({row["pairID"] for row in rows}) == len(rows)


def test_the_first_2000_rows_of_a_training_file_are_a_fair_subset(nli_files):
    for name in ("snli_1.0_train", "multinli_1.0_train"):
        rows, subset = nli_files[name], nli_files[name][: nli.ABLATION_PAIRS]
        group = [row["pairID"].rsplit("#", 3)[0] for row in rows]
        assert set(group) == set(group[: nli.ABLATION_PAIRS])
        counts = Counter(row["gold_label"] for row in subset)
        assert max(counts.values()) - min(counts.values()) <= 1


def test_no_article_is_in_two_splits(splits):
    titles = [set(splits["wiki_sections", name]["article"]) for name in ("train", "dev", "test")]
    assert not any(a & b for a, b in combinations(titles, 2))


def test_arguments_come_back_in_many_pairs(splits):
    columns = splits["afs", "all"]
    counts = Counter([*columns["sentence1"], *columns["sentence2"]])
    assert sum(counts.values()) / len(counts) >= 5


# --- the bars


@pytest.mark.parametrize("group", measure.GROUPS, ids=lambda group: group.__name__)
def test_cheap_methods_stay_within_the_bars(group, record_property):
    figures = group("mini")
    for figure in figures:
        record_property(figure.name, float(figure.value))
        print(f"{figure.name:52}{figure.value:10.2f}  {figure.bar}")
    assert [figure for figure in figures if not figure.holds] == []
    card = (ROOT / "data" / "README.md").read_text(encoding="utf-8")
    for figure in figures:
        written = re.search(rf"^\| {re.escape(figure.name)} \| ([\d.,-]+) \|", card, re.MULTILINE)
        assert written, f"{figure.name} is not in data/README.md: run measure.py --write"
        tolerance = max(0.02, abs(figure.value) / 50)  # versions of scikit-learn differ a little
        assert abs(float(written[1].replace(",", "")) - figure.value) <= tolerance, figure


# --- nothing comes from the real corpora


def words(text: str) -> list[str]:
    return re.findall(r"[a-z0-9]+(?:'[a-z]+)?", text.lower())


@pytest.mark.skipif(not REAL.is_dir(), reason="no local copy of the real corpora")
def test_no_sentence_and_no_run_of_eight_words_is_in_the_real_corpora(sentences):
    ours, runs = set(), set()
    for text in set().union(*sentences.values()):
        found = words(text)
        if len(found) >= 6:
            ours.add(" ".join(found))
        runs.update(" ".join(found[i : i + 8]) for i in range(len(found) - 7))
    shared = set()
    for text in real_texts(REAL):
        found = words(text)
        if " ".join(found) in ours:
            shared.add(" ".join(found))
        shared.update(runs.intersection(" ".join(found[i : i + 8]) for i in range(len(found) - 7)))
    assert shared == set()


def test_the_card_shows_what_trained_models_reached():
    record = open_study("trained_floors", "mini")
    card = (ROOT / "data/README.md").read_text("utf-8")
    for name in ("SBERT", "cross-encoder"):
        for split in ("dev", "test"):
            row = next(x for x in card.splitlines() if x.startswith(f"| {name} | {split} |"))
            figures = [float(x) for x in row.split("|")[3:-1] if x.strip() != "-"]
            parts = [part for part in record.columns if part.startswith(f"{split} ")]
            found = [record.mean(name, part) for part in parts]
            assert sorted(figures) == sorted(round(value, 1) for value in found)
    sets = [part for part in record.columns if part.startswith("sts ")]
    after = " | ".join(f"{record.mean('SBERT', one):.1f}" for one in sets)
    assert f"| SBERT-NLI | {after} |" in card
