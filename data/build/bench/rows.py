"""The comparisons: each function measures one row of the table and returns what is recorded."""

import os
import resource
import statistics
import subprocess
import sys
import tempfile
import time
import warnings
from pathlib import Path

import numpy as np
import torch
from clock import in_new_process, in_turn, ratios

from sbert_lab import SentenceEncoder, Siamese, TrainConfig, data, train
from sbert_lab.data import minilm_folder
from sbert_lab.encoder_folder import find_folder
from sbert_lab.errors import LabError
from sbert_lab.experiments.evaluation.indexes import measure_index, perturb
from sbert_lab.experiments.evaluation.sts import spearman
from sbert_lab.products import product
from sbert_lab.search import VectorIndex, best_pairs, top_k

BATCHES = (32, 64, 128)


def stsb_sentences(count: int) -> tuple[list[str], str]:
    """Different sentences of the STS benchmark in a fixed shuffled order, and which corpus."""
    profile = "real"
    try:
        rows = data.load("stsb", "train", profile=profile)
    except LabError:
        profile = "mini"
        rows = data.load("stsb", "train", profile=profile)
    listed = sorted({*rows["sentence1"], *rows["sentence2"]})
    chosen = np.random.default_rng(0).permutation(len(listed))[:count]
    return [listed[i] for i in chosen], f"STSb train ({profile})"


def reference(folder: Path, max_length: int):
    from sentence_transformers import SentenceTransformer

    model = SentenceTransformer(str(folder), device="cpu")
    model.max_seq_length = max_length
    return model


def encode(*, model: str, count: int, rounds: int, goal: float) -> dict:
    folder = minilm_folder() if model == "all-MiniLM-L6-v2" else find_folder(model)
    sentences, source = stsb_sentences(count)
    ours = SentenceEncoder.load(folder)
    theirs, small = reference(folder, ours.max_length), SentenceEncoder.load(folder)
    systems = {
        "ours": lambda: ours.encode(sentences),
        "products alone": _products(ours),
        "int8": lambda: small.encode(sentences, precision="int8"),
    }
    for size in BATCHES:
        systems[f"batch {size}"] = lambda size=size: theirs.encode(sentences, batch_size=size)
    apart = np.abs(systems["ours"]() - systems["batch 32"]()).max()
    seconds = in_turn(systems, rounds)
    best = min((f"batch {size}" for size in BATCHES), key=lambda n: statistics.median(seconds[n]))
    tokens = sum(map(len, ours.tokenize(sentences)[0]))
    alone = [s / PRODUCT_TOKENS for s in seconds["products alone"]]
    share = ratios(alone, [s / tokens for s in seconds["ours"]])
    return {
        "ratio": ratios(seconds[best], seconds["ours"]),
        "int8 against ours": ratios(seconds["ours"], seconds["int8"]),
        "share of the products' rate": share,
        "goal": goal,
        "per_second": {n: round(count / statistics.median(s)) for n, s in seconds.items()
                       if n != "products alone"},
        "theirs": f"{best}, the best of {BATCHES}",
        "largest_difference": float(apart),
        "what": f"{count:,} sentences of {source}, {tokens:,} tokens, {rounds} rounds",
        "seconds": seconds,
    }  # fmt: skip


PRODUCT_TOKENS = 2048


def _products(encoder: SentenceEncoder):
    """Nothing but the products of all layers, by oneDNN, for 2,048 tokens."""
    config = encoder.backbone.config
    wide, width = config.intermediate_size, config.hidden_size
    shapes = [(3 * width, width), (width, width), (wide, width), (width, wide)]
    pairs = [(torch.randn(PRODUCT_TOKENS, w.shape[1]), w) for w in (torch.randn(s) for s in shapes)]

    def run() -> None:
        with torch.inference_mode():
            for _ in range(config.num_hidden_layers):
                for x, weight in pairs:
                    product(x, weight)

    return run


