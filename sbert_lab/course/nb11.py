"""Notebook 11, Wikipedia sections: checks (triplets, accuracy, the split) and figures."""

from collections import Counter
from collections.abc import Mapping, Sequence
from copy import deepcopy
from functools import partial
from random import Random

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Patch

from sbert_lab.course.diagnose import Hint, check, diagnose, near, need_number
from sbert_lab.course.plots import COLORS, new

# ---- exercise 1: building triplets

# Small articles with everything that real ones have: a section of one sentence, a sentence that
# stands in two sections, one that stands twice in its section, a title of a section that two
# articles share, and an article with a single section.
ARTICLES = {
    "Lake Ferrow": {
        "Geography": [
            "The lake lies between two low hills.",
            "Its water stays cold all summer.",
            "A river leaves it in the south.",
        ],
        "History": [
            "Monks dug a canal to the lake.",
            "Monks dug a canal to the lake.",
            "The canal was filled in later.",
        ],
        "Access": ["A bus goes there twice a day."],
    },
    "Mount Issel": {
        "Climbing": [
            "Nobody has climbed the north face.",
            "Most parties start at night.",
            "The weather there changes very fast.",
        ],
        "Geography": ["The weather there changes very fast.", "Snow lies there until late July."],
    },
    "Old Mill": {"Name": ["Nobody knows who built it.", "The wheel gave it its name."]},
}
ARTICLE_OF = {
    text: title
    for title, parts in ARTICLES.items()
    for sentences in parts.values()
    for text in sentences
}


@check
def build_triplets(answer):
    """answer(articles) -> rows (article, anchor, positive, negative), one per possible anchor."""
    rows = _rows(answer(deepcopy(ARTICLES)))  # a copy: a .pop() must not empty the next run's
    if not rows:
        raise Hint("there are no triplets: the list is empty")
    for row in rows:
        _check_triplet(*row)
    anchors = Counter((article, anchor) for article, anchor, _, _ in rows)
    wanted = Counter(
        (title, anchor)
        for title, parts in ARTICLES.items()
        for sentences in parts.values()
        if len(parts) > 1 and len(sentences) > 1
        for anchor in sentences
    )
    left_out = wanted.keys() - anchors.keys()
    if missing := sorted(anchor for title, anchor in left_out if _has_stranger(title, anchor)):
        raise Hint(f"no triplet has this anchor, though it has a partner: {missing[0]!r}")
    if many := anchors - wanted:
        (_, anchor), extra = many.most_common(1)[0]
        raise Hint(f"{extra + 1} triplets have the anchor {anchor!r}: one for each is enough")


def _has_stranger(title: str, anchor: str) -> bool:
    """Some sentence stands in none of the anchor's sections: no reading lets this anchor go."""
    sections = ARTICLES[title].values()
    beside = {text for texts in sections if anchor in texts for text in texts}
    return any(text not in beside for texts in sections for text in texts)


def _rows(result: object) -> list[tuple[str, str, str, str]]:
    names = ("article", "anchor", "positive", "negative")
    try:
        rows = [tuple(row[n] for n in names) if isinstance(row, dict) else row for row in result]
        rows = [tuple(str(text) for text in row) for row in rows]
    except (TypeError, KeyError):
        raise Hint("a list of rows is needed: article, anchor, positive, negative") from None
    if any(len(row) != 4 for row in rows):
        raise Hint("four things a row, please: article, anchor, positive, negative")
    return rows


def _check_triplet(article: str, anchor: str, positive: str, negative: str) -> None:
    if article not in ARTICLES:
        raise Hint(f"{article!r} is no article: the row begins with the article's title")
    for role, text in (("anchor", anchor), ("positive", positive), ("negative", negative)):
        if text not in ARTICLE_OF:
            raise Hint(f"the {role} {text!r} is not a sentence of these articles")
    if anchor == positive:
        raise Hint(
            "anchor and positive are the same sentence: distance 0 in every encoder, a hit that "
            "teaches nothing"
        )
    if ARTICLE_OF[anchor] != article:
        raise Hint(f"the anchor {anchor!r} is not from {article}")
    if ARTICLE_OF[negative] != article:
        raise Hint(
            "the negative comes from another article: then the topic gives it away, and no section "
            "has to be understood"
        )
    together = [set(s) for s in ARTICLES[article].values() if {anchor, positive} <= set(s)]
    if not together:
        raise Hint("anchor and positive must stand in one section")
    if any(negative in section for section in together):
        if sum(negative in s for s in ARTICLES[article].values()) > 1:
            raise Hint(
                f"{negative!r} stands in two sections, one of them the anchor's: it cannot be the "
                "negative there"
            )
        raise Hint("the negative stands in the anchor's own section")


