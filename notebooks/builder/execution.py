"""Running a notebook in its own kernel, and taking out of it what differs from run to run."""

import os
import re
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

import nbformat
from nbclient import NotebookClient
from nbclient.exceptions import CellExecutionError, CellTimeoutError, DeadKernelError

from builder import IGNORED, ROOT
from builder.cells import METADATA

WIDGET = "application/vnd.jupyter.widget-view+json"
MINI = {"SBERT_LAB_PROFILE": "mini", "SBERT_LAB_DEVICE": "cpu", "HF_HUB_OFFLINE": "1"}


@dataclass(frozen=True)
class Outcome:
    """How a run ended: the executed notebook, its seconds and, if it failed, where and why."""

    book: nbformat.NotebookNode
    seconds: float
    failure: str = ""


def execute(
    book: nbformat.NotebookNode,
    folder: Path,
    settings: dict[str, str],
    timeout: int = 900,
    interrupt: bool = False,
) -> Outcome:
    """Run every cell in a new kernel whose working folder and environment are as given.

    A cell that takes longer than `timeout` ends the run, or is only interrupted.
    """
    started = time.perf_counter()
    with tempfile.TemporaryDirectory() as scratch:
        path = os.pathsep.join(filter(None, [str(ROOT), os.environ.get("PYTHONPATH")]))
        environment = {k: v for k, v in os.environ.items() if k != "SBERT_LAB_STRICT"}
        environment |= {"IPYTHONDIR": scratch, "PYTHONPATH": path, **settings}
        client = NotebookClient(
            book,
            timeout=timeout,
            interrupt_on_timeout=interrupt,
            extra_arguments=["--IPKernelApp.log_level=40"],
            kernel_name="python3",
            resources={"metadata": {"path": str(folder)}},
            record_timing=False,
            coalesce_streams=True,
            store_widget_state=False,
        )
        try:
            client.execute(env=environment)
            failure = ""
        except (CellExecutionError, CellTimeoutError, DeadKernelError) as error:
            failure = _explain(book, error)
    return Outcome(book, time.perf_counter() - started, failure)


def _explain(book: nbformat.NotebookNode, error: Exception) -> str:
    """The cell that failed, shortened, and the last lines of what it raised."""
    cell = next((c for c in book.cells if any(map(_is_error, c.get("outputs", [])))), None)
    if cell is None:  # a time-out or a dead kernel leaves no error output
        ran = [c for c in book.cells if c.get("execution_count")]
        last = f"after cell {ran[-1].id}: " if ran else ""
        return last + re.sub(r"\x1b\[[0-9;]*m", "", str(error)).strip()[:600]
    bad = next(filter(_is_error, cell.outputs))
    trace = re.sub(r"\x1b\[[0-9;]*m", "", "\n".join(bad.traceback)).splitlines()
    source = cell.source.splitlines()[-6:]
    lines = [f"cell {cell.id}:", *(f"  | {x}" for x in source), *(f"  > {x}" for x in trace[-8:])]
    return "\n".join(lines)


def _is_error(output) -> bool:
    return output.output_type == "error"


def scrub(book: nbformat.NotebookNode) -> None:
    """Leave only what two runs have in common: no times, widget models or half-drawn bars."""
    book.metadata = nbformat.from_dict(METADATA)
    for cell in book.cells:
        tags = cell.metadata.get("tags")
        cell.metadata = nbformat.from_dict({"tags": tags} if tags else {})
        if cell.cell_type != "code":
            continue
        kept = []
        for output in cell.outputs:
            data = output.get("data", {})
            bar = data.pop(WIDGET, None) and "image/png" not in data
            if bar and IGNORED in (tags or []):
                continue  # without its widget a progress bar would stand at 0 % for ever
            if "metadata" in output:
                output.metadata = nbformat.from_dict(_alt_texts(output.metadata))
            if output.output_type == "stream":
                output.text = _last_state(output.text)
            kept.append(output)
        cell.outputs = kept


def _alt_texts(metadata: dict) -> dict:
    """Of an output's metadata only the images' alt texts."""
    images = {mime: value for mime, value in metadata.items() if mime.startswith("image/")}
    return {mime: {"alt": value["alt"]} for mime, value in images.items() if "alt" in value}


def _last_state(text: str) -> str:
    """What a terminal shows in the end of lines that were overwritten (carriage returns)."""
    lines = (line.rstrip("\r").rsplit("\r", 1)[-1] for line in text.split("\n"))
    return "\n".join(lines)
