"""The parts of data/README.md that are computed: sizes, and ten unpicked rows of each corpus."""

import re

from output import Output
from variation import shuffled

ROWS = 10
ORDER = (
    *("snli", "multinli", "everyday_snli", "everyday_multinli", "stsb", "sick"),
    *("sts12", "sts13", "sts14", "sts15", "sts16", "afs", "wiki_sections"),
    *("mr", "cr", "subj", "mpqa", "sst", "trec", "mrpc", "quora"),
)


def fill(card: str, output: Output) -> str:
    """Write the sizes and the rows anew."""
    return replace_part(replace_part(card, "sizes", sizes(output)), "rows", sample(output))


def replace_part(card: str, name: str, text: str) -> str:
    """Put text between the marks of that name."""
    pattern = re.compile(rf"(<!-- {name} -->\n).*?(<!-- end of {name} -->)", re.DOTALL)
    if len(pattern.findall(card)) != 1:
        raise ValueError(f"data/README.md needs one pair of marks <!-- {name} -->")
    return pattern.sub(lambda match: match[1] + text + match[2], card)


def sizes(output: Output) -> str:
    lines = ["| corpus | rows |", "|---|---|"]
    for corpus in ORDER:
        splits = output.corpora[corpus]
        order = [name for name in ("train", "dev", "test", "all") if name in splits]
        counts = ", ".join(f"{name} {splits[name]:,}" for name in order)
        lines.append(f"| {corpus} | {counts} |")
    return "\n".join(lines) + "\n"


def sample(output: Output) -> str:
    """Rows drawn by the digest of their text: nobody chose them."""
    lines = []
    for corpus in ORDER:
        lines += ["", f"### {corpus}"]
        for row in shuffled(output.shown[corpus], "card", corpus)[:ROWS]:
            lines.append("- " + " · ".join(cell_text(cell) for cell in row))
    return "\n".join(lines[1:]) + "\n"


def cell_text(cell: object) -> str:
    """Numbers and labels as code, sentences as they are."""
    text = str(cell)
    short = len(text) < 14 and " " not in text
    return f"`{text}`" if short else text
