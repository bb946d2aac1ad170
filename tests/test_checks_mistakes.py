"""What all checks of all notebooks have in common.

Every mistake that a check knows by name, handed in as the answer, gets exactly its own hint; no
answer, or a function that is still the stub, is not attempted yet.
"""

import inspect
from collections.abc import Callable
from importlib import import_module

import pytest

from sbert_lab.course.diagnose import NOT_ATTEMPTED, NOT_THERE_YET, verdict_of


def checks_of(notebook: str) -> dict[str, Callable]:
    """The checks of one notebook, by name."""
    module = import_module(f"sbert_lab.course.{notebook}")
    own = [
        one for one in vars(module).values() if getattr(one, "__module__", "") == module.__name__
    ]
    return {f"{notebook}.{one.__name__}": one for one in own if hasattr(one, "mistakes")}


CHECKS = {name: one for n in range(18) for name, one in checks_of(f"nb{n:02}").items()}
MISTAKES = [
    pytest.param(one, answer, mistake, hint, id=f"{name}-{answer}-{number}")
    for name, one in CHECKS.items()
    for answer, table in one.mistakes.items()
    for number, (mistake, hint) in enumerate(table)
]
# Their answers are numbers, lists or sentences, not functions.
OF_VALUES = """
    nb00.nearest nb00.self_test nb01.split nb02.same_vector nb04.different_neighbours nb06.ranking
    nb07.four_losses nb07.magnifier nb08.ratings nb08.two_subsets nb09.printed_gains nb13.marginal
    nb15.budget nb17.five_pairs nb17.prediction
"""


def verdict(check: Callable, *, other: object = None, **answers: object) -> str:
    """The line for these answers, by name; the rest is right, or `other` where nothing is."""
    parameters = inspect.signature(check).parameters.values()
    handed = {p.name: answers.get(p.name, check.beside.get(p.name, other)) for p in parameters}
    keywords = {p.name: handed.pop(p.name) for p in parameters if p.kind is p.KEYWORD_ONLY}
    return verdict_of(check, *handed.values(), **keywords)


@pytest.mark.parametrize(("check", "answer", "mistake", "hint"), MISTAKES)
def test_a_mistake_handed_in_gets_its_own_hint(check, answer, mistake, hint):
    wrong = mistake if check.value_from is None else mistake(*check.value_from)
    assert verdict(check, **{answer: wrong}) == NOT_THERE_YET + hint


@pytest.mark.parametrize("name", CHECKS)
def test_no_answer_is_not_attempted(name):
    for answer in CHECKS[name].mistakes:
        assert verdict(CHECKS[name], **{answer: None}) == NOT_ATTEMPTED


@pytest.mark.parametrize("name", sorted(set(CHECKS) - set(OF_VALUES.split())))
def test_a_stub_is_not_attempted(name):
    def stub(*given, **named): ...

    for answer in CHECKS[name].mistakes:
        assert verdict(CHECKS[name], other=stub, **{answer: stub}) == NOT_ATTEMPTED
