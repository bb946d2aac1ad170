"""The checks of notebook 00: right answers pass in any style, known wrong ones get their hint."""

import numpy as np
import pytest
import torch

from sbert_lab.course import nb00
from sbert_lab.course.diagnose import CORRECT, NOT_ATTEMPTED, verdict_of

RIGHT = {"shape": (2, 4), "broadcasting": (2, 3, 4), "mask": 3, "softmax": 0.75, "autograd": 12}
OWN = "A violin sounds on the stage."


@pytest.fixture(autouse=True)
def word_counts(monkeypatch):
    """Stand in for mini-sbert: one dimension per word, and one sentence with a long vector."""

    def encode(sentences):
        words = sorted({word for s in [*sentences, *nb00.TWELVE] for word in s.lower().split()})
        vectors = np.array([[s.lower().split().count(w) for w in words] for s in sentences], float)
        vectors[[s == nb00.TWELVE[9] for s in sentences]] *= 50
        return vectors

    monkeypatch.setattr(nb00, "encode", encode)


def cosines(sentence):
    vectors = torch.from_numpy(nb00.encode([sentence, *nb00.TWELVE]))
    return torch.nn.functional.cosine_similarity(vectors[1:], vectors[:1])


# ---- cosine


def dot_product(u, v):
    return u @ v


def squared_lengths(u, v):
    return u @ v / (u @ u) / (v @ v)


def distance(u, v):
    return 1 - u @ v / np.linalg.norm(u) / np.linalg.norm(v)


def one_length(u, v):
    return u @ v / np.linalg.norm(u)


def sum_of_lengths(u, v):
    return u @ v / (np.linalg.norm(u) + np.linalg.norm(v))


def learnt_by_heart(u, v):
    return u @ v / 3 / 5**0.5


def without_sign(u, v):
    return abs(u @ v) / np.linalg.norm(u) / np.linalg.norm(v)


def test_cosine_passes_in_numpy_plain_python_and_torch():
    def plain(u, v):
        return sum(a * b for a, b in zip(u, v, strict=True)) / (sum(u**2) * sum(v**2)) ** 0.5

    def in_torch(u, v):
        return torch.cosine_similarity(torch.tensor(u), torch.tensor(v), dim=0)

    def in_numpy(u, v):
        return u @ v / np.linalg.norm(u) / np.linalg.norm(v)

    for answer in (in_numpy, plain, in_torch):
        assert verdict_of(nb00.cosine, answer) == CORRECT


@pytest.mark.parametrize(
    ("answer", "hint"),
    [
        (dot_product, "this is the dot product"),
        (squared_lengths, "squared lengths"),
        (distance, "cosine distance"),
        (one_length, "one vector only"),
        (sum_of_lengths, "multiplied, not added"),
        (learnt_by_heart, "made longer"),
        (without_sign, "abs()"),
        (lambda u, v: 7.0, "it should be 0.5963"),
    ],
)
def test_a_wrong_cosine_gets_its_hint(answer, hint):
    assert hint in verdict_of(nb00.cosine, answer)


def test_the_cosine_stub_is_not_attempted():
    def cosine(u, v): ...

    assert verdict_of(nb00.cosine, cosine) == NOT_ATTEMPTED


# ---- the nearest of twelve


def test_the_nearest_sentence_passes_however_it_was_found():
    scores = cosines(OWN)
    by_argmax = nb00.TWELVE[int(scores.argmax())]
    by_sorting = max(zip(scores.tolist(), nb00.TWELVE, strict=True))[1]
    assert verdict_of(nb00.nearest, OWN, by_argmax) == CORRECT
    assert verdict_of(nb00.nearest, OWN, by_sorting) == CORRECT


def test_a_listed_sentence_may_not_find_itself():
    listed = nb00.TWELVE[3].upper()
    assert "finds itself" in verdict_of(nb00.nearest, listed, nb00.TWELVE[3])


