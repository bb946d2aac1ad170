"""The checks of notebook 12: right answers pass in any style; wrong ones beyond the tables."""

import numpy as np
import pytest
from conftest import expect
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from sbert_lab.course import nb12
from sbert_lab.course.diagnose import CORRECT, NOT_ATTEMPTED

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


@pytest.mark.parametrize(
    ("answer", "word", "line"),
    [
        (divided, "cosine", CORRECT),
        (with_where, " Cosine ", CORRECT),
        (lambda *given: divided(*given).tolist(), "cosine", CORRECT),
        (divided, None, NOT_ATTEMPTED),
        (divided, "both", "both break?"),
        (divided, "classifier", "the other way round"),
        (divided, "neither", "a cosine has no weights"),
        (divided, "dunno", "one of cosine, classifier, both, neither"),
        (lambda w, d, f: divided(w, 2, 100.0), "cosine", "which w'"),
        (lambda w, d, f: w[:3], "cosine", "shape"),
        (in_place, "cosine", "in place"),
    ],
)
def test_the_stretch_passes_in_three_styles(answer, word, line):
    expect(line, nb12.stretched, answer, word)


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
