"""Pretrain mini-bert or mini-roberta on the rows that corpus.py wrote.

    python data/build/pretraining/pretrain.py mini-bert --work runs/pretraining
    python data/build/pretraining/pretrain.py mini-bert --work runs/pretraining --anneal 25
    python data/build/pretraining/pretrain.py mini-bert --work runs/pretraining --hand-over FOLDER

The rate rises, then stays where it is until somebody stops the run; `--anneal M` takes the weights
kept at M million tokens and lets the rate fall to nothing over more tokens (`--share` of M). So one
long run gives a finished network for every length. A run that is cut off goes on where it was: give
the same command again. On another machine it goes on from what `--hand-over` wrote (half-precision
weights, no optimizer state): put FOLDER/tokenizer into the work folder before corpus.py runs there,
then add `--resume FOLDER`.

Two cores are used best by two processes with a thread each, which read other batches and average
their gradients: `torchrun --nproc-per-node 2 data/build/pretraining/pretrain.py mini-bert ...`.
"""

import argparse
import copy
import json
import os
import sys
import time
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np
import torch
import torch.distributed as dist

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
from corpus import Rows
from masked_lm import MaskedLM
from safetensors.torch import load_file, save_file
from start_vectors import start_from_vectors
from transformers import BertConfig, BertModel, RobertaConfig, RobertaModel
from vocabulary import MAX_LENGTH, TOKENIZERS, load_tokenizer

from sbert_lab.errors import InputError
from sbert_lab.files import atomic_folder, read_json, write_json

# No dropout: the networks are small and see each sentence once or twice.
SHAPE = {
    "hidden_size": 256,
    "num_hidden_layers": 4,
    "num_attention_heads": 4,
    "intermediate_size": 1024,
    "hidden_dropout_prob": 0.0,
    "attention_probs_dropout_prob": 0.0,
    # For short texts on a CPU plain attention in bfloat16 is 13 % faster than the fused one.
    "attn_implementation": "eager",
}
MILLION = 1_000_000


@dataclass(frozen=True, kw_only=True)
class Settings:
    """All numbers of a run."""

    batch_tokens: int = 4096
    rate: float = 7e-4
    warmup_steps: int = 400
    beta2: float = 0.98
    # "muon": the square layers' steps are made orthogonal (torch.optim.Muon), the rest is AdamW.
    optimizer: str = "muon"
    muon_rate: float = 2e-3
    weight_decay: float = 0.01
    clip: float = 1.0
    pool_batches: int = 50
    anneal_share: float = 0.1
    kept: tuple[int, ...] = (5, 10, 25, 50, 75, 100)
    checkpoint_steps: int = 300
    seed: int = 1


def new_backbone(name: str, tokenizer) -> torch.nn.Module:
    """A random BERT (with the layer that next-sentence prediction uses) or RoBERTa."""
    torch.manual_seed(1)
    shape = {**SHAPE, "vocab_size": len(tokenizer), "pad_token_id": tokenizer.pad_token_id}
    if name == "mini-bert":
        return BertModel(BertConfig(max_position_embeddings=MAX_LENGTH, **shape))
    config = RobertaConfig(
        max_position_embeddings=MAX_LENGTH + tokenizer.pad_token_id + 1,
        type_vocab_size=1,
        bos_token_id=tokenizer.bos_token_id,
        eos_token_id=tokenizer.eos_token_id,
        **shape,
    )
    return RobertaModel(config, add_pooling_layer=False)


def new_task(name: str, tokenizer) -> MaskedLM:
    return MaskedLM(new_backbone(name, tokenizer), tokenizer, next_sentence=name == "mini-bert")


def plan(lengths: np.ndarray, settings: Settings) -> list[list[int]]:
    """All batches of one pass: rows in random order, sorted by length inside pools, then cut."""
    rng = np.random.default_rng(settings.seed)
    order = rng.permutation(len(lengths))
    pool = int(settings.batch_tokens / lengths.mean() * settings.pool_batches)
    batches = []
    for at in range(0, len(order), pool):
        rows = order[at : at + pool]
        rows = rows[np.argsort(lengths[rows] + rng.random(len(rows)), kind="stable")]
        cut, current, longest = [], [], 0
        for row in rows.tolist():
            longest = max(longest, int(lengths[row]))
            if current and longest * (len(current) + 1) > settings.batch_tokens:
                cut.append(current)
                current, longest = [], int(lengths[row])
            current.append(row)
        cut.append(current)
        batches += [cut[i] for i in rng.permutation(len(cut))]
    return batches


