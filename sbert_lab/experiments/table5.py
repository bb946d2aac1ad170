"""Table 5: SentEval's seven tasks, a logistic regression on frozen embeddings.

Each encoder is also asked for cosines on the STS sets (column `sts`): C19 compares the two uses of
the same vectors. Predictions are right (1) or wrong (0) per test item of a task, and the cosines.
"""

from collections.abc import Sequence
from dataclasses import replace
from functools import lru_cache, partial

import numpy as np

from sbert_lab import data
from sbert_lab.data.sources import splits_here
from sbert_lab.experiments import lines
from sbert_lab.experiments.baselines.tfidf import TfIdf
from sbert_lab.experiments.building import build, train_task
from sbert_lab.experiments.evaluation import senteval, sts, sts_sets
from sbert_lab.experiments.evaluation.senteval import SENTIMENT, TASKS
from sbert_lab.experiments.evaluation.vectors import Encode
from sbert_lab.experiments.results import Outcome, Results, Row
from sbert_lab.experiments.systems import name_of
from sbert_lab.profiles import Profile, get_profile
from sbert_lab.tasks.classifier import Classifier

TABLE = 5
STS_SETS = sts_sets.SETS
TUNED_TASKS = ("sst", "trec")  # the tasks on which all layers are fine-tuned
TRAINED = ("infersent-nli", "use-nli", "use-nli-forum", "sbert-nli")
PUBLISHED = ("word-vectors", "spacy-vectors", "use-v3", "minilm")  # beside GloVe's, in real
TFIDF_WORDS = 3_000  # a classifier has a weight for each

MEAN, SBERT, INFERSENT = (name_of(id) for id in ("raw-mean", "sbert-nli", "infersent-nli"))
USE, USE_FORUM = name_of("use-nli"), name_of("use-nli-forum")
TUNED, SHUFFLED, RANDOM = map(name_of, ("raw-tuned", "raw-mean-shuffled", "random-weights"))


def rows(profile: Profile) -> list[Row]:
    """The systems of Table 5, ours beside them, the floors last.

    Raises DataError if SentEval's files are not at hand: it names them and their place.
    """
    senteval.require_tasks(profile)

    def measured(system: object) -> Outcome:
        return score(profile, system.encode)

    def shuffled(seed: int) -> Outcome:
        return score(profile, build("raw-mean", profile).encode, shuffled=seed)

    row = partial(lines.row, profile=profile, score=measured)
    return [
        *(row(id) for id in (words_of(profile), "subword-vectors", "raw-mean", "raw-cls")),
        *(row(id, beside=id == "use-nli-forum") for id in TRAINED),
        row("mini-sbert"),
        *(row(id, beside=True) for id in (PUBLISHED if profile.minilm else ())),
        row("tf-idf", make=_tfidf, beside=True),
        row("raw-tuned", run=partial(fine_tune, profile), seeds=profile.seeds),
        row("random-weights"),
        row("raw-mean-shuffled", run=shuffled),
    ]


def words_of(profile: Profile) -> str:
    """The word vectors of this table: GloVe's where the data are not our own."""
    return "word-vectors" if profile.own_data else "glove"


def gold(profile: Profile) -> dict[str, np.ndarray]:
    """People's scores of the STS pairs, and the tested rows' labels of each task."""
    labels = {task.name: task.labels[task.tested].astype(float) for task in _tasks(profile)}
    pairs = _pairs(profile)
    return {**labels, **{name: np.array(p["score"], dtype=float) for name, p in pairs.items()}}


def data_seen(profile: Profile) -> str:
    """How much of each task and of NLI was there."""
    return lines.data_seen(profile, [*((name, "all") for name in TASKS), ("nli", "train")])


def claims(results: Results) -> dict[str, dict[str, np.ndarray]]:
    """C17, C18, C19: bootstrapped differences in points, test items and seeds resampled.

    A claim whose rows were not recorded is left out.
    """
    words = name_of(words_of(get_profile(results.profile)))
    trained = _trained_claims(results) if _all_here(results, SBERT, INFERSENT, USE) else {}
    if not _all_here(results, MEAN, words):
        return trained
    return trained | {
        "C19": {
            "raw BERT MEAN - word vectors, SentEval": _mean(
                task_differences(results, MEAN, words), TASKS
            ),
            "word vectors - raw BERT MEAN, STS": sts_difference(results, words, MEAN),
        },
    }


