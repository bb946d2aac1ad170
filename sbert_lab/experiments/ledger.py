"""The ledger: every claim of the paper, its rule, and the verdict of the recorded runs.

data/results/<profile>/claims.json is written from the recorded tables and from the few claims that
no table holds (counts, properties, times). `sbert-lab ledger` does it, and the pages after it.
"""

import re
from collections.abc import Callable
from pathlib import Path

from sbert_lab.errors import DataError, InputError, OutOfReachError
from sbert_lab.experiments import TABLES, module_of
from sbert_lab.experiments.paper import Verdict, get_claim, judge, list_claims
from sbert_lab.experiments.paper.claims import NOT_HERE
from sbert_lab.experiments.paper.rules import TIMING
from sbert_lab.experiments.results import Results, has_table, open_table, profile_dir
from sbert_lab.experiments.store import describe_machine
from sbert_lab.files import read_json, write_json
from sbert_lab.profiles import Profile

NOT_RECORDED = "not recorded"


def ledger_path(profile: str | Profile) -> Path:
    return profile_dir(profile) / "claims.json"


def read_ledger(profile: str | Profile) -> list[dict]:
    """The committed ledger of a profile; empty where none was recorded."""
    path = ledger_path(profile)
    return read_json(path)["claims"] if path.is_file() else []


def write_ledger(profile: Profile, *, timings: bool = False) -> list[dict]:
    """Judge every claim by what is recorded, and write the ledger.

    A claim that no table holds is measured if there is no verdict yet; `timings` measures those
    that are times anew. What cannot be measured here keeps its verdict from elsewhere.
    """
    kept = {entry["id"]: entry for entry in read_ledger(profile)}
    kept = {id: entry for id, entry in kept.items() if entry["verdict"] != NOT_RECORDED}
    verdicts = table_verdicts(profile)
    kept = {id: entry for id, entry in kept.items() if id in verdicts or not _outdated(id, profile)}
    measured = _measure_plain(profile, kept, timings)
    verdicts |= {id: v for id, v in measured.items() if v.verdict != NOT_HERE or id not in kept}
    ids = list(list_claims()["id"])
    away = {} if {*verdicts, *kept} >= {*ids} else _without_data(profile)
    entries = [_entry(id, verdicts.get(id), kept.get(id) or _entry(id, away.get(id))) for id in ids]
    path = ledger_path(profile)
    about = read_json(path).get("about") if path.is_file() else None
    if measured or not about:  # the tables say themselves where they were measured
        about = describe_machine()
    about = {**about, "command": f"sbert-lab ledger --profile {profile.name}"}
    write_json(path, {"profile": profile.name, "about": about, "claims": entries})
    return entries


def _outdated(id: str, profile: Profile) -> bool:
    """Whether the claim's table is recorded here but, measured anew, no longer decides it."""
    sections = list_claims().set_index("id")["section"]
    home = re.match(r"Tables? (\d)", str(sections[id]))
    return bool(home) and has_table(int(home[1]), profile)


def _measure_plain(profile: Profile, kept: dict[str, dict], timings: bool) -> dict[str, Verdict]:
    """The claims that no table holds, as far as there is no verdict or its time is wanted anew."""
    from sbert_lab.experiments.plain_claims import PLAIN  # needs torch

    settled = {id for id, entry in kept.items() if entry["verdict"] != NOT_HERE}
    if timings:
        settled -= {id for id in settled if get_claim(id).group == TIMING}
    return {id: _plain(id, profile, run) for id, run in PLAIN.items() if id not in settled}


def table_verdicts(profile: Profile) -> dict[str, Verdict]:
    """The verdicts of all claims that the recorded tables decide."""
    verdicts = {}
    for number in TABLES:
        if has_table(number, profile):
            verdicts.update(verdicts_of(open_table(number, profile)))
    return verdicts


def _without_data(profile: Profile) -> dict[str, Verdict]:
    """Not measurable here: claims of tables that were not recorded and whose data are not there."""
    verdicts = {}
    for number in TABLES:
        if has_table(number, profile):
            continue
        try:
            module_of(number).gold(profile)
        except (DataError, OutOfReachError):
            note = f"the data of Table {number} are not at hand"
            sections = list_claims().set_index("id")["section"]
            for id in sections.index[sections.str.contains(f"Table {number}")]:
                verdicts[id] = judge(id, note=note, profile=profile.name)
    return verdicts


def verdicts_of(table: Results) -> dict[str, Verdict]:
    """What one recorded table says: a claim whose rows are missing is left out."""
    module = module_of(table.which)
    found = {}
    for id, difference in module.claims(table).items():
        found[id] = judge(id, difference=difference, profile=table.profile)
    for id, (holds, note) in getattr(module, "time_claims", lambda _: {})(table).items():
        found[id] = judge(id, holds=holds, note=note, profile=table.profile)
    return found


def _plain(id: str, profile: Profile, measure: Callable[[Profile], tuple[bool, str]]) -> Verdict:
    """A claim that no table holds; what is not at hand is said."""
    try:
        holds, note = measure(profile)
    except (DataError, InputError, OutOfReachError) as error:
        return judge(id, note=str(error), profile=profile.name)
    return judge(id, holds=holds, note=note, profile=profile.name)


def _entry(id: str, verdict: Verdict | None, otherwise: dict | None = None) -> dict:
    """The claim as claims.csv has it, with its verdict; without one what stood there before."""
    claim = get_claim(id)
    shown = {"id": id, "claim": claim.claim, "notebook": claim.notebook, "kind": claim.kind}
    shown |= {"rule": claim.rule, "paper": claim.paper}
    if verdict is None:
        found = otherwise or {"verdict": NOT_RECORDED, "figures": "", "intervals": {}}
        return shown | {key: found[key] for key in ("verdict", "figures", "intervals")}
    return {
        **shown,
        "verdict": verdict.verdict,
        "figures": _figures(verdict),
        "intervals": {n: [round(x, 2) for x in ends] for n, ends in verdict.intervals.items()},
    }


def _figures(verdict: Verdict) -> str:
    """The intervals in words; for the other claims the note."""
    if verdict.intervals:
        parts = (f"{n} {low:+.1f} to {high:+.1f}" for n, (low, high) in verdict.intervals.items())
        return "; ".join(parts)
    notes = [line for line in verdict.details.splitlines() if " note: " in line]
    return notes[0].split(" note: ", 1)[1] if notes else ""
