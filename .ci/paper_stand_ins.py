"""Profile paper end to end on stand-ins: every table finishes before anybody pays for a GPU.

    python .ci/paper_stand_ins.py [table1 ...]

A fake hub on loopback serves tiny random models and a few rows of data/mini under the ids, the
revisions, the file names and the columns of the real repositories, to the real libraries. What the
hub does not have (AFS, GloVe, WikiText-2) lies in a local copy. The numbers mean nothing.

The registry is told the stand-ins' row counts, here and nowhere else: everything that checks counts
runs as usual, and fails as usual if a row is lost on the way.
"""

import dataclasses
import os
import shutil
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT), str(ROOT / "tests")]

from fake_hub import FakeHub, table_files, tar_of  # noqa: E402

ROWS = 40  # of a split
# Rows that stand for the others where all would take minutes; the other tables run whole. Of Table
# 3 each learner and each kind of folds is there.
CHOSEN = {
    "table3": (
        *("tf-idf", "InferSent", "raw BERT MEAN", "SVR, random folds", "BiLSTM-AFS, cross-topic"),
        *("SBERT-AFS, cross-topic", "SBERT-AFS, seen sentences", "look-up table, components"),
        *("cross-encoder-AFS, new sentences", "SBERT-AFS, shuffled scores, random folds"),
    ),
    "table5": ("GloVe vectors", "SBERT-NLI", "BERT, all layers tuned"),
}
TABLES = [f"table{number}" for number in range(1, 8)]


def main(tables: list[str]) -> int:
    with tempfile.TemporaryDirectory() as folder, FakeHub() as hub:
        prepare_environment(Path(folder), hub.url)
        publish_models(hub, Path(folder) / "models")
        publish_corpora(hub, Path(folder))
        from sbert_lab.cli import main as sbert_lab

        failed = []
        for table in tables or TABLES:
            began = time.time()
            rows = ["--rows", *CHOSEN[table]] if table in CHOSEN else []
            code = sbert_lab(["evaluate", table, "--seeds", "1", *rows])
            print(f"== {table}: exit code {code} after {time.time() - began:.0f} s", flush=True)
            failed += [table] * bool(code)
        asked = " ".join(hub.requests)
        unused = [name for _, name, _ in hub.repositories if name not in asked]
        print(
            f"failed: {', '.join(failed) or 'none'}; never asked for: {', '.join(unused) or 'none'}"
        )
        return len(failed)


def prepare_environment(folder: Path, url: str) -> None:
    """Nothing of this machine's caches, runs and results is read or written."""
    named = {"HF_HOME": "hf", "SBERT_LAB_RUNS": "runs", "SBERT_LAB_RESULTS": "results"}
    os.environ |= {name: str(folder / place) for name, place in named.items()}
    os.environ |= {"HF_ENDPOINT": url, "SBERT_LAB_PROFILE": "paper"}
    os.environ |= {"SBERT_LAB_DATA": str(folder / "local"), "HF_HUB_DISABLE_PROGRESS_BARS": "1"}
    os.environ.pop("HF_HUB_OFFLINE", None)
    (folder / "local").mkdir()


# ---- models


def publish_models(hub: FakeHub, folder: Path) -> None:
    """As on the hub: weights of the pretraining network, BERT's with the old names of its norms."""
    import torch
    from safetensors.torch import load_file, save_file
    from transformers import BertConfig, BertForPreTraining, RobertaConfig, RobertaForMaskedLM

    from sbert_lab.profiles import PROFILES

    torch.manual_seed(0)
    shape = {"hidden_size": 32, "num_hidden_layers": 2, "num_attention_heads": 2}
    shape |= {"intermediate_size": 64, "vocab_size": 12_000, "initializer_range": 0.2}
    bert = BertForPreTraining(BertConfig(**shape))
    roberta = RobertaForMaskedLM(
        RobertaConfig(max_position_embeddings=514, type_vocab_size=1, **shape)
    )
    profile = PROFILES["paper"]
    for model, ours, pinned in (
        (bert, "mini-bert", profile.backbone),
        (roberta, "mini-roberta", profile.roberta),
    ):
        place = folder / ours
        model.save_pretrained(place)
        for name in ("tokenizer.json", "tokenizer_config.json"):
            shutil.copy(ROOT / "data" / "models" / ours / name, place)
        weights = load_file(place / "model.safetensors")
        if model is bert:
            old = {"LayerNorm.weight": "LayerNorm.gamma", "LayerNorm.bias": "LayerNorm.beta"}
            weights = {_renamed(name, old): value for name, value in weights.items()}
        save_file(weights, place / "model.safetensors", metadata={"format": "pt"})
        files = {path.name: path.read_bytes() for path in place.iterdir()}
        hub.add("models", *pinned.split("@"), {**files, "pytorch_model.bin": b"a pickle"})