# ---- exercise 2: accuracy

ACCURACY = (
    (
        lambda p, n: np.mean(p <= n),
        "ties count as hits: then an encoder that gives every sentence the same vector scores "
        "100 %",
    ),
    (
        lambda p, n: np.mean((p < n) + 0.5 * (p == n)),
        "this is the accuracy with a coin for the ties; here a tie is a miss",
    ),
    (
        lambda p, n: np.mean(p > n),
        "positive and negative are swapped: a hit has the positive closer",
    ),
    (lambda p, n: np.mean(p >= n), "positive and negative are swapped, and ties count"),
    (lambda p, n: np.mean((p < n)[p != n]), "the ties were left out of the count: they are misses"),
    (lambda p, n: np.sum(p < n), "this is how many: divide by the number of triplets"),
    (lambda p, n: 100 * np.mean(p < n), "as a share, please: between 0 and 1"),
)


@check(mistakes=ACCURACY)
def accuracy(answer):
    """answer(to_positive, to_negative) -> the share of hits; a tie is a miss."""
    to_positive = [1.0, 2.0, 0.5, 3.0, 1.0, 2.0, 0.0, 4.0, 1.0]
    to_negative = [2.0, 1.0, 0.5, 3.5, 1.0, 2.5, 0.0, 6.0, 1.5]
    distances = np.array([to_positive, to_negative])
    look = partial(need_number, what="the accuracy")
    otherwise = "count the triplets whose positive is strictly closer, and divide by all"
    diagnose(
        answer, lambda p, n: np.mean(p < n), ACCURACY, distances, look=look, otherwise=otherwise
    )
    constant = look(answer(np.zeros(5), np.zeros(5)))
    if not near(constant, 0):
        raise Hint(f"an encoder with one vector for everything gets {constant:.0%}: why?")


# ---- exercise 3: the split


@check
def split(answer):
    """answer(rows, share, seed) -> (train, test) that share no article."""
    drawn = set()
    for seed, share in enumerate((0.25, 0.4, 0.25, 0.2, 0.3, 0.6), start=1):
        rows = split_rows(large=seed >= 5)
        given = list(rows)
        train, test = _two_sides(answer(given, share, seed))
        if given != rows:
            raise Hint("your function changed the list it was given: sort or shuffle a copy")
        _check_split(rows, train, test, share)
        if _articles(answer(list(rows), share, seed)[1]) != (articles := _articles(test)):
            raise Hint("the same seed gave two different splits: draw with random.Random(seed)")
        renamed = [row | {"article": row["article"] + "*"} for row in rows]  # the same order
        if _articles(answer(renamed, share, seed)[1]) != [title + "*" for title in articles]:
            raise Hint(
                "the same seed will give another split tomorrow: a set of texts has a new order in "
                "every kernel. Shuffle sorted(titles)"
            )
        drawn |= {tuple(articles)} if len(articles) == 2 else set()
    if len(drawn) == 1:
        raise Hint("six seeds, and always the same articles: is `seed` used?")


def _articles(rows: Sequence[dict]) -> list[str]:
    return sorted({row["article"] for row in rows})


def split_rows(*, large: bool = False) -> list[dict]:
    """Forty triplets of eight articles, mixed; on request with one large article."""
    rows = [
        {
            "anchor": f"{title}{n}",
            "positive": f"{title}{(n + 1) % 5}",
            "negative": f"{title}{(n + 2) % 5 + 5}",
            "article": title,
        }
        for title in "ABCDEFGH"
        for n in range(5)
    ]
    rows += 3 * large * rows[-5:]
    return Random(11).sample(rows, len(rows))


def _two_sides(result: object) -> tuple[list[dict], list[dict]]:
    if not isinstance(result, Sequence) or isinstance(result, str) or len(result) != 2:
        raise Hint("two lists are needed: return train, test")
    train, test = (list(side) for side in result)
    if not all(isinstance(row, dict) and "article" in row for row in train + test):
        raise Hint("both sides are lists of rows, the same dictionaries that came in")
    return train, test


