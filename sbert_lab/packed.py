"""The forward pass of BERT and RoBERTa on a CPU: the same weights, less work.

The tokens of a batch lie one after another, (N, H), without any padding; only attention looks at
sentences, at all those of one length together. Query, key and value are one product, and oneDNN
adds bias, GELU and the residual inside its products. Without oneDNN torch's own functions do the
same. `int8` stores the weights of the products in eight bits and rounds what goes into them;
`learning` has gradients and dropout.

Other networks, changed ones, and other devices keep their own forward.
"""

import warnings
from collections.abc import Callable, Sequence
from itertools import groupby

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional as F
from transformers import BertModel, RobertaModel
from transformers.activations import GELUActivation

from sbert_lab.products import linear, onednn_takes

Product = Callable[..., Tensor]  # x (N, in) -> (N, out), with gelu=True or plus=(N, out)
Groups = list[tuple[int, int]]  # (tokens of a sentence, how many such sentences), in their order
Masks = Sequence[Tensor | None] | None  # of each group (sentences, tokens), where it has padding
EVEN = 64  # tokens: a pass is filled up to a multiple; oneDNN keeps a program for each size
KNOWN = (nn.Linear, nn.LayerNorm, nn.Dropout, GELUActivation, nn.GELU)


def can_pack(backbone: nn.Module) -> bool:
    """Whether this is BERT or RoBERTa in float32 on a CPU, and nobody has changed its parts."""
    if type(backbone) not in (BertModel, RobertaModel) or backbone.config.is_decoder:
        return False
    parts = list(backbone.modules())
    leaves = [part for part in backbone.encoder.modules() if not list(part.children())]
    changed = any("forward" in vars(p) or p._forward_hooks or p._forward_pre_hooks for p in parts)
    plain = all(type(part) in KNOWN for part in leaves) and backbone.config.hidden_act == "gelu"
    here = all(p.device.type == "cpu" and p.dtype == torch.float32 for p in backbone.parameters())
    return plain and here and not changed


def pack(rows: Sequence[Sequence[int]]) -> dict[str, object]:
    """Token ids of B sentences -> all ids (N,), longest sentences first, and how to read them."""
    lengths = np.fromiter(map(len, rows), dtype=np.int64, count=len(rows))
    order = np.argsort(-lengths, kind="stable")
    ids = np.concatenate([np.asarray(rows[i], dtype=np.int64) for i in order])
    groups = [(length, len(list(some))) for length, some in groupby(lengths[order].tolist())]
    return {"input_ids": torch.from_numpy(ids), "groups": groups, "order": torch.from_numpy(order)}


def split(packed: Tensor, groups: Groups) -> list[Tensor]:
    """(N, ...) -> (sentences, tokens, ...) of each group."""
    parts = packed.split([length * count for length, count in groups])
    return [
        part.view(count, length, *part.shape[1:])
        for part, (length, count) in zip(parts, groups, strict=True)
    ]


class Packed:
    """A copy of a backbone's layers, ready to compute with; it does not follow later training.

    Only `learning` is no copy: it uses the weights themselves.
    """

    def __init__(self, backbone: nn.Module, kind: str = "fp32") -> None:
        embeddings, product = backbone.embeddings, PRODUCTS[kind]
        self.words, self.norm = embeddings.word_embeddings.weight, embeddings.LayerNorm
        kinds = embeddings.token_type_embeddings.weight
        self.places = embeddings.position_embeddings.weight + kinds[0]
        self.before_first = getattr(embeddings, "padding_idx", None)  # RoBERTa counts from there
        self.dropout = embeddings.dropout
        self.even = 1 if kind == "int8" else EVEN
        self.layers = [_Layer(layer, product) for layer in backbone.encoder.layer]

    def __call__(self, input_ids: Tensor, groups: Groups, masks: Masks = None) -> list[Tensor]:
        """Ids (N,) -> the last layer (sentences, tokens, H) of each group."""
        asked, spare = len(groups), -len(input_ids) % self.even
        masks = masks or [None] * asked
        if spare:  # sentences of one token, left out again at the end
            input_ids = torch.cat([input_ids, input_ids[:1].expand(spare)])
            groups, masks = [*groups, (1, spare)], [*masks, None]
        places = torch.cat([self._places(some) for some in split(input_ids, groups)])
        words = F.embedding(input_ids, self.words) + F.embedding(places, self.places)
        x = forget(self.norm(words), self.dropout)
        looks = [None if m is None else m.bool()[:, None, None, :] for m in masks]
        for layer in self.layers:
            x = layer(x, groups, looks)
        return split(x, groups)[:asked]

    def _places(self, ids: Tensor) -> Tensor:
        """The position of each token in its sentence: (sentences, tokens) -> (N,)."""
        if self.before_first is None:
            return torch.arange(ids.shape[1]).repeat(ids.shape[0])
        real = (ids != self.before_first).long()  # a "<pad>" that someone wrote does not count
        return (real.cumsum(1) * real + self.before_first).flatten()


