"""build.py on a small script: stubs, ids, mistakes, staleness, scrubbing, nbgrader."""

import importlib.util
import json
import subprocess
import sys
from pathlib import Path

import nbformat
import pytest

NOTEBOOKS = Path(__file__).resolve().parent.parent / "notebooks"
sys.path.insert(0, str(NOTEBOOKS))

from builder import BuildError, cells, course, digests, execution, lint  # noqa: E402

SCRIPT = '''\
# %% [markdown]
# # What is twice two?

# %% tags=["setup"]
setup("99_small", study_minutes=1, computing_seconds=1)

# %%
print("seen")

# %%
print("seen")

# %% id="99-double" tags=["exercise", "points:2"]
def double(number):
    """Twice the number."""
    ### BEGIN SOLUTION
    total = number + number
    return total
    ### END SOLUTION

# %% id="99-double-check" tags=["test", "points:2"]
print("correct" if double(2) == 4 else "not attempted yet")

# %% [markdown] id="99-explain" tags=["manual", "points:3"]
# Why?
#
# ### BEGIN SOLUTION
# Because two and two are four (3 points).
# ### END SOLUTION
'''


@pytest.fixture
def script(tmp_path, monkeypatch):
    """A folder of scripts with one script in it; returns a function that rewrites that."""
    monkeypatch.setattr(cells, "SCRIPTS", tmp_path)

    def write(text: str = SCRIPT) -> str:
        (tmp_path / "99_small.py").write_text(text, encoding="utf-8")
        return "99_small"

    write()
    return write


def by_id(book) -> dict:
    return {cell.id: cell for cell in book.cells}


def test_a_solution_becomes_one_stub_line_with_its_indentation(script):
    found = by_id(cells.student(script()))
    assert found["99-double"].source == (
        'def double(number):\n    """Twice the number."""\n    pass  # your answer here'
    )
    assert found["99-explain"].source == "Why?\n\n*your answer here*"


def test_the_solution_keeps_the_answer_and_loses_the_marks(script):
    found = by_id(cells.solution(script()))
    assert found["99-double"].source.endswith("    total = number + number\n    return total")
    assert found["99-explain"].source.endswith("Because two and two are four (3 points).")


def test_ids_are_stable_unique_and_the_same_in_both_notebooks(script):
    first = [cell.id for cell in cells.student(script()).cells]
    assert first == [cell.id for cell in cells.student(script()).cells]
    assert first == [cell.id for cell in cells.solution(script()).cells]
    assert len(set(first)) == len(first)
    assert first[3] == f"{first[2]}-2"  # two cells with the same text


def test_the_setup_cell_begins_with_the_bootstrap_and_is_not_compared(script):
    setup = by_id(cells.student(script()))["setup"]
    assert "from sbert_lab.course.lab import peek, setup, you_said" in setup.source
    assert setup.source.endswith('setup("99_small", study_minutes=1, computing_seconds=1)')
    assert setup.metadata["tags"] == ["setup", "nbval-ignore-output"]
    compile(setup.source, "setup", "exec")


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ('tags=["setup"]', "", "exactly one cell tagged setup"),
        ('tags=["test", "points:2"]', 'tags=["tset"]', "unknown tag 'tset'"),
        ('id="99-double" ', "", "need an id"),
        ("    ### END SOLUTION\n", "", "do not match"),
        ('tags=["exercise", "points:2"]', "", "tagged exercise or manual, and only there"),
        ('id="99-double-check"', 'id="99-double"', "used twice"),
        ('tags=["test", "points:2"]', 'tags=["test"]', "need a tag"),
        ('tags=["test", "points:2"]', "", "must be its test"),
        (
            "    ### BEGIN SOLUTION\n    total",
            "    total = (\n    ### BEGIN SOLUTION\n    t",
            "stub",
        ),
    ],
)
def test_a_mistake_in_a_script_is_an_error_that_names_it(script, old, new, message):
    assert old in SCRIPT
    name = script(SCRIPT.replace(old, new, 1))
    with pytest.raises(BuildError, match=message):
        cells.student(name)


