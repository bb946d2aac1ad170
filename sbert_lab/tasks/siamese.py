"""One encoder used twice or three times, with an objective on top (the paper's Figure 1)."""

from collections.abc import Sequence

import torch
from torch import Tensor, nn

from sbert_lab.encoder import SentenceEncoder
from sbert_lab.errors import require_choice
from sbert_lab.objectives import (
    CONCATENATIONS,
    PAPER_CONCATENATION,
    classification_loss,
    concatenate,
    in_batch_negatives_loss,
    regression_loss,
    triplet_loss,
)
from sbert_lab.tasks.rows import PAIR, TRIPLET, check_labels, check_rows, check_scores, column

# The texts of a row and the column with its answer, per objective.
COLUMNS = {
    "classification": (PAIR, "label"),
    "regression": (PAIR, "score"),
    "triplet": (TRIPLET, None),
    "in-batch negatives": (("anchor", "positive"), None),
}


class Siamese(nn.Module):
    """Train an encoder with one of the objectives. The encoder is shared, not copied.

    Only classification has weights of its own, the softmax head: it is thrown away after training.
    """

    def __init__(
        self,
        encoder: SentenceEncoder,
        objective: str,
        *,
        concatenation: str = PAPER_CONCATENATION,
        labels: int = 3,
        margin: float = 1.0,
        scale: float = 20.0,
        seed: int = 1,
    ) -> None:
        super().__init__()
        self.objective = require_choice("objective", objective, COLUMNS)
        self.encoder, self.labels, self.margin, self.scale = encoder, labels, margin, scale
        self.concatenation = require_choice("concatenation", concatenation, CONCATENATIONS)
        self.texts, self.answer = COLUMNS[objective]
        self.head = None
        if objective == "classification":
            parts = len(CONCATENATIONS[concatenation])
            with torch.random.fork_rng(devices=[]):
                torch.manual_seed(seed)
                self.head = nn.Linear(parts * encoder.dimension, labels)

    def token_counts(self, rows: Sequence[dict]) -> list[int]:
        """Tokens per row, all its texts together. Broken rows are found here, before training."""
        self._check(rows)
        per_text = []
        for name in self.texts:
            per_text.append([len(ids) for ids in self.encoder.tokenize(column(rows, name))[0]])
        return [sum(counts) for counts in zip(*per_text, strict=True)]

    def collate(self, rows: Sequence[dict]) -> dict[str, object]:
        batch = {name: self.encoder.collate(column(rows, name)) for name in self.texts}
        if self.answer == "label":
            batch["answer"] = torch.tensor(column(rows, "label"))
        elif self.answer == "score":
            batch["answer"] = torch.tensor(column(rows, "score"), dtype=torch.float32)
        return batch

    def forward(self, batch: dict[str, object]) -> Tensor:
        embeddings = [self.encoder(**batch[name]) for name in self.texts]  # each (B, H)
        if self.objective == "classification":
            return classification_loss(self.logits(*embeddings), batch["answer"])
        if self.objective == "regression":
            return regression_loss(*embeddings, batch["answer"])
        if self.objective == "triplet":
            return triplet_loss(*embeddings, margin=self.margin)
        return in_batch_negatives_loss(*embeddings, scale=self.scale)

    def logits(self, u: Tensor, v: Tensor) -> Tensor:
        """The softmax head's opinion of a pair: (B, H), (B, H) -> (B, K)."""
        return self.head(concatenate(u, v, self.concatenation))

    @torch.inference_mode()
    def predict_labels(self, first: Sequence[str], second: Sequence[str]) -> Tensor:
        """The most likely class of each pair, as the head sees it: -> (N,)."""
        u = torch.from_numpy(self.encoder.encode(first)).to(self.encoder.device)
        v = torch.from_numpy(self.encoder.encode(second)).to(self.encoder.device)
        return self.logits(u, v).argmax(dim=-1).cpu()

    def _check(self, rows: Sequence[dict]) -> None:
        check_rows(rows, self.texts, self.answer)
        if self.answer == "label":
            check_labels(column(rows, "label"), self.labels)
        elif self.answer == "score":
            check_scores(column(rows, "score"))
