"""The words of the glossary, linked where a notebook first uses them."""

import re
from functools import cache

from builder import NOTEBOOKS

# What a notebook calls it -> its entry in GLOSSARY.md. The entry is shown when the mouse rests.
WORDS = {
    "Spearman": "Spearman correlation",
    "STSb": "STSb",
    "bootstrap": "bootstrap",
    "objective": "objective",
    "claim": "claim",
    "floor": "floor",
    "standard deviation": "standard deviation",
    "cross-encoder": "cross-encoder",
    "NLI": "NLI",
    "softmax": "softmax",
    "backbone": "backbone",
}
# Not linked: headings, table rows, raw HTML and what is already code, a formula or a link.
LEFT_ALONE = re.compile(r"^(#|\||<|\$\$|```)")
TAKEN = re.compile(r"`[^`]*`|\$[^$]*\$|!?\[[^\]]*\]\([^)]*\)|<[^>]*>")


def link_words(cells) -> None:
    """Link the first use of each word in the prose to its entry; the cells are changed."""
    waiting = dict(WORDS)
    for cell in cells[1:]:
        if cell.cell_type == "markdown" and waiting:
            cell.source = "\n".join(_line(line, waiting) for line in cell.source.split("\n"))


def _line(line: str, waiting: dict[str, str]) -> str:
    if LEFT_ALONE.match(line):
        return line
    for word in list(waiting):
        taken = [found.span() for found in TAKEN.finditer(line)]
        for found in re.finditer(rf"(?<![\w-]){re.escape(word)}(?:s|es)?(?![\w-])", line):
            if not any(start <= found.start() < end for start, end in taken):
                target, meaning = entry(waiting.pop(word))
                link = f'[{found[0]}](GLOSSARY.md#{target} "{meaning}")'
                line = line[: found.start()] + link + line[found.end() :]
                break
    return line


@cache
def entry(term: str) -> tuple[str, str]:
    """The anchor of a term, and its meaning on one line."""
    text = (NOTEBOOKS / "GLOSSARY.md").read_text(encoding="utf-8")
    meaning = re.search(rf"^## {re.escape(term)}\n((?:.+\n)*?.+)\\\n", text, re.MULTILINE)[1]
    anchor = re.sub(r"[^\w\- ]", "", term.lower()).replace(" ", "-")
    return anchor, " ".join(meaning.split()).replace('"', "'")
