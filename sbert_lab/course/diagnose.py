"""What every exercise check shares: three possible lines, one of which is printed.

    MEAN = (
        (lambda vectors, mask: vectors.mean(dim=1), "padding is in your average"),
        (lambda vectors, mask: vectors.sum(dim=1), "these are sums: divide by the real tokens"),
    )

    @check(mistakes=MEAN)
    def mean_pool(answer):
        diagnose(answer, pooling.mean_pool, MEAN, padded_batch(), otherwise="which row differs?",
                 look=lambda found: need_shape(found, (3, 4)))

`mean_pool(answer)` prints "not attempted yet", "not there yet: <hint>" or "correct". A mistake is a
function that makes it and the hint for it, so a test can hand every mistake in as an answer. Of an
exception in the learner's own code their own lines are shown, and a hint (crash.py).
"""

import copy
import functools
import inspect
import os
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from types import FunctionType

import numpy as np

from sbert_lab.course.crash import ARGUMENTS, explain
from sbert_lab.course.source import is_stub

CORRECT = "correct"
NOT_ATTEMPTED = "not attempted yet"
NOT_THERE_YET = "not there yet: "
# White on dark green, on brown: legible on light and dark pages, which no text colour alone is.
COLOURS = {CORRECT: "38;5;231;48;5;22", NOT_THERE_YET.strip(): "38;5;231;48;5;94"}


class Hint(Exception):
    """Raised by a check: the answer is wrong, and this is what to look at."""


class NotAttempted(Exception):
    """Raised when there is no answer yet."""


class NotCorrect(AssertionError):
    """Raised instead of printing when SBERT_LAB_STRICT=1 and the answer is not correct."""


def say(line: str) -> None:
    """Show a verdict to the learner; the grader listens here instead of reading what is printed."""
    words, colour = next(((w, c) for w, c in COLOURS.items() if line.startswith(w)), ("", ""))
    print(f"\x1b[{colour}m{words}\x1b[0m{line[len(words) :]}" if colour and _in_colour() else line)


def _in_colour() -> bool:
    """In a notebook or a terminal; not where a program reads the verdict."""
    if any(os.environ.get(name) for name in ("NO_COLOR", "SBERT_LAB_STRICT")):
        return False
    notebook = getattr(sys.modules.get("IPython"), "get_ipython", lambda: None)()
    return notebook is not None or sys.stdout.isatty()


NAN = (
    "there is NaN in your result. It comes from 0 * inf, inf - inf, 0 / 0 or the root of a negative"
    " number. If you multiply by a mask, choose with masked_fill or where instead"
)
Mistake = tuple[Callable, str]  # what a newcomer may write, and what to tell them


def diagnose(
    answer: object,
    right: Callable,
    mistakes: Iterable[Mistake] = (),
    inputs: Sequence = (),
    *,
    otherwise: str | Callable[[object, object], str],
    same: Callable[[object, object], bool] | None = None,
    look: Callable[[object], object] | None = None,
    untouched: str = "",
) -> object:
    """Call the answer; if it is not what `right` gives, raise the hint of the mistake that fits.

    Every function is called with copies of `inputs`; an answer that is not a function is compared
    as it is. `look` sees first what came out: it raises a hint for another shape, or gives back
    what to compare (`need_number`, `need_shape`). `untouched` is the hint for an answer that
    changes its inputs. `otherwise` is the hint for a mistake that nobody thought of: a text, or a
    function of what came out and what should have.
    """
    same, given = same or near, _copies(inputs)
    found, expected = answer(*given) if callable(answer) else answer, right(*_copies(inputs))
    found = look(found) if look else found
    if untouched and not all(map(_unchanged, given, inputs)):
        raise Hint(untouched)
    if same(found, expected):
        return found
    for mistake, hint in mistakes:
        if same(found, mistake(*_copies(inputs))):
            raise Hint(hint)
    last = otherwise if isinstance(otherwise, str) else otherwise(found, expected)
    raise Hint(last if "nan" in last.lower() or not _has_nan(found) else NAN)


def check(
    function: Callable | None = None,
    *,
    mistakes: Iterable[Mistake] | Mapping[str, Iterable[Mistake]] = (),
    beside: Mapping[str, object] | None = None,
    value_from: Sequence | None = None,
) -> Callable:
    """Turn a function that raises Hint into a check that prints one line.

    Positional arguments are the learner's answers; what else a check needs goes by keyword.
    `mistakes` are wrong first answers that the check knows by name; of several answers, a table for
    each, by the answer's name. The rest is for the test that hands every mistake in: `beside` are
    right answers and keywords, by name; `value_from` are a mistake's inputs where the answer is not
    a function but what it gives.
    """
    if function is None:
        return functools.partial(check, mistakes=mistakes, beside=beside, value_from=value_from)

    def verdict(*answers: object, **given: object) -> str:
        try:
            if any(_missing(answer) for answer in answers):
                raise NotAttempted
            function(*(_guarded(answer) for answer in answers), **given)
        except (NotAttempted, NotImplementedError):
            return NOT_ATTEMPTED
        except Hint as hint:
            return NOT_THERE_YET + str(hint)
        except Exception as error:
            if said := explain(error):
                return NOT_THERE_YET + said
            if any(map(callable, answers)):
                raise  # a fault of the check, or of what the answer gave to it
            kinds = " and ".join(type(answer).__name__ for answer in answers)
            return f"{NOT_THERE_YET}the check cannot use this ({kinds}): {error}"
        return CORRECT

    @functools.wraps(function)
    def run(*answers: object, **given: object) -> None:
        line = verdict(*answers, **given)
        if line != CORRECT and os.environ.get("SBERT_LAB_STRICT") == "1":
            raise NotCorrect(f"{function.__name__}: {line}")
        say(line)

    if not isinstance(mistakes, Mapping):
        mistakes = {next(iter(inspect.signature(function).parameters)): mistakes}
    run.mistakes = {name: tuple(table) for name, table in mistakes.items()}
    run.verdict, run.beside, run.value_from = verdict, dict(beside or {}), value_from
    return run


