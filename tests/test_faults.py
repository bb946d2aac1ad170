"""The short version of `make faults`: every section, each accident once or twice."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from faults.table import Case, Lost, Row, printed, run_case

TESTS = Path(__file__).resolve().parent


@pytest.mark.slow
@pytest.mark.parametrize("section", ["killed", "storage", "notebooks", "inputs", "security"])
def test_nothing_is_lost(section, loopback):
    """In a process of its own: it forks, limits itself and changes its environment."""
    paths = os.pathsep.join([str(TESTS), str(TESTS.parent)])
    command = [sys.executable, "-m", "faults", section, "--short"]
    environment = {**os.environ, "PYTHONPATH": paths, "OMP_NUM_THREADS": "1"}
    done = subprocess.run(command, env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-1000:]


def test_a_loss_is_counted_and_told():
    def lose(number: int) -> None:
        if number == 1:
            raise Lost("the second one is gone")

    row = run_case("a section", Case("an accident", lose, times=3))
    assert (row.tried, len(row.lost)) == (3, 1)
    table = printed([row, Row("another", "nothing", 5)])
    assert "the second one is gone" in table and "8     1" in table


def test_the_small_trainings_take_the_paths_that_count(tmp_path, monkeypatch):
    """Texts of several lengths in several passes, AdamW in one kernel: or kills prove little."""
    from faults import tiny

    from sbert_lab.tasks import siamese
    from sbert_lab.training import run

    passes, fused = [], []
    plain, make = siamese.rectangles, run.make_optimizer

    def rectangles(lengths, *start):
        found = plain(lengths, *start)
        passes.append(len(found))
        return found

    def make_optimizer(*given):
        fused.append(make(*given).defaults["fused"])
        return make(*given)

    monkeypatch.setattr(siamese, "rectangles", rectangles)
    monkeypatch.setattr(run, "make_optimizer", make_optimizer)
    tiny.train_in(tmp_path)
    assert max(passes) > 1 and fused == [True]
