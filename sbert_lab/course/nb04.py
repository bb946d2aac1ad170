"""Notebook 04. Checks: a first training loop, distance from cosine, two kinds of neighbour.

Figures: one box used twice and the gradients of both uses, losses, cosine against distance.
"""

import math
from collections.abc import Callable, Mapping, Sequence
from functools import partial

import numpy as np
import torch
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import FancyBboxPatch
from torch import Tensor, nn
from torch.nn import functional as F
from torch.optim.optimizer import register_optimizer_step_pre_hook

from sbert_lab.course.diagnose import Hint, check, diagnose, near, need_shape
from sbert_lab.course.plots import COLORS, new

STEPS, RATE, LEARNED = 120, 0.02, 0.01
WORDS = 12  # the first sentences use words 1..12, the second ones 13..24; 0 is padding


@check
def memorise(answer: Callable) -> None:
    """A loop that trains one encoder on eight pairs: memorise(encoder, first, second, scores)."""
    encoder, watch = _watched_encoder()
    first, second, scores = _eight_pairs()
    start = _loss(encoder, first, second, scores)
    before = [p.detach().clone() for p in encoder.parameters()]
    watch.start(encoder)
    losses = answer(encoder, first, second, scores, steps=STEPS, learning_rate=RATE)
    watch.stop()
    _look_at_towers(watch)
    if not watch.backward:
        raise Hint("no gradient was ever computed: the loop needs loss.backward()")
    _look_at_sides(watch)
    unchanged = list(map(torch.equal, before, encoder.parameters()))
    if all(unchanged):
        raise Hint(
            "no weight has changed: does the loop call optimizer.step(), and zero_grad() not"
            " between backward() and step()?"
        )
    if any(unchanged):
        raise Hint("some weights never move: give the optimizer all of encoder.parameters()")
    if len(watch.optimizers) > 1:
        raise Hint(
            "a new optimizer in every round forgets what Adam remembers: make one, before the loop"
        )
    if watch.stale:
        raise Hint(
            "gradients of earlier steps are still in there when the next one is computed, because"
            " backward() adds to .grad: call optimizer.zero_grad() once per step"
        )
    _look_at_rate(watch)
    _look_at_losses(losses, start)
    end = _loss(encoder, first, second, scores)
    if end > LEARNED:
        raise Hint(
            f"after {STEPS} steps the loss is {end:.3f}; it should be below {LEARNED}: use"
            " torch.optim.Adam with the learning rate that is given, and all eight pairs"
        )


def _look_at_towers(watch: "_Watch") -> None:
    if watch.copied:
        raise Hint(
            "some embeddings came from a copy of the encoder: that makes two networks that drift"
            " apart. Call the same encoder twice"
        )
    if not watch.encoded:
        raise Hint("the encoder was never called: u = encoder(**first), v = encoder(**second)")
    if missed := {"first", "second"} - watch.encoded:
        raise Hint(f"the {missed.pop()} sentences were never encoded: is one batch in twice?")


def _look_at_sides(watch: "_Watch") -> None:
    for side, name in (("first", "u"), ("second", "v")):
        if side not in watch.reached:
            raise Hint(
                f"no gradient reaches the {side} sentences: {name} was computed under no_grad, or"
                " cut off with detach(). Both calls teach the encoder"
            )


def _look_at_rate(watch: "_Watch") -> None:
    rates = {group["lr"] for one in watch.optimizers.values() for group in one.param_groups}
    if rates - {RATE}:
        raise Hint(f"the learning rate was {max(rates):g}: hand on the given one, learning_rate")


def _look_at_losses(losses: object, start: float) -> None:
    if not isinstance(losses, Sequence | np.ndarray | Tensor) or len(losses) != STEPS:
        found = len(losses) if hasattr(losses, "__len__") else type(losses).__name__
        raise Hint(f"return a list with one loss per step: {STEPS} numbers, not {found}")
    if any(isinstance(one, Tensor) and one.requires_grad for one in losses):
        raise Hint("each of these losses keeps its whole computation alive: append loss.item()")
    first = float(losses[0])
    if near(first, start, tolerance=1e-4):
        return
    if near(first, 8 * start, tolerance=1e-4):
        raise Hint("this is the sum of the eight squared errors: take their mean")
    raise Hint(
        f"the first loss should be {start:.4f}, the mean of (cosine - score) squared before any"
        f" step, not {first:.4f}"
    )


