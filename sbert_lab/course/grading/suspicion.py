"""Answers that a person should look at: they reach for the checks instead of the question.

A sign is no verdict. Who wants to fool a program that runs their code can; this makes it visible.
"""

import ast
import re

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
}


def look_at_this(answer: str, asked: str) -> list[str]:
    """Why a person should read this answer; `asked` is the model solution."""
    try:
        tree = ast.parse(plain(answer))
    except SyntaxError:
        return []
    wanted = set(re.findall(r"^(?:def|class) (\w+)", asked, re.MULTILINE))
    found = []
    for node in ast.walk(tree):
        if isinstance(node, (ast.Import, ast.ImportFrom)):
            names = [alias.name for alias in node.names]
            parts = ".".join([getattr(node, "module", None) or "", *names]).split(".")
            found += [NAMES[part] for part in parts if part in NAMES]
            for name in wanted & set(names):
                found.append(f"imports {name}, the very function asked for")
        elif isinstance(node, ast.Name) and node.id in NAMES:
            found.append(NAMES[node.id])
        elif isinstance(node, ast.Attribute):
            if node.attr in NAMES:
                found.append(NAMES[node.attr])
            elif node.attr in wanted:
                found.append(f"uses another {node.attr}, the very function asked for")
        elif isinstance(node, ast.Constant) and "solutions" in str(node.value):
            found.append("names the solutions")
    return list(dict.fromkeys(found))