def start(task: MaskedLM, tokenizer, rows: Rows) -> int:
    """Word vectors into the embedding table; word frequencies into the output bias."""
    with torch.no_grad():
        table = task.backbone.get_input_embeddings().weight
        found = start_from_vectors(table, tokenizer)
        counts = np.bincount(rows.ids[: 10 * MILLION], minlength=len(tokenizer)) + 1.0
        task.bias.copy_(torch.from_numpy(np.log(counts / counts.sum())))
    return found


def new_optimizers(task: MaskedLM, settings: Settings) -> list[torch.optim.Optimizer]:
    """AdamW for everything, or Muon for the layers' matrices and AdamW for the rest."""
    matrices = [
        p
        for name, p in task.named_parameters()
        if settings.optimizer == "muon" and p.ndim == 2 and "embeddings" not in name and len(p) > 2
    ]
    known = set(map(id, matrices))
    rest = [p for p in task.parameters() if id(p) not in known]
    groups = [
        {"params": [p for p in rest if p.ndim >= 2], "full_rate": settings.rate},
        {
            "params": [p for p in rest if p.ndim < 2],
            "weight_decay": 0.0,
            "full_rate": settings.rate,
        },
    ]
    adamw = torch.optim.AdamW(
        groups, betas=(0.9, settings.beta2), weight_decay=settings.weight_decay, fused=True
    )
    if not matrices:
        return [adamw]
    muon = torch.optim.Muon(
        [{"params": matrices, "full_rate": settings.muon_rate}],
        weight_decay=settings.weight_decay,
        adjust_lr_fn="match_rms_adamw",
    )
    return [muon, adamw]


