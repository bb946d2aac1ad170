"""Notebook 05. Checks: features of a pair, shuffled control, classes in order, flips.

Figures: curves that grow while training runs, and what the head learned.
"""

from collections import Counter
from collections.abc import Callable, Sequence
from functools import partial

import numpy as np
import torch
from matplotlib.figure import Figure
from torch import Tensor, nn

from sbert_lab.course.curve import Curve, crossings, curves, gains  # noqa: F401, the notebook's figures
from sbert_lab.course.diagnose import Hint, check, diagnose, near, need_number, need_shape
from sbert_lab.course.plots import COLORS, new
from sbert_lab.objectives import concatenate

SEEDS = (1, 2, 3)


def _side_by_side(*parts: Tensor) -> Tensor:
    return torch.cat(parts, dim=1)


NEGATIVE = (
    "the last part has negative numbers: it should be the absolute difference, |u-v|"
    " (.abs()), which is the same for (u, v) and (v, u)"
)
STACKED = "stack makes a new dimension: concatenate the parts with torch.cat instead"
FEATURES = (
    (lambda u, v: _side_by_side(u, v, u - v), NEGATIVE),
    (lambda u, v: _side_by_side(u, v, v - u), NEGATIVE),
    (
        lambda u, v: _side_by_side(u, v, u * v),
        "the last part is u*v: the paper takes the absolute difference |u-v|",
    ),
    (
        lambda u, v: _side_by_side(u, v, (u - v) ** 2),
        "the last part is the squared difference: the paper takes |u-v|",
    ),
    (
        lambda u, v: torch.cat([u, v, (u - v).abs()]),
        "the parts were put below each other, so the 4 pairs became 12 rows: concatenate along"
        " the last dimension (dim=1)",
    ),
    (lambda u, v: torch.stack([u, v, (u - v).abs()]), STACKED),
    (lambda u, v: torch.stack([u, v, (u - v).abs()], dim=1), STACKED),
    (lambda u, v: torch.stack([u, v, (u - v).abs()], dim=2), STACKED),
    (
        lambda u, v: _side_by_side(u, v, (u - v).norm(dim=1, keepdim=True)),
        "the last part is one number, the length: |u-v| is taken number by number (.abs())",
    ),
    (
        lambda u, v: _side_by_side(u, v, (u - v).abs(), u * v),
        "there is a fourth part: the paper takes exactly u, v and |u-v|",
    ),
)


@check(mistakes=FEATURES)
def features(answer: Callable) -> None:
    """(u, v, |u-v|) of each pair, side by side: (B, H), (B, H) -> (B, 3H)."""
    u = torch.tensor([[1.0, -2.0], [0.5, 3.0], [0.0, 4.0], [-1.0, 1.0]])
    v = torch.tensor([[2.0, -5.0], [0.5, 1.0], [7.0, 0.0], [2.0, 2.0]])
    diagnose(
        answer,
        concatenate,
        FEATURES,
        (u, v),
        look=_one_tensor,
        same=_alike,
        otherwise=_other_features,
    )


def _one_tensor(found: object) -> object:
    if isinstance(found, (list, tuple)):
        raise Hint(f"these are {len(found)} tensors: put them side by side with torch.cat")
    return found


def _alike(found: object, expected: Tensor) -> bool:
    """The same numbers; of a wrong shape, the shape alone tells the mistake."""
    shape = tuple(getattr(found, "shape", ()))
    return near(found, expected) or shape == tuple(expected.shape) != (4, 6)


def _other_features(found: object, expected: Tensor) -> str:
    found = torch.as_tensor(need_shape(found, (4, 6)))
    if near(found.sort(dim=1).values, expected.sort(dim=1).values):
        return "the parts are there, but in another order: first u, then v, then |u-v|"
    return (
        f"for u = (1, -2) and v = (2, -5) it should be {expected[0].tolist()}, not"
        f" {found[0].tolist()}"
    )


@torch.no_grad()
def _flips(head: Callable, u: Tensor, v: Tensor) -> Tensor:
    return head(concatenate(u, v)).argmax(dim=1) != head(concatenate(v, u)).argmax(dim=1)


def _flip_share(head: Callable, u: Tensor, v: Tensor) -> Tensor:
    return _flips(head, u, v).double().mean()


