"""What belongs to a run besides its checkpoints: its name, fingerprint, weights and end."""

import hashlib
import inspect
import shutil
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import asdict
from pathlib import Path

import torch

from sbert_lab.errors import CheckpointError
from sbert_lab.files import read_json
from sbert_lab.paths import runs_dir
from sbert_lab.profiles import TrainConfig
from sbert_lab.training.checkpoint import (
    checkpoints,
    load_weights,
    model_tensors,
    save_weights,
)
from sbert_lab.training.history import History

RUN, BEST, FINAL = "run.json", "best", "final"
# Settings that change how a run is carried out, not what comes out of it.
_FREE = ("checkpoint_every", "compile")


def fingerprint(task: torch.nn.Module, rows: Sequence, config: TrainConfig, world: int) -> dict:
    """What makes a run this run and no other: settings, rows and shapes."""
    shapes = repr([(name, tuple(p.shape)) for name, p in task.named_parameters()])
    settings = {k: v for k, v in asdict(config).items() if k not in _FREE}
    return {
        **settings,
        "rows": len(rows),
        "rows_digest": _digest(_texts_of(rows)),
        "shapes_digest": _digest([shapes]),
        "processes": world,
    }


def _digest(parts: Iterable[str]) -> str:
    digest = hashlib.sha256()
    for part in parts:
        digest.update(part.encode())
    return digest.hexdigest()[:16]


def _texts_of(rows: Sequence) -> Iterator[str]:
    """All rows as text; a datasets.Dataset column by column, which is far faster."""
    if hasattr(rows, "column_names"):
        return (repr((name, rows[name][:])) for name in rows.column_names)
    return map(repr, rows)


# ---- a folder of its own

# Training changes a task in place. So that the same call goes on after an interruption, we remember
# which run left these weights behind.
_LEFT_BY: dict[str, Path] = {}


def run_folder(
    task: torch.nn.Module, rows: Sequence, config: TrainConfig, *, evaluate: Callable | None = None
) -> Path:
    """Where train() keeps a run if it is not told: named after all that the run is made of."""
    return name_run(task, fingerprint(task, rows, config, world=1), evaluate)


def name_run(task: torch.nn.Module, mark: dict, evaluate: Callable | None) -> Path:
    key = _key(task, mark, evaluate)
    left_by = _LEFT_BY.get(key)
    if left_by and (checkpoints(left_by) or (left_by / FINAL).exists()):
        return left_by
    return runs_dir("training", f"{type(task).__name__.lower()}-{key}")


def leave_run(run_dir: Path, task: torch.nn.Module, mark: dict, evaluate: Callable | None) -> None:
    """Remember that the task's weights, as they are now, are this run's."""
    _LEFT_BY[_key(task, mark, evaluate)] = run_dir


def _key(task: torch.nn.Module, mark: dict, evaluate: Callable | None) -> str:
    """Of the fingerprint, the task's code and settings, its weights, and what judges them."""
    kinds = type(task).__mro__[: type(task).__mro__.index(torch.nn.Module)]
    methods = [f for kind in kinds for f in vars(kind).values() if inspect.isfunction(f)]
    settings = [(type(part).__name__, _plain(vars(part))) for part in task.modules()]
    weights = hashlib.sha256()
    for name, tensor in model_tensors(task).items():
        weights.update(name.encode() + tensor.flatten().view(torch.uint8).numpy().tobytes())
    code = map(_source, [*methods, evaluate])
    return _digest([repr(sorted(mark.items())), repr(settings), weights.hexdigest(), *code])


def _plain(attributes: dict) -> list:
    """Settings such as objective, margin, pooling or the share of dropout."""
    kept = {k: v for k, v in attributes.items() if k != "training" and not k.startswith("_")}
    return sorted((k, v) for k, v in kept.items() if isinstance(v, (str, int, float)))


def _source(function: Callable | None) -> str:
    try:
        return inspect.getsource(function)
    except (OSError, TypeError):
        return getattr(function, "__qualname__", str(type(function)))


# ---- what is in it


def check_run(run_dir: Path, mark: dict) -> None:
    """Make sure that the folder is empty or holds this very run.

    Another number of processes may go on with it: it takes the same rows in the same steps.
    """
    path = run_dir / RUN
    if not path.exists():
        if checkpoints(run_dir) or (run_dir / FINAL).exists():
            raise CheckpointError(f"{path} is missing: delete {run_dir} or choose another folder")
        return
    known = read_json(path)
    differing = [key for key in mark if key != "processes" and known.get(key) != mark[key]]
    if differing:
        details = ", ".join(f"{k} was {known.get(k)!r}, is {mark[k]!r}" for k in differing[:3])
        raise CheckpointError(
            f"{run_dir} holds another run ({details}): delete it, or choose another folder"
        )


def finish_run(run_dir: Path, task: torch.nn.Module, history: History) -> None:
    """Keep the final weights and the history; what only a run in progress needs is removed."""
    save_weights(task, run_dir / FINAL, history=asdict(history))
    for folder in [*checkpoints(run_dir), run_dir / BEST, *run_dir.glob(".*.tmp")]:
        shutil.rmtree(folder, ignore_errors=True)


def finished_history(run_dir: Path, task: torch.nn.Module) -> History | None:
    """If the run is complete, put its weights into the task and return its history."""
    if not (run_dir / FINAL).exists():
        return None
    about = load_weights(task, run_dir / FINAL)
    task.eval()
    return History(**about["history"])
