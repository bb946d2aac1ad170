"""`sbert-lab doctor`: is this machine ready, and what is at hand?"""

import importlib.metadata
import importlib.util
import os
import platform
import shutil

from sbert_lab.errors import LabError
from sbert_lab.paths import data_dir, home, runs_dir
from sbert_lab.profiles import get_profile

NEEDED = ("torch", "transformers", "datasets", "safetensors", "scikit-learn", "numpy")
OPTIONAL = {
    "faiss-cpu": "fast search in notebook 15 (exact search is used without it)",
    "umap-learn": "the map in notebook 15",
    "matplotlib": "every figure",
    "jupyterlab": "opening the notebooks",
    "nbval": "checking the notebooks",
    "sentence-transformers": "comparing with the reference library",
}


def examine() -> dict:
    """Everything worth knowing, as plain values."""
    import torch

    from sbert_lab.devices import pick_device, pick_precision

    device = pick_device()
    report = {
        "python": platform.python_version(),
        "system": f"{platform.system()} {platform.machine()}",
        "processors": os.cpu_count(),
        "threads": torch.get_num_threads(),
        "device": str(device),
        "precision": pick_precision("auto", device),
        "profile": get_profile().name,
        "packages": {name: _version(name) for name in (*NEEDED, *OPTIONAL)},
    }
    if device.type == "cuda":
        report["gpu"] = torch.cuda.get_device_name(device)
        report["gpu_memory_gb"] = round(torch.cuda.get_device_properties(device).total_memory / 1e9)
    return {**report, **_files()}


def _files() -> dict:
    try:
        root = home()
    except LabError as error:
        return {"problem": str(error)}
    models = sorted(p.parent.name for p in data_dir("models").glob("*/config.json"))
    mini = sorted(p.name for p in data_dir("mini").glob("*") if p.is_dir())
    runs = runs_dir()
    free = shutil.disk_usage(runs if runs.is_dir() else root).free
    return {
        "models": models,
        "mini_corpora": mini,
        "local_copy": os.environ.get("SBERT_LAB_DATA"),
        "runs": str(runs),
        "free_disk_gb": round(free / 1e9, 1),
    }


def _version(name: str) -> str | None:
    try:
        return importlib.metadata.version(name)
    except importlib.metadata.PackageNotFoundError:
        return None


def problems(report: dict) -> list[str]:
    """What keeps the course from running, each with its remedy."""
    found = [report["problem"]] if "problem" in report else []
    for name in NEEDED:
        if report["packages"].get(name) is None:
            found.append(f"{name} is not installed: pip install -r requirements.txt")
    if "problem" not in report and not report["models"]:
        found.append(
            "data/models is empty: the encoders are part of the repository, fetch it again"
        )
    if report.get("free_disk_gb", 10) < 1:
        found.append(f"only {report['free_disk_gb']} GB of disk are free: 1 GB is needed for runs/")
    return found


def describe(report: dict) -> str:
    """The report as lines for a person."""
    packages = report["packages"]
    lines = [
        f"Python {report['python']} on {report['system']}, {report['processors']} processors",
        f"device {report['device']}, precision {report['precision']}, "
        f"{report['threads']} threads, profile {report['profile']}",
        "packages: " + ", ".join(f"{k} {v}" for k, v in packages.items() if v),
    ]
    lines += [f"optional: {n} is missing ({OPTIONAL[n]})" for n in OPTIONAL if not packages[n]]
    if "problem" not in report:
        lines.append("models: " + (", ".join(report["models"]) or "none"))
        lines.append("mini corpora: " + (", ".join(report["mini_corpora"]) or "none"))
        lines.append(f"local copy of the real corpora: {report['local_copy'] or 'none'}")
        lines.append(f"runs go to {report['runs']} ({report['free_disk_gb']} GB free)")
    troubles = problems(report)
    lines += [f"PROBLEM: {trouble}" for trouble in troubles]
    lines.append("not ready yet" if troubles else "ready")
    return "\n".join(lines)
