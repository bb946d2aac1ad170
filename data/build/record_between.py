"""Record what notebook 16 compares: bi-encoder, poly-encoder, re-ranking, cross-encoder.

    python data/build/record_between.py mini
    SBERT_LAB_DATA=/folder/with/the/corpora python data/build/record_between.py real
    SBERT_LAB_DATA=/folder/with/the/corpora python data/build/record_between.py real judge

The last one records a second stage by a judge that can judge: Table 2's cross-encoder from MiniLM,
trained on the scored pairs of STSb, over the first stages of the run before it.

All are trained on the same duplicate questions by the same loop, then look for the duplicates of
the same queries in the same collection. Scores of every query go to 16_between.safetensors.
"""

import sys
import time
from dataclasses import replace

import numpy as np
from safetensors.numpy import save

from sbert_lab import data
from sbert_lab.encoder import SentenceEncoder
from sbert_lab.experiments import minilm, zoo
from sbert_lab.experiments.evaluation.retrieval import (
    Collection,
    reciprocal_ranks,
    rerank,
    split_questions,
)
from sbert_lab.experiments.results import results_dir
from sbert_lab.experiments.store import describe_machine
from sbert_lab.files import write_bytes, write_json
from sbert_lab.paths import runs_dir
from sbert_lab.profiles import TrainConfig, get_profile
from sbert_lab.tasks import CrossEncoder, PolyEncoder, Siamese
from sbert_lab.training import train

CONFIG = TrainConfig(epochs=3, batch_size=32, learning_rate=2e-4)
CODES = (4, 16, 64)
MOST_PAIRS = 4_000  # training pairs of each kind, so that profile real stays within minutes


def train_all(profile, rows: list[dict]) -> dict[str, object]:
    """The systems by name; trained ones are kept under runs/ and opened again."""
    alike = [{"anchor": r["sentence1"], "positive": r["sentence2"]} for r in rows if r["label"]]
    alike = alike[:MOST_PAIRS]
    labelled = [row for row in rows if row["label"] == 0][:MOST_PAIRS]
    labelled += [row for row in rows if row["label"] == 1][:MOST_PAIRS]
    labelled += strangers(alike)
    systems: dict[str, object] = {"raw": Siamese(load(profile), "in-batch negatives")}
    systems["bi-encoder"] = fit(profile, "bi", Siamese(load(profile), "in-batch negatives"), alike)
    for codes in CODES:
        task = PolyEncoder(load(profile), codes=codes)
        systems[f"poly-encoder, {codes} codes"] = fit(profile, f"poly-{codes}", task, alike)
    cross = CrossEncoder(load(profile), "classification", labels=2)
    systems["cross-encoder"] = fit(profile, "cross", cross, labelled)
    return systems


def strangers(alike: list[dict]) -> list[dict]:
    """Two questions of different pairs, twice as many as there are pairs, as label 0.

    The corpus pairs only questions that look alike. A cross-encoder that never met two strangers
    has no reason to score them low, and nearly all of a collection are strangers.
    """
    rng = np.random.default_rng(1)
    found = []
    for first, second in rng.integers(len(alike), size=(2 * len(alike), 2)):
        if first != second:
            pair = alike[first]["anchor"], alike[second]["positive"]
            found.append({"sentence1": pair[0], "sentence2": pair[1], "label": 0})
    return found


def load(profile) -> SentenceEncoder:
    return SentenceEncoder.load(profile.backbone, max_length=profile.max_length)


def fit(profile, name: str, task, rows: list[dict]):
    began = time.perf_counter()
    folder = runs_dir("between", profile.name, f"{name}-{len(rows)}")
    config = replace(CONFIG, checkpoint_every=100)
    train(task, rows, config, run_dir=folder, show_progress=False)
    print(f"{name}: {len(rows):,} rows, {time.perf_counter() - began:.0f} s", flush=True)
    return task


def scores_of(task, test: Collection) -> np.ndarray:
    """Every query against every question: (Q, N)."""
    if isinstance(task, CrossEncoder):
        rows = []
        for query in test.queries:
            pairs = [query] * len(test.questions), test.questions
            rows.append(task.predict(*pairs)[:, 1])
        return np.stack(rows)
    candidates = task.encoder.encode(test.questions)
    if isinstance(task, PolyEncoder):
        return task.score_all(task.encode_contexts(test.queries), candidates)
    queries = task.encoder.encode(test.queries)
    lengths = np.linalg.norm(queries, axis=1)[:, None] * np.linalg.norm(candidates, axis=1)
    return queries @ candidates.T / lengths


JUDGED = (5, 20, 50)


