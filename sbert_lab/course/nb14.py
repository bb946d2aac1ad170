"""Checks of 14_computational_efficiency."""

from collections.abc import Mapping, Sequence

import numpy as np
from matplotlib.axes import Axes
from matplotlib.colors import ListedColormap
from matplotlib.figure import Figure
from matplotlib.patches import Patch

from sbert_lab.course.diagnose import Hint, check, near, need_number, need_shape
from sbert_lab.course.plots import COLORS, new

# Token counts of ten sentences, as two examples that no wrong formula gets right by luck.
TEN = (5, 20, 6, 7, 30, 8, 12, 9, 40, 11)
OTHER = (13, 4, 22, 5, 6, 31, 7)
# Row i of the sorted vectors belongs to sentence ORDER[i]. It is not its own inverse.
ORDER = (3, 0, 4, 1, 2)


def _batches(lengths, size: int) -> list[np.ndarray]:
    counts = np.asarray(lengths)
    return [counts[start : start + size] for start in range(0, len(counts), size)]


def _computed(lengths, size: int) -> int:
    return int(sum(len(batch) * batch.max() for batch in _batches(lengths, size)))


def _share(lengths, size: int) -> float:
    return 1 - sum(lengths) / _computed(lengths, size)


@check
def padding_share(answer):
    """answer(lengths, batch_size) -> padding / all computed tokens, batches in the given order."""
    for lengths, size in ((TEN, 4), (OTHER, 2), (TEN, 1)):
        _one_share(answer, lengths, size)


def _one_share(answer, lengths, size: int) -> None:
    result = need_number(answer(list(lengths), size), "the share")
    if near(result, _share(lengths, size)):
        return
    batches, real = _batches(lengths, size), sum(lengths)
    computed = _computed(lengths, size)
    full = sum(size * batch.max() for batch in batches)
    mistakes = [
        (
            np.mean([1 - batch.sum() / (len(batch) * batch.max()) for batch in batches]),
            "this is the mean of the batches' shares, where a small batch counts as much as a "
            "large one: add up all tokens first, then divide once",
        ),
        (computed / real - 1, "you divided by the real tokens: divide by all that are computed"),
        (real / computed, "this is the share of real tokens: padding is the rest"),
        (100 * _share(lengths, size), "as a share, please: between 0 and 1"),
        (computed - real, "this is how many tokens of padding: divide by all computed tokens"),
        (
            1 - real / (len(lengths) * max(lengths)),
            "you padded to the longest of all: each batch is only as wide as its own longest",
        ),
        (1 - real / full, "the last batch may have fewer rows than the others"),
        (_share(sorted(lengths), size), "batches in the given order, please: not sorted yet"),
        (_share(sorted(lengths)[::-1], size), "batches in the given order: not sorted yet"),
    ]
    for wrong, hint in mistakes:
        if near(result, wrong):
            raise Hint(hint)
    raise Hint(
        f"for lengths {list(lengths)} and batches of {size} it should be "
        f"{_share(lengths, size):.3f}, yours is {result:.3f}: rows times longest, batch by batch"
    )


@check
def restore(answer):
    """answer(sorted_vectors, order) -> the vectors in the order in which sentences were given."""
    order = np.array(ORDER)
    given = np.arange(10.0).reshape(5, 2) + 1  # row i is the vector of sentence i
    arrived = given[order]
    before = arrived.copy()
    result = answer(arrived, order.copy())
    if not near(arrived, before):
        raise Hint("you changed the vectors you were given: write into a new array")
    result = np.asarray(result)
    need_shape(result, (5, 2))
    if near(result, given):
        return
    if near(result, arrived[order]):
        raise Hint(
            "this is vectors[order], which sorts a second time. order[i] says WHERE row i came "
            "from: the way back is argsort(order)"
        )
    if near(result, arrived):
        raise Hint("the rows are still in the sorted order")
    if near(result, arrived[::-1]):
        raise Hint("turning them round is not enough: sorting did more than that")
    raise Hint("row i of the sorted vectors belongs to sentence order[i]: put it there")


