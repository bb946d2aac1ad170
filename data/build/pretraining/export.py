"""Turn pretrained weights into a model folder that SentenceEncoder and the public library open.

    python data/build/pretraining/export.py mini-bert --work runs/pretraining --anneal 25 \\
        --to runs/pretraining/mini-bert-25 --record mini-bert-25.json
    python data/build/pretraining/export.py mini-bert --to runs/pretraining/mini-bert-2-20 \\
        --state data/build/pretraining/state/mini-bert

`--record` writes down how the run went, for the model's card. `--state` takes what a run handed
over (`pretrain.py --hand-over`), as it is, its rate still high.
"""

import argparse
import json
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
from corpus import KINDS
from pretrain import new_task
from safetensors.torch import load_file
from vocabulary import MAX_LENGTH, TOKENIZERS, load_tokenizer

from sbert_lab.encoder import SentenceEncoder
from sbert_lab.files import write_json


def export(name: str, weights: Path, tokenizer_folder: Path, to: Path) -> Path:
    """A folder with configuration, weights, tokenizer and MEAN pooling."""
    tokenizer = load_tokenizer(tokenizer_folder)
    task = new_task(name, tokenizer)
    task.load_state_dict({k: v.float() for k, v in load_file(weights).items()})
    encoder = SentenceEncoder(task.backbone, tokenizer, pooling="mean", max_length=MAX_LENGTH)
    encoder.save(to)
    return to


def describe(run: Path) -> dict:
    """Tokens, time, losses along the way, and those of the held-out texts at the end."""
    entries = [json.loads(line) for line in (run / "log.jsonl").read_text("utf-8").splitlines()]
    curve = [entry for entry in entries if "words" in entry]
    last = [entry for entry in entries if "measured" in entry][-1]
    return {
        "tokens": last["tokens"],
        "steps": last["step"],
        "falling_from": curve[0]["tokens"],
        "hours": round(last["seconds"] / 3600, 1),
        "curve_tokens": [entry["tokens"] for entry in curve],
        "curve_losses": [entry["words"] for entry in curve],
        "held_out": {k: last["measured"][k] for k in KINDS},
    }


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("model", choices=sorted(TOKENIZERS))
    parser.add_argument("--work", type=Path, help="where pretrain.py wrote")
    parser.add_argument("--anneal", type=int, help="million tokens")
    parser.add_argument("--state", type=Path, help="instead of these: what was handed over")
    parser.add_argument("--to", type=Path, required=True)
    parser.add_argument("--record", type=Path, help="a JSON file about the run")
    given = parser.parse_args(arguments)
    if given.state:
        weights, tokenizer = given.state / "model.safetensors", given.state / "tokenizer"
        print(export(given.model, weights, tokenizer, given.to))
        return 0
    if not given.work or given.anneal is None:
        parser.error("give --work and --anneal, or --state")
    work = given.work / given.model
    run = work / f"annealed-{given.anneal}"
    if given.record:
        write_json(given.record, describe(run))
    weights = run / "finished" / "model.safetensors"
    print(export(given.model, weights, work / "tokenizer", given.to))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
