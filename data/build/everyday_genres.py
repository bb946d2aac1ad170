"""Short statements of letters, travel, shops, talks and forums: the MultiNLI part of the corpus.

A thread asks one question (what about the parcel?) and has four answers to it, each with statements
that follow, that are open and that cannot be true. What an answer says in few words (K) contradicts
the other answers: another event, as in SNLI. A whole thread belongs to one split.
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
from variation import digest, overlap, shuffled

if TYPE_CHECKING:
    from everyday import Pair

LABELS = {"E": "entailment", "N": "neutral", "C": "contradiction"}
HELD_OUT_GENRE = "forums"  # mismatched
HELD_OUT_THREADS = 2  # of each other genre: matched
PREMISE_WORDS, STATEMENT_WORDS = range(8, 15), range(4, 10)
OF_EACH_LABEL = 2


@dataclass(frozen=True)
class Answer:
    premises: Template
    core: tuple[Template, ...]  # what it says in few words, then with open details
    excludes_others: bool  # do the cores of the other answers contradict it, and its core them?
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
    core, excludes_others, statements = (), True, {}
    for line in lines:
        letter, sentences = line.split(": ", 1)
        found = tuple(Template(s, place) for s in items(sentences, " / "))
        if letter in ("K", "K-"):
            core, excludes_others = found, letter == "K"
        else:
            statements[LABELS[letter]] = found
    if set(statements) != set(LABELS.values()) or not core:
        raise SourceError(f"{place}: an answer needs lines K:, E:, N: and C:")
    return Answer(Template(premise, place), core, excludes_others, statements)


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
                    for at, text in enumerate(choose(thread, answer, label, values, premise))
                ]
                fits = len(made) == OF_EACH_LABEL * len(LABELS) and premise not in seen
                fits = fits and len(premise.split()) in PREMISE_WORDS and not is_avoided(premise)
                seen.add(premise)  # comes again where a slot is in statements only
                if fits and (split == "train" or all(one.words <= known for one in made)):
                    yield made


def choose(
    thread: Thread, answer: Answer, label: str, values: dict[str, str], premise: str
) -> list[str]:
    """Two of the statements with this label, others for each premise; one or both from a core."""
    rivals = [a for a in thread.answers if a is not answer and a.excludes_others]
    close = {
        "entailment": answer.core[:1],
        "neutral": answer.core[1:],
        "contradiction": [c for a in rivals for c in a.core] if answer.excludes_others else [],
    }[label]
    both = label != "entailment" and digest("both from a core", label, premise) % 4 > 0
    groups = []
    for templates in (close, answer.statements[label]):
        texts = [template.render(0, values) for template in templates]
        texts = [t for t in texts if len(t.split()) in STATEMENT_WORDS and not is_avoided(t)]
        groups.append(shuffled(texts, "genre statements", premise))
    if label == "contradiction":  # another event: of the cores those that say the least of the same
        groups[0] = sorted(groups[0], key=lambda text: overlap(premise, text))[:4]
        groups[0] = shuffled(groups[0], "genre statements", premise)
    found = dict.fromkeys([*groups[0][: 2 if both else 1], *groups[1]])
    return list(found)[:OF_EACH_LABEL]
