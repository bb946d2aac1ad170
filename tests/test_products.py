"""Products by oneDNN are torch's own, forward and backward."""

import copy

import pytest
import torch
from torch import nn
from torch.testing import assert_close

from sbert_lab.encoder import SentenceEncoder
from sbert_lab.packed import can_pack, pack
from sbert_lab.products import FastLinear, fast_linears, onednn_takes, product


@pytest.mark.parametrize("shape", [(5, 7), (2, 3, 7), (1, 7)])
@pytest.mark.parametrize("bias", [True, False])
def test_a_fast_linear_and_its_slopes_are_torchs_own(shape, bias):
    slow = nn.Linear(7, 4, bias=bias)
    fast, given = copy.deepcopy(slow), torch.randn(shape)
    found = []
    for layer, on in ((slow, False), (fast, True)):
        x = given.clone().requires_grad_()
        with fast_linears(layer, on=on):
            assert type(layer) is (FastLinear if on else nn.Linear)
            (layer(x) ** 2).sum().backward()
        found.append([x.grad, *(p.grad for p in layer.parameters())])
    assert_close(*found)


def test_frozen_weights_and_inputs_get_no_slopes():
    layer = nn.Linear(3, 2)
    layer.weight.requires_grad_(False)
    with fast_linears(layer):
        layer(torch.ones(4, 3)).sum().backward()
    assert layer.weight.grad is None
    assert layer.bias.grad.tolist() == [4, 4]


def test_without_onednn_or_with_other_numbers_torch_multiplies(monkeypatch):
    x, weight = torch.randn(3, 5), torch.randn(2, 5)
    assert not onednn_takes(x.double())
    assert_close(product(x.double(), weight.double()), x.double() @ weight.double().T)
    expected = product(x, weight)
    monkeypatch.setattr(torch.backends.mkldnn, "is_available", lambda: False)
    assert_close(product(x, weight), expected)
    layer = nn.Linear(2, 2)
    with fast_linears(layer):
        assert type(layer) is nn.Linear


def test_layers_are_themselves_again_even_after_an_error():
    layer = nn.Linear(2, 2)
    with pytest.raises(ValueError, match="stop"), fast_linears(layer):
        raise ValueError("stop")
    assert type(layer) is nn.Linear


def test_an_encoder_in_training_still_encodes_without_padding(tiny_folders):
    encoder = SentenceEncoder.load(tiny_folders["bert"], max_length=32)
    sentences = ["a dog sings", "the cats listen to it"] * 20
    before = encoder.encode(sentences)
    with fast_linears(encoder):
        assert can_pack(encoder.backbone) and encoder.ready("fp32")[0] is pack
        assert_close(encoder.encode(sentences), before, atol=1e-6, rtol=0)
