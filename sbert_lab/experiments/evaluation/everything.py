"""One encoder, everything that is cheap: similarity, sections, classifiers, duplicate questions.

    from sbert_lab.experiments.evaluation import everything

    tests = everything.load_tests()
    scores = everything.score(encoder.encode, tests)      # {"sts12": 51.2, ..., "questions": 63.3}

All scores are in points; larger is better. What a profile does not have at hand is left out and
named in `tests.missing`. A test is fair only to encoders that never saw its rows: train on
`question_split(...).train`, never on all of quora.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
import pandas as pd

from sbert_lab import data
from sbert_lab.errors import DataError, InputError, LabError, OutOfReachError
from sbert_lab.experiments.evaluation import sections, senteval, sts_sets
from sbert_lab.experiments.evaluation.retrieval import (
    Collection,
    QuestionSplit,
    reciprocal_ranks,
    split_questions,
)
from sbert_lab.experiments.evaluation.vectors import Encode, embed
from sbert_lab.experiments.triplets import section_triplets
from sbert_lab.profiles import Profile, as_profile
from sbert_lab.vectors import unit_rows

TASKS = ("cr", "trec", "mrpc")  # an opinion, a kind of question, a pair: one of each sort
STS_AVERAGE, SECTIONS, CLASSIFIERS, QUESTIONS = "sts", "sections", "senteval", "questions"
SUMMARY = (STS_AVERAGE, SECTIONS, CLASSIFIERS, QUESTIONS)
MEANING = {
    STS_AVERAGE: "mean Spearman of the cosine over the STS sets",
    SECTIONS: "triplets with the positive closer, per cent; chance is 50",
    CLASSIFIERS: "mean accuracy of a logistic regression on the vectors",
    QUESTIONS: "mean reciprocal rank of a question's duplicate",
}


@dataclass(frozen=True)
class Tests:
    """The test rows of one profile. `about` says how many each part has, `missing` what is not."""

    sts: Mapping[str, Sequence[dict]] = field(default_factory=dict)
    triplets: Sequence[dict] = ()
    tasks: Mapping[str, senteval.Task] = field(default_factory=dict)
    protocol: senteval.Protocol = senteval.MINI
    questions: Collection | None = None
    about: Mapping[str, str] = field(default_factory=dict)
    missing: Mapping[str, str] = field(default_factory=dict)

    __test__ = False  # pytest collects classes by this name otherwise


def load_tests(profile: str | Profile | None = None, tasks: Sequence[str] = TASKS) -> Tests:
    """Everything that is here in a profile. A SentEval task that is absent takes only itself out.

    The classifiers use the mini protocol in every profile: it is the cheap one.
    """
    scale = as_profile(profile)
    missing: dict[str, str] = {}
    found = _attempt(lambda: sts_sets.load_sets(scale), STS_AVERAGE, missing) or {}
    triplets = _attempt(lambda: _triplets(scale), SECTIONS, missing) or ()
    loaded = {
        name: _attempt(lambda name=name: senteval.load_task(name, profile=scale), name, missing)
        for name in tasks
    }
    loaded = {name: task for name, task in loaded.items() if task is not None}
    split = _attempt(lambda: question_split(scale), QUESTIONS, missing)
    about = {name: f"{len(rows):,} pairs" for name, rows in found.items()}
    about |= {SECTIONS: f"{len(triplets):,} triplets"} if len(triplets) else {}
    about |= {name: f"{len(task.labels):,} rows" for name, task in loaded.items()}
    if split is not None:
        test = split.test
        about[QUESTIONS] = f"{len(test.queries):,} queries, {len(test.questions):,} questions"
    return Tests(
        sts=found,
        triplets=triplets,
        tasks=loaded,
        questions=split.test if split else None,
        about=about,
        missing=missing,
    )


def question_split(profile: str | Profile | None = None) -> QuestionSplit:
    """The duplicate questions, cut as `load_tests` cuts them: train on `.train` only."""
    scale = as_profile(profile)
    rows = data.load("quora", "train", profile=scale)
    return split_questions(list(rows))


def score(encode: Encode, tests: Tests) -> dict[str, float]:
    """All scores of one encode function, in points: each test, then the four of SUMMARY."""
    if not (tests.sts or len(tests.triplets) or tests.tasks or tests.questions):
        raise InputError("there is nothing to score on: load_tests() gave no test at all")
    known = senteval.remember(encode)
    found: dict[str, float] = {}
    summary: dict[str, float] = {}
    if tests.sts:
        look_up = sts_sets.encode_once(known, tests.sts)
        each = sts_sets.score_sets(tests.sts, sts_sets.predict_sets(look_up, tests.sts))
        found |= {name: one.all for name, one in each.items()}
        summary[STS_AVERAGE] = sts_sets.average(each)
    if len(tests.triplets):
        summary[SECTIONS] = sections.triplet_accuracy(known, tests.triplets)
    if tests.tasks:
        hits = {n: senteval.score_task(known, t, tests.protocol) for n, t in tests.tasks.items()}
        found |= {name: one.accuracy for name, one in hits.items()}
        summary[CLASSIFIERS] = float(np.mean([one.accuracy for one in hits.values()]))
    if tests.questions is not None:
        summary[QUESTIONS] = question_rank(known, tests.questions)
    return found | summary


def question_rank(encode: Encode, test: Collection) -> float:
    """The mean reciprocal rank (points) of each query's duplicate, by cosine."""
    queries, questions = embed(encode, test.queries, test.questions)
    if not (queries.any(axis=1).all() and questions.any(axis=1).all()):
        raise InputError("a question has a vector of zeros: its cosine is not defined")
    cosines = unit_rows(queries) @ unit_rows(questions).T  # (Q, N)
    ranks = reciprocal_ranks(np.round(cosines, 12), test.relevant)
    return float(100 * ranks.mean())


def frame(rows: Mapping[str, Mapping[str, float]], *, digits: int = 1) -> pd.DataFrame:
    """Several encoders side by side: systems x scores, as texts; '-' where there is none."""
    if not rows:
        raise InputError("there are no scores to show")
    columns = list(dict.fromkeys(name for scores in rows.values() for name in scores))
    lines = {
        name: [f"{scores[c]:.{digits}f}" if c in scores else "-" for c in columns]
        for name, scores in rows.items()
    }
    return pd.DataFrame.from_dict(lines, orient="index", columns=columns)


def _triplets(profile: Profile) -> Sequence[dict]:
    """The test triplets; in profile real those built from articles where the official are not."""
    try:
        return data.load("wiki_sections", "test", profile=profile)
    except (DataError, OutOfReachError):
        if not profile.built_sections:
            raise
        return section_triplets("test")


def _attempt(load, name: str, missing: dict[str, str]):
    """What `load()` gives, or None and the reason in `missing`. Only profile mini has it all."""
    try:
        return load()
    except (DataError, OutOfReachError) as error:
        missing[name] = str(error)
        return None
    except InputError as error:
        raise LabError(f"{name}: {error}") from error
