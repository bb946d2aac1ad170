"""Score the models and write their cards and data/models/manifest.json.

    SBERT_LAB_DATA=/path/to/corpora python data/build/model_cards.py

Every figure on a card comes out of this script or of the records in data/results/pretraining.
"""

import sys
from pathlib import Path

from sbert_lab import data
from sbert_lab.encoder import SentenceEncoder
from sbert_lab.encoder_folder import write_digests
from sbert_lab.experiments.evaluation.sts import score_pairs
from sbert_lab.files import read_json, sha256, write_bytes, write_json
from sbert_lab.paths import data_dir

SETS = {
    "real STSb dev": ("stsb", "dev", "real"),
    "real STSb test": ("stsb", "test", "real"),
    "real SICK-R test": ("sick", "test", "real"),
    "mini STSb test": ("stsb", "test", "mini"),
    "mini SICK-R test": ("sick", "test", "mini"),
    "mini STS12": ("sts12", "test", "mini"),
    "mini STS14": ("sts14", "test", "mini"),
    "mini STS16": ("sts16", "test", "mini"),
}
POOLINGS = ("mean", "max", "cls")
FAMILY = {
    "mini-bert": "BERT: WordPiece, hidden words and next-sentence prediction",
    "mini-roberta": "RoBERTa: byte-level BPE, hidden words only",
    "mini-bert-2": "BERT, second generation: wider, more pieces, seventeen times the text",
    "mini-sbert": "mini-bert-2 taught by a larger encoder",
}


def score(name: str, sets: dict) -> dict[str, dict[str, float]]:
    """Spearman x 100 of the cosine, per set and pooling (mini-sbert: its own pooling only)."""
    poolings = POOLINGS if name != "mini-sbert" else ("mean",)
    encoders = {pooling: SentenceEncoder.load(name, pooling=pooling) for pooling in poolings}
    return {
        label: {p: round(score_pairs(e.encode, rows).spearman, 1) for p, e in encoders.items()}
        for label, rows in sets.items()
    }


def score_table(scores: dict[str, dict[str, float]]) -> list[str]:
    poolings = list(next(iter(scores.values())))
    lines = ["| set (Spearman x 100) | " + " | ".join(p.upper() for p in poolings) + " |"]
    lines.append("|---" * (len(poolings) + 1) + "|")
    for label, row in scores.items():
        lines.append(f"| {label} | " + " | ".join(f"{row[p]:.1f}" for p in poolings) + " |")
    return lines


