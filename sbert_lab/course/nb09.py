"""Notebook 09, supervised STS: checks (printed gains, seeds needed, the best seed) and figures."""

from collections.abc import Callable, Mapping, Sequence
from functools import partial

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from scipy import stats

from sbert_lab.course.diagnose import (
    Hint,
    check,
    diagnose,
    near,
    near_first,
    need_number,
    need_numbers,
)
from sbert_lab.course.plots import COLORS, GREY, new

# ---- exercise 1: C12 against the table


def _gain_mistakes(name: str, base: float, large: float, wrong: Mapping[str, float]) -> tuple:
    """`wrong` are rows that somebody may subtract, and what then comes out."""
    nli_alone = 85.35 - 77.03
    rounded = f"{name}: two decimals, please, as the table prints them"
    return (
        (lambda: large, f"{name}: these are the large models, base is asked for"),
        (lambda: -base, f"{name}: the sign is turned round: NLI first minus STSb alone"),
        *(
            (lambda gain=gain: gain, f"{name}: you subtracted {row}; take its own 'STSb-base'")
            for row, gain in wrong.items()
        ),
        (lambda: nli_alone, f"{name}: STSb alone is the start of the comparison, not NLI alone"),
        (lambda: round(base, 1), rounded),
        (lambda: round(base), rounded),
        (lambda: 4.03, f"{name}: this is the cross-encoder's gain (the rows called BERT)"),
    )


GAINS = {"sbert": 0.68, "sroberta": -0.13}  # what NLI first adds to STSb alone
SBERT = _gain_mistakes(
    "SBERT",
    GAINS["sbert"],
    large=1.65,
    wrong={"SRoBERTa's row": 0.43, "the large model's row": 0.90},
)
SROBERTA = _gain_mistakes(
    "SRoBERTa",
    GAINS["sroberta"],
    large=1.13,
    wrong={"SBERT's row": 0.12, "the large model's row": -0.23},
)


@check(mistakes={"sbert": SBERT, "sroberta": SROBERTA}, beside=GAINS | {"inside": 0}, value_from=())
def printed_gains(sbert, sroberta, inside):
    """What Table 2 prints for C12, base models, and how many of the two lie from 1 to 2."""
    first, second = _gain("SBERT", sbert, SBERT), _gain("SRoBERTa", sroberta, SROBERTA)
    count = need_number(inside, "inside")
    if count not in (0, 1, 2):
        raise Hint("inside is how many of your two gains lie from 1 to 2: 0, 1 or 2")
    if count != 0:
        raise Hint(
            f"look at your two numbers again, {first:+.2f} and {second:+.2f}: is one of them from "
            "1 to 2? The sentence of a paper is not its table"
        )


def _gain(name: str, given: object, mistakes: tuple) -> float:
    quoted = "1-2 is what the text says: subtract the two rows of the table"
    unknown = "subtract its row 'STSb-base' from its row 'NLI-STSb-base'"
    return diagnose(
        need_number(given, f"the gain of {name}"),
        lambda: GAINS[name.lower()],
        mistakes,
        same=partial(near, tolerance=1e-3),
        otherwise=lambda found, _: f"{name}: {quoted if 1 <= found <= 2 else unknown}",
    )


# ---- exercise 2: how many seeds

# Two systems, the same three seeds: a good seed is good for both. The differences have sd 0.3.
PILOT = ((83.9, 84.6, 85.2), (83.5, 83.9, 84.2))


def seeds_for(spread: float, difference: float, factor: Callable[[int], float]) -> int:
    """The first n >= 2 with factor(n) * spread < difference; 10,000 if there is none."""
    for n in range(2, 10_000):
        if factor(n) * spread < difference:
            return n
    return 10_000


def _t(n: int, level: float = 0.975) -> float:
    return float(stats.t.ppf(level, n - 1))


def _spread(a: np.ndarray, b: np.ndarray, ddof: int = 1) -> float:
    return float((a - b).std(ddof=ddof))


def _error(n: int) -> float:
    return _t(n) / np.sqrt(n)


def _enough(a: np.ndarray, b: np.ndarray, difference: float) -> int:
    """The right answer."""
    return seeds_for(_spread(a, b), difference, _error)


