"""The training rows of a recipe, and their digest. Most recipes read a corpus as it is.

Three kinds of rows are made here:
- wiki_sections in profile real: triplets built from WikiText-2's training articles;
- questions-forum: pairs for in-batch negatives, of questions that people called duplicates and of
  arguments that people called alike. USE read question-answer pages and forums, which are not to be
  had; in-batch negatives is the nearest to its task of finding a question's answer among others.
  The arguments are Table 3's, so no system with these rows may be scored there;
- neighbours: pairs of sentences that follow each other in a training article; headings are skipped,
  so that no section label is seen.
"""

import random
from collections.abc import Callable
from dataclasses import dataclass

from sbert_lab import data
from sbert_lab.data.formats.wikipedia import read_articles
from sbert_lab.data.local import find_files, local_copy
from sbert_lab.data.registry import get_corpus
from sbert_lab.errors import DataError, require_choice
from sbert_lab.experiments.recipes import Recipe
from sbert_lab.experiments.triplets import section_triplets, split_sentences
from sbert_lab.paths import data_dir
from sbert_lab.profiles import Profile

PER_ARTICLE = 14  # triplets from one WikiText article: about 8,000 in all
NEIGHBOURS = 8_000
ALIKE = {"afs": 0.6, "ukp_aspect": 0.5}  # from which score on two arguments count as a pair
SHUFFLE_SEED = 0
ARTICLES = ("mini", "wiki_sections", "train_articles.txt")  # for neighbours in mini
VERSION = 1  # of what the functions below do; part of every digest


@dataclass(frozen=True)
class Rows:
    """Training rows (a Dataset or a list of dicts) and what they are."""

    rows: object
    text: str
    partial: bool

    def about(self) -> dict:
        return {"text": self.text, "partial": self.partial, "rows": len(self.rows)}


def rows_of(recipe: Recipe, profile: Profile) -> Rows:
    """What a recipe trains on in a profile; with recipe.shuffled the answers are dealt out anew."""
    make = _MAKERS.get(recipe.corpus)
    found = make(recipe, profile) if make else _corpus(recipe, profile)
    return _shuffled(found) if recipe.shuffled else found


def sources_of(recipe: Recipe, profile: Profile) -> list[tuple[str, str]]:
    """The corpora and splits that the rows are made from: what a digest must cover."""
    if recipe.corpus == "wiki_sections":
        return [("wikitext2", "train")] if _builds_sections(profile) else [_own(recipe, profile)]
    if recipe.corpus == "questions-forum":
        return [("quora", "train"), (_forum(profile), "all")]
    if recipe.corpus == "neighbours":
        return [("wiki_sections" if profile.own_data else "wikitext2", "train")]
    return [_own(recipe, profile)]


def _own(recipe: Recipe, profile: Profile) -> tuple[str, str]:
    return corpus_of(recipe.corpus, profile), recipe.split


def _corpus(recipe: Recipe, profile: Profile) -> Rows:
    name, split = _own(recipe, profile)
    covered = data.coverage(name, split, profile=profile)
    if name != profile.nli:
        return Rows(data.load(name, split, profile=profile), str(covered), covered.partial)
    rows = nli_pairs(profile)
    used = f", {len(rows):,} of them used" if len(rows) < covered.rows else ""
    return Rows(rows, f"{covered}{used}", covered.partial)


def corpus_of(name: str, profile: Profile) -> str:
    """The corpus that a recipe means: which one is "nli" depends on the profile."""
    return profile.nli if name == "nli" else name


def nli_pairs(profile: Profile):
    """The NLI pairs that a profile trains on: all, or the same part of them for everybody."""
    rows = data.load(profile.nli, "train", profile=profile)
    most = profile.nli_pairs or len(rows)
    return rows.shuffle(seed=SHUFFLE_SEED).select(range(most)) if most < len(rows) else rows


# ---- sections and neighbours


def _builds_sections(profile: Profile) -> bool:
    """Profile real has no section triplets of Ein Dor et al. unless the local copy has them."""
    local = _is_local("wikitext2", "train") and not _is_local("wiki_sections", "train")
    return profile.built_sections and local


def _is_local(name: str, split: str) -> bool:
    root = local_copy()
    return bool(root and find_files(get_corpus(name), split, root))


def _sections(recipe: Recipe, profile: Profile) -> Rows:
    if not _builds_sections(profile):
        return _corpus(recipe, profile)
    rows = section_triplets(recipe.split, per_article=PER_ARTICLE)
    return Rows(rows, f"{len(rows):,} triplets built from WikiText-2 articles", True)


def _neighbours(recipe: Recipe, profile: Profile) -> Rows:
    if profile.own_data:
        pairs = _following_lines()
        return Rows(pairs, f"{len(pairs):,} pairs of following sentences in our articles", False)
    if not _is_local("wikitext2", "train"):
        raise DataError(
            f"{recipe.name} learns from running text, WikiText-2: put it into a folder and set "
            "SBERT_LAB_DATA to it (`sbert-lab data list` says where it belongs)"
        )
    pairs = _following_sentences()
    return Rows(pairs, f"{len(pairs):,} pairs of following sentences in WikiText-2 articles", True)


def _following_lines() -> list[dict]:
    """Mini's training articles have a sentence on each line."""
    pairs = []
    for article in read_articles(data_dir(*ARTICLES)):
        lines = [line for section in article.sections.values() for line in section]
        pairs += [{"anchor": a, "positive": b} for a, b in zip(lines, lines[1:], strict=False)]
    return pairs


def _following_sentences() -> list[dict]:
    pairs = []
    for path in find_files(get_corpus("wikitext2"), "train", local_copy()):
        for article in read_articles(path):
            for paragraph in (text for texts in article.sections.values() for text in texts):
                sentences = split_sentences(paragraph)
                following = zip(sentences, sentences[1:], strict=False)
                pairs += [{"anchor": a, "positive": b} for a, b in following]
    return random.Random(0).sample(pairs, min(NEIGHBOURS, len(pairs)))


# ---- questions and forum


def _forum(profile: Profile) -> str:
    """Arguments of internet debates: AFS, or UKP ASPECT where AFS is not to be had."""
    return "afs" if _is_local("afs", "all") else profile.more_arguments or profile.arguments


def _questions_forum(recipe: Recipe, profile: Profile) -> Rows:
    forum = _forum(profile)
    questions = [r for r in data.load("quora", "train", profile=profile) if r["label"] == 1]
    arguments = [r for r in data.load(forum, "all", profile=profile) if r["score"] >= ALIKE[forum]]
    chosen = [*questions, *arguments]
    pairs = [{"anchor": r["sentence1"], "positive": r["sentence2"]} for r in chosen]
    text = f"{len(questions):,} duplicate questions (quora), {len(arguments):,} pairs of {forum}"
    return Rows(pairs, text, profile.partial)


_MAKERS: dict[str, Callable[[Recipe, Profile], Rows]] = {
    "wiki_sections": _sections,
    "questions-forum": _questions_forum,
    "neighbours": _neighbours,
}


# ---- the floor


def _shuffled(found: Rows) -> Rows:
    """The same pairs, the same answers, but no answer belongs to its pair any more."""
    rows = [dict(row) for row in found.rows]
    answer = next((name for name in ("label", "score") if name in rows[0]), "none")
    require_choice("column to shuffle", answer, ("label", "score"))
    answers = [row[answer] for row in rows]
    random.Random(SHUFFLE_SEED).shuffle(answers)
    mixed = [{**row, answer: value} for row, value in zip(rows, answers, strict=True)]
    return Rows(mixed, f"{found.text}, {answer}s shuffled", found.partial)
