"""The parsers of data/build/sources and the deterministic variation."""

import re
import sys
from itertools import islice
from pathlib import Path

import pytest

BUILD = Path(__file__).parents[1] / "data" / "build"
sys.path.insert(0, str(BUILD))

import output  # noqa: E402
import sources  # noqa: E402
import templates  # noqa: E402
import variation  # noqa: E402

GROUP = """# a comment
group market-fish
who = a man | an old farmer
P1: <who> lays {fresh|cold} fish on ice. || On ice, <who> lays fish.
P2: <who> hoses down a stall.

H1 EC action: Fish is put out by <who>.
"""


def write(folder: Path, text: str, name: str = "sample.txt") -> Path:
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return path


@pytest.fixture
def group(tmp_path):
    (block,) = sources.read_blocks(write(tmp_path, GROUP))
    return block


def test_a_line_stands_for_every_phrasing_and_choice(group):
    first, second = sources.premises(group)
    found = [first.render(i, {"who": "a man"}) for i in range(len(first.versions))]
    assert found == [
        "A man lays fresh fish on ice.",
        "A man lays cold fish on ice.",
        "On ice, a man lays fish.",
    ]
    assert len(second.versions) == 1


def test_new_values_are_kept_apart(tmp_path):
    text = GROUP.replace("P1:", "who += a nurse\nP1:")
    (block,) = sources.read_blocks(write(tmp_path, text))
    assert [v["who"] for v in block.assignments()] == ["a man", "an old farmer"]
    assert [v["who"] for v in block.assignments(new=True)] == ["a man", "an old farmer", "a nurse"]
    for wrong in ("who += a man", "what += a hat"):
        with pytest.raises(templates.SourceError, match="repeated value|not declared above"):
            sources.read_blocks(write(tmp_path, GROUP.replace("P1:", f"{wrong}\nP1:")))


def test_a_slot_is_capitalised_at_the_start_of_every_sentence():
    template = templates.Template("Wait. <who> left. {he|she} ran.", "here")
    assert template.render(0, {"who": "a man"}) == "Wait. A man left. He ran."


def test_a_phrase_keeps_its_small_letter():
    template = templates.Template("{gladly|happily} agreed", "here")
    assert template.render(1, {}, sentence=False) == "happily agreed"


def test_a_statement_has_one_label_for_each_premise(group):
    (statement,) = sources.statements(group)
    assert (statement.number, statement.labels, statement.kind) == (1, "EC", "action")


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("group a\nP1: <who> sleeps.\n", r"line 2: the slot <who> is not declared"),
        ("group a\nwho = x | y\nP1: It sleeps.\n", "nobody uses the slot who"),
        ("group a\nP1: It {sleeps|naps.\n", "line 2: unbalanced"),
        ("group a\nsleepy nonsense\n", "line 2: neither"),
        ("P1: It sleeps.\n", "line 1: a line before the first group"),
        ("group a\nwho = x | x\nP1: <who> naps.\n", "line 2: an empty or repeated value"),
        ("group a\nP1: It naps.\ngroup a\nP1: It naps.\n", "the name a is used twice"),
    ],
)
def test_a_broken_block_is_named_with_file_and_line(tmp_path, text, problem):
    with pytest.raises(templates.SourceError, match=problem):
        sources.read_blocks(write(tmp_path, text))


@pytest.mark.parametrize(
    ("line", "problem"),
    [
        ("H1 E action: It naps.", "1 labels for 2 premises"),
        ("H1 EN mood: It naps.", "unknown kind 'mood'"),
        ("Q1: It naps.", "'Q1' is neither P1 nor"),
    ],
)
def test_a_broken_statement_is_named_with_its_line(tmp_path, line, problem):
    path = write(tmp_path, f"group a\nP1: It sleeps.\nP2: It runs.\n{line}\n")
    (block,) = sources.read_blocks(path)
    with pytest.raises(templates.SourceError, match=f"line 4: {problem}"):
        sources.statements(block)


def test_rungs_are_scored_in_halves(tmp_path):
    text = "ladder a\nbase: One.\n5: Two.\n3.5: Three.\n"
    (block,) = sources.read_blocks(write(tmp_path, text))
    assert [score for score, _ in sources.rungs(block)] == [5.0, 3.5]
    (block,) = sources.read_blocks(write(tmp_path, text + "5.5: Four.\n"))
    with pytest.raises(templates.SourceError, match="'5.5' is neither base nor a score"):
        sources.rungs(block)


