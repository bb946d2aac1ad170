"""Measure the corpora against the bars: python data/build/measure.py [--real FOLDER] [--write]

Prints a line for each figure: ours, the real corpus where there is a copy, and the bar.
"""

import argparse
import os
import sys
from dataclasses import dataclass
from pathlib import Path

import card
import measures

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

STS = (
    *(("stsb", "train"), ("stsb", "dev"), ("stsb", "test")),
    *(("sick", "train"), ("sick", "dev"), ("sick", "test")),
    *((f"sts{year}", "test") for year in range(12, 17)),
)

EASIER = ("stsb", "train")  # since the everyday ladders came in: they share more words


@dataclass(frozen=True)
class Figure:
    """One measured number; low and high are its bars, where it has any."""

    name: str
    value: float
    low: float | None = None
    high: float | None = None

    @property
    def holds(self) -> bool:
        """True where there is no bar."""
        above = self.low is None or self.value >= self.low
        return above and (self.high is None or self.value <= self.high)

    @property
    def bar(self) -> str:
        low = "" if self.low is None else f">= {self.low:g}"
        high = "" if self.high is None else f"<= {self.high:g}"
        return " and ".join(part for part in (low, high) if part)


def load(name: str, split: str, profile: str) -> dict[str, list]:
    """A split as plain lists."""
    from sbert_lab import data

    rows = data.load(name, split, profile=profile, partial=profile != "mini")
    return {column: list(rows[column]) for column in rows.column_names}


def load_if_here(name: str, split: str, profile: str) -> dict[str, list] | None:
    """None for a real corpus that is not in the local copy; a mini corpus must be there."""
    from sbert_lab.errors import LabError

    try:
        return load(name, split, profile)
    except LabError:
        if profile == "mini":
            raise
        return None


def nli_figures(profile: str) -> list[Figure]:
    """Of each set and, in the mini corpora, of each of its parts."""
    from sbert_lab.experiments.studies.trained_floors import nli_parts

    found = []
    for name in ("snli", "multinli"):
        train = load(name, "train", profile)
        for split in ("dev", "test"):
            test = load(name, split, profile)
            parts = nli_parts(name, split) if profile == "mini" else []
            for cue, hits, high in (
                ("hypothesis only", measures.hypothesis_only(train, test), 55),
                ("overlap only", measures.overlap_only(train, test), 50),
                ("nearest training pair", measures.nearest_pair(train, test), None),
            ):
                found.append(Figure(f"{name} {split} {cue}", 100 * float(hits.mean()), high=high))
                by_part = measures.accuracy_by_part(hits, parts) if parts else {}
                found += [
                    Figure(f"{name} {split}, {part} {cue}", value, high=high)
                    for part, value in by_part.items()
                ]
    return found


def sts_figures(profile: str) -> list[Figure]:
    found = []
    for name, split in STS:
        rows = load_if_here(name, split, profile)
        if rows is None:
            continue
        scores = measures.cheap_scores(rows["sentence1"], rows["sentence2"])
        for system in ("overlap", "tf-idf"):
            value = measures.spearman(scores[system], rows["score"])
            high = 62 if (name, split) == EASIER else 60
            found.append(Figure(f"{name} {split} {system}", value, low=35, high=high))
    return found


def sts_table(profile: str) -> dict[str, dict[str, float]]:
    """Cheap system -> test set -> Spearman."""
    table: dict[str, dict[str, float]] = {}
    for name, split in STS:
        if split == "test":
            rows = load(name, split, profile)
            for system, scores in measures.cheap_scores(
                rows["sentence1"], rows["sentence2"]
            ).items():
                table.setdefault(system, {})[name] = measures.spearman(scores, rows["score"])
    return table


def senteval_figures(profile: str) -> list[Figure]:
    found = []
    for name in ("mr", "cr", "subj", "mpqa", "sst", "trec", "mrpc"):
        names = ("all",) if name in ("mr", "cr", "subj", "mpqa") else ("train", "test")
        splits = [load_if_here(name, split, profile) for split in names]
        if None in splits:
            continue
        accuracy_of = measures.pair_accuracy if name == "mrpc" else measures.text_accuracy
        accuracy, most = accuracy_of(*splits)
        found.append(Figure(f"{name} majority class", most))
        found.append(
            Figure(f"{name} tf-idf + regression", accuracy, low=round(most + 5, 1), high=92)
        )
    return found