def int8(*, model: str, rounds: int = 1, count: int = 1379) -> dict:
    """Spearman on the STSb test set, as it is and in eight bits."""
    folder = minilm_folder() if model == "all-MiniLM-L6-v2" else find_folder(model)
    try:
        rows, profile = data.load("stsb", "test", profile="real"), "real"
    except LabError:
        rows, profile = data.load("stsb", "test", profile="mini"), "mini"
    rows = rows.select(range(min(count, len(rows))))
    found = {"what": f"STSb test ({profile}), {len(rows):,} pairs"}
    for precision in ("fp32", "int8"):
        encoder = SentenceEncoder.load(folder, precision=precision)
        u, v = (encoder.encode(rows[c], normalize=True) for c in ("sentence1", "sentence2"))
        found[precision] = round(100 * float(spearman(rows["score"], (u * v).sum(1))), 2)
    return found


# ---- training

BATCH = 16


def training(*, rounds: int, steps: int) -> dict:
    """NLI softmax with mini-bert: pairs a second of whole runs, and the losses of both."""
    rows = data.load("nli", "train", profile="mini").select(range(steps * BATCH))
    rows = rows.select_columns(["sentence1", "sentence2", "label"])
    seconds, losses = {"ours": [], "theirs": []}, {"ours": [], "theirs": []}
    for seed in range(rounds + 1):
        for name, run in (("ours", _train_ours), ("theirs", _train_theirs)):
            took, curve = run(rows, seed + 1)
            if seed:  # the first round warms up
                seconds[name].append(took)
                losses[name].append(curve)
    mean = {name: np.mean(curves, axis=0).round(4).tolist() for name, curves in losses.items()}
    last = {n: [round(float(np.mean(c[-4:])), 4) for c in curves] for n, curves in losses.items()}
    return {
        "ratio": ratios(seconds["theirs"], seconds["ours"]),
        "goal": 1.5,
        "per_second": {n: round(steps * BATCH / statistics.median(s)) for n, s in seconds.items()},
        "loss": mean,
        "last losses": last,
        "what": f"mini NLI, {steps} steps of {BATCH} pairs, fp32, {rounds} rounds",
        "seconds": seconds,
    }


def _train_ours(rows, seed: int) -> tuple[float, list[float]]:
    task = Siamese(SentenceEncoder.load("mini-bert"), "classification", seed=seed)
    config = TrainConfig(batch_size=BATCH, epochs=1, learning_rate=5e-4, seed=seed)
    with tempfile.TemporaryDirectory() as folder:
        start = time.process_time()
        history = train(task, rows, config, run_dir=Path(folder) / "run", show_progress=False)
        took = time.process_time() - start
    return took, np.reshape(history.losses, (-1, 10)).mean(1).tolist()


def _train_theirs(rows, seed: int) -> tuple[float, list[float]]:
    from sentence_transformers import (
        SentenceTransformerTrainer,
        SentenceTransformerTrainingArguments,
    )
    from sentence_transformers.losses import SoftmaxLoss
    from transformers import TrainerCallback

    class Clock(TrainerCallback):
        def on_train_begin(self, *_, **__):
            self.start = time.process_time()

        def on_train_end(self, *_, **__):
            self.took = time.process_time() - self.start

    torch.manual_seed(seed)
    model, clock = reference(find_folder("mini-bert"), 128), Clock()
    loss = SoftmaxLoss(model, model.get_embedding_dimension(), num_labels=3)
    with tempfile.TemporaryDirectory() as folder:
        settings = SentenceTransformerTrainingArguments(
            output_dir=folder, per_device_train_batch_size=BATCH, num_train_epochs=1,
            learning_rate=5e-4, warmup_steps=len(rows) // BATCH // 10, weight_decay=0.01, seed=seed,
            logging_steps=10, report_to=[], save_strategy="no", disable_tqdm=True, use_cpu=True,
        )  # fmt: skip
        trainer = SentenceTransformerTrainer(
            model=model, args=settings, train_dataset=rows, loss=loss, callbacks=[clock]
        )
        trainer.train()
    return clock.took, [e["loss"] for e in trainer.state.log_history if "loss" in e]


# ---- search


