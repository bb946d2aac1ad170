"""The everyday NLI corpus: built alike each time, groups in one split, pairs of the right shape."""

import json
import os
import re
import sys
from collections import defaultdict
from pathlib import Path

import pytest

BUILD = Path(__file__).resolve().parent.parent / "data" / "build"
sys.path.insert(0, str(BUILD))

import everyday  # noqa: E402
import everyday_avoid  # noqa: E402
import everyday_words  # noqa: E402
import measure_everyday  # noqa: E402
from output import Output  # noqa: E402

REAL = Path(os.environ.get("SBERT_LAB_DATA", "/nowhere"))
LABELS = ["contradiction", "entailment", "neutral"]
# What the premise says, what the statement says, the label they speak for.
RELATIONS = [
    *(("puppy", "dog", "entailment"), ("puppy", "animals?", "entailment")),
    *(("guitar", "instrument", "entailment"), ("man", "person|someone", "entailment")),
    *(("boys?", "child|children", "entailment"), ("two", "people", "entailment")),
    *(("park", "outside|outdoors", "entailment"), ("kitchen", "inside|indoors", "entailment")),
    *(("man", "woman|lady", "contradiction"), ("two", "three", "contradiction")),
    *(("play|plays|playing", "sleep|sleeps|sleeping", "contradiction"),),
    *(("run|runs|running|jogging", "sitting|lying|standing|sleeping", "contradiction"),),
    *(("old|elderly", "young", "contradiction"), ("happy", "sad|bad|upset", "contradiction")),
]


def build() -> Output:
    output = Output()
    everyday.build(output)
    return output


@pytest.fixture(scope="module")
def output() -> Output:
    return build()


@pytest.fixture(scope="module")
def rows(output) -> dict[str, list[dict]]:
    return {p: [json.loads(x) for x in c.splitlines()] for p, c in output.files.items()}


def words(text: str) -> set[str]:
    return set(re.findall(r"[a-z0-9'-]+", text.lower()))


def test_the_same_bytes_come_out_twice(output):
    assert build().files == output.files


def test_a_group_and_a_premise_are_in_one_file_only(rows):
    homes = defaultdict(set)
    for path, found in rows.items():
        for row in found:
            file, group, *_ = row["pairID"].split("#")
            homes["group", file, group].add(path)
            homes["premise", row["sentence1"]].add(path)
    assert [name for name, paths in homes.items() if len(paths) > 1] == []


def test_every_premise_has_two_statements_of_each_label_and_every_length_fits(rows):
    for path, found in rows.items():
        labels = defaultdict(list)
        for row in found:
            labels[row["sentence1"]].append(row["gold_label"])
            assert ("genre" in row) == path.startswith("multinli")
            assert 8 <= len(row["sentence1"].split()) <= 14, row
            assert 4 <= len(row["sentence2"].split()) <= 9, row
            for text in (row["sentence1"], row["sentence2"]):
                assert re.fullmatch(r"[A-Z][A-Za-z0-9' ,!?-]+[.!?]", text), text
                assert not re.search(r"\b(?:a [aeio]|an (?!hour)[^aeiou]|(\w+) \1\b)", text), text
        assert {tuple(sorted(x)) for x in labels.values()} == {tuple(sorted(LABELS * 2))}


def test_the_pairs_are_all_different_and_their_ids_too(rows):
    for found in rows.values():
        assert len({(r["sentence1"], r["sentence2"]) for r in found}) == len(found)
        assert len({r["pairID"] for r in found}) == len(found)


def test_there_are_enough_scenes_and_pairs_with_few_words(rows):
    train = [row for path, found in rows.items() if "train" in path for row in found]
    assert len(train) >= 40_000
    assert len({row["sentence1"] for row in rows["snli/snli_1.0_train.jsonl"]}) >= 2_000
    known = set().union(*(words(f"{r['sentence1']} {r['sentence2']}") for r in train))
    scenes = rows["snli/snli_1.0_train.jsonl"]
    of_scenes = set().union(*(words(f"{r['sentence1']} {r['sentence2']}") for r in scenes))
    assert 1_500 <= len(of_scenes) <= 2_500
    for found in rows.values():
        unknown = {w for r in found for w in words(f"{r['sentence1']} {r['sentence2']}")} - known
        assert not unknown


@pytest.mark.parametrize(("first", "second", "label"), RELATIONS)
def test_a_common_relation_is_in_ten_scenes_or_more(rows, first, second, label):
    scenes = {
        row["pairID"].split("#")[1]
        for row in rows["snli/snli_1.0_train.jsonl"]
        if row["gold_label"] == label
        and re.search(rf"\b(?:{first})\b", row["sentence1"], re.IGNORECASE)
        and re.search(rf"\b(?:{second})\b", row["sentence2"], re.IGNORECASE)
    }
    assert len(scenes) >= 10


def test_what_the_statement_and_the_overlap_give_away_is_within_its_bars(output, tmp_path):
    for path, content in output.files.items():
        (tmp_path / path).parent.mkdir(exist_ok=True)
        (tmp_path / path).write_bytes(content)
    for layout in ("snli", "multinli"):
        figures = measure_everyday.measure(tmp_path, layout, probe=False)
        assert [figure for figure in figures if not figure.holds] == [], layout


def test_actions_that_exclude_each_other_do_so_both_ways():
    known = everyday_words.read_words()
    classes = sorted({frame.action for frame in known.frames})
    for first in classes:
        assert not known.exclude(first, first)
        for second in classes:
            assert known.exclude(first, second) == known.exclude(second, first)
    assert known.exclude("sleep", "cook") and not known.exclude("sit", "read")


@pytest.mark.parametrize(
    ("phrase", "form", "expected"),
    [
        ("play the guitar", {"plural": False}, "is playing the guitar"),
        ("sit and +talk", {"plural": True}, "are sitting and talking"),
        ("carry a box", {"plural": False, "simple": True}, "carries a box"),
        ("have a beard", {"plural": False}, "has a beard"),
        ("have breakfast", {"plural": False}, "is having breakfast"),
        ("look happy", {"plural": False}, "looks happy"),
        ("be old", {"plural": True, "negated": True}, "are not old"),
        ("like tea", {"plural": False, "negated": True}, "does not like tea"),
    ],
)
def test_verbs_get_their_forms(phrase, form, expected):
    assert everyday_words.predicate(phrase, **form) == expected


@pytest.mark.slow
@pytest.mark.skipif(not REAL.is_dir(), reason="no local copy of the real corpora")
def test_no_sentence_and_no_run_of_eight_words_is_in_the_real_corpora(rows):
    ours = {row[c] for found in rows.values() for row in found for c in ("sentence1", "sentence2")}
    assert not everyday_avoid.shared_sentences(ours, REAL)
