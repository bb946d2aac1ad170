"""The checks of notebook 09: right answers pass in any style, known wrong ones get their hint."""

import statistics

import numpy as np
import pytest
from scipy import stats

from sbert_lab.course import nb09
from sbert_lab.course.diagnose import CORRECT, NOT_ATTEMPTED, verdict_of
from sbert_lab.experiments import paper

# ---- C12 against the table


def test_the_printed_gains_pass_rounded_and_straight_from_the_csv():
    printed = paper.table(2).set_index("model")["spearman"]
    sbert, sroberta = (
        printed[f"{name}-NLI-STSb-base"] - printed[f"{name}-STSb-base"]
        for name in ("SBERT", "SRoBERTa")
    )
    assert verdict_of(nb09.printed_gains, sbert, sroberta, 0) == CORRECT
    assert verdict_of(nb09.printed_gains, 0.68, -0.13, 0) == CORRECT


@pytest.mark.parametrize(
    ("answers", "hint"),
    [
        ((1.5, 1.5, 2), "1-2 is what the text says"),
        ((0.68, 1.0, 1), "1-2 is what the text says"),
        ((1.65, 1.13, 2), "the large models"),
        ((-0.68, 0.13, 0), "the sign is turned round"),
        ((0.68, 0.13, 0), "SRoBERTa: the sign"),
        ((8.32, -0.13, 0), "not NLI alone"),
        ((4.03, -0.13, 0), "the cross-encoder's gain"),
        ((0.5, -0.13, 0), "subtract its row"),
        ((0.68, -0.13, 2), "look at your two numbers again"),
        ((0.68, -0.13, False), "0, 1 or 2"),
        (("a point", -0.13, 0), "one number"),
    ],
)
def test_wrong_gains_get_their_hint(answers, hint):
    assert hint in verdict_of(nb09.printed_gains, *answers)


def test_the_gains_stub_is_not_attempted():
    assert verdict_of(nb09.printed_gains, None, None, None) == NOT_ATTEMPTED
    assert verdict_of(nb09.printed_gains, 0.68, -0.13, None) == NOT_ATTEMPTED


# ---- how many seeds


def search(spread, difference, half):
    """The first n whose half interval is below the difference, as a learner would search."""
    n = 2
    while half(n, spread) >= difference:
        n += 1
    return n


def t(n, level=0.975):
    return stats.t.ppf(level, n - 1)


def half(n, spread):
    return t(n) * spread / np.sqrt(n)


def right_seeds(a, b, difference):
    return search(np.std(a - b, ddof=1), difference, half)


def test_the_number_of_seeds_passes_with_numpy_with_scipy_and_without_either():
    def with_scipy(a, b, difference):
        for n in range(2, 1000):
            low, _ = stats.t.interval(0.95, n - 1, difference, stats.tstd(a - b) / n**0.5)
            if low > 0:
                return n

    def plain(a, b, difference):
        spread = statistics.stdev([x - y for x, y in zip(a, b, strict=True)])
        return next(n for n in range(2, 1000) if t(n) * spread < difference * n**0.5)

    for answer in (right_seeds, with_scipy, plain):
        assert verdict_of(nb09.seeds_needed, answer) == CORRECT


def test_the_pilot_of_the_text_has_the_spread_of_the_title():
    a, b = map(np.array, nb09.PILOT)
    assert np.std(a - b, ddof=1) == pytest.approx(0.3)
    assert np.mean(a - b) == pytest.approx(0.7)
    assert right_seeds(a, b, 0.7) == 4


@pytest.mark.parametrize(
    ("answer", "hint"),
    [
        (lambda a, b, d: search(np.std(a - b, ddof=1), d, lambda n, s: t(n) * s), "standard error"),
        (lambda a, b, d: search(np.std(a - b), d, half), "ddof=1"),
        (lambda a, b, d: search(np.hypot(np.std(a, ddof=1), np.std(b, ddof=1)), d, half), "unpair"),
        (lambda a, b, d: search(np.std(a - b, ddof=1), d, lambda n, s: 1.96 * s / n**0.5), "1.96"),
        (
            lambda a, b, d: search(np.std(a - b, ddof=1), d, lambda n, s: t(len(a)) * s / n**0.5),
            "not to the pilot's",
        ),
        (
            lambda a, b, d: search(np.std(a - b, ddof=1), d, lambda n, s: t(n, 0.95) * s / n**0.5),
            "2.5 % on each side",
        ),
        (lambda a, b, d: right_seeds(a, b, d) - 1, "one too few"),
        (lambda a, b, d: right_seeds(a, b, d) + 1, "one too many"),
        (lambda a, b, d: 10, "you say 10 seeds"),
        (lambda a, b, d: "four", "one number"),
    ],
)
def test_a_wrong_number_of_seeds_gets_its_hint(answer, hint):
    assert hint in verdict_of(nb09.seeds_needed, answer)


def test_the_seeds_stub_is_not_attempted():
    def seeds_needed(scores_a, scores_b, difference): ...

    assert verdict_of(nb09.seeds_needed, seeds_needed) == NOT_ATTEMPTED


# ---- the best seed


def right_best(dev, test):
    winner = int(np.argmax(dev))
    return test[winner], (dev[winner] - np.mean(dev)) - (test[winner] - np.mean(test))


def test_the_best_seed_passes_with_numpy_and_with_lists():
    def with_lists(dev, test):
        dev, test = list(dev), list(test)
        place = max(range(len(dev)), key=dev.__getitem__)
        lead = dev[place] - sum(dev) / len(dev)
        return [test[place], lead - test[place] + sum(test) / len(test)]

    for answer in (right_best, with_lists):
        assert verdict_of(nb09.best_seed, answer) == CORRECT


def test_dev_and_test_have_different_winners():
    assert np.argmax(nb09.DEV) != np.argmax(nb09.TEST)


@pytest.mark.parametrize(
    ("answer", "hint"),
    [
        (lambda dev, test: (test.max(), right_best(dev, test)[1]), "chosen on test"),
        (lambda dev, test: (dev.max(), right_best(dev, test)[1]), "score on dev: dev chose"),
        (lambda dev, test: (test.mean(), 0.0), "the mean over the seeds"),
        (lambda dev, test: (test[dev.argmin()], 0.0), "lowest score on dev"),
        (lambda dev, test: (1.0, 0.0), "highest dev score"),
        (lambda dev, test: (test[dev.argmax()], dev.max() - test[dev.argmax()]), "much harder"),
        (lambda dev, test: (test[dev.argmax()], -right_best(dev, test)[1]), "turned round"),
        (lambda dev, test: (test[dev.argmax()], dev.max() - dev.mean()), "lead on dev only"),
        (lambda dev, test: (test[dev.argmax()], test[dev.argmax()] - test.mean()), "test only"),
        (
            lambda dev, test: (test[dev.argmax()], dev.max() - dev.mean() - np.ptp(test) + 9),
            "optimism is the winner's lead",
        ),
        (lambda dev, test: test[dev.argmax()], "give back two numbers"),
    ],
)
def test_a_wrong_best_seed_gets_its_hint(answer, hint):
    assert hint in verdict_of(nb09.best_seed, answer)


def test_the_best_seed_stub_is_not_attempted():
    def best_seed(dev, test): ...

    assert verdict_of(nb09.best_seed, best_seed) == NOT_ATTEMPTED
