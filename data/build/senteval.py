"""The seven transfer tasks of SentEval, in the layouts of its downstream folder.

All variants of a written line stay on one side of every split. Where a task is cross-validated
(MR, CR, SUBJ, MPQA) a line gives one row only, so that no fold knows the others' lines.
"""

import re
from collections import Counter
from collections.abc import Iterator
from itertools import combinations, islice, product

from output import Output, tab_lines
from sources import SOURCES, Block, Labelled, read_blocks, read_labelled
from variation import digest, heads, overlap, renderings, shuffled

MOST_ROWS = 1_000
OPINIONS = 140  # positive phrases of MPQA
TREC_LABELS = ("ABBR", "DESC", "ENTY", "HUM", "LOC", "NUM")
Row = tuple[str, str]  # label, text


def build(output: Output) -> None:
    """Write every task whose source file is there."""
    folder = SOURCES / "senteval"
    reviews = read_labelled(folder / "reviews.txt", ("+", "-"))
    by_label = sorted(shuffled(reviews, "mr", key=line_of), key=lambda line: line.label)
    write_two_files(output, "MR", by_label[::2], {"+": "rt-polarity.pos", "-": "rt-polarity.neg"})
    write_sst(output, by_label[1::2])
    for task, source, names in (
        ("CR", "products.txt", {"+": "custrev.pos", "-": "custrev.neg"}),
        ("MPQA", "phrases.txt", {"+": "mpqa.pos", "-": "mpqa.neg"}),
        ("SUBJ", "subjectivity.txt", {"s": "subj.subjective", "o": "subj.objective"}),
    ):
        write_two_files(output, task, read_labelled(folder / source, tuple(names)), names)
    write_trec(output, read_labelled(folder / "trec.txt", TREC_LABELS))
    write_mrpc(output, read_blocks(folder / "paraphrases.txt", named=False))


def line_of(line: Labelled) -> str:
    return line.template.text


def versions(line: Labelled, most: int) -> list[Row]:
    """Up to `most` different wordings of one line."""
    numbers = shuffled(range(len(line.template.versions)), line_of(line))
    texts = dict.fromkeys(line.template.render(number, {}) for number in numbers)
    return [(line.label, text) for text in list(texts)[:most]]