def test_there_is_a_badge_only_when_the_repository_is_public(script, monkeypatch):
    assert "colab" not in cells.student(script()).cells[0].source or cells.repository()
    monkeypatch.setattr(cells, "repository", lambda: "https://github.com/someone/sbert-lab.git")
    first = cells.student(script()).cells[0].source
    assert "github/someone/sbert-lab/blob/main/notebooks/99_small.ipynb" in first


def test_the_nbgrader_course_marks_answers_tests_and_questions(script, tmp_path):
    (path,) = course.write_course(tmp_path / "course", [script()])
    found = by_id(nbformat.read(path, as_version=4))
    marks = {key: cell.metadata.get("nbgrader") for key, cell in found.items()}
    wanted = {  # grade, solution, locked, points
        "setup": (False, False, True, None),
        "99-double": (False, True, False, None),
        "99-double-check": (True, False, True, 2),
        "99-explain": (True, True, False, 3),
    }
    for key, flags in wanted.items():
        mark = marks.pop(key)
        assert (mark["grade"], mark["solution"], mark["locked"], mark.get("points")) == flags
        assert mark["grade_id"] == key and mark["schema_version"] == 3
    assert set(marks.values()) == {None}
    assert "### BEGIN SOLUTION" in found["99-double"].source
    configuration = (tmp_path / "course" / "nbgrader_config.py").read_text()
    compile(configuration, "configuration", "exec")
    assert cells.STUBS["code"] in configuration
    with pytest.raises(BuildError, match="not empty"):
        course.write_course(tmp_path / "course", ["99_small"])


def test_only_what_a_notebook_can_import_makes_it_stale(script, tmp_path, monkeypatch):
    package = tmp_path / "sbert_lab"
    for file, text in {
        "__init__.py": "",
        "lab.py": "",
        "pooling.py": "def pool():\n    from sbert_lab import deep\n",
        "deep.py": "from .near import thing\n",
        "near.py": "thing = 1\n",
        "checks/__init__.py": "",
        "checks/nb99.py": "",
        "checks/nb98.py": "",
    }.items():
        (package / file).parent.mkdir(parents=True, exist_ok=True)
        (package / file).write_text(text)
    monkeypatch.setattr(digests, "ROOT", tmp_path)
    monkeypatch.setattr(digests, "PACKAGE", package)
    name = script(SCRIPT.replace('print("seen")', "from sbert_lab.pooling import pool", 1))

    def changes(file: str) -> bool:
        before = digests.digest(name)
        (package / file).write_text(f"{(package / file).read_text()}# changed\n")
        return digests.digest(name) != before

    assert all(map(changes, ("__init__.py", "pooling.py", "deep.py", "near.py", "checks/nb99.py")))
    assert not changes("checks/nb98.py")
    before = digests.digest(name)
    script(SCRIPT.replace("twice two", "twice three"))
    assert digests.digest(name) != before


def test_data_counts_only_for_notebooks_that_can_read_it():
    with_data = cells.nbformat.v4.new_notebook(
        cells=[cells.nbformat.v4.new_code_cell("from sbert_lab.data import load")]
    )
    without = cells.nbformat.v4.new_notebook(
        cells=[cells.nbformat.v4.new_code_cell("from sbert_lab.pooling import mean_pool")]
    )
    manifest = digests.ROOT / "data" / "mini" / "manifest.json"
    assert manifest in digests.inputs(with_data, "98_x")
    assert manifest not in digests.inputs(without, "98_x")


@pytest.mark.slow
@pytest.mark.usefixtures("loopback")
def test_a_solution_that_is_not_correct_is_reported_with_its_cell(tmp_path, monkeypatch, capsys):
    specification = importlib.util.spec_from_file_location("lab_build", NOTEBOOKS / "build.py")
    build = importlib.util.module_from_spec(specification)
    specification.loader.exec_module(build)
    monkeypatch.setattr(build, "SOLUTIONS", tmp_path)
    start = "from sbert_lab.course.diagnose import Hint, check\n@check\ndef one(answer):\n"
    start += "    if answer != 1:\n        raise Hint('count again')\n"
    endings = {"right": "one(1)", "wrong": "one(2)", "stub": "one(None)", "silent": "pass"}
    for name, ending in endings.items():
        cell = nbformat.v4.new_code_cell(start + ending, id="c1", metadata={"tags": ["test"]})
        cells.write(nbformat.v4.new_notebook(cells=[cell]), tmp_path / f"{name}.ipynb")
    said = {name: build._run_solution(name)[1] for name in endings}
    assert said["right"] == ""
    assert "cell c1" in said["wrong"] and "not there yet: count again" in said["wrong"]
    assert "not attempted yet" in said["stub"]
    assert said["silent"] == "test cells that print no 'correct': c1"


