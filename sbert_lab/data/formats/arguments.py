"""Pairs of arguments: AFS (Misra et al. 2016) and UKP ASPECT (Reimers et al. 2019)."""

from collections.abc import Iterator
from pathlib import Path

from sbert_lab.data.formats.lines import fail, parse_number, quoted_rows, tab_rows

AFS_TOPICS = {"DP": "death penalty", "GC": "gun control", "GM": "gay marriage"}

# Different topic or not decidable, not similar, somewhat similar, highly similar.
ASPECT_SCORES = {"DTORCD": 0.0, "NS": 0.0, "SS": 0.5, "HS": 1.0}


def read_afs(paths: list[Path]) -> Iterator[dict]:
    """ArgPairs_TOPIC.csv: commas, quotes, a header and latin-1. score = regression_label / 5."""
    for path in paths:
        topic = afs_topic(path)
        columns = ("regression_label", "sentence_1", "sentence_2")
        for number, row in quoted_rows(path, columns, delimiter=",", encoding="latin-1"):
            label = parse_number(path, number, row["regression_label"], low=0, high=5)
            yield {
                "sentence1": row["sentence_1"],
                "sentence2": row["sentence_2"],
                "score": label / 5,
                "topic": topic,
            }


def afs_topic(path: Path) -> str:
    """'ArgPairs_DP.csv' -> 'death penalty'; 'ArgPairs_school_uniforms.csv' -> 'school uniforms'."""
    code = path.name.removesuffix(".gz").removesuffix(".csv").removeprefix("ArgPairs_")
    return AFS_TOPICS.get(code, code.replace("_", " "))


def read_ukp_aspect(paths: list[Path]) -> Iterator[dict]:
    """UKP_ASPECT.tsv. Its four labels become three scores, see ASPECT_SCORES."""
    for path in paths:
        for number, row in tab_rows(path, ("topic", "sentence_1", "sentence_2", "label")):
            if row["label"] not in ASPECT_SCORES:
                fail(path, number, f"label {row['label']!r} is none of {', '.join(ASPECT_SCORES)}")
            yield {
                "sentence1": row["sentence_1"],
                "sentence2": row["sentence_2"],
                "score": ASPECT_SCORES[row["label"]],
                "topic": row["topic"],
            }
