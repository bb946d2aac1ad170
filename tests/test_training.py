import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import threading
import time
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch
from datasets import Dataset
from torch import nn

from sbert_lab import files
from sbert_lab.encoder import SentenceEncoder
from sbert_lab.errors import CheckpointError, InputError
from sbert_lab.profiles import TrainConfig
from sbert_lab.tasks import CrossEncoder, Siamese
from sbert_lab.tasks.siamese import embed_texts, rectangles
from sbert_lab.training import plan, run_folder, take_step, train
from sbert_lab.training.checkpoint import checkpoints
from sbert_lab.training.plan import Plan
from sbert_lab.training.schedule import make_optimizer

PROGRAM = Path(__file__).parent / "programs" / "train_tiny.py"
CONFIG = TrainConfig(epochs=2, batch_size=4, learning_rate=1e-3, checkpoint_every=3)


def fit(task, rows, tmp_path, **changes):
    config = replace(CONFIG, **changes)
    return train(task, rows, config, run_dir=tmp_path / "run", show_progress=False)


class Line(nn.Module):
    """The smallest task: y = w x, no tokens, no backbone."""

    def __init__(self):
        super().__init__()
        self.weight = nn.Parameter(torch.zeros(1))

    def collate(self, rows):
        return torch.tensor(rows, dtype=torch.float32)

    def forward(self, batch):
        return ((self.weight * batch - 3 * batch) ** 2).mean()


# ---- the loop


def test_the_loop_fits_any_module_with_collate_and_forward(tmp_path):
    task = Line()
    history = train(
        task,
        [1.0, 2.0, -1.0, 0.5] * 8,
        TrainConfig(epochs=40, batch_size=8, learning_rate=0.1, weight_decay=0.0),
        run_dir=tmp_path,
        show_progress=False,
    )
    assert task.weight.item() == pytest.approx(3.0, abs=0.05)
    assert history.losses[-1] < history.losses[0] / 100


def test_accumulated_halves_make_the_same_step_as_the_whole(tmp_path):
    weights = []
    for number, (size, accumulate) in enumerate([(8, 1), (4, 2)]):
        task = Line()
        config = TrainConfig(batch_size=size, accumulate=accumulate, learning_rate=0.1, max_steps=1)
        train(task, [1.0] * 16, config, run_dir=tmp_path / str(number), show_progress=False)
        weights.append(task.weight.item())
    assert weights[0] == weights[1] != 0.0


def test_the_same_seed_gives_the_same_weights_and_another_one_does_not(
    tiny_bert, pair_rows, tmp_path
):
    results = []
    for number, seed in enumerate([1, 1, 2]):
        encoder = SentenceEncoder.load(tiny_bert)
        task = Siamese(encoder, "classification")
        train(
            task,
            pair_rows,
            replace(CONFIG, seed=seed),
            run_dir=tmp_path / str(number),
            show_progress=False,
        )
        results.append(encoder.encode(["the dog runs"]))
    assert (results[0] == results[1]).all()
    assert (results[0] != results[2]).any()


def test_training_leaves_the_callers_random_state_alone(encoder, pair_rows, tmp_path):
    torch.manual_seed(5)
    expected = torch.rand(3)
    torch.manual_seed(5)
    fit(Siamese(encoder, "classification"), pair_rows, tmp_path)
    assert torch.equal(torch.rand(3), expected)


def test_the_best_weights_are_kept(tmp_path):
    task, seen = Line(), []

    def evaluate(task):
        seen.append(task.weight.item())
        return -abs(task.weight.item() - 1.0)  # best somewhere on the way to 3

    config = TrainConfig(epochs=10, batch_size=4, learning_rate=0.2, evaluate_every=1)
    history = train(
        task, [1.0] * 8, config, evaluate=evaluate, run_dir=tmp_path, show_progress=False
    )
    assert task.weight.item() == min(seen, key=lambda w: abs(w - 1.0)) != seen[-1]
    assert history.best_score == max(history.scores)


