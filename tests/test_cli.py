import json
import subprocess
import sys

import numpy as np
import pytest

from sbert_lab.cli import main
from sbert_lab.encoder import SentenceEncoder
from sbert_lab.tasks import CrossEncoder


def test_every_command_has_help_with_an_example(capsys):
    for command in ("doctor", "train", "encode", "evaluate", "reproduce", "ledger", "claims"):
        with pytest.raises(SystemExit) as stop:
            main([command, "--help"])
        assert stop.value.code == 0
        assert f"example:\n  sbert-lab {command}" in capsys.readouterr().out


def test_doctor_reports_hardware_versions_and_files(capsys):
    main(["doctor", "--json"])
    report = json.loads(capsys.readouterr().out)
    assert report["device"] and report["packages"]["torch"]
    assert {"models", "mini_corpora", "problems", "profile"} <= set(report)
    code = main(["doctor"])
    last = capsys.readouterr().out.strip().splitlines()[-1]
    assert last == ("not ready yet" if code else "ready")


def test_encode_writes_the_vectors_of_the_encoder(tiny_bert, tmp_path, capsys):
    text = tmp_path / "in.txt"
    text.write_text("the dog runs\na cat\n", encoding="utf-8")
    output = tmp_path / "out.npy"
    assert main(["encode", str(text), str(output), "--model", str(tiny_bert)]) == 0
    expected = SentenceEncoder.load(tiny_bert).encode(["the dog runs", "a cat"])
    assert np.array_equal(np.load(output, allow_pickle=False), expected)
    assert "2 sentences, 32 dimensions" in capsys.readouterr().out


def test_train_saves_an_encoder_that_loads(tiny_bert, tmp_path, pair_rows, capsys):
    rows = tmp_path / "rows.jsonl"
    rows.write_text("\n".join(json.dumps(row) for row in pair_rows), encoding="utf-8")
    output = tmp_path / "model"
    arguments = ["--backbone", str(tiny_bert), "--data", str(rows), "--epochs", "1"]
    assert main(["train", str(output), "--objective", "regression", *arguments]) == 0
    assert "saved in" in capsys.readouterr().out
    trained = SentenceEncoder.load(output).encode(["a cat"])
    assert not np.array_equal(trained, SentenceEncoder.load(tiny_bert).encode(["a cat"]))
    cross = tmp_path / "cross"
    assert main(["train", str(cross), "--cross-encoder", *arguments]) == 0
    assert CrossEncoder.load(cross).predict(["a"], ["b"]).shape == (1, 3)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["encode", "missing.txt", "x.npy"], "cannot read missing.txt"),
        (["encode", "-", "x.npy", "--model", "nothing-here"], "no model 'nothing-here'"),
        (["encode", "-", "vectors.txt"], "vectors.txt should end in .npy"),
        (["train", "m", "--data", "missing.jsonl"], "cannot read missing.jsonl"),
        (["train", "m", "--rows", "-12290"], "--rows must be at least 1, got -12290"),
        (["train", "m", "--rows", "0"], "--rows must be at least 1, got 0"),
        (["train", __file__], "is a file: name a folder"),
        (["search", __file__, "--query", " "], "an empty query"),
    ],
)
def test_a_users_mistake_ends_in_one_clear_line(arguments, message):
    result = subprocess.run(
        [sys.executable, "-m", "sbert_lab", *arguments],
        input="a\n",
        capture_output=True,
        text=True,
    )
    assert result.returncode == 2
    assert result.stderr.startswith("sbert-lab: ") and message in result.stderr
    assert "Traceback" not in result.stderr


def test_refused_rows_leave_nothing_that_blocks_the_corrected_ones(tmp_path, tiny_bert, capsys):
    rows, model = tmp_path / "rows.jsonl", tmp_path / "m"
    good = [{"sentence1": "a cat", "sentence2": "a bird", "label": n % 3} for n in range(6)]
    command = ["train", str(model), "--data", str(rows), "--backbone", str(tiny_bert)]
    rows.write_text("\n".join(json.dumps({**row, "label": 7}) for row in good), encoding="utf-8")
    assert main([*command, "--epochs", "1"]) == 2
    assert "7" in capsys.readouterr().err
    rows.write_text("\n".join(map(json.dumps, good)), encoding="utf-8")
    assert main([*command, "--epochs", "1"]) == 0


def test_a_broken_line_of_rows_is_named(tmp_path, capsys):
    rows = tmp_path / "rows.jsonl"
    rows.write_text('{"label": 1}\nnot json\n', encoding="utf-8")
    assert main(["train", str(tmp_path / "m"), "--data", str(rows)]) == 2
    assert "rows.jsonl, line 2: not JSON" in capsys.readouterr().err


def test_claims_lists_all_26_and_what_was_measured(tmp_path, monkeypatch, capsys):
    from sbert_lab.experiments import paper

    monkeypatch.setenv("SBERT_LAB_RUNS", str(tmp_path))
    paper.claim("C01", holds=True, profile="mini")
    capsys.readouterr()
    assert main(["claims", "--json", "--profile", "mini"]) == 0
    claims = json.loads(capsys.readouterr().out)["claims"]
    assert [claim["id"] for claim in claims] == [f"C{i:02d}" for i in range(1, 27)]
    assert {claim["id"]: claim["verdict"] for claim in claims}["C01"] == "holds"
    main(["claims", "--profile", "mini"])
    assert "1 of 26 claims measured" in capsys.readouterr().out
