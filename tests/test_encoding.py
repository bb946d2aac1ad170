from functools import partial

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from sbert_lab import encoding
from sbert_lab.encoding import forward_all, pad, plan_batches
from sbert_lab.errors import InputError
from sbert_lab.experiments.evaluation import speed
from sbert_lab.tasks import CrossEncoder, PolyEncoder


def tokenize(sentences):
    """One id per letter; nothing is ever cut off."""
    return [[1, *(ord(c) % 90 + 2 for c in s)] for s in sentences], 0


def collate(rows):
    ids, mask = pad(rows, 50)
    return {"ids": ids, "mask": mask}


def forward(ids, mask):
    """Sum of the real ids: padding would show at once."""
    real = ids if mask is None else ids * mask
    return torch.stack([real.sum(1), torch.full((len(ids),), 7)], dim=1).float()


def run(sentences, **changes):
    given = {"tokenize": tokenize, "collate": collate, "forward": forward}
    plan = partial(plan_batches, token_budget=changes.pop("token_budget", 40))
    return forward_all(sentences, torch.nn.Linear(1, 1), **{**given, "plan": plan, **changes})


@settings(max_examples=60, deadline=None)
@given(lengths=st.lists(st.integers(0, 60), min_size=1, max_size=80), budget=st.integers(1, 200))
def test_every_row_is_planned_once_and_no_batch_breaks_the_budget(lengths, budget):
    batches = plan_batches(lengths, token_budget=budget)
    assert sorted(np.concatenate(batches).tolist()) == list(range(len(lengths)))
    for batch in batches:
        longest = max(lengths[i] for i in batch)
        assert len(batch) == 1 or len(batch) * longest <= budget
    firsts = [lengths[batch[0]] for batch in batches]
    assert firsts == sorted(firsts, reverse=True)


@settings(max_examples=40, deadline=None)
@given(sentences=st.lists(st.text("abcdefg ", max_size=30), min_size=1, max_size=40))
def test_the_order_given_is_the_order_returned(sentences):
    expected = [sum(tokenize([s])[0][0]) for s in sentences]
    assert run(sentences)[:, 0].tolist() == expected


def test_sorting_wastes_less_padding_than_the_order_given():
    lengths = np.random.default_rng(0).integers(3, 60, size=400)
    sorted_cost = sum(len(b) * lengths[b].max() for b in plan_batches(lengths, token_budget=640))
    given_cost = sum(len(b) * b.max() for b in np.array_split(lengths, 25))
    assert sorted_cost < 1.1 * lengths.sum() < given_cost


def test_a_batch_without_padding_has_no_mask():
    ids, mask = pad([[1, 2], [3, 4]], 0)
    assert mask is None and ids.tolist() == [[1, 2], [3, 4]]
    ids, mask = pad([[1, 2], [3]], 9)
    assert ids.tolist() == [[1, 2], [3, 9]] and mask.tolist() == [[1, 1], [1, 0]]


def test_windows_are_tokenized_ahead_without_changing_anything(monkeypatch):
    sentences = ["x" * (i % 17) for i in range(100)]
    whole = run(sentences)
    monkeypatch.setattr(encoding, "WINDOW", 9)
    assert np.array_equal(run(sentences), whole)


def test_out_of_memory_is_answered_by_smaller_batches():
    sizes = []

    def greedy(ids, mask):
        sizes.append(len(ids))
        if len(ids) > 3:
            raise torch.OutOfMemoryError("GPU is full")
        return forward(ids, mask)

    sentences = ["abc"] * 20
    assert np.array_equal(run(sentences, forward=greedy, token_budget=80), run(sentences))
    assert max(sizes) == 20 and min(sizes) <= 3


def test_one_sentence_that_does_not_fit_is_explained():
    def hopeless(ids, mask):
        raise torch.OutOfMemoryError("GPU is full")

    with pytest.raises(InputError, match="one sentence of 4 tokens does not fit"):
        run(["abc"], forward=hopeless)


class FullGpu:
    """A forward that has room for so many rows; everything else goes to the real one."""

    def __init__(self, real, rows: int) -> None:
        self.real, self.rows, self.sizes = real, rows, []

    def __call__(self, input_ids=None, **given):
        self.sizes.append(len(input_ids))
        if len(input_ids) > self.rows:
            raise torch.OutOfMemoryError("GPU is full")
        return self.real(input_ids=input_ids, **given)


def cross(encoder, objective):
    task = CrossEncoder(encoder, objective)
    return lambda texts: task.predict(texts, ["the dog sings"] * len(texts))


WAYS = {  # every way from a sentence to numbers that goes through an encoder's network
    "encode": lambda encoder: partial(encoder.encode, normalize=True),
    "cross-encoder's scores": lambda encoder: cross(encoder, "regression"),
    "cross-encoder's classes": lambda encoder: cross(encoder, "classification"),
    "poly-encoder's contexts": lambda encoder: PolyEncoder(encoder, codes=3).encode_contexts,
    "speed table": lambda encoder: speed.encode_with(encoder, speed.in_order),
}


@pytest.mark.parametrize("way", WAYS)
def test_every_way_recovers_from_a_full_gpu_and_keeps_the_order(encoder, sentences, way):
    run = WAYS[way](encoder)
    alone = np.concatenate([run([one]) for one in sentences])
    encoder.backbone.forward = full = FullGpu(encoder.backbone.forward, rows=2)
    encoder.train()
    together = run(sentences)
    assert max(full.sizes) > 2 >= min(full.sizes)
    np.testing.assert_allclose(together, alone, atol=1e-5)
    assert encoder.training


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ([], "the list of sentences is empty"),
        ("one string", "got one string: use"),
        (["fine", None], "sentence 1 is None"),
        (["fine", 3.5], "sentence 1 is 3.5 \\(float\\), not a string"),
        (17, "expected a list of sentences, got int"),
    ],
)
def test_what_is_not_a_list_of_strings_is_named(encoder, wrong, message):
    poly, cross = PolyEncoder(encoder, codes=2), CrossEncoder(encoder, "regression")
    for run in (encoder.encode, poly.encode_contexts, lambda texts: cross.predict(texts, ["a"])):
        with pytest.raises(InputError, match=message):
            run(wrong)


def test_truncation_is_reported_once_with_its_count():
    def cutting(sentences):
        return [[1] for _ in sentences], 2

    with pytest.warns(UserWarning, match="2 of 5 sentences were longer") as caught:
        run(list("abcde"), tokenize=cutting)
    assert len(caught) == 1
