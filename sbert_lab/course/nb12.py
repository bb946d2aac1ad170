"""Notebook 12, SentEval: checks (nested accuracy, a stretch, features of pairs) and figures."""

from collections.abc import Mapping, Sequence
from functools import partial

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from sbert_lab.course.diagnose import (
    Hint,
    check,
    diagnose,
    near,
    near_first,
    need_number,
    need_shape,
)
from sbert_lab.course.plots import COLORS, GREY, log_ticks, new

# ---- exercise 1: nested cross-validation

GRID = (0.001, 0.1, 10.0)


def noisy(seed: int = 3) -> tuple[np.ndarray, np.ndarray]:
    """48 rows of 30 features with hardly any signal, and one row that is far off: (48, 30), (48,).

    Noise makes every kind of cheating visible: whoever picks among chance results gets lucky. What
    seed 3 lets pass by luck (one fixed C, for instance) seed 20 does not, and values of C tie.
    """
    rng = np.random.default_rng(seed)
    labels = np.arange(48) % 2
    features = rng.normal(size=(48, 30))
    features[:, :3] += 0.7 * labels[:, None]
    features[7] *= 40
    return features, labels


def make_folds():
    """The folds of the exercise, for the outer and for the inner split."""
    from sklearn.model_selection import StratifiedKFold

    return StratifiedKFold(n_splits=4, shuffle=True, random_state=1111)


def _accuracy(features, labels, fit, held, c: float, scale: bool = True) -> float:
    """Of a classifier fitted on the rows `fit`, on the rows `held`."""
    from sklearn.linear_model import LogisticRegression
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler

    steps = [StandardScaler()] if scale else []
    model = make_pipeline(*steps, LogisticRegression(C=c, max_iter=5000))
    return model.fit(features[fit], labels[fit]).score(features[held], labels[held])


def _mean(features, labels, folds, c: float, scale: bool = True) -> float:
    """The mean accuracy over the folds."""
    splits = folds.split(features, labels)
    return float(np.mean([_accuracy(features, labels, *split, c, scale) for split in splits]))


def _nested(features, labels, grid, folds, *, pick="inner", score="test", scale=True) -> float:
    """The right answer; and with other choices the mistakes."""
    found = []
    for train, test in folds.split(features, labels):
        if pick == "test":
            found.append(max(_accuracy(features, labels, train, test, c, scale) for c in grid))
            continue
        means = [_mean(features[train], labels[train], folds, c, scale) for c in grid]
        best, held = grid[int(np.argmax(means))], test if score == "test" else train
        found.append(_accuracy(features, labels, train, held, best, scale))
    return float(np.mean(found))


def _scaled_before(features, labels, grid, folds, **choices) -> float:
    features = (features - features.mean(axis=0)) / features.std(axis=0)
    return _nested(features, labels, grid, folds, scale=False, **choices)


def _scaled_for_all(features, labels, grid, folds) -> float:
    features = (features - features.mean(axis=0)) / features.std(axis=0)
    return max(_mean(features, labels, folds, c, scale=False) for c in grid)


NESTED_ACCURACY = (
    (lambda *given: 100 * _nested(*given), "as a share, please: between 0 and 1"),
    (
        partial(_nested, pick="test"),
        "C was picked on the test fold: the best of several results on the rows that also give "
        "the score is too good. Pick it with folds of the training part alone",
    ),
    (
        lambda features, labels, grid, folds: max(_mean(features, labels, folds, c) for c in grid),
        "one C for all, picked by the same folds that give the score: every test row had its say "
        "in the choice. Choose C anew inside each outer training part (the inner split's numbers "
        "count within it: features[train][...], not features[...])",
    ),
    (
        _scaled_before,
        "the scaler was fitted on too many rows: on everything or, inside, on held-out rows too. "
        "One far-off row shows it: each fit brings its own scaler (a pipeline does)",
    ),
    (
        partial(_scaled_before, pick="test"),
        "two leaks: the scaler was fitted on everything, and C was picked on the test fold",
    ),
    (
        _scaled_for_all,
        "two leaks: the scaler was fitted on everything, and one C was picked by the same folds "
        "that give the score",
    ),
    (
        partial(_nested, scale=False),
        "the features were not standardised: put a StandardScaler before the classifier",
    ),
    (
        partial(_nested, score="train"),
        "this is the accuracy on the training rows: score the test fold",
    ),
)


