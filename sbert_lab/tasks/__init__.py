"""What can be trained: each task is an nn.Module with collate(rows) and forward(batch) -> loss.

`prepare(rows)`, if a task has it, checks and tokenises all rows once; collate then gets those.
"""

from sbert_lab.tasks.cross_encoder import CrossEncoder
from sbert_lab.tasks.poly_encoder import PolyEncoder
from sbert_lab.tasks.siamese import Siamese
from sbert_lab.tasks.taught import Taught

__all__ = ["CrossEncoder", "PolyEncoder", "Siamese", "Taught"]
