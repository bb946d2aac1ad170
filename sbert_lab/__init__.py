"""SBERT Lab: the package behind the notebooks.

    from sbert_lab import SentenceEncoder

    vectors = SentenceEncoder.load("mini-sbert").encode(["A dog runs.", "A dog is running."])

Importing it is cheap: torch and the other heavy libraries come in with the first name that needs
them.
"""

import importlib

__version__ = "0.1.0"

# What you would import in a project of your own, and where it lives.
_HOMES = {
    "encoder": ("SentenceEncoder",),
    "word_encoder": ("WordEncoder",),
    "word_vectors": ("WordVectors",),
    "tasks": ("CrossEncoder", "PolyEncoder", "Siamese"),
    "training": ("History", "train"),
    "profiles": ("Profile", "TrainConfig", "get_profile"),
    "search": ("VectorIndex", "best_pairs", "retrieve_and_rerank", "top_k"),
    "errors": ("CheckpointError", "DataError", "InputError", "LabError", "OutOfReachError"),
}
_HOME_OF = {name: home for home, names in _HOMES.items() for name in names}
__all__ = sorted(_HOME_OF)


def __getattr__(name: str) -> object:
    """Import a public name when it is first asked for."""
    if name not in _HOME_OF:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(importlib.import_module(f"{__name__}.{_HOME_OF[name]}"), name)


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
