"""The checks of notebook 12: right answers pass in any style; wrong ones beyond the tables."""

import numpy as np
import pytest
from conftest import expect
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from sbert_lab.course import nb12
from sbert_lab.course.diagnose import CORRECT

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


def scaled_inside_beforehand(features, labels, grid, folds):
    scores = []
    for train, test in folds.split(features, labels):
        scaler = StandardScaler().fit(features[train])
        search = searched(grid, folds, scale=False)
        search.fit(scaler.transform(features[train]), labels[train])
        scores.append(search.score(scaler.transform(features[test]), labels[test]))
    return np.mean(scores)


def changes_its_input(features, labels, grid, folds):
    features -= features.mean(axis=0)
    return by_grid_search(features, labels, grid, folds)


def fixed(place):
    def answer(features, labels, grid, folds):
        return cross_val_score(model(grid[place]), features, labels, cv=folds).mean()

    return answer


@pytest.mark.parametrize(
    ("answer", "line"),
    [
        (by_grid_search, CORRECT),
        (by_loops, CORRECT),
        (scaled_inside_beforehand, "the scaler was fitted on too many rows"),
        (changes_its_input, "in place"),
        (fixed(0), ""),
        (fixed(1), ""),
        (fixed(2), "by luck"),
        (lambda f, y, grid, folds: 0.123, "outer loop"),
        (lambda f, y, grid, folds: [0.5, 0.6], "one number"),
    ],
)
def test_nested_accuracy_passes_with_loops_and_with_a_grid_search(answer, line):
    expect(line, nb12.nested_accuracy, answer)


def test_on_the_second_rows_every_known_mistake_differs_from_the_right_answer():
    given = (*nb12.noisy(seed=22), nb12.GRID, nb12.make_folds())
    right = by_grid_search(*given)
    for wrong, hint in (*nb12.NESTED_ACCURACY, (scaled_inside_beforehand, "scaled inside")):
        assert abs(wrong(*given) - right) > 1e-3, hint


# ---- one dimension, stretched and shifted


def divided(weights, intercept, dimension, factor, shift):
    changed = np.array(weights)
    changed[dimension] /= factor
    return changed, intercept - changed[dimension] * shift


def with_where(weights, intercept, dimension, factor, shift):
    new = np.where(np.arange(len(weights)) == dimension, weights / factor, weights)
    return [new.tolist(), np.array([intercept - shift * weights[dimension] / factor])]


def in_place(weights, intercept, dimension, factor, shift):
    weights[dimension] /= factor
    return weights, intercept - weights[dimension] * shift


def away_from_the_example(weights, intercept, dimension, factor, shift):
    return divided(weights, intercept, 2, 100.0, 3.0)


@pytest.mark.parametrize(
    ("answer", "line"),
    [
        (divided, CORRECT),
        (with_where, CORRECT),
        (in_place, "in place"),
        (away_from_the_example, "which w' and which intercept"),
        (lambda *given: divided(*given)[0], "two things"),
        (lambda w, *rest: (w[:3], 0.7), "shape"),
        (lambda *given: (divided(*given)[0], divided(*given)[0]), "the intercept should be one"),
    ],
)
def test_the_stretch_passes_in_two_styles(answer, line):
    expect(line, nb12.taken_back, answer)


def test_taken_back_keeps_every_decision():
    rng = np.random.default_rng(0)
    x, weights, (d, f, s) = rng.normal(size=(50, 6)), rng.normal(size=6), (1, 100.0, -4.0)
    changed = x.copy()
    changed[:, d] = f * x[:, d] + s
    new, intercept = divided(weights, 0.3, d, f, s)
    np.testing.assert_allclose(changed @ new + intercept, x @ weights + 0.3)


# ---- the features of a pair


@pytest.mark.parametrize(
    ("answer", "line"),
    [
        (lambda u, v: np.hstack([abs(u - v), u * v]), CORRECT),
        (
            lambda u, v: np.concatenate([np.maximum(u, v) - np.minimum(u, v), v * u], axis=-1),
            CORRECT,
        ),
        (lambda u, v: np.c_[u * v, np.sqrt((u - v) ** 2)], CORRECT),
        (lambda u, v: np.hstack([u, u * v]), "a paraphrase has no order"),
        (lambda u, v: np.hstack([u + v, u * v]), "first the H values"),
        (lambda u, v: u @ v.T, "shape"),
    ],
)
def test_pair_features_pass_in_three_styles(answer, line):
    expect(line, nb12.pair_features, answer)
