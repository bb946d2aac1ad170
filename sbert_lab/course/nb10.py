"""Notebook 10, argument facets: checks (the leak, leak-free groups, topic means) and figures."""

from collections.abc import Callable, Mapping, Sequence
from functools import partial

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from scipy import stats

from sbert_lab.course.diagnose import Hint, check, diagnose, near, need_number
from sbert_lab.course.plots import COLORS, new

# ---- exercise 1: counting the leak

KNOWN = [("A", "B"), ("C", "D"), ("C", "E")]
# Every wrong way of counting these 15 pairs (one stands there twice) gives another number.
_ASKED = "EG JG ED IC GF HC BA GC AC DC AD JA BI HB DC"
ASKED = [tuple(pair) for pair in _ASKED.split()]


def _everyone(known: Sequence[tuple]) -> set:
    return {sentence for pair in known for sentence in pair}


def _leaks(known: Sequence[tuple], asked: Sequence[tuple]) -> int:
    """The right answer."""
    return sum(not _everyone(known).isdisjoint(pair) for pair in asked)


LEAKY_PAIRS = (
    (
        lambda known, asked: sum(set(pair) <= _everyone(known) for pair in asked),
        "you count pairs of which both sentences are known: one is a leak, too",
    ),
    (
        lambda known, asked: sum(set(pair) in map(set, known) for pair in asked),
        "you look for known pairs: a known sentence in a new pair is a leak, too",
    ),
    (
        lambda known, asked: sum(any(a == c or b == d for c, d in known) for a, b in asked),
        "you compare first with first and second with second: a sentence may have changed its "
        "place",
    ),
    (
        lambda known, asked: sum(a in _everyone(known) for a, _ in asked),
        "you look at the first sentence of the asked pairs only",
    ),
    (
        lambda known, asked: sum(b in _everyone(known) for _, b in asked),
        "you look at the second sentence of the asked pairs only",
    ),
    (
        lambda known, asked: sum(s in _everyone(known) for pair in asked for s in pair),
        "this counts sentences: a pair with two known sentences is one pair",
    ),
    (
        lambda known, asked: _leaks(known, set(asked)),
        "you count *different* pairs: a pair that is asked twice counts twice. A set forgets the "
        "second one",
    ),
    (
        lambda known, asked: _leaks(known, asked) / len(asked),
        "this is a share: how many pairs are wanted",
    ),
    (lambda known, asked: len(asked) - _leaks(known, asked), "these are the pairs without a leak"),
    (lambda known, asked: sum(p in known for p in asked), "you look for known *pairs* only"),
    (lambda known, asked: _leaks(known, asked[:1]), "1: does `return` stand inside the loop?"),
    (
        lambda known, asked: len(_everyone(known) & _everyone(asked)),
        "you count sentences, not pairs",
    ),
    (
        lambda known, asked: sum(not {*pair}.isdisjoint(one) for pair in asked for one in known),
        "a pair that meets several known pairs is still one pair",
    ),
)


@check(mistakes=LEAKY_PAIRS)
def leaky_pairs(answer):
    """answer(known, asked) -> how many asked pairs have at least one sentence in a known pair."""
    look = partial(need_number, what="the number of pairs")
    otherwise = "collect the sentences of the known pairs in a set, then look at each asked pair"
    diagnose(answer, _leaks, LEAKY_PAIRS, (KNOWN, ASKED), look=look, otherwise=otherwise)
    if not near(look(answer(list(KNOWN), [("F", "H")])), 0):
        raise Hint("a pair of two unknown sentences should give 0")
    if look(answer([("The cat sat.", "It ran.")], [("The cat", "It sat.")])):
        raise Hint("compare whole sentences: a shared word, or a part, is no shared sentence")


# ---- exercise 2: groups without a leak

