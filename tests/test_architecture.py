"""Three rooms, imports that point one way, small files, nothing dangerous."""

import ast
import re
import subprocess
import sys
from functools import cache
from pathlib import Path

import pytest

PACKAGE = Path(__file__).resolve().parent.parent / "sbert_lab"
FILES = sorted(PACKAGE.rglob("*.py"))
LONGEST_FILE, LONGEST_FUNCTION = 300, 50
LONGEST_COURSE_FILE = 400  # checks and figures of one notebook in one file

# Which room may import from which; the command line is the house's front door.
ROOMS = {
    "library": {"library"},
    "experiments": {"library", "experiments"},
    "course": {"library", "experiments", "course"},
    "cli": {"library", "experiments", "course", "cli"},
}
# The library from the ground up: each layer may import from itself and from those above it here.
LAYERS = [
    {"errors"},
    {"paths", "files"},
    {"profiles", "network"},
    {"pooling", "similarity", "devices", "words", "vectors", "products"},
    {"packed"},
    {"objectives"},
    {"data"},
    {"word_vectors"},
    {"encoding"},
    {"encoder_folder"},
    {"encoder", "word_encoder"},
    {"training"},
    {"encode_to_file", "tasks"},
    {"search"},
]
RANK = {name: number for number, layer in enumerate(LAYERS) for name in layer}


def module_name(path: Path) -> str:
    parts = path.relative_to(PACKAGE.parent).with_suffix("").parts
    return ".".join(parts).removesuffix(".__init__")


MODULES = {module_name(path): path for path in FILES}


def part(module: str) -> str:
    """sbert_lab.data.hub -> data."""
    return (module.split(".") + [""])[1]


def room(module: str) -> str:
    name = part(module).replace("__main__", "cli")
    return name if name in ROOMS else "library"


@cache
def imports(module: str) -> frozenset[str]:
    """The modules of ours that this one imports, at the top or inside a function."""
    found = set()
    for node in ast.walk(ast.parse(MODULES[module].read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom) and node.level == 0 and node.module:
            names = [f"{node.module}.{alias.name}" for alias in node.names]
        elif isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        else:
            continue
        for name in names:
            name = name if name in MODULES else name.rpartition(".")[0]
            if name in MODULES and name != module:
                found.add(name)
    return frozenset(found)


@pytest.mark.parametrize("module", sorted(MODULES))
def test_a_room_imports_only_from_the_rooms_before_it(module):
    wrong = {name for name in imports(module) if room(name) not in ROOMS[room(module)]}
    assert not wrong, f"{room(module)} may not import {sorted(wrong)}"


@pytest.mark.parametrize("module", sorted(m for m in MODULES if room(m) == "library"))
def test_the_library_has_layers(module):
    if module == "sbert_lab":  # names everything, lazily
        return
    assert part(module) in RANK, f"{part(module)} has no layer: add it to LAYERS"
    wrong = {n for n in imports(module) if part(n) and RANK[part(n)] > RANK[part(module)]}
    assert not wrong, f"{part(module)} may not import {sorted(wrong)}"


def test_no_module_imports_itself_by_a_detour():
    done: set[str] = set()

    def visit(module: str, way: tuple[str, ...]) -> None:
        assert module not in way, " -> ".join((*way[way.index(module) :], module))
        if module not in done:
            for name in sorted(imports(module)):
                visit(name, (*way, module))
            done.add(module)

    for module in MODULES:
        visit(module, ())


@pytest.mark.parametrize("path", FILES, ids=lambda p: str(p.relative_to(PACKAGE)))
def test_files_stay_small_and_safe(path):
    text = path.read_text(encoding="utf-8")
    longest = LONGEST_COURSE_FILE if path.stem.startswith("nb") else LONGEST_FILE
    assert len(text.splitlines()) <= longest, "split this file"
    tree = ast.parse(text)
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef):
            length = node.end_lineno - node.lineno + 1
            assert length <= LONGEST_FUNCTION, f"{node.name} has {length} lines: split it"
        if isinstance(node, ast.ImportFrom):
            assert all(alias.name != "*" for alias in node.names), "no star imports"
            assert node.level == 0, "absolute imports only"
        if isinstance(node, (ast.Import, ast.ImportFrom)):
            names = [alias.name for alias in node.names] + [getattr(node, "module", "") or ""]
            assert not {"pickle", "dill", "joblib"} & set(names)
        if isinstance(node, ast.Attribute):
            assert node.attr != "cuda" or isinstance(node.value, ast.Name), "no .cuda() calls"
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
            harmless = path.name == "harness.py"  # the grader: running answers is what it is for
            assert node.func.id not in ("eval", "exec") or harmless
        if isinstance(node, ast.keyword) and node.arg == "trust_remote_code":
            assert isinstance(node.value, ast.Constant) and node.value.value is False


