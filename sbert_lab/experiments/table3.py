"""Table 3: argument facets. Pearson and Spearman, each the mean over the topics.

In profile real the sentences are those of AFS, but the score is 0 or 1 (similar or not), so the
area under the ROC curve stands beside the correlations. UKP ASPECT has columns of its own there: 28
topics, and labels made into scores (different topic or no similarity 0, some 0.5, high 1). All its
splits have three folds, and the cross-topic one deals the topics into three groups.
"""

import hashlib
import json
import shutil
from collections.abc import Callable, Sequence
from dataclasses import asdict, replace
from functools import lru_cache, partial
from pathlib import Path

import numpy as np

from sbert_lab import data
from sbert_lab.experiments import lines
from sbert_lab.experiments.baselines.tfidf import TfIdf
from sbert_lab.experiments.building import build
from sbert_lab.experiments.evaluation import afs, sts
from sbert_lab.experiments.learners import settings
from sbert_lab.experiments.results import Outcome, Results, Row
from sbert_lab.experiments.systems import get_system, name_of
from sbert_lab.files import read_json, write_json
from sbert_lab.paths import runs_dir
from sbert_lab.profiles import Profile

TABLE = 3
VERSION = 1  # bump when a learner changes its meaning: kept answers are then not used any more
MORE_FOLDS = 3  # of a second corpus: every fold of it costs each learner one more training
SENTENCE_FOLDS = 3  # fewer folds test more pairs: both sentences must fall into the same one
RANDOM, TOPIC, COMPONENTS = "random folds", "cross-topic", "components"
NEW, SEEN = "new sentences", "seen sentences"
PROTOCOLS = (RANDOM, TOPIC, COMPONENTS, NEW, SEEN)
EVERY, SOME = "pairs", "sentence pairs"  # keys of predictions and gold
SIDES = ("first", "second")  # keys of gold: which sentence it is, as a number

UNTRAINED = ("tf-idf", "word-vectors", "infersent-nli", "raw-mean", "random-weights")
LEARNERS = ("svr", "bilstm-afs", "sbert-afs", "cross-afs", "lookup")
SHUFFLED = "sbert-afs-shuffled"


def cell(id: str, protocol: str) -> str:
    """The name of a row: a learner under a protocol."""
    return f"{name_of(id)}, {protocol}"


def pairs(profile: Profile) -> list[dict]:
    """All pairs: sentence1, sentence2, score (0 to 1), topic."""
    return list(_pairs(profile))


def splits(profile: Profile) -> dict[str, list[afs.Fold]]:
    """The folds of the five protocols. Components: no more folds than the largest one can fill."""
    return dict(_splits(profile))


def rows(profile: Profile) -> list[Row]:
    """Systems that see no score, then each learner under each protocol, then the floor."""
    known = {"tf-idf": {"make": _tfidf}, "raw-mean": {"beside": True}}
    score = partial(_untrained, profile)
    return [
        *(lines.row(id, profile, score, seeds=1, **known.get(id, {})) for id in UNTRAINED),
        *(_learned(profile, id, protocol) for id in LEARNERS for protocol in PROTOCOLS),
        _learned(profile, SHUFFLED, RANDOM),
    ]


def gold(profile: Profile) -> dict[str, np.ndarray]:
    """Scores and topics of the pairs, the fold that tests each pair, and which pairs are SOME.

    Topics are numbers in alphabetical order. What belongs to a second corpus has its name first.
    """
    corpora = _corpora(profile).items()
    return {f"{name}{key}": a for name, one in corpora for key, a in _gold(one).items()}


