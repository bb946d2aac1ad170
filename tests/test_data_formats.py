"""The parsers, on files of our own making; each trap of the official files has its test."""

import gzip
from pathlib import Path

import pytest

from sbert_lab.data.formats import READERS
from sbert_lab.data.formats.arguments import read_afs, read_afs_binary, read_ukp_aspect
from sbert_lab.data.formats.nli import read_nli, read_nli_genre, read_nli_source
from sbert_lab.data.formats.questions import read_quora, read_tatoeba
from sbert_lab.data.formats.senteval import read_mrpc, read_sst, read_trec, read_two_files
from sbert_lab.data.formats.sts import read_sick, read_sts, read_stsb
from sbert_lab.data.formats.wikipedia import read_paragraphs, read_section_triplets
from sbert_lab.data.registry import CORPORA
from sbert_lab.errors import DataError

FIXTURES = Path(__file__).parent / "fixtures" / "data"
SMALL = FIXTURES / "small"


def write(folder: Path, name: str, content: str | bytes) -> Path:
    path = folder / name
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return path


def sts_pair(folder: str, subset: str, prefix: str = "STS") -> list[Path]:
    return [FIXTURES / folder / f"{prefix}.{kind}.{subset}.txt" for kind in ("input", "gs")]


def test_every_reader_in_the_registry_exists():
    assert {corpus.reader for corpus in CORPORA.values() if not corpus.parts} == set(READERS)


# --- inference pairs


def test_nli_rows_without_a_gold_label_are_dropped():
    rows = list(read_nli([SMALL / "snli/snli_1.0_train.jsonl"]))
    assert [row["label"] for row in rows] == [0, 1, 2]
    assert all("kite" not in row["sentence1"] for row in rows)


def test_multinli_keeps_the_genre_and_a_missing_one_is_none():
    (row,) = read_nli_genre([SMALL / "multinli/multinli_1.0_dev_matched.jsonl"])
    assert row["genre"] == "fiction"
    (row,) = read_nli_genre([SMALL / "snli/snli_1.0_dev.jsonl"])
    assert row["genre"] is None


# --- scored pairs


def test_stsb_quotes_are_plain_characters_and_more_fields_are_ignored():
    rows = list(read_stsb([SMALL / "stsbenchmark/sts-train.csv"]))
    assert rows[1] == {
        "sentence1": '"Stop, said the warden.',
        "sentence2": '"Go," said the warden.',
        "score": 0.5,
    }
    assert [row["score"] for row in rows] == [1.0, 0.5, 0.0]


def test_sts_pairs_with_an_empty_gold_score_are_skipped():
    rows = list(read_sts(sts_pair("small/STS/STS15-en-test", "answers-forums")))
    assert [row["score"] for row in rows] == pytest.approx([0.88, 1.0, 0.08])
    assert not any("nobody" in row["sentence1"] for row in rows)


def test_unicode_line_separators_inside_a_sentence_do_not_shift_the_scores():
    rows = list(read_sts(sts_pair("small/STS/STS16-en-test", "answer-answer")))
    assert rows[0]["sentence1"] == "the clock\u2028stopped ."
    assert rows[0]["score"] == pytest.approx(0.88)
    assert rows[1]["sentence1"].startswith("a carpenter")


def test_sts_rows_carry_their_subset_also_when_its_name_has_a_dot():
    (row, _) = read_sts(sts_pair("small/STS/STS12-en-test", "surprise.OnWN"))
    assert row["subset"] == "surprise.OnWN"


def test_the_organisers_2016_files_have_sources_after_the_sentences():
    folder = "organisers/sts2016-english-with-gs-v1.0"
    (row,) = read_sts(sts_pair(folder, "plagiarism", "STS2016"))
    assert row == {
        "sentence1": "Is a keel part of a boat?",
        "sentence2": "What is a keel?",
        "score": 0.6,
        "subset": "plagiarism",
    }


def test_windows_line_ends_leave_no_trace(tmp_path):
    path = write(tmp_path, "sts-dev.csv", "a\tb\tc\td\t1.0\tOne.\tTwo.\r\n")
    assert next(read_stsb([path]))["sentence2"] == "Two."
    (row,) = read_sts(sts_pair("organisers/test-gold", "MSRvid"))
    assert row["sentence2"] == "The bell was rung two times."
    (row,) = read_sick([SMALL / "SICK/SICK_test_annotated.txt"])
    assert row["sentence2"] == "There is no tent on the hill"


