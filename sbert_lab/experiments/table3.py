"""Table 3: argument facets. Pearson and Spearman, each the mean over the topics.

In profile real the corpus is UKP ASPECT in place of AFS, which has no public copy at hand: 28
topics, and labels made into scores (different topic or no similarity 0, some 0.5, high 1). There
all splits have three folds, and the cross-topic one deals the topics into three groups.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np

from sbert_lab import data
from sbert_lab.experiments import table3_systems as systems
from sbert_lab.experiments.evaluation import afs, sts

if TYPE_CHECKING:
    from sbert_lab.experiments.results import Outcome, Results, Row
    from sbert_lab.profiles import Profile

TABLE = 3
SENTENCE_FOLDS = 3  # fewer folds test more pairs: both sentences must fall into the same one
RANDOM, TOPIC, COMPONENTS = "random folds", "cross-topic", "components"
NEW, SEEN = "new sentences", "seen sentences"
PROTOCOLS = (RANDOM, TOPIC, COMPONENTS, NEW, SEEN)
EVERY, SOME = "pairs", "sentence pairs"  # keys of predictions and gold

# Name, what makes it, what it is, the paper's name, kind. They never see a score.
UNTRAINED = (
    ("tf-idf", systems.tfidf, "weights from the corpus, no scores", "tf-idf", "system"),
    (
        "averaged word vectors",
        systems.word_vectors,
        "word vectors of our own, averaged",
        "Avg. GloVe embeddings",
        "system",
    ),
    (
        "InferSent",
        systems.infersent,
        "BiLSTM with max over time, NLI softmax",
        "InferSent - GloVe",
        "system",
    ),
    ("raw MEAN", systems.raw, "the backbone as it is, MEAN pooling", None, "extra"),
    (
        "random weights",
        systems.random_weights,
        "untrained network with random weights, MEAN pooling",
        None,
        "floor",
    ),
)
# Name, learner, what it is, the paper's name, kind.
LEARNERS = (
    (
        "SVR",
        systems.learn_svr,
        "support vector regression on overlap; cannot remember a sentence",
        "SVR (Misra et al. 2016)",
        "system",
    ),
    (
        "BiLSTM",
        systems.learn_bilstm,
        "BiLSTM 2 x 128, max over time, cosine and squared error",
        None,
        "extra",
    ),
    (
        "SBERT-AFS",
        systems.learn_sbert,
        "cosine and squared error, MEAN pooling",
        "SBERT-AFS-base",
        "system",
    ),
    (
        "cross-encoder",
        systems.learn_cross,
        "both sentences in one input, squared error",
        "BERT-AFS-base",
        "system",
    ),
    (
        "look-up table",
        systems.learn_lookup,
        "a free vector per sentence; cannot read a word",
        None,
        "extra",
    ),
)
SHUFFLED = "shuffled scores"


def corpus(profile: Profile) -> str:
    """AFS, or UKP ASPECT in its place."""
    return "ukp_aspect" if profile.name == "real" else "afs"


def pairs(profile: Profile) -> list[dict]:
    """All pairs: sentence1, sentence2, score (0 to 1), topic."""
    return list(_pairs(profile))


def splits(profile: Profile) -> dict[str, list[afs.Fold]]:
    """The folds of the five protocols. Where there are few components, each is a fold."""
    return dict(_splits(profile))


def fold_count(profile: Profile) -> int:
    """Folds of the random split: 10 as in the paper, 5 in mini, 3 in real."""
    return 3 if profile.name == "real" else profile.folds


def rows(profile: Profile) -> list[Row]:
    """Systems that see no score, then each learner under each protocol, then the floor."""
    from sbert_lab.experiments.results import Row

    found = []
    for name, system, note, in_paper, kind in UNTRAINED:
        run = _untrained(profile, system)
        found.append(Row(name=name, run=run, note=note, paper=in_paper, kind=kind))
    for name, learn, note, in_paper, kind in LEARNERS:
        for protocol in PROTOCOLS:
            row = {"note": f"{note}; {_describe(profile, protocol)}", "kind": kind}
            if protocol in (RANDOM, TOPIC) and not (name == "SVR" and protocol == TOPIC):
                row["paper"] = in_paper
            run = _learned(profile, name, learn, protocol)
            found.append(Row(name=f"{name}, {protocol}", run=run, **row))
    note = f"as SBERT-AFS, the training scores shuffled; {_describe(profile, RANDOM)}"
    run = _learned(profile, SHUFFLED, systems.learn_shuffled, RANDOM)
    found.append(Row(name=f"{SHUFFLED}, {RANDOM}", run=run, kind="floor", note=note))
    return found


def gold(profile: Profile) -> dict[str, np.ndarray]:
    """Scores and topics of the pairs, the fold that tests each pair, and which pairs are SOME.

    Topics are numbers in alphabetical order.
    """
    known, folds = pairs(profile), splits(profile)
    people = np.array([row["score"] for row in known])
    topics = np.unique([row["topic"] for row in known], return_inverse=True)[1].astype(float)
    some = afs.tested(folds[NEW])
    found = {EVERY: people, f"{EVERY} topic": topics, SOME: people[some]}
    found |= {f"{SOME} topic": topics[some], f"{SOME} row": some.astype(float)}
    for protocol in (RANDOM, TOPIC, COMPONENTS, NEW):
        fold_of = np.full(len(known), -1.0)
        for number, fold in enumerate(folds[protocol]):
            fold_of[fold.test] = number
        found[f"fold, {protocol}"] = fold_of[afs.tested(folds[protocol])]
    return found


def data_seen(profile: Profile) -> str:
    """How much of which corpus, and in which folds."""
    name = corpus(profile)
    stands_in = " in place of AFS" if name != "afs" else ""
    told = "; ".join(_describe(profile, protocol) for protocol in PROTOCOLS)
    return f"{name}{stands_in}: {data.coverage(name, 'all', profile=profile)}; {told}"


def claims(results: Results) -> dict[str, dict[str, np.ndarray]]:
    """C13 to C15: mean over topics of the difference in Spearman, pairs resampled in topics."""
    sbert, cross = f"SBERT-AFS, {RANDOM}", f"cross-encoder, {RANDOM}"
    names = {"tf-idf": "tf-idf", "word vectors": "averaged word vectors", "InferSent": "InferSent"}
    sides = {f"SBERT 10-fold - {part}": (sbert, row) for part, row in names.items()}
    wanted = {
        "C13": sides,
        "C14": {
            "SBERT above chance, 10-fold": (sbert, None),
            "SBERT - cross-encoder, 10-fold": (sbert, cross),
        },
        "C15": {
            "cross-encoder - SBERT, cross-topic": (
                f"cross-encoder, {TOPIC}",
                f"SBERT-AFS, {TOPIC}",
            )
        },
    }
    found = {}
    for id, parts in wanted.items():
        if all(results.exists(row) for both in parts.values() for row in both if row):
            found[id] = {part: difference(results, *both) for part, both in parts.items()}
    return found


def difference(results: Results, first: str, second: str | None) -> np.ndarray:
    """Bootstrapped Spearman of one row minus another's, in points: (1000,).

    Both rows answer the same pairs: all of them, or those of the sentence splits.
    """
    key = SOME if first.endswith((NEW, SEEN)) else EVERY
    other = None if second is None else results.predictions(second, key)
    people, topics = results.gold(key), results.gold(f"{key} topic")
    return afs.bootstrap_topics(people, results.predictions(first, key), other, topics)


# ---- helpers


@lru_cache(maxsize=2)
def _pairs(profile: Profile) -> tuple[dict, ...]:
    return tuple(data.load(corpus(profile), "all", profile=profile, partial=profile.name == "real"))


@lru_cache(maxsize=2)
def _splits(profile: Profile) -> tuple:
    known, count = pairs(profile), fold_count(profile)
    topics = None if profile.name != "real" else count
    parts = int(afs.components(known).max()) + 1
    new = afs.sentence_folds(known, SENTENCE_FOLDS)
    return (
        (RANDOM, afs.random_folds(known, count)),
        (TOPIC, afs.topic_folds(known, topics)),
        (COMPONENTS, afs.component_folds(known, min(count, parts))),
        (NEW, new),
        (SEEN, afs.seen_folds(known, new)),
    )


def _describe(profile: Profile, protocol: str) -> str:
    folds = splits(profile)[protocol]
    return f"{protocol}: {len(folds)} folds, {len(afs.tested(folds)):,} pairs tested"


def _untrained(profile: Profile, system: Callable) -> Callable[[int], Outcome]:
    def run(seed: int) -> Outcome:
        known = pairs(profile)
        first, second = systems.texts(known)
        encoder = system(profile, seed, list(dict.fromkeys([*first, *second])))
        return _outcome(known, sts.similarities(encoder.encode, known), EVERY)

    return run


def _learned(
    profile: Profile, name: str, learn: systems.Learn, protocol: str
) -> Callable[[int], Outcome]:
    def run(seed: int) -> Outcome:
        known, folds = pairs(profile), splits(profile)[protocol]
        ask = systems.remembering(name, learn, profile, seed)
        answers = afs.out_of_fold(known, folds, ask)
        chosen = [known[i] for i in afs.tested(folds)]
        return _outcome(chosen, answers, SOME if protocol in (NEW, SEEN) else EVERY)

    return run


def _outcome(rows: Sequence[dict], answers: np.ndarray, key: str) -> Outcome:
    from sbert_lab.experiments.results import Outcome

    topics = [row["topic"] for row in rows]
    found = afs.score_topics(systems.scores(rows), answers, topics)
    by_topic = {topic: round(one.spearman, 2) for topic, one in found.topics.items()}
    return Outcome(
        scores={"spearman": found.spearman, "pearson": found.pearson},
        predictions={key: answers},
        info={"pairs": len(rows), "spearman by topic": by_topic},
    )