@check
def saving(answer):
    """answer(lengths, batch_size) -> tokens in the given order / tokens after sorting."""
    for lengths, size in ((TEN, 4), (OTHER, 2)):
        _one_saving(answer, lengths, size)


def _one_saving(answer, lengths, size: int) -> None:
    result = need_number(answer(list(lengths), size), "the factor")
    given, real = _computed(lengths, size), sum(lengths)
    longest_first = _computed(sorted(lengths)[::-1], size)
    shortest_first = _computed(sorted(lengths), size)
    if near(result, given / longest_first) or near(result, given / shortest_first):
        return
    fixed = len(lengths) * max(lengths)
    mistakes = [
        (
            1.0,
            "1 would mean that padding to the batch's longest is enough. It is not: a batch still "
            "mixes short and long. Sort ALL lengths, then cut them into batches",
        ),
        (
            fixed / given,
            "this is what padding to the batch's longest saves against one fixed width: the "
            "question is what SORTING adds to that",
        ),
        (
            given / real,
            "this would be the factor if no padding were left: count what is left after sorting",
        ),
        (longest_first / given, "upside down: the factor is above 1 if sorting helps"),
        (shortest_first / given, "upside down: the factor is above 1 if sorting helps"),
        (1 - longest_first / given, "this is the share saved: the factor is before / after"),
        (1 - shortest_first / given, "this is the share saved: the factor is before / after"),
        (
            fixed / longest_first,
            "compare with padding to the batch's longest, not to a fixed width",
        ),
        (
            given - longest_first,
            "this is how many tokens are saved: a factor is before divided by after",
        ),
    ]
    for wrong, hint in mistakes:
        if near(result, wrong):
            raise Hint(hint)
    raise Hint(
        f"for lengths {list(lengths)} and batches of {size} the given order computes {given} "
        "tokens: how many are left after sorting?"
    )


# ---- figures


GREY = "#777777"
REAL, PADDING = COLORS[0], COLORS[1]
_KINDS = ListedColormap(["white", REAL, PADDING])


def _grid(lengths: Sequence[int], width: int) -> np.ndarray:
    """1 for a real token, 2 for padding: (B, width)."""
    return np.where(np.arange(width) < np.asarray(lengths)[:, None], 1, 2)


def _legend(figure: Figure) -> None:
    handles = [Patch(color=REAL, label="real token"), Patch(color=PADDING, label="padding")]
    figure.legend(handles=handles, loc="outside lower center", ncols=2)


def lengths_and_batch(lengths: Sequence[int], batch: Sequence[int]) -> Figure:
    """How long the sentences are (left), and one padded batch as a grid of tokens (right)."""
    figure, (left, right) = new(9, 3.9, columns=2)
    counts = np.bincount(np.asarray(lengths))
    left.bar(np.arange(len(counts)), counts, color=GREY, width=0.85)
    left.axvline(np.mean(lengths), color=COLORS[7], lw=1.2, ls="--")
    left.text(np.mean(lengths) + 0.5, left.get_ylim()[1], "mean", va="top", fontsize=9)
    left.set(title="all sentences", xlabel="tokens in a sentence", ylabel="sentences")
    width = max(batch)
    right.imshow(_grid(batch, width), cmap=_KINDS, vmin=0, vmax=2, aspect="auto")
    right.set_xticks(np.arange(-0.5, width), minor=True)
    right.set_yticks(np.arange(-0.5, len(batch)), minor=True)
    right.grid(which="minor", color="white", lw=0.6)
    right.tick_params(which="minor", length=0)
    right.set(title=f"one batch of {len(batch)}", xlabel="position", ylabel="sentence")
    _legend(figure)
    return figure


