"""Draws that depend on names alone, and small helpers for words."""

import re
from collections.abc import Sequence
from itertools import count as count_up
from typing import TypeVar

from variation import digest

Item = TypeVar("Item")
CHOICE = re.compile(r"\{([^{}]*)\}")
DULL_WORDS = {
    *("a", "an", "the", "be", "is", "not", "no", "have", "has", "in", "on", "at", "with", "of"),
    *("to", "do", "it", "they", "their", "for", "very", "all", "just", "never", "than", "more"),
    *("most", "one", "some", "day", "time", "out", "this", "first", "new", "been", "from", "up"),
    "there",
}


class Draws:
    """Choices that depend on a name alone; every call gives a new one."""

    def __init__(self, *seed: object):
        self.seed, self.number = seed, count_up()

    def below(self, limit: int) -> int:
        return digest(*self.seed, next(self.number)) % limit

    def pick(self, options: Sequence[Item]) -> Item:
        return options[self.below(len(options))]

    def chance(self, percent: int) -> bool:
        return self.below(100) < percent

    def weighted(self, weights: dict[Item, int]) -> Item:
        at = self.below(sum(weights.values()))
        for item, weight in weights.items():
            if at < weight:
                return item
            at -= weight
        raise AssertionError("unreachable")

    def choose(self, text: str) -> str:
        """Settle every {free|choice} of a phrase."""
        return CHOICE.sub(lambda match: self.pick(match[1].split("|")), text)


def content(text: str) -> set[str]:
    return set(re.findall(r"[a-z]+", text.lower())) - DULL_WORDS


def pluralise(noun: str) -> str:
    """Plural of a synonym; those that are not regular end like a listed noun."""
    irregular = {"gentleman": "gentlemen", "scarf": "scarves"}
    *before, last = noun.split()
    if last in irregular:
        return " ".join([*before, irregular[last]])
    if noun.endswith("y") and noun[-2] not in "aeiou":
        return noun[:-1] + "ies"
    if noun.endswith("child"):
        return noun + "ren"
    return noun + ("es" if noun.endswith(("s", "sh", "ch", "x")) else "s")
