"""Checks of notebook 04: a first training loop, distance from cosine, two kinds of neighbour."""

import math
from collections.abc import Callable, Sequence

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional as F

from sbert_lab.checks.core import Hint, check, near, need_shape

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
    if all(map(torch.equal, before, encoder.parameters())):
        raise Hint("no weight has changed: does the loop call optimizer.step()?")
    if watch.stale:
        raise Hint(
            "gradients of earlier steps are still in there when the next one is computed, because"
            " backward() adds to .grad: call optimizer.zero_grad() once per step"
        )
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


def _look_at_sides(watch: "_Watch") -> None:
    for side, name in (("first", "u"), ("second", "v")):
        if side not in watch.reached:
            raise Hint(
                f"no gradient reaches the {side} sentences: {name} was computed under no_grad, or"
                " cut off with detach(). Both calls teach the encoder"
            )


def _look_at_losses(losses: object, start: float) -> None:
    if not isinstance(losses, Sequence | np.ndarray | Tensor) or len(losses) != STEPS:
        found = len(losses) if hasattr(losses, "__len__") else type(losses).__name__
        raise Hint(f"return a list with one loss per step: {STEPS} numbers, not {found}")
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

        return (
            weight.register_hook(arrives),
            weight.register_post_accumulate_grad_hook(arrived),
        )


def _watched_encoder() -> tuple[nn.Module, _Watch]:
    """A small encoder with the interface of SentenceEncoder, and the one who watches it."""
    watch = _Watch()

    class Small(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.words, self.layer = nn.Embedding(2 * WORDS + 1, 16), nn.Linear(16, 16)

        def forward(self, input_ids: Tensor, attention_mask: Tensor | None = None) -> Tensor:
            real = (input_ids > 0).unsqueeze(-1)
            mean = (self.words(input_ids) * real).sum(dim=1) / real.sum(dim=1)
            output = torch.tanh(self.layer(mean))
            watch.called(self, input_ids, output)
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


@check
def distance_from_cosine(answer: Callable) -> None:
    """The distance between the unit vectors of u and v, from the cosine alone: (N, H) -> (N,)."""
    generator = torch.Generator().manual_seed(2)
    u, v = (F.normalize(torch.randn(6, 5, generator=generator), dim=1) for _ in range(2))
    expected = torch.linalg.vector_norm(u - v, dim=1)
    found = answer(u, v)
    need_shape(found, (6,))
    if near(found, expected**2):
        raise Hint("this is 2 - 2 cos, the *squared* distance: take the square root")
    if not near(found, expected):
        raise Hint(
            f"for the first pair the distance is {expected[0]:.4f}, you have {float(found[0]):.4f}:"
            " multiply out (u - v) * (u - v) and put in that u * u = v * v = 1"
        )
    lengths = torch.tensor([0.5, 1.0, 2.0, 3.0, 4.0, 10.0]).unsqueeze(1)
    raw_u, raw_v = u * lengths, v * lengths.flip(0)
    found = answer(raw_u, raw_v)
    if near(found, torch.linalg.vector_norm(raw_u - raw_v, dim=1)):
        raise Hint(
            "right for unit vectors, but for raw ones this is the raw distance: the formula is"
            " about their unit vectors, so divide each by its length first"
        )
    if not near(found, expected, tolerance=1e-4):
        raise Hint(
            "right for unit vectors, wrong for longer ones: there the dot product is not the"
            " cosine any more. Divide by both lengths"
        )
    if not near(answer(raw_u, 3 * raw_u), torch.zeros(6), tolerance=2e-3):
        raise Hint(
            "two vectors of the same direction should have the distance 0, not NaN: rounding can"
            " put the cosine above 1, so clamp 2 - 2 cos at 0 before the root"
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
    if query.ndim != 1 or not query.shape == a.shape == b.shape:
        shapes = ", ".join(str(x.shape) for x in (query, a, b))
        raise Hint(f"the three need one length, for example two numbers each; yours: {shapes}")
    return query, a, b
