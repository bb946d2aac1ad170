"""The glossary can be linked to: every entry is complete, in order, and leads to a notebook."""

import re
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest

NOTEBOOKS = Path(__file__).resolve().parent.parent / "notebooks"
sys.path.insert(0, str(NOTEBOOKS))

from builder import names, words  # noqa: E402
from builder.cells import script_cells  # noqa: E402

TEXT = (NOTEBOOKS / "GLOSSARY.md").read_text(encoding="utf-8")
ENTRY = re.compile(
    r"## (?P<term>.+)\n(?P<meaning>(?:.+\n)*?.+[.?])\\\n"
    r"KO (?P<korean>.+) · ZH (?P<chinese>.+) · notebook \[(?P<number>\w\w)\]\((?P<file>.+)\)\n?"
)
BLOCKS = re.split(r"\n(?=## )", TEXT)
ENTRIES = [found for block in BLOCKS[1:] if (found := ENTRY.fullmatch(block))]


def anchor(term: str) -> str:
    """The anchor that GitHub, JupyterLab and the site give a heading."""
    return re.sub(r"[^\w\- ]", "", term.lower()).replace(" ", "-")


def test_every_entry_has_a_meaning_both_translations_and_a_notebook():
    assert [block for block in BLOCKS[1:] if not ENTRY.fullmatch(block)] == []
    assert len(ENTRIES) >= 70


def test_translations_are_in_their_own_script():
    for entry in ENTRIES:
        assert re.search("[가-힣]", entry["korean"]), entry["term"]
        assert re.search("[一-鿿]", entry["chinese"]), entry["term"]
        assert not re.search("[가-힣]", entry["chinese"]), entry["term"]


def test_terms_are_in_alphabetical_order_and_their_anchors_differ():
    anchors = [anchor(entry["term"]) for entry in ENTRIES]
    assert anchors == sorted(anchors, key=lambda name: name.replace("-", " "))
    assert len(set(anchors)) == len(anchors)


def test_every_notebook_named_is_there():
    for entry in ENTRIES:
        assert entry["file"].startswith(entry["number"]), entry["term"]
        assert (NOTEBOOKS / entry["file"]).is_file(), entry["term"]


def test_the_letters_on_top_lead_to_the_first_term_of_each_letter():
    first = {}
    for entry in ENTRIES:
        first.setdefault(entry["term"][0].upper(), anchor(entry["term"]))
    assert dict(re.findall(r"\[(\w)\]\(#(.+?)\)", BLOCKS[0])) == first


def linked(*texts: str) -> list[str]:
    """What the builder makes of markdown cells below a title."""
    cells = [SimpleNamespace(cell_type="markdown", source=text) for text in ("# 03", *texts)]
    words.link_words(cells)
    return [cell.source for cell in cells[1:]]


def test_the_first_use_of_a_word_leads_to_its_entry_and_shows_its_meaning():
    first, second = linked("# Spearman\nWhat is Spearman? Spearman", "Spearman again")
    start = '# Spearman\nWhat is [Spearman](GLOSSARY.md#spearman-correlation "How well two columns'
    assert first.startswith(start) and first.endswith("? Spearman")
    assert second == "Spearman again"


def test_code_formulas_links_and_parts_of_words_stay_as_they_are():
    text = "`Spearman` $Spearman$ [Spearman](x) NLI-tuned objectively\n| Spearman |\n<b>STSb</b>"
    assert linked(text) == [text]


@pytest.mark.parametrize("name", names())
def test_every_notebook_links_its_words_once_and_to_entries(name):
    text = "\n".join(c.source for c in script_cells(name) if c.cell_type == "markdown")
    targets = re.findall(r"\]\(GLOSSARY\.md#(.+?) \"", text)
    assert len(targets) == len(set(targets)) >= 3
    assert set(targets) <= {anchor(entry["term"]) for entry in ENTRIES}


def test_a_word_is_found_at_the_start_of_a_sentence_and_names_as_they_are_written():
    (line,) = linked("Padding and an infersent, a glove or a F1.")
    assert line.startswith("[Padding](GLOSSARY.md#padding ") and "[F1](GLOSSARY.md#f1 " in line
    assert line.count("](") == 2


def test_every_linked_word_has_an_entry():
    anchors = {anchor(entry["term"]): entry for entry in ENTRIES}
    for term in words.WORDS.values():
        target, meaning = words.entry(term)
        assert " ".join(anchors[target]["meaning"].split()) == meaning
