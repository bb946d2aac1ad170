"""Imports point one way, files stay small, nothing dangerous is used."""

import ast
import subprocess
import sys
from pathlib import Path

import pytest

PACKAGE = Path(__file__).resolve().parent.parent / "sbert_lab"
FILES = sorted(PACKAGE.rglob("*.py"))

# Each layer may import from itself and from the ones above it.
LAYERS = [
    {"errors"},
    {"paths", "files"},
    {"profiles"},
    {"results"},
    {"pooling", "similarity", "devices"},
    {"objectives"},
    {"data"},
    {"encoding"},
    {"encoder_folder"},
    {"encoder"},
    {"baselines"},
    {"word_encoder"},
    {"training"},
    {"encode_to_file"},
    {"tasks"},
    {"zoo"},
    {"search"},
    {"evaluation"},
    {"model_card"},
    {"paper"},
    {"reproduce"},
    {"plots"},
    {"checks"},
    {"lab", "doctor"},
    {"cli_command"},
    {"cli_data", "cli_claims", "cli_evaluate", "cli_search", "cli"},
]
RANK = {name: number for number, layer in enumerate(LAYERS) for name in layer}


def room(path: Path) -> str:
    relative = path.relative_to(PACKAGE)
    return relative.parts[0].removesuffix(".py")


def imported_rooms(path: Path) -> set[str]:
    found = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom) and node.level == 0 and node.module:
            names = [node.module] + [f"{node.module}.{alias.name}" for alias in node.names]
        elif isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        else:
            continue
        for name in names:
            parts = name.split(".")
            if parts[0] == "sbert_lab" and len(parts) > 1 and parts[1] in RANK:
                found.add(parts[1])
    return found


@pytest.mark.parametrize("path", FILES, ids=lambda p: str(p.relative_to(PACKAGE)))
def test_imports_point_one_way(path):
    own = room(path)
    if own == "__init__":
        return
    assert own in RANK, f"{own} has no layer: add it to LAYERS"
    wrong = {name for name in imported_rooms(path) if RANK[name] > RANK[own]}
    assert not wrong, f"{own} may not import {wrong}"


@pytest.mark.parametrize("path", FILES, ids=lambda p: str(p.relative_to(PACKAGE)))
def test_files_stay_small_and_safe(path):
    text = path.read_text(encoding="utf-8")
    assert len(text.splitlines()) <= 300, "split this file"
    tree = ast.parse(text)
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom):
            assert all(alias.name != "*" for alias in node.names), "no star imports"
            assert node.level == 0, "absolute imports only"
        if isinstance(node, (ast.Import, ast.ImportFrom)):
            names = [alias.name for alias in node.names] + [getattr(node, "module", "") or ""]
            assert not {"pickle", "dill", "joblib"} & set(names)
        if isinstance(node, ast.Attribute):
            assert node.attr != "cuda" or isinstance(node.value, ast.Name), "no .cuda() calls"
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
            assert node.func.id not in ("eval", "exec")
        if isinstance(node, ast.keyword) and node.arg == "trust_remote_code":
            assert isinstance(node.value, ast.Constant) and node.value.value is False


def test_importing_the_package_loads_nothing_heavy():
    program = """
import sys
import sbert_lab, sbert_lab.profiles, sbert_lab.paths, sbert_lab.data, sbert_lab.cli
heavy = {"torch", "transformers", "datasets", "faiss", "umap", "matplotlib", "sklearn"}
print(sorted(heavy & set(sys.modules)))
"""
    result = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert result.stdout.strip() == "[]", result.stdout + result.stderr
