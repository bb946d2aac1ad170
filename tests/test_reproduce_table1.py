"""Table 1: the seven sets are scored as others score them, and the claims by their rules."""

import numpy as np
import pytest
from conftest import make_pairs, make_results, verdicts, words_encode
from scipy import stats

from sbert_lab.errors import DataError, InputError
from sbert_lab.experiments import table1
from sbert_lab.experiments.evaluation import sts, sts_sets
from sbert_lab.experiments.evaluation.resampling import over_seeds
from sbert_lab.experiments.paper.claims import FAILS, HOLDS
from sbert_lab.experiments.systems import name_of
from sbert_lab.profiles import PROFILES

MINI = PROFILES["mini"]


@pytest.fixture
def small_sets(monkeypatch):
    sets = {"sts12": make_pairs(60, subsets="aab"), "stsb": make_pairs(40, seed=2, subsets="")}
    monkeypatch.setattr(sts_sets, "load_sets", lambda profile=None: sets)
    return sets


# ---- scoring the sets


def test_all_mean_and_weighted_mean_are_those_of_scipy(small_sets):
    rows = small_sets["sts12"]
    predicted = sts_sets.predict_sets(words_encode, small_sets)
    score = sts_sets.score_sets(small_sets, predicted)["sts12"]
    gold, names = (np.array([row[key] for row in rows]) for key in ("score", "subset"))
    parts = [
        stats.spearmanr(gold[names == name], predicted["sts12"][names == name])[0] for name in "ab"
    ]
    assert score.all == pytest.approx(100 * stats.spearmanr(gold, predicted["sts12"])[0])
    assert score.mean == pytest.approx(100 * np.mean(parts))
    assert score.weighted_mean == pytest.approx(100 * np.average(parts, weights=[40, 20]))
    assert score.pearson == pytest.approx(100 * stats.pearsonr(gold, predicted["sts12"])[0])
    assert len({round(value, 6) for value in (score.all, score.mean, score.weighted_mean)}) == 3


def test_a_set_without_subsets_has_one_spearman(small_sets):
    predicted = sts_sets.predict_sets(words_encode, small_sets)
    score = sts_sets.score_sets(small_sets, predicted)["stsb"]
    assert score.all == score.mean == score.weighted_mean
    assert score.n == 40


def test_each_sentence_of_all_sets_is_encoded_once(small_sets):
    seen = []

    def encode(sentences):
        seen.extend(sentences)
        return words_encode(sentences)

    once = sts_sets.encode_once(encode, {**small_sets, "again": small_sets["sts12"]})
    for similarity in ("cosine", "manhattan"):
        found = sts_sets.predict_sets(once, small_sets, similarity=similarity)
        plain = sts_sets.predict_sets(words_encode, small_sets, similarity=similarity)
        assert all(np.allclose(found[name], plain[name]) for name in small_sets)
    assert len(seen) == len(set(seen))


def test_the_average_counts_every_set_alike(small_sets):
    predicted = sts_sets.predict_sets(words_encode, small_sets)
    scores = sts_sets.score_sets(small_sets, predicted)
    expected = (scores["sts12"].all + scores["stsb"].all) / 2
    assert sts_sets.average(scores) == pytest.approx(expected)
    with pytest.raises(InputError, match="no scores"):
        sts_sets.average({})


def test_what_cannot_be_scored_is_named(small_sets):
    with pytest.raises(InputError, match="sts12: .*all equal"):
        table1.outcome(lambda sentences: np.ones((len(sentences), 4)), MINI)
    with pytest.raises(InputError, match="NaN or infinity"):
        table1.outcome(lambda sentences: np.full((len(sentences), 4), np.nan), MINI)
    with pytest.raises(InputError, match="no predictions for stsb"):
        sts_sets.score_sets(small_sets, {"sts12": np.arange(60.0)})


def test_mini_and_paper_score_all_seven_sets_and_real_what_is_here(monkeypatch, tmp_path):
    assert sts_sets.sets_here("mini") == sts_sets.sets_here("paper") == list(sts_sets.SETS)
    monkeypatch.setattr(
        sts_sets, "splits_here", lambda corpus, _: ["test"] * (corpus.name in ("stsb", "sick"))
    )
    assert sts_sets.sets_here("real") == ["stsb", "sick"]
    monkeypatch.setattr(sts_sets, "splits_here", lambda corpus, _: ["train"])
    with pytest.raises(DataError, match="SBERT_LAB_DATA"):
        sts_sets.sets_here("real")


