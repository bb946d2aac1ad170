"""The checks of notebook 12: right answers pass in any style, known wrong ones get their hint."""

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from sbert_lab.course import nb12
from sbert_lab.course.diagnose import CORRECT, NOT_ATTEMPTED, verdict_of

# ---- nested cross-validation


def model(c=1.0, scale=True):
    steps = [StandardScaler()] if scale else []
    return make_pipeline(*steps, LogisticRegression(C=c, max_iter=5000))


def searched(grid, folds, scale=True):
    return GridSearchCV(model(scale=scale), {"logisticregression__C": list(grid)}, cv=folds)


def by_grid_search(features, labels, grid, folds):
    return cross_val_score(searched(grid, folds), features, labels, cv=folds).mean()


def by_loops(features, labels, grid, folds):
    scores = []
    for train, test in folds.split(features, labels):
        x, y = features[train], labels[train]
        best, best_score = None, -1.0
        for c in grid:
            held = [model(c).fit(x[a], y[a]).score(x[b], y[b]) for a, b in folds.split(x, y)]
            if np.mean(held) > best_score:
                best, best_score = c, np.mean(held)
        scores.append(model(best).fit(x, y).score(features[test], labels[test]))
    return sum(scores) / len(scores)


def picked_on_the_test_fold(features, labels, grid, folds):
    scores = []
    for train, test in folds.split(features, labels):
        scores.append(
            max(
                model(c).fit(features[train], labels[train]).score(features[test], labels[test])
                for c in grid
            )
        )
    return np.mean(scores)


def one_search_for_all(features, labels, grid, folds):
    return searched(grid, folds).fit(features, labels).best_score_


def scaled_beforehand(features, labels, grid, folds):
    everything = StandardScaler().fit_transform(features)
    search = searched(grid, folds, scale=False)
    return cross_val_score(search, everything, labels, cv=folds).mean()


def scaled_inside_beforehand(features, labels, grid, folds):
    scores = []
    for train, test in folds.split(features, labels):
        scaler = StandardScaler().fit(features[train])
        search = searched(grid, folds, scale=False)
        search.fit(scaler.transform(features[train]), labels[train])
        scores.append(search.score(scaler.transform(features[test]), labels[test]))
    return np.mean(scores)


def both_leaks(features, labels, grid, folds):
    everything = StandardScaler().fit_transform(features)
    scores = []
    for train, test in folds.split(features, labels):
        tries = [model(c, False).fit(everything[train], labels[train]) for c in grid]
        scores.append(max(one.score(everything[test], labels[test]) for one in tries))
    return np.mean(scores)


def on_training_rows(features, labels, grid, folds):
    scores = []
    for train, _ in folds.split(features, labels):
        search = searched(grid, folds).fit(features[train], labels[train])
        scores.append(search.score(features[train], labels[train]))
    return np.mean(scores)


def changes_its_input(features, labels, grid, folds):
    features -= features.mean(axis=0)
    return by_grid_search(features, labels, grid, folds)


@pytest.mark.parametrize("answer", [by_grid_search, by_loops])
def test_nested_accuracy_passes_with_loops_and_with_a_grid_search(answer):
    assert verdict_of(nb12.nested_accuracy, answer) == CORRECT


@pytest.mark.parametrize(
    ("answer", "hint"),
    [
        (picked_on_the_test_fold, "picked on the test fold"),
        (one_search_for_all, "one C for all"),
        (scaled_beforehand, "the scaler was fitted on too many rows"),
        (scaled_inside_beforehand, "the scaler was fitted on too many rows"),
        (both_leaks, "two leaks"),
        (on_training_rows, "on the training rows"),
        (changes_its_input, "in place"),
        (lambda f, y, grid, folds: 100 * by_grid_search(f, y, grid, folds), "between 0 and 1"),
        (lambda f, y, grid, folds: 0.123, "outer loop"),
        (lambda f, y, grid, folds: [0.5, 0.6], "one number"),
    ],
)
def test_a_wrong_nested_accuracy_gets_its_hint(answer, hint):
    assert hint in verdict_of(nb12.nested_accuracy, answer)


def test_forgetting_the_scaler_is_noticed():
    def unscaled(features, labels, grid, folds):
        search = searched(grid, folds, scale=False)
        return cross_val_score(search, features, labels, cv=folds).mean()

    assert "not standardised" in verdict_of(nb12.nested_accuracy, unscaled)


@pytest.mark.parametrize("place", [0, 1, 2])
def test_one_fixed_c_does_not_pass_by_luck(place):
    def fixed(features, labels, grid, folds):
        return cross_val_score(model(grid[place]), features, labels, cv=folds).mean()

    assert verdict_of(nb12.nested_accuracy, fixed) != CORRECT


