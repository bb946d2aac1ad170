"""Notebook 03. Checks: Spearman with ties, the cosine of random pairs, cosines after centring.

Figures: three distances of two arrows, histograms of cosines, spectrum and cone of raw vectors.
"""

import math
from collections.abc import Callable, Mapping, Sequence
from functools import partial

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Arc, Circle, Patch
from scipy import stats

from sbert_lab.course.diagnose import Hint, check, diagnose, near, need_number, need_shape
from sbert_lab.course.plots import COLORS, log_ticks, new
from sbert_lab.course.source import names_in
from sbert_lab.vectors import unit_rows

_GOLD = np.array([4.0, 1.0, 5.0, 0.0, 4.0, 2.5, 1.0, 4.0])
_PREDICTED = np.array([0.9, 0.1, 0.7, 0.2, 0.8, 0.3, 0.6, 0.4])
_PLAIN_GOLD = np.array([3.0, 0.5, 4.0, 1.0, 2.0])
_PLAIN = np.array([0.7, 0.2, 0.95, 0.94, 0.3])


def _pearson(a: np.ndarray, b: np.ndarray) -> float:
    return np.corrcoef(a, b)[0, 1]


def _textbook(gold: np.ndarray, predicted: np.ndarray) -> float:
    d, n = stats.rankdata(gold) - stats.rankdata(predicted), len(gold)
    return 1 - 6 * (d**2).sum() / (n * (n**2 - 1))


def _ranked(method: str) -> Callable:
    """Pearson of ranks that share the smallest, largest or next place, not the mean one."""
    return lambda *both: _pearson(*(stats.rankdata(values, method=method) for values in both))


ONE_COLUMN = "only one column was ranked: both need ranks"
NOT_CORRELATED = "the ranks are right, but this is not their correlation: np.corrcoef(a, b)[0, 1]"
SPEARMAN = (
    (_pearson, "this is Pearson of the values: replace each value by its rank first"),
    (
        lambda gold, predicted: _pearson(gold.argsort(), predicted.argsort()),
        "a single argsort says which item comes first, second, ...; the rank of each item is "
        "the argsort of that",
    ),
    (_textbook, "1 - 6 sum(d^2) / (n(n^2 - 1)) holds only without ties: correlate the ranks"),
    *(
        (
            _ranked(method),
            f"equal values get the {method} rank in yours: they must share the mean of their ranks",
        )
        for method in ("min", "max", "dense")
    ),
    (
        lambda gold, predicted: -_ranked("average")(gold, predicted),
        "the sign is turned round: rank both columns from small to large",
    ),
    (lambda gold, predicted: _pearson(gold, stats.rankdata(predicted)), ONE_COLUMN),
    (lambda gold, predicted: _pearson(stats.rankdata(gold), predicted), ONE_COLUMN),
    (
        lambda gold, predicted: 100 * _ranked("average")(gold, predicted),
        "from -1 to 1, please: the times 100 comes later",
    ),
    (
        lambda gold, predicted: _pearson(np.sort(gold), np.sort(predicted)),
        "you sorted the values, so they lost their partners: leave each where it is and write its"
        " rank there",
    ),
    (lambda gold, predicted: 1.0, "np.corrcoef(a, b)[0, 0] is a with itself: take [0, 1]"),
    (lambda *both: np.cov(*map(stats.rankdata, both))[0, 1], NOT_CORRELATED),
    (
        lambda *both: np.prod([unit_rows(stats.rankdata(one)[None]) for one in both], axis=0).sum(),
        NOT_CORRELATED,
    ),
)


@check(mistakes=SPEARMAN)
def spearman(answer):
    """answer(gold, predicted): two lists of n numbers -> one number from -1 to 1."""
    compare = partial(
        diagnose,
        answer,
        lambda gold, predicted: stats.spearmanr(gold, predicted).statistic,
        SPEARMAN,
        look=partial(need_number, what="Spearman"),
        otherwise=_other_spearman,
    )
    compare(inputs=(_PLAIN_GOLD, _PLAIN))
    if _depends_on_tied_order(answer):
        raise Hint("right without ties; but equal values must share the mean of their ranks")
    if _depends_on_tied_order(lambda tied, other: answer(other, tied)):
        raise Hint("right, but not if the ties stand in the second list: rank both the same way")
    compare(inputs=(_GOLD, _PREDICTED))
    compare(inputs=(_PREDICTED, _GOLD))
    if near(answer(_PLAIN_GOLD, -_PLAIN_GOLD), 1):
        raise Hint("opposite orders have a Spearman of -1: is there an abs() too many?")
    if names_in(answer) & {"scipy", "spearmanr", "rankdata", "sts"}:
        raise Hint("right, but a library did the work: write the ranks yourself, with numpy")


