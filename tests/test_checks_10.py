"""The checks of notebook 10: right answers pass in any style; wrong ones beyond the tables."""

import numpy as np
import pytest
from conftest import expect
from scipy import stats

from sbert_lab.course import nb10
from sbert_lab.course.diagnose import CORRECT
from sbert_lab.experiments.evaluation import afs

# ---- counting the leak


def leaky(known, asked):
    seen = set()
    for pair in known:
        seen.update(pair)
    return sum(1 for a, b in asked if a in seen or b in seen)


def counted_by_the_package(known, asked):
    rows = [{"sentence1": a, "sentence2": b} for a, b in [*known, *asked]]
    numbers = np.arange(len(rows))
    found = afs.leak(rows, afs.Fold(numbers[: len(known)], numbers[len(known) :]))
    return found.one + found.both


@pytest.mark.parametrize(
    ("answer", "line"),
    [
        (leaky, CORRECT),
        (counted_by_the_package, CORRECT),
        (lambda k, q: leaky(k, {frozenset(p) for p in q}), "asked twice counts twice"),
        (lambda k, q: 13 if len(q) > 1 else 1, "should give 0"),
        (lambda k, q: 99, "collect the sentences"),
        (lambda k, q: [1, 2], "one number"),
    ],
)
def test_the_leak_passes_with_a_set_and_with_the_package(answer, line):
    expect(line, nb10.leaky_pairs, answer)


# ---- groups without a leak


def union_find(pairs):
    parent = {s: s for pair in pairs for s in pair}

    def root(s):
        while parent[s] != s:
            s = parent[s]
        return s

    for a, b in pairs:
        parent[root(a)] = root(b)
    return [root(a) for a, _ in pairs]


def spreading(pairs):
    groups = list(range(len(pairs)))
    changed = True
    while changed:
        changed = False
        for i, one in enumerate(pairs):
            for j, other in enumerate(pairs):
                if set(one) & set(other) and groups[i] > groups[j]:
                    groups[i], changed = groups[j], True
    return np.array(groups)


def with_scipy(pairs):
    return afs.components([{"sentence1": a, "sentence2": b} for a, b in pairs])


def one_round(pairs):
    groups, known = list(range(len(pairs))), {}
    for i, (a, b) in enumerate(pairs):
        groups[i] = known.get(a, known.get(b, i))
        known.setdefault(a, groups[i])
        known.setdefault(b, groups[i])
    return groups


@pytest.mark.parametrize(
    ("answer", "line"),
    [
        (union_find, CORRECT),
        (spreading, CORRECT),
        (with_scipy, CORRECT),
        (lambda pairs: ["-".join(sorted(p)) for p in pairs], "only equal pairs"),
        (lambda pairs: sorted({frozenset(p) for p in pairs}, key=sorted), "no pair may be dropped"),
        (lambda pairs: [0, 0, 0, 1, 1, 2, 2, 2][: len(pairs)], "nothing to do with each other"),
        (one_round, "go on until nothing changes"),
        (lambda pairs: {"A": 0}, "one group per pair"),
        (lambda pairs: [[0]] * len(pairs), "a number or a name"),
    ],
)
def test_components_pass_in_three_styles(answer, line):
    expect(line, nb10.leak_free_groups, answer)


# ---- the mean over topics


def by_hand(gold, predicted, topics):
    values = []
    for topic in np.unique(topics):
        here = topics == topic
        values.append(stats.spearmanr(gold[here], predicted[here])[0])
    return np.mean(values)


def from_the_package(gold, predicted, topics):
    return afs.score_topics(gold, predicted, topics).spearman / 100


@pytest.mark.parametrize(
    ("answer", "line"),
    [
        (by_hand, CORRECT),
        (from_the_package, CORRECT),
        (lambda g, p, t: 0.123, "for each topic"),
    ],
)
def test_the_mean_over_topics_passes_with_scipy_and_with_the_package(answer, line):
    expect(line, nb10.mean_over_topics, answer)
