"""Notebook 02. Checks: MEAN and MAX pooling under the mask, two sentences with one vector.

Figures: which cells each pooling reads, what padding does to MEAN, which tokens MAX picks.
"""

from collections.abc import Mapping, Sequence
from functools import cache, partial

import numpy as np
import torch
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Patch, Rectangle
from torch import Tensor

from sbert_lab import pooling
from sbert_lab.course.diagnose import Hint, check, diagnose, need_shape
from sbert_lab.course.plots import COLORS, new
from sbert_lab.course.source import has_loop


def padded_batch() -> tuple[Tensor, Tensor]:
    """Three sentences of 5, 3 and 4 tokens, all values below 0, padding loud: (3, 5, 4), (3, 5)."""
    generator = torch.Generator().manual_seed(2)
    vectors = -1 - 4 * torch.rand(3, 5, 4, generator=generator)
    vectors[:, :, 3] *= 1e4  # so far down that a timid "very small number" does not suffice
    mask = torch.tensor([[1, 1, 1, 1, 1], [1, 1, 1, 0, 0], [1, 1, 1, 1, 0]])
    vectors[mask == 0] = 50.0
    return vectors, mask


INVERTED = "the mask is turned round: 1 marks the real tokens, and yours keeps the padding"


def _pooled(found: object) -> Tensor:
    need_shape(found, (3, 4), "the pooled batch")
    if not isinstance(found, Tensor):
        raise Hint(f"tensors go in and a {type(found).__name__} comes out: stay with torch")
    return found


def _real(vectors: Tensor, mask: Tensor) -> Tensor:
    """Padding turned into zeros."""
    return vectors * mask.unsqueeze(-1)


MEAN = (
    (
        lambda vectors, mask: vectors.mean(dim=1),
        "padding is in your average: give it the weight 0 before you sum",
    ),
    (
        lambda vectors, mask: _real(vectors, mask).mean(dim=1),
        "your sums are right, but you divided by T, padding too: divide by the real tokens",
    ),
    (
        lambda vectors, mask: _real(vectors, mask).mean(dim=1) / mask.sum(dim=1, keepdim=True),
        "you divided twice: mean() has divided by T before you divide by the real tokens",
    ),
    (
        lambda vectors, mask: vectors.sum(dim=1) / mask.sum(dim=1, keepdim=True),
        "you divided by the real tokens, but padding is still in the sum",
    ),
    (
        lambda vectors, mask: _real(vectors, mask).sum(dim=1) / mask.sum(),
        "you divided by the real tokens of the whole batch: each sentence has its own count",
    ),
    (
        lambda vectors, mask: _real(vectors, mask).sum(dim=1),
        "these are sums: divide each by its number of real tokens",
    ),
    (
        lambda vectors, mask: torch.stack(
            [row[1 : n - 1].mean(dim=0) for row, n in zip(vectors, mask.sum(dim=1), strict=True)]
        ),
        "[CLS] and [SEP] count as well: the paper's MEAN takes every token but padding",
    ),
    (lambda vectors, mask: pooling.mean_pool(vectors, 1 - mask), INVERTED),
    (lambda vectors, mask: _real(vectors, 1 - mask).sum(dim=1) / (1 - mask).sum(1, True), INVERTED),
    (
        lambda vectors, mask: _real(vectors, 1 - mask).sum(dim=1) / mask.sum(1, True),
        INVERTED,
    ),
    (
        lambda vectors, mask: _real(vectors, mask).sum(dim=1) / vectors.shape[-1],
        "you divided by H, the length of a vector: divide by the number of real tokens",
    ),
    (lambda vectors, mask: vectors[:, 0], "this is CLS, the first token: average them all"),
)


@check(mistakes=MEAN)
def mean_pool(answer):
    """answer(token_embeddings, attention_mask): (B, T, H), (B, T) -> (B, H)."""
    diagnose(
        answer,
        pooling.mean_pool,
        MEAN,
        padded_batch(),
        look=_pooled,
        untouched="your function changed the vectors it was given: work on a copy",
        otherwise="compare with the slow loop on the tiny batch: which sentence differs?",
    )
    if has_loop(answer):
        raise Hint("the numbers are right; now without a loop: every sentence of the batch at once")


