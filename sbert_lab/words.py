"""Splitting text into words, function words, and the n-grams of a word."""

import re
import unicodedata
from functools import lru_cache

_WORD = re.compile(r"[^\W\d_]+(?:'t\b)?|\d+")

# Words that hold a sentence together but say little about its subject. `not` is no stop word.
_STOP_WORDS = """
    a an the this that these those such same some any each every both either another other
    i me my mine myself we us our ours you your yours he him his she her hers it its itself they
    them their theirs themselves himself herself who whom whose which what
    and or but nor so yet if then than as because while although though since until whether
    of in on at by for from to with into onto over under about between through during before after
    above below up down out off again upon within
    is am are was were be been being do does did doing done have has had having will would shall
    should can could may might must
    there here where when why how very too also just only own more most s t d ll re ve m
"""
STOP_WORDS = frozenset(_STOP_WORDS.split())


def split_words(text: str) -> list[str]:
    """Lower-case words and numbers; don't and can't stay whole, other marks part words."""
    text = unicodedata.normalize("NFKC", text).replace("\u2019", "'").lower()
    return _WORD.findall(text)


@lru_cache(maxsize=100_000)
def ngram_buckets(word: str, buckets: int, shortest: int, longest: int) -> tuple[int, ...]:
    """The buckets of a word's character n-grams, with < and > around it as fastText has it."""
    framed = f"<{word}>"
    return tuple(
        fnv1a(framed[start : start + length]) % buckets
        for length in range(shortest, longest + 1)
        for start in range(len(framed) - length + 1)
    )


def fnv1a(text: str) -> int:
    """The 32-bit FNV-1a hash: the same on every machine, unlike Python's own hash."""
    value = 2166136261
    for byte in text.encode("utf-8"):
        value = ((value ^ byte) * 16777619) & 0xFFFFFFFF
    return value
