"""Notebook 00. Checks: cosine in one line, the nearest of twelve sentences, the self-test.

Figures: the cosines of the twelve, raw beside tuned; a map; a new sentence among them.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, partial

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from sbert_lab.course.diagnose import Hint, NotAttempted, check, diagnose, near, need_number
from sbert_lab.course.plots import COLORS, GREY, new

# Four themes, three sentences each: the sentences of the notebook's figure.
THEMES = ("music", "cooking", "harbour", "dogs")
TWELVE = (
    "A woman is playing the violin on a small stage.",
    "The musician performs a slow tune for the audience.",
    "Someone is making music with a string instrument.",
    "A man is cutting vegetables in the kitchen.",
    "The cook chops carrots for the soup.",
    "Somebody is preparing a meal at home.",
    "A boat is sailing towards the harbour.",
    "The ship comes back to the port in the evening.",
    "Sailors steer their vessel to the shore.",
    "A dog is running across a field.",
    "The puppy chases a ball over the grass.",
    "A young animal is playing outside.",
)
NAMES = ("violin", "tune", "strings", "vegetables", "carrots", "meal")
NAMES += ("boat", "ship", "vessel", "dog", "puppy", "animal")
LISTED = {sentence.rstrip(".").lower() for sentence in TWELVE}


def _length(vector: np.ndarray) -> float:
    return np.linalg.norm(vector)


def _cosine(u: np.ndarray, v: np.ndarray) -> float:
    return u @ v / _length(u) / _length(v)


ONE_LENGTH = "you divided by the length of one vector only: both lengths matter"
COSINE = (
    (
        lambda u, v: u @ v,
        "this is the dot product: it grows with the vectors, so divide by both lengths"
        " (np.linalg.norm)",
    ),
    (
        lambda u, v: u @ v / (u @ u) / (v @ v),
        "you divided by the squared lengths: the length is the square root of u @ u",
    ),
    (
        lambda u, v: 1 - _cosine(u, v),
        "this is the cosine distance, 1 - cosine: like vectors should score high",
    ),
    (lambda u, v: u @ v / _length(u), ONE_LENGTH),
    (lambda u, v: u @ v / _length(v), ONE_LENGTH),
    (lambda u, v: u @ v / (_length(u) + _length(v)), "the two lengths are multiplied, not added"),
    (
        lambda u, v: u @ v / _length(u) * _length(v),
        "a / b * c is (a / b) * c, so you multiplied by the second length: put parentheses round"
        " both lengths",
    ),
    (lambda u, v: _length(u - v), "this is the distance of the two points: the cosine is asked"),
    (lambda u, v: np.arccos(_cosine(u, v)), "this is the angle itself: the cosine is asked"),
    (lambda u, v: 100 * _cosine(u, v), "a cosine lies between -1 and 1: no percent"),
)


def _one_cosine(found: object) -> float:
    if np.shape(found) == (3,):
        raise Hint(
            "one number for each dimension came out: u * v only multiplies, u @ v adds up as well,"
            " and a length is np.linalg.norm(u), not abs(u)"
        )
    return need_number(found, "the cosine")


@check(mistakes=COSINE)
def cosine(answer: Callable) -> None:
    """cosine(u, v) of two vectors: the length of either must not matter."""
    u, v = np.array([2.0, 3.0, 6.0]), np.array([2.0, 0.0, 1.0])
    compare = partial(diagnose, answer, _cosine, look=_one_cosine)
    compare(
        COSINE,
        (u, v),
        otherwise=lambda found, expected: (
            f"for u = (2, 3, 6) and v = (2, 0, 1) it should be {expected:.4f}, not {found:.4f}"
        ),
    )
    for scaled in ((10 * u, v), (u, 0.1 * v)):
        compare(
            inputs=scaled,
            otherwise="right for one pair, but it changes when a vector is made longer: u and"
            " 10 * u point the same way",
        )
    opposite = "opposite vectors have the cosine -1: is there an abs() too many?"
    compare(inputs=(u, -u), otherwise=opposite)


@check
def nearest(sentence: str, answer: str) -> None:
    """The learner's own sentence, and the one of the twelve that mini-sbert puts closest to it."""
    if not isinstance(sentence, str) or not sentence.strip():
        raise Hint("my_sentence should be a string with an English sentence of your own")
    if sentence.strip(" .!").lower() in LISTED:
        raise Hint(
            "your sentence is one of the twelve, so it finds itself: write one"
            " that is not in the list"
        )
    if isinstance(answer, (int, np.integer)):
        raise Hint(f"give the sentence, not its number: TWELVE[{answer}]")
    if not isinstance(answer, str):
        kind = type(answer).__name__
        raise Hint(f"nearest_sentence should be one string, one of the TWELVE, not a {kind}")
    if answer == sentence:
        raise Hint("you found your own sentence: search among the twelve only")
    if answer not in TWELVE:
        raise Hint("nearest_sentence should be one of the TWELVE, letter by letter")
    _compare_with_search(sentence, answer)