def _other_spearman(found: float, expected: float) -> str:
    if math.isnan(found):
        return (
            "NaN: one of your columns has the same rank everywhere. There is one rank per value:"
            " sum the comparisons over one axis only"
        )
    return "write both columns of ranks down for [10, 30, 30]: they are 1, 2.5, 2.5"


def _depends_on_tied_order(answer) -> bool:
    """True if swapping the partners of two equal values changes the result: it must not."""
    tied = np.array([1.0, 1.0, 2.0])
    first, second = (answer(tied, np.array(other)) for other in ([1.0, 2.0, 3.0], [2.0, 1.0, 3.0]))
    return not near(need_number(first, "Spearman"), need_number(second, "Spearman"))


def sentence_pairs() -> tuple[np.ndarray, np.ndarray]:
    """Six gold pairs that lie together, far from the origin: (6, 4), (6, 4)."""
    rng = np.random.default_rng(3)
    u = rng.normal(size=(6, 4)) * [[1], [2], [3], [1], [2], [3]] + [3, 0, 1, 0]
    v = u + 0.3 * rng.normal(size=(6, 4))
    return u, v


def _cosines(u: np.ndarray, v: np.ndarray) -> np.ndarray:
    return unit_rows(u) @ unit_rows(v).T


def _off_diagonal(table: np.ndarray) -> np.ndarray:
    return table[~np.eye(len(table), dtype=bool)]


DOTS = "these are dot products: bring every vector to length 1 first"
ALONE = "you compared u with itself: v is missing"
RANDOM_PAIRS = (
    (
        lambda u, v: np.diag(_cosines(u, v)).mean(),
        "these are the gold pairs, u[i] with v[i]: no random ones at all",
    ),
    (
        lambda u, v: _cosines(u, v).mean(),
        "the diagonal is in your mean: there u[i] meets its own partner v[i]. Leave it out",
    ),
    (
        lambda u, v: _off_diagonal(_cosines(u, v)).sum() / len(u) ** 2,
        "you left the diagonal out of the sum, but not out of the count: N(N-1) cosines remain",
    ),
    (lambda u, v: _off_diagonal(u @ v.T).mean(), DOTS),
    (lambda u, v: (u @ v.T).mean(), DOTS),
    (
        lambda u, v: _cosines(u, v)[np.triu_indices(len(u), 1)].mean(),
        "only j > i is in yours: u[i] with v[j] and u[j] with v[i] are two different pairs",
    ),
    (lambda u, v: _off_diagonal(_cosines(u, u)).mean(), ALONE),
    (lambda u, v: _cosines(u, u).mean(), ALONE),
    (lambda u, v: _off_diagonal(unit_rows(u) @ v.T).mean(), "only u has length 1: v needs it too"),
    (
        lambda u, v: 2 * _off_diagonal(_cosines(u, v)).mean(),
        "u[i] with v[j] and u[j] with v[i] are two pairs: divide by N(N-1), not by half of it",
    ),
    (
        lambda u, v: (_cosines(u, v).sum() - len(u)) / (len(u) * (len(u) - 1)),
        "the diagonal is not all 1, because u[i] and v[i] are two sentences: take off its own sum",
    ),
)


@check(mistakes=RANDOM_PAIRS)
def random_pair_cosine(answer):
    """answer(u, v): (N, H), (N, H) -> the mean cosine of u[i] and v[j] over all i != j."""
    diagnose(
        answer,
        lambda u, v: _off_diagonal(_cosines(u, v)).mean(),
        RANDOM_PAIRS,
        sentence_pairs(),
        look=partial(need_number, what="the mean cosine"),
        untouched="your function changed the vectors it was given: `u = u / ...`, not `u /= ...`",
        otherwise="make the (N, N) table of all cosines first, then leave its diagonal out",
    )


