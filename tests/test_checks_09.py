"""The checks of notebook 09: right answers pass in any style; wrong ones beyond the tables."""

import statistics

import numpy as np
import pytest
from conftest import expect
from scipy import stats

from sbert_lab.course import nb09
from sbert_lab.course.diagnose import CORRECT, NOT_ATTEMPTED
from sbert_lab.experiments import paper

# ---- C12 against the table


PRINTED = paper.table(2).set_index("model")["spearman"]
GAINS = [
    PRINTED[f"{name}-NLI-STSb-base"] - PRINTED[f"{name}-STSb-base"]
    for name in ("SBERT", "SRoBERTa")
]


@pytest.mark.parametrize(
    ("answers", "line"),
    [
        ((*GAINS, 0), CORRECT),
        ((0.68, -0.13, 0), CORRECT),
        ((0.68, -0.13, None), NOT_ATTEMPTED),
        ((1.5, 1.5, 2), "1-2 is what the text says"),
        ((0.68, 1.0, 1), "1-2 is what the text says"),
        ((0.5, -0.13, 0), "subtract its row"),
        ((0.68, -0.13, 2), "look at your two numbers again, +0.68 and -0.13"),
        ((0.68, -0.13, False), "one number, but it is a bool"),
        (("a point", -0.13, 0), "one number"),
    ],
)
def test_printed_gains_pass_rounded_and_straight_from_the_csv(answers, line):
    expect(line, nb09.printed_gains, *answers)


# ---- how many seeds


def t(n):
    return stats.t.ppf(0.975, n - 1)


def with_numpy(a, b, difference):
    n = 2
    while t(n) * np.std(a - b, ddof=1) / np.sqrt(n) >= difference:
        n += 1
    return n


def with_scipy(a, b, difference):
    for n in range(2, 1000):
        low, _ = stats.t.interval(0.95, n - 1, difference, stats.tstd(a - b) / n**0.5)
        if low > 0:
            return n


def plain(a, b, difference):
    spread = statistics.stdev([x - y for x, y in zip(a, b, strict=True)])
    return next(n for n in range(2, 1000) if t(n) * spread < difference * n**0.5)


@pytest.mark.parametrize(
    ("answer", "line"),
    [
        (with_numpy, CORRECT),
        (with_scipy, CORRECT),
        (plain, CORRECT),
        (lambda a, b, d: 10, "you say 10 seeds"),
        (lambda a, b, d: "four", "one number"),
    ],
)
def test_the_number_of_seeds_passes_with_numpy_with_scipy_and_without_either(answer, line):
    expect(line, nb09.seeds_needed, answer)


def test_the_pilot_of_the_text_has_the_spread_of_the_title():
    a, b = map(np.array, nb09.PILOT)
    assert np.std(a - b, ddof=1) == pytest.approx(0.3)
    assert np.mean(a - b) == pytest.approx(0.7)
    assert with_numpy(a, b, 0.7) == 4


# ---- the best seed


def winner(dev, test):
    place = int(np.argmax(dev))
    return test[place], (dev[place] - np.mean(dev)) - (test[place] - np.mean(test))


def with_lists(dev, test):
    dev, test = list(dev), list(test)
    place = max(range(len(dev)), key=dev.__getitem__)
    lead = dev[place] - sum(dev) / len(dev)
    return [test[place], lead - test[place] + sum(test) / len(test)]


@pytest.mark.parametrize(
    ("answer", "line"),
    [
        (winner, CORRECT),
        (with_lists, CORRECT),
        (lambda dev, test: (1.0, 0.0), "highest dev score"),
        (lambda dev, test: (winner(dev, test)[0], 9.0), "optimism is the winner's lead"),
        (lambda dev, test: winner(dev, test)[0], "give back two numbers"),
    ],
)
def test_the_best_seed_passes_with_numpy_and_with_lists(answer, line):
    expect(line, nb09.best_seed, answer)
