"""Fill the README's marked parts that are not the ledger's (`make ledger` fills those).

python .ci/readme.py               the notebooks from their scripts
python .ci/readme.py proof.txt     also the output of make proof, kept in that file
"""

import re
import sys
from pathlib import Path

from sbert_lab.experiments.ledger_page import fill

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "notebooks"))

from builder import cells  # noqa: E402

README = ROOT / "README.md"
SHORT = ("00", "01", "02", "03", "05", "08")


def notebooks() -> str:
    """The course as a table: every notebook with its question, its minutes and its place."""
    lines, total = ["| notebook | question | minutes | paper |", "|---|---|---|---|"], 0
    scripts = sorted((ROOT / "notebooks" / "src").glob("[0-9][0-9]_*.py"))
    for script in scripts:
        text = script.read_text(encoding="utf-8")
        question = re.search(r"^# # \d\d · (.+)$", text, re.MULTILINE)[1]
        minutes = cells.minutes(script.stem)
        above = text[: text.index('tags=["setup"]')].replace("\n# ", " ")
        paper = re.search(r"paper: (.+)$", above, re.MULTILINE)[1]
        link = f"[{script.stem}](notebooks/{script.stem}.ipynb)"
        lines.append(f"| {link} | {question} | {minutes} | {paper} |")
        total += minutes
    short = sum(cells.minutes(one.stem) for one in scripts if one.stem[:2] in SHORT)
    about = f"{len(scripts)} notebooks, about {round(total / 60)} hours. Short of time? "
    about += f"{', '.join(SHORT)} carry the main thread in about {round(short / 60)} hours."
    return about + "\n\n" + "\n".join(lines)


def main() -> None:
    text = README.read_text(encoding="utf-8")
    text = fill(text, "notebooks", notebooks())
    if len(sys.argv) > 1:
        proof = Path(sys.argv[1]).read_text(encoding="utf-8").strip()
        text = fill(text, "proof", f"```\n{proof}\n```")
    README.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
