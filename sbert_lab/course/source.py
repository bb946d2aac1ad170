"""What the code of an answer says before it runs: still the stub? a loop? which names?"""

import dis
import inspect
from types import CodeType, FunctionType

STUB_MARK = "your answer here"


def codes_of(function: object) -> list[CodeType]:
    """The code of a learner's function, of what is defined inside, and of their own helpers."""
    found, waiting = [], [inspect.unwrap(function)]
    while waiting:
        one = waiting.pop()
        if isinstance(one, FunctionType):
            names = (n for code in codes_of(one.__code__) for n in code.co_names)
            helpers = (one.__globals__.get(name) for name in names)
            waiting += [h for h in helpers if isinstance(h, FunctionType) and _same_home(h, one)]
            one = one.__code__
        if isinstance(one, CodeType) and one not in found:
            found.append(one)
            waiting += [part for part in one.co_consts if isinstance(part, CodeType)]
    return found


def has_loop(function: object) -> bool:
    """Whether there is a for, a while or a comprehension in it."""
    steps = (step.opname for code in codes_of(function) for step in dis.get_instructions(code))
    return any("FOR_ITER" in name or "JUMP_BACKWARD" in name for name in steps)


def names_in(function: object) -> set[str]:
    """Every name that the function uses or imports."""
    return {name for code in codes_of(function) for name in code.co_names}


def _same_home(helper: FunctionType, function: FunctionType) -> bool:
    return helper is not function and helper.__module__ == function.__module__


def is_stub(function: FunctionType) -> bool:
    """True for a function whose body is nothing but `...`, `pass` or `return None`."""
    function = inspect.unwrap(function)
    idle = {"RESUME", "NOP", "POP_TOP", "LOAD_CONST", "RETURN_VALUE", "RETURN_CONST", "CACHE"}
    if all(step.opname in idle for step in dis.get_instructions(function)):
        return True
    try:
        return STUB_MARK in inspect.getsource(function)
    except (OSError, TypeError):
        return False
