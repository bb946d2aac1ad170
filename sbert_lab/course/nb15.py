"""Notebook 15, search and clustering: checks (best pairs, threshold, recall, budget), figures."""

from collections.abc import Mapping, Sequence
from copy import deepcopy
from html import escape
from textwrap import shorten

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from sbert_lab.course.diagnose import Hint, check, diagnose, near, need_number, need_numbers
from sbert_lab.course.plots import COLORS, GREY, log_ticks, new

# ---- exercise 1: the best pairs, block by block


class _Watched(np.ndarray):
    """An array that notes how large its products are; what is computed from it notes it, too."""

    largest = 0

    def __array_ufunc__(self, ufunc, method, *inputs, **given):
        result = getattr(ufunc, method)(*_plain(inputs), **_plain(given))
        if ufunc is np.matmul or np.ndim(result) == 3:  # (N, 1, H) * (1, N, H)
            return _noted(result)
        return result.view(_Watched) if isinstance(result, np.ndarray) else result

    def __array_function__(self, function, types, args, given):
        result = function(*_plain(args), **_plain(given))
        return _noted(result) if function in (np.dot, np.inner, np.einsum, np.tensordot) else result

    def dot(self, other):
        return np.dot(self, other)


def _plain(value):
    """The same without watching, in lists and dictionaries too."""
    if isinstance(value, _Watched):
        return value.view(np.ndarray)
    if isinstance(value, dict):
        return {name: _plain(one) for name, one in value.items()}
    return type(value)(map(_plain, value)) if type(value) in (list, tuple) else value


def _noted(result):
    if np.ndim(result):
        _Watched.largest = max(_Watched.largest, result.size)
    return result


def _fixture(count: int = 23) -> np.ndarray:
    vectors = np.random.default_rng(4).normal(size=(count, 6)).astype(np.float32)
    vectors[19] = vectors[2] + 3e-4  # the same question asked twice: a cosine of 1 that counts
    return vectors / np.linalg.norm(vectors, axis=1, keepdims=True)


def _true_pairs(vectors: np.ndarray, k: int) -> list[tuple[int, int]]:
    rows, columns = np.triu_indices(len(vectors), 1)
    order = np.argsort(-(vectors @ vectors.T)[rows, columns])[:k]
    return [(int(rows[i]), int(columns[i])) for i in order]


@check
def closest_pairs(answer):
    """answer(vectors, k, block) -> the k best pairs (i, j), i < j, best first."""
    vectors, k, block = _fixture(), 8, 5
    _Watched.largest = 0
    mine = _as_pairs(answer(vectors.view(_Watched), k, block))
    truth = _true_pairs(vectors, k)
    if mine == truth:
        if _Watched.largest > block * len(vectors):
            raise Hint(
                f"the right pairs, but you had {_Watched.largest} cosines in memory at once: take "
                f"at most {block} rows at a time"
            )
        if _as_pairs(answer(vectors, 3, 100)) != truth[:3]:
            raise Hint("right for small blocks, not for k = 3 and a block larger than everything")
        if _as_pairs(answer(vectors[:5], 10, 2)) != _true_pairs(vectors[:5], 10):
            raise Hint(
                "right for the best pairs, not when five rows are asked for all their ten: a place "
                "that was set to 0 beats a negative cosine. Set it to -inf, or leave it out"
            )
        return
    if any(i == j for i, j in mine):
        raise Hint("a sentence met itself: its cosine of 1 wins every search. Leave i = j out")
    unordered = [tuple(sorted(pair)) for pair in mine]
    if (2, 19) not in unordered and {*unordered} <= {*_true_pairs(vectors, k + 1)}:
        raise Hint(
            "rows 2 and 19 are one question asked twice, the best pair of all: leave out i = j by "
            "the row numbers, not by a cosine of 1"
        )
    if len(set(unordered)) < len(unordered):
        raise Hint("(i, j) and (j, i) are the same pair: keep one of them")
    if unordered == truth:
        raise Hint("the right pairs, but the smaller number should stand first")
    if set(unordered) == set(truth):
        raise Hint("the right pairs in another order: the highest cosine first")
    if max(map(max, unordered)) < 2 * block or max(min(pair) for pair in unordered) < block:
        raise Hint("are these row numbers within a block? Add the block's first row")
    if all(float(vectors[i] @ vectors[j]) < 0 for i, j in unordered):
        raise Hint("these are the least similar pairs: is the order turned round?")
    if len(mine) != k:
        raise Hint(f"k = {k} pairs are wanted, you give {len(mine)}: keep the best k of all blocks")
    raise Hint(
        f"of your {len(mine)} pairs, {len(set(unordered) & set(truth))} are among the best {k}: "
        "is every block compared with all later rows?"
    )