def _gold(profile: Profile) -> dict[str, np.ndarray]:
    known, folds = pairs(profile), splits(profile)
    people = np.array([row["score"] for row in known])
    topics = np.unique([row["topic"] for row in known], return_inverse=True)[1].astype(float)
    some = afs.tested(folds[NEW])
    found = {EVERY: people, f"{EVERY} topic": topics, SOME: people[some]}
    found |= {f"{SOME} topic": topics[some], f"{SOME} row": some.astype(float)}
    for side, numbers in zip(SIDES, afs.sentence_numbers(known), strict=False):
        found |= {f"{EVERY} {side}": numbers.astype(float), f"{SOME} {side}": numbers[some] * 1.0}
    for protocol in (RANDOM, TOPIC, COMPONENTS, NEW):
        fold_of = np.full(len(known), -1.0)
        for number, fold in enumerate(folds[protocol]):
            fold_of[fold.test] = number
        found[f"fold, {protocol}"] = fold_of[afs.tested(folds[protocol])]
    return found


def data_seen(profile: Profile) -> str:
    """How much of which corpus, and in which folds."""
    told = []
    for one in _corpora(profile).values():
        told.append(f"{one.arguments}: {data.coverage(one.arguments, 'all', profile=one)}")
        told += [_describe(one, protocol) for protocol in PROTOCOLS]
    return "; ".join(told)


def claims(results: Results) -> dict[str, dict[str, np.ndarray]]:
    """C13 to C15: mean over topics of the difference in Spearman, sentences resampled in topics."""
    sbert, cross = cell("sbert-afs", RANDOM), cell("cross-afs", RANDOM)
    parts = {
        "C13": {
            f"SBERT 10-fold - {name_of(id)}": (sbert, name_of(id))
            for id in ("tf-idf", "word-vectors", "infersent-nli")
        },
        "C14": {
            "SBERT above chance, 10-fold": (sbert, None),
            "SBERT - cross-encoder, 10-fold": (sbert, cross),
        },
        "C15": {
            "cross-encoder - SBERT, cross-topic": (
                cell("cross-afs", TOPIC),
                cell("sbert-afs", TOPIC),
            )
        },
    }
    return lines.differences(results, parts, partial(difference, results))


def difference(results: Results, first: str, second: str | None) -> np.ndarray:
    """Bootstrapped Spearman of one row minus another's, in points: (1000,).

    Both rows answer the same pairs: all of them, or those of the sentence splits.
    """
    key = SOME if first.endswith((NEW, SEEN)) else EVERY
    sentences = np.stack([results.gold(f"{key} {side}") for side in SIDES])
    among = {"topics": results.gold(f"{key} topic"), "sentences": sentences}

    def draw(row: str) -> np.ndarray:
        return afs.bootstrap_topics(results.gold(key), results.predictions(row, key), **among)

    return draw(first) - (0 if second is None else draw(second))


# ---- helpers


def _corpora(profile: Profile) -> dict[str, Profile]:
    """The profile as it is; and what stands before keys and columns -> one with the second corpus.

    The second is of its own settings: few folds, and topics in as many groups.
    """
    name = profile.more_arguments
    folds = {"argument_folds": MORE_FOLDS, "topic_folds": MORE_FOLDS}
    more = {f"{name} ": replace(profile, arguments=name, **folds)} if name else {}
    return {"": profile, **more}


def _on_each_corpus(profile: Profile, answer: Callable[[Profile], Outcome]) -> Outcome:
    """One outcome of what `answer` gives for each corpus."""
    found = {name: answer(one) for name, one in _corpora(profile).items()}
    kinds = [
        {f"{name}{key}": v for name, one in found.items() for key, v in getattr(one, kind).items()}
        for kind in ("scores", "predictions", "info")
    ]
    return Outcome(*kinds)


@lru_cache(maxsize=2)
def _pairs(profile: Profile) -> tuple[dict, ...]:
    return tuple(data.load(profile.arguments, "all", profile=profile))


@lru_cache(maxsize=2)
def _splits(profile: Profile) -> tuple:
    known, count = pairs(profile), profile.argument_folds
    even = len(known) // np.bincount(afs.components(known)).max()
    new = afs.sentence_folds(known, SENTENCE_FOLDS)
    return (
        (RANDOM, afs.random_folds(known, count)),
        (TOPIC, afs.topic_folds(known, profile.topic_folds)),
        (COMPONENTS, afs.component_folds(known, max(2, min(count, even)))),
        (NEW, new),
        (SEEN, afs.seen_folds(known, new)),
    )


