"""Finding duplicates: the split keeps groups whole, ranks are exact, ties do not help."""

import numpy as np
import pytest

from sbert_lab.errors import InputError
from sbert_lab.experiments.evaluation.retrieval import (
    found_within,
    reciprocal_ranks,
    rerank,
    split_questions,
)


def pairs(groups: int = 40) -> list[dict]:
    """Groups of three duplicates in a chain, and a stranger paired with each."""
    rows = []
    for g in range(groups):
        a, b, c = (f"question {g} wording {i}" for i in range(3))
        rows += [{"sentence1": x, "sentence2": y, "label": 1} for x, y in ((a, b), (b, c))]
        rows.append({"sentence1": a, "sentence2": f"stranger {g}", "label": 0})
    return rows


def test_no_question_of_the_test_is_in_a_training_pair():
    split = split_questions(pairs(), queries=8, collection=30, seed=3)
    tested = {*split.test.questions, *split.test.queries}
    trained = {row[name] for row in split.train for name in ("sentence1", "sentence2")}
    assert trained and not trained & tested
    groups_tested = {q.split(" wording")[0] for q in tested if "wording" in q}
    assert not groups_tested & {q.split(" wording")[0] for q in trained if "wording" in q}


def test_every_query_has_its_whole_group_in_the_collection_and_is_not_in_it_itself():
    test = split_questions(pairs(), queries=8, collection=30, seed=3).test
    assert len(test.queries) == 8 and len(test.questions) >= 30
    for query, rows in zip(test.queries, test.relevant, strict=True):
        group = query.split(" wording")[0]
        assert query not in test.questions
        assert {test.questions[row].split(" wording")[0] for row in rows} == {group}
        assert len(rows) == 2  # through the chain: a and c never stood in one pair


def test_the_same_seed_gives_the_same_split():
    first, again = (split_questions(pairs(), queries=8, collection=30, seed=3) for _ in range(2))
    assert first == again
    assert split_questions(pairs(), queries=8, collection=30, seed=4) != first


def test_reciprocal_ranks_by_hand():
    scores = np.array([[0.1, 0.9, 0.5], [0.3, 0.2, 0.1], [0.1, 0.2, 0.3]])
    np.testing.assert_allclose(reciprocal_ranks(scores, [{2}, {0, 2}, {0}]), [1 / 2, 1, 1 / 3])
    assert found_within(scores, [{2}, {0, 2}, {0}], 2).tolist() == [True, True, False]


def test_a_system_that_scores_all_alike_is_last():
    np.testing.assert_allclose(reciprocal_ranks(np.zeros((1, 10)), [{4}]), [1 / 10])


def test_reranking_orders_the_top_and_leaves_the_rest():
    first = np.array([[5.0, 4.0, 3.0, 2.0, 1.0]])
    second = np.array([[0.0, 0.1, 0.2, 9.0, 9.0]])
    order = np.argsort(-rerank(first, second, 3)[0]).tolist()
    assert order == [2, 1, 0, 3, 4]
    everything = np.argsort(-rerank(first, second, 5)[0]).tolist()
    assert set(everything[:2]) == {3, 4} and everything[2:] == [2, 1, 0]


def test_bad_input_is_named():
    with pytest.raises(InputError, match="too few for 30 queries"):
        split_questions(pairs(), queries=30)
    with pytest.raises(InputError, match="NaN"):
        reciprocal_ranks(np.array([[np.nan, 1.0]]), [{0}])
    with pytest.raises(InputError, match="between 1 and 2, got 3"):
        rerank(np.zeros((1, 2)), np.zeros((1, 2)), 3)