def mosaics(
    panels: Mapping[str, Sequence[Sequence[int]]],
    widths: Mapping[str, int],
    notes: Mapping[str, str],
) -> Figure:
    """Batches as rectangles of tokens, one panel per way: panels[name] is a list of batches.

    `widths` names the ways whose batches all have one width; `notes` stand under the panels.
    """
    figure, axes = new(9.5, 5.6, columns=len(panels), sharey=True)
    broadest = max([*widths.values(), *(max(map(max, batches)) for batches in panels.values())])
    for axis, (name, batches) in zip(axes, panels.items(), strict=True):
        rows = []
        for batch in batches:
            width = widths.get(name) or max(batch)
            picture = np.zeros((len(batch) + 3, broadest), dtype=int)  # three rows of white between
            picture[: len(batch), :width] = _grid(batch, width)
            rows.append(picture)
        axis.imshow(
            np.concatenate(rows), cmap=_KINDS, vmin=0, vmax=2, aspect="auto", interpolation="none"
        )
        axis.set_title(name)
        axis.set_xlabel(f"tokens\n\n{notes[name]}")
        axis.set_yticks([])
        axis.spines["left"].set_visible(False)
    axes[0].set_ylabel(f"{len(next(iter(panels.values())))} batches")
    _legend(figure)
    return figure


def cost_by_length(
    lengths: Sequence[int], seconds: Sequence[float], shares: Mapping[str, Sequence[float]]
) -> Figure:
    """Left the measured time per token, right the computed share of attention (0 to 1)."""
    figure, (left, right) = new(9, 3.6, columns=2)
    micro = 1e6 * np.asarray(seconds)
    left.plot(lengths, micro, "o-", color=COLORS[0])
    left.set_ylim(0, 1.15 * micro.max())  # room for the highest marker
    left.set(title="measured here", ylabel="microseconds per token")
    for number, (name, values) in enumerate(shares.items()):
        style = {"color": COLORS[number], "ls": ("-", "--", ":")[number]}
        right.plot(lengths, 100 * np.asarray(values), marker="os^"[number], ms=4, **style)
        right.annotate(name, (lengths[-1], 100 * values[-1]), xytext=(-4, 7), ha="right",
                       textcoords="offset points", fontsize=9, color=COLORS[number])  # fmt: skip
    right.set(title="computed: share of attention", ylabel="share of the products (%)")
    right.set_ylim(0, 100 * max(map(max, shares.values())) * 1.25)
    for axis in (left, right):
        axis.set_xscale("log", base=2)
        axis.set_xticks(lengths, [str(length) for length in lengths])
        axis.minorticks_off()
        axis.set_xlabel("tokens in each sentence")
    return figure


def rates(ours: Mapping[str, Sequence[float]], paper: Mapping[str, float]) -> Axes:
    """Sentences per second on a log axis: every recorded round, its median, the paper's value."""
    _, axes = new(8.5, 0.42 * len(ours) + 1.5)
    names = list(ours)
    for place, name in enumerate(names):
        values = np.ravel(ours[name])
        axes.plot(values, [place] * len(values), "|", color=COLORS[0], ms=9, alpha=0.6)
        axes.plot(np.median(values), place, "o", color=COLORS[0], ms=8)
        if name in paper:
            axes.plot(paper[name], place, "D", color=COLORS[1], ms=7, markeredgecolor="black")
    axes.plot([], [], "o", color=COLORS[0], label="recorded here: rounds and their median")
    axes.plot([], [], "D", color=COLORS[1], markeredgecolor="black", label="paper, CPU")
    axes.set_xscale("log")
    axes.xaxis.set_major_formatter(lambda value, _: f"{value:,.0f}")
    axes.set_yticks(range(len(names)), names)
    axes.invert_yaxis()
    axes.grid(axis="x", color="#dddddd", lw=0.7)
    axes.set_xlabel("sentences per second (log scale)")
    axes.legend(loc="lower center", bbox_to_anchor=(0.4, 1.0), ncols=2, fontsize=9)
    return axes
