"""The ledger: every claim judged by its rule, and no claim that survives sabotage."""

import re

import numpy as np
import pytest

from sbert_lab.errors import DataError, OutOfReachError
from sbert_lab.experiments import ledger, ledger_page, plain_claims, reasons
from sbert_lab.experiments.paper import get_claim, list_claims
from sbert_lab.experiments.paper.claims import FAILS, HOLDS, NOT_HERE, OPEN
from sbert_lab.experiments.results import GOLD, Results, has_table, open_table
from sbert_lab.files import read_json, write_json
from sbert_lab.paths import data_dir
from sbert_lab.profiles import get_profile

RECORDED = [
    (number, profile)
    for profile in ("mini", "real")
    for number in range(1, 8)
    if has_table(number, profile)
]
QUALITY = {row["id"] for row in list_claims().to_dict("records") if row["parts"]}


def sabotaged(table: Results, how: str, seed: int = 0) -> Results:
    """The same table with every answer made worthless; the gold stays."""
    rng = np.random.default_rng(seed)
    broken = {}
    for name, values in table._predictions.items():
        if name.startswith(f"{GOLD}/"):
            broken[name] = values
        elif set(np.unique(values)) <= {0.0, 1.0}:  # right or wrong: a coin
            broken[name] = rng.integers(2, size=len(values)).astype(values.dtype)
        elif how == "shuffled":
            broken[name] = rng.permutation(values)
        else:
            broken[name] = rng.standard_normal(len(values)).astype(values.dtype)
    return Results(table._content, broken, table.path)


@pytest.mark.parametrize("how", ["random", "shuffled"])
@pytest.mark.parametrize(("number", "profile"), RECORDED)
def test_with_worthless_answers_no_quality_claim_holds(number, profile, how):
    verdicts = ledger.verdicts_of(sabotaged(open_table(number, profile), how))
    held = [id for id, verdict in verdicts.items() if id in QUALITY and verdict.holds]
    assert held == []


@pytest.mark.parametrize(("number", "profile"), RECORDED)
def test_the_committed_ledger_is_what_the_recorded_tables_say(number, profile):
    entries = {entry["id"]: entry for entry in ledger.read_ledger(profile)}
    for id, verdict in ledger.verdicts_of(open_table(number, profile)).items():
        assert entries[id]["verdict"] == verdict.verdict, id
        for part, ends in verdict.intervals.items():
            np.testing.assert_allclose(entries[id]["intervals"][part], ends, atol=0.06)


def test_the_mini_ledger_has_every_claim_with_its_rule():
    entries = ledger.read_ledger("mini")
    assert [entry["id"] for entry in entries] == list(list_claims()["id"])
    for entry in entries:
        assert entry["verdict"] in (HOLDS, FAILS, OPEN, NOT_HERE), entry["id"]
        assert entry["rule"] == get_claim(entry["id"]).rule
        assert entry["figures"], entry["id"]


def test_every_claim_that_fails_on_real_data_has_a_paragraph_of_recorded_figures():
    failing = [one["id"] for one in ledger.read_ledger("real") if one["verdict"] == FAILS]
    assert failing and set(failing) <= set(reasons.list_reasons())
    page = ledger_page.full_page(ledger_page.recorded_entries())
    assert page.count("Why not in real: ") == len(failing)
    for id in failing:
        assert reasons.reason(id) in page and "{" not in reasons.reason(id)
        assert re.search(r"\d+\.\d", reasons.reason(id)), f"{id} names no figure"


def test_a_mark_that_names_nothing_is_refused(monkeypatch):
    monkeypatch.setattr(reasons, "list_reasons", lambda: {"C04": "as {no such thing} says"})
    with pytest.raises(DataError, match="C04: {no such thing} names no table's score"):
        reasons.reason("C04")


def test_a_claim_without_its_rows_stays_not_recorded(monkeypatch, tmp_path):
    monkeypatch.setenv("SBERT_LAB_RESULTS", str(tmp_path))
    monkeypatch.setattr(plain_claims, "PLAIN", {"C01": plain_claims.c01})
    entries = {entry["id"]: entry for entry in ledger.write_ledger(get_profile("mini"))}
    assert entries["C01"]["verdict"] == HOLDS and entries["C01"]["figures"] == "49,995,000 passes"
    assert {entries[id]["verdict"] for id in QUALITY} == {ledger.NOT_RECORDED}
    assert read_json(tmp_path / "mini" / "claims.json")["claims"][0]["id"] == "C01"


@pytest.mark.parametrize("error", [DataError, OutOfReachError])
def test_a_claim_whose_data_are_not_at_hand_says_so(monkeypatch, tmp_path, error):
    def away(profile):
        raise error("nowhere to be found")

    monkeypatch.setenv("SBERT_LAB_RESULTS", str(tmp_path))
    monkeypatch.setattr(plain_claims, "PLAIN", {})
    monkeypatch.setattr(ledger.module_of(5), "gold", away)
    entries = {entry["id"]: entry for entry in ledger.write_ledger(get_profile("mini"))}
    assert {entries[id]["verdict"] for id in ("C17", "C18", "C19")} == {NOT_HERE}
    assert entries["C17"]["figures"] == "the data of Table 5 are not at hand"
    assert entries["C16"]["verdict"] == ledger.NOT_RECORDED


