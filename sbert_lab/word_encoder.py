"""WordEncoder: sentence encoders without a BERT in them, for the systems the paper compares with.

Word vectors, then a small network: 'bilstm' reads the words in both directions and pools over them
(InferSent, Dor et al., skip-thoughts), 'averaging' sends the mean of the words through two layers
(the deep averaging variant of Universal Sentence Encoder). Trainable wherever SentenceEncoder is.
"""

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

import torch
from torch import Tensor, nn

from sbert_lab.devices import pick_device
from sbert_lab.encoding import Encoder
from sbert_lab.errors import InputError, require_choice
from sbert_lab.files import read_json, read_sealed, sealed_folder, write_bytes, write_json
from sbert_lab.pooling import mean_pool, pool
from sbert_lab.word_vectors import DIGESTS, WORDS, WordVectors
from sbert_lab.words import split_words

NETWORKS = ("bilstm", "averaging")
POOLINGS = ("max", "mean")
PADDING, UNKNOWN = 0, 1  # the first two rows of the table of vectors
WEIGHTS, SETTINGS = "weights.safetensors", "words.json"


@dataclass(frozen=True, kw_only=True)
class WordSettings:
    """The shape of a WordEncoder. `trainable` says whether the word vectors learn, too."""

    network: str = "bilstm"
    pooling: str = "max"
    hidden: int = 128
    trainable: bool = False
    word_dropout: float = 0.0
    max_length: int = 128

    def __post_init__(self) -> None:
        require_choice("network", self.network, NETWORKS)
        require_choice("pooling", self.pooling, POOLINGS)
        if not 0 <= self.word_dropout < 1:
            raise InputError(f"word_dropout must lie in [0, 1), got {self.word_dropout!r}")


class BiLstm(nn.Module):
    """One LSTM per direction, then pooling: (B, T, D), mask (B, T) -> (B, 2 * hidden).

    Both read the real words first and the padding last, so no padding is ever in a word's past.
    (torch's packed sequences do the same; they trained more slowly in our rough timing on a CPU.)
    """

    def __init__(self, width: int, hidden: int, pooling: str) -> None:
        super().__init__()
        self.forwards = nn.LSTM(width, hidden, batch_first=True)
        self.backwards = nn.LSTM(width, hidden, batch_first=True)
        self.pooling, self.dimension = pooling, 2 * hidden

    def forward(self, vectors: Tensor, mask: Tensor | None) -> Tensor:
        order = _reading_order(vectors, mask)  # (B, T), its own inverse
        onwards = self.forwards(vectors)[0]
        returning = _take(self.backwards(_take(vectors, order))[0], order)
        return pool(self.pooling, torch.cat([onwards, returning], dim=-1), mask)


class Averaging(nn.Module):
    """The mean of the words, then two tanh layers: (B, T, D), mask (B, T) -> (B, 2 * hidden).

    In training each word is left out with probability `word_dropout` (Iyyer et al. 2015).
    """

    def __init__(self, width: int, hidden: int, word_dropout: float) -> None:
        super().__init__()
        self.dimension, self.word_dropout = 2 * hidden, word_dropout
        self.first = nn.Linear(width, self.dimension)
        self.second = nn.Linear(self.dimension, self.dimension)

    def forward(self, vectors: Tensor, mask: Tensor | None) -> Tensor:
        if mask is None:
            mask = torch.ones(vectors.shape[:2], device=vectors.device)
        if self.training and self.word_dropout:
            mask = mask * (torch.rand_like(mask, dtype=torch.float32) >= self.word_dropout)
        return torch.tanh(self.second(torch.tanh(self.first(mean_pool(vectors, mask)))))