def record_judge(name: str) -> None:
    """Re-rank the candidates of raw vectors and of the bi-encoder by MiniLM's cross-encoder."""
    profile = get_profile(name)
    pairs = data.load("quora", "train", profile=profile, partial=name == "real")
    split = split_questions(list(pairs))
    alike = [r for r in split.train if r["label"]][:MOST_PAIRS]
    alike = [{"anchor": r["sentence1"], "positive": r["sentence2"]} for r in alike]
    stages = {"raw": Siamese(load(profile), "in-batch negatives")}
    stages["bi-encoder"] = fit(profile, "bi", Siamese(load(profile), "in-batch negatives"), alike)
    judge = zoo.get("cross-stsb", profile=minilm.as_backbone(profile), show_progress=False)
    found, seconds = {}, {}
    for stage, task in stages.items():
        first = scores_of(task, split.test)
        found[stage] = reciprocal_ranks(first, split.test.relevant)
        began = time.perf_counter()
        second = judged(judge, split.test, first, max(JUDGED))
        seconds[stage] = round(time.perf_counter() - began, 1)
        for k in JUDGED:
            mixed = rerank(first, second, k)
            found[f"{stage}, re-rank {k}"] = reciprocal_ranks(mixed, split.test.relevant)
    record = {
        **describe_machine(),
        "profile": name,
        "command": f"python data/build/record_between.py {name} judge",
        "data": str(data.coverage("quora", "train", profile=profile)),
        "judge": "cross-encoder from all-MiniLM-L6-v2, trained on STSb (Table 2); MiniLM itself "
        "was tuned by others on pairs that include Quora's",
        "queries": len(split.test.queries),
        "questions": len(split.test.questions),
        "seconds for the judge": seconds,
        "mean reciprocal rank": {n: round(float(v.mean()), 4) for n, v in found.items()},
    }
    arrays = {n: v.astype(np.float32) for n, v in sorted(found.items())}
    write_bytes(results_dir(name, "16_judge.safetensors"), save(arrays))
    write_json(results_dir(name, "16_judge.json"), record)
    print(record["mean reciprocal rank"])


def judged(judge: CrossEncoder, test: Collection, first: np.ndarray, k: int) -> np.ndarray:
    """The judge's scores of each query's first k questions; the others get -inf: (Q, N)."""
    top = np.argsort(-first, axis=1, kind="stable")[:, :k]
    queries = [query for query in test.queries for _ in range(k)]
    scores = judge.predict(queries, [test.questions[i] for i in top.ravel()])
    second = np.full(first.shape, -np.inf)
    np.put_along_axis(second, top, scores.reshape(top.shape).astype(float), axis=1)
    return second


def main(name: str) -> None:
    profile = get_profile(name)
    pairs = data.load("quora", "train", profile=profile, partial=name == "real")
    split = split_questions(list(pairs))
    systems = train_all(profile, split.train)
    scores, seconds = {}, {}
    for system, task in systems.items():
        began = time.perf_counter()
        scores[system] = scores_of(task, split.test)
        seconds[system] = round(time.perf_counter() - began, 2)
        print(f"{system}: {reciprocal_ranks(scores[system], split.test.relevant).mean():.3f}")
    found = {system: reciprocal_ranks(one, split.test.relevant) for system, one in scores.items()}
    for k in (5, 10, 20, 50, 100):
        mixed = rerank(scores["bi-encoder"], scores["cross-encoder"], k)
        found[f"re-rank {k}"] = reciprocal_ranks(mixed, split.test.relevant)
    record = {
        **describe_machine(),
        "profile": name,
        "command": f"python data/build/record_between.py {name}",
        "data": str(data.coverage("quora", "train", profile=profile)),
        "training pairs": len(split.train),
        "queries": len(split.test.queries),
        "questions": len(split.test.questions),
        "settings": {"epochs": CONFIG.epochs, "batch_size": CONFIG.batch_size, "seed": CONFIG.seed},
        "seconds for all scores": seconds,
        "mean reciprocal rank": {n: round(float(v.mean()), 4) for n, v in found.items()},
        "found first": {n: round(float((v == 1).mean()), 4) for n, v in found.items()},
    }
    arrays = {n: v.astype(np.float32) for n, v in sorted(found.items())}
    write_bytes(results_dir(name, "16_between.safetensors"), save(arrays))
    write_json(results_dir(name, "16_between.json"), record)


if __name__ == "__main__":
    chosen = sys.argv[1] if len(sys.argv) > 1 else "mini"
    record_judge(chosen) if "judge" in sys.argv[2:] else main(chosen)