@check(mistakes=NESTED_ACCURACY)
def nested_accuracy(answer):
    """answer(features, labels, grid, folds) -> mean accuracy over the outer folds, 0 to 1."""
    compare = partial(
        diagnose,
        lambda features, labels, *rest: answer(features, labels.copy(), *rest),
        _nested,
        look=partial(need_number, what="the accuracy"),
        same=partial(near, tolerance=1e-6),
    )
    compare(
        NESTED_ACCURACY,
        (*noisy(), GRID, make_folds()),
        untouched="your function changed the features in place: work on a copy",
        otherwise="outer loop: train, test = one split. Inside, with `train` only: split again, "
        "take the C with the best mean accuracy (the first of equals), fit on all of `train`, "
        "score `test`",
    )
    compare(
        inputs=(*noisy(seed=20), GRID, make_folds()),
        otherwise="right for these rows by luck, wrong for others: is C chosen anew inside every "
        "outer training part, and each scaler fitted there?",
    )


# ---- exercise 2: one dimension, stretched and shifted


def _taken_back(w, b, d, f, s) -> tuple[np.ndarray, float]:
    """The right answer: w' (f x + s) + b' = w x + b."""
    return _with(w, d, w[d] / f), b - w[d] / f * s


def _with(weights: np.ndarray, dimension: int, value: float) -> np.ndarray:
    return np.where(np.arange(len(weights)) == dimension, value, weights)


WEIGHTS = (
    (
        lambda w, b, d, f, s: (w, b),
        "the old weights, unchanged: then the stretched dimension counts too much",
    ),
    (
        lambda w, b, d, f, s: (_with(w, d, w[d] * f), b),
        "multiplied twice: the weight must take back what the stretch has added",
    ),
    (lambda w, b, d, f, s: (w / f, b), "all weights were divided: only one was stretched"),
    (
        lambda w, b, d, f, s: (_with(w, d, 0), b),
        "weight 0 throws the dimension away: its information should stay",
    ),
)
INTERCEPTS = tuple(
    (
        lambda w, b, d, f, s, change=change: (_with(w, d, w[d] / f), b + change(w[d], f, s)),
        f"the weights are right. {hint}",
    )
    for change, hint in (
        (
            lambda w, f, s: 0,
            "But the shift adds the same to every sum: the intercept has to take that back",
        ),
        (lambda w, f, s: -w * s, "What the shift adds to every sum is *new* weight times shift"),
        (lambda w, f, s: -s, "The shift reaches the sum through a weight: which one?"),
        (lambda w, f, s: w / f * s, "The intercept moves the wrong way: take the change *away*"),
    )
)


@check(mistakes=(*WEIGHTS, *INTERCEPTS))
def taken_back(answer):
    """answer(weights, intercept, dimension, factor, shift) -> weights and intercept."""
    compare = partial(
        diagnose,
        answer,
        _taken_back,
        look=_weights_and_intercept,
        untouched="your function changed the old weights in place: make a copy first",
        otherwise="with x the old value and w the old weight, which w' and which intercept give "
        "w' * (factor * x + shift) + intercept' = w * x + intercept, for every x?",
    )
    weights = np.random.default_rng(3).normal(size=(21, 6))[-1]
    for dimension, factor, shift in ((5, 4.0, -2.0), (2, 100.0, 3.0), (0, 0.5, 1.0)):
        given = (weights, 0.7, dimension, factor, shift)
        compare(WEIGHTS, given, same=near_first)
        compare(INTERCEPTS, given, same=lambda found, right: all(map(near, found, right)))


def _weights_and_intercept(found: object) -> tuple[np.ndarray, float]:
    if not isinstance(found, tuple | list) or len(found) != 2:
        raise Hint("give back two things: the weights (H,) and the intercept")
    weights = need_shape(np.asarray(found[0], dtype=float), (6,), "the new weights")
    return weights, need_number(found[1], "the intercept")


