"""Recorded tables and studies: written row by row, read back, resumed, and never half a file."""

import json

import numpy as np
import pytest

from sbert_lab.errors import CheckpointError, DataError, InputError
from sbert_lab.experiments import STUDIES, module_of, results, store
from sbert_lab.experiments.results import Outcome, Row
from sbert_lab.profiles import get_profile


class FakeTable:
    """Two rows: one answers at random, one has two seeds; every call is counted."""

    def __init__(self):
        self.calls = []
        self.break_at = None

    def run(self, name):
        def measure(seed):
            if (name, seed) == self.break_at:
                raise KeyboardInterrupt
            self.calls.append((name, seed))
            values = np.random.default_rng(seed).random(50)
            return Outcome({"stsb": 40.0 + seed, "average": 40.0 + seed}, {"stsb": values})

        return measure

    def rows(self, profile):
        return [
            Row(name="plain", run=self.run("plain"), kind="floor", note="no training"),
            Row(name="trained", run=self.run("trained"), seeds=3, paper="SBERT-NLI-base"),
        ]

    def gold(self, profile):
        return {"stsb": np.linspace(0, 1, 50)}

    def data_seen(self, profile):
        return "50 of 50 pairs"


@pytest.fixture
def fake(monkeypatch, tmp_path):
    table = FakeTable()
    monkeypatch.setenv("SBERT_LAB_RESULTS", str(tmp_path / "results"))
    monkeypatch.setenv("SBERT_LAB_RUNS", str(tmp_path / "runs"))
    monkeypatch.setattr(store, "module_of", lambda which: table)
    return table


def run(which=1, **given):
    return store.measure(which, get_profile("mini"), say=lambda line: None, **given)


def test_a_table_is_measured_recorded_and_read_back(fake):
    table = run()
    assert table.rows == ["plain", "trained"]
    assert table.seeds("trained") == [1, 2, 3]
    np.testing.assert_allclose(table.scores("trained", "stsb"), [41, 42, 43])
    assert table.mean("trained", "stsb") == 42
    assert table.spread("trained", "stsb") == pytest.approx(1.0)  # ddof 1
    assert table.spread("plain", "stsb") == 0
    assert table.predictions("trained", "stsb").shape == (3, 50)
    expected = np.random.default_rng(2).random(50)
    np.testing.assert_allclose(table.predictions("trained", "stsb")[1], expected, atol=1e-6)
    np.testing.assert_allclose(table.gold("stsb"), np.linspace(0, 1, 50), atol=1e-6)
    assert table.kind("plain") == "floor" and table.note("plain") == "no training"
    assert table.paper_name("trained") == "SBERT-NLI-base"
    assert table.frame().loc["trained", "stsb"] == "42.0 ± 1.0"
    assert {"date", "command", "hardware", "versions", "data", "profile"} <= set(table.about)


def test_an_interrupted_run_goes_on_at_the_row_where_it_stopped(fake):
    fake.break_at = ("trained", 2)
    with pytest.raises(KeyboardInterrupt):
        run()
    assert fake.calls == [("plain", 1), ("trained", 1)]
    fake.break_at = None
    run()
    assert fake.calls == [("plain", 1), ("trained", 1), ("trained", 2), ("trained", 3)]
    run()
    assert len(fake.calls) == 4
    run(rows=["plain"], again=True)
    assert fake.calls[-1] == ("plain", 1)


def test_runs_of_two_machines_each_name_their_own_and_the_table_names_both(fake, monkeypatch):
    for seeds, hardware in ((1, "a laptop"), (2, "a server")):
        machine = {"date": f"2026-01-0{seeds}", "hardware": hardware, "versions": {}}
        monkeypatch.setattr(store, "describe_machine", lambda machine=machine: machine)
        table = run(rows=["trained"], seeds=seeds)
    assert table.info("trained", 1)["hardware"] == "a laptop"
    assert table.info("trained", 2)["hardware"] == "a server"
    assert table.info("trained", 2)["date"] == "2026-01-02"
    assert table.about["hardware"] == "a laptop and a server"


def test_rows_measured_on_other_data_are_never_mixed_with_new_ones(fake):
    path = run(seeds=1).path
    before = path.read_bytes(), path.with_suffix(".safetensors").read_bytes()
    fake.data_seen = lambda profile: "70 of 70 pairs"
    fake.gold = lambda profile: {"stsb": np.linspace(0, 1, 70)}
    for again in (False, True):
        with pytest.raises(DataError, match="Then: 50 of 50 pairs. Now: 70 of 70.*Move it"):
            run(again=again)
    assert before == (path.read_bytes(), path.with_suffix(".safetensors").read_bytes())
    fake.data_seen = lambda profile: "50 of 50 pairs"
    assert run(rows=["trained"]).seeds("trained") == [1, 2, 3]


