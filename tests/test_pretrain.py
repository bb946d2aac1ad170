"""Pretraining on tiny text: which rows are made, which words are hidden, and going on."""

import contextlib
import sys
from dataclasses import replace

import numpy as np
import pretraining_text
import pytest
import torch
from conftest import ROOT, make_backbone, make_tokenizer
from pretraining_text import detokenize, sections, split_sentences

sys.path.insert(0, str(ROOT / "data" / "build" / "pretraining"))

import corpus
import pretrain
import reached
from corpus import KINDS, RowsBuilder
from export import export
from export import main as run_export
from masked_lm import MaskedLM
from vocabulary import continuations

from sbert_lab.encoder import SentenceEncoder

TOKENIZERS = {kind: make_tokenizer(kind) for kind in ("bert", "roberta")}


def pieces(text: str, kind: str = "bert") -> np.ndarray:
    ids = TOKENIZERS[kind](text, add_special_tokens=False)["input_ids"]
    return np.array(ids, np.int16)


def make_rows(count: int = 15) -> corpus.Rows:
    """So many rows of each kind, of many lengths; xyz is a word of three pieces."""
    builder, rng = RowsBuilder(), np.random.default_rng(0)
    for number in range(count):
        first, second = (pieces("the xyz dog " * rng.integers(1, 4)) for _ in range(2))
        builder.add("pair", first, second, number % 2)
        builder.add("related", first, second, 1)
        builder.add("copy", first, second)
        builder.add("single", first)
    return builder.rows()


def make_task(kind: str = "bert", **shares) -> MaskedLM:
    tokenizer = TOKENIZERS[kind]
    backbone = make_backbone(kind, tokenizer, dropout=0.0)
    return MaskedLM(backbone, tokenizer, next_sentence=kind == "bert", **shares)


# ---- rows


@pytest.mark.parametrize(("kind", "between"), [("bert", 1), ("roberta", 2)])
def test_lengths_are_those_of_the_collated_rows(tmp_path, kind, between):
    made = make_rows()
    made.save(tmp_path / "rows.npz")
    rows, task = corpus.Rows.load(tmp_path / "rows.npz"), make_task(kind)
    batch = task.collate(rows, list(range(len(rows))))
    assert len(rows) == 60 and set(rows.kind.tolist()) == set(range(len(KINDS)))
    lengths = rows.lengths(between)
    assert (lengths == (batch["ids"] != task.pad_id).sum(dim=1).numpy()).all()


@pytest.mark.parametrize("kind", ["bert", "roberta"])
def test_no_row_is_longer_than_the_model_has_positions_for(kind):
    builder = corpus.RowsBuilder()
    builder.add("pair", np.full(60, 9, np.int16), np.full(200, 9, np.int16), 1)
    batch = make_task(kind).collate(builder.rows(), [0])
    assert (batch["ids"] != make_task(kind).pad_id).sum() == corpus.MAX_LENGTH


@pytest.mark.parametrize("kind", ["bert", "roberta"])
def test_a_collated_row_is_what_the_tokenizer_makes_of_its_texts(kind):
    tokenizer, builder = TOKENIZERS[kind], RowsBuilder()
    builder.add("pair", pieces("the xyz dog", kind), pieces("a cat", kind), 1)
    builder.add("single", pieces("a big cat", kind))
    batch = make_task(kind).collate(builder.rows(), [1, 0])
    ask = {"return_token_type_ids": True}
    expected = [tokenizer("a big cat", **ask), tokenizer("the xyz dog", "a cat", **ask)]
    for ids, segments, whole in zip(batch["ids"], batch["segments"], expected, strict=True):
        assert ids[: len(whole["input_ids"])].tolist() == whole["input_ids"]
        if kind == "bert":
            assert segments[: len(whole["input_ids"])].tolist() == whole["token_type_ids"]
    assert batch["is_next"].tolist() == [corpus.NO_LABEL, 1]


def test_a_stretch_that_is_said_to_follow_does_follow():
    # Sentence s of document d has the ids 100 d + 2 s and 100 d + 2 s + 1.
    documents = [[np.array([100 * d + 2 * s, 100 * d + 2 * s + 1], np.int16) for s in range(30)]
                 for d in range(40)]  # fmt: skip
    builder = RowsBuilder()
    corpus.pair_rows(builder, documents, 1.0, np.random.default_rng(1))
    rows = builder.rows()
    for row in range(len(rows)):
        first, second = rows.texts(row)
        assert (np.diff(first) == 1).all() and (np.diff(second) == 1).all()
        if rows.is_next[row]:
            assert second[0] == first[-1] + 1
    follow = np.array([rows.texts(r)[1][0] == rows.texts(r)[0][-1] + 1 for r in range(len(rows))])
    assert (follow == (rows.is_next == 1)).mean() > 0.98  # chance may hit the very next sentence
    assert 0.35 < rows.is_next.mean() < 0.65


