"""The poly-encoder: codes, attention, asymmetry, training, saving."""

import numpy as np
import pytest
import torch
from torch.nn import functional as F

from sbert_lab.errors import CheckpointError, InputError
from sbert_lab.profiles import TrainConfig
from sbert_lab.tasks import PolyEncoder
from sbert_lab.training import train

SENTENCES = [
    "A man sings.",
    "The big red bird runs over the tree and under the house.",
    "The river is not red.",
    "cat",
]


@pytest.fixture
def poly(encoder):
    return PolyEncoder(encoder, codes=4, seed=1).eval()


def test_padding_never_changes_a_context(poly):
    together = poly.encode_contexts(SENTENCES)
    alone = np.concatenate([poly.encode_contexts([one]) for one in SENTENCES])
    np.testing.assert_allclose(together, alone, atol=1e-4)
    assert together.shape == (4, 4, poly.encoder.dimension)


def test_looking_leaves_every_part_in_its_mode(encoder):
    task = PolyEncoder(encoder.eval(), codes=4)  # a new task is in training, its encoder is not
    before = [part.training for part in task.modules()]
    task.encode_contexts(SENTENCES)
    assert [part.training for part in task.modules()] == before
    assert task.training and not task.encoder.training


def test_the_attention_is_what_a_plain_loop_computes(poly):
    contexts = torch.from_numpy(poly.encode_contexts(SENTENCES))
    candidates = torch.from_numpy(poly.encoder.encode(SENTENCES))
    expected = torch.empty(4, 4)
    for b in range(4):
        for c in range(4):
            dots = [float(candidates[c] @ contexts[b, m]) for m in range(4)]
            weights = torch.softmax(torch.tensor(dots) / candidates.shape[1] ** 0.5, dim=0)
            view = sum(w * contexts[b, m] for m, w in enumerate(weights))
            expected[b, c] = F.cosine_similarity(view, candidates[c], dim=0)
    torch.testing.assert_close(poly.meet(contexts, candidates), expected, atol=1e-4, rtol=0)
    kept = poly.score_all(contexts.numpy(), candidates.numpy())
    np.testing.assert_allclose(kept, expected.numpy(), atol=1e-4)
    own = poly.score(SENTENCES, SENTENCES)
    np.testing.assert_allclose(own, expected.diag().numpy(), atol=1e-4)


def test_swapping_the_sentences_changes_the_score(poly):
    there, back = poly.score(SENTENCES[:2], SENTENCES[2:]), poly.score(SENTENCES[2:], SENTENCES[:2])
    assert np.abs(there - back).min() > 1e-5


@pytest.mark.parametrize(
    ("objective", "rows"),
    [
        (
            "in-batch negatives",
            [{"anchor": a, "positive": b} for a, b in zip(SENTENCES, SENTENCES[::-1], strict=True)],
        ),
        (
            "regression",
            [
                {"sentence1": a, "sentence2": b, "score": (0.1, 0.9)[i in (1, 2)]}
                for i, (a, b) in enumerate(zip(SENTENCES, SENTENCES[::-1], strict=True))
            ],
        ),
    ],
)
def test_it_memorises_a_batch_and_its_codes_move(encoder, objective, rows, tmp_path):
    task = PolyEncoder(encoder, objective, codes=4, seed=1)
    before = task.codes.detach().clone()
    config = TrainConfig(epochs=60, batch_size=4, learning_rate=2e-3, weight_decay=0.0)
    history = train(task, rows, config, run_dir=tmp_path / "run", show_progress=False)
    assert history.losses[-1] < 0.3 * history.losses[0]
    assert not torch.equal(before, task.codes)


def test_a_saved_one_gives_the_same_scores_and_damage_is_noticed(poly, tmp_path):
    poly.save(tmp_path / "poly")
    again = PolyEncoder.load(tmp_path / "poly")
    scores = poly.score(SENTENCES[:2], SENTENCES[2:])
    np.testing.assert_allclose(again.score(SENTENCES[:2], SENTENCES[2:]), scores, atol=1e-6)
    (tmp_path / "poly" / "codes.safetensors").write_bytes(b"broken")
    with pytest.raises(CheckpointError, match="codes.safetensors is damaged"):
        PolyEncoder.load(tmp_path / "poly")


def test_bad_input_is_named(poly):
    with pytest.raises(InputError, match="codes must be at least 1, got 0"):
        PolyEncoder(poly.encoder, codes=0)
    with pytest.raises(InputError, match="2 first sentences but 1 second"):
        poly.score(["a", "b"], ["c"])
    with pytest.raises(InputError, match="unknown objective"):
        PolyEncoder(poly.encoder, "triplet")
