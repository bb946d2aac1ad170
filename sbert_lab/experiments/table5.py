"""Table 5: SentEval's seven tasks, a logistic regression on frozen embeddings.

Each encoder is also asked for cosines on the STS sets (column `sts`): C19 compares the two uses of
the same vectors. Predictions are right (1) or wrong (0) per test item of a task, and the cosines.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np

from sbert_lab.experiments import table5_systems as systems
from sbert_lab.experiments.evaluation import sections, senteval, sts
from sbert_lab.experiments.evaluation.senteval import SENTIMENT, TASKS
from sbert_lab.experiments.table5_systems import MEAN, WORDS

if TYPE_CHECKING:
    from sbert_lab.experiments.evaluation.vectors import Encode
    from sbert_lab.experiments.results import Outcome, Results, Row
    from sbert_lab.profiles import Profile

TABLE = 5
STS_SETS = ("sts12", "sts13", "sts14", "sts15", "sts16", "stsb", "sick")
TUNED_TASKS = ("sst", "trec")  # the tasks on which all layers are fine-tuned

SBERT = "SBERT-NLI"
INFERSENT, USE, USE_FORUM = "InferSent", "USE", "USE + forum"
TUNED, SHUFFLED, RANDOM = "all layers tuned", "shuffled labels", "random weights"

# Ours, the zoo's name, the paper's row, kind, what it is.
TRAINED = (
    (INFERSENT, "infersent-nli", "InferSent - GloVe", "system", "BiLSTM, max over time, NLI"),
    (USE, "use-nli", "Universal Sentence Encoder", "system", "deep averaging net, NLI alone"),
    (USE_FORUM, "use-nli-forum", None, "extra", "averaging net: questions and forum text, NLI"),
    (SBERT, "sbert-nli", "SBERT-NLI-base", "system", "NLI softmax, MEAN pooling"),
)


def rows(profile: Profile) -> list[Row]:
    """The systems of Table 5, ours beside them, the floors last.

    Raises DataError if SentEval's files are not at hand: it names them and their place.
    """
    from sbert_lab.experiments.results import Row

    senteval.require_tasks(profile)

    def scored(find: Callable[[int], Encode], **options: bool) -> Callable[[int], Outcome]:
        return lambda seed: score(profile, find(seed), seed=seed, **options)

    found = [
        Row(name=name, run=scored(find), paper=in_paper, note=note)
        for name, find, in_paper, note in systems.untrained(profile)
    ]
    for name, system, in_paper, kind, note in TRAINED:
        run = scored(lambda seed, system=system: systems.from_zoo(profile, system, seed))
        found.append(
            Row(name=name, run=run, seeds=profile.seeds, paper=in_paper, kind=kind, note=note)
        )
    extras = (
        (
            "mini-sbert",
            lambda seed: systems.saved("mini-sbert"),
            "in-batch negatives on entailments",
        ),
        (
            "tf-idf",
            lambda seed: systems.tfidf(_tasks(profile)),
            "weighted words of the tasks' training texts",
        ),
    )
    found += [Row(name=n, run=scored(f), kind="extra", note=note) for n, f, note in extras]
    found.append(
        Row(
            name=TUNED,
            run=lambda seed: fine_tune(profile, seed),
            seeds=profile.seeds,
            kind="extra",
            note=f"{systems.short_name(profile)} fine-tuned with a softmax head, task by task",
        )
    )
    random_weights = scored(lambda seed: systems.random_weights(profile, seed))
    shuffled = scored(lambda seed: systems.load_encoder(profile, "mean").encode, shuffled=True)
    return [
        *found,
        Row(name=RANDOM, run=random_weights, kind="floor", note="network that learned nothing"),
        Row(name=SHUFFLED, run=shuffled, kind="floor", note="as raw MEAN, labels dealt at random"),
    ]


def gold(profile: Profile) -> dict[str, np.ndarray]:
    """People's scores of the STS pairs, and the tested rows' labels of each task."""
    labels = {task.name: task.labels[task.tested].astype(float) for task in _tasks(profile)}
    pairs = _pairs(profile)
    return {**labels, **{name: np.array(p["score"], dtype=float) for name, p in pairs.items()}}


def data_seen(profile: Profile) -> str:
    """How much of each task and of NLI was there."""
    from sbert_lab import data

    parts = [(name, "all") for name in TASKS] + [("nli", "train")]
    return "; ".join(f"{n} {s}: {data.coverage(n, s, profile=profile)}" for n, s in parts)


def claims(results: Results) -> dict[str, dict[str, np.ndarray]]:
    """C17, C18, C19: bootstrapped differences in points, each system's seeds averaged."""
    over_infersent = task_differences(results, SBERT, INFERSENT)
    over_use = task_differences(results, SBERT, USE)
    over_words = task_differences(results, MEAN, WORDS)
    others = [name for name in TASKS if name not in SENTIMENT]
    return {
        "C17": {
            "SBERT - InferSent": _mean(over_infersent, TASKS),
            "SBERT - USE": _mean(over_use, TASKS),
        },
        "C18": {
            "gain on MR, CR, SST - gain on the other tasks": _mean(over_infersent, SENTIMENT)
            - _mean(over_infersent, others),
            "USE - SBERT on TREC": -over_use["trec"],
        },
        "C19": {
            "raw MEAN - word vectors, SentEval": _mean(over_words, TASKS),
            "word vectors - raw MEAN, STS": sts_difference(results, WORDS, MEAN),
        },
    }