class WordEncoder(Encoder):
    """Sentences in, vectors out; the interface of SentenceEncoder, with words as tokens."""

    pad_id, auto_precision, token_budget = PADDING, "fp32", 8192

    def __init__(self, words: Sequence[str], vectors: Tensor, settings: WordSettings) -> None:
        """`vectors` has a row per word and two more in front: padding and unknown words."""
        super().__init__()
        if len(vectors) != len(words) + 2:
            raise InputError(f"{len(words)} words need {len(words) + 2} rows, got {len(vectors)}")
        self.words, self.settings = list(words), settings
        self._place = {word: number for number, word in enumerate(self.words, start=2)}
        self.table = nn.Embedding.from_pretrained(
            vectors, freeze=not settings.trainable, padding_idx=PADDING
        )
        width = vectors.shape[1]
        if settings.network == "bilstm":
            self.network = BiLstm(width, settings.hidden, settings.pooling)
        else:
            self.network = Averaging(width, settings.hidden, settings.word_dropout)

    @classmethod
    def fresh(
        cls, vectors: str | WordVectors = "word-vectors", *, seed: int = 1, **settings: object
    ) -> "WordEncoder":
        """Word vectors from data/models, everything above them random. See WordSettings."""
        known = vectors if isinstance(vectors, WordVectors) else WordVectors.load(vectors)
        rows = torch.from_numpy(known.vectors)
        special = torch.stack([torch.zeros(known.dimension), rows.mean(dim=0)])
        with torch.random.fork_rng(devices=[]):
            torch.manual_seed(seed)
            encoder = cls(known.words, torch.cat([special, rows]), WordSettings(**settings))
        return encoder.to(pick_device(None)).eval()

    # ---- computing

    @property
    def dimension(self) -> int:
        """How many numbers an embedding has."""
        return self.network.dimension

    def forward(self, input_ids: Tensor, attention_mask: Tensor | None = None) -> Tensor:
        """Word numbers to embeddings: (B, T), (B, T) -> (B, H). No mask means no padding."""
        return self.network(self.table(input_ids), attention_mask)

    def tokenize(self, sentences: Sequence[str]) -> tuple[list[list[int]], int]:
        """Word numbers, and how many sentences had to be cut off.

        A sentence without any word counts as one unknown word.
        """
        limit, place = self.settings.max_length, self._place
        ids = [[place.get(w, UNKNOWN) for w in split_words(s)] or [UNKNOWN] for s in sentences]
        return [row[:limit] for row in ids], sum(len(row) > limit for row in ids)

    # ---- saving and loading

    def save(self, path: str | Path) -> Path:
        """Write a folder that load() opens: safetensors and json with digests. All or nothing."""
        from safetensors.torch import save

        tensors = {k: v.detach().cpu().contiguous() for k, v in self.state_dict().items()}
        with sealed_folder(path, DIGESTS) as folder:
            write_bytes(folder / WORDS, "".join(f"{word}\n" for word in self.words).encode())
            write_bytes(folder / WEIGHTS, save(tensors))
            write_json(folder / SETTINGS, asdict(self.settings))
        return Path(path)

    @classmethod
    def load(cls, path: str | Path, *, device: str | None = None) -> "WordEncoder":
        """Open what save() wrote; a damaged or missing file is an error that names it."""
        from safetensors.torch import load_file

        folder = Path(path)
        way_out = "restore it, or delete the folder and train again"
        read_sealed(folder, DIGESTS, kind="a saved WordEncoder", way_out=way_out)
        tensors = load_file(folder / WEIGHTS)
        words = (folder / WORDS).read_text(encoding="utf-8").splitlines()
        settings = WordSettings(**read_json(folder / SETTINGS))
        encoder = cls(words, tensors["table.weight"], settings)
        encoder.load_state_dict(tensors)
        return encoder.to(pick_device(device)).eval()


def _reading_order(vectors: Tensor, mask: Tensor | None) -> Tensor:
    """Places of the words from last to first, padding where it was: (B, T)."""
    batch, longest = vectors.shape[:2]
    places = torch.arange(longest, device=vectors.device).expand(batch, longest)
    if mask is None:
        return places.flip(dims=(1,))
    lengths = mask.sum(dim=1, keepdim=True).long()
    return torch.where(places < lengths, lengths - 1 - places, places)


def _take(vectors: Tensor, order: Tensor) -> Tensor:
    """Rows in another order: (B, T, D), (B, T) -> (B, T, D)."""
    return vectors.gather(1, order.unsqueeze(-1).expand_as(vectors))