class _Watch:
    """What happens while the learner's loop runs: who encodes, and where gradients arrive."""

    def __init__(self) -> None:
        self.on = False

    def start(self, encoder: nn.Module) -> None:
        self.on, self.original = True, encoder
        self.encoded, self.reached = set(), set()
        self.copied = self.backward = self.stale = False
        self.handles = [h for p in encoder.parameters() for h in self._follow(p)]
        self.optimizers: dict[int, object] = {}
        remember = lambda one, *_: self.optimizers.update({id(one): one})  # noqa: E731
        self.handles.append(register_optimizer_step_pre_hook(remember))

    def stop(self) -> None:
        self.on = False
        for handle in self.handles:
            handle.remove()

    def called(self, encoder: nn.Module, ids: Tensor, output: Tensor) -> None:
        """Remember whose sentences these are, and whether a gradient comes back to them."""
        if not self.on:
            return
        words = ids[ids > 0]
        sides = {"first"} if (words <= WORDS).any() else set()
        sides |= {"second"} if (words > WORDS).any() else set()
        if encoder is self.original:
            self.encoded |= sides
        elif torch.is_grad_enabled():
            self.copied = True
        if output.requires_grad:
            output.register_hook(lambda gradient: self.reached.update(sides))

    def _follow(self, weight: nn.Parameter):
        """A step changes the weight; the first gradient after it must not add to an older one."""
        seen: dict[str, Tensor] = {}

        def arrives(gradient: Tensor) -> None:
            self.backward = True
            seen["new"] = gradient.detach().clone()

        def arrived(parameter: Tensor) -> None:
            stepped = "value" in seen and not torch.equal(seen["value"], parameter.detach())
            if stepped and not torch.allclose(parameter.grad, seen["new"], rtol=1e-4, atol=1e-8):
                self.stale = True
            seen["value"] = parameter.detach().clone()

        return (weight.register_hook(arrives), weight.register_post_accumulate_grad_hook(arrived))


