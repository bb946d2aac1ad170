"""What the tests share: tiny random backbones, made on the fly, and a place to work in."""

import os
import sys
from pathlib import Path

os.environ.setdefault("TOKENIZERS_PARALLELISM", "false")
os.environ.setdefault("HF_HUB_OFFLINE", "1")

import pytest

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "data" / "build"))

WORDS = (
    "a the dog cat bird man woman runs sleeps sings on in under over house tree river red big not"
)


def make_tokenizer(kind: str):
    """A word-level-like fast tokenizer with BERT's or RoBERTa's special tokens."""
    from tokenizers import Tokenizer, models, normalizers, pre_tokenizers, processors
    from transformers import PreTrainedTokenizerFast

    if kind == "bert":
        special = {"pad": "[PAD]", "unk": "[UNK]", "cls": "[CLS]", "sep": "[SEP]", "mask": "[MASK]"}
    else:
        special = {"pad": "<pad>", "unk": "<unk>", "cls": "<s>", "sep": "</s>", "mask": "<mask>"}
    letters = "abcdefghijklmnopqrstuvwxyz0123456789.,!?'"
    pieces = [*special.values(), *WORDS.split(), *letters, *("##" + x for x in letters)]
    vocabulary = {piece: number for number, piece in enumerate(dict.fromkeys(pieces))}
    tokenizer = Tokenizer(models.WordPiece(vocabulary, unk_token=special["unk"]))
    tokenizer.normalizer = normalizers.BertNormalizer(lowercase=True)
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    first, last = special["cls"], special["sep"]
    second = f"$B:1 {last}:1" if kind == "bert" else f"{last} $B {last}"
    tokenizer.post_processor = processors.TemplateProcessing(
        single=f"{first} $A {last}",
        pair=f"{first} $A {last} {second}",
        special_tokens=[(first, vocabulary[first]), (last, vocabulary[last])],
    )
    names = {f"{key}_token": value for key, value in special.items()}
    if kind == "roberta":
        names |= {"bos_token": first, "eos_token": last}
        names["model_input_names"] = ["input_ids", "attention_mask"]
    return PreTrainedTokenizerFast(tokenizer_object=tokenizer, model_max_length=32, **names)


def make_backbone(kind: str, tokenizer, *, dropout: float = 0.1, width: int = 32):
    """A random two-layer model."""
    import torch
    from transformers import BertConfig, BertModel, RobertaConfig, RobertaModel

    torch.manual_seed(0)
    shape = {
        "vocab_size": len(tokenizer),
        "hidden_size": width,
        "num_hidden_layers": 2,
        "num_attention_heads": 2,
        "intermediate_size": 64,
        "hidden_dropout_prob": dropout,
        "attention_probs_dropout_prob": dropout,
        "pad_token_id": tokenizer.pad_token_id,
        "initializer_range": 0.2,
    }
    if kind == "bert":
        return BertModel(BertConfig(max_position_embeddings=32, **shape))
    positions = 32 + tokenizer.pad_token_id + 1
    return RobertaModel(
        RobertaConfig(max_position_embeddings=positions, type_vocab_size=1, **shape)
    )


def expect(line: str, check, /, *answers, **given) -> None:
    """The check says "correct" or "not attempted yet" exactly, or a hint with these words in it."""
    from sbert_lab.course.diagnose import CORRECT, NOT_ATTEMPTED, NOT_THERE_YET, verdict_of

    found = verdict_of(check, *answers, **given)
    if line in (CORRECT, NOT_ATTEMPTED):
        assert found == line
    else:
        assert found.startswith(NOT_THERE_YET)
        assert line in found


def words_encode(sentences):
    """A vector per word, weighted by its place: rough, but not random, and hardly any ties."""
    import numpy as np

    result = np.zeros((len(sentences), 16))
    for row, sentence in enumerate(sentences):
        for place, word in enumerate(sentence.split()):
            letters = [ord(letter) for letter in word]
            result[row] += np.random.default_rng(letters).normal(size=16) * (1 + place / 10)
    return result


