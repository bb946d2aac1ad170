"""Notebook 17, your own encoder: checks (in-batch loss, prediction, pairs, vectors) and figures."""

import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from unittest.mock import patch

import numpy as np
import torch
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle
from torch.nn import functional as F

from sbert_lab.course.diagnose import Hint, check, diagnose, near, need_number
from sbert_lab.course.plots import COLORS, GREY, heatmap, new
from sbert_lab.course.wording import denies, numbers_of, same_meaning, words_of
from sbert_lab.experiments.ledger_page import short
from sbert_lab.files import read_json, write_json
from sbert_lab.similarity import all_cosine

# ---- exercise 1: in-batch negatives


def _batch() -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    """Six pairs; rows 1 and 4 have one positive in common, rows 2 and 5 one anchor."""
    generator = torch.Generator().manual_seed(17)
    u = torch.randn(6, 8, generator=generator)
    v = u + 1.2 * torch.randn(6, 8, generator=generator)
    u, v = 3 * u, 0.5 * v  # lengths that a cosine ignores
    v[4], u[5] = v[1], u[2]
    twins = torch.zeros(6, 6, dtype=torch.bool)
    twins[[1, 4, 2, 5], [4, 1, 5, 2]] = True
    return u, v, twins


def _loss(logits: torch.Tensor, labels: torch.Tensor | None = None) -> torch.Tensor:
    return F.cross_entropy(logits, torch.arange(len(logits)) if labels is None else labels)


def _masked(u, v, twins, scale) -> torch.Tensor:
    return (scale * all_cosine(u, v)).masked_fill(twins, -torch.inf)


def _right(u, v, twins, scale) -> torch.Tensor:
    return _loss(_masked(u, v, twins, scale))


IN_BATCH_LOSS = (
    (
        lambda u, v, twins, scale: _right(u, v, twins, 1),
        "there is no scale: a cosine ends at 1, so even a perfect batch would keep a large loss. "
        "Multiply the cosines by `scale`",
    ),
    (
        lambda u, v, twins, scale: _right(u, v, twins, 1 / scale),
        "you divided by the scale: multiply, so that the softmax becomes sharper",
    ),
    (
        lambda *given: _loss(_masked(*given), torch.zeros(len(given[0]), dtype=torch.long)),
        "the labels are not 0, 1, 2, ...: row i must find column i, so they are arange(B)",
    ),
    (
        lambda u, v, twins, scale: _loss(scale * all_cosine(u, v)),
        "a twin in the batch still counts as a negative: `twins` marks those places. What must "
        "stand there so that the softmax gives them nothing?",
    ),
    (
        lambda u, v, twins, scale: _loss((scale * all_cosine(u, v)).masked_fill(twins, 0)),
        "a twin with a logit of 0 still gets a share, exp(0) = 1: only -inf gives it none",
    ),
    (
        lambda u, v, twins, scale: _loss((scale * u @ v.T).masked_fill(twins, -torch.inf)),
        "these are dot products: divide by the lengths first, to have cosines",
    ),
    (
        lambda *given: _loss(_masked(*given).T),
        "you ask each v for its u: here each row, a u, chooses among the columns, the v",
    ),
    (
        lambda *given: len(given[0]) * _right(*given),
        "this is the sum over the batch: take the mean",
    ),
    (lambda *given: -_right(*given), "the sign: a loss is the negative log of the share"),
    (lambda *given: _loss(_masked(*given).softmax(dim=1)), "cross_entropy has its own softmax"),
    (
        lambda *given: _masked(*given).softmax(dim=1).diag().mean(),
        "this is the share that the right answer gets: the loss is its negative logarithm",
    ),
    (
        lambda u, v, twins, scale: _right(u, v, twins | torch.eye(len(u)).bool(), scale),
        "the diagonal is the right answer: keep it",
    ),
)


@check(mistakes=IN_BATCH_LOSS)
def in_batch_loss(answer):
    """answer(u, v, twins, scale) -> the mean loss: (B, H), (B, H), (B, B) -> one number."""
    u, v, twins = _batch()
    look, same = partial(need_number, what="the loss"), partial(near, tolerance=1e-4)
    compare = partial(diagnose, answer, _right, look=look, same=same)
    changed = "your function changes what it was given: u, v or twins; work on a copy"
    compare(IN_BATCH_LOSS, (u, v, twins, 20.0), untouched=changed, otherwise=_four_steps)
    fixed = "right for a scale of 20, not for 5: use the argument `scale`, and -inf at the twins"
    compare((), (u, v, twins, 5.0), otherwise=fixed)
    few = (u[1:4], v[1:4], twins[1:4, 1:4], 20.0)
    compare((), few, otherwise="right for six pairs, not for three: take B from u")
    little = "right for likely pairs, not for unlikely ones: is a number added to the share?"
    compare((), (u, -v, twins, 20.0), otherwise=little)
    shared = "a twin still gets a share where the right answer's cosine is low: only -inf has none"
    compare((), (u[[2, 5]], -v[[2, 5]], twins[[2, 5]][:, [2, 5]], 40.0), otherwise=shared)
    _check_gradient(answer(u.requires_grad_(), v.requires_grad_(), twins, 20.0), u, v)


