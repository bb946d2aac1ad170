import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
import word_vectors
import word_vectors_card
from pretraining_text import Text

from sbert_lab.errors import CheckpointError, InputError
from sbert_lab.experiments.baselines.tfidf import TfIdf
from sbert_lab.paths import data_dir
from sbert_lab.word_vectors import WordVectors
from sbert_lab.words import STOP_WORDS, fnv1a, ngram_buckets, split_words

NAMES = ["word-vectors", "subword-vectors"]


@pytest.fixture
def small():
    return WordVectors(["the", "dog", "cat"], [[1, 0, 0], [0, 2, 0], [0, 0, 4]])


@pytest.fixture
def subword():
    rng = np.random.default_rng(0)
    return WordVectors(["dog"], [[1, 1]], buckets=rng.normal(size=(50, 2)))


# ---- words


def test_words_are_lower_case_letters_or_numbers():
    found = split_words("Don\u2019t the CAF\u00c9's 3.5 dogs bark_at (you)?")
    assert found == ["don't", "the", "café", "s", "3", "5", "dogs", "bark", "at", "you"]


def test_stop_words_are_function_words_and_negation_is_none():
    assert 100 <= len(STOP_WORDS) <= 150
    assert not {"not", "no", "don't", "never", "dog"} & STOP_WORDS
    assert all(split_words(word) == [word] for word in STOP_WORDS)


def test_the_hash_is_fnv_1a():
    assert fnv1a("") == 0x811C9DC5
    assert fnv1a("a") == 0xE40C292C
    assert fnv1a("foobar") == 0xBF9CF968


def test_a_word_has_the_ngrams_of_its_framed_form():
    expected = ["<do", "dog", "og>", "<dog", "dog>", "<dog>"]
    assert ngram_buckets("dog", 1000, 3, 5) == tuple(fnv1a(g) % 1000 for g in expected)


# ---- averaged vectors


def test_a_sentence_is_the_mean_of_its_known_words(small):
    found = small.encode(["The dog.", "dog dog cat zebra"])
    assert found.dtype == np.float32
    assert found.tolist() == [[0.5, 1, 0], [0, pytest.approx(4 / 3), pytest.approx(4 / 3)]]


def test_stop_words_can_be_left_out(small):
    assert small.encode(["the dog"], drop_stop_words=True).tolist() == [[0, 2, 0]]


@pytest.mark.parametrize("sentence", ["", "zebra", "?!", "the"])
def test_a_sentence_without_known_words_gives_zeros(small, sentence):
    assert not small.encode([sentence], drop_stop_words=True).any()


def test_no_sentences_give_an_empty_array(small):
    assert small.encode([]).shape == (0, 3)


def test_a_single_string_is_refused(small):
    with pytest.raises(InputError, match="a list of sentences"):
        small.encode("the dog")
    with pytest.raises(InputError, match="sentence 1 is None"):
        small.encode(["dog", None])


def test_an_unknown_word_gets_the_mean_of_its_ngrams(subword):
    numbers = list(ngram_buckets("zebra", 50, 3, 5))
    assert np.allclose(subword.encode(["zebra"])[0], subword.buckets[numbers].mean(axis=0))
    assert subword.encode(["dog"]).tolist() == [[1, 1]]


def test_a_saved_folder_opens_to_the_same_vectors(subword, tmp_path, sentences):
    opened = WordVectors.load(subword.save(tmp_path / "vectors", card="# card\n"))
    assert np.allclose(opened.encode(sentences), subword.encode(sentences), atol=2e-3)
    assert opened.words == subword.words
    again = WordVectors.load(opened.save(tmp_path / "again"))
    assert np.array_equal(again.encode(sentences), opened.encode(sentences))


def test_a_damaged_folder_is_noticed(subword, tmp_path):
    folder = subword.save(tmp_path / "vectors")
    (folder / "words.txt").write_text("cat\n")
    with pytest.raises(CheckpointError, match="words.txt is damaged"):
        WordVectors.load(folder)


def test_an_unknown_name_says_what_there_is():
    with pytest.raises(InputError, match="'word-vectors', 'subword-vectors' or a folder"):
        WordVectors.load("no-vectors")


def test_words_and_vectors_must_fit():
    with pytest.raises(InputError, match="2 words but vectors"):
        WordVectors(["a", "b"], np.zeros((3, 2)))
    with pytest.raises(InputError, match="stands twice"):
        WordVectors(["a", "a"], np.zeros((2, 2)))


def test_the_nearest_words_leave_the_word_itself_out():
    vectors = WordVectors(["a", "b", "c"], [[1, 0], [1, 0.1], [0, 1]])
    assert [word for word, _ in vectors.nearest("a", 2)] == ["b", "c"]


