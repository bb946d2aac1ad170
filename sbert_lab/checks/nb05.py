"""Checks of notebook 05: the features of a pair, predictions that flip, the shuffled control."""

from collections import Counter
from collections.abc import Callable, Sequence

import torch
from torch import Tensor, nn

from sbert_lab.checks.core import Hint, check, near, need_number, need_shape
from sbert_lab.objectives import concatenate

SEEDS = (1, 2, 3)


# ---- exercise 1


@check
def features(answer: Callable) -> None:
    """(u, v, |u-v|) of each pair, side by side: (B, H), (B, H) -> (B, 3H)."""
    u = torch.tensor([[1.0, -2.0], [0.5, 3.0], [0.0, 4.0], [-1.0, 1.0]])
    v = torch.tensor([[2.0, -5.0], [0.5, 1.0], [7.0, 0.0], [2.0, 2.0]])
    expected = torch.cat([u, v, (u - v).abs()], dim=1)
    found = answer(u, v)
    _features_shape(found)
    if near(found, expected):
        return
    if near(found, torch.cat([u, v, u - v], dim=1)) or near(found, torch.cat([u, v, v - u], dim=1)):
        raise Hint(
            "the last part has negative numbers: it should be the absolute difference, |u-v|"
            " (.abs()), which is the same for (u, v) and (v, u)"
        )
    if near(found, torch.cat([u, v, u * v], dim=1)):
        raise Hint("the last part is u*v: the paper takes the absolute difference |u-v|")
    if near(found, torch.cat([u, v, (u - v) ** 2], dim=1)):
        raise Hint("the last part is the squared difference: the paper takes |u-v|")
    if near(torch.as_tensor(found).sort(dim=1).values, expected.sort(dim=1).values):
        raise Hint("the parts are there, but in another order: first u, then v, then |u-v|")
    raise Hint(
        f"for u = (1, -2) and v = (2, -5) it should be {expected[0].tolist()}, not"
        f" {torch.as_tensor(found)[0].tolist()}"
    )


def _features_shape(found: object) -> None:
    shape = tuple(getattr(found, "shape", ()))
    if shape == (12, 2):
        raise Hint(
            "the parts were put below each other, so the 4 pairs became 12 rows: concatenate along"
            " the last dimension (dim=1)"
        )
    if shape in ((3, 4, 2), (4, 3, 2)):
        raise Hint("stack makes a new dimension: concatenate the parts with torch.cat instead")
    if shape == (4, 8):
        raise Hint("there is a fourth part: the paper takes exactly u, v and |u-v|")
    need_shape(found, (4, 6))


# ---- exercise 2


@check
def flip_share(answer: Callable) -> None:
    """The share of pairs whose predicted class changes when u and v change places."""
    head, u, v = _head_and_pairs()
    changed = _flips(head, u, v)
    found = need_number(answer(head, u, v), "the share")
    if near(found, changed.double().mean()):
        _look_at_symmetric_head(answer, u, v)
        return
    if found == 0:
        raise Hint(
            "|u-v| stays the same, but u and v change places, and the head has weights of their own"
            " for the first and the second place: let head() look at (v, u, |u-v|) too"
        )
    if near(found, changed.sum()):
        raise Hint("this is how many predictions flip: divide by the number of pairs")
    if near(found, 1 - changed.double().mean()):
        raise Hint("this is the share that stays: count the predictions that change")
    if near(found, 1.0):
        raise Hint(
            "the logits change for every pair, but a prediction flips only if the largest one is"
            " another class: compare argmax with argmax"
        )
    raise Hint(
        f"of these {len(u)} pairs {int(changed.sum())} flip, a share of"
        f" {float(changed.double().mean()):.3f}; you have {found:.3f}"
    )


def _look_at_symmetric_head(answer: Callable, u: Tensor, v: Tensor) -> None:
    """A head with the same weights for u and for v cannot flip."""
    head, _, _ = _head_and_pairs()
    width = u.shape[1]
    with torch.no_grad():
        head.weight[:, width : 2 * width] = head.weight[:, :width]
    found = need_number(answer(head, u, v), "the share")
    if found > 0.02:
        raise Hint(
            "right for one head, but for a head that treats u and v alike nothing flips, and you"
            f" found {found:.3f}: use the head that your function is given"
        )