def afs_figures(profile: str) -> list[Figure]:
    """Beside ours stands UKP ASPECT, the nearest that a local copy has."""
    rows = load("afs", "all", profile) if profile == "mini" else load("ukp_aspect", "all", profile)
    topics: dict[str, list[tuple]] = {}
    for first, second, score, topic in zip(*rows.values(), strict=True):
        topics.setdefault(topic, []).append((first, second, score))
    found, values = [], []
    for topic, pairs in topics.items():
        first, second, scores = zip(*pairs, strict=True)
        values.append(measures.spearman(measures.tfidf_cosine(first, second), scores))
        found.append(Figure(f"afs {topic} tf-idf", values[-1], high=50))
    found.append(Figure("afs tf-idf, mean of the topics", sum(values) / len(values), high=50))
    texts = {topic: [t for pair in pairs for t in pair[:2]] for topic, pairs in topics.items()}
    shared = measures.topic_overlap(texts)
    found += [
        Figure(f"afs vocabulary {a} / {b}", value, high=0.3) for (a, b), value in shared.items()
    ]
    mean = sum(shared.values()) / len(shared)
    return [*found, Figure("afs shared vocabulary, mean of the topics", mean, high=0.3)]


def section_figures(profile: str) -> list[Figure]:
    """Beside ours stand triplets built in the same way from WikiText-2."""
    from sbert_lab.experiments.triplets import section_triplets

    splits = []
    for split in ("train", "test"):
        if profile == "mini":
            splits.append(load("wiki_sections", split, profile))
        else:
            rows = section_triplets(split, per_article=20)
            splits.append({column: list(rows[column]) for column in rows.column_names})
    cues = measures.section_cues(*splits)
    return [Figure(f"wiki_sections {name}", value, high=0.7) for name, value in cues.items()]


def size_figures(profile: str) -> list[Figure]:
    """Vocabulary and length over all corpora that stand in for a real one."""
    from sbert_lab import data

    texts: set[str] = set()
    for name, corpus in data.CORPORA.items():
        if corpus.in_mini and not corpus.own and not corpus.parts:
            rows = load(name, "all", profile)
            for column in ("sentence1", "sentence2", "anchor", "positive", "negative", "text"):
                texts.update(rows.get(column, ()))
    long = sum(len(measures.words(text)) > 10 for text in texts) / len(texts)
    return [
        Figure("distinct sentences", len(texts), low=10_000),
        Figure(
            "distinct words", len({w for text in texts for w in measures.words(text)}), low=5_000
        ),
        Figure("sentences longer than ten words", long, low=1 / 3),
    ]


GROUPS = (
    *(nli_figures, sts_figures, senteval_figures),
    *(afs_figures, section_figures, size_figures),
)


def measure(profile: str) -> list[Figure]:
    """Every figure whose corpora are there."""
    from sbert_lab.errors import LabError

    found: list[Figure] = []
    for group in GROUPS:
        try:
            found += group(profile)
        except LabError as problem:
            print(f"{group.__name__} on {profile} data: {str(problem)[:100]}", file=sys.stderr)
    return found


def table_lines(figures: list[Figure], real: dict[str, float]) -> list[str]:
    """A markdown table of the figures."""
    lines = ["| figure | mini | real | bar |", "|---|---|---|---|"]
    for figure in figures:
        beside = number(real[figure.name]) if figure.name in real else ""
        bar = figure.bar if figure.holds else f"{figure.bar} **not met**"
        lines.append(f"| {figure.name} | {number(figure.value)} | {beside} | {bar} |")
    return lines


def system_lines(table: dict[str, dict[str, float]]) -> list[str]:
    """A markdown table of cheap systems and similarity sets, and how the sets' columns agree."""
    names = list(next(iter(table.values())))
    lines = [f"| cheap system | {' | '.join(names)} |", "|---" * (len(names) + 1) + "|"]
    for system, row in table.items():
        lines.append(f"| {system} | {' | '.join(number(row[name]) for name in names)} |")
    found = measures.column_correlations(table)
    low, high = min(found, key=found.get), max(found, key=found.get)
    return [
        *lines,
        "",
        f"Correlation between two columns: {sum(found.values()) / len(found):.2f} on average, from "
        f"{found[low]:.2f} ({' and '.join(low)}) to {found[high]:.2f} ({' and '.join(high)}).",
    ]


def number(value: float) -> str:
    """Counts as a whole number, shares with two decimals, per cent with one."""
    if value >= 1_000:
        return f"{value:,.0f}"
    return f"{value:.2f}" if abs(value) <= 1 else f"{value:.1f}"


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description="Measure the mini corpora against their bars.")
    parser.add_argument("--real", metavar="FOLDER", help="a local copy of the real corpora")
    parser.add_argument("--write", action="store_true", help="write the table into data/README.md")
    options = parser.parse_args(arguments)
    real: dict[str, float] = {}
    if options.real:
        os.environ["SBERT_LAB_DATA"] = options.real
        real = {figure.name: figure.value for figure in measure("real")}
    figures = measure("mini")
    lines = [*table_lines(figures, real), "", *system_lines(sts_table("mini"))]
    print("\n".join(lines))
    if options.write:
        path = Path(__file__).resolve().parents[1] / "README.md"
        text = card.replace_part(
            path.read_text(encoding="utf-8"), "figures", "\n".join(lines) + "\n"
        )
        path.write_text(text, encoding="utf-8", newline="\n")
    return 0 if all(figure.holds for figure in figures) else 1


if __name__ == "__main__":
    sys.exit(main())