def _centred(u: np.ndarray, v: np.ndarray, mean: np.ndarray, other: np.ndarray | None = None):
    """The cosine of each pair, (N,), after a mean was subtracted: from v another one, if given."""
    return np.diag(_cosines(u - mean, v - (mean if other is None else other)))


def _centre(u: np.ndarray, v: np.ndarray) -> np.ndarray:
    return np.concatenate([u, v]).mean(axis=0)


def _after_centring(u: np.ndarray, v: np.ndarray) -> np.ndarray:
    return _centred(u, v, _centre(u, v))


CENTRED = (
    (
        lambda u, v: _centred(u, v, (u + v) / 2),
        "you took the mean of each pair: both vectors then point away from their own middle, "
        "and every cosine is -1. One mean for all sentences",
    ),
    (lambda u, v: _centred(u, v, 0), "nothing is centred yet: these are the plain cosines"),
    (
        lambda u, v: _centred(u, v, u.mean(0), v.mean(0)),
        "two means: then the same sentence has one vector on the left and another on the "
        "right. One mean for both sides",
    ),
    (
        lambda u, v: _centred(u, v, u.mean(1, keepdims=True), v.mean(1, keepdims=True)),
        "you averaged over the dimensions (axis=1): average over the sentences (axis=0)",
    ),
    (
        lambda u, v: _centred(u, v, np.concatenate([u, v]).mean()),
        "you subtracted a single number: the mean is a vector, one number per dimension",
    ),
    (
        lambda u, v: ((u - _centre(u, v)) * (v - _centre(u, v))).sum(axis=1),
        "centred, but these are dot products: divide by both lengths",
    ),
    (lambda u, v: _centred(u, v, _centre(u, v), 0), "only u was centred: v needs it too"),
    (
        lambda u, v: _centred(u, v, u.mean(0)),
        "this is the mean of u alone: take all sentences, left and right",
    ),
    (
        lambda u, v: _centred(u, v, u.mean(0) + v.mean(0)),
        "two means were added: the mean of both sides is half of that",
    ),
    (
        lambda u, v: _after_centring(unit_rows(u), unit_rows(v)),
        "you divided by the lengths before the mean was subtracted: centre the raw vectors",
    ),
    (
        lambda u, v: np.diag(_cosines(u, v)) - np.diag(_cosines(u, v)).mean(),
        "you subtracted the mean of the cosines: subtract the mean vector from the vectors",
    ),
)


@check(mistakes=CENTRED)
def centred_cosine(answer):
    """answer(u, v): (N, H), (N, H) -> (N,), cosines after one common mean was subtracted."""
    diagnose(
        answer,
        _after_centring,
        CENTRED,
        sentence_pairs(),
        look=lambda found: need_shape(np.asarray(found), (6,), "the cosines"),
        untouched="your function changed the vectors it was given: `u = u - mean`, not `u -= mean`",
        otherwise="one mean vector over all 2N sentences, subtracted from both sides, then the "
        "cosine",
    )


# ---- figures


_BLUE, _ORANGE, _GREEN, _RED = COLORS[0], COLORS[1], COLORS[2], COLORS[5]


def centre(matrix: np.ndarray) -> np.ndarray:
    """The vectors minus their mean: (N, H) -> (N, H)."""
    return matrix - matrix.mean(axis=0)