def _check_gradient(loss: object, *towers: torch.Tensor) -> None:
    if not getattr(loss, "requires_grad", False):
        raise Hint("right, but the gradient is lost: no .item(), .detach(), numpy or no_grad")
    if None in torch.autograd.grad(loss, towers, allow_unused=True):
        raise Hint("the gradient reaches only one of u and v: is the other detached?")


def _four_steps(loss: float, right: object) -> str:
    if not np.isfinite(loss):
        return (
            f"the loss is {loss}: is the diagonal masked, too? Or is 0 * inf in it, which is nan?"
        )
    return (
        "four steps: cosines of every u with every v (B, B); times scale; -inf at the twins; "
        "cross-entropy with the labels 0 .. B-1"
    )


# ---- exercise 2: a prediction

WIDEST = 20.0  # points: a wider range can hardly be wrong


@check
def prediction(answer, *, run_dir: str | Path, metrics: Sequence[str]):
    """answer: dict with metric, low, high, why. It is sealed beside the run, before training."""
    if not isinstance(answer, Mapping) or {"metric", "low", "high", "why"} - set(answer):
        raise Hint('a dictionary is needed: {"metric": ..., "low": ..., "high": ..., "why": ...}')
    if all(answer[key] is None for key in ("metric", "low", "high")):
        raise NotImplementedError
    if answer["metric"] not in metrics:
        raise Hint(f"{answer['metric']!r} is no metric of ours: choose one of {', '.join(metrics)}")
    low, high = (need_number(answer[key], key) for key in ("low", "high"))
    if not (np.isfinite(low) and np.isfinite(high) and low < high):
        raise Hint("low must lie below high")
    if high <= 1:
        raise Hint("in points, please: 0 to 100, not 0 to 1")
    said = f"{low:g} to {high:g}"
    if high > 100:
        raise Hint(f"{said} cannot all happen: points end at 100")
    if high - low > WIDEST:
        raise Hint(f"{said} can hardly be wrong, so it says nothing: {WIDEST:g} at most")
    if len(str(answer["why"]).split()) < 5:
        raise Hint("why this range? One sentence: it is what you will compare with the outcome")
    _seal({"metric": answer["metric"], "low": low, "high": high}, Path(run_dir))


def _seal(said: dict, run_dir: Path) -> None:
    """Keep the first prediction; once training has begun no other is taken."""
    path = run_dir.with_name(run_dir.name + ".prediction.json")
    if not run_dir.exists():
        write_json(path, said)
    elif not path.is_file():
        raise Hint(
            "the training has begun already: what is written now is a memory, not a prediction. "
            "Take another seed or another choice (that is a new run), write, then train"
        )
    elif read_json(path) != said:
        raise Hint(
            "this is not what you wrote before training: put it back, and let the outcome differ"
        )


# ---- exercise 3: five pairs that fool the encoder

KINDS = ("negation", "number", "role swap")


@check
def five_pairs(answer, *, encode: Callable, line: float, others: Mapping[str, Callable]):
    """answer: five (kind, first, second, cosine). `line`: the cosine from which pairs look alike.

    `others` are encoders whose scores may have been given by mistake.
    """
    rows = _five(answer)
    for number, (kind, first, second, _) in enumerate(rows, start=1):
        _check_kind(number, kind, first, second)
    if missing := [kind for kind in KINDS if kind not in {row[0] for row in rows}]:
        raise Hint(f"there is no pair of the kind {missing[0]!r} yet: all three are needed")
    said = np.array([need_number(row[3], "a cosine") for row in rows])
    true = _cosines_of(encode, rows)
    for name, other in others.items():
        theirs = _cosines_of(other, rows)
        if near(said, theirs, tolerance=5e-3) and abs(said - theirs).max() < abs(said - true).max():
            raise Hint(f"these are the scores of {name}, not of the encoder that you trained")
    if not near(said, true, tolerance=5e-3):
        off = int(np.argmax(np.abs(said - true)))
        raise Hint(f"pair {off + 1}: you say {said[off]:.2f}, your encoder says {true[off]:.2f}")
    if len(calm := np.flatnonzero(true < line)):
        raise Hint(
            f"pair {calm[0] + 1} does not fool it: {true[calm[0]]:.2f} is below the line of "
            f"{line:.2f}. Change fewer words"
        )


