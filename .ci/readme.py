"""Fill the README's marked parts: the ledger's summary and table, and what `make proof` prints.

python .ci/readme.py               the ledger, from data/results
python .ci/readme.py proof.txt     also the output of make proof, kept in that file
"""

import re
import sys
from pathlib import Path

from sbert_lab.reproduce.ledger_page import markdown, recorded_entries, summary, write_page

README = Path(__file__).resolve().parent.parent / "README.md"


def fill(text: str, mark: str, content: str) -> str:
    """Replace what stands between <!-- mark --> and <!-- /mark -->."""
    pattern = rf"(<!-- {mark} -->\n).*?(<!-- /{mark} -->)"
    if not re.search(pattern, text, re.DOTALL):
        raise SystemExit(f"README.md has no <!-- {mark} --> ... <!-- /{mark} -->")
    return re.sub(pattern, lambda found: f"{found[1]}{content}\n{found[2]}", text, flags=re.DOTALL)


def main() -> None:
    text = README.read_text(encoding="utf-8")
    entries = recorded_entries()
    text = fill(text, "summary", summary(entries))
    text = fill(text, "ledger", markdown(entries))
    if len(sys.argv) > 1:
        proof = Path(sys.argv[1]).read_text(encoding="utf-8").strip()
        text = fill(text, "proof", f"```\n{proof}\n```")
    README.write_text(text, encoding="utf-8")
    write_page()


if __name__ == "__main__":
    main()
