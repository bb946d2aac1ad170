"""The text that mini-bert and mini-roberta learn from, as rows of token ids on disk.

    SBERT_LAB_DATA=FOLDER python data/build/pretraining/corpus.py --text FOLDER --out runs/mlm

Four kinds of rows, all from training splits:

- pair: a stretch of a book, textbook or article and the one after it, or one from elsewhere
- related: an NLI premise with one of its hypotheses, or with that of another premise
- copy: a sentence and the same sentence with some of its words left out
- single: a sentence that stands alone (NLI, Tatoeba, our own text)

In `related` and `copy` rows words are hidden on one side only, and far more of them: what is hidden
on one side can be read on the other, so the network learns to compare.
"""

import argparse
import lzma
import sys
import time
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
from vocabulary import MAX_LENGTH, TOKENIZERS, load_tokenizer

from sbert_lab.files import write_json

KINDS = ("pair", "related", "copy", "single")
NO_LABEL = -100
# Of every so many documents one is kept aside, to measure the loss on text never trained on.
HELD_OUT_EVERY = 250
# How often a source is read in one pass over everything: old books are plenty, modern text is not.
READINGS = {"books": 0.6, "textbooks": 2, "articles": 2, "nli": 2, "sentences": 2, "own": 2}
ROOM = MAX_LENGTH - 3  # [CLS] A [SEP] B [SEP]


@dataclass
class Rows:
    """Token ids of many rows in one flat array. Special tokens are not stored."""

    ids: np.ndarray  # int16, first texts and second texts, one after another
    ends: np.ndarray  # (rows, 2): where the first text ends, where the row ends
    kind: np.ndarray  # index into KINDS
    is_next: np.ndarray  # 1, 0 or NO_LABEL

    def __len__(self) -> int:
        return len(self.kind)

    def lengths(self, between: int = 1) -> np.ndarray:
        """Tokens of each row, special ones included; `between` of them part its two texts."""
        starts = np.concatenate([[0], self.ends[:-1, 1]])
        two = self.ends[:, 0] < self.ends[:, 1]
        return self.ends[:, 1] - starts + 2 + between * two

    def texts(self, row: int) -> tuple[np.ndarray, np.ndarray]:
        start = self.ends[row - 1, 1] if row else 0
        middle, end = self.ends[row]
        return self.ids[start:middle], self.ids[middle:end]

    def save(self, path: Path) -> None:
        np.savez(path, ids=self.ids, ends=self.ends, kind=self.kind, is_next=self.is_next)

    @classmethod
    def load(cls, path: Path) -> "Rows":
        with np.load(path, allow_pickle=False) as stored:
            return cls(**{name: stored[name] for name in ("ids", "ends", "kind", "is_next")})


class RowsBuilder:
    """Collects rows and turns them into arrays at the end."""

    def __init__(self) -> None:
        self.parts: list[np.ndarray] = []
        self.ends: list[tuple[int, int]] = []
        self.kinds: list[int] = []
        self.is_next: list[int] = []
        self.size = 0

    def add(self, kind: str, first, second=(), is_next: int = NO_LABEL) -> None:
        first, second = first[:ROOM], second[: max(0, ROOM - len(first))]
        if len(first) + len(second) < 2:
            return
        self.parts += [np.asarray(first, np.int16), np.asarray(second, np.int16)]
        middle = self.size + len(first)
        self.size = middle + len(second)
        self.ends.append((middle, self.size))
        self.kinds.append(KINDS.index(kind))
        self.is_next.append(is_next)

    def rows(self) -> Rows:
        return Rows(
            np.concatenate(self.parts),
            np.array(self.ends, np.int64),
            np.array(self.kinds, np.int8),
            np.array(self.is_next, np.int16),
        )


# ---- reading the sources


def read_paragraphs(path: Path) -> Iterator[str]:
    with lzma.open(path, "rt", encoding="utf-8") as lines:
        for line in lines:
            yield line.strip()


