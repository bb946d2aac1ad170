"""Checks of 09_supervised_sts."""

from collections.abc import Callable, Mapping, Sequence

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from scipy import stats

from sbert_lab.course.diagnose import Hint, check, near, need_number
from sbert_lab.course.plots import COLORS, new

# Two systems, the same three seeds: a good seed is good for both. The differences have sd 0.3.
PILOT = ((83.9, 84.6, 85.2), (83.5, 83.9, 84.2))
# Five seeds: their scores on dev and on test.
DEV, TEST = (71.2, 70.1, 70.6, 69.8, 70.3), (66.7, 66.9, 66.0, 66.5, 66.2)


@check
def printed_gains(sbert, sroberta, inside):
    """What Table 2 prints for C12, base models, and how many of the two lie from 1 to 2."""
    found = {}
    for name, given, right, large in (
        ("SBERT", sbert, 0.68, 1.65),
        ("SRoBERTa", sroberta, -0.13, 1.13),
    ):
        found[name] = need_number(given, f"the gain of {name}")
        _gain(name, found[name], right, large)
    count = need_number(inside, "inside")
    if isinstance(inside, (bool, np.bool_)) or count not in (0, 1, 2):
        raise Hint("inside is how many of your two gains lie from 1 to 2: 0, 1 or 2")
    if count != 0:
        raise Hint(
            f"look at your two numbers again, {found['SBERT']:+.2f} and {found['SRoBERTa']:+.2f}: "
            "is one of them from 1 to 2? The sentence of a paper is not its table"
        )


def _gain(name: str, given: float, right: float, large: float) -> None:
    if near(given, right, tolerance=1e-3):
        return
    if near(given, large, tolerance=1e-3):
        raise Hint(f"{name}: these are the large models, base is asked for")
    if near(given, -right, tolerance=1e-3):
        raise Hint(f"{name}: the sign is turned round: NLI first minus STSb alone")
    if near(given, 85.35 - 77.03, tolerance=1e-3):
        raise Hint(f"{name}: STSb alone is the start of the comparison, not NLI alone")
    if near(given, 4.03, tolerance=1e-3):
        raise Hint(f"{name}: this is the cross-encoder's gain (the rows called BERT)")
    if 1 <= given <= 2:
        raise Hint(f"{name}: 1-2 is what the text says: subtract the two rows of the table")
    raise Hint(f"{name}: subtract its row 'STSb-base' from its row 'NLI-STSb-base'")


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


# What people compute instead: (scores, scores, difference) -> n. The first may never end.
MISTAKES = {
    "this takes the standard deviation for the standard error: divide it by the root of n": (
        lambda a, b, d: seeds_for(_spread(a, b), d, _t)
    ),
    "ddof: NumPy divides by n unless you say ddof=1, which makes the spread too small": (
        lambda a, b, d: seeds_for(_spread(a, b, 0), d, _error)
    ),
    "unpaired: take the difference of each seed first, then the standard deviation of those": (
        lambda a, b, d: seeds_for(np.sqrt(a.var(ddof=1) + b.var(ddof=1)), d, _error)
    ),
    "1.96 is for many seeds: with few of them the factor is t, with n - 1 degrees of freedom": (
        lambda a, b, d: seeds_for(_spread(a, b), d, lambda n: 1.96 / np.sqrt(n))
    ),
    "t belongs to the n seeds that you are going to run, not to the pilot's": (
        lambda a, b, d: seeds_for(_spread(a, b), d, lambda n: _t(len(a)) / np.sqrt(n))
    ),
    "the 95 % interval leaves 2.5 % on each side: t at 0.975": (
        lambda a, b, d: seeds_for(_spread(a, b), d, lambda n: _t(n, 0.95) / np.sqrt(n))
    ),
    "one too few: n - 1 are the degrees of freedom, n is the answer": (
        lambda a, b, d: _enough(a, b, d) - 1
    ),
    "one too many: the first n that is enough is asked for": lambda a, b, d: _enough(a, b, d) + 1,
}


@check
def seeds_needed(answer):
    """answer(scores_a, scores_b, difference) -> how many paired seeds show such a difference."""
    pilot = tuple(np.array(scores) for scores in PILOT)
    wide = np.array([70.0, 71.0, 69.2, 70.4, 68.9]), np.array([69.1, 69.0, 68.7, 70.1, 69.3])
    cases, given = [(*pilot, 0.7), (*pilot, 0.2), (*wide, 0.7)], []
    for number, case in enumerate(cases):
        given.append(need_number(answer(*case), "the number of seeds"))
        first = next(iter(MISTAKES.items()))
        if number == 0 and given[0] == first[1](*case):
            raise Hint(first[0])  # with a smaller difference this answer would search for ever
    if given == [_enough(*case) for case in cases]:
        return
    for hint, wrong in MISTAKES.items():
        if given == [wrong(*case) for case in cases]:
            raise Hint(hint)
    raise Hint(
        f"with PILOT you say {given[0]:g} seeds for 0.7 and {given[1]:g} for 0.2. Try n = 2, 3, "
        "4, ... until t * sd / root of n is below the difference"
    )


@check
def best_seed(answer):
    """answer(dev, test) -> (the score to report, the optimism), for arrays of scores per seed."""
    for dev, test in ((np.array(DEV), np.array(TEST)), (np.array(TEST), np.array(DEV))):
        _compare_best(answer(dev, test), dev, test)


def _compare_best(result: object, dev: np.ndarray, test: np.ndarray) -> None:
    try:
        reported, optimism = result
    except (TypeError, ValueError):
        raise Hint("give back two numbers: the score to report and the optimism") from None
    reported, optimism = need_number(reported, "the score"), need_number(optimism, "the optimism")
    winner, cheat = dev.argmax(), test.argmax()
    if not near(reported, test[winner]):
        raise Hint(_wrong_seed(reported, dev, test))
    lead, kept = dev[winner] - dev.mean(), test[winner] - test.mean()
    if near(optimism, lead - kept):
        return
    mistakes = [
        (
            dev[winner] - test[winner],
            "dev score minus test score also counts how much harder the test pairs are: compare "
            "leads over the average seed",
        ),
        (kept - lead, "the sign is turned round: lead on dev minus lead on test"),
        (lead, "this is the lead on dev only: take away what is left of it on test"),
        (kept, "this is the lead on test only: optimism is lead on dev minus lead on test"),
        (dev[winner] - dev.mean() - (test[cheat] - test.mean()), "test chose the second lead"),
    ]
    for wrong, hint in mistakes:
        if near(optimism, wrong):
            raise Hint(hint)
    raise Hint("optimism is the winner's lead over the average seed on dev, minus that on test")


def _wrong_seed(reported: float, dev: np.ndarray, test: np.ndarray) -> str:
    if near(reported, test.max()):
        return "this seed was chosen on test: the test pairs must not take part in the choice"
    if near(reported, dev.max()):
        return "this is the winner's score on dev: dev chose it, so report it on test"
    if near(reported, test.mean()):
        return "this is the mean over the seeds: honest, but here one seed is to be picked"
    if near(reported, test[dev.argmin()]):
        return "this is the seed with the lowest score on dev"
    return "pick the seed with the highest dev score, and report that seed's test score"


# ---- figures


GREY, PAPER = "#777777", "#444444"
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
