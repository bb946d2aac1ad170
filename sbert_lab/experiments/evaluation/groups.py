"""Texts that chains of pairs connect: duplicates of duplicates, pairs that share a sentence."""

from collections.abc import Iterable


def connect(pairs: Iterable[tuple[str, str]], linked: Iterable[bool] | None = None) -> dict:
    """Each text and the number of its group, both in the order of their first appearance.

    Two texts of a linked pair are in one group, and so is all that is linked to either. Without
    `linked` every pair counts.
    """
    parent: dict[str, str] = {}

    def root(text: str) -> str:
        while parent[text] != text:
            parent[text] = parent[parent[text]]
            text = parent[text]
        return text

    pairs = list(pairs)
    for pair, link in zip(pairs, linked or [True] * len(pairs), strict=True):
        for text in pair:
            parent.setdefault(text, text)
        if link:
            parent[root(pair[0])] = root(pair[1])
    numbers: dict[str, int] = {}
    return {text: numbers.setdefault(root(text), len(numbers)) for text in parent}
