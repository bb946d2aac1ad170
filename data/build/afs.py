"""Argument facet similarity: pairs of arguments of one topic, scored by facet and stance.

The rubric (data/README.md shows it to readers):
5 near-equivalents (starred in the source), 4 same facet and stance, 3 same facet, opposite stance,
2 related facets, same stance, 1.5 related facets, opposite stance, 1 other facets, same stance,
0.5 other facets, opposite stance.
"""

import math
import re
from collections import Counter
from itertools import combinations

from output import Output, quoted_lines
from sources import Argument, Topic, read_topic, source_files
from variation import heads, shuffled

PAIRS = {5.0: 30, 4.0: 130, 3.0: 130, 2.0: 90, 1.5: 60, 1.0: 90, 0.5: 70}  # of each topic
SIDE = ("datasetId", "discussionId", "postId", "sentenceIndex")
HEADER = (
    "regression_label",
    *(f"{name}_1" for name in SIDE),
    *(f"{name}_2" for name in SIDE),
    "sentence_1",
    "sentence_2",
)


def build(output: Output) -> None:
    """Write a file for each topic, named after its source file."""
    for path in source_files("afs"):
        rows = choose(read_topic(path))
        text = quoted_lines([HEADER, *rows])
        output.add(f"afs/ArgPairs_{path.stem}.csv", text, len(rows), encoding="latin-1")
        output.count("afs", "all", len(rows))
        output.show("afs", [(f"{row[0]:g}", *row[-2:]) for row in rows])


def score(topic: Topic, first: Argument, second: Argument) -> float:
    """By the rubric."""
    same_stance = first.stance == second.stance
    if first.facet == second.facet:
        if not same_stance:
            return 3.0
        return 5.0 if first.star and second.star else 4.0
    if second.facet in topic.related[first.facet] or first.facet in topic.related[second.facet]:
        return 2.0 if same_stance else 1.5
    return 1.0 if same_stance else 0.5


def choose(topic: Topic) -> list[tuple]:
    """So many pairs of each score; ids are facet, stance and line, as the originals' are posts."""
    found: dict[float, list[tuple[Argument, Argument]]] = {level: [] for level in PAIRS}
    for pair in combinations(topic.arguments, 2):
        found[score(topic, *pair)].append(pair)
    facets = list(topic.related)
    rarity = rarities(topic)
    rows = []
    for level, pairs in found.items():
        for pair in lean(shuffled(pairs, topic.file, level, key=key_of), level, rarity):
            first, second = pair[::-1] if heads(topic.file, key_of(pair)) else pair
            ids = [
                part
                for argument in (first, second)
                for part in (
                    1,
                    facets.index(argument.facet) + 1,
                    1 if argument.stance == "pro" else 2,
                    argument.number,
                )
            ]
            rows.append((level, *ids, first.text, second.text))
    return shuffled(rows, topic.file, "rows")


def lean(
    pairs: list[tuple[Argument, Argument]], level: float, rarity: dict[str, float]
) -> list[tuple[Argument, Argument]]:
    """Half of the wanted pairs as they come, half with many (3 and more) or few shared words.

    The writers avoided each other's words so well that word overlap said nothing at all; among real
    arguments it says something.
    """
    count = min(PAIRS[level], len(pairs))
    drawn, rest = pairs[: count // 2], pairs[count // 2 :]
    sign = -1 if level >= 3 else 1
    rest = sorted(rest, key=lambda pair: sign * shared(*pair, rarity))  # stable: ties stay shuffled
    return drawn + rest[: count - len(drawn)]


def words(text: str) -> set[str]:
    return set(re.findall(r"[a-z']+", text.lower()))


def rarities(topic: Topic) -> dict[str, float]:
    """A weight for each word: the fewer arguments have it, the more it says."""
    found = Counter(word for argument in topic.arguments for word in words(argument.text))
    return {word: math.log(len(topic.arguments) / count) for word, count in found.items()}


def shared(first: Argument, second: Argument, rarity: dict[str, float]) -> float:
    """The weight of the shared words in that of all words."""
    both, all_words = words(first.text) & words(second.text), words(first.text) | words(second.text)
    return sum(map(rarity.get, sorted(both))) / sum(map(rarity.get, sorted(all_words)))


def key_of(pair: tuple[Argument, Argument]) -> str:
    return f"{pair[0].text}\n{pair[1].text}"
