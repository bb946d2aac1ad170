"""GloVe's text format."""

import numpy as np
import pytest

from sbert_lab.data import load_glove
from sbert_lab.errors import DataError


@pytest.fixture
def vectors(tmp_path):
    path = tmp_path / "glove.tiny.txt"
    path.write_text("the 0.5 -1 2\n. . . 1 2 3\n\x85 0 0 1e-3\n", encoding="utf-8", newline="")
    return path


def test_words_and_vectors_come_in_the_order_of_the_file(vectors):
    words, table = load_glove(vectors)
    assert table.dtype == np.float32
    np.testing.assert_allclose(table, [[0.5, -1, 2], [1, 2, 3], [0, 0, 1e-3]])
    assert words[0] == "the"


def test_a_word_may_contain_spaces_or_be_a_line_separator(vectors):
    assert load_glove(vectors)[0][1:] == [". . .", "\x85"]


def test_limit_takes_the_most_frequent_words(vectors):
    words, table = load_glove(vectors, limit=1)
    assert words == ["the"] and table.shape == (1, 3)


def test_a_word2vec_header_is_skipped(tmp_path):
    path = tmp_path / "v.txt"
    path.write_text("1 3\nsea 1 2 3\n")
    assert load_glove(path)[0] == ["sea"]


@pytest.mark.parametrize("line", ["sea 1 2", "sea 1 2 3 4", "sea 1 x 3"])
def test_a_broken_vector_names_file_and_line(tmp_path, line):
    path = tmp_path / "v.txt"
    path.write_text(f"the 1 2 3\n{line}\n")
    with pytest.raises(DataError, match=r"v\.txt, line 2: not a word and 3 numbers"):
        load_glove(path)


def test_without_a_path_the_local_copy_is_searched(vectors, tmp_path, monkeypatch):
    (tmp_path / "glove").mkdir()
    vectors.rename(tmp_path / "glove" / vectors.name)
    monkeypatch.setenv("SBERT_LAB_DATA", str(tmp_path))
    assert len(load_glove()[0]) == 3


def test_no_vectors_anywhere_says_where_to_put_them(monkeypatch):
    monkeypatch.delenv("SBERT_LAB_DATA", raising=False)
    with pytest.raises(DataError, match="glove.6B.300d.txt"):
        load_glove()
