"""The ledger as text: one line, the README's table, and the page with rules and figures."""

from __future__ import annotations

from pathlib import Path

from sbert_lab.experiments.ledger import NOT_RECORDED, read_ledger
from sbert_lab.experiments.paper import list_claims
from sbert_lab.experiments.results import results_dir
from sbert_lab.files import write_bytes

PROFILES = ("mini", "real")
SHORT = {"does not hold at this scale": "does not hold", "not measurable here": "not measurable"}
ORDER = ("holds", "does not hold", "inconclusive", "not measurable", NOT_RECORDED)
HEAD = """# The ledger: the paper's claims, measured

Written by `sbert-lab reproduce`. Each rule was fixed before the run; figures are 95 % intervals of
differences in points, or what was counted or timed. *mini*: small encoders and corpora of our own.
*real*: the same small encoders on real corpora, as far as they were at hand (each table's file says
how much of the official data it saw). No verdict here is about BERT-base: that is profile paper.
"""


def recorded_entries() -> list[dict]:
    """One entry per claim with the recorded verdicts and figures of mini and real."""
    recorded = {name: {entry["id"]: entry for entry in read_ledger(name)} for name in PROFILES}
    entries = []
    for row in list_claims().to_dict("records"):
        kept = {k: row[k] for k in ("id", "claim", "notebook", "kind", "rule", "paper")}
        for name, verdicts in recorded.items():
            found = verdicts.get(row["id"], {})
            kept[name] = found.get("verdict", NOT_RECORDED)
            kept[f"{name}_figures"] = found.get("figures", "")
        entries.append(kept)
    return entries


def short(verdict: str) -> str:
    """A verdict that fits into a column."""
    return SHORT.get(verdict, verdict)


def summary(entries: list[dict]) -> str:
    """How many claims hold, per profile, in one line."""
    parts = []
    for name in PROFILES:
        verdicts = [short(entry[name]) for entry in entries]
        counts = [(verdicts.count(verdict), verdict) for verdict in ORDER if verdict in verdicts]
        parts.append(f"{name}: " + ", ".join(f"{count} {verdict}" for count, verdict in counts))
    return f"{len(entries)} claims. " + "; ".join(parts) + "."


def markdown(entries: list[dict]) -> str:
    """The README's table: the counts, and a row for each claim."""
    lines = [summary(entries), ""]
    lines += ["| claim | paper | mini | real | notebook |", "|---|---|---|---|---|"]
    for entry in entries:
        cells = [f"**{entry['id']}** {entry['claim']}", entry["paper"]]
        cells += [*(short(entry[name]) for name in PROFILES), entry["notebook"]]
        lines.append("| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |")
    return "\n".join(lines)


def full_page(entries: list[dict]) -> str:
    """Every claim with its rule, the paper's figures, and ours."""
    blocks = [HEAD, summary(entries), ""]
    for entry in entries:
        blocks += [f"## {entry['id']}: {entry['claim']}", ""]
        blocks += [f"- rule: {entry['rule']}", f"- paper: {entry['paper']}"]
        for name in PROFILES:
            figures = f" ({entry[f'{name}_figures']})" if entry[f"{name}_figures"] else ""
            blocks.append(f"- {name}: **{entry[name]}**{figures}")
        blocks += [f"- notebook {entry['notebook']}", ""]
    return "\n".join(blocks)


def write_page() -> Path:
    """Write data/results/LEDGER.md."""
    path = results_dir("LEDGER.md")
    write_bytes(path, full_page(recorded_entries()).encode("utf-8"))
    return path
