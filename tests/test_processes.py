"""Several processes: forked here, each with its rank, talking over gloo on the loopback."""

import os
import signal
import socket
import sys
import time
import traceback
from dataclasses import replace
from datetime import timedelta
from multiprocessing.reduction import ForkingPickler

import pytest
import torch
import torch.distributed as dist

from sbert_lab import cli, profiles
from sbert_lab.encoder import SentenceEncoder
from sbert_lab.profiles import TrainConfig, get_profile
from sbert_lab.tasks import PolyEncoder, Siamese
from sbert_lab.training import one_leads, processes, train
from sbert_lab.training.checkpoint import checkpoints, model_tensors
from sbert_lab.training.plan import share

pytestmark = [
    pytest.mark.usefixtures("loopback"),
    pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork"),
]
CONFIG = TrainConfig(epochs=2, batch_size=4, learning_rate=1e-3, checkpoint_every=3)


def in_processes(work, folder, world=2, seconds=150):
    """work() in so many processes: what each returned, or its exception."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
    sys.stdout.flush()
    pids = []
    for rank in range(world):
        pid = os.fork()
        if pid == 0:
            _child(work, folder / f"rank{rank}", rank, world, port)
        pids.append(pid)
    end = time.monotonic() + seconds
    while pids and time.monotonic() < end:
        pids = [pid for pid in pids if os.waitpid(pid, os.WNOHANG) == (0, 0)]
        time.sleep(0.05)
    for pid in pids:
        os.kill(pid, signal.SIGKILL)
        os.waitpid(pid, 0)
    assert not pids, f"{len(pids)} processes hung"
    answers = ((folder / f"rank{rank}").read_bytes() for rank in range(world))
    return [_as(torch.from_numpy, ForkingPickler.loads(answer)) for answer in answers]


def _as(kind, found):
    """Weights as arrays to travel between processes, and as tensors again."""
    if isinstance(found, tuple):
        return tuple(_as(kind, one) for one in found)
    if isinstance(found, dict):
        return {name: kind(one) for name, one in found.items()}
    return found


def _child(work, answer, rank, world, port):
    address = {"MASTER_ADDR": "127.0.0.1", "MASTER_PORT": str(port), "GLOO_SOCKET_IFNAME": "lo"}
    numbers = {"RANK": rank, "LOCAL_RANK": rank, "WORLD_SIZE": world}
    os.environ.update(address | {key: str(value) for key, value in numbers.items()})
    torch.set_num_threads(1)
    try:
        found = work()
    except BaseException as error:
        traceback.print_exc()
        found = error
    answer.write_bytes(bytes(ForkingPickler.dumps(_as(torch.Tensor.numpy, found))))
    if dist.is_initialized():
        dist.destroy_process_group()
    os._exit(0)


def steady(folder):
    """An encoder without dropout: what is left is arithmetic."""
    encoder = SentenceEncoder.load(folder)
    for module in encoder.modules():
        if isinstance(module, torch.nn.Dropout):
            module.p = 0.0
        if hasattr(module, "dropout_prob"):
            module.dropout_prob = 0.0
    return encoder


def trained(task, rows, config, folder, **given):
    history = train(task, rows, config, run_dir=folder, show_progress=False, **given)
    return {name: one.clone() for name, one in model_tensors(task).items()}, history


# ---- the same algorithm


def test_every_row_counts_once_however_many_share_it():
    step = [[5, 3, 8, 1, 9], [2]]
    for world in (1, 2, 4):
        parts = [share(step, rank, world) for rank in range(world)]
        counts = {}
        for part in (one for rank in parts for one in rank):
            rows, weight = part
            for row in rows:
                counts[row] = counts.get(row, 0) + weight / len(rows) / world
        assert counts == pytest.approx(dict.fromkeys([5, 3, 8, 1, 9, 2], 1 / 6))
        assert {len(rank) for rank in parts} == {2}  # everybody takes part in each exchange


@pytest.mark.parametrize("changes", [{}, {"accumulate": 2}])
@pytest.mark.parametrize("kind", ["classification", "in-batch negatives", "poly"])
def test_two_processes_give_the_weights_of_one(kind, changes, tiny_bert, pair_rows, tmp_path):
    rows = [*pair_rows, pair_rows[0]]  # 17 = 4 x 4 + 1: the last batch is one row for two
    config = replace(CONFIG, epochs=1, **changes)

    def work(folder="two"):
        encoder = steady(tiny_bert)
        task = PolyEncoder(encoder) if kind == "poly" else Siamese(encoder, kind)
        return trained(task, rows, config, tmp_path / folder, evaluate=lambda task: 1.0)

    weights, history = work("one")
    for other, told in in_processes(work, tmp_path):
        assert other.keys() == weights.keys()
        # A softmax does not feel what all keys share: Adam blows the rounding of those zeros up.
        for name in (name for name in weights if not name.endswith("key.bias")):
            torch.testing.assert_close(other[name], weights[name], atol=2e-5, rtol=1e-4)
        assert told.rows_seen == history.rows_seen and told.losses == pytest.approx(
            history.losses, abs=1e-4
        )


# ---- interruptions


class Impatient(Siamese):
    """Sends this process a Ctrl-C in a step of its own choice."""

    at, calls = None, 0

    def forward(self, batch):
        self.calls += 1
        if self.calls == self.at:
            os.kill(os.getpid(), signal.SIGINT)
        return super().forward(batch)


@pytest.mark.parametrize("steps", [(3, 4), (4, 3), (None, 3)])
def test_one_interrupt_stops_all_after_a_checkpoint_and_the_run_goes_on(
    steps, tiny_bert, pair_rows, tmp_path
):
    def work(steps=(None, None), folder="parts"):
        task = Impatient(SentenceEncoder.load(tiny_bert), "classification")
        task.at = steps[int(os.environ["RANK"])]
        return trained(task, pair_rows, CONFIG, tmp_path / folder)[0]

    whole = in_processes(lambda: work(folder="whole"), tmp_path)
    stopped = in_processes(lambda: work(steps), tmp_path)
    assert [type(one) for one in stopped] == [KeyboardInterrupt, KeyboardInterrupt]
    last = checkpoints(tmp_path / "parts")[-1].name
    assert last in ("checkpoint-00000004", "checkpoint-00000005")
    finished = in_processes(work, tmp_path)
    for one, other in zip(finished, whole, strict=True):
        assert all(torch.equal(one[name], other[name]) for name in other)


# ---- one leads


def test_a_table_is_measured_by_the_first_and_trained_by_all(tiny_bert, tmp_path, monkeypatch):
    short = TrainConfig(max_steps=2, batch_size=4, learning_rate=1e-3)
    mini = replace(get_profile("mini"), backbone=str(tiny_bert), sts=short, seeds=1)
    monkeypatch.setitem(profiles.PROFILES, "mini", mini)
    monkeypatch.setenv("SBERT_LAB_RUNS", str(tmp_path / "runs"))
    monkeypatch.setenv("SBERT_LAB_RESULTS", str(tmp_path / "results"))

    def work():
        steps = []
        plain = Siamese.forward
        Siamese.forward = lambda task, batch: (
            steps.append(len(batch["answer"])),
            plain(task, batch),
        )[1]
        loaded = []
        monkeypatch.setattr(
            SentenceEncoder, "encode", _counted(SentenceEncoder.encode, loaded.append)
        )
        code = cli.main(["evaluate", "table2", "--profile", "mini", "--rows", "SBERT-STSb"])
        return code, steps, len(loaded)

    first, second = in_processes(work, tmp_path)
    assert first[:2] == (0, [2, 2]) and second[:2] == (0, [2, 2])
    assert first[2] > 0 and second[2] == 0  # only the first scores
    assert (tmp_path / "results" / "mini" / "table2.json").is_file()


def _counted(function, note):
    def counted(*given, **named):
        note(1)
        return function(*given, **named)

    return counted


def test_an_interrupted_command_stops_everybody(tiny_bert, pair_rows, tmp_path):
    def work():
        with one_leads() as first:
            if first:
                task = Impatient(SentenceEncoder.load(tiny_bert), "classification")
                task.at = 2
                trained(task, pair_rows, CONFIG, tmp_path / "run")
        return "came to the end"

    assert [type(one) for one in in_processes(work, tmp_path)] == [KeyboardInterrupt] * 2
    assert checkpoints(tmp_path / "run")


def test_who_waits_is_patient(tmp_path, monkeypatch):
    plain = dist.init_process_group
    hasty = {"timeout": timedelta(seconds=1)}
    monkeypatch.setattr(dist, "init_process_group", lambda *a, **k: plain(*a, **{**k, **hasty}))

    def work():
        us = processes.join_processes(torch.device("cpu"))
        if us.is_main:
            time.sleep(3)
        return us.tell("done" if us.is_main else None)

    assert in_processes(work, tmp_path) == ["done", "done"]


def test_the_error_of_the_first_is_everybodys(tmp_path):
    from sbert_lab.errors import InputError

    def work():
        us = processes.join_processes(torch.device("cpu"))

        def fail():
            assert us.is_main and processes.works_alone()
            raise InputError("no such file")

        return us.first(fail)

    assert [str(one) for one in in_processes(work, tmp_path)] == ["no such file"] * 2
