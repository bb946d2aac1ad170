import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from sbert_lab.errors import InputError
from sbert_lab.pooling import POOLERS, pool

RNG = np.random.default_rng(0)


def batch(lengths, tokens=6, width=5):
    vectors = torch.from_numpy(RNG.normal(size=(len(lengths), tokens, width)).astype(np.float32))
    mask = torch.tensor([[1] * n + [0] * (tokens - n) for n in lengths])
    return vectors, mask


def reference(name, vectors, mask):
    """A second implementation: row by row, in numpy, on the real tokens only."""
    rows = []
    for row, keep in zip(vectors.numpy(), mask.numpy().astype(bool), strict=True):
        real = row[keep]
        if name == "cls":
            rows.append(row[0])
        elif len(real) == 0:
            rows.append(np.zeros(row.shape[1], dtype=row.dtype))
        else:
            rows.append(real.mean(axis=0) if name == "mean" else real.max(axis=0))
    return torch.from_numpy(np.stack(rows))


@pytest.mark.parametrize("name", POOLERS)
@settings(max_examples=30, deadline=None)
@given(lengths=st.lists(st.integers(0, 6), min_size=1, max_size=5))
def test_each_pooling_equals_the_plain_loop(name, lengths):
    vectors, mask = batch(lengths)
    torch.testing.assert_close(POOLERS[name](vectors, mask), reference(name, vectors, mask))


@pytest.mark.parametrize("name", POOLERS)
def test_padding_never_changes_the_result(name):
    vectors, mask = batch([6, 6, 6])
    longer = torch.cat([vectors, torch.full((3, 4, 5), 99.0)], dim=1)
    longer_mask = torch.cat([mask, torch.zeros(3, 4, dtype=mask.dtype)], dim=1)
    torch.testing.assert_close(POOLERS[name](longer, longer_mask), POOLERS[name](vectors, mask))


@pytest.mark.parametrize("name", POOLERS)
def test_no_mask_means_no_padding(name):
    vectors, mask = batch([6, 6])
    torch.testing.assert_close(pool(name, vectors, None), pool(name, vectors, mask))


def test_max_of_an_all_padding_row_is_zeros():
    vectors, mask = batch([0, 3])
    assert torch.equal(POOLERS["max"](vectors, mask)[0], torch.zeros(5))


def test_max_of_negative_values_is_not_beaten_by_padding():
    vectors, mask = -torch.ones(1, 4, 3), torch.tensor([[1, 1, 0, 0]])
    assert torch.equal(POOLERS["max"](vectors, mask), -torch.ones(1, 3))


def test_max_works_in_half_precision_and_leaves_its_input_alone():
    vectors, mask = batch([2, 4])
    half = vectors.half()
    before = half.clone()
    assert torch.isfinite(POOLERS["max"](half, mask)).all()
    assert torch.equal(half, before)


def test_an_unknown_pooling_lists_the_choices():
    with pytest.raises(InputError, match="unknown pooling 'avg': choose cls, max or mean"):
        pool("avg", *batch([1]))
