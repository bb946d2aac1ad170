"""Section triplets built from WikiText."""

import pytest

from sbert_lab.data.formats.wikipedia import Article, read_articles
from sbert_lab.errors import DataError
from sbert_lab.experiments.triplets import build_triplets, section_triplets, split_sentences

TEXT = """
 = Lake Ferrow =

 The lead speaks of everything in the lake .

 = = Geography = =

 The lake lies between two low hills . Its water stays cold all summer long . A river leaves it .

 = = = Islands = = =

 One small island carries a stone hut .

 = = History = =

 Monks dug a canal to the lake . The canal was filled in a century later .

 = Mount Issel =

 = = Climbing = =

 Nobody has climbed its north face so far .
"""


@pytest.fixture
def articles(tmp_path):
    path = tmp_path / "wiki.train.raw"
    path.write_text(TEXT, encoding="utf-8")
    return list(read_articles(path))


def home_of(article, sentence):
    return {
        title
        for title, paragraphs in article.sections.items()
        if any(sentence in split_sentences(text) for text in paragraphs)
    }


def many_articles(count=30):
    return [
        Article(
            f"Town {i}",
            {
                part: [f"The {part} of town {i} has fact number {n} ." for n in range(4)]
                for part in ("river", "school", "bridge")
            },
        )
        for i in range(count)
    ]


def test_articles_keep_their_sections_and_subsections_belong_to_them(articles):
    lake, mount = articles
    assert list(lake.sections) == ["", "Geography", "History"]
    assert lake.sections["Geography"][1] == "One small island carries a stone hut ."
    assert mount.title == "Mount Issel"


def test_fragments_are_no_sentences(articles):
    sentences = split_sentences(articles[0].sections["Geography"][0])
    assert sentences == [
        "The lake lies between two low hills .",
        "Its water stays cold all summer long .",
        "A river leaves it .",
    ]
    assert split_sentences("See below . The lake lies between two low hills .") == sentences[:1]


def test_anchor_and_positive_share_a_section_and_the_negative_is_from_another(articles):
    lake = articles[0]
    rows = build_triplets([lake], seed=1)
    assert len(rows) == 6
    for row in rows:
        assert row["anchor"] != row["positive"]
        assert home_of(lake, row["anchor"]) == home_of(lake, row["positive"])
        assert home_of(lake, row["anchor"]).isdisjoint(home_of(lake, row["negative"]))


def test_the_lead_gives_no_triplets(articles):
    rows = build_triplets(articles, seed=1)
    assert not any("lead" in text for row in rows for text in row.values())


def test_an_article_with_one_section_gives_no_triplets(articles):
    assert build_triplets(articles[1:], seed=1) == []


def test_the_same_seed_gives_the_same_triplets_and_another_seed_others():
    articles = many_articles()
    assert build_triplets(articles, seed=1) == build_triplets(articles, seed=1)
    assert build_triplets(articles, seed=1) != build_triplets(articles, seed=2)


def test_an_articles_triplets_do_not_depend_on_the_other_articles():
    articles = many_articles()
    alone = build_triplets(articles[5:6], seed=1)
    assert [row for row in build_triplets(articles, seed=1) if row["article"] == "Town 5"] == alone


def test_articles_of_the_same_shape_are_drawn_differently():
    first, second = (
        [
            row["positive"].replace(article.title.lower(), "")
            for row in build_triplets([article], seed=1)
        ]
        for article in many_articles(2)
    )
    assert first != second


def test_a_sentence_that_is_also_in_the_anchors_section_is_no_negative():
    shared, own = "This sentence stands in both of them .", "This one stands only in the first ."
    other = "And this one only in the second ."
    article = Article("Twins", {"first": [shared, own], "second": [shared, other]})
    for seed in range(20):
        for row in build_triplets([article], seed=seed):
            assert row["negative"] != shared


def test_per_article_caps_each_article():
    rows = build_triplets(many_articles(3), seed=1, per_article=2)
    assert [row["article"] for row in rows] == ["Town 0"] * 2 + ["Town 1"] * 2 + ["Town 2"] * 2


def test_section_triplets_come_from_the_local_copys_wikitext(tmp_path, monkeypatch):
    (tmp_path / "wikitext2").mkdir()
    (tmp_path / "wikitext2/wiki.valid.raw").write_text(TEXT, encoding="utf-8")
    monkeypatch.setenv("SBERT_LAB_DATA", str(tmp_path))
    rows = section_triplets("dev", seed=1)
    assert rows.column_names == ["anchor", "positive", "negative", "article"]
    assert rows.num_rows == 6
    with pytest.raises(DataError, match=r"wikitext2/wiki\.train\.raw"):
        section_triplets("train")
