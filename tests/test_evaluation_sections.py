"""Section triplets: the score, ties, cheap cues, splits and what they leak."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sbert_lab.errors import InputError
from sbert_lab.experiments.evaluation import sections

ROWS = [
    {"anchor": "a", "positive": "b", "negative": "c", "article": "x"},
    {"anchor": "b", "positive": "a", "negative": "d", "article": "x"},
    {"anchor": "e", "positive": "f", "negative": "g", "article": "y"},
    {"anchor": "f", "positive": "e", "negative": "h", "article": "y"},
]


def encoder(values):
    """A sentence's vector is looked up: letters to points on a line."""
    return lambda sentences: np.array([[values[sentence]] for sentence in sentences], dtype=float)


LINE = encoder({"a": 0, "b": 1, "c": 3, "d": 1, "e": 0, "f": 5, "g": 2, "h": 5})


# ---- the score


def test_hits_ties_and_misses_are_told_apart_by_hand():
    # 1 < 3: hit; 1 against 0: miss; 5 against 2: miss; f-h: 5 against 0: miss
    found = sections.answers(LINE, ROWS)
    assert found.hits.tolist() == [True, False, False, False]
    assert found.ties.tolist() == [False, False, False, False]
    assert found.accuracy == 25


def test_a_constant_encoder_gets_no_hit_and_half_with_a_coin():
    found = sections.answers(sections.constant_encoder, ROWS)
    assert (found.accuracy, found.tie_share, found.with_coin) == (0, 100, 50)
    assert sections.triplet_accuracy(sections.constant_encoder, ROWS) == 0


def test_distances_that_differ_by_rounding_only_are_a_tie():
    vectors = {"a": [1, 0, 0], "b": [0, 1, 0], "c": [0, 0, 1 + 1e-8]}
    found = sections.answers(lambda texts: np.array([vectors[t] for t in texts]), ROWS[:1])
    assert found.ties.tolist() == [True]
    assert found.hits.tolist() == [False]


@pytest.mark.parametrize("scale", [1e-9, 1, 1e9])
def test_the_scale_of_the_vectors_changes_nothing(scale):
    rng = np.random.default_rng(0)
    table = {letter: rng.normal(size=4) for letter in "abcdefgh"}
    plain = sections.answers(lambda texts: np.array([table[t] for t in texts]), ROWS)
    scaled = sections.answers(lambda texts: scale * np.array([table[t] for t in texts]), ROWS)
    assert plain.hits.tolist() == scaled.hits.tolist()
    assert not scaled.ties.any()


@pytest.mark.reference
def test_accuracy_equals_sentence_transformers_on_the_same_vectors():
    evaluation = pytest.importorskip("sentence_transformers.util")
    rng = np.random.default_rng(5)
    texts = [f"sentence {number}" for number in range(90)]
    table = {text: rng.normal(size=8).astype(np.float32) for text in texts}
    rows = [
        {"anchor": texts[i], "positive": texts[i + 30], "negative": texts[i + 60]}
        for i in range(30)
    ]
    vectors = [np.stack([table[row[role]] for row in rows]) for role in sections.ROLES]
    near = evaluation.pairwise_euclidean_sim(vectors[0], vectors[1])
    far = evaluation.pairwise_euclidean_sim(vectors[0], vectors[2])
    theirs = 100 * float((near > far).float().mean())
    ours = sections.triplet_accuracy(lambda some: np.stack([table[t] for t in some]), rows)
    assert ours == pytest.approx(theirs)


def test_no_triplets_and_broken_vectors_are_errors():
    with pytest.raises(InputError, match="no triplets"):
        sections.answers(LINE, [])
    with pytest.raises(InputError, match="NaN"):
        sections.answers(lambda texts: np.full((len(texts), 2), np.nan), ROWS)
    with pytest.raises(InputError, match="negative"):
        sections.answers(LINE, [{"anchor": "a", "positive": "b"}])


# ---- cheap cues


def test_word_overlap_is_jaccard_without_stop_words():
    first, second = "The old mill stands by the river.", "An old river barge is in the mill."
    assert sections.word_overlap(first, second) == pytest.approx(3 / 5)  # stands, barge are alone
    assert sections.word_overlap("of the", "of the") == 0


def test_names_are_capitalised_words_after_the_first():
    assert sections.names_in("The town of Port Ellisand lies in Asia.") == {
        "Port", "Ellisand", "Asia",
    }  # fmt: skip
    assert sections.shared_names("In Port Ellisand it rains.", "He left Ellisand.") == 1
    assert sections.shared_names("Rain fell.", "Rain stopped.") == 0
    assert sections.names_in("") == set()


@settings(deadline=None)
@given(st.text(), st.text())
def test_cues_are_symmetric_and_nobody_is_closer_than_oneself(first, second):
    for cue in sections.CUES.values():
        assert cue(first, second) == cue(second, first)
        assert cue(first, first) >= cue(first, second)