def _fill(vectors: Tensor, where: Tensor, number: float) -> Tensor:
    return vectors.masked_fill(where.unsqueeze(-1), number)


MAX = (
    (
        lambda vectors, mask: vectors.amax(dim=1),
        "padding won: push it far below every real value first",
    ),
    (
        lambda vectors, mask: _real(vectors, mask).amax(dim=1),
        "you multiplied by the mask: padding became 0, and 0 beats every negative value",
    ),
    (pooling.mean_pool, "this is the mean: take the largest value per dimension"),
    (lambda vectors, mask: _fill(vectors, mask == 1, -torch.inf).amax(dim=1), INVERTED),
    (
        lambda vectors, mask: -pooling.max_pool(-vectors, mask),
        "this is the smallest value per dimension: take the largest",
    ),
    (
        lambda vectors, mask: _fill(vectors, mask == 0, -torch.inf).argmax(dim=1),
        "these are the places of the largest values: take the values",
    ),
    (
        lambda vectors, mask: _fill(vectors, mask == 0, torch.inf).amax(dim=1),
        "+inf wins every comparison: padding needs -inf",
    ),
)


@check(mistakes=MAX)
def max_pool(answer):
    """answer(token_embeddings, attention_mask): (B, T, H), (B, T) -> (B, H)."""
    vectors, mask = padded_batch()
    compare = partial(diagnose, partial(_run_max, answer), pooling.max_pool)
    compare(
        MAX,
        (vectors, mask),
        look=_pooled,
        untouched="you wrote into the model's output: whoever uses it next finds your number "
        "there. Fill a copy (masked_fill without the underscore at the end)",
        otherwise=_which_dimension,
    )
    compare(
        inputs=(vectors.half(), mask),
        look=_keep_half,
        otherwise="right in float32, wrong in float16: its smallest number is -65,504",
    )


def _run_max(answer, vectors: Tensor, mask: Tensor) -> Tensor:
    """Call the answer; a number too large for its dtype is a named mistake, not a crash."""
    try:
        return answer(vectors, mask)
    except RuntimeError as error:
        if "overflow" not in str(error):
            raise
        raise Hint(
            "your number does not fit into float16, which ends at -65,504: use float('-inf') or "
            "torch.finfo(dtype).min"
        ) from error


def _which_dimension(found: Tensor, expected: Tensor) -> str:
    if found.dtype != expected.dtype:
        return f"{expected.dtype} went in and {found.dtype} came out: keep the dtype"
    if (found > expected + 1e-3).any():
        return "padding won in some dimension: your filling number is not low enough"
    return "compare with the slow loop on the tiny batch: which dimension differs?"


def _keep_half(result: Tensor) -> Tensor:
    if result.dtype != torch.float16:
        raise Hint(f"half precision went in and {result.dtype} came out: keep the dtype")
    return result


@cache
def _encoder():
    from sbert_lab.encoder import SentenceEncoder

    return SentenceEncoder.load("mini-bert", device="cpu")


def _visible(text: str) -> str:
    return "".join(sign for sign in text if sign.isprintable() and not sign.isspace())


@check
def same_vector(first, second):
    """Two different sentences with the identical embedding."""
    if not isinstance(first, str) or not isinstance(second, str):
        raise Hint("give two strings")
    if first == second:
        raise Hint("these two are the same string")
    if _visible(first) == _visible(second):
        raise Hint("they differ in white space only: change something that a reader would see")
    if not first.strip() or not second.strip():
        raise Hint("an empty string is no sentence")
    encoder = _encoder()
    (left, right), _ = encoder.tokenize([first, second])
    if left == right:
        return
    u, v = encoder.encode([first, second])
    if np.allclose(u, v, atol=1e-6):
        return
    if sorted(left) == sorted(right):
        raise Hint(
            "same pieces in another order: each token's vector already knows its place, so the "
            "mean does too"
        )
    differ = sum(a != b for a, b in zip(left, right, strict=False)) + abs(len(left) - len(right))
    raise Hint(
        f"their token ids still differ in {differ} place{'s' if differ > 1 else ''}: look for a "
        "step of the tokenizer that throws information away"
    )