def test_a_copy_lacks_whole_words_and_keeps_their_order():
    sentences, builder = [pieces("the xyz dog sleeps under a big qrs tree")] * 60, RowsBuilder()
    continues = continuations(TOKENIZERS["bert"])
    corpus.copy_rows(builder, sentences, continues, np.random.default_rng(1))
    rows, whole = builder.rows(), sentences[0].tolist()
    assert len(rows) > 40
    for row in range(len(rows)):
        longer, shorter = sorted(rows.texts(row), key=len, reverse=True)
        assert longer.tolist() == whole
        left = iter(whole)
        assert all(piece in left for piece in shorter.tolist())
        for word in (pieces("xyz").tolist(), pieces("qrs").tolist()):
            assert sum(piece in shorter for piece in word) in (0, 3)


# ---- hiding words


def hidden_in(task: MaskedLM, rows: corpus.Rows) -> tuple[dict, torch.Tensor]:
    batch = task.collate(rows, list(range(len(rows))))
    torch.manual_seed(0)
    hidden, shown = task._hide(batch["ids"], batch["segments"], batch["compared"])
    assert not (hidden & task.special[batch["ids"]]).any()  # never [CLS], [SEP] or padding
    assert torch.equal(shown[~hidden], batch["ids"][~hidden])
    return batch, hidden


def test_the_pieces_of_a_word_are_hidden_together():
    batch, hidden = hidden_in(make_task(hidden_share=0.5), make_rows())
    first = batch["ids"] == int(pieces("xyz")[0])
    rows, places = first.nonzero(as_tuple=True)
    together = torch.stack([hidden[rows, places + n] for n in range(3)])  # x ##y ##z
    assert (together.all(dim=0) | ~together.any(dim=0)).all()
    assert together.any() and not together.all()


def test_compared_rows_hide_words_on_one_side_only():
    rows = make_rows()
    batch, hidden = hidden_in(make_task(hidden_share=0.5, hidden_share_compared=0.9), rows)
    sides = torch.stack([(hidden & (batch["segments"] == s)).any(dim=1) for s in (0, 1)])
    compared, pair = batch["compared"], torch.from_numpy(rows.kind == KINDS.index("pair"))
    assert compared.sum() == 30
    assert (sides[:, compared].sum(dim=0) == 1).all()
    assert sides[0, compared].any() and sides[1, compared].any()
    assert (sides[:, pair].sum(dim=0) == 2).any()


# ---- a run


def test_a_plan_has_each_row_once_and_keeps_to_the_budget():
    lengths = np.random.default_rng(0).integers(4, 60, size=500)
    settings = pretrain.Settings(batch_tokens=256, pool_batches=5)
    batches = pretrain.plan(lengths, settings)
    assert sorted(row for batch in batches for row in batch) == list(range(500))
    assert max(len(batch) * lengths[batch].max() for batch in batches) <= 256
    assert batches == pretrain.plan(lengths, settings)
    assert batches != pretrain.plan(lengths, replace(settings, seed=2))
    padded = sum(len(batch) * lengths[batch].max() for batch in batches)
    assert padded < 1.25 * lengths.sum()


@pytest.fixture
def work(tmp_path, monkeypatch):
    """A folder as corpus.py leaves it, and a network small enough for a test."""
    TOKENIZERS["bert"].save_pretrained(tmp_path / "tokenizer")
    for part in ("train", "held_out"):
        make_rows(160).save(tmp_path / f"{part}.npz")
    small = {"hidden_size": 32, "num_hidden_layers": 1, "intermediate_size": 64}
    monkeypatch.setattr(pretrain, "SHAPE", {**pretrain.SHAPE, **small})
    # Some virtual CPUs lack the units for bfloat16.
    monkeypatch.setattr(pretrain.torch, "autocast", lambda *_: contextlib.nullcontext())
    monkeypatch.delenv("SBERT_LAB_DATA", raising=False)
    return tmp_path


SETTINGS = pretrain.Settings(batch_tokens=512, warmup_steps=5, rate=5e-3)