def test_what_was_recorded_before_is_kept_when_its_table_is_away(monkeypatch, tmp_path):
    monkeypatch.setenv("SBERT_LAB_RESULTS", str(tmp_path))
    monkeypatch.setattr(plain_claims, "PLAIN", {})
    kept = {**ledger._entry("C05", None), "verdict": HOLDS, "figures": "from another machine"}
    write_json(tmp_path / "mini" / "claims.json", {"claims": [kept]})
    entries = {entry["id"]: entry for entry in ledger.write_ledger(get_profile("mini"))}
    assert entries["C05"] == kept


def test_a_verdict_of_rows_that_are_gone_from_their_table_is_not_kept(monkeypatch):
    """Table 2 measured anew without its NLI rows: what they once decided is not recorded."""
    entries = [{**ledger._entry(id, None), "verdict": HOLDS} for id in ("C11", "C12", "C16")]
    monkeypatch.setattr(ledger, "read_ledger", lambda name: entries)
    monkeypatch.setattr(plain_claims, "PLAIN", {})
    monkeypatch.setattr(ledger, "table_verdicts", lambda profile: {})
    monkeypatch.setattr(ledger, "has_table", lambda number, profile: number == 2)
    monkeypatch.setattr(ledger, "_without_data", lambda profile: {})
    monkeypatch.setattr(ledger, "write_json", lambda *_: None)
    found = {entry["id"]: entry["verdict"] for entry in ledger.write_ledger(get_profile("mini"))}
    assert found["C11"] == found["C12"] == ledger.NOT_RECORDED and found["C16"] == HOLDS


def test_timings_are_taken_anew_only_on_request(monkeypatch, tmp_path):
    calls = []
    times = {
        id: lambda profile, id=id: (calls.append(id) or True, f"{len(calls)} s")
        for id in ("C01", "C02", "C04")
    }
    monkeypatch.setenv("SBERT_LAB_RESULTS", str(tmp_path))
    monkeypatch.setattr(plain_claims, "PLAIN", times)
    for _ in range(2):
        ledger.write_ledger(get_profile("mini"))
    assert calls == ["C01", "C02", "C04"]
    before = read_json(tmp_path / "mini" / "claims.json")
    entries = {e["id"]: e for e in ledger.write_ledger(get_profile("mini"), timings=True)}
    assert calls[3:] == ["C02", "C04"]
    assert [entries[id]["figures"] for id in ("C01", "C02", "C04")] == ["1 s", "4 s", "5 s"]

    def away(profile):
        raise DataError("no questions here")

    monkeypatch.setattr(plain_claims, "PLAIN", {"C02": away})
    entries = {e["id"]: e for e in ledger.write_ledger(get_profile("mini"), timings=True)}
    assert entries["C02"]["figures"] == "4 s"  # what was measured elsewhere stays
    assert before["claims"][0] == entries["C01"]


@pytest.mark.parametrize(
    ("mini", "said"),
    [
        (["holds"] * 12 + ["does not hold at this scale"] * 6, "12 hold, 6 do not"),
        (["holds"] + ["inconclusive"] * 17, "1 holds, 17 are inconclusive"),
        (["holds"] * 18, "all hold"),
        (
            ["does not hold at this scale", "not measurable here", *["inconclusive"] * 16],
            "1 does not, 16 are inconclusive, 1 is not measurable",
        ),
    ],
)
def test_the_tally_speaks_of_findings_first_and_counts_the_others_apart(mini, said):
    entries = ledger_page.recorded_entries()
    findings = ledger_page.by_group(entries)["finding"]
    for entry, verdict in zip(findings, mini, strict=True):
        entry["mini"] = verdict
    line = ledger_page.summary(entries)
    assert line.startswith(f"Of 18 findings, in mini {said}; in real ")
    assert re.findall(r"Of (\d+) (\w+)", line) == [
        ("18", "findings"),
        ("5", "timings"),
        ("3", "claims"),
    ]
    groups = ledger_page.by_group(entries)
    assert [entry["id"] for entry in groups["timing"]] == ["C02", "C03", "C04", "C23", "C24"]
    assert [entry["id"] for entry in groups["by construction"]] == ["C01", "C10", "C25"]


def test_one_command_writes_ledger_page_and_readme(monkeypatch, tmp_path):
    (tmp_path / "data").mkdir()
    (tmp_path / "data" / "paper").symlink_to(data_dir("paper"))
    text = "top\n<!-- summary -->\nstale\n<!-- /summary -->\nend\n"
    (tmp_path / "README.md").write_text(text, encoding="utf-8")
    monkeypatch.setenv("SBERT_LAB_HOME", str(tmp_path))
    monkeypatch.setattr(plain_claims, "PLAIN", {"C01": plain_claims.c01})
    lines = []
    ledger_page.update(["mini"], say=lines.append)
    assert any(line.startswith("C01  holds ") for line in lines)
    readme = (tmp_path / "README.md").read_text(encoding="utf-8")
    assert readme.startswith("top\n<!-- summary -->\nOf 18 findings, in mini ")
    assert "stale" not in readme and readme.endswith("end\n")
    page = (tmp_path / "data/results/LEDGER.md").read_text("utf-8")
    assert page.index("## Findings") < page.index("### C05: ") < page.index("### C01: comparing")


def test_what_cannot_be_measured_says_why():
    def missing(profile):
        raise DataError("no questions here: put them into the local copy")

    verdict = ledger._plain("C02", get_profile("mini"), missing)
    assert verdict.verdict == NOT_HERE
    assert "no questions here" in ledger._figures(verdict)


@pytest.mark.parametrize("id", ["C01", "C10", "C25"])
def test_counts_and_properties_hold_in_mini(id):
    holds, note = plain_claims.PLAIN[id](get_profile("mini"))
    assert holds and note
