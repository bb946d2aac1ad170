"""The regression on overlap, which cannot remember, and the look-up table, which cannot read."""

import numpy as np
import pytest
from scipy import stats

from sbert_lab.errors import InputError
from sbert_lab.experiments.baselines.lookup import LookUpTable
from sbert_lab.experiments.baselines.svr import FEATURES, OverlapSVR, _common_sequence

WORDS = ["cars", "fumes", "shops", "streets", "noise", "parking"]
WORDS += ["trams", "walkers", "rent", "taxes", "air", "safety"]


def made_up(count=120, seed=0):
    """Pairs whose score is the share of words that they have in common."""
    rng = np.random.default_rng(seed)
    first, second, scores = [], [], []
    for _ in range(count):
        a = rng.choice(WORDS, size=6, replace=False).tolist()
        kept = int(rng.integers(0, 7))
        b = a[:kept] + rng.choice(["x" + w for w in WORDS], size=6 - kept, replace=False).tolist()
        first.append(" ".join(a))
        second.append(" ".join(rng.permutation(b)))
        scores.append(kept / 6)
    return first, second, scores


def test_the_regression_learns_overlap_and_carries_it_to_new_pairs():
    model = OverlapSVR().fit(*made_up())
    first, second, scores = made_up(seed=1)
    assert stats.spearmanr(scores, model.predict(first, second))[0] > 0.9


def test_swapping_the_two_texts_changes_nothing():
    first, second, scores = made_up()
    model = OverlapSVR().fit(first, second, scores)
    np.testing.assert_allclose(model.predict(first, second), model.predict(second, first))
    assert model.features(first, second).shape == (len(first), len(FEATURES))


def test_features_of_a_pair_computed_by_hand():
    model = OverlapSVR().fit(*made_up())
    found = dict(
        zip(
            FEATURES, model.features(["cars bring noise"], ["noise and cars never"])[0], strict=True
        )
    )
    assert found["shared 1-grams"] == pytest.approx(2 / 5)
    assert found["shared 2-grams"] == 0
    assert found["shared content words"] == pytest.approx(2 / 4)
    assert found["longest common sequence"] == pytest.approx(1 / 3)
    assert found["difference in length"] == 1
    assert found["length"] == 7
    assert found["one of them negates"] == 1


def test_a_sentence_with_itself_has_full_overlap():
    model = OverlapSVR().fit(*made_up())
    features = model.features([" ".join(WORDS)], [" ".join(WORDS)])[0]
    assert features[: FEATURES.index("difference in length")] == pytest.approx(
        np.r_[1, 1, 1, 1, features[4:6], 1, 1, 1]
    )


@pytest.mark.parametrize(
    ("a", "b", "length"),
    [("abcde", "ace", 3), ("abc", "def", 0), ("", "abc", 0), ("xaybzc", "abc", 3)],
)
def test_the_common_sequence_keeps_the_order(a, b, length):
    assert _common_sequence(list(a), list(b)) == length


@pytest.mark.parametrize(
    ("first", "second", "scores", "hint"),
    [
        (["a b"], ["c d"], [1.0], "at least two"),
        (["a b", "c d"], ["c d"], [1.0, 0.0], "2 first sentences, 1 second"),
        (["a b", "c d"], ["c d", "a b"], [0.5, 0.5], "not all equal"),
        (["a b", "c d"], ["c d", "a b"], [0.5, np.nan], "finite"),
        (["?", "!"], ["!", "?"], [0.5, 1.0], "no n-grams"),
        ("a b", "c d", [0.5, 1.0], "not a single string"),
    ],
)
def test_pairs_that_cannot_be_fitted_are_refused(first, second, scores, hint):
    with pytest.raises(InputError, match=hint):
        OverlapSVR().fit(first, second, scores)


def test_predicting_before_fitting_is_an_error():
    with pytest.raises(InputError, match="call fit first"):
        OverlapSVR().predict(["a"], ["b"])
    with pytest.raises(InputError, match="call fit first"):
        LookUpTable().predict(["a"], ["b"])


# ---- the look-up table


def facets(seed=0, facets=6, each=8):
    """Sentences are bare names; pairs of one facet score 1, others 0. Half are training pairs."""
    names = [(f, i) for f in range(facets) for i in range(each)]
    everyone = [(a, b) for a in names for b in names if a < b]
    rng = np.random.default_rng(seed)
    rng.shuffle(everyone)
    rows = [
        (str(a), str(b), float(a[0] == b[0])) for a, b in map(lambda p: map(tuple, p), everyone)
    ]
    half = len(rows) // 2
    return rows[:half], rows[half:]


def test_the_table_completes_pairs_of_sentences_that_it_knows():
    known, asked = facets()
    table = LookUpTable(seed=1).fit(*map(list, zip(*known, strict=True)))
    first, second, scores = map(list, zip(*asked, strict=True))
    assert stats.spearmanr(scores, table.predict(first, second))[0] > 0.5


def test_the_table_knows_nothing_of_other_sentences_whatever_they_say():
    known, asked = facets()
    table = LookUpTable(seed=1).fit(*map(list, zip(*known, strict=True)))
    first, second, scores = map(list, zip(*asked, strict=True))
    new = table.predict([f"other {s}" for s in first], [f"other {s}" for s in second])
    assert abs(stats.spearmanr(scores, new)[0]) < 0.2


def test_renaming_every_sentence_changes_no_prediction():
    known, asked = facets()
    plain = LookUpTable(seed=1).fit(*map(list, zip(*known, strict=True)))
    renamed = [(a[::-1], b[::-1], s) for a, b, s in known]
    other = LookUpTable(seed=1).fit(*map(list, zip(*renamed, strict=True)))
    first, second, _ = map(list, zip(*asked, strict=True))
    np.testing.assert_allclose(
        plain.predict(first, second),
        other.predict([s[::-1] for s in first], [s[::-1] for s in second]),
    )


def test_an_unknown_sentence_is_the_same_as_itself():
    known, _ = facets()
    table = LookUpTable(seed=1).fit(*map(list, zip(*known, strict=True)))
    assert table.predict(["new"], ["new"]) == pytest.approx([1.0])


def test_lists_of_different_lengths_are_refused():
    with pytest.raises(InputError, match="2 first sentences, 1 second ones"):
        LookUpTable().fit(["a", "b"], ["c"], [1.0])