def test_the_public_names_come_when_they_are_asked_for():
    program = """
import sys
import sbert_lab
from sbert_lab import InputError, TrainConfig, data, get_profile
print("torch" in sys.modules, set(sbert_lab.__all__) <= set(dir(sbert_lab)))
from sbert_lab import CrossEncoder, SentenceEncoder, VectorIndex, search, train
from sbert_lab.encoder import SentenceEncoder as theirs
print(SentenceEncoder is theirs, callable(train), search.VectorIndex is VectorIndex)
print(all(getattr(sbert_lab, name).__name__ == name for name in sbert_lab.__all__))
print(data.__name__, hasattr(sbert_lab, "nonsense"))
"""
    result = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    expected = "False True|True True True|True|sbert_lab.data False"
    assert result.stdout.split("\n")[:-1] == expected.split("|"), result.stdout + result.stderr


def test_importing_the_package_loads_nothing_heavy():
    program = """
import sys
import sbert_lab, sbert_lab.profiles, sbert_lab.paths, sbert_lab.data, sbert_lab.cli
heavy = {"torch", "transformers", "datasets", "faiss", "umap", "matplotlib", "sklearn"}
print(sorted(heavy & set(sys.modules)))
"""
    result = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert result.stdout.strip() == "[]", result.stdout + result.stderr


# ---- the map


def part_of(module: str) -> str:
    """Where a module stands on the map: the library's parts one by one, the other rooms whole."""
    return part(module) if room(module) == "library" else room(module)


def part_graph() -> dict[str, set[str]]:
    graph: dict[str, set[str]] = {}
    for module in MODULES:
        if module != "sbert_lab":
            mine = graph.setdefault(part_of(module), set())
            mine |= {part_of(name) for name in imports(module) if name != "sbert_lab"}
            mine.discard(part_of(module))
    return graph


def reachable(graph: dict[str, set[str]], start: str) -> set[str]:
    found: set[str] = set()
    waiting = [start]
    while waiting:
        new = graph[waiting.pop()] - found
        found |= new
        waiting += new
    return found


def drawn() -> str:
    """The import graph for Mermaid, without arrows that others already imply."""
    graph = part_graph()
    lines = ["graph BT"]
    for mine in sorted(graph):
        implied = set().union(*(reachable(graph, other) for other in graph[mine]), set())
        lines += [f"  {mine} --> {other}" for other in sorted(graph[mine] - implied)]
    return "\n".join(lines)


def test_the_map_shows_the_imports_as_they_are():
    page = (PACKAGE / "ARCHITECTURE.md").read_text(encoding="utf-8")
    assert drawn() in page, f"put this into ARCHITECTURE.md:\n{drawn()}"


def test_every_name_on_the_walks_exists():
    page = (PACKAGE / "ARCHITECTURE.md").read_text(encoding="utf-8")
    steps = re.findall(r"^\d+\. `([\w/]+\.(?:py|csv|json|md))(?:: ([\w.]+))?`", page, re.MULTILINE)
    assert len(steps) >= 15
    for file, name in steps:
        path = PACKAGE / file if (PACKAGE / file).exists() else PACKAGE.parent / file
        text = path.read_text(encoding="utf-8")
        for piece in filter(None, name.split(".")):
            assert re.search(rf"\b(def|class) {piece}\b|^{piece} ?=", text, re.MULTILINE), (
                file,
                name,
            )
