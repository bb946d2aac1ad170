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


@pytest.mark.parametrize(
    ("line", "problem"),
    [
        ("{broken", "not JSON"),
        ("[1, 2]", "no text under"),
        ('{"gold_label": "neutral", "sentence1": "One."}', "'sentence2'"),
        ('{"gold_label": "maybe", "sentence1": "One.", "sentence2": "Two."}', "label 'maybe'"),
    ],
)
def test_a_broken_nli_line_names_file_and_line(tmp_path, line, problem):
    good = '{"gold_label": "neutral", "sentence1": "One.", "sentence2": "Two."}\n'
    path = write(tmp_path, "snli.jsonl", good + line + "\n")
    with pytest.raises(DataError, match=rf"snli\.jsonl, line 2: .*{problem}"):
        list(read_nli([path]))


# --- scored pairs


def test_stsb_quotes_are_plain_characters_and_more_fields_are_ignored():
    rows = list(read_stsb([SMALL / "stsbenchmark/sts-train.csv"]))
    assert rows[1] == {
        "sentence1": '"Stop, said the warden.',
        "sentence2": '"Go," said the warden.',
        "score": 0.5,
    }
    assert [row["score"] for row in rows] == [1.0, 0.5, 0.0]


@pytest.mark.parametrize(
    ("line", "problem"),
    [
        ("a\tb\tc\td\t2.0\tonly one sentence", "6 fields"),
        ("a\tb\tc\td\thigh\tOne.\tTwo.", "'high' is not a number"),
        ("a\tb\tc\td\t5.2\tOne.\tTwo.", "outside 0 to 5"),
        ("a\tb\tc\td\tnan\tOne.\tTwo.", "outside 0 to 5"),
    ],
)
def test_a_broken_stsb_line_names_file_and_line(tmp_path, line, problem):
    path = write(tmp_path, "sts-dev.csv", f"a\tb\tc\td\t1.0\tOne.\tTwo.\n{line}\n")
    with pytest.raises(DataError, match=rf"sts-dev\.csv, line 2: .*{problem}"):
        list(read_stsb([path]))


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


def test_gold_and_input_of_different_lengths_are_an_error_with_both_counts(tmp_path):
    pairs = write(tmp_path, "STS.input.x.txt", "a\tb\nc\td\n")
    gold = write(tmp_path, "STS.gs.x.txt", "1.0\n")
    with pytest.raises(DataError, match="has 2 lines but .* has 1"):
        list(read_sts([pairs, gold]))


def test_a_pair_without_a_tab_names_file_and_line(tmp_path):
    pairs = write(tmp_path, "STS.input.x.txt", "a\tb\nonly one\n")
    gold = write(tmp_path, "STS.gs.x.txt", "1.0\n2.0\n")
    with pytest.raises(DataError, match=r"STS\.input\.x\.txt, line 2: one sentence"):
        list(read_sts([pairs, gold]))


def test_sick_relatedness_runs_from_one_to_five():
    rows = list(read_sick([SMALL / "SICK/SICK_train.txt"]))
    assert [row["score"] for row in rows] == [1.0, 0.0]


def test_a_sick_score_of_zero_is_an_error(tmp_path):
    header = "pair_ID\tsentence_A\tsentence_B\trelatedness_score\tentailment_judgment\n"
    path = write(tmp_path, "SICK_train.txt", header + "1\tOne\tTwo\t0.5\tNEUTRAL\n")
    with pytest.raises(DataError, match="line 2: score 0.5 is outside 1 to 5"):
        list(read_sick([path]))


def test_afs_is_latin_1_with_quoted_commas_and_a_topic_per_file():
    rows = list(read_afs([SMALL / "afs/ArgPairs_DP.csv", SMALL / "afs/ArgPairs_GC.csv"]))
    assert [row["score"] for row in rows] == [1.0, 0.0, 0.5]
    assert [row["topic"] for row in rows] == ["death penalty", "death penalty", "gun control"]
    assert rows[0]["sentence1"] == "Trials cost more, by far."
    assert rows[1]["sentence1"] == "It is a naïve view."
    assert rows[1]["sentence2"] == 'He said "wait" twice.'


def test_an_afs_file_of_another_topic_is_named_after_its_file():
    (row,) = read_afs([SMALL / "afs/ArgPairs_school_uniforms.csv"])
    assert row["topic"] == "school uniforms"


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


def test_pairs_of_several_corpora_name_their_source_and_a_wrong_label_its_line(tmp_path):
    header = "label\tsentence1\tsentence2\tsource\n"
    good = write(tmp_path, "good.tsv", header + "neutral\tA.\tB.\tmpe\n")
    assert list(read_nli_source([good])) == [
        {"label": 1, "sentence1": "A.", "sentence2": "B.", "source": "mpe"}
    ]
    bad = write(tmp_path, "bad.tsv", header + "maybe\tA.\tB.\tmpe\n")
    with pytest.raises(DataError, match="bad.tsv, line 2: label 'maybe'"):
        list(read_nli_source([bad]))


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


def test_a_trec_line_of_an_unknown_class_names_file_and_line(tmp_path):
    path = write(tmp_path, "t.label", "NUM:count How many ?\nODD:one What ?\n")
    with pytest.raises(DataError, match=r"t\.label, line 2: label 'ODD'"):
        list(read_trec([path]))


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


def test_a_quora_row_with_a_missing_field_names_file_and_line(tmp_path):
    header = "id\tqid1\tqid2\tquestion1\tquestion2\tis_duplicate\n"
    path = write(tmp_path, "q.tsv", header + "0\t1\t2\tWhy?\t1\n")
    with pytest.raises(DataError, match=r"q\.tsv, line 2: 5 fields where the header has 6"):
        list(read_quora([path]))


def test_a_header_without_a_needed_column_says_which(tmp_path):
    path = write(tmp_path, "q.tsv", "id\tquestion1\tis_duplicate\n")
    with pytest.raises(DataError, match="line 1: no column question2"):
        list(read_quora([path]))


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


def test_a_truncated_gzip_file_is_an_error_that_names_it(tmp_path):
    packed = gzip.compress((SMALL / "stsbenchmark/sts-test.csv").read_bytes())
    path = write(tmp_path, "cut.csv.gz", packed[:-10])
    with pytest.raises(DataError, match=r"cut\.csv\.gz: not a complete gzip file"):
        list(read_stsb([path]))


def test_bytes_that_are_not_utf_8_name_file_and_line(tmp_path):
    path = write(tmp_path, "e.tsv", b"fine\tone\nna\xefve\ttwo\n")
    with pytest.raises(DataError, match=r"e\.tsv, line 2: not utf-8"):
        list(read_tatoeba([path]))
