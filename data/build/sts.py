"""The similarity corpora: ladders -> scored pairs. Every ladder is used in one set only."""

from collections.abc import Iterator
from itertools import islice

from output import Output, tab_lines
from sources import LATER, Block, read_blocks, rungs, source_files
from variation import heads, renderings, shuffled

# Source file -> how many of its ladders each set gets: (corpus, sub-file, ladders).
SHARES: dict[str, list[tuple[str, str, int]]] = {
    "captions": [
        *(("stsb", "train", 14), ("stsb", "dev", 5), ("stsb", "test", 5)),
        *(("sts12", "MSRvid", 5), ("sts14", "images", 5), ("sts15", "images", 6)),
    ],
    "news": [
        *(("sts14", "deft-news", 8), ("sts12", "MSRpar", 6), ("sts12", "surprise.SMTnews", 5)),
        *(("stsb", "train", 13), ("stsb", "dev", 4), ("stsb", "test", 4)),
    ],
    "headlines": [
        *(("stsb", "train", 12), ("stsb", "dev", 4), ("stsb", "test", 4)),
        *(("sts13", "headlines", 11), ("sts14", "headlines", 6)),
        *(("sts15", "headlines", 6), ("sts16", "headlines", 7)),
    ],
    "forum": [
        *(("stsb", "train", 14), ("stsb", "dev", 5), ("stsb", "test", 5)),
        *(("sts14", "deft-forum", 6), ("sts15", "answers-forums", 8), ("sts15", "belief", 7)),
    ],
    "questions": [
        *(("stsb", "train", 10), ("stsb", "dev", 6), ("stsb", "test", 6)),
        ("sts16", "question-question", 13),
    ],
    "student_answers": [
        *(("sts15", "answers-students", 12), ("sts16", "answer-answer", 12)),
        ("sts16", "plagiarism", 11),
    ],
    "definitions": [
        *(("sts12", "surprise.OnWN", 8), ("sts13", "FNWN", 8)),
        *(("sts13", "OnWN", 13), ("sts14", "OnWN", 6)),
    ],
    "translations": [("sts12", "SMTeuroparl", 10), ("sts16", "postediting", 10)],
    "tweets": [("stsb", "train", 12), ("sts14", "tweet-news", 13), ("sts15", "belief", 10)],
    "everyday": [("sick", "train", 26), ("sick", "trial", 5), ("sick", "test", 19)],
}
GENRES = {"captions": "main-captions", "news": "main-news", "headlines": "main-news"}
VARIANTS = {
    ("stsb", "train"): 2,
    ("sick", "train"): 2,
    ("sick", "trial"): 2,
    ("sick", "test"): 2,
}
UNSCORED = {"sts15": 2, "sts16": 3}  # pairs without a gold score in each sub-file of these years
SICK_FILES = {
    "train": ("train", "SICK_train.txt"),
    "trial": ("dev", "SICK_trial.txt"),
    "test": ("test", "SICK_test_annotated.txt"),
}
Scored = tuple[float, str, str, str]  # score, sentence, sentence, source file


def build(output: Output) -> None:
    """Write the STS benchmark, SICK and the five years."""
    sets = deal()
    for (corpus, name), blocks in sorted(sets.items()):
        pairs = [pair for block in blocks for pair in list_pairs(block, corpus, name)]
        pairs = shuffled(dict.fromkeys(pairs), corpus, name)
        output.show(corpus, [(f"{score:g}", first, second) for score, first, second, _ in pairs])
        if corpus == "stsb":
            write_benchmark(output, name, pairs)
        elif corpus == "sick":
            write_sick(output, name, pairs)
        else:
            count = UNSCORED.get(corpus, 0)
            unscored = [pair for block in blocks[:count] for pair in unscored_pairs(block)]
            write_year(output, corpus, name, pairs, unscored)


def deal() -> dict[tuple[str, str], list[Block]]:
    """The ladders of each set. A file with fewer or more ladders is shared out in proportion.

    Those that came later are shared out apart, so that no other ladder changed its set.
    """
    sets: dict[tuple[str, str], list[Block]] = {}
    for path in (*source_files("sts"), *source_files(LATER)):
        seed = (path.parent.name, path.stem)
        blocks = shuffled(read_blocks(path), *seed, key=lambda block: block.name)
        shares = SHARES[path.stem]
        whole = sum(count for _, _, count in shares)
        start = done = 0
        for corpus, name, count in shares:
            done += count
            end = round(len(blocks) * done / whole)
            sets.setdefault((corpus, name), []).extend(blocks[start:end])
            start = end
    return sets


def list_pairs(block: Block, corpus: str, name: str) -> Iterator[Scored]:
    """Base with every rung and the first rung of level 5 with every other, at the same score.

    The five years take one of these two for each rung: more ladders, fewer pairs of each.
    """
    (base,) = block.of("base")
    same = next((template for score, template in rungs(block) if score == 5), None)
    for number, (score, rung) in enumerate(rungs(block)):
        partners = [base] if same is None or rung is same else [base, same]
        if corpus not in ("stsb", "sick"):
            partners = partners[-1:] if heads("partner", block.name, number) else partners[:1]
        for which, partner in enumerate(partners):
            seed = (block.name, number, which)
            found = renderings(block, [partner, rung], *seed)
            for first, second in islice(found, VARIANTS.get((corpus, name), 1)):
                if first != second:
                    pair = (second, first) if heads("order", *seed) else (first, second)
                    yield score, *pair, block.file


def unscored_pairs(block: Block) -> Iterator[Scored]:
    """Two rungs whose similarity nobody wrote down."""
    middle = [template for score, template in rungs(block) if 1 <= score <= 3][:2]
    for first, second in islice(renderings(block, middle, block.name, "unscored"), 1):
        yield -1.0, first, second, block.file


def write_benchmark(output: Output, split: str, pairs: list[Scored]) -> None:
    rows = [
        (GENRES.get(file, "main-forums"), file, "mini", f"{i:04}", f"{score:.3f}", first, second)
        for i, (score, first, second, file) in enumerate(pairs)
    ]
    output.add(f"stsbenchmark/sts-{split}.csv", tab_lines(rows), len(rows))
    output.count("stsb", split, len(rows))


def write_sick(output: Output, name: str, pairs: list[Scored]) -> None:
    """Relatedness 1 + 0.8 score. Nobody judged entailment here: the column says UNKNOWN."""
    split, file = SICK_FILES[name]
    header = ("pair_ID", "sentence_A", "sentence_B", "relatedness_score", "entailment_judgment")
    rows = [
        (i, first, second, f"{1 + 0.8 * score:.1f}", "UNKNOWN")
        for i, (score, first, second, _) in enumerate(pairs, start=1)
    ]
    output.add(f"SICK/{file}", tab_lines([header, *rows]), len(rows))
    output.count("sick", split, len(rows))


def write_year(
    output: Output, corpus: str, name: str, pairs: list[Scored], unscored: list[Scored]
) -> None:
    """An input and a gold file; an empty gold line is a pair that nobody scored."""
    mixed = shuffled([*pairs, *unscored], corpus, name, "unscored")
    folder = f"STS/{corpus.upper()}-en-test"
    texts = tab_lines([(first, second) for _, first, second, _ in mixed])
    gold = "".join((f"{score:g}" if score >= 0 else "") + "\n" for score, _, _, _ in mixed)
    output.add(f"{folder}/STS.input.{name}.txt", texts, len(pairs))
    output.add(f"{folder}/STS.gs.{name}.txt", gold, len(pairs))
    output.count(corpus, "test", len(pairs))
