"""One encoder used twice or three times, with an objective on top (the paper's Figure 1)."""

from collections.abc import Sequence

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from sbert_lab.encoding import Encoder
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
from sbert_lab.tasks.rows import PAIR, TRIPLET, PreparedRows, collate_rows, prepare_rows
from sbert_lab.training.gather import gather

PASS = 24  # tokens: so much time a rectangle more takes, whatever is in it

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
        encoder: Encoder,
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

    def prepare(self, rows: Sequence[dict]) -> PreparedRows:
        """Token ids in place of the texts. Broken rows are found here, before training."""
        answer = {"answer": self.answer, "labels": self.labels}
        return prepare_rows(rows, self.texts, tokenize=self.encoder.tokenize, **answer)

    def collate(self, rows: Sequence[dict]) -> dict[str, object]:
        return collate_rows(rows, self.texts, pad=self.encoder.pad, answer=self.answer)

    def forward(self, batch: dict[str, object]) -> Tensor:
        embeddings = embed_texts(self.encoder, [batch[name] for name in self.texts])  # each (B, H)
        if self.objective == "classification":
            return classification_loss(self.logits(*embeddings), batch["answer"])
        if self.objective == "regression":
            return regression_loss(*embeddings, batch["answer"])
        if self.objective == "triplet":
            return triplet_loss(*embeddings, margin=self.margin)
        among = gather(embeddings[1].float(), batch.get("shares"))
        return in_batch_negatives_loss(*embeddings, scale=self.scale, among=among)

    @property
    def gathers(self) -> bool:
        """Whether the loss of a row depends on the other rows of its batch."""
        return self.objective == "in-batch negatives"

    def logits(self, u: Tensor, v: Tensor) -> Tensor:
        """The softmax head's opinion of a pair: (B, H), (B, H) -> (B, K)."""
        return self.head(concatenate(u, v, self.concatenation))

    @torch.inference_mode()
    def predict_labels(self, first: Sequence[str], second: Sequence[str]) -> Tensor:
        """The most likely class of each pair, as the head sees it: -> (N,)."""
        u = torch.from_numpy(self.encoder.encode(first)).to(self.encoder.device)
        v = torch.from_numpy(self.encoder.encode(second)).to(self.encoder.device)
        return self.logits(u, v).argmax(dim=-1).cpu()


def embed_texts(encoder: Encoder, texts: Sequence[dict[str, Tensor | None]]) -> Sequence[Tensor]:
    """Each text of the rows through the same network: (B, T) each -> (B, H) each.

    A GPU takes them all as one rectangle. On a CPU padding costs more than a further rectangle, so
    texts of similar length go together.
    """
    ids, mask = stack(texts, encoder.pad_id)
    if encoder.device.type != "cpu" or torch.compiler.is_compiling():
        return encoder(ids, mask).chunk(len(texts))
    lengths, order = mask.sum(dim=1).sort(descending=True, stable=True)
    batches, counts = [], lengths.tolist()
    for rows, width in rectangles(counts):
        few, even = order[rows], counts[rows.stop - 1] == width
        padding = None if even else mask[few, :width]
        batches.append({"input_ids": ids[few, :width], "attention_mask": padding})
    return encoder.together(batches)[order.argsort()].chunk(len(texts))


def stack(texts: Sequence[dict[str, Tensor | None]], pad_id: int) -> tuple[Tensor, Tensor]:
    """All texts under one another, padded to one width, and the mask: (texts * B, T) each."""
    widest = max(text["input_ids"].shape[1] for text in texts)
    ids, masks = [], []
    for text in texts:
        more, mask = (0, widest - text["input_ids"].shape[1]), text["attention_mask"]
        mask = torch.ones_like(text["input_ids"]) if mask is None else mask
        ids.append(F.pad(text["input_ids"], more, value=pad_id))
        masks.append(F.pad(mask, more))
    return torch.cat(ids), torch.cat(masks)


def rectangles(lengths: Sequence[int], start: int = 0) -> list[tuple[slice, int]]:
    """Rows, longest first, cut where that saves more padding than another rectangle costs."""
    longest = lengths[0]
    saved = [(longest - length) * (len(lengths) - i) for i, length in enumerate(lengths)]
    best = saved.index(max(saved))
    if saved[best] <= PASS:
        return [(slice(start, start + len(lengths)), longest)]
    return rectangles(lengths[:best], start) + rectangles(lengths[best:], start + best)
