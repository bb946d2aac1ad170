"""The three lines of a check, and what stands between an answer and its line."""

import numpy as np
import pytest
import torch

from sbert_lab.course.diagnose import (
    Hint,
    NotCorrect,
    call,
    check,
    diagnose,
    near,
    near_first,
    need_number,
    need_numbers,
    need_shape,
    verdict_of,
)


@check
def twice(answer):
    """Twice the number."""
    if not near(answer(2), 4):
        raise Hint("twice two is four")


def stub(number):
    """Twice the number."""
    ...  # your answer here


def unfinished(number):
    total = None
    ...  # your answer here
    return total


def forgets_to_return(number):
    number * 2


def raises_not_implemented(number):
    raise NotImplementedError


class Doubler:
    def __call__(self, number):
        return 2 * number


@pytest.mark.parametrize("answer", [lambda n: 2 * n, lambda n: torch.tensor(n + n), Doubler()])
def test_a_right_answer_of_any_style_is_correct(answer):
    assert verdict_of(twice, answer) == "correct"


@pytest.mark.parametrize("answer", [None, ..., stub, unfinished, raises_not_implemented])
def test_no_answer_is_not_attempted_yet(answer):
    assert verdict_of(twice, answer) == "not attempted yet"


def test_a_wrong_answer_gets_its_hint():
    assert verdict_of(twice, lambda n: n) == "not there yet: twice two is four"


def test_a_forgotten_return_is_named():
    assert "does it end with `return" in verdict_of(twice, forgets_to_return)


def test_the_learners_own_exception_passes_through():
    with pytest.raises(ZeroDivisionError):
        twice(lambda n: n / 0)


def test_a_check_prints_exactly_one_line(capsys, monkeypatch):
    monkeypatch.delenv("SBERT_LAB_STRICT", raising=False)
    for answer in (None, lambda n: n, lambda n: 2 * n):
        twice(answer)
    lines = capsys.readouterr().out.splitlines()
    assert lines == ["not attempted yet", "not there yet: twice two is four", "correct"]


@pytest.mark.parametrize("answer", [None, stub, lambda n: n])
def test_strictly_anything_but_correct_raises(answer, monkeypatch, capsys):
    monkeypatch.setenv("SBERT_LAB_STRICT", "1")
    with pytest.raises(NotCorrect, match="twice: not"):
        twice(answer)
    twice(lambda n: 2 * n)
    assert capsys.readouterr().out == "correct\n"


def test_a_check_of_two_answers_needs_both():
    @check
    def both(first, second, *, total):
        if first + second != total:
            raise Hint("they do not add up")

    assert verdict_of(both, 1, None, total=3) == "not attempted yet"
    assert verdict_of(both, 1, 1, total=3) == "not there yet: they do not add up"
    assert verdict_of(both, 1, 2, total=3) == "correct"


def test_a_false_or_zero_answer_is_an_answer():
    @check
    def nothing(answer):
        if answer != 0:
            raise Hint("zero")

    assert verdict_of(nothing, 0) == "correct"
    assert verdict_of(nothing, torch.zeros(())) == "correct"


def test_call_gives_the_result_and_keeps_the_arguments():
    assert call(lambda a, *, b: a - b, 5, b=2) == 3


def test_near_wants_the_same_shape_and_close_numbers():
    assert near(torch.tensor([1.0, 2.0]), np.array([1.0, 2.0 + 1e-7]))
    assert near(torch.tensor([1.0], dtype=torch.bfloat16), [1.0])
    assert near([float("nan")], [float("nan")])
    assert not near([1.0, 2.0], [1.0, 2.1])
    assert not near([[1.0, 2.0]], [1.0, 2.0])
    assert not near("two", 2.0)
    assert near_first((1.0, 2.0), [1.0, 3.0]) and not near_first((1.0, 2.0), [2.0, 2.0])


def test_shapes_and_numbers_are_asked_for_in_words():
    need_shape(torch.zeros(2, 3), (2, 3))
    with pytest.raises(Hint, match=r"shape \(2, 3\), but it has \(3, 2\)"):
        need_shape(torch.zeros(3, 2), (2, 3))
    with pytest.raises(Hint, match="it is a list"):
        need_shape([1, 2], (2,))
    assert need_number(torch.tensor([3.0])) == 3.0
    for answer in ("three", [1, 2]):
        with pytest.raises(Hint, match="one number"):
            need_number(answer)
    assert need_numbers(np.array([1, 2]), "low", "high", hint="two") == [1.0, 2.0]
    for answer, hint in ((3, "two, please"), ([1, 2, 3], "two, please"), ([1, "x"], "high should")):
        with pytest.raises(Hint, match=hint):
            need_numbers(answer, "low", "high", hint="two, please")


HALF = (
    (lambda numbers: [2 * x for x in numbers], "that is twice"),
    (lambda numbers: [x / 4 for x in numbers], "that is a quarter"),
)


@check(mistakes=HALF)
def half(answer):
    """Half of each number; the list that is given stays as it is."""
    diagnose(
        answer,
        lambda numbers: [x / 2 for x in numbers],
        HALF,
        ([4, 8],),
        look=lambda found: need_shape(np.asarray(found), (2,)),
        untouched="make a new list",
        otherwise=lambda found, expected: f"{expected} is right, not {found.tolist()}",
    )


def clears(numbers):
    return [numbers.pop(0) / 2, numbers.pop(0) / 2]


@pytest.mark.parametrize(
    ("answer", "line"),
    [
        (lambda numbers: np.array(numbers) / 2, "correct"),
        ([2, 4], "correct"),
        (HALF[0][0], "that is twice"),
        ([1.0, 2.0], "that is a quarter"),
        (lambda numbers: 3.0, "shape (2,), but it has ()"),
        (clears, "make a new list"),
        (lambda numbers: [0, 0], "[2.0, 4.0] is right, not [0, 0]"),
        (lambda numbers: None, "not attempted yet"),
    ],
)
def test_diagnose_names_the_mistake_the_shape_and_changed_inputs(answer, line):
    assert verdict_of(half, answer).endswith(line)


def test_a_check_keeps_its_mistakes_by_the_name_of_the_answer():
    assert half.mistakes == {"answer": HALF}
    assert twice.mistakes == {"answer": ()}
