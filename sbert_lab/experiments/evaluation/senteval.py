"""SentEval (Table 5): frozen embeddings, and a logistic regression that may weigh every dimension.

Read from SentEval's own code. MR, CR, SUBJ, MPQA: nested cross-validation, the inner one chooses C.
SST: C is chosen on dev. TREC, MRPC: cross-validation on the training set chooses C. Then one fit on
all training rows, scored on rows that no choice has seen. Features are not scaled, as there; if you
ask for it, the scaler is fitted on the training part only. SentEval's default classifier is trained
with Adam on a GPU; this is its scikit-learn path.
"""

import warnings
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from sbert_lab import data
from sbert_lab.data.local import expected_files, local_copy
from sbert_lab.data.sources import splits_here
from sbert_lab.errors import DataError, InputError, OutOfReachError, require_choice
from sbert_lab.experiments.evaluation.vectors import Encode, column, embed
from sbert_lab.profiles import Profile, as_profile

TASKS = ("mr", "cr", "subj", "mpqa", "sst", "trec", "mrpc")
SENTIMENT = ("mr", "cr", "sst")
KINDS = {"sst": "dev", "trec": "folds", "mrpc": "folds"}  # the others: nested
MOST_STEPS = 1000  # of the solver
NEWTON_WIDTH = 1600  # the most features for Newton's method: its matrix has them squared


@dataclass(frozen=True)
class Task:
    """Texts and labels. `first` and `second` are the columns; only MRPC has a second one.

    `parts` has the positions of the training, dev and test rows; a nested task has no parts.
    """

    name: str
    kind: str
    first: list[str]
    labels: np.ndarray
    second: list[str] | None = None
    parts: dict[str, np.ndarray] = field(default_factory=dict)

    @property
    def tested(self) -> np.ndarray:
        """The positions of the rows that get a prediction: all of them in a nested task."""
        return self.parts.get("test", np.arange(len(self.labels)))


def load_task(name: str, *, profile: str | Profile | None = None) -> Task:
    """One of the seven tasks, all its rows in one list."""
    require_choice("task", name, TASKS)
    kind = KINDS.get(name, "nested")
    splits = list(data.get_corpus(name).splits)
    found = [data.load(name, split, profile=profile, partial=False) for split in splits]
    pair = name == "mrpc"
    texts = [
        [text for rows in found for text in column(rows, c)]
        for c in (("sentence1", "sentence2") if pair else ("text",))
    ]
    ends = np.cumsum([len(rows) for rows in found])
    parts = {s: np.arange(end - len(r), end) for s, r, end in zip(splits, found, ends, strict=True)}
    return Task(
        name,
        kind,
        texts[0],
        np.array([label for rows in found for label in column(rows, "label")]),
        second=texts[1] if pair else None,
        parts={} if kind == "nested" else parts,
    )


def require_tasks(profile: str | Profile | None = None) -> None:
    """Say in one error which files are missing and where they belong. Nothing happens in mini."""
    scale = as_profile(profile)
    corpora = [data.get_corpus(name) for name in TASKS]
    absent = [(c, s) for c in corpora for s in c.splits if s not in splits_here(c, scale.name)]
    if not absent:
        return
    try:
        data.load(absent[0][0].name, absent[0][1], profile=scale)  # one archive brings all seven
    except OutOfReachError as error:
        files = ", ".join(expected_files(corpus, split) for corpus, split in absent)
        root = local_copy()
        where = f"into {root}" if root else "into a folder and set SBERT_LAB_DATA to it"
        raise DataError(
            f"SentEval's tasks are not at hand in profile {scale.name}. Missing: {files}. Put them "
            f"{where} (they come with SentEval, see data/LAYOUT.md), or connect to the internet "
            "and run `sbert-lab data get mr`: one archive holds all seven"
        ) from error


# ---- the protocol


