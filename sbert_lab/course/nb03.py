"""Checks of 03_raw_embeddings."""

from collections.abc import Mapping, Sequence

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Arc, Circle
from scipy import stats

from sbert_lab.course.diagnose import Hint, check, near, need_number, need_shape
from sbert_lab.course.plots import COLORS, new

_GOLD = np.array([4.0, 1.0, 5.0, 0.0, 4.0, 2.5, 1.0, 4.0])
_PREDICTED = np.array([0.9, 0.1, 0.7, 0.2, 0.8, 0.3, 0.6, 0.4])
_PLAIN_GOLD = np.array([3.0, 0.5, 4.0, 1.0, 2.0])
_PLAIN = np.array([0.7, 0.2, 0.95, 0.94, 0.3])


@check
def spearman(answer):
    """answer(gold, predicted): two lists of n numbers -> one number from -1 to 1."""
    _compare_spearman(answer, _PLAIN_GOLD, _PLAIN)
    if _depends_on_tied_order(lambda tied, other: answer(tied, other)):
        raise Hint("right without ties; but equal values must share the mean of their ranks")
    if _depends_on_tied_order(lambda tied, other: answer(other, tied)):
        raise Hint("right, but not if the ties stand in the second list: rank both the same way")
    _compare_spearman(answer, _GOLD, _PREDICTED)
    _compare_spearman(answer, _PREDICTED, _GOLD)


def _depends_on_tied_order(answer) -> bool:
    """True if swapping the partners of two equal values changes the result: it must not."""
    tied = np.array([1.0, 1.0, 2.0])
    first, second = (answer(tied, np.array(other)) for other in ([1.0, 2.0, 3.0], [2.0, 1.0, 3.0]))
    return not near(need_number(first, "Spearman"), need_number(second, "Spearman"))


def _compare_spearman(answer, gold: np.ndarray, predicted: np.ndarray) -> None:
    result = need_number(answer(gold.copy(), predicted.copy()), "Spearman")
    if near(result, stats.spearmanr(gold, predicted).statistic):
        return
    if near(result, np.corrcoef(gold, predicted)[0, 1]):
        raise Hint("this is Pearson of the values: replace each value by its rank first")
    if near(result, np.corrcoef(gold.argsort(), predicted.argsort())[0, 1]):
        raise Hint(
            "a single argsort says which item comes first, second, ...; the rank of each item is "
            "the argsort of that"
        )
    ranks = [stats.rankdata(values) for values in (gold, predicted)]
    if near(result, _textbook_formula(*ranks)):
        raise Hint("1 - 6 sum(d^2) / (n(n^2 - 1)) holds only without ties: correlate the ranks")
    for method in ("min", "max", "dense"):
        ranks = [stats.rankdata(values, method=method) for values in (gold, predicted)]
        if near(result, np.corrcoef(*ranks)[0, 1]):
            raise Hint(
                f"equal values get the {method} rank in yours: they must share the mean of their "
                "ranks"
            )
    raise Hint("write both columns of ranks down for [10, 30, 30]: they are 1, 2.5, 2.5")


def _textbook_formula(a: np.ndarray, b: np.ndarray) -> float:
    n = len(a)
    return 1 - 6 * ((a - b) ** 2).sum() / (n * (n**2 - 1))


def sentence_pairs() -> tuple[np.ndarray, np.ndarray]:
    """Six gold pairs that lie together, far from the origin: (6, 4), (6, 4)."""
    rng = np.random.default_rng(3)
    u = rng.normal(size=(6, 4)) * [[1], [2], [3], [1], [2], [3]] + [3, 0, 1, 0]
    v = u + 0.3 * rng.normal(size=(6, 4))
    return u, v


def _cosines(u: np.ndarray, v: np.ndarray) -> np.ndarray:
    return _unit(u) @ _unit(v).T


def _unit(vectors: np.ndarray) -> np.ndarray:
    return vectors / np.linalg.norm(vectors, axis=1, keepdims=True)


