"""Duplicate questions: groups, thresholds, hits."""

import numpy as np
import pytest
from sklearn.metrics import f1_score, precision_recall_fscore_support

from sbert_lab.errors import InputError
from sbert_lab.experiments.evaluation import duplicates

ROWS = {
    "sentence1": ["a", "b", "d", "e", "a"],
    "sentence2": ["b", "c", "e", "f", "f"],
    "label": [1, 1, 1, 0, 0],
}


def test_chains_of_duplicates_make_a_group_and_other_pairs_do_not():
    found = duplicates.collect(ROWS)
    assert found.texts == ["a", "b", "c", "d", "e", "f"]
    assert found.groups[0] == found.groups[1] == found.groups[2]
    assert found.groups[3] == found.groups[4] != found.groups[0]
    assert len(set(found.groups)) == 3
    assert found.gold_pairs == 3 + 1  # ab, bc, and ac through b; de
    assert found.left.tolist() == [0, 1, 3, 4, 0] and found.right.tolist() == [1, 2, 4, 5, 5]


def some_pairs(count=400, seed=0):
    draw = np.random.default_rng(seed)
    labels = (draw.random(count) < 0.2).astype(int)
    return (0.4 * labels + 0.3 * draw.normal(size=count)).round(2), labels


@pytest.mark.parametrize("threshold", [-0.2, 0.1, 0.5])
def test_precision_and_recall_are_those_of_scikit_learn(threshold):
    cosines, labels = some_pairs()
    expected = precision_recall_fscore_support(labels, cosines >= threshold, average="binary")[:3]
    assert duplicates.precision_recall(cosines, labels, threshold) == pytest.approx(expected)


@pytest.mark.parametrize("seed", range(5))
def test_no_threshold_is_better_than_the_best(seed):
    cosines, labels = some_pairs(seed=seed)  # rounded, so there are ties
    best = duplicates.best_threshold(cosines, labels)
    reached = f1_score(labels, cosines >= best)
    assert reached == max(f1_score(labels, cosines >= one) for one in np.unique(cosines))


def test_nothing_called_a_duplicate_is_zero_not_nan():
    assert duplicates.precision_recall([0.1, 0.2], [1, 0], 0.9) == (0.0, 0.0, 0.0)


def test_hit_rates_by_hand():
    angles = np.radians([0, 5, 12, 90, 180])
    vectors = np.stack([np.cos(angles), np.sin(angles)], axis=1)
    rates = duplicates.hit_rates(vectors, np.array([0, 1, 0, 2, 1]), ks=(1, 2, 4))
    # 0 finds 2 at rank 2, 2 finds 0 at rank 2, 1 and 4 find each other last
    assert rates == {1: 0.0, 2: 50.0, 4: 100.0}


def test_precision_and_recall_among_all_pairs_by_counting():
    draw = np.random.default_rng(1)
    vectors, groups = draw.normal(size=(60, 4)), draw.integers(25, size=60)
    rows, columns = np.triu_indices(60, 1)
    units = vectors / np.linalg.norm(vectors, axis=1, keepdims=True)
    cosines, gold = (units @ units.T)[rows, columns], groups[rows] == groups[columns]
    thresholds = [0.1, 0.6, 0.9, 1.5]
    precision, recall = duplicates.among_all_pairs(vectors, groups, thresholds)
    for number, threshold in enumerate(thresholds[:3]):
        expected = duplicates.precision_recall(cosines, gold, threshold)[:2]
        assert (precision[number], recall[number]) == pytest.approx(expected)
    assert np.isnan(precision[3]) and recall[3] == 0


def test_a_report_tells_an_informed_embedding_from_chance():
    draw = np.random.default_rng(2)
    rows = {"sentence1": [], "sentence2": [], "label": []}
    for number in range(200):
        rows["sentence1"].append(f"{number % 50} a{number}")
        rows["sentence2"].append(f"{number % 50 if number % 2 else (number + 7) % 50} b{number}")
        rows["label"].append(number % 2)
    questions = duplicates.collect(rows)
    centres = draw.normal(size=(50, 16))
    topic = [int(text.split()[0]) for text in questions.texts]
    informed = duplicates.report(
        centres[topic] + 0.3 * draw.normal(size=(len(topic), 16)), questions
    )
    chance = duplicates.report(draw.normal(size=(len(topic), 16)), questions)
    assert informed["labelled precision"] > 95 and informed["labelled recall"] > 90
    for column in ("labelled precision", "all-pairs precision", "found at 1", "found in 10"):
        assert informed[column] > chance[column]
    assert informed["all-pairs precision"] < informed["labelled precision"]


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: duplicates.collect({**ROWS, "label": [1, 2, 0, 0, 0]}), "0 or 1"),
        (lambda: duplicates.best_threshold([0.1, 0.2], [0, 0]), "0 duplicates"),
        (lambda: duplicates.best_threshold([0.1, np.nan], [0, 1]), "NaN"),
        (lambda: duplicates.precision_recall([0.1], [0], 0.5), "0 duplicates"),
        (lambda: duplicates.hit_rates(np.eye(3), [0, 1, 2]), "no question has a duplicate"),
    ],
)
def test_degenerate_input_is_named(call, message):
    with pytest.raises(InputError, match=message):
        call()
