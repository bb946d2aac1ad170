"""From a system's id to the system itself: something with encode(), or with predict() for pairs."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Sequence
from functools import partial
from types import SimpleNamespace
from typing import TYPE_CHECKING

from sbert_lab.errors import InputError
from sbert_lab.experiments import minilm, published, zoo
from sbert_lab.experiments.systems import TABLE, System, get_system

if TYPE_CHECKING:
    from sbert_lab.profiles import Profile, TrainConfig


def build(id: str, profile: Profile, seed: int = 1) -> object:
    """The system of that id: trained first if it is not there yet, opened afresh otherwise."""
    system = get_system(id)
    if system.how == TABLE:
        raise InputError(f"{id!r} is made by its table from the table's own rows: see its module")
    return MAKERS[system.how](system, profile, seed)


def train_task(
    task: object, rows: Sequence[dict], config: TrainConfig, *, show_progress: bool = False
) -> None:
    """Train a task in a folder that goes afterwards: for a network that only one row asks for."""
    from sbert_lab.training import train

    with tempfile.TemporaryDirectory() as folder:
        train(task, rows, config, run_dir=folder, show_progress=show_progress)


def _words(system: System, profile: Profile, seed: int) -> object:
    from sbert_lab.word_vectors import WordVectors

    return WordVectors.from_glove() if system.of == "glove" else WordVectors.load(system.of)


def _content_words(system: System, profile: Profile, seed: int) -> object:
    vectors = _words(system, profile, seed)
    return SimpleNamespace(encode=partial(vectors.encode, drop_stop_words=True))


def _model(system: System, profile: Profile, seed: int) -> object:
    """A saved model as it is; with a pooling, the profile's backbone or roberta under it."""
    from sbert_lab.encoder import SentenceEncoder

    if system.pooling is None:
        return SentenceEncoder.load(system.of)
    name = getattr(profile, system.of)
    return SentenceEncoder.load(name, pooling=system.pooling, max_length=profile.max_length)


def _random(system: System, profile: Profile, seed: int) -> object:
    return zoo.random_encoder(profile, seed, pooling=system.pooling)


def _wheel(system: System, profile: Profile, seed: int) -> object:
    return minilm.load()


def _published(system: System, profile: Profile, seed: int) -> object:
    return getattr(published, system.of)()


def _recipe(system: System, profile: Profile, seed: int) -> object:
    return zoo.get(system.of or system.id, seed=seed, profile=profile, show_progress=False)


def _minilm_recipe(system: System, profile: Profile, seed: int) -> object:
    return _recipe(system, minilm.as_backbone(profile), seed)


def _constant(system: System, profile: Profile, seed: int) -> object:
    from sbert_lab.experiments.evaluation.sections import constant_encoder

    return SimpleNamespace(encode=constant_encoder)


def _cue(system: System, profile: Profile, seed: int) -> object:
    """predict(first, second): larger means closer."""
    from sbert_lab.experiments.evaluation.sections import CUES

    return SimpleNamespace(predict=lambda *sides: list(map(CUES[system.of], *sides)))


def _overlap(system: System, profile: Profile, seed: int) -> object:
    from sbert_lab.experiments.baselines.svr import OverlapSVR

    return OverlapSVR()


def _lookup(system: System, profile: Profile, seed: int) -> object:
    from sbert_lab.experiments.baselines.lookup import LookUpTable

    return LookUpTable(seed=seed)


def _pairs(system: System, profile: Profile, seed: int, *, shuffled: bool = False) -> object:
    from sbert_lab.experiments.learners import PairLearner, settings

    if system.of == "bilstm":
        from sbert_lab.word_encoder import WordEncoder

        start = WordEncoder.fresh("word-vectors", seed=seed, network="bilstm", pooling="max")
    else:
        start = build("raw-mean", profile, seed)
    config = settings(system.of, profile, seed)
    return PairLearner(system.of, start, config, shuffled=shuffled)


MAKERS: dict[str, Callable[[System, Profile, int], object]] = {
    "words": _words,
    "content words": _content_words,
    "model": _model,
    "random": _random,
    "wheel": _wheel,
    "published": _published,
    "recipe": _recipe,
    "MiniLM recipe": _minilm_recipe,
    "constant": _constant,
    "cue": _cue,
    "overlap": _overlap,
    "lookup": _lookup,
    "pairs": _pairs,
    "shuffled pairs": partial(_pairs, shuffled=True),
}
