"""How a trained system is made. A recipe is data: corpus, task, settings, where it starts.

The recipes themselves stand in systems.py; one that is only for you needs register(Recipe(...)).
If no task of BUILDERS will do, write a function (recipe, encoder, seed) -> task into it. Change
what a recipe means: bump its version.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from operator import attrgetter
from pathlib import Path

from sbert_lab.encoder import SentenceEncoder
from sbert_lab.errors import InputError, require_choice
from sbert_lab.profiles import Profile, TrainConfig
from sbert_lab.tasks import CrossEncoder, Siamese
from sbert_lab.word_encoder import WordEncoder

SETTINGS = ("train", "sts", "sections", "words")  # the profile's TrainConfigs
BACKBONES = ("backbone", "roberta")  # the profile's models


@dataclass(frozen=True, kw_only=True)
class Recipe:
    """One system: trained on `corpus` (see zoo/rows.py) from `start`.

    `start` is 'backbone' or 'roberta' (the profile's models), 'random' or 'words' (see
    zoo/starts.py), another recipe's name, or None for tasks that bring their own weights.
    `builder` names how the task is made, saved and opened; `network` is a WordEncoder's.
    """

    name: str
    corpus: str
    settings: str
    start: str | None = "backbone"
    builder: str = "siamese"
    objective: str = "classification"
    concatenation: str = "(u, v, |u-v|)"
    pooling: str = "mean"
    network: str | None = None
    split: str = "train"
    shuffled: bool = False
    version: int = 1

    def __post_init__(self) -> None:
        require_choice("settings", self.settings, SETTINGS)
        require_choice("builder", self.builder, BUILDERS)

    def config(self, profile: Profile, seed: int) -> TrainConfig:
        """The profile's settings for this kind of training, with the seed put in."""
        return replace(getattr(profile, self.settings), seed=seed)


@dataclass(frozen=True)
class Builder:
    """`build(recipe, encoder, seed) -> task`, `save(task, folder)`, `load(folder) -> system`.

    The system is what zoo.get() hands out; `encoder_of(system)` is what another recipe starts from.
    """

    build: Callable[[Recipe, object, int], object]
    save: Callable[[object, Path], object]
    load: Callable[[Path], object]
    encoder_of: Callable[[object], object]


def _build_siamese(recipe: Recipe, encoder: object, seed: int) -> object:
    head = {"concatenation": recipe.concatenation, "seed": seed}
    return Siamese(encoder, recipe.objective, **head)


def _save_siamese(task, folder: Path) -> None:
    """The encoder, and the softmax head beside it."""
    from safetensors.torch import save_file

    task.encoder.save(folder)
    if task.head is not None:
        tensors = {k: v.detach().cpu().contiguous() for k, v in task.head.state_dict().items()}
        save_file(tensors, folder.with_name("head.safetensors"))


def _build_cross(recipe: Recipe, encoder: object, seed: int) -> object:
    return CrossEncoder(encoder, recipe.objective, seed=seed)


BUILDERS: dict[str, Builder] = {
    "siamese": Builder(_build_siamese, _save_siamese, SentenceEncoder.load, lambda own: own),
    "words": Builder(_build_siamese, _save_siamese, WordEncoder.load, lambda own: own),
    "cross": Builder(_build_cross, CrossEncoder.save, CrossEncoder.load, attrgetter("encoder")),
}
RECIPES: dict[str, Recipe] = {}


def register(recipe: Recipe) -> Recipe:
    """Make a system known by its name."""
    if recipe.name in RECIPES and RECIPES[recipe.name] != recipe:
        raise InputError(f"the zoo has a {recipe.name!r} already: choose another name")
    RECIPES[recipe.name] = recipe
    return recipe


def get_recipe(name: str) -> Recipe:
    """The recipe of that name, or an error that lists the names."""
    return RECIPES[require_choice("system", name, RECIPES)]
