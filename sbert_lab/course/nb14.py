"""Notebook 14, efficiency: checks (share of padding, the order restored, savings) and figures."""

from collections.abc import Mapping, Sequence
from functools import partial

import numpy as np
from matplotlib.axes import Axes
from matplotlib.colors import ListedColormap
from matplotlib.figure import Figure
from matplotlib.patches import Patch

from sbert_lab.course.diagnose import Hint, check, diagnose, near, need_number, need_shape
from sbert_lab.course.plots import COLORS, GREY, log_ticks, new

# ---- exercise 1: the share of padding

# Token counts of ten sentences, as two examples that no wrong formula gets right by luck.
TEN = (5, 20, 6, 7, 30, 8, 12, 9, 40, 11)
OTHER = (13, 4, 22, 5, 6, 31, 7)


def _batches(lengths, size: int) -> list[np.ndarray]:
    counts = np.asarray(lengths)
    return [counts[start : start + size] for start in range(0, len(counts), size)]


def _computed(lengths, size: int) -> int:
    return int(sum(len(batch) * batch.max() for batch in _batches(lengths, size)))


def _share(lengths, size: int) -> float:
    return 1 - sum(lengths) / _computed(lengths, size)


def _fixed(lengths) -> int:
    """All tokens if every sentence is as wide as the longest of all."""
    return len(lengths) * max(lengths)


PADDING_SHARE = (
    (
        lambda n, size: np.mean([_share(batch, size) for batch in _batches(n, size)]),
        "this is the mean of the batches' shares, where a small batch counts as much as a "
        "large one: add up all tokens first, then divide once",
    ),
    (
        lambda n, size: _computed(n, size) / sum(n) - 1,
        "you divided by the real tokens: divide by all that are computed",
    ),
    (
        lambda n, size: sum(n) / _computed(n, size),
        "this is the share of real tokens: padding is the rest",
    ),
    (lambda n, size: 100 * _share(n, size), "as a share, please: between 0 and 1"),
    (
        lambda n, size: _computed(n, size) - sum(n),
        "this is how many tokens of padding: divide by all computed tokens",
    ),
    (
        lambda n, size: 1 - sum(n) / _fixed(n),
        "you padded to the longest of all: each batch of `batch_size` rows is only as wide as its "
        "own longest",
    ),
    (
        lambda n, size: 1 - sum(n) / sum(size * batch.max() for batch in _batches(n, size)),
        "the last batch may have fewer rows than the others",
    ),
    (lambda n, size: _share(sorted(n), size), "batches in the given order, please: not sorted yet"),
    (lambda n, size: _share(sorted(n)[::-1], size), "batches in the given order: not sorted yet"),
)


@check(mistakes=PADDING_SHARE)
def padding_share(answer):
    """answer(lengths, batch_size) -> padding / all computed tokens, batches in the given order."""
    for lengths, size in ((TEN, 4), (OTHER, 2), (TEN, 1)):
        example = f"for lengths {list(lengths)} and batches of {size} it should be "
        diagnose(
            answer,
            _share,
            PADDING_SHARE,
            (list(lengths), size),
            look=partial(need_number, what="the share"),
            otherwise=lambda found, right, example=example: (
                f"{example}{right:.3f}, yours is {found:.3f}: rows times longest, batch by batch"
            ),
        )


# ---- exercise 2: the order restored

# Row i of the sorted vectors belongs to sentence ORDER[i]. It is not its own inverse.
ORDER = (3, 0, 4, 1, 2)
RESTORE = (
    (
        lambda vectors, order: vectors[order],
        "this is vectors[order], which sorts a second time. order[i] says WHERE row i came "
        "from: the way back is argsort(order)",
    ),
    (lambda vectors, order: vectors, "the rows are still in the sorted order"),
    (
        lambda vectors, order: vectors[::-1],
        "turning them round is not enough: sorting did more than that",
    ),
)


@check(mistakes=RESTORE)
def restore(answer):
    """answer(sorted_vectors, order) -> the vectors in the order in which sentences were given."""
    given = np.array([[3.0, 1], [9, 4], [1, 7], [5, 2], [2, 8]])  # row i: sentence i
    diagnose(
        lambda vectors, order: answer(vectors, order.copy()),
        lambda vectors, order: given,
        RESTORE,
        (given[list(ORDER)], np.array(ORDER)),
        look=lambda found: need_shape(np.asarray(found), (5, 2)),
        untouched="you changed the vectors you were given: write into a new array",
        otherwise="row i of the sorted vectors belongs to sentence order[i]: put it there",
    )


# ---- exercise 3: what sorting saves


def _falling(lengths, size: int) -> int:
    """Computed tokens with the longest first."""
    return _computed(sorted(lengths)[::-1], size)


def _rising(lengths, size: int) -> int:
    return _computed(sorted(lengths), size)


