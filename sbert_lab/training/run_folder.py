"""What belongs to a run besides its checkpoints: its fingerprint, its best weights, its end."""

import hashlib
import os
import uuid
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path

import torch
from safetensors.torch import save_file

from sbert_lab.errors import CheckpointError
from sbert_lab.files import read_json, sha256, write_json
from sbert_lab.profiles import TrainConfig
from sbert_lab.training.checkpoint import checkpoints, load_model_tensors, model_tensors
from sbert_lab.training.history import History

RUN, BEST, FINAL, FINISHED = "run.json", "best.safetensors", "final.safetensors", "finished.json"
# Settings that change how a run is carried out, not what comes out of it.
_FREE = ("checkpoint_every", "compile")


def fingerprint(task: torch.nn.Module, rows: Sequence, config: TrainConfig, world: int) -> dict:
    """What makes a run this run and no other: settings, rows (a thousand looked at), shapes."""
    digest = hashlib.sha256()
    for index in range(0, len(rows), max(1, len(rows) // 1000)):
        digest.update(repr(rows[index]).encode())
    shapes = repr([(name, tuple(p.shape)) for name, p in task.named_parameters()])
    settings = {k: v for k, v in asdict(config).items() if k not in _FREE}
    return {
        **settings,
        "rows": len(rows),
        "rows_digest": digest.hexdigest()[:16],
        "shapes_digest": hashlib.sha256(shapes.encode()).hexdigest()[:16],
        "processes": world,
    }


def open_run(run_dir: Path, mark: dict) -> None:
    """Make the folder or make sure that it holds this very run."""
    path = run_dir / RUN
    if not path.exists():
        if checkpoints(run_dir) or (run_dir / FINISHED).exists():
            raise CheckpointError(f"{path} is missing: delete {run_dir} or choose another run_dir")
        write_json(path, mark)
        return
    known = read_json(path)
    differing = [key for key in mark if known.get(key) != mark[key]]
    if differing:
        details = ", ".join(f"{k} was {known.get(k)!r}, is {mark[k]!r}" for k in differing[:3])
        raise CheckpointError(
            f"{run_dir} holds another run ({details}): choose another run_dir, or delete it"
        )


def save_weights(task: torch.nn.Module, path: Path) -> None:
    """Write the task's weights under another name, then rename them into place."""
    temporary = path.with_name(f".{path.name}.{uuid.uuid4().hex[:8]}.tmp")
    try:
        save_file(model_tensors(task), temporary)
        os.replace(temporary, path)
    except OSError as error:
        raise CheckpointError(f"cannot write {path}: {error}") from error
    finally:
        temporary.unlink(missing_ok=True)


def finish_run(run_dir: Path, task: torch.nn.Module, history: History) -> None:
    """Keep the final weights and the history."""
    save_weights(task, run_dir / FINAL)
    record = {"history": asdict(history), "sha256": sha256(run_dir / FINAL)}
    write_json(run_dir / FINISHED, record)


def finished_history(run_dir: Path, task: torch.nn.Module) -> History | None:
    """If the run is complete, put its weights into the task and return its history."""
    if not (run_dir / FINISHED).exists():
        return None
    record = read_json(run_dir / FINISHED)
    final = run_dir / FINAL
    if not final.is_file() or sha256(final) != record["sha256"]:
        raise CheckpointError(f"{final} is damaged or missing: delete {run_dir} and train again")
    load_model_tensors(task, final)
    return History(**record["history"])
