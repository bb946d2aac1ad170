"""Every system of the tables, once: what it is called, what the paper calls it, how it is made.

    systems.get_system("raw-mean").name        # "raw BERT MEAN", in every table and figure
    building.build("raw-mean", profile, seed)  # something with encode() or predict()

Adding a system is one line of SYSTEMS; a trained one has its recipe there. Tables name their rows
by id. `how` is a key of building.MAKERS, `of` says what it is made of. `kind` and `paper` are what
a row usually is; a table may say otherwise, for example that a system stands beside its own rows.
"""

from dataclasses import dataclass

from sbert_lab.errors import require_choice
from sbert_lab.experiments.recipes import Recipe, register

TABLE = "table"  # how: the table makes it itself, from its own texts or batches


@dataclass(frozen=True)
class System:
    """One system. `pooling` is for models, `recipe` for what the zoo trains."""

    id: str
    name: str
    how: str
    of: str = ""
    pooling: str | None = None
    paper: str | None = None
    kind: str = "system"
    note: str = ""
    recipe: Recipe | None = None

    @property
    def trained(self) -> bool:
        """Whether its seeds differ in what they learned."""
        return self.recipe is not None or self.how == "MiniLM recipe"


def _zoo(id: str, name: str, paper: str | None, note: str, kind: str = "system", **recipe):
    """A system that the zoo trains."""
    recipe = Recipe(name=id, **recipe)
    return System(id, name, "recipe", paper=paper, note=note, kind=kind, recipe=recipe)


_NLI = {"corpus": "nli", "settings": "train"}
_STS = {"corpus": "stsb", "settings": "sts", "objective": "regression"}
_SECTIONS = {"corpus": "wiki_sections", "settings": "sections", "objective": "triplet"}
_CROSS = {"builder": "cross"}
_WORDS = {"builder": "words", "settings": "words", "start": "words"}
_BILSTM = {**_WORDS, "network": "bilstm", "pooling": "max"}
_AVERAGING = {**_WORDS, "network": "averaging"}
_WORDS_NLI = {"corpus": "nli", "concatenation": "(u, v, |u-v|, u*v)"}
_ALIKE = {"objective": "in-batch negatives"}

_GLOVE, _BERT, _USE = "Avg. GloVe embeddings", "Avg. BERT embeddings", "Universal Sentence Encoder"
_OURS, _THEIRS = "of our own, from the backbone's pretraining text", "vectors of the local copy"
_RAW, _AS_NLI, _AS_STS = "the backbone as pretrained", "as SBERT-NLI", "as SBERT-STSb"
_EXTRA, _FLOOR = {"kind": "extra"}, {"kind": "floor"}