SAVING = (
    (
        lambda n, size: 1.0,
        "1 would mean that padding to the batch's longest is enough. It is not: a batch still "
        "mixes short and long. Sort ALL lengths, then cut them into batches",
    ),
    (
        lambda n, size: _fixed(n) / _computed(n, size),
        "this is what padding to the batch's longest saves against one fixed width: the "
        "question is what SORTING adds to that",
    ),
    (
        lambda n, size: _computed(n, size) / sum(n),
        "this would be the factor if no padding were left: count what is left after sorting",
    ),
    (
        lambda n, size: _falling(n, size) / _computed(n, size),
        "upside down: the factor is above 1 if sorting helps",
    ),
    (
        lambda n, size: _rising(n, size) / _computed(n, size),
        "upside down: the factor is above 1 if sorting helps",
    ),
    (
        lambda n, size: 1 - _falling(n, size) / _computed(n, size),
        "this is the share saved: the factor is before / after",
    ),
    (
        lambda n, size: 1 - _rising(n, size) / _computed(n, size),
        "this is the share saved: the factor is before / after",
    ),
    (
        lambda n, size: _fixed(n) / _falling(n, size),
        "compare with padding to the batch's longest, not to a fixed width",
    ),
    (
        lambda n, size: _computed(n, size) - _falling(n, size),
        "this is how many tokens are saved: a factor is before divided by after",
    ),
)


@check(mistakes=SAVING)
def saving(answer):
    """answer(lengths, batch_size) -> tokens in the given order / tokens after sorting."""
    look = partial(need_number, what="the factor")
    for lengths, size in ((TEN, 4), (OTHER, 2)):
        before, given = _computed(lengths, size), list(lengths)
        found = look(answer(given, size))
        if given != list(lengths):
            raise Hint("your function sorted the list it was given: sorted(...) makes a new one")
        if near(found, before / _rising(lengths, size)):
            continue  # the shortest first is as good
        diagnose(
            answer,
            lambda n, size: _computed(n, size) / _falling(n, size),
            SAVING,
            (list(lengths), size),
            look=look,
            otherwise=f"for lengths {list(lengths)} and batches of {size} the given order computes "
            f"{before} tokens: how many are left after sorting?",
        )


# ---- figures


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
        log_ticks(axis, lengths, base=2)
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


# ---- beside sentence-transformers: data/results/bench.json, written by `make bench`

_GROWING = {
    "growth of encode": "encode to a file",
    "growth of search": "10 best for 100 queries",
    "growth of pairs": "best pairs",
}


def bench_table(bench: Mapping) -> str:
    """One line a comparison: how many times as fast, the spread of the rounds, the goal."""
    lines = [f"{'work':26} {'times as fast':>13} {'rounds from .. to':>19} {'goal':>6}  what"]
    for name, row in bench["rows"].items():
        if "ratio" in row:
            found, goal = row["ratio"], row.get("goal", "-")
            spread = f"{found['low']:.2f} .. {found['high']:.2f}"
            median = f"{found['median']:.2f}"
            lines.append(f"{name:26} {median:>13} {spread:>19} {goal:>6}  {row['what']}")
    growth = bench["rows"].get("growth of encode", {}).get("growth", {})
    for size, cost in list(growth.items())[-1:]:
        lines.append(f"\n{int(size):,} sentences to a file: {cost['seconds']:.0f} s, at most "
                     f"{cost['mb']:.0f} MB above the model (goal: 300)")  # fmt: skip
    return "\n".join(lines)


def bench_picture(bench: Mapping) -> Figure:
    """Times as fast as sentence-transformers, a row a work, and the goals: for README and 14."""
    rows = {n: r for n, r in bench["rows"].items() if "ratio" in r and n not in ("hnsw", "import")}
    figure, axes = new(7, 0.5 * len(rows) + 1.2)
    for place, row in enumerate(rows.values()):
        found = row["ratio"]
        axes.plot([found["low"], found["high"]], [place] * 2, color=COLORS[0], lw=3, alpha=0.5)
        axes.plot(found["median"], place, "o", color=COLORS[0], ms=9)
        axes.plot(row["goal"], place, "D", color=COLORS[1], markeredgecolor="black")
    axes.axvline(1, color=GREY, lw=1, ls="--")
    axes.plot([], [], "o-", color=COLORS[0], label="measured: median and all rounds")
    axes.plot([], [], "D", ls="", color=COLORS[1], markeredgecolor="black", label="goal")
    axes.set_yticks(range(len(rows)), list(rows))
    axes.set(ylim=(len(rows) - 0.5, -0.5), xlabel="times as fast as sentence-transformers (= 1)")
    axes.set_xlim(left=0)
    axes.legend(loc="lower center", bbox_to_anchor=(0.4, 1.0), ncols=2, fontsize=9)
    return figure


def growth_picture(bench: Mapping) -> Figure:
    """Seconds (left) and peak megabytes (right) against the number of things, all on log axes."""
    figure, axes = new(9, 3.8, columns=2)
    for number, (name, label) in enumerate(_GROWING.items()):
        growth = bench["rows"].get(name, {}).get("growth", {})  # {}: not measured yet
        sizes = [int(n) for n in growth]
        for axis, what in zip(axes, ("seconds", "mb"), strict=True):
            values = [max(0.1 if what == "mb" else 1e-4, one[what]) for one in growth.values()]
            axis.plot(sizes, values, marker="os^"[number], color=COLORS[number], label=label)
    for axis, label in zip(axes, ("processor seconds", "megabytes above the start"), strict=True):
        axis.set(xscale="log", yscale="log", xlabel="sentences or vectors", ylabel=label)
    axes[0].legend(fontsize=9)
    return figure
