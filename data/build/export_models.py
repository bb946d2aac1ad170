"""Turn finished pretraining runs into data/models, and record their loss curves.

    python data/build/export_models.py mini-bert --work runs/pretrain --hours 1.2

--hours is the computing time that the progress bars showed; it is written into the record.
"""

import argparse
import sys
from pathlib import Path

from pretrain import load_stage, new_task
from pretraining_models import MAX_LENGTH, TOKENIZERS
from transformers import PreTrainedTokenizerFast

from sbert_lab.encoder import SentenceEncoder
from sbert_lab.files import read_json, write_json
from sbert_lab.paths import data_dir
from sbert_lab.training.checkpoint import STATE, checkpoints
from sbert_lab.training.run_folder import FINISHED, RUN


def export(name: str, work: Path) -> SentenceEncoder:
    """Save the second stage's backbone as an encoder folder with MEAN pooling."""
    tokenizer = PreTrainedTokenizerFast.from_pretrained(work / "tokenizer")
    task = new_task(name, tokenizer)
    load_stage(task, work / "second")
    config = task.backbone.config
    config.hidden_dropout_prob = config.attention_probs_dropout_prob = 0.1
    encoder = SentenceEncoder(task.backbone, tokenizer, pooling="mean", max_length=MAX_LENGTH)
    encoder.save(data_dir("models", name))
    return encoder


def stage_record(run_dir: Path) -> dict:
    """Settings, steps taken and losses of one stage, whether it ran to its end or was cut short."""
    settings = read_json(run_dir / RUN)
    finished = (run_dir / FINISHED).is_file()
    source = run_dir / FINISHED if finished else checkpoints(run_dir)[-1] / STATE
    history = read_json(source)["history"]
    return {
        "steps": history["steps"][-1],
        "planned_steps": settings["max_steps"],
        "batch_tokens": settings["batch_tokens"],
        "learning_rate": settings["learning_rate"],
        "rows": settings["rows"],
        "curve_steps": history["steps"],
        "curve_losses": [round(loss, 4) for loss in history["losses"]],
    }


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("model", choices=sorted(TOKENIZERS))
    parser.add_argument("--work", type=Path, required=True)
    parser.add_argument("--hours", type=float, required=True)
    given = parser.parse_args(arguments)
    work = given.work / given.model
    encoder = export(given.model, work)
    record = {
        "hours": given.hours,
        "stages": {s: stage_record(work / s) for s in ("first", "second")},
    }
    write_json(data_dir("results", "pretraining", f"{given.model}.json"), record)
    parameters = sum(p.numel() for p in encoder.parameters())
    print(f"{given.model}: {parameters:,} parameters in {data_dir('models', given.model)}")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
