"""Wikipedia sections (Table 4): how often is the positive closer than the negative?

Beside the score: cheap cues that no encoder needs, what a tie means, and the two ways to split.
"""

import random
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from sbert_lab.errors import InputError
from sbert_lab.experiments.evaluation.resampling import draw_counts
from sbert_lab.experiments.evaluation.vectors import Encode, column, connect, embed
from sbert_lab.words import STOP_WORDS, split_words

ROLES = ("anchor", "positive", "negative")
TIE = 1e-6  # relative: two distances that differ by less were decided by rounding

Cue = Callable[[str, str], float]  # anchor, other sentence -> larger means closer

# ---- the score


@dataclass(frozen=True)
class Answers:
    """Per triplet: was it a hit, was it a tie? Both (N,) of True and False; never both at once."""

    hits: np.ndarray
    ties: np.ndarray

    @property
    def accuracy(self) -> float:
        """Hits in points. A tie is a miss."""
        return float(100 * self.hits.mean())

    @property
    def tie_share(self) -> float:
        return float(100 * self.ties.mean())

    @property
    def with_coin(self) -> float:
        """The accuracy to expect if a coin decided the ties: half of them become hits."""
        return self.accuracy + self.tie_share / 2


def answers(encode: Encode, rows: Sequence[dict]) -> Answers:
    """Which sentence does the encoder put closer to the anchor (Euclid)?"""
    _need_rows(rows)
    anchor, positive, negative = embed(encode, *(column(rows, name) for name in ROLES))
    to_positive = np.linalg.norm(anchor - positive, axis=1)
    to_negative = np.linalg.norm(anchor - negative, axis=1)
    ties = np.abs(to_positive - to_negative) <= TIE * np.maximum(to_positive, to_negative)
    return Answers(hits=(to_positive < to_negative) & ~ties, ties=ties)


def triplet_accuracy(encode: Encode, rows: Sequence[dict]) -> float:
    """The share of triplets with the positive strictly closer (Euclid), in points; chance is 50.

    A tie is a miss: otherwise an encoder that gives one vector to everything would score 100 %.
    """
    return answers(encode, rows).accuracy


def constant_encoder(sentences: Sequence[str]) -> np.ndarray:
    """The same vector for every sentence: (N, 1). The floor that only ties can lift."""
    return np.ones((len(sentences), 1))


# ---- cheap cues


def word_overlap(first: str, second: str) -> float:
    """Shared words among all words of both sentences (Jaccard), stop words left out."""
    a, b = (set(split_words(text)) - STOP_WORDS for text in (first, second))
    return len(a & b) / max(1, len(a | b))


def names_in(sentence: str) -> set[str]:
    """Capitalised words, the sentence's first one left out: every sentence has that."""
    return {word for word in re.findall(r"[^\W_]+", sentence)[1:] if word[0].isupper()}


def shared_names(first: str, second: str) -> float:
    """How many capitalised words (names, mostly) both sentences have."""
    return float(len(names_in(first) & names_in(second)))


def same_length(first: str, second: str) -> float:
    """The closer two sentences are in length (characters), the larger; never above 0."""
    return -float(abs(len(first) - len(second)))


CUES: dict[str, Cue] = {
    "word overlap": word_overlap,
    "shared names": shared_names,
    "length": same_length,
}


def cue_answers(cue: Cue, rows: Sequence[dict]) -> Answers:
    """What a cue says about each triplet: a hit, a miss or a tie."""
    _need_rows(rows)
    triplets = list(zip(*(column(rows, name) for name in ROLES), strict=True))
    near = np.array([cue(anchor, positive) for anchor, positive, _ in triplets], dtype=float)
    far = np.array([cue(anchor, negative) for anchor, _, negative in triplets], dtype=float)
    if not (np.isfinite(near).all() and np.isfinite(far).all()):
        raise InputError("the cue gave NaN or infinity for some sentences")
    return Answers(hits=near > far, ties=near == far)


def section_memory(rows: Sequence[dict]) -> Cue:
    """A cue that reads nothing: 1 if training showed both sentences to be of one section, else 0.

    Anchor and positive are of one section; chains of such pairs are followed to their ends.
    """
    pairs = zip(column(rows, "anchor"), column(rows, "positive"), strict=True)
    section_of = connect(pairs)

    def remembered(first: str, second: str) -> float:
        return float(first in section_of and section_of[first] == section_of.get(second))

    return remembered


