"""Duplicates that mini-sbert finds among questions, by the same functions as in notebook 15."""

from sbert_lab import data
from sbert_lab.encoder import SentenceEncoder
from sbert_lab.experiments.evaluation import duplicates
from sbert_lab.experiments.results import Outcome, Row
from sbert_lab.profiles import Profile

PAIRS = 10_000
MODEL = "mini-sbert"


def rows(profile: Profile) -> list[Row]:
    def run(seed: int) -> Outcome:
        questions = _questions(profile)
        vectors = SentenceEncoder.load(MODEL).encode(questions.texts, normalize=True)
        return Outcome(duplicates.report(vectors, questions))

    return [Row(name=MODEL, run=run, note="as it comes with the course")]


def data_seen(profile: Profile) -> str:
    questions = _questions(profile)
    return (
        f"the first {len(questions.labels):,} pairs, {len(questions.texts):,} questions, "
        f"{questions.gold_pairs:,} gold pairs"
    )


def _questions(profile: Profile) -> duplicates.Questions:
    pairs = data.load("quora", "train", profile=profile)
    return duplicates.collect(pairs.select(range(min(PAIRS, len(pairs)))))
