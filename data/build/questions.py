"""Question pairs: lines of one intent are duplicates; three kinds of pairs are not."""

from collections.abc import Callable, Iterator
from itertools import combinations

from output import Output, quoted_lines
from sources import Block, read_blocks, source_files
from variation import digest, heads, shuffled

DUPLICATES = 2_400
DIFFERENT = {"near": 1_700, "value": 1_250, "intent": 1_150}  # 37 % of all are duplicates
HEADER = ("id", "qid1", "qid2", "question1", "question2", "is_duplicate")
Pair = tuple[str, str]


def build(output: Output) -> None:
    """Write quora_duplicate_questions.tsv."""
    blocks = [block for path in source_files("questions") for block in read_blocks(path)]
    taken: set[frozenset[str]] = set()
    pairs = [(pair, 1) for pair in draw(blocks, duplicates, DUPLICATES, taken)]
    makers = {"near": near_pairs, "value": value_pairs, "intent": intent_pairs(blocks)}
    for name, count in DIFFERENT.items():
        pairs += [(pair, 0) for pair in draw(blocks, makers[name], count, taken)]
    numbers: dict[str, int] = {}
    rows = []
    for (first, second), label in shuffled(pairs, "questions"):
        if heads("order", first, second):
            first, second = second, first
        ids = [numbers.setdefault(text, len(numbers) + 1) for text in (first, second)]
        rows.append((len(rows), *ids, first, second, label))
    text = quoted_lines([HEADER, *rows], delimiter="\t")
    output.add("quora/quora_duplicate_questions.tsv", text, len(rows))
    output.count("quora", "train", len(rows))
    output.show("quora", [(row[-1], *row[3:5]) for row in rows])


def draw(
    blocks: list[Block],
    make: Callable[[Block], Iterator[Pair]],
    count: int,
    taken: set[frozenset[str]],
) -> list[Pair]:
    """The same share of every intent; no pair twice, in whatever order and with whatever label."""
    streams = [iter(shuffled(make(block), block.file, block.name)) for block in blocks]
    chosen: list[Pair] = []
    while streams and len(chosen) < count:
        for stream in list(streams):
            pair = next(stream, None)
            if pair is None:
                streams.remove(stream)
            elif frozenset(pair) not in taken and pair[0] != pair[1] and len(chosen) < count:
                taken.add(frozenset(pair))
                chosen.append(pair)
    return chosen


def lines(block: Block, key: str, values: dict[str, str]) -> list[str]:
    """The questions of an intent with these slot values, each in one of its versions."""
    return [
        template.render(digest(block.name, values, template.text) % len(template.versions), values)
        for template in block.of(key)
    ]


def duplicates(block: Block) -> Iterator[Pair]:
    for values in block.assignments():
        yield from combinations(lines(block, "Q", values), 2)


def near_pairs(block: Block) -> Iterator[Pair]:
    """A question and another question about the same thing."""
    for values in block.assignments():
        for other in lines(block, "near", values):
            yield from ((question, other) for question in lines(block, "Q", values))


def value_pairs(block: Block) -> Iterator[Pair]:
    """The same question about two things, in the same or in other words."""
    for values, others in combinations(block.assignments(), 2):
        for first in lines(block, "Q", values):
            yield from ((first, second) for second in lines(block, "Q", others))


def intent_pairs(blocks: list[Block]) -> Callable[[Block], Iterator[Pair]]:
    """Questions of two intents of one file."""

    def make(block: Block) -> Iterator[Pair]:
        for other in blocks:
            if other.file == block.file and other.name != block.name:
                here, there = shuffled(block.assignments(), other.name)[0], other.assignments()[0]
                for key in ("Q", "near"):
                    first = shuffled(lines(block, key, here), other.name)[0]
                    second = shuffled(lines(other, key, there), block.name)[0]
                    yield first, second

    return make