def curve_table(steps: list[int], losses: list[float], unit: str) -> list[str]:
    """Ten points of a loss curve."""
    every = max(1, len(steps) // 10)
    points = list(zip(steps, losses, strict=True))[every - 1 :: every]
    head = f"| {unit} | " + " | ".join(f"{step:,}" for step, _ in points) + " |"
    body = "| loss | " + " | ".join(f"{loss:.2f}" for _, loss in points) + " |"
    return [head, "|---" * (len(points) + 1) + "|", body]


def pretraining_lines(record: dict) -> list[str]:
    if "tokens" in record:
        return second_generation_lines(record)
    lines = []
    for name, stage in record["stages"].items():
        cut = "" if stage["steps"] == stage["planned_steps"] else " (cut short; then stage two)"
        lines += [
            f"Stage {name}: {stage['steps']:,} of {stage['planned_steps']:,} steps{cut}, at most "
            f"{stage['batch_tokens']:,} tokens a step, "
            f"peak learning rate {stage['learning_rate']}, {stage['rows']:,} texts.",
            "",
            *curve_table(stage["curve_steps"], stage["curve_losses"], "step"),
            "",
        ]
    lines.append(
        f"Computing time, as the progress bars showed it: {record['hours']} hours on one core."
    )
    return lines


def second_generation_lines(record: dict) -> list[str]:
    """One long run: a steady rate, then one that falls to nothing."""
    held_out = record["held_out"]
    return [
        f"{record['tokens'] / 1e6:.1f} million tokens in {record['steps']:,} steps; from "
        f"{record['falling_from'] / 1e6:.1f} million on the rate fell to nothing. Batches of 4,096 "
        "tokens, at the end two of them a step; Muon for the layers' matrices, AdamW for the rest.",
        "",
        *curve_table(record["curve_tokens"], record["curve_losses"], "tokens"),
        "",
        "Loss of hidden words in texts that were kept aside: "
        + ", ".join(f"{kind} {loss:.2f}" for kind, loss in held_out.items())
        + f". Computing time: {record['hours']} hours, part of it on one core, part on two.",
    ]


def teaching_lines(record: dict) -> list[str]:
    """What mini-sbert learned from, and what follows for what it can prove."""
    config = record["config"]
    scores = ", ".join(f"{score:.1f}" for score in record["stsb_dev_by_epoch"])
    return [
        f"It was then taught by a larger one, {record['teacher']} (22 million parameters), with "
        f"{record['sentences']:,} sentences and no label, score or pair: the cosines among the "
        "sentences of a batch should be the teacher's, and a linear map, thrown away afterwards, "
        f"should turn its vectors into the teacher's. {config['epochs']} epochs, batches of "
        f"{config['batch_size']}, peak learning rate {config['learning_rate']}, MEAN pooling. The "
        "sentences: some of the backbone's text, drawn without looking, and all training text of "
        "our own NLI and articles. This is not the paper's method but one that came after it: "
        "notebook 17 says more, and notebook 05 shows the paper's.",
        "",
        "**What it cannot prove.** Its teacher has seen a billion pairs, among them SNLI, MultiNLI "
        "and Quora's duplicate questions. So a good score of mini-sbert says that a small network "
        "can *hold* such a geometry, not that labels of NLI taught it. Tables of the course show "
        "it beside the paper's systems, never as one of them.",
        "",
        f"Real STSb dev: {record['stsb_dev_before']} before; after each epoch {scores}.",
        "",
        *curve_table(record["curve_rows"], record["curve_losses"], "sentences seen"),
    ]


TEXT = (
    "Text: the *train* splits of SNLI (20,000 pairs), MultiNLI (29,340 pairs), WikiText-2 and "
    "Tatoeba (191,460 sentences); in stage two also the training text of our mini corpora, three "
    "times. Nothing of STSb, SICK, Quora or UKP ASPECT, no dev or test split. The word embeddings "
    "started from glove.6B.50d (public domain) in their first 50 of 128 dimensions for every piece "
    "that is a whole word; everything else started at random."
)
TEXT_2 = (
    "Text: about 900 old books in the public domain, open textbooks, WikiText-2, Tatoeba, the "
    "*train* splits of SNLI (163,976 pairs) and MultiNLI (118,208 pairs), and the training text of "
    "our mini corpora. Nothing of STSb, SICK, STS12-16, Quora or SentEval, no dev or test split. "
    "The network fills in hidden words and says whether two texts belong together; in pairs that "
    "say nearly the same, words are hidden on one side only. Pieces that are whole words started "
    "from spaCy's vectors (CC0), reduced from 300 to 256 numbers; everything else at random."
)
TEXTS = {
    "mini-bert-2": TEXT_2,
    "mini-sbert": "It starts from mini-bert-2; see that card for its text.",
}
LICENCES = {
    "mini-bert-2": "Apache-2.0 for the weights. Their text: public domain (books), "
    "open textbooks, SNLI CC BY-SA 4.0, MultiNLI mixed (free to use), WikiText CC BY-SA, Tatoeba "
    "CC BY 2.0 FR, word vectors CC0."
}
LICENCES["mini-sbert"] = f"{LICENCES['mini-bert-2']} The teacher is Apache-2.0."
LICENCE = (
    "Apache-2.0 for the weights. Their text: SNLI CC BY-SA 4.0, MultiNLI mixed (free to use), "
    "WikiText CC BY-SA, Tatoeba CC BY 2.0 FR, GloVe PDDL."
)
LIMITS = (
    "English only, lower-cased, 128 tokens at most. Text in other scripts or emoji becomes unknown "
    "or single-byte pieces: it embeds, but the vector means little. A model of this size shows "
    "mechanisms; for real use take a full-size encoder. It has the biases of its text (captions, "
    "encyclopedia, fiction, telephone speech)."
)


def maker(record: dict) -> str:
    """The script that wrote the record, and the end of the code span around it."""
    if "teacher" in record:
        return "teach_sbert.py` with the course's own training loop"
    return "pretraining/pretrain.py`" if "tokens" in record else "pretrain.py` (in the history)"


def write_card(name: str, scores: dict) -> None:
    record = read_json(data_dir("results", "pretraining", f"{name}.json"))
    encoder = SentenceEncoder.load(name)
    config = encoder.backbone.config
    parameters = sum(p.numel() for p in encoder.parameters())
    how = teaching_lines(record) if "teacher" in record else pretraining_lines(record)
    lines = [
        f"# {name}",
        "",
        f"{FAMILY[name]}. {config.num_hidden_layers} layers, {config.hidden_size} wide, "
        f"{config.num_attention_heads} heads, {config.vocab_size:,} pieces, "
        f"{parameters:,} parameters, float32.",
        "",
        "## How it was made",
        TEXTS.get(name, TEXT),
        "",
        *how,
        "",
        f"Made by `data/build/{maker(record)}.",
        "",
        "## Scores",
        *score_table(scores),
        "",
        "## Limits",
        LIMITS,
        "",
        "## Licence",
        LICENCES.get(name, LICENCE),
    ]
    folder = data_dir("models", name)
    write_bytes(folder / "README.md", ("\n".join(lines) + "\n").encode())
    (folder / "sbert_lab.json").unlink(missing_ok=True)
    write_digests(folder)


def write_manifest() -> None:
    """The sha256 of every file under data/models."""
    root = data_dir("models")
    files = sorted(p for p in root.rglob("*") if p.is_file() and p.name != "manifest.json")
    digests = {p.relative_to(root).as_posix(): sha256(p) for p in files}
    write_json(root / "manifest.json", {"sha256": digests})


def main() -> int:
    sets = {label: data.load(n, split, profile=p) for label, (n, split, p) in SETS.items()}
    results = {}
    for name in FAMILY:
        if Path(data_dir("models", name)).is_dir():
            results[name] = score(name, sets)
            write_card(name, results[name])
            print(name, results[name], flush=True)
    write_json(data_dir("results", "pretraining", "scores.json"), results)
    write_manifest()
    return 0


if __name__ == "__main__":
    sys.exit(main())
