import numpy as np
import pytest
import torch
from torch import nn

from sbert_lab.errors import CheckpointError, InputError
from sbert_lab.profiles import TrainConfig
from sbert_lab.tasks import Siamese
from sbert_lab.training import train
from sbert_lab.word_encoder import UNKNOWN, WordEncoder
from sbert_lab.word_vectors import WordVectors
from sbert_lab.words import split_words

KINDS = [
    {"network": "bilstm", "pooling": "max"},
    {"network": "bilstm", "pooling": "mean"},
    {"network": "averaging", "word_dropout": 0.3},
]
SOME = "a the dog cat bird man runs sleeps sings on in under house tree river red big not"
WORDS = SOME.split()


@pytest.fixture
def vectors() -> WordVectors:
    numbers = np.random.default_rng(0).normal(size=(len(WORDS), 12))
    return WordVectors(WORDS, numbers.astype(np.float32))


@pytest.fixture(params=KINDS, ids=lambda kind: f"{kind['network']}-{kind.get('pooling', '')}")
def encoder(request, vectors) -> WordEncoder:
    return WordEncoder.fresh(vectors, seed=1, hidden=8, **request.param)


# ---- computing


def test_padding_never_changes_a_vector(encoder, sentences):
    together = encoder(**encoder.collate(sentences))
    for row, sentence in enumerate(sentences):
        alone = encoder(**encoder.collate([sentence]))[0]
        assert torch.allclose(together[row], alone, atol=1e-6)


def test_what_stands_in_the_padding_does_not_matter(encoder, sentences):
    batch = encoder.collate(sentences)
    assert (batch["attention_mask"] == 0).any()
    other = batch["input_ids"].masked_fill(batch["attention_mask"] == 0, 5)
    assert torch.equal(encoder(**batch), encoder(other, batch["attention_mask"]))


def test_a_batch_without_padding_needs_no_mask(encoder):
    batch = encoder.collate(["the dog runs", "a cat sleeps"])
    assert batch["attention_mask"] is None
    full = torch.ones_like(batch["input_ids"])
    assert torch.allclose(encoder(batch["input_ids"]), encoder(batch["input_ids"], full), atol=1e-7)


def test_rows_come_back_in_the_order_given(encoder, sentences):
    vectors = encoder.encode(sentences, token_budget=8)
    assert vectors.shape == (len(sentences), encoder.dimension) and vectors.dtype == np.float32
    backwards = encoder.encode(sentences[::-1], token_budget=8)
    assert np.allclose(vectors, backwards[::-1], atol=1e-6)
    assert np.allclose(np.linalg.norm(encoder.encode(sentences, normalize=True), axis=1), 1)


def test_averaging_equals_a_plain_loop_over_words(vectors):
    encoder = WordEncoder.fresh(vectors, network="averaging", hidden=8)
    unknown = vectors.vectors.mean(axis=0)
    words = split_words("The dog, unheard of, runs!")
    assert any(word not in vectors for word in words)
    total = np.zeros(12)
    for word in words:
        known = vectors.vector(word)
        total += unknown if known is None else known
    first, second = encoder.network.first, encoder.network.second
    with torch.no_grad():
        mean = torch.tensor(total / len(words), dtype=torch.float32)
        expected = torch.tanh(second(torch.tanh(first(mean)))).numpy()
    assert np.allclose(encoder.encode(["The dog, unheard of, runs!"])[0], expected, atol=1e-6)


def test_the_bilstm_equals_torchs_own_bidirectional_one_on_packed_sequences(vectors, sentences):
    encoder = WordEncoder.fresh(vectors, network="bilstm", pooling="max", hidden=8)
    packed = nn.LSTM(12, 8, batch_first=True, bidirectional=True)
    states = {}
    for name, value in encoder.network.forwards.state_dict().items():
        states[name] = value
        states[f"{name}_reverse"] = encoder.network.backwards.state_dict()[name]
    packed.load_state_dict(states)
    batch = encoder.collate(sentences)
    lengths = batch["attention_mask"].sum(dim=1)
    table = encoder.table(batch["input_ids"])
    sequence = nn.utils.rnn.pack_padded_sequence(
        table, lengths, batch_first=True, enforce_sorted=False
    )
    output, _ = nn.utils.rnn.pad_packed_sequence(packed(sequence)[0], batch_first=True)
    for row, length in enumerate(lengths):
        expected = output[row, :length].max(dim=0).values
        assert torch.allclose(encoder(**batch)[row], expected, atol=1e-6)


def test_word_order_matters_to_the_bilstm_and_not_to_the_mean(encoder):
    one, two = encoder.encode(["the dog runs under the cat", "the cat runs under the dog"])
    assert np.allclose(one, two, atol=1e-6) == (encoder.settings.network == "averaging")


