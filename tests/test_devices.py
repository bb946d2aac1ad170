"""What a GPU would be asked: faked here, since no test may need one."""

import contextlib
import json
import os
from types import SimpleNamespace

import numpy as np
import pytest
import torch
from torch.utils._python_dispatch import TorchDispatchMode

from sbert_lab import devices, encoding
from sbert_lab.cli import main
from sbert_lab.course import lab
from sbert_lab.devices import copy_back, fast_products, pick_device, pick_precision
from sbert_lab.encoder import SentenceEncoder
from sbert_lab.experiments import plain_claims
from sbert_lab.profiles import TrainConfig, get_profile
from sbert_lab.tasks import CrossEncoder, PolyEncoder, Siamese
from sbert_lab.training import processes, run, schedule, train

GPU, CPU = torch.device("cuda", 0), torch.device("cpu")


@pytest.fixture
def four_gpus(monkeypatch):
    monkeypatch.setattr(torch.cuda, "is_available", lambda: True)
    monkeypatch.setattr(torch.cuda, "device_count", lambda: 4)
    monkeypatch.setattr(devices.torch, "empty", lambda *_, **__: None)
    monkeypatch.setenv("LOCAL_RANK", "2")


@pytest.mark.parametrize(
    ("capability", "precision"),
    [((7, 0), "fp16"), ((7, 5), "fp16"), ((8, 0), "bf16"), ((9, 0), "bf16")],
)
def test_bf16_is_for_gpus_that_have_it(monkeypatch, capability, precision):
    monkeypatch.setattr(torch.cuda, "get_device_capability", lambda device: capability)
    monkeypatch.setattr(torch.cuda, "is_bf16_supported", lambda *_, **__: True)  # emulated counts
    assert pick_precision("auto", GPU) == precision
    assert pick_precision("bf16", GPU) == "bf16"  # who asks for it gets it


@pytest.mark.parametrize(
    ("named", "found"), [(None, "cuda:2"), ("cuda", "cuda:2"), ("cuda:1", "cuda:1"), ("cpu", "cpu")]
)
def test_each_process_has_its_own_gpu(four_gpus, monkeypatch, named, found):
    monkeypatch.delenv("SBERT_LAB_DEVICE", raising=False)
    assert str(pick_device(named)) == found
    if named:
        monkeypatch.setenv("SBERT_LAB_DEVICE", named)
        assert str(pick_device()) == found


def test_tf32_is_for_the_gpu_and_not_for_fp32(monkeypatch):
    said = ["highest"]
    monkeypatch.setattr(torch, "get_float32_matmul_precision", lambda: said[-1])
    monkeypatch.setattr(torch, "set_float32_matmul_precision", said.append)
    expected = {
        ("cuda", "tf32"): "high",
        ("cuda", "bf16"): "high",
        ("cuda", "fp32"): "highest",
        ("cpu", "tf32"): "highest",
    }
    for (device, precision), inside in expected.items():
        with fast_products(torch.device(device), precision):
            assert said[-1] == inside
        assert said[-1] == "highest"


def test_adamw_is_one_kernel_where_all_weights_are_on_one_device(monkeypatch):
    def chosen(*weights):
        task = SimpleNamespace(parameters=lambda: weights)
        return schedule.make_optimizer(task, TrainConfig(learning_rate=1e-3))

    monkeypatch.setattr(torch.optim, "AdamW", lambda groups, *, fused, **_: fused)
    there, here, frozen = (
        SimpleNamespace(device=device, ndim=2, requires_grad=moves)
        for device, moves in ((GPU, True), (CPU, True), (CPU, False))
    )
    assert chosen(there, there) is True and chosen(here, here) is True
    assert chosen(there, here) is None  # torch decides
    assert chosen(there, frozen) is True  # what is not trained has no say


def test_c04_stops_its_clock_when_the_gpu_is_done(tiny_bert, monkeypatch):
    events = []
    encoder = SentenceEncoder.load(tiny_bert)
    rows = [{"sentence1": "a dog", "sentence2": "a cat", "label": n % 3} for n in range(1000)]
    monkeypatch.setattr(plain_claims, "build", lambda *_: encoder)
    monkeypatch.setattr(plain_claims, "data", SimpleNamespace(load=lambda *_, **__: rows))
    monkeypatch.setattr(plain_claims, "take_step", lambda *_, **__: events.append("step"))
    monkeypatch.setattr(type(encoder), "device", GPU)
    monkeypatch.setattr(torch.cuda, "synchronize", lambda: events.append("wait"))

    def clock():
        events.append("read")
        return float(len(events))

    monkeypatch.setattr(plain_claims, "time", SimpleNamespace(perf_counter=clock))
    plain_claims.c04(get_profile("mini"))
    assert events == ["read", "step", "wait", "read"] * plain_claims.STEPS


