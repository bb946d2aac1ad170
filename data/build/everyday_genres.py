"""Short statements of letters, travel, shops, talks and forums: the MultiNLI part of the corpus.

A thread asks one question (what about the parcel?) and has four answers to it, each with statements
that follow, that are open and that cannot be true. A whole thread belongs to one split.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from typing import TYPE_CHECKING

from everyday_avoid import is_avoided
from everyday_words import FOLDER, items
from templates import SourceError, Template
from variation import shuffled

if TYPE_CHECKING:
    from everyday import Pair

LABELS = {"E": "entailment", "N": "neutral", "C": "contradiction"}
HELD_OUT_GENRE = "forums"  # mismatched
HELD_OUT_THREADS = 1  # of each other genre: matched
PREMISE_WORDS, STATEMENT_WORDS = range(8, 15), range(4, 10)
OF_EACH_LABEL = 2


@dataclass(frozen=True)
class Answer:
    premises: Template
    statements: dict[str, tuple[Template, ...]]


@dataclass(frozen=True)
class Thread:
    genre: str
    name: str
    slots: dict[str, list[str]]
    answers: list[Answer]

    def values(self) -> list[dict[str, str]]:
        """Every choice of slot values."""
        return [dict(zip(self.slots, v, strict=True)) for v in product(*self.slots.values())]


def read_threads(path: Path) -> list[Thread]:
    found = []
    for block in re.split(r"^== ", path.read_text(encoding="utf-8"), flags=re.MULTILINE)[1:]:
        head, *parts = re.split(r"^- ", block, flags=re.MULTILINE)
        name, *lines = head.split("\n")
        slots = {}
        for line in filter(None, map(str.strip, lines)):
            slot, values = line.split(" = ")
            slots[slot] = list(items(values, "|"))
        place = f"genres/{path.name}, {name}"
        found.append(Thread(path.stem, name.strip(), slots, [read_answer(p, place) for p in parts]))
    return found


def read_answer(text: str, place: str) -> Answer:
    premise, *lines = [line.strip() for line in text.splitlines() if line.strip()]
    statements = {}
    for line in lines:
        letter, sentences = line.split(": ", 1)
        statements[LABELS[letter]] = tuple(Template(s, place) for s in items(sentences, " / "))
    if set(statements) != set(LABELS.values()):
        raise SourceError(f"{place}: an answer needs lines E:, N: and C:")
    return Answer(Template(premise, place), statements)


def split_of(thread: Thread, threads: list[Thread]) -> str:
    if thread.genre == HELD_OUT_GENRE:
        return "test"
    mates = [other.name for other in threads if other.genre == thread.genre]
    held_out = shuffled(mates, "genre threads", thread.genre)[:HELD_OUT_THREADS]
    return "dev" if thread.name in held_out else "train"


def genre_pairs(pair: type["Pair"], known: set[str]) -> dict[str, list["Pair"]]:
    """Pairs by split; dev and test use the words of training or of `known` only."""
    paths = sorted((FOLDER / "genres").glob("*.txt"))
    threads = [thread for path in paths for thread in read_threads(path)]
    found: dict[str, list[Pair]] = {"train": [], "dev": [], "test": []}
    for split in found:
        for thread in threads:
            if split_of(thread, threads) == split:
                for made in thread_pairs(thread, pair, split, known):
                    found[split] += made
        if split == "train":
            known = known.union(*(one.words for one in found[split]))
    return found


def thread_pairs(
    thread: Thread, pair: type["Pair"], split: str, known: set[str]
) -> Iterator[list["Pair"]]:
    """The pairs of one premise at a time, equally many of each label."""
    part = {"train": "seen", "dev": "unseen-thread", "test": "unseen-genre"}[split]
    seen: set[str] = set()
    for number, answer in enumerate(thread.answers, start=1):
        for values in thread.values():
            for version in range(len(answer.premises.versions)):
                premise = answer.premises.render(version, values)
                variant = f"P{number}.{version}.{'.'.join(values.values()).replace(' ', '_')}"
                made = [
                    pair(
                        premise=premise,
                        statement=text,
                        label=label,
                        file=thread.genre,
                        group=thread.name,
                        variant=f"{variant}{label[0].upper()}{at + 1}",
                        kind="statement",
                        part=part,
                    )
                    for label in LABELS.values()
                    for at, text in enumerate(choose(answer, label, values, premise))
                ]
                fits = len(made) == OF_EACH_LABEL * len(LABELS) and premise not in seen
                fits = fits and len(premise.split()) in PREMISE_WORDS and not is_avoided(premise)
                seen.add(premise)  # comes again where a slot is in statements only
                if fits and (split == "train" or all(one.words <= known for one in made)):
                    yield made


def choose(answer: Answer, label: str, values: dict[str, str], premise: str) -> list[str]:
    """Two of the statements with this label, others for each premise."""
    texts = [template.render(0, values) for template in answer.statements[label]]
    texts = [t for t in texts if len(t.split()) in STATEMENT_WORDS and not is_avoided(t)]
    return shuffled(texts, "genre statements", premise)[:OF_EACH_LABEL]
