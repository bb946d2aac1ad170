"""Notebook 08. Checks: your ratings, subsets that turn a correlation, two of them, an interval.

Figures: three ways to score a year, bent similarities, Table 1's averages, intervals of claims.
"""

from collections.abc import Callable, Mapping, Sequence
from functools import cache, partial
from itertools import permutations, product

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from scipy import stats

from sbert_lab.course.diagnose import Hint, check, diagnose, near, need_numbers
from sbert_lab.course.plots import COLORS, GREY, new

PAIRS = 20  # to be rated by the reader

# People's scores and a system's similarities: a rising curve with two pairs out of order, and ties.
CURVE = (
    (0.6, 1.0, 0.2, 0.5, 0.0, 0.8, 0.2, 1.0, 0.4, 0.6),
    (0.16, 0.99, 0.05, 0.10, 0.01, 0.30, 0.02, 0.95, 0.04, 0.30),
)


@cache
def twenty() -> list[dict]:
    """Twenty test pairs of our own STSb, drawn by a fixed seed; the same in every profile."""
    from sbert_lab import data

    rows = data.load("stsb", "test", profile="mini").shuffle(seed=8)
    return list(rows.select(range(PAIRS)))


@check
def two_subsets(first, second):
    """Two subsets, each (gold, predicted), each with Spearman 1, together below 0."""
    subsets = [_subset(first, "first"), _subset(second, "second")]
    alone = [_spearman(*one) for one in subsets]
    for name, value in zip(("first", "second"), alone, strict=True):
        if not near(value, 1.0):
            raise Hint(
                f"the {name} subset alone has a Spearman of {value:.2f}: inside a subset the "
                "similarities must rise with the gold scores, and neither may have ties"
            )
    together = _spearman(*(np.concatenate(side) for side in zip(*subsets, strict=True)))
    if together >= 0:
        raise Hint(
            f"one list of all pairs has a Spearman of {together:.2f}. (The *average* of the two "
            "correlations is 1 whatever you do: concatenate first, then correlate.) Which subset "
            "should have the high gold scores, and which the high similarities?"
        )


def _subset(answer: object, name: str) -> tuple[np.ndarray, np.ndarray]:
    try:
        gold, predicted = (np.array([float(v) for v in side]) for side in answer)
    except (TypeError, ValueError):
        raise Hint(f"{name} should be two lists of numbers: gold scores, similarities") from None
    if len(gold) != len(predicted):
        raise Hint(f"{name} has {len(gold)} gold scores but {len(predicted)} similarities")
    if len(gold) < 3:
        raise Hint(f"{name} has {len(gold)} pairs: take at least three")
    if not (np.isfinite(gold).all() and np.isfinite(predicted).all()):
        raise Hint(f"{name} has a value that is not a number")
    if gold.min() < 0 or gold.max() > 5:
        raise Hint(f"gold scores go from 0 to 5, but {name} has {gold.min():g} to {gold.max():g}")
    if predicted.min() < -1 or predicted.max() > 1:
        raise Hint(f"similarities are cosines here, from -1 to 1: look at {name}")
    return gold, predicted


def _spearman(gold: np.ndarray, predicted: np.ndarray) -> float:
    ranked = stats.rankdata(gold), stats.rankdata(predicted)
    if any(np.ptp(one) == 0 for one in ranked):
        raise Hint("a constant list has no ranking: vary the numbers inside each subset")
    return _pearson(*ranked)


def _pearson(a: np.ndarray, b: np.ndarray) -> float:
    return float(np.corrcoef(a, b)[0, 1])


def _without_ties(values: np.ndarray) -> list[np.ndarray]:
    """All rankings that give equal values places of their own: (N,) each.

    Which of them np.argsort gives depends on its kind, and for the default on the machine.
    """
    equal = [np.flatnonzero(values == one) for one in np.unique(values)]
    return [np.argsort(np.concatenate(one)) for one in product(*map(permutations, equal))]


def _both(gold: np.ndarray, predicted: np.ndarray) -> tuple[float, float]:
    return _pearson(gold, predicted), _spearman(gold, predicted)


def _with_ranks(rank: Callable, other: Callable | None = None) -> Callable:
    """Pearson, and a Spearman from these ranks; those of the predictions may be `other`."""
    return lambda gold, predicted: (
        _pearson(gold, predicted),
        _pearson(rank(gold), (other or rank)(predicted)),
    )


def _broken(number: int) -> Callable:
    """Ranks that break ties in one of the possible ways."""
    return lambda values: _without_ties(values)[number]


