"""The ledger as text: the tally, the tables, the page with rules and figures.

Findings are counted first and apart: a claim that is arithmetic holds by construction, and a time
is a matter of the machine.
"""

import re
import textwrap
from collections.abc import Callable, Sequence
from pathlib import Path

from sbert_lab.errors import DataError
from sbert_lab.experiments import TABLES
from sbert_lab.experiments.ledger import NOT_RECORDED, read_ledger, write_ledger
from sbert_lab.experiments.paper import list_claims
from sbert_lab.experiments.paper.claims import FAILS
from sbert_lab.experiments.paper.rules import CONSTRUCTION, FINDING, GROUPS, TIMING
from sbert_lab.experiments.reasons import PROFILE, reason
from sbert_lab.experiments.results import has_table, open_table, results_dir
from sbert_lab.files import read_json, write_bytes
from sbert_lab.paths import data_dir, home, runs_dir
from sbert_lab.profiles import get_profile

PROFILES = ("mini", "real")
SHORT = {"does not hold at this scale": "does not hold", "not measurable here": "not measurable"}
COUNTED = {  # verdict -> of one claim, of several
    "holds": ("holds", "hold"),
    "does not hold": ("does not", "do not"),
    "inconclusive": ("is inconclusive", "are inconclusive"),
    "not measurable": ("is not measurable", "are not measurable"),
    NOT_RECORDED: ("is not recorded", "are not recorded"),
}
TITLES = {
    FINDING: "findings",
    TIMING: "timings",
    CONSTRUCTION: "claims that are arithmetic or true by construction",
}
HEAD = """# The ledger: the paper's claims, measured

Written by `sbert-lab ledger`. Each rule was fixed before the run; figures are 95 % intervals of
differences in points, or what was counted or timed. *mini*: small encoders and corpora of our own.
*real*: small encoders of ours on real corpora, as far as they were at hand (each table's file says
how much of the official data it saw). No verdict here is about BERT-base: that is profile paper.

Changed on 2026-11-18, for all claims and before the next run: intervals also resample the seeds,
and in Table 3 sentences instead of pairs, in Table 4 articles instead of triplets. Most are wider.
In mini C13, C17, C18 and C22 and in real C22 became inconclusive by it; all rules stayed.

Measured anew on 2026-11-18, rules unchanged: Tables 1 and 2 of real, with a better backbone, all
seven STS sets instead of two, 131,072 NLI pairs instead of 49,340, and a softmax head that learns
30 times as fast as the encoder (notebook 05, section 6, shows what that changes). One seed a row.
On 2026-11-19 in the same way: Table 2 with five seeds of what STSb alone trains, Table 4 with the
better backbone and three seeds, and Table 5's trained rows, so that C17 and C18 have a verdict.
"""


def recorded_entries() -> list[dict]:
    """One entry per claim with the recorded verdicts and figures of mini and real."""
    recorded = {name: {entry["id"]: entry for entry in read_ledger(name)} for name in PROFILES}
    entries = []
    for row in list_claims().to_dict("records"):
        kept = {k: row[k] for k in ("id", "claim", "notebook", "kind", "rule", "paper")}
        kept["group"] = GROUPS[row["kind"]]
        for name, verdicts in recorded.items():
            found = verdicts.get(row["id"], {})
            kept[name] = found.get("verdict", NOT_RECORDED)
            kept[f"{name}_figures"] = found.get("figures", "")
        entries.append(kept)
    return entries


def local_entries(profile: str) -> list[dict]:
    """The recorded entries, each with this machine's verdict (None: its notebook did not run)."""
    entries = recorded_entries()
    for entry in entries:
        path = runs_dir("claims", profile, f"{entry['id']}.json")
        entry["verdict"] = read_json(path)["verdict"] if path.is_file() else None
    return entries


def by_group(entries: Sequence[dict]) -> dict[str, list[dict]]:
    """Findings, timings, what is true by construction: in this order."""
    return {group: [one for one in entries if one["group"] == group] for group in TITLES}


def short(verdict: str) -> str:
    """A verdict that fits into a column."""
    return SHORT.get(verdict, verdict)


def summary(entries: Sequence[dict]) -> str:
    """How many claims hold, per group and profile; findings first."""
    lines = []
    for group, chosen in by_group(entries).items():
        counts = "; ".join(f"in {name} {_tally(chosen, name)}" for name in PROFILES)
        lines.append(f"Of {len(chosen)} {TITLES[group]}, {counts}.")
    return " ".join(lines)


def _tally(entries: Sequence[dict], profile: str) -> str:
    verdicts = [short(entry[profile]) for entry in entries]
    counts = {verdict: verdicts.count(verdict) for verdict in COUNTED if verdict in verdicts}
    if len(counts) == 1 and len(verdicts) > 1:
        return f"all {COUNTED[verdicts[0]][1]}"
    return ", ".join(f"{n} {COUNTED[verdict][n > 1]}" for verdict, n in counts.items())


