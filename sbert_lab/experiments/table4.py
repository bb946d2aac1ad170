"""Table 4: Wikipedia sections. Accuracy on triplets of articles that training never saw.

In profile real the triplets are built from WikiText-2: training articles from its train file, test
articles from its valid and test files. In mini and paper they are the corpus wiki_sections.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np

from sbert_lab import data
from sbert_lab.data.local import local_copy
from sbert_lab.experiments import minilm
from sbert_lab.experiments.evaluation import sections

if TYPE_CHECKING:
    from sbert_lab.experiments.results import Outcome, Results, Row
    from sbert_lab.profiles import Profile

TABLE = 4
CORPUS = "wiki_sections"
PER_ARTICLE = 25  # test triplets from one WikiText-2 article: about 3,000 in all
BLOCK = 250  # triplets that are encoded at once: tf-idf's rows are long
HITS, TIES = "hits", "ties"

# Ours, the zoo's name, the paper's row, what it is. All are trained, with profile.seeds seeds.
TRAINED = (
    (
        "skip-thoughts",
        "skip-thoughts",
        "skip-thoughts-CS",
        "BiLSTM; learned which sentences follow each other in running text",
    ),
    ("Dor et al.", "dor-sections", "Dor et al.", "BiLSTM with the triplet loss"),
    ("SBERT-WikiSec", "sbert-sections", "SBERT-WikiSec-base", "triplet loss, MEAN pooling"),
    (
        "SRoBERTa-WikiSec",
        "sroberta-sections",
        "SRoBERTa-WikiSec-base",
        "the same from the RoBERTa backbone",
    ),
)
LEAKY = "SBERT, split by triplet"
# The rows that C16 compares, in the order of its parts.
CLAIMED = {
    "SBERT - BiLSTM": ("SBERT-WikiSec", "Dor et al."),
    "BiLSTM - mean vectors": ("Dor et al.", "mean vectors"),
    "mean vectors - skip-thoughts": ("mean vectors", "skip-thoughts"),
}


def triplets(profile: Profile, split: str) -> list[dict[str, str]]:
    """Rows with anchor, positive, negative and article; split is 'train' or 'test'.

    In real, test triplets with a sentence that also stands in a training article are left out:
    encyclopedias repeat whole sentences, even across articles.
    """
    if profile.name != "real":
        return list(data.load(CORPUS, split, profile=profile))
    if split == "train":
        from sbert_lab.experiments import zoo

        return list(zoo.rows_of(zoo.get_recipe("sbert-sections"), profile).rows)
    return list(_wikitext_test(str(local_copy())))


def rows(profile: Profile) -> list[Row]:
    """Cheap cues first, then untrained and trained systems; the floors last."""
    from sbert_lab.experiments.results import Row

    def row(name: str, system: Callable[[Profile, int], object], note: str, **given) -> Row:
        def run(seed: int) -> Outcome:
            return _outcome(_answers(system(profile, seed).encode, triplets(profile, "test")))

        return Row(name=name, run=run, note=note, **given)

    found = [_cue_row(profile, name) for name in sections.CUES]
    found += [
        row("tf-idf", _tfidf, "weights from the training triplets' sentences", kind="extra"),
        row("mean vectors", _words, "word vectors of our own, averaged", paper="mean-vectors"),
        row("raw MEAN", _raw, f"{profile.backbone} as it is, MEAN pooling", kind="extra"),
    ]
    for name, system, in_paper, note in TRAINED:
        found.append(row(name, _from_zoo(system), note, seeds=profile.seeds, paper=in_paper))
    if profile.name != "paper":
        note = "tuned on NLI (in-batch negatives), no sections"
        found.append(row("mini-sbert", _mini_sbert, note, kind="extra"))
    if profile.name == "real" and minilm.is_here():
        found.append(row(minilm.NAME, minilm.load, minilm.NOTE, kind="extra"))
    found.append(_leaky_row(profile))
    for name, system, note in (
        ("random weights", _random, "untrained network with random weights, MEAN pooling"),
        ("shuffled roles", _shuffled, "as SBERT-WikiSec, but a coin swaps positive and negative"),
        ("constant", _constant, "one vector for every sentence: nothing but ties"),
    ):
        found.append(row(name, system, note, kind="floor"))
    return found


def gold(profile: Profile) -> dict[str, np.ndarray]:
    """The article of each test triplet, numbered: what a bootstrap over whole articles needs."""
    names = [row["article"] or "" for row in triplets(profile, "test")]
    return {"article": np.unique(names, return_inverse=True)[1].astype(np.float64)}


def data_seen(profile: Profile) -> str:
    """How many triplets, of how many articles."""
    if profile.name != "real":
        splits = ("train", "test")
        return "; ".join(f"{s}: {data.coverage(CORPUS, s, profile=profile)}" for s in splits)
    parts = []
    for split in ("train", "test"):
        chosen = triplets(profile, split)
        count = len({row["article"] for row in chosen})
        parts.append(f"{split}: {len(chosen):,} triplets of {count} WikiText-2 articles")
    return "; ".join(parts)


def claims(results: Results) -> dict[str, dict[str, np.ndarray]]:
    """C16: bootstrapped differences of accuracy in points, each system's seeds averaged."""
    return {"C16": differences(results)}


