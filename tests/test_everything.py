"""Everything at once: the same scores as the single evaluations, and clear errors."""

import numpy as np
import pytest

from sbert_lab.errors import InputError, LabError, OutOfReachError
from sbert_lab.experiments.evaluation import everything, sections, senteval, sts, sts_sets
from sbert_lab.experiments.evaluation.retrieval import Collection, reciprocal_ranks

TESTS = everything.load_tests("mini")


def words(sentences, width=48, seed=0):
    """A cheap encoder: counts of words, hashed into a few places by their letters."""
    table = np.random.default_rng(seed).normal(size=(4096, width))
    rows = [
        [sum(map(ord, word)) * len(word) % 4096 for word in s.lower().split()] for s in sentences
    ]
    return np.stack([table[row].mean(axis=0) if row else np.ones(width) for row in rows])


@pytest.fixture(scope="module")
def scores():
    return everything.score(words, TESTS)


def test_mini_has_every_test_and_says_how_large_each_is():
    assert not TESTS.missing
    assert set(TESTS.about) == {*sts_sets.SETS, *everything.TASKS, "sections", "questions"}
    assert TESTS.about["questions"].startswith("150 queries")


def test_each_score_is_what_its_own_evaluation_gives(scores):
    assert scores["stsb"] == pytest.approx(sts.score_pairs(words, TESTS.sts["stsb"]).spearman)
    assert scores["sections"] == sections.triplet_accuracy(words, TESTS.triplets)
    alone = senteval.score_task(words, senteval.load_task("cr", profile="mini"), senteval.MINI)
    assert scores["cr"] == alone.accuracy


def test_the_summary_is_made_of_the_parts(scores):
    assert scores["sts"] == pytest.approx(np.mean([scores[name] for name in sts_sets.SETS]))
    assert scores["senteval"] == pytest.approx(np.mean([scores[n] for n in everything.TASKS]))
    assert list(scores)[-4:] == list(everything.SUMMARY) == list(everything.MEANING)


def test_questions_are_ranked_by_cosine_as_scikit_learn_computes_it(scores):
    from sklearn.metrics.pairwise import cosine_similarity

    test = TESTS.questions
    values = cosine_similarity(words(test.queries), words(test.questions))
    assert scores["questions"] == pytest.approx(
        100 * reciprocal_ranks(values, test.relevant).mean()
    )


def test_a_perfect_encoder_of_questions_gets_all_points_and_a_longer_vector_changes_nothing():
    place = {"a": [1, 0], "a again": [5, 0.1], "b": [0, 1], "b again": [0.1, 9]}
    test = Collection(["a again", "b again"], ["a", "b"], [{0}, {1}])
    assert everything.question_rank(lambda s: np.array([place[one] for one in s]), test) == 100


def test_training_questions_never_meet_the_tested_ones():
    split = everything.question_split("mini")
    trained = {row[name] for row in split.train for name in ("sentence1", "sentence2")}
    assert split.train and not trained & {*TESTS.questions.questions, *TESTS.questions.queries}
    assert split.test == TESTS.questions


def test_no_sentence_is_encoded_twice():
    seen = []

    def watched(sentences):
        seen.extend(sentences)
        return words(sentences)

    everything.score(
        watched, everything.Tests(sts={"stsb": TESTS.sts["stsb"]}, triplets=TESTS.triplets)
    )
    assert len(seen) == len(set(seen)) > 500


@pytest.mark.parametrize(
    "encode",
    [
        lambda s: np.ones((len(s), 4)),
        lambda s: np.full((len(s), 4), np.nan),
        lambda s: np.zeros((len(s), 4)),
        lambda s: np.ones(len(s)),
    ],
    ids=["constant", "nan", "zeros", "one number per sentence"],
)
def test_vectors_that_cannot_be_scored_are_refused(encode):
    with pytest.raises(InputError):
        everything.score(encode, everything.Tests(sts={"stsb": TESTS.sts["stsb"]}))


def test_zeros_have_no_cosine_with_a_question():
    with pytest.raises(InputError, match="zeros"):
        everything.question_rank(lambda s: np.zeros((len(s), 3)), TESTS.questions)


def test_nothing_to_score_on_is_an_error():
    with pytest.raises(InputError, match="nothing to score on"):
        everything.score(words, everything.Tests())


def test_what_is_out_of_reach_is_left_out_and_named(monkeypatch):
    def absent(*_, **__):
        raise OutOfReachError("trec is not here")

    monkeypatch.setattr(senteval, "load_task", absent)
    tests = everything.load_tests("mini")
    assert set(tests.missing) == set(everything.TASKS) and not tests.tasks
    assert tests.missing["trec"] == "trec is not here"
    assert "senteval" not in everything.score(words, tests)


def test_an_unknown_task_is_an_error_not_a_gap():
    with pytest.raises(LabError, match="unknown task 'imdb'"):
        everything.load_tests("mini", tasks=("imdb",))


def test_the_frame_has_a_dash_where_a_score_is_missing():
    table = everything.frame({"one": {"sts": 50.04, "sections": 60.0}, "two": {"sts": 40.0}})
    assert table.loc["one"].tolist() == ["50.0", "60.0"]
    assert table.loc["two"].tolist() == ["40.0", "-"]
    with pytest.raises(InputError):
        everything.frame({})
