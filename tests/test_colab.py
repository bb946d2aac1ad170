"""A session laid out like Colab's: its own torch and numpy, an uploaded zip, and real pip.

google.colab is faked; the wheels that pip finds are made here, so nothing is downloaded.
"""

import json
import re
import subprocess
import sys
import sysconfig
import tomllib
import zipfile
from importlib import metadata
from pathlib import Path

import pytest

from sbert_lab.course.lab import BOOTSTRAP

ROOT = Path(__file__).resolve().parent.parent
FAKE = "import sys, types; sys.modules['google.colab'] = types.ModuleType('google.colab')\n"
REPORT = """
import importlib.util, json, numpy, torch
from importlib import metadata
said = {name: metadata.version(name) for name in ("torch", "numpy")}
said["tiny"] = (importlib.util.find_spec("tiny_extra") or types.SimpleNamespace(origin=None)).origin
print(json.dumps(said))
"""
pytestmark = pytest.mark.slow


def make_wheel(folder: Path, name: str, version: str, requires: str = "") -> None:
    """The smallest wheel that pip takes: one module and its description."""
    module, about = name.replace("-", "_"), f"Metadata-Version: 2.1\nName: {name}\n"
    about += f"Version: {version}\n" + (f"Requires-Dist: {requires}\n" if requires else "")
    info = f"{module}-{version}.dist-info"
    with zipfile.ZipFile(folder / f"{module}-{version}-py3-none-any.whl", "w") as wheel:
        wheel.writestr(f"{module}.py", "")
        wheel.writestr(f"{info}/METADATA", about)
        wheel.writestr(
            f"{info}/WHEEL", "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n"
        )
        wheel.writestr(f"{info}/RECORD", "")


@pytest.fixture(scope="module")
def colab(tmp_path_factory):
    """A Python that has this environment's torch and numpy, wheels for pip, and /content."""
    place = tmp_path_factory.mktemp("colab")
    subprocess.run([sys.executable, "-m", "venv", place / "python"], check=True)
    python = place / "python" / "bin" / "python"
    (own,) = (place / "python").glob("lib/python*/site-packages")
    (own / "base.pth").write_text(sysconfig.get_path("purelib"))
    wheels, content = place / "wheels", place / "content"
    wheels.mkdir()
    content.mkdir()
    make_wheel(wheels, "tiny-extra", "1.5", requires="numpy")
    make_wheel(wheels, "greedy-extra", "1.5", requires="numpy>=99")
    make_wheel(wheels, "numpy", "99.0")
    with zipfile.ZipFile(content / "sbert-lab.zip", "w") as course:
        for file in [*ROOT.glob("sbert_lab/**/*.py"), *ROOT.glob("sbert_lab/**/*.toml")]:
            course.write(file, "sbert-lab" / file.relative_to(ROOT))
        project = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
        extra = 'extra = ["tiny-extra>=1", "greedy-extra>=1"]\n'
        table = "[project.optional-dependencies]\n"
        course.writestr("sbert-lab/pyproject.toml", project.replace(table, table + extra))

    def run(needs: str) -> subprocess.CompletedProcess:
        code = FAKE + BOOTSTRAP.format(repository="")
        call = f"setup('00', study_minutes=1, computing_seconds=1, needs=({needs!r},))\n"
        return subprocess.run(
            [python, "-P", "-c", code + call + REPORT],
            cwd=content, capture_output=True, text=True, timeout=600,
            env={"PATH": "/usr/bin:/bin", "PIP_NO_INDEX": "1", "PIP_FIND_LINKS": str(wheels)},
        )  # fmt: skip

    return run, own


def test_colab_installs_what_is_missing_and_leaves_torch_and_numpy_alone(colab):
    run, own = colab
    here = {name: metadata.version(name) for name in ("torch", "numpy")}
    done = run("tiny-extra")
    assert done.returncode == 0, done.stderr
    assert "installing tiny-extra>=1" in done.stdout
    said = json.loads(done.stdout.splitlines()[-1])
    assert said == here | {"tiny": str(own / "tiny_extra.py")}
    assert "installing" not in run("tiny-extra").stdout  # the second time it is there
    done = run("greedy-extra")  # wants another numpy, and pip could get it
    assert done.returncode == 1
    assert "pip could not install greedy-extra>=1 beside this session's torch" in done.stderr
    assert list(own.glob("numpy*")) == list(own.glob("greedy*")) == []


def test_readme_and_first_cells_agree_with_the_one_setting():
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    repository = settings["tool"]["sbert_lab"]["repository"]
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    if repository:
        assert repository in readme and "not available yet" not in readme
    else:
        assert re.search(r"(?s)### Colab\n.*not available yet.*make zip.*sbert-lab\.zip", readme)
    for path in (ROOT / "notebooks").glob("*.ipynb"):
        cells = json.loads(path.read_text(encoding="utf-8"))["cells"]
        code = next("".join(cell["source"]) for cell in cells if cell["cell_type"] == "code")
        assert re.search(r'REPOSITORY\b.* = "(.*?)"', code)[1] == repository
