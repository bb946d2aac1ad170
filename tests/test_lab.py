"""What every notebook begins with: finding the package, seeding, guesses, peeking."""

import random
import shutil
import subprocess
import sys
import types
from pathlib import Path

import numpy as np
import pytest
import torch

from sbert_lab.course import lab
from sbert_lab.errors import LabError
from sbert_lab.pooling import mean_pool

ROOT = Path(__file__).resolve().parent.parent


def test_setup_says_what_to_expect_and_seeds_everything(capsys, monkeypatch):
    monkeypatch.setenv("SBERT_LAB_PROFILE", "mini")
    monkeypatch.setenv("SBERT_LAB_DEVICE", "cpu")
    drawn = []
    for _ in range(2):
        assert lab.setup("02_pooling", study_minutes=60, computing_seconds=40) is None
        drawn.append((random.random(), np.random.rand(), torch.rand(1).item()))
    assert drawn[0] == drawn[1]
    out = capsys.readouterr().out
    assert "02_pooling: about 60 minutes of study" in out
    assert "profile mini" in out and "the CPU" in out and "about 40 s" in out


def test_setup_in_a_larger_profile_promises_no_seconds(capsys, monkeypatch):
    monkeypatch.setenv("SBERT_LAB_PROFILE", "paper")
    lab.setup("02_pooling", study_minutes=60, computing_seconds=40)
    assert "paper takes much longer" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("guess", "measured", "unit", "line"),
    [
        (None, 7, "", "no guess / measured 7"),
        (..., 7, "", "no guess / measured 7"),
        (3, 49_995_000, "passes", "you said 3 passes / measured 49,995,000 passes"),
        (0.5, 0.123456, "s", "you said 0.5 s / measured 0.123 s"),
        (1, 65_432.1, "", "you said 1 / measured 65,432"),
        (0, torch.tensor(2.0), "", "you said 0 / measured 2"),
        ("MEAN", np.float64(0.25), "", "you said MEAN / measured 0.25"),
        (True, False, "", "you said True / measured False"),
        ((2, 3), [1, 2], "", "you said (2, 3) / measured [1, 2]"),
    ],
)
def test_a_guess_stands_beside_the_measurement(guess, measured, unit, line, capsys):
    lab.you_said(guess, measured, unit=unit)
    assert capsys.readouterr().out == line + "\n"


@pytest.fixture
def shown(monkeypatch):
    """What a notebook would display."""
    import IPython.display

    bundles = []
    monkeypatch.setattr(IPython.display, "display", lambda bundle, raw: bundles.append(bundle))
    return bundles


SENTENCES = {"more": "{by:.1f} more", "less": "{by:.1f} less", "same": "no clear difference"}


@pytest.mark.parametrize(
    ("difference", "margin", "sentence"),
    [
        (1.5, 0.0, "1.5 more"),
        (-1.5, 0.0, "1.5 less"),
        (0.0, 0.0, "no clear difference"),
        (1.5, 2.0, "no clear difference"),
        (-2.5, 2.0, "2.5 less"),
        (np.linspace(0.5, 1.5, 101), 0.0, "1.0 more"),
        (np.linspace(-1.5, -0.5, 101), 0.0, "1.0 less"),
        (np.linspace(-0.5, 1.5, 101), 0.0, "no clear difference"),  # the mean alone is above 0
        (torch.tensor(3.0), 0.0, "3.0 more"),
    ],
)
def test_the_sentence_agrees_with_the_numbers(difference, margin, sentence, shown):
    lab.shows(difference, margin=margin, **SENTENCES)
    assert shown == [{"text/markdown": sentence, "text/plain": sentence}]


def test_where_recorded_numbers_come_from_is_folded_but_complete(shown):
    about = {"date": "2026-01-02", "command": "do it", "hardware": "two cores"}
    about |= {"backbone": "a small one", "data": "all of it"}
    lab.came_from(types.SimpleNamespace(profile="real", about=about))
    (bundle,) = shown
    text = bundle["text/markdown"]
    assert text.startswith("<details>") and text.endswith("</details>")
    assert all(part in text for part in ("real", *about.values()))


def test_peek_shows_the_source_as_it_is(shown):
    lab.peek(mean_pool)
    assert "def mean_pool(" in shown[0]["text/markdown"]
    assert shown[0]["text/plain"].startswith("# sbert_lab.pooling.mean_pool\n")
    lab.peek(mean_pool, folded=True)
    folded = shown[1]["text/markdown"]
    assert folded.startswith("<details><summary>") and "\n\n```python\ndef mean_pool(" in folded


def test_nothing_is_missing_here_and_what_is_missing_is_named(monkeypatch):
    assert lab.missing() == []
    real = lab.metadata.version

    def version(name: str) -> str:
        if name == "scipy":
            raise lab.metadata.PackageNotFoundError(name)
        return "4.57.0" if name == "transformers" else real(name)

    monkeypatch.setattr(lab.metadata, "version", version)
    assert lab.missing() == ["transformers>=5.0", "scipy>=1.11"]
    with pytest.raises(LabError, match=r"scipy>=1\.11.*pip install -r"):
        lab.provide(["scipy>=1.11"])


