"""Tokenizers: trained on the corpus, or read back."""

from pathlib import Path

import numpy as np
from tokenizers import (
    ByteLevelBPETokenizer,
    Tokenizer,
    decoders,
    models,
    normalizers,
    pre_tokenizers,
    processors,
    trainers,
)
from transformers import PreTrainedTokenizerFast

MAX_LENGTH = 128
PIECES = 16_000


def train_wordpiece(sentences: list[str]) -> PreTrainedTokenizerFast:
    """Lower-cased WordPiece with BERT's special tokens."""
    tokenizer = Tokenizer(models.WordPiece(unk_token="[UNK]"))
    tokenizer.normalizer = normalizers.BertNormalizer(lowercase=True)
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    tokenizer.decoder = decoders.WordPiece()
    special = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]
    tokenizer.train_from_iterator(
        sentences,
        trainers.WordPieceTrainer(
            vocab_size=PIECES, special_tokens=special, show_progress=False, limit_alphabet=120
        ),
    )
    ids = [(name, tokenizer.token_to_id(name)) for name in ("[CLS]", "[SEP]")]
    tokenizer.post_processor = processors.TemplateProcessing(
        single="[CLS] $A [SEP]", pair="[CLS] $A [SEP] $B:1 [SEP]:1", special_tokens=ids
    )
    return PreTrainedTokenizerFast(
        tokenizer_object=tokenizer,
        model_max_length=MAX_LENGTH,
        pad_token="[PAD]",
        unk_token="[UNK]",
        cls_token="[CLS]",
        sep_token="[SEP]",
        mask_token="[MASK]",
    )


def train_byte_bpe(sentences: list[str]) -> PreTrainedTokenizerFast:
    """Byte-level BPE with RoBERTa's special tokens; lower-cased, since 16,000 pieces are few."""
    tokenizer = ByteLevelBPETokenizer(lowercase=True, add_prefix_space=True)
    special = ["<s>", "<pad>", "</s>", "<unk>", "<mask>"]
    tokenizer.train_from_iterator(
        sentences, vocab_size=PIECES, special_tokens=special, show_progress=False
    )
    tokenizer.post_processor = processors.RobertaProcessing(
        ("</s>", tokenizer.token_to_id("</s>")),
        ("<s>", tokenizer.token_to_id("<s>")),
        add_prefix_space=True,
    )
    return PreTrainedTokenizerFast(
        tokenizer_object=tokenizer._tokenizer,
        model_max_length=MAX_LENGTH,
        bos_token="<s>",
        cls_token="<s>",
        eos_token="</s>",
        sep_token="</s>",
        pad_token="<pad>",
        unk_token="<unk>",
        mask_token="<mask>",
        model_input_names=["input_ids", "attention_mask"],
    )


TOKENIZERS = {"mini-bert": train_wordpiece, "mini-roberta": train_byte_bpe}


def load_tokenizer(folder: Path) -> PreTrainedTokenizerFast:
    return PreTrainedTokenizerFast.from_pretrained(folder)


def continuations(tokenizer: PreTrainedTokenizerFast) -> np.ndarray:
    """Which pieces go on with a word: '##ing' in WordPiece, no space mark in byte-level BPE."""
    names = tokenizer.convert_ids_to_tokens(list(range(len(tokenizer))))
    if any(name.startswith("Ġ") for name in names):
        return np.array([name[:1].isalpha() and not name.startswith("Ġ") for name in names])
    return np.array([name.startswith("##") for name in names])