@dataclass(frozen=True, kw_only=True)
class Protocol:
    """How often the data are split, and the values of C that are tried.

    `grid` is for the nested tasks and SST, `folds_grid` for TREC and MRPC; SentEval has 2^-2 to 2^3
    and 2^-1 to 2^5. A large C means little regularisation. `scale` standardises the features.
    """

    folds: int = 10
    inner_folds: int = 10
    grid: tuple[float, ...] = tuple(2.0**power for power in range(-2, 4))
    folds_grid: tuple[float, ...] = tuple(2.0**power for power in range(-1, 6))
    seed: int = 1111
    scale: bool = False

    def __post_init__(self) -> None:
        if min(self.folds, self.inner_folds) < 2:
            raise InputError(f"at least 2 folds are needed, got {self.folds}, {self.inner_folds}")
        if not self.grid or not self.folds_grid or min(*self.grid, *self.folds_grid) <= 0:
            raise InputError("the values of C must be numbers above 0, at least one of them")


# The ends and the middle of SentEval's grids: 3 values instead of 6 and 7.
MINI = Protocol(folds=5, inner_folds=3, grid=(0.25, 1.0, 8.0), folds_grid=(0.5, 4.0, 32.0))


def protocol_of(profile: str | Profile | None = None) -> Protocol:
    """SentEval's own protocol; in mini 5 outer and 3 inner folds and 3 values of C."""
    return MINI if as_profile(profile).quick_senteval else Protocol()


@dataclass(frozen=True)
class TaskScore:
    """Accuracy in points, right (1) or wrong (0) per tested row in file order, the Cs chosen.

    Of a nested task the accuracy is the mean over the outer folds, as in SentEval. `f1` (points) is
    there for MRPC only. `unfinished` counts final fits that the solver did not bring to an end.
    """

    accuracy: float
    hits: np.ndarray
    chosen: list[float]
    f1: float | None = None
    unfinished: int = 0


def remember(encode: Encode) -> Encode:
    """The same encode, but no sentence is encoded twice: tasks and STS sets share sentences."""
    known: dict[str, np.ndarray] = {}

    def cached(sentences: list[str]) -> np.ndarray:
        new = [one for one in dict.fromkeys(sentences) if one not in known]
        if new:
            known.update(zip(new, np.asarray(encode(new)), strict=True))
        return np.stack([known[one] for one in sentences])

    return cached


def pair_features(u: np.ndarray, v: np.ndarray) -> np.ndarray:
    """What the classifier sees of a pair: |u-v| and u*v side by side. (N, H), (N, H) -> (N, 2H)."""
    return np.concatenate([np.abs(u - v), u * v], axis=1)


def features_of(encode: Encode, task: Task) -> np.ndarray:
    """One row of features per row of the task: (N, H), or (N, 2H) for pairs."""
    if task.second is None:
        return embed(encode, task.first)[0]
    return pair_features(*embed(encode, task.first, task.second))


def score_task(
    encode: Encode, task: Task, protocol: Protocol, *, shuffle_seed: int | None = None
) -> TaskScore:
    """Train and test the classifier on frozen embeddings.

    With `shuffle_seed` the labels are dealt out at random before training and the true ones are
    kept for testing: what is left then is luck and the share of the largest class.
    """
    return score_features(features_of(encode, task), task, protocol, shuffle_seed=shuffle_seed)


def score_features(
    features: np.ndarray, task: Task, protocol: Protocol, *, shuffle_seed: int | None = None
) -> TaskScore:
    """The same for features that are there already: (N, D)."""
    features = _checked(features, task)
    learned = task.labels
    if shuffle_seed is not None:
        learned = np.random.default_rng(shuffle_seed).permutation(learned)
    order = _by_length(task)
    if task.kind == "nested":
        outer = list(_split(order, learned, protocol.folds, protocol.seed))
    else:
        train, test = ([i for i in order if i in s] for s in _train_and_test(task))
        outer = [(np.array(train), np.array(test))]
    predicted = np.full(len(learned), -1)
    chosen, accuracies, unfinished = [], [], 0
    for train, test in outer:
        best = _choose(features, learned, train, task, protocol)
        model = _fit(features[train], learned[train], best, protocol)
        predicted[test] = model.predict(features[test])
        chosen.append(best)
        accuracies.append(100 * float(np.mean(predicted[test] == task.labels[test])))
        unfinished += int(model[-1].n_iter_.max() >= MOST_STEPS)
    truth, answers = task.labels[task.tested], predicted[task.tested]
    return TaskScore(
        accuracy=float(np.mean(accuracies)),
        hits=(truth == answers).astype(np.float64),
        chosen=chosen,
        f1=_f1(truth, answers) if task.second is not None else None,
        unfinished=unfinished,
    )