SEEDS_NEEDED = (
    (
        lambda a, b, d: seeds_for(_spread(a, b), d, _t),
        "this takes the standard deviation for the standard error: divide it by the root of n",
    ),
    (
        lambda a, b, d: seeds_for(_spread(a, b, 0), d, _error),
        "ddof: NumPy divides by n unless you say ddof=1, which makes the spread too small",
    ),
    (
        lambda a, b, d: seeds_for(np.sqrt(a.var(ddof=1) + b.var(ddof=1)), d, _error),
        "unpaired: take the difference of each seed first, then the standard deviation of those",
    ),
    (
        lambda a, b, d: seeds_for(_spread(a, b), d, lambda n: 1.96 / np.sqrt(n)),
        "1.96 is for many seeds: with few of them the factor is t, with n - 1 degrees of freedom",
    ),
    (
        lambda a, b, d: seeds_for(_spread(a, b), d, lambda n: _t(len(a)) / np.sqrt(n)),
        "t belongs to the n seeds that you are going to run, not to the pilot's",
    ),
    (
        lambda a, b, d: seeds_for(_spread(a, b), d, lambda n: _t(n, 0.95) / np.sqrt(n)),
        "the 95 % interval leaves 2.5 % on each side: t at 0.975",
    ),
    (
        lambda a, b, d: seeds_for(_spread(a, b), d, lambda n: _t(n + 1) / np.sqrt(n)),
        "t with n degrees of freedom: n differences have n - 1, one went into their mean",
    ),
    (
        lambda a, b, d: max(3, _enough(a, b, d)),
        "two seeds may be enough, for a large difference: begin the search at n = 2",
    ),
    (
        lambda a, b, d: seeds_for(_spread(a, b) ** 2, d, _error),
        "this takes the variance: the spread is its square root",
    ),
    (
        lambda a, b, d: seeds_for(_spread(a, b), d, lambda n: 2 * _error(n)),
        "this is the interval's whole width: half of it reaches from the difference down to 0",
    ),
    (
        lambda a, b, d: seeds_for(_spread(a, b), 0.7, _error),
        "the same n for every difference: use the argument `difference`",
    ),
    (
        lambda a, b, d: seeds_for(_spread(a, b), abs((a - b).mean()), _error),
        "this asks for the pilot's own difference: use the argument `difference`",
    ),
    (
        lambda a, b, d: _enough(a, b, d) - 1,
        "one too few: n - 1 are the degrees of freedom, n is the answer",
    ),
    (lambda a, b, d: _enough(a, b, d) + 1, "one too many: the first n that is enough is asked for"),
    (lambda a, b, d: seeds_for(0.3, d, _error), "0.3 is the printed pilot's: use the arguments"),
    (lambda a, b, d: seeds_for(a.std(ddof=1), d, _error), "only A's spread: subtract B first"),
)


@check(mistakes=SEEDS_NEEDED)
def seeds_needed(answer):
    """answer(scores_a, scores_b, difference) -> how many paired seeds show such a difference."""
    pilot = tuple(np.array(scores) for scores in PILOT)
    wide = np.array([70.0, 71.0, 69.2, 70.4, 68.9]), np.array([69.1, 69.0, 68.7, 70.1, 69.3])
    cases = [(*pilot, 0.7), (*pilot, 0.2), (*wide, 0.7), (*pilot, 2.8)]  # two are enough last
    endless, hint = SEEDS_NEEDED[0]  # with a smaller difference it would search for ever
    if need_number(answer(*cases[0]), "the number of seeds") == endless(*cases[0]):
        raise Hint(hint)
    diagnose(
        _for_each(answer),
        _for_each(_enough),
        [(_for_each(wrong), hint) for wrong, hint in SEEDS_NEEDED[1:]],
        cases,
        look=lambda given: [need_number(one, "the number of seeds") for one in given],
        otherwise=lambda given, right: (
            f"with PILOT you say {given[0]:g} seeds for 0.7 and {given[1]:g} for 0.2. Try n = 2, "
            "3, 4, ... until t * sd / root of n is below the difference"
        ),
    )


def _for_each(function: Callable) -> Callable:
    return lambda *cases: [function(*case) for case in cases]


# ---- exercise 3: the best seed

# Five seeds: their scores on dev and on test.
DEV, TEST = (71.2, 70.1, 70.6, 69.8, 70.3), (66.7, 66.9, 66.0, 66.5, 66.2)
REPORTED = (
    (
        lambda dev, test: (test.max(), 0.0),
        "this seed was chosen on test: the test pairs must not take part in the choice",
    ),
    (
        lambda dev, test: (dev.max(), 0.0),
        "this is the winner's score on dev: dev chose it, so report it on test",
    ),
    (
        lambda dev, test: (test.mean(), 0.0),
        "this is the mean over the seeds: honest, but here one seed is to be picked",
    ),
    (lambda dev, test: (test[dev.argmin()], 0.0), "this is the seed with the lowest score on dev"),
    (lambda dev, test: (dev.argmax(), 0.0), "this is the winner's place: report its score on test"),
)


