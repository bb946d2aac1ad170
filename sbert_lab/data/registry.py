"""Every corpus of the course by name. data/LAYOUT.md shows the same files as a table."""

from sbert_lab.data.corpus import Corpus
from sbert_lab.data.entries_pairs import PAIRS
from sbert_lab.data.entries_sts import STS
from sbert_lab.data.entries_texts import EXTRAS, TEXTS
from sbert_lab.errors import require_choice

CORPORA: dict[str, Corpus] = {corpus.name: corpus for corpus in (*PAIRS, *STS, *TEXTS, *EXTRAS)}


def get_corpus(name: str) -> Corpus:
    """The registry's entry for a name; an unknown name is an error that lists the known ones."""
    return CORPORA[require_choice("corpus", name, CORPORA)]