# ---- the rows


def test_an_outcome_can_be_computed_again_from_what_is_kept(small_sets):
    found = table1.outcome(words_encode, MINI, distances=True)
    again = sts_sets.score_sets(small_sets, found.predictions)
    assert list(found.scores) == ["sts12", "stsb", "average"]
    assert all(found.scores[name] == again[name].all for name in small_sets)
    assert found.info["weighted_mean"]["sts12"] == round(again["sts12"].weighted_mean, 4)
    for other in ("manhattan", "euclidean"):
        rows = small_sets["stsb"]
        expected = sts.score_pairs(words_encode, rows, similarity=other).spearman
        assert found.info[other]["stsb"] == pytest.approx(expected, abs=0.1)
        assert found.predictions[f"stsb {other}"].shape == (40,)
    plain = table1.outcome(words_encode, MINI)
    assert set(plain.predictions) == set(small_sets)


def test_sets_that_are_not_at_hand_are_said(monkeypatch):
    monkeypatch.setattr(sts_sets, "sets_here", lambda profile=None: ["stsb", "sick"])
    said = table1.data_seen(MINI)
    assert said.startswith("stsb test: mini: 388 rows")
    assert said.endswith("not at hand: sts12, sts13, sts14, sts15, sts16")


# ---- the claims, on made-up results


def recorded(quality, sets=sts_sets.SETS, profile="mini", pairs=300):
    """Rows whose similarities follow the gold more or less: name -> how much. Two seeds."""
    rng = np.random.default_rng(0)
    gold = {name: rng.uniform(size=pairs) for name in sets}
    answers = {}
    for row, follows in quality.items():
        for name in sets:
            values = follows * gold[name] + rng.normal(0, 0.3, size=(2, pairs))
            answers[row, name] = values
            answers |= {(row, f"{name} {other}"): np.exp(3 * values) for other in table1.DISTANCES}
    return make_results(1, answers, gold, profile=profile)


def judged(*given, **more):
    return verdicts(table1.claims(recorded(*given, **more), samples=200))


WORDS, GLOVE = name_of("word-vectors"), name_of("glove")
AS_THE_PAPER = {
    WORDS: 0.6, table1.MEAN: 0.4, table1.CLS: 0.2, table1.INFERSENT: 0.7,
    table1.USE: 0.8, table1.SBERT: 3.0, table1.SROBERTA: 3.0,
}  # fmt: skip


def test_results_like_the_papers_hold_but_for_the_sick_exception():
    found = judged(AS_THE_PAPER)
    assert found == {"C05": HOLDS, "C06": HOLDS, "C07": FAILS, "C08": HOLDS, "C09": HOLDS}


def test_a_difference_is_the_mean_over_the_sets_each_with_its_own_seed():
    results = recorded(AS_THE_PAPER)
    found = table1.claims(results, samples=50)["C06"]["SBERT - USE"]
    sbert, use = (
        [
            over_seeds(
                sts.bootstrap_runs(
                    results.gold(name), results.predictions(row, name), samples=50, seed=number
                )
            )
            for number, name in enumerate(sts_sets.SETS)
        ]
        for row in (table1.SBERT, table1.USE)
    )
    assert np.allclose(found, np.mean(sbert, axis=0) - np.mean(use, axis=0))


def test_claims_whose_rows_or_sets_are_missing_are_left_out():
    without = {name: follows for name, follows in AS_THE_PAPER.items() if name != table1.USE}
    assert tuple(table1.claims(recorded(without), samples=20)) == ("C05", "C08", "C09")
    only = recorded(AS_THE_PAPER, sets=("stsb",))
    assert "C07" not in table1.claims(only, samples=20)


def test_in_profile_paper_the_word_vectors_are_glove():
    quality = {**AS_THE_PAPER, WORDS: 0.0, GLOVE: 0.8}
    assert judged(quality, profile="paper")["C05"] == HOLDS
    assert judged(quality, profile="real")["C05"] != HOLDS