def test_warm_up_and_decay_follow_the_paper(tmp_path):
    task = Line()
    config = TrainConfig(epochs=1, batch_size=1, learning_rate=1e-3)
    history = train(task, [1.0] * 100, config, run_dir=tmp_path, show_progress=False)
    assert history.rates[9] == pytest.approx(1e-3)  # 10 % warm-up
    assert history.rates[0] == pytest.approx(1e-4)
    assert history.rates[-1] < 2e-5
    assert history.rates[9:] == sorted(history.rates[9:], reverse=True)


def test_a_finished_run_is_not_trained_again(encoder, tiny_bert, pair_rows, tmp_path):
    first = fit(Siamese(encoder, "classification"), pair_rows, tmp_path)
    again = SentenceEncoder.load(tiny_bert)
    task = Siamese(again, "classification")
    task.forward = None  # would fail if a step were taken
    second = fit(task, pair_rows, tmp_path)
    assert second.losses == first.losses
    assert not any(part.training for part in task.modules())  # ready to use, as after training
    assert (again.encode(["a cat"]) == encoder.encode(["a cat"])).all()


def test_a_head_may_learn_faster_than_its_encoder(encoder, pair_rows, tmp_path):
    """AdamW's first step moves every weight by its rate: the head's is `head_times` as large."""
    task = Siamese(encoder, "classification")
    before = {name: p.detach().clone() for name, p in task.named_parameters()}
    config = TrainConfig(learning_rate=1e-4, head_times=30, weight_decay=0, warmup_share=0)
    train(task, pair_rows, replace(config, max_steps=1), run_dir=tmp_path, show_progress=False)
    moved = {n: float((p - before[n]).abs().max().detach()) for n, p in task.named_parameters()}
    assert moved.pop("head.weight") == pytest.approx(30e-4, rel=1e-3)
    assert moved.pop("head.bias") == pytest.approx(30e-4, rel=1e-3)
    assert max(moved.values()) == pytest.approx(1e-4, rel=1e-2)


def test_without_a_head_or_with_one_rate_the_optimizer_is_the_plain_one(encoder):
    """The same groups in the same order, so that checkpoints of before go on."""
    for objective, times in (("regression", 30.0), ("classification", 1.0)):
        task = Siamese(encoder, objective)
        optimizer = make_optimizer(task, TrainConfig(head_times=times))
        matrices, others = (group["params"] for group in optimizer.param_groups)
        assert all(p.ndim >= 2 for p in matrices) and all(p.ndim < 2 for p in others)
        assert len(matrices) + len(others) == len(list(task.parameters()))
        assert {group["times"] for group in optimizer.param_groups} == {1.0}


def test_a_step_of_the_package_is_the_step_by_hand():
    rows, tasks = torch.tensor([1.0, 2.0, -1.0, 0.5]), [Line(), Line()]
    optimizers = [torch.optim.AdamW(task.parameters(), lr=1.0) for task in tasks]
    halves = [(rows[:1], 0.25), (rows[1:], 0.75)]
    for rate in (0.1, 0.05):
        mean = take_step(tasks[0], halves, optimizer=optimizers[0], rate=rate, clip_norm=0.5)
        optimizers[1].param_groups[0]["lr"] = rate
        loss = tasks[1](rows)
        loss.backward()
        torch.nn.utils.clip_grad_norm_(tasks[1].parameters(), 0.5)
        optimizers[1].step()
        optimizers[1].zero_grad()
        assert mean.item() == pytest.approx(loss.item())
        assert tasks[0].weight.item() == pytest.approx(tasks[1].weight.item()) != 0
        assert tasks[0].weight.grad is None


def test_another_run_in_the_same_folder_is_refused(encoder, pair_rows, tmp_path):
    fit(Siamese(encoder, "classification"), pair_rows, tmp_path)
    with pytest.raises(CheckpointError, match="learning_rate was 0.001, is 0.01"):
        fit(Siamese(encoder, "classification"), pair_rows, tmp_path, learning_rate=0.01)


def test_nothing_but_safetensors_and_json_is_left(encoder, pair_rows, tmp_path):
    fit(Siamese(encoder, "classification"), pair_rows, tmp_path)
    left = {path.suffix for path in tmp_path.rglob("*") if path.is_file()}
    assert left == {".safetensors", ".json", ".lock"}