def steps(run: pretrain.Run, count: int) -> list[float]:
    run.task.train()
    return [sum(run.take_step(pretrain.steady(run))) for _ in range(count)]


def test_a_resumed_run_has_the_same_weights_and_losses(work):
    whole = pretrain.Run("mini-bert", work, work / "whole", SETTINGS)
    losses = steps(whole, 6)
    start = pretrain.Run("mini-bert", work, work / "parts", SETTINGS)
    first = steps(start, 3)
    start.save(start.folder / "checkpoint")
    rest = pretrain.Run("mini-bert", work, work / "parts", SETTINGS)
    rest.load(rest.folder / "checkpoint")
    assert first + steps(rest, 3) == losses
    assert (rest.step, rest.tokens) == (whole.step, whole.tokens)
    for name, tensor in whole.task.state_dict().items():
        assert torch.equal(tensor, rest.task.state_dict()[name]), name


def test_handed_over_weights_go_on_elsewhere_with_a_rate_that_rises_again(work):
    first = pretrain.Run("mini-bert", work, work / "first", SETTINGS)
    steps(first, 6)
    first.hand_over(work / "handed")
    second = pretrain.Run("mini-bert", work, work / "second", SETTINGS)
    second.take_over(work / "handed")
    assert (second.step, second.tokens) == (first.step, first.tokens)
    assert pretrain.steady(first) == 1.0 and pretrain.steady(second) == pytest.approx(0.2)
    for name, tensor in first.task.state_dict().items():
        torch.testing.assert_close(second.task.state_dict()[name], tensor, rtol=1e-3, atol=1e-4)
    run_export(["mini-bert", "--state", str(work / "handed"), "--to", str(work / "given")])
    expected = second.task.backbone.state_dict()
    for name, tensor in SentenceEncoder.load(work / "given").backbone.state_dict().items():
        assert torch.equal(tensor, expected[name]), name


def test_an_exported_folder_is_an_encoder_with_the_same_weights(work):
    run = pretrain.Run("mini-bert", work, work / "first", SETTINGS)
    run.save(work / "kept")
    weights = work / "kept" / "model.safetensors"
    encoder = SentenceEncoder.load(export("mini-bert", weights, work / "tokenizer", work / "out"))
    assert encoder.backbone.config.hidden_dropout_prob == 0.0 and encoder.pooling == "mean"
    for name, tensor in encoder.backbone.state_dict().items():
        assert torch.equal(tensor, run.task.backbone.state_dict()[name]), name


def test_handed_over_weights_of_another_tokenizer_are_refused(work):
    run = pretrain.Run("mini-bert", work, work / "first", SETTINGS)
    run.hand_over(work / "handed")
    TOKENIZERS["roberta"].save_pretrained(work / "handed" / "tokenizer")
    with pytest.raises(pretrain.InputError, match="another tokenizer"):
        run.take_over(work / "handed")


def test_the_losses_fall_and_measuring_changes_nothing(work):
    run = pretrain.Run("mini-bert", work, work / "long", SETTINGS)
    before = run.measure()
    assert run.measure() == before and set(KINDS) < set(before)
    losses = steps(run, 60)
    assert sum(losses[-10:]) < 0.8 * sum(losses[:10])
    assert run.measure()["single"] < before["single"]


# ---- text


def test_wikitext_spacing_is_undone():
    assert detokenize("It was , he said , fun ( really ) .") == "It was, he said, fun (really)."


def test_sentences_are_split_before_capitals_only():
    text = "The ship sank in 1902. Nobody was hurt on No. 4 that day. It rained all week."
    assert len(split_sentences(text)) == 3


def test_sections_are_documents():
    lines = ["= A =", "= = History = =", "One two three.", "Four five.", "= = Trade = =", "Six."]
    assert sections(lines) == [["One two three.", "Four five."]]


def test_no_dev_or_test_split_is_read(monkeypatch):
    asked = []

    def load(name, split, **_):
        asked.append((name, split))
        return {"text": ["A b c. D e f."]} if name in ("tatoeba", "wikitext2") else []

    monkeypatch.setattr(pretraining_text.data, "load", load)
    pretraining_text.real_text()
    assert set(asked) == {
        ("snli", "train"),
        ("multinli", "train"),
        ("tatoeba", "all"),
        ("wikitext2", "train"),
    }


def test_the_page_has_what_the_recorded_results_say_was_reached():
    page = (ROOT / "data/build/PRETRAINING.md").read_text(encoding="utf-8")
    assert "\n".join(reached.lines()) in page, "run `make ledger`"