# ---- figures


_CLS, _MEAN, _MAX = COLORS[5], COLORS[0], COLORS[2]


def token_grid(tokens: Sequence[Sequence[str]], mask, vectors, *, shown: int = 8) -> Figure:
    """A padded batch, and which cells the three poolings read.

    tokens: B rows of T pieces; mask: (B, T); vectors: (B, T, H), of which the first `shown`
    dimensions tell which token MAX takes.
    """
    mask, vectors = np.asarray(mask), np.asarray(vectors)[:, :, :shown]
    winners = np.where(mask[:, :, None] == 1, vectors, -np.inf).argmax(axis=1)  # (B, shown)
    rows, columns = mask.shape
    figure, axes = new(min(11, 0.8 + 0.73 * columns), 1 + 0.88 * rows)
    for row in range(rows):
        top = rows - 1 - row
        for column in range(columns):
            _cell(axes, column, top, tokens[row][column], int(mask[row, column]))
        _box(axes, 0, top, int(mask[row].sum()), _MEAN, inset=0.02)
        _box(axes, 0, top, 1, _CLS, inset=0.10)
        _mark_winners(axes, winners[row], top)
    axes.set_xlim(-0.05, columns + 0.05)
    axes.set_ylim(-0.05, rows + 0.05)
    axes.set_yticks([rows - 0.5 - row for row in range(rows)], range(rows))
    axes.set_xticks([column + 0.5 for column in range(columns)], range(columns))
    axes.set_xlabel("token (T)")
    axes.set_ylabel("sentence (B)")
    axes.tick_params(length=0)
    axes.spines[:].set_visible(False)
    _grid_legend(figure, winners.shape[1])
    return figure


def _cell(axes: Axes, column: int, top: int, token: str, real: int) -> None:
    fill = {"facecolor": "white"} if real else {"facecolor": "#eeeeee", "hatch": "////"}
    axes.add_patch(
        Rectangle((column + 0.02, top + 0.02), 0.96, 0.96, edgecolor="#bbbbbb", lw=0.6, **fill)
    )
    behind = {"facecolor": "#eeeeee", "edgecolor": "none", "pad": 1} if not real else None
    axes.text(column + 0.5, top + 0.68, token, ha="center", va="center", fontsize=8, bbox=behind)
    axes.text(
        column + 0.5, top + 0.42, real, ha="center", va="center", fontsize=8, color="#555555",
        family="monospace", bbox=behind,
    )  # fmt: skip


def _box(axes: Axes, column: int, top: int, width: int, color: str, inset: float) -> None:
    axes.add_patch(
        Rectangle(
            (column + inset, top + inset),
            width - 2 * inset,
            1 - 2 * inset,
            fill=False,
            edgecolor=color,
            lw=2,
            zorder=3,
        )
    )


def _mark_winners(axes: Axes, winners: np.ndarray, top: int) -> None:
    """The numbers of the dimensions that each token wins, at the foot of its cell."""
    for token in np.unique(winners):
        won = np.flatnonzero(winners == token)
        text = " ".join(str(dimension) for dimension in won)
        axes.text(
            token + 0.5, top + 0.19, text, ha="center", va="center", fontsize=8, color=_MAX,
            weight="bold",
        )  # fmt: skip


def _grid_legend(figure: Figure, dimensions: int) -> None:
    handles = [
        Patch(facecolor="none", edgecolor=_CLS, lw=2, label="CLS reads this cell"),
        Patch(facecolor="none", edgecolor=_MEAN, lw=2, label="MEAN and MAX read these"),
        Patch(facecolor=_MAX, label=f"MAX takes these dimensions (of 0-{dimensions - 1}) here"),
        Patch(facecolor="#eeeeee", edgecolor="#bbbbbb", hatch="////", label="padding, mask 0"),
    ]
    figure.legend(
        handles=handles, loc="outside upper center", ncols=4, fontsize=8.5, columnspacing=1.2
    )


