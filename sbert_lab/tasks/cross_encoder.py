"""The cross-encoder: both sentences in one input, [CLS] A [SEP] B [SEP], and a score out of it."""

from collections import namedtuple
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import torch
from safetensors.torch import save_file
from torch import Tensor, nn
from torch.nn import functional as F

from sbert_lab.encoder import SentenceEncoder
from sbert_lab.encoding import check_pairs, forward_all, pad
from sbert_lab.errors import require_choice
from sbert_lab.files import read_sealed, sealed_folder
from sbert_lab.tasks.rows import PAIR, PreparedRows, answers, column, read_columns, token_ids
from sbert_lab.training.checkpoint import read_tensors

OBJECTIVES = ("classification", "regression")
Pair = namedtuple("Pair", ["ids", "type_ids"])  # a tokenised pair: which ids, of which text
HEAD, ABOUT = "head.safetensors", "cross_encoder.json"


class CrossEncoder(nn.Module):
    """A backbone that reads both sentences at once, with a head on the first token's vector.

    Regression gives one number (trained with squared error on scores from 0 to 1), classification
    one logit per class. There is no sentence vector to keep: every pair costs a full pass.
    """

    def __init__(
        self, encoder: SentenceEncoder, objective: str, *, labels: int = 3, seed: int = 1
    ) -> None:
        super().__init__()
        self.objective = require_choice("objective", objective, OBJECTIVES)
        self.encoder, self.labels = encoder, labels
        self.answer = "label" if objective == "classification" else "score"
        width = encoder.dimension
        with torch.random.fork_rng(devices=[]):
            torch.manual_seed(seed)
            outputs = labels if objective == "classification" else 1
            self.head = nn.Sequential(nn.Linear(width, width), nn.Tanh(), nn.Linear(width, outputs))
        self._segments = getattr(encoder.backbone.config, "type_vocab_size", 1) > 1

    def prepare(self, rows: Sequence[dict]) -> PreparedRows:
        """Each pair as token ids and segments. Broken rows are found here, before training."""
        columns = read_columns(rows, PAIR, self.answer, self.labels)
        texts = list(zip(*(columns[name] for name in PAIR), strict=True))
        pairs = token_ids(texts, self._pair_ids)  # each (2, T)
        columns = {"pair": pairs, self.answer: columns[self.answer]}
        return PreparedRows(columns, np.array([pair.shape[1] for pair in pairs]))

    def collate(self, rows: Sequence[dict]) -> dict[str, Tensor | None]:
        batch = self._batch([Pair(*pair) for pair in column(rows, "pair")])
        return {**batch, "answer": answers(rows, self.answer)}

    def forward(self, batch: dict[str, Tensor | None]) -> Tensor:
        logits = self.logits(batch).float()
        if self.objective == "classification":
            return F.cross_entropy(logits, batch["answer"])
        return F.mse_loss(logits.squeeze(-1), batch["answer"])

    def logits(self, batch: dict[str, Tensor | None]) -> Tensor:
        """(B, T) pairs -> (B, K), or (B, 1) for regression."""
        inputs = {"attention_mask": self.encoder.attention(batch["attention_mask"])}
        if self._segments:
            inputs["token_type_ids"] = batch["token_type_ids"]
        tokens = self.encoder.backbone(input_ids=batch["input_ids"], **inputs).last_hidden_state
        return self.head(tokens[:, 0])

    def predict(
        self, first: Sequence[str], second: Sequence[str], *, show_progress: bool = False
    ) -> np.ndarray:
        """Scores (N,) for regression, class probabilities (N, K) for classification."""
        results = forward_all(
            check_pairs(first, second),
            self,
            tokenize=self.encoder.encodings,
            collate=self._batch,
            forward=lambda **batch: self.logits(batch),
            precision="auto",
            show_progress=show_progress,
            unit="pair",
        )
        if self.objective == "regression":
            return results[:, 0]
        return torch.softmax(torch.from_numpy(results), dim=-1).numpy()

    def _pair_ids(self, pairs: Sequence[tuple[str, str]]) -> tuple[list, int]:
        encodings, cut = self.encoder.encodings(pairs)
        return [Pair(one.ids, one.type_ids) for one in encodings], cut

    def _batch(self, encodings: Sequence) -> dict[str, Tensor | None]:
        batch = self.encoder.pad([e.ids for e in encodings])
        wide = (self.encoder.pad_multiple, self.encoder.max_length)
        segments = pad([e.type_ids for e in encodings], 0, *wide)[0]
        return {**batch, "token_type_ids": segments}

    # ---- saving and loading

    def save(self, path: str | Path) -> Path:
        """The backbone as an encoder folder, the head beside it."""
        about = {"objective": self.objective, "labels": self.labels}
        with sealed_folder(path, ABOUT, about) as folder:
            self.encoder.save(folder / "backbone")
            save_file({k: v.contiguous() for k, v in self.head.state_dict().items()}, folder / HEAD)
        return Path(path)

    @classmethod
    def load(cls, path: str | Path, *, device: str | None = None) -> "CrossEncoder":
        """Open a folder written by save()."""
        path = Path(path)
        about = read_sealed(path, ABOUT, kind="a saved cross-encoder", way_out="train again")
        encoder = SentenceEncoder.load(path / "backbone", device=device)
        task = cls(encoder, about["objective"], labels=about["labels"])
        task.head.load_state_dict(read_tensors(path / HEAD))
        return task.to(encoder.device).eval()
