"""STS 2012 to 2016, the STS benchmark and SICK."""

from collections.abc import Iterator
from itertools import zip_longest
from pathlib import Path

from sbert_lab.data.formats.lines import fail, numbered, parse_number, tab_rows
from sbert_lab.errors import DataError


def read_stsb(paths: list[Path]) -> Iterator[dict]:
    """sts-*.csv: tabs in spite of its name, no header, and a quote is just a character.

    The score is field 4, the sentences are fields 5 and 6; some lines go on with their sources.
    """
    for path in paths:
        for number, line in numbered(path):
            fields = line.split("\t")
            if len(fields) < 7:
                fail(path, number, f"{len(fields)} fields where at least 7 are needed")
            score = parse_number(path, number, fields[4], low=0, high=5) / 5
            yield {"sentence1": fields[5], "sentence2": fields[6], "score": score}


def read_sts(paths: list[Path]) -> Iterator[dict]:
    """STS.input.NAME.txt and STS.gs.NAME.txt, one after the other for each subset.

    An empty gold line means that nobody scored the pair: it is skipped. The organisers' 2016 files
    have two more fields, the sources of the sentences.
    """
    for pairs, gold in zip(paths[::2], paths[1::2], strict=True):
        yield from _read_subset(pairs, gold)


def _read_subset(pairs: Path, gold: Path) -> Iterator[dict]:
    subset = subset_name(pairs)
    for pair, score in zip_longest(numbered(pairs), numbered(gold)):
        if pair is None or score is None:
            _fail_lengths(pairs, gold)
        number, line = pair
        text = score[1].strip()
        if not text:
            continue
        fields = line.split("\t")
        if len(fields) < 2:
            fail(pairs, number, "one sentence where two, with a tab between them, are needed")
        yield {
            "sentence1": fields[0].strip(),
            "sentence2": fields[1].strip(),
            "score": parse_number(gold, number, text, low=0, high=5) / 5,
            "subset": subset,
        }


def subset_name(path: Path) -> str:
    """'STS2016.input.answer-answer.txt' -> 'answer-answer'."""
    return path.name.split(".input.", 1)[1].removesuffix(".gz").removesuffix(".txt")


def _fail_lengths(pairs: Path, gold: Path) -> None:
    lengths = [sum(1 for _ in numbered(path)) for path in (pairs, gold)]
    raise DataError(
        f"{pairs} has {lengths[0]:,} lines but {gold} has {lengths[1]:,}: "
        "they belong together line by line; fetch both again"
    )


def read_sick(paths: list[Path]) -> Iterator[dict]:
    """SICK_*.txt. Relatedness runs from 1 to 5, not from 0: the score is (s - 1) / 4."""
    for path in paths:
        for number, row in tab_rows(path, ("sentence_A", "sentence_B", "relatedness_score")):
            relatedness = parse_number(path, number, row["relatedness_score"], low=1, high=5)
            yield {
                "sentence1": row["sentence_A"],
                "sentence2": row["sentence_B"],
                "score": (relatedness - 1) / 4,
            }