class _Layer:
    def __init__(self, layer: nn.Module, product: Callable[..., Product]) -> None:
        attention, after, last = layer.attention.self, layer.attention.output, layer.output
        parts = (attention.query, attention.key, attention.value)
        self.heads, self.width = attention.num_attention_heads, attention.attention_head_size
        self.mix = product(torch.cat([p.weight for p in parts]), torch.cat([p.bias for p in parts]))
        self.join = product(after.dense.weight, after.dense.bias, after.dropout)
        self.rise = product(layer.intermediate.dense.weight, layer.intermediate.dense.bias)
        self.fall = product(last.dense.weight, last.dense.bias, last.dropout)
        self.norms = after.LayerNorm, last.LayerNorm
        self.forget = attention.dropout.p if attention.training else 0.0

    def __call__(self, x: Tensor, groups: Groups, looks: Sequence[Tensor | None]) -> Tensor:
        x = self.norms[0](self.join(self._attend(self.mix(x), groups, looks), plus=x))
        return self.norms[1](self.fall(self.rise(x, gelu=True), plus=x))

    def _attend(self, mixed: Tensor, groups: Groups, looks: Sequence[Tensor | None]) -> Tensor:
        """Query, key and value (N, 3H) -> what each token takes from its sentence (N, H)."""
        found = []
        parts = split(mixed.view(-1, 3, self.heads, self.width), groups)
        for some, look in zip(parts, looks, strict=True):
            query, key, value = some.permute(2, 0, 3, 1, 4)  # (sentences, heads, tokens, width)
            taken = F.scaled_dot_product_attention(query, key, value, look, self.forget)
            taken = taken.transpose(1, 2)
            found.append(taken.reshape(-1, self.heads * self.width))
        return found[0] if len(found) == 1 else torch.cat(found)


# ---- products


def _fp32(weight: Tensor, bias: Tensor, dropout: nn.Module | None = None) -> Product:
    """By oneDNN; else by torch's linear."""
    onednn = torch.ops.mkldnn
    if not onednn_takes(weight):
        return _unfused(lambda x: F.linear(x, weight, bias))
    weight = onednn._reorder_linear_weight(weight, 1024)

    def product(x: Tensor, *, gelu: bool = False, plus: Tensor | None = None) -> Tensor:
        if plus is not None:
            return onednn._linear_pointwise.binary(x, plus, weight, bias, "add")
        name, kind = ("gelu", "none") if gelu else ("none", "")  # exact GELU, not the tanh one
        return onednn._linear_pointwise(x, weight, bias, name, [], kind)

    return product


def _int8(weight: Tensor, bias: Tensor, dropout: nn.Module | None = None) -> Product:
    """Each row of weights has a scale of its own, each batch of inputs another."""
    scales = weight.abs().amax(dim=1).clamp(min=1e-12).double() / 127
    zeros = torch.zeros(len(weight), dtype=torch.long)
    with warnings.catch_warnings():  # torch would rather have torchao do it, one more package
        warnings.simplefilter("ignore", UserWarning)
        rounded = torch.quantize_per_channel(weight, scales, zeros, 0, torch.qint8)
    stored = torch.ops.quantized.linear_prepack(rounded, bias)
    vnni = getattr(torch.cpu, "_is_vnni_supported", lambda: False)()
    narrow = not vnni  # older CPUs add up in 16 bits, which would overflow
    return _unfused(lambda x: torch.ops.quantized.linear_dynamic(x, stored, narrow))


def _learning(weight: Tensor, bias: Tensor, dropout: nn.Module | None = None) -> Product:
    """With gradients, and dropout before a residual is added."""
    if dropout is None:
        return _unfused(lambda x: linear(x, weight, bias))
    return _unfused(lambda x: forget(linear(x, weight, bias), dropout))


def forget(x: Tensor, dropout: nn.Dropout) -> Tensor:
    """Dropout, its rate rounded to 1/65,536: 16 random bits a number, which torch draws faster."""
    bar = round(dropout.p * 65536)
    if not dropout.training or not 0 < bar < 65536:
        return dropout(x)
    bits = torch.empty(x.numel() // 4 + 1, dtype=torch.int64).random_(-(2**63), None)
    kept = bits.view(torch.int16)[: x.numel()] >= bar - 32768
    return x * kept.view_as(x).to(x.dtype).mul_(65536 / (65536 - bar))


def _unfused(multiply: Callable[[Tensor], Tensor]) -> Product:
    def product(x: Tensor, *, gelu: bool = False, plus: Tensor | None = None) -> Tensor:
        y = multiply(x)
        if plus is not None:
            y += plus
        return F.gelu(y) if gelu else y

    return product


PRODUCTS = {"fp32": _fp32, "int8": _int8, "learning": _learning}