def _winner(optimism: Callable) -> Callable:
    """An answer that reports the right score; optimism(dev, test, the winner's place)."""
    return lambda dev, test: (test[dev.argmax()], optimism(dev, test, dev.argmax()))


def _lead(scores: np.ndarray, place: int) -> float:
    return scores[place] - scores.mean()


OPTIMISM = (
    (
        lambda dev, test, best: dev[best] - test[best],
        "dev score minus test score also counts how much harder the test pairs are: compare "
        "leads over the average seed",
    ),
    (
        lambda dev, test, best: _lead(test, best) - _lead(dev, best),
        "the sign is turned round: lead on dev minus lead on test",
    ),
    (
        lambda dev, test, best: _lead(dev, best),
        "this is the lead on dev only: take away what is left of it on test",
    ),
    (
        lambda dev, test, best: _lead(test, best),
        "this is the lead on test only: optimism is lead on dev minus lead on test",
    ),
    (
        lambda dev, test, best: _lead(dev, best) - _lead(test, test.argmax()),
        "test chose the second lead",
    ),
)
OPTIMISM = tuple((_winner(optimism), hint) for optimism, hint in OPTIMISM)


@check(mistakes=REPORTED + OPTIMISM)
def best_seed(answer):
    """answer(dev, test) -> (the score to report, the optimism), for arrays of scores per seed."""
    right = _winner(lambda dev, test, best: _lead(dev, best) - _lead(test, best))
    compare = partial(diagnose, answer, right, look=_two)
    modest = (70.0, 71.0, 70.5), (60.0, 66.0, 61.0)  # a winner that leads by more on test
    for given in ((DEV, TEST), (TEST, DEV), modest):
        scores = tuple(map(np.array, given))
        otherwise = "pick the seed with the highest dev score; first give back its score on test"
        compare(REPORTED, scores, same=near_first, otherwise=otherwise)
        otherwise = "optimism is the winner's lead over the mean of all seeds: dev minus test"
        compare(OPTIMISM, scores, otherwise=otherwise)


def _two(result: object) -> list[float]:
    hint = "give back two numbers: the score to report and the optimism"
    return need_numbers(result, "the score", "the optimism", hint=hint)


# ---- figures


PAPER = "#444444"
KINDS = {"system": COLORS[0], "extra": COLORS[2], "floor": COLORS[5]}
NAMES = {"system": "every seed", "extra": "with MiniLM", "floor": "a floor"}
LUCKS = {"over the test pairs": COLORS[0], "over the seeds": COLORS[1]}


def rows_of(table, column: str) -> list[dict]:
    """What seed_dots needs of a recorded table (results.Results), row by row."""
    return [
        {
            "name": row,
            "scores": table.scores(row, column),
            "kind": table.kind(row),
            "paper": table.paper_name(row),
        }
        for row in table.rows
    ]


def seed_dots(panels: Mapping[str, Sequence[Mapping]], *, paper: Mapping[str, tuple]) -> Figure:
    """Every seed a dot, mean and sd per setting, the paper's as ticks.

    panels maps a title to rows: {"name", "scores": (seeds,), "kind", "paper": name or None};
    `paper` maps the paper's names to (mean, sd or nan).
    """
    longest_first = sorted(panels.values(), key=len, reverse=True)
    names = list(dict.fromkeys(row["name"] for rows in longest_first for row in rows))
    place = {name: len(names) - number for number, name in enumerate(names)}
    figure, axes = new(3.4 + 3.2 * len(panels), 1.3 + 0.32 * len(names), columns=len(panels),
                       sharex=True, sharey=True, squeeze=False)  # fmt: skip
    for one, (title, rows) in zip(axes[0], panels.items(), strict=True):
        for row in rows:
            _setting(one, place[row["name"]], row, paper.get(row["paper"]))
        one.set_title(title)
        one.set_xlabel("Spearman on the test pairs (x 100)")
        one.grid(axis="x", color="#e6e6e6", lw=0.8)
        one.set_axisbelow(True)
    axes[0][0].set_yticks(list(place.values()), list(place))
    _legend(figure, axes[0][0], panels)
    return figure


