"""The course covers the paper: every claim has one home, every question an answer."""

import json
import re
from functools import cache
from pathlib import Path

import pytest

from sbert_lab.experiments.paper import list_claims
from sbert_lab.experiments.paper.claims import FAILS, HOLDS, NOT_HERE, OPEN

SOURCES = Path(__file__).resolve().parent.parent / "notebooks" / "src"
TEXTS = {path.stem[:2]: path.read_text(encoding="utf-8") for path in SOURCES.glob("[0-9]*.py")}
VERDICTS = (HOLDS, FAILS, OPEN, NOT_HERE)

# The questions that readers of the paper stumble over, by the notebook that answers them.
QUESTIONS = {
    "01": ["q-one-pass"],
    "02": ["q-max-over-time", "q-which-layer-which-tokens"],
    "03": ["q-averaged-bert-worse-than-glove"],
    "04": ["q-two-towers", "q-cosine-or-euclid"],
    "05": ["q-why-abs", "q-concatenation-later"],
    "06": ["q-score-scaling", "q-cosine-zero"],
    "07": ["q-facenet", "q-hard-semi-hard-easy"],
    "08": [
        "q-all",
        "q-different-numbers",
        "q-why-spearman",
        "q-infersent-concatenation",
        "q-use-sick",
    ],
    "09": ["q-stsb-mix", "q-nli-helps-cross-encoder"],
    "10": ["q-afs-against-sts", "q-unseen-topic"],
    "12": [
        "q-subjectivity",
        "q-why-logistic-regression",
        "q-raw-vectors-as-features",
        "q-use-wins-trec",
        "q-transfer-learning",
    ],
    "13": ["q-why-product", "q-infersent-concatenation"],
    "14": ["q-smart-batching", "q-the-function-of-that-name"],
    "16": ["q-poly-encoder"],
}


@pytest.mark.parametrize("id", list(list_claims()["id"]))
def test_a_claim_is_decided_in_its_home_and_nowhere_else(id):
    home = list_claims().set_index("id").loc[id, "notebook"]
    line = rf"^{id} .+: ({'|'.join(VERDICTS)}) \("
    assert {n for n, text in outputs().items() if re.search(line, text, re.MULTILINE)} == {home}


@cache
def outputs() -> dict[str, str]:
    """What each built notebook printed, by its number."""
    found = {}
    for path in SOURCES.parent.glob("[0-9]*.ipynb"):
        cells = json.loads(path.read_text(encoding="utf-8"))["cells"]
        printed = [out for cell in cells for out in cell.get("outputs", [])]
        text = "\n".join("".join(out.get("text", [])) for out in printed)
        found[path.stem[:2]] = text.replace("\n    ", " ")  # long verdict lines are wrapped
    return found


def asked() -> dict[tuple[str, str], str]:
    """(notebook, anchor) -> the prose from a reader's question to the next code cell or anchor."""
    return {
        (number, anchor): re.split(r"\n# %% (?!\[)|\n# <a id|\n# %%\n", after)[0]
        for number, text in TEXTS.items()
        for anchor, after in re.findall(
            r'<a id="(q-[a-z-]+)"></a>(.*?)(?=<a id="q-|\Z)', text, re.S
        )
    }


def test_every_readers_question_is_asked_and_answered():
    found = asked()
    assert {(n, anchor) for n, anchors in QUESTIONS.items() for anchor in anchors} == set(found)
    for place, text in found.items():
        assert len(text.split()) >= 30, place