def three_distances(u: Sequence[float], v: Sequence[float]) -> Axes:
    """Two arrows in the plane with their angle, their straight and their city-block distance."""
    u, v = np.asarray(u, dtype=float), np.asarray(v, dtype=float)
    _, axes = new(5.4, 4)
    for vector, name in ((u, "u"), (v, "v")):
        axes.annotate(
            "", vector, xytext=(0, 0), arrowprops={"arrowstyle": "-|>", "lw": 2, "color": "#444444"}
        )
        axes.annotate(name, vector, xytext=(6, 4), textcoords="offset points", fontsize=13)
    first, second = (np.degrees(np.arctan2(*vector[::-1])) for vector in (u, v))
    low, high = sorted((first, second))
    axes.add_patch(Arc((0, 0), 2, 2, theta1=low, theta2=high, color=_GREEN, lw=3))
    middle = np.radians((low + high) / 2)
    axes.text(1.15 * np.cos(middle), 1.15 * np.sin(middle), "cosine: the angle", color=_GREEN)
    axes.plot(*zip(u, v, strict=True), color=_BLUE)
    centre = (u + v) / 2
    axes.text(*(centre + [-0.2, -0.1]), "Euclid", color=_BLUE, ha="right")
    axes.plot([u[0], u[0], v[0]], [u[1], v[1], v[1]], color=_RED, ls="--")
    axes.text(max(u[0], v[0]) + 0.1, centre[1], "Manhattan", color=_RED)
    axes.set_xlim(0, max(u[0], v[0]) + 1.3)
    axes.set_ylim(0, max(u[1], v[1]) + 0.6)
    axes.set_aspect("equal")
    axes.set_xlabel("dimension 0")
    axes.set_ylabel("dimension 1")
    return axes


def cosine_histograms(
    random: Mapping[str, np.ndarray], similar: Mapping[str, np.ndarray]
) -> Figure:
    """One row per system: cosines of random pairs and of pairs that people call similar."""
    low = min(float(values.min()) for values in [*random.values(), *similar.values()])
    bins = np.linspace(np.floor(low * 10) / 10, 1, 41)
    figure, all_axes = new(7.5, 0.6 + 1.35 * len(random), rows=len(random), sharex=True)
    for axes, name in zip(np.atleast_1d(all_axes), random, strict=True):
        for values, color in ((random[name], _BLUE), (similar[name], _ORANGE)):
            weights = np.full(len(values), 100 / len(values))
            axes.hist(values, bins=bins, weights=weights, color=color, alpha=0.65)
            axes.axvline(values.mean(), color=color, ls="--", lw=1.5)
        axes.set_title(name, fontsize=10)
        axes.set_yticks([])
        axes.spines["left"].set_visible(False)
    axes.set_xlabel("cosine")
    patches = [_swatch(_BLUE, "random pairs"), _swatch(_ORANGE, "pairs with gold 4 to 5")]
    figure.legend(handles=patches, loc="outside upper right", ncols=2, fontsize=9)
    return figure


def _swatch(color: str, label: str) -> Patch:
    return Patch(facecolor=color, alpha=0.65, label=label)


def spectrum(energies: Mapping[str, np.ndarray]) -> Axes:
    """Share of all squared length in the first k directions, against k (log axis), in per cent."""
    _, axes = new(6.8, 3.6)
    for number, (name, values) in enumerate(energies.items()):
        share = 100 * np.cumsum(values) / np.sum(values)
        axes.plot(
            range(1, len(share) + 1), share, ["-", "--", "-.", ":"][number % 4],
            color=COLORS[number], label=name, marker="o", markevery=[0],
        )  # fmt: skip
    log_ticks(axes, [1, 2, 4, 8, 16, 32, 64, 128], base=2)
    axes.set_ylim(0, 102)
    axes.set_xlabel("directions kept")
    axes.set_ylabel("share of the squared length (%)")
    axes.legend(loc="lower right", fontsize=9)
    return axes


def cones(points: Mapping[str, np.ndarray]) -> Figure:
    """Unit vectors seen along their two main directions, one panel per name: each (N, 2)."""
    figure, all_axes = new(2.7 * len(points) + 0.3, 3.2, columns=len(points))
    for axes, (name, plane) in zip(np.atleast_1d(all_axes), points.items(), strict=True):
        axes.add_patch(Circle((0, 0), 1, fill=False, color="#999999", lw=1))
        axes.plot(0, 0, "k+", ms=9)
        axes.scatter(*plane.T, s=9, color=_BLUE, alpha=0.5, lw=0)
        axes.set_title(name, fontsize=10)
        axes.set_xlim(-1.08, 1.08)
        axes.set_ylim(-1.08, 1.08)
        axes.set_aspect("equal")
        axes.set_xticks([-1, 0, 1])
        axes.set_yticks([-1, 0, 1])
        axes.set_xlabel("first direction")
    np.atleast_1d(all_axes)[0].set_ylabel("second direction")
    return figure