def _check_split(rows: list[dict], train: list[dict], test: list[dict], share: float) -> None:
    if not train or not test:
        raise Hint("one side is empty")
    shared = {row["article"] for row in train} & {row["article"] for row in test}
    known = {row[role] for row in train for role in ("anchor", "positive", "negative")}
    if shared:
        if not any(row["anchor"] in known for row in test):
            raise Hint(
                f"no anchor is shared, but article {min(shared)!r} is on both sides: its other "
                "sentences are known"
            )
        raise Hint(
            f"article {min(shared)!r} is on both sides: this splits by triplet, and its sentences "
            "were seen in training"
        )
    both = sorted(map(str, train + test))
    if both != sorted(map(str, rows)):
        raise Hint(f"{len(rows)} triplets came in, {len(both)} came out: nothing may be lost")
    found, wanted = len(_articles(test)), round(8 * share)
    if found == 8 - wanted:
        raise Hint("the share is the test side's: train and test are swapped")
    if found != wanted:
        raise Hint(
            f"a share of {share} of 8 articles is {wanted} for the test, not {found}: the share"
            " counts articles, not rows, and is rounded"
        )


# ---- figures


KINDS = {
    "cue": ("cheap cues", COLORS[1]),
    "untrained": ("not trained on sections", COLORS[4]),
    "trained": ("trained on sections", COLORS[0]),
    "floor": ("floors", "#999999"),
}
GREY = "#555555"


def ladder(
    names: Sequence[str],
    hits: Sequence[float],
    ties: Sequence[float],
    *,
    kinds: Sequence[str],
    spreads: Sequence[float] | None = None,
) -> Axes:
    """One bar per system: its hits (per cent), then, hatched, the half of the ties a coin wins."""
    figure, axes = new(7.6, 0.36 * len(names) + 1.3)
    hits, coin = np.asarray(hits, dtype=float), np.asarray(ties, dtype=float) / 2
    spreads = np.zeros(len(hits)) if spreads is None else np.asarray(spreads, dtype=float)
    places = np.arange(len(names))[::-1]
    colors = [KINDS[kind][1] for kind in kinds]
    axes.barh(places, hits, color=colors, height=0.7)
    axes.barh(places, coin, left=hits, color="white", edgecolor=colors, hatch="////", height=0.7)
    for place, end, spread in zip(places, hits + coin, spreads, strict=True):
        if spread > 0:
            axes.errorbar(end, place, xerr=spread, color="black", capsize=3, lw=1.2)
        axes.text(max(end + spread, 50) + 1, place, f"{end:.1f}", va="center", fontsize=9)
    axes.plot([50, 50], [-0.6, len(names) - 0.3], color=GREY, lw=1, ls="--")
    axes.text(50, len(names) - 0.1, "chance", color=GREY, ha="center", va="bottom", fontsize=9)
    axes.set_yticks(places, names)
    axes.set_xlim(0, max(80, float((hits + coin + spreads).max()) + 9))
    axes.set_ylim(-0.6, len(names) + 0.5)
    axes.set_xlabel("triplets with the positive closer (%), hatched: half of the ties")
    handles = [Patch(color=c, label=label) for kind, (label, c) in KINDS.items() if kind in kinds]
    figure.legend(handles=handles, loc="outside lower center", ncols=len(handles), fontsize=9)
    return axes


def leaks(
    seen: Mapping[str, Sequence[float]], labels: Sequence[str], memory: Mapping[str, float]
) -> Figure:
    """Left: what of the test set training had seen (per cent). Right: what memory alone scores."""
    figure, (left, right) = new(9, 3.3, columns=2, width_ratios=[3, 2])
    width, colors, hatches = 0.38, (COLORS[5], COLORS[0]), ("", "///")
    for number, (split, shares) in enumerate(seen.items()):
        places = np.arange(len(labels)) + (number - 0.5) * width
        style = {"color": colors[number], "hatch": hatches[number], "edgecolor": "white"}
        left.bar(places, shares, width, label=split, **style)
        right.bar(number, memory[split], 0.45, **style)
        for place, share in zip(places, shares, strict=True):
            left.text(place, share + 2, f"{share:.0f} %", ha="center", fontsize=9)
        right.text(number, memory[split] + 2, f"{memory[split]:.1f} %", ha="center", fontsize=9)
    left.set_xticks(range(len(labels)), labels)
    left.set_ylabel("seen in training (%)")
    left.set_title("of the test set, training has seen ...")
    right.set_xticks(range(len(memory)), list(memory))
    right.set_xlim(-0.6, len(memory) - 0.4)
    right.axhline(50, color=GREY, lw=1, ls="--")
    right.text(
        (len(memory) - 1) / 2, 51, "chance", color=GREY, ha="center", va="bottom", fontsize=9
    )
    right.set_ylabel("accuracy with a coin (%)")
    right.set_title("a memory that reads nothing")
    for axes in (left, right):
        axes.set_ylim(0, 112)
        axes.set_yticks(range(0, 101, 25))
    figure.legend(*left.get_legend_handles_labels(), loc="outside lower center", ncols=2)
    return figure
