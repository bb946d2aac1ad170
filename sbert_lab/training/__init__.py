"""One training loop for every task of the course."""

from sbert_lab.training.history import History
from sbert_lab.training.loop import train

__all__ = ["History", "train"]
