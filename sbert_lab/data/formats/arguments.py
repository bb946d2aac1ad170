"""Pairs of arguments: AFS (Misra et al. 2016) and UKP ASPECT (Reimers et al. 2019)."""

from collections.abc import Iterator
from pathlib import Path

from sbert_lab.data.formats.lines import parse_choice, parse_number, quoted_rows, tab_rows

AFS_TOPICS = {"DP": "death penalty", "GC": "gun control", "GM": "gay marriage"}

# Different topic or not decidable, not similar, somewhat similar, highly similar.
ASPECT_SCORES = {"DTORCD": 0.0, "NS": 0.0, "SS": 0.5, "HS": 1.0}
AFS_BINARY_SCORES = {"Not similar": 0.0, "Similar": 1.0}


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
    return _labelled(paths, "sentence_1", "sentence_2", ASPECT_SCORES)


def read_afs_binary(paths: list[Path]) -> Iterator[dict]:
    """afs_binary.tsv: AFS with its scores reduced to similar (1) and not similar (0)."""
    for row in _labelled(paths, "sentence1", "sentence2", AFS_BINARY_SCORES):
        yield {**row, "topic": row["topic"].replace("_", " ")}


def _labelled(
    paths: list[Path], first: str, second: str, scores: dict[str, float]
) -> Iterator[dict]:
    for path in paths:
        for number, row in tab_rows(path, ("topic", first, second, "label")):
            yield {
                "sentence1": row[first],
                "sentence2": row[second],
                "score": parse_choice(path, number, row["label"], scores),
                "topic": row["topic"],
            }
