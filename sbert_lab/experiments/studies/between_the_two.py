"""What lies between bi-encoder and cross-encoder: poly-encoders and re-ranking (notebook 16).

All are trained on the same duplicate questions by the same loop, then look for the duplicates of
the same queries in the same collection. The reciprocal rank of every query is kept.
"""

import time
from functools import cache

import numpy as np

from sbert_lab import data
from sbert_lab.encoder import SentenceEncoder
from sbert_lab.experiments.evaluation.everything import question_split
from sbert_lab.experiments.evaluation.retrieval import (
    Collection,
    QuestionSplit,
    reciprocal_ranks,
    rerank,
)
from sbert_lab.experiments.results import Outcome, Row
from sbert_lab.experiments.systems import name_of
from sbert_lab.profiles import Profile, TrainConfig
from sbert_lab.tasks import CrossEncoder, PolyEncoder, Siamese
from sbert_lab.training import train

CONFIG = TrainConfig(epochs=3, batch_size=32, learning_rate=2e-4, checkpoint_every=100)
CODES = (4, 16, 64)
KS = (5, 10, 20, 50, 100)
MOST_PAIRS = 4_000  # training pairs of each kind, so that profile real stays within minutes
RAW, BI, CROSS = name_of("raw-mean"), "bi-encoder", "cross-encoder"
RANK = "reciprocal rank"


def rows(profile: Profile) -> list[Row]:
    def alone(name: str) -> Outcome:
        scores, seconds = first_stage(profile, name)
        return judged(profile, scores, {"seconds for all scores": seconds})

    def reranked(k: int) -> Outcome:
        first, second = (first_stage(profile, name)[0] for name in (BI, CROSS))
        return judged(profile, rerank(first, second, k), {})

    polys = [f"poly-encoder, {codes} codes" for codes in CODES]
    found = [
        Row(name=name, run=lambda seed, name=name: alone(name), note="scores every question")
        for name in (RAW, BI, *polys, CROSS)
    ]
    note = f"the {BI}'s first, ordered by the {CROSS}"
    return found + [
        Row(name=f"re-rank {k}", run=lambda seed, k=k: reranked(k), note=note) for k in KS
    ]


def data_seen(profile: Profile) -> str:
    return str(data.coverage("quora", "train", profile=profile))


def about(profile: Profile) -> dict:
    split = questions(profile)
    settings = {key: getattr(CONFIG, key) for key in ("epochs", "batch_size", "seed")}
    return {"training pairs": len(split.train), **sizes(split.test), "settings": settings}


def sizes(test: Collection) -> dict[str, int]:
    return {"queries": len(test.queries), "questions": len(test.questions)}


def judged(profile: Profile, scores: np.ndarray, info: dict) -> Outcome:
    """Scores of every query against every question, (Q, N), as an outcome."""
    ranks = reciprocal_ranks(scores, questions(profile).test.relevant)
    found = {"mean reciprocal rank": ranks.mean(), "found first": (ranks == 1).mean()}
    return Outcome(found, {RANK: ranks}, info)


@cache
def questions(profile: Profile) -> QuestionSplit:
    return question_split(profile)


@cache
def first_stage(profile: Profile, name: str) -> tuple[np.ndarray, float]:
    """Every query against every question, (Q, N), and the seconds that it took."""
    task, test = _system(profile, name), questions(profile).test
    began = time.perf_counter()
    if isinstance(task, CrossEncoder):
        each = ([query] * len(test.questions) for query in test.queries)
        scores = np.stack([task.predict(one, test.questions)[:, 1] for one in each])
    else:
        candidates = task.encoder.encode(test.questions)
        if isinstance(task, PolyEncoder):
            scores = task.score_all(task.encode_contexts(test.queries), candidates)
        else:
            asked = task.encoder.encode(test.queries)
            lengths = np.linalg.norm(asked, axis=1)[:, None] * np.linalg.norm(candidates, axis=1)
            scores = asked @ candidates.T / lengths
    return scores, round(time.perf_counter() - began, 2)


def _system(profile: Profile, name: str) -> Siamese | PolyEncoder | CrossEncoder:
    """A system, trained; the training is kept under runs/ and opened again."""
    encoder = SentenceEncoder.load(profile.backbone, max_length=profile.max_length)
    pairs = questions(profile).train
    alike = [{"anchor": r["sentence1"], "positive": r["sentence2"]} for r in pairs if r["label"]]
    alike = alike[:MOST_PAIRS]
    if name == RAW:
        return Siamese(encoder, "in-batch negatives")
    if name == BI:
        return _fit(Siamese(encoder, "in-batch negatives"), alike)
    if name == CROSS:
        labelled = [row for label in (0, 1) for row in _labelled(pairs, label)]
        task = CrossEncoder(encoder, "classification", labels=2)
        return _fit(task, labelled + _strangers(alike))
    return _fit(PolyEncoder(encoder, codes=int(name.split()[1])), alike)


def _labelled(pairs: list[dict], label: int) -> list[dict]:
    return [row for row in pairs if row["label"] == label][:MOST_PAIRS]


def _strangers(alike: list[dict]) -> list[dict]:
    """Two questions of different pairs, twice as many as there are pairs, as label 0.

    The corpus pairs only questions that look alike. A cross-encoder that never met two strangers
    has no reason to score them low, and nearly all of a collection are strangers.
    """
    rng = np.random.default_rng(1)
    picks = rng.integers(len(alike), size=(2 * len(alike), 2))
    return [
        {"sentence1": alike[a]["anchor"], "sentence2": alike[b]["positive"], "label": 0}
        for a, b in picks
        if a != b
    ]


def _fit(task: Siamese | PolyEncoder | CrossEncoder, pairs: list[dict]):
    train(task, pairs, CONFIG, show_progress=False)
    return task
