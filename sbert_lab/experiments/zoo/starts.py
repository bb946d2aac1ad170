"""Where a training begins: a pretrained backbone, random weights, or word vectors."""

import torch

from sbert_lab.encoder import SentenceEncoder
from sbert_lab.errors import CheckpointError
from sbert_lab.experiments.recipes import Recipe
from sbert_lab.profiles import Profile
from sbert_lab.word_encoder import WordEncoder

VECTORS = "word-vectors"
WORD_DROPOUT = 0.2  # averaging nets only


def pretrained(recipe: Recipe, profile: Profile):
    """The profile's backbone or roberta, with the recipe's pooling."""
    name = getattr(profile, recipe.start)
    try:
        return SentenceEncoder.load(name, pooling=recipe.pooling, max_length=profile.max_length)
    except CheckpointError as error:
        raise CheckpointError(f"{recipe.name} starts from {name}: {error}") from error


def random_encoder(profile: Profile, seed: int, pooling: str = "mean"):
    """A SentenceEncoder of the backbone's shape and tokenizer that has learned nothing at all."""
    from transformers import AutoModel

    encoder = SentenceEncoder.load(profile.backbone, pooling=pooling, max_length=profile.max_length)
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        untrained = AutoModel.from_config(encoder.backbone.config).state_dict()
    own = encoder.backbone.state_dict()
    encoder.backbone.load_state_dict({name: untrained[name] for name in own})
    encoder._unused = [None]  # the pretrained layer for next sentences goes, too
    return encoder.eval()


def word_encoder(recipe: Recipe, profile: Profile, seed: int):
    """Word vectors with a random network on top."""
    averaging = recipe.network == "averaging"
    return WordEncoder.fresh(
        VECTORS,
        seed=seed,
        network=recipe.network,
        pooling=recipe.pooling,
        word_dropout=WORD_DROPOUT if averaging else 0.0,
        max_length=profile.max_length,
    )