# Pairs of sentences, by letters: two chains, a pair that stands there twice, and a loner.
SMALL = [tuple(pair) for pair in ("AB", "CB", "CD", "KL", "LM", "XY", "YX", "PQ")]
LEAK_FREE_GROUPS = (
    (
        lambda pairs: [a for a, _ in pairs],
        "grouping by the first sentence only: pairs 0 and 1 are in two groups, but B is in both",
    ),
    (
        lambda pairs: [b for _, b in pairs],
        "grouping by the second sentence only: pairs 1 and 2 are in two groups, but C is in both",
    ),
    (
        lambda pairs: [frozenset(pair) for pair in pairs],
        "only equal pairs are kept together: pairs 0 and 1 are different pairs, but B is in both",
    ),
    (
        lambda pairs: list(range(len(pairs))),
        "only equal pairs are kept together: pairs 0 and 1 are different pairs, but B is in both",
    ),
    (
        lambda pairs: [0] * len(pairs),
        "one group for all: nothing leaks, but nothing is left to test on either",
    ),
)


@check(mistakes=LEAK_FREE_GROUPS)
def leak_free_groups(answer):
    """answer(pairs) -> a group for each pair; pairs of different groups share no sentence."""
    diagnose(
        answer,
        lambda pairs: [0, 0, 0, 1, 1, 2, 2, 3],
        LEAK_FREE_GROUPS,
        (SMALL,),
        look=partial(_labels, count=len(SMALL)),
        same=lambda found, other: found == _labels(other, len(SMALL)),
        otherwise=_unknown_groups,
    )
    # Long chains: a fixed number of rounds is not enough. Every second pair is turned round.
    chain = [(f"s{i}", f"s{i + 1}") if i % 2 else (f"s{i + 1}", f"s{i}") for i in range(40)]
    order = np.random.default_rng(0).permutation(40)
    shuffled = [chain[i] for i in order] + [("t1", "t2")] * 2
    if _labels(answer(list(shuffled)), len(shuffled)) != [0] * 40 + [1, 1]:
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


def _unknown_groups(groups: Sequence[int], right: object) -> str:
    for i, one in enumerate(SMALL):
        for j in range(i):
            shared = ", ".join(sorted(set(one) & set(SMALL[j])))
            if shared and groups[i] != groups[j]:
                return f"pairs {j} and {i} are in two groups, but {shared} is in both"
    return "nothing leaks, but pairs that have nothing to do with each other share a group"


# ---- exercise 3: the mean over topics


