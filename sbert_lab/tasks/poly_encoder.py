"""The poly-encoder (Humeau et al. 2020): between one vector per sentence and one pass per pair.

The first sentence, the context, becomes M vectors: M learned codes each attend to its tokens. The
second, the candidate, is one vector as in SBERT and can be kept. When the two meet, the candidate
attends to the M vectors, and the cosine of the result with the candidate is the score. What is done
for one side is not done for the other, so score(a, b) is not score(b, a).
"""

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import torch
from safetensors.torch import save_file
from torch import Tensor, nn
from torch.nn import functional as F

from sbert_lab.encoder import SentenceEncoder
from sbert_lab.encoding import check_sentences, forward_all
from sbert_lab.errors import InputError, require_choice
from sbert_lab.files import read_sealed, sealed_folder
from sbert_lab.objectives import regression_loss
from sbert_lab.tasks.rows import PAIR, PreparedRows, collate_rows, prepare_rows
from sbert_lab.training.checkpoint import read_tensors
from sbert_lab.training.gather import gather

COLUMNS = {"in-batch negatives": (("anchor", "positive"), None), "regression": (PAIR, "score")}
CODES, ABOUT = "codes.safetensors", "poly_encoder.json"


class PolyEncoder(nn.Module):
    """One backbone for both sides, and M codes for the context side."""

    def __init__(
        self,
        encoder: SentenceEncoder,
        objective: str = "in-batch negatives",
        *,
        codes: int = 16,
        scale: float = 20.0,
        seed: int = 1,
    ) -> None:
        super().__init__()
        if codes < 1:
            raise InputError(f"codes must be at least 1, got {codes!r}")
        self.objective = require_choice("objective", objective, COLUMNS)
        self.texts, self.answer = COLUMNS[objective]
        self.encoder, self.scale = encoder, scale
        start = torch.randn(codes, encoder.dimension, generator=torch.Generator().manual_seed(seed))
        self.codes = nn.Parameter(start)  # (M, H)

    # ---- the two sides and their meeting

    def contexts(self, input_ids: Tensor, attention_mask: Tensor | None = None) -> Tensor:
        """Each code's view of the sentence: (B, T), (B, T) -> (B, M, H)."""
        tokens = self.encoder.token_embeddings(input_ids, attention_mask)  # (B, T, H)
        weights = torch.einsum("mh,bth->bmt", self.codes, tokens) / tokens.shape[-1] ** 0.5
        if attention_mask is not None:
            weights = weights.masked_fill(attention_mask[:, None, :] == 0, float("-inf"))
        return torch.einsum("bmt,bth->bmh", weights.softmax(dim=-1), tokens)

    @staticmethod
    def meet(contexts: Tensor, candidates: Tensor) -> Tensor:
        """Every context with every candidate: (B, M, H), (C, H) -> cosines (B, C)."""
        weights = torch.einsum("ch,bmh->bcm", candidates, contexts) / candidates.shape[-1] ** 0.5
        views = torch.einsum("bcm,bmh->bch", weights.softmax(dim=-1), contexts)  # (B, C, H)
        return F.cosine_similarity(views, candidates[None], dim=-1)

    @staticmethod
    def meet_own(contexts: Tensor, candidates: Tensor) -> Tensor:
        """Each context with its own candidate: (B, M, H), (B, H) -> the attended views (B, H)."""
        weights = torch.einsum("bh,bmh->bm", candidates, contexts) / candidates.shape[-1] ** 0.5
        return torch.einsum("bm,bmh->bh", weights.softmax(dim=-1), contexts)

    # ---- training

    def prepare(self, rows: Sequence[dict]) -> PreparedRows:
        """Token ids in place of the texts. Broken rows are found here, before training."""
        return prepare_rows(rows, self.texts, tokenize=self.encoder.tokenize, answer=self.answer)

    def collate(self, rows: Sequence[dict]) -> dict[str, object]:
        return collate_rows(rows, self.texts, pad=self.encoder.pad, answer=self.answer)

    def forward(self, batch: dict[str, object]) -> Tensor:
        contexts = self.contexts(**batch[self.texts[0]]).float()
        candidates = self.encoder(**batch[self.texts[1]]).float()
        if self.answer:
            return regression_loss(self.meet_own(contexts, candidates), candidates, batch["answer"])
        everyone, first = gather(candidates, batch.get("shares"))
        cosines = self.meet(contexts, everyone)  # (B, all B)
        own = torch.arange(len(cosines), device=cosines.device) + first
        return F.cross_entropy(cosines * self.scale, own)

    @property
    def gathers(self) -> bool:
        """Whether the loss of a row depends on the other rows of its batch."""
        return self.answer is None

    # ---- using it

    def encode_contexts(self, sentences: Sequence[str]) -> np.ndarray:
        """N sentences -> float32 (N, M, H): what has to be kept for the context side."""
        return forward_all(
            check_sentences(sentences),
            self,
            tokenize=self.encoder.tokenize,
            collate=self.encoder.pad,
            forward=self.contexts,
            precision="auto",
        )

    @torch.inference_mode()
    def score(self, first: Sequence[str], second: Sequence[str]) -> np.ndarray:
        """The score of each pair, first as context, second as candidate: -> (N,)."""
        if len(first) != len(second):
            raise InputError(f"{len(first)} first sentences but {len(second)} second ones")
        contexts = torch.from_numpy(self.encode_contexts(first))
        candidates = torch.from_numpy(self.encoder.encode(second))
        views = self.meet_own(contexts, candidates)
        return F.cosine_similarity(views, candidates, dim=-1).numpy()

    @torch.inference_mode()
    def score_all(self, contexts: np.ndarray, candidates: np.ndarray) -> np.ndarray:
        """Kept vectors of both sides, every pair: (Q, M, H), (C, H) -> (Q, C)."""
        kept = torch.from_numpy(candidates)
        rows = [self.meet(torch.from_numpy(one[None]), kept)[0] for one in contexts]
        return torch.stack(rows).numpy()

    # ---- saving and loading

    def save(self, path: str | Path) -> Path:
        """The backbone as an encoder folder, the codes beside it."""
        about = {"objective": self.objective, "codes": len(self.codes), "scale": self.scale}
        with sealed_folder(path, ABOUT, about) as folder:
            self.encoder.save(folder / "backbone")
            save_file({"codes": self.codes.detach().cpu().contiguous()}, folder / CODES)
        return Path(path)

    @classmethod
    def load(cls, path: str | Path, *, device: str | None = None) -> "PolyEncoder":
        """Open a folder written by save()."""
        path = Path(path)
        about = read_sealed(path, ABOUT, kind="a saved poly-encoder", way_out="train again")
        encoder = SentenceEncoder.load(path / "backbone", device=device)
        task = cls(encoder, about["objective"], codes=about["codes"], scale=about["scale"])
        task.codes.data = read_tensors(path / CODES)["codes"]
        return task.to(encoder.device).eval()
