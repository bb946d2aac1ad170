"""Fine-tuning for one task: all layers of the encoder and a softmax head, trained together."""

from collections.abc import Sequence

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional as F

from sbert_lab.encoder import SentenceEncoder
from sbert_lab.tasks.rows import check_labels, check_rows, column


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

    def token_counts(self, rows: Sequence[dict]) -> list[int]:
        """Tokens per row. Broken rows are found here, before training."""
        check_rows(rows, ("text",), "label")
        check_labels(column(rows, "label"), self.labels)
        return [len(ids) for ids in self.encoder.tokenize(column(rows, "text"))[0]]

    def collate(self, rows: Sequence[dict]) -> dict[str, object]:
        texts = self.encoder.collate(column(rows, "text"))
        return {"texts": texts, "label": torch.tensor(column(rows, "label"))}

    def forward(self, batch: dict[str, object]) -> Tensor:
        logits = self.head(self.encoder(**batch["texts"]))  # (B, H) -> (B, K)
        return F.cross_entropy(logits.float(), batch["label"])

    @torch.inference_mode()
    def predict_labels(self, texts: Sequence[str]) -> np.ndarray:
        """The most likely class of each text: (N,)."""
        vectors = torch.from_numpy(self.encoder.encode(texts)).to(self.encoder.device)
        return self.head(vectors).argmax(dim=-1).cpu().numpy()
