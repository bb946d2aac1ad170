"""Products by oneDNN are torch's own, forward and backward."""

import pytest
import torch
from torch.nn import functional as F
from torch.testing import assert_close

from sbert_lab.products import linear, onednn_takes, product


@pytest.mark.parametrize("shape", [(5, 7), (2, 3, 7), (1, 7)])
def test_products_and_their_slopes_are_torchs_own(shape):
    given = [torch.randn(shape), torch.randn(4, 7), torch.randn(4)]
    assert onednn_takes(*given)
    assert_close(product(*given), F.linear(*given))
    found = []
    for multiply in (linear, F.linear):
        leaves = [one.clone().requires_grad_() for one in given]
        (multiply(*leaves) ** 2).sum().backward()
        found.append([one.grad for one in leaves])
    assert_close(*found)


def test_frozen_weights_get_no_slopes():
    bias, weight = torch.zeros(2, requires_grad=True), torch.randn(2, 3)
    linear(torch.ones(4, 3), weight, bias).sum().backward()
    assert weight.grad is None
    assert bias.grad.tolist() == [4, 4]


def test_without_onednn_or_with_other_numbers_torch_multiplies(monkeypatch):
    x, weight = torch.randn(3, 5), torch.randn(2, 5)
    assert not onednn_takes(x.double())
    assert_close(product(x.double(), weight.double()), x.double() @ weight.double().T)
    expected = product(x, weight)
    monkeypatch.setattr(torch.backends.mkldnn, "is_available", lambda: False)
    assert not onednn_takes(x)
    assert_close(product(x, weight), expected)
