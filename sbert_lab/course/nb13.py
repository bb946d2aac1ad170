"""Notebook 13, ablations: checks (marginal values, additive heads, a stake) and figures."""

import math
from collections.abc import Callable, Mapping, Sequence
from functools import partial

import numpy as np
import torch
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from scipy import stats

from sbert_lab.course.diagnose import (
    Hint,
    NotAttempted,
    check,
    diagnose,
    near,
    need_number,
    need_numbers,
)
from sbert_lab.course.plots import COLORS, GREY, new
from sbert_lab.experiments.evaluation.ablation import interaction as own_interaction
from sbert_lab.objectives import CONCATENATIONS

# ---- exercise 1: marginal values

ROUNDED = partial(near, tolerance=6e-3)
ADDED = (
    (lambda s, p: s[f"(u, v, {p})"], "this is the score with it; take off the score without it"),
    (lambda s, p: s["(u, v)"] - s[f"(u, v, {p})"], "the sign is wrong: with it minus without it"),
    (lambda s, p: s[f"({p})"] - s["(u, v)"], "you compared it alone with (u, v): add it"),
    (
        lambda s, p: s[f"(u, v, {p})"] - s[f"({p})"],
        "this is what u and v add to it, not it to them",
    ),
)
LAST = (
    (
        lambda s: s["(u, v, u*v)"] - s["(u, v)"],
        "last: that is what u*v adds to (u, v); here |u-v| is there already",
    ),
    (
        lambda s: s["(|u-v|, u*v)"] - s["(|u-v|)"],
        "last: that is what u*v adds to (|u-v|) alone; u and v are in, too",
    ),
)


@check
def marginal(best_alone, added, last, *, scores: Mapping[str, float]):
    """The best single part, what each adds to (u, v), what u*v adds to (u, v, |u-v|)."""
    if isinstance(added, Mapping) and None in added.values():
        raise NotAttempted
    _best_alone(best_alone, scores)
    _added(added, scores)
    value = need_number(last, "last")
    right = scores["(u, v, |u-v|, u*v)"] - scores["(u, v, |u-v|)"]
    if ROUNDED(value, right):
        return
    if abs(value - right) < 0.06:
        raise Hint("last: two decimals, please")
    if abs(value + right) < 0.06:
        raise Hint("last has the wrong sign: with the part minus without it")
    otherwise = "last: take the two rows that have u, v and |u-v| and differ in u*v alone"
    diagnose(value, lambda scores: right, LAST, (scores,), same=ROUNDED, otherwise=otherwise)


def _best_alone(answer: object, scores: Mapping[str, float]) -> None:
    said = str(answer).strip().strip("()").replace(" ", "")
    alone = {parts[0]: scores[name] for name, parts in CONCATENATIONS.items() if len(parts) == 1}
    best = max(alone, key=alone.get)
    if said == best:
        return
    if said in alone:
        raise Hint(
            f"{said} alone has {alone[said]:.2f}: the key part of a team need not be the best "
            "alone. Read the two rows with a single part again"
        )
    raise Hint(f"best_alone should be one of the parts that stand alone: {' or '.join(alone)}")


def _added(answer: object, scores: Mapping[str, float]) -> None:
    if not isinstance(answer, Mapping) or set(answer) != {"|u-v|", "u*v"}:
        raise Hint("added should be a dictionary with two numbers, for '|u-v|' and 'u*v'")
    for part, value in answer.items():
        diagnose(
            need_number(value, f"added[{part!r}]"),
            lambda scores, part: scores[f"(u, v, {part})"] - scores["(u, v)"],
            [(wrong, f"{part}: {hint}") for wrong, hint in ADDED],
            (scores, part),
            same=ROUNDED,
            otherwise=f"{part}: take the row (u, v, {part}) and the row (u, v)",
        )


# ---- exercise 2: additive heads

