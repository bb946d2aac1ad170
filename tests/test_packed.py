"""Encoding without padding gives the vectors of the network itself."""

import numpy as np
import pytest
import torch

from sbert_lab import packed
from sbert_lab.encode_to_file import encode_to_file
from sbert_lab.encoder import FEW, SentenceEncoder
from sbert_lab.errors import InputError
from sbert_lab.packed import Packed, can_pack, forget, pack
from sbert_lab.pooling import POOLERS

TEXT = "a dog sings and the cats listen to it in their warm little garden"
WORDS = TEXT.split()
MANY = [" ".join(WORDS[i % 5 : i % 5 + 1 + i % 9]) for i in range(2 * FEW)]


@pytest.fixture(params=["bert", "roberta"])
def encoder(tiny_folders, request):
    return SentenceEncoder.load(tiny_folders[request.param], max_length=32)


def by_the_network(encoder, sentences):
    with torch.inference_mode():
        return encoder.eval()(**encoder.collate(sentences)).numpy()


@pytest.mark.parametrize("pooling", POOLERS)
@pytest.mark.parametrize("onednn", [True, False])
def test_packed_sentences_have_the_vectors_of_padded_ones(encoder, pooling, onednn, monkeypatch):
    if not onednn:
        monkeypatch.setattr(torch.backends.mkldnn, "is_available", lambda: False)
    encoder.pooling, encoder.normalize = pooling, pooling == "mean"
    padding = encoder.tokenizer.pad_token
    sentences = [*MANY, f"a {padding} dog", ""]
    assert encoder.ready("auto", len(sentences))[0] is pack
    np.testing.assert_allclose(
        encoder.encode(sentences), by_the_network(encoder, sentences), atol=1e-5
    )


def test_no_padding_is_computed_and_every_sentence_finds_its_row():
    batch = pack([[1, 2], [3, 4, 5], [6, 7], [8]])
    assert batch["input_ids"].tolist() == [3, 4, 5, 1, 2, 6, 7, 8]
    assert batch["groups"] == [(3, 1), (2, 2), (1, 1)]
    assert batch["order"].tolist() == [1, 0, 2, 3]


def test_passes_come_in_few_sizes(encoder, monkeypatch):
    """oneDNN keeps a program for each size it has seen: a million sentences took 800 MB so."""
    sizes = set()
    attend = packed._Layer._attend

    def noted(self, mixed, *rest):
        sizes.add(len(mixed))
        return attend(self, mixed, *rest)

    monkeypatch.setattr(packed._Layer, "_attend", noted)
    for count in range(20, 60):
        encoder.encode(["a man plays the flute"] * count)
    assert sizes and all(size % packed.EVEN == 0 for size in sizes)


def test_a_few_sentences_go_through_the_network_itself(encoder):
    assert encoder.ready("auto", FEW - 1)[1] is encoder
    together, alone = encoder.encode(MANY), [encoder.encode([one])[0] for one in MANY]
    np.testing.assert_allclose(together, alone, atol=1e-5)


def change_hook(encoder):
    encoder.backbone.encoder.layer[0].register_forward_hook(lambda _, __, output: output * 2)


def change_part(encoder):
    class Doubled(torch.nn.Linear):
        def forward(self, x):
            return 2 * super().forward(x)

    encoder.backbone.encoder.layer[0].intermediate.dense.__class__ = Doubled


def change_forward(encoder):
    real = encoder.backbone.encoder.forward
    encoder.backbone.encoder.forward = lambda x, *rest, **more: real(x * 2, *rest, **more)


@pytest.mark.parametrize("change", [change_hook, change_part, change_forward])
def test_a_changed_network_keeps_its_own_forward(encoder, change):
    before = encoder.encode(MANY)
    change(encoder)
    assert not can_pack(encoder.backbone)
    np.testing.assert_allclose(encoder.encode(MANY), by_the_network(encoder, MANY), atol=1e-5)
    assert np.abs(encoder.encode(MANY) - before).max() > 1e-3
    with pytest.raises(InputError, match="int8 is for BERT and RoBERTa on a CPU"):
        encoder.encode(MANY, precision="int8")


@pytest.mark.parametrize("precision", ["auto", "int8"])
def test_vectors_follow_the_weights(encoder, precision):
    before = encoder.encode(MANY, precision=precision)
    with torch.no_grad():
        encoder.backbone.encoder.layer[-1].output.dense.weight.mul_(-1)
    assert np.abs(encoder.encode(MANY, precision=precision) - before).max() > 1e-3


