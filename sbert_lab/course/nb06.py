"""Notebook 06. Checks: gold scores in a cosine's reach, ranking against MSE, random pairs of MAX.

Figures: the cosine each scaling asks for, gold against cosine, a learning curve, histograms.
"""

from collections.abc import Mapping, Sequence
from functools import partial

import matplotlib
import numpy as np
import torch
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from torch import Tensor
from torch.nn import functional as F

from sbert_lab import pooling
from sbert_lab.course.diagnose import Hint, check, diagnose, need_number, need_shape
from sbert_lab.course.plots import COLORS, GREY, new
from sbert_lab.experiments.evaluation.sts import spearman
from sbert_lab.vectors import unit_rows

# Gold scores of six pairs, already scaled, and the cosines of a careful encoder that swaps two.
GOLD = (0.0, 0.2, 0.4, 0.6, 0.8, 1.0)
CAREFUL = (0.05, 0.18, 0.52, 0.48, 0.79, 0.96)


def stars() -> Tensor:
    """Six gold scores as people give them, 0 to 5; none of them is a 5."""
    return torch.tensor([0.0, 0.5, 1.0, 2.5, 4.0, 4.5])


def _floor(gold: Tensor) -> Tensor:
    return (gold - gold.clamp(-1, 1)).square().mean()


CONSTANT = "this is the best constant: here each pair may have its own"
CHANGED = "your function changed the gold scores it was given: make a new tensor"
SCALE = (
    (lambda gold: gold, "these scores still run from 0 to 5, and a cosine ends at 1"),
    (
        lambda gold: gold / gold.max(),
        "divide by the best score there can be, 5: not by the best in this batch",
    ),
    (
        lambda gold: (gold - gold.min()) / (gold.max() - gold.min()),
        "use the scale's ends, 0 and 5, not those of this batch",
    ),
    (lambda gold: gold / 5 * 2 - 1, "this runs from -1 to 1: here unrelated pairs should get 0"),
    (
        lambda gold: gold.clamp(max=1),
        "cutting off at 1 makes a 2.5 and a 4.5 equal: shrink, do not cut",
    ),
    (lambda gold: 1 - gold / 5, "this is upside down: 5 means 'the same' and should become 1"),
)
FLOOR = (
    (lambda gold: 0.0, "no cosine reaches 2.5 or 4.5, so the loss cannot reach 0"),
    (
        lambda gold: _floor(gold) * len(gold),
        "this is the sum of the squared errors: the loss is their mean",
    ),
    (
        lambda gold: (gold - 1).square().mean(),
        "a gold of 0 or 0.5 needs no cosine of 1: it is in reach",
    ),
    (lambda gold: (gold - 1).clamp(min=0).mean(), "square each error before you take the mean"),
    (lambda gold: gold.var(correction=0), CONSTANT),
    (lambda gold: gold.var(), CONSTANT),
    (lambda gold: (gold - gold / 5).square().mean(), "gold / 5 is not the nearest cosine to gold"),
    (lambda gold: _floor(gold).sqrt(), "no root: the loss is the mean of the squares"),
)


def perfect_encoder(gold: np.ndarray) -> tuple[np.ndarray, float]:
    """The best cosine there is for each gold score (N,), and their mean squared error."""
    cosines = np.clip(gold, -1, 1)
    return cosines, float(np.mean((gold - cosines) ** 2))


def stranger_cosines(vectors: np.ndarray) -> np.ndarray:
    """The cosine of every two different rows, each pair once: (N, H) -> (N (N - 1) / 2,)."""
    unit = unit_rows(vectors)
    return (unit @ unit.T)[np.triu_indices(len(unit), k=1)]


@check(
    mistakes={"scale_gold": SCALE, "loss_floor": FLOOR},
    beside={"scale_gold": lambda gold: gold / 5, "loss_floor": _floor},
)
def scaling(scale_gold, loss_floor):
    """scale_gold(gold) -> (N,) in 0..1; loss_floor(gold) -> the least possible squared error."""
    gold = stars()
    diagnose(
        scale_gold,
        lambda gold: gold / 5,
        SCALE,
        (gold + 0.25,),  # its lowest score is not the scale's own end
        look=partial(need_shape, shape=(6,), what="the scaled gold"),
        untouched=CHANGED,
        otherwise="a gold of 0 should become 0, a gold of 5 should become 1",
    )
    compare = partial(
        diagnose,
        loss_floor,
        _floor,
        look=partial(need_number, what="the loss floor"),
        untouched=CHANGED,
    )
    nearest = "for each pair: which number from -1 to 1 is nearest to gold?"
    compare(FLOOR, (gold,), otherwise=nearest)
    compare(
        inputs=(gold / 5,),
        otherwise=lambda found, _: (
            f"for gold from 0 to 1 every score is in reach: 0, but you give {found:.3g}"
        ),
    )
    lower = "a cosine has a lower end as well: nothing below -1 is in reach"
    compare(inputs=(torch.tensor([-3.0, 0.0]),), otherwise=lower)