def test_afs_is_latin_1_with_quoted_commas_and_a_topic_per_file():
    rows = list(read_afs([SMALL / "afs/ArgPairs_DP.csv", SMALL / "afs/ArgPairs_GC.csv"]))
    assert [row["score"] for row in rows] == [1.0, 0.0, 0.5]
    assert [row["topic"] for row in rows] == ["death penalty", "death penalty", "gun control"]
    assert rows[0]["sentence1"] == "Trials cost more, by far."
    assert rows[1]["sentence1"] == "It is a naïve view."
    assert rows[1]["sentence2"] == 'He said "wait" twice.'


def test_ukp_aspect_labels_become_scores(tmp_path):
    lines = [f'trams\t"A {label}.\tB.\t{label}\n' for label in ("DTORCD", "NS", "SS", "HS")]
    path = write(tmp_path, "U.tsv", "topic\tsentence_1\tsentence_2\tlabel\n" + "".join(lines))
    rows = list(read_ukp_aspect([path]))
    assert [row["score"] for row in rows] == [0.0, 0.0, 0.5, 1.0]
    assert rows[0]["sentence1"] == '"A DTORCD.'


def test_binary_afs_has_scores_zero_and_one_and_topics_in_words(tmp_path):
    lines = "gun_control\tSimilar\tA.\tB.\ngun_control\tNot similar\tA.\tC.\n"
    path = write(tmp_path, "A.tsv", "topic\tlabel\tsentence1\tsentence2\n" + lines)
    rows = list(read_afs_binary([path]))
    assert [row["score"] for row in rows] == [1.0, 0.0]
    assert rows[0]["topic"] == "gun control"


def test_pairs_of_several_corpora_name_their_source(tmp_path):
    path = write(tmp_path, "a.tsv", f"{SOURCES}neutral\tA.\tB.\tmpe\n")
    (row,) = read_nli_source([path])
    assert row == {"label": 1, "sentence1": "A.", "sentence2": "B.", "source": "mpe"}


@pytest.mark.parametrize(
    ("reader", "file", "column", "values"),
    [
        (read_sick, "SICK/SICK_train.txt", "score", [1.0, 0.0]),  # 5 and 1 of 1 to 5
        (read_afs, "afs/ArgPairs_school_uniforms.csv", "topic", ["school uniforms"]),
    ],
)
def test_a_column_has_the_values_of_its_file(reader, file, column, values):
    assert [row[column] for row in reader([SMALL / file])] == values


# --- texts


def test_an_empty_line_of_a_two_file_task_is_a_row_as_senteval_counts_it(tmp_path):
    first, second = write(tmp_path, "a.pos", "fine\n\n"), write(tmp_path, "a.neg", "poor\n")
    rows = list(read_two_files([first, second]))
    assert rows == [
        {"text": "fine", "label": 1},
        {"text": "", "label": 1},
        {"text": "poor", "label": 0},
    ]


def test_two_file_tasks_are_latin_1_and_the_first_file_is_label_one():
    folder = SMALL / "senteval/MR"
    rows = list(read_two_files([folder / "rt-polarity.pos", folder / "rt-polarity.neg"]))
    assert [row["label"] for row in rows] == [1, 1, 0]
    assert "cliché" in rows[0]["text"]


def test_sst_has_the_label_behind_the_text():
    rows = list(read_sst([SMALL / "senteval/SST/binary/sentiment-train"]))
    assert rows == [{"text": "a quiet joy", "label": 1}, {"text": 'flat and "clever', "label": 0}]


def test_trec_is_latin_1_and_gives_the_coarse_class():
    rows = list(read_trec([SMALL / "senteval/TREC/train_5500.label"]))
    assert [row["label"] for row in rows] == [5, 4, 2]
    assert rows[1]["text"] == "Where is the café : north or south ?"


def test_mrpc_has_a_byte_order_mark_and_meaningless_quotes():
    path = SMALL / "senteval/MRPC/msr_paraphrase_train.txt"
    assert path.read_bytes().startswith(b"\xef\xbb\xbf")
    rows = list(read_mrpc([path]))
    assert [row["label"] for row in rows] == [1, 0]
    assert rows[0]["sentence1"] == '"We sail at dawn, she said.'


def test_quora_questions_may_hold_line_ends_and_quotes():
    rows = list(read_quora([SMALL / "quora/quora_duplicate_questions.tsv"]))
    assert [row["label"] for row in rows] == [1, 0, 0]
    assert rows[1]["sentence1"] == 'What does "keel" mean?\nIs it a boat part?'
    assert rows[2]["sentence1"] == 'What does a "keel" do?'
    assert rows[2]["sentence2"] == ""