def _renamed(name: str, changes: dict[str, str]) -> str:
    for new, old in changes.items():
        name = name.replace(new, old)
    return name


# ---- corpora


def publish_corpora(hub: FakeHub, folder: Path) -> None:
    """Tables from data/mini's rows, the tar from its files' first lines; the rest is local."""
    from sbert_lab import data
    from sbert_lab.data.corpus import HubArchive, HubTable
    from sbert_lab.data.formats import READERS
    from sbert_lab.data.local import find_files

    stage = folder / "downstream"
    mini = ROOT / "data" / "mini"
    for name, corpus in list(data.CORPORA.items()):
        counts = {}
        for split in corpus.splits:
            if isinstance(corpus.hub, HubTable):
                counts[split] = min(ROWS, len(data.load(name, split, profile="mini")))
            elif corpus.in_mini and not corpus.parts and not corpus.own:
                target = stage if isinstance(corpus.hub, HubArchive) else folder / "local"
                copy_heads(find_files(corpus, split, mini), mini, target)
                files = find_files(corpus, split, target)
                counts[split] = len(list(READERS[corpus.reader](files)))
        if isinstance(corpus.hub, HubTable):
            splits = {corpus.hub.splits[split]: _columns(corpus, split) for split in counts}
            files = table_files(corpus.hub.config, splits)
            hub.add("datasets", corpus.hub.id, corpus.hub.revision, files)
        if counts:
            data.CORPORA[name] = dataclasses.replace(corpus, splits=counts)
    tar = data.get_corpus("mr").hub
    members = [(p.relative_to(folder).as_posix(), p) for p in sorted(stage.rglob("*"))]
    content = tar_of((name, path.read_bytes()) for name, path in members if path.is_file())
    hub.add("datasets", tar.id, tar.revision, {tar.file: content})
    write_local(folder / "local", mini)


def _columns(corpus, split: str) -> dict[str, list]:
    """Evenly chosen rows under the hub's names; where there are labels, one row has none."""
    from sbert_lab import data

    rows = data.load(corpus.name, split, profile="mini")
    step = max(1, len(rows) // ROWS)
    chosen = rows.select(range(0, len(rows), step)).select(range(min(ROWS, len(rows))))
    found = {theirs: list(chosen[ours]) for ours, theirs in corpus.hub.columns.items()}
    if "label" in found:
        found = {name: [*values, values[0]] for name, values in found.items()}
        found["label"][-1] = -1
    return found


def copy_heads(files: list[Path], source: Path, target: Path) -> None:
    for path in files:
        copy = target / path.relative_to(source)
        copy.parent.mkdir(parents=True, exist_ok=True)
        lines = path.read_bytes().splitlines(keepends=True)
        most = 300 if path.suffix == ".label" else ROWS  # TREC: ten folds need ten of each label
        copy.write_bytes(b"".join(lines[:most]))


def write_local(local: Path, mini: Path) -> None:
    """GloVe's text format with our word vectors, and running text in WikiText-2's place."""
    from sbert_lab.word_vectors import WordVectors

    ours = WordVectors.load("word-vectors")
    (local / "glove").mkdir()
    with open(local / "glove" / "glove.6B.300d.txt", "w", encoding="utf-8") as file:
        for word, vector in list(zip(ours.words, ours.vectors, strict=True))[:2000]:
            file.write(f"{word} {' '.join(f'{value:.4f}' for value in vector)}\n")
    (local / "wikitext2").mkdir()
    text = (mini / "wiki_sections" / "train_articles.txt").read_text(encoding="utf-8")
    lines = [  # WikiText has a space before a full stop, and a paragraph on each line
        f"\n{line}\n" if line.startswith("=") else f"{line[:-1]} {line[-1:]} "
        for line in text.splitlines()[:300]
    ]
    (local / "wikitext2" / "wiki.train.raw").write_text("".join(lines), encoding="utf-8")


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
