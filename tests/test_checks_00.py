"""The checks of notebook 00: right answers pass in any style; wrong ones beyond the tables."""

import numpy as np
import pytest
import torch
from conftest import expect

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


# ---- cosine


def plain(u, v):
    return sum(a * b for a, b in zip(u, v, strict=True)) / (sum(u**2) * sum(v**2)) ** 0.5


def in_torch(u, v):
    return torch.cosine_similarity(torch.tensor(u), torch.tensor(v), dim=0)


@pytest.mark.parametrize(
    ("answer", "line"),
    [
        (plain, CORRECT),
        (in_torch, CORRECT),
        (lambda u, v: u @ v / np.linalg.norm(u) / np.linalg.norm(v), CORRECT),
        (lambda u, v: u @ v / 7 / 5**0.5, "made longer"),
        (lambda u, v: abs(plain(u, v)), "abs()"),
        (lambda u, v: 7.0, "it should be 0.6389"),
        (lambda u, v: u * v / 7 / 5**0.5, "u @ v adds up as well"),
    ],
)
def test_a_cosine_passes_in_any_style_but_not_by_heart(answer, line):
    expect(line, nb00.cosine, answer)


# ---- the nearest of twelve


def cosines(sentence):
    vectors = torch.from_numpy(nb00.encode([sentence, *nb00.TWELVE]))
    return torch.nn.functional.cosine_similarity(vectors[1:], vectors[:1])


def test_the_nearest_sentence_passes_and_the_wrong_neighbour_gets_its_hint():
    order = cosines(OWN).argsort(descending=True).tolist()
    expect(CORRECT, nb00.nearest, OWN, nb00.TWELVE[order[0]])
    expect("higher cosine", nb00.nearest, OWN, nb00.TWELVE[order[1]])
    expect("farthest", nb00.nearest, OWN, nb00.TWELVE[int(cosines(OWN).argmin())])
    expect("normalise", nb00.nearest, "A dog on a stage.", nb00.TWELVE[9])


@pytest.mark.parametrize(
    ("sentence", "answer", "hint"),
    [
        (nb00.TWELVE[3].upper(), nb00.TWELVE[3], "finds itself"),
        (nb00.TWELVE[3].rstrip("."), nb00.TWELVE[3], "finds itself"),
        (OWN, OWN, "own sentence"),
        (OWN, 2, "TWELVE[2]"),
        (OWN, "a violin", "letter by letter"),
        (3, nb00.TWELVE[0], "a string"),
    ],
)
def test_what_is_not_one_of_the_twelve_gets_its_hint(sentence, answer, hint):
    expect(hint, nb00.nearest, sentence, answer)


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
    expect(CORRECT, nb00.self_test, RIGHT)
    expect(CORRECT, nb00.self_test, other)


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
    expect(CORRECT, nb00.self_test, computed)


@pytest.mark.parametrize("name", nb00.SELF_TEST)
def test_a_wrong_self_test_answer_is_named_with_its_part_of_the_refresher(name):
    question, part = nb00.SELF_TEST[name], list(RIGHT).index(name) + 1
    text = "'x' is text: write the value without quotation marks"
    for value, hint in {**question.wrong, 8: question.otherwise, "x": text}.items():
        line = f"not there yet: {name}: {hint} (refresher, part {part})"
        assert verdict_of(nb00.self_test, {**RIGHT, name: value}) == line


def test_the_self_test_says_what_is_still_open():
    expect(NOT_ATTEMPTED, nb00.self_test, dict.fromkeys(RIGHT))
    half = {**RIGHT, "softmax": None, "mask": None}
    expect("still open: mask, softmax", nb00.self_test, half)
    expect("dictionary", nb00.self_test, [1, 2, 3])