# ---- splits


@dataclass(frozen=True)
class Leak:
    """What training has already seen of a test set: counts, and nothing estimated."""

    articles: int
    seen_articles: int
    sentences: int
    seen_sentences: int
    triplets: int
    seen_triplets: int  # all three sentences were in training, in whatever role

    def __str__(self) -> str:
        return (
            f"articles {self.seen_articles} of {self.articles}, "
            f"sentences {self.seen_sentences:,} of {self.sentences:,}, "
            f"whole triplets {self.seen_triplets:,} of {self.triplets:,}"
        )


def split_by_article(
    rows: Sequence[dict], *, test: float = 0.15, seed: int = 1
) -> tuple[list[dict], list[dict]]:
    """(train, test): an article's triplets go to one side, all of them."""
    articles = sorted(set(column(rows, "article")))
    held_out = _draw(articles, test, seed)
    return _divide(rows, [row["article"] in held_out for row in rows])


def split_by_triplet(
    rows: Sequence[dict], *, test: float = 0.15, seed: int = 1
) -> tuple[list[dict], list[dict]]:
    """(train, test): every triplet for itself. Looks fair, but sentences come in many triplets."""
    held_out = _draw(range(len(rows)), test, seed)
    return _divide(rows, [number in held_out for number in range(len(rows))])


def leak(train: Sequence[dict], test: Sequence[dict]) -> Leak:
    """Count what of `test` stands in `train`."""
    _need_rows(train)
    _need_rows(test)
    known = {sentence for name in ROLES for sentence in column(train, name)}
    asked = {sentence for name in ROLES for sentence in column(test, name)}
    articles = set(column(test, "article"))
    whole = [all(row[name] in known for name in ROLES) for row in test]
    return Leak(
        articles=len(articles),
        seen_articles=len(articles & set(column(train, "article"))),
        sentences=len(asked),
        seen_sentences=len(asked & known),
        triplets=len(test),
        seen_triplets=sum(whole),
    )


def _draw(things: Sequence, share: float, seed: int) -> set:
    count = round(share * len(things))
    if not 0 < count < len(things):
        raise InputError(
            f"a test share of {share!r} takes {count} of {len(things)}: both sides need some"
        )
    return set(random.Random(seed).sample(list(things), count))


def _divide(rows: Sequence[dict], held_out: list[bool]) -> tuple[list[dict], list[dict]]:
    train = [dict(row) for row, out in zip(rows, held_out, strict=True) if not out]
    return train, [dict(row) for row, out in zip(rows, held_out, strict=True) if out]


def _need_rows(rows: Sequence[dict]) -> None:
    if not hasattr(rows, "__len__") or len(rows) == 0:
        raise InputError(f"there are no triplets to score: got {type(rows).__name__}")


# ---- differences


def bootstrap_difference(
    hits_a: np.ndarray,
    hits_b: np.ndarray,
    *,
    groups: Sequence | None = None,
    samples: int = 1000,
    seed: int = 0,
) -> np.ndarray:
    """Accuracy of a minus accuracy of b (points) on resampled items: (samples,).

    Works for anything that is right or wrong per item. Several seeds come as (seeds, N). With
    `groups` (N,), such as each item's article, whole groups are drawn: if items of one article are
    hard or easy together, then the interval is wider, and more honest.
    """
    given = {"groups": groups, "samples": samples, "seed": seed}
    first, second = (np.shape(hits)[-1] for hits in (hits_a, hits_b))
    if first != second or not first:
        raise InputError(f"both systems must answer the same items, got {first} and {second}")
    a, b = (bootstrap_hits(hits, **given).mean(axis=0) for hits in (hits_a, hits_b))
    return a - b


def bootstrap_hits(
    hits: np.ndarray, *, groups: Sequence | None = None, samples: int = 1000, seed: int = 0
) -> np.ndarray:
    """Accuracy (points) of each run on resampled items: (N,) or (seeds, N) -> (seeds, samples)."""
    runs = np.atleast_2d(np.asarray(hits, dtype=float))
    if not np.isfinite(runs).all():
        raise InputError("there are NaN or infinite values among the answers")
    blocks = draw_counts(runs.shape[1], groups=groups, samples=samples, seed=seed)
    return 100 * np.concatenate([runs @ (c / c.sum(axis=1, keepdims=True)).T for c in blocks], 1)