def _five(answer: object) -> list[tuple]:
    try:
        rows = [tuple(row) for row in answer]
    except TypeError:
        rows = []
    if len(rows) != 5 or any(len(row) != 4 for row in rows):
        raise Hint("a list of five rows is needed, each (kind, first, second, cosine)")
    if len({frozenset(tuple(words_of(str(text))) for text in row[1:3]) for row in rows}) != 5:
        raise Hint("five different pairs, please: one is there twice")
    return rows


def _check_kind(number: int, kind: str, first: str, second: str) -> None:
    if kind not in KINDS:
        raise Hint(f"pair {number}: {kind!r} is no kind: choose one of {', '.join(KINDS)}")
    a, b = words_of(first), words_of(second)
    if a == b:
        raise Hint(f"pair {number}: the two sentences have the same words in the same order")
    if kind == "negation" and denies(a) == denies(b):
        raise Hint(f"pair {number}: exactly one of the two must deny something (not, never, ...)")
    if kind == "number" and sorted(numbers_of(a)) == sorted(numbers_of(b)):
        raise Hint(f"pair {number}: the numbers are the same")
    if kind == "role swap" and sorted(a) != sorted(b):
        raise Hint(f"pair {number}: a role swap has exactly the same words in another order")
    if kind == "role swap" and (why := same_meaning(a, b)):
        raise Hint(f"pair {number}: {why}. Who does what to whom must change")


def _cosines_of(encode: Callable, rows: Sequence[tuple]) -> np.ndarray:
    u, v = (np.asarray(encode([row[i] for row in rows]), dtype=np.float64) for i in (1, 2))
    return (u * v).sum(axis=1) / (np.linalg.norm(u, axis=1) * np.linalg.norm(v, axis=1))


# ---- exercise 4: the same vectors elsewhere

CLOSE = 1e-4  # what two libraries may differ by in a vector
OFF = 0.4321  # and what the check makes them differ by


@check
def largest_difference(answer):
    """answer(encoder, folder, sentences): save, open in sentence-transformers, compare: a float."""
    from transformers.utils import logging as transformers_logging

    from sbert_lab.encoder import SentenceEncoder

    transformers_logging.disable_progress_bar()
    sentences = ["Why?", "A dog runs.", "The committee met in the old town hall.", "Not today."]
    encoder = SentenceEncoder.load("mini-bert", pooling="max").train()  # as training leaves it
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place, "saved")
        result = need_number(answer(encoder, folder, sentences), "the difference")
        if not (folder / "config.json").is_file():
            raise Hint("nothing was saved in `folder`")
        if not (folder / "1_Pooling" / "config.json").is_file():
            raise Hint(
                "the pooling is missing in the folder: without 1_Pooling the other library takes "
                "MEAN, and this encoder has MAX. Save the whole encoder, not only its backbone"
            )
        if not abs(result) < CLOSE:
            raise Hint(
                f"the vectors differ by {result:.3f}: is the encoder still in train mode, with "
                "dropout at work? `encode` switches it off, a bare forward does not"
            )
        for sign in (1, -1):
            with _vectors_off(sign, sentences):
                found = answer(encoder, Path(place, f"again{sign}"), sentences)
            _check_largest(need_number(found, "the difference"))


@contextmanager
def _vectors_off(sign: int, sentences: Sequence[str]) -> Iterator[None]:
    """The other library is off by a quarter, and in one number of the third sentence by more."""
    from sentence_transformers import SentenceTransformer

    honest = SentenceTransformer.encode

    def encode(self, some, *args, **given):
        vectors = honest(self, some, *args, **given)
        texts = np.atleast_1d(some)
        off = np.zeros((len(texts), vectors.shape[-1]), dtype=np.float32)
        off[np.isin(texts, sentences)] = sign * 0.25
        off[texts == sentences[2], 5] = -sign * OFF
        off = off.reshape(vectors.shape)
        return vectors + (torch.from_numpy(off) if torch.is_tensor(vectors) else off)

    with patch.object(SentenceTransformer, "encode", encode):
        yield


def _check_largest(found: float) -> None:
    told = f"the other library's vectors were off by {OFF} in one number, by 0.25 in all others"
    if near(found, 0):
        raise Hint(f"{told}, and you found nothing: are they compared, of these `sentences`?")
    if not near(found, OFF, tolerance=2e-5):
        raise Hint(f"{told}, with another sign: the largest in size is {OFF}, not {found:.4f}")


# ---- figures