def test_section_triplets_name_their_article_where_the_file_does(tmp_path):
    (row,) = read_section_triplets([SMALL / "wiki_sections/train.csv"])
    assert row == {
        "anchor": "The water is cold, even in July.",
        "positive": "It freezes in winter.",
        "negative": "A ferry was founded there.",
        "article": "Lake Ferrow",
    }
    bare = write(tmp_path, "bare.csv", "Sentence1,Sentence2,Sentence3\na,b,c\n")
    (row,) = read_section_triplets([bare])
    assert row["article"] is None


def test_tatoeba_keeps_whom_to_thank(tmp_path):
    path = write(tmp_path, "e.tsv", "It hums.\tsomeone #1\n")
    assert list(read_tatoeba([path])) == [{"text": "It hums.", "attribution": "someone #1"}]


def test_wikitext_paragraphs_leave_headings_out_and_join_numbers(tmp_path):
    headed = " \n = Lake Ferrow = \n \n It is 3 @.@ 1 km long . \n = = Geography = = \n"
    path = write(tmp_path, "wiki.valid.raw", headed + " A = b . \n = = odd = \n")
    rows = [row["text"] for row in read_paragraphs([path])]
    assert rows == ["It is 3.1 km long .", "A = b .", "= = odd ="]


# --- all of them


def test_a_gzipped_file_reads_like_the_plain_one(tmp_path):
    plain = SMALL / "stsbenchmark/sts-test.csv"
    packed = write(tmp_path, "sts-test.csv.gz", gzip.compress(plain.read_bytes()))
    assert list(read_stsb([packed])) == list(read_stsb([plain]))


NLI = '{"gold_label": "neutral", "sentence1": "One.", "sentence2": "Two."}\n'
STSB = "a\tb\tc\td\t1.0\tOne.\tTwo.\n"
SICK = "pair_ID\tsentence_A\tsentence_B\trelatedness_score\tentailment_judgment\n"
SOURCES = "label\tsentence1\tsentence2\tsource\n"
QUORA = "id\tqid1\tqid2\tquestion1\tquestion2\tis_duplicate\n"
CUT = gzip.compress(STSB.encode())[:-10]


@pytest.mark.parametrize(
    ("reader", "contents", "problem"),
    [
        (read_nli, [NLI + "{broken\n"], "input.0, line 2: .*not JSON"),
        (read_nli, [NLI + "[1, 2]\n"], "input.0, line 2: .*no text under"),
        (read_nli, [NLI + NLI.replace("sentence2", "other")], "input.0, line 2: .*'sentence2'"),
        (read_nli, [NLI + NLI.replace("neutral", "maybe")], "input.0, line 2: .*label 'maybe'"),
        (read_nli_source, [f"{SOURCES}maybe\tA.\tB.\tmpe\n"], "input.0, line 2: label 'maybe'"),
        (read_stsb, [STSB + "a\tb\tc\td\t2.0\tonly one\n"], "input.0, line 2: .*6 fields"),
        (read_stsb, [STSB + STSB.replace("1.0", "high")], "line 2: .*'high' is not a number"),
        (read_stsb, [STSB + STSB.replace("1.0", "5.2")], "line 2: .*outside 0 to 5"),
        (read_stsb, [STSB + STSB.replace("1.0", "nan")], "line 2: .*outside 0 to 5"),
        (read_sts, ["a\tb\nc\td\n", "1.0\n"], "has 2 lines but .* has 1"),
        (read_sts, ["a\tb\nonly one\n", "1.0\n2.0\n"], "input.0, line 2: one sentence"),
        (read_sick, [f"{SICK}1\tOne\tTwo\t0.5\tNEUTRAL\n"], "line 2: score 0.5 is outside 1 to 5"),
        (read_trec, ["NUM:count How many ?\nODD:one What ?\n"], "input.0, line 2: label 'ODD'"),
        (read_quora, [f"{QUORA}0\t1\t2\tWhy?\t1\n"], "line 2: 5 fields where the header has 6"),
        (read_quora, ["id\tquestion1\tis_duplicate\n"], "line 1: no column question2"),
        (read_stsb, [CUT], r"input.0.gz: not a complete gzip file"),
        (read_tatoeba, [b"fine\tone\nna\xefve\ttwo\n"], "input.0, line 2: not utf-8"),
    ],
)
def test_what_cannot_be_read_is_an_error_that_names_the_place(tmp_path, reader, contents, problem):
    packed = ".gz" if contents == [CUT] else ""
    paths = [write(tmp_path, f"x.input.{i}{packed}", content) for i, content in enumerate(contents)]
    with pytest.raises(DataError, match=problem):
        list(reader(paths))
