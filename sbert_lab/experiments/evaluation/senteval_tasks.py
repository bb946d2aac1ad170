"""SentEval's seven tasks: their rows, which of them are tested, and where their files belong."""

from dataclasses import dataclass, field

import numpy as np

from sbert_lab.errors import DataError, OutOfReachError, require_choice
from sbert_lab.experiments.evaluation.vectors import column
from sbert_lab.profiles import Profile, as_profile

TASKS = ("mr", "cr", "subj", "mpqa", "sst", "trec", "mrpc")
SENTIMENT = ("mr", "cr", "sst")
KINDS = {"sst": "dev", "trec": "folds", "mrpc": "folds"}  # the others: nested


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
    from sbert_lab import data

    require_choice("task", name, TASKS)
    kind = KINDS.get(name, "nested")
    splits = list(data.get_corpus(name).splits)
    found = [data.load(name, split, profile=profile, partial=False) for split in splits]
    pair = name == "mrpc"
    texts = [[text for rows in found for text in column(rows, c)] for c in _columns(pair)]
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
    from sbert_lab import data
    from sbert_lab.data.local import expected_files, local_copy
    from sbert_lab.data.sources import splits_here

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


def _columns(pair: bool) -> tuple[str, ...]:
    return ("sentence1", "sentence2") if pair else ("text",)
