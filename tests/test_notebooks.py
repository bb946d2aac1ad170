"""Every committed notebook is its script, executed, and carries no trace of one machine.

With no script in notebooks/src there is nothing to compare, and the parametrized tests are skipped.
"""

import sys
from pathlib import Path

import nbformat
import pytest

NOTEBOOKS = Path(__file__).resolve().parent.parent / "notebooks"
sys.path.insert(0, str(NOTEBOOKS))

from builder import SOLUTIONS, cells, digests, lint, names  # noqa: E402

every_notebook = pytest.mark.parametrize("name", names())


@every_notebook
def test_the_notebooks_are_their_script_cell_by_cell(name):
    assert lint.differences(name) == [], "run `make notebooks`"


@every_notebook
def test_the_student_notebook_is_executed_clean_and_small(name):
    assert lint.faults(NOTEBOOKS / f"{name}.ipynb") == []


@every_notebook
def test_the_student_notebook_is_not_stale(name):
    assert not digests.is_stale(name), "script, package or data have changed: run `make notebooks`"


@every_notebook
def test_the_solution_has_no_outputs_and_the_student_notebook_no_answers(name):
    solution = nbformat.read(SOLUTIONS / f"{name}.ipynb", as_version=4)
    code = [cell for cell in solution.cells if cell.cell_type == "code"]
    assert all(not cell.outputs and cell.execution_count is None for cell in code)
    student = (NOTEBOOKS / f"{name}.ipynb").read_text(encoding="utf-8")
    assert "BEGIN SOLUTION" not in student and "END SOLUTION" not in student
    # Prose may list the lines that an exercise asks to put together (04); no code cell has them.
    shown = [c.source for c in nbformat.reads(student, as_version=4).cells if c.cell_type == "code"]
    for cell in cells.script_cells(name):
        for _, answer in cells.SOLUTION.findall(cell.source):
            longest = max((line.strip() for line in answer.splitlines()), key=len)
            given_away = any(longest in source for source in shown)
            assert len(longest) < 20 or not given_away, f"{cell.id} gives its answer away"


@every_notebook
def test_the_minutes_are_counted_and_not_typed(name):
    script = (NOTEBOOKS / "src" / f"{name}.py").read_text(encoding="utf-8")
    assert "study_minutes=MINUTES" in script
    built = cells.script_cells(name)
    assert not any("MINUTES" in cell.source for cell in built)
    assert f"{cells.minutes(name)} minutes" in built[0].source


@every_notebook
def test_links_between_notebooks_lead_somewhere(name):
    import re

    planned = re.compile(r"(\d\d|A\d)_\w+\.ipynb")
    known = {f"{one}.ipynb" for one in names()}
    for cell in cells.script_cells(name):
        for target in re.findall(r"\]\(([^)\s#]+\.ipynb)", cell.source):
            assert planned.fullmatch(target), f"odd link {target}"
            twins = {one for one in known if one[:2] == target[:2]}
            assert not twins or target in twins, f"{target}: the notebook is called {twins}"


def test_every_committed_notebook_has_a_script():
    assert lint.orphans() == []