FLIPS = (
    (
        lambda head, u, v: 0.0,
        "|u-v| stays the same, but u and v change places, and the head has weights of their own"
        " for the first and the second place: let head() look at (v, u, |u-v|) too",
    ),
    (
        lambda head, u, v: _flips(head, u, v).sum(),
        "this is how many predictions flip: divide by the number of pairs",
    ),
    (
        lambda head, u, v: 1 - _flip_share(head, u, v),
        "this is the share that stays: count the predictions that change",
    ),
    (
        lambda head, u, v: (
            (head(concatenate(u, v)) != head(concatenate(v, u))).any(dim=1).double().mean()
        ),
        "the logits change for every pair, but a prediction flips only if the largest one is"
        " another class: compare argmax(dim=1), one class per pair, with argmax(dim=1)",
    ),
    (
        lambda head, u, v: (
            (head(concatenate(u, v)).argmax(0) != head(concatenate(v, u)).argmax(0)).double().mean()
        ),
        "argmax ran over the pairs (dim=0): each pair has its own largest of three logits (dim=1)",
    ),
    (lambda head, u, v: 100 * _flip_share(head, u, v), "as a share, please: between 0 and 1"),
)


@check(mistakes=FLIPS)
def flip_share(answer: Callable) -> None:
    """The share of pairs whose predicted class changes when u and v change places."""
    head, u, v = _head_and_pairs()
    diagnose(
        answer,
        _flip_share,
        FLIPS,
        (head, u, v),
        look=partial(need_number, what="the share"),
        otherwise=lambda found, expected: (
            f"of these {len(u)} pairs {round(float(expected) * len(u))} flip, a share of"
            f" {float(expected):.3f}; you have {found:.3f}"
        ),
    )
    _look_at_symmetric_head(answer, u, v)


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
        torch.manual_seed(4)
        return nn.Linear(3 * 8, 3), torch.randn(200, 8), torch.randn(200, 8)


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
    _look_at_other_seeds(answer, rows, dev)


class _Record:
    """A stand-in for training: remembers what it was given."""

    def __init__(self) -> None:
        self.trained, self.scored, self.accuracies, self.seeds = [], [], [], []

    def fit(self, rows: Sequence[dict], seed: int | None = None) -> Callable:
        if not all(isinstance(row, dict) for row in rows):
            raise Hint("fit() needs whole rows, each a dictionary with sentences and label")
        self.trained.append([dict(row) for row in rows])
        self.seeds.append(seed)

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
    if any(set(row) != set(rows[0]) for row in trained):
        raise Hint("the sentences were left behind: each new row needs them too, {**row, ...}")
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
    if any(_labelled(rows) == _labelled(dev) for rows in scored):
        return
    for rows in scored:
        if _pairs(rows) == _pairs(dev):
            raise Hint("the dev labels were shuffled too: the control is scored on true labels")
        raise Hint(
            "scored on training pairs: a model can memorise shuffled labels, so only pairs that it"
            " never saw (dev_rows) show that nothing was learned"
        )


def _look_at_seeds(record: _Record, results: object) -> None:
    dev = _labelled(_rows(12, "dev"))
    scored = zip(record.scored, record.accuracies, strict=True)
    accuracies = [accuracy for rows, accuracy in scored if _labelled(rows) == dev]
    orders = {tuple(row["label"] for row in trained) for trained in record.trained}
    if len(record.trained) < len(SEEDS):
        raise Hint(
            f"one control is one draw: train once per seed, {len(SEEDS)} times, to see how far"
            " chance alone moves the accuracy"
        )
    if len(orders) < len(SEEDS):
        raise Hint("every seed got the same shuffled labels: shuffle with the seed of the round")
    if not np.ndim(results):
        raise Hint("return the list of accuracies, one per seed, not only their mean")
    if near(results, [100 * one for one in accuracies]):
        raise Hint("in percent: leave the accuracies as they were measured")
    if not near(results, accuracies):
        raise Hint(
            "return the accuracies that were measured on dev_rows, in the order of the seeds"
        )
    if len(set(record.seeds)) < len(SEEDS):
        raise Hint(
            "every training started from the same seed: give fit() the seed of the round, so that"
            " its own luck (first weights, order of the rows) changes too"
        )


