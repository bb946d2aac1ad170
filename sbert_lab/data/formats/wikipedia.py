"""Wikipedia: ready-made section triplets, and WikiText, from which triplets can be built."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from sbert_lab.data.formats.lines import numbered, quoted_rows

# ' = Title = ' opens an article, ' = = Section = = ' a section, deeper ones stay in their section.
HEADING = re.compile(r"((?:= )+)([^=].*?|[^=])((?: =)+)")
JOINED = re.compile(r" @([-,.])@ ")  # WikiText writes 3.1 as '3 @.@ 1'


@dataclass
class Article:
    """A title and the paragraphs of each section. The lead, above the first section, is ''."""

    title: str
    sections: dict[str, list[str]] = field(default_factory=dict)


def read_section_triplets(paths: list[Path]) -> Iterator[dict]:
    """{train,validation,test}.csv: Sentence1 is the anchor, 2 the positive, 3 the negative."""
    for path in paths:
        columns = ("Sentence1", "Sentence2", "Sentence3")
        for _, row in quoted_rows(path, columns, delimiter=","):
            anchor, positive, negative = (row[column] for column in columns)
            yield {
                "anchor": anchor,
                "positive": positive,
                "negative": negative,
                "article": row.get("Article"),
            }


def read_articles(path: Path) -> Iterator[Article]:
    """The articles of a WikiText file. A section that comes twice in one article is one section."""
    article, section = None, ""
    for _, line in numbered(path):
        text = line.strip()
        level, title = _heading(text)
        if level == 1:
            if article:
                yield article
            article, section = Article(title), ""
        elif level == 2:
            section = title
        elif level == 0 and text and article:
            article.sections.setdefault(section, []).append(JOINED.sub(r"\1", text))
    if article:
        yield article


def read_paragraphs(paths: list[Path]) -> Iterator[dict]:
    """The paragraphs of WikiText files, without headings; '3 @.@ 1' reads 3.1 again."""
    for path in paths:
        for _, line in numbered(path):
            text = line.strip()
            if text and _heading(text)[0] == 0:
                yield {"text": JOINED.sub(r"\1", text)}


def _heading(text: str) -> tuple[int, str]:
    """Depth and title of a heading line; depth 0 for any other line."""
    found = HEADING.fullmatch(text)
    if not found or len(found[1]) != len(found[3]):
        return 0, ""
    return len(found[1]) // 2, found[2]
