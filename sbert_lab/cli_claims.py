"""`sbert-lab claims`: the ledger of the paper's claims."""

import argparse
import json
import textwrap

from sbert_lab.files import read_json
from sbert_lab.paths import runs_dir
from sbert_lab.profiles import PROFILES, get_profile

SHORT = {"does not hold at this scale": "does not hold", "not measurable here": "not measurable"}


def add_claims_command(commands) -> None:
    """Register the command with an argparse sub-parser."""
    parser = commands.add_parser(
        "claims",
        help="list the paper's claims and what came out",
        description="The claims C01-C26: recorded runs, and the verdicts found on this machine.",
        epilog="example:\n  sbert-lab claims --json",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    form = parser.add_mutually_exclusive_group()
    form.add_argument("--json", action="store_true", help="print the ledger as JSON")
    form.add_argument("--markdown", action="store_true", help="print it as in the README")
    parser.add_argument("--profile", choices=sorted(PROFILES), help="of this machine's verdicts")
    parser.set_defaults(run=_show)


def ledger(profile: str) -> list[dict]:
    """One entry per claim: recorded verdicts by profile, and this machine's (None: not run yet)."""
    from sbert_lab.paper import list_claims
    from sbert_lab.reproduce.ledger import NOT_RECORDED, read_ledger

    recorded = {
        name: {entry["id"]: entry for entry in read_ledger(name)} for name in ("mini", "real")
    }
    entries = []
    for row in list_claims().to_dict("records"):
        kept = {k: row[k] for k in ("id", "claim", "notebook", "kind", "rule", "paper")}
        for name, verdicts in recorded.items():
            found = verdicts.get(row["id"], {})
            kept[name] = found.get("verdict", NOT_RECORDED)
            kept[f"{name}_figures"] = found.get("figures", "")
        path = runs_dir("claims", profile, f"{row['id']}.json")
        kept["verdict"] = read_json(path)["verdict"] if path.is_file() else None
        entries.append(kept)
    return entries


def markdown(entries: list[dict]) -> str:
    """The README's page: a line of counts, and a row for each claim."""
    lines = [summary(entries), ""]
    lines += ["| claim | paper | mini | real | notebook |", "|---|---|---|---|---|"]
    for entry in entries:
        cells = [f"**{entry['id']}** {entry['claim']}", entry["paper"]]
        cells += [_short(entry["mini"]), _short(entry["real"]), entry["notebook"]]
        lines.append("| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |")
    return "\n".join(lines)


def summary(entries: list[dict]) -> str:
    """How many claims hold, per profile, in one line."""
    parts = []
    for name in ("mini", "real"):
        verdicts = [_short(entry[name]) for entry in entries]
        counts = {verdict: verdicts.count(verdict) for verdict in dict.fromkeys(sorted(verdicts))}
        shown = ", ".join(f"{count} {verdict}" for verdict, count in counts.items())
        parts.append(f"{name}: {shown}")
    return f"{len(entries)} claims. " + "; ".join(parts) + "."


def _short(verdict: str) -> str:
    return SHORT.get(verdict, verdict)


def _show(given: argparse.Namespace) -> int:
    profile = get_profile(given.profile).name
    entries = ledger(profile)
    if given.json:
        print(json.dumps({"profile": profile, "claims": entries}, indent=2))
    elif given.markdown:
        print(markdown(entries))
    else:
        _print_table(entries, profile)
    return 0


def _print_table(entries: list[dict], profile: str) -> None:
    print(f"{'':4} {'recorded, mini':16} {'recorded, real':16} {'this machine':16} claim")
    for entry in entries:
        here = _short(entry["verdict"]) if entry["verdict"] else f"run {entry['notebook']}"
        claim = textwrap.shorten(entry["claim"], 76, placeholder=" ...")
        print(
            f"{entry['id']:4} {_short(entry['mini']):16} {_short(entry['real']):16} "
            f"{here:16} {claim}"
        )
    measured = sum(entry["verdict"] is not None for entry in entries)
    print(summary(entries))
    print(f"profile {profile}: {measured} of {len(entries)} claims measured on this machine")
