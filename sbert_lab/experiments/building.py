"""From a system's id to the system itself: something with encode(), or with predict() for pairs."""

import tempfile
from collections.abc import Callable, Sequence
from functools import partial
from types import SimpleNamespace

from sbert_lab.encoder import SentenceEncoder
from sbert_lab.errors import InputError
from sbert_lab.experiments import minilm, published, zoo
from sbert_lab.experiments.baselines.lookup import LookUpTable
from sbert_lab.experiments.baselines.svr import OverlapSVR
from sbert_lab.experiments.evaluation.sections import CUES, constant_encoder
from sbert_lab.experiments.learners import PairLearner, settings
from sbert_lab.experiments.systems import TABLE, System, get_system
from sbert_lab.profiles import Profile, TrainConfig
from sbert_lab.training import train
from sbert_lab.word_encoder import WordEncoder
from sbert_lab.word_vectors import WordVectors


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
    with tempfile.TemporaryDirectory() as folder:
        train(task, rows, config, run_dir=folder, show_progress=show_progress)


def _words(name: str) -> WordVectors:
    return WordVectors.from_glove() if name == "glove" else WordVectors.load(name)


def _model(system: System, profile: Profile, seed: int) -> SentenceEncoder:
    """A saved model as it is; with a pooling, the profile's backbone or roberta under it."""
    if system.pooling is None:
        return SentenceEncoder.load(system.of)
    name = getattr(profile, system.of)
    return SentenceEncoder.load(name, pooling=system.pooling, max_length=profile.max_length)


def _recipe(system: System, profile: Profile, seed: int) -> object:
    return zoo.get(system.of or system.id, seed=seed, profile=profile, show_progress=False)


def _pairs(system: System, profile: Profile, seed: int, *, shuffled: bool = False) -> PairLearner:
    if system.of == "bilstm":
        start = WordEncoder.fresh("word-vectors", seed=seed, network="bilstm", pooling="max")
    else:
        start = build("raw-mean", profile, seed)
    return PairLearner(system.of, start, settings(system.of, profile, seed), shuffled=shuffled)


def _encodes(encode: Callable) -> object:
    return SimpleNamespace(encode=encode)


def _judges(cue: Callable[[str, str], float]) -> object:
    """predict(first, second): larger means closer."""
    return SimpleNamespace(predict=lambda *sides: list(map(cue, *sides)))


MAKERS: dict[str, Callable[[System, Profile, int], object]] = {
    "words": lambda system, profile, seed: _words(system.of),
    "content words": lambda system, profile, seed: _encodes(
        partial(_words(system.of).encode, drop_stop_words=True)
    ),
    "model": _model,
    "random": lambda system, profile, seed: zoo.random_encoder(profile, seed, system.pooling),
    "wheel": lambda system, profile, seed: minilm.load(),
    "published": lambda system, profile, seed: getattr(published, system.of)(),
    "recipe": _recipe,
    "MiniLM recipe": lambda system, profile, seed: _recipe(
        system, minilm.as_backbone(profile), seed
    ),
    "constant": lambda system, profile, seed: _encodes(constant_encoder),
    "cue": lambda system, profile, seed: _judges(CUES[system.of]),
    "overlap": lambda system, profile, seed: OverlapSVR(),
    "lookup": lambda system, profile, seed: LookUpTable(seed=seed),
    "pairs": _pairs,
    "shuffled pairs": partial(_pairs, shuffled=True),
}
