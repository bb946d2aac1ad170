"""all-MiniLM-L6-v2 in the tables of profile real: as it is, and as a second, stronger backbone.

The backbones of the course are small and were pretrained for about an hour, and the cross-encoders
made from them are weak. MiniLM (22 million parameters, made from a full BERT) shows what the
comparison of bi- and cross-encoder looks like with a backbone that is up to both. It is no
untouched backbone: it was tuned as a bi-encoder on over a billion pairs, NLI and Quora
among them, but neither STSb nor UKP ASPECT.
"""

from dataclasses import replace

from sbert_lab import data
from sbert_lab.encoder import SentenceEncoder
from sbert_lab.profiles import PROFILES, Profile


def load() -> SentenceEncoder:
    """The encoder as published."""
    return SentenceEncoder.load(data.minilm_folder())


def as_backbone(profile: Profile) -> Profile:
    """The profile with MiniLM in place of its backbone, and the paper's own settings.

    A pretrained network of that size is tuned with the paper's rate; the profile's larger one was
    made for mini-bert.
    """
    paper = PROFILES["paper"]
    return replace(profile, backbone=str(data.minilm_folder()), train=paper.train, sts=paper.sts)