@check
def ranking(cosines):
    """Six cosines that rank as GOLD does, with a worse squared error than CAREFUL."""
    try:
        mine = np.asarray(cosines, dtype=float)
    except (TypeError, ValueError):
        raise Hint("a list of six numbers is needed, one per pair") from None
    if mine.shape != (6,):
        raise Hint(f"six cosines are needed, one per pair, but the shape is {mine.shape}")
    if not np.isfinite(mine).all() or np.abs(mine).max() > 1:
        raise Hint("a cosine lies between -1 and 1: at least one of yours does not")
    if len(np.unique(mine)) == 1:
        raise Hint("all your cosines are equal: a constant has no ranking at all")
    rank = spearman(GOLD, mine)
    if rank < -0.999:
        raise Hint("your ranking is exactly upside down: the last pair should get the largest")
    if len(np.unique(mine)) < 6:
        raise Hint("two of your cosines are equal: a tie costs Spearman something")
    if rank < 0.999:
        raise Hint(f"your Spearman is {rank:.2f}: each cosine must be larger than the one before")
    error, careful = (float(np.mean((np.array(GOLD) - one) ** 2)) for one in (mine, CAREFUL))
    if error <= careful:
        raise Hint(
            f"your MSE is {error:.4f}, better than {careful:.4f}: true, but not asked. A perfect "
            "ranking may have the WORSE MSE: move all six, and keep their order"
        )


def _padded() -> tuple[Tensor, Tensor]:
    """Four sentences of 6, 3, 4 and 2 tokens, mostly negative values, padding loud."""
    tokens = torch.randn(4, 6, 8, generator=torch.Generator().manual_seed(6)) - 0.8
    mask = torch.tensor([[1] * 6, [1] * 3 + [0] * 3, [1] * 4 + [0] * 2, [1] * 2 + [0] * 4])
    tokens[mask == 0] = 3.0
    return tokens, mask


def _cosines(vectors: Tensor) -> Tensor:
    return F.normalize(vectors, dim=-1) @ F.normalize(vectors, dim=-1).T


def _mean_cosine(vectors: Tensor) -> Tensor:
    return _mean_dot(F.normalize(vectors, dim=-1))


def _mean_dot(vectors: Tensor) -> Tensor:
    above = torch.triu_indices(len(vectors), len(vectors), offset=1)
    return (vectors @ vectors.T)[above[0], above[1]].mean()


RANDOM_PAIRS = (
    (
        lambda tokens, mask: _mean_cosine(tokens.amax(dim=1)),
        "padding took part in MAX: its values are among your winners, and they make the "
        "sentences look alike. Use the mask",
    ),
    (
        lambda tokens, mask: _mean_cosine((tokens * mask.unsqueeze(-1)).amax(dim=1)),
        "multiplying by the mask turns padding into zeros, and zeros beat negative values",
    ),
    (
        lambda tokens, mask: _cosines(pooling.max_pool(tokens, mask)).mean(),
        "every sentence was compared with itself too: leave the diagonal out",
    ),
    (
        lambda tokens, mask: _cosines(pooling.max_pool(tokens, mask)).tril(-1).mean(),
        "you divided by n * n, the number of all cells: there are n (n - 1) / 2 pairs",
    ),
    (
        lambda tokens, mask: _mean_cosine(pooling.mean_pool(tokens, mask)),
        "this is MEAN pooling: MAX is asked",
    ),
    (
        lambda tokens, mask: _mean_dot(pooling.max_pool(tokens, mask)),
        "these are dot products: divide by both lengths",
    ),
)


@check(mistakes=RANDOM_PAIRS)
def random_pairs(answer):
    """answer(token_embeddings, attention_mask) -> mean cosine of different rows under MAX."""
    diagnose(
        answer,
        lambda tokens, mask: _mean_cosine(pooling.max_pool(tokens, mask)),
        RANDOM_PAIRS,
        _padded(),
        look=partial(need_number, what="the mean cosine"),
        untouched="your function changed the vectors it was given: fill a copy",
        otherwise="pool with MAX, make the lengths 1, compare each pair once",
    )


# ---- figures


BANDS = 5  # one per point of the 0..5 scale


def targets() -> Axes:
    """The cosine that each way of scaling asks for, against the score that people gave."""
    _, axes = new(7, 4)
    gold = np.linspace(0, 5, 101)
    axes.axhspan(1, 5.3, color="#eeeeee", zorder=0)
    axes.text(0.15, 4.95, "out of a cosine's reach", color=GREY, va="top")
    lines = [
        ("left at 0..5", gold, "--", COLORS[5], (3.45, 3.2)),
        ("divided by 5", gold / 5, "-", COLORS[0], (1.25, 0.93)),
        ("stretched to -1..1", gold / 2.5 - 1, ":", COLORS[2], (1.2, -0.72)),
    ]
    for name, values, style, color, place in lines:
        axes.plot(gold, values, style, color=color, lw=2.4)
        axes.text(*place, name, color=color, va="top", weight="bold")
    axes.set_xlim(0, 5)
    axes.set_ylim(-1.3, 5.3)
    axes.set_yticks(range(-1, 6))
    axes.set_xlabel("gold score, as people gave it (0 to 5)")
    axes.set_ylabel("the cosine asked for")
    return axes


