import numpy as np
import pytest
from conftest import make_pairs, words_encode
from scipy import stats

from sbert_lab.errors import InputError
from sbert_lab.experiments.evaluation import sts


@pytest.fixture
def numbers():
    rng = np.random.default_rng(3)
    gold = rng.integers(0, 6, size=200) / 5  # many ties, as in STS
    return gold, gold + rng.normal(0, 0.4, size=200)


def test_spearman_and_pearson_agree_with_scipy(numbers):
    gold, predicted = numbers
    assert sts.spearman(gold, predicted) == pytest.approx(stats.spearmanr(gold, predicted)[0])
    assert sts.pearson(gold, predicted) == pytest.approx(stats.pearsonr(gold, predicted)[0])


def test_a_perfect_ranking_gives_exactly_one():
    assert sts.spearman([1, 2, 3, 4], [1, 10, 100, 1000]) == 1.0
    assert sts.spearman([1, 2, 3, 4], [4, 3, 2, 1]) == -1.0


def test_scores_are_in_points_and_count_the_pairs(numbers):
    gold, predicted = numbers
    found = sts.correlations(gold, predicted)
    assert found.spearman == pytest.approx(100 * sts.spearman(gold, predicted))
    assert found.pearson == pytest.approx(100 * sts.pearson(gold, predicted))
    assert found.n == 200
    assert "200 pairs" in str(found)


@pytest.mark.parametrize("name", ["cosine", "euclidean", "manhattan"])
@pytest.mark.reference
def test_pairs_are_scored_as_sentence_transformers_scores_them(name):
    from sentence_transformers.sentence_transformer.evaluation import (
        EmbeddingSimilarityEvaluator,
    )

    rows = make_pairs()

    class Model:
        """What the evaluator asks of a model."""

        similarity_fn_name = name
        model_card_data = type("Card", (), {"set_evaluation_metrics": lambda *_, **__: None})()

        def encode(self, sentences, **_):
            return words_encode(sentences).astype(np.float32)

    columns = [[row[c] for row in rows] for c in ("sentence1", "sentence2", "score")]
    evaluator = EmbeddingSimilarityEvaluator(*columns, main_similarity=name, write_csv=False)
    theirs = evaluator(Model())
    ours = sts.score_pairs(words_encode, rows, similarity=name)
    spearman = next(v for k, v in theirs.items() if k.endswith(f"spearman_{name}"))
    pearson = next(v for k, v in theirs.items() if k.endswith(f"pearson_{name}"))
    assert ours.spearman == pytest.approx(100 * spearman, abs=0.05)
    assert ours.pearson == pytest.approx(100 * pearson, abs=0.05)


def test_identical_pairs_are_ties_whatever_the_rounding():
    rng = np.random.default_rng(0)
    vectors = {str(i): rng.normal(size=384) * 10.0 ** rng.integers(-3, 3) for i in range(50)}
    rows = [{"sentence1": str(i), "sentence2": str(i), "score": i / 50} for i in range(50)]
    found = sts.similarities(lambda s: np.array([vectors[x] for x in s]), rows)
    assert len(set(found.tolist())) == 1


def test_rows_may_be_a_dataset():
    datasets = pytest.importorskip("datasets")
    rows = make_pairs()
    table = datasets.Dataset.from_list(rows)
    assert sts.score_pairs(words_encode, table) == sts.score_pairs(words_encode, rows)


def test_each_different_sentence_is_encoded_once():
    seen = []

    def encode(sentences):
        seen.extend(sentences)
        return words_encode(sentences)

    sts.score_pairs(encode, make_pairs() * 2)
    assert len(seen) == len(set(seen))


def test_the_three_scores_of_a_year_are_different_numbers():
    gold = [0, 0.5, 1, 0, 0.5, 1, 0, 0.5, 1, 0.25]
    predicted = [5, 6, 7, 1, 2, 3, 9, 8, 10, 8.5]
    subsets = ["a"] * 3 + ["b"] * 3 + ["c"] * 4
    scores = sts.score_subsets(gold, predicted, subsets)
    assert scores.subsets["a"].spearman == scores.subsets["b"].spearman == pytest.approx(100)
    third = 100 * stats.spearmanr(gold[6:], predicted[6:])[0]
    assert scores.mean == pytest.approx((200 + third) / 3)
    assert scores.weighted_mean == pytest.approx((600 + 4 * third) / 10)
    assert scores.all == pytest.approx(100 * stats.spearmanr(gold, predicted)[0])


def test_a_subset_without_a_correlation_is_named():
    with pytest.raises(InputError, match="subset 'b': .*all equal"):
        sts.score_subsets([0, 1, 0.5, 1, 1, 1], [1, 2, 3, 4, 5, 6], list("aaabbb"))