def make_pairs(count: int = 60, *, seed: int = 1, subsets: str = "ab") -> list[dict]:
    """Scored pairs of six words; the more words they share, the higher the score."""
    import numpy as np

    rng = np.random.default_rng(seed)
    words = ["dog", "cat", "man", "woman", "runs", "sleeps", "sings", "house", "tree", "river"]
    rows = []
    for number in range(count):
        first, changed = list(rng.choice(words, size=6)), 1 + number % 6
        second = [*first[changed:], *rng.choice(words, size=changed)]
        row = {"sentence1": " ".join(first), "sentence2": " ".join(second)}
        named = {"subset": subsets[number % len(subsets)]} if subsets else {}
        rows.append({**row, "score": 1 - changed / 6, **named})
    return rows


def make_results(number: int, answers, gold=(), *, scores=(), profile: str = "mini"):
    """A recorded table from arrays: answers[row, key] is (N,) or (seeds, N), scores[row, key] a
    number (50 where it is not given)."""
    import numpy as np

    from sbert_lab.experiments.results import Results

    arrays = {f"gold/{key}": values for key, values in dict(gold).items()}
    given, rows = dict(scores), {}
    for row, key in (*dict(answers), *given):
        about = {"kind": "system", "note": "", "paper": None, "seeds": {}}
        runs = np.atleast_2d(answers[row, key]) if (row, key) in answers else [None]
        for seed, values in enumerate(runs, start=1):
            run = rows.setdefault(row, about)["seeds"].setdefault(str(seed), {"info": {}})
            run.setdefault("scores", {})[key] = given.get((row, key), 50.0)
            if values is not None:
                arrays[f"{row}/{seed}/{key}"] = values
    content = {"table": number, "profile": profile, "about": {}, "rows": rows}
    return Results(content, arrays, Path(f"table{number}.json"))


def verdicts(differences) -> dict[str, str]:
    """Claim -> verdict, each by its own rule: what a table's claims() gave, judged."""
    from sbert_lab.experiments.paper import judge

    return {id: judge(id, difference=d, profile="mini").verdict for id, d in differences.items()}


def noisy(gold, noise: float, seed: int, runs: int = 1):
    """A system that sees the gold scores through noise: (runs, N)."""
    import numpy as np

    return gold + noise * np.random.default_rng(seed).normal(size=(runs, len(gold)))


@pytest.fixture(scope="session")
def loopback() -> None:
    """Kernels, servers and process groups talk over 127.0.0.1: skip where even that is down."""
    import socket

    try:
        with socket.create_server(("127.0.0.1", 0)) as server:
            socket.create_connection(server.getsockname(), timeout=5).close()
    except OSError as error:
        pytest.skip(f"no loopback interface here ({error})")


@pytest.fixture(scope="session")
def tiny_folders(tmp_path_factory) -> dict[str, Path]:
    """Saved tiny backbones, one BERT-like and one RoBERTa-like."""
    folders = {}
    for kind in ("bert", "roberta"):
        folder = tmp_path_factory.mktemp(kind)
        tokenizer = make_tokenizer(kind)
        make_backbone(kind, tokenizer).save_pretrained(folder)
        tokenizer.save_pretrained(folder)
        folders[kind] = folder
    return folders


@pytest.fixture
def tiny_bert(tiny_folders) -> Path:
    return tiny_folders["bert"]


@pytest.fixture
def encoder(tiny_bert):
    from sbert_lab.encoder import SentenceEncoder

    return SentenceEncoder.load(tiny_bert)


@pytest.fixture
def sentences() -> list[str]:
    return [
        "The dog runs.",
        "A big red bird sings in the tree, not under the house!",
        "",
        "A man sleeps.",
        "The woman sings on the river while the cat runs over the bridge and the dog barks.",
        "cat",
        "The dog runs.",
    ]


@pytest.fixture
def pair_rows() -> list[dict]:
    """Sixteen little pairs with labels, scores and triplet columns."""
    words = WORDS.split()
    rows = []
    for i in range(16):
        a = f"the {words[2 + i % 5]} {words[7 + i % 3]}"
        b = f"a {words[2 + (i * 3) % 5]} {words[7 + (i * 2) % 3]} in the {words[14 + i % 3]}"
        c = f"not the {words[2 + (i * 2 + 1) % 5]}"
        rows.append(
            {
                "sentence1": a,
                "sentence2": b,
                "label": i % 3,
                "score": (i % 6) / 5,
                "anchor": a,
                "positive": b,
                "negative": c,
            }
        )
    return rows
