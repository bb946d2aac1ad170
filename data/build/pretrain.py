"""Pretrain mini-bert or mini-roberta with the course's own loop.

    SBERT_LAB_DATA=/path/to/corpora python data/build/pretrain.py mini-bert --work runs/pretrain
    python data/build/pretrain.py mini-bert --work runs/smoke --steps 20      (a smoke run)

Two stages: long on real text, then shorter with our own training text added. The second starts
from the first one's final weights, or from its last checkpoint if it was cut short. A run that is
cut off goes on where it was: give the same command again. Without SBERT_LAB_DATA only our own text
is used.
"""

import argparse
import os
import sys
import time
from dataclasses import dataclass
from pathlib import Path

import torch
from pretraining_models import (
    MAX_LENGTH,
    TOKENIZERS,
    new_backbone,
    start_bias_from_counts,
    start_from_glove,
)
from pretraining_text import Text, blocks, mini_text, real_text, sentence_pairs
from transformers import PreTrainedTokenizerFast

from sbert_lab.data import load_glove
from sbert_lab.errors import InputError
from sbert_lab.profiles import TrainConfig
from sbert_lab.tasks.masked_lm import MaskedLM, pair_rows, single_rows
from sbert_lab.training import History, train
from sbert_lab.training.checkpoint import MODEL, checkpoints, load_model_tensors
from sbert_lab.training.run_folder import FINAL


@dataclass(frozen=True)
class Stage:
    """One stretch of pretraining; our own small text may be repeated among the real one."""

    steps: int
    learning_rate: float
    mini_copies: int


FIRST = Stage(steps=7_000, learning_rate=1e-3, mini_copies=0)
STAGES = {
    "mini-bert": {"first": FIRST, "second": Stage(800, 5e-4, mini_copies=3)},
    # Its first stage was cut short at 3,000 steps, so the second one has more to do.
    "mini-roberta": {"first": FIRST, "second": Stage(1_500, 7e-4, mini_copies=3)},
}


def gather(stage: Stage) -> Text:
    """The stage's text; without $SBERT_LAB_DATA only our own."""
    parts = [real_text()] if os.environ.get("SBERT_LAB_DATA") else [mini_text()]
    parts += [mini_text()] * stage.mini_copies
    return Text(
        [s for part in parts for s in part.sentences],
        [d for part in parts for d in part.documents],
    )


def make_rows(name: str, tokenizer, text: Text) -> list[dict]:
    """BERT sees sentence pairs from documents, RoBERTa packed blocks; both see single sentences."""
    rows = single_rows(tokenizer, text.sentences, max_length=MAX_LENGTH)
    if name == "mini-bert":
        pairs = sentence_pairs(text.documents, seed=1)
        return rows + pair_rows(tokenizer, pairs, max_length=MAX_LENGTH)
    return rows + single_rows(tokenizer, blocks(text.documents), max_length=MAX_LENGTH)


def load_tokenizer(name: str, work: Path, text: Text) -> PreTrainedTokenizerFast:
    """The run's tokenizer, trained on the first stage's text."""
    folder = work / "tokenizer"
    if not folder.is_dir():
        TOKENIZERS[name](text.all_sentences()).save_pretrained(folder)
    return PreTrainedTokenizerFast.from_pretrained(folder)


def new_task(name: str, tokenizer: PreTrainedTokenizerFast) -> MaskedLM:
    backbone = new_backbone(name, tokenizer)
    return MaskedLM(backbone, tokenizer, next_sentence=name == "mini-bert", hidden_share=0.2)


def load_stage(task: MaskedLM, run_dir: Path) -> None:
    """Put a stage's final weights, or those of its last checkpoint, into the task."""
    if (run_dir / FINAL).is_file():
        load_model_tensors(task, run_dir / FINAL)
    elif checkpoints(run_dir):
        load_model_tensors(task, checkpoints(run_dir)[-1] / MODEL)
    else:
        raise InputError(f"{run_dir} holds no weights: run the stage before this one first")


def run_stage(name: str, work: Path, stage_name: str, steps: int | None) -> History:
    """Train one stage; what comes out lies in work/stage_name."""
    stage = STAGES[name][stage_name]
    text = gather(stage)
    tokenizer = load_tokenizer(name, work, text)
    rows = make_rows(name, tokenizer, text)
    task = new_task(name, tokenizer)
    if stage_name == "second":
        load_stage(task, work / "first")
    else:
        start_bias_from_counts(task, rows)
        if os.environ.get("SBERT_LAB_DATA"):
            found = start_from_glove(task.backbone, tokenizer, *load_glove())
            print(f"{found} pieces start from GloVe")
    tokens = sum(task.token_counts(rows))
    print(f"{name}, stage {stage_name}: {len(rows):,} rows, {tokens:,} tokens", flush=True)
    config = TrainConfig(
        epochs=100,
        max_steps=steps or stage.steps,
        batch_tokens=4096,
        learning_rate=stage.learning_rate,
        warmup_share=0.05,
        beta2=0.98,
        checkpoint_every=250,
        seed=1,
    )
    started = time.time()
    history = train(task, rows, config, run_dir=work / stage_name)
    print(f"{stage_name}: loss {history.losses[-1]:.3f} after {time.time() - started:.0f} s")
    return history


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("model", choices=sorted(TOKENIZERS))
    parser.add_argument("--work", type=Path, required=True, help="folder for checkpoints")
    parser.add_argument("--stage", choices=["first", "second", "both"], default="both")
    parser.add_argument("--steps", type=int, help="steps per stage (default: the full run)")
    parser.add_argument("--threads", type=int, help="CPU threads")
    given = parser.parse_args(arguments)
    if given.threads:
        torch.set_num_threads(given.threads)
    for stage in ("first", "second") if given.stage == "both" else (given.stage,):
        run_stage(given.model, given.work / given.model, stage, given.steps)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