def differences(results: Results, *, by_article: bool = False) -> dict[str, np.ndarray]:
    """The three parts of C16; `by_article` resamples whole articles instead of triplets."""
    groups = results.gold("article") if by_article else None
    return {
        part: sections.bootstrap_difference(
            results.predictions(first, HITS), results.predictions(second, HITS), groups=groups
        )
        for part, (first, second) in CLAIMED.items()
    }


# ---- data


@lru_cache(maxsize=1)
def _wikitext_test(root: str) -> tuple[dict[str, str], ...]:
    known = _sentences(data.section_triplets("train"))
    found = [
        row
        for name in ("dev", "test")
        for row in data.section_triplets(name, per_article=PER_ARTICLE)
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


def _answers(encode: sections.Encode, rows: Sequence[dict]) -> sections.Answers:
    """sections.answers(), block by block: keeps the memory small."""
    found = [sections.answers(encode, rows[i : i + BLOCK]) for i in range(0, len(rows), BLOCK)]
    return sections.Answers(
        hits=np.concatenate([one.hits for one in found]),
        ties=np.concatenate([one.ties for one in found]),
    )


def _outcome(found: sections.Answers) -> Outcome:
    from sbert_lab.experiments.results import Outcome

    return Outcome(
        scores={
            "accuracy": found.accuracy,
            "ties": found.tie_share,
            "with a coin": found.with_coin,
        },
        predictions={HITS: found.hits.astype(float), TIES: found.ties.astype(float)},
    )


def _cue_row(profile: Profile, name: str) -> Row:
    from sbert_lab.experiments.results import Row

    def run(seed: int) -> Outcome:
        return _outcome(sections.cue_answers(sections.CUES[name], triplets(profile, "test")))

    note = sections.CUES[name].__doc__.splitlines()[0].rstrip(".")
    return Row(name=name, run=run, kind="extra", note=note)


def _leaky_row(profile: Profile) -> Row:
    """What a careless split would have reported: same articles in training and test."""
    from sbert_lab.experiments.results import Outcome, Row

    def run(seed: int) -> Outcome:
        known, asked = sections.split_by_triplet(triplets(profile, "train"), seed=seed)
        raw = sections.triplet_accuracy(_raw(profile, seed).encode, asked)
        trained = sections.answers(_trained(profile, known, seed).encode, asked)
        return Outcome(
            scores={"leaky": trained.accuracy, "leaky, raw": raw},
            predictions={"leaky hits": trained.hits.astype(float)},
            info={"leak": str(sections.leak(known, asked))},
        )

    return Row(name=LEAKY, run=run, kind="extra", note="tested on articles of its own training")


# ---- the systems, each (profile, seed) -> something with encode()


def _from_zoo(name: str) -> Callable[[Profile, int], object]:
    def system(profile: Profile, seed: int) -> object:
        from sbert_lab.experiments import zoo

        return zoo.get(name, seed=seed, profile=profile, show_progress=False)

    return system


def _trained(profile: Profile, rows: Sequence[dict], seed: int) -> object:
    """The raw encoder after these triplets, with the settings of the zoo's sbert-sections."""
    import tempfile
    from dataclasses import replace

    from sbert_lab.tasks import Siamese
    from sbert_lab.training import train

    encoder, config = _raw(profile, seed), replace(profile.sections, seed=seed)
    with tempfile.TemporaryDirectory() as folder:
        task = Siamese(encoder, "triplet", seed=seed)
        train(task, rows, config, run_dir=folder, show_progress=False)
    return encoder


def _tfidf(profile: Profile, seed: int) -> object:
    from sbert_lab.experiments.baselines.tfidf import TfIdf

    return TfIdf(sorted(_sentences(triplets(profile, "train"))))


def _words(profile: Profile, seed: int) -> object:
    from sbert_lab.word_vectors import WordVectors

    return WordVectors.load("word-vectors")


def _raw(profile: Profile, seed: int) -> object:
    from sbert_lab.encoder import SentenceEncoder

    return SentenceEncoder.load(profile.backbone, pooling="mean", max_length=profile.max_length)


def _mini_sbert(profile: Profile, seed: int) -> object:
    from sbert_lab.encoder import SentenceEncoder

    return SentenceEncoder.load("mini-sbert")


def _random(profile: Profile, seed: int) -> object:
    from sbert_lab.experiments import zoo

    return zoo.random_encoder(profile, seed, pooling="mean")


def _shuffled(profile: Profile, seed: int) -> object:
    return _trained(profile, swap_roles(triplets(profile, "train"), seed), seed)


class _Constant:
    encode = staticmethod(sections.constant_encoder)


def _constant(profile: Profile, seed: int) -> object:
    return _Constant()