def test_what_is_right_for_the_first_rows_only_is_called_luck():
    def lucky(features, labels, grid, folds):
        return cross_val_score(model(grid[2]), features, labels, cv=folds).mean()

    assert "by luck" in verdict_of(nb12.nested_accuracy, lucky)


def test_on_the_second_rows_every_known_mistake_differs_from_the_right_answer():
    features, labels = nb12.noisy(seed=22)
    right = by_grid_search(features, labels, nb12.GRID, nb12.make_folds())
    mistakes = (picked_on_the_test_fold, one_search_for_all, scaled_beforehand,
                scaled_inside_beforehand, both_leaks, on_training_rows)  # fmt: skip
    for wrong in mistakes:
        found = wrong(features, labels, nb12.GRID, nb12.make_folds())
        assert abs(found - right) > 1e-3, wrong.__name__


def test_the_nested_stub_is_not_attempted():
    def nested_accuracy(features, labels, grid, folds): ...

    assert verdict_of(nb12.nested_accuracy, nested_accuracy) == NOT_ATTEMPTED


# ---- one stretched dimension


def divided(weights, dimension, factor):
    changed = np.array(weights)
    changed[dimension] /= factor
    return changed


def with_where(weights, dimension, factor):
    return np.where(np.arange(len(weights)) == dimension, weights / factor, weights)


def in_place(weights, dimension, factor):
    weights[dimension] /= factor
    return weights


def only_that_one_zero(weights, dimension, factor):
    return np.where(np.arange(len(weights)) == dimension, 0, weights)


@pytest.mark.parametrize("answer", [divided, with_where, lambda *a: divided(*a).tolist()])
def test_the_stretch_passes_in_three_styles(answer):
    assert verdict_of(nb12.stretched, answer, "cosine") == CORRECT
    assert verdict_of(nb12.stretched, answer, " Cosine ") == CORRECT


@pytest.mark.parametrize(
    ("answer", "word", "hint"),
    [
        (divided, "both", "both break?"),
        (divided, "classifier", "the other way round"),
        (divided, "neither", "a cosine has no weights"),
        (divided, "dunno", "one of cosine"),
        (lambda w, d, f: w, "cosine", "unchanged"),
        (lambda w, d, f: divided(w, d, 1 / f), "cosine", "multiplied twice"),
        (lambda w, d, f: w / f, "cosine", "all weights were divided"),
        (only_that_one_zero, "cosine", "throws the dimension away"),
        (lambda w, d, f: divided(w, 2, 100.0), "cosine", "which w'"),
        (lambda w, d, f: w[:3], "cosine", "shape"),
        (in_place, "cosine", "in place"),
    ],
)
def test_a_wrong_stretch_gets_its_hint(answer, word, hint):
    assert hint in verdict_of(nb12.stretched, answer, word)


def test_the_stretch_stub_is_not_attempted():
    def new_weights(weights, dimension, factor): ...

    assert verdict_of(nb12.stretched, new_weights, None) == NOT_ATTEMPTED
    assert verdict_of(nb12.stretched, new_weights, "cosine") == NOT_ATTEMPTED
    assert verdict_of(nb12.stretched, divided, None) == NOT_ATTEMPTED


# ---- the features of a pair


@pytest.mark.parametrize(
    "answer",
    [
        lambda u, v: np.hstack([abs(u - v), u * v]),
        lambda u, v: np.concatenate([np.maximum(u, v) - np.minimum(u, v), v * u], axis=-1),
        lambda u, v: np.c_[u * v, np.sqrt((u - v) ** 2)],
    ],
)
def test_pair_features_pass_in_three_styles(answer):
    assert verdict_of(nb12.pair_features, answer) == CORRECT


@pytest.mark.parametrize(
    ("answer", "hint"),
    [
        (lambda u, v: np.hstack([u, v]), "(u, v) alone"),
        (lambda u, v: np.hstack([u, v, abs(u - v)]), "training objective"),
        (lambda u, v: np.hstack([u, v, abs(u - v), u * v]), "InferSent"),
        (lambda u, v: np.hstack([u - v, u * v]), "absolute value"),
        (lambda u, v: np.vstack([abs(u - v), u * v]), "axis 1"),
        (lambda u, v: abs(u - v), "u*v is missing"),
        (lambda u, v: u * v, "|u-v| is missing"),
        (lambda u, v: np.c_[abs(u - v), (u * v).sum(1)], "element by element"),
        (lambda u, v: np.hstack([u, u * v]), "a paraphrase has no order"),
        (lambda u, v: np.hstack([u + v, u * v]), "first the H values"),
        (lambda u, v: u @ v.T, "shape"),
    ],
)
def test_wrong_pair_features_get_their_hint(answer, hint):
    assert hint in verdict_of(nb12.pair_features, answer)


def test_the_pair_stub_is_not_attempted():
    def pair_features(u, v): ...

    assert verdict_of(nb12.pair_features, pair_features) == NOT_ATTEMPTED