LISTED = (
    "argsort says which pair comes first, second, third: it lists *pairs*. A rank says "
    "which place a pair has. scipy's rankdata gives ranks"
)
TIES = (
    "pairs with equal values must share their mean rank; yours got different ones, as "
    "argsort of argsort gives them. scipy's rankdata shares"
)
SHARED = "equal values share the *mean* of their ranks: rankdata's own default"
CORRELATIONS = (
    (
        lambda gold, predicted: _both(gold, predicted)[::-1],
        "both are right, but swapped: first Pearson, then Spearman",
    ),
    (_with_ranks(np.argsort), LISTED),
    (_with_ranks(partial(np.argsort, kind="stable")), LISTED),
    # three ties of two in CURVE's scores, one in its similarities
    *((_with_ranks(_broken(i), _broken(j)), TIES) for i in range(8) for j in range(2)),
    *((_with_ranks(partial(stats.rankdata, method=m)), SHARED) for m in ("min", "max", "dense")),
    (
        _with_ranks(np.asarray),
        "you gave the same number twice: Spearman needs ranks in place of the values",
    ),
)


@check(mistakes=CORRELATIONS)
def two_correlations(answer):
    """answer(gold, predicted) -> (Pearson, Spearman), both from -1 to 1."""
    hint = "give back two numbers: Pearson, Spearman"
    diagnose(
        answer,
        _both,
        CORRELATIONS,
        [np.array(side) for side in CURVE],
        look=lambda found: need_numbers(_unpacked(found), "Pearson", "Spearman", hint=hint),
        otherwise=_other_correlations,
    )


def _unpacked(found: object) -> object:
    """What came out; a hint if a whole table or a result with a p-value stands for a number."""
    for one in found if isinstance(found, (tuple, list)) else [found]:
        if np.shape(one) == (2, 2):
            raise Hint("np.corrcoef gives a 2 x 2 table: take one entry off the diagonal, [0, 1]")
        if hasattr(one, "pvalue"):
            raise Hint("scipy gives a correlation and a p-value: take .statistic")
    return found


def _other_correlations(found: Sequence[float], expected: Sequence[float]) -> str:
    if near(found[0], 100 * expected[0], tolerance=1e-3):
        return "from -1 to 1, please: the times 100 comes later"
    if not near(found[0], expected[0]):
        return (
            "look at Pearson: it correlates the values themselves. np.corrcoef gives a 2 x 2 table "
            "of which you need one entry off the diagonal"
        )
    if near(found[1], 100 * expected[1], tolerance=1e-3):
        return "Pearson runs from -1 to 1 in yours and Spearman to 100: no times 100, please"
    return "Spearman is Pearson of the ranks: rank both lists, then correlate"


@check
def ratings(answer):
    """answer: twenty ratings from 0 to 5 of the pairs in twenty()."""
    try:
        mine = np.array([float(value) for value in answer])
    except (TypeError, ValueError):
        raise Hint(f"a list of {PAIRS} numbers is needed, none of them None") from None
    if mine.shape != (PAIRS,):
        raise Hint(f"{PAIRS} ratings are needed, one per pair, but there are {mine.size}")
    if not np.isfinite(mine).all() or mine.min() < 0 or mine.max() > 5:
        raise Hint("the rubric goes from 0 to 5")
    if mine.max() <= 1:
        raise Hint("these go from 0 to 1 only: the rubric's 5 stands for the same meaning")
    different = len(set(mine.tolist()))
    if different == 1:
        raise Hint(
            "all ratings are equal: a constant has no ranking, so it agrees with nobody. Somebody "
            "who gives everything a 3 has said nothing"
        )
    if different < 3:
        raise Hint(f"only {different} different ratings: use more of the rubric's six steps")
    gold = np.array([row["score"] for row in twenty()])
    agreement = _spearman(gold, mine)
    if _spearman(gold, mine[::-1]) > max(agreement, 0.4):
        raise Hint(
            "these ratings fit the pairs better from the last to the first: is your list in the "
            "order of the pairs?"
        )
    if agreement < 0.4:  # of random orders of twenty one in 25 gets so far
        raise Hint(
            f"your order agrees with the gold scores at {100 * agreement:.0f} points. Are the "
            "ratings in the order of the pairs, and is 5 the same meaning, 0 another topic?"
        )


# ---- the interval of a difference


def _drawn(gold, one, other, draws, *, score=_spearman) -> np.ndarray:
    """Score of one minus score of the other, on each draw: (D,)."""
    return np.array([score(gold[p], one[p]) - score(gold[p], other[p]) for p in draws])


def _middle(values: np.ndarray, share: float = 0.95) -> np.ndarray:
    return np.quantile(values, [(1 - share) / 2, (1 + share) / 2])


