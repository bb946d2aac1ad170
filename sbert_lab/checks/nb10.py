"""Checks of 10_argument_facets."""

from collections.abc import Sequence

import numpy as np
from scipy import stats

from sbert_lab.checks.core import Hint, check, near, need_number

# Pairs of sentences, by letters: two chains, a pair that stands there twice, and a loner.
SMALL = [
    ("A", "B"),
    ("C", "B"),
    ("C", "D"),
    ("K", "L"),
    ("L", "M"),
    ("X", "Y"),
    ("Y", "X"),
    ("P", "Q"),
]
# For the leak: every wrong way of counting these 12 pairs (one stands there twice) gives another
# number.
ASKED = ("BA", "FJ", "FB", "FA", "AE", "CJ", "JE", "FG", "IC", "EB", "HD", "CJ")
_PARTS = [0, 0, 0, 1, 1, 2, 2, 3]


@check
def leaky_pairs(answer):
    """answer(known, asked) -> how many asked pairs have at least one sentence in a known pair."""
    known = [("A", "B"), ("C", "D"), ("C", "E")]
    asked = [tuple(pair) for pair in ASKED]
    result = need_number(answer(list(known), list(asked)), "the number of pairs")
    counts = _leak_counts(known, asked)
    if near(result, counts["right"]):
        if not near(need_number(answer(list(known), [("F", "H")]), "the number of pairs"), 0):
            raise Hint("a pair of two unknown sentences should give 0")
        return
    hints = {
        "both": "you count pairs of which both sentences are known: one is a leak, too",
        "pairs": "you look for known pairs: a known sentence in a new pair is a leak, too",
        "same place": "you compare first with first and second with second: a sentence may have "
        "changed its place",
        "first": "you look at the first sentence of the asked pairs only",
        "second": "you look at the second sentence of the asked pairs only",
        "sentences": "this counts sentences: a pair with two known sentences is one pair",
        "different": "you count *different* pairs: a pair that is asked twice counts twice. A set "
        "forgets the second one",
        "share": "this is a share: how many pairs are wanted",
        "clean": "these are the pairs without a leak",
    }
    for name, hint in hints.items():
        if near(result, counts[name]):
            raise Hint(hint)
    raise Hint("collect the sentences of the known pairs in a set, then look at each asked pair")


def _leak_counts(known: list, asked: list) -> dict[str, float]:
    everyone = {sentence for pair in known for sentence in pair}
    firsts, seconds = {a for a, _ in known}, {b for _, b in known}
    seen = [(a in everyone) + (b in everyone) for a, b in asked]
    right = sum(n > 0 for n in seen)
    return {
        "right": right,
        "both": sum(n == 2 for n in seen),
        "pairs": sum(set(pair) in [set(one) for one in known] for pair in asked),
        "same place": sum(a in firsts or b in seconds for a, b in asked),
        "first": sum(a in everyone for a, _ in asked),
        "second": sum(b in everyone for _, b in asked),
        "sentences": sum(seen),
        "different": len({p for p, n in zip(asked, seen, strict=True) if n}),
        "share": right / len(asked),
        "clean": len(asked) - right,
    }


@check
def leak_free_groups(answer):
    """answer(pairs) -> a group for each pair; pairs of different groups share no sentence."""
    groups = _labels(answer(list(SMALL)), len(SMALL))
    split = _first_leak(SMALL, groups)
    if split is not None:
        raise Hint(_why_it_leaks(groups, *split))
    if len(set(groups)) == 1:
        raise Hint("one group for all: nothing leaks, but nothing is left to test on either")
    if groups != _PARTS:
        raise Hint("nothing leaks, but pairs that have nothing to do with each other share a group")
    # Long chains: a fixed number of rounds is not enough. Every second pair is turned round.
    chain = [(f"s{i}", f"s{i + 1}") if i % 2 else (f"s{i + 1}", f"s{i}") for i in range(40)]
    order = np.random.default_rng(0).permutation(40)
    shuffled = [chain[i] for i in order] + [("t1", "t2")]
    groups = _labels(answer(list(shuffled)), len(shuffled))
    if groups != [0] * 40 + [1]:
        raise Hint(
            "right for short chains, not for one of 40 links in mixed order: go on until nothing "
            "changes any more"
        )


