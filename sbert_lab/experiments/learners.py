"""Networks that learn from scored pairs, with fit and predict as the baselines have them."""

import tempfile
from collections.abc import Sequence
from contextlib import nullcontext
from dataclasses import replace
from pathlib import Path

import numpy as np

from sbert_lab.experiments.evaluation import sts
from sbert_lab.profiles import Profile, TrainConfig
from sbert_lab.tasks import CrossEncoder, Siamese
from sbert_lab.training import train

WORD_EPOCHS = 5


def settings(network: str, profile: Profile, seed: int) -> TrainConfig:
    """As for STSb, with fewer epochs in mini and real: a table has many folds.

    A BiLSTM begins at random, so it gets more epochs and smaller batches than on NLI.
    """
    if network == "bilstm":
        return replace(profile.words, epochs=WORD_EPOCHS, batch_size=32, seed=seed)
    return replace(profile.sts, epochs=profile.argument_epochs, seed=seed)


class PairLearner:
    """'sbert' or 'bilstm' (cosine against the score, squared error), or 'cross'.

    `start` is the encoder before it has seen a pair; fit() changes it. With `shuffled` each
    training pair has the score of another one: a floor.
    """

    def __init__(
        self, network: str, start: object, config: TrainConfig, *, shuffled: bool = False
    ) -> None:
        kind = CrossEncoder if network == "cross" else Siamese
        self.task = kind(start, "regression", seed=config.seed)
        self.config, self.shuffled = config, shuffled

    def fit(
        self,
        first: Sequence[str],
        second: Sequence[str],
        scores: Sequence[float],
        *,
        run_dir: Path | None = None,
    ) -> "PairLearner":
        """Train on scored pairs; an interrupted training with a run_dir goes on there."""
        if self.shuffled:
            scores = np.random.default_rng(self.config.seed).permutation(scores).tolist()
        rows = [
            {"sentence1": a, "sentence2": b, "score": score}
            for a, b, score in zip(first, second, scores, strict=True)
        ]
        with tempfile.TemporaryDirectory() if run_dir is None else nullcontext(run_dir) as folder:
            train(self.task, rows, self.config, run_dir=folder, show_progress=False)
        return self

    def predict(self, first: Sequence[str], second: Sequence[str]) -> np.ndarray:
        """A score for each pair: (N,)."""
        if hasattr(self.task, "predict"):
            return np.asarray(self.task.predict(first, second), dtype=float)
        pairs = [{"sentence1": a, "sentence2": b} for a, b in zip(first, second, strict=True)]
        return sts.similarities(self.task.encoder.encode, pairs)
