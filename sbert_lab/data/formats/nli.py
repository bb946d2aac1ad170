"""SNLI and MultiNLI: one JSON object a line."""

import json
from collections.abc import Iterator
from pathlib import Path

from sbert_lab.data.formats.lines import fail, numbered, parse_choice, tab_rows

LABELS = {"entailment": 0, "neutral": 1, "contradiction": 2}
NO_AGREEMENT = "-"  # the annotators could not agree: such rows are never used


def read_nli(paths: list[Path]) -> Iterator[dict]:
    """sentence1, sentence2, label. Rows without a gold label are dropped."""
    for row in read_nli_genre(paths):
        del row["genre"]
        yield row


def read_nli_genre(paths: list[Path]) -> Iterator[dict]:
    """As read_nli, and the genre (None where the file does not tell)."""
    for path in paths:
        for number, line in numbered(path):
            record = _parse_object(path, number, line)
            if record["gold_label"] == NO_AGREEMENT:
                continue
            yield {
                "sentence1": record["sentence1"],
                "sentence2": record["sentence2"],
                "label": parse_choice(path, number, record["gold_label"], LABELS),
                "genre": record.get("genre"),
            }


def read_nli_source(paths: list[Path]) -> Iterator[dict]:
    """Tab separated, with a header: label, sentence1, sentence2, and the corpus it comes from."""
    for path in paths:
        for number, row in tab_rows(path, ("label", "sentence1", "sentence2", "source")):
            yield {**row, "label": parse_choice(path, number, row["label"], LABELS)}


def _parse_object(path: Path, number: int, line: str) -> dict:
    try:
        record = json.loads(line)
        json.dumps(record, ensure_ascii=False).encode()
    except UnicodeEncodeError:
        fail(path, number, "half a character (a lone surrogate such as \\ud800)")
    except (ValueError, RecursionError) as problem:
        fail(path, number, f"not JSON ({problem})")
    for key in ("gold_label", "sentence1", "sentence2"):
        if not isinstance(record, dict) or not isinstance(record.get(key), str):
            fail(path, number, f"no text under {key!r}")
    if not isinstance(record.get("genre"), str | None):
        fail(path, number, "the genre is not a text")
    return record