def _labels(result: object, count: int) -> list[int]:
    """The groups, numbered as they appear."""
    if isinstance(result, (str, dict)) or not hasattr(result, "__len__"):
        raise Hint("give a list with one group per pair, in the pairs' order")
    if len(result) != count:
        raise Hint(
            f"{count} pairs need {count} groups, but there are {len(result)}: no pair may be "
            "dropped, and the order stays"
        )
    numbers: dict[object, int] = {}
    try:
        return [numbers.setdefault(_plain(one), len(numbers)) for one in result]
    except TypeError:
        raise Hint("each group should be a number or a name") from None


def _plain(value: object) -> object:
    return value.item() if hasattr(value, "item") else value


def _first_leak(pairs: Sequence[tuple], groups: Sequence[int]) -> tuple[int, int] | None:
    """The first two pairs of different groups that share a sentence."""
    for i, one in enumerate(pairs):
        for j in range(i):
            if groups[i] != groups[j] and set(one) & set(pairs[j]):
                return j, i
    return None


def _why_it_leaks(groups: list[int], j: int, i: int) -> str:
    shared = ", ".join(sorted(set(SMALL[i]) & set(SMALL[j])))
    by_first = _labels([a for a, _ in SMALL], len(SMALL))
    by_second = _labels([b for _, b in SMALL], len(SMALL))
    duplicates = _labels([tuple(sorted(pair)) for pair in SMALL], len(SMALL))
    if groups in (by_first, by_second):
        column = "first" if groups == by_first else "second"
        return (
            f"grouping by the {column} sentence only: pairs {j} and {i} are in two groups, but "
            f"{shared} is in both"
        )
    if groups in (duplicates, list(range(len(SMALL))), _labels(SMALL, len(SMALL))):
        return (
            f"only equal pairs are kept together: pairs {j} and {i} are different pairs, but "
            f"{shared} is in both"
        )
    return f"pairs {j} and {i} are in two groups, but {shared} is in both"


@check
def mean_over_topics(answer):
    """answer(gold, predicted, topics) -> Spearman within each topic, averaged over the topics."""
    gold, predicted, topics = _three_topics()
    result = need_number(answer(gold.copy(), predicted.copy(), topics.copy()), "the score")
    parts = [topics == name for name in dict.fromkeys(topics.tolist())]
    ranks = [float(stats.spearmanr(gold[one], predicted[one])[0]) for one in parts]
    lines = [float(stats.pearsonr(gold[one], predicted[one])[0]) for one in parts]
    right = float(np.mean(ranks))
    if near(result, right, tolerance=1e-4):
        return
    pooled = float(stats.spearmanr(gold, predicted)[0])
    mistakes = [
        (100 * right, "right, but in points: leave it between -1 and 1 here"),
        (
            pooled,
            "this is one correlation of all topics in one list: levels that differ from topic to "
            "topic spoil (or flatter) it. Correlate within each topic first",
        ),
        (100 * pooled, "this is one correlation of all topics in one list, times 100"),
        (
            np.average(ranks, weights=[one.sum() for one in parts]),
            "this weighs topics by their pairs: here each topic counts the same",
        ),
        (np.mean(lines), "these are Pearson's correlations: the ranks are wanted"),
        (sum(ranks), "this is the sum: divide by the number of topics"),
        (ranks[0], "this is the first topic alone: does `return` stand inside the loop?"),
        (ranks[-1], "this is the last topic alone: collect the values of all of them"),
    ]
    for wrong, hint in mistakes:
        if near(result, wrong, tolerance=1e-4):
            raise Hint(hint)
    raise Hint("for each topic: its gold scores, its predictions, their Spearman; then the mean")


def _three_topics() -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Three topics of different size and difficulty, each predicted at its own level: (N,) each."""
    rng = np.random.default_rng(10)
    sizes, noise, level = (30, 12, 18), (0.5, 2.0, 1.0), (0.0, 6.0, -4.0)
    topics = np.repeat(["cars", "work", "school"], sizes)
    gold = rng.normal(size=60)
    predicted = gold + np.repeat(noise, sizes) * rng.normal(size=60) + np.repeat(level, sizes)
    predicted = np.sign(predicted) * np.abs(predicted) ** 1.5
    order = rng.permutation(60)
    return gold[order], predicted[order], topics[order]
