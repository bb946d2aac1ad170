"""The files around the package keep what they promise."""

import importlib
import importlib.util
import re
import shlex
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
import yaml

ROOT = Path(__file__).resolve().parent.parent
PYPROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
COMMANDS = [
    "lab",
    "course",
    "proof",
    "test",
    "test-browser",
    "lint",
    "notebooks",
    "site",
    "bench",
    "clean",
]


def requirement_lines() -> list[str]:
    lines = (ROOT / "requirements.txt").read_text(encoding="utf-8").splitlines()
    return [line for line in lines if line.strip() and not line.startswith("#")]


def test_every_requirement_is_pinned_exactly():
    assert requirement_lines()[0].startswith("-e .")
    for line in requirement_lines()[1:]:
        assert re.match(r"^[A-Za-z0-9_.-]+==[0-9][\w.]*(\s+#.*)?$", line), line
    assert any(line.startswith("torch==2.13.0") for line in requirement_lines())


def test_requirements_satisfy_the_packages_own_dependencies():
    names = {re.split(r"[=<>\s]", line)[0].lower() for line in requirement_lines()[1:]}
    for dependency in PYPROJECT["project"]["dependencies"]:
        assert re.split(r"[=<>]", dependency)[0].lower() in names, dependency


def test_conda_delegates_to_requirements():
    environment = yaml.safe_load((ROOT / "environment.yml").read_text(encoding="utf-8"))
    assert environment["name"] == "sbert-lab"
    pip = next(entry["pip"] for entry in environment["dependencies"] if isinstance(entry, dict))
    assert pip == ["-r requirements.txt"]
    python = next(e for e in environment["dependencies"] if str(e).startswith("python="))
    assert tuple(map(int, python.split("=")[1].split("."))) >= (3, 11)


def test_the_declared_command_leads_to_a_function():
    module, _, name = PYPROJECT["project"]["scripts"]["sbert-lab"].partition(":")
    assert callable(getattr(importlib.import_module(module), name))


def test_the_makefile_documents_every_command():
    listed = subprocess.run(["make", "help"], cwd=ROOT, capture_output=True, text=True).stdout
    for command in COMMANDS:
        assert re.search(rf"^  make {command} +\w", listed, re.MULTILINE), command


def test_an_old_python_is_told_so():
    program = (
        "import sys, runpy; sys.version_info = (3, 9, 1, 'final', 0); "
        "sys.path.insert(0, '.ci'); import environment; environment.check_python()"
    )
    result = subprocess.run(
        [sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True
    )
    assert result.returncode == 1
    lowest = PYPROJECT["project"]["requires-python"].removeprefix(">=")
    assert f"This is Python 3.9; SBERT Lab needs {lowest}" in result.stderr
    assert "PYTHON=" in result.stderr


def test_a_missing_venv_module_is_told_with_its_remedy():
    program = (
        "import sys; sys.modules['venv'] = None; "
        "sys.path.insert(0, '.ci'); import environment; environment.check_python()"
    )
    result = subprocess.run(
        [sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True
    )
    assert result.returncode == 1
    assert "sudo apt install python" in result.stderr


def test_a_second_call_installs_nothing(monkeypatch, tmp_path):
    sys.path.insert(0, str(ROOT / ".ci"))
    import environment

    called = []
    monkeypatch.setattr(environment, "STAMP", str(tmp_path / "stamp"))
    monkeypatch.setattr(environment, "venv_python", lambda: sys.executable)
    monkeypatch.setattr(environment, "has_nvidia_driver", lambda: False)
    monkeypatch.setattr(environment, "pip", lambda *a, **k: called.append(a) or True)
    environment.main()
    assert any("--timeout" in call and environment.CPU_INDEX in call for call in called)
    assert any("-r" in call for call in called)
    called.clear()
    environment.main()
    assert called == []


# ---- the README

README = (ROOT / "README.md").read_text(encoding="utf-8")


def test_every_make_command_in_the_readme_exists():
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    for command in set(re.findall(r"\bmake ([a-z]+)\b", README)):
        assert re.search(rf"^{command}:", makefile, re.MULTILINE), command


def test_the_readme_is_short_and_no_smaller_than_it_says():
    assert len(README.splitlines()) <= 190
    megabytes = int(re.search(r"project itself has less than (\d+) MB", README)[1])
    tracked = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, text=True)
    files = [ROOT / name for name in tracked.stdout.split("\0") if name]
    assert sum(file.stat().st_size for file in files if file.is_file()) < megabytes * 1e6


def test_every_command_line_in_the_readme_is_understood():
    from sbert_lab.cli import make_parser

    shown = re.findall(r"^sbert-lab (.+?)(?: {2,}#.*)?$", README, re.MULTILINE)
    assert len(shown) >= 5
    for line in shown:
        make_parser().parse_args(shlex.split(line))


def test_every_file_the_readme_links_to_exists():
    for target in re.findall(r"\]\(([^)#]+)\)", README):
        assert target.startswith("http") or (ROOT / target).exists(), target


def test_the_annotated_tree_is_true():
    tree = re.search(r"## What is where\n\n```\n(.*?)```", README, re.DOTALL)[1]
    for name in re.findall(r"\b([a-z_]+\.py|[a-z_]+/)", tree):
        places = [
            ROOT / name,
            ROOT / "sbert_lab" / name,
            ROOT / "data" / name,
            ROOT / "notebooks" / name,
        ]
        assert any(place.exists() for place in places), name


def test_the_python_example_of_the_readme_runs():
    program = re.search(r"```python\n(.*?)```", README, re.DOTALL)[1]
    if not (ROOT / "data/models/mini-sbert").is_dir():
        pytest.skip("mini-sbert is not built yet")
    result = subprocess.run(
        [sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True
    )
    assert result.returncode == 0, result.stderr
    assert "1." in result.stdout or "0.9" in result.stdout


def test_the_readme_says_which_notebooks_are_there():
    there = sorted(p.stem for p in (ROOT / "notebooks").glob("[0-9][0-9]_*.ipynb"))
    listed = re.findall(r"^\| \[(\d\d_\w+)\]", README, re.MULTILINE)
    assert len(listed) == 18
    assert set(there) == set(listed)


def test_the_readmes_table_of_notebooks_is_that_of_their_scripts():
    spec = importlib.util.spec_from_file_location("readme", ROOT / ".ci/readme.py")
    readme = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(readme)
    assert readme.notebooks() in README, "run `python .ci/readme.py`"


def test_the_ledger_in_the_readme_is_the_recorded_one():
    from sbert_lab.experiments.ledger_page import (
        full_page,
        main_effect,
        recorded_entries,
        summary,
    )

    entries = recorded_entries()
    assert summary(entries) in README and main_effect() in README, "run `make ledger`"
    page = (ROOT / "data/results/LEDGER.md").read_text(encoding="utf-8")
    assert page == full_page(entries), "run `make ledger`"


def test_the_readme_shows_what_make_proof_prints():
    shown = re.search(r"<!-- proof -->\n```\n(.*?)```\n<!-- /proof -->", README, re.DOTALL)
    assert shown, "run `make proof > proof.txt; python .ci/readme.py proof.txt`"
    titles = re.findall(r'title\("(\d\. [^"]+)"', (ROOT / ".ci/proof.py").read_text("utf-8"))
    assert len(titles) == 6
    for title in titles:
        assert title in shown[1], title