def test_a_loss_that_is_not_a_number_stops_with_advice(tmp_path):
    task = Line()
    with pytest.raises(
        InputError, match="not a number any more at step 1: lower the learning rate"
    ):
        train(task, [float("nan")] * 4, CONFIG, run_dir=tmp_path, show_progress=False)


def test_no_rows_are_refused(tmp_path):
    with pytest.raises(InputError, match="no rows"):
        train(Line(), [], CONFIG, run_dir=tmp_path)


# ---- rows and plan


def test_every_text_is_tokenised_once(encoder, pair_rows, tmp_path):
    seen, tokenize = [], encoder.tokenize
    encoder.tokenize = lambda texts: (seen.extend(texts), tokenize(texts))[1]
    fit(Siamese(encoder, "classification"), pair_rows, tmp_path, epochs=3)
    assert sorted(seen) == sorted(r[n] for r in pair_rows for n in ("sentence1", "sentence2"))


@pytest.mark.parametrize("name", ["classification", "triplet", "cross regression"])
def test_a_list_and_a_dataset_are_prepared_alike(name, encoder, pair_rows):
    task = make_task(name, encoder)
    listed = task.prepare(pair_rows)
    table = task.prepare(Dataset.from_list(pair_rows[::-1]).select(range(15, -1, -1)))
    assert (listed.lengths == table.lengths).all() and len(listed) == len(table) == 16
    for one, other in zip(listed, table, strict=True):
        assert one.keys() == other.keys()
        assert all((np.asarray(one[key]) == np.asarray(other[key])).all() for key in one)


@pytest.mark.parametrize("changes", [{}, {"accumulate": 3}, {"batch_tokens": 40}, {"max_steps": 9}])
@pytest.mark.parametrize("first", [0, 4, 7])
def test_an_epoch_is_planned_once_and_what_is_left_is_its_end(changes, first, monkeypatch):
    config = replace(CONFIG, epochs=3, **changes)
    lengths = np.arange(18) % 7 + 1
    whole = list(Plan(18, config, lengths=lengths).steps_from(0))
    planned, real = [], plan.plan_epoch
    monkeypatch.setattr(
        plan,
        "plan_epoch",
        lambda rows, **given: (planned.append(given["epoch"]), real(rows, **given))[1],
    )
    again = Plan(18, config, lengths=lengths)
    assert list(again.steps_from(first)) == whole[first:]
    assert sorted(set(planned)) == sorted(planned)
    assert len(whole) == again.epoch_ends[-1]
    if "max_steps" not in changes:
        assert sorted(i for step in whole for batch in step for i in batch) == sorted(
            [*range(18)] * 3
        )


# ---- a folder of its own


@pytest.fixture
def runs(tmp_path, monkeypatch):
    monkeypatch.setenv("SBERT_LAB_RUNS", str(tmp_path))
    return tmp_path / "training"


def fresh(folder, objective="regression", **settings):
    return Siamese(SentenceEncoder.load(folder), objective, **settings)


def folders(runs):
    return sorted(path.name for path in runs.iterdir() if path.is_dir())


def test_a_run_names_its_folder_after_what_it_is_made_of(tiny_bert, pair_rows, runs):
    config = replace(CONFIG, max_steps=2)
    first = train(fresh(tiny_bert), pair_rows, config, show_progress=False)
    again = fresh(tiny_bert)
    again.forward = None  # would fail if a step were taken
    assert train(again, pair_rows, config, show_progress=False) == first
    assert train(again, pair_rows, config, show_progress=False) == first  # now with tuned weights
    assert len(folders(runs)) == 1

    other_row = [*pair_rows[:-1], {**pair_rows[-1], "score": 0.5}]
    warmer = fresh(tiny_bert)
    warmer.encoder.backbone.embeddings.LayerNorm.bias.data[3] += 0.1
    less_dropout = fresh(tiny_bert)
    less_dropout.encoder.backbone.embeddings.dropout.p = 0.05

    class Doubled(Siamese):
        def forward(self, batch):
            return 2 * super().forward(batch)

    def judge(task):
        return 0.0

    others = [
        run_folder(fresh(tiny_bert), other_row, config),
        run_folder(fresh(tiny_bert), pair_rows, replace(config, seed=2)),
        run_folder(fresh(tiny_bert, "triplet"), pair_rows, config),
        run_folder(fresh(tiny_bert, "triplet", margin=2.0), pair_rows, config),
        run_folder(warmer, pair_rows, config),
        run_folder(less_dropout, pair_rows, config),
        run_folder(Doubled(SentenceEncoder.load(tiny_bert), "regression"), pair_rows, config),
        run_folder(fresh(tiny_bert), pair_rows, config, evaluate=judge),
    ]
    names = {path.name for path in others} | set(folders(runs))
    assert len(names) == 9
    often = replace(config, checkpoint_every=1)
    assert run_folder(fresh(tiny_bert), pair_rows, often).name in folders(runs)