def _look_at_other_seeds(answer: Callable, rows: Sequence[dict], dev: Sequence[dict]) -> None:
    """`seeds` decides everything: which ones are used, and that a second call repeats the first."""
    runs = []
    for _ in range(2):
        runs.append(_Record())
        answer(runs[-1].fit, [dict(row) for row in rows], dev, seeds=(7, 11))
    if len(runs[0].trained) != 2 or set(runs[0].seeds) != {7, 11}:
        raise Hint("other seeds were given, (7, 11), and not used: loop over `seeds`")
    if runs[0].trained != runs[1].trained:
        raise Hint(
            "the same seeds gave other labels when called again: shuffle with the seed of the"
            " round, np.random.default_rng(seed), so that anybody can repeat it"
        )


# ---- are the classes in order?

# Cosines of entailments and of contradictions: not equally many, and with ties.
TWO_CLASSES = ((0.8, 0.7, 0.6, 0.4, 0.5), (0.1, 0.1, 0.1, 0.2, 0.8, 0.6, 0.9))


def _in_order(first: np.ndarray, second: np.ndarray, *, tie: float = 0.5) -> float:
    """How often a value of the first is above one of the second: (N,), (M,) -> 0 to 1."""
    first = first[:, None]
    return float(((first > second) + tie * (first == second)).mean())


def _place_by_place(first: np.ndarray, second: np.ndarray, *, tie: float) -> float:
    first, second = first[: len(second)], second[: len(first)]
    return float(((first > second) + tie * (first == second)).mean())


PLACES = (
    "you compared place by place. Draw freely: each entailment meets each contradiction, (N, 1)"
    " against (M,)"
)
IN_ORDER = (
    *((partial(_place_by_place, tie=tie), PLACES) for tie in (0.5, 0.0, 1.0)),
    (
        partial(_in_order, tie=0.0),
        "a tie counts half: an encoder that gives every pair the same cosine has 0.5, not 0",
    ),
    (partial(_in_order, tie=1.0), "a tie is not the right order yet: it counts half"),
    (lambda e, c: _in_order(c, e), "turned round: how often is the *entailment* the higher one?"),
    (lambda e, c: 100 * _in_order(e, c), "as a share, please: between 0 and 1"),
    (
        lambda e, c: _in_order(e, c) * len(e) * len(c),
        "this is how many are in order: divide by the number of comparisons",
    ),
    (lambda e, c: (e > c.mean()).mean(), "compare with each contradiction, not with their mean"),
    (
        lambda e, c: e.mean() - c.mean(),
        "this is the distance of the means, which depends on the scale: count comparisons",
    ),
)


@check(mistakes=IN_ORDER)
def in_order(answer: Callable) -> None:
    """answer(entailment, contradiction) -> how often an entailment has the higher cosine."""
    entailment, contradiction = map(np.array, TWO_CLASSES)
    for given in ((entailment, contradiction), (contradiction, entailment[:3])):
        example = f"for {given[0].tolist()} and {given[1].tolist()} there are {given[0].size}"
        diagnose(
            answer,
            _in_order,
            IN_ORDER,
            given,
            look=partial(need_number, what="the share"),
            otherwise=f"{example} x {given[1].size} comparisons: how many are in order?",
        )


# ---- figures: curves that grow while training runs, and what the labels did to the cosines.


def flips(task, rows) -> float:
    """The share of the pairs to which the head gives another class when they are turned round."""
    first, second = rows["sentence1"], rows["sentence2"]
    there, back = task.predict_labels(first, second), task.predict_labels(second, first)
    return float((there != back).float().mean())


def label_cosines(before, after, labels, *, classes: Sequence[str]) -> Figure:
    """Histograms of the pairs' cosines per label, with their means: (N,), (N,), (N,)."""
    figure, axes = new(9.5, 3.4, columns=2, sharey=True)
    for panel, title, cosines in zip(axes, ("before", "after"), (before, after), strict=True):
        edges = np.linspace(*np.quantile(cosines, (0.002, 1)), 26)
        for number, name in enumerate(classes):
            mine, color = np.asarray(cosines)[np.asarray(labels) == number], COLORS[number]
            share = np.full(len(mine), 100 / max(1, len(mine)))
            panel.hist(mine, edges, weights=share, histtype="step", lw=2, color=color, label=name)
            panel.axvline(mine.mean(), color=color, lw=1.2, ls=(0, (3, 2)))
        panel.set(title=f"{title} training", xlabel="cosine of a pair")
    axes[0].set(ylabel="pairs of the class (%)")
    figure.legend(*axes[0].get_legend_handles_labels(), loc="outside lower center", ncols=3)
    return figure
