"""SentenceEncoder: a BERT-like backbone and a pooling, with encode, save and load."""

import contextlib
from collections.abc import Iterator, Sequence
from pathlib import Path

import torch
from safetensors import SafetensorError
from tokenizers import Encoding, Tokenizer
from torch import Tensor, nn
from torch.nn import functional as F
from transformers import AutoConfig, AutoModel, AutoTokenizer
from transformers.utils import logging

from sbert_lab.devices import pick_device, pick_precision
from sbert_lab.encoder_folder import (
    Settings,
    find_folder,
    read_settings,
    tidy_tokenizer_config,
    write_digests,
    write_settings,
)
from sbert_lab.encoding import Collate, Encoder, Forward
from sbert_lab.errors import CheckpointError, InputError, require_choice
from sbert_lab.files import atomic_folder
from sbert_lab.packed import PRODUCTS, Groups, Packed, can_pack, pack
from sbert_lab.pooling import POOLERS, pool

FEW = 32  # sentences: for fewer a second copy of the weights does not pay
ROBERTAS = ("roberta", "xlm-roberta", "camembert")
TAKE_ATTENTION = ("bert", *ROBERTAS)  # model types that accept a finished attention mask


class SentenceEncoder(Encoder):
    """Sentences in, vectors out. Training uses `forward`, everybody else `encode`."""

    def __init__(
        self,
        backbone: nn.Module,
        tokenizer,
        *,
        pooling: str = "mean",
        normalize: bool = False,
        max_length: int = 128,
        lower_case: bool = False,
    ) -> None:
        super().__init__()
        self.pooling = require_choice("pooling", pooling, POOLERS)
        self.backbone, self.tokenizer, self.normalize = backbone, tokenizer, normalize
        self.max_length, self.lower_case = max_length, lower_case
        self.pad_id = tokenizer.pad_token_id
        # BERT's next-sentence layer: no pooling of ours uses it, but save() gives it back.
        self._unused = [getattr(backbone, "pooler", None)]  # in a list, or it would be registered
        if self._unused[0] is not None:
            backbone.pooler = None
        backend = getattr(tokenizer, "backend_tokenizer", None)
        if backend is None:
            raise InputError(f"{type(tokenizer).__name__} is not a fast tokenizer: use a fast one")
        self._pieces = Tokenizer.from_str(backend.to_str())  # a copy, so that its settings are ours
        self._pieces.no_padding()
        self._pieces.enable_truncation(max_length)
        self._kept: tuple | None = None  # weights in eight bits, and of which weights

    # ---- loading and saving

    @classmethod
    def load(
        cls,
        name_or_path: str | Path,
        *,
        pooling: str | None = None,
        max_length: int | None = None,
        revision: str | None = None,
        device: str | None = None,
        precision: str = "auto",
    ) -> "SentenceEncoder":
        """Open a name in data/models, a folder, or 'hub/id@revision'.

        pooling=None takes the folder's own, else mean. Folders of sentence-transformers open too.
        `precision` is what encode(precision="auto") will mean; "int8" is for CPUs, faster and a
        little less exact.
        """
        if pooling is not None:
            require_choice("pooling", pooling, POOLERS)
        folder = find_folder(name_or_path, revision)
        settings = read_settings(folder)
        backbone, tokenizer = _load_parts(folder)
        limit = _longest_input(backbone.config, tokenizer)
        encoder = cls(
            backbone,
            tokenizer,
            pooling=pooling or settings.pooling or "mean",
            normalize=settings.normalize,
            max_length=min(max_length or settings.max_length or 128, limit),
            lower_case=settings.lower_case,
        )
        encoder.to(pick_device(device)).eval().auto_precision = precision
        if precision == "int8":
            encoder.ready("int8")
        return encoder

    def save(self, path: str | Path) -> Path:
        """Write a folder that this class and sentence-transformers both open. All or nothing."""
        path = Path(path)
        settings = Settings(
            pooling=self.pooling,
            normalize=self.normalize,
            max_length=self.max_length,
            lower_case=self.lower_case,
        )
        with atomic_folder(path) as folder, _quiet():
            self._save_backbone(folder)
            self.tokenizer.save_pretrained(folder)
            tidy_tokenizer_config(folder, self.max_length)
            write_settings(folder, settings, self.dimension)
            write_digests(folder)
        return path

    def _save_backbone(self, folder: Path) -> None:
        if self._unused[0] is not None:
            self.backbone.pooler = self._unused[0]
        try:
            self.backbone.save_pretrained(folder)
        finally:
            if self._unused[0] is not None:
                self.backbone.pooler = None

    # ---- computing

    @property
    def dimension(self) -> int:
        """How many numbers an embedding has."""
        return self.backbone.config.hidden_size

    def forward(self, input_ids: Tensor, attention_mask: Tensor | None = None) -> Tensor:
        """Token ids to embeddings: (B, T), (B, T) -> (B, H). No mask means no padding."""
        tokens = self.token_embeddings(input_ids, attention_mask)
        embeddings = pool(self.pooling, tokens.float(), attention_mask)  # a sum needs all digits
        return F.normalize(embeddings, dim=-1) if self.normalize else embeddings

    @torch.inference_mode()
    def ready(self, precision: str, sentences: int = FEW) -> tuple[Collate, Forward]:
        """How to encode so many sentences: on a CPU without padding, by a copy of the weights."""
        kind = pick_precision(precision, self.device)
        packs = kind in PRODUCTS and self._packs()
        if kind != "int8":
            use = packs and sentences >= FEW
            return (pack, self._pooled(Packed(self.backbone))) if use else (self.pad, self)
        if not packs:
            raise InputError(
                f"int8 is for BERT and RoBERTa on a CPU, here is {type(self.backbone).__name__} "
                f"on {self.device}: use precision='auto'"
            )
        state = [(p.data_ptr(), p._version) for p in self.backbone.parameters()]
        if self._kept is None or self._kept[0] != state:
            self._kept = state, Packed(self.backbone, "int8")
        return pack, self._pooled(self._kept[1])

    def _packs(self) -> bool:
        unchanged = type(self).forward is SentenceEncoder.forward and "forward" not in vars(self)
        return unchanged and can_pack(self.backbone)

    def _pooled(self, packed: Packed) -> Forward:
        def forward(input_ids: Tensor, groups: Groups, order: Tensor) -> Tensor:
            found = torch.cat([pool(self.pooling, x, None) for x in packed(input_ids, groups)])
            embeddings = torch.empty_like(found).index_copy_(0, order, found)
            return F.normalize(embeddings, dim=-1) if self.normalize else embeddings

        return forward

    def together(self, batches: Sequence[dict[str, Tensor | None]]) -> Tensor:
        """All batches in one pass where the network can be packed: only attention is by batch."""
        if torch.is_autocast_enabled("cpu") or not self._packs():
            return super().together(batches)
        ids = [batch["input_ids"] for batch in batches]
        masks = [batch["attention_mask"] for batch in batches]
        groups = [(some.shape[1], len(some)) for some in ids]
        packed = Packed(self.backbone, "learning")
        found = packed(torch.cat([some.flatten() for some in ids]), groups, masks)
        pooled = [pool(self.pooling, *one) for one in zip(found, masks, strict=True)]
        return F.normalize(torch.cat(pooled), dim=-1) if self.normalize else torch.cat(pooled)

    def token_embeddings(self, input_ids: Tensor, attention_mask: Tensor | None = None) -> Tensor:
        """The backbone's last layer: (B, T) -> (B, T, H)."""
        mask = self.attention(attention_mask)
        return self.backbone(input_ids=input_ids, attention_mask=mask).last_hidden_state

    def attention(self, mask: Tensor | None) -> Tensor | None:
        """Which token may look at which: (B, T) -> (B, 1, T, T), for backbones that take it.

        From a mask (B, T) transformers makes the same, but first looks whether there is padding,
        and for that answer the host would wait for the GPU in every step.
        """
        config = self.backbone.config
        ready = config.model_type in TAKE_ATTENTION and config._attn_implementation == "sdpa"
        if mask is None or not ready:
            return mask
        return mask.bool()[:, None, None, :].expand(-1, -1, mask.shape[1], -1)

    def tokenize(self, sentences: Sequence[str]) -> tuple[list[list[int]], int]:
        """Token ids with special tokens, and how many sentences had to be cut off."""
        encodings, cut = self.encodings(sentences)
        return [e.ids for e in encodings], cut

    def encodings(self, texts: Sequence[str | tuple[str, str]]) -> tuple[list[Encoding], int]:
        """Token ids and segments of sentences or of pairs, and how many had to be cut off."""
        if self.lower_case:
            texts = [t.lower() if isinstance(t, str) else tuple(map(str.lower, t)) for t in texts]
        texts = list(texts)
        try:
            encodings = self._pieces.encode_batch_fast(texts)
        except TypeError:
            _name_half_character(texts)
            raise
        return encodings, sum(bool(e.overflowing) for e in encodings)


