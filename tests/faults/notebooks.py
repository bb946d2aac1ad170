"""Accidents of people in notebooks: stop, twice, out of order, restart, odd machines."""

import os
import random
import resource
import shutil
import subprocess
import sys
import tempfile
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from datetime import UTC, datetime
from functools import cache, partial
from pathlib import Path

import nbformat
from nbclient import NotebookClient
from nbclient.exceptions import CellExecutionError

from faults.table import Case, Impossible, Lost

ROOT = Path(__file__).resolve().parents[2]
CHEAP = "A1_pytorch_refresher"
SETUP = "00_start_here"
PARTS = 3  # of the course, each in a few minutes
MEMORY = 4 << 30
COPIED = (
    "sbert_lab",
    "data/models",
    "data/mini",
    "notebooks",
    "pyproject.toml",
    "requirements.txt",
)
TRAINING = [  # a notebook that trains, small enough to be run often
    "import time\nfrom faults import tiny\nfrom sbert_lab.training import train",
    "task = tiny.TASKS['classification']()\n"
    "task.register_forward_pre_hook(lambda *_: time.sleep(PAUSE))",
    "history = train(task, tiny.rows(), tiny.CONFIG, show_progress=False)",
    "print(tiny.digest_of(task))",
]


def cases() -> Iterator[Case]:
    yield Case("stopped during training, the cell run again", interrupted, times=3)
    yield Case("kernel restarted during training", restarted, times=2)
    yield Case("two notebooks train the same at once", two_at_once, short=0)
    yield Case("every cell run twice", twice, times=2, short=0)
    yield Case("cells out of order, then from the top", out_of_order, times=3, short=0)
    yield Case("memory limited to 4 GB", partial(odd_machine, limit=True), short=0)
    yield Case("a folder with spaces and other letters", odd_folder, short=0)
    yield Case("a read-only checkout", read_only_checkout, short=0)
    yield Case("no HOME", partial(odd_machine, HOME=None), short=0)
    for locale in ("C", "tr_TR.UTF-8", "de_DE.ISO-8859-1"):
        attempt = partial(odd_machine, LC_ALL=locale, LANG=locale, PYTHONUTF8="0")
        yield Case(f"locale {locale}", attempt, short=0)
    for part in range(PARTS):
        what = f"all in random order, clean kernels, 4 GB of memory ({part + 1} of {PARTS})"
        yield Case(what, partial(random_order, part), short=0)


# ---- kernels


class Notebook:
    """A notebook in a kernel of its own; cells run one by one, as people do."""

    def __init__(self, cells: list[str], *, folder: Path, **variables: str | None) -> None:
        book = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(one) for one in cells])
        paths = os.pathsep.join([str(ROOT), str(ROOT / "tests")])
        changed = {"PYTHONPATH": paths, "SBERT_LAB_RUNS": str(folder / "runs")}
        changed |= {"SBERT_LAB_PROFILE": "mini", "OMP_NUM_THREADS": "1", **variables}
        self.environment = {**os.environ, **changed}
        self.environment = {k: v for k, v in self.environment.items() if v is not None}
        self.client = NotebookClient(book, timeout=300, kernel_name="python3")
        self.cells, self.folder = book.cells, folder

    @contextmanager
    def running(self) -> Iterator["Notebook"]:
        with self.client.setup_kernel(env=self.environment, cwd=str(self.folder)):
            yield self

    def run(self, *order: int) -> str:
        """Run these cells, or all: what the last one printed."""
        said = ""
        for number in order or range(len(self.cells)):
            cell = self.client.execute_cell(self.cells[number], number)
            said = "".join(one.get("text", "") for one in cell.outputs)
        return said.strip()


def cells_of(name: str) -> list[str]:
    book = nbformat.read(ROOT / "notebooks" / f"{name}.ipynb", as_version=4)
    return [cell.source for cell in book.cells if cell.cell_type == "code"]


def training(pause: float) -> list[str]:
    return [one.replace("PAUSE", str(pause)) for one in TRAINING]


@cache
def whole() -> str:
    with tempfile.TemporaryDirectory() as place, Notebook(
        training(0), folder=Path(place)
    ).running() as book:  # fmt: skip
        return book.run()


def interrupted(number: int) -> None:
    digest, chance = whole(), random.Random(number)
    with (
        tempfile.TemporaryDirectory() as place,
        Notebook(training(0.1), folder=Path(place)).running() as book,
    ):
        book.run(0, 1)
        stop = threading.Timer(chance.uniform(0.3, 1.2), _interrupt, [book])
        stop.start()
        try:
            book.run(2)
        except CellExecutionError as error:
            if error.ename != "KeyboardInterrupt":
                raise Lost(f"not a plain stop: {error}") from None
        stop.join()
        if book.run(2, 3) != digest:  # the same object goes on
            raise Lost("the cell run again ends with other weights")


def _interrupt(book: Notebook) -> None:
    os.kill(book.client.km.provisioner.process.pid, 2)


def restarted(number: int) -> None:
    digest = whole()
    with tempfile.TemporaryDirectory() as place:
        with Notebook(training(0.1), folder=Path(place)).running() as book:
            book.run(0, 1)
            pid = book.client.km.provisioner.process.pid
            threading.Timer(0.8, os.kill, [pid, 9]).start()
            try:
                book.run(2)
                raise Lost("the kernel was to die in this cell")
            except Lost:
                raise
            except Exception:  # nbclient: the kernel died
                pass
        with Notebook(training(0), folder=Path(place)).running() as book:
            if book.run() != digest:
                raise Lost("after the restart the training ends with other weights")