def _choose(
    features: np.ndarray, labels: np.ndarray, train: np.ndarray, task: Task, protocol: Protocol
) -> float:
    """The C with the best accuracy on held-out training rows (on dev for SST); ties: smallest."""
    grid = protocol.folds_grid if task.kind == "folds" else protocol.grid
    if task.kind == "dev":
        inner = [(train, task.parts["dev"])]
    else:
        inner = list(_split(train, labels, protocol.inner_folds, protocol.seed))
    means = []
    for c in grid:
        models = [(_fit(features[fit], labels[fit], c, protocol), held) for fit, held in inner]
        means.append(np.mean([m.score(features[held], labels[held]) for m, held in models]))
    return grid[int(np.argmax(means))]


def _fit(features: np.ndarray, labels: np.ndarray, c: float, protocol: Protocol):
    """The classifier, with its scaler if there is one: both see these rows only."""
    from sklearn.exceptions import ConvergenceWarning
    from sklearn.linear_model import LogisticRegression
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler

    # Both solvers look for the same weights; Newton's is fast and exact while its matrix is small.
    small = features.shape[1] <= NEWTON_WIDTH and len(np.unique(labels)) == 2
    solver = "newton-cholesky" if small else "lbfgs"
    steps = [StandardScaler()] if protocol.scale else []
    model = make_pipeline(*steps, LogisticRegression(C=c, solver=solver, max_iter=MOST_STEPS))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)  # counted in TaskScore.unfinished
        return model.fit(features, labels)


def _split(positions: Sequence[int], labels: np.ndarray, folds: int, seed: int):
    """Stratified folds of these positions: pairs of position arrays."""
    from sklearn.model_selection import StratifiedKFold

    positions = np.asarray(positions)
    rarest = np.unique(labels[positions], return_counts=True)[1].min()
    if rarest < folds:
        raise InputError(
            f"{folds} folds need {folds} rows of every label, but one has {rarest}: use fewer folds"
        )
    splitter = StratifiedKFold(n_splits=folds, shuffle=True, random_state=seed)
    for train, test in splitter.split(np.zeros(len(positions)), labels[positions]):
        yield positions[train], positions[test]


def _by_length(task: Task) -> list[int]:
    """SentEval sorts by length (then label) before it splits, so the folds depend on it."""
    texts = [task.first] if task.second is None else [task.first, task.second]
    lengths = [[len(text.split()) for text in one] for one in texts]
    keys = list(zip(*lengths, task.labels.tolist(), strict=True))
    return sorted(range(len(keys)), key=keys.__getitem__)


def _train_and_test(task: Task) -> tuple[set[int], set[int]]:
    return set(task.parts["train"].tolist()), set(task.parts["test"].tolist())


def _f1(truth: np.ndarray, answers: np.ndarray) -> float:
    both = float(np.sum((truth == 1) & (answers == 1)))
    said = float(np.sum(truth == 1) + np.sum(answers == 1))
    return 200 * both / said if said else 0.0


def _checked(features: np.ndarray, task: Task) -> np.ndarray:
    features = np.asarray(features, dtype=np.float64)
    if features.ndim != 2 or len(features) != len(task.labels):
        raise InputError(
            f"{task.name} has {len(task.labels)} rows, but the features have shape {features.shape}"
        )
    if not np.isfinite(features).all():
        raise InputError(f"{task.name}: there is NaN or infinity among the features")
    if len(features) and np.ptp(features, axis=0).max(initial=0.0) == 0:
        raise InputError(f"{task.name}: all rows have the same features, nothing can be learned")
    if len(np.unique(task.labels)) < 2:
        raise InputError(f"{task.name} has one label only: there is nothing to tell apart")
    return features
