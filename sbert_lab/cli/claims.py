"""`sbert-lab claims`: the ledger of the paper's claims."""

import argparse
import json
import textwrap

from sbert_lab.files import read_json
from sbert_lab.paths import runs_dir
from sbert_lab.profiles import PROFILES, get_profile


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
    """The recorded entries, each with this machine's verdict (None: its notebook did not run)."""
    from sbert_lab.experiments.ledger_page import recorded_entries

    entries = recorded_entries()
    for entry in entries:
        path = runs_dir("claims", profile, f"{entry['id']}.json")
        entry["verdict"] = read_json(path)["verdict"] if path.is_file() else None
    return entries


def _show(given: argparse.Namespace) -> int:
    profile = get_profile(given.profile).name
    entries = ledger(profile)
    if given.json:
        print(json.dumps({"profile": profile, "claims": entries}, indent=2))
    elif given.markdown:
        from sbert_lab.experiments.ledger_page import markdown

        print(markdown(entries))
    else:
        _print_table(entries, profile)
    return 0


def _print_table(entries: list[dict], profile: str) -> None:
    from sbert_lab.experiments.ledger_page import short, summary

    print(f"{'':4} {'recorded, mini':16} {'recorded, real':16} {'this machine':16} claim")
    for entry in entries:
        here = short(entry["verdict"]) if entry["verdict"] else f"run {entry['notebook']}"
        claim = textwrap.shorten(entry["claim"], 76, placeholder=" ...")
        print(
            f"{entry['id']:4} {short(entry['mini']):16} {short(entry['real']):16} {here:16} {claim}"
        )
    measured = sum(entry["verdict"] is not None for entry in entries)
    print(summary(entries))
    print(f"profile {profile}: {measured} of {len(entries)} claims measured on this machine")
