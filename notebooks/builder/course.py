"""An nbgrader course: source/NAME/NAME.ipynb and its configuration. nbgrader is not needed here."""

from pathlib import Path

from builder import NOTEBOOKS, BuildError, cells
from sbert_lab.files import write_bytes

CONFIGURATION = f'''\
"""Made by notebooks/build.py. Run nbgrader in this folder, with sbert_lab installed."""

import os
from pathlib import Path

# A check prints its verdict; strictly, anything but "correct" raises, and that is what is graded.
os.environ["SBERT_LAB_STRICT"] = "1"
os.environ.setdefault("SBERT_LAB_PROFILE", "mini")

c = get_config()  # noqa: F821
c.CourseDirectory.course_id = "sbert-lab"
c.CourseDirectory.root = str(Path(__file__).resolve().parent)
c.ExecutePreprocessor.timeout = 300
c.ClearSolutions.code_stub = {{"python": {cells.STUBS["code"]!r}}}
c.ClearSolutions.text_stub = {cells.STUBS["markdown"]!r}
'''


def write_course(folder: Path, chosen: list[str]) -> list[Path]:
    """Write the notebooks that have something to grade into a new or empty folder.

    Not into an old one: its gradebook would refuse changed cells.
    """
    if folder.exists() and any(folder.iterdir()):
        raise BuildError(f"{folder} is not empty: name a new folder")
    written = []
    for name in chosen:
        book = cells.nbgrader_source(name)
        if any(cell.metadata.get("nbgrader", {}).get("grade") for cell in book.cells):
            written.append(folder / "source" / name / f"{name}.ipynb")
            cells.write(book, written[-1])
            glossary = (NOTEBOOKS / "GLOSSARY.md").read_bytes()  # the notebook links to it
            write_bytes(written[-1].with_name("GLOSSARY.md"), glossary)
    write_bytes(folder / "nbgrader_config.py", CONFIGURATION.encode("utf-8"))
    return written
