import csv
import json

import numpy as np
import pytest

from sbert_lab.errors import InputError
from sbert_lab.experiments import paper
from sbert_lab.experiments.paper.claims import FAILS, HOLDS, NOT_HERE, OPEN, decide
from sbert_lab.paths import data_dir

UP, DOWN, ZERO = np.full(1000, 5.0), np.full(1000, -5.0), np.linspace(-1, 1, 1000)
WIDE = np.linspace(-9, 9, 1000)


@pytest.fixture(autouse=True)
def own_runs(tmp_path, monkeypatch):
    monkeypatch.setenv("SBERT_LAB_RUNS", str(tmp_path))
    monkeypatch.delenv("SBERT_LAB_PROFILE", raising=False)
    return tmp_path


# ---- tables


def test_cells_are_the_papers():
    first = paper.table(1).set_index("model")
    assert first.loc["SBERT-NLI-base", "Avg"] == 74.89
    assert paper.table(6).set_index("choice").loc["(u*v)", "NLI"] == 70.54


def test_there_is_no_eighth_table():
    with pytest.raises(InputError, match="Tables 1 to 7"):
        paper.table(8)


def test_a_comparison_names_its_profile_and_its_data(capsys, monkeypatch):
    monkeypatch.setenv("SBERT_LAB_PROFILE", "real")
    row = {"what": "SBERT-NLI", "measured": 51.234, "recorded": (50.9, 0.44), "paper": 74.3}
    paper.compare([row, {"what": "pairs", "measured": 12300}], data="partial: 5 of 10")
    printed = capsys.readouterr().out
    for text in ("measured (real)", "51.2", "50.9 ± 0.4", "74.30", "12,300", "partial: 5 of 10"):
        assert text in printed


def test_a_comparison_refuses_nan_and_unknown_fields():
    with pytest.raises(InputError, match="is nan"):
        paper.comparison([{"what": "x", "measured": float("nan")}])
    with pytest.raises(InputError, match="give what and any of"):
        paper.comparison([{"what": "x", "score": 1.0}])
    with pytest.raises(InputError, match="no rows"):
        paper.comparison([])


def test_numpy_numbers_are_shown_as_numbers():
    shown = paper.comparison([{"what": "x", "measured": np.float32(1.25), "recorded": np.int64(3)}])
    assert shown.iloc[0].tolist()[:3] == ["x", "1.2", "3"]


# ---- claims.csv


def test_every_claim_can_be_read_and_says_its_rule():
    with open(data_dir("paper", "claims.csv"), encoding="utf-8", newline="") as file:
        ids = [row["id"] for row in csv.DictReader(file)]
    assert ids == [f"C{number:02}" for number in range(1, 27)]
    for id in ids:
        known = paper.get_claim(id)
        assert known.rule and known.paper and known.section and known.claim


def test_every_equality_also_asks_for_more_than_chance():
    for row in paper.list_claims().to_dict("records"):
        if row["kind"] == "equality":
            assert "above" in paper.get_claim(row["id"]).parts.values()


# ---- rules


@pytest.mark.parametrize(
    ("kind", "interval", "verdict"),
    [
        ("above", (0.1, 3), HOLDS),
        ("above", (-3, -0.1), FAILS),
        ("above", (-3, 0), FAILS),
        ("above", (0, 3), OPEN),
        ("above", (-1, 3), OPEN),
        ("equal", (-1.9, 1.9), HOLDS),
        ("equal", (-2.1, 1), OPEN),
        ("equal", (2, 5), FAILS),
        ("equal", (-5, -2.5), FAILS),
        ("equal", (-9, 9), OPEN),
        ("no gain", (-9, 1), HOLDS),
        ("no gain", (1, 3), FAILS),
        ("no gain", (-1, 3), OPEN),
    ],
)
def test_a_part_is_decided_by_its_interval(kind, interval, verdict):
    assert decide({"x": kind}, {"x": interval}) == verdict


