"""The NLI corpora: groups of premises and statements -> labelled pairs.

Files named genre_* give the MultiNLI layout, the others the SNLI layout. Held out of training: two
whole source files, a tenth or two of the groups of every other file, and two kinds of edit. Dev and
test have all of these, and beside them new wordings of groups that are in training.
"""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import chain, islice, zip_longest

from output import Output, json_lines
from sources import (
    Block,
    Statement,
    premises,
    read_blocks,
    read_wordings,
    source_files,
    statements,
)
from templates import SourceError, Template
from variation import renderings, shuffled

LABELS = {"E": "entailment", "N": "neutral", "C": "contradiction"}
HELD_OUT_FILES = ("kitchens", "genre_travel")
HELD_OUT_KINDS = ("number", "role")
TRAIN_PAIRS = 6_150  # of each layout
ABLATION_PAIRS = 2_000  # the first rows of each training file: together the fixed 4,000
MOST_VARIANTS = {"train": 40, "dev": 2, "test": 2}
NEW_WORDINGS = {"snli": {"dev": 312, "test": 648}, "multinli": {"dev": 348}}  # pairs
PARTS = ("new-wording", "unseen-group", "unseen-kind", "unseen-file", "unseen-both")


@dataclass(frozen=True)
class Pair:
    premise: str
    statement: str
    label: str
    file: str
    group: str
    variant: str  # P1H2.0: premise 1, statement 2, first rendering
    kind: str
    seen: str

    @property
    def pair_id(self) -> str:
        return "#".join((self.file, self.group, self.variant, self.kind, self.seen))

    def row(self) -> dict[str, str]:
        """The fields of the official files that the loaders read, and the pairID."""
        row = {"gold_label": self.label, "sentence1": self.premise, "sentence2": self.statement}
        genre = self.file.removeprefix("genre_")
        return row | ({"genre": genre} if genre != self.file else {}) | {"pairID": self.pair_id}


def build(output: Output) -> None:
    """Write both layouts."""
    layouts: dict[str, dict[str, list[Block]]] = {"snli": {}, "multinli": {}}
    wordings = read_wordings()
    for path in source_files("nli"):
        layout = "multinli" if path.stem.startswith("genre_") else "snli"
        for split, blocks in deal(read_blocks(path, wordings=wordings), path.stem).items():
            layouts[layout].setdefault(split, []).extend(blocks)
    names = {
        "snli": {split: f"snli_1.0_{split}.jsonl" for split in ("train", "dev", "test")},
        "multinli": {
            "train": "multinli_1.0_train.jsonl",
            "dev": "multinli_1.0_dev_matched.jsonl",
            "test": "multinli_1.0_dev_mismatched.jsonl",
        },
    }
    for layout, splits in layouts.items():
        known: set[tuple[str, str]] = set()
        more: dict[str, list[Pair]] = {}
        for split, name in names[layout].items():
            pairs = choose(splits.get(split, []), split, known)
            known |= {(pair.premise, pair.statement) for pair in pairs}
            if split == "train":
                told = {pair.premise for pair in pairs}
                more = new_wordings(splits[split], told, NEW_WORDINGS[layout])
            else:
                pairs = shuffled(
                    [*pairs, *more.get(split, [])], "nli rows", key=lambda pair: pair.pair_id
                )
            output.add(f"{layout}/{name}", json_lines([pair.row() for pair in pairs]), len(pairs))
            output.count(layout, split, len(pairs))
            shown = [(pair.label, pair.premise, pair.statement) for pair in pairs]
            output.show(layout, shown)


def deal(blocks: list[Block], file: str) -> dict[str, list[Block]]:
    """Whole groups to train, dev and test: 8 : 1 : 1, in a genre file 8 : 2 : 0.

    Dev and test get groups with a held-out kind of edit: in training their statements are lost.
    """
    if file in HELD_OUT_FILES:
        return {"test": blocks}
    order = shuffled(blocks, "nli", file, key=lambda block: block.name)
    order.sort(key=lambda block: not any(s.kind in HELD_OUT_KINDS for s in statements(block)))
    tenth = max(1, round(len(blocks) / 10))
    first, second, rest = order[:tenth], order[tenth : 2 * tenth], order[2 * tenth :]
    if file.startswith("genre_"):
        return {"dev": first + second, "train": rest}
    return {"dev": first, "test": second, "train": rest}