def _compare_with_search(sentence: str, answer: str) -> None:
    vectors = encode([sentence, *TWELVE])
    dots = vectors[1:] @ vectors[0]
    cosines = dots / np.linalg.norm(vectors[1:], axis=1) / np.linalg.norm(vectors[0])
    chosen = cosines[TWELVE.index(answer)]
    if chosen >= cosines.max() - 1e-4:
        return
    if chosen == cosines.min():
        raise Hint("this is the sentence farthest from yours: the largest cosine is the nearest")
    if TWELVE.index(answer) == int(dots.argmax()):
        raise Hint("this one has the largest dot product: normalise the vectors first")
    raise Hint(
        "another of the twelve has a higher cosine with yours: did you encode with `tuned`, and"
        " your sentence as it stands in my_sentence?"
    )


@cache
def _tuned():
    from sbert_lab.encoder import SentenceEncoder

    return SentenceEncoder.load("mini-sbert")


def encode(sentences: Sequence[str]) -> np.ndarray:
    """mini-sbert's vectors: (N, H)."""
    return _tuned().encode(list(sentences))


@dataclass(frozen=True)
class Question:
    """One question of the self-test: the right answer, known wrong ones, and a last resort."""

    right: object
    wrong: dict
    otherwise: str
    tolerance: float = 1e-5


SELF_TEST = {
    "shape": Question(
        right=(2, 4),
        wrong={
            (2, 3): "mean(dim=1) removes the dimension with 3 entries, not the last one",
            (3, 4): "dimensions are counted from 0: dim=1 is the second one",
            (2, 1, 4): "the averaged dimension is gone, unless you say keepdim=True",
        },
        otherwise="take (2, 3, 4) and strike out dimension 1",
    ),
    "broadcasting": Question(
        right=(2, 3, 4),
        wrong={
            (2, 3, 1): "the 1 is stretched to the other's 4, not the other way round",
            "error": "it does work: the 1 is stretched to 4",
        },
        otherwise="compare the shapes from the right; a 1 is stretched to fit",
    ),
    "mask": Question(
        right=3.0,
        wrong={
            2.0: "the padded 0 was counted as a third token",
            6.0: "this is the sum: divide by the number of real tokens",
        },
        otherwise="add up the values whose mask is 1 and divide by how many there are",
    ),
    "softmax": Question(
        right=0.75,
        wrong={
            0.25: "this is the probability of the second class",
            3.0: "these are the exponentials; softmax divides them by their sum",
            1.0: "log 3 / (log 3 + 0) is not softmax: take the exponentials first",
        },
        otherwise="exp(log 3) is 3 and exp(0) is 1: which share of their sum is the first?",
        tolerance=0.006,
    ),
    "autograd": Question(
        right=12.0,
        wrong={
            27.0: "this is y itself; x.grad holds the slope dy/dx",
            6.0: "2 * x is missing: the slope of x**2 is 2 * x",
        },
        otherwise="the slope of x**2 + 6 * x is 2 * x + 6, taken at x = 3",
    ),
}


@check
def self_test(answers: Mapping) -> None:
    """Five answers by name; a wrong one is named, with its part of the refresher (A1)."""
    if not isinstance(answers, Mapping):
        raise Hint("answers should stay a dictionary with the five names")
    unanswered = [n for n in SELF_TEST if any(answers.get(n) is none for none in (None, ...))]
    if len(unanswered) == len(SELF_TEST):
        raise NotAttempted
    hints = []
    for number, (name, question) in enumerate(SELF_TEST.items(), start=1):
        if name not in unanswered and not _right(question, answers[name]):
            hints.append(f"{name}: {_explain(question, answers[name])} (refresher, part {number})")
    if unanswered:
        hints.append(f"still open: {', '.join(unanswered)}")
    if hints:
        raise Hint("; ".join(hints))


def _right(question: Question, value: object) -> bool:
    return near(_plain(value), question.right, tolerance=question.tolerance)


