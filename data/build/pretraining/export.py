"""Turn pretrained weights into a model folder that SentenceEncoder and the public library open.

    python data/build/pretraining/export.py mini-bert --work runs/pretraining --anneal 25 \\
        --to runs/pretraining/mini-bert-25
"""

import argparse
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
from pretrain import new_task
from safetensors.torch import load_file
from vocabulary import MAX_LENGTH, TOKENIZERS, load_tokenizer

from sbert_lab.encoder import SentenceEncoder

# Pretraining used none; the tuning that follows has BERT's usual share.
DROPOUT = {"hidden_dropout_prob": 0.1, "attention_probs_dropout_prob": 0.1}


def export(name: str, weights: Path, tokenizer_folder: Path, to: Path) -> Path:
    """A folder with configuration, weights, tokenizer and MEAN pooling."""
    tokenizer = load_tokenizer(tokenizer_folder)
    task = new_task(name, tokenizer)
    task.load_state_dict({k: v.float() for k, v in load_file(weights).items()})
    task.backbone.config.update(DROPOUT)
    encoder = SentenceEncoder(task.backbone, tokenizer, pooling="mean", max_length=MAX_LENGTH)
    encoder.save(to)
    return to


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("model", choices=sorted(TOKENIZERS))
    parser.add_argument("--work", type=Path, required=True, help="where pretrain.py wrote")
    parser.add_argument("--anneal", type=int, required=True, help="million tokens")
    parser.add_argument("--to", type=Path, required=True)
    given = parser.parse_args(arguments)
    work = given.work / given.model
    weights = work / f"annealed-{given.anneal}" / "finished" / "model.safetensors"
    print(export(given.model, weights, work / "tokenizer", given.to))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
