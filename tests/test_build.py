"""build.py on a small script: stubs, ids, mistakes, staleness, scrubbing, nbgrader."""

import ast
import importlib.util
import json
import subprocess
import sys
from pathlib import Path

import nbformat
import pytest

NOTEBOOKS = Path(__file__).resolve().parent.parent / "notebooks"
sys.path.insert(0, str(NOTEBOOKS))

from builder import SCRIPTS, BuildError, cells, course, digests, execution, lint, names  # noqa: E402

SCRIPT = '''\
# %% [markdown]
# # What is twice two?
#
# About MINUTES minutes

# %% tags=["setup"]
setup("99_small", study_minutes=MINUTES, computing_seconds=1)

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
    brought = "from sbert_lab.course.lab import came_from, peek, setup, shows, you_said"
    assert brought in setup.source
    assert setup.source.endswith('setup("99_small", study_minutes=20, computing_seconds=1)')
    assert setup.metadata["tags"] == ["setup", "nbval-ignore-output"]
    compile(setup.source, "setup", "exec")


def test_the_minutes_grow_with_words_code_and_exercises_and_stand_in_both_places(script):
    more = "\n# %% [markdown]\n# " + "word " * 1400  # 20 minutes to read
    found = cells.student(script(SCRIPT + more))
    assert found.cells[0].source.endswith("About 40 minutes")
    assert "study_minutes=40" in by_id(found)["setup"].source
    again = SCRIPT[SCRIPT.index("# %% id") :].replace('id="99', 'id="98')
    assert cells.minutes(script()) < cells.minutes(script(f"{SCRIPT}\n{again}"))


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
    assert path.with_name("GLOSSARY.md").is_file()  # what the notebook links to
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


@pytest.fixture
def project(tmp_path, monkeypatch):
    """A small project of its own; returns a function that writes a file of it."""
    monkeypatch.setattr(digests, "ROOT", tmp_path)
    monkeypatch.setattr(digests, "PACKAGE", tmp_path / "sbert_lab")

    def write(file: str, text: str = "") -> None:
        (tmp_path / file).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / file).write_text(text)

    return write


def changes(name: str, file: str) -> bool:
    """Whether a change of that file makes the notebook stale."""
    path = digests.ROOT / file
    before = digests.digest(name)
    path.write_text(f"{path.read_text()}# changed\n")
    return digests.digest(name) != before


def test_only_what_a_notebook_can_import_makes_it_stale(script, project):
    project("sbert_lab/__init__.py")
    project("sbert_lab/pooling.py", "def pool():\n    from sbert_lab import deep\n")
    project("sbert_lab/deep.py", "from .near import thing\n")
    project("sbert_lab/near.py", "thing = 1\n")
    project("sbert_lab/encoder.py", "class SentenceEncoder: ...\n")
    project("sbert_lab/course/nb99.py")
    project("sbert_lab/course/nb98.py")
    imports = "from sbert_lab import SentenceEncoder\nfrom sbert_lab.course import nb99 as checks\n"
    imports += "from sbert_lab.pooling import pool"
    name = script(SCRIPT.replace('print("seen")', imports, 1))
    for file in ("__init__", "pooling", "deep", "near", "encoder", "course/nb99"):
        assert changes(name, f"sbert_lab/{file}.py"), file
    assert not changes(name, "sbert_lab/course/nb98.py")
    before = digests.digest(name)
    script(SCRIPT.replace("twice two", "twice three"))
    assert digests.digest(name) != before


CELLS = """\
from sbert_lab import paper, results
from sbert_lab.course import nb99
table = results.open_table(1)
real = open_table(2, profile="real") if has_table(2, "real") else None
runs = [open_study("between", name) for name in ("mini", "real")]
printed = paper.table(3)
encoder = SentenceEncoder.load("mini-sbert"), load(profile.backbone)
"""
OWN = [
    "results/mini/table1.json",
    "results/mini/table1.safetensors",
    "results/real/table2.json",
    "results/mini/between.json",
    "results/real/between.json",
    "results/mini/inside.json",
    "paper/table3_afs.csv",
    "models/mini-sbert/config.json",
    "models/mini-bert/model.safetensors",
]
OTHERS = [
    "results/real/table1.json",
    "results/mini/table2.json",
    "results/mini/table12.json",
    "results/mini/claims.json",
    "paper/table4_sections.csv",
    "paper/claims.csv",
    "models/mini-roberta/config.json",
    "models/mini-sbert/README.md",
    "mini/manifest.json",
]


def test_only_the_recorded_files_and_models_that_it_opens_make_a_notebook_stale(script, project):
    project("sbert_lab/course/nb99.py", 'def figure():\n    open_study("inside")\n')
    project("sbert_lab/profiles.py", 'ROBERTA = "mini-roberta"\n')
    name = script(SCRIPT.replace('print("seen")', CELLS, 1))
    for file in OWN + OTHERS:
        project(f"data/{file}", "1\n")
    assert [file for file in OWN if not changes(name, f"data/{file}")] == []
    assert [file for file in OTHERS if changes(name, f"data/{file}")] == []
    project("data/results/mini/table1.json", "recorded anew")
    script(SCRIPT.replace('print("seen")', "paper.claim(id)\nfor n in (1, 5): open_table(n)", 1))
    assert changes(name, "data/results/mini/table2.json")  # computed: it may be any
    assert changes(name, "data/paper/claims.csv")
    assert not changes(name, "data/results/real/table2.json")


@pytest.fixture(scope="module")
def readers() -> dict[str, set[str]]:
    """Every recorded file of the project, and the numbers of the notebooks that depend on it."""
    found = {path: set() for path in digests.ROOT.glob("data/results/*/*.json")}
    for name in names():
        for path in found.keys() & set(digests.inputs(cells.student(name))):
            found[path].add(name[:2])
    return {
        path.relative_to(digests.ROOT / "data/results").as_posix(): found[path] for path in found
    }


def test_a_tables_file_makes_only_the_notebooks_stale_that_read_it(readers):
    assert readers["mini/table2.json"] == {"09"}
    assert readers["real/table2.json"] == {"01", "06", "09"}
    assert readers["real/better_judge.json"] == {"16"}
    assert readers["mini/claims.json"] == readers["real/claims.json"] == {"17"}
    unread = {file for file, books in readers.items() if not books}
    assert {file for file in unread if not file.startswith("pretraining/")} == set()


READERS = ("results", "store", "ledger", "ledger_page", "reasons")  # the last two: no notebook


def test_recorded_files_are_opened_by_their_readers_only():
    """What digests.py cannot see would leave a notebook fresh that is stale."""
    code = {path: path.read_text(encoding="utf-8") for path in SCRIPTS.glob("*.py")}
    code |= {path: path.read_text("utf-8") for path in digests.PACKAGE.glob("course/*.py")}
    for path, text in code.items():
        assert "results_dir" not in text and "read_ledger" not in text, path
        constants = {getattr(node, "value", None) for node in ast.walk(ast.parse(text))}
        assert not constants & {"results", "data/results"}, path
    for path in digests.PACKAGE.glob("experiments/**/*.py"):
        opened = [p for p in digests.opened(ast.parse(path.read_text("utf-8"))) if "results" in p]
        assert not opened or path.stem in READERS, path


def test_data_counts_only_for_notebooks_that_can_read_it():
    new = nbformat.v4
    with_data, without = (
        new.new_notebook(cells=[new.new_code_cell(f"from sbert_lab.{what}")])
        for what in ("data import load", "pooling import mean_pool")
    )
    manifest = digests.ROOT / "data" / "mini" / "manifest.json"
    assert manifest in digests.inputs(with_data)
    assert manifest not in digests.inputs(without)


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
