"""Section triplets built from WikiText, the way Ein Dor et al. (2018) built theirs.

Anchor and positive are two sentences of one section, the negative is a sentence of another section
of the same article. An article belongs to one split only: knowing the article does not help.
"""

import random
import re
from collections.abc import Iterable, Sequence

from sbert_lab.data.formats.wikipedia import Article, read_articles
from sbert_lab.data.local import expected_files, find_files, local_copy
from sbert_lab.data.registry import get_corpus
from sbert_lab.data.tables import rows_to_dataset
from sbert_lab.errors import DataError

SENTENCE_END = re.compile(r"(?<= [.!?]) (?=\S)")  # WikiText puts a space before the full stop
MIN_WORDS, MAX_WORDS = 5, 50  # our choice: drops fragments and lists


def section_triplets(
    split: str, *, seed: int = 1, per_article: int | None = None
) -> Sequence[dict]:
    """Triplets (anchor, positive, negative, article) from the local copy's wikitext2."""
    corpus = get_corpus("wikitext2")
    root = local_copy()
    articles: list[Article] = []
    for name in corpus.split_names(split):
        files = find_files(corpus, name, root) if root else []
        if not files:
            raise DataError(
                f"section triplets are built from {expected_files(corpus, name)} in a local copy: "
                "set SBERT_LAB_DATA to the folder that has it"
            )
        articles.extend(article for path in files for article in read_articles(path))
    rows = build_triplets(articles, seed=seed, per_article=per_article)
    return rows_to_dataset(rows, ("anchor", "positive", "negative", "article"))


def build_triplets(
    articles: Iterable[Article], *, seed: int, per_article: int | None = None
) -> list[dict[str, str]]:
    """One triplet for each sentence that has a partner, at most `per_article` from one article.

    The draw depends on the seed and the article's title alone, not on the other articles.
    """
    rows: list[dict[str, str]] = []
    for article in articles:
        generator = random.Random(f"{seed}/{article.title}")
        found = _article_triplets(article, generator)
        if per_article is not None and len(found) > per_article:
            found = generator.sample(found, per_article)
        rows.extend(found)
    return rows


def split_sentences(paragraph: str) -> list[str]:
    """Sentences of a WikiText paragraph, fragments and very long ones left out."""
    sentences = (text.strip() for text in SENTENCE_END.split(paragraph))
    return [text for text in sentences if MIN_WORDS <= len(text.split()) <= MAX_WORDS]


def _article_triplets(article: Article, generator: random.Random) -> list[dict[str, str]]:
    sections = _sentences_by_section(article)
    rows: list[dict[str, str]] = []
    for title, sentences in sections.items():
        here = set(sentences)
        others = [s for t, texts in sections.items() if t != title for s in texts if s not in here]
        if not others:
            continue
        for anchor in sentences:
            partners = [sentence for sentence in sentences if sentence != anchor]
            if partners:
                rows.append(
                    {
                        "anchor": anchor,
                        "positive": generator.choice(partners),
                        "negative": generator.choice(others),
                        "article": article.title,
                    }
                )
    return rows


def _sentences_by_section(article: Article) -> dict[str, list[str]]:
    """The lead has no title of its own, it speaks of everything: it is left out."""
    return {
        title: [sentence for text in paragraphs for sentence in split_sentences(text)]
        for title, paragraphs in article.sections.items()
        if title
    }