def _as_pairs(result: object) -> list[tuple[int, int]]:
    try:
        pairs = [tuple(int(number) for number in pair) for pair in result]
    except (TypeError, ValueError):
        raise Hint("a list of pairs (i, j) is needed, row numbers only") from None
    if not pairs or any(len(pair) != 2 for pair in pairs):
        raise Hint("a list of pairs (i, j) is needed: two row numbers each, no cosines")
    return pairs


# ---- exercise 2: the threshold


def threshold_fixture() -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Cosines and labels of 300 dev and 300 test pairs; one in twelve is a duplicate."""
    draw = np.random.default_rng(10)
    halves = []
    for shift in (0.0, 0.07):  # the test half is a little different, as it always is
        labels = draw.permutation(300) % 12 // 11
        cosines = np.where(labels == 1, 0.62 + shift, 0.40) + 0.13 * draw.normal(size=300)
        halves += [np.round(cosines, 3), labels]
    return tuple(halves)


def f1(cosines: np.ndarray, labels: np.ndarray, threshold: float) -> float:
    """F1 of calling every pair from this cosine on a duplicate."""
    called = np.asarray(cosines) >= threshold
    hits = int((called & (np.asarray(labels) == 1)).sum())
    return 2 * hits / (int(called.sum()) + int(np.sum(labels))) if hits else 0.0


def _accuracy(cosines: np.ndarray, labels: np.ndarray, threshold: float) -> float:
    return float(((cosines >= threshold) == (labels == 1)).mean())


def _best(score, cosines: np.ndarray, labels: np.ndarray) -> float:
    """The best value of a score over all thresholds that matter."""
    return max(score(cosines, labels, one) for one in [*np.unique(cosines), 2.0])


@check
def threshold(answer):
    """answer(dev_cosines, dev_labels, test_cosines, test_labels) -> (threshold, F1 on test)."""
    dev_cosines, dev_labels, test_cosines, test_labels = halves = threshold_fixture()
    hint = "two numbers are needed: the threshold and the F1 on the test pairs"
    found, moved = answer(*deepcopy(halves)), (test_cosines + 0.3, test_labels)
    chosen, reported = need_numbers(found, "the threshold", "F1", hint=hint)
    other = need_number(answer(*deepcopy(halves[:2]), *moved)[0], "the threshold")
    on_dev, on_test = f1(dev_cosines, dev_labels, chosen), f1(test_cosines, test_labels, chosen)
    best_dev = _best(f1, dev_cosines, dev_labels)
    if (
        other == chosen and on_dev >= best_dev - 0.02
    ):  # a grid of 101 thresholds misses the very best by a little
        _judge_report(reported, on_test, on_dev, _accuracy(test_cosines, test_labels, chosen))
        return
    if near(chosen, f1(test_cosines, test_labels, reported)):
        raise Hint("the threshold comes first, then the F1 on test")
    if other != chosen or on_test >= _best(f1, test_cosines, test_labels) - 1e-9:
        raise Hint(
            "this threshold is tuned on the test pairs: their labels are not there when you "
            "choose. Choose on dev, then look at test once"
        )
    if _accuracy(dev_cosines, dev_labels, chosen) >= _best(_accuracy, dev_cosines, dev_labels):
        raise Hint(
            "this threshold has the best accuracy, not the best F1: where eleven of twelve pairs "
            "are no duplicates, saying no to nearly everything is accurate and finds little"
        )
    raise Hint(f"on dev this threshold has F1 {on_dev:.3f}, another one has {best_dev:.3f}")


def _judge_report(reported: float, on_test: float, on_dev: float, accuracy: float) -> None:
    if near(reported, on_test, tolerance=1e-4):
        return
    if near(reported, on_dev, tolerance=1e-4):
        raise Hint("the threshold is right, but this is its F1 on dev, where it was chosen")
    if near(reported, 100 * on_test, tolerance=1e-2):
        raise Hint("as a share, please: between 0 and 1")
    if near(reported, accuracy, tolerance=1e-4):
        raise Hint("this is the accuracy on test: F1 is wanted")
    raise Hint(
        "the threshold is right; compute F1 = 2 hits / (called + duplicates) on test with it"
    )


# ---- exercise 3: the recall of an index

EXACT = ((4, 9, 1, 7, 2), (3, 8, 5, 0, 6), (9, 2, 4, 7, 1), (6, 0, 3, 5, 8))
FOUND = ((9, 4, 1, 11, 2), (3, 1, 5, -1, -1), (4, 7, 2, 9, 1), (2, 9, -1, -1, -1))


def _hits(found: np.ndarray, exact: np.ndarray) -> np.ndarray:
    """Of each query the exact rows that were found: (Q, k)."""
    return (exact[:, :, None] == found[:, None]).any(axis=2)


def _recall(found, exact) -> float:
    return float(_hits(found, exact).mean())


POOLED = "a row found for one query is no hit for another: count query by query"
RECALL = (
    (
        lambda found, exact: (found == exact).mean(),
        "you compared place by place, but the order does not count: is it *among* the found?",
    ),
    (lambda found, exact: np.isin(exact, found).mean(), POOLED),
    (lambda found, exact: np.isin(found, exact).mean(), POOLED),
    (
        lambda found, exact: _hits(found, exact).any(axis=1).mean(),
        "this is the share of queries with at least one hit: how many of the k does each find?",
    ),
    (
        lambda found, exact: _hits(found, exact).sum() / (found >= 0).sum(),
        "you divided by what was found (that is a precision): divide by what there was to find",
    ),
    (lambda found, exact: 100 * _recall(found, exact), "as a share, please: between 0 and 1"),
    (lambda found, exact: 5 * _recall(found, exact), "how many of the k are found: divide by k"),
)


@check(mistakes=RECALL)
def recall(answer):
    """answer(found, exact) -> the share of the exact neighbours that were found."""
    diagnose(
        answer,
        _recall,
        RECALL,
        (np.array(FOUND), np.array(EXACT)),
        look=lambda found: need_number(found, "the recall"),
        otherwise=f"found {FOUND[1]}, exact {EXACT[1]}: 2 / 5. Then the mean over the queries",
    )


# ---- exercise 4: forty million vectors in eight gigabytes

CODE_BYTES = (
    (lambda: 200, "200 bytes is the room for each vector; its id of 8 bytes lives there too"),
    (lambda: 1536, "bits for bytes: 192 bytes are 1,536 bits. Bytes are wanted"),
    (lambda: 1600, "bits for bytes, and the ids forgotten"),
    (lambda: 25, "you divided by 8 once more: GB are bytes, not bits. And the ids?"),
    (lambda: 24, "you divided by 8 once more: GB are bytes, not bits"),
    (lambda: 199, "an id has 8 bytes (64 bits), not 8 bits"),
    (lambda: 136, "an id has 64 bits, which are 8 bytes"),
)
FLOATS = (
    (lambda: 50, "50 would be without the id: divide the bytes of the code, 192"),
    (lambda: 192, "a float32 has 4 bytes, not one"),
    (lambda: 6, "32 is a float's number of bits: it has 4 bytes"),
)


@check(
    mistakes={"code_bytes": CODE_BYTES, "floats": FLOATS},
    beside={"code_bytes": 192, "floats": 48},
    value_from=(),
)
def budget(code_bytes, floats):
    """Bytes for the code of one vector, 40 M of them and their 8-byte ids in 8 GB; as float32."""
    said = need_number(code_bytes, "code_bytes")
    if 206 <= said <= 207 or 214 <= said <= 215:
        raise Hint("here a gigabyte is 1e9 bytes, as on a disk's label, not 2**30")
    unknown = "divide the 8e9 bytes among 40e6 vectors; then take off what the id needs"
    diagnose(said, lambda: 192, CODE_BYTES, otherwise=unknown)
    unknown = "how many numbers of 4 bytes go into the bytes of the code?"
    diagnose(need_number(floats, "floats"), lambda: 48, FLOATS, otherwise=unknown)


# ---- figures


KINDS = {"flat": COLORS[0], "hnsw": COLORS[2], "ivfpq": COLORS[5]}
NAMES = {"flat": "flat", "hnsw": "HNSW", "ivfpq": "IVF-PQ"}
LINES = ("-", "--", ":", "-.")
MARKERS = "os^vDPX*"


def precision_and_recall(thresholds, labelled: tuple, everywhere: tuple, chosen: float) -> Figure:
    """Precision and recall (0 to 1) against the threshold: labelled pairs beside all pairs."""
    figure, axes = new(9, 3.6, columns=2, sharey=True)
    titles = ("the labelled pairs", "all pairs of the collection")
    for one, title, (precision, recall) in zip(axes, titles, (labelled, everywhere), strict=True):
        one.plot(thresholds, 100 * np.asarray(precision), "-", color=COLORS[0], label="precision")
        one.plot(thresholds, 100 * np.asarray(recall), "--", color=COLORS[1], label="recall")
        one.axvline(chosen, color=GREY, lw=1, ls=":")
        one.text(chosen, 101, " chosen on dev", color=GREY, fontsize=8, va="bottom", ha="center")
        one.set_title(title, pad=16)
        one.set_xlabel("cosine from which on a pair is called a duplicate")
    axes[0].set_ylabel("per cent")
    axes[0].set_ylim(0, 100)
    figure.legend(*axes[0].get_legend_handles_labels(), loc="outside lower center", ncols=2)
    return figure


def neighbour_curves(curves: Mapping[str, Sequence[float]]) -> Axes:
    """Mean cosine with the r-th nearest neighbour against r (log)."""
    _, axes = new(7, 3.8)
    for number, (name, values) in enumerate(curves.items()):
        ranks = np.arange(1, len(values) + 1)
        color = (COLORS[0], COLORS[2], COLORS[1], COLORS[5])[number]
        axes.plot(ranks, values, LINES[number], color=color, label=name)
    log_ticks(axes, [1, 2, 5, 10, 20, 50, 100])
    axes.set_ylim(0, 1)
    axes.set_xlabel("rank of the neighbour")
    axes.set_ylabel("mean cosine")
    axes.legend(loc="upper center", bbox_to_anchor=(0.5, -0.2), ncols=2, fontsize=9)
    return axes


def recall_against_time(panels: Mapping[str, Sequence[Mapping]]) -> Figure:
    """recall@10 against ms per query, one panel a collection; a dot's area is its bytes a vector.

    Entries have kind, effort, recall (0 to 1), ms and bytes.
    """
    figure, axes = new(10, 4.4, columns=len(panels), sharex=True, sharey=True, squeeze=False)
    for one, (title, entries) in zip(axes[0], panels.items(), strict=True):
        for kind, color in KINDS.items():
            mine = [entry for entry in entries if entry["kind"] == kind]
            if not mine:
                continue
            x, y = [e["ms"] for e in mine], [100 * e["recall"] for e in mine]
            one.plot(x, y, color=color, lw=1, alpha=0.6)
            sizes = [max(10, 0.45 * e["bytes"]) for e in mine]
            one.scatter(x, y, s=sizes, color=color, alpha=0.75, edgecolor="white", zorder=3)
            _name_dots(one, mine, color)
        one.set_xscale("log")
        one.set_title(title)
        one.xaxis.set_major_formatter(lambda value, _: f"{value:g}")
        one.set_xlabel("ms per query")
        one.margins(x=0.2)
    axes[0][0].set_ylim(0, 112)
    axes[0][0].set_yticks(range(0, 101, 20))
    axes[0][0].set_ylabel("recall@10 (%)")
    return figure


def _name_dots(axes: Axes, entries: Sequence[Mapping], color: str) -> None:
    """The kind and its bytes once, below its dots; the effort beside each dot."""
    kind = entries[0]["kind"]
    lowest = min(entries, key=lambda entry: entry["recall"])
    text = f"{NAMES[kind]}, {lowest['bytes']:.0f} bytes"
    axes.annotate(text, (lowest["ms"], 100 * lowest["recall"]), xytext=(0, -26), ha="center",
                  va="top", textcoords="offset points", color=color, fontsize=9)  # fmt: skip
    height = -14 if kind == "ivfpq" else 12  # away from the other kind's name
    if len(entries) > 1:
        for entry in entries:
            axes.annotate(str(entry["effort"]), (entry["ms"], 100 * entry["recall"]),
                          xytext=(0, height), textcoords="offset points", ha="center",
                          fontsize=7, color=GREY)  # fmt: skip


def label_map(points, labels: Sequence[int], names: Sequence[str]) -> Axes:
    """A map of sentences, coloured and shaped by label: points (N, 2), labels (N,)."""
    _, axes = new(7.2, 4.8)
    points, labels = np.asarray(points), np.asarray(labels)
    for number, name in enumerate(names):
        here = points[labels == number]
        axes.scatter(here[:, 0], here[:, 1], s=18, marker=MARKERS[number], alpha=0.75, lw=0,
                     color=COLORS[number], label=name)  # fmt: skip
    axes.set_xticks([])
    axes.set_yticks([])
    axes.set_xlabel("UMAP, first direction (no unit)")
    axes.set_ylabel("second direction (no unit)")
    axes.legend(loc="center left", bbox_to_anchor=(1, 0.5), fontsize=9)
    return axes


def hover_map(points, labels: Sequence[int], texts: Sequence[str]) -> str:
    """The same map as SVG in HTML: hold the pointer over a dot and its sentence appears."""
    points = np.asarray(points, dtype=float)
    low, high = points.min(axis=0), points.max(axis=0)
    places = 10 + 580 * (points - low) / np.maximum(high - low, 1e-9)
    dots = [
        f'<circle cx="{x:.0f}" cy="{0.6 * (600 - y):.0f}" r="5" fill="{COLORS[label]}" '
        f'opacity="0.75"><title>{escape(text)}</title></circle>'
        for (x, y), label, text in zip(places, labels, texts, strict=True)
    ]
    return f'<svg viewBox="0 0 600 360" width="600" height="360">{"".join(dots)}</svg>'


def hits(cosines: Sequence[float], texts: Sequence[str]) -> Axes:
    """What a search found, best on top: each answer is written on a bar as long as its cosine."""
    _, axes = new(8.5, 0.6 + 0.36 * len(texts))
    axes.barh(range(len(texts)), cosines, color=COLORS[4], alpha=0.45)
    for row, (cosine, text) in enumerate(zip(cosines, texts, strict=True)):
        axes.text(0.01, row, f"{cosine:.2f}  {shorten(text, 100)}", va="center", parse_math=False)
    axes.set_xlim(0, 1)
    axes.set_xlabel("cosine")
    axes.set_yticks([])
    axes.invert_yaxis()
    return axes
