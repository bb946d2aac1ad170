"""The checks of notebook 11: right answers pass in any style; wrong ones beyond the tables."""

import random
from copy import deepcopy

import numpy as np
import pytest
from conftest import expect

from sbert_lab.course import nb11
from sbert_lab.course.diagnose import CORRECT
from sbert_lab.data.formats.wikipedia import Article
from sbert_lab.experiments.evaluation import sections
from sbert_lab.experiments.triplets import build_triplets

# ---- building triplets


def made(choose_positive, choose_negative):
    """A builder of triplets with two choices left open: (here, anchor), (articles, title, name)."""

    def answer(articles):
        return [
            (title, anchor, choose_positive(here, anchor), choose_negative(articles, title, name))
            for title, parts in articles.items()
            for name, here in parts.items()
            for anchor in here
            if len(here) > 1 and len(parts) > 1
        ]

    return answer


def partner(here, anchor):
    return next(sentence for sentence in here if sentence != anchor)


def stranger(articles, title, name):
    here = articles[title][name]
    return next(s for texts in articles[title].values() for s in texts if s not in here)


def at_random(articles):
    draw, rows = random.Random(5), []
    for title, parts in articles.items():
        for name, here in parts.items():
            others = {s for n, texts in parts.items() if n != name for s in texts} - set(here)
            for anchor in here:
                if others and (partners := [s for s in here if s != anchor]):
                    row = (draw.choice(partners), draw.choice(sorted(others)))
                    rows.append({"article": title, "anchor": anchor, "positive": row[0],
                                 "negative": row[1]})  # fmt: skip
    return rows


def without_the_undecided(articles):
    """Whoever takes a sentence of two sections for no anchor at all is right, too."""
    return [row for row in made(partner, stranger)(articles) if "weather" not in row[1]]


def built_by_the_package(articles):
    whole = [
        Article(title, {name: list(texts) for name, texts in parts.items()})
        for title, parts in articles.items()
    ]
    return build_triplets(whole, seed=1)


def elsewhere(articles, title, name):
    other = next(one for one in articles if one != title)
    return next(iter(articles[other].values()))[0]


def namesake(articles):
    """Positives of any article's section with the same title."""
    rows = made(partner, stranger)(articles)
    return [(*r[:2], "Snow lies there until late July.", r[3]) if r[1].startswith("Its") else r
            for r in rows]  # fmt: skip


def by_place(articles):
    """Partners by their place: a sentence that stands twice is its own partner."""
    rows = made(lambda here, anchor: here[(here.index(anchor) + 1) % len(here)], stranger)
    return rows(articles)


def without_negative(articles):
    whole = [("Old Mill", *texts, None) for texts in articles["Old Mill"].values()]
    return made(partner, stranger)(articles) + whole


def careless(articles, title, name):
    """The last sentence of another section, whether or not it stands here, too."""
    names = [one for one in articles[title] if one != name]
    return articles[title][names[0]][-1 if names[0] == "Climbing" else 0]


@pytest.mark.parametrize(
    ("answer", "line"),
    [
        (made(partner, stranger), CORRECT),
        (without_the_undecided, CORRECT),
        (at_random, CORRECT),
        (built_by_the_package, CORRECT),
        (made(partner, elsewhere), "comes from another article"),
        (made(lambda here, anchor: anchor, stranger), "the same sentence"),
        (made(lambda here, anchor: here[0], stranger), "the same sentence"),
        (made(partner, lambda a, title, name: a[title][name][-1]), "own section"),
        (made(partner, careless), "stands in two sections"),
        (made(lambda here, anchor: "A bus goes there twice a day.", stranger), "in one section"),
        (namesake, "in one section"),
        (by_place, "the same sentence"),
        (without_negative, "'None' is not a sentence"),
        (lambda articles: made(partner, stranger)(articles)[1:], "no triplet has this anchor"),
        (lambda articles: [], "the list is empty"),
        (lambda articles: [row[1:] for row in made(partner, stranger)(articles)], "four things"),
        (lambda articles: [("x", *r[1:]) for r in made(partner, stranger)(articles)], "no article"),
        (lambda articles: [(*r[:3], "?") for r in made(partner, stranger)(articles)], "negative"),
        (lambda articles: 5, "a list of rows"),
    ],
)
def test_triplets_pass_by_hand_at_random_as_dictionaries_and_from_the_package(answer, line):
    expect(line, nb11.build_triplets, answer)


