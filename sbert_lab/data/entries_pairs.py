"""Registry entries: inference pairs, argument pairs, question pairs, section triplets."""

from sbert_lab.data.corpus import PAIR_LABEL, PAIR_SCORE, TRIPLET, Corpus, HubTable, Layout

NLI_LABELS = ("entailment", "neutral", "contradiction")

SNLI = Corpus(
    name="snli",
    title="Stanford Natural Language Inference",
    columns=PAIR_LABEL,
    labels=NLI_LABELS,
    splits={"train": 549_367, "dev": 9_842, "test": 9_824},
    reader="nli",
    layouts=(
        Layout("snli", {s: (f"snli_1.0_{s}.jsonl",) for s in ("train", "dev", "test")}),
        Layout("snli_1.0", {s: (f"snli_1.0_{s}.jsonl",) for s in ("train", "dev", "test")}),
    ),
    hub=HubTable(
        id="stanfordnlp/snli",
        config="plain_text",
        revision="cdb5c3d5eed6ead6e5a341c8e56e669bb666725b",
        splits={"train": "train", "dev": "validation", "test": "test"},
        columns={"sentence1": "premise", "sentence2": "hypothesis", "label": "label"},
    ),
    licence="CC BY-SA 4.0",
    citation="Bowman et al. 2015, A large annotated corpus for learning natural language inference",
    note="Rows without a gold label ('-' in the files, -1 on the hub) are dropped: the counts are "
    "what is left of 550,152, 10,000 and 10,000.",
)

MULTINLI = Corpus(
    name="multinli",
    title="Multi-Genre Natural Language Inference",
    columns=(*PAIR_LABEL, "genre"),
    labels=NLI_LABELS,
    splits={"train": 392_702, "dev": 9_815, "test": 9_832},
    reader="nli_genre",
    layouts=tuple(
        Layout(
            folder,
            {
                "train": ("multinli_1.0_train.jsonl",),
                "dev": ("multinli_1.0_dev_matched.jsonl",),
                "test": ("multinli_1.0_dev_mismatched.jsonl",),
            },
        )
        for folder in ("multinli", "multinli_1.0")
    ),
    hub=HubTable(
        id="nyu-mll/multi_nli",
        revision="da70db2af9d09693783c3320c4249840212ee221",
        splits={
            "train": "train",
            "dev": "validation_matched",
            "test": "validation_mismatched",
        },
        columns={
            "sentence1": "premise",
            "sentence2": "hypothesis",
            "label": "label",
            "genre": "genre",
        },
        size_mb=220,
    ),
    licence="mixed: OANC, CC BY 3.0, CC BY-SA 3.0, MIT (free to use)",
    citation="Williams et al. 2018, A broad-coverage challenge corpus for sentence understanding",
    note="Its test labels were never published: dev is the matched and test the mismatched "
    "development set, as in AllNLI.",
)

NLI = Corpus(
    name="nli",
    title="SNLI and MultiNLI together",
    columns=PAIR_LABEL,
    labels=NLI_LABELS,
    splits={split: SNLI.splits[split] + MULTINLI.splits[split] for split in SNLI.splits},
    parts=("snli", "multinli"),
    licence="as snli and multinli",
    citation="Bowman et al. 2015; Williams et al. 2018",
    note="SNLI first, then MultiNLI: shuffle before training.",
)

AFS = Corpus(
    name="afs",
    title="Argument Facet Similarity",
    columns=(*PAIR_SCORE, "topic"),
    splits={"all": 6_000},
    reader="afs",
    layouts=tuple(
        Layout(folder, {"all": ("ArgPairs_*.csv",)}) for folder in ("afs", "AFS", "ArgPairs")
    ),
    homepage="https://nlds.soe.ucsc.edu/node/44",
    licence="not stated by its authors",
    citation="Misra et al. 2016, Measuring the similarity of sentential arguments in dialogue",
    note="No copy with scores is on the hub: fetch it by hand. ukp_aspect is the nearest stand-in.",
)

WIKI_SECTIONS = Corpus(
    name="wiki_sections",
    title="Wikipedia section triplets",
    columns=(*TRIPLET, "article"),
    splits={"train": 1_779_417, "dev": 220_400, "test": 222_957},
    reader="wiki_sections",
    layouts=tuple(
        Layout(folder, {"train": ("train.csv",), "dev": ("validation.csv",), "test": ("test.csv",)})
        for folder in ("wiki_sections", "wikipedia-sections-triplets")
    ),
    hub=HubTable(
        id="sentence-transformers/wikipedia-sections",
        config="triplet",
        revision="576bb61f0fc9ebc728b742f91bd5c81cb7d92c71",
        splits={"train": "train", "dev": "validation", "test": "test"},
        columns={"anchor": "anchor", "positive": "positive", "negative": "negative"},
        size_mb=500,
    ),
    licence="text of Wikipedia: CC BY-SA",
    citation="Ein Dor et al. 2018, Learning thematic similarity metric using triplet networks",
    note="The hub's copy does not name the articles: there the column article is empty.",
)

QUORA = Corpus(
    name="quora",
    title="Quora question pairs",
    columns=PAIR_LABEL,
    labels=("different", "duplicate"),
    splits={"train": 404_290},
    reader="quora",
    layouts=(Layout("quora", {"train": ("quora_duplicate_questions.tsv",)}),),
    hub=HubTable(
        id="sentence-transformers/quora-duplicates",
        config="pair-class",
        revision="451a4850bd141edb44ade1b5828c259abd762cdb",
        splits={"train": "train"},
        columns={"sentence1": "sentence1", "sentence2": "sentence2", "label": "label"},
    ),
    licence="Quora's terms of use (non-commercial)",
    citation="Iyer, Dandekar, Csernai 2017, First Quora dataset release: question pairs",
    note="One split; a few pairs have an empty question.",
)

PAIRS = (SNLI, MULTINLI, NLI, AFS, WIKI_SECTIONS, QUORA)