def task_differences(results: Results, a: str, b: str) -> dict[str, np.ndarray]:
    """Accuracy of row a minus row b (points) per task, on resampled test items: (1000,) each."""
    return {
        name: sections.bootstrap_difference(
            results.predictions(a, name), results.predictions(b, name), seed=number
        )
        for number, name in enumerate(TASKS)
    }


def sts_difference(results: Results, a: str, b: str) -> np.ndarray:
    """Spearman of row a minus row b (points), averaged over the STS sets that both have."""
    sets = [name for name in STS_SETS if name in results.columns]
    differences = [
        sts.bootstrap_difference(
            results.gold(name), results.predictions(a, name), results.predictions(b, name), seed=n
        )
        for n, name in enumerate(sets)
    ]
    return np.mean(differences, axis=0)


def _mean(differences: dict[str, np.ndarray], names: Sequence[str]) -> np.ndarray:
    return np.mean([differences[name] for name in names], axis=0)


# ---- measuring


def score(profile: Profile, encode: Encode, *, seed: int = 1, shuffled: bool = False) -> Outcome:
    """All seven tasks with frozen features, then the STS sets under cosine."""
    from sbert_lab.experiments.results import Outcome

    encode = senteval.remember(encode)
    protocol = senteval.protocol_of(profile)
    scores, predictions, chosen, unfinished = {}, {}, {}, 0
    for task in _tasks(profile):
        result = senteval.score_task(
            encode, task, protocol, shuffle_seed=seed if shuffled else None
        )
        scores[task.name], predictions[task.name] = result.accuracy, result.hits
        chosen[task.name] = result.chosen
        unfinished += result.unfinished
    info = {"C": chosen, "mrpc f1": round(result.f1, 4), "unfinished fits": unfinished}
    scores["average"] = float(np.mean([scores[name] for name in TASKS]))
    if shuffled:  # the labels of the tasks mean nothing to a cosine
        return Outcome(scores=scores, predictions=predictions, info=info)
    spearmans = {}
    for name, pairs in _pairs(profile).items():
        predictions[name] = sts.similarities(encode, pairs)
        spearmans[name] = sts.correlations(pairs["score"], predictions[name]).spearman
    scores["sts"] = float(np.mean(list(spearmans.values())))
    return Outcome(scores={**scores, **spearmans}, predictions=predictions, info=info)


def fine_tune(profile: Profile, seed: int, names: Sequence[str] = TUNED_TASKS) -> Outcome:
    """All layers trained on one task at a time, with the settings of STSb: four epochs, no search.

    Dev rows are not used: nothing is chosen here.
    """
    from sbert_lab.experiments.results import Outcome

    scores, predictions = {}, {}
    for task in _tasks(profile):
        if task.name in names:
            hits = tuned_hits(systems.load_encoder(profile, "mean"), task, profile, seed)
            scores[task.name], predictions[task.name] = 100 * float(hits.mean()), hits
    return Outcome(scores=scores, predictions=predictions)


def tuned_hits(encoder: object, task: senteval.Task, profile: Profile, seed: int) -> np.ndarray:
    """Fine-tune `encoder` on the task's training rows; right or wrong per test row: (N,)."""
    import tempfile
    from dataclasses import replace

    from sbert_lab.tasks.classifier import Classifier
    from sbert_lab.training import train

    model = Classifier(encoder, labels=int(task.labels.max()) + 1, seed=seed)
    lines = [{"text": task.first[i], "label": int(task.labels[i])} for i in task.parts["train"]]
    with tempfile.TemporaryDirectory() as folder:
        config = replace(profile.sts, seed=seed)
        train(model, lines, config, run_dir=folder, show_progress=False)
    answers = model.predict_labels([task.first[i] for i in task.tested])
    return (answers == task.labels[task.tested]).astype(np.float64)


@lru_cache(maxsize=2)
def _tasks(profile: Profile) -> list[senteval.Task]:
    return [senteval.load_task(name, profile=profile) for name in TASKS]


@lru_cache(maxsize=2)
def _pairs(profile: Profile) -> dict[str, object]:
    """The test pairs of the STS sets that are at hand."""
    from sbert_lab import data
    from sbert_lab.data.sources import splits_here

    here = [n for n in STS_SETS if "test" in splits_here(data.get_corpus(n), profile.name)]
    return {n: data.load(n, "test", profile=profile, partial=profile.name == "real") for n in here}