def test_a_cue_with_a_sign_turned_round_would_be_seen():
    rows = [{"anchor": "one two", "positive": "one three", "negative": "four five six seven"}]
    for name in ("word overlap", "length"):
        assert sections.cue_answers(sections.CUES[name], rows).accuracy == 100
    assert sections.cue_answers(sections.shared_names, rows).tie_share == 100


def test_a_cue_that_gives_nan_is_an_error():
    with pytest.raises(InputError, match="NaN"):
        sections.cue_answers(lambda a, b: float("nan"), ROWS)


def test_the_memory_follows_chains_and_knows_nothing_else():
    chain = [
        {"anchor": "a", "positive": "b"},
        {"anchor": "c", "positive": "d"},
        {"anchor": "b", "positive": "c"},
        {"anchor": "x", "positive": "y"},
    ]
    memory = sections.section_memory(chain)
    assert memory("a", "d") == 1
    assert memory("a", "x") == 0
    assert memory("a", "never seen") == memory("new", "new") == 0


# ---- splits


def many(articles=20, each=10):
    return [
        {"anchor": f"{a}-{i}", "positive": f"{a}-{i + 1}", "negative": f"{a}-{i - 5}", "article": a}
        for a in map(str, range(articles))
        for i in range(each)
    ]


@settings(deadline=None)
@given(st.integers(0, 1000), st.floats(0.1, 0.9))
def test_a_split_by_article_loses_no_row_and_shares_no_article(seed, share):
    rows = many()
    train, test = sections.split_by_article(rows, test=share, seed=seed)
    assert sorted(map(str, train + test)) == sorted(map(str, rows))
    assert not {row["article"] for row in train} & {row["article"] for row in test}
    counted = sections.leak(train, test)
    assert counted.seen_articles == counted.seen_sentences == counted.seen_triplets == 0


def test_a_split_by_triplet_has_its_size_and_leaks():
    train, test = sections.split_by_triplet(many(), test=0.25, seed=3)
    assert (len(train), len(test)) == (150, 50)
    counted = sections.leak(train, test)
    assert counted.seen_articles == counted.articles
    assert counted.seen_sentences > counted.sentences / 2


def test_the_leak_is_counted_by_hand():
    counted = sections.leak(ROWS[:1], ROWS[1:])
    assert (counted.articles, counted.seen_articles) == (2, 1)
    assert (counted.sentences, counted.seen_sentences) == (7, 2)  # a b d e f g h; a b known
    assert (counted.triplets, counted.seen_triplets) == (3, 0)
    assert sections.leak(ROWS[:2], ROWS[:1]).seen_triplets == 1
    assert "sentences 2 of 7" in str(counted)


@pytest.mark.parametrize("share", [0, 1, 0.001])
def test_a_split_with_an_empty_side_is_an_error(share):
    for split in (sections.split_by_article, sections.split_by_triplet):
        with pytest.raises(InputError, match="both sides need some"):
            split(many(), test=share)


def test_splits_are_the_same_for_the_same_seed_and_differ_for_another():
    first, again, other = (sections.split_by_article(many(), seed=s)[1] for s in (1, 1, 2))
    assert first == again != other


# ---- differences


def test_the_bootstrap_centres_on_the_difference_and_averages_seeds():
    rng = np.random.default_rng(1)
    a, b = rng.random((3, 400)) < 0.7, rng.random(400) < 0.5
    drawn = sections.bootstrap_difference(a, b)
    assert drawn.shape == (1000,)
    assert drawn.mean() == pytest.approx(100 * (a.mean() - b.mean()), abs=0.5)


def test_drawing_whole_articles_widens_the_interval_where_articles_agree():
    groups = np.repeat(np.arange(20), 25)
    a = np.repeat(np.arange(20) % 2, 25)  # an article is all right or all wrong
    b = np.zeros(500)
    by_item = sections.bootstrap_difference(a, b)
    by_article = sections.bootstrap_difference(a, b, groups=groups)
    assert by_article.std() > 3 * by_item.std()
    assert by_article.mean() == pytest.approx(50, abs=2)


def test_drawing_articles_of_one_item_is_drawing_items():
    rng = np.random.default_rng(2)
    a, b = rng.random(50) < 0.7, rng.random(50) < 0.5
    plain = sections.bootstrap_difference(a, b)
    assert np.allclose(plain, sections.bootstrap_difference(a, b, groups=range(50)))


def test_answers_that_do_not_fit_together_are_errors():
    with pytest.raises(InputError, match="same items"):
        sections.bootstrap_difference(np.ones(3), np.ones(4))
    with pytest.raises(InputError, match="NaN"):
        sections.bootstrap_difference(np.array([1, np.nan]), np.ones(2))
    with pytest.raises(InputError, match="2 items but 3 groups"):
        sections.bootstrap_difference(np.ones(2), np.ones(2), groups=[1, 2, 3])
