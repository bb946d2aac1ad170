"""Fine-tuning for one task: all layers of the encoder and a softmax head, trained together."""

from collections.abc import Sequence

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional as F

from sbert_lab.encoder import SentenceEncoder
from sbert_lab.tasks.rows import PreparedRows, collate_rows, prepare_rows


class Classifier(nn.Module):
    """One text in, one of `labels` classes out. The encoder is changed, not copied.

    Rows have `text` and `label`. What frozen features leave to a logistic regression, the whole
    network does here; in return it serves this one task only.
    """

    def __init__(self, encoder: SentenceEncoder, *, labels: int, seed: int = 1) -> None:
        super().__init__()
        self.encoder, self.labels = encoder, labels
        with torch.random.fork_rng(devices=[]):
            torch.manual_seed(seed)
            self.head = nn.Linear(encoder.dimension, labels)

    def prepare(self, rows: Sequence[dict]) -> PreparedRows:
        """Token ids in place of the texts. Broken rows are found here, before training."""
        answer = {"answer": "label", "labels": self.labels}
        return prepare_rows(rows, ("text",), tokenize=self.encoder.tokenize, **answer)

    def collate(self, rows: Sequence[dict]) -> dict[str, object]:
        return collate_rows(rows, ("text",), pad=self.encoder.pad, answer="label")

    def forward(self, batch: dict[str, object]) -> Tensor:
        logits = self.head(self.encoder(**batch["text"]))  # (B, H) -> (B, K)
        return F.cross_entropy(logits.float(), batch["answer"])

    @torch.inference_mode()
    def predict_labels(self, texts: Sequence[str]) -> np.ndarray:
        """The most likely class of each text: (N,)."""
        vectors = torch.from_numpy(self.encoder.encode(texts)).to(self.encoder.device)
        return self.head(vectors).argmax(dim=-1).cpu().numpy()
