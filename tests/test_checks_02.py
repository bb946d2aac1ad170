"""The checks of notebook 02: right answers in any style pass, each named mistake gets its hint."""

import pytest
import torch

from sbert_lab import pooling
from sbert_lab.course import nb02
from sbert_lab.course.diagnose import CORRECT, NOT_ATTEMPTED, NOT_THERE_YET, verdict_of
from sbert_lab.paths import data_dir

needs_mini_bert = pytest.mark.skipif(
    not data_dir("models", "mini-bert", "config.json").is_file(), reason="mini-bert is not built"
)


def stub(token_embeddings, attention_mask): ...


@pytest.mark.parametrize("check", [nb02.mean_pool, nb02.max_pool])
def test_a_stub_is_not_attempted(check):
    assert verdict_of(check, stub) == NOT_ATTEMPTED
    assert verdict_of(check, None) == NOT_ATTEMPTED


def mean_with_a_loop(tokens, mask):
    return torch.stack([t[m == 1].mean(dim=0) for t, m in zip(tokens, mask, strict=True)])


def mean_with_einsum(tokens, mask):
    shares = mask / mask.sum(dim=1, keepdim=True)
    return torch.einsum("bt,bth->bh", shares, tokens)


@pytest.mark.parametrize("answer", [pooling.mean_pool, mean_with_a_loop, mean_with_einsum])
def test_mean_is_right_in_any_style(answer):
    assert verdict_of(nb02.mean_pool, answer) == CORRECT


def mean_of_everything(tokens, mask):
    return tokens.mean(1)


def mean_over_t(tokens, mask):
    return (tokens * mask.unsqueeze(-1)).mean(1)


def mean_over_the_batch(tokens, mask):
    return (tokens * mask.unsqueeze(-1)).sum(1) / mask.sum()


def mean_with_padding_in_the_sum(tokens, mask):
    return tokens.sum(1) / mask.sum(1, keepdim=True)


def mean_without_special_tokens(tokens, mask):
    lengths = mask.sum(1)
    return torch.stack([t[1 : n - 1].mean(0) for t, n in zip(tokens, lengths, strict=True)])


def mean_in_place(tokens, mask):
    tokens[mask == 0] = 0
    return tokens.sum(1) / mask.sum(1, keepdim=True)


def mean_of_one_axis_too_many(tokens, mask):
    return pooling.mean_pool(tokens, mask).mean(1)


@pytest.mark.parametrize(
    ("answer", "hint"),
    [
        (mean_of_everything, "padding is in your average"),
        (mean_over_t, "divided by T"),
        (mean_over_the_batch, "whole batch"),
        (mean_with_padding_in_the_sum, "still in the sum"),
        (mean_without_special_tokens, "[CLS] and [SEP] count"),
        (mean_in_place, "changed the vectors"),
        (mean_of_one_axis_too_many, "shape (3, 4)"),
        (pooling.max_pool, "which sentence differs"),
    ],
)
def test_a_wrong_mean_gets_its_hint(answer, hint):
    line = verdict_of(nb02.mean_pool, answer)
    assert line.startswith(NOT_THERE_YET)
    assert hint in line


def max_with_a_loop(tokens, mask):
    return torch.stack([t[m == 1].amax(dim=0) for t, m in zip(tokens, mask, strict=True)])


def max_with_finfo(tokens, mask):
    lowest = torch.full_like(tokens, torch.finfo(tokens.dtype).min)
    return torch.where(mask[:, :, None].bool(), tokens, lowest).amax(1)


@pytest.mark.parametrize("answer", [pooling.max_pool, max_with_a_loop, max_with_finfo])
def test_max_is_right_in_any_style(answer):
    assert verdict_of(nb02.max_pool, answer) == CORRECT


def max_of_everything(tokens, mask):
    return tokens.max(1).values


def max_times_mask(tokens, mask):
    return (tokens * mask.unsqueeze(-1)).max(1).values


def max_copied(tokens, mask):
    expanded = mask.unsqueeze(-1).expand(tokens.size()).float()
    tokens[expanded == 0] = -1e9
    return torch.max(tokens, 1)[0]


def max_minus_a_billion(tokens, mask):
    return tokens.masked_fill(mask.unsqueeze(-1) == 0, -1e9).max(1).values


def max_minus_ten(tokens, mask):
    return tokens.masked_fill(mask.unsqueeze(-1) == 0, -10).max(1).values


def max_in_float32(tokens, mask):
    return pooling.max_pool(tokens.float(), mask)


@pytest.mark.parametrize(
    ("answer", "hint"),
    [
        (max_of_everything, "padding won: push"),
        (max_times_mask, "0 beats every negative"),
        (max_copied, "wrote into the model's output"),
        (max_minus_a_billion, "does not fit into float16"),
        (max_minus_ten, "not low enough"),
        (max_in_float32, "keep the dtype"),
        (pooling.mean_pool, "this is the mean"),
    ],
)
def test_a_wrong_maximum_gets_its_hint(answer, hint):
    line = verdict_of(nb02.max_pool, answer)
    assert line.startswith(NOT_THERE_YET)
    assert hint in line


def test_the_learners_own_errors_pass_through():
    def broken(tokens, mask):
        return tokens @ mask.float()

    with pytest.raises(RuntimeError, match="multiplied"):
        verdict_of(nb02.max_pool, broken)


def test_twins_that_are_missing_are_not_attempted():
    assert verdict_of(nb02.same_vector, None, None) == NOT_ATTEMPTED
    assert verdict_of(nb02.same_vector, "A dog barks.", None) == NOT_ATTEMPTED


@pytest.mark.parametrize(
    ("first", "second", "hint"),
    [
        ("A dog barks.", "A dog barks.", "same string"),
        ("A dog barks.", "A  dog barks. ", "white space only"),
        ("A dog barks.", 3, "two strings"),
        (" ", "A dog barks.", "empty string"),
    ],
)
def test_pairs_that_are_no_twins_are_refused_without_a_model(first, second, hint):
    assert hint in verdict_of(nb02.same_vector, first, second)


@needs_mini_bert
@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("He works in the US.", "He works in the us."),
        ("I feel 🙂 today.", "I feel 🙃 today."),
        ("word " * 200 + "ends here", "word " * 200 + "goes on"),
    ],
    ids=["case", "unknown pieces", "beyond the length limit"],
)
def test_twins_of_every_kind_pass(first, second):
    assert verdict_of(nb02.same_vector, first, second) == CORRECT


@needs_mini_bert
@pytest.mark.parametrize(
    ("first", "second", "hint"),
    [
        ("The dog bites the man.", "The man bites the dog.", "another order"),
        ("A dog barks.", "A cat barks.", "differ in"),
    ],
)
def test_sentences_with_different_vectors_get_a_hint(first, second, hint):
    assert hint in verdict_of(nb02.same_vector, first, second)
