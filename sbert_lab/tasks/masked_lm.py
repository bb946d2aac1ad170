"""Pretraining: guess hidden words, and (BERT only) whether one text follows another."""

from collections.abc import Iterable, Sequence

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from sbert_lab.errors import InputError

NO_LABEL = -100


def single_rows(tokenizer, texts: Sequence[str], *, max_length: int) -> list[dict]:
    """Token ids of single texts: [CLS] text [SEP]."""
    encoded = tokenizer(list(texts), truncation=True, max_length=max_length)["input_ids"]
    return [{"input_ids": ids, "second_at": len(ids), "is_next": NO_LABEL} for ids in encoded]


def pair_rows(tokenizer, pairs: Iterable[tuple[str, str, bool]], *, max_length: int) -> list[dict]:
    """Token ids of text pairs with their answer: [CLS] A [SEP] B [SEP], 1 if B follows A."""
    rows = []
    for first, second, follows in pairs:
        ids = tokenizer(first, second, truncation=True, max_length=max_length)["input_ids"]
        second_at = ids.index(tokenizer.sep_token_id) + 1
        rows.append({"input_ids": ids, "second_at": second_at, "is_next": int(follows)})
    return rows


class MaskedLM(nn.Module):
    """A backbone with a head that fills in hidden words. Rows come from single_rows, pair_rows.

    Hiding happens on the fly (dynamic masking, as RoBERTa does it): every epoch hides other words.
    """

    def __init__(
        self,
        backbone: nn.Module,
        tokenizer,
        *,
        next_sentence: bool = False,
        hidden_share: float = 0.15,
        whole_words: bool = True,
    ) -> None:
        super().__init__()
        if next_sentence and getattr(backbone, "pooler", None) is None:
            raise InputError("next-sentence prediction needs a backbone with a pooling layer")
        self.backbone, self.hidden_share, self.whole_words = backbone, hidden_share, whole_words
        width, pieces = backbone.config.hidden_size, backbone.config.vocab_size
        self.transform = nn.Sequential(
            nn.Linear(width, width), nn.GELU(), nn.LayerNorm(width, eps=1e-12)
        )
        self.bias = nn.Parameter(torch.zeros(pieces))
        self.follows = nn.Linear(width, 2) if next_sentence else None
        self.pad_id, self.mask_id = tokenizer.pad_token_id, tokenizer.mask_token_id
        special = torch.zeros(pieces, dtype=torch.bool)
        special[tokenizer.all_special_ids] = True
        self.register_buffer("special", special, persistent=False)
        self.register_buffer("continues", _continuations(tokenizer, pieces), persistent=False)

    def token_counts(self, rows: Sequence[dict]) -> list[int]:
        return [len(row["input_ids"]) for row in rows]

    def collate(self, rows: Sequence[dict]) -> dict[str, Tensor]:
        longest = max(len(row["input_ids"]) for row in rows)
        ids = torch.full((len(rows), longest), self.pad_id)
        segments = torch.zeros_like(ids)
        for number, row in enumerate(rows):
            length = len(row["input_ids"])
            ids[number, :length] = torch.tensor(row["input_ids"])
            segments[number, row["second_at"] : length] = 1
        is_next = torch.tensor([row["is_next"] for row in rows])
        return {"input_ids": ids, "segments": segments, "is_next": is_next}

    def forward(self, batch: dict[str, Tensor]) -> Tensor:
        ids = batch["input_ids"]  # (B, T)
        hidden, shown = self._hide(ids)
        padding = ids == self.pad_id
        inputs = {"attention_mask": (~padding).long()} if padding.any() else {}
        if self.follows is not None:
            inputs["token_type_ids"] = batch["segments"]
        vectors = self.backbone(input_ids=shown, **inputs).last_hidden_state  # (B, T, H)
        loss = F.cross_entropy(self._word_logits(vectors[hidden]).float(), ids[hidden])
        if self.follows is None:
            return loss
        return loss + self._next_sentence_loss(vectors, batch["is_next"])

    def _next_sentence_loss(self, vectors: Tensor, is_next: Tensor) -> Tensor:
        logits = self.follows(self.backbone.pooler(vectors)).float()  # (B, 2)
        asked = (is_next != NO_LABEL).sum()
        total = F.cross_entropy(logits, is_next, ignore_index=NO_LABEL, reduction="sum")
        return total / asked.clamp(min=1)

    def _word_logits(self, vectors: Tensor) -> Tensor:
        """(N, H) -> (N, pieces), with the input embeddings as output weights."""
        table = self.backbone.get_input_embeddings().weight
        return F.linear(self.transform(vectors), table, self.bias.to(vectors.dtype))

    def _hide(self, ids: Tensor) -> tuple[Tensor, Tensor]:
        """Choose words to guess; 80 % become [MASK], 10 % another piece, 10 % stay."""
        draws = torch.rand(ids.shape, device=ids.device)
        if self.whole_words:
            word = (~self.continues[ids]).long().cumsum(
                dim=1
            ) - 1  # (B, T), pieces of one word share
            draws = draws.gather(1, word.clamp(min=0))
        hidden = (draws < self.hidden_share) & ~self.special[ids]
        if not hidden.any():  # at least one word, or there is nothing to learn from
            hidden = ~self.special[ids]
        fate = torch.rand(ids.shape, device=ids.device)
        other = torch.randint(len(self.special), ids.shape, device=ids.device)
        shown = torch.where(hidden & (fate < 0.8), self.mask_id, ids)
        return hidden, torch.where(hidden & (fate >= 0.9), other, shown)


def _continuations(tokenizer, pieces: int) -> Tensor:
    """Which pieces go on with a word: '##ing' in WordPiece, no space mark in byte-level BPE."""
    names = tokenizer.convert_ids_to_tokens(list(range(pieces)))
    if any(name.startswith("Ġ") for name in names if name):
        flags = [bool(name) and name[0].isalpha() and name[0] != "Ġ" for name in names]
    else:
        flags = [bool(name) and name.startswith("##") for name in names]
    return torch.tensor(flags)