def test_a_claim_holds_only_if_all_its_parts_do():
    first, second = paper.get_claim("C05").parts
    assert paper.claim("C05", difference={first: UP, second: UP}).holds
    assert paper.claim("C05", difference={first: UP, second: ZERO}).verdict == OPEN
    assert paper.claim("C05", difference={first: DOWN, second: ZERO}).verdict == FAILS
    assert paper.claim("C05", difference=[UP, UP]).holds


def test_equality_needs_a_narrow_interval():
    assert paper.claim("C08", difference=[UP, ZERO]).holds
    assert paper.claim("C08", difference=[UP, WIDE]).verdict == OPEN
    assert paper.claim("C08", difference=[UP, UP]).verdict == FAILS


def test_two_useless_systems_are_not_called_equal():
    assert paper.claim("C08", difference=[ZERO, ZERO]).verdict == OPEN


def test_the_line_has_no_figures_of_the_run_and_the_details_have(capsys):
    verdict = paper.claim("C07", difference=UP, note="seed 1")
    printed = capsys.readouterr().out
    assert all(len(part) <= 92 for part in printed.splitlines())
    line = " ".join(printed.split())  # it is wrapped between words only
    assert line == verdict.line
    assert line.startswith("C07 ") and ": holds (profile mini; rule: " in line
    assert "5.0" not in line and "seed 1" not in line
    assert "+5.00 to +5.00" in verdict.details and "seed 1" in verdict.details


def test_time_is_printed_without_figures(capsys):
    paper.claim("C23", holds=True, note="44 to 83 sentences a second")
    line = capsys.readouterr().out
    assert ": holds (" in line and "83" not in line


def test_a_verdict_at_the_end_of_a_cell_shows_nothing_more(capsys):
    verdict = paper.claim("C01", holds=True)
    capsys.readouterr()
    verdict._ipython_display_()
    assert capsys.readouterr().out == ""


def test_counts_and_properties_are_told(capsys):
    assert paper.claim("C01", holds=True).verdict == HOLDS
    assert paper.claim("C10", holds=np.bool_(False)).verdict == FAILS


def test_what_cannot_be_measured_needs_a_reason():
    assert paper.claim("C24", note="no GPU").verdict == NOT_HERE
    with pytest.raises(InputError, match="say why in note="):
        paper.claim("C24")
    with pytest.raises(InputError, match="difference="):
        paper.claim("C05")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"id": "C99", "holds": True}, "unknown claim 'C99'"),
        ({"id": "C07", "holds": True}, "not by holds="),
        ({"id": "C07", "holds": True, "difference": UP}, "not by holds="),
        ({"id": "C01", "difference": UP}, "kind count: give holds="),
        ({"id": "C01", "holds": "yes"}, "give holds=True or holds=False"),
        ({"id": "C05", "difference": UP}, "2 parts: give difference="),
        ({"id": "C05", "difference": {"x": UP}}, "needs difference=.*given: 'x'"),
        ({"id": "C07", "difference": np.ones(3)}, "at least 100 bootstrapped"),
        ({"id": "C07", "difference": np.full(1000, np.nan)}, "NaN"),
    ],
)
def test_a_claim_cannot_be_decided_in_another_way_than_by_its_rule(arguments, message, own_runs):
    with pytest.raises(InputError, match=message):
        paper.claim(**arguments)
    assert not list(own_runs.rglob("*.json"))


def test_the_record_lies_under_runs_with_the_figures(own_runs):
    paper.claim("C07", difference=UP, note="three seeds", profile="real")
    record = json.loads((own_runs / "claims" / "real" / "C07.json").read_text())
    assert record["verdict"] == "holds" and record["note"] == "three seeds"
    assert record["intervals"] == {"USE - SBERT on SICK-R": [5.0, 5.0]}
    paper.claim("C07", difference=DOWN, profile="real")
    record = json.loads((own_runs / "claims" / "real" / "C07.json").read_text())
    assert record["verdict"] == "does not hold at this scale"