def test_the_same_object_goes_on_after_an_interrupt(tiny_bert, pair_rows, runs, tmp_path):
    whole = fresh(tiny_bert)
    fit(whole, pair_rows, tmp_path)
    parts, calls = fresh(tiny_bert), []

    def count(module, inputs):
        calls.append(1)
        if len(calls) == 3:
            os.kill(os.getpid(), signal.SIGINT)

    parts.register_forward_pre_hook(count)
    with pytest.raises(KeyboardInterrupt):
        train(parts, pair_rows, CONFIG, show_progress=False)
    train(parts, pair_rows, CONFIG, show_progress=False)
    assert len(calls) == 8 and len(folders(runs)) == 1
    assert (parts.encoder.encode(["a cat"]) == whole.encoder.encode(["a cat"])).all()
    # Without its folder the run is gone: trained weights are then another start.
    before = folders(runs)
    shutil.rmtree(runs)
    assert run_folder(parts, pair_rows, CONFIG).name not in before
    assert run_folder(fresh(tiny_bert), pair_rows, CONFIG).name in before


def test_a_second_process_waits_for_the_same_run_and_says_so(tiny_bert, pair_rows, runs, capsys):
    config, done, said = replace(CONFIG, max_steps=1), [], ""
    folder = run_folder(fresh(tiny_bert), pair_rows, config)

    def second():
        done.append(train(fresh(tiny_bert), pair_rows, config, show_progress=False))

    with files.locked(f"{folder}.lock"):
        thread = threading.Thread(target=second)
        thread.start()
        for _ in range(600):
            time.sleep(0.05)
            said += capsys.readouterr().out
            if said:
                break
        assert "another process is training the same run (siamese-" in said
        assert not done and not folder.exists()
    thread.join(timeout=60)
    assert len(done) == 1 and folder.exists()


# ---- tasks


def make_task(name, encoder):
    if name.startswith("cross"):
        return CrossEncoder(encoder, name.split()[1])
    return Siamese(encoder, name)


TASKS = ["classification", "regression", "triplet", "cross classification", "cross regression"]


@pytest.mark.parametrize("name", TASKS)
def test_one_batch_can_be_memorised(name, encoder, pair_rows, tmp_path):
    for module in encoder.modules():
        if isinstance(module, nn.Dropout):
            module.p = 0.0
    task = make_task(name, encoder)
    history = fit(
        task, pair_rows[:4], tmp_path, epochs=150, learning_rate=3e-3, schedule="constant"
    )
    assert min(history.losses[-5:]) < 0.03
    assert history.losses[0] > 0.05


def test_the_softmax_head_moves_after_one_step(encoder, pair_rows, tmp_path):
    task = Siamese(encoder, "classification")
    before = task.head.weight.detach().clone()
    fit(task, pair_rows, tmp_path, max_steps=1)
    assert not torch.equal(task.head.weight, before)


