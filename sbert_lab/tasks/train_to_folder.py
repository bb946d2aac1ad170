"""One objective, one corpus, one folder: what `sbert-lab train` does."""

import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from sbert_lab.data import load
from sbert_lab.encode_to_file import read_lines
from sbert_lab.encoder import SentenceEncoder
from sbert_lab.errors import InputError
from sbert_lab.profiles import Profile
from sbert_lab.tasks.cross_encoder import CrossEncoder
from sbert_lab.tasks.siamese import Siamese
from sbert_lab.training import train

CORPORA = {"regression": "stsb", "triplet": "wiki_sections"}


def train_to_folder(
    output: Path,
    profile: Profile,
    *,
    objective: str = "classification",
    cross_encoder: bool = False,
    backbone: str | None = None,
    pooling: str | None = None,
    data: str | None = None,
    partial: bool = False,
    rows: int | None = None,
    **changed: object,
) -> Iterator[str]:
    """Train from the profile's settings, some of them changed, and save; says what it does."""
    if rows is not None and rows < 1:
        raise InputError(f"--rows must be at least 1, got {rows}: leave it out to take all")
    if output.is_file():
        raise InputError(f"{output} is a file: name a folder that the model can go into")
    settings = {"classification": profile.train, "regression": profile.sts}
    config = replace(settings.get(objective, profile.sections), **changed)
    name = data or CORPORA.get(objective, profile.nli)
    if name.endswith(".jsonl"):
        chosen = read_jsonl(name)
    else:
        chosen = list(load(name, "train", profile=profile, partial=partial))
    chosen = chosen[:rows]
    encoder = SentenceEncoder.load(backbone or profile.backbone, pooling=pooling)
    kind = CrossEncoder if cross_encoder else Siamese
    task = kind(encoder, objective, seed=config.seed)
    yield f"{len(chosen):,} rows, objective {objective}, {profile}"
    history = train(task, chosen, config, run_dir=output.with_name(output.name + ".run"))
    (task if cross_encoder else encoder).save(output)
    yield f"loss {history.losses[0]:.3f} -> {history.losses[-1]:.3f}; saved in {output}"


def read_jsonl(path: str | Path) -> list[dict]:
    """Rows of a .jsonl file; a broken line is named."""
    rows = []
    for number, line in enumerate(read_lines(path), start=1):
        if line.strip():
            try:
                rows.append(json.loads(line))
            except (ValueError, RecursionError) as error:
                raise InputError(f"{path}, line {number}: not JSON ({error})") from error
    return rows
