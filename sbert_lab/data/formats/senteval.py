"""SentEval's seven transfer tasks, as its downstream folder holds them."""

from collections.abc import Iterator
from pathlib import Path

from sbert_lab.data.formats.lines import fail, numbered, parse_choice, tab_rows

BINARY = {"0": 0, "1": 1}
TREC_CLASSES = {"ABBR": 0, "DESC": 1, "ENTY": 2, "HUM": 3, "LOC": 4, "NUM": 5}


def read_two_files(paths: list[Path]) -> Iterator[dict]:
    """MR, CR, SUBJ, MPQA: a text a line in latin-1; the first file is label 1, the second 0.

    CR and MPQA have a few empty lines. SentEval counts them as texts, so they are rows here too.
    """
    for path, label in zip(paths, (1, 0), strict=True):
        for _, line in numbered(path, "latin-1"):
            yield {"text": line.strip(), "label": label}


def read_sst(paths: list[Path]) -> Iterator[dict]:
    """sentiment-*: text, tab, label."""
    for path in paths:
        for number, line in numbered(path):
            fields = line.split("\t")
            if len(fields) != 2:
                fail(path, number, f"{len(fields)} fields where a text and a label are needed")
            label = parse_choice(path, number, fields[1].strip(), BINARY)
            yield {"text": fields[0].strip(), "label": label}


def read_trec(paths: list[Path]) -> Iterator[dict]:
    """*.label in latin-1: 'NUM:count How many ...'. Only the six coarse classes are used."""
    for path in paths:
        for number, line in numbered(path, "latin-1"):
            target, colon, rest = line.strip().partition(":")
            _, space, text = rest.partition(" ")
            if not (colon and space and text):
                fail(path, number, "not of the form 'COARSE:fine text'")
            label = parse_choice(path, number, target, TREC_CLASSES)
            yield {"text": text.strip(), "label": label}


def read_mrpc(paths: list[Path]) -> Iterator[dict]:
    """msr_paraphrase_*.txt: tabs, a header behind a byte order mark, quotes without meaning."""
    for path in paths:
        for number, row in tab_rows(path, ("Quality", "#1 String", "#2 String")):
            yield {
                "sentence1": row["#1 String"].strip(),
                "sentence2": row["#2 String"].strip(),
                "label": parse_choice(path, number, row["Quality"], BINARY),
            }