def write_two_files(
    output: Output, task: str, lines: list[Labelled], names: dict[str, str]
) -> None:
    """One row for each line; `names` gives the file of each label."""
    lines = shuffled(lines, task, key=line_of)
    if task == "MPQA":
        lines = keep_opinions(lines)
    total = 0
    for label, name in names.items():
        texts = [one_row(line, task) for line in lines if line.label == label]
        texts = list(dict.fromkeys(texts))[: MOST_ROWS // 2]
        rows = tab_lines([(text,) for text in texts])
        output.add(f"senteval/{task}/{name}", rows, len(texts), encoding="latin-1")
        output.show(task.lower(), [(label, text) for text in texts])
        total += len(texts)
    output.count(task.lower(), "all", total)


def one_row(line: Labelled, task: str) -> str:
    """One of the wordings of a line. Opinion phrases are no sentences and start in lower case."""
    number = digest(task, line_of(line)) % len(line.template.versions)
    return line.template.render(number, {}, sentence=task != "MPQA")


def keep_opinions(lines: list[Labelled]) -> list[Labelled]:
    """Two negative phrases to each positive, like the original; 140 and 280 of those written.

    Phrases go first whose words come back in another one: a phrase of words that occur nowhere else
    tells a word counter nothing.
    """
    counts = Counter(word for line in lines for word in content_words(line))
    rarest = sorted(lines, key=lambda line: -max(map(counts.get, content_words(line)), default=1))
    wanted = {"+": OPINIONS, "-": 2 * OPINIONS}
    kept = {
        label: [line for line in rarest if line.label == label][:count]
        for label, count in wanted.items()
    }
    return [line for line in lines if line in kept[line.label]]


def content_words(line: Labelled) -> set[str]:
    """The words of more than three letters: a stop list for short phrases."""
    return {word for word in re.findall(r"[a-z']+", line_of(line).lower()) if len(word) > 3}


def write_sst(output: Output, lines: list[Labelled]) -> None:
    """Train, dev and test by written line; up to two wordings of a line."""
    lines = shuffled(lines, "sst", key=line_of)
    dev, test = len(lines) // 8, len(lines) * 3 // 10
    parts = {"dev": lines[:dev], "test": lines[dev : dev + test], "train": lines[dev + test :]}
    for split, chosen in parts.items():
        rows = shuffled([row for line in chosen for row in versions(line, 2)], "sst", split)
        text = tab_lines([(text, int(label == "+")) for label, text in rows])
        output.add(f"senteval/SST/binary/sentiment-{split}", text, len(rows))
        output.count("sst", split, len(rows))
        output.show("sst", rows)


def write_trec(output: Output, lines: list[Labelled]) -> None:
    """Three tenths of the written questions are the test. Nobody wrote fine classes: `other`."""
    for split, name, most in (("train", "train_5500.label", 3), ("test", "TREC_10.label", 2)):
        rows = []
        for label in TREC_LABELS:
            own = shuffled([x for x in lines if x.label == label], "trec", key=line_of)
            cut = len(own) * 3 // 10
            own = own[:cut] if split == "test" else own[cut:]
            wordings = 1 if label == "ABBR" else most  # rare in the original too
            rows += [row for line in own for row in versions(line, wordings)]
        rows = shuffled(rows, "trec", split)
        text = "".join(f"{label}:other {text}\n" for label, text in rows)
        output.add(f"senteval/TREC/{name}", text, len(rows), encoding="latin-1")
        output.count("trec", split, len(rows))
        output.show("trec", rows)


def write_mrpc(output: Output, blocks: list[Block]) -> None:
    """Train and test by block, two paraphrases to one non-paraphrase like the original."""
    blocks = shuffled(blocks, "mrpc", key=lambda block: block.of("A")[0].text)
    cut = round(len(blocks) * 0.3)
    header = ("Quality", "#1 ID", "#2 ID", "#1 String", "#2 String")
    numbers: dict[str, int] = {}
    for split, chosen in (("test", blocks[:cut]), ("train", blocks[cut:])):
        rows = shuffled(choose_paraphrases(chosen), "mrpc", split)
        lines = [header] + [
            (label, *(numbers.setdefault(t, len(numbers) + 1) for t in pair), *pair)
            for label, pair in rows
        ]
        output.add(
            f"senteval/MRPC/msr_paraphrase_{split}.txt", "\ufeff" + tab_lines(lines), len(rows)
        )
        output.count("mrpc", split, len(rows))
        output.show("mrpc", [(label, *pair) for label, pair in rows])


def choose_paraphrases(blocks: list[Block]) -> list[tuple[int, tuple[str, str]]]:
    """Of each block two pairs that mean the same and one that does not, in up to two wordings."""
    return [
        (label, pair)
        for block in blocks
        for label, most in ((1, 2), (0, 1))
        for pair in dict.fromkeys(paraphrase_pairs(block, label, most))
    ]


def paraphrase_pairs(block: Block, label: int, most: int) -> Iterator[tuple[str, str]]:
    """Label 1: two of A and its paraphrases. Label 0: one of these and one that is not.

    In two of three blocks the pairs come first that word overlap judges right: in the original,
    too, overlap is better than nothing.
    """
    same, other = block.of("A") + block.of("="), block.of("!")
    pairs = combinations(same, 2) if label else product(same, other)
    order = shuffled(pairs, "mrpc", label, key=lambda pair: pair[0].text + pair[1].text)
    if digest("mrpc lean", block.of("A")[0].text) % 3:
        order.sort(key=lambda pair: overlap(pair[0].text, pair[1].text), reverse=bool(label))
    for first, second in order[:most]:
        found = renderings(block, [first, second], "mrpc", first.text, second.text)
        for a, b in islice(found, 2):
            yield (b, a) if heads(a, b) else (a, b)
