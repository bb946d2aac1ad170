"""The words of the glossary, linked where a notebook first uses them."""

import re
from functools import cache

from builder import NOTEBOOKS

# Entries of GLOSSARY.md that a newcomer may not know; words of everyday English are left out.
SAME = """
    ablation, anisotropy, attention mask, backbone, base rate, bi-encoder, BiLSTM, bootstrap,
    checkpoint, claim, confidence interval, cross-encoder, cross-entropy, cross-validation,
    distillation, dot product, dropout, epoch, F1, FAISS, fine-tuning, floor, GloVe, gold score,
    half precision, hard negative, HNSW, in-batch negatives, InferSent, IVF-PQ, k-means, leak,
    learning rate, ledger, logistic regression, logits, margin, mean reciprocal rank, MultiNLI,
    NLI, objective, padding, poly-encoder, pooling, pretraining, re-ranking, RoBERTa, SentEval,
    siamese network, SICK-R, smart batching, SNLI, softmax, standard deviation, stop words, STSb,
    tf-idf, triplet, UMAP, unit vector, Universal Sentence Encoder, warm-up, word vector
"""
# What a notebook calls it -> its entry. The entry is shown when the mouse rests.
WORDS = {word: word for word in (part.strip() for part in SAME.split(","))}
WORDS |= {"Spearman": "Spearman correlation", "Pearson": "Pearson correlation"}
# Not linked: headings, table rows, raw HTML and what is already code, a formula or a link.
LEFT_ALONE = re.compile(r"^(#|\||<|\$\$|```)")
TAKEN = re.compile(r"`[^`]*`|\$[^$]*\$|!?\[[^\]]*\]\([^)]*\)|<[^>]*>")


def link_words(cells) -> None:
    """Link the first use of each word in the prose to its entry; the cells are changed."""
    waiting = dict(WORDS)
    for cell in cells[1:]:
        if cell.cell_type == "markdown" and waiting:
            cell.source = "\n".join(_line(line, waiting) for line in cell.source.split("\n"))


def _line(line: str, waiting: dict[str, str]) -> str:
    if LEFT_ALONE.match(line):
        return line
    for word in list(waiting):
        taken = [found.span() for found in TAKEN.finditer(line)]
        case = re.IGNORECASE if word.islower() else 0
        for found in re.finditer(rf"(?<![\w-]){re.escape(word)}(?:s|es)?(?![\w-])", line, case):
            if not any(start <= found.start() < end for start, end in taken):
                target, meaning = entry(waiting.pop(word))
                link = f'[{found[0]}](GLOSSARY.md#{target} "{meaning}")'
                line = line[: found.start()] + link + line[found.end() :]
                break
    return line


@cache
def entry(term: str) -> tuple[str, str]:
    """The anchor of a term, and its meaning on one line."""
    text = (NOTEBOOKS / "GLOSSARY.md").read_text(encoding="utf-8")
    meaning = re.search(rf"^## {re.escape(term)}\n((?:.+\n)*?.+)\\\n", text, re.MULTILINE)[1]
    anchor = re.sub(r"[^\w\- ]", "", term.lower()).replace(" ", "-")
    return anchor, " ".join(meaning.split()).replace('"', "'")