@pytest.mark.parametrize(
    ("gold", "predicted", "message"),
    [
        ([0.2, 0.2, 0.2], [1, 2, 3], "gold scores are all equal"),
        ([1, 2, 3], [0.1, 0.1, 0.1], "predicted scores are all equal"),
        ([1, 2, 3], [1, float("nan"), 3], "predicted scores have nan at position 1"),
        ([1, 2, float("inf")], [1, 2, 3], "gold scores have inf at position 2"),
        ([1, 2], [1, 2], "2 pairs are too few"),
        ([], [], "0 pairs are too few"),
        ([1, 2, 3], [1, 2], "3 gold scores but 2 predicted"),
        ([[1, 2, 3]], [1, 2, 3], r"shape \(1, 3\)"),
        ([1, None, 3], [1, 2, 3], "gold scores"),
        (["a", "b", "c"], [1, 2, 3], "not all numbers"),
    ],
)
@pytest.mark.parametrize("function", [sts.spearman, sts.pearson, sts.correlations])
def test_what_has_no_correlation_is_an_error_and_never_nan(function, gold, predicted, message):
    with pytest.raises(InputError, match=message):
        function(gold, predicted)


def test_an_encoder_with_one_vector_for_everything_is_refused():
    constant = np.random.default_rng(0).normal(size=128).astype(np.float32)
    with pytest.raises(InputError, match="predicted scores are all equal"):
        sts.score_pairs(lambda s: np.tile(constant, (len(s), 1)), make_pairs())


@pytest.mark.parametrize(
    ("encode", "message"),
    [
        (lambda s: np.full((len(s), 3), np.nan), "NaN or infinity for"),
        (lambda s: np.zeros((len(s) + 1, 3)), "expected one vector per sentence"),
        (lambda s: np.zeros(len(s)), "expected one vector per sentence"),
    ],
)
def test_vectors_that_cannot_be_scored_are_refused(encode, message):
    with pytest.raises(InputError, match=message):
        sts.score_pairs(encode, make_pairs())


def test_rows_without_scores_are_refused():
    with pytest.raises(InputError, match="'score'"):
        sts.score_pairs(words_encode, [{"sentence1": "a", "sentence2": "b"}] * 4)


def test_the_bootstrap_sees_a_real_difference_and_repeats_itself(numbers):
    gold, good = numbers
    bad = np.random.default_rng(5).normal(size=200)
    found = sts.bootstrap_difference(gold, good, bad, samples=300, seed=1)
    assert found.shape == (300,)
    assert sts.interval(found)[0] > 0
    plain = sts.correlations(gold, good).spearman - sts.correlations(gold, bad).spearman
    assert np.mean(found) == pytest.approx(plain, abs=3)
    assert np.array_equal(found, sts.bootstrap_difference(gold, good, bad, samples=300, seed=1))
    reverse = sts.bootstrap_difference(gold, bad, good, samples=300, seed=1)
    assert np.allclose(found, -reverse)


def test_each_resample_is_scored_as_scipy_scores_it(numbers):
    gold, good = numbers
    found = sts.bootstrap_spearman(gold, good, samples=3, seed=2)
    picks = np.random.default_rng(2).integers(200, size=(3, 200))
    expected = [100 * stats.spearmanr(gold[p], good[p])[0] for p in picks]
    assert np.allclose(found, expected)


def test_the_same_system_twice_differs_by_nothing(numbers):
    gold, good = numbers
    assert not sts.bootstrap_difference(gold, good, good, samples=50).any()


def test_several_seeds_are_averaged(numbers):
    gold, good = numbers
    noise = np.random.default_rng(7).normal(size=200)
    both = sts.bootstrap_difference(gold, np.stack([good, noise]), noise, samples=50)
    one = sts.bootstrap_difference(gold, good, noise, samples=50)
    assert np.allclose(both, one / 2)


@pytest.mark.parametrize("size", [5e-324, 1e-200, 1, 1e200, 1e308])
def test_a_correlation_does_not_depend_on_the_size_of_the_numbers(size):
    gold, scores = np.array([0, 1, 2, 4]), np.array([0, 0, -1, 1])
    found = sts.pearson(gold, scores * size)
    assert found == pytest.approx(stats.pearsonr(gold, scores)[0])


def test_no_runs_at_all_are_refused():
    with pytest.raises(InputError, match="there are no predicted scores"):
        sts.bootstrap_spearman([0, 1, 2], np.empty((0, 3)))


def test_resamples_without_a_ranking_are_drawn_again():
    gold, predicted = [0, 0, 0, 1], [0.1, 0.2, 0.3, 0.4]
    found = sts.bootstrap_spearman(gold, predicted, samples=100)
    assert found.shape == (100,) and np.isfinite(found).all()
