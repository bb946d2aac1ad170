"""Learn from a teacher: another encoder's vectors in place of labels."""

import hashlib
from collections.abc import Sequence

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional as F

from sbert_lab.encoding import Encoder
from sbert_lab.errors import InputError
from sbert_lab.tasks.rows import PreparedRows, collate_rows, prepare_rows

TEXT = ("text",)


class Taught(nn.Module):
    """Train an encoder to place sentences as a teacher does; rows are {"text": ...}.

    `vectors` has the teacher's vector of each row, in their order: (N, D), D may be any width. Two
    things are asked for: the cosines among the sentences of a batch should be the teacher's, and a
    linear map, thrown away after training, should turn our vectors into the teacher's.
    """

    def __init__(
        self, encoder: Encoder, vectors: np.ndarray, *, weight: float = 20.0, seed: int = 1
    ) -> None:
        super().__init__()
        if np.ndim(vectors) != 2 or not np.isfinite(vectors).all():
            raise InputError("the teacher's vectors must be finite numbers, one row a sentence")
        self.encoder, self.vectors, self.weight = encoder, vectors, weight
        # Another teacher is another run: its seal is part of the task's state.
        seal = hashlib.sha256(np.ascontiguousarray(vectors).tobytes()).digest()[:8]
        self.register_buffer("seal", torch.tensor(list(seal)))
        with torch.random.fork_rng(devices=[]):
            torch.manual_seed(seed)
            self.head = nn.Linear(encoder.dimension, vectors.shape[1])

    def prepare(self, rows: Sequence[dict]) -> PreparedRows:
        """Token ids in place of the texts, and which of the teacher's vectors is theirs."""
        if len(rows) != len(self.vectors):
            raise InputError(f"{len(rows):,} rows, but the teacher has {len(self.vectors):,}")
        found = prepare_rows(rows, TEXT, tokenize=self.encoder.tokenize)
        found.columns["number"] = range(len(rows))
        return found

    def collate(self, rows: Sequence[dict]) -> dict[str, object]:
        wanted = self.vectors[[row["number"] for row in rows]].astype(np.float32)
        return collate_rows(rows, TEXT, pad=self.encoder.pad) | {"wanted": torch.from_numpy(wanted)}

    def forward(self, batch: dict[str, object]) -> Tensor:
        learned, wanted = self.encoder(**batch["text"]).float(), batch["wanted"]  # (B, H), (B, D)
        mapped = F.cosine_similarity(self.head(learned).float(), wanted).mean()
        u, t = F.normalize(learned, dim=-1), F.normalize(wanted, dim=-1)
        return 1 - mapped + self.weight * F.mse_loss(u @ u.T, t @ t.T)