def documents_of(paragraphs: Iterable[str], *, sentences: int = 400) -> Iterator[list[str]]:
    """Running text as lists of sentences; a blank line or a full list begins another."""
    from pretraining_text import split_sentences

    current: list[str] = []
    for paragraph in paragraphs:
        if not paragraph or len(current) >= sentences:
            if len(current) > 8:
                yield current
            current = []
        current.extend(split_sentences(paragraph))
    if len(current) > 8:
        yield current


def nli_pairs(profile: str) -> list[tuple[str, str]]:
    from sbert_lab import data

    pairs = []
    for name in ("snli", "multinli"):
        rows = data.load(name, "train", profile=profile, partial=True)
        pairs += zip(rows["sentence1"], rows["sentence2"], strict=True)
    return [(a.strip(), b.strip()) for a, b in pairs if a.strip() and b.strip()]


# ---- rows


def pair_rows(builder: RowsBuilder, documents: list[list[np.ndarray]], share: float, rng) -> None:
    """Walk through each document in stretches; half of them are followed by what does follow."""
    for document in documents:
        at = 0
        while at + 1 < len(document):
            goal = int(rng.integers(16, ROOM))
            first, at_second = _stretch(document, at, goal // 2)
            follows = rng.random() < 0.5
            second, end = _stretch(document, at_second, goal - len(first))
            if not follows:
                other = documents[int(rng.integers(len(documents)))]
                second, _ = _stretch(other, int(rng.integers(len(other))), goal - len(first))
            if len(second) and rng.random() < share:
                builder.add("pair", first, second, int(follows))
            at = end if follows else at_second


def _stretch(document: list[np.ndarray], at: int, goal: int) -> tuple[np.ndarray, int]:
    """Whole sentences from `at` on, at least one, until about `goal` tokens are reached."""
    if at >= len(document):
        return np.zeros(0, np.int16), at
    taken = [document[at]]
    total, at = len(document[at]), at + 1
    while at < len(document) and total + len(document[at]) / 2 < goal:
        taken.append(document[at])
        total, at = total + len(document[at]), at + 1
    return np.concatenate(taken), at


def related_rows(builder: RowsBuilder, pairs: list[tuple], rng) -> None:
    """Premise and hypothesis, in either order; one in four has another premise's hypothesis."""
    for first, second in pairs:
        belongs = rng.random() < 0.75
        if not belongs:
            second = pairs[int(rng.integers(len(pairs)))][1]
        if rng.random() < 0.5:
            first, second = second, first
        builder.add("related", first[: ROOM // 2], second, int(belongs))


def copy_rows(builder: RowsBuilder, sentences: list[np.ndarray], continues, rng) -> None:
    """A sentence, and the same one with about a third of its words left out."""
    for ids in sentences:
        if not 6 <= len(ids) <= ROOM // 2:
            continue
        word = np.cumsum(~continues[ids]) - 1
        kept = rng.random(word[-1] + 1) > 0.35
        second = ids[kept[word]]
        if len(second) >= 3:
            builder.add("copy", *((ids, second) if rng.random() < 0.5 else (second, ids)))


# ---- everything together


class Encoder:
    """Texts to arrays of ids without special tokens, many at a time."""

    def __init__(self, tokenizer) -> None:
        self.backend = tokenizer.backend_tokenizer

    def __call__(self, texts: list[str]) -> list[np.ndarray]:
        found = []
        for at in range(0, len(texts), 50_000):
            batch = self.backend.encode_batch_fast(
                texts[at : at + 50_000], add_special_tokens=False
            )
            found += [np.array(e.ids, np.int16) for e in batch]
        return found


def split_held_out(items: list) -> tuple[list, list]:
    kept = [item for n, item in enumerate(items) if n % HELD_OUT_EVERY]
    return kept, items[::HELD_OUT_EVERY]


def encode_documents(encode: Encoder, documents: Iterable[list[str]]) -> list[list[np.ndarray]]:
    documents = list(documents)
    flat = encode([s for d in documents for s in d])
    cuts = np.cumsum([len(d) for d in documents])
    return [flat[end - len(d) : end] for d, end in zip(documents, cuts, strict=True)]


def gather(text: Path) -> dict[str, list]:
    """Documents and sentences by source, as text."""
    from pretraining_text import mini_text, paragraphs

    from sbert_lab import data

    books = [p for path in sorted(text.glob("books_*.txt.xz")) for p in read_paragraphs(path)]
    wiki = paragraphs(data.load("wikitext2", "train", profile="real")["text"])
    own, pairs = mini_text(), nli_pairs("real")
    nli = dict.fromkeys(s for pair in pairs for s in pair)
    tatoeba = dict.fromkeys(data.load("tatoeba", "all", profile="real")["text"])
    return {
        "books": list(documents_of(books)),
        "textbooks": list(documents_of(read_paragraphs(text / "textbooks.txt.xz"))),
        "articles": [d for d in wiki if len(d) >= 3],
        "own": own.documents,
        "nli": pairs,
        "sentences": [s for s in {**nli, **tatoeba} if s],
        "own sentences": own.sentences,
    }


def sample_for_vocabulary(sources: dict[str, list]) -> list[str]:
    """Modern text whole, books thinned out, so that a piece is not spent on every old word."""
    chosen = [s for d in sources["books"][::6] for s in d]
    for name in ("textbooks", "articles", "own"):
        chosen += [s for d in sources[name] for s in d]
    return chosen + 2 * sources["sentences"] + 3 * sources["own sentences"]


def build(name: str, sources: dict[str, list], out: Path, seed: int = 1) -> dict:
    """Write tokenizer, train.npz and held_out.npz; what they hold is counted in corpus.json."""
    folder = out / "tokenizer"
    if not folder.is_dir():
        TOKENIZERS[name](sample_for_vocabulary(sources)).save_pretrained(folder)
    tokenizer = load_tokenizer(folder)
    encode, rng = Encoder(tokenizer), np.random.default_rng(seed)
    from vocabulary import continuations

    continues = continuations(tokenizer)
    train, held_out = RowsBuilder(), RowsBuilder()
    for source in ("books", "textbooks", "articles", "own"):
        documents = split_held_out(encode_documents(encode, sources[source]))
        readings = READINGS[source]
        for reading in range(int(np.ceil(readings))):
            pair_rows(train, documents[0], min(1.0, readings - reading), rng)
        pair_rows(held_out, documents[1], 0.3, rng)
        print(f"{source}: {train.size:,} tokens so far", flush=True)
    pairs = split_held_out(_encoded_pairs(encode, sources["nli"]))
    for _ in range(READINGS["nli"]):
        related_rows(train, pairs[0], rng)
    related_rows(held_out, pairs[1], rng)
    singles = split_held_out(encode(sources["sentences"] + sources["own sentences"]))
    for _ in range(READINGS["sentences"]):
        for ids in singles[0]:
            train.add("single", ids)
    copy_rows(train, singles[0], continues, rng)
    copy_rows(held_out, singles[1], continues, rng)
    for ids in singles[1]:
        held_out.add("single", ids)
    facts = {}
    for part, builder in (("train", train), ("held_out", held_out)):
        rows = builder.rows()
        rows.save(out / f"{part}.npz")
        lengths = rows.lengths()
        facts[part] = {
            kind: {
                "rows": int((rows.kind == number).sum()),
                "tokens": int(lengths[rows.kind == number].sum()),
            }
            for number, kind in enumerate(KINDS)
        }
    write_json(out / "corpus.json", facts)
    return facts


def _encoded_pairs(encode: Encoder, pairs: list[tuple[str, str]]) -> list[tuple]:
    first, second = encode([a for a, _ in pairs]), encode([b for _, b in pairs])
    return list(zip(first, second, strict=True))


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--text", type=Path, required=True, help="books_*.txt.xz, textbooks.txt.xz")
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("models", nargs="*", default=list(TOKENIZERS), help="which tokenizers")
    given = parser.parse_args(arguments)
    started = time.time()
    sources = gather(given.text)
    print(f"text read after {time.time() - started:.0f} s", flush=True)
    for name in given.models:
        out = given.out / name
        out.mkdir(parents=True, exist_ok=True)
        print(name, build(name, sources, out), f"{time.time() - started:.0f} s", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