def test_extra_needs_are_looked_for_too(monkeypatch):
    def version(name: str) -> str:
        raise lab.metadata.PackageNotFoundError(name)

    monkeypatch.setattr(lab.metadata, "version", version)
    assert "faiss-cpu>=1.8" in lab.missing(("faiss-cpu",))
    assert "faiss-cpu>=1.8" not in lab.missing()


def test_colab_gets_what_is_missing_but_never_torch_or_numpy(monkeypatch, capsys):
    commands = []
    monkeypatch.setitem(sys.modules, "google.colab", types.ModuleType("google.colab"))
    done = types.SimpleNamespace(returncode=0)
    monkeypatch.setattr(lab.subprocess, "run", lambda c, **given: commands.append(c) or done)
    lab.provide(["scipy>=1.11"])
    (command,) = commands
    assert command[1:4] == ["-m", "pip", "install"] and command[-1] == "scipy>=1.11"
    assert "-c" in command  # torch and numpy are pinned to what is there
    with pytest.raises(LabError, match="torch"):
        lab.provide(["torch>=2.6", "scipy>=1.11"])
    assert len(commands) == 1


def bootstrap(folder: Path, before: str = "", repository: str = "") -> subprocess.CompletedProcess:
    """Run the first lines of a notebook in a folder, in a Python without sbert_lab."""
    hide = (
        "import sys; sys.meta_path[:] = [f for f in sys.meta_path if 'editable' not in repr(f)]\n"
    )
    hide += f"sys.path[:] = [p for p in sys.path if p not in ('', {str(ROOT)!r})]\n"
    code = hide + before + lab.BOOTSTRAP.format(repository=repository)
    code += "\nimport sbert_lab; print(sbert_lab.__file__)"
    command = [sys.executable, "-c", code]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=120)


def test_the_bootstrap_is_short():
    assert len(lab.BOOTSTRAP.splitlines()) <= 25


def test_the_bootstrap_finds_the_package_in_a_parent_folder():
    done = bootstrap(ROOT / "tests" / "fixtures")
    assert done.returncode == 0, done.stderr
    assert Path(done.stdout.strip()) == ROOT / "sbert_lab" / "__init__.py"


def test_far_from_the_course_the_bootstrap_says_what_to_do(tmp_path):
    done = bootstrap(tmp_path)
    assert done.returncode == 1 and "open this notebook in the course's folder" in done.stderr
    colab = "import types; sys.modules['google.colab'] = types.ModuleType('google.colab')\n"
    done = bootstrap(tmp_path, before=colab)
    assert done.returncode == 1 and "upload sbert-lab.zip" in done.stderr
    assert "one click is not available yet" in done.stderr
    (tmp_path / "sbert-lab.zip").write_bytes(b"PK half of an upload")
    done = bootstrap(tmp_path, before=colab)
    assert done.returncode == 1 and "wait until all of it has arrived" in done.stderr
    done = bootstrap(tmp_path, before=colab, repository=(tmp_path / "nowhere").as_uri())
    assert done.returncode == 1 and "nothing could be fetched from file://" in done.stderr
    assert "nowhere" in done.stderr and "upload sbert-lab.zip" in done.stderr


def small_course(folder: Path) -> Path:
    course = folder / "sbert_lab" / "course"
    course.mkdir(parents=True)
    for package in (course.parent, course):
        (package / "__init__.py").write_text("")
    (course / "lab.py").write_text("came_from = peek = setup = shows = you_said = print\n")
    return folder


def test_in_colab_the_bootstrap_opens_an_uploaded_zip(tmp_path):
    small_course(tmp_path / "made" / "sbert-lab")
    content = tmp_path / "content"
    content.mkdir()
    shutil.make_archive(str(content / "sbert-lab"), "zip", tmp_path / "made")
    colab = "import types; sys.modules['google.colab'] = types.ModuleType('google.colab')\n"
    done = bootstrap(content, before=colab)
    assert done.returncode == 0, done.stderr
    assert Path(done.stdout.strip()) == content / "sbert-lab" / "sbert_lab" / "__init__.py"


def test_in_colab_the_bootstrap_clones_the_repository_once(tmp_path):
    origin = small_course(tmp_path / "origin")
    git = ["git", "-C", str(origin), "-c", "user.name=t", "-c", "user.email=t@example.org"]
    for command in (["init", "-q"], ["add", "."], ["commit", "-qm", "first"]):
        subprocess.run([*git, *command], check=True)
    content = tmp_path / "content"
    content.mkdir()
    colab = "import types; sys.modules['google.colab'] = types.ModuleType('google.colab')\n"
    for _ in range(2):  # the second run finds the clone of the first
        done = bootstrap(content, before=colab, repository=origin.as_uri())
        assert done.returncode == 0, done.stderr
        assert Path(done.stdout.strip()) == content / "sbert-lab" / "sbert_lab" / "__init__.py"