def _three_topics() -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Three topics of different size and difficulty, each predicted at its own level: (N,) each."""
    rng = np.random.default_rng(10)
    sizes, noise, level = (30, 12, 18), (1.0, 2.0, 0.5), (0.0, 6.0, -4.0)
    topics = np.repeat(["cars", "work", "school"], sizes)
    gold = rng.normal(size=60)
    predicted = gold + np.repeat(noise, sizes) * rng.normal(size=60) + np.repeat(level, sizes)
    predicted = np.sign(predicted) * np.abs(predicted) ** 1.5
    order = rng.permutation(60)
    return gold[order], predicted[order], topics[order]


def _per_topic(summary: Callable, correlation: Callable = stats.spearmanr) -> Callable:
    """An answer: summary(correlation in each topic, pairs in each topic), as topics appear."""

    def answer(gold, predicted, topics):
        parts = [topics == name for name in dict.fromkeys(topics.tolist())]
        values = [float(correlation(gold[part], predicted[part])[0]) for part in parts]
        return float(summary(values, [part.sum() for part in parts]))

    return answer


def _pooled(gold, predicted, topics) -> float:
    return float(stats.spearmanr(gold, predicted)[0])


MEAN_OVER_TOPICS = (
    (
        _per_topic(lambda values, sizes: 100 * np.mean(values)),
        "right, but in points: leave it between -1 and 1 here",
    ),
    (
        _pooled,
        "this is one correlation of all topics in one list: levels that differ from topic to "
        "topic spoil (or flatter) it. Correlate within each topic first",
    ),
    (
        lambda *given: 100 * _pooled(*given),
        "this is one correlation of all topics in one list, times 100",
    ),
    (
        _per_topic(lambda values, sizes: np.average(values, weights=sizes)),
        "this weighs topics by their pairs: here each topic counts the same",
    ),
    (
        _per_topic(lambda values, sizes: np.mean(values), stats.pearsonr),
        "these are Pearson's correlations: the ranks are wanted",
    ),
    (
        _per_topic(lambda values, sizes: sum(values)),
        "this is the sum: divide by the number of topics",
    ),
    (
        _per_topic(lambda values, sizes: values[0]),
        "this is the first topic alone: does `return` stand inside the loop?",
    ),
    (
        _per_topic(lambda values, sizes: values[-1]),
        "this is the last topic alone: collect the values of all of them",
    ),
    (_per_topic(lambda values, sizes: np.median(values)), "this is the median: take the mean"),
)


@check(mistakes=MEAN_OVER_TOPICS)
def mean_over_topics(answer):
    """answer(gold, predicted, topics) -> Spearman within each topic, averaged over the topics."""
    gold, predicted, topics = _three_topics()
    compare = partial(
        diagnose,
        answer,
        _per_topic(lambda values, sizes: np.mean(values)),
        look=partial(need_number, what="the score"),
        same=partial(near, tolerance=1e-4),
    )
    turned = "a topic may be ranked upside down: its correlation is below 0. Is there an abs()?"
    compare(
        MEAN_OVER_TOPICS,
        (gold, predicted, topics),
        otherwise="for each topic: its gold scores, its predictions, their Spearman; then the mean",
    )
    compare((), (gold, np.where(topics == "cars", -predicted, predicted), topics), otherwise=turned)


# ---- figures


BLUE, AMBER, RED, GREY = COLORS[0], COLORS[1], "#C1121F", "#9A9A9A"
ROLES = {"training only": (BLUE, "o"), "test only": (AMBER, "s"), "both: shared": (RED, "X")}
# Colour and marker of each system, in every figure. Blue and amber are taken by the roles.
SYSTEMS = {
    "look-up table": (COLORS[3], "o"),
    "SVR": (COLORS[4], "s"),
    "BiLSTM-AFS": (COLORS[2], "D"),
    "SBERT-AFS": (COLORS[7], "^"),
    "cross-encoder-AFS": (COLORS[5], "v"),
}


def close_knit(first: np.ndarray, second: np.ndarray, count: int) -> np.ndarray:
    """A few sentences with many pairs among them: the best connected one, then whoever joins best.

    `first` and `second` are sentence numbers, one pair each; gives sentence numbers: (count,).
    """
    chosen = [int(np.bincount(np.concatenate([first, second])).argmax())]
    while len(chosen) < count:
        inside = np.isin(first, chosen), np.isin(second, chosen)
        joining = np.concatenate([second[inside[0] & ~inside[1]], first[inside[1] & ~inside[0]]])
        if not len(joining):
            break
        chosen.append(int(np.bincount(joining).argmax()))
    return np.array(chosen)


def graphs_and_bars(
    panels: Mapping[str, tuple[Sequence[int], Sequence[int]]],
    clusters: Sequence[Sequence[int]],
    edges: tuple[np.ndarray, np.ndarray],
    bars: Mapping[str, Mapping[str, float]],
) -> Figure:
    """Above: sentences and their pairs under each split, shared sentences red. Below: scores.

    `panels` maps a split to one fold's (training, tested) pair numbers, `clusters` are lists of
    sentence numbers to draw in a circle each, `edges` the two sentence numbers of every pair, and
    `bars` maps a split to the Spearman of each system.
    """
    figure, axes = new(10, 5.2, columns=len(panels), rows=2, height_ratios=[0.9, 1], squeeze=False)
    place = _circles(clusters)
    for column, (title, (train, test)) in enumerate(panels.items()):
        _graph(axes[0, column], place, edges, np.asarray(train), np.asarray(test))
        axes[0, column].set_title(title)
        _bars(axes[1, column], bars[title])
        if column:
            axes[1, column].set_yticklabels([])
    handles = [
        Line2D([], [], color=color, marker=marker, ls="", label=f"sentence in {name}")
        for name, (color, marker) in ROLES.items()
    ]
    handles += [
        Line2D([], [], color=BLUE, lw=1.2, label="training pair"),
        Line2D([], [], color=AMBER, lw=2.4, label="tested pair"),
        Line2D([], [], color=GREY, lw=1, ls=":", label="pair in neither"),
    ]
    figure.legend(handles=handles, loc="outside upper center", ncols=3, fontsize=9)
    return figure


def _circles(clusters: Sequence[Sequence[int]]) -> dict[int, tuple[float, float]]:
    """Where each sentence stands: one circle per cluster, the circles in a row of two or three."""
    centres = {1: [(0, 0)], 2: [(-1.15, 0), (1.15, 0)], 3: [(-1.2, 0.75), (1.2, 0.75), (0, -1.3)]}
    place = {}
    for (x, y), cluster in zip(centres[len(clusters)], clusters, strict=True):
        for number, sentence in enumerate(cluster):
            angle = 2 * np.pi * number / len(cluster)
            place[int(sentence)] = (x + np.cos(angle), y + np.sin(angle))
    return place


def _graph(axes: Axes, place: dict, edges: tuple, train: np.ndarray, test: np.ndarray) -> None:
    first, second = edges
    drawn = np.flatnonzero([a in place and b in place for a, b in zip(first, second, strict=True)])
    styles = {
        "train": {"color": BLUE, "lw": 0.9, "alpha": 0.55, "zorder": 1},
        "test": {"color": AMBER, "lw": 2.2, "alpha": 0.95, "zorder": 2},
        "neither": {"color": GREY, "lw": 0.9, "ls": ":", "alpha": 0.8, "zorder": 0},
    }
    train_set, test_set = set(train.tolist()), set(test.tolist())
    for pair in drawn:
        kind = "train" if pair in train_set else "test" if pair in test_set else "neither"
        ends = [place[int(first[pair])], place[int(second[pair])]]
        axes.plot(*zip(*ends, strict=True), **styles[kind])
    known = set(first[train]) | set(second[train])
    asked = set(first[test]) | set(second[test])
    for sentence, where in place.items():
        roles = {
            (True, True): "both: shared",
            (True, False): "training only",
            (False, True): "test only",
        }
        role = roles.get((sentence in known, sentence in asked))
        color, marker = ROLES[role] if role else (GREY, "o")
        axes.scatter(*where, s=46, color=color, marker=marker, zorder=3, edgecolor="white", lw=0.6)
    axes.set_aspect("equal")
    axes.axis("off")


def _bars(axes: Axes, values: Mapping[str, float]) -> None:
    names = list(values)[::-1]
    widths = [values[name] for name in names]
    axes.barh(names, widths, color=[SYSTEMS[name][0] for name in names], height=0.7)
    for row, width in enumerate(widths):
        axes.text(max(width, 0) + 1.5, row, f"{width:.0f}", va="center", fontsize=9)
    axes.axvline(0, color="black", lw=0.8)
    axes.spines["left"].set_visible(False)
    axes.set_xlim(min(-8, *widths), 100)
    axes.set_xlabel("Spearman x 100")
    axes.tick_params(axis="y", length=0)


def fall(
    protocols: Sequence[str], values: Mapping[str, Sequence[float]], *, ylabel="Spearman x 100"
) -> Axes:
    """One line per system (a name of SYSTEMS) over the protocols, in the given order."""
    _, axes = new(8, 4)
    places = np.arange(len(protocols))
    ends = []
    for name, line in values.items():
        color, marker = SYSTEMS[name]
        axes.plot(places, line, marker=marker, ms=6, color=color, lw=1.8)
        ends.append((float(line[-1]), name, color))
    low, high = axes.get_ylim()
    above = -np.inf
    for value, name, color in sorted(ends):  # labels at the right end, pushed apart
        above = max(value, above + (high - low) * 0.06)
        axes.text(places[-1] + 0.08, above, name, color=color, va="center", fontsize=9)
    axes.axhline(0, color=GREY, lw=1, ls=":")
    axes.set_xticks(places, protocols)
    axes.set_xlim(-0.2, len(protocols) - 1 + 0.9)
    axes.set_ylabel(ylabel)
    return axes