@pytest.mark.parametrize("kind", ["bert", "roberta"])
@pytest.mark.parametrize("name", ["sentences", "triplet", "equal lengths"])
def test_one_pass_gives_what_separate_passes_give(kind, name, tiny_folders, pair_rows):
    encoder = SentenceEncoder.load(tiny_folders[kind])
    task = Siamese(encoder, "triplet" if name == "triplet" else "regression")
    rows = pair_rows[:1] if name == "equal lengths" else pair_rows
    batch = task.collate(task.prepare(rows))
    results = []
    texts = [batch[name] for name in task.texts]
    for way in (lambda: [encoder(**text) for text in texts], lambda: embed_texts(encoder, texts)):
        vectors = way()
        sum((v * torch.arange(v.numel()).view_as(v)).sum() for v in vectors).backward()
        table = encoder.backbone.embeddings.word_embeddings.weight
        results.append((*vectors, table.grad / table.grad.abs().max()))
        encoder.zero_grad()
    assert [v.shape[0] for v in results[0][:-1]] == [len(rows)] * len(task.texts)
    for one, other in zip(*results, strict=True):
        torch.testing.assert_close(one, other, atol=1e-5, rtol=0)


def test_texts_of_similar_length_share_a_pass_where_that_saves_padding():
    assert rectangles([7] * 5) == [(slice(0, 5), 7)]
    assert rectangles([60] + [10] * 20) == [(slice(0, 1), 60), (slice(1, 21), 10)]
    assert rectangles([12, 11, 11, 10]) == [(slice(0, 4), 12)]  # three tokens are not worth a pass


def test_both_towers_are_one_network(encoder, pair_rows):
    task = Siamese(encoder, "regression")
    names = [name for name, _ in task.named_parameters()]
    assert all(name.startswith("encoder.") for name in names)
    task(task.collate(task.prepare(pair_rows))).backward()
    assert encoder.backbone.embeddings.word_embeddings.weight.grad.abs().sum() > 0


# ---- bad rows


@pytest.mark.parametrize(
    ("objective", "change", "message"),
    [
        ("classification", {"label": 3}, "row 5: label 3 is not a whole number from 0 to 2"),
        ("classification", {"label": -1}, "row 5: label -1"),
        ("classification", {"label": float("nan")}, "row 5: label nan"),
        ("regression", {"score": float("nan")}, "row 5: score nan is not a number from 0 to 1"),
        ("regression", {"score": 4.5}, "row 5: score 4.5 .*divide STS scores by 5"),
        ("triplet", {"negative": None}, "row 5: negative is None, not a string"),
        ("classification", {"sentence2": 7}, "row 5: sentence2 is 7, not a string"),
    ],
)
def test_a_broken_row_is_named_with_its_position(
    encoder, pair_rows, tmp_path, objective, change, message
):
    pair_rows[5].update(change)
    with pytest.raises(InputError, match=message):
        fit(Siamese(encoder, objective), pair_rows, tmp_path)


def test_three_texts_where_two_are_needed(encoder, tmp_path):
    rows = [{"anchor": "a", "positive": "b", "negative": "c", "label": 0}] * 4
    with pytest.raises(InputError, match="row 0 has .*3 texts where 2 are needed"):
        fit(Siamese(encoder, "classification"), rows, tmp_path)


def test_an_unknown_objective_lists_the_choices(encoder):
    with pytest.raises(InputError, match="unknown objective 'softmax': choose classification"):
        Siamese(encoder, "softmax")
    with pytest.raises(
        InputError, match="unknown objective 'triplet': choose classification or reg"
    ):
        CrossEncoder(encoder, "triplet")


# ---- interruptions


def run_program(*arguments, environment=None):
    command = [sys.executable, str(PROGRAM), *map(str, arguments)]
    variables = {**os.environ, "OMP_NUM_THREADS": "1", **(environment or {})}
    return subprocess.run(command, env=variables, capture_output=True, text=True, timeout=240)


@pytest.fixture(scope="module")
def uninterrupted(tiny_folders, tmp_path_factory):
    folder = tmp_path_factory.mktemp("whole")
    result = run_program(tiny_folders["bert"], folder / "run", folder / "out.safetensors")
    assert result.returncode == 0, result.stderr
    return (folder / "out.safetensors").read_bytes()


@pytest.mark.parametrize("deaths", [[2], [6], [13, 3], [24]])
def test_after_kill_9_the_same_call_ends_with_the_same_bytes(
    tiny_bert, tmp_path, uninterrupted, deaths
):
    output = tmp_path / "out.safetensors"
    for death in deaths:
        killed = run_program(tiny_bert, tmp_path / "run", output, death)
        assert killed.returncode == -signal.SIGKILL
        assert not output.exists()
    finished = run_program(tiny_bert, tmp_path / "run", output)
    assert finished.returncode == 0, finished.stderr
    assert output.read_bytes() == uninterrupted


