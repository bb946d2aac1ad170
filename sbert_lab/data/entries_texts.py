"""Registry entries: SentEval's seven transfer tasks, and the extra corpora."""

from sbert_lab.data.corpus import PAIR_LABEL, PAIR_SCORE, TEXT_LABEL, Corpus, Layout
from sbert_lab.data.entries_pairs import NLI_LABELS
from sbert_lab.data.entries_sts import SENTEVAL_TAR

TREC_LABELS = ("ABBR", "DESC", "ENTY", "HUM", "LOC", "NUM")


def _senteval_layouts(folder: str, files: dict[str, tuple[str, ...]]) -> tuple[Layout, ...]:
    """SentEval's downstream folder: as ours, as theirs, or its content alone."""
    return tuple(Layout(f"{top}{folder}", files) for top in ("senteval/", "downstream/", ""))


def _two_files(name: str, title: str, rows: int, **described: object) -> Corpus:
    """A task of two files: the first holds label 1, the second label 0."""
    folder = name.upper()
    return Corpus(
        name=name,
        title=title,
        columns=TEXT_LABEL,
        splits={"all": rows},
        reader="two_files",
        layouts=_senteval_layouts(folder, {"all": described.pop("files")}),
        hub=SENTEVAL_TAR,
        licence="not stated",
        **described,
    )


TEXTS = (
    _two_files(
        "mr",
        "Movie reviews: positive or negative",
        10_662,
        files=("rt-polarity.pos", "rt-polarity.neg"),
        labels=("negative", "positive"),
        citation="Pang and Lee 2005, Seeing stars",
    ),
    _two_files(
        "cr",
        "Customer reviews: positive or negative",
        3_775,
        files=("custrev.pos", "custrev.neg"),
        labels=("negative", "positive"),
        citation="Hu and Liu 2004, Mining and summarizing customer reviews",
    ),
    _two_files(
        "subj",
        "Subjective opinion or objective plot summary",
        10_000,
        files=("subj.subjective", "subj.objective"),
        labels=("objective", "subjective"),
        citation="Pang and Lee 2004, A sentimental education",
        note="SentEval itself calls objective 1; accuracy is the same either way.",
    ),
    _two_files(
        "mpqa",
        "Opinion phrases: positive or negative",
        10_606,
        files=("mpqa.pos", "mpqa.neg"),
        labels=("negative", "positive"),
        citation="Wiebe et al. 2005, Annotating expressions of opinions and emotions in language",
    ),
    Corpus(
        name="sst",
        title="Stanford Sentiment Treebank, binary",
        columns=TEXT_LABEL,
        labels=("negative", "positive"),
        splits={"train": 67_349, "dev": 872, "test": 1_821},
        reader="sst",
        layouts=_senteval_layouts(
            "SST/binary", {s: (f"sentiment-{s}",) for s in ("train", "dev", "test")}
        ),
        hub=SENTEVAL_TAR,
        licence="not stated",
        citation="Socher et al. 2013, Recursive deep models for semantic compositionality",
        note="SentEval's version: the training set holds phrases as well as sentences.",
    ),
    Corpus(
        name="trec",
        title="TREC question types",
        columns=TEXT_LABEL,
        labels=TREC_LABELS,
        splits={"train": 5_452, "test": 500},
        reader="trec",
        layouts=_senteval_layouts(
            "TREC", {"train": ("train_5500.label",), "test": ("TREC_10.label",)}
        ),
        hub=SENTEVAL_TAR,
        licence="not stated",
        citation="Li and Roth 2002, Learning question classifiers",
        note="The six coarse classes, in SentEval's order. No dev split.",
    ),
    Corpus(
        name="mrpc",
        title="Microsoft Research Paraphrase Corpus",
        columns=PAIR_LABEL,
        labels=("different", "paraphrase"),
        splits={"train": 4_076, "test": 1_725},
        reader="mrpc",
        layouts=_senteval_layouts(
            "MRPC", {s: (f"msr_paraphrase_{s}.txt",) for s in ("train", "test")}
        ),
        hub=SENTEVAL_TAR,
        licence="Microsoft Research licence (non-commercial)",
        citation="Dolan et al. 2004, Unsupervised construction of large paraphrase corpora",
        note="No dev split: GLUE's 408 development pairs are part of these 4,076.",
    ),
)

EXTRAS = (
    Corpus(
        name="afs_binary",
        title="Argument Facet Similarity, scores reduced to similar or not",
        columns=(*PAIR_SCORE, "topic"),
        splits={"all": 6_000},
        reader="afs_binary",
        layouts=(Layout("afs_binary", {"all": ("afs_binary.tsv",)}),),
        in_mini=False,
        licence="not stated by its authors",
        citation="Misra et al. 2016, Measuring the similarity of sentential arguments in dialogue",
        note="The sentences of afs on its three topics; the score is 0 or 1, not 0 to 5.",
    ),
    Corpus(
        name="more_nli",
        title="Other inference pairs: LingNLI, saNLI (wiki), ConjNLI, MPE, JOCI, SciTail",
        columns=(*PAIR_LABEL, "source"),
        labels=NLI_LABELS,
        splits={"train": 98_085},
        reader="nli_source",
        layouts=(Layout("more_nli", {"train": ("more_nli.tsv",)}),),
        in_mini=False,
        licence="as the six corpora",
        citation="Parrish et al. 2021; Saha et al. 2020; Lai et al. 2017; Zhang et al. 2017; "
        "Khot et al. 2018",
        note="Labels of uneven quality: for trials, never for a row called SNLI or MultiNLI.",
    ),
    Corpus(
        name="ukp_aspect",
        title="UKP ASPECT: argument pairs on 28 topics",
        columns=(*PAIR_SCORE, "topic"),
        splits={"all": 3_595},
        reader="ukp_aspect",
        layouts=(Layout("ukp_aspect", {"all": ("UKP_ASPECT.tsv",)}),),
        in_mini=False,
        licence="CC BY-NC",
        citation="Reimers et al. 2019, Classification and clustering of arguments",
        note="Stands in for afs. Labels become scores: DTORCD and NS 0, SS 0.5, HS 1.",
    ),
    Corpus(
        name="tatoeba",
        title="Short English sentences with their authors",
        columns=("text", "attribution"),
        splits={"all": 191_460},
        reader="tatoeba",
        layouts=(Layout("tatoeba", {"all": ("eng_sentences.tsv",)}),),
        in_mini=False,
        licence="CC BY 2.0 FR",
        citation="tatoeba.org",
    ),
    Corpus(
        name="wikitext2",
        title="WikiText-2 raw: paragraphs of Wikipedia articles",
        columns=("text",),
        splits={"train": 17_556, "dev": 1_841, "test": 2_185},
        reader="wikitext",
        layouts=tuple(
            Layout(
                folder,
                {
                    "train": ("wiki.train.raw",),
                    "dev": ("wiki.valid.raw",),
                    "test": ("wiki.test.raw",),
                },
            )
            for folder in ("wikitext2", "wikitext-2-raw")
        ),
        in_mini=False,
        licence="CC BY-SA",
        citation="Merity et al. 2017, Pointer sentinel mixture models",
        note="Counts are paragraphs; headings are left out. data.section_triplets reads them.",
    ),
)