PAPER = "claimed"
# verdict -> (marker, colour, size, filled): told apart by shape alone, too
VERDICTS = {
    PAPER: ("D", GREY, 38, False),
    "holds": ("o", COLORS[2], 85, True),
    "does not hold": ("X", COLORS[5], 85, True),
    "inconclusive": ("^", COLORS[1], 75, True),
    "not measurable": ("s", GREY, 55, False),
    "not recorded": (".", "#aaaaaa", 30, True),
}
STYLES = {"floor": ("#999999", "s"), "system": (COLORS[0], "o"), "extra": (COLORS[1], "^")}


def batch(cosines, rows: Sequence[str], columns: Sequence[str], twins=None) -> Axes:
    """Every u (rows) against every v (columns): own positives framed, twins hatched."""
    _, axes = new(6.8, 4.2)
    values = np.asarray(cosines)
    heatmap(axes, values, [""] * len(values), minimum=float(values.min()), maximum=1.0)
    axes.set_xticks(range(len(columns)), columns, rotation=30, ha="right")
    axes.set_yticks(range(len(rows)), rows)
    for place in range(len(values)):
        corner = (place - 0.47, place - 0.47)
        axes.add_patch(Rectangle(corner, 0.94, 0.94, fill=False, ec=COLORS[5], lw=3))
    for row, column in np.argwhere(np.asarray(twins) if twins is not None else []):
        corner = (column - 0.47, row - 0.47)
        style = {"fill": False, "ec": "white", "lw": 2, "hatch": "//", "alpha": 0.55}
        axes.add_patch(Rectangle(corner, 0.94, 0.94, **style))
    axes.set(xlabel="positives: v", ylabel="anchors: u")
    return axes


def systems(
    rows: Mapping[str, Mapping[str, Sequence[float]]],
    titles: Mapping[str, str],
    *,
    kinds: Mapping[str, str],
    live: tuple[str, Mapping[str, float]] | None = None,
) -> Figure:
    """One panel per score, one line per system, one dot per seed; the live run a diamond above."""
    figure, axes = new(9.6, 0.42 * len(rows) + 1.7, columns=len(titles), sharey=True)
    names = list(rows)
    for one, (score, title) in zip(np.atleast_1d(axes), titles.items(), strict=True):
        for height, name in enumerate(names):
            color, marker = STYLES[kinds[name]]
            values = np.asarray(rows[name][score])
            one.plot(values, [height] * len(values), marker, color=color, ms=7, alpha=0.75)
            one.plot(values.mean(), height, "|", color=color, ms=16, mew=2)
        if live is not None and score in live[1]:
            height = names.index(live[0]) - 0.28  # beside its line: the dots stay visible
            one.plot(live[1][score], height, "D", color=COLORS[7], ms=6, zorder=4)
        one.set_title(title, fontsize=9.5)
        one.set_xlabel("points")
        one.grid(axis="x", color="#dddddd", lw=0.7)
        one.margins(x=0.12)
        one.locator_params(axis="x", nbins=4)
    first = np.atleast_1d(axes)[0]
    first.set_yticks(range(len(names)), names)
    first.set_ylim(len(names) - 0.5, -0.5)
    return figure


def ledger(
    entries: Sequence[Mapping[str, str]], profiles: Sequence[str] = ("mini", "real")
) -> Axes:
    """The strip: claims to the right; the paper, and each profile, one line."""
    figure, axes = new(11, 2.9)
    lines = [*profiles, "paper"]
    used: dict[str, list[tuple[int, int]]] = {name: [] for name in VERDICTS}
    for x, entry in enumerate(entries):
        for y, line in enumerate(lines):
            found = PAPER if line == "paper" else short(entry[line])
            used[found].append((x, y))
    for name, places in used.items():
        if places:
            marker, color, size, filled = VERDICTS[name]
            face = color if filled else "white"
            style = {"marker": marker, "s": size, "facecolor": face, "edgecolor": color}
            axes.scatter(*zip(*places, strict=True), lw=1.6, label=name, zorder=3, **style)
    for x in range(len(entries) + 1):
        axes.axvline(x - 0.5, color="#eeeeee", lw=0.8, zorder=0)
    axes.set_xticks(range(len(entries)), [entry["id"] for entry in entries], rotation=90)
    axes.set_yticks(range(len(lines)), lines)
    axes.set(xlim=(-0.5, len(entries) - 0.5), ylim=(len(lines) - 0.5, -0.5))
    axes.tick_params(length=0)
    axes.spines[["left", "bottom"]].set_visible(False)
    figure.legend(loc="outside lower center", ncols=len(VERDICTS), handletextpad=0.3)
    return axes
