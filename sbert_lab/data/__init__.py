"""The corpora of the paper, by name.

    from sbert_lab import data

    stsb = data.load("stsb", "test")            # in the current profile
    print(data.coverage("snli", "train", profile="real"))   # partial: 20,000 of 549,367

Profile mini reads data/mini. Profiles real and paper read the local copy in $SBERT_LAB_DATA, else
the hub, else a pinned wheel. data/LAYOUT.md lists the files that a local copy has.
"""

from sbert_lab.data.glove import load_glove
from sbert_lab.data.loading import Coverage, coverage, load
from sbert_lab.data.registry import CORPORA, get_corpus
from sbert_lab.data.wheels import minilm_folder

__all__ = [
    "CORPORA",
    "Coverage",
    "coverage",
    "get_corpus",
    "load",
    "load_glove",
    "minilm_folder",
]
