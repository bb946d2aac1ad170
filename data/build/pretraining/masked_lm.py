"""What is learned: hidden words, and (BERT only) whether two texts belong together."""

import numpy as np
import torch
from corpus import KINDS, Rows
from torch import Tensor, nn
from torch.nn import functional as F
from vocabulary import MAX_LENGTH, continuations

NO_LABEL = -100
# Rows whose two texts say nearly the same: words are hidden on one side, and more of them.
COMPARED = (KINDS.index("related"), KINDS.index("copy"))


class MaskedLM(nn.Module):
    """A backbone with a head that fills in hidden words; other words are hidden every time."""

    def __init__(
        self,
        backbone: nn.Module,
        tokenizer,
        *,
        next_sentence: bool,
        hidden_share: float = 0.2,
        hidden_share_compared: float = 0.4,
    ) -> None:
        super().__init__()
        self.backbone = backbone
        self.shares = (hidden_share, hidden_share_compared)
        width, pieces = backbone.config.hidden_size, backbone.config.vocab_size
        self.transform = nn.Sequential(
            nn.Linear(width, width), nn.GELU(), nn.LayerNorm(width, eps=1e-12)
        )
        self.bias = nn.Parameter(torch.zeros(pieces))
        self.follows = nn.Linear(width, 2) if next_sentence else None
        self.cls, self.sep = tokenizer.cls_token_id, tokenizer.sep_token_id
        self.double_sep = tokenizer.num_special_tokens_to_add(pair=True) == 4
        self.pad_id, self.mask_id = tokenizer.pad_token_id, tokenizer.mask_token_id
        special = torch.zeros(pieces, dtype=torch.bool)
        special[tokenizer.all_special_ids] = True
        self.register_buffer("special", special, persistent=False)
        continues = torch.from_numpy(continuations(tokenizer))
        self.register_buffer("continues", continues, persistent=False)

    def collate(self, rows: Rows, chosen: list[int]) -> dict[str, Tensor]:
        """Padded ids with special tokens, segments, and what is asked of each row."""
        middle = [self.sep] * (2 if self.double_sep else 1)
        texts, seconds = [], []
        for row in chosen:
            first, second = rows.texts(row)
            head = [self.cls, *first.tolist()]
            second = second[: MAX_LENGTH - len(head) - len(middle) - 1]  # RoBERTa has one mark more
            seconds.append(len(head) + len(middle) if len(second) else len(head) + 1)
            tail = [*middle, *second.tolist(), self.sep] if len(second) else [self.sep]
            texts.append(head + tail)
        longest = -(-max(map(len, texts)) // 8) * 8
        ids = np.full((len(texts), longest), self.pad_id)
        for number, text in enumerate(texts):
            ids[number, : len(text)] = text
        places = np.arange(longest)[None, :]
        return {
            "ids": torch.from_numpy(ids),
            "segments": torch.from_numpy((places >= np.array(seconds)[:, None]).astype(np.int64)),
            "compared": torch.from_numpy(np.isin(rows.kind[chosen], COMPARED)),
            "is_next": torch.from_numpy(rows.is_next[chosen].astype(np.int64)),
        }

    def forward(self, batch: dict[str, Tensor]) -> tuple[Tensor, Tensor]:
        """Mean loss over hidden words, and of the question whether the texts belong together."""
        ids = batch["ids"]  # (B, T)
        hidden, shown = self._hide(ids, batch["segments"], batch["compared"])
        inputs = {"attention_mask": (ids != self.pad_id).long()}
        if self.follows is not None:
            inputs["token_type_ids"] = batch["segments"] * inputs["attention_mask"]
        vectors = self.backbone(input_ids=shown, **inputs).last_hidden_state  # (B, T, H)
        words = F.cross_entropy(self._word_logits(vectors[hidden]).float(), ids[hidden])
        if self.follows is None:
            return words, torch.zeros_like(words)
        return words, self._belongs_loss(vectors, batch["is_next"])

    def _belongs_loss(self, vectors: Tensor, is_next: Tensor) -> Tensor:
        logits = self.follows(self.backbone.pooler(vectors)).float()  # (B, 2)
        asked = (is_next != NO_LABEL).sum()
        total = F.cross_entropy(logits, is_next, ignore_index=NO_LABEL, reduction="sum")
        return total / asked.clamp(min=1)

    def _word_logits(self, vectors: Tensor) -> Tensor:
        """(N, H) -> (N, pieces), with the input embeddings as output weights."""
        table = self.backbone.get_input_embeddings().weight
        return F.linear(self.transform(vectors), table, self.bias.to(vectors.dtype))

    def _hide(self, ids: Tensor, segments: Tensor, compared: Tensor) -> tuple[Tensor, Tensor]:
        """Choose whole words to guess; 80 % become [MASK], 10 % another piece, 10 % stay.

        Where two texts are compared, only one of them has hidden words, and twice as many.
        """
        word = (~self.continues[ids]).long().cumsum(dim=1) - 1  # (B, T), pieces of a word share
        draws = torch.rand(ids.shape).gather(1, word.clamp(min=0))
        usual, more = self.shares
        side = (torch.rand(len(ids)) < 0.5).long()[:, None]
        one_side = torch.where(segments == side, more, 0.0)
        limit = torch.where(compared[:, None], one_side, torch.full_like(one_side, usual))
        hidden = (draws < limit) & ~self.special[ids]
        fate = torch.rand(ids.shape)
        other = torch.randint(len(self.special), ids.shape)
        shown = torch.where(hidden & (fate < 0.8), self.mask_id, ids)
        return hidden, torch.where(hidden & (fate >= 0.9), other, shown)
