"""Named systems, trained on first use in the current profile and kept under runs/zoo.

    from sbert_lab import zoo

    encoder = zoo.get("sbert-nli", seed=1)   # trains with a progress bar, or opens what is there

Two notebooks that ask for the same system at once train it once: the second waits.
"""

import shutil
import time
from dataclasses import asdict
from pathlib import Path

from sbert_lab.errors import InputError
from sbert_lab.experiments.recipes import (
    BACKBONES,
    BUILDERS,
    RECIPES,
    Builder,
    Recipe,
    get_recipe,
    register,
)
from sbert_lab.experiments.systems import SYSTEMS
from sbert_lab.experiments.zoo.key import system_key
from sbert_lab.experiments.zoo.rows import rows_of
from sbert_lab.experiments.zoo.starts import pretrained, random_encoder, word_encoder
from sbert_lab.files import atomic_folder, locked, read_json, write_json
from sbert_lab.paths import runs_dir
from sbert_lab.profiles import Profile, as_profile
from sbert_lab.training import train
from sbert_lab.training.processes import works_alone

__all__ = [
    "BUILDERS",
    "RECIPES",
    "SYSTEMS",
    "Builder",
    "Recipe",
    "about",
    "folder_of",
    "get",
    "get_recipe",
    "is_trained",
    "names",
    "random_encoder",
    "register",
    "rows_of",
]

ABOUT, MODEL = "zoo.json", "model"


def names() -> list[str]:
    """The systems that get() knows."""
    return sorted(RECIPES)


def get(
    name: str, *, seed: int = 1, profile: str | Profile | None = None, show_progress: bool = True
):
    """The system of that name: a SentenceEncoder, or a CrossEncoder for the cross- names.

    Systems without a BERT in them (infersent-nli, use-nli, ...) are WordEncoders. Every call
    opens a fresh copy, so changing one changes no other.
    """
    recipe, scale = get_recipe(name), as_profile(profile)
    folder = _ready(recipe, seed, scale, show_progress)
    said = read_json(folder / ABOUT)["data"]
    if said["partial"]:
        print(f"{name}, profile {scale.name}: trained on {recipe.corpus}, {said['text']}")
    return BUILDERS[recipe.builder].load(folder / MODEL)


def about(name: str, *, seed: int = 1, profile: str | Profile | None = None) -> dict:
    """How a trained system came to be: settings, data, seconds, history of the loss."""
    folder = folder_of(name, seed=seed, profile=profile)
    if not (folder / ABOUT).is_file():
        raise InputError(f"{name!r} with seed {seed} is not trained yet: call zoo.get() first")
    return read_json(folder / ABOUT)


def is_trained(name: str, *, seed: int = 1, profile: str | Profile | None = None) -> bool:
    """Whether get() would open it at once."""
    return (folder_of(name, seed=seed, profile=profile) / ABOUT).is_file()


def folder_of(name: str, *, seed: int = 1, profile: str | Profile | None = None) -> Path:
    """Where a system is kept; its name ends in the digest of all that made it."""
    return runs_dir("zoo", f"{name}-{system_key(get_recipe(name), seed, as_profile(profile))}")


def _ready(recipe: Recipe, seed: int, profile: Profile, show_progress: bool) -> Path:
    """The finished folder; trained first if it is not there."""
    folder = folder_of(recipe.name, seed=seed, profile=profile)
    if (folder / ABOUT).is_file():
        return folder
    if not works_alone():
        raise InputError(
            "under torchrun the first process asks the zoo, and the others help it train: run "
            "`torchrun ... -m sbert_lab evaluate tableN`, or ask inside training.one_leads()"
        )
    lock = folder.with_name(f"{folder.name}.lock")
    note = f"{recipe.name}: another process is training it; waiting for its result"
    with locked(lock, waiting=note):
        if not (folder / ABOUT).is_file():
            _train(recipe, seed, profile, folder, show_progress)
    return folder


def _train(recipe: Recipe, seed: int, profile: Profile, folder: Path, show_progress: bool) -> None:
    found = rows_of(recipe, profile)
    start = _start(recipe, seed, profile, show_progress)
    builder = BUILDERS[recipe.builder]
    task = builder.build(recipe, start, seed)
    config = recipe.config(profile, seed)
    work = folder.with_name(f"{folder.name}.training")
    began = time.perf_counter()
    history = train(task, found.rows, config, run_dir=work, show_progress=show_progress)
    record = {
        "name": recipe.name,
        "profile": profile.name,
        "seed": seed,
        "recipe": asdict(recipe),
        "settings": asdict(config),
        "data": found.about(),
        "seconds": round(time.perf_counter() - began, 1),
        "history": asdict(history),
    }
    with atomic_folder(folder) as new:
        builder.save(task, new / MODEL)
        write_json(new / ABOUT, record)
    shutil.rmtree(work, ignore_errors=True)


def _start(recipe: Recipe, seed: int, profile: Profile, show_progress: bool):
    """The encoder that training begins with."""
    if recipe.start is None:
        return None
    if recipe.start == "random":
        return random_encoder(profile, seed, recipe.pooling)
    if recipe.start == "words":
        return word_encoder(recipe, profile, seed)
    if recipe.start in BACKBONES:
        return pretrained(recipe, profile)
    base = get_recipe(recipe.start)
    folder = _ready(base, seed, profile, show_progress)
    builder = BUILDERS[base.builder]
    return builder.encoder_of(builder.load(folder / MODEL))