def test_an_interrupt_is_taken_between_two_steps_and_goes_on(tiny_bert, pair_rows, tmp_path):
    whole = SentenceEncoder.load(tiny_bert)
    train(
        Siamese(whole, "classification"),
        pair_rows,
        CONFIG,
        run_dir=tmp_path / "a",
        show_progress=False,
    )

    class Stopped(Siamese):
        def forward(self, batch):
            if not getattr(self, "sent", False):
                self.sent = True
                os.kill(os.getpid(), signal.SIGINT)
            return super().forward(batch)

    parts = SentenceEncoder.load(tiny_bert)
    with pytest.raises(KeyboardInterrupt):
        train(
            Stopped(parts, "classification"),
            pair_rows,
            CONFIG,
            run_dir=tmp_path / "b",
            show_progress=False,
        )
    assert len(checkpoints(tmp_path / "b")) == 1
    parts = SentenceEncoder.load(tiny_bert)
    train(
        Siamese(parts, "classification"),
        pair_rows,
        CONFIG,
        run_dir=tmp_path / "b",
        show_progress=False,
    )
    assert (parts.encode(["a cat"]) == whole.encode(["a cat"])).all()


def damage(file: Path, how: str) -> None:
    content = bytearray(file.read_bytes())
    if how == "truncate":
        del content[len(content) // 2 :]
    else:
        content[-5 if file.suffix == ".safetensors" else content.index(b"rows_seen") + 12] ^= 1
    file.write_bytes(content)


@pytest.mark.parametrize("file", ["model.safetensors", "optimizer.safetensors", "state.json"])
@pytest.mark.parametrize("how", ["truncate", "flip"])
def test_instead_of_a_damaged_checkpoint_the_one_before_is_used_and_that_is_said(
    tiny_bert, pair_rows, tmp_path, file, how
):
    class Stopped(Siamese):
        calls = 0

        def forward(self, batch):
            self.calls += 1
            if self.calls == 7:
                raise RuntimeError("as if killed")
            return super().forward(batch)

    whole, parts = SentenceEncoder.load(tiny_bert), SentenceEncoder.load(tiny_bert)
    fit(Siamese(whole, "classification"), pair_rows, tmp_path / "whole")
    with pytest.raises(RuntimeError):
        fit(Stopped(SentenceEncoder.load(tiny_bert), "classification"), pair_rows, tmp_path)
    saved = checkpoints(tmp_path / "run")
    assert [path.name for path in saved] == ["checkpoint-00000003", "checkpoint-00000006"]
    damage(saved[1] / file, how)
    with pytest.warns(UserWarning, match=f"{file} .*Going on from checkpoint-00000003 instead"):
        fit(Siamese(parts, "classification"), pair_rows, tmp_path)
    assert (parts.encode(["a cat"]) == whole.encode(["a cat"])).all()


def test_when_every_checkpoint_is_damaged_it_is_an_error(tiny_bert, tmp_path):
    run_program(tiny_bert, tmp_path / "run", tmp_path / "out.safetensors", 8)
    for path in checkpoints(tmp_path / "run"):
        damage(path / "model.safetensors", "flip")
    result = run_program(tiny_bert, tmp_path / "run", tmp_path / "out.safetensors")
    assert result.returncode != 0
    assert "is damaged or was changed" in result.stderr and "delete" in result.stderr


@pytest.mark.parametrize("file", ["model.safetensors", "state.json"])
def test_a_finished_run_that_was_changed_is_noticed(tiny_bert, pair_rows, tmp_path, file):
    fit(fresh(tiny_bert), pair_rows, tmp_path)
    damage(tmp_path / "run" / "final" / file, "truncate")
    with pytest.raises(CheckpointError, match=f"{file} .*delete"):
        fit(fresh(tiny_bert), pair_rows, tmp_path)


def test_a_full_disk_is_named_and_the_last_checkpoint_survives(
    encoder, tiny_bert, pair_rows, tmp_path, monkeypatch
):
    from sbert_lab.training import checkpoint

    real, calls = checkpoint.save_file, []

    def full(tensors, path):
        calls.append(path)
        if len(calls) > 2:
            raise OSError(28, "No space left on device")
        real(tensors, path)

    monkeypatch.setattr(checkpoint, "save_file", full)
    with pytest.raises(CheckpointError, match="disk is full: free some space"):
        fit(Siamese(encoder, "classification"), pair_rows, tmp_path)
    kept = checkpoints(tmp_path / "run")
    assert [path.name for path in kept] == ["checkpoint-00000003"]
    assert json.loads((kept[0] / "state.json").read_text())["step"] == 3
    monkeypatch.undo()
    resumed = SentenceEncoder.load(tiny_bert)
    history = fit(Siamese(resumed, "classification"), pair_rows, tmp_path)
    assert history.steps[-1] == 8


def test_no_write_permission_is_named(tmp_path, monkeypatch):
    def refuse(*_):
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(files.os, "replace", refuse)
    with pytest.raises(CheckpointError, match="no write permission: choose a folder that you own"):
        files.write_json(tmp_path / "x.json", {})
    assert list(tmp_path.iterdir()) == []


# ---- several processes, mixed precision


@pytest.mark.usefixtures("loopback")
def test_two_machines_give_the_losses_of_one(tiny_bert, tmp_path):
    """Two "machines" of one process each, that find each other over the loopback."""
    plain = {**os.environ, "TINY_DROPOUT": "0", "OMP_NUM_THREADS": "1"}
    one = run_program(tiny_bert, tmp_path / "one", tmp_path / "one.safetensors", environment=plain)
    assert one.returncode == 0, one.stderr
    with socket.create_server(("127.0.0.1", 0)) as server:
        end = f"127.0.0.1:{server.getsockname()[1]}"
    nodes = [f"--rdzv-endpoint={end}", "--rdzv-backend=c10d", "--nnodes=2", "--nproc-per-node=1"]
    command = [sys.executable, "-m", "torch.distributed.run", "--local-addr=127.0.0.1", *nodes]
    where = map(str, (PROGRAM, tiny_bert, tmp_path / "two", tmp_path / "two.safetensors"))
    started = [subprocess.Popen([*command, *where], env=plain) for where in [[*where]] * 2]
    assert [process.wait(timeout=400) for process in started] == [0, 0]
    losses = [
        [float(x) for x in (tmp_path / f"{name}.losses").read_text().split()]
        for name in ("one", "two")
    ]
    assert len(losses[0]) >= 20
    assert losses[0][0] != losses[0][1]
    assert losses[0][:20] == pytest.approx(losses[1][:20], abs=1e-4)


def test_mixed_precision_trains_on_the_cpu(tiny_bert, tmp_path):
    """bf16 through autocast, in a process of its own: some virtual CPUs lack the newest units."""
    program = f"""
import torch
from sbert_lab.encoder import SentenceEncoder
from sbert_lab.profiles import TrainConfig
from sbert_lab.tasks import Siamese
from sbert_lab.training import train
rows = [{{"sentence1": "the dog runs", "sentence2": "a cat", "label": i % 2}} for i in range(8)]
task = Siamese(SentenceEncoder.load({str(tiny_bert)!r}), "classification")
seen = []
task.head.register_forward_hook(lambda m, i, o: seen.append(o.dtype))
config = TrainConfig(epochs=3, batch_size=4, learning_rate=1e-3, precision="bf16")
history = train(task, rows, config, run_dir={str(tmp_path / "run")!r}, show_progress=False)
assert set(seen) == {{torch.bfloat16}}, seen
assert all(p.dtype == torch.float32 for p in task.parameters())
assert history.losses[-1] < history.losses[0], history.losses
print("done")
"""
    variables = {**os.environ, "ONEDNN_MAX_CPU_ISA": "AVX2", "OMP_NUM_THREADS": "1"}
    result = subprocess.run(
        [sys.executable, "-c", program], env=variables, capture_output=True, text=True
    )
    assert "done" in result.stdout, result.stderr
