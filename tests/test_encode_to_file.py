"""Embedding files of any size: the same vectors, bounded memory, interruptions, processes."""

import os
import re
import signal
import subprocess
import sys
import warnings
from pathlib import Path

import numpy as np
import pytest

from sbert_lab.cli import main
from sbert_lab.encode_to_file import encode_to_file, read_lines
from sbert_lab.encoder import SentenceEncoder
from sbert_lab.encoding import WINDOW
from sbert_lab.errors import CheckpointError, InputError

PROGRAM = Path(__file__).parent / "programs" / "encode_tiny.py"
WORDS = ["dog", "cat", "bird", "man", "woman", "runs", "sleeps", "sings", "house", "tree", "river"]


def many(count: int = 200) -> list[str]:
    """Sentences of one to about fifteen words."""
    chosen = np.random.default_rng(0)
    return [" ".join(chosen.choice(WORDS, 1 + n % 15)) for n in range(count)]


def write_lines(path: Path, sentences: list[str]) -> Path:
    path.write_text("".join(f"{s}\n" for s in sentences), encoding="utf-8")
    return path


def run_program(*arguments, torchrun: int = 0):
    command = [sys.executable]
    if torchrun:
        command += ["-m", "torch.distributed.run", "--standalone", f"--nproc-per-node={torchrun}"]
    command += [str(PROGRAM), *map(str, arguments)]
    variables = {**os.environ, "OMP_NUM_THREADS": "1"}
    return subprocess.run(command, env=variables, capture_output=True, text=True, timeout=240)


# ---- the same vectors as encode


@pytest.mark.parametrize("normalize", [False, True])
def test_the_file_holds_exactly_the_vectors_of_encode(encoder, tmp_path, normalize):
    sentences = [*many(), "", "  "]
    expected = encoder.encode(sentences, normalize=normalize)
    text = write_lines(tmp_path / "in.txt", sentences)
    by_file = encode_to_file(encoder, text, tmp_path / "a.npy", normalize=normalize)
    by_iterable = encode_to_file(encoder, iter(sentences), tmp_path / "b.npy", normalize=normalize)
    assert np.array_equal(by_file, expected)
    assert (tmp_path / "a.npy").read_bytes() == (tmp_path / "b.npy").read_bytes()
    assert by_iterable.dtype == np.float32 and isinstance(by_file, np.memmap)
    assert sorted(p.name for p in tmp_path.iterdir()) == ["a.npy", "b.npy", "in.txt"]


def test_more_than_one_window_gives_the_vectors_of_encode_too(encoder, tmp_path):
    sentences = many(WINDOW + 40)
    made = encode_to_file(encoder, sentences, tmp_path / "a.npy")
    assert np.array_equal(made, encoder.encode(sentences))


def test_an_iterable_may_hold_line_breaks_and_is_read_once(encoder, tmp_path):
    sentences = ["the dog\nruns", "a\rcat", "bird\u2028sings", "tab\there"]
    made = encode_to_file(encoder, (s for s in sentences), tmp_path / "a.npy", window=2)
    assert made == pytest.approx(encoder.encode(sentences), abs=1e-6)


def test_only_a_line_end_ends_a_sentence(tmp_path):
    path = tmp_path / "in.txt"
    path.write_bytes("a\x0bb\u2028c\r\n\nlast".encode())
    assert list(read_lines(path)) == ["a\x0bb\u2028c", "", "last"]


def test_no_more_than_a_window_of_sentences_is_held_at_once(encoder, tmp_path):
    held = []
    real = encoder.tokenize

    def tokenize(sentences):
        held.append(len(sentences))
        return real(sentences)

    encoder.tokenize = tokenize
    encode_to_file(encoder, many(100), tmp_path / "a.npy", window=16)
    assert max(held) == 16


def test_cut_off_sentences_are_reported_once(encoder, tmp_path):
    sentences = [*many(20), "dog " * 50, "cat " * 60]
    with pytest.warns(UserWarning, match="2 of 22 sentences") as seen:
        encode_to_file(encoder, sentences, tmp_path / "a.npy", window=4)
    assert len([one for one in seen if "longer" in str(one.message)]) == 1


# ---- interruptions


class Stop(Exception):
    pass


