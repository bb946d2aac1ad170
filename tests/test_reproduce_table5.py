"""Table 5: every system has its row, and the claims are computed from the recorded answers."""

import numpy as np
import pytest
from conftest import make_results

from sbert_lab.errors import DataError, InputError
from sbert_lab.experiments import table5
from sbert_lab.experiments.evaluation.senteval import TASKS, Task
from sbert_lab.experiments.systems import name_of
from sbert_lab.experiments.table5 import INFERSENT, MEAN, SBERT, USE
from sbert_lab.profiles import get_profile

ITEMS = 200


def recorded(accuracy, correlation=(), *, seeds=2):
    """A made-up table: accuracy[row] is a share or {task: share}; correlation[row] for STS."""
    rng = np.random.default_rng(0)
    gold, answers = rng.random(ITEMS), {}
    for row, shares in accuracy.items():
        for task in TASKS:
            share = shares[task] if isinstance(shares, dict) else shares
            answers[row, task] = (rng.random((seeds, ITEMS)) < share).astype(float)
        strength = dict(correlation).get(row, 0.5)
        for name in table5.STS_SETS:
            noise = rng.random((seeds, ITEMS))
            answers[row, name] = strength * gold + (1 - strength) * noise
    return make_results(5, answers, dict.fromkeys(table5.STS_SETS, gold))


WORDS = name_of("word-vectors")
EVEN = {SBERT: 0.7, INFERSENT: 0.7, USE: 0.7, MEAN: 0.7, WORDS: 0.7}


def test_a_clear_lead_gives_differences_above_zero_in_the_right_direction():
    lead = {**EVEN, SBERT: 0.9, MEAN: 0.85, WORDS: 0.6}
    found = table5.claims(recorded(lead, {WORDS: 0.9, MEAN: 0.2}))
    assert min(array.min() for array in found["C17"].values()) > 0
    assert min(array.min() for array in found["C19"].values()) > 0
    assert np.mean(found["C17"]["SBERT - USE"]) == pytest.approx(20, abs=4)


def test_the_sentiment_gain_is_compared_with_the_gain_on_the_other_tasks():
    mood = {task: 0.9 if task in ("mr", "cr", "sst") else 0.7 for task in TASKS}
    usual = {**mood, "trec": 0.4}
    found = table5.claims(recorded({**EVEN, SBERT: usual}))["C18"]
    gain = np.mean(found["gain on MR, CR, SST - gain on the other tasks"])
    assert gain == pytest.approx(20 - (-30 / 4), abs=5)
    assert np.mean(found["USE - SBERT on TREC"]) == pytest.approx(30, abs=8)


def test_the_difference_is_the_mean_of_the_seven_tasks_not_of_all_items():
    table = recorded({**EVEN, SBERT: 0.8})
    gaps = [
        100 * (table.predictions(SBERT, t).mean() - table.predictions(USE, t).mean()) for t in TASKS
    ]
    drawn = table5.claims(table)["C17"]["SBERT - USE"]
    assert drawn.mean() == pytest.approx(np.mean(gaps), abs=0.3)


def test_claims_whose_rows_are_missing_are_left_out():
    few = {row: 0.7 for row in (MEAN, WORDS, SBERT, INFERSENT)}
    assert set(table5.claims(recorded(few))) == {"C19"}
    assert set(table5.claims(recorded({SBERT: 0.7, INFERSENT: 0.7, USE: 0.7}))) == {"C17", "C18"}


def test_seeds_that_disagree_widen_the_interval_of_a_claim():
    table = recorded({**EVEN, SBERT: 0.7})
    before = table5.claims(table)["C17"]["SBERT - USE"].std()
    for task in TASKS:  # the second seed is better by far, everywhere
        table._predictions[f"{SBERT}/2/{task}"][:60] = 1.0
    assert table5.claims(table)["C17"]["SBERT - USE"].std() > 1.5 * before


def test_without_the_files_the_error_names_them(monkeypatch, tmp_path):
    monkeypatch.setenv("SBERT_LAB_DATA", str(tmp_path))
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    with pytest.raises(DataError, match=r"senteval/SST/binary/sentiment-train.*Put them into"):
        table5.rows(get_profile("real"))


def tiny_world(monkeypatch):
    """Seven tiny tasks and one STS set, so that a whole row is measured in a moment."""
    words = ["red", "big", "dog", "cat", "tree"]
    texts = [f"{words[i % 5]} {words[i // 5 % 5]} {i}" for i in range(40)]
    labels = np.array([int("dog" in t or "red" in t) for t in texts])
    parts = {"train": np.arange(10, 40), "test": np.arange(10)}
    tasks = []
    for name in TASKS:
        kind = {"sst": "dev", "trec": "folds", "mrpc": "folds"}.get(name, "nested")
        own = {} if kind == "nested" else parts
        if kind == "dev":
            own = {"train": np.arange(20), "dev": np.arange(20, 30), "test": np.arange(30, 40)}
        second = texts[::-1] if name == "mrpc" else None
        tasks.append(Task(name, kind, texts, labels, second=second, parts=own))
    pairs = [{"sentence1": texts[i], "sentence2": texts[i + 1], "score": i / 20} for i in range(20)]

    class Pairs(list):
        def __getitem__(self, key):
            return [row[key] for row in self] if isinstance(key, str) else super().__getitem__(key)

    monkeypatch.setattr(table5, "_tasks", lambda profile: tasks)
    monkeypatch.setattr(table5, "_pairs", lambda profile: {"stsb": Pairs(pairs)})
    return tasks


def letters(sentences):
    """Counts of letters: a sentence vector that needs no training."""
    return np.array([[s.count(c) for c in "abcdegirot0123456789"] for s in sentences], dtype=float)


def test_a_row_has_seven_tasks_their_average_and_the_cosines(monkeypatch):
    tasks = tiny_world(monkeypatch)
    outcome = table5.score(get_profile("mini"), letters)
    assert list(outcome.scores) == [*TASKS, "average", "sts", "stsb"]
    mean = np.mean([outcome.scores[name] for name in TASKS])
    assert outcome.scores["average"] == pytest.approx(mean)
    for task in tasks:
        hits = outcome.predictions[task.name]
        assert len(hits) == len(task.tested) and set(hits) <= {0.0, 1.0}
    assert len(outcome.predictions["stsb"]) == 20


def test_with_shuffled_labels_there_are_no_cosines_to_compare(monkeypatch):
    tiny_world(monkeypatch)
    true = table5.score(get_profile("mini"), letters)
    floor = table5.score(get_profile("mini"), letters, shuffled=1)
    assert "sts" not in floor.scores and "stsb" not in floor.predictions
    assert floor.scores["average"] < true.scores["average"]


def test_an_encoder_that_gives_one_vector_to_everything_is_refused(monkeypatch):
    tiny_world(monkeypatch)
    with pytest.raises(InputError, match="same features"):
        table5.score(get_profile("mini"), lambda sentences: np.ones((len(sentences), 4)))
