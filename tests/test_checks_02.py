"""The checks of notebook 02: right answers pass in any style; wrong ones beyond the tables."""

import pytest
import torch
from conftest import expect

from sbert_lab import pooling
from sbert_lab.course import nb02
from sbert_lab.course.diagnose import CORRECT, verdict_of
from sbert_lab.paths import data_dir

needs_mini_bert = pytest.mark.skipif(
    not data_dir("models", "mini-bert", "config.json").is_file(), reason="mini-bert is not built"
)


def mean_with_a_loop(tokens, mask):
    return torch.stack([t[m == 1].mean(dim=0) for t, m in zip(tokens, mask, strict=True)])


def mean_with_einsum(tokens, mask):
    shares = mask / mask.sum(dim=1, keepdim=True)
    return torch.einsum("bt,bth->bh", shares, tokens)


def mean_in_place(tokens, mask):
    tokens[mask == 0] = 0
    return tokens.sum(1) / mask.sum(1, keepdim=True)


@pytest.mark.parametrize(
    ("answer", "line"),
    [
        (pooling.mean_pool, CORRECT),
        (mean_with_a_loop, "without a loop"),
        (lambda tokens, mask: pooling.mean_pool(tokens, mask).numpy(), "stay with torch"),
        (mean_with_einsum, CORRECT),
        (mean_in_place, "changed the vectors"),
        (lambda tokens, mask: pooling.mean_pool(tokens, mask).mean(1), "shape (3, 4)"),
        (pooling.max_pool, "which sentence differs"),
    ],
)
def test_mean_is_right_in_any_style(answer, line):
    expect(line, nb02.mean_pool, answer)


def max_with_a_loop(tokens, mask):
    return torch.stack([t[m == 1].amax(dim=0) for t, m in zip(tokens, mask, strict=True)])


def max_with_finfo(tokens, mask):
    lowest = torch.full_like(tokens, torch.finfo(tokens.dtype).min)
    return torch.where(mask[:, :, None].bool(), tokens, lowest).amax(1)


def max_filled(tokens, mask, number):
    return tokens.masked_fill(mask.unsqueeze(-1) == 0, number).max(1).values


def max_copied(tokens, mask):
    tokens[mask == 0] = -1e9
    return torch.max(tokens, 1)[0]


@pytest.mark.parametrize(
    ("answer", "line"),
    [
        (pooling.max_pool, CORRECT),
        (max_with_a_loop, CORRECT),
        (max_with_finfo, CORRECT),
        (max_copied, "wrote into the model's output"),
        (lambda tokens, mask: max_filled(tokens, mask, -1e9), "does not fit into float16"),
        (lambda tokens, mask: max_filled(tokens, mask, -10), "not low enough"),
        (lambda tokens, mask: pooling.max_pool(tokens.float(), mask), "keep the dtype"),
        (lambda tokens, mask: pooling.max_pool(tokens.half(), mask), "keep the dtype"),
        (lambda tokens, mask: pooling.max_pool(tokens, mask) - 1, "which dimension differs"),
    ],
)
def test_the_maximum_is_right_in_any_style(answer, line):
    expect(line, nb02.max_pool, answer)


def test_the_learners_own_errors_are_shown_with_their_line():
    def broken(tokens, mask):
        return tokens @ mask.float()

    said = verdict_of(nb02.max_pool, broken)
    assert "return tokens @ mask.float()" in said and "RuntimeError" in said


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
    expect(hint, nb02.same_vector, first, second)


@needs_mini_bert
@pytest.mark.parametrize(
    ("first", "second", "line"),
    [
        ("He works in the US.", "He works in the us.", CORRECT),
        ("I feel 🙂 today.", "I feel 🙃 today.", CORRECT),
        ("word " * 200 + "ends here", "word " * 200 + "goes on", CORRECT),
        ("The dog bites the man.", "The man bites the dog.", "another order"),
        ("A dog barks.", "A cat barks.", "differ in"),
    ],
    ids=["case", "unknown pieces", "beyond the length limit", "order", "word"],
)
def test_twins_of_every_kind_pass_and_other_sentences_get_a_hint(first, second, line):
    expect(line, nb02.same_vector, first, second)
