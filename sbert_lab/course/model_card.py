"""The model card: a README.md inside a saved encoder's folder that says what it is, and is not.

    card = ModelCard(name="my-encoder", objective="in-batch negatives", start="mini-bert", ...)
    write_card(folder, card)

What the folder itself knows (pooling, width, longest input) is read from it and cannot be told
otherwise. A card without data, scores or limits is refused: that is what cards are for.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, is_dataclass
from pathlib import Path

from sbert_lab.encoder_folder import DIGESTS, read_settings
from sbert_lab.errors import CheckpointError, InputError
from sbert_lab.files import read_json, write_bytes, write_seal

README = "README.md"
SETTINGS = ("epochs", "max_steps", "batch_size", "learning_rate", "warmup_share", "seed")


@dataclass(frozen=True, kw_only=True)
class Prediction:
    """What was expected, written before training: a range for one metric, in points."""

    metric: str
    low: float
    high: float
    written: str = ""  # when, or on what evidence

    def line(self, measured: float | None) -> str:
        said = f"{self.metric} between {self.low:g} and {self.high:g}"
        when = f" ({self.written})" if self.written else ""
        if measured is None:
            return f"Written before training{when}: {said}. It was not measured."
        inside = "inside" if self.low <= measured <= self.high else "outside"
        return f"Written before training{when}: {said}. Measured: {measured:.1f}, {inside}."


@dataclass(frozen=True, kw_only=True)
class ModelCard:
    """All that a stranger needs to decide whether to use an encoder.

    `data` maps each corpus to how much of it was used (str of data.coverage). `scores` maps each
    system to its scores in points: this encoder under its `name`, and others for comparison.
    `settings` is a TrainConfig or a mapping.
    """

    name: str
    start: str
    objective: str
    data: Mapping[str, object]
    pairs_seen: int
    settings: object
    scores: Mapping[str, Mapping[str, float]]
    limits: Sequence[str]
    profile: str = "mini"
    seeds: int = 1
    tests: Mapping[str, str] = field(default_factory=dict)
    prediction: Prediction | None = None
    licence: str = ""

    def __post_init__(self) -> None:
        for name in ("name", "start", "objective", "data", "settings", "scores", "limits"):
            if not getattr(self, name):
                raise InputError(f"a card needs {name}: it is empty")
        for corpus, covered in self.data.items():
            if not str(covered).strip():
                raise InputError(f"say how much of {corpus} was used: str(data.coverage(...))")
        if self.name not in self.scores:
            raise InputError(
                f"the scores are of {', '.join(self.scores)}, but {self.name}'s own are missing"
            )
        for system, scores in self.scores.items():
            broken = [name for name, value in scores.items() if not math.isfinite(value)]
            if broken:
                raise InputError(f"{system}: the score {broken[0]!r} is not a finite number")

    @property
    def own(self) -> Mapping[str, float]:
        return self.scores[self.name]


def write_card(folder: str | Path, card: ModelCard) -> Path:
    """Write README.md into a saved encoder's folder, all or nothing, and return its path."""
    folder = Path(folder)
    if not (folder / "modules.json").is_file():
        raise CheckpointError(f"{folder} has no modules.json: save the encoder there first")
    content = card_text(folder, card).encode("utf-8")
    _release(folder)
    write_bytes(folder / README, content)
    return folder / README


def card_text(folder: str | Path, card: ModelCard) -> str:
    """The card as Markdown, with the header that the hub reads."""
    blocks = [_header(), f"# {card.name}", "", *_what(Path(folder), card), "", "## Data", ""]
    blocks += ["| corpus | used |", "|---|---|"]
    blocks += [f"| {_cell(name)} | {_cell(covered)} |" for name, covered in card.data.items()]
    blocks += ["", "## Training", "", *_training(card), "", "## Prediction", "", _prediction(card)]
    blocks += ["", "## Scores", "", *_scores(card), "", "## Limits", ""]
    blocks += [f"- {limit}" for limit in [*card.limits, *_own_limits(card)]]
    blocks += ["", "## Use", "", *_use(card)]
    if card.licence:
        blocks += ["", "## Licence", "", card.licence]
    return "\n".join(blocks) + "\n"


def _header() -> str:
    fields = {
        "library_name": "sentence-transformers",
        "pipeline_tag": "sentence-similarity",
        "language": "en",
        "tags": ["sentence-transformers", "feature-extraction"],
    }
    lines = [f"{key}: {json.dumps(value)}" for key, value in fields.items()]
    return "\n".join(["---", *lines, "---", ""])


def _what(folder: Path, card: ModelCard) -> list[str]:
    settings = read_settings(folder)
    width = read_json(folder / "config.json").get("hidden_size", "?")
    form = "of length 1" if settings.normalize else "of any length"
    return [
        f"A sentence encoder: {card.start}, {(settings.pooling or 'mean').upper()} pooling, "
        f"trained with the objective *{card.objective}*. Vectors have {width} numbers and are "
        f"{form}; at most {settings.max_length} tokens are read.",
    ]


def _training(card: ModelCard) -> list[str]:
    given = asdict(card.settings) if is_dataclass(card.settings) else dict(card.settings)
    kept = {key: given[key] for key in SETTINGS if given.get(key) is not None} or given
    lines = [
        f"{card.pairs_seen:,} rows seen, {card.seeds} seed{'s' if card.seeds != 1 else ''}.",
        "",
    ]
    lines += ["| setting | value |", "|---|---|"]
    return lines + [f"| {_cell(key)} | {_cell(value)} |" for key, value in kept.items()]


def _prediction(card: ModelCard) -> str:
    if card.prediction is None:
        return "None was written before training."
    return card.prediction.line(card.own.get(card.prediction.metric))


def _scores(card: ModelCard) -> list[str]:
    columns = list(card.scores)
    names = list(dict.fromkeys(name for scores in card.scores.values() for name in scores))
    lines = [f"In points, profile {card.profile}.", ""]
    lines += ["| test | rows | " + " | ".join(map(_cell, columns)) + " |"]
    lines += ["|---|---" + "|---" * len(columns) + "|"]
    for name in names:
        values = [card.scores[column].get(name) for column in columns]
        shown = ["-" if value is None else f"{value:.1f}" for value in values]
        lines.append(f"| {_cell(name)} | {_cell(card.tests.get(name, ''))} | {' | '.join(shown)} |")
    return lines


def _own_limits(card: ModelCard) -> list[str]:
    """What follows from the card's own figures, whoever writes it."""
    limits = []
    if card.seeds == 1:
        limits.append("One seed: another one would move these scores, by how much is not known.")
    if card.profile == "mini":
        limits.append(
            "Scored on small sets of the course's own: not comparable with published ones."
        )
    return limits


def _use(card: ModelCard) -> list[str]:
    return [
        "```python",
        "from sentence_transformers import SentenceTransformer",
        "",
        'encoder = SentenceTransformer("path/to/this/folder")',
        'vectors = encoder.encode(["A sentence.", "Another one."])',
        "```",
    ]


def _cell(value: object) -> str:
    return str(value).replace("|", "\\|").replace("\n", " ")


def _release(folder: Path) -> None:
    """Take an older card out of the folder's digests, or the new one would look like damage."""
    path = folder / DIGESTS
    if not path.is_file():
        return
    known = read_json(path)
    if README in known.get("sha256", {}):
        kept = {name: digest for name, digest in known["sha256"].items() if name != README}
        write_seal(path, {**known, "sha256": kept})