def test_unknown_words_share_one_vector_and_empty_sentences_are_one_unknown_word(encoder):
    assert encoder.tokenize(["xylophone", "", "quark"])[0] == [[UNKNOWN]] * 3
    one, two, three = encoder.encode(["xylophone", "", "quark"])
    assert np.allclose(one, two, atol=1e-6) and np.allclose(one, three, atol=1e-6)


def test_long_sentences_are_cut_and_counted(vectors):
    encoder = WordEncoder.fresh(vectors, hidden=4, max_length=3)
    ids, cut = encoder.tokenize(["the dog runs in the house", "the dog runs"])
    assert [len(row) for row in ids] == [3, 3] and cut == 1
    with pytest.warns(UserWarning, match="1 of 2 sentences"):
        encoder.encode(["the dog runs in the house", "the dog runs"])


def test_word_dropout_acts_in_training_only(vectors):
    encoder = WordEncoder.fresh(vectors, network="averaging", hidden=8, word_dropout=0.5)
    batch = encoder.collate(["the dog runs in the big red house"] * 4)
    assert torch.equal(encoder(**batch)[0], encoder(**batch)[1])
    encoder.train()
    assert not torch.allclose(encoder(**batch)[0], encoder(**batch)[1])


# ---- training


def test_it_memorises_a_batch_and_frozen_vectors_stay(encoder, pair_rows, tmp_path):
    before = encoder.table.weight.clone()
    answers = {(r["sentence1"], r["sentence2"]): r["label"] for r in pair_rows}
    rows = [{"sentence1": a, "sentence2": b, "label": y} for (a, b), y in answers.items()]
    task = Siamese(encoder, "classification", concatenation="(u, v, |u-v|, u*v)")
    config = TrainConfig(epochs=150, batch_size=16, learning_rate=2e-2)
    history = train(task, rows, config, run_dir=tmp_path, show_progress=False)
    first, second = ([row[name] for row in rows] for name in ("sentence1", "sentence2"))
    right = task.predict_labels(first, second).numpy() == [row["label"] for row in rows]
    assert right.all(), history.loss[-3:]
    assert torch.equal(encoder.table.weight, before)


@pytest.mark.parametrize("objective", ["regression", "triplet", "in-batch negatives"])
def test_every_objective_trains_it(encoder, pair_rows, tmp_path, objective):
    before = encoder.encode(["the dog runs"])
    config = TrainConfig(max_steps=3, batch_size=4, learning_rate=1e-2)
    train(Siamese(encoder, objective), pair_rows, config, run_dir=tmp_path, show_progress=False)
    assert not np.allclose(before, encoder.encode(["the dog runs"]))


def test_trainable_vectors_learn(vectors, pair_rows, tmp_path):
    encoder = WordEncoder.fresh(vectors, hidden=4, trainable=True)
    before = encoder.table.weight.detach().clone()
    config = TrainConfig(max_steps=3, batch_size=4, learning_rate=1e-2)
    train(Siamese(encoder, "regression"), pair_rows, config, run_dir=tmp_path, show_progress=False)
    assert not torch.equal(encoder.table.weight, before)


def test_the_seed_decides_the_network(vectors):
    one, again, other = (
        WordEncoder.fresh(vectors, seed=seed, hidden=4).encode(["the dog runs"])
        for seed in (1, 1, 2)
    )
    assert np.array_equal(one, again) and not np.allclose(one, other)


# ---- saving and loading


def test_a_saved_encoder_is_the_same_one(encoder, sentences, tmp_path):
    opened = WordEncoder.load(encoder.save(tmp_path / "kept"))
    assert opened.settings == encoder.settings
    assert np.array_equal(encoder.encode(sentences), opened.encode(sentences))
    assert not [p for p in tmp_path.iterdir() if p.name.startswith(".")]


@pytest.mark.parametrize("name", ["weights.safetensors", "words.txt", "words.json"])
def test_a_changed_file_is_refused(encoder, tmp_path, name):
    path = encoder.save(tmp_path / "kept") / name
    content = bytearray(path.read_bytes())
    content[-2] ^= 1
    path.write_bytes(bytes(content))
    with pytest.raises(CheckpointError, match=f"{name} is damaged"):
        WordEncoder.load(path.parent)
    path.unlink()
    with pytest.raises(CheckpointError, match=f"{name} is damaged"):
        WordEncoder.load(path.parent)


def test_another_folder_is_refused(tmp_path):
    with pytest.raises(CheckpointError, match="not a saved WordEncoder"):
        WordEncoder.load(tmp_path)


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"network": "gru"}, "unknown network 'gru'"),
        ({"pooling": "last"}, "unknown pooling 'last'"),
        ({"word_dropout": 1.0}, "word_dropout must lie in"),
    ],
)
def test_wrong_settings_are_named(vectors, settings, message):
    with pytest.raises(InputError, match=message):
        WordEncoder.fresh(vectors, **settings)


def test_a_single_string_and_no_sentences_are_errors(encoder):
    with pytest.raises(InputError, match="one string"):
        encoder.encode("the dog runs")
    with pytest.raises(InputError, match="empty"):
        encoder.encode([])
