"""Section triplets: anchor and positive of one section, negative of another one of the article."""

from collections.abc import Iterator

from output import Output, quoted_lines
from sources import Article, read_articles, source_files
from variation import digest, heads, overlap, shuffled

TRIPLETS = {"train": 4_000, "validation": 500, "test": 500}
SPLIT_NAMES = {"train": "train", "validation": "dev", "test": "test"}
HEADER = ("Sentence1", "Sentence2", "Sentence3", "Article")
Triplet = tuple[str, str, str, str]


def build(output: Output) -> None:
    """Write the triplets, and the training articles for pretraining."""
    articles = [article for path in source_files("articles") for article in read_articles(path)]
    for split, chosen in deal(articles).items():
        rows = choose(chosen, TRIPLETS[split])
        output.add(f"wiki_sections/{split}.csv", quoted_lines([HEADER, *rows]), len(rows))
        output.count("wiki_sections", SPLIT_NAMES[split], len(rows))
        output.show("wiki_sections", rows)
        if split == "train":
            text = "\n".join(as_text(article) for article in chosen)
            output.add("wiki_sections/train_articles.txt", text, len(chosen))


def deal(articles: list[Article]) -> dict[str, list[Article]]:
    """14 : 3 : 3 of every twenty articles; those of one source file are spread evenly."""
    order = sorted(articles, key=lambda article: (article.file, digest("split", article.title)))
    dealt: dict[str, list[Article]] = {"train": [], "validation": [], "test": []}
    pattern = ["train"] * 14 + ["validation"] * 3 + ["test"] * 3
    pattern = [pattern[i * 7 % 20] for i in range(20)]
    for number, article in enumerate(order):
        dealt[pattern[number % 20]].append(article)
    return dealt


def choose(articles: list[Article], count: int) -> list[Triplet]:
    """The same share of every article, as far as it has that many."""
    streams = [list_triplets(article) for article in articles]
    rows: list[Triplet] = []
    seen: set[Triplet] = set()
    while streams and len(rows) < count:
        for stream in list(streams):
            row = next(stream, None)
            if row is None:
                streams.remove(stream)
            elif row not in seen and len(rows) < count:
                seen.add(row)
                rows.append(row)
    return shuffled(rows, "triplets", key="\n".join)


def list_triplets(article: Article) -> Iterator[Triplet]:
    """Every ordered pair of one section once, with a sentence of another section.

    In half of the cases two negatives are drawn and the one with fewer of the anchor's words is
    taken: our writers repeat themselves less than encyclopedias do, and word overlap would say
    nothing here.
    """
    pairs = [
        (section, anchor, positive)
        for section, sentences in article.sections.items()
        for anchor in sentences
        for positive in sentences
        if anchor != positive
    ]
    for section, anchor, positive in shuffled(pairs, article.title):
        others = [
            sentence
            for title, sentences in article.sections.items()
            if title != section
            for sentence in sentences
        ]
        two = heads("two negatives", anchor, positive)
        drawn = shuffled(others, article.title, anchor, positive)[: 2 if two else 1]
        negative = min(drawn, key=lambda sentence: overlap(anchor, sentence))
        yield anchor, positive, negative, article.title


def as_text(article: Article) -> str:
    """The source format again."""
    lines = [f"= {article.title} ="]
    for title, sentences in article.sections.items():
        lines += [f"= = {title} = =", *sentences]
    return "\n".join(lines) + "\n"