def _explain(question: Question, value: object) -> str:
    if isinstance(value, str):
        value = value.lower()
        if value not in question.wrong:
            return f"{value!r} is text: write the value without quotation marks"
    for wrong, hint in question.wrong.items():
        if value == wrong or near(_plain(value), wrong):
            return hint
    return question.otherwise


def _plain(value: object) -> object:
    """A list or torch.Size as a tuple, so that every spelling of a shape is understood."""
    one = getattr(value, "size", 0) == 1 or (hasattr(value, "numel") and value.numel() == 1)
    return value.item() if one else tuple(value) if isinstance(value, list | tuple) else value


# ---- figures: two similarity matrices under one colour scale; a map; a sentence among the twelve.


def raw_beside_tuned(
    raw: np.ndarray, tuned: np.ndarray, sentences: Sequence[str], themes: Sequence[str]
) -> Figure:
    """Two (n, n) cosine matrices, sentences in equal groups, one group per theme."""
    figure, (left, right) = new(10, 3.9, columns=2, sharey=True)
    lowest = min(0.0, float(np.min(raw)), float(np.min(tuned)))
    size = len(sentences) // len(themes)
    for axes, matrix, title in ((left, raw, "raw mini-bert-2"), (right, tuned, "tuned mini-sbert")):
        image = axes.imshow(matrix, vmin=lowest, vmax=1, cmap="cividis")
        axes.set_title(title)
        _mark_themes(axes, themes, size)
    left.set_yticks(range(len(sentences)), sentences)
    for axes in (left, right):
        axes.tick_params(length=0)
        axes.spines[:].set_visible(False)
    figure.colorbar(image, ax=[left, right], label="cosine", shrink=0.75)
    return figure


def _mark_themes(axes: Axes, themes: Sequence[str], size: int) -> None:
    axes.set_xticks([size * i + (size - 1) / 2 for i in range(len(themes))], themes)
    for i in range(1, len(themes)):
        axes.axhline(size * i - 0.5, color="white", linewidth=2)
        axes.axvline(size * i - 0.5, color="white", linewidth=2)


def among_twelve(cosines: Mapping[str, np.ndarray]) -> Figure:
    """One panel per encoder: the cosines of a sentence with the twelve, its nearest marked."""
    figure, panels = new(10, 3.6, columns=len(cosines), sharex=True, sharey=True)
    colors = [COLORS[[0, 1, 2, 3][place // 3]] for place in range(12)]
    for axes, (name, values) in zip(panels, cosines.items(), strict=True):
        nearest = int(np.argmax(values))
        axes.barh(range(12), values, color=colors)
        axes.barh(nearest, values[nearest], fill=False, edgecolor="black", lw=2)
        for place, value in enumerate(values):
            weight = "bold" if place == nearest else "normal"
            axes.text(max(value, 0) + 0.02, place, f"{value:.2f}", va="center", weight=weight)
        axes.axvline(0, color=GREY, lw=1)
        axes.set_title(f"{name}: {THEMES[nearest // 3]}")
        axes.set_xlabel("cosine with your sentence")
    panels[0].set_yticks(range(12), TWELVE)
    panels[0].set_xlim(min(-0.2, *map(np.min, cosines.values())), 1.12)
    panels[0].invert_yaxis()
    return figure


def map_of_twelve(vectors: Mapping[str, np.ndarray]) -> Figure:
    """One panel per encoder, (12, H) each: the two directions in which its vectors differ most."""
    figure, panels = new(10, 4.2, columns=len(vectors))
    for axes, (title, rows) in zip(panels, vectors.items(), strict=True):
        centred = rows - rows.mean(axis=0)
        _, sizes, directions = np.linalg.svd(centred, full_matrices=False)
        places = centred @ directions[:2].T  # (12, 2)
        share = (sizes[:2] ** 2).sum() / (sizes**2).sum()
        for number, theme in enumerate(THEMES):
            three = places[3 * number : 3 * number + 3]
            axes.fill(*three.T, color=COLORS[number], alpha=0.15)
            axes.scatter(*three.T, color=COLORS[number], marker="os^D"[number], label=theme)
        for number, (name, place) in enumerate(zip(NAMES, places, strict=True)):
            aside = {"xytext": (5, -11 if number % 3 == 1 else 4), "fontsize": 9}
            axes.annotate(name, place, textcoords="offset points", **aside)
        axes.margins(0.12)
        axes.set_title(f"{title}: {share:.0%} of all differences")
        axes.set_aspect("equal", adjustable="datalim")
        axes.tick_params(labelleft=False, labelbottom=False)
    panels[-1].legend(loc="best", fontsize=8)
    return figure
