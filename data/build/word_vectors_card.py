"""The cards of the word vectors. Every number in them is computed here or handed in."""

import os

import numpy as np

from sbert_lab import data
from sbert_lab.experiments.evaluation import sts
from sbert_lab.word_vectors import WordVectors

TITLES = {
    "word-vectors": "Word vectors, GloVe-like",
    "subword-vectors": "Word vectors with hashed n-grams, fastText-like",
}
SETS = (("stsb", "dev"), ("stsb", "test"), ("sick", "test"))
TEXT = """\
Made by `data/build/word_vectors.py` from exactly the text that mini-bert and mini-roberta were \
pretrained on (`data/build/pretraining_text.py`): training splits of SNLI (partial), MultiNLI \
(partial), WikiText-2 and Tatoeba, and the training text of data/mini. Nothing of any STS set, nor \
any dev or test split."""
HOW = """\
Counts of words that stand together (within {window} words, a pair at distance d counts 1/d, never \
across two texts), turned into positive pointwise mutual information (context counts to the power \
{smoothing}, shifted by log {shift:g}), then the {dimension} strongest directions of a truncated \
SVD, each weighted by its singular value to the power {spectrum}. This factorises the same counts \
that GloVe's regression does; it was chosen because it takes a minute. \
The shift leaves very frequent words with hardly any vector, so dropping stop words changes little \
(in glove.6B it changes a lot). Shift and n-gram settings were chosen on STSb dev, never on test."""
SUBWORD = """\
{buckets:,} further vectors belong to hashed character n-grams of {shortest} to {longest} letters \
(FNV-1a, < and > around the word). They are fitted by ridge regression so that their mean comes \
near each word's vector. A known word gets the mean of its own vector and its n-grams' mean, an \
unknown one its n-grams' mean."""
LIMITS = """\
English only, lower case, one vector per word whatever it means in its sentence, no word order: \
"dog bites man" and "man bites dog" are the same. A sentence without any known word gives zeros. \
The text is small and from image captions, fiction, telephone talk, encyclopedia articles and \
example sentences; what people assume about each other there is in the vectors too."""


def spearman(vectors: WordVectors, name: str, split: str, profile: str, *, drop: bool) -> float:
    """Spearman x100 of averaged vectors on one STS set."""

    def encode(sentences: list[str]) -> np.ndarray:
        return vectors.encode(sentences, drop_stop_words=drop)

    return sts.score_pairs(encode, data.load(name, split, profile=profile)).spearman


def score_table(vectors: WordVectors) -> str:
    """Spearman on real and mini sets, with and without stop words."""
    lines = ["| data | set | pairs | all words | without stop words |", "|---|---|---|---|---|"]
    for profile in ("real", "mini"):
        if profile == "real" and not os.environ.get("SBERT_LAB_DATA"):
            continue
        for name, split in SETS:
            pairs = len(data.load(name, split, profile=profile))
            both = [spearman(vectors, name, split, profile, drop=drop) for drop in (False, True)]
            lines.append(
                f"| {profile} | {name} {split} | {pairs:,} | {both[0]:.1f} | {both[1]:.1f} |"
            )
    return "\n".join(lines)


def write_card(name: str, vectors: WordVectors, settings, facts: dict[str, object]) -> str:
    """The README.md of a folder."""
    paragraphs = [
        f"# {name}: {TITLES[name]}",
        f"{len(vectors):,} words, {vectors.dimension} dimensions, stored in half precision.\n"
        + TEXT,
        "## How\n" + HOW.format(**vars(settings)),
        "## The text\n" + "\n".join(f"- {key}: {_number(value)}" for key, value in facts.items()),
        "## Scores\nSpearman x100 of the cosine of averaged vectors, computed when this card was "
        "written.\n\n" + score_table(vectors),
        "## Limits\n" + LIMITS,
        "## Licence\nApache-2.0, as the repository. The texts keep their own: SNLI CC BY-SA 4.0, "
        "MultiNLI mixed and free to use, WikiText CC BY-SA, Tatoeba CC BY 2.0 FR.",
    ]
    if vectors.buckets is not None:
        shortest, longest = settings.ngrams
        text = SUBWORD.format(buckets=settings.buckets, shortest=shortest, longest=longest)
        paragraphs[2] += "\n\n" + text
    return "\n\n".join(paragraphs) + "\n"


def _number(value: object) -> str:
    return f"{value:,}" if isinstance(value, int) else f"{value:.3g}"
