"""A second stage by a judge that can judge: Table 2's cross-encoder from MiniLM, trained on STSb.

The queries, the collection and the first stages are those of the study between_the_two.
"""

import time
from functools import cache

import numpy as np

from sbert_lab.experiments import minilm, zoo
from sbert_lab.experiments.evaluation.retrieval import rerank
from sbert_lab.experiments.results import Outcome, Row
from sbert_lab.experiments.studies import between_the_two as stages
from sbert_lab.profiles import Profile

KS = (5, 20, 50)
JUDGE = (
    "cross-encoder from all-MiniLM-L6-v2, trained on STSb (Table 2); MiniLM itself was tuned by "
    "others on pairs that include Quora's"
)
data_seen = stages.data_seen


def rows(profile: Profile) -> list[Row]:
    def alone(stage: str) -> Outcome:
        return stages.judged(profile, stages.first_stage(profile, stage)[0], {})

    def reranked(stage: str, k: int) -> Outcome:
        second, seconds = _judged(profile, stage)
        mixed = rerank(stages.first_stage(profile, stage)[0], second, k)
        return stages.judged(profile, mixed, {"seconds for the judge": seconds})

    found = []
    for stage in (stages.RAW, stages.BI):
        found.append(Row(name=stage, run=lambda seed, s=stage: alone(s), note="first stage alone"))
        found += [
            Row(
                name=f"{stage}, re-rank {k}",
                run=lambda seed, s=stage, k=k: reranked(s, k),
                note="ordered by the judge",
            )
            for k in KS
        ]
    return found


def about(profile: Profile) -> dict:
    return {"judge": JUDGE, **stages.sizes(stages.questions(profile).test)}


@cache
def _judged(profile: Profile, stage: str) -> tuple[np.ndarray, float]:
    """The judge's scores of each query's first questions, the others -inf, (Q, N); the seconds."""
    first, test = stages.first_stage(profile, stage)[0], stages.questions(profile).test
    judge = zoo.get("cross-stsb", profile=minilm.as_backbone(profile), show_progress=False)
    began = time.perf_counter()
    top = np.argsort(-first, axis=1, kind="stable")[:, : max(KS)]
    queries = [query for query in test.queries for _ in range(max(KS))]
    scores = judge.predict(queries, [test.questions[i] for i in top.ravel()])
    second = np.full(first.shape, -np.inf)
    np.put_along_axis(second, top, scores.reshape(top.shape).astype(float), axis=1)
    return second, round(time.perf_counter() - began, 1)
