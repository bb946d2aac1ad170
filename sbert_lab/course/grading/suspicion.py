"""Answers that a person should look at: they reach for the checks instead of the question.

A sign is no verdict. Who wants to fool a program that runs their code can; this makes it visible.
"""

import ast
import re
from collections.abc import Iterator

from sbert_lab.course.grading.lesson import plain

NAMES = {
    "checks": "touches the checks",
    "diagnose": "touches the checks",
    "verdict": "touches the checks",
    "builtins": "changes what Python itself offers",
    "__builtins__": "changes what Python itself offers",
    "modules": "reaches for sys.modules",
    "importlib": "imports by name",
    "__import__": "imports by name",
    "_getframe": "looks at the program that runs it",
    "inspect": "looks at the program that runs it",
    "gc": "looks at the program that runs it",
    "_exit": "ends the process",
    "fork": "starts processes",
    "subprocess": "starts processes",
    "multiprocessing": "starts processes",
    "exec": "runs text as a program",
    "eval": "runs text as a program",
    "setattr": "changes other objects",
    "socket": "opens a connection",
    "threading": "starts threads",
    "ctypes": "reaches into memory",
    "globals": "looks at the program that runs it",
    "tb_frame": "looks at the program that runs it",
    "f_back": "looks at the program that runs it",
    "__globals__": "looks at the program that runs it",
    "__code__": "changes other functions",
    "__dict__": "changes other objects",
}
JUDGING_ITSELF = {
    "__eq__", "__ne__", "__bool__", "__array__", "__array_ufunc__", "__array_function__",
    "__torch_function__", "__getattribute__",
}  # fmt: skip


def look_at_this(answer: str, asked: str) -> list[str]:
    """Why a person should read this answer; `asked` is the model solution."""
    try:
        tree = ast.parse(plain(answer))
    except SyntaxError:
        return []
    wanted = set(re.findall(r"^(?:def|class) (\w+)", asked, re.MULTILINE))
    nodes = list(ast.walk(tree))
    imported = _imported(nodes)
    found = [reason for node in nodes for reason in _reasons(node, wanted, imported)]
    return list(dict.fromkeys(found))


def _imported(nodes: list[ast.AST]) -> set[str]:
    """The names that stand for modules or parts of them."""
    aliases = [a for n in nodes if isinstance(n, (ast.Import, ast.ImportFrom)) for a in n.names]
    return {"np", "torch", "checks"} | {(a.asname or a.name).split(".")[0] for a in aliases}


def _reasons(node: ast.AST, wanted: set[str], imported: set[str]) -> Iterator[str]:
    if isinstance(node, (ast.Import, ast.ImportFrom)):
        names = [alias.name for alias in node.names]
        parts = ".".join([getattr(node, "module", None) or "", *names]).split(".")
        yield from (NAMES[part] for part in parts if part in NAMES)
        for name in wanted & set(names):
            yield f"imports {name}, the very function asked for"
    elif isinstance(node, ast.Name) and node.id in NAMES:
        yield NAMES[node.id]
    elif isinstance(node, ast.Attribute):
        if node.attr in NAMES:
            yield NAMES[node.attr]
        elif node.attr in wanted:
            yield f"uses another {node.attr}, the very function asked for"
        if isinstance(node.ctx, ast.Store) and _root(node) in imported:
            yield f"changes {ast.unparse(node)}"
    elif isinstance(node, ast.FunctionDef) and node.name in JUDGING_ITSELF:
        yield f"defines {node.name}: its result could agree with everything"
    elif isinstance(node, ast.Constant) and "solutions" in str(node.value):
        yield "names the solutions"


def _root(node: ast.Attribute) -> str:
    """The name that an attribute of an attribute begins with."""
    inner: ast.AST = node
    while isinstance(inner, ast.Attribute):
        inner = inner.value
    return inner.id if isinstance(inner, ast.Name) else ""
