"""Table 4: Wikipedia sections. Accuracy on triplets of articles that training never saw.

In profile real the triplets are built from WikiText-2: training articles from its train file, test
articles from its valid and test files. In mini and paper they are the corpus wiki_sections.
"""

from collections.abc import Sequence
from dataclasses import replace
from functools import lru_cache, partial

import numpy as np

from sbert_lab import data
from sbert_lab.data.local import local_copy
from sbert_lab.experiments import lines, zoo
from sbert_lab.experiments.baselines.tfidf import TfIdf
from sbert_lab.experiments.building import build, train_task
from sbert_lab.experiments.evaluation import sections
from sbert_lab.experiments.results import Outcome, Results, Row
from sbert_lab.experiments.systems import name_of
from sbert_lab.experiments.triplets import section_triplets
from sbert_lab.profiles import Profile
from sbert_lab.tasks import Siamese

TABLE = 4
CORPUS = "wiki_sections"
PER_ARTICLE = 25  # test triplets from one WikiText-2 article: about 3,000 in all
BLOCK = 250  # triplets that are encoded at once: tf-idf's rows are long
HITS, TIES = "hits", "ties"

CUES = ("cue-overlap", "cue-names", "cue-length")
TRAINED = ("skip-thoughts", "dor-sections", "sbert-sections", "sroberta-sections")
SBERT, BILSTM, WORDS, SKIP, LEAKY = map(
    name_of,
    ("sbert-sections", "dor-sections", "word-vectors", "skip-thoughts", "sbert-sections-leaky"),
)
# The rows that C16 compares, in the order of its parts.
CLAIMED = {
    "SBERT - BiLSTM": (SBERT, BILSTM),
    "BiLSTM - averaged word vectors": (BILSTM, WORDS),
    "averaged word vectors - skip-thoughts": (WORDS, SKIP),
}


def triplets(profile: Profile, split: str) -> list[dict[str, str]]:
    """Rows with anchor, positive, negative and article; split is 'train' or 'test'.

    In real, test triplets with a sentence that also stands in a training article are left out:
    encyclopedias repeat whole sentences, even across articles.
    """
    if not profile.built_sections:
        return list(data.load(CORPUS, split, profile=profile))
    if split == "train":
        return list(zoo.rows_of(zoo.get_recipe("sbert-sections"), profile).rows)
    return list(_wikitext_test(str(local_copy())))


def rows(profile: Profile) -> list[Row]:
    """Cheap cues first, then untrained and trained systems; the floors last."""

    def score(system: object) -> Outcome:
        return _outcome(_answers(system, triplets(profile, "test")))

    row = partial(lines.row, profile=profile, score=score)
    return [
        *(row(id) for id in CUES),
        row("tf-idf", make=_tfidf, beside=True),
        row("word-vectors", paper="mean-vectors"),
        row("raw-mean", beside=True),
        *(row(id) for id in TRAINED),
        row("mini-sbert"),
        *([row("minilm")] if profile.minilm else []),
        row("sbert-sections-leaky", run=partial(_leaky, profile)),
        row("random-weights"),
        row("sbert-sections-shuffled", make=_shuffled),
        row("constant"),
    ]


def gold(profile: Profile) -> dict[str, np.ndarray]:
    """The article of each test triplet, numbered: what a bootstrap over whole articles needs."""
    names = [row["article"] or "" for row in triplets(profile, "test")]
    return {"article": np.unique(names, return_inverse=True)[1].astype(np.float64)}


def data_seen(profile: Profile) -> str:
    """How many triplets, of how many articles."""
    if not profile.built_sections:
        splits = ("train", "test")
        return "; ".join(f"{s}: {data.coverage(CORPUS, s, profile=profile)}" for s in splits)
    parts = []
    for split in ("train", "test"):
        chosen = triplets(profile, split)
        count = len({row["article"] for row in chosen})
        parts.append(f"{split}: {len(chosen):,} triplets of {count} WikiText-2 articles")
    return "; ".join(parts)


def claims(results: Results) -> dict[str, dict[str, np.ndarray]]:
    """C16: bootstrapped differences of accuracy in points, whole articles and seeds resampled.

    Where the articles have no names, as in the hub's copy, single triplets.
    """
    return {"C16": differences(results, by_article=len(np.unique(results.gold("article"))) > 1)}


def differences(results: Results, *, by_article: bool = False) -> dict[str, np.ndarray]:
    """The three parts of C16; `by_article` resamples whole articles instead of triplets."""
    draw = partial(lines.accuracies(results), key=HITS, groups="article" if by_article else None)
    return {part: draw(first) - draw(second) for part, (first, second) in CLAIMED.items()}


# ---- data


@lru_cache(maxsize=1)
def _wikitext_test(root: str) -> tuple[dict[str, str], ...]:
    known = _sentences(section_triplets("train"))
    found = [
        row for name in ("dev", "test") for row in section_triplets(name, per_article=PER_ARTICLE)
    ]
    return tuple(row for row in found if known.isdisjoint(_sentences([row])))


def _sentences(rows: Sequence[dict]) -> set[str]:
    return {row[role] for row in rows for role in sections.ROLES}


def swap_roles(rows: Sequence[dict], seed: int) -> list[dict]:
    """The triplets with positive and negative swapped wherever a fair coin says so."""
    heads = np.random.default_rng(seed).random(len(rows)) < 0.5
    return [
        {**row, "positive": row["negative"], "negative": row["positive"]} if head else dict(row)
        for row, head in zip(rows, heads, strict=True)
    ]


# ---- rows


def _answers(system: object, rows: Sequence[dict]) -> sections.Answers:
    """What a system says about each triplet, block by block: keeps the memory small."""
    if hasattr(system, "predict"):  # a cue: no vectors, so no memory to keep small
        return sections.cue_answers(lambda a, b: system.predict([a], [b])[0], rows)
    blocks = [rows[i : i + BLOCK] for i in range(0, len(rows), BLOCK)]
    found = [sections.answers(system.encode, block) for block in blocks]
    return sections.Answers(
        hits=np.concatenate([one.hits for one in found]),
        ties=np.concatenate([one.ties for one in found]),
    )


def _outcome(found: sections.Answers) -> Outcome:
    return Outcome(
        scores={
            "accuracy": found.accuracy,
            "ties": found.tie_share,
            "with a coin": found.with_coin,
        },
        predictions={HITS: found.hits.astype(float), TIES: found.ties.astype(float)},
    )


def _leaky(profile: Profile, seed: int) -> Outcome:
    """What a careless split would have reported: same articles in training and test."""
    known, asked = sections.split_by_triplet(triplets(profile, "train"), seed=seed)
    raw = sections.triplet_accuracy(build("raw-mean", profile).encode, asked)
    trained = sections.answers(_trained(profile, known, seed).encode, asked)
    return Outcome(
        scores={"leaky": trained.accuracy, "leaky, raw": raw},
        predictions={"leaky hits": trained.hits.astype(float)},
        info={"leak": str(sections.leak(known, asked))},
    )


# ---- what this table makes itself


def _trained(profile: Profile, rows: Sequence[dict], seed: int) -> object:
    """The raw encoder after these triplets, with the settings of the zoo's sbert-sections."""
    encoder = build("raw-mean", profile)
    train_task(Siamese(encoder, "triplet", seed=seed), rows, replace(profile.sections, seed=seed))
    return encoder


def _shuffled(profile: Profile, seed: int) -> object:
    return _trained(profile, swap_roles(triplets(profile, "train"), seed), seed)


def _tfidf(profile: Profile, seed: int) -> object:
    return TfIdf(sorted(_sentences(triplets(profile, "train"))))