INTERACTION = (
    (
        lambda s, a, b: -own_interaction(s, a, b),
        "the sign is turned round: equal pairs minus mixed pairs",
    ),
    (
        lambda s, a, b: s(a, b) - s(b, a),
        "this asks whether the score is symmetric; compare equal pairs with mixed ones",
    ),
    (
        lambda s, a, b: s(a, a) - s(a, b),
        "a and b differ in more than being alike: use all four pairs",
    ),
    (lambda s, a, b: s(a, a) + s(b, b) - s(a, b), "one mixed pair is missing: (b, a)"),
    (lambda s, a, b: s(a, a) + s(b, b) + s(a, b) + s(b, a), "the mixed pairs are subtracted"),
    (lambda s, a, b: s(a, a) - s(b, b), "both of these are equal pairs: take the mixed ones off"),
)


@check(mistakes=INTERACTION, beside={"symmetry_helps": False})
def additive(answer: Callable, symmetry_helps):
    """answer(score, a, b): the interaction of a score; and whether a symmetric head would help."""
    rng = np.random.default_rng(13)
    a, b = (torch.from_numpy(rng.normal(size=(6, 5))) for _ in range(2))
    weight = torch.from_numpy(rng.normal(size=(5, 2)))
    scores = [
        lambda u, v: u @ weight[:, 0] + (u * v) @ weight[:, 1],
        lambda u, v: (u - v).abs() @ weight[:, 0],
    ]
    for score in scores:
        diagnose(answer, own_interaction, INTERACTION, (score, a, b), otherwise=_four_pairs)
    if symmetry_helps not in (True, False):
        raise Hint("symmetry_helps should be True or False")
    if symmetry_helps:
        raise Hint(
            "try it: with the same weights w for u and v, equal pairs get w·a + w·a + w·b + w·b, "
            "mixed pairs w·a + w·b + w·b + w·a. Being a sum is the reason, not a lack of symmetry"
        )


def _four_pairs(found: object, right: torch.Tensor) -> str:
    if np.shape(found) != tuple(right.shape):
        return f"one number per row is needed, shape {tuple(right.shape)}"
    return "score(a, a) + score(b, b) - score(a, b) - score(b, a)"


# ---- exercise 3: a range for the next run


def _around(half: Callable) -> Callable:
    """An answer: the mean, and half(t, standard deviation, scores) to either side."""

    def answer(scores):
        t = stats.t.ppf(0.975, len(scores) - 1)
        width = half(t, scores.std(ddof=1), scores)
        return scores.mean() - width, scores.mean() + width

    return answer


def _wide(scores: np.ndarray) -> float:
    return math.sqrt(1 + 1 / len(scores))


def _with_t(level: float, less: int) -> Callable:
    """The right half width, but for the t of another level or other degrees of freedom."""
    return lambda t, sd, x: stats.t.ppf(level, len(x) - less) * sd * _wide(x)


def _stake_mistakes(n: int) -> tuple:
    known = f"1.96 is for a known spread; with {n} seeds take t, {stats.t.ppf(0.975, n - 1):.2f}"
    halves = (
        (
            lambda t, sd, x: t * sd / math.sqrt(n),
            "this range is for the mean of many seeds; one new run varies, too",
        ),
        (
            lambda t, sd, x: t * sd,
            "the mean itself is uncertain: the square root of 1 + 1/n is missing",
        ),
        (lambda t, sd, x: 1.96 * sd * _wide(x), known),
        (lambda t, sd, x: 1.96 * sd, known),
        (lambda t, sd, x: 4.30 * sd * _wide(x), "4.30 is for 3 seeds: t depends on their number"),
        (_with_t(0.95, 1), "t at 0.975: 95 in 100 leaves 2.5 on each side"),
        (_with_t(0.975, 0), "t has n - 1 degrees of freedom: one went into the mean"),
        (
            lambda t, sd, x: t * x.std() * _wide(x),
            "the spread is too small: divide by n - 1 (ddof=1)",
        ),
        (lambda t, sd, x: sd, "mean ± one sd holds about two runs in three, not 95 in 100"),
        (lambda t, sd, x: np.ptp(x) / 2, "smallest to largest is not wide enough for a new run"),
    )
    return tuple((_around(half), hint) for half, hint in halves)


