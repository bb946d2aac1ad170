"""Templates: one written line that stands for several sentences.

`||` separates phrasings, `{a|b}` is a free choice, `<who>` is a slot of the block. Everything is
counted and numbered, nothing is drawn at random here: sentence number 5 is the same everywhere.
"""

import re
from dataclasses import dataclass
from functools import cached_property
from itertools import product

TOKEN = re.compile(r"\{([^{}]*)\}|<([a-z_][a-z0-9_]*)>")
SENTENCE_START = re.compile(r"(?:^|[.!?] )[\"'(]*$")


class SourceError(Exception):
    """A source file breaks the rules of data/build/sources/README.md."""


@dataclass(frozen=True)
class Template:
    """A line of a source file and where it stands."""

    text: str
    place: str  # "sts/news.txt, line 12"

    def __post_init__(self) -> None:
        for phrasing in self.phrasings:
            rest = TOKEN.sub("", phrasing)
            if not phrasing or any(character in rest for character in "{}<>|"):
                self.fail(f"unbalanced braces, angle brackets or bars in {phrasing!r}")
            if any("" in choices and len(choices) < 2 for choices in self._choices(phrasing)):
                self.fail(f"an empty choice in {phrasing!r}")

    @property
    def phrasings(self) -> list[str]:
        return [part.strip() for part in self.text.split("||")]

    @cached_property
    def slots(self) -> set[str]:
        """The names of the slots in any phrasing."""
        return {match[2] for match in TOKEN.finditer(self.text) if match[2]}

    @cached_property
    def versions(self) -> list[tuple[str, tuple[str, ...]]]:
        """Every phrasing with every combination of its choices."""
        return [
            (phrasing, picked)
            for phrasing in self.phrasings
            for picked in product(*self._choices(phrasing))
        ]

    def render(self, version: int, values: dict[str, str], *, sentence: bool = True) -> str:
        """Version number `version` with the slots filled in; a sentence starts with a capital."""
        phrasing, picked = self.versions[version]
        remaining = iter(picked)
        built, end = "", 0
        for match in TOKEN.finditer(phrasing):
            built += phrasing[end : match.start()]
            if match[2] and match[2] not in values:
                self.fail(f"the slot <{match[2]}> is not declared")
            word = values[match[2]] if match[2] else next(remaining)
            built += capitalise(word) if sentence and SENTENCE_START.search(built) else word
            end = match.end()
        text = re.sub(r" {2,}", " ", built + phrasing[end:]).strip()
        return capitalise(text) if sentence else text

    def fail(self, problem: str) -> None:
        raise SourceError(f"{self.place}: {problem}")

    @staticmethod
    def _choices(phrasing: str) -> list[list[str]]:
        found = [match[1] for match in TOKEN.finditer(phrasing) if match[1] is not None]
        return [[choice.strip() for choice in text.split("|")] for text in found]


def capitalise(text: str) -> str:
    """Only the first letter: 'a man' -> 'A man', '"yes"' -> '"Yes"'."""
    for at, character in enumerate(text):
        if character.isalpha():
            return text[:at] + character.upper() + text[at + 1 :]
        if character.isdigit():
            break
    return text


def add_wordings(text: str, wordings: dict[str, str]) -> str:
    """Turn each expression of the table, outside of braces and slots, into a {free|choice}."""
    if not wordings:
        return text
    listed = "|".join(re.escape(key) for key in sorted(wordings, key=len, reverse=True))
    expression = re.compile(rf"\{{[^{{}}]*\}}|<[^<>]*>|\b(?:{listed})\b(?!['-])")

    def choice(match: re.Match) -> str:
        found = match[0]
        return f"{{{found}|{wordings[found]}}}" if found in wordings else found

    return expression.sub(choice, text)
