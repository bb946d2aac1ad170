"""Learning from a teacher's vectors."""

import numpy as np
import pytest
import torch
from torch.nn import functional as F

from sbert_lab.errors import InputError
from sbert_lab.profiles import TrainConfig
from sbert_lab.tasks import Taught
from sbert_lab.training import train
from sbert_lab.training.run_folder import run_folder

SENTENCES = ["A man sings.", "The big red bird runs.", "The river is not red.", "cat", "A dog."]
ROWS = [{"text": text} for text in SENTENCES]


@pytest.fixture
def vectors():
    return np.random.default_rng(0).normal(size=(5, 7)).astype(np.float32)


def test_the_loss_is_the_one_computed_by_hand(encoder, vectors):
    task = Taught(encoder.eval(), vectors, seed=3)
    prepared = task.prepare(ROWS)
    loss = task(task.collate([prepared[i] for i in (4, 1, 0)]))
    ours = torch.from_numpy(encoder.encode([SENTENCES[i] for i in (4, 1, 0)]))
    theirs = torch.from_numpy(vectors[[4, 1, 0]])
    mapped = ours @ task.head.weight.T + task.head.bias
    cosines = [F.cosine_similarity(a, b, dim=0) for a, b in zip(mapped, theirs, strict=True)]
    squares = [
        (
            F.cosine_similarity(ours[i], ours[j], dim=0)
            - F.cosine_similarity(theirs[i], theirs[j], dim=0)
        )
        ** 2
        for i in range(3)
        for j in range(3)
    ]
    expected = 1 - sum(cosines) / 3 + 20 * sum(squares) / 9
    torch.testing.assert_close(loss, expected, atol=1e-4, rtol=1e-4)


def test_a_few_sentences_can_be_learned_by_heart(encoder, vectors, tmp_path):
    task = Taught(encoder, vectors)
    config = TrainConfig(epochs=30, batch_size=5, learning_rate=5e-3)
    history = train(task, ROWS, config, run_dir=tmp_path / "run", show_progress=False)
    assert history.losses[-1] < 0.25 * history.losses[0]
    u = F.normalize(torch.from_numpy(encoder.encode(SENTENCES)), dim=-1)
    t = F.normalize(torch.from_numpy(vectors), dim=-1)
    assert (u @ u.T - t @ t.T).abs().mean() < 0.2


def test_another_teacher_is_another_run(encoder, vectors):
    folders = {run_folder(Taught(encoder, v), ROWS, TrainConfig()) for v in (vectors, -vectors + 1)}
    assert len(folders) == 2


def test_a_teacher_of_other_sentences_or_without_numbers_is_refused(encoder, vectors):
    with pytest.raises(InputError, match="4 rows, but the teacher has 5"):
        Taught(encoder, vectors).prepare(ROWS[:4])
    broken = vectors.copy()
    broken[2, 1] = np.nan
    for wrong in (broken, vectors[0]):
        with pytest.raises(InputError, match="finite numbers, one row a sentence"):
            Taught(encoder, wrong)