def _setting(axes: Axes, y: int, row: Mapping, printed: tuple | None) -> None:
    scores, color = np.asarray(row["scores"], dtype=float), KINDS[row["kind"]]
    if printed is not None:
        mean, spread = printed
        axes.plot([mean], [y], "|", color=PAPER, ms=13, mew=2)
        if np.isfinite(spread):
            axes.plot([mean - spread, mean + spread], [y, y], color=PAPER, lw=1.2)
    if len(scores) > 1:
        mean, spread = scores.mean(), scores.std(ddof=1)
        axes.plot([mean - spread, mean + spread], [y, y], color=color, lw=5, alpha=0.3)
        axes.plot([mean], [y], "|", color=color, ms=13, mew=1.5)
    marker = "s" if row["kind"] == "floor" else "o"
    axes.plot(scores, [y] * len(scores), marker, color=color, ms=6, mec="white", mew=0.6)


def _legend(figure: Figure, axes: Axes, panels: Mapping[str, Sequence[Mapping]]) -> None:
    kinds = [k for k in KINDS if any(row["kind"] == k for rows in panels.values() for row in rows)]
    handles = [
        axes.plot([], [], "s" if kind == "floor" else "o", color=KINDS[kind], label=NAMES[kind])[0]
        for kind in kinds
    ]
    band = axes.plot([], [], color=KINDS["system"], lw=5, alpha=0.3, label="mean ± sd")[0]
    tick = axes.plot([], [], "|", color=PAPER, ms=12, mew=2, label="the paper (real STSb)")[0]
    figure.legend(handles=[*handles, band, tick], loc="outside lower center", ncols=5, fontsize=9)


def two_lucks(panels: Mapping[str, Mapping[str, Mapping[str, tuple]]]) -> Figure:
    """95 % intervals of differences: panels[title][comparison][kind of luck] = (low, high).

    The kinds are those of LUCKS. An interval that leaves the picture is cut off, with an arrow; a
    panel may lack comparisons, and an interval that is nan is not drawn.
    """
    first = max(panels.values(), key=len)
    figure, axes = new(3.2 + 3.0 * len(panels), 1.2 + 0.62 * len(first), columns=len(panels),
                       sharey=True, squeeze=False)  # fmt: skip
    for one, (title, comparisons) in zip(axes[0], panels.items(), strict=True):
        inside = [ends["over the test pairs"] for ends in comparisons.values()]
        limit = 1.25 * float(np.abs(inside).max())
        for y, ends in enumerate(comparisons.get(name) for name in reversed(first)):
            if ends is None:
                continue
            for (kind, color), shift in zip(LUCKS.items(), (0.14, -0.14), strict=True):
                _interval(one, y + shift, ends[kind], color, limit)
        one.axvline(0, color=GREY, lw=1)
        one.set_xlim(-limit, limit)
        one.set_title(title)
        one.set_xlabel("difference in Spearman (points)")
    axes[0][0].set_yticks(range(len(first)), list(reversed(first)))
    handles = [axes[0][0].plot([], [], color=c, lw=3, label=k)[0] for k, c in LUCKS.items()]
    figure.legend(handles=handles, loc="outside lower center", ncols=2)
    return figure


def _interval(axes: Axes, y: float, ends: tuple, color: str, limit: float) -> None:
    low, high = ends
    axes.plot(np.clip([low, high], -limit, limit), [y, y], color=color, lw=3,
              solid_capstyle="butt")  # fmt: skip
    middle = (low + high) / 2
    if abs(middle) <= limit:
        axes.plot([middle], [y], "o", color=color, ms=5)
    for end, edge, arrow in ((low, -limit, "<"), (high, limit, ">")):
        if abs(end) > limit:
            axes.plot([edge], [y], arrow, color=color, ms=7, clip_on=False)


def best_of_many(seeds: Sequence[int], leads: Mapping[str, Sequence[float]]) -> Axes:
    """How far the winner of k seeds is ahead of the average seed: on dev, and on test."""
    _, axes = new(6.6, 3.4)
    for number, (name, values) in enumerate(leads.items()):
        axes.plot(seeds, values, ("-", "--")[number], marker="os"[number], ms=4,
                  color=(COLORS[5], COLORS[0])[number], label=name)  # fmt: skip
    axes.axhline(0, color=GREY, lw=1)
    axes.set_xlabel("seeds to choose from")
    axes.set_ylabel("lead over the\naverage seed (points)")
    axes.set_xticks(list(seeds))
    axes.legend(loc="center right")
    return axes