def _head_and_pairs() -> tuple[nn.Linear, Tensor, Tensor]:
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(5)
        return nn.Linear(3 * 8, 3), torch.randn(200, 8), torch.randn(200, 8)


@torch.no_grad()
def _flips(head: Callable, u: Tensor, v: Tensor) -> Tensor:
    return head(concatenate(u, v)).argmax(dim=1) != head(concatenate(v, u)).argmax(dim=1)


# ---- exercise 3


@check
def shuffled_control(answer: Callable) -> None:
    """Dev accuracies of models trained on shuffled labels, one per seed."""
    rows, dev = _rows(30, "train"), _rows(12, "dev")
    record = _Record()
    given = [dict(row) for row in rows]
    results = answer(record.fit, given, dev, seeds=SEEDS)
    if not record.trained:
        raise Hint("nothing was trained: call fit(rows, seed) with the shuffled rows")
    if given != rows:
        raise Hint(
            "the true labels are gone: train_rows was changed. Make new rows,"
            " {**row, 'label': label}, so that the real run can still use the old ones"
        )
    for trained in record.trained:
        _look_at_training_rows(trained, rows)
    _look_at_scoring(record.scored, dev)
    _look_at_seeds(record, results)


class _Record:
    """A stand-in for training: remembers what it was given."""

    def __init__(self) -> None:
        self.trained, self.scored, self.accuracies = [], [], []

    def fit(self, rows: Sequence[dict], seed: int = 0) -> Callable:
        self.trained.append([dict(row) for row in rows])

        def accuracy(rows: Sequence[dict]) -> float:
            self.scored.append([dict(row) for row in rows])
            self.accuracies.append(0.30 + 0.01 * len(self.scored))
            return self.accuracies[-1]

        return accuracy


def _rows(count: int, name: str) -> list[dict]:
    return [
        {"sentence1": f"{name} premise {i}", "sentence2": f"hypothesis {i}", "label": i % 3}
        for i in range(count)
    ]


def _pairs(rows: Sequence[dict]) -> Counter:
    return Counter((row["sentence1"], row["sentence2"]) for row in rows)


def _labelled(rows: Sequence[dict]) -> Counter:
    return Counter((row["sentence1"], row["sentence2"], row["label"]) for row in rows)


def _look_at_training_rows(trained: Sequence[dict], rows: Sequence[dict]) -> None:
    if _labelled(trained) == _labelled(rows):
        raise Hint(
            "every pair still has its own label (shuffling whole rows changes nothing): shuffle"
            " the labels alone"
        )
    if _pairs(trained) != _pairs(rows):
        raise Hint("train on all pairs of train_rows, each once, with nothing changed but labels")
    if Counter(row["label"] for row in trained) != Counter(row["label"] for row in rows):
        raise Hint(
            "the classes are not as frequent as before: do not draw new labels, permute the old"
            " ones, so that only their order is destroyed"
        )


def _look_at_scoring(scored: Sequence[Sequence[dict]], dev: Sequence[dict]) -> None:
    if not scored:
        raise Hint("fit() gives back a function: call it with rows to get the accuracy")
    for rows in scored:
        if _labelled(rows) == _labelled(dev):
            continue
        if _pairs(rows) == _pairs(dev):
            raise Hint("the dev labels were shuffled too: the control is scored on true labels")
        raise Hint(
            "scored on training pairs: a model can memorise shuffled labels, so only pairs that it"
            " never saw (dev_rows) show that nothing was learned"
        )


def _look_at_seeds(record: _Record, results: object) -> None:
    orders = {tuple(row["label"] for row in trained) for trained in record.trained}
    if len(record.trained) < len(SEEDS):
        raise Hint(
            f"one control is one draw: train once per seed, {len(SEEDS)} times, to see how far"
            " chance alone moves the accuracy"
        )
    if len(orders) < len(SEEDS):
        raise Hint("every seed got the same shuffled labels: shuffle with the seed of the round")
    if not isinstance(results, Sequence | Tensor) and not hasattr(results, "tolist"):
        raise Hint("return the list of accuracies, one per seed, not only their mean")
    if not near(list(results), record.accuracies):
        raise Hint(
            "return the accuracies that were measured on dev_rows, in the order of the seeds"
        )