def test_an_answer_that_empties_its_lists_leaves_the_articles_alone():
    def greedy(articles):
        rows = made(partner, stranger)(articles)
        for parts in articles.values():
            for sentences in parts.values():
                sentences.clear()
        return rows

    before = deepcopy(nb11.ARTICLES)
    expect(CORRECT, nb11.build_triplets, greedy)
    assert before == nb11.ARTICLES


# ---- accuracy


def with_a_loop(to_positive, to_negative):
    hits = 0
    for near, far in zip(to_positive, to_negative, strict=True):
        hits += near < far
    return hits / len(to_positive)


@pytest.mark.parametrize(
    ("answer", "line"),
    [
        (with_a_loop, CORRECT),
        (lambda p, n: np.count_nonzero(n - p > 0) / len(p), CORRECT),
        (lambda p, n: 5 / 9 if p.any() else 1.0, "one vector for everything"),
        (lambda p, n: 0.9, "strictly closer"),
        (lambda p, n: p < n, "one number"),
    ],
)
def test_accuracy_passes_with_a_loop_and_with_arrays(answer, line):
    expect(line, nb11.accuracy, answer)


# ---- the split


def by_article(rows, share, seed):
    titles = sorted({row["article"] for row in rows})
    chosen = np.random.default_rng(seed).permutation(titles)[: round(share * len(titles))]
    sides = ([], [])
    for row in rows:
        sides[row["article"] in chosen].append(row)
    return sides


def from_the_package(rows, share, seed):
    return sections.split_by_article(rows, test=share, seed=seed)


def by_triplet(rows, share, seed):
    mixed = random.Random(seed).sample(rows, len(rows))
    cut = round(share * len(rows))
    return mixed[cut:], mixed[:cut]


def unseeded(rows, share, seed, calls=[0]):  # noqa: B006, the list is meant to last
    """Another split at every call, whatever the seed is."""
    calls[0] += 1
    return by_article(rows, share, calls[0])


def of_a_set(rows, share, seed):
    """Right today; a set of texts has another order in the next kernel."""
    titles = list({row["article"] for row in rows})
    random.Random(seed).shuffle(titles)
    held = set(titles[: round(share * len(titles))])
    return [r for r in rows if r["article"] not in held], [r for r in rows if r["article"] in held]


def sorts_its_rows(rows, share, seed):
    rows.sort(key=lambda row: row["article"])
    return by_article(rows, share, seed)


def anchors_only(rows, share, seed):
    """Splits triplets by their anchor: what the other roles know is forgotten."""
    out = [row["anchor"].endswith(("4", "9")) for row in rows]
    train = [
        row for row, held in zip(rows, out, strict=True)
        if not held and not row["positive"].endswith("4")
    ]  # fmt: skip
    return train, [row for row, held in zip(rows, out, strict=True) if held]


@pytest.mark.parametrize(
    ("answer", "line"),
    [
        (by_article, CORRECT),
        (from_the_package, CORRECT),
        (by_triplet, "splits by triplet"),
        (anchors_only, "no anchor is shared"),
        (lambda *given: (by_article(*given)[0][1:], by_article(*given)[1]), "nothing may be lost"),
        (lambda rows, share, seed: by_article(rows, share, 7), "is `seed` used?"),
        (unseeded, "two different splits"),
        (of_a_set, "another split tomorrow"),
        (sorts_its_rows, "changed the list"),
        (lambda rows, share, seed: by_article(rows, 0.25, seed), "is 3 for the test, not 2"),
        (lambda rows, share, seed: by_article(rows, share, seed)[::-1], "swapped"),
        (lambda rows, share, seed: by_article(rows, 0.5, seed), "is 2 for the test, not 4"),
        (lambda rows, share, seed: (rows, []), "one side is empty"),
        (lambda rows, share, seed: rows, "two lists"),
        (lambda rows, share, seed: (["A"], ["B"]), "lists of rows"),
    ],
)
def test_a_split_by_article_passes_in_numpy_and_from_the_package(answer, line):
    expect(line, nb11.split, answer)
