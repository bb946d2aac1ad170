"""The three lines of a check, and what stands between an answer and its line."""

import sys
from types import SimpleNamespace

import numpy as np
import pytest
import torch

from sbert_lab.course.diagnose import (
    COLOURS,
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
from sbert_lab.course.source import has_loop, names_in


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
    assert "does every path end with `return" in verdict_of(twice, forgets_to_return)


def crashes(number):
    table = torch.zeros(2, 3)
    return table * torch.ones(2)


def test_a_crash_shows_the_learners_own_line_the_error_and_a_hint():
    said = verdict_of(twice, crashes).splitlines()
    assert said[0] == "not there yet: your code stopped"
    assert said[-3].endswith(": return table * torch.ones(2)")
    assert said[-2].startswith("RuntimeError: The size of tensor a (3) must match")
    assert "unsqueeze(-1)" in said[-1] and "keepdim=True" in said[-1]
    assert not any("diagnose" in line or "functional" in line for line in said)


T, A, ROWS = torch.zeros(2, 3), np.zeros((2, 3)), [{"label": 1}]
CRASHES = [
    (lambda: T * torch.ones(2), "unsqueeze"),
    (lambda: A / np.ones(2), "keepdims"),
    (lambda: T @ T, ".T"),
    (lambda: A @ A, ".T"),
    (lambda: torch.zeros(3, 5, 1) @ torch.zeros(3, 5, 4), ".T"),
    (lambda: torch.cat([T, torch.zeros(2)], dim=1), "keepdim"),
    (lambda: np.hstack([A, np.zeros(2)]), "keepdim"),
    (lambda: torch.cat([T, torch.zeros(3, 3)], dim=1), "print their shapes"),
    (lambda: (T == 0).mean(), ".float()"),
    (lambda: T.masked_fill(T.long(), 1.0), "mask == 0"),
    (lambda: A[~np.eye(2)], "dtype=bool"),
    (lambda: T[~T], "dtype=bool"),
    (lambda: torch.nn.functional.normalize(T.max(dim=1)), ".values"),
    (lambda: T.sum(dim=2), "count from 0"),
    (lambda: A.sum(axis=2), "count from 0"),
    (lambda: float(T), "many numbers"),
    (lambda: 1 if A == 0 else 2, "many numbers"),
    (lambda: torch.cosine_similarity(A, A), "do not mix"),
    (lambda: torch.cat([A, A]), "do not mix"),
    (lambda: stub(), "count them"),
    (lambda: np.mean(T), "do not mix"),
    (lambda: [one for one in 3], "range(n)"),
    (lambda: range(3.0), "whole number"),
    (lambda: torch.cat(T, T, T), "as one list"),
    (lambda: torch.cat(T, T), "as one list"),
    (lambda: torch.nn.Linear(3, 1)(T, T), "count them"),
    (lambda: torch.cat([T, T.norm()], dim=1), "keepdim"),
    (lambda: torch.tensor([T, T]), "torch.stack"),
    (lambda: ROWS["label"], "for row in rows"),
    (lambda: len([2, 1].sort()), "sort()"),
    (lambda: T.sum().backward(), "no_grad"),
    (lambda: torch.optim.Adam(torch.nn.Linear(2, 1)), "parameters()"),
    (lambda: torch.ones(1, requires_grad=True).numpy(), "detach"),
    (lambda: torch.zeros(2, 2) @ torch.zeros(2, 2).long(), ".float()"),
    (lambda: T.half().masked_fill(T == 0, -1e9), "65,504"),
    (lambda: unknown_name, "spelled"),  # noqa: F821
]


@pytest.mark.parametrize(("slip", "words"), CRASHES)
def test_common_crashes_get_a_hint(slip, words):
    said = verdict_of(twice, lambda number: slip())
    assert "\nHint: " in said and words in said.split("\nHint: ")[1]


def test_a_fault_of_the_check_itself_passes_through():
    with pytest.raises(TypeError, match="hint"):
        verdict_of(check(need_numbers), len)


def test_verdicts_are_coloured_in_a_notebook_and_the_words_stay(capsys, monkeypatch):
    notebook = SimpleNamespace(get_ipython=object)
    monkeypatch.setitem(sys.modules, "IPython", notebook)
    monkeypatch.delenv("NO_COLOR", raising=False)
    monkeypatch.delenv("SBERT_LAB_STRICT", raising=False)
    for answer in (None, lambda n: n, lambda n: 2 * n):
        twice(answer)
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == "not attempted yet"
    assert "94mnot there yet:\x1b[0m twice" in lines[1] and "22mcorrect" in lines[2]
    monkeypatch.setenv("NO_COLOR", "1")
    twice(lambda n: 2 * n)
    assert capsys.readouterr().out == "correct\n"


def test_text_is_no_number_and_nan_is_named():
    assert not near("3", 3)
    with pytest.raises(Hint, match="NaN in your result"):
        diagnose([float("nan")], lambda: [1.0], otherwise="look again")
    with pytest.raises(Hint, match="take .values"):
        need_shape(torch.zeros(2, 3).max(dim=1), (2,))


def test_a_loop_is_seen_wherever_it_hides():
    def helper(rows):
        while rows:
            rows = rows[1:]

    for answer in (helper, lambda rows: [r for r in rows], lambda rows: sum(r for r in rows)):
        assert has_loop(answer)
    assert not has_loop(lambda rows: rows.sum()) and "sum" in names_in(lambda rows: rows.sum())


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


def test_coloured_verdicts_can_be_read():
    """WCAG asks for a contrast of 4.5 between letters and what is behind them."""

    def luminance(number: int) -> float:  # of xterm's 6 x 6 x 6 colours
        steps = [(number - 16) // 36, (number - 16) // 6 % 6, (number - 16) % 6]
        parts = [(55 + 40 * step if step else 0) / 255 for step in steps]
        linear = [p / 12.92 if p <= 0.03928 else ((p + 0.055) / 1.055) ** 2.4 for p in parts]
        return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]

    for codes in COLOURS.values():
        letters, behind = (luminance(int(part)) for part in codes.split(";")[2::3])
        assert (letters + 0.05) / (behind + 0.05) >= 4.5
