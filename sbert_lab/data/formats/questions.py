"""Quora question pairs and Tatoeba sentences."""

from collections.abc import Iterator
from pathlib import Path

from sbert_lab.data.formats.lines import fail, numbered, parse_choice, quoted_rows
from sbert_lab.data.formats.senteval import BINARY


def read_quora(paths: list[Path]) -> Iterator[dict]:
    """quora_duplicate_questions.tsv: tabs and quotes; a quoted question may hold a line end.

    Copies differ in whether a doubled quote stands inside a quoted field: both give one quote.
    """
    for path in paths:
        columns = ("question1", "question2", "is_duplicate")
        for number, row in quoted_rows(path, columns, delimiter="\t"):
            yield {
                "sentence1": row["question1"].replace('""', '"'),
                "sentence2": row["question2"].replace('""', '"'),
                "label": parse_choice(path, number, row["is_duplicate"], BINARY),
            }


def read_tatoeba(paths: list[Path]) -> Iterator[dict]:
    """eng_sentences.tsv: a sentence and whom to thank for it."""
    for path in paths:
        for number, line in numbered(path):
            fields = line.split("\t")
            if len(fields) != 2:
                fail(path, number, f"{len(fields)} fields where 2 are needed")
            yield {"text": fields[0], "attribution": fields[1]}
