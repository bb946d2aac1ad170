"""Fill the README's marked parts: the notebooks, the ledger, and what `make proof` prints.

python .ci/readme.py               the notebooks from their scripts, the ledger from data/results
python .ci/readme.py proof.txt     also the output of make proof, kept in that file
"""

import re
import sys
from pathlib import Path

from sbert_lab.experiments.ledger_page import markdown, recorded_entries, summary, write_page

ROOT = Path(__file__).resolve().parent.parent
README = ROOT / "README.md"


def fill(text: str, mark: str, content: str) -> str:
    """Replace what stands between <!-- mark --> and <!-- /mark -->."""
    pattern = rf"(<!-- {mark} -->\n).*?(<!-- /{mark} -->)"
    if not re.search(pattern, text, re.DOTALL):
        raise SystemExit(f"README.md has no <!-- {mark} --> ... <!-- /{mark} -->")
    return re.sub(pattern, lambda found: f"{found[1]}{content}\n{found[2]}", text, flags=re.DOTALL)


def notebooks() -> str:
    """The course as a table: every notebook with its question, its minutes and its place."""
    lines, total = ["| notebook | question | minutes | paper |", "|---|---|---|---|"], 0
    scripts = sorted((ROOT / "notebooks" / "src").glob("[0-9][0-9]_*.py"))
    for script in scripts:
        text = script.read_text(encoding="utf-8")
        question = re.search(r"^# # \d\d · (.+)$", text, re.MULTILINE)[1]
        minutes = int(re.search(r"study_minutes=(\d+)", text)[1])
        above = text[: text.index('tags=["setup"]')].replace("\n# ", " ")
        paper = re.search(r"paper: (.+)$", above, re.MULTILINE)[1]
        link = f"[{script.stem}](notebooks/{script.stem}.ipynb)"
        lines.append(f"| {link} | {question} | {minutes} | {paper} |")
        total += minutes
    return f"{len(scripts)} notebooks, about {round(total / 60)} hours.\n\n" + "\n".join(lines)


def main() -> None:
    text = README.read_text(encoding="utf-8")
    entries = recorded_entries()
    text = fill(text, "summary", summary(entries))
    text = fill(text, "ledger", markdown(entries))
    text = fill(text, "notebooks", notebooks())
    if len(sys.argv) > 1:
        proof = Path(sys.argv[1]).read_text(encoding="utf-8").strip()
        text = fill(text, "proof", f"```\n{proof}\n```")
    README.write_text(text, encoding="utf-8")
    write_page()


if __name__ == "__main__":
    main()
