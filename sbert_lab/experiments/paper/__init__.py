"""The paper's tables, its claims, and how ours compare.

    from sbert_lab import paper

    paper.table(1)                                    # Table 1 as a DataFrame
    paper.compare([{"what": "SBERT-NLI", "measured": 51.2, "paper": 74.89, "why": "..."}])
    paper.claim("C08", difference=array)              # prints the verdict

The claims are numbered C01 to C26; paper.list_claims() shows them with their rules.
"""

from sbert_lab.experiments.paper.claims import Verdict, claim, judge
from sbert_lab.experiments.paper.rules import Claim, get_claim, list_claims
from sbert_lab.experiments.paper.tables import compare, comparison, table

__all__ = [
    "Claim",
    "Verdict",
    "claim",
    "compare",
    "comparison",
    "get_claim",
    "judge",
    "list_claims",
    "table",
]
