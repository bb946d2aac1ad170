"""An answer that crashes: its own lines, the error, and a hint for the slips behind most of them.

Errors of torch and numpy are written for those who know the cause. Each pattern here names one.
"""

import linecache
import re
import sysconfig
from pathlib import Path

PACKAGE = str(Path(__file__).resolve().parents[1])
LIBRARIES = tuple({PACKAGE, *map(sysconfig.get_path, ("stdlib", "platstdlib", "purelib"))})

SHAPES = (
    "shapes are compared from the right: each two sizes must be equal, or one of them 1. Print"
    " .shape of both. unsqueeze(-1) (NumPy: x[:, None]) adds a dimension; keepdim=True (NumPy:"
    " keepdims=True) keeps the one that sum, mean or norm would drop"
)
ARGUMENTS = "keep the first line as it was given: the check calls it with those arguments"
CALLED = (
    "a function in this line takes other things in its parentheses (count them); several tensors"
    " go in as one list: torch.cat([u, v])"
)
SAME_KIND = "NumPy and torch do not mix: np.… for arrays, torch.… for tensors"
GRAPH = "compute u, v and the loss anew in every round of the loop, before backward()"
ONE_NUMBER = (
    "many numbers stand where one is wanted: take .mean() or .sum(), torch.sqrt for math.sqrt,"
    " .clamp(min=0) for max(x, 0), & | ~ for and, or, not, and torch.cat or torch.stack for"
    " torch.tensor([u, v])"
)
CAUSES = (
    (r"size of tensor a|could not be broadcast|must match the existing size", SHAPES),
    (
        r"cannot be multiplied|matmul: Input operand|inconsistent tensor size|of batch2 tensor",
        "a matrix product needs (A, H) @ (H, B): is a transpose (.T) missing, or did another tensor"
        " belong there?",
    ),
    (
        r"zero-dimensional|same number of dimensions|except (in dimension|for the concatenation)",
        "only parts that agree in all other dimensions can be put side by side (dim=1): print their"
        " shapes; a sum or norm needs keepdim=True to stay a column",
    ),
    (
        r"could not infer output dtype",
        "torch averages no True and False: (a != b).float().mean()",
    ),
    (
        r"'invert' not supported|operator\.invert",
        "~ turns only True and False round: write mask == 0, or make it with dtype=bool",
    ),
    (r"boolean mask", "the mask holds 0 and 1, and True and False are wanted: write mask == 0"),
    (
        r"torch\.return_types",
        "max(dim=...) gives values and places: take .values, or use amax(dim=...)",
    ),
    (
        r"[Dd]imension out of range|axis \d+ is out of bounds",
        "dimensions count from 0: of (B, T, H), T is 1 and H is 2; a (B, T) tensor has no 2",
    ),
    (
        r"element tensors can be converted|(length-1|0-dimensional) arrays|truth value of an"
        r"|Boolean value of Ten",
        ONE_NUMBER,
    ),
    (
        r"ensor, (but got|not) numpy|Tensor as element 0|np\.ndarray \(got|numpy\.ndarray' obj",
        SAME_KIND,
    ),
    (r"keyword argument '(axis|keepdims|out|dim|keepdim)'", SAME_KIND),
    (r"positional argument|unexpected keyword|must be tuple of Tensors", CALLED),
    (
        r"list indices must be integers or slices, not str",
        "a list of dictionaries has no columns: take the value of each row, [row['label'] for row"
        " in rows]",
    ),
    (
        r"'?NoneType'?",
        "something is None: sort() and shuffle() change a list and give nothing back, and so does a"
        " function without return",
    ),
    (
        r"does not require grad|doesn't require grad",
        "nothing is left to learn from: was the encoder called under no_grad, or detach() used?",
    ),
    (
        r"'(?!int|float|bool|NoneType)\w+' object is not iterable",
        "a list of weights or rows is wanted here: of a network take encoder.parameters()",
    ),
    (
        r"'(int|float)' object is not iterable|cannot be interpreted as an integer",
        "range(n) counts up to n, which has to be a whole number: int(n)",
    ),
    (
        r"only for scalar outputs",
        "backward() starts from one number: take .mean() of the losses first",
    ),
    (
        r"instances of 'dict'",
        "the batch is a dictionary: two stars unpack it, encoder(**batch)",
    ),
    (r"second time|modified by an inplace", GRAPH),
    (r"on Tensor that requires grad", "cut the tensor off first: .detach().numpy()"),
    (
        r"same dtype|expected scalar type|Result type .* can't be cast",
        "whole and decimal numbers are mixed: bring both to one type with .float() or .to(x.dtype)",
    ),
    (
        r"without overflow",
        "this number is too large for the tensor's type (float16 ends at 65,504)",
    ),
    (r"name '.*' is not defined", "is it spelled as above, and were the cells above run?"),
)


def own_lines(error: BaseException) -> list[str]:
    """The learner's lines that led to the error, the last one where it happened."""
    found, step = [], error.__traceback__
    while step is not None:
        name = step.tb_frame.f_code.co_filename
        if not name.startswith((*LIBRARIES, "<frozen", "<__array")):
            text = linecache.getline(name, step.tb_lineno, step.tb_frame.f_globals).strip()
            found.append(f"line {step.tb_lineno}" + f": {text}" * bool(text))
        step = step.tb_next
    return list(dict.fromkeys(found))


def explain(error: BaseException) -> str:
    """What a check says of an answer that crashed; "" if it was not the learner's code."""
    lines = own_lines(error)
    if not lines:
        return ""
    message = f"{type(error).__name__}: {error}".rstrip(": ")
    hint = next((hint for cause, hint in CAUSES if re.search(cause, message)), "")
    shown = "".join(f"\n    {line}" for line in lines[-3:])
    return f"your code stopped{shown}\n{message[:300]}" + f"\nHint: {hint}" * bool(hint)