@check(mistakes=_stake_mistakes(3))
def stake(answer: Callable):
    """answer(scores) -> (low, high): where the next seed falls, 95 times in 100."""
    for given in ((58.0, 61.0, 59.0), (50.0, 54.0, 53.0, 49.0, 52.0), (58.0, 61.0)):
        scores = np.array(given)
        diagnose(
            answer,
            _around(lambda t, sd, x: t * sd * _wide(x)),
            _stake_mistakes(len(scores)),
            (scores,),
            look=partial(_range, mean=scores.mean()),
            same=lambda found, other: near(np.diff(found) / 2, np.diff(other) / 2, tolerance=1e-3),
            otherwise="half the width is t * sd * sqrt(1 + 1/n)",
        )
    try:
        alone = answer(np.array([58.0]))
    except ValueError as error:
        if not str(error):
            raise Hint(
                "a ValueError, but it does not say why: ValueError('one seed ...')"
            ) from None
        return
    low, high = _two(alone)
    if math.isinf(low) and math.isinf(high):
        return
    if math.isnan(low) or math.isnan(high):
        raise Hint("one seed gives nan, silently: raise a ValueError that says what is missing")
    raise Hint("one seed says nothing about the spread, so no range: raise a ValueError")


def _range(answer: object, mean: float) -> list[float]:
    low, high = _two(answer)
    if not low < high:
        raise Hint(f"the lower end {low:.2f} is not below the upper end {high:.2f}")
    if not near((low + high) / 2, mean, tolerance=1e-3):
        raise Hint("the middle of the range should be the mean of the scores")
    return [low, high]


def _two(answer: object) -> list[float]:
    hint = "give two numbers: the lower and the upper end"
    return need_numbers(answer, "the lower end", "the upper end", hint=hint)


# ---- figures


LIGHT = "#DDDDDD"


def parts_and_bars(
    present: Mapping[str, Mapping[str, bool]],
    ours: Mapping[str, Sequence[float]],
    papers: Mapping[str, float],
    *,
    lines: Mapping[str, float],
) -> Figure:
    """Dots for the parts that the head sees, a bar per choice with its seeds, the paper's tick.

    `present` maps a concatenation to {part: seen}; `ours` to one score per seed; `lines` are
    further levels to draw, such as the raw backbone; where two of them nearly coincide, one line
    stands for both.
    """
    figure, (dots, bars) = new(9, 4.4, columns=2, width_ratios=(1, 2.6), sharey=True)
    names = list(present)
    _dots(dots, present)
    heights = [float(np.mean(ours[name])) for name in names]
    rows = np.arange(len(names))
    bars.barh(rows, heights, height=0.62, color=COLORS[4], label="recorded: mean")
    x, y = _points([ours[name] for name in names])
    bars.plot(x, y, "o", color=COLORS[0], ms=5, label="recorded: each seed")
    theirs = [papers[name] for name in names]
    ticks = {"color": COLORS[5], "lw": 3, "label": "paper (BERT-base, all of NLI)"}
    bars.vlines(theirs, rows - 0.34, rows + 0.34, **ticks)
    for number, (name, level) in enumerate(merge_levels(lines).items()):
        style = {"color": GREY, "lw": 1.2, "ls": ("--", ":")[number % 2]}
        bars.axvline(level, **style, label=f"recorded: {name}")
    for row, name in enumerate(names):
        spread = np.std(ours[name], ddof=1) if len(ours[name]) > 1 else 0.0
        bars.text(1, row, f"{heights[row]:.1f} ± {spread:.1f}", va="center", fontsize=9)
    bars.set_xlim(0, max([*heights, *theirs, *lines.values()]) + 4)
    bars.set_xlabel("Spearman on STSb dev (points)")
    bars.tick_params(left=False)
    shown = bars.get_legend_handles_labels()
    figure.legend(*shown, loc="outside lower center", ncols=3, fontsize=9)
    return figure


def merge_levels(lines: Mapping[str, float], nearest: float = 0.5) -> dict[str, float]:
    """Levels closer than `nearest` become one, at their mean, under both names."""
    merged: dict[str, float] = {}
    for name, level in lines.items():
        twin = next((other for other in merged if abs(merged[other] - level) < nearest), None)
        if twin is None:
            merged[name] = level
        else:
            merged[f"{twin}; {name}"] = (merged.pop(twin) + level) / 2
    return merged


def _points(groups: Sequence[Sequence[float]]) -> tuple[np.ndarray, np.ndarray]:
    """All values in a row, and the number of the group that each belongs to."""
    sizes = [len(group) for group in groups]
    return np.concatenate(groups), np.repeat(np.arange(len(groups)), sizes)