# ---- exercise 3: the features of a pair

PAIR_FEATURES = (
    (
        lambda u, v: np.hstack([u, v]),
        "(u, v) alone: a linear classifier adds up an opinion on u and one on v, and never sees "
        "whether they agree",
    ),
    (
        lambda u, v: np.hstack([u, v, np.abs(u - v)]),
        "that is the training objective's input; here |u-v| and u*v",
    ),
    (
        lambda u, v: np.hstack([u, v, np.abs(u - v), u * v]),
        "that is InferSent's training input; leave u and v out",
    ),
    (lambda u, v: np.hstack([u - v, u * v]), "the sign is still there: take the absolute value"),
    (
        lambda u, v: np.vstack([np.abs(u - v), u * v]),
        "stacked below each other: side by side is axis 1",
    ),
    (lambda u, v: np.abs(u - v), "half of it: u*v is missing"),
    (lambda u, v: u * v, "half of it: |u-v| is missing"),
    (
        lambda u, v: np.column_stack([np.abs(u - v), (u * v).sum(axis=1)]),
        "u*v is element by element: do not add the products up",
    ),
)


@check(mistakes=PAIR_FEATURES)
def pair_features(answer):
    """answer(u, v) -> |u-v| and u*v side by side: (N, H), (N, H) -> (N, 2H)."""
    u, v = np.random.default_rng(5).normal(size=(2, 4, 3))

    def unknown(found, right):
        need_shape(found, (4, 6), "the features")
        if near(found, answer(v, u)):
            return "per pair: first the H values |u-v|, then the H values u*v"
        return "swap the two sentences and your features change: a paraphrase has no order"

    if near(answer(u.copy(), v.copy()), np.hstack([u * v, np.abs(u - v)])):
        return  # the other order is as good
    diagnose(
        answer,
        lambda u, v: np.hstack([np.abs(u - v), u * v]),
        PAIR_FEATURES,
        (u, v),
        look=lambda found: np.asarray(found, dtype=float),
        otherwise=unknown,
    )


# ---- figures


STYLES = (
    (COLORS[5], "-", "o"),
    (COLORS[0], "--", "s"),
    (COLORS[2], "-.", "^"),
    (COLORS[3], ":", "D"),
)


def ranks(values: Sequence[float]) -> np.ndarray:
    """1 for the largest value; equal values share their mean rank: (n,)."""
    from scipy.stats import rankdata

    return rankdata(-np.asarray(values, dtype=float))


def slopes(
    panels: Mapping[str, Mapping[str, tuple[float, float]]], *, marked: Sequence[str] = ()
) -> Figure:
    """Rank under cosine -> rank under logistic regression, one panel per source of scores.

    panels maps a title to {system: (score under cosine, score of the classifier)}; the systems in
    `marked` have a colour, a line style and a marker of their own.
    """
    figure, axes = new(6.2 * len(panels), 4.6, columns=len(panels), squeeze=False)
    for one, (title, systems) in zip(axes[0], panels.items(), strict=True):
        left, right = (ranks([pair[side] for pair in systems.values()]) for side in (0, 1))
        for number, name in enumerate(systems):
            ends = float(left[number]), float(right[number])
            _slope(one, name, ends, systems[name], marked)
        one.set_title(title)
        one.set_xlim(-1.7, 2.7)
        one.set_ylim(len(systems) + 0.6, 0.4)
        one.set_xticks([0, 1], ["cosine\n(STS)", "classifier\n(seven tasks)"])
        one.set_yticks([])
        one.spines[["left", "bottom"]].set_visible(False)
        one.tick_params(length=0)
    return figure


def _slope(axes: Axes, name: str, ends, scores, marked: Sequence[str]) -> None:
    color, line, marker = (GREY, "-", "o")
    bold = name in marked
    if bold:
        color, line, marker = STYLES[list(marked).index(name) % len(STYLES)]
    axes.plot([0, 1], ends, line, color=color, marker=marker, lw=2.6 if bold else 1, ms=7)
    text = {"color": color if bold else "#333333", "va": "center", "fontsize": 9}
    text["weight"] = "bold" if bold else "normal"
    axes.text(-0.07, ends[0], f"{name}  {scores[0]:.1f}", ha="right", **text)
    axes.text(1.07, ends[1], f"{scores[1]:.1f}  {name}", ha="left", **text)


