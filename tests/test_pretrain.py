"""A smoke run of pretraining: the real script, a few steps, on our own text."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pretraining_text
import pytest
from pretraining_text import blocks, detokenize, sections, sentence_pairs, split_sentences

ROOT = Path(__file__).resolve().parent.parent


@pytest.mark.slow
@pytest.mark.parametrize("name", ["mini-bert", "mini-roberta"])
def test_a_few_steps_of_both_stages_run_and_lower_the_loss(name, tmp_path):
    variables = {k: v for k, v in os.environ.items() if k != "SBERT_LAB_DATA"}
    command = [sys.executable, "data/build/pretrain.py", name, "--work", str(tmp_path)]
    result = subprocess.run(
        [*command, "--steps", "25", "--threads", "1"],
        cwd=ROOT,
        env=variables,
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert result.returncode == 0, result.stderr[-2000:]
    losses = [
        json.loads((tmp_path / name / stage / "finished.json").read_text())["history"]["losses"]
        for stage in ("first", "second")
    ]
    assert sum(losses[1][-10:]) < sum(losses[0][:10])
    left = {path.suffix for path in tmp_path.rglob("*") if path.is_file()}
    assert left == {".safetensors", ".json"}


def test_next_sentence_pairs_keep_their_promise():
    documents = [[f"d{d} s{s} here" for s in range(6)] for d in range(80)]
    pairs = sentence_pairs(documents, seed=1)
    for first, second, follows in pairs:
        last, start = first.split()[-3:-1], second.split()[:2]
        same = last[0] == start[0] and int(start[1][1:]) == int(last[1][1:]) + 1
        assert same == follows
    share = sum(follows for *_, follows in pairs) / len(pairs)
    assert 0.4 < share < 0.6
    assert pairs == sentence_pairs(documents, seed=1)


def test_wikitext_spacing_is_undone():
    assert detokenize("It was , he said , fun ( really ) .") == "It was, he said, fun (really)."


def test_sentences_are_split_before_capitals_only():
    text = "The ship sank in 1902. Nobody was hurt on No. 4 that day. It rained all week."
    assert len(split_sentences(text)) == 3


def test_sections_are_documents():
    lines = ["= A =", "= = History = =", "One two three.", "Four five.", "= = Trade = =", "Six."]
    assert sections(lines) == [["One two three.", "Four five."]]


def test_blocks_keep_every_sentence_in_order():
    document = [f"sentence number {i} has seven words" for i in range(30)]
    packed = blocks([document], words=40)
    assert " ".join(packed) == " ".join(document)
    assert max(len(block.split()) for block in packed) <= 40


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