def terminal(entries: Sequence[dict], profile: str) -> str:
    """The claims as `sbert-lab claims` shows them: recorded verdicts beside this machine's."""
    lines = [f"{'':4} {'recorded, mini':16} {'recorded, real':16} {'this machine':16} claim"]
    for group, chosen in by_group(entries).items():
        lines.append(f"{TITLES[group]}:")
        for entry in chosen:
            here = short(entry["verdict"]) if entry["verdict"] else f"run {entry['notebook']}"
            verdicts = [short(entry[name]) for name in PROFILES] + [here]
            claim = textwrap.shorten(entry["claim"], 76, placeholder=" ...")
            lines.append(" ".join([f"{entry['id']:4}", *(f"{v:16}" for v in verdicts), claim]))
    measured = sum(entry["verdict"] is not None for entry in entries)
    here = f"profile {profile}: {measured} of {len(entries)} claims measured on this machine"
    return "\n".join([*lines, summary(entries), here])


def markdown(entries: Sequence[dict]) -> str:
    """The counts, and a row for each claim."""
    lines = [summary(entries)]
    for group, chosen in by_group(entries).items():
        title = TITLES[group]
        lines += ["", f"**{title[0].upper()}{title[1:]}**", ""]
        lines += ["| claim | paper | mini | real | notebook |", "|---|---|---|---|---|"]
        for entry in chosen:
            cells = [f"**{entry['id']}** {entry['claim']}", entry["paper"]]
            cells += [*(short(entry[name]) for name in PROFILES), entry["notebook"]]
            lines.append("| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |")
    return "\n".join(lines)


def full_page(entries: Sequence[dict]) -> str:
    """Every claim with its rule, the paper's figures, and ours."""
    blocks = [HEAD, *map(backbones, PROFILES), "", markdown(entries), ""]
    for group, chosen in by_group(entries).items():
        title = TITLES[group]
        blocks += [f"## {title[0].upper()}{title[1:]}: rules and figures", ""]
        for entry in chosen:
            blocks += [f"### {entry['id']}: {entry['claim']}", ""]
            blocks += [f"- rule: {entry['rule']}", f"- paper: {entry['paper']}"]
            for name in PROFILES:
                figures = f" ({entry[f'{name}_figures']})" if entry[f"{name}_figures"] else ""
                blocks.append(f"- {name}: **{entry[name]}**{figures}")
            blocks += [f"- notebook {entry['notebook']}", ""]
            if entry[PROFILE] == FAILS:
                blocks += [f"Why not in {PROFILE}: {reason(entry['id'])}", ""]
    return "\n".join(blocks)


def backbones(profile: str) -> str:
    """Which tables of a profile stand on which backbone, in a line."""
    found: dict[str, list[str]] = {}
    for number in TABLES:
        if has_table(number, profile):
            backbone = open_table(number, profile).about.get("backbone", "not noted")
            found.setdefault(backbone, []).append(str(number))
    said = [f"{name} (Tables {', '.join(numbers)})" for name, numbers in found.items()]
    return f"- backbone in {profile}: {'; '.join(said) or 'nothing recorded'}"


def main_effect() -> str:
    """The two figures that a reader asks for first, from the recorded real tables."""
    unsupervised, supervised = (open_table(number, "real") for number in (1, 2))
    raw, tuned = (unsupervised.mean(row, "average") for row in ("raw BERT MEAN", "SBERT-NLI"))
    fast, careful = (supervised.mean(f"{row}-STSb", "test") for row in ("SBERT", "cross-encoder"))
    return (
        f"On real data our small BERT ({unsupervised.about['backbone']}) averages {raw:.1f} points "
        f"(Spearman x 100) on the seven STS sets as it comes out of pretraining, and {tuned:.1f} "
        f"after training on NLI labels (the paper's BERT-base: 54.8 and 74.9). Trained on STSb, a "
        f"cross-encoder reaches {careful:.1f} on its test pairs and SBERT {fast:.1f} (the paper: "
        f"84.3 and 84.7)."
    )


def update(
    profiles: Sequence[str] = PROFILES,
    *,
    timings: bool = False,
    say: Callable[[str], None] = print,
) -> None:
    """From the recorded runs to the ledgers, data/results/LEDGER.md and the README."""
    for name in profiles:
        say(f"profile {name}")
        for entry in write_ledger(get_profile(name), timings=timings):
            say(f"{entry['id']}  {entry['verdict']:28} {entry['claim']}")
    say(f"written to {', '.join(str(path) for path in write_pages())}")


def write_pages() -> list[Path]:
    """LEDGER.md, and the README if these are the project's own results."""
    entries = recorded_entries()
    page, readme = results_dir("LEDGER.md"), home() / "README.md"
    write_bytes(page, full_page(entries).encode("utf-8"))
    if results_dir() != data_dir("results") or not readme.is_file():
        return [page]
    text = fill(readme.read_text(encoding="utf-8"), "summary", summary(entries))
    if all(has_table(number, "real") for number in (1, 2)):
        text = fill(text, "effect", main_effect())
    write_bytes(readme, text.encode("utf-8"))
    return [page, readme]


def fill(text: str, mark: str, content: str) -> str:
    """Replace what stands between <!-- mark --> and <!-- /mark --> in the README."""
    pattern = rf"(<!-- {mark} -->\n).*?(<!-- /{mark} -->)"
    if not re.search(pattern, text, re.DOTALL):
        raise DataError(f"README.md has no <!-- {mark} --> ... <!-- /{mark} -->: put the marks in")
    return re.sub(pattern, lambda found: f"{found[1]}{content}\n{found[2]}", text, flags=re.DOTALL)