def interrupt(encoder: SentenceEncoder, after: int) -> None:
    """Let begin raise after so many batches; called with 0 it lets everything pass again."""
    calls = []

    def begin(batch, **given):
        calls.append(batch)
        if after and len(calls) > after:
            raise Stop
        return SentenceEncoder.begin(encoder, batch, **given)

    encoder.begin = begin
    encoder.calls = calls


def started(encoder, tmp_path, *, after: int = 30, count: int = 200) -> Path:
    """A run that was cut off after some windows of 16 sentences."""
    text = write_lines(tmp_path / "in.txt", many(count))
    interrupt(encoder, after)
    with pytest.raises(Stop):
        encode_to_file(encoder, text, tmp_path / "a.npy", window=16, token_budget=64)
    assert not (tmp_path / "a.npy").exists()
    interrupt(encoder, 0)
    return text


def test_a_run_that_ended_while_the_file_got_its_name_is_finished(encoder, tmp_path, monkeypatch):
    output, replace = tmp_path / "a.npy", os.replace

    def killed_after(source, target):
        replace(source, target)
        if Path(target) == output:
            raise Stop

    monkeypatch.setattr(os, "replace", killed_after)
    with pytest.raises(Stop):
        encode_to_file(encoder, many(20), output, window=4)
    monkeypatch.undo()
    content = output.read_bytes()
    with pytest.raises(CheckpointError, match="other sha256|other sentences"):
        encode_to_file(encoder, many(21), output, window=4)
    assert output.read_bytes() == content
    interrupt(encoder, 0)
    encode_to_file(encoder, many(20), output, window=4)
    assert not encoder.calls  # nothing is computed anew
    assert output.read_bytes() == content and [p.name for p in tmp_path.iterdir()] == ["a.npy"]


def test_a_cut_off_run_goes_on_and_ends_with_the_same_bytes(encoder, tmp_path):
    whole = encode_to_file(encoder, many(), tmp_path / "b.npy", window=16, token_budget=64)
    text = started(encoder, tmp_path)
    encode_to_file(encoder, text, tmp_path / "a.npy", window=16, token_budget=64)
    assert 0 < sum(map(len, encoder.calls)) < len(whole)  # not all of it again
    assert (tmp_path / "a.npy").read_bytes() == (tmp_path / "b.npy").read_bytes()
    assert not list(tmp_path.glob("a.npy.*"))


def test_after_kill_9_the_same_call_ends_with_the_same_bytes(tiny_bert, tmp_path):
    text = write_lines(tmp_path / "in.txt", many())
    assert run_program(tiny_bert, text, tmp_path / "whole.npy", 32).returncode == 0
    for death in (12, 5):
        killed = run_program(tiny_bert, text, tmp_path / "a.npy", 32, death)
        assert killed.returncode == -signal.SIGKILL
        assert not (tmp_path / "a.npy").exists()
    finished = run_program(tiny_bert, text, tmp_path / "a.npy", 32)
    assert finished.returncode == 0, finished.stderr
    assert (tmp_path / "a.npy").read_bytes() == (tmp_path / "whole.npy").read_bytes()


@pytest.mark.parametrize("change", ["sentences", "encoder", "settings", "shape"])
def test_going_on_with_something_else_is_refused(encoder, tiny_folders, tmp_path, change):
    text, given = started(encoder, tmp_path), {"window": 16, "token_budget": 64}
    if change == "sentences":
        write_lines(text, ["another one", *many()[1:]])
    elif change == "shape":
        write_lines(text, many()[:150])
    elif change == "encoder":
        encoder = SentenceEncoder.load(tiny_folders["bert"], pooling="max")
    else:
        given["normalize"] = True
    shown = "sentences" if change == "shape" else change
    with pytest.raises(CheckpointError, match=f"other {shown}.*delete a.npy.progress.json"):
        encode_to_file(encoder, text, tmp_path / "a.npy", **given)


