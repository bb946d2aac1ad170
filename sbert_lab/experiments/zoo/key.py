"""What makes a trained system this one and no other, as a short digest."""

import hashlib
import json
import re
from dataclasses import asdict
from pathlib import Path

from sbert_lab.data.corpus import Corpus, HubArchive, HubTable
from sbert_lab.data.local import find_files, local_copy
from sbert_lab.data.manifest import read_manifest
from sbert_lab.data.registry import get_corpus
from sbert_lab.encoder_folder import DIGESTS, find_folder
from sbert_lab.experiments.recipes import BACKBONES, Recipe, get_recipe
from sbert_lab.experiments.zoo.rows import (
    ALIKE,
    ARTICLES,
    NEIGHBOURS,
    PER_ARTICLE,
    SHUFFLE_SEED,
    VERSION,
    sources_of,
)
from sbert_lab.experiments.zoo.starts import VECTORS, WORD_DROPOUT
from sbert_lab.files import read_json, sha256
from sbert_lab.paths import data_dir
from sbert_lab.profiles import Profile, as_profile

# Settings that change how a run is carried out, not what comes out of it.
_FREE = ("checkpoint_every", "compile")


def system_key(recipe: Recipe, seed: int, profile: Profile) -> str:
    """Sixteen digits that change whenever data, start, settings, seed or version do."""
    settings = asdict(recipe.config(profile, seed))
    parts = {
        "recipe": asdict(recipe),
        "data": _rows_digest(recipe, profile),
        "start": _start_digest(recipe, seed, profile),
        "settings": {k: v for k, v in settings.items() if k not in _FREE},
        "max_length": profile.max_length,
        "seed": seed,
    }
    return digest(parts)[:16]


def digest(value: object) -> str:
    """The digest of anything that JSON can write."""
    text = json.dumps(value, sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(text.encode()).hexdigest()


def _start_digest(recipe: Recipe, seed: int, profile: Profile) -> str | None:
    if recipe.start is None:
        return None
    if recipe.start == "random":
        return f"random weights like {backbone_digest(profile.backbone)}"
    if recipe.start == "words":
        return digest([vectors_digest(VECTORS), WORD_DROPOUT])
    if recipe.start not in BACKBONES:
        return system_key(get_recipe(recipe.start), seed, profile)
    return backbone_digest(getattr(profile, recipe.start))


def _rows_digest(recipe: Recipe, profile: Profile) -> str:
    """Of the corpora that the rows come from and of how they are made from them."""
    sources = [corpus_digest(*source, profile) for source in sources_of(recipe, profile)]
    if recipe.corpus == "neighbours" and profile.own_data:
        sources.append(sha256(data_dir(*ARTICLES)))
    if recipe.corpus == "nli" and profile.nli_pairs:
        sources.append(str(profile.nli_pairs))
    return digest([*sources, VERSION, PER_ARTICLE, NEIGHBOURS, ALIKE, SHUFFLE_SEED])


def vectors_digest(name: str) -> str:
    """Of word vectors in data/models: their folder's own list of digests."""
    return digest(read_json(data_dir("models") / name / "sbert_lab.json")["sha256"])


def backbone_digest(name: str) -> str:
    """A pinned hub id is its own digest; a folder has its files' (sbert_lab.json, if there).

    Its card has no say: a card that is worded anew trains nothing anew.
    """
    if re.fullmatch(r"[\w.-]+/[\w.-]+@[0-9a-f]{40}", name):
        return name
    folder = find_folder(name)
    if (folder / DIGESTS).is_file():
        sealed = read_json(folder / DIGESTS)["sha256"]
        return digest({name: one for name, one in sealed.items() if name != "README.md"})
    kept = [p for p in sorted(folder.rglob("*")) if p.suffix in (".json", ".txt", ".safetensors")]
    return digest({p.relative_to(folder).as_posix(): sha256(p) for p in kept})


def corpus_digest(name: str, split: str, profile: str | Profile) -> str:
    """Of the manifest entries in mini, of the files in a local copy, else of the pinned source."""
    corpus, own = get_corpus(name), as_profile(profile).own_data
    parts = [get_corpus(part) for part in corpus.parts] or [corpus]
    splits = corpus.split_names(split)
    return digest([_source(part, one, own) for part in parts for one in splits])


def _source(corpus: Corpus, split: str, mini: bool) -> list:
    mini = mini or corpus.own
    root = data_dir("mini") if mini else local_copy()
    files = find_files(corpus, split, root) if root else []
    if files:
        return [corpus.name, split, [_file_digest(path, root, mini) for path in files]]
    if isinstance(corpus.hub, (HubTable, HubArchive)):
        return [corpus.name, split, corpus.hub.id, corpus.hub.revision]
    return [corpus.name, split, corpus.wheel]


def _file_digest(path: Path, root: Path, mini: bool) -> str:
    """data.load() checks a mini file against its manifest, so the entry stands for the file."""
    if mini:
        entry = read_manifest(root).get("files", {}).get(path.relative_to(root).as_posix(), {})
        if "sha256" in entry:
            return entry["sha256"]
    return sha256(path)
