"""The text that mini-bert, mini-roberta and the word vectors are trained on. Train splits only.

Real text: SNLI, MultiNLI, WikiText-2 and Tatoeba from $SBERT_LAB_DATA. Our own: the training
text of data/mini. Nothing of STSb, SICK, Quora, UKP ASPECT, nor any dev or test split.
"""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from sbert_lab import data
from sbert_lab.paths import data_dir


@dataclass(frozen=True)
class Text:
    """Sentences that stand alone, and documents whose sentences follow each other."""

    sentences: list[str]
    documents: list[list[str]]

    def all_sentences(self) -> list[str]:
        return self.sentences + [s for document in self.documents for s in document]


def real_text() -> Text:
    """Everything allowed from a local copy of the real corpora."""
    texts = list(_nli_sentences("real"))
    texts += data.load("tatoeba", "all", profile="real")["text"]
    sentences = dict.fromkeys(text.strip() for text in texts)
    sentences.pop("", None)
    return Text(
        list(sentences), paragraphs(data.load("wikitext2", "train", profile="real")["text"])
    )


def mini_text() -> Text:
    """The training text of our own corpora: NLI sentences and article sections."""
    with open(data_dir("mini", "wiki_sections", "train_articles.txt"), encoding="utf-8") as lines:
        return Text(list(dict.fromkeys(_nli_sentences("mini"))), sections(lines))


def _nli_sentences(profile: str) -> Iterator[str]:
    for name in ("snli", "multinli"):
        for row in data.load(name, "train", profile=profile, partial=True):
            yield row["sentence1"].strip()
            yield row["sentence2"].strip()


def paragraphs(lines: Iterable[str]) -> list[list[str]]:
    """WikiText paragraphs as lists of sentences; those of a single sentence are left out."""
    documents = []
    for line in lines:
        sentences = split_sentences(detokenize(line.strip()))
        if len(sentences) >= 2:
            documents.append(sentences)
    return documents


def sections(lines: Iterable[str]) -> list[list[str]]:
    """Articles with one sentence per line: each section is one document."""
    documents: list[list[str]] = [[]]
    for line in map(str.strip, lines):
        if not line or line.startswith("="):
            documents.append([])
        else:
            documents[-1].append(line)
    return [document for document in documents if len(document) >= 2]


def detokenize(text: str) -> str:
    """Undo WikiText's spacing: 'Released in Japan , it is' gets its comma back."""
    text = re.sub(r" ([.,;:!?%)\]])", r"\1", text)
    text = re.sub(r"([(\[]) ", r"\1", text)
    return re.sub(r" ('s|'t|'re|'ve|'ll|'d)\b", r"\1", text)


def split_sentences(text: str) -> list[str]:
    """A plain splitter: a full stop, question or exclamation mark before a capital letter."""
    parts = re.split(r"(?<=[a-z0-9)\"'][.!?])\s+(?=[A-Z\"'(])", text)
    return [part.strip() for part in parts if len(part.split()) >= 3]