@pytest.mark.slow
@pytest.mark.usefixtures("loopback")
def test_execution_scrubs_what_differs_and_explains_what_fails(tmp_path):
    new = nbformat.v4.new_code_cell
    sources = [
        "import sys, os\nprint(os.environ['SBERT_LAB_PROFILE'])\nprint('half\\rwhole')",
        "from sbert_lab.course import plots\nfigure, axes = plots.new(2, 1)\n"
        "plots.show(axes, caption='Nothing to see.', alt='An empty plot.')",
    ]
    book = nbformat.v4.new_notebook(cells=[new(text) for text in sources])
    outcome = execution.execute(book, tmp_path, execution.MINI)
    assert outcome.failure == ""
    execution.scrub(book)
    assert book.cells[0].outputs[0].text == "mini\nwhole\n"
    picture, caption = book.cells[1].outputs
    assert picture.metadata == {"image/png": {"alt": "An empty plot."}}
    assert caption.data["text/markdown"] == "*Nothing to see.*"
    assert book.cells[0].metadata == {}
    path = tmp_path / "book.ipynb"
    cells.write(book, path)
    assert lint.faults(path) == []

    bad = nbformat.v4.new_notebook(cells=[new("x = 1"), new("print(x)\n1 / 0", id="bad")])
    failure = execution.execute(bad, tmp_path, execution.MINI).failure
    assert "cell bad" in failure and "ZeroDivisionError" in failure


def test_every_kind_of_fault_is_found(tmp_path):
    new, output = nbformat.v4.new_code_cell, nbformat.v4.new_output
    picture = output("display_data", data={"image/png": "AAAA", "text/plain": "x"})
    described = output(
        "display_data", data={"image/png": "AAAA"}, metadata={"image/png": {"alt": "a"}}
    )
    faulty = {
        "was not executed": new("1"),
        "ends with ValueError": new("1", outputs=[output("error", ename="ValueError")]),
        "writes to stderr": new("1", outputs=[output("stream", name="stderr", text="x")]),
        "stores a widget": new(
            "1", outputs=[output("display_data", data={execution.WIDGET: {"model_id": "1"}})]
        ),
        "without alt text": new("1", outputs=[picture]),
        "without a caption": new("1", outputs=[described]),
        "trace of one machine": new("1", outputs=[output("stream", text="/home/x/y")]),
    }
    for fault, cell in faulty.items():
        if fault != "was not executed":
            cell.execution_count = 1
        path = tmp_path / "book.ipynb"
        nbformat.write(nbformat.v4.new_notebook(cells=[cell]), path)
        assert any(fault in line for line in lint.faults(path)), fault
    path.write_text(json.dumps(json.loads(path.read_text()) | {"metadata": {"x": "y" * 400_000}}))
    assert any("at most 400,000" in line for line in lint.faults(path))


def test_a_progress_bar_goes_only_where_nothing_is_compared():
    bar = {"text/plain": "0%|", execution.WIDGET: {"model_id": "1"}}
    for tags, left in (([], 1), (["nbval-ignore-output"], 0)):
        cell = nbformat.v4.new_code_cell("1", metadata={"tags": tags})
        cell.outputs = [nbformat.v4.new_output("display_data", data=dict(bar))]
        book = nbformat.v4.new_notebook(cells=[cell])
        execution.scrub(book)
        assert len(book.cells[0].outputs) == left
        assert "model_id" not in cells.text_of(book)


def test_an_unknown_name_is_answered_with_the_known_ones():
    command = [sys.executable, str(NOTEBOOKS / "build.py"), "check", "no-such-notebook"]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 2 and "no notebook begins with 'no-such-notebook'" in done.stderr