@pytest.mark.parametrize(
    ("harm", "message"),
    [
        ("progress is no JSON", "progress.json cannot be read"),
        ("progress lacks rows", "is damaged"),
        ("a row changed", "was changed after it was written"),
        ("rows cut off", "cannot be read"),
        ("rows gone", "cannot be read"),
    ],
)
def test_damage_is_noticed_before_going_on(encoder, tmp_path, harm, message):
    text = started(encoder, tmp_path)
    part, progress = tmp_path / "a.npy.part", tmp_path / "a.npy.progress.json"
    content = bytearray(part.read_bytes())
    if harm == "progress is no JSON":
        progress.write_text("{", encoding="utf-8")
    elif harm == "progress lacks rows":
        progress.write_text("{}", encoding="utf-8")
    elif harm == "a row changed":
        content[300] ^= 1
        part.write_bytes(content)
    elif harm == "rows cut off":
        part.write_bytes(content[: len(content) // 2])
    else:
        part.unlink()
    with pytest.raises(CheckpointError, match=message):
        encode_to_file(encoder, text, tmp_path / "a.npy", window=16, token_budget=64)


@pytest.mark.parametrize(
    ("sentences", "error", "message"),
    [
        ([], InputError, "nothing to encode"),
        (["a", None], InputError, "sentence 1 is None"),
        ("missing.txt", InputError, "cannot read missing.txt"),
    ],
)
def test_unusable_sentences_are_named_and_leave_nothing(
    encoder, tmp_path, monkeypatch, sentences, error, message
):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(error, match=message):
        encode_to_file(encoder, sentences, "a.npy")
    assert not list(tmp_path.iterdir())


def test_a_full_disk_is_told_at_the_start(encoder, tmp_path, monkeypatch):
    def full(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "posix_fallocate", full, raising=False)
    with pytest.raises(CheckpointError, match="No space left on device. It needs 0.00 GB"):
        encode_to_file(encoder, many(10), tmp_path / "a.npy")
    assert not list(tmp_path.iterdir())


# ---- several processes, and the command


def told(result, rank: int) -> list[int]:
    """Batches, sentences read by the tokenizer and words with the others, as the program says."""
    line = re.search(rf"rank {rank}: (\d+) batches, (\d+) read, (\d+) talks", result.stdout)
    return [int(number) for number in line.groups()]


def test_two_processes_share_the_windows_and_write_the_bytes_of_one(tiny_bert, tmp_path, loopback):
    text = write_lines(tmp_path / "in.txt", many(300))
    one = run_program(tiny_bert, text, tmp_path / "one.npy", 16)
    two = run_program(tiny_bert, text, tmp_path / "two.npy", 16, torchrun=2)
    assert one.returncode == 0, one.stderr
    assert two.returncode == 0, two.stderr
    assert (tmp_path / "one.npy").read_bytes() == (tmp_path / "two.npy").read_bytes()
    alone, shares = told(one, 0), [told(two, rank) for rank in (0, 1)]
    assert [sum(numbers) for numbers in zip(*shares, strict=True)][:2] == alone[:2]
    assert alone[1] == 300 and sorted(share[1] for share in shares) == [144, 156]  # 9, 10 windows
    assert max(share[2] for share in shares) <= 4  # two before, two after; none between windows
    assert not list(tmp_path.glob("two.npy.*"))


def test_what_one_process_began_two_finish(tiny_bert, tmp_path, loopback):
    text = write_lines(tmp_path / "in.txt", many(120))
    assert run_program(tiny_bert, text, tmp_path / "one.npy", 32).returncode == 0
    assert run_program(tiny_bert, text, tmp_path / "two.npy", 32, 20).returncode == -signal.SIGKILL
    finished = run_program(tiny_bert, text, tmp_path / "two.npy", 32, torchrun=2)
    assert finished.returncode == 0, finished.stderr
    assert (tmp_path / "one.npy").read_bytes() == (tmp_path / "two.npy").read_bytes()


def test_the_command_goes_on_too(tiny_bert, tmp_path, capsys):
    text, output = write_lines(tmp_path / "in.txt", many(60)), tmp_path / "a.npy"
    assert main(["encode", str(text), str(output), "--model", str(tiny_bert), "--normalize"]) == 0
    expected = SentenceEncoder.load(tiny_bert).encode(many(60), normalize=True)
    assert np.array_equal(np.load(output), expected)
    (tmp_path / "b.npy.progress.json").write_text("{", encoding="utf-8")
    assert main(["encode", str(text), str(tmp_path / "b.npy"), "--model", str(tiny_bert)]) == 2
    assert "restore or delete it" in capsys.readouterr().err


def test_nothing_is_said_when_nothing_was_cut_off(encoder, tmp_path):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        encode_to_file(encoder, many(5), tmp_path / "a.npy")