def choose(blocks: list[Block], split: str, known: set[tuple[str, str]]) -> list[Pair]:
    """Equally many pairs of each label; every premise and statement once before any comes again."""
    queues: dict[str, list[Pair]] = {label: [] for label in LABELS.values()}
    turns = zip_longest(*(list_variants(block, split) for block in blocks))
    for pair in chain.from_iterable(turns):
        if pair is not None and (pair.premise, pair.statement) not in known:
            known.add((pair.premise, pair.statement))
            queues[pair.label].append(pair)
    count = min(len(queue) for queue in queues.values())
    if split == "train":
        count = min(count, TRAIN_PAIRS // 3)
    rows = [
        pair for turn in zip(*(q[:count] for q in queues.values()), strict=True) for pair in turn
    ]
    if split != "train":
        return rows
    return [
        pair
        for part in (rows[:ABLATION_PAIRS], rows[ABLATION_PAIRS:])
        for pair in shuffled(part, "nli rows", key=lambda pair: pair.pair_id)
    ]


def list_variants(block: Block, split: str) -> Iterator[Pair]:
    """First rendering of each premise and statement in turn, then the second of each, and so on."""
    streams = [
        pair_variants(block, number, statement, split)
        for number in range(1, len(premises(block)) + 1)
        for statement in statements(block)
        if split != "train" or statement.kind not in HELD_OUT_KINDS
    ]
    order = shuffled(range(len(streams)), "nli turns", block.name)
    for turn in zip_longest(*(streams[i] for i in order)):
        yield from (pair for pair in turn if pair is not None)


def pair_variants(block: Block, number: int, statement: Statement, split: str) -> Iterator[Pair]:
    """Renderings of one premise with one statement."""
    templates = [premises(block)[number - 1], statement.template]
    found = renderings(block, templates, block.name, f"P{number}H{statement.number}")
    seen = "seen" if split == "train" else how_unseen(block.file, statement.kind)
    for variant, texts in enumerate(islice(found, MOST_VARIANTS[split])):
        yield make_pair(block, number, statement, texts, variant, seen)


def make_pair(
    block: Block, number: int, statement: Statement, texts: list[str], variant: int, seen: str
) -> Pair:
    """One rendering of premise `number` and the statement."""
    return Pair(
        premise=texts[0],
        statement=texts[1],
        label=LABELS[statement.labels[number - 1]],
        file=block.file,
        group=block.name,
        variant=f"P{number}H{statement.number}.{variant}",
        kind=statement.kind,
        seen=seen,
    )


def how_unseen(file: str, kind: str) -> str:
    """What of this pair training never saw: its group at least, or its file, its kind, or both."""
    unseen_file, unseen_kind = file in HELD_OUT_FILES, kind in HELD_OUT_KINDS
    if unseen_file and unseen_kind:
        return "unseen-both"
    return "unseen-file" if unseen_file else "unseen-kind" if unseen_kind else "unseen-group"


def new_wordings(
    blocks: list[Block], told: set[str], sizes: dict[str, int]
) -> dict[str, list[Pair]]:
    """So many pairs for each split from training groups, their premises in no other split.

    Three at a time: a statement with each premise of its group, once with each label.
    """
    taken, made = set(told), Counter()
    found: dict[str, list[Pair]] = {}
    for split, size in sizes.items():
        order = shuffled(blocks, "new wordings", split, key=lambda block: block.name)
        turns = zip_longest(*(list_triples(block, taken) for block in order))
        triples = list(islice(filter(None, chain.from_iterable(turns)), size // 3))
        if len(triples) < size // 3:
            raise SourceError(f"only {len(triples)} of {size // 3} new wordings for {split}")
        found[split] = []
        for block, statement, text, texts in triples:
            variant = made[block.name, statement.number]
            made[block.name, statement.number] += 1
            for number, premise in enumerate(texts, start=1):
                pair = make_pair(block, number, statement, [premise, text], variant, "new-wording")
                found[split].append(pair)
        taken |= {pair.premise for pair in found[split]}
    return found


Triple = tuple[Block, Statement, str, list[str]]  # a statement's text and those of the premises


def list_triples(block: Block, taken: set[str]) -> Iterator[Triple]:
    """Each statement that has all three labels in turn; none of the premises is a taken one."""
    streams = [
        statement_triples(block, statement, taken)
        for statement in statements(block)
        if statement.kind not in HELD_OUT_KINDS and set(statement.labels) == set(LABELS)
    ]
    for turn in zip_longest(*shuffled(streams, "new wordings", block.name, key=streams.index)):
        yield from (triple for triple in turn if triple is not None)


def statement_triples(block: Block, statement: Statement, taken: set[str]) -> Iterator[Triple]:
    """One wording of the statement and of every premise for each choice of slot values."""
    templates = [statement.template, *premises(block)]
    used = set().union(*(template.slots for template in templates))
    seed = (block.name, statement.number, "new wordings")
    seen: set[tuple[str, str]] = set()
    for values in shuffled(block.assignments(used, new=True), *seed):
        text, *texts = (first_wording(t, values, taken, *seed) for t in templates)
        pairs = {(premise, text) for premise in texts}
        if text and all(texts) and not pairs & seen:
            seen |= pairs
            yield block, statement, text, texts


def first_wording(
    template: Template, values: dict[str, str], taken: set[str], *seed: object
) -> str:
    """The first version in a shuffled order that is not taken; empty if all are."""
    order = shuffled(range(len(template.versions)), *seed, template.text, values)
    found = (template.render(version, values) for version in order)
    return next((text for text in found if text not in taken), "")
