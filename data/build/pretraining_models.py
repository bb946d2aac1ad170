"""Tokenizers and fresh backbones for pretraining."""

import numpy as np
import torch
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
from transformers import BertConfig, BertModel, PreTrainedTokenizerFast, RobertaConfig, RobertaModel

from sbert_lab.tasks.masked_lm import MaskedLM

MAX_LENGTH = 128
PIECES = 12_000
# No dropout: the models are small and see each sentence few times. The exported configuration has
# BERT's usual 0.1 for the tuning that follows.
SHAPE = {
    "hidden_size": 128,
    "num_hidden_layers": 4,
    "num_attention_heads": 4,
    "intermediate_size": 512,
    "hidden_dropout_prob": 0.0,
    "attention_probs_dropout_prob": 0.0,
}


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
    """Byte-level BPE with RoBERTa's special tokens; lower-cased, since 12,000 pieces are few."""
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


def new_backbone(name: str, tokenizer: PreTrainedTokenizerFast) -> torch.nn.Module:
    """A random BERT (with the layer that next-sentence prediction uses) or RoBERTa."""
    torch.manual_seed(1)
    shape = {**SHAPE, "vocab_size": PIECES, "pad_token_id": tokenizer.pad_token_id}
    if name == "mini-bert":
        return BertModel(BertConfig(max_position_embeddings=MAX_LENGTH, **shape))
    config = RobertaConfig(
        max_position_embeddings=MAX_LENGTH + tokenizer.pad_token_id + 1,
        type_vocab_size=1,
        bos_token_id=tokenizer.bos_token_id,
        eos_token_id=tokenizer.eos_token_id,
        **shape,
    )
    return RobertaModel(config, add_pooling_layer=False)


def start_from_glove(
    backbone: torch.nn.Module, tokenizer, words: list[str], vectors: np.ndarray
) -> int:
    """Put GloVe into the first 50 dimensions of every piece that is a whole word; count them."""
    rows = {word: number for number, word in enumerate(words)}
    scaled = (vectors - vectors.mean(axis=0)) / vectors.std() * 0.05
    table, found = backbone.get_input_embeddings().weight.data, 0
    byte_level = any(piece.startswith("Ġ") for piece in tokenizer.get_vocab())
    for piece, number in tokenizer.get_vocab().items():
        whole_word = piece.startswith("Ġ") if byte_level else True
        row = rows.get(piece.removeprefix("Ġ"))
        if whole_word and row is not None:
            table[number, : vectors.shape[1]] = torch.from_numpy(scaled[row])
            found += 1
    return found


def start_bias_from_counts(task: MaskedLM, rows: list[dict]) -> None:
    """Begin with the words' frequencies, which the head would learn first anyway."""
    counts = np.ones(PIECES)
    for row in rows[::10]:
        np.add.at(counts, row["input_ids"], 1)
    task.bias.data = torch.log(torch.from_numpy(counts / counts.sum())).float()