def _dots(axes: Axes, present: Mapping[str, Mapping[str, bool]]) -> None:
    names, parts = list(present), list(next(iter(present.values())))
    for row, name in enumerate(names):
        seen = [number for number, part in enumerate(parts) if present[name][part]]
        axes.scatter(range(len(parts)), [row] * len(parts), s=60, color=LIGHT, zorder=2)
        axes.scatter(seen, [row] * len(seen), s=70, color="black", zorder=3)
        if len(seen) > 1:
            axes.plot([seen[0], seen[-1]], [row, row], color="black", lw=1.5, zorder=2)
    axes.set_xticks(range(len(parts)), parts)
    axes.xaxis.tick_top()
    axes.tick_params(top=False, left=False)
    axes.set_yticks(range(len(names)), names)
    axes.set_xlim(-0.6, len(parts) - 0.4)
    axes.set_ylim(len(names) - 0.4, -0.6)
    axes.spines[["left", "bottom"]].set_visible(False)


def poolings(panels: Mapping[str, Mapping[str, tuple]], *, raw: Mapping[str, float]) -> Figure:
    """One panel per objective: {title: {choice: (scores per seed, the paper's score)}}.

    `raw` has the untrained backbone's score under each pooling.
    """
    figure, axes = new(9, 3.9, columns=len(panels), sharey=True)
    for one, (title, choices) in zip(axes, panels.items(), strict=True):
        scores, papers = zip(*choices.values(), strict=True)
        places = np.arange(len(choices))
        means = [float(np.mean(values)) for values in scores]
        one.bar(places, means, width=0.6, color=COLORS[4], label="recorded: mean")
        values, place = _points(scores)
        one.plot(place, values, "o", color=COLORS[0], ms=5, label="recorded: each seed")
        left, right = places - 0.36, places + 0.36
        one.hlines(papers, left, right, color=COLORS[5], lw=3, label="paper")
        before = [raw[name] for name in choices]
        style = {"color": GREY, "ls": ":", "lw": 2, "label": "recorded: before training"}
        one.hlines(before, left, right, **style)
        one.set_xticks(places, list(choices))
        one.set_title(title)
    axes[0].set_ylabel("Spearman on STSb dev (points)")
    axes[0].set_ylim(bottom=0, top=100)
    shown = axes[0].get_legend_handles_labels()
    figure.legend(*shown, loc="outside lower center", ncols=4, fontsize=9)
    return figure


def equal_or_not(accuracies: Mapping[str, float]) -> Axes:
    """How often a linear head on each concatenation tells equal vectors from different ones."""
    _, axes = new(7, 3.2)
    names = list(accuracies)
    values = [accuracies[name] for name in names]
    axes.barh(range(len(names)), values, height=0.62, color=COLORS[4])
    for row, value in enumerate(values):
        axes.text(value + 1, row, f"{value:.0f} %", va="center", fontsize=9)
    axes.axvline(50, color=GREY, ls="--", lw=1.2)
    axes.text(50.8, len(names) - 0.45, "a coin", color=GREY, fontsize=9, va="center")
    axes.set_yticks(range(len(names)), names)
    axes.set_ylim(len(names) - 0.1, -0.6)
    axes.set_xlim(0, 112)
    axes.set_xlabel("accuracy on new pairs (%)")
    return axes


def stakes(recorded: Sequence[float], low: float, high: float, live: float) -> Axes:
    """The recorded seeds, the staked range, and the new run on one line."""
    figure, axes = new(7, 1.9)
    axes.plot([low, high], [0, 0], color=COLORS[4], lw=12, solid_capstyle="butt", label="staked")
    axes.plot(recorded, [0] * len(recorded), "o", color=COLORS[0], ms=7, label="recorded seeds")
    axes.plot([live], [0], "D", color=COLORS[5], ms=9, label="your new seed")
    axes.set_yticks([])
    axes.spines["left"].set_visible(False)
    axes.set_ylim(-0.6, 0.6)
    axes.set_xlabel("Spearman on STSb dev (points)")
    figure.legend(loc="outside upper center", ncols=3, fontsize=9)
    return axes