def test_the_wrong_neighbour_gets_its_hint():
    scores = cosines(OWN)
    order = scores.argsort(descending=True).tolist()
    assert "farthest" in verdict_of(nb00.nearest, OWN, nb00.TWELVE[int(scores.argmin())])
    assert "normalise" in verdict_of(nb00.nearest, "A dog on a stage.", nb00.TWELVE[9])
    assert "higher cosine" in verdict_of(nb00.nearest, OWN, nb00.TWELVE[order[1]])


def test_what_is_not_one_of_the_twelve_gets_its_hint():
    assert "own sentence" in verdict_of(nb00.nearest, OWN, OWN)
    assert "TWELVE[2]" in verdict_of(nb00.nearest, OWN, 2)
    assert "letter by letter" in verdict_of(nb00.nearest, OWN, "a violin")
    assert "a string" in verdict_of(nb00.nearest, 3, nb00.TWELVE[0])


def test_the_nearest_stub_is_not_attempted():
    assert verdict_of(nb00.nearest, None, None) == NOT_ATTEMPTED
    assert verdict_of(nb00.nearest, OWN, None) == NOT_ATTEMPTED


def test_there_are_three_different_sentences_for_every_theme():
    assert len(set(nb00.TWELVE)) == 3 * len(nb00.THEMES) == 12


# ---- the self-test


def test_the_self_test_takes_lists_sizes_tensors_and_rounded_numbers():
    other = {
        "shape": [2, 4],
        "broadcasting": torch.Size([2, 3, 4]),
        "autograd": 12.0,
        "softmax": torch.tensor(0.75),
        "mask": np.float32(3),
    }
    assert verdict_of(nb00.self_test, RIGHT) == CORRECT
    assert verdict_of(nb00.self_test, other) == CORRECT


def test_the_right_answers_are_what_torch_computes():
    tokens, mask = torch.ones(2, 3, 4), torch.ones(2, 3, 1)
    x = torch.tensor(3.0, requires_grad=True)
    (x**2 + 6 * x).backward()
    logits = torch.tensor([3.0, 1.0]).log()
    values, real = torch.tensor([2.0, 4.0, 0.0]), torch.tensor([1.0, 1.0, 0.0])
    computed = {
        "shape": tokens.mean(dim=1).shape,
        "broadcasting": (tokens * mask).shape,
        "autograd": x.grad,
        "softmax": logits.softmax(dim=0)[0],
        "mask": (values * real).sum() / real.sum(),
    }
    assert verdict_of(nb00.self_test, computed) == CORRECT


@pytest.mark.parametrize(
    ("name", "value", "hint"),
    [
        ("shape", (2, 3), "shape: mean(dim=1) removes"),
        ("shape", (2, 1, 4), "keepdim=True"),
        ("shape", 8, "strike out"),
        ("broadcasting", "error", "it does work"),
        ("broadcasting", (2, 3, 1), "stretched to the other's 4"),
        ("autograd", 27, "slope dy/dx"),
        ("autograd", "twelve", "taken at x = 3"),
        ("softmax", 3, "divides them by their sum"),
        ("softmax", 1, "exponentials first"),
        ("mask", 2, "third token"),
        ("mask", 6, "this is the sum"),
    ],
)
def test_a_wrong_self_test_answer_is_named_with_its_part_of_the_refresher(name, value, hint):
    line = verdict_of(nb00.self_test, {**RIGHT, name: value})
    assert hint in line
    assert f"part {list(RIGHT).index(name) + 1})" in line


def test_the_self_test_says_what_is_still_open():
    assert "still open: mask, softmax" in verdict_of(
        nb00.self_test, {**RIGHT, "softmax": None, "mask": None}
    )
    assert "dictionary" in verdict_of(nb00.self_test, [1, 2, 3])


def test_the_self_test_stub_is_not_attempted():
    assert verdict_of(nb00.self_test, dict.fromkeys(RIGHT)) == NOT_ATTEMPTED