def padding_shift(added: Sequence[int], shifts: Mapping[str, Sequence[float]]) -> Axes:
    """How far the embedding moves (per cent of its norm) against the padding tokens added."""
    _, axes = new(7, 3.6)
    styles = ["-", "--", "-.", ":"]
    for number, (label, values) in enumerate(shifts.items()):
        values = np.asarray(values)
        axes.plot(added, values, styles[number % 4], marker="o", ms=4, color=COLORS[number])
        axes.annotate(
            label, (added[-1], values[-1]), xytext=(8, 0), textcoords="offset points",
            va="center", color=COLORS[number], fontsize=9, annotation_clip=False,
        )  # fmt: skip
    axes.set_xscale("symlog", base=2, linthresh=1)
    axes.set_xticks(added, added)
    axes.minorticks_off()
    axes.set_xlabel("padding tokens added to the sentence")
    axes.set_ylabel("shift of the MEAN vector (%)")
    axes.set_ylim(bottom=-4)
    return axes


def max_picks(tokens: Sequence[str], vectors, *, shown: int = 32) -> Figure:
    """Left: the values of the first dimensions, winners marked; right: wins over all of them.

    vectors: (T, H), real tokens only.
    """
    vectors = np.asarray(vectors)
    winners = vectors.argmax(axis=0)
    wins = np.bincount(winners, minlength=len(tokens))
    figure, (left, right) = new(
        10, 0.9 + 0.27 * len(tokens), columns=2, sharey=True, width_ratios=[3, 1]
    )
    limit = np.abs(vectors[:, :shown]).max()
    image = left.imshow(vectors[:, :shown], cmap="PuOr_r", vmin=-limit, vmax=limit, aspect="auto")
    left.plot(range(shown), winners[:shown], "ko", ms=3.5)
    left.set_yticks(range(len(tokens)), tokens)
    left.set_xlabel(f"dimension (the first {shown} of {vectors.shape[1]})")
    figure.colorbar(image, ax=left, label="value", pad=0.01)
    right.barh(range(len(tokens)), wins, color=_MAX)
    for row, count in enumerate(wins):
        right.text(count, row, f" {count}", va="center", fontsize=8)
    right.set_xlabel("dimensions won")
    right.set_xlim(0, wins.max() * 1.18)
    right.tick_params(axis="y", length=0, labelleft=False)
    return figure


def mean_moves(vectors, real: int, padding: int) -> Axes:
    """The mean of the real tokens, and of all with some padding, in two principal directions.

    vectors: (T, H), the real tokens first, then at least as much padding as is asked for.
    """
    tokens = torch.as_tensor(vectors)[None, : real + padding]  # (1, T, H)
    mask = (torch.arange(real + padding) < real).long()[None]
    masked, naive = (pooling.pool("mean", tokens, one)[0].numpy() for one in (mask, None))
    vectors = np.asarray(vectors)
    alone = vectors[:real].mean(axis=0)
    by = [100 * np.linalg.norm(one - alone) / np.linalg.norm(alone) for one in (masked, naive)]
    directions = np.linalg.svd(vectors - vectors.mean(axis=0), full_matrices=False)[2][:2]
    flat = vectors @ directions.T  # (T, 2): one view for every amount of padding
    _, axes = new(7, 4)
    axes.scatter(*flat[real:].T, s=16, color="#dddddd")
    axes.scatter(*flat[real : real + padding].T, s=16, color=COLORS[1], label="padding")
    axes.scatter(*flat[:real].T, s=40, color=COLORS[0], label="real tokens")
    for mean, color, name in ((masked, COLORS[0], "with"), (naive, COLORS[5], "without")):
        axes.scatter(*(directions @ mean), s=160, marker="X", color=color, edgecolor="black",
                     zorder=3, label=f"mean {name} the mask")  # fmt: skip
    axes.annotate("", directions @ naive, directions @ masked, arrowprops={"arrowstyle": "->"})
    axes.set_title(
        f"{padding} padding tokens move it by {by[0]:.0f} % with the mask, {by[1]:.0f} % without"
    )
    axes.set_xlabel("first principal direction")
    axes.set_ylabel("second principal direction")
    axes.legend(loc="center left", bbox_to_anchor=(1.01, 0.5), fontsize=9)
    return axes
