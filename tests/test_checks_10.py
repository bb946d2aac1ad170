"""The checks of notebook 10: right answers pass in any style, known wrong ones get their hint."""

import numpy as np
import pytest
from scipy import stats

from sbert_lab.course import nb10
from sbert_lab.course.diagnose import CORRECT, NOT_ATTEMPTED, verdict_of
from sbert_lab.experiments.evaluation import afs

# ---- counting the leak


def leaky(known, asked):
    seen = set()
    for pair in known:
        seen.update(pair)
    return sum(1 for a, b in asked if a in seen or b in seen)


def test_the_leak_passes_with_a_set_and_with_the_package():
    def from_package(known, asked):
        rows = [{"sentence1": a, "sentence2": b} for a, b in [*known, *asked]]
        numbers = np.arange(len(rows))
        found = afs.leak(rows, afs.Fold(numbers[: len(known)], numbers[len(known) :]))
        return found.one + found.both

    assert verdict_of(nb10.leaky_pairs, leaky) == CORRECT
    assert verdict_of(nb10.leaky_pairs, from_package) == CORRECT


def everyone(known):
    return {s for pair in known for s in pair}


@pytest.mark.parametrize(
    ("answer", "hint"),
    [
        (lambda k, q: sum(set(p) <= everyone(k) for p in q), "one is a leak, too"),
        (lambda k, q: len({frozenset(p) for p in k} & {frozenset(p) for p in q}), "known pairs"),
        (
            lambda k, q: sum(a in {x for x, _ in k} or b in {y for _, y in k} for a, b in q),
            "changed its place",
        ),
        (lambda k, q: sum(a in everyone(k) for a, _ in q), "first sentence of the asked"),
        (lambda k, q: sum(b in everyone(k) for _, b in q), "second sentence of the asked"),
        (lambda k, q: sum(s in everyone(k) for p in q for s in p), "counts sentences"),
        (lambda k, q: len({p for p in q if set(p) & everyone(k)}), "asked twice counts twice"),
        (lambda k, q: leaky(k, {frozenset(p) for p in q}), "asked twice counts twice"),
        (lambda k, q: leaky(k, q) / len(q), "this is a share"),
        (lambda k, q: len(q) - leaky(k, q), "without a leak"),
        (lambda k, q: 10 if len(q) > 1 else 1, "should give 0"),
        (lambda k, q: 99, "collect the sentences"),
        (lambda k, q: [1, 2], "one number"),
    ],
)
def test_a_wrong_count_gets_its_hint(answer, hint):
    assert hint in verdict_of(nb10.leaky_pairs, answer)


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


@pytest.mark.parametrize("answer", [union_find, spreading, with_scipy])
def test_components_pass_in_three_styles(answer):
    assert verdict_of(nb10.leak_free_groups, answer) == CORRECT


def one_round(pairs):
    groups, known = list(range(len(pairs))), {}
    for i, (a, b) in enumerate(pairs):
        groups[i] = known.get(a, known.get(b, i))
        known.setdefault(a, groups[i])
        known.setdefault(b, groups[i])
    return groups


@pytest.mark.parametrize(
    ("answer", "hint"),
    [
        (lambda pairs: [a for a, _ in pairs], "grouping by the first sentence only"),
        (lambda pairs: [b for _, b in pairs], "grouping by the second sentence only"),
        (lambda pairs: ["-".join(sorted(p)) for p in pairs], "only equal pairs"),
        (lambda pairs: range(len(pairs)), "only equal pairs"),
        (lambda pairs: sorted({frozenset(p) for p in pairs}, key=sorted), "no pair may be dropped"),
        (lambda pairs: [0] * len(pairs), "nothing is left to test"),
        (lambda pairs: [0, 0, 0, 1, 1, 2, 2, 2][: len(pairs)], "nothing to do with each other"),
        (one_round, "go on until nothing changes"),
        (lambda pairs: {"A": 0}, "one group per pair"),
        (lambda pairs: [[0]] * len(pairs), "a number or a name"),
    ],
)
def test_a_wrong_split_gets_its_hint(answer, hint):
    assert hint in verdict_of(nb10.leak_free_groups, answer)


# ---- the mean over topics


def by_hand(gold, predicted, topics):
    values = []
    for topic in np.unique(topics):
        here = topics == topic
        values.append(stats.spearmanr(gold[here], predicted[here])[0])
    return np.mean(values)


def test_the_mean_over_topics_passes_with_scipy_and_with_the_package():
    def package(gold, predicted, topics):
        return afs.score_topics(gold, predicted, topics).spearman / 100

    assert verdict_of(nb10.mean_over_topics, by_hand) == CORRECT
    assert verdict_of(nb10.mean_over_topics, package) == CORRECT


def each(function):
    def answer(gold, predicted, topics):
        names = list(dict.fromkeys(topics.tolist()))
        parts = [topics == name for name in names]
        return function([stats.spearmanr(gold[p], predicted[p])[0] for p in parts], parts)

    return answer


@pytest.mark.parametrize(
    ("answer", "hint"),
    [
        (lambda g, p, t: stats.spearmanr(g, p)[0], "all topics in one list"),
        (lambda g, p, t: 100 * stats.spearmanr(g, p)[0], "one list, times 100"),
        (lambda g, p, t: 100 * by_hand(g, p, t), "in points"),
        (each(lambda v, parts: np.average(v, weights=[p.sum() for p in parts])), "weighs topics"),
        (each(lambda v, parts: sum(v)), "the sum"),
        (each(lambda v, parts: v[0]), "the first topic alone"),
        (each(lambda v, parts: v[-1]), "the last topic alone"),
        (
            lambda g, p, t: np.mean([stats.pearsonr(g[t == n], p[t == n])[0] for n in set(t)]),
            "Pearson",
        ),
        (lambda g, p, t: 0.123, "for each topic"),
    ],
)
def test_a_wrong_mean_gets_its_hint(answer, hint):
    assert hint in verdict_of(nb10.mean_over_topics, answer)


def test_stubs_are_not_attempted():
    def leaky_pairs(known, asked): ...

    def groups_of(pairs): ...

    def topic_mean(gold, predicted, topics): ...

    assert verdict_of(nb10.leaky_pairs, leaky_pairs) == NOT_ATTEMPTED
    assert verdict_of(nb10.leak_free_groups, groups_of) == NOT_ATTEMPTED
    assert verdict_of(nb10.mean_over_topics, topic_mean) == NOT_ATTEMPTED
