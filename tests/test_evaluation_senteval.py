"""SentEval's protocol: choices never see tested rows, and scikit-learn agrees."""

from dataclasses import replace

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV, StratifiedKFold
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from sbert_lab.errors import DataError, InputError
from sbert_lab.experiments.evaluation import senteval
from sbert_lab.experiments.evaluation.senteval import Protocol, Task
from sbert_lab.profiles import get_profile
from sbert_lab.tasks.classifier import Classifier

SMALL = Protocol(folds=4, inner_folds=3, grid=(0.1, 1.0, 10.0), folds_grid=(0.5, 5.0))


def make_task(kind="nested", rows=60, classes=2, seed=0, width=6, signal=1.0):
    """Texts of growing length, so that sorting by length changes nothing, and matching features."""
    rng = np.random.default_rng(seed)
    labels = np.arange(rows) % classes
    texts = [" ".join(["word"] * (1 + number)) for number in range(rows)]
    features = rng.normal(size=(rows, width))
    features[:, 0] += signal * labels
    parts = {}
    if kind != "nested":
        third = rows // 3
        parts = {"train": np.arange(third, rows), "test": np.arange(third)}
    if kind == "dev":
        parts = {"train": np.arange(30), "dev": np.arange(30, 40), "test": np.arange(40, rows)}
    return Task("made up", kind, texts, labels, parts=parts), features


@pytest.mark.parametrize("scale", [False, True])
def test_the_nested_tasks_agree_with_scikit_learns_grid_search(scale):
    task, features = make_task(signal=0.7)
    ours = senteval.score_features(features, task, replace(SMALL, scale=scale))
    steps = [StandardScaler()] if scale else []
    model = make_pipeline(*steps, LogisticRegression(solver="newton-cholesky"))
    hits = np.zeros(len(features))
    folds = [StratifiedKFold(n, shuffle=True, random_state=1111) for n in (4, 3)]
    for train, test in folds[0].split(features, task.labels):
        search = GridSearchCV(model, {"logisticregression__C": SMALL.grid}, cv=folds[1])
        search.fit(features[train], task.labels[train])
        hits[test] = search.predict(features[test]) == task.labels[test]
    np.testing.assert_array_equal(ours.hits, hits)
    assert ours.accuracy == pytest.approx(100 * hits.mean())  # folds of equal size
    assert len(ours.chosen) == 4 and set(ours.chosen) <= set(SMALL.grid)


def test_trec_and_mrpc_choose_by_folds_of_the_training_rows_and_refit_on_all_of_them():
    task, features = make_task("folds", rows=90, classes=3, signal=1.5)
    ours = senteval.score_features(features, task, SMALL)
    train, test = task.parts["train"], task.parts["test"]
    folds = StratifiedKFold(3, shuffle=True, random_state=1111)
    search = GridSearchCV(LogisticRegression(max_iter=1000), {"C": SMALL.folds_grid}, cv=folds)
    search.fit(features[train], task.labels[train])
    np.testing.assert_array_equal(ours.hits, search.predict(features[test]) == task.labels[test])
    assert ours.chosen == [search.best_params_["C"]]


def test_sst_chooses_on_dev_and_never_trains_on_it():
    task, features = make_task("dev")
    ours = senteval.score_features(features, task, SMALL)
    train, dev, test = (task.parts[name] for name in ("train", "dev", "test"))
    models = {
        c: LogisticRegression(C=c).fit(features[train], task.labels[train]) for c in SMALL.grid
    }
    on_dev = {c: model.score(features[dev], task.labels[dev]) for c, model in models.items()}
    best = max(on_dev, key=on_dev.get)
    assert ours.chosen == [best]
    assert ours.accuracy == pytest.approx(
        100 * models[best].score(features[test], task.labels[test])
    )


@pytest.mark.parametrize("kind", ["folds", "dev"])
def test_test_labels_never_reach_the_classifier(kind):
    task, features = make_task(kind, signal=2.0)
    turned = task.labels.copy()
    turned[task.parts["test"]] = 1 - turned[task.parts["test"]]
    right = senteval.score_features(features, task, SMALL)
    wrong = senteval.score_features(features, replace(task, labels=turned), SMALL)
    np.testing.assert_array_equal(right.hits, 1 - wrong.hits)
    assert right.chosen == wrong.chosen


def test_a_scaler_makes_the_size_of_a_dimension_irrelevant():
    task, features = make_task(signal=0.7)
    stretched = features.copy()
    stretched[:, 1] *= 100
    scaled = replace(SMALL, scale=True)
    before = senteval.score_features(features, task, scaled)
    after = senteval.score_features(stretched, task, scaled)
    np.testing.assert_array_equal(before.hits, after.hits)


def test_shuffled_labels_destroy_what_there_was_to_learn():
    task, features = make_task(rows=200, signal=6.0)
    assert senteval.score_features(features, task, SMALL).accuracy > 95
    floor = senteval.score_features(features, task, SMALL, shuffle_seed=1)
    assert 25 < floor.accuracy < 75
    again = senteval.score_features(features, task, SMALL, shuffle_seed=1)
    np.testing.assert_array_equal(floor.hits, again.hits)