# ---- back to the host


def test_a_batch_is_fetched_when_the_next_one_has_been_started(encoder, monkeypatch):
    events, plain = [], encoding.copy_back

    def noted(results):
        number, fetch = len([e for e in events if e[0] == "start"]), plain(results)
        events.append(("start", number))
        return lambda: (events.append(("fetch", number)), fetch())[1]

    sentences = ["the dog " * n for n in range(1, 9)]
    expected = encoder.encode(sentences, token_budget=24)
    monkeypatch.setattr(encoding, "copy_back", noted)
    assert np.array_equal(encoder.encode(sentences, token_budget=24), expected)
    starts = [number for what, number in events if what == "start"]
    assert len(starts) > 3
    for number in starts[:-1]:
        assert events.index(("start", number + 1)) < events.index(("fetch", number))


def test_from_a_gpu_results_come_through_pinned_memory_without_waiting(monkeypatch):
    log = []

    class Host(SimpleNamespace):
        def copy_(self, source, *, non_blocking):
            log.append(f"copy {source} {non_blocking}")

        def numpy(self):
            log.append("read")

    class Event:
        def record(self):
            log.append("record")

        def synchronize(self):
            log.append("wait")

    def empty(shape, *, dtype, pin_memory):
        log.append(f"{shape} {dtype} pinned {pin_memory}")
        return Host()

    monkeypatch.setattr(devices.torch, "empty", empty)
    monkeypatch.setattr(torch.cuda, "Event", Event)
    fetch = copy_back(SimpleNamespace(device=GPU, shape=(2, 3), float=lambda: "results"))
    assert log == ["(2, 3) torch.float32 pinned True", "copy results True", "record"]
    fetch()
    assert log[3:] == ["wait", "read"]


# ---- nothing asks the GPU in a step


class Questions(TorchDispatchMode):
    """Counts what would let the host wait for a GPU: reading a number, shapes from values."""

    ASKING = ("_local_scalar_dense", "nonzero", "is_nonzero", "equal", "masked_select", "unique")

    def __init__(self):
        super().__init__()
        self.asked = []

    def __torch_dispatch__(self, function, types, given=(), named=None):
        name = function._schema.name.removeprefix("aten::")
        by_truth = name in ("index", "index_put_", "index_put") and any(
            i is not None and i.dtype in (torch.bool, torch.uint8) for i in given[1]
        )
        if name in self.ASKING or by_truth:
            self.asked.append(name)
        return function(*given, **(named or {}))


TASKS = {
    "classification": lambda encoder: Siamese(encoder, "classification"),
    "regression": lambda encoder: Siamese(encoder, "regression"),
    "triplet": lambda encoder: Siamese(encoder, "triplet"),
    "in-batch negatives": lambda encoder: Siamese(encoder, "in-batch negatives"),
    "cross": lambda encoder: CrossEncoder(encoder, "classification"),
    "poly": lambda encoder: PolyEncoder(encoder),
}


@pytest.mark.parametrize("name", TASKS)
def test_the_gpu_is_asked_at_most_once_per_logged_step(
    name, tiny_bert, pair_rows, tmp_path, monkeypatch
):
    plain = schedule.make_optimizer

    def fused(task, config):  # as on a GPU
        optimizer = plain(task, config)
        for group in optimizer.param_groups:
            group["fused"], group["foreach"] = True, False
        return optimizer

    monkeypatch.setattr(run, "make_optimizer", fused)
    for pooling in ("mean", "max", "cls") if name == "regression" else ("mean",):
        task = TASKS[name](SentenceEncoder.load(tiny_bert, pooling=pooling))
        with Questions() as questions:
            history = train(
                task,
                pair_rows,
                TrainConfig(epochs=2, batch_size=5, learning_rate=1e-3),
                run_dir=tmp_path / pooling,
                show_progress=False,
            )
        assert len(history.steps) == 8
        assert len(questions.asked) <= 8, questions.asked


@pytest.mark.parametrize("kind", ["bert", "roberta"])
def test_the_finished_attention_mask_gives_the_same_bits(kind, tiny_folders, sentences):
    encoder = SentenceEncoder.load(tiny_folders[kind])
    batch = encoder.pad(encoder.tokenize(sentences)[0])
    with torch.inference_mode():
        found = encoder.token_embeddings(**batch)
        plain = encoder.backbone(**batch).last_hidden_state
    real = batch["attention_mask"].bool()
    assert torch.equal(found[real], plain[real])


# ---- the fp16 scaler, compiling