def verdict_of(check_function: Callable, *answers: object, **given: object) -> str:
    """The line that a check would print; never raises for a wrong answer. For tests."""
    return check_function.verdict(*answers, **given)


def call(answer: Callable, *args: object, **given: object) -> object:
    """Call the learner's function; nothing at all as a result means that it is still the stub."""
    if _missing(answer):
        raise NotAttempted
    try:
        result = answer(*args, **given)
    except TypeError as error:
        if error.__traceback__.tb_next is None:  # it was not even entered
            raise Hint(f"{error}: {ARGUMENTS}") from None
        raise
    if not _missing(result):
        return result
    if isinstance(answer, FunctionType) and not is_stub(answer):
        raise Hint(f"{answer.__name__} gives back None: does every path end with `return ...`?")
    raise NotAttempted


def near(result: object, expected: object, *, tolerance: float = 1e-5) -> bool:
    """Same shape, and every number within the tolerance; NaN equals NaN. Takes tensors too."""
    try:
        left, right = _array(result), _array(expected)
    except (TypeError, ValueError):
        return False
    if left.shape != right.shape:
        return False
    return bool(np.allclose(left, right, rtol=tolerance, atol=tolerance, equal_nan=True))


def near_first(result: Sequence, expected: Sequence) -> bool:
    """Of several numbers the first agree; for mistakes that do not say what the others are."""
    return near(result[0], expected[0])


def need_shape(result: object, shape: tuple[int, ...], what: str = "your result") -> object:
    """The result; a hint unless it is an array or tensor of this shape."""
    found = getattr(result, "shape", None)
    if found is None and hasattr(result, "values") and hasattr(result, "indices"):
        raise Hint("max(dim=...) gives values and places: take .values, or use amax(dim=...)")
    if found is None:
        raise Hint(f"{what} should have the shape {shape}, but it is a {type(result).__name__}")
    if tuple(found) != tuple(shape):
        raise Hint(f"{what} should have the shape {shape}, but it has {tuple(found)}")
    return result


def need_number(result: object, what: str = "your answer") -> float:
    """The result as a float; a hint if it is not one number."""
    if type(result).__module__ == "torch.return_types":
        raise Hint(
            "torch.max(x, 0) looks for the largest along dimension 0, and gives values and places:"
            " to cut off below 0 write x.clamp(min=0)"
        )
    try:
        values = _array(result)
    except (TypeError, ValueError):
        values = np.empty(0)
    if values.size != 1 or isinstance(result, (bool, np.bool_)):
        raise Hint(f"{what} should be one number, but it is a {type(result).__name__}")
    return float(values.reshape(()))


def need_numbers(result: object, *names: str, hint: str) -> list[float]:
    """The result as one float per name; the hint if there are not as many."""
    try:
        return [need_number(value, name) for value, name in zip(result, names, strict=True)]
    except (TypeError, ValueError):
        raise Hint(hint) from None


def _array(value: object) -> np.ndarray:
    if hasattr(value, "detach"):
        value = value.detach().cpu()
        value = value.float() if value.dtype.is_floating_point else value
    if isinstance(value, (str, bytes)):
        raise TypeError("text is no number")  # numpy would read "3" as 3
    return np.asarray(value, dtype=np.float64)


def _has_nan(value: object) -> bool:
    try:
        return bool(np.isnan(_array(value)).any())
    except (TypeError, ValueError):
        return False


def _copies(inputs: Sequence) -> list:
    return [copy.deepcopy(value) for value in inputs]


def _unchanged(given: object, before: object) -> bool:
    if hasattr(before, "shape"):
        return near(given, before, tolerance=0)
    return type(before).__eq__ is object.__eq__ or given == before  # a copy equals nothing else


def _missing(value: object) -> bool:
    return value is None or value is Ellipsis


def _guarded(answer: object) -> object:
    """A plain function whose result is looked at, so that a check may call it directly."""
    if not isinstance(answer, FunctionType):
        return answer

    @functools.wraps(answer)
    def guarded(*args: object, **given: object) -> object:
        return call(answer, *args, **given)

    return guarded
