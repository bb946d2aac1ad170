"""The systems of the paper's tables, as recipes."""

from sbert_lab.experiments.zoo.recipes import Recipe, register

_NLI = {"corpus": "nli", "settings": "train"}
_STS = {"corpus": "stsb", "settings": "sts", "objective": "regression"}
_SECTIONS = {"corpus": "wiki_sections", "settings": "sections", "objective": "triplet"}
_WORDS = {"builder": "words", "settings": "words", "start": "words"}
_BILSTM = {**_WORDS, "network": "bilstm", "pooling": "max"}
_AVERAGING = {**_WORDS, "network": "averaging"}
_WORDS_NLI = {"corpus": "nli", "concatenation": "(u, v, |u-v|, u*v)"}
_ALIKE = {"corpus": "questions-forum", "objective": "in-batch negatives"}

SYSTEMS = (
    Recipe(name="sbert-nli", **_NLI),
    Recipe(name="sbert-stsb", **_STS),
    Recipe(name="sbert-nli-stsb", start="sbert-nli", **_STS),
    Recipe(name="sbert-sections", **_SECTIONS),
    Recipe(name="sroberta-nli", start="roberta", **_NLI),
    Recipe(name="sroberta-stsb", start="roberta", **_STS),
    Recipe(name="sroberta-nli-stsb", start="sroberta-nli", **_STS),
    Recipe(name="sroberta-sections", start="roberta", **_SECTIONS),
    Recipe(name="cross-nli", builder="cross", **_NLI),
    Recipe(name="cross-stsb", builder="cross", **_STS),
    Recipe(name="cross-nli-stsb", start="cross-nli", builder="cross", **_STS),
    # floors: what is left when the labels, or the pretraining, mean nothing
    Recipe(
        name="sbert-nli-shuffled",
        shuffled=True,
        note="as sbert-nli, but each pair has the label of another pair",
        **_NLI,
    ),
    Recipe(
        name="sbert-nli-random",
        start="random",
        note="as sbert-nli, but from random weights instead of a pretrained backbone",
        **_NLI,
    ),
    # systems without a BERT in them
    Recipe(
        name="infersent-nli",
        note="InferSent: BiLSTM 2 x 128, max pooling, NLI softmax, frozen word vectors",
        **_BILSTM,
        **_WORDS_NLI,
    ),
    Recipe(
        name="infersent-nli-mean",
        note="InferSent with mean pooling: BiLSTM 2 x 128, NLI softmax, frozen word vectors",
        **{**_BILSTM, "pooling": "mean"},
        **_WORDS_NLI,
    ),
    Recipe(
        name="use-nli",
        note="Universal Sentence Encoder's deep averaging net, trained on NLI alone",
        **_AVERAGING,
        **_WORDS_NLI,
    ),
    Recipe(
        name="use-forum",
        note="deep averaging net; in-batch negatives on duplicate questions and like arguments",
        **_AVERAGING,
        **_ALIKE,
    ),
    Recipe(
        name="use-nli-forum",
        note="deep averaging net; questions and arguments first, then NLI",
        **{**_AVERAGING, "start": "use-forum"},
        **_WORDS_NLI,
    ),
    Recipe(
        name="dor-sections",
        note="Dor et al.: BiLSTM 2 x 128, max pooling, triplet loss on section triplets",
        corpus="wiki_sections",
        objective="triplet",
        **_BILSTM,
    ),
    Recipe(
        name="skip-thoughts",
        note="skip-thoughts' idea: BiLSTM 2 x 128, in-batch negatives on neighbouring sentences",
        version=2,
        corpus="neighbours",
        objective="in-batch negatives",
        **_BILSTM,
    ),
)

for _recipe in SYSTEMS:
    register(_recipe)