def test_fp16_is_scaled_and_a_step_with_infinite_gradients_is_skipped(
    tiny_bert, pair_rows, tmp_path
):
    class Overflowing(Siamese):
        calls = 0

        def forward(self, batch):
            self.calls += 1
            loss = super().forward(batch)
            return loss * float("inf") if self.calls == 2 else loss

    task, scales, weights = Overflowing(SentenceEncoder.load(tiny_bert), "regression"), [], []
    plain = run.take_step

    def noted(model, batches, **given):
        loss = plain(model, batches, **given)
        scales.append(given["scaler"].get_scale())
        weights.append(model.encoder.backbone.embeddings.LayerNorm.bias.detach().clone())
        return torch.zeros_like(loss)

    config = TrainConfig(max_steps=4, batch_size=4, learning_rate=1e-3, precision="fp16")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("sbert_lab.training.step.autocast", lambda *_: contextlib.nullcontext())
        patch.setattr(run, "take_step", noted)
        train(task, pair_rows, config, run_dir=tmp_path, show_progress=False)
    assert scales[0] == 2**16 and scales[1] == 2**15  # halved, because it was too large
    assert not torch.equal(weights[0], weights[2])
    assert torch.equal(weights[0], weights[1])  # the step that overflowed moved nothing


def test_compiling_sees_few_shapes(tiny_bert, tmp_path, monkeypatch):
    words = "the dog runs in a tree on the big red house under the river not over"
    rows = [
        {"sentence1": " ".join(words.split()[: 1 + i % 15]), "sentence2": "a cat", "score": 0.5}
        for i in range(30)
    ]
    graphs, widths, plain = [], set(), torch.compile

    def eager(graph, inputs):
        graphs.append(graph)
        return graph.forward

    monkeypatch.setattr(torch, "compile", lambda task: plain(task, backend=eager))
    encoder = SentenceEncoder.load(tiny_bert)
    pad = encoder.pad

    def noted(ids):
        batch = pad(ids)
        widths.add(batch["input_ids"].shape[1])
        assert batch["attention_mask"] is not None
        return batch

    encoder.pad = noted
    config = TrainConfig(
        epochs=1, batch_size=2, learning_rate=1e-3, compile=True, bucket_batches=50
    )
    torch._dynamo.reset()
    train(Siamese(encoder, "regression"), rows, config, run_dir=tmp_path, show_progress=False)
    torch._dynamo.reset()
    assert widths <= {8, 16, 24} and len(widths) > 1
    assert len(graphs) <= 4, len(graphs)
    assert encoder.pad_multiple == 1  # encoding pads as before


@pytest.mark.parametrize("compiled", [True, False])
def test_compile_on_the_command_line_reaches_training(compiled, tiny_bert, tmp_path, monkeypatch):
    seen, widths, plain = [], set(), encoding.pad

    def noted(*given):
        ids, mask = plain(*given)
        widths.add(ids.shape[1])
        return ids, mask

    monkeypatch.setattr(torch, "compile", lambda task: (seen.append(type(task)), task)[1])
    monkeypatch.setattr(encoding, "pad", noted)
    words = "the dog runs in a tree on the big red house under the river"
    rows = [{"sentence1": words[: 5 * n], "sentence2": "a cat", "score": 0.5} for n in range(1, 13)]
    text = tmp_path / "rows.jsonl"
    text.write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    arguments = ["--backbone", str(tiny_bert), "--data", str(text), "--objective", "regression"]
    arguments += ["--epochs", "1", "--batch-size", "2", *(["--compile"] if compiled else [])]
    assert main(["train", str(tmp_path / "model"), *arguments]) == 0
    assert seen == [Siamese] * compiled
    assert widths <= {8, 16} if compiled else any(width % 8 for width in widths)


# ---- beside the GPU


@pytest.mark.parametrize(("device", "said"), [(GPU, None), (CPU, "false")])
def test_with_a_gpu_the_tokenizer_has_the_processors_cores(device, said, monkeypatch):
    monkeypatch.delenv("TOKENIZERS_PARALLELISM", raising=False)
    monkeypatch.setattr(devices, "pick_device", lambda: device)
    monkeypatch.setattr(lab, "_device_name", str)
    lab.setup("03_raw_embeddings", study_minutes=1, computing_seconds=1)
    assert os.environ.get("TOKENIZERS_PARALLELISM") == said


@pytest.mark.parametrize("failed", [False, True])
def test_processes_part_in_good_order_unless_one_failed(failed, monkeypatch):
    left = []
    monkeypatch.setattr(processes.dist, "is_initialized", lambda: True)
    monkeypatch.setattr(processes.dist, "destroy_process_group", lambda: left.append("left"))
    monkeypatch.delattr(processes.sys, "last_value", raising=False)
    if failed:
        monkeypatch.setattr(processes.sys, "last_value", ValueError(), raising=False)
    processes._leave()
    assert left == ([] if failed else ["left"])