def _each(gold, values, draws) -> np.ndarray:
    return np.array([_spearman(gold[p], values[p]) for p in draws])


def _about(values: np.ndarray, width: float) -> np.ndarray:
    return values.mean() + width * np.array([-1, 1])


BELL = (
    "a mean and so many standard deviations supposes the shape of a bell: sort the differences and "
    "leave out 2.5 % at each end (np.quantile)"
)
INTERVAL = (
    (lambda *given: 100 * _middle(_drawn(*given)), "from -1 to 1, please: no times 100 here"),
    (lambda *given: _middle(_drawn(*given))[::-1], "the lower end first"),
    (lambda g, a, b, d: _middle(_drawn(g, b, a, d)), "turned round: first minus second"),
    (
        lambda *given: _middle(_drawn(*given), 0.9),
        "the middle 90 %: for 95 % leave out 2.5 % on each side",
    ),
    (lambda *given: _middle(_drawn(*given, score=_pearson)), "that is Pearson: rank first"),
    (
        lambda g, a, b, d: _middle(_each(g, a, d) - _each(g, b, d[::-1])),
        "each system has draws of its own: both must be scored on the *same* pairs",
    ),
    (
        lambda g, a, b, d: _middle(_each(g, a, d)) - _middle(_each(g, b, d)),
        "two intervals, subtracted: take the difference on each draw first, then the interval",
    ),
    (
        lambda g, a, b, d: _middle(np.array([_spearman(g, a[p]) - _spearman(g, b[p]) for p in d])),
        "the gold scores stayed in their old order: draw them with the same places",
    ),
    *(
        (lambda *given, z=z: _about(one := _drawn(*given), z * one.std()), BELL)
        for z in (1.96, 2, 1)
    ),
    (
        lambda *given: _about(one := _drawn(*given), 1.96 * one.std() / np.sqrt(len(one))),
        "divided by the root of the number of draws: that says how well the *mean* of the draws is "
        "known, and goes to 0 with more draws. How far do the draws themselves scatter?",
    ),
)


@check(mistakes=INTERVAL)
def difference_interval(answer):
    """answer(gold, first, second, draws) -> the middle 95 % of the differences of Spearmans."""
    rng = np.random.default_rng(8)
    gold = rng.integers(0, 11, size=30) / 2
    first, second = gold + rng.normal(0, 1.5, 30), gold + rng.normal(0, 2.5, 30)
    hint = "give back two numbers: the lower and the upper end"
    diagnose(
        answer,
        lambda *given: _middle(_drawn(*given)),
        INTERVAL,
        (gold, first, second, rng.integers(30, size=(100, 30))),
        look=lambda found: need_numbers(_unpacked(found), "low", "high", hint=hint),
        otherwise="for each row of draws: gold, first and second at these places, two Spearmans, "
        "one difference. Then the quantiles 0.025 and 0.975 of all differences",
    )


# ---- figures


WAYS = {"all": ("o", COLORS[0]), "mean": ("s", COLORS[1]), "weighted mean": ("^", COLORS[2])}
KINDS = {"system": ("o", COLORS[0]), "extra": ("D", COLORS[2]), "floor": ("s", GREY)}


def three_numbers(
    years: Sequence[str], ways: Mapping[str, Sequence[float]], gaps: Sequence[float], *, rivals: str
) -> Figure:
    """Left: three scores of one system per year. Right: how far they lie apart, beside a gap.

    ways maps 'all', 'mean' and 'weighted mean' to a score per year; gaps are the (absolute)
    differences between two systems' "all".
    """
    figure, (left, right) = new(9.5, 3.9, columns=2, width_ratios=[1.15, 1])
    table = np.array([ways[name] for name in WAYS])  # (3, years)
    places = np.arange(len(years))
    left.vlines(places, table.min(axis=0), table.max(axis=0), color="#cccccc", lw=5, zorder=1)
    for shift, (name, (marker, color)) in zip((-0.12, 0, 0.12), WAYS.items(), strict=True):
        left.scatter(places + shift, ways[name], marker=marker, color=color, s=55, label=name,
                     zorder=3)  # fmt: skip
    left.set_ylabel("Spearman (points)")
    left.set_title("one system, three numbers a year")
    spans = np.ptp(table, axis=0)
    right.bar(places - 0.19, spans, 0.36, color="#bbbbbb", label="largest minus smallest number")
    right.bar(places + 0.19, gaps, 0.36, color=COLORS[5], label=rivals)
    right.set_ylabel("points")
    right.set_title("that span, beside a gap between systems")
    for axes in (left, right):
        axes.set_xticks(places, years)
        axes.set_xlim(-0.5, len(years) - 0.5)
    left.legend(loc="upper center", bbox_to_anchor=(0.5, -0.1), ncols=3, fontsize=9)
    right.legend(loc="upper center", bbox_to_anchor=(0.5, -0.1), ncols=1, fontsize=9)
    return figure


