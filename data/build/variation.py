"""Deterministic choice: orders and draws that depend on names alone, never on the machine."""

import hashlib
import re
from collections.abc import Callable, Iterable, Iterator
from itertools import product
from typing import TypeVar

from sources import Block
from templates import Template

Item = TypeVar("Item")


def digest(*parts: object) -> int:
    """A number that depends on the parts alone."""
    text = "\x1f".join(str(part) for part in parts)
    return int.from_bytes(hashlib.sha256(text.encode()).digest()[:8], "big")


def shuffled(
    items: Iterable[Item], *seed: object, key: Callable[[Item], object] = str
) -> list[Item]:
    """The items in an order that looks random; equal on every machine and Python version."""
    return sorted(items, key=lambda item: (digest(*seed, key(item)), str(key(item))))


def heads(*seed: object) -> bool:
    """A coin that falls the same way for the same seed."""
    return digest(*seed) % 2 == 0


def renderings(block: Block, templates: list[Template], *seed: object) -> Iterator[list[str]]:
    """Different joint renderings of some lines of one block, in a shuffled order.

    Slots agree between the lines; phrasings and choices are free. Early renderings are spread over
    the slot values: each round gives every assignment once, in another version.
    """
    used = set().union(*(template.slots for template in templates))
    assignments = shuffled(block.assignments(used), *seed, "slots")
    versions = [range(len(template.versions)) for template in templates]
    orders = [
        shuffled(product(*versions), *seed, "versions", number)
        for number in range(len(assignments))
    ]
    seen: set[tuple[str, ...]] = set()
    for turn in range(len(orders[0])):
        for values, order in zip(assignments, orders, strict=True):
            pairs = zip(templates, order[turn], strict=True)
            texts = [template.render(version, values) for template, version in pairs]
            if tuple(texts) not in seen:
                seen.add(tuple(texts))
                yield texts


def overlap(first: str, second: str) -> float:
    """Shared words among all words, for choices that lean on it."""
    a, b = (set(re.findall(r"[a-z0-9']+", text.lower())) for text in (first, second))
    return len(a & b) / max(1, len(a | b))