def stretch_curves(factors: Sequence[float], curves: Mapping[str, Sequence[float]]) -> Axes:
    """Score against the factor on one dimension, as a share of the score at factor 1."""
    _, axes = new(7, 3.6)
    for number, (name, values) in enumerate(curves.items()):
        color, line, marker = STYLES[number % len(STYLES)]
        kept = 100 * np.asarray(values, dtype=float) / values[0]
        axes.plot(factors, kept, line, marker=marker, ms=6, color=color, label=name)
    axes.axhline(100, color=GREY, lw=1, ls=":")
    log_ticks(axes, factors)
    axes.set_ylim(0, 112)
    axes.set_xlabel("factor on one dimension")
    axes.set_ylabel("score, per cent of\nthe unstretched one")
    axes.legend(loc="lower left")
    return axes


def fold_map(labels: np.ndarray, folds, *, inner: int) -> Axes:
    """Nested folds of these labels: one line per fit, shade by the part a row plays in it."""
    places, splits = np.arange(len(labels)), list(folds.split(labels, labels))
    rows = [np.where(np.isin(places, test), 2, 0) for _, test in splits]
    count, train = len(splits), splits[0][0]
    again = type(folds)(inner, shuffle=True, random_state=folds.random_state)
    for _, choose in again.split(train, labels[train]):
        rows.append(np.where(np.isin(places, train[choose]), 1, rows[0]))
    _, axes = new(8, 3.4)
    shades = {0: "#cfe3f2", 1: COLORS[1], 2: COLORS[5]}
    heights = [line + (0.8 if line >= count else 0) for line in range(len(rows))]
    for height, row in zip(heights, rows, strict=True):
        for value, color in shades.items():
            where = np.flatnonzero(row == value)
            axes.bar(where, 0.8, bottom=height, width=1.0, color=color, align="edge", lw=0)
    names = [f"outer fold {n + 1}" for n in range(count)]
    names += [f"inside fold 1: {n + 1}" for n in range(inner)]
    axes.set_yticks([height + 0.4 for height in heights], names)
    axes.set_ylim(len(rows) + 0.8, 0)
    axes.set_xlim(0, len(rows[0]))
    axes.set_xlabel("rows of the task, shortest first")
    axes.spines[["left", "bottom"]].set_visible(False)
    axes.tick_params(length=0)
    parts = zip(shades.values(), ("fit", "choose C", "test, seen once"), strict=True)
    handles = [axes.bar(0, 0, color=color, label=label) for color, label in parts]
    axes.legend(handles=handles, loc="upper center", bbox_to_anchor=(0.5, 1.17), ncols=3)
    return axes


def task_bars(
    columns: Sequence[str],
    systems: Mapping[str, Sequence[float]],
    *,
    levels: tuple[str, Sequence[float]] | None = None,
) -> Axes:
    """Accuracy per task as dots, one marker per system: systems maps a name to len(columns).

    `levels` is a name and one value per task, drawn as a short line across the task's column.
    """
    _, axes = new(8, 3.8)
    places = np.arange(len(columns))
    for number, (name, values) in enumerate(systems.items()):
        color, _, marker = STYLES[number % len(STYLES)]
        shift = 0.16 * (number - (len(systems) - 1) / 2)
        axes.plot(places + shift, values, marker, color=color, ms=7, label=name, ls="")
    if levels:
        name, values = levels
        axes.hlines(values, places - 0.38, places + 0.38, color=GREY, lw=1.5, label=name, zorder=1)
    for place in places[:-1]:
        axes.axvline(place + 0.5, color="#e5e5e5", lw=1, zorder=0)
    axes.set_xticks(places, [name.upper() for name in columns])
    axes.set_ylabel("accuracy (%)")
    columns_of_legend = len(systems) + bool(levels)
    axes.legend(loc="upper center", bbox_to_anchor=(0.5, 1.17), ncols=columns_of_legend, fontsize=9)
    return axes