def bent(gold: Sequence[float], panels: Mapping[str, tuple]) -> Figure:
    """One panel per similarity: values against gold with the straight line that fits best.

    panels maps a title to (values, line below the title).
    """
    figure, axes = new(9.5, 3.7, columns=len(panels))
    gold = np.asarray(gold)
    for number, (one, (title, (values, words))) in enumerate(
        zip(np.atleast_1d(axes), panels.items(), strict=True)
    ):
        slope, start = np.polyfit(gold, values, 1)
        one.scatter(gold, values, s=10, alpha=0.55, lw=0, color=COLORS[(0, 5, 2)[number]])
        ends = np.array([0, 1])
        one.plot(ends, start + slope * ends, color="black", lw=1.2, ls="--")
        one.set_title(f"{title}\n{words}")
        one.set_xlabel("gold score (0 to 1)")
    np.atleast_1d(axes)[0].set_ylabel("similarity")
    return figure


def table_one(
    names: Sequence[str],
    scores: Mapping[str, Sequence[float]],
    kinds: Mapping[str, str],
    *,
    paper: Mapping[str, float],
    live: tuple[str, float] | None = None,
) -> Axes:
    """The averages of all rows: a dot per seed, the paper's figure as a tick, a star for `live`."""
    _, axes = new(8, 0.9 + 0.33 * len(names))
    places = {name: len(names) - 1 - number for number, name in enumerate(names)}
    floor = max(np.mean(scores[name]) for name in names if kinds[name] == "floor")
    axes.axvline(floor, color=GREY, lw=1, ls=":", zorder=0, label="highest floor")
    seen = set()
    for name in names:
        marker, color = KINDS[kinds[name]]
        label = None if kinds[name] in seen else kinds[name]
        seen.add(kinds[name])
        values = np.asarray(scores[name])
        axes.scatter(values, [places[name]] * len(values), marker=marker, s=34, color=color,
                     alpha=0.8, lw=0, label=label, zorder=3)  # fmt: skip
    known = [name for name in names if name in paper]
    axes.scatter([paper[name] for name in known], [places[name] for name in known], marker="|",
                 s=130, color="black", lw=2, label="paper", zorder=2)  # fmt: skip
    if live is not None:
        axes.scatter(live[1], places[live[0]], marker="*", s=150, color=COLORS[5],
                     edgecolor="white", lw=0.5, label="trained just now", zorder=4)  # fmt: skip
    axes.set_yticks(list(places.values()), list(places))
    axes.set_ylim(-0.6, len(names) - 0.4)
    axes.grid(axis="y", color="#eeeeee", zorder=0)
    axes.set_axisbelow(True)
    axes.set_xlabel("average Spearman over the sets (points)")
    axes.legend(loc="upper center", bbox_to_anchor=(0.4, -0.1), ncols=6, fontsize=9,
                columnspacing=1.2, handletextpad=0.3)  # fmt: skip
    return axes


def intervals(parts: Mapping[str, tuple[float, float, str]], *, tolerance: float = 2.0) -> Axes:
    """The 95 % interval of each part of the claims: name -> (low, high, kind of the part)."""
    _, axes = new(8, 0.8 + 0.36 * len(parts))
    axes.axvspan(-tolerance, tolerance, color="#eeeeee", zorder=0, lw=0)
    axes.axvline(0, color=GREY, lw=1)
    names = list(parts)[::-1]
    for place, name in enumerate(names):
        low, high, kind = parts[name]
        color = COLORS[0] if kind == "above" else COLORS[1]
        axes.plot([low, high], [place, place], color=color, lw=3, solid_capstyle="butt")
        axes.plot((low + high) / 2, place, "o" if kind == "above" else "s", color=color, ms=6)
    handles = [
        axes.plot([], [], "o-", color=COLORS[0], label="must lie to the right of 0")[0],
        axes.plot([], [], "s-", color=COLORS[1], label="must lie inside the grey band")[0],
    ]
    axes.set_yticks(range(len(names)), names)
    axes.set_ylim(-0.6, len(names) - 0.4)
    axes.set_xlabel("difference (points), 95 % interval over the test pairs")
    axes.legend(handles=handles, loc="upper center", bbox_to_anchor=(0.35, 1.16), ncols=2,
                fontsize=9)  # fmt: skip
    return axes
