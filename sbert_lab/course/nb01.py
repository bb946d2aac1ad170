"""Notebook 01. Checks: how many passes, where the factor comes from, one night, when it pays.

Figures: what the two encoders read, and what comparing n sentences costs.
"""

import operator
from collections.abc import Callable, Mapping, Sequence
from functools import partial

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import FancyBboxPatch

from sbert_lab.course.diagnose import Hint, check, diagnose, near, need_number
from sbert_lab.course.plots import COLORS, new

HOURS, SECONDS = 65, 5
N = 10_000
FACTOR = HOURS * 3600 / SECONDS  # 46,800
FEWER = (N - 1) / 2  # 49,995,000 pairs / 10,000 sentences = 4,999.5
CHEAPER = FACTOR / FEWER  # 9.36


def _pairs(n: int) -> float:
    return n * (n - 1) / 2


ONE_QUERY = (
    (
        _pairs,
        "one_query counts all pairs; a new query is compared with each of the n sentences, and"
        " they are not compared with each other",
    ),
    (lambda n: n - 1, "the query is new, not one of the n sentences: nobody is left out"),
    (lambda n: 1, "each pass takes one pair: the query has to be paired with every sentence"),
)
ALL_PAIRS = (
    (lambda n: n * (n - 1), "n(n-1) counts every pair twice, as (A, B) and as (B, A)"),
    (lambda n: n * n, "n squared counts every pair twice, and every sentence with itself"),
    (lambda n: n * (n + 1) / 2, "this includes every sentence paired with itself"),
    (lambda n: n, "all_pairs counts one query only: every sentence has n-1 partners"),
    (
        lambda n: n * n / 2,
        "half of n squared still has half of the pairs of a sentence with itself",
    ),
)


@check(
    mistakes={"one_query": ONE_QUERY, "all_pairs": ALL_PAIRS},
    beside={"one_query": lambda n: n, "all_pairs": _pairs},
)
def passes(one_query: Callable, all_pairs: Callable) -> None:
    """Cross-encoder passes for one new query against n sentences, and for all pairs of n."""
    query, pairs = "count the pairs (query, sentence)", "write down the pairs of six sentences"
    for n in (6, 7, 10_000):  # of 4, n * n is also 2 ** n
        _count(one_query, lambda n: n, ONE_QUERY, call=f"one_query({n})", n=n, advice=query)
        _count(all_pairs, _pairs, ALL_PAIRS, call=f"all_pairs({n})", n=n, advice=pairs)
    if need_number(all_pairs(1), "all_pairs(1)") != 0:
        raise Hint("one sentence alone makes no pair: all_pairs(1) should be 0")


def _count(answer: Callable, right: Callable, mistakes: tuple, *, call: str, n: int, advice: str):
    diagnose(
        answer,
        right,
        mistakes,
        (n,),
        look=partial(need_number, what=call),
        same=operator.eq,
        otherwise=lambda found, _: f"{call} gives {found:,.0f}: {advice}",
    )


@check
def split(fewer: float, cheaper: float) -> None:
    """46,800 = fewer passes (4,999.5) x cheaper passes (9.36)."""
    fewer = need_number(fewer, "fewer_passes")
    cheaper = need_number(cheaper, "cheaper_pass")
    if near(fewer, FEWER, tolerance=2e-4) and near(cheaper, CHEAPER, tolerance=0.01):
        return
    if near(fewer, 1, tolerance=1e-3) or near(cheaper, FACTOR, tolerance=1e-3):
        raise Hint(
            "one pass did not get 46,800 times faster: 49,995,000 passes became 10,000, and that"
            " alone explains most of it"
        )
    if near(fewer, FACTOR, tolerance=1e-3) or near(cheaper, 1, tolerance=1e-3):
        raise Hint(
            "fewer passes do not explain all of it: 49,995,000 / 10,000 is below 46,800, the rest"
            " is a cheaper pass"
        )
    if fewer == N - 1:
        raise Hint("9,999 counts every pair twice")
    if near(fewer, N**2, tolerance=1e-3) or near(fewer, N, tolerance=1e-3):
        raise Hint("fewer passes: divide the passes before (all pairs) by the passes after (n)")
    if near(fewer, CHEAPER, tolerance=0.01) and near(cheaper, FEWER, tolerance=0.01):
        raise Hint("right numbers, but the wrong way round")
    if 0 < fewer < 1:
        raise Hint("passes before / passes after is more than 1: yours is turned round")
    if not near(fewer * cheaper, FACTOR, tolerance=0.01):
        raise Hint(f"the two factors multiply to {fewer * cheaper:,.0f}, not to 46,800")
    raise Hint("fewer_passes is passes before / passes after, both for 10,000 sentences")


def _first_above(bound: float) -> int:
    return int(bound) + 1


def _pays_off(n: int, cost: float) -> int:
    return _first_above(n / (n * cost - 1))