def test_the_order_of_the_rows_in_the_file_does_not_matter():
    task, features = make_task(signal=0.7)
    turn = np.random.default_rng(1).permutation(len(features))
    mixed = Task("mixed", "nested", [task.first[i] for i in turn], task.labels[turn])
    plain = senteval.score_features(features, task, SMALL)
    other = senteval.score_features(features[turn], mixed, SMALL)
    np.testing.assert_array_equal(plain.hits[turn], other.hits)


def test_pairs_become_the_absolute_difference_and_the_product():
    u, v = np.array([[1.0, -2.0]]), np.array([[3.0, 4.0]])
    assert senteval.pair_features(u, v).tolist() == [[2, 6, 3, -8]]
    np.testing.assert_array_equal(senteval.pair_features(u, v), senteval.pair_features(v, u))


def test_no_sentence_is_encoded_twice():
    asked = []

    def encode(sentences):
        asked.extend(sentences)
        return np.array([[len(one), 1.0] for one in sentences])

    cached = senteval.remember(encode)
    first = cached(["a", "bb", "a"])
    second = cached(["bb", "ccc"])
    assert asked == ["a", "bb", "ccc"]
    assert first[:, 0].tolist() == [1, 2, 1] and second[:, 0].tolist() == [2, 3]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda t, f: (t, np.ones_like(f)), "same features"),
        (lambda t, f: (t, np.where(f > 0, np.nan, f)), "NaN"),
        (lambda t, f: (t, f[:-1]), "60 rows"),
        (lambda t, f: (replace(t, labels=np.zeros(60, dtype=int)), f), "one label only"),
        (lambda t, f: (replace(t, labels=(np.arange(60) == 0).astype(int)), f), "fewer folds"),
    ],
)
def test_what_cannot_be_scored_is_an_error_that_says_why(change, message):
    with pytest.raises(InputError, match=message):
        senteval.score_features(*reversed(change(*make_task())), SMALL)


@pytest.mark.parametrize("wrong", [{"folds": 1}, {"grid": ()}, {"grid": (0.0, 1.0)}])
def test_an_impossible_protocol_is_refused(wrong):
    with pytest.raises(InputError):
        Protocol(**wrong)


def test_mini_is_smaller_and_the_other_profiles_have_sentevals_grids():
    full = senteval.protocol_of("paper")
    assert (full.folds, full.inner_folds, len(full.grid), len(full.folds_grid)) == (10, 10, 6, 7)
    assert (full.grid[0], full.grid[-1]) == (0.25, 8) and full.folds_grid[-1] == 32
    mini = senteval.protocol_of("mini")
    assert (mini.folds, mini.inner_folds, len(mini.grid)) == (5, 3, 3)
    assert set(mini.grid) <= set(full.grid) and set(mini.folds_grid) <= set(full.folds_grid)
    assert not full.scale and not mini.scale


@pytest.mark.parametrize("name", senteval.TASKS)
def test_every_task_loads_with_its_own_split(name):
    task = senteval.load_task(name, profile="mini")
    assert len(task.first) == len(task.labels)
    assert (task.second is not None) == (name == "mrpc")
    wanted = {"sst": {"train", "dev", "test"}, "trec": {"train", "test"}, "mrpc": {"train", "test"}}
    assert set(task.parts) == wanted.get(name, set())
    together = np.concatenate([*task.parts.values()]) if task.parts else task.tested
    assert sorted(together) == list(range(len(task.labels)))


def test_missing_files_are_all_named_with_their_place(monkeypatch, tmp_path):
    monkeypatch.setenv("SBERT_LAB_DATA", str(tmp_path))
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    with pytest.raises(DataError) as caught:
        senteval.require_tasks(get_profile("real"))
    for part in ("rt-polarity.pos", "TREC_10.label", "msr_paraphrase_train.txt", str(tmp_path)):
        assert part in str(caught.value)
    senteval.require_tasks(get_profile("mini"))  # nothing is missing there


# ---- fine-tuning all layers


def test_fine_tuning_learns_eight_texts_by_heart_and_moves_every_part(encoder, tmp_path):
    from sbert_lab.profiles import TrainConfig
    from sbert_lab.training import train

    texts = ["the dog runs", "a cat sleeps", "the bird sings", "a man runs", "not the house",
             "not the tree", "not a river", "not red"]  # fmt: skip
    rows = [{"text": text, "label": int(text.startswith("not"))} for text in texts]
    task = Classifier(encoder, labels=2)
    before = {name: tensor.clone() for name, tensor in task.state_dict().items()}
    config = TrainConfig(epochs=30, batch_size=8, learning_rate=2e-3)
    train(task, rows, config, run_dir=tmp_path, show_progress=False)
    assert task.predict_labels(texts).tolist() == [row["label"] for row in rows]
    moved = {n for n, tensor in task.state_dict().items() if not tensor.equal(before[n])}
    assert "head.weight" in moved
    assert any("embeddings.word" in name for name in moved), "the lowest layer stayed as it was"


def test_a_label_that_the_head_does_not_have_is_named(encoder):
    with pytest.raises(InputError, match="row 0: label 2"):
        Classifier(encoder, labels=2).prepare([{"text": "the dog", "label": 2}])