def test_rows_and_seeds_can_be_chosen_and_the_order_is_the_tables(fake):
    run(rows=["trained"], seeds=1)
    assert fake.calls == [("trained", 1)]
    assert run(seeds=1).rows == ["plain", "trained"]
    with pytest.raises(InputError, match="no row nonsense in this table"):
        run(rows=["nonsense"])


def test_what_is_not_recorded_is_said_with_its_command(fake):
    with pytest.raises(DataError, match="sbert-lab evaluate table2 --profile mini"):
        results.open_table(2, "mini")
    with pytest.raises(InputError, match="no Table 8"):
        results.open_table(8, "mini")
    table = run()
    with pytest.raises(InputError, match="no row 'SBERT'"):
        table.mean("SBERT", "stsb")
    with pytest.raises(InputError, match="has no 'sts99'"):
        table.mean("plain", "sts99")
    with pytest.raises(DataError, match="has no 'plain/1/sick'"):
        table.predictions("plain", "sick")


def test_a_damaged_file_is_noticed(fake):
    path = run().path
    path.with_suffix(".safetensors").write_bytes(b"\x00broken")
    with pytest.raises(CheckpointError, match="cannot be read"):
        results.open_table(1, "mini")
    path.write_text("{")
    with pytest.raises(CheckpointError, match="cannot be read"):
        results.open_table(1, "mini")


def test_nothing_that_is_not_a_number_is_recorded():
    with pytest.raises(InputError, match="not finite"):
        Outcome({"stsb": float("nan")})
    with pytest.raises(InputError, match="one finite number per item"):
        Outcome({}, {"stsb": np.array([1.0, np.inf])})
    with pytest.raises(InputError, match="unknown kind"):
        Row(name="x", run=lambda seed: Outcome({}), kind="best")


def test_another_tables_file_is_not_overwritten(fake):
    path = run().path
    content = json.loads(path.read_text())
    path.write_text(json.dumps({**content, "table": 3}))
    with pytest.raises(InputError, match="is not Table 1 of profile mini"):
        run(again=True)


# ---- studies

RECORDED = [(name, where) for name in STUDIES for where in ("mini", "real")]
RECORDED = [(name, where) for name, where in RECORDED if results.has_study(name, where)]


def test_a_study_goes_the_way_of_a_table(fake):
    study = run("pooling_race", seeds=2)
    assert study.which == "pooling_race" and study.path.name == "pooling_race.json"
    assert study.rows == ["plain", "trained"] and study.seeds("trained") == [1, 2]
    assert study.about["command"] == "sbert-lab reproduce --study pooling_race --profile mini"
    assert {"date", "hardware", "versions", "data", "profile"} <= set(study.about)
    run("pooling_race")
    assert fake.calls[-1] == ("trained", 3) and len(fake.calls) == 4
    with pytest.raises(InputError, match="is not study pooling_race of profile mini"):
        study.path.write_text(json.dumps({"table": 1, "profile": "mini", "rows": {}}))
        run("pooling_race", again=True)


def test_a_study_that_is_not_recorded_or_not_known_is_said(fake):
    command = "`sbert-lab reproduce --study pooling_race --profile real`"
    with pytest.raises(DataError, match=command):
        results.open_study("pooling_race", "real")
    with pytest.raises(InputError, match="unknown study 'nonsense': choose better_judge, "):
        results.open_study("nonsense", "mini")


@pytest.mark.parametrize("name", STUDIES)
def test_every_study_was_recorded_somewhere_with_the_rows_that_it_lists(name):
    found = [results.open_study(*one) for one in RECORDED if one[0] == name]
    assert found
    for study in found:
        listed = module_of(name).rows(get_profile(study.profile))
        rows = [(row.name, row.kind, row.seeds) for row in listed if row.kind != "extra"]
        there = [(row, study.kind(row), len(study.seeds(row))) for row in study.rows]
        # Younger backbones and those of others are not always at hand.
        there = [row for row in there if "million tokens" not in row[0] and row[1] != "extra"]
        assert there == rows
        assert all(study.note(row) for row in study.rows)
        assert {"date", "hardware", "versions", "profile", "command", "data"} <= set(study.about)


@pytest.mark.parametrize("where", ["mini", "real"])
def test_everything_recorded_is_a_table_a_study_or_the_ledger(where):
    known = {*STUDIES, *(f"table{n}" for n in range(1, 8)), "claims"}
    assert {path.stem for path in results.results_dir(where).iterdir()} <= known