@check
def random_pair_cosine(answer):
    """answer(u, v): (N, H), (N, H) -> the mean cosine of u[i] and v[j] over all i != j."""
    u, v = sentence_pairs()
    table = _cosines(u, v)
    away = ~np.eye(len(u), dtype=bool)
    result = need_number(answer(u.copy(), v.copy()), "the mean cosine")
    if near(result, table[away].mean()):
        return
    mistakes = [
        (np.diag(table).mean(), "these are the gold pairs, u[i] with v[i]: no random ones at all"),
        (
            table.mean(),
            "the diagonal is in your mean: there u[i] meets its own partner v[i]. Leave it out",
        ),
        (
            table[away].sum() / table.size,
            "you left the diagonal out of the sum, but not out of the count: N(N-1) cosines remain",
        ),
        ((u @ v.T)[away].mean(), "these are dot products: bring every vector to length 1 first"),
        ((u @ v.T).mean(), "these are dot products: bring every vector to length 1 first"),
        (
            table[np.triu_indices(len(u), 1)].mean(),
            "only j > i is in yours: u[i] with v[j] and u[j] with v[i] are two different pairs",
        ),
        (_cosines(u, u)[away].mean(), "you compared u with itself: v is missing"),
        (_cosines(u, u).mean(), "you compared u with itself: v is missing"),
    ]
    for wrong, hint in mistakes:
        if near(result, wrong):
            raise Hint(hint)
    raise Hint("make the (N, N) table of all cosines first, then leave its diagonal out")


@check
def centred_cosine(answer):
    """answer(u, v): (N, H), (N, H) -> (N,), cosines after one common mean was subtracted."""
    u, v = sentence_pairs()
    given = u.copy(), v.copy()
    result = answer(*given)
    need_shape(result, (len(u),), "the cosines")
    if not (np.array_equal(given[0], u) and np.array_equal(given[1], v)):
        raise Hint(
            "your function changed the vectors it was given: `u = u - mean`, not `u -= mean`"
        )
    centre = np.concatenate([u, v]).mean(axis=0)
    if near(result, np.diag(_cosines(u - centre, v - centre))):
        return
    middle = (u + v) / 2
    mistakes = [
        (
            np.diag(_cosines(u - middle, v - middle)),
            "you took the mean of each pair: both vectors then point away from their own middle, "
            "and every cosine is -1. One mean for all sentences",
        ),
        (np.diag(_cosines(u, v)), "nothing is centred yet: these are the plain cosines"),
        (
            np.diag(_cosines(u - u.mean(0), v - v.mean(0))),
            "two means: then the same sentence has one vector on the left and another on the "
            "right. One mean for both sides",
        ),
        (
            np.diag(_cosines(u - u.mean(1, keepdims=True), v - v.mean(1, keepdims=True))),
            "you averaged over the dimensions (axis=1): average over the sentences (axis=0)",
        ),
        (
            np.diag(_cosines(u - np.concatenate([u, v]).mean(), v - np.concatenate([u, v]).mean())),
            "you subtracted a single number: the mean is a vector, one number per dimension",
        ),
        (
            ((u - centre) * (v - centre)).sum(axis=1),
            "centred, but these are dot products: divide by both lengths",
        ),
    ]
    for wrong, hint in mistakes:
        if near(result, wrong):
            raise Hint(hint)
    raise Hint("one mean vector over all 2N sentences, subtracted from both sides, then the cosine")


# ---- figures


_BLUE, _ORANGE, _GREEN, _RED = COLORS[0], COLORS[1], COLORS[2], COLORS[5]


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


def _swatch(color: str, label: str):
    from matplotlib.patches import Patch

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
    axes.set_xscale("log", base=2)
    axes.set_xticks([1, 2, 4, 8, 16, 32, 64, 128], [1, 2, 4, 8, 16, 32, 64, 128])
    axes.minorticks_off()
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