def pairs(*, rounds: int, count: int = 10_000) -> dict:
    from sentence_transformers.util import paraphrase_mining_embeddings

    given = np.random.default_rng(0).standard_normal((count, 384), dtype=np.float32)
    tensor = torch.from_numpy(given)
    systems = {
        "ours": lambda: best_pairs(given, limit=1000),
        "theirs": lambda: paraphrase_mining_embeddings(tensor, max_pairs=1000),
    }
    mine = {tuple(sorted(found[1:])) for found in systems["ours"]()}
    other = {tuple(sorted(found[1:])) for found in systems["theirs"]()[:1000]}
    seconds = in_turn(systems, rounds)
    return {
        "ratio": ratios(seconds["theirs"], seconds["ours"]),
        "goal": 3,
        "same_pairs": len(mine & other),
        "mb": {whose: in_new_process("pairs", whose, count)["mb"] for whose in ("ours", "theirs")},
        "what": f"best 1,000 pairs of {count:,} x 384, {rounds} rounds",
        "seconds": seconds,
    }


def graph(*, rounds: int = 3, count: int = 1_000_000, queries: int = 200) -> dict:
    """HNSW as it is by default against exact search; vectors made from mini-sbert's, as in 15.

    The effort is the smallest that finds 95 of the 100 best, or the largest that was tried.
    """
    base = SentenceEncoder.load("mini-sbert").encode(_questions(), normalize=True)
    many, asked = perturb(base, count, seed=1), perturb(base, queries, seed=2)
    truth = top_k(asked, many, k=10)[1]

    def runs(index: VectorIndex, some: int) -> tuple[list[float], float]:
        found = [measure_index(index, asked[:some], truth[:some], clock=time.process_time)
                 for _ in range(rounds)]  # fmt: skip
        return [run["ms"] for run in found], found[0]["recall"]

    flat, _ = runs(VectorIndex.build(many, ["-"] * count, kind="flat"), 20)
    start = time.process_time()
    index = VectorIndex.build(many, ["-"] * count, kind="hnsw")
    built, tried = time.process_time() - start, {}
    for effort in (32, 64, 128, 256):
        index.set_effort(effort)
        ms, recall = runs(index, queries)
        tried[str(effort)] = {"ratio": ratios(flat, ms), "recall": recall}
        if recall >= 0.95:
            break
    return {
        **tried[str(effort)],
        "goal": 200,
        "tried": tried,
        "build_seconds": round(built, 1),
        "what": f"top 10 of {count:,} x {many.shape[1]}, recall {100 * recall:.1f} % (goal: 95 %), "
        f"{queries} queries one at a time",
    }


def places(*, count: int, rounds: int = 1) -> dict:
    """An index in memory (exact, FAISS's HNSW) and in a file (Milvus): build, one query, memory."""
    backends = ("exact", "faiss", "milvus")
    return {"costs": {name: in_new_process("place", name, count) for name in backends},
            "what": f"{count:,} x 256, 20 queries one at a time"}  # fmt: skip


def _questions() -> list[str]:
    rows = data.load("quora", "train", profile="mini")
    return list(dict.fromkeys([*rows["sentence1"], *rows["sentence2"]]))


# ---- import, memory, growth


def imports(*, rounds: int) -> dict:
    """Processor seconds of a fresh Python that imports and ends, less those of a bare one."""
    lines = {
        "nothing": "pass",
        "ours": "import sbert_lab",
        "ours with torch": "from sbert_lab import SentenceEncoder",
        "theirs": "import sentence_transformers",
    }

    def start(line: str) -> float:
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        subprocess.run([sys.executable, "-W", "ignore", "-c", line], check=True, env=os.environ)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        return sum(after[i] - before[i] for i in (0, 1))

    seconds = {name: [start(line) for _ in range(rounds)] for name, line in lines.items()}
    own = {n: [max(1e-3, t - statistics.median(seconds["nothing"])) for t in s]
           for n, s in seconds.items()}  # fmt: skip
    return {
        "ratio": ratios(own["theirs"], own["ours"]),
        "ratio with torch": ratios(own["theirs"], own["ours with torch"]),
        "what": f"{rounds} rounds",
        "seconds": own,
    }


def growth(*, job: str, largest: int, rounds: int = 1) -> dict:
    """Seconds and the most memory above the start, for n = 1e3 .. 10**largest."""
    whose = ("ours",) if job == "pairs" else ()
    sizes = [10**power for power in range(3, largest + 1)]
    return {"growth": {str(n): in_new_process(job, *whose, n) for n in sizes}}


warnings.simplefilter("ignore")
