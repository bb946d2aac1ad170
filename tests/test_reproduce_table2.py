"""Table 2: its rows, one resampling for several systems, and the rules of C11 and C12."""

from dataclasses import replace

import numpy as np
import pytest
from conftest import make_results, noisy, verdicts
from scipy import stats

from sbert_lab.errors import InputError
from sbert_lab.experiments import table2, zoo
from sbert_lab.experiments.evaluation import sts
from sbert_lab.experiments.paper.claims import HOLDS
from sbert_lab.profiles import get_profile

MINI = get_profile("mini")
CLAIMED = ("SBERT-STSb", "cross-encoder-STSb", "SBERT-NLI-STSb", "cross-encoder-NLI-STSb")


@pytest.fixture(scope="module")
def gold():
    return np.random.default_rng(1).integers(0, 26, size=300) / 25


@pytest.fixture(scope="module")
def recorded(gold):
    """A world in which the paper's two claims are true."""
    noise = dict(zip(CLAIMED, (0.08, 0.08, 0.05, 0.01), strict=True))
    answers = {(row, "test"): noisy(gold, s, n, 3) for n, (row, s) in enumerate(noise.items())}
    return make_results(2, answers, {"test": gold})


# ---- the rows


def test_a_row_has_the_same_spearman_as_scipy_on_test_and_dev():
    row = next(one for one in table2.rows(MINI) if one.name == "averaged word vectors")
    outcome, people = row.run(1), table2.gold(MINI)
    for split in ("test", "dev"):
        expected = 100 * stats.spearmanr(people[split], outcome.predictions[split]).statistic
        assert outcome.scores[split] == pytest.approx(expected)


def test_a_cross_encoder_is_scored_by_what_it_predicts():
    class Pair:
        def predict(self, first, second):
            return np.array([len(a) - len(b) for a, b in zip(first, second, strict=True)])

    pairs = table2._pairs(MINI, "test")
    lengths = [len(pair["sentence1"]) - len(pair["sentence2"]) for pair in pairs]
    outcome = table2.score(MINI, Pair())
    np.testing.assert_array_equal(outcome.predictions["test"], lengths)


@pytest.mark.parametrize(("id", "start"), [("shuffled", "backbone"), ("random", "random")])
def test_the_floors_are_sbert_stsb_but_for_one_thing(id, start):
    floor, whole = (zoo.get_recipe(name) for name in (f"sbert-stsb-{id}", "sbert-stsb"))
    assert (floor.start, floor.shuffled) == (start, id == "shuffled")
    assert replace(floor, name=whole.name, start=whole.start, shuffled=False) == whole


def test_shuffled_scores_are_the_same_scores_on_other_pairs():
    pairs = table2._pairs(MINI, "train")
    mixed = zoo.rows_of(zoo.get_recipe("sbert-stsb-shuffled"), MINI).rows
    before, after = (np.array([row["score"] for row in rows]) for rows in (pairs, mixed))
    assert sorted(after) == sorted(before)
    assert abs(stats.spearmanr(before, after).statistic) < 0.1
    assert [row["sentence1"] for row in mixed] == list(pairs["sentence1"])


def test_the_data_line_names_every_set_that_was_used():
    said = table2.data_seen(MINI)
    for name in ("stsb train", "stsb test", "stsb dev", "everyday train"):
        assert name in said


# ---- one resampling for several systems


def test_differences_of_shared_resamples_are_those_of_bootstrap_difference(gold):
    a, b = noisy(gold, 0.3, 1, 3), noisy(gold, 0.4, 2, 3)
    drawn = sts.bootstrap_systems(gold, {"a": a, "b": b}, samples=50, seed=3)
    expected = sts.bootstrap_difference(gold, a, b, samples=50, seed=3)
    np.testing.assert_allclose(drawn["a"] - drawn["b"], expected, atol=1e-9)


def test_a_resample_is_scipys_spearman_averaged_over_seeds(gold):
    runs = noisy(gold, 0.3, 1, 3)
    drawn = sts.bootstrap_systems(gold, {"a": runs}, samples=3, seed=5)["a"]
    picks = np.random.default_rng(5).integers(len(gold), size=(3, len(gold)))
    for value, chosen in zip(drawn, picks, strict=True):
        expected = np.mean([stats.spearmanr(gold[chosen], run[chosen]).statistic for run in runs])
        assert value == pytest.approx(100 * expected)


def test_a_difference_of_differences_of_equal_gains_is_exactly_zero(gold):
    """Only if all four systems see the same pairs: separate resamples would scatter around 0."""
    low, high = noisy(gold, 0.4, 1, 3), noisy(gold, 0.2, 2, 3)
    drawn = sts.bootstrap_systems(gold, {"a": low, "b": high, "c": low, "d": high}, samples=20)
    gap = (drawn["b"] - drawn["a"]) - (drawn["d"] - drawn["c"])
    np.testing.assert_array_equal(gap, 0)


def test_the_same_seed_gives_the_same_picks_and_another_gives_others(gold):
    one, same, other = (
        sts.bootstrap_systems(gold, {"a": noisy(gold, 0.3, 1, 3)}, samples=20, seed=seed)["a"]
        for seed in (0, 0, 1)
    )
    np.testing.assert_array_equal(one, same)
    assert (one != other).any()


@pytest.mark.parametrize(
    ("scores", "message"),
    [
        (np.ones(300), "all equal"),
        (np.full(300, np.nan), "nan"),
        (np.arange(299.0), "299"),
        ([[0.1] * 300, [0.2] * 300], "all equal"),
    ],
)
def test_scores_that_cannot_be_ranked_are_refused(gold, scores, message):
    with pytest.raises(InputError, match=message):
        sts.bootstrap_systems(gold, {"a": scores})


def test_too_few_pairs_to_resample_and_no_samples_are_refused(gold):
    with pytest.raises(InputError, match="use more"):
        sts.bootstrap_systems([0, 0, 1], {"a": [1, 2, 3]})
    with pytest.raises(InputError, match="at least 1"):
        sts.bootstrap_systems(gold, {"a": gold}, samples=0)


# ---- the claims


def test_both_claims_hold_where_they_are_true(recorded):
    assert verdicts(table2.claims(recorded)) == {"C11": HOLDS, "C12": HOLDS}


def test_gains_are_nli_first_minus_stsb_alone_with_seeds_averaged(recorded, gold):
    gains = table2.claims(recorded)["C12"]
    for name, rows in {"SBERT gain": CLAIMED[::2], "cross-encoder gain": CLAIMED[1::2]}.items():
        alone, first = (
            np.mean(
                [stats.spearmanr(gold, run).statistic for run in recorded.predictions(r, "test")]
            )
            for r in rows
        )
        assert gains[name].mean() == pytest.approx(100 * (first - alone), abs=1)