def two_at_once(number: int) -> int:
    def one(_: int) -> str:
        with Notebook(training(0.1), folder=Path(place)).running() as book:
            return book.run()

    with tempfile.TemporaryDirectory() as place, ThreadPoolExecutor(2) as pool:
        if set(pool.map(one, range(2))) != {whole()}:
            raise Lost("two notebooks at once end with other weights")
    return 2


# ---- real notebooks


def twice(number: int) -> None:
    cells = cells_of((CHEAP, SETUP)[number])
    with (
        tempfile.TemporaryDirectory() as place,
        Notebook(cells, folder=Path(place)).running() as book,
    ):
        book.run(*(n for n in range(len(cells)) for _ in range(2)))


def out_of_order(number: int) -> None:
    """A cell that needs another one says NameError; nothing is spoilt for the way from the top."""
    cells, chance = cells_of(CHEAP), random.Random(number)
    order = list(range(1, len(cells)))
    chance.shuffle(order)
    with (
        tempfile.TemporaryDirectory() as place,
        Notebook(cells, folder=Path(place)).running() as book,
    ):
        book.run(0)
        for one in order:
            try:
                book.run(one)
            except CellExecutionError as error:
                if error.ename != "NameError":
                    raise Lost(f"cell {one}: {error.ename}: {error.evalue}") from None
        book.run()


def odd_machine(number: int, *, limit: bool = False, **variables: str | None) -> int:
    cells = cells_of(SETUP) + training(0)
    if limit:
        first = f"import resource\nresource.setrlimit(resource.RLIMIT_DATA, ({MEMORY}, {MEMORY}))"
        cells = [first, *cells]
    with (
        tempfile.TemporaryDirectory() as place,
        Notebook(cells, folder=Path(place), **variables).running() as book,
    ):
        if book.run() != whole():
            raise Lost("another end of the training")
    return 1


def odd_folder(number: int) -> None:
    """The whole course in such a folder, its runs, too."""
    with tempfile.TemporaryDirectory() as place:
        course = Path(place, "My course – Übung 日本語 'x'")
        for name in COPIED:
            copy = shutil.copytree if (ROOT / name).is_dir() else shutil.copy
            (course / name).parent.mkdir(parents=True, exist_ok=True)
            copy(ROOT / name, course / name)
        given = {"PYTHONPATH": str(ROOT / "tests"), "SBERT_LAB_RUNS": None}
        cells = ["import sbert_lab; print(sbert_lab.__file__)", *cells_of(SETUP), *training(0)]
        cells[1] = cells[1].replace("here, clone", "sys.path.insert(0, '..'); here, clone", 1)
        book = Notebook(cells, folder=course / "notebooks", **given)
        book.environment["PYTHONPATH"] = os.pathsep.join([str(course), str(ROOT / "tests")])
        with book.running():
            if str(course) not in book.run(0):
                raise Lost("another copy of the course was used")
            if book.run() != whole() or not list(course.glob("runs/training/*")):
                raise Lost("another end of the training, or its folder is elsewhere")


def read_only_checkout(number: int) -> None:
    """With SBERT_LAB_RUNS all is well; without it the message names SBERT_LAB_RUNS."""
    with tempfile.TemporaryDirectory() as place, read_only(ROOT) as course:
        paths = os.pathsep.join([str(course), str(course / "tests")])
        cells = ["%cd " + str(course / "notebooks"), *cells_of(SETUP), *training(0)]
        with Notebook(cells, folder=Path(place), PYTHONPATH=paths).running() as book:
            if book.run() != whole():
                raise Lost("another end of the training")
        given = {"PYTHONPATH": paths, "SBERT_LAB_RUNS": None}
        with Notebook(training(0), folder=Path(place), **given).running() as book:
            try:
                book.run()
            except CellExecutionError as error:
                if "SBERT_LAB_RUNS" not in error.evalue:
                    raise Lost(f"no way out is said: {error.evalue}") from None
                return
        raise Lost("it wrote into a read-only checkout")


@contextmanager
def read_only(folder: Path) -> Iterator[Path]:
    with tempfile.TemporaryDirectory() as place:
        for options in (("--bind", str(folder), place), ("-o", "remount,ro,bind", place)):
            done = subprocess.run(["mount", *options], capture_output=True, text=True)
            if done.returncode:
                raise Impossible(f"mount: {done.stderr.strip()}")
        try:
            yield Path(place)
        finally:
            subprocess.run(["umount", "--lazy", place], check=True)


def random_order(part: int, number: int) -> int:
    """Another order each day. nbval compares every output with the recorded one."""
    books = sorted((ROOT / "notebooks").glob("*.ipynb"))
    random.Random(str(datetime.now(UTC).date())).shuffle(books)
    books = books[part::PARTS]
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "--nbval"]
    command += ["--nbval-current-env", "--nbval-cell-timeout=900", "-p", "no:randomly"]
    command += [f"--nbval-sanitize-with={ROOT / 'notebooks' / 'nbval.cfg'}", *map(str, books)]
    environment = {**os.environ, "OMP_NUM_THREADS": "1", "SBERT_LAB_PROFILE": "mini"}
    limit = partial(resource.setrlimit, resource.RLIMIT_DATA, (MEMORY, MEMORY))
    done = subprocess.run(
        command, cwd=ROOT, env=environment, capture_output=True, text=True, preexec_fn=limit
    )
    if done.returncode:
        order = ", ".join(book.stem[:2] for book in books)
        raise Lost(f"in the order {order}:\n{done.stdout[-1000:]}")
    return len(books)