def _describe(profile: Profile, protocol: str) -> str:
    folds = splits(profile)[protocol]
    return f"{protocol}: {len(folds)} folds, {len(afs.tested(folds)):,} pairs tested"


def _tfidf(profile: Profile, seed: int) -> object:
    sides = [side for one in _corpora(profile).values() for side in afs.texts(pairs(one))]
    return TfIdf(list(dict.fromkeys(text for side in sides for text in side)))


def _untrained(profile: Profile, system: object) -> Outcome:
    def answer(profile: Profile) -> Outcome:
        known = pairs(profile)
        return _outcome(known, sts.similarities(system.encode, known), EVERY)

    return _on_each_corpus(profile, answer)


def _learned(profile: Profile, id: str, protocol: str) -> Row:
    """A learner under a protocol. The paper has the first two, SVR only the first."""

    def answer(seed: int, profile: Profile) -> Outcome:
        known, folds = pairs(profile), splits(profile)[protocol]
        answers = afs.out_of_fold(known, folds, remembering(id, profile, seed))
        chosen = [known[i] for i in afs.tested(folds)]
        return _outcome(chosen, answers, SOME if protocol in (NEW, SEEN) else EVERY)

    printed = protocol == RANDOM or (protocol == TOPIC and id != "svr")
    found = lines.row(id, profile, run=lambda s: _on_each_corpus(profile, partial(answer, s)))
    note = f"{found.note}; {_describe(profile, protocol)}"
    paper = found.paper if printed else None
    return replace(found, name=cell(id, protocol), note=note, paper=paper)


def remembering(id: str, profile: Profile, seed: int) -> afs.Ask:
    """A learner as `ask(known, asked)`, with each fold's answers kept under runs/table3.

    So an interrupted row goes on with the next fold, and two splits that happen to have the same
    fold share its answers.
    """

    def ask(known: Sequence[dict], asked: Sequence[dict]) -> np.ndarray:
        digest = _digest(id, profile, seed, known, asked)
        path = runs_dir("table3", profile.name) / f"{id}-{digest}.json"
        if path.is_file():
            return np.array(read_json(path))
        work = path.with_suffix(".training")
        work.parent.mkdir(parents=True, exist_ok=True)
        answers = learn(id, profile, seed, known, asked, run_dir=work)
        write_json(path, answers.tolist())
        shutil.rmtree(work, ignore_errors=True)
        return answers

    return ask


def learn(
    id: str,
    profile: Profile,
    seed: int,
    known: Sequence[dict],
    asked: Sequence[dict],
    **run_dir: Path,
) -> np.ndarray:
    """Fit a learner on the known pairs; its scores of the asked ones: (N,)."""
    options = run_dir if "pairs" in get_system(id).how else {}  # the others do not train in steps
    learner = build(id, profile, seed)
    learner.fit(*afs.texts(known), afs.scores(known), **options)
    return np.asarray(learner.predict(*afs.texts(asked)), dtype=float)


def _digest(id: str, profile: Profile, seed: int, known, asked) -> str:
    """What an answer depends on, in sixteen letters."""
    config = asdict(settings(get_system(id).of, profile, seed))
    made_of = [VERSION, id, profile.backbone, profile.max_length, seed, config]
    text = json.dumps([made_of, list(known), list(asked)], sort_keys=True)
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def _outcome(rows: Sequence[dict], answers: np.ndarray, key: str) -> Outcome:
    topics = [row["topic"] for row in rows]
    found = afs.score_topics(afs.scores(rows), answers, topics)
    by_topic = {topic: round(one.spearman, 2) for topic, one in found.topics.items()}
    auc = {} if found.auc is None else {"auc": found.auc}
    return Outcome(
        scores={"spearman": found.spearman, "pearson": found.pearson, **auc},
        predictions={key: answers},
        info={"pairs": len(rows), "spearman by topic": by_topic},
    )
