"""Checks of 12_senteval."""

from collections.abc import Callable, Mapping, Sequence

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from sbert_lab.course.diagnose import Hint, check, near, need_number, need_shape
from sbert_lab.course.plots import COLORS, new

GRID = (0.001, 0.1, 10.0)
WORDS = ("cosine", "classifier", "both", "neither")


def noisy(seed: int = 3) -> tuple[np.ndarray, np.ndarray]:
    """48 rows of 30 features with hardly any signal, and one row that is far off: (48, 30), (48,).

    Noise makes every kind of cheating visible: whoever picks among chance results gets lucky. What
    seed 3 lets pass by luck (one fixed C, for instance) seed 22 does not.
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


@check
def nested_accuracy(answer):
    """answer(features, labels, grid, folds) -> mean accuracy over the outer folds, 0 to 1."""
    features, labels = noisy()
    given = features.copy()
    result = need_number(answer(features, labels, GRID, make_folds()), "the accuracy")
    if not np.array_equal(given, features):
        raise Hint("your function changed the features in place: work on a copy")
    right = _nested(features, labels)
    if near(result, right, tolerance=1e-6):
        _check_other_rows(answer)
        return
    if near(result, 100 * right, tolerance=1e-6):
        raise Hint("as a share, please: between 0 and 1")
    everything = _scaled(features)
    mistakes = [
        (
            lambda: _nested(features, labels, pick="test"),
            "C was picked on the test fold: the best of several results on the rows that also "
            "give the score is too good. Pick it with folds of the training part alone",
        ),
        (
            lambda: _one_c(features, labels),
            "one C for all, picked by the same folds that give the score: every test row had its "
            "say in the choice. Choose C anew inside each outer training part",
        ),
        (
            lambda: _nested(everything, labels, scale=False),
            "the scaler was fitted on too many rows: on everything or, inside, on held-out rows "
            "too. One far-off row shows it: each fit brings its own scaler (a pipeline does)",
        ),
        (
            lambda: _nested(everything, labels, pick="test", scale=False),
            "two leaks: the scaler was fitted on everything, and C was picked on the test fold",
        ),
        (
            lambda: _nested(features, labels, scale=False),
            "the features were not standardised: put a StandardScaler before the classifier",
        ),
        (
            lambda: _nested(features, labels, score="train"),
            "this is the accuracy on the training rows: score the test fold",
        ),
    ]
    for wrong, hint in mistakes:
        if near(result, wrong(), tolerance=1e-6):
            raise Hint(hint)
    raise Hint(
        "outer loop: train, test = one split. Inside, with `train` only: split again, take the C "
        "with the best mean accuracy (the first of equals), fit on all of `train`, score `test`"
    )


def _check_other_rows(answer: Callable) -> None:
    features, labels = noisy(seed=22)
    result = need_number(answer(features.copy(), labels, GRID, make_folds()), "the accuracy")
    if not near(result, _nested(features, labels), tolerance=1e-6):
        raise Hint(
            "right for these rows by luck, wrong for others: is C chosen anew inside every outer "
            "training part, and each scaler fitted there?"
        )


def _scaled(features: np.ndarray) -> np.ndarray:
    return (features - features.mean(axis=0)) / features.std(axis=0)


def _fit(features, labels, c: float, scale: bool = True):
    from sklearn.linear_model import LogisticRegression
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler

    steps = [StandardScaler()] if scale else []
    return make_pipeline(*steps, LogisticRegression(C=c, max_iter=5000)).fit(features, labels)


def _accuracy(features, labels, fit, held, c: float, scale: bool = True) -> float:
    return _fit(features[fit], labels[fit], c, scale).score(features[held], labels[held])


def _inner_best(features, labels, scale: bool = True) -> float:
    """The C with the best mean accuracy over folds of these rows."""
    splits = list(make_folds().split(features, labels))
    means = [
        np.mean([_accuracy(features, labels, *split, c, scale) for split in splits]) for c in GRID
    ]
    return GRID[int(np.argmax(means))]


def _nested(
    features,
    labels,
    *,
    pick: str = "inner",
    score: str = "test",
    scale: bool = True,
) -> float:
    found = []
    for train, test in make_folds().split(features, labels):
        if pick == "test":
            found.append(max(_accuracy(features, labels, train, test, c, scale) for c in GRID))
            continue
        c = _inner_best(features[train], labels[train], scale)
        held = test if score == "test" else train
        found.append(_accuracy(features, labels, train, held, c, scale))
    return float(np.mean(found))


def _outer(features, labels, c: float) -> float:
    splits = make_folds().split(features, labels)
    return float(np.mean([_accuracy(features, labels, *split, c) for split in splits]))


def _one_c(features, labels) -> float:
    return max(_outer(features, labels, c) for c in GRID)


@check
def stretched(new_weights, broken):
    """new_weights(weights, dimension, factor) that keep every decision; what a stretch breaks."""
    rng = np.random.default_rng(3)
    features, weights = rng.normal(size=(20, 6)), rng.normal(size=6)
    for dimension, factor in ((2, 100.0), (5, 4.0), (0, 0.5)):
        given = weights.copy()
        result = new_weights(given, dimension, factor)
        if not np.array_equal(given, weights):
            raise Hint("your function changed the old weights in place: make a copy first")
        need_shape(np.asarray(result), (6,), "the new weights")
        _check_weights(np.asarray(result, dtype=float), features, weights, dimension, factor)
    said = str(broken).strip().lower()
    if said not in WORDS:
        raise Hint(f"broken should be one of {', '.join(WORDS)}")
    if said == "cosine":
        return
    if said == "both":
        raise Hint(
            "both break? Your own new weights say otherwise: a classifier that may choose its "
            "weights gets every old decision back"
        )
    if said == "classifier":
        raise Hint("the other way round: which of the two has weights to adjust?")
    raise Hint("a cosine has no weights: what is left of the other dimensions in it?")


def _check_weights(result, features, weights, dimension: int, factor: float) -> None:
    scale = np.ones(len(weights))
    scale[dimension] = factor
    if near((features * scale) @ result, features @ weights):
        return
    if near(result, weights):
        raise Hint("the old weights, unchanged: then the stretched dimension counts too much")
    if near(result, weights * scale):
        raise Hint("multiplied twice: the weight must take back what the stretch has added")
    if near(result, weights / factor):
        raise Hint("all weights were divided: only one dimension was stretched")
    if near(result, np.where(scale == 1, weights, 0)):
        raise Hint("weight 0 throws the dimension away: its information should stay")
    raise Hint("with x the old value and w the old weight, which w' gives w' * (factor * x) = w*x?")


@check
def pair_features(answer):
    """answer(u, v) -> |u-v| and u*v side by side: (N, H), (N, H) -> (N, 2H)."""
    rng = np.random.default_rng(5)
    u, v = rng.normal(size=(4, 3)), rng.normal(size=(4, 3))
    result = np.asarray(answer(u, v), dtype=float)
    for wrong, hint in _pair_mistakes(u, v):
        if near(result, wrong):
            raise Hint(hint)
    need_shape(result, (4, 6), "the features")
    right = (np.abs(u - v), u * v)
    if near(result, np.hstack(right)) or near(result, np.hstack(right[::-1])):
        return
    if not near(result, np.asarray(answer(v, u), dtype=float)):
        raise Hint("swap the two sentences and your features change: a paraphrase has no order")
    raise Hint("per pair: first the H values |u-v|, then the H values u*v")


def _pair_mistakes(u: np.ndarray, v: np.ndarray) -> list[tuple[np.ndarray, str]]:
    gap, product = np.abs(u - v), u * v
    dot: Callable = lambda: product.sum(axis=1, keepdims=True)  # noqa: E731
    return [
        (
            np.hstack([u, v]),
            "(u, v) alone: a linear classifier adds up an opinion on u and one on v, and never "
            "sees whether they agree",
        ),
        (np.hstack([u, v, gap]), "that is the training objective's input; here |u-v| and u*v"),
        (np.hstack([u, v, gap, product]), "that is InferSent's training input; leave u and v out"),
        (np.hstack([u - v, product]), "the sign is still there: take the absolute value"),
        (np.vstack([gap, product]), "stacked below each other: side by side is axis 1"),
        (gap, "half of it: u*v is missing"),
        (product, "half of it: |u-v| is missing"),
        (np.hstack([gap, dot()]), "u*v is element by element: do not add the products up"),
    ]


# ---- figures


GREY = "#777777"
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
    figure, axes = new(5.2 * len(panels), 4.6, columns=len(panels), squeeze=False)
    for one, (title, systems) in zip(axes[0], panels.items(), strict=True):
        left, right = (ranks([pair[side] for pair in systems.values()]) for side in (0, 1))
        for number, name in enumerate(systems):
            ends = float(left[number]), float(right[number])
            _slope(one, name, ends, systems[name], marked)
        one.set_title(title)
        one.set_xlim(-1.35, 2.35)
        one.set_ylim(len(systems) + 0.6, 0.4)
        one.set_xticks([0, 1], ["cosine\n(STS)", "logistic regression\n(seven tasks)"])
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
        values = np.asarray(values, dtype=float)
        axes.plot(
            factors, 100 * values / values[0], line, marker=marker, ms=6, color=color, label=name
        )
    axes.axhline(100, color=GREY, lw=1, ls=":")
    axes.set_xscale("log")
    axes.set_xticks(list(factors), [f"{factor:g}" for factor in factors])
    axes.minorticks_off()
    axes.set_ylim(0, 112)
    axes.set_xlabel("factor on one dimension")
    axes.set_ylabel("score, per cent of\nthe unstretched one")
    axes.legend(loc="lower left")
    return axes


def fold_map(outer: np.ndarray, inner: np.ndarray) -> Axes:
    """Nested folds: one line per fit, shade by the part a row plays in it.

    outer (folds, N): 1 where a row is tested. inner (inner folds, N): 0 fits, 1 chooses C, and 2
    is the outer test fold, left alone.
    """
    _, axes = new(8, 3.4)
    shades = {0: "#cfe3f2", 1: COLORS[1], 2: COLORS[5]}
    rows = [*(2 * np.asarray(outer)), *np.asarray(inner)]
    count = len(outer)
    for line, row in enumerate(rows):
        height = line + (0.8 if line >= count else 0)
        for value, color in shades.items():
            places = np.flatnonzero(row == value)
            axes.bar(places, 0.8, bottom=height, width=1.0, color=color, align="edge", lw=0)
    middle = [line + 0.4 for line in range(count)]
    middle += [line + 1.2 for line in range(count, len(rows))]
    names = [f"outer fold {n + 1}" for n in range(count)]
    names += [f"inside fold 1: {n + 1}" for n in range(len(inner))]
    axes.set_yticks(middle, names)
    axes.set_ylim(len(rows) + 0.8, 0)
    axes.set_xlim(0, len(rows[0]))
    axes.set_xlabel("rows of the task, shortest first")
    axes.spines[["left", "bottom"]].set_visible(False)
    axes.tick_params(length=0)
    handles = [
        axes.bar(0, 0, color=color, label=label)
        for color, label in zip(
            shades.values(), ("fit", "choose C", "test, seen once"), strict=True
        )
    ]
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