PAYS_OFF = (
    (lambda n, cost: n, "n queries? Count for two or three: the cross-encoder pays n each time"),
    (
        lambda n, cost: _pays_off(n, 1),
        "a pair's pass costs `pair_cost` of a sentence's: yours takes both for equal",
    ),
    (
        lambda n, cost: n / (n * cost - 1),
        "there both cost the same: the first whole number of queries for which the bi-encoder costs"
        " *less*",
    ),
    (
        lambda n, cost: _first_above(1 / cost),
        "each query has to be embedded, too: one pass for the bi-encoder",
    ),
    (lambda n, cost: 1, "embedding the n sentences is not free: n passes before the first query"),
    (lambda n, cost: 0, "before the first query the bi-encoder has only spent: n passes"),
)


@check(mistakes=PAYS_OFF)
def pays_off(answer: Callable) -> None:
    """From how many queries on does it cost less to embed n sentences first?"""
    for n, cost in ((10, 0.3), (100, 2.0), (3, 1.0), (5, 0.5)):
        diagnose(
            answer,
            _pays_off,
            PAYS_OFF,
            (n, cost),
            look=partial(need_number, what="the number of queries"),
            otherwise=lambda found, right, n=n, cost=cost: (
                f"{n} sentences, pair_cost {cost:g}: compare n + queries with queries * n *"
                f" pair_cost for {right - 1} and for {right} queries; yours says {found:g}"
            ),
        )


def _fitting(rate: float, hours: float) -> float:
    """The n whose n(n-1)/2 pairs just fit."""
    return (1 + (1 + 8 * rate * hours * 3600) ** 0.5) / 2


NIGHT = (
    (
        lambda rate, hours: rate * hours * 3600,
        "this is the number of pairs that fit, as if each sentence were one pass (a linear"
        " extrapolation): solve n(n-1)/2 = pairs for n",
    ),
    (
        lambda rate, hours: N * rate * hours * 3600 / _pairs(N),
        "this scales 10,000 sentences in proportion to the time (a linear extrapolation): twice"
        " the sentences take four times as long",
    ),
    (
        lambda rate, hours: (rate * hours * 3600) ** 0.5,
        "this solves n squared = pairs, which counts every pair twice",
    ),
    (
        lambda rate, hours: (rate * hours * 3600 / 2) ** 0.5,
        "the 2 is on the wrong side: n(n-1)/2 = pairs means n(n-1) = 2 * pairs",
    ),
    (
        lambda rate, hours: (2 * rate * hours) ** 0.5,
        "hours times pairs per second: an hour has 3,600 seconds",
    ),
    (lambda rate, hours: (120 * rate * hours) ** 0.5, "an hour has 3,600 seconds, not 60"),
)


@check(mistakes=NIGHT)
def one_night(answer: Callable) -> None:
    """Largest n whose n(n-1)/2 pairs fit into some hours at some pairs per second."""
    for inputs in ((100.0, 8), (213.7, 65), (1000.0, 8)):
        diagnose(
            answer,
            _fitting,
            NIGHT,
            inputs,
            look=partial(need_number, what="your n"),
            same=lambda found, expected: abs(found - expected) <= 2,
            otherwise=_too_many_or_few,
        )


def _too_many_or_few(found: float, exact: float) -> str:
    if found < 0:
        return "n is below 0: a quadratic equation has two solutions, take the positive one"
    too, needed, fit = "many" if found > exact else "few", _pairs(found), _pairs(exact)
    return f"{found:,.0f} are too {too}: they make {needed:,.0f} pairs, and {fit:,.0f} fit"


# ---- figures: what the two encoders read, and what comparing n sentences costs.


MINUTE, HOUR, WEEK = 60, 3600, 7 * 24 * 3600
MARKS = {
    "a coffee (10 min)": 10 * MINUTE,
    "a night (8 h)": 8 * HOUR,
    "a term (15 weeks)": 15 * WEEK,
}
# The paper's own figures as (n, seconds, text), and where the text goes.
PAPER = {
    (1e4, 65 * HOUR, "V100, all pairs: 65 h"): ((-8, 9), "right"),
    (1e4, 5, "V100, embed all: 5 s"): ((9, -9), "left"),
    (4e7, 4e7 / 213.7, "V100, one query:\n52 h, from 213.7/s"): ((-8, 14), "right"),
}
GREY = "#555555"
TOP = 1e10  # seconds: some three centuries


# ---- what they read


def two_inputs(
    pair: tuple[Sequence[str], Sequence[int]],
    first: tuple[Sequence[str], Sequence[int]],
    second: tuple[Sequence[str], Sequence[int]],
) -> Figure:
    """Tokens with their segment ids: the one input of a pair above the two single inputs."""
    figure, axes = new(10, 4.4)
    width = sum(map(_width, pair[0]))
    axes.text(
        0.05, 5.15, "Cross-encoder: one input for both sentences (segment ids below)", weight="bold"
    )
    end = _draw_tokens(axes, pair, 0, 4.2)
    _draw_result(axes, end, 4.2, "BERT", "one score")
    axes.text(0.05, 2.65, "Bi-encoder: one input for each sentence", weight="bold")
    for (tokens, y), vector in zip(((first, 1.7), (second, 0.2)), "uv", strict=True):
        end = _draw_tokens(axes, tokens, 0, y)
        _draw_result(axes, end, y, "BERT + pooling", f"vector {vector}")
    _draw_cosine(axes, sum(map(_width, first[0])) + 4.6)
    axes.set(xlim=(-0.1, width + 4.4), ylim=(-0.75, 5.7))
    axes.set_axis_off()
    return figure