# fmt: off
SYSTEMS = (
    # averaged words
    System("word-vectors", "averaged word vectors", "words", "word-vectors", paper=_GLOVE,
           note=_OURS),
    System("word-vectors-content", "averaged word vectors, no stop words", "content words",
           "word-vectors", note=_OURS, **_EXTRA),
    System("subword-vectors", "subword vectors", "words", "subword-vectors",
           paper="Avg. fast-text embeddings", note=f"with n-grams of letters; {_OURS}"),
    System("glove", "GloVe vectors", "words", "glove", paper=_GLOVE, note=_THEIRS),
    System("glove-content", "GloVe vectors, no stop words", "content words", "glove", note=_THEIRS,
           **_EXTRA),
    System("spacy-vectors", "spaCy vectors", "published", "spacy_words", **_EXTRA,
           note="en_core_web_md's 300 numbers, CC0: what our backbones' word embeddings began as"),
    System("tf-idf", "tf-idf", TABLE, paper="tf-idf",
           note="rare words weigh more; weights from the table's own texts, no labels"),

    # saved models
    System("raw-mean", "raw BERT MEAN", "model", "backbone", "mean", _BERT,
           note=f"{_RAW}, averaged"),
    System("raw-cls", "raw BERT CLS", "model", "backbone", "cls", "BERT CLS-vector",
           note=f"{_RAW}, first token"),
    System("raw-max", "raw BERT MAX", "model", "backbone", "max", note=f"{_RAW}, max over time",
           **_EXTRA),
    System("raw-roberta", "raw RoBERTa MEAN", "model", "roberta", "mean",
           note="the RoBERTa backbone as pretrained, averaged", **_EXTRA),
    System("mini-sbert", "mini-sbert", "model", "mini-sbert",
           note="mini-bert-2 taught by a larger encoder's vectors", **_EXTRA),
    System("minilm", "all-MiniLM-L6-v2", "wheel", "all-MiniLM-L6-v2", **_EXTRA,
           note="as published by others: 22 million parameters, over a billion training pairs"),

    System("use-v3", "Universal Sentence Encoder v3", "published", "universal_sentence_encoder",
           note="Google's multilingual model, newer than the paper's; its training data differ",
           **_EXTRA),

    # without a BERT, trained by the zoo
    _zoo("infersent-nli", "InferSent", "InferSent - GloVe", **_BILSTM, **_WORDS_NLI,
         note="BiLSTM 2 x 128, max over time, NLI softmax, frozen word vectors"),
    _zoo("infersent-nli-mean", "InferSent MEAN", None, **{**_BILSTM, "pooling": "mean"}, **_EXTRA,
         **_WORDS_NLI, note="as InferSent, but averaged over time"),
    _zoo("use-nli", "averaging net, NLI", _USE, **_AVERAGING, **_WORDS_NLI,
         note="deep averaging net, NLI softmax and nothing else"),
    _zoo("use-forum", "averaging net, questions", None, **_AVERAGING, **_ALIKE, **_EXTRA,
         corpus="questions-forum",
         note="deep averaging net; in-batch negatives on duplicate questions and like arguments"),
    _zoo("use-nli-forum", "averaging net, questions + NLI", _USE, **_WORDS_NLI,
         **{**_AVERAGING, "start": "use-forum"},
         note="deep averaging net; questions and forum arguments first, then NLI"),
    _zoo("dor-sections", "Dor et al.", "Dor et al.", corpus="wiki_sections", objective="triplet",
         **_BILSTM, note="BiLSTM 2 x 128, max over time, triplet loss on section triplets"),
    _zoo("skip-thoughts", "skip-thoughts", "skip-thoughts-CS", corpus="neighbours", version=2,
         **_BILSTM, **_ALIKE,
         note="BiLSTM 2 x 128; learned which sentences follow each other in running text"),

    # with a BERT, trained by the zoo
    _zoo("sbert-nli", "SBERT-NLI", "SBERT-NLI-base", **_NLI, note="NLI softmax, MEAN pooling"),
    _zoo("sroberta-nli", "SRoBERTa-NLI", "SRoBERTa-NLI-base", start="roberta", **_NLI,
         note=f"{_AS_NLI}, from the RoBERTa backbone"),
    _zoo("sbert-stsb", "SBERT-STSb", "SBERT-STSb-base", **_STS,
         note="cosine and squared error on STSb"),
    _zoo("sroberta-stsb", "SRoBERTa-STSb", "SRoBERTa-STSb-base", start="roberta", **_STS,
         note=f"{_AS_STS}, from the RoBERTa backbone"),
    _zoo("sbert-nli-stsb", "SBERT-NLI-STSb", "SBERT-NLI-STSb-base", start="sbert-nli", **_STS,
         note="first NLI, then STSb"),
    _zoo("sroberta-nli-stsb", "SRoBERTa-NLI-STSb", "SRoBERTa-NLI-STSb-base", **_STS,
         start="sroberta-nli", note="first NLI, then STSb, from the RoBERTa backbone"),
    _zoo("sbert-sections", "SBERT-WikiSec", "SBERT-WikiSec-base", **_SECTIONS,
         note="triplet loss, MEAN pooling"),
    _zoo("sroberta-sections", "SRoBERTa-WikiSec", "SRoBERTa-WikiSec-base", start="roberta",
         **_SECTIONS, note="as SBERT-WikiSec, from the RoBERTa backbone"),
    _zoo("cross-nli", "cross-encoder-NLI", None, **_CROSS, **_NLI, **_EXTRA,
         note="both sentences in one input, NLI softmax"),
    _zoo("cross-stsb", "cross-encoder-STSb", "BERT-STSb-base", **_CROSS, **_STS,
         note="both sentences in one input, squared error on STSb"),
    _zoo("cross-nli-stsb", "cross-encoder-NLI-STSb", "BERT-NLI-STSb-base", start="cross-nli",
         **_CROSS, **_STS, note="both sentences in one input, first NLI, then STSb"),
    System("sbert-stsb-minilm", "SBERT-STSb, MiniLM", "MiniLM recipe", "sbert-stsb", **_EXTRA,
           note=f"{_AS_STS}, from all-MiniLM-L6-v2, the paper's settings"),
    System("cross-stsb-minilm", "cross-encoder-STSb, MiniLM", "MiniLM recipe", "cross-stsb",
           note="as cross-encoder-STSb, from all-MiniLM-L6-v2, the paper's settings", **_EXTRA),

    # floors: what is left when the labels, or the pretraining, mean nothing
    System("random-weights", "random weights, untrained", "random", "backbone", "mean", **_FLOOR,
           note="the backbone's network with random weights, averaged"),
    _zoo("sbert-nli-shuffled", "SBERT-NLI, shuffled labels", None, shuffled=True, **_NLI, **_FLOOR,
         note=f"{_AS_NLI}, but each pair has the label of another pair"),
    _zoo("sbert-nli-random", "SBERT-NLI, random start", None, start="random", **_NLI, **_FLOOR,
         note=f"{_AS_NLI}, but from random weights instead of a pretrained backbone"),
    _zoo("sbert-stsb-shuffled", "SBERT-STSb, shuffled scores", None, shuffled=True, **_STS,
         **_FLOOR, note=f"{_AS_STS}, but each pair has the score of another pair"),
    _zoo("sbert-stsb-random", "SBERT-STSb, random start", None, start="random", **_STS, **_FLOOR,
         note=f"{_AS_STS}, but from random weights instead of a pretrained backbone"),
    System("constant", "constant vector", "constant", **_FLOOR,
           note="one vector for every sentence: nothing but ties"),

    # taught by Table 3 with the pairs of a fold: fit() and predict()
    System("svr", "SVR", "overlap", paper="SVR (Misra et al. 2016)",
           note="support vector regression on overlap; cannot remember a sentence"),
    System("bilstm-afs", "BiLSTM-AFS", "pairs", "bilstm", **_EXTRA,
           note="BiLSTM 2 x 128, max over time, cosine and squared error"),
    System("sbert-afs", "SBERT-AFS", "pairs", "sbert", paper="SBERT-AFS-base",
           note="cosine and squared error, MEAN pooling"),
    System("cross-afs", "cross-encoder-AFS", "pairs", "cross", paper="BERT-AFS-base",
           note="both sentences in one input, squared error"),
    System("lookup", "look-up table", "lookup", **_EXTRA,
           note="a free vector per sentence; cannot read a word"),
    System("sbert-afs-shuffled", "SBERT-AFS, shuffled scores", "shuffled pairs", "sbert", **_FLOOR,
           note="as SBERT-AFS, but each training pair has the score of another one"),

    # Table 4: cues that need no vectors, and what the table trains itself
    *(System(id, name, "cue", name, note=note, **_EXTRA) for id, name, note in (
        ("cue-overlap", "word overlap", "shared words among all words of both; no stop words"),
        ("cue-names", "shared names", "how many capitalised words both sentences have"),
        ("cue-length", "length", "the closer two sentences are in length, the larger"),
    )),
    System("sbert-sections-leaky", "SBERT-WikiSec, split by triplet", TABLE, **_EXTRA,
           note="tested on articles of its own training"),
    System("sbert-sections-shuffled", "SBERT-WikiSec, shuffled roles", TABLE, **_FLOOR,
           note="as SBERT-WikiSec, but a coin swaps positive and negative"),

    # Table 5: classifiers
    System("raw-tuned", "BERT, all layers tuned", TABLE, **_EXTRA,
           note="the backbone fine-tuned with a softmax head, task by task"),
    System("raw-mean-shuffled", "raw BERT MEAN, shuffled task labels", TABLE, **_FLOOR,
           note="as raw BERT MEAN, but the tasks' training labels are shuffled"),

    # Table 7: the same networks, but it matters how their batches are made
    System("infersent-untrained", "InferSent, untrained", TABLE, paper="InferSent",
           note="BiLSTM with max over time, sorted by length"),
    System("use-untrained", "averaging net, untrained", TABLE, paper=_USE,
           note="deep averaging net, sorted by length"),
    System("sbert-given-order", "SBERT, given order", TABLE, paper="SBERT-base",
           note="batches of 32 in file order, padded to their longest"),
    System("sbert-smart", "SBERT, smart batching", TABLE, paper="SBERT-base - smart batching",
           note="batches of 32, sorted by length first"),
    System("sbert-budget", "SBERT, token budget", TABLE, **_EXTRA,
           note="sorted, as many rows as fit a token budget: encoder.encode"),
    System("sbert-padded", "SBERT, padded to 128", TABLE, **_EXTRA,
           note="batches of 32, every sentence padded to 128 tokens"),
    System("sroberta-smart", "SRoBERTa, smart batching", TABLE, **_EXTRA,
           note="the RoBERTa backbone, batches of 32 sorted by length"),
    System("public-library", "sentence-transformers", TABLE, **_EXTRA,
           note="the public library on the same folder, batches of 32"),
    System("random-smart", "random weights, smart batching", TABLE, **_FLOOR,
           note="as SBERT with smart batching, but with random weights"),
)
# fmt: on

_BY_ID = {system.id: system for system in SYSTEMS}
for _system in SYSTEMS:
    if _system.recipe:
        register(_system.recipe)


def get_system(id: str) -> System:
    """The system of that id, or an error that lists the ids."""
    return _BY_ID[require_choice("system", id, _BY_ID)]


def name_of(id: str) -> str:
    """What a system is called in tables, figures and notebooks."""
    return get_system(id).name
