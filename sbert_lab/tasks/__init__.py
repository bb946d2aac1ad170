"""What can be trained: each task is an nn.Module with collate(rows) and forward(batch) -> loss."""

from sbert_lab.tasks.cross_encoder import CrossEncoder
from sbert_lab.tasks.masked_lm import MaskedLM
from sbert_lab.tasks.poly_encoder import PolyEncoder
from sbert_lab.tasks.siamese import Siamese

__all__ = ["CrossEncoder", "MaskedLM", "PolyEncoder", "Siamese"]
