"""One training loop for every task of the course."""

from sbert_lab.training.history import History
from sbert_lab.training.leading import one_leads
from sbert_lab.training.loop import train
from sbert_lab.training.run_folder import run_folder
from sbert_lab.training.step import take_step

__all__ = ["History", "one_leads", "run_folder", "take_step", "train"]