def _band_colors() -> list:
    return [matplotlib.colormaps["cividis"](x) for x in np.linspace(0.0, 0.92, BANDS)]


def band_of(gold: Sequence[float]) -> np.ndarray:
    """Which fifth of the scale a scaled gold score lies in: (N,) of 0..4."""
    return np.minimum((np.asarray(gold) * BANDS).astype(int), BANDS - 1)


def gold_against_cosine(gold: Sequence[float], panels: Mapping[str, Sequence[float]]) -> Figure:
    """One panel per encoder: cosine against gold, coloured by band, with each band's mean."""
    gold = np.asarray(gold)
    bands, colors = band_of(gold), _band_colors()
    jitter = np.random.default_rng(6).uniform(-0.025, 0.025, len(gold))
    figure, axes = new(9, 3.9, columns=len(panels), sharey=True)
    for one, (title, cosines) in zip(np.atleast_1d(axes), panels.items(), strict=True):
        cosines = np.asarray(cosines)
        one.plot([0, 1], [0, 1], color=GREY, lw=1, ls="--", zorder=1)
        one.axhline(0, color="#cccccc", lw=0.8, zorder=0)
        for band in range(BANDS):
            here = bands == band
            if not here.any():
                continue
            one.scatter(
                gold[here] + jitter[here], cosines[here], s=13, alpha=0.65, color=colors[band],
                lw=0, label=f"gold {band}-{band + 1}",
            )  # fmt: skip
            one.plot(
                [gold[here].min() - 0.05, gold[here].max() + 0.05], [cosines[here].mean()] * 2,
                color=COLORS[5], lw=3, solid_capstyle="butt", zorder=3,
            )  # fmt: skip
        one.set_title(title)
        one.set_xlabel("gold score / 5")
        one.set_xlim(-0.08, 1.08)
    first = np.atleast_1d(axes)[0]
    first.set_ylabel("cosine of the two embeddings")
    first.text(0.62, 0.56, "cosine = gold", color=GREY, fontsize=9, rotation=0)
    first.plot([], [], color=COLORS[5], lw=3, label="mean of the band")
    handles, labels = first.get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside lower center", ncols=len(labels), fontsize=9)
    return figure


def learning_curve(
    rows_seen: Sequence[int],
    losses: Sequence[float],
    scored: Sequence[int],
    scores: Sequence[float],
) -> Figure:
    """Left the training loss, smoothed; right the dev set's Spearman, the raw encoder's first."""
    figure, (left, right) = new(8.5, 3, columns=2)
    width = max(1, len(losses) // 20)
    kernel = np.ones(width) / width
    left.plot(rows_seen, losses, color=COLORS[4], lw=0.8, alpha=0.7, label="each step")
    smooth = np.convolve(losses, kernel, mode="valid")
    left.plot(rows_seen[width - 1 :], smooth, color=COLORS[0], label=f"mean of {width}")
    left.set_ylabel("squared error (training)")
    left.set_ylim(bottom=0)
    left.legend()
    right.plot(scored, scores, marker="o", color=COLORS[2], clip_on=False)
    right.annotate(
        f"raw: {scores[0]:.1f}", (scored[0], scores[0]), xytext=(8, 0), textcoords="offset points"
    )
    right.set_ylabel("Spearman on dev (x100)")
    for one in (left, right):
        one.set_xlabel("pairs seen")
        one.set_xlim(left=0)
        one.xaxis.set_major_formatter(lambda value, _: f"{value:,.0f}")
    return figure


def cosine_histograms(panels: Mapping[str, Mapping[str, Sequence[float]]]) -> Figure:
    """One panel per moment; in each the cosines of random pairs, one outline per pooling."""
    figure, axes = new(9, 3.3, columns=len(panels), sharex=True)
    edges = np.linspace(-0.5, 1, 46)
    for one, (title, poolings) in zip(np.atleast_1d(axes), panels.items(), strict=True):
        for number, (name, values) in enumerate(poolings.items()):
            values = np.asarray(values)
            color = (COLORS[0], COLORS[5])[number % 2]
            weights = np.full(len(values), 100 / len(values))
            one.hist(
                values, edges, weights=weights, histtype="stepfilled", alpha=0.35, color=color,
                label=f"{name}, mean {values.mean():.2f}",
            )  # fmt: skip
            one.axvline(values.mean(), color=color, ls=("-", "--")[number % 2])
        one.axvline(0, color=GREY, lw=0.8)
        one.set_title(title)
        one.set_xlabel("cosine of two random sentences")
        one.legend(
            loc="upper left", frameon=True, facecolor="white", edgecolor="none", framealpha=1
        )
        one.set_ylim(top=one.get_ylim()[1] * 1.25)
    np.atleast_1d(axes)[0].set_ylabel("share of the pairs (%)")
    return figure
