"""Parsers of the source formats, see sources/README.md. Every complaint names file and line."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import product
from pathlib import Path

from templates import SourceError, Template, add_wordings

SOURCES = Path(__file__).parent / "sources"
LATER = "sts_everyday"  # ladders that came later
SLOT = re.compile(r"^([a-z_][a-z0-9_]*) (\+?)= (.+)$")
ENTRY = re.compile(r"^(\S+(?: [A-Z]+ [a-z]+)?): (.+)$")
HEADER = re.compile(r"^(group|ladder|intent) (\S+)$")
STATEMENT = re.compile(r"^H(\d) ([ENC]+) ([a-z]+)$")
KINDS = (
    *("action", "object", "place", "time", "number"),
    *("negation", "role", "attribute", "cause", "quantity"),
)


@dataclass
class Block:
    """A named group of lines that share their slots."""

    file: str  # "markets", without folder and suffix
    name: str
    place: str
    slots: dict[str, list[str]] = field(default_factory=dict)
    new_values: dict[str, list[str]] = field(default_factory=dict)  # kept out of training
    entries: list[tuple[str, Template]] = field(default_factory=list)

    def of(self, key: str) -> list[Template]:
        """The lines with that key, in the order of the file."""
        return [template for found, template in self.entries if found == key]

    def assignments(
        self, used: set[str] | None = None, *, new: bool = False
    ) -> list[dict[str, str]]:
        """Every choice of values for the slots, or only for the used ones; with the new values?"""
        names = [name for name in self.slots if used is None or name in used]
        values = [
            self.slots[name] + (self.new_values.get(name, []) if new else []) for name in names
        ]
        return [dict(zip(names, chosen, strict=True)) for chosen in product(*values)]


@dataclass(frozen=True)
class Statement:
    """An NLI statement with its label under each premise."""

    number: int
    labels: str
    kind: str
    template: Template


@dataclass(frozen=True)
class Argument:
    """One sentence on a topic. `star` marks the near-equivalents of a facet and stance."""

    facet: str
    stance: str
    star: bool
    text: str
    number: int


@dataclass
class Topic:
    name: str
    file: str
    related: dict[str, set[str]]
    arguments: list[Argument]


@dataclass
class Article:
    title: str
    file: str
    sections: dict[str, list[str]]


@dataclass(frozen=True)
class Labelled:
    """A labelled line of a SentEval source; `number` is its line."""

    label: str
    template: Template
    number: int


def source_files(folder: str) -> list[Path]:
    """The *.txt of one corpus, by name."""
    return sorted((SOURCES / folder).glob("*.txt"), key=lambda path: path.name)


def lines_of(path: Path) -> Iterator[tuple[int, str, str]]:
    """Line number, "nli/markets.txt, line 3" and text; comments are left out, blank lines stay."""
    text = path.read_text(encoding="utf-8")
    for number, line in enumerate(text.split("\n"), start=1):
        line = line.strip()
        if not line.startswith("#"):
            yield number, f"{path.parent.name}/{path.name}, line {number}", line


def read_wordings() -> dict[str, str]:
    """Expressions that another one may replace."""
    found: dict[str, str] = {}
    for _, place, line in lines_of(SOURCES / "wordings.txt"):
        if line:
            first, bar, second = (part.strip() for part in line.partition("|"))
            if not (bar and first and second) or first in found:
                raise SourceError(f"{place}: not 'expression | another', or twice: {line!r}")
            found[first] = second
    return found


def read_blocks(
    path: Path, *, named: bool = True, wordings: dict[str, str] | None = None
) -> list[Block]:
    """Blocks that a header starts or, where they have no names, that blank lines separate."""
    blocks: list[Block] = []
    current: Block | None = None
    for number, place, line in lines_of(path):
        header = HEADER.match(line)
        if header or (not named and not line):
            current = None
        if not line:
            continue
        if current is None:
            if named and not header:
                raise SourceError(f"{place}: a line before the first group, ladder or intent")
            current = Block(path.stem, header[2] if header else f"line-{number}", place)
            blocks.append(current)
        if not header:
            _add_line(current, place, line, wordings or {})
    for block in blocks:
        _check_block(block)
    names = [block.name for block in blocks]
    for name in names:
        if names.count(name) > 1:
            raise SourceError(f"{path.name}: the name {name} is used twice")
    return blocks


def _add_line(block: Block, place: str, line: str, wordings: dict[str, str]) -> None:
    if slot := SLOT.match(line):
        name, more, text = slot.groups()
        values = [value.strip() for value in text.split("|")]
        known = block.slots.get(name, []) if more else []
        if "" in values or len({*known, *values}) < len(known) + len(values):
            raise SourceError(f"{place}: an empty or repeated value of {name}")
        if more and not known:
            raise SourceError(
                f"{place}: new values of the slot {name}, which is not declared above"
            )
        (block.new_values if more else block.slots)[name] = values
    elif entry := ENTRY.match(line):
        block.entries.append((entry[1], Template(add_wordings(entry[2], wordings), place)))
    else:
        raise SourceError(f"{place}: neither 'slot = values' nor 'key: text': {line!r}")


def _check_block(block: Block) -> None:
    used: set[str] = set()
    for _, template in block.entries:
        for name in template.slots - set(block.slots):
            template.fail(f"the slot <{name}> is not declared")
        used |= template.slots
    if unused := set(block.slots) - used:
        raise SourceError(f"{block.place}: nobody uses the slot {', '.join(sorted(unused))}")


def premises(block: Block) -> list[Template]:
    """P1, P2, P3 in order."""
    return [template for key, template in block.entries if re.fullmatch(r"P\d", key)]


def statements(block: Block) -> list[Statement]:
    """H1, H2, H3, each with one label per premise."""
    count = len(premises(block))
    found = []
    for key, template in block.entries:
        match = STATEMENT.match(key)
        if not match:
            if not re.fullmatch(r"P\d", key):
                template.fail(f"{key!r} is neither P1 nor 'H1 ECN kind'")
            continue
        if len(match[2]) != count:
            template.fail(f"{len(match[2])} labels for {count} premises")
        if match[3] not in KINDS:
            template.fail(f"unknown kind {match[3]!r}: choose {', '.join(KINDS)}")
        found.append(Statement(int(match[1]), match[2], match[3], template))
    return found


def rungs(block: Block) -> list[tuple[float, Template]]:
    """The scored rungs of a ladder; its base is not among them."""
    if len(block.of("base")) != 1:
        raise SourceError(f"{block.place}: a ladder has one base, not {len(block.of('base'))}")
    found = []
    for key, template in block.entries:
        if key == "base":
            continue
        if not re.fullmatch(r"5|[0-4](\.5)?", key):
            template.fail(f"{key!r} is neither base nor a score from 0 to 5 in halves")
        found.append((float(key), template))
    return found


def read_topic(path: Path) -> Topic:
    """One file of arguments."""
    topic = Topic("", path.stem, {}, [])
    facet = ""
    for number, place, line in lines_of(path):
        if line.startswith("topic: "):
            topic.name = line.removeprefix("topic: ")
        elif line.startswith("facet "):
            facet, _, related = line.removeprefix("facet ").partition("|")
            facet = facet.strip()
            names = related.strip().removeprefix("related:").split(",")
            topic.related[facet] = {name.strip() for name in names} - {""}
        elif match := re.match(r"^(pro|con)(\*?): (.+)$", line):
            topic.arguments.append(Argument(facet, match[1], bool(match[2]), match[3], number))
        elif line:
            raise SourceError(f"{place}: neither topic, facet, pro nor con: {line!r}")
    for facet, names in topic.related.items():
        if unknown := names - set(topic.related):
            raise SourceError(f"{path.name}: {facet} names unknown facets {sorted(unknown)}")
    return topic


def read_articles(path: Path) -> list[Article]:
    """Articles with their sections, one sentence per line."""
    articles: list[Article] = []
    sentences: list[str] | None = None
    for _, place, line in lines_of(path):
        if section := re.fullmatch(r"= = (.+) = =", line):
            if not articles or section[1] in articles[-1].sections:
                raise SourceError(f"{place}: a section without article, or twice: {line!r}")
            sentences = articles[-1].sections.setdefault(section[1], [])
        elif title := re.fullmatch(r"= (.+) =", line):
            articles.append(Article(title[1], path.stem, {}))
            sentences = None
        elif line:
            if sentences is None:
                raise SourceError(f"{place}: a sentence outside of any section")
            sentences.append(line)
    return articles


def read_labelled(path: Path, labels: tuple[str, ...]) -> list[Labelled]:
    """`label text` lines."""
    found = []
    for number, place, line in lines_of(path):
        if not line:
            continue
        label, _, text = line.partition(" ")
        if label not in labels or not text:
            raise SourceError(f"{place}: {line!r} does not start with one of {' '.join(labels)}")
        found.append(Labelled(label, Template(text.strip(), place), number))
    return found
