"""A run's state on disk: model and optimizer tensors (safetensors) and one JSON. Never pickle."""

import shutil
import warnings
from pathlib import Path

import torch
from safetensors import SafetensorError
from safetensors.torch import load_file, save_file

from sbert_lab.errors import CheckpointError
from sbert_lab.files import read_sealed, sealed_folder

MODEL, OPTIMIZER, STATE = "model.safetensors", "optimizer.safetensors", "state.json"


def model_tensors(task: torch.nn.Module) -> dict[str, torch.Tensor]:
    """Every parameter and persistent buffer once (tied weights under their first name)."""
    seen, tensors = set(), {}
    for name, tensor in task.state_dict().items():
        if tensor.data_ptr() in seen and tensor.numel():
            continue
        seen.add(tensor.data_ptr())
        tensors[name] = tensor.detach().cpu().contiguous()
    return tensors


def load_model_tensors(task: torch.nn.Module, path: Path) -> None:
    """Put saved tensors into the task; names and shapes must fit."""
    tensors = read_tensors(path)
    own = task.state_dict()
    expected = set(model_tensors(task))
    if expected != set(tensors):
        odd = sorted(expected ^ set(tensors))[:3]
        raise CheckpointError(f"{path} belongs to another kind of model (differs in {odd})")
    for name, tensor in tensors.items():
        if own[name].shape != tensor.shape:
            raise CheckpointError(
                f"{path}: {name} is {tuple(tensor.shape)} there, {tuple(own[name].shape)} here"
            )
        own[name].copy_(tensor)


def read_tensors(path: Path) -> dict[str, torch.Tensor]:
    """Read a safetensors file; a missing or damaged one is an error that names it."""
    try:
        return load_file(path)
    except FileNotFoundError as error:
        raise CheckpointError(f"{path} is missing") from error
    except (SafetensorError, OSError, ValueError) as error:
        raise CheckpointError(
            f"{path} is damaged ({error}): delete the folder {path.parent} to start from the "
            "checkpoint before it, or train again"
        ) from error


def optimizer_tensors(optimizer: torch.optim.Optimizer) -> dict[str, torch.Tensor]:
    """The optimizer's state on the host; empty before the first step."""
    state = optimizer.state_dict()["state"]
    return {
        f"{index}.{key}": value.detach().cpu().contiguous()
        for index, entry in state.items()
        for key, value in entry.items()
    }


def load_optimizer(optimizer: torch.optim.Optimizer, tensors: dict[str, torch.Tensor]) -> None:
    """Put back what optimizer_tensors gave."""
    state: dict[int, dict[str, torch.Tensor]] = {}
    for name, tensor in tensors.items():
        index, key = name.split(".", 1)
        state.setdefault(int(index), {})[key] = tensor
    groups = optimizer.state_dict()["param_groups"]
    optimizer.load_state_dict({"state": state, "param_groups": groups})


def checkpoints(run_dir: Path) -> list[Path]:
    """The complete checkpoints in a run folder, oldest first."""
    return sorted(p for p in run_dir.glob("checkpoint-*") if (p / STATE).is_file())


def save_checkpoint(run_dir: Path, task: torch.nn.Module, optimizer, state: dict) -> Path:
    """Write checkpoint-STEP atomically; of the others only the one before it is kept."""
    path = run_dir / f"checkpoint-{state['step']:08d}"
    with sealed_folder(path, STATE, state) as folder:
        save_file(model_tensors(task), folder / MODEL)
        save_file(optimizer_tensors(optimizer), folder / OPTIMIZER)
    others = [one for one in checkpoints(run_dir) if one != path]
    before = [one for one in others if one < path][-1:]
    for one in others:
        if one not in before:
            shutil.rmtree(one, ignore_errors=True)
    return path


def load_checkpoint(run_dir: Path, task: torch.nn.Module, optimizer) -> dict | None:
    """Put the last checkpoint into task and optimizer: its state, or None if there is none.

    A damaged one is noticed and said, and the one before it is taken.
    """
    saved = checkpoints(run_dir)
    way_out = f"delete {run_dir} to train again from the start"
    while saved:
        path = saved.pop()
        try:
            state = read_sealed(path, STATE, kind="a checkpoint", way_out=way_out)
        except CheckpointError as error:
            if not saved:
                raise
            warnings.warn(f"{error}. Going on from {saved[-1].name} instead", stacklevel=2)
            continue
        load_model_tensors(task, path / MODEL)
        load_optimizer(optimizer, read_tensors(path / OPTIMIZER))
        return state
    return None


# ---- weights alone


def save_weights(task: torch.nn.Module, path: Path, **about: object) -> None:
    """Write the task's weights, and what is to be known about them, into a folder."""
    with sealed_folder(path, STATE, about) as folder:
        save_file(model_tensors(task), folder / MODEL)


def load_weights(task: torch.nn.Module, path: Path) -> dict:
    """Put such weights into the task: what is known about them. A changed file is noticed."""
    way_out = f"delete {path.parent} and train again"
    about = read_sealed(path, STATE, kind="a folder of weights", way_out=way_out)
    load_model_tensors(task, path / MODEL)
    return about
