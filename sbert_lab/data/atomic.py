"""Downloads that are there completely or not at all."""

import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


@contextmanager
def arriving(folder: Path) -> Iterator[Path]:
    """Yield a new folder to fill; it becomes `folder` at the end, or vanishes on any error.

    It lies beside its destination, so that the last step is a rename. Where another process was
    faster, its folder stays and ours goes.
    """
    folder.parent.mkdir(parents=True, exist_ok=True)
    work = Path(tempfile.mkdtemp(prefix=f".{folder.name}-", dir=folder.parent))
    try:
        yield work
        work.chmod(0o755)
        try:
            os.rename(work, folder)
        except OSError:
            if not folder.is_dir():
                raise
    finally:
        shutil.rmtree(work, ignore_errors=True)