def test_int8_is_close_and_is_made_once(encoder, tiny_folders, tmp_path, monkeypatch):
    folder = tiny_folders[encoder.backbone.config.model_type]
    small = SentenceEncoder.load(folder, max_length=32, precision="int8")
    exact, rounded = encoder.encode(MANY), small.encode(MANY)
    cosines = (exact * rounded).sum(1) / np.linalg.norm(exact, axis=1)
    cosines /= np.linalg.norm(rounded, axis=1)
    assert cosines.min() > 0.99 and np.abs(exact - rounded).max() > 1e-5
    monkeypatch.setattr(Packed, "__init__", None)  # a second copy would fail
    np.testing.assert_array_equal(small.encode(MANY), rounded)
    np.testing.assert_allclose(small.encode(MANY[:1]), rounded[:1], atol=0.05)
    np.testing.assert_array_equal(encode_to_file(small, MANY, tmp_path / "v.npy"), rounded)


def test_int8_is_saved_with_all_its_digits(encoder, tiny_folders, tmp_path):
    small = SentenceEncoder.load(tiny_folders[encoder.backbone.config.model_type], precision="int8")
    back = SentenceEncoder.load(small.save(tmp_path / "model"), max_length=32)
    np.testing.assert_array_equal(back.encode(MANY), encoder.encode(MANY))


# ---- learning


def two_widths(encoder):
    """Padding in the first batch, none in the second."""
    return [encoder.collate([TEXT, WORDS[0]]), encoder.collate([" ".join(WORDS[:3])] * 3)]


def slopes(encoder, vectors):
    encoder.zero_grad()
    (vectors * torch.arange(vectors.numel()).view_as(vectors)).sum().backward()
    return {n: p.grad.clone() for n, p in encoder.named_parameters() if p.grad is not None}


@pytest.mark.parametrize("pooling", POOLERS)
@pytest.mark.parametrize("onednn", [True, False])
def test_one_pass_moves_every_weight_as_separate_passes_do(encoder, pooling, onednn, monkeypatch):
    if not onednn:
        monkeypatch.setattr(torch.backends.mkldnn, "is_available", lambda: False)
    encoder.pooling, encoder.normalize = pooling, pooling == "mean"
    batches, one_by_one = two_widths(encoder), super(SentenceEncoder, encoder).together
    assert encoder.eval()._packs()
    found, expected = (way(batches) for way in (encoder.together, one_by_one))
    torch.testing.assert_close(found, expected, atol=1e-5, rtol=0)
    mine, theirs = slopes(encoder, found), slopes(encoder, expected)
    largest = max(one.abs().max() for one in theirs.values())
    assert mine.keys() == theirs.keys() and len(mine) > 30
    for name, one in theirs.items():
        torch.testing.assert_close(mine[name] / largest, one / largest, atol=1e-5, rtol=0)


def test_learning_forgets_where_the_network_forgets(encoder):
    batches, kinds = two_widths(encoder), (torch.nn.Dropout,)
    parts = [part for part in encoder.backbone.modules() if isinstance(part, kinds)]
    calm = encoder.eval().together(batches)
    encoder.train()
    for part in parts:
        part.p = 0.0
    torch.testing.assert_close(encoder.together(batches), calm)
    for part in parts:  # each one by itself
        part.p = 0.5
        torch.manual_seed(1)
        once = encoder.together(batches)
        assert not torch.allclose(once, calm)
        torch.manual_seed(1)
        assert torch.equal(encoder.together(batches), once)
        part.p = 0.0


def test_a_changed_network_learns_as_it_was_changed(encoder):
    change_hook(encoder)
    batches = two_widths(encoder.eval())
    expected = torch.cat([encoder(**batch) for batch in batches])
    torch.testing.assert_close(encoder.together(batches), expected)


@pytest.mark.parametrize("rate", [0.1, 0.5, 0.999])
def test_forgetting_has_torchs_rate_and_keeps_the_mean(rate):
    dropout, x = torch.nn.Dropout(rate), torch.ones(500, 1001)
    found = forget(x, dropout)
    assert (found == 0).float().mean().item() == pytest.approx(rate, abs=3e-3)
    assert found[found != 0].unique().tolist() == pytest.approx([1 / (1 - rate)], rel=1e-2)
    sides = (found[:, 1:] == 0) & (found[:, :-1] == 0)  # neighbours come from one draw
    assert sides.float().mean().item() == pytest.approx(rate**2, abs=4e-3)
    assert forget(x, dropout.eval()) is x
