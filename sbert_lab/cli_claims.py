"""`sbert-lab claims`: the paper's claims and what this machine found."""

import argparse
import json
import textwrap

from sbert_lab.files import read_json
from sbert_lab.paths import runs_dir
from sbert_lab.profiles import get_profile


def add_claims_command(commands) -> None:
    """Register the command with an argparse sub-parser."""
    parser = commands.add_parser(
        "claims",
        help="list the paper's claims with this machine's verdicts",
        description="The claims C01-C26, their notebooks and the verdicts found on this machine.",
        epilog="example:\n  sbert-lab claims --json",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--json", action="store_true", help="print the ledger as JSON")
    parser.add_argument("--profile", choices=["mini", "real", "paper"])
    parser.set_defaults(run=_show)


def ledger(profile: str) -> list[dict]:
    """One entry per claim; the verdict is None where no notebook has measured it here yet."""
    from sbert_lab.paper import list_claims

    entries = []
    for row in list_claims().to_dict("records"):
        path = runs_dir("claims", profile, f"{row['id']}.json")
        verdict = read_json(path)["verdict"] if path.is_file() else None
        kept = ("id", "claim", "notebook", "kind", "rule", "paper")
        entries.append({**{key: row[key] for key in kept}, "verdict": verdict})
    return entries


def _show(given: argparse.Namespace) -> int:
    profile = get_profile(given.profile).name
    entries = ledger(profile)
    if given.json:
        print(json.dumps({"profile": profile, "claims": entries}, indent=2))
        return 0
    for entry in entries:
        verdict = entry["verdict"] or f"not measured yet (notebook {entry['notebook']})"
        claim = textwrap.shorten(entry["claim"], 90, placeholder=" ...")
        print(f"{entry['id']}  {verdict:40} {claim}")
    measured = sum(entry["verdict"] is not None for entry in entries)
    print(f"profile {profile}: {measured} of {len(entries)} claims measured on this machine")
    return 0