def test_glove_text_opens_too(tmp_path):
    (tmp_path / "glove.txt").write_text("dog 1 0\ncat 0 1\n")
    assert WordVectors.from_glove(tmp_path / "glove.txt").encode(["dog cat"]).tolist() == [
        [0.5, 0.5]
    ]


# ---- tf-idf


def test_rare_words_count_more_in_tf_idf():
    weights = TfIdf(["the dog", "the cat", "the bird"])
    row = dict(zip(weights.words, weights.encode(["the dog"])[0], strict=True))
    assert row["dog"] > row["the"] > row["cat"] == 0
    assert not weights.encode(["zebra"]).any()


def test_tf_idf_needs_words():
    with pytest.raises(InputError, match="no weights can be learned"):
        TfIdf(["?!"])


# ---- training the vectors


def make_stretches():
    rng = np.random.default_rng(0)
    animals, fruits = ["dog", "cat", "horse", "cow"], ["apple", "pear", "plum", "grape"]
    return [[*rng.choice(kind, size=6), "and"] for kind in (animals, fruits) * 150]


def small_settings():
    return word_vectors.Settings(words=20, dimension=4, buckets=100, shift=1.0)


def test_counts_are_weighted_by_one_over_the_distance():
    settings = word_vectors.Settings(window=2)
    words = ["a", "b", "c"]
    stretches = [["a", "b", "zebra", "c"], ["c", "a"]]
    found = word_vectors.cooccurrences(stretches, words, settings).toarray()
    assert found.tolist() == [[0, 1, 1], [1, 0, 0.5], [1, 0.5, 0]]


def test_a_text_is_a_stretch_and_a_document_is_one_too():
    text = Text(["A dog runs."], [["It sleeps.", "It eats."]])
    expected = [["a", "dog", "runs"], ["it", "sleeps", "it", "eats"]]
    assert word_vectors.units(text) == expected


def test_words_that_keep_company_become_neighbours():
    plain, subword, facts = word_vectors.train(make_stretches(), small_settings())
    near = {word for word, _ in plain.nearest("dog", 3)}
    assert near == {"cat", "horse", "cow"}
    assert facts["words kept"] == 9 and facts["running words"] == 300 * 7
    assert subword.vector("dogs") @ subword.vector("dog") > 0
    again = word_vectors.train(make_stretches(), small_settings())[0]
    assert np.array_equal(again.vectors, plain.vectors)


def test_the_conjugate_gradients_solve_the_ridge_regression():
    from scipy import sparse

    rng = np.random.default_rng(0)
    design = sparse.random(30, 12, density=0.3, random_state=1, format="csr")
    target = design.T @ rng.normal(size=(30, 4))
    found = word_vectors._conjugate_gradients(design, target, 0.1)
    dense = design.toarray()
    expected = np.linalg.solve(dense.T @ dense + 0.1 * np.eye(12), target)
    assert np.allclose(found, expected, atol=1e-3)


# ---- the committed folders


@pytest.mark.parametrize("name", NAMES)
def test_the_committed_vectors_open_are_small_and_know_company(name):
    folder = data_dir("models", name)
    if not folder.is_dir():
        pytest.skip(f"data/models/{name} is not built")
    assert sum(file.stat().st_size for file in folder.iterdir()) <= 12_000_000
    assert (folder / "README.md").is_file()
    vectors = WordVectors.load(name)
    assert vectors.dimension == 128 and len(vectors) == 20_000
    a, b, c = vectors.encode(["A man plays the guitar.", "Someone makes music.", "A bag of rice."])
    assert a @ b > a @ c
    unknown = vectors.encode(["guitaristically"])[0]
    assert unknown.any() == (name == "subword-vectors")


@pytest.mark.parametrize("name", NAMES)
def test_the_cards_scores_are_those_of_the_committed_vectors(name):
    """If the mini corpora have changed since, run data/build/word_vectors.py again."""
    card = data_dir("models", name) / "README.md"
    if not card.is_file():
        pytest.skip(f"data/models/{name} is not built")
    line = next(x for x in card.read_text().splitlines() if x.startswith("| mini | stsb test |"))
    pairs, all_words, fewer = line.strip("| ").split(" | ")[2:]
    vectors = WordVectors.load(name)
    for written, drop in ((all_words, False), (fewer, True)):
        score = word_vectors_card.spearman(vectors, "stsb", "test", "mini", drop=drop)
        assert score == pytest.approx(float(written), abs=0.15)
    assert int(pairs) > 100


def test_baselines_do_not_load_torch():
    code = (
        "import sys; from sbert_lab.word_vectors import WordVectors as W; import numpy as np; "
        "W(['a'], np.ones((1, 2))).encode(['a']); sys.exit('torch' in sys.modules)"
    )
    environment = {**os.environ, "PYTHONPATH": str(Path(__file__).resolve().parent.parent)}
    assert subprocess.run([sys.executable, "-c", code], env=environment).returncode == 0
