"""Train a tiny network: train_tiny.py BACKBONE RUN_DIR OUT.safetensors [die at step].

With a step to die at, the process kills itself with SIGKILL inside that step.
Under torchrun every process takes part; dropout and batch size come from the environment.
"""

import os
import signal
import sys
from pathlib import Path

import torch
from safetensors.torch import save_file

from sbert_lab.encoder import SentenceEncoder
from sbert_lab.profiles import TrainConfig
from sbert_lab.tasks import Siamese
from sbert_lab.training import train
from sbert_lab.training.checkpoint import model_tensors


class Mortal(Siamese):
    """A task that dies in the middle of a chosen step."""

    die_at: int | None = None
    calls = 0

    def forward(self, batch):
        loss = super().forward(batch)
        if self.training:
            self.calls += 1
            if self.calls == self.die_at:
                os.kill(os.getpid(), signal.SIGKILL)
        return loss


def rows() -> list[dict]:
    text = "dog cat bird man woman runs sleeps sings house tree river"
    words = text.split()
    return [
        {
            "sentence1": f"the {words[i % 5]} {words[5 + i % 3]}" + " big" * (i % 4),
            "sentence2": f"a {words[(i * 3) % 5]} in the {words[8 + i % 3]}",
            "label": i % 3,
        }
        for i in range(96)
    ]


def main() -> None:
    torch.set_num_threads(1)
    backbone, run_dir, output = sys.argv[1:4]
    encoder = SentenceEncoder.load(backbone)
    if os.environ.get("TINY_DROPOUT") == "0":
        for module in encoder.modules():
            if isinstance(module, torch.nn.Dropout):
                module.p = 0.0
            if hasattr(module, "dropout_prob"):
                module.dropout_prob = 0.0
    task = Mortal(encoder, "classification")
    task.die_at = int(sys.argv[4]) if len(sys.argv) > 4 else None
    config = TrainConfig(
        epochs=2,
        batch_size=int(os.environ.get("TINY_BATCH", "8")),
        accumulate=int(os.environ.get("TINY_ACCUMULATE", "1")),
        learning_rate=1e-3,
        checkpoint_every=5,
        evaluate_every=7,
    )

    def evaluate(task) -> float:
        return float(task.encoder.encode(["the dog runs", "a cat"]).std())

    history = train(task, rows(), config, evaluate=evaluate, run_dir=run_dir, show_progress=False)
    if int(os.environ.get("RANK", "0")) == 0:
        save_file(model_tensors(task), output)
        losses = "\n".join(repr(loss) for loss in history.losses)
        Path(output).with_suffix(".losses").write_text(losses)


if __name__ == "__main__":
    main()