def _width(token: str) -> float:
    return 0.42 + 0.155 * len(token)


def _draw_tokens(
    axes: Axes, tokens: tuple[Sequence[str], Sequence[int]], x: float, y: float
) -> float:
    """One row of boxes, the segment id under each; returns the x at which it ends."""
    for token, segment in zip(*tokens, strict=True):
        color = COLORS[segment]
        box = FancyBboxPatch(
            (x + 0.06, y), _width(token) - 0.12, 0.62, boxstyle="round,pad=0.02,rounding_size=0.08"
        )
        box.set(facecolor=color, alpha=0.22, edgecolor="none")
        axes.add_patch(box)
        special = token.startswith(("[", "<"))
        middle = x + _width(token) / 2
        weight = "bold" if special else "normal"
        axes.text(middle, y + 0.31, token, ha="center", va="center", weight=weight, size=9)
        axes.text(middle, y - 0.3, str(segment), ha="center", va="center", color=GREY, size=8)
        x += _width(token)
    return x


def _draw_result(axes: Axes, x: float, y: float, through: str, result: str) -> None:
    """An arrow with the network's name on it, and what comes out."""
    axes.annotate(
        "", (x + 2.45, y + 0.31), (x + 0.15, y + 0.31), arrowprops={"arrowstyle": "->", "lw": 1.5}
    )
    axes.text(x + 1.25, y + 0.5, through, ha="center", size=9, color=GREY)
    axes.text(x + 2.6, y + 0.31, result, va="center", weight="bold", color=COLORS[5])


def _draw_cosine(axes: Axes, x: float) -> None:
    """The bracket that joins u and v."""
    axes.plot([x, x + 0.3, x + 0.3, x], [2.01, 2.01, 0.51, 0.51], color="black", linewidth=1.2)
    axes.text(x + 0.5, 1.26, "cosine(u, v)", va="center", weight="bold", color=COLORS[5])


# ---- what it costs


def cost_of_n(
    pairs_per_second: float,
    sentences_per_second: float,
    cosines_per_second: float,
    *,
    measured: Mapping[str, Sequence[tuple[float, float]]],
) -> Axes:
    """Seconds against n on log axes: all pairs, one query, encode and compare.

    `measured` has (n, seconds) points of this machine by curve ("pairs", "query", "encode").
    """
    figure, axes = new(9, 5.6)
    n = np.logspace(1, 8, 200)
    pairs = n * (n - 1) / 2
    curves = {
        "pairs": (pairs / pairs_per_second, COLORS[5], "all pairs,\ncross-encoder"),
        "query": (n / pairs_per_second, COLORS[1], "one query,\ncross-encoder"),
        "encode": (
            n / sentences_per_second + pairs / cosines_per_second,
            COLORS[0],
            "embed all,\nthen all cosines",
        ),
    }
    for name, (seconds, color, label) in curves.items():
        axes.loglog(n, seconds, color=color)
        for point in measured.get(name, ()):
            axes.loglog(*point, "o", color=color, markersize=6, zorder=3)
        _label_end(axes, n, seconds, label, color)
    _mark_times(axes)
    for (x, y, text), (offset, side) in PAPER.items():
        axes.loglog(x, y, "D", color="black", markersize=6, zorder=4)
        _label(axes, (x, y), text, "black", offset, side)
    axes.set(xlim=(10, 3e9), ylim=(1e-3, TOP), xlabel="sentences n", ylabel="seconds")
    axes.set_xticks([10.0**k for k in range(1, 9)])
    return axes


def _label_end(axes: Axes, n: np.ndarray, seconds: np.ndarray, text: str, color: str) -> None:
    """The curve's name where it leaves the figure: at its right end, or at the top."""
    last = int(np.flatnonzero(seconds < TOP / 30)[-1])
    _label(axes, (n[last], seconds[last]), text, color, (9, 0), "left")


def _label(axes: Axes, point: tuple, text: str, color: str, offset: tuple, side: str) -> None:
    axes.annotate(
        text,
        point,
        offset,
        textcoords="offset points",
        ha=side,
        va="center",
        color=color,
        size=9,
        bbox={"facecolor": "white", "edgecolor": "none", "pad": 1, "alpha": 0.85},
        zorder=5,
    )


def _mark_times(axes: Axes) -> None:
    for text, seconds in MARKS.items():
        axes.axhline(seconds, color=GREY, linewidth=0.8, linestyle=":")
        axes.text(12, seconds * 1.25, text, color=GREY, size=9)