def test_arguments_have_facet_stance_and_star(tmp_path):
    text = "topic: trams\nfacet cost | related: noise\npro*: Cheap.\ncon: Dear.\n"
    text += "facet noise\npro: Hum.\n"
    topic = sources.read_topic(write(tmp_path, text))
    assert topic.related == {"cost": {"noise"}, "noise": set()}
    assert [(a.facet, a.stance, a.star) for a in topic.arguments] == [
        ("cost", "pro", True),
        ("cost", "con", False),
        ("noise", "pro", False),
    ]
    with pytest.raises(templates.SourceError, match="unknown facets"):
        sources.read_topic(write(tmp_path, "topic: trams\nfacet cost | related: speed\n"))


def test_articles_have_sections_of_one_sentence_a_line(tmp_path):
    (article,) = sources.read_articles(write(tmp_path, "= Lake =\n= = Water = =\nCold.\nDeep.\n"))
    assert article.title == "Lake" and article.sections == {"Water": ["Cold.", "Deep."]}
    with pytest.raises(templates.SourceError, match="line 2: a sentence outside"):
        sources.read_articles(write(tmp_path, "= Lake =\nCold.\n"))


def test_wordings_become_choices_but_never_inside_braces_or_slots():
    table = {"is not": "isn't", "isn't": "is not", "until": "till", "till": "until"}
    text = templates.add_wordings("It is not {until|so} long until <until> this-until's", table)
    assert text == "It {is not|isn't} {until|so} long {until|till} <until> this-until's"


def test_renderings_differ_and_agree_in_their_slots(group):
    premise = sources.premises(group)[0]
    (statement,) = sources.statements(group)
    found = list(variation.renderings(group, [premise, statement.template], "seed"))
    assert len(found) == len({tuple(texts) for texts in found}) == 6
    for first, second in found:
        assert ("farmer" in first) == ("farmer" in second)


def test_the_first_renderings_are_spread_over_the_slot_values(group):
    premise = sources.premises(group)[0]
    found = list(islice(variation.renderings(group, [premise], "seed"), 2))
    assert sum("farmer" in text for (text,) in found) == 1


def test_orders_depend_on_the_seed_and_on_nothing_else():
    letters = list("abcdefgh")
    assert variation.shuffled(letters, 1) == variation.shuffled(letters[::-1], 1)
    assert variation.shuffled(letters, 1) != variation.shuffled(letters, 2)
    assert variation.digest("a", 1) == 9484037261928657086  # the same on every machine


def test_every_source_file_can_be_read():
    for folder, check in (("nli", sources.statements), ("sts", sources.rungs)):
        for path in sources.source_files(folder):
            assert all(check(block) for block in sources.read_blocks(path)), path


def written_sentences():
    """Every sentence that the block files can give, with its place."""
    files = [
        path for folder in ("nli", "sts", "questions") for path in sources.source_files(folder)
    ]
    blocks = [block for path in files for block in sources.read_blocks(path)]
    blocks += sources.read_blocks(sources.SOURCES / "senteval/paraphrases.txt", named=False)
    for block in blocks:
        for _, template in block.entries:
            for values in block.assignments(template.slots, new=True):
                for version in range(len(template.versions)):
                    yield template.place, template.render(version, values)


def test_articles_agree_with_the_word_that_a_slot_or_choice_puts_after_them():
    before_vowel = re.compile(r"\ba (?!one|once|uni|use|usu|eu|ewe|ukulele)[aeiou]", re.IGNORECASE)
    before_consonant = re.compile(r"\ban (?!hour|heir|honest|honou?r)[bcdfghjklmnpqrstvwxyz]")
    doubled = re.compile(r"\b(the|a|an|of|to|in|is|and) \1\b|  | [,.?]")
    wrong = [
        (place, text)
        for place, text in written_sentences()
        if any(rule.search(text) for rule in (before_vowel, before_consonant, doubled))
    ]
    assert not wrong, wrong[:10]


def test_a_folder_is_replaced_as_a_whole_and_every_difference_is_named(tmp_path):
    folder = tmp_path / "mini"
    output.write_folder({"a.txt": b"one", "gone.txt": b"old"}, folder)
    files = {"a.txt": b"one", "deep/b.txt": b"two"}
    assert output.differences(files, folder) == [
        "deep/b.txt is missing",
        "gone.txt should not be there",
    ]
    output.write_folder(files, folder)
    assert output.differences(files, folder) == []
    assert output.differences({**files, "a.txt": b"ONE"}, folder) == ["a.txt differs"]
    assert [path.name for path in tmp_path.iterdir()] == ["mini"]


def test_a_character_that_the_official_encoding_lacks_is_an_error():
    with pytest.raises(templates.SourceError, match="mr.pos is latin-1: cannot write"):
        output.Output().add("mr.pos", "worth 5 \u20ac", 1, encoding="latin-1")
    with pytest.raises(templates.SourceError, match="a tab or line end"):
        output.tab_lines([("one\ttwo", "three")])