class Run:
    """The state of one run and its folder."""

    def __init__(self, name: str, work: Path, folder: Path, settings: Settings) -> None:
        self.name, self.work, self.folder, self.settings = name, work, folder, settings
        self.tokenizer = load_tokenizer(work / "tokenizer")
        self.task = new_task(name, self.tokenizer)
        self.rows = Rows.load(work / "train.npz")
        self.lengths = self.rows.lengths(between=2 if self.task.double_sep else 1)
        self.batches = plan(self.lengths, settings)
        self.held_out = Rows.load(work / "held_out.npz")
        self.optimizers = new_optimizers(self.task, settings)
        self.processes = dist.get_world_size() if dist.is_initialized() else 1
        self.rank = dist.get_rank() if dist.is_initialized() else 0
        self.step, self.tokens, self.seconds = 0, 0, 0.0
        self.read = 0  # batches read by all processes together
        self.fresh_since = 0  # the step at which the optimizers knew nothing
        folder.mkdir(parents=True, exist_ok=True)

    # ---- on disk

    def save(self, path: Path, *, optimizer: bool = True) -> None:
        if self.rank:
            return
        with atomic_folder(path) as folder:
            tensors = {k: v.detach().contiguous() for k, v in self.task.state_dict().items()}
            save_file(tensors, folder / "model.safetensors")
            if optimizer:
                flat = {
                    f"{number}.{i}.{k}": v.contiguous()
                    for number, optimizer in enumerate(self.optimizers)
                    for i, s in optimizer.state_dict()["state"].items()
                    for k, v in s.items()
                }
                save_file(flat, folder / "optimizer.safetensors")
            write_json(
                folder / "state.json",
                {
                    "step": self.step,
                    "read": self.read,
                    "tokens": self.tokens,
                    "seconds": self.seconds,
                    "settings": asdict(self.settings),
                },
            )

    def load(self, path: Path) -> None:
        self.task.load_state_dict(load_file(path / "model.safetensors"))
        states: list[dict[int, dict]] = [{} for _ in self.optimizers]
        for key, tensor in load_file(path / "optimizer.safetensors").items():
            number, index, field = key.split(".", 2)
            states[int(number)].setdefault(int(index), {})[field] = tensor
        for optimizer, state in zip(self.optimizers, states, strict=True):
            groups = optimizer.state_dict()["param_groups"]
            optimizer.load_state_dict({"state": state, "param_groups": groups})
        self._go_on_from(read_json(path / "state.json"))

    def _go_on_from(self, saved: dict) -> None:
        self.step, self.tokens, self.seconds = saved["step"], saved["tokens"], saved["seconds"]
        self.read = saved.get("read", self.step)

    def hand_over(self, path: Path) -> None:
        """The weights in half precision and the tokenizer: half the size of a model folder."""
        with atomic_folder(path) as folder:
            tensors = {k: v.half().contiguous() for k, v in self.task.state_dict().items()}
            save_file(tensors, folder / "model.safetensors")
            self.tokenizer.save_pretrained(folder / "tokenizer")
            facts = {"step": self.step, "read": self.read, "tokens": self.tokens}
            facts["seconds"] = round(self.seconds)
            write_json(folder / "state.json", {**facts, "settings": asdict(self.settings)})

    def take_over(self, path: Path) -> None:
        """Go on from handed-over weights; the optimizers begin anew, so the rate rises again."""
        if load_tokenizer(path / "tokenizer").get_vocab() != self.tokenizer.get_vocab():
            raise InputError(
                f"{self.work / 'tokenizer'} is another tokenizer than {path / 'tokenizer'}: copy "
                "that one there before corpus.py writes its rows"
            )
        tensors = load_file(path / "model.safetensors")
        self.task.load_state_dict({name: tensor.float() for name, tensor in tensors.items()})
        self._go_on_from(read_json(path / "state.json"))
        self.fresh_since = self.step

    def log(self, **entry) -> None:
        if self.rank:
            return
        entry = {"step": self.step, "tokens": self.tokens, "seconds": round(self.seconds), **entry}
        with open(self.folder / "log.jsonl", "a", encoding="utf-8") as file:
            file.write(json.dumps(entry) + "\n")
        print(entry, flush=True)

    # ---- learning

    def take_step(self, share: float) -> tuple[float, float]:
        """One batch, with this share of the full rate."""
        started = time.perf_counter()
        mine = self.read + self.rank
        torch.manual_seed(self.settings.seed * 1_000_003 + mine)
        for optimizer in self.optimizers:
            for group in optimizer.param_groups:
                group["lr"] = group["full_rate"] * share
        chosen = self.batches[mine % len(self.batches)]
        batch = self.task.collate(self.rows, chosen)
        with torch.autocast("cpu", torch.bfloat16):
            words, belongs = self.task(batch)
        (words + belongs).backward()
        self.average_gradients()
        torch.nn.utils.clip_grad_norm_(self.task.parameters(), self.settings.clip)
        for optimizer in self.optimizers:
            optimizer.step()
            optimizer.zero_grad(set_to_none=True)
        self.step += 1
        for number in range(self.read, self.read + self.processes):
            self.tokens += int(self.lengths[self.batches[number % len(self.batches)]].sum())
        self.read += self.processes
        self.seconds += time.perf_counter() - started
        return float(words.detach()), float(belongs.detach())

    def average_gradients(self) -> None:
        """Over the processes, in one message."""
        if self.processes == 1:
            return
        parameters = list(self.task.parameters())
        gradients = [torch.zeros_like(p) if p.grad is None else p.grad for p in parameters]
        together = torch.cat([g.flatten() for g in gradients])
        dist.all_reduce(together)
        together /= self.processes
        parts = together.split([p.numel() for p in parameters])
        for parameter, part in zip(parameters, parts, strict=True):
            parameter.grad = part.view_as(parameter)

    def measure(self) -> dict[str, float]:
        """Held-out losses by kind of row; and raw MEAN vectors on STSb dev, if it is at hand."""
        from corpus import KINDS

        if self.rank:
            return {}  # the first process measures, the others wait for it in their next step

        self.task.eval()
        found = {}
        with torch.no_grad(), torch.autocast("cpu", torch.bfloat16):
            for number, kind in enumerate(KINDS):
                mine = np.flatnonzero(self.held_out.kind == number)[:512]
                torch.manual_seed(0)
                losses = [
                    torch.stack(self.task(self.task.collate(self.held_out, part.tolist())))
                    for part in np.array_split(mine, 16)
                ]
                words, belongs = torch.stack(losses).mean(dim=0).tolist()
                found[kind] = round(words, 4)
                if kind in ("pair", "related") and self.task.follows is not None:
                    found[f"{kind} belongs"] = round(belongs, 4)
        found |= self.stsb_dev()
        self.task.train()
        return found

    def stsb_dev(self) -> dict[str, float]:
        from sbert_lab import data
        from sbert_lab.encoder import SentenceEncoder
        from sbert_lab.experiments.evaluation.sts import score_pairs

        if not os.environ.get("SBERT_LAB_DATA"):
            return {}
        dev = data.load("stsb", "dev", profile="real")
        scores = {}
        for pooling in ("mean", "cls", "max"):
            backbone = copy.deepcopy(self.task.backbone)  # an encoder takes its pooler away
            encoder = SentenceEncoder(
                backbone, self.tokenizer, pooling=pooling, max_length=MAX_LENGTH
            )
            scores[f"stsb dev {pooling}"] = round(score_pairs(encoder.encode, dev).spearman, 2)
        return scores

    def advance(self, share_at, until: int) -> None:
        """Steps until so many tokens have been seen."""
        settings, losses = self.settings, []
        self.task.train()
        while self.tokens < until:
            before = self.tokens
            losses.append(self.take_step(share_at(self)))
            if self.step % 100 == 0:
                words, belongs = np.mean(losses, axis=0)
                self.log(words=round(float(words), 4), belongs=round(float(belongs), 4))
                losses = []
            for mark in settings.kept:
                if before < mark * MILLION <= self.tokens:
                    self.save(self.folder / f"kept-{mark}")
            if before // (2 * MILLION) != self.tokens // (2 * MILLION):
                self.log(measured=self.measure())
            if self.step % settings.checkpoint_steps == 0:
                self.save(self.folder / "checkpoint")