def _name_half_character(texts: Sequence[str | tuple[str, str]]) -> None:
    """Say which text no tokenizer takes: one with half of a UTF-16 character in it."""
    for position, text in enumerate(texts):
        try:
            "".join(text).encode()
        except UnicodeEncodeError as error:
            raise InputError(
                f"text {position} of this batch, {''.join(text)[:40]!r}, has half a character at "
                f"place {error.start}: text.encode('utf-8', 'replace').decode() replaces it"
            ) from None


def _load_parts(folder: Path) -> tuple[nn.Module, object]:
    """Backbone (float32) and tokenizer of a folder: safetensors only, no remote code."""
    common = {"local_files_only": True, "trust_remote_code": False}
    try:
        with _quiet():
            config = AutoConfig.from_pretrained(folder, **common)
            backbone, found = AutoModel.from_pretrained(
                folder,
                config=config,
                dtype=torch.float32,
                use_safetensors=True,
                output_loading_info=True,
                **common,
            )
            tokenizer = AutoTokenizer.from_pretrained(folder, **common)
    except (SafetensorError, OSError, ValueError, KeyError, RuntimeError) as error:
        reason = str(error).strip().splitlines()[0] if str(error).strip() else type(error).__name__
        raise CheckpointError(f"{folder} cannot be opened: {reason}") from error
    missing = set(found["missing_keys"])
    if any(key.startswith("pooler.") for key in missing):
        backbone.pooler = None  # transformers made a random one up
    missing = sorted(key for key in missing if not key.startswith("pooler."))
    if missing:
        raise CheckpointError(
            f"{folder} lacks {len(missing)} weights of {type(backbone).__name__}, the first is "
            f"{missing[0]}: it is cut off or belongs to another architecture"
        )
    return backbone, tokenizer


def _longest_input(config, tokenizer) -> int:
    """The most tokens that the model has positions for."""
    positions = getattr(config, "max_position_embeddings", 512)
    if config.model_type in ROBERTAS:
        positions -= config.pad_token_id + 1  # RoBERTa counts positions from padding_idx + 1
    return min(positions, tokenizer.model_max_length)


@contextlib.contextmanager
def _quiet() -> Iterator[None]:
    """Keep transformers' loading bars and hints out of the notebook."""
    level, bars = logging.get_verbosity(), logging.is_progress_bar_enabled()
    logging.set_verbosity_error()
    logging.disable_progress_bar()
    try:
        yield
    finally:
        logging.set_verbosity(level)
        if bars:
            logging.enable_progress_bar()