def _all_here(results: Results, *rows: str) -> bool:
    return all(map(results.exists, rows))


def _trained_claims(results: Results) -> dict[str, dict[str, np.ndarray]]:
    over_infersent = task_differences(results, SBERT, INFERSENT)
    over_use = task_differences(results, SBERT, USE)
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
    }


def task_differences(results: Results, a: str, b: str) -> dict[str, np.ndarray]:
    """Accuracy of row a minus row b (points) per task, items and seeds resampled: (1000,) each."""
    draw = lines.accuracies(results)
    return {n: draw(a, n, seed=i) - draw(b, n, seed=i) for i, n in enumerate(TASKS)}


def sts_difference(results: Results, a: str, b: str) -> np.ndarray:
    """Spearman of row a minus row b (points), averaged over the STS sets that both have."""
    draw, sets = lines.spearmans(results), [name for name in STS_SETS if name in results.columns]
    differences = [draw(a, n, seed=i) - draw(b, n, seed=i) for i, n in enumerate(sets)]
    return np.mean(differences, axis=0)


def _mean(differences: dict[str, np.ndarray], names: Sequence[str]) -> np.ndarray:
    return np.mean([differences[name] for name in names], axis=0)


# ---- measuring


def score(profile: Profile, encode: Encode, *, shuffled: int | None = None) -> Outcome:
    """All seven tasks with frozen features, then the STS sets under cosine.

    `shuffled` is a seed: the labels of the training rows are then dealt out at random.
    """
    encode = senteval.remember(encode)
    protocol = senteval.protocol_of(profile)
    scores, predictions, chosen, unfinished = {}, {}, {}, 0
    for task in _tasks(profile):
        result = senteval.score_task(encode, task, protocol, shuffle_seed=shuffled)
        scores[task.name], predictions[task.name] = result.accuracy, result.hits
        chosen[task.name] = result.chosen
        unfinished += result.unfinished
    info = {"C": chosen, "mrpc f1": round(result.f1, 4), "unfinished fits": unfinished}
    scores["average"] = float(np.mean([scores[name] for name in TASKS]))
    if shuffled is not None:  # the labels of the tasks mean nothing to a cosine
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
    scores, predictions = {}, {}
    for task in _tasks(profile):
        if task.name in names:
            hits = tuned_hits(build("raw-mean", profile), task, profile, seed)
            scores[task.name], predictions[task.name] = 100 * float(hits.mean()), hits
    return Outcome(scores=scores, predictions=predictions)


def tuned_hits(encoder: object, task: senteval.Task, profile: Profile, seed: int) -> np.ndarray:
    """Fine-tune `encoder` on the task's training rows; right or wrong per test row: (N,)."""
    model = Classifier(encoder, labels=int(task.labels.max()) + 1, seed=seed)
    texts = [{"text": task.first[i], "label": int(task.labels[i])} for i in task.parts["train"]]
    train_task(model, texts, replace(profile.sts, seed=seed))
    answers = model.predict_labels([task.first[i] for i in task.tested])
    return (answers == task.labels[task.tested]).astype(np.float64)


def _tfidf(profile: Profile, seed: int) -> object:
    """Weights from the tasks' texts without labels; the test texts of fixed splits are left out."""
    texts = []
    for task in _tasks(profile):
        seen = task.parts.get("train", task.tested)
        columns = [task.first] if task.second is None else [task.first, task.second]
        texts += [column[i] for column in columns for i in seen]
    return TfIdf(texts, most_words=TFIDF_WORDS)


@lru_cache(maxsize=2)
def _tasks(profile: Profile) -> list[senteval.Task]:
    return [senteval.load_task(name, profile=profile) for name in TASKS]


@lru_cache(maxsize=2)
def _pairs(profile: Profile) -> dict[str, object]:
    """The test pairs of the STS sets that are at hand."""
    here = [n for n in STS_SETS if "test" in splits_here(data.get_corpus(n), profile.name)]
    return {name: data.load(name, "test", profile=profile) for name in here}