def _watched_encoder() -> tuple[nn.Module, _Watch]:
    """A small encoder with the interface of SentenceEncoder, and the one who watches it."""
    watch = _Watch()

    class Small(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.words, self.layer = nn.Embedding(2 * WORDS + 1, 16), nn.Linear(16, 16)

        def forward(self, input_ids: Tensor, attention_mask: Tensor | None = None) -> Tensor:
            if isinstance(input_ids, str):
                raise Hint("one star gives only the names: two are needed, encoder(**first)")
            real = (input_ids > 0).unsqueeze(-1)
            mean = (self.words(input_ids) * real).sum(dim=1) / real.sum(dim=1)
            watch.called(self, input_ids, output := torch.tanh(self.layer(mean)))
            return output

    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(4)
        return Small(), watch


def _eight_pairs() -> tuple[dict, dict, Tensor]:
    generator = torch.Generator().manual_seed(4)
    first = torch.randint(1, WORDS + 1, (8, 5), generator=generator)
    second = torch.randint(WORDS + 1, 2 * WORDS + 1, (8, 4), generator=generator)
    first[::2, 4] = 0  # some padding, so that there is a mask
    scores = torch.tensor([0.0, 1.0, 0.5, 0.8, 0.2, 0.9, 0.1, 0.6])
    return (
        {"input_ids": first, "attention_mask": (first > 0).long()},
        {"input_ids": second, "attention_mask": None},
        scores,
    )


@torch.no_grad()
def _loss(encoder: nn.Module, first: dict, second: dict, scores: Tensor) -> float:
    cosines = F.cosine_similarity(encoder(**first), encoder(**second))
    return float(((cosines - scores) ** 2).mean())


def _distance(cosine: Tensor, a: Tensor, b: Tensor) -> Tensor:
    return (a**2 + b**2 - 2 * a * b * cosine).clamp(min=0).sqrt()


DISTANCE = (
    (
        lambda c, a, b: _distance(c, a, b) ** 2,
        "this is the *squared* distance: take the square root",
    ),
    (
        lambda c, a, b: (2 - 2 * c).clamp(min=0).sqrt(),
        "right for unit vectors. For others the two squares are not 1, and u * v is not the cosine",
    ),
    (
        lambda c, a, b: (a**2 + b**2 - 2 * c).clamp(min=0).sqrt(),
        "u * v is the cosine only for unit vectors: for others it is cosine times both lengths",
    ),
    (
        lambda c, a, b: _distance(c, a.sqrt(), b.sqrt()),
        "u * u is the *square* of the length of u",
    ),
    (
        lambda c, a, b: (a**2 + b**2 - a * b * c).clamp(min=0).sqrt(),
        "there are two mixed terms, so u * v counts twice",
    ),
    (lambda c, a, b: _distance(-c, a, b), "a plus before the cosine: alike would lie far apart"),
)


@check(mistakes=DISTANCE)
def distance_from_cosine(answer: Callable) -> None:
    """The distance of two vectors from their cosine and their lengths: (N,) each -> (N,)."""
    generator = torch.Generator().manual_seed(2)
    cosine, a, b = torch.rand(3, 6, generator=generator)
    compare = partial(diagnose, answer, _distance, look=partial(need_shape, shape=(6,)))
    compare(
        DISTANCE,
        (2 * cosine - 1, 0.5 + 4 * a, 0.5 + 4 * b),
        otherwise=lambda found, expected: (
            f"the first distance is {expected[0]:.4f}, you have {float(found[0]):.4f}: multiply out"
            " (u - v) * (u - v); then put in what u * u, v * v and u * v are"
        ),
    )
    compare(
        (),
        (torch.full((6,), 1 + 1e-6), 3 + a, 3 + a),
        same=partial(near, tolerance=2e-2),
        otherwise="two equal vectors should have the distance 0, not NaN: rounding can put the"
        " cosine above 1, so clamp at 0 before the root",
    )


@check
def different_neighbours(vectors: Sequence) -> None:
    """(query, a, b): by cosine one of a and b is nearer to the query, by Euclid the other one."""
    query, a, b = _three(vectors)
    lengths = [float(np.linalg.norm(x)) for x in (query, a, b)]
    if min(lengths) == 0:
        raise Hint("a zero vector has no direction, so no cosine: use three non-zero vectors")
    if np.allclose(a, b):
        raise Hint("the two candidates are the same vector: there is nothing to choose")
    cosines = [query @ x / lengths[0] / n for x, n in ((a, lengths[1]), (b, lengths[2]))]
    distances = [float(np.linalg.norm(query - x)) for x in (a, b)]
    said = (
        f"cosines {cosines[0]:.3f} and {cosines[1]:.3f},"
        f" distances {distances[0]:.3f} and {distances[1]:.3f}"
    )
    if math.isclose(*cosines, abs_tol=1e-9) or math.isclose(*distances, abs_tol=1e-9):
        raise Hint(f"a tie chooses nobody ({said}): move one of the candidates a little")
    if (cosines[0] > cosines[1]) != (distances[0] < distances[1]):
        return
    if math.isclose(lengths[1], lengths[2], rel_tol=1e-6):
        raise Hint(
            f"your candidates have the same length, and then the two always agree ({said}): make"
            " the one with the smaller angle much longer"
        )
    raise Hint(f"both choose the same neighbour ({said}): change a length, keep the directions")


def _three(vectors: Sequence) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    try:
        query, a, b = (np.asarray(x, dtype=float) for x in vectors)
    except (TypeError, ValueError):
        raise Hint("give three vectors of numbers: (query, a, b)") from None
    if not all(np.isfinite(x).all() for x in (query, a, b)):
        raise Hint("infinity and NaN have no neighbours: take ordinary numbers")
    if query.ndim != 1 or not query.shape == a.shape == b.shape:
        shapes = ", ".join(str(x.shape) for x in (query, a, b))
        raise Hint(f"the three need one length, for example two numbers each; yours: {shapes}")
    return query, a, b


# ---- figures: one box used twice, losses, cosine against distance.


U, V = COLORS[0], COLORS[1]


def gradients_add_up(from_u, from_v, total) -> Figure:
    """Left the one set of weights and its two uses; right, per weight, u's part and v's on top.

    Three arrays of gradients of the same few weights; `total` is drawn as it was measured.
    """
    figure, (left, right) = new(9.5, 3.9, columns=2, width_ratios=[1, 1.25])
    _one_box_used_twice(left)
    _stacked(right, *(np.asarray(part, dtype=float) for part in (from_u, from_v, total)))
    return figure


def _one_box_used_twice(axes: Axes) -> None:
    axes.set(xlim=(0, 10), ylim=(0, 10), title="one set of weights, two uses")
    axes.axis("off")
    _box(axes, 3.2, 4.0, 3.6, 1.8, "encoder\nweights $W$", "#E8E8E8")
    _box(axes, 3.2, 8.2, 3.6, 1.3, "loss$(u, v)$", "white")
    for number, name, color, side in ((1, "$u$", U, -1), (2, "$v$", V, 1)):

        def at(distance: float, height: float, side: int = side) -> tuple[float, float]:
            return 5 + side * distance, height  # mirrored for the second sentence

        _box(axes, 5 + side * 2.9 - 1.35, 0.4, 2.7, 1.2, f"sentence {number}", "white", edge=color)
        _arrow(axes, at(2.9, 1.7), at(1.3, 3.85), color)
        _arrow(axes, at(0.8, 5.95), at(0.8, 8.05), color)
        axes.text(*at(1.15, 7.0), name, color=color, fontsize=13, ha="center", va="center")
        bend = f"arc3,rad={-side * 0.4}"
        _arrow(axes, at(1.95, 8.7), at(1.95, 5.0), color, style="--", bend=bend)
        words = f"gradient\nvia {name}"
        axes.text(*at(3.95, 7.0), words, color=color, ha="center", va="center")


def _box(axes: Axes, x, y, width, height, text: str, fill: str, edge: str = "black") -> None:
    shape = FancyBboxPatch(
        (x, y), width, height, boxstyle="round,pad=0.1", facecolor=fill, edgecolor=edge, lw=1.5
    )
    axes.add_patch(shape)
    axes.text(x + width / 2, y + height / 2, text, ha="center", va="center")


def _arrow(axes: Axes, start, end, color: str, style: str = "-", bend: str = "arc3") -> None:
    look = {"arrowstyle": "-|>", "color": color, "lw": 1.8, "ls": style, "connectionstyle": bend}
    axes.annotate("", xy=end, xytext=start, arrowprops={**look, "shrinkA": 0, "shrinkB": 0})


def _stacked(axes: Axes, from_u: np.ndarray, from_v: np.ndarray, total: np.ndarray) -> None:
    """u's part from zero; v's part goes on where u's ended; the dot is the total."""
    places = np.arange(len(from_u))
    axes.axhline(0, color="black", lw=0.8)
    axes.bar(places - 0.18, from_u, 0.34, color=U, label="via u")
    axes.bar(places + 0.18, from_v, 0.34, bottom=from_u, color=V, label="via v, starting there")
    axes.hlines(from_u, places - 0.35, places + 0.35, color="black", lw=0.7)
    axes.plot(places + 0.18, total, "D", color="black", ms=5, label="total gradient")
    axes.set(xlabel=f"{len(places)} weights of the last layer, drawn at random", ylabel="gradient")
    axes.set_xticks(places, places + 1)
    axes.set_title("per weight: via u + via v = total")
    ends = np.concatenate([[0], from_u, total])
    reach = np.ptp(ends)
    axes.set_ylim(ends.min() - 0.06 * reach, ends.max() + 0.34 * reach)  # room for the legend
    handles, labels = axes.get_legend_handles_labels()
    order = [labels.index(name) for name in ("via u", "via v, starting there", "total gradient")]
    handles, labels = [handles[i] for i in order], [labels[i] for i in order]
    axes.legend(handles, labels, loc="upper center", ncols=3, fontsize=8.5, columnspacing=1.0)


def losses(curves: Mapping[str, Sequence[float] | None]) -> Axes:
    """Loss against step, on a log axis; a curve that is None is left out."""
    _, axes = new(6.4, 3.4)
    drawn = {name: values for name, values in curves.items() if values is not None}
    for (name, values), color in zip(drawn.items(), COLORS, strict=False):
        axes.plot(range(1, len(values) + 1), values, color=color, label=name)
    axes.set(xlabel="step", ylabel="mean squared error", yscale="log")
    axes.legend()
    return axes


def cosine_against_distance(cosines, raw_squared, unit_squared) -> Figure:
    """Squared Euclidean distance of each pair over its cosine: raw on the left, unit right."""
    figure, axes = new(9, 3.5, columns=2, sharex=True)
    cosines = np.asarray(cosines)
    panels = (("raw vectors", raw_squared, U), ("the same vectors, length 1", unit_squared, V))
    for panel, (title, squared, color) in zip(axes, panels, strict=True):
        panel.plot(cosines, squared, ".", color=color, ms=4, alpha=0.6)
        panel.set(xlabel="cosine of the pair", title=title)
    axes[0].set_ylabel("squared distance")
    ends = np.array([cosines.min(), 1.0])
    axes[1].plot(ends, 2 - 2 * ends, color="black", lw=1, label="2 - 2 cos")
    axes[1].legend()
    for panel in axes:
        panel.set_ylim(bottom=0)
    return figure