def steady(run: Run) -> float:
    return min(1.0, (run.step - run.fresh_since + 1) / run.settings.warmup_steps)


def run_long(given: argparse.Namespace, work: Path, settings: Settings) -> None:
    """The long run at a steady rate."""
    run = Run(given.model, work, work / given.run, settings)
    if (run.folder / "checkpoint").is_dir():
        run.load(run.folder / "checkpoint")
    elif given.resume:
        run.take_over(given.resume)
    else:
        found = start(run.task, run.tokenizer, run.rows)
        run.log(pieces_with_a_vector=found, batches=len(run.batches))
    run.advance(steady, given.until * MILLION)
    run.save(run.folder / "checkpoint")


def run_hand_over(given: argparse.Namespace, work: Path, settings: Settings) -> None:
    run = Run(given.model, work, work / given.run, settings)
    run.load(run.folder / "checkpoint")
    run.hand_over(given.hand_over)
    print(f"{given.hand_over}: {run.tokens:,} tokens seen")


def run_anneal(name: str, work: Path, mark: int, settings: Settings) -> None:
    """From weights kept in the long run, let the rate fall to nothing."""
    run = Run(name, work, work / f"annealed-{mark}", settings)
    first = read_json(work / "long" / f"kept-{mark}" / "state.json")["tokens"]
    last = int(first * (1 + settings.anneal_share))
    here = run.folder / "checkpoint"
    run.load(here if here.is_dir() else work / "long" / f"kept-{mark}")

    def falling(run: Run) -> float:
        return max(0.0, (last - run.tokens) / (last - first))

    run.advance(falling, last)
    run.log(measured=run.measure())
    run.save(run.folder / "finished", optimizer=False)


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("model", choices=sorted(TOKENIZERS))
    parser.add_argument("--work", type=Path, required=True, help="where corpus.py wrote")
    parser.add_argument("--until", type=int, default=100, help="million tokens")
    parser.add_argument("--anneal", type=int, help="million tokens: finish the weights kept there")
    parser.add_argument("--share", type=float, default=Settings.anneal_share, help="of --anneal")
    parser.add_argument("--rate", type=float, default=Settings.rate)
    parser.add_argument("--muon-rate", type=float, default=Settings.muon_rate)
    parser.add_argument("--optimizer", choices=("muon", "adamw"), default=Settings.optimizer)
    parser.add_argument("--run", default="long", help="name of the long run's folder")
    parser.add_argument("--hand-over", type=Path, help="write the last checkpoint's weights there")
    parser.add_argument("--resume", type=Path, help="begin with what --hand-over wrote")
    parser.add_argument("--threads", type=int, default=1)
    given = parser.parse_args(arguments)
    torch.set_num_threads(given.threads)
    if "WORLD_SIZE" in os.environ:  # started by torchrun
        dist.init_process_group("gloo")
    settings = Settings(
        rate=given.rate,
        muon_rate=given.muon_rate,
        optimizer=given.optimizer,
        anneal_share=given.share,
    )
    work = given.work / given.model
    if given.anneal:
        run_anneal(given.model, work, given.anneal, settings)
    elif given.hand_over:
        run_hand_over(given, work, settings)
    else:
        run_long(given, work, settings)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
