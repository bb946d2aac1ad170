"""What a sentence says in words: its negations, its numbers, its order. For the pairs of 17."""

import re
from collections.abc import Sequence

_NEGATIONS = """not no never nobody nothing none nowhere without cannot neither nor hardly barely
scarcely"""
NEGATIONS = set(_NEGATIONS.split())
_UNITS = """zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen
fifteen sixteen seventeen eighteen nineteen"""
_TENS = "twenty thirty forty fifty sixty seventy eighty ninety"
_ORDINALS = "first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth"
_OTHERS = "half both once twice dozens hundreds thousands millions"
TIMES = {"dozen": 12, "hundred": 100, "thousand": 1_000, "million": 1_000_000}
VALUES = {word: value for value, word in enumerate(_UNITS.split())} | TIMES
VALUES |= {word: 10 * value for value, word in enumerate(_TENS.split(), start=2)}
ENDINGS = {1: "st", 2: "nd", 3: "rd"}
NAMED = {word: word for word in _OTHERS.split()}
NAMED |= {word: f"{n}{ENDINGS.get(n, 'th')}" for n, word in enumerate(_ORDINALS.split(), start=1)}


def denies(words: Sequence[str]) -> bool:
    """Whether the sentence denies something: not, never, isn't ..."""
    return any(word in NEGATIONS or word.endswith("n't") for word in words)


def words_of(text: str) -> list[str]:
    """Small letters, straight apostrophes; 1,000 and 2.5 stay one word each."""
    text = re.sub(r"(?<=\d),(?=\d{3})", "", text.lower().replace("’", "'"))
    text = re.sub(r"(?<=\d)\.0+(?!\d)", "", text)  # 30.0 is 30
    return re.findall(r"[a-z0-9']+(?:(?<=\d)[.:]\d+)*", text)


def numbers_of(words: Sequence[str]) -> list[str]:
    """The numbers of a sentence, all in digits: 'twenty-five', '25' and '25kg' are the same."""
    found, before = [], None  # before: the value of the word before, if it was a number
    for word in words:
        value = int(word) if word.isdecimal() else VALUES.get(word)
        if value is None:
            found += [NAMED[word]] if word in NAMED else _digits(word)
        else:
            if before is not None and word in TIMES:
                value *= int(found.pop())  # two hundred
            elif before in range(20, 100, 10) and value in range(1, 10):
                value += int(found.pop())  # twenty-five
            found.append(str(value))
        before = value
    return found


def _digits(word: str) -> list[str]:
    """5kg -> 5, 30s -> 30, mp3 -> 3; but 3rd stays 3rd."""
    return re.findall(r"\d+(?:st|nd|rd|th)\b|\d+(?:[.:]\d+)*", word)


def same_meaning(a: Sequence[str], b: Sequence[str]) -> str:
    """Why two orders of the same words still say the same; "" if nothing speaks for it."""
    a, b = list(a), list(b)
    for middle in (place for place, word in enumerate(a) if word in ("and", "or")):
        for start in range(middle):
            for end in range(middle + 2, len(a) + 1):
                turned = a[middle + 1 : end] + a[middle : middle + 1] + a[start:middle]
                if a[:start] + turned + a[end:] == b:
                    return f"x {a[middle]} y means the same as y {a[middle]} x"
    for place, word in enumerate(a):
        for other in (n for n, found in enumerate(b) if found == word and abs(n - place) > 1):
            if a[:place] + a[place + 1 :] == b[:other] + b[other + 1 :]:
                return f"only {word!r} has moved"
    for place in range(1, min(len(a), len(b))):
        if a[place:] + a[:place] == b:  # last year x / x last year
            part = min(a[place:], a[:place], key=len)
            return f"only {' '.join(part)!r} has moved"
    return ""
