"""Table 1: the seven sets are scored as others score them, and the claims by their rules."""

from pathlib import Path

import numpy as np
import pytest
from scipy import stats

from sbert_lab.errors import DataError, InputError
from sbert_lab.experiments import paper, table1
from sbert_lab.experiments.evaluation import sts, sts_sets
from sbert_lab.experiments.paper.claims import FAILS, HOLDS, OPEN, decide
from sbert_lab.experiments.results import Results
from sbert_lab.experiments.systems import name_of
from sbert_lab.profiles import PROFILES

MINI = PROFILES["mini"]
CLAIMS = ("C05", "C06", "C07", "C08", "C09")


def words_encode(sentences):
    """A vector per word, weighted by its place: rough, but not random, and hardly any ties."""
    result = np.zeros((len(sentences), 16))
    for row, sentence in enumerate(sentences):
        for place, word in enumerate(sentence.split()):
            letters = [ord(letter) for letter in word]
            result[row] += np.random.default_rng(letters).normal(size=16) * (1 + place / 10)
    return result


def make_rows(count, seed=1, subsets=True):
    rng = np.random.default_rng(seed)
    words = ["dog", "cat", "man", "woman", "runs", "sleeps", "sings", "house", "tree", "river"]
    rows = []
    for number in range(count):
        first = list(rng.choice(words, size=6))
        changed = 1 + number % 6
        second = [*first[changed:], *rng.choice(words, size=changed)]
        row = {"sentence1": " ".join(first), "sentence2": " ".join(second)}
        row["score"] = 1 - changed / 6
        rows.append({**row, "subset": "aab"[number % 3]} if subsets else row)
    return rows


@pytest.fixture
def small_sets(monkeypatch):
    sets = {"sts12": make_rows(60), "stsb": make_rows(40, seed=2, subsets=False)}
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


@pytest.mark.reference
@pytest.mark.parametrize("name", ["cosine", "euclidean", "manhattan"])
def test_the_sets_are_scored_as_sentence_transformers_scores_them(small_sets, name):
    from sentence_transformers.sentence_transformer.evaluation import (
        EmbeddingSimilarityEvaluator,
    )

    class Model:
        """What the evaluator asks of a model."""

        similarity_fn_name = name
        model_card_data = type("Card", (), {"set_evaluation_metrics": lambda *_, **__: None})()

        def encode(self, sentences, **_):
            return words_encode(sentences).astype(np.float32)

    predicted = sts_sets.predict_sets(words_encode, small_sets, similarity=name)
    ours = sts_sets.score_sets(small_sets, predicted)
    for key, rows in small_sets.items():
        columns = [[row[c] for row in rows] for c in ("sentence1", "sentence2", "score")]
        evaluator = EmbeddingSimilarityEvaluator(*columns, main_similarity=name, write_csv=False)
        theirs = evaluator(Model())
        spearman = next(v for k, v in theirs.items() if k.endswith(f"spearman_{name}"))
        pearson = next(v for k, v in theirs.items() if k.endswith(f"pearson_{name}"))
        assert ours[key].all == pytest.approx(100 * spearman, abs=0.05)
        assert ours[key].pearson == pytest.approx(100 * pearson, abs=0.05)


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
    from sbert_lab.data import sources

    monkeypatch.setattr(
        sources, "splits_here", lambda corpus, _: ["test"] * (corpus.name in ("stsb", "sick"))
    )
    assert sts_sets.sets_here("real") == ["stsb", "sick"]
    monkeypatch.setattr(sources, "splits_here", lambda corpus, _: ["train"])
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
    assert said.startswith("stsb test: mini: 312 rows")
    assert said.endswith("not at hand: sts12, sts13, sts14, sts15, sts16")


# ---- the claims, on made-up results


def make_results(quality, sets=sts_sets.SETS, profile="mini", pairs=300):
    """Rows whose similarities follow the gold more or less: name -> how much."""
    arrays, content = {}, {}
    rng = np.random.default_rng(0)
    for name in sets:
        arrays[f"gold/{name}"] = rng.uniform(size=pairs)
    for row, follows in quality.items():
        for seed in (1, 2):
            for name in sets:
                gold = arrays[f"gold/{name}"]
                values = follows * gold + rng.normal(0, 0.3, size=pairs)
                arrays[f"{row}/{seed}/{name}"] = values
                for other in table1.DISTANCES:
                    arrays[f"{row}/{seed}/{name} {other}"] = np.exp(3 * values)
        scores = dict.fromkeys([*sets, "average"], 50.0)
        run = {"scores": scores, "info": {}}
        about = {"kind": "system", "note": "", "paper": None}
        content[row] = {"seeds": {"1": run, "2": run}, **about}
    whole = {"table": 1, "profile": profile, "about": {}, "rows": content}
    return Results(whole, arrays, Path("table1.json"))


def verdicts(results):
    found = table1.claims(results, samples=200)
    return {
        id: decide(
            paper.get_claim(id).parts,
            {name: sts.interval(drawn) for name, drawn in parts.items()},
        )
        for id, parts in found.items()
    }


WORDS, GLOVE = name_of("word-vectors"), name_of("glove")
AS_THE_PAPER = {
    WORDS: 0.6, table1.MEAN: 0.4, table1.CLS: 0.2, table1.INFERSENT: 0.7,
    table1.USE: 0.8, table1.SBERT: 3.0, table1.SROBERTA: 3.0,
}  # fmt: skip


def test_the_claims_have_exactly_the_parts_of_the_rules():
    found = table1.claims(make_results(AS_THE_PAPER), samples=100)
    assert tuple(found) == CLAIMS
    for id, parts in found.items():
        assert list(parts) == list(paper.get_claim(id).parts)
        assert all(drawn.shape == (100,) for drawn in parts.values())


def test_results_like_the_papers_hold_but_for_the_sick_exception():
    found = verdicts(make_results(AS_THE_PAPER))
    assert found == {"C05": HOLDS, "C06": HOLDS, "C07": FAILS, "C08": HOLDS, "C09": HOLDS}


def test_with_random_similarities_no_claim_holds():
    found = verdicts(make_results(dict.fromkeys(AS_THE_PAPER, 0.0)))
    assert set(found.values()) <= {OPEN, FAILS}


def test_a_difference_is_the_mean_over_the_sets_each_with_its_own_seed():
    results = make_results(AS_THE_PAPER)
    found = table1.claims(results, samples=50)["C06"]["SBERT - USE"]
    by_set = [
        sts.bootstrap_difference(
            results.gold(name),
            results.predictions(table1.SBERT, name),
            results.predictions(table1.USE, name),
            samples=50,
            seed=number,
        )
        for number, name in enumerate(sts_sets.SETS)
    ]
    assert np.allclose(found, np.mean(by_set, axis=0))


def test_claims_whose_rows_or_sets_are_missing_are_left_out():
    without = {name: follows for name, follows in AS_THE_PAPER.items() if name != table1.USE}
    assert tuple(table1.claims(make_results(without), samples=20)) == ("C05", "C08", "C09")
    only = make_results(AS_THE_PAPER, sets=("stsb",))
    assert "C07" not in table1.claims(only, samples=20)


def test_in_profile_paper_the_word_vectors_are_glove():
    quality = {**AS_THE_PAPER, WORDS: 0.0, GLOVE: 0.8}
    assert verdicts(make_results(quality, profile="paper"))["C05"] == HOLDS
    assert verdicts(make_results(quality, profile="real"))["C05"] != HOLDS
