"""One process leads, the others help: a whole command under torchrun.

The first process runs the command as if it were alone, with its files, its cache and its clock. The
others wait; when it trains, it sends them the task and the rows, and they take their share.
"""

import contextlib
import os
from collections.abc import Iterator

from sbert_lab.devices import pick_device
from sbert_lab.training.loop import help_train
from sbert_lab.training.processes import everybody, leading


@contextlib.contextmanager
def one_leads() -> Iterator[bool]:
    """True for the process that runs the block: the only one, or torchrun's first.

    The others help until the first has left its block; then they get False.
    """
    if int(os.environ.get("WORLD_SIZE", "1")) == 1:
        yield True
        return
    device = pick_device()
    us = everybody(device)
    if us.is_main:
        with leading(us):
            yield True
        return
    while (order := us.tell(None)) is not None:
        help_train(order, us, device)
    yield False
