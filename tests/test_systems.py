"""The registry: one system has one name in every table, and one name is one system."""

import re
from pathlib import Path

import numpy as np
import pytest

from sbert_lab.errors import InputError
from sbert_lab.experiments import TABLES, module_of, paper, results, systems, table3, table6, zoo
from sbert_lab.experiments.building import MAKERS, build
from sbert_lab.experiments.systems import SYSTEMS, TABLE, get_system, name_of
from sbert_lab.files import read_json
from sbert_lab.profiles import get_profile

MINI = get_profile("mini")
NAMES = {system.name for system in SYSTEMS}
CELLS = {
    3: {table3.cell(id, p) for id in (*table3.LEARNERS, table3.SHUFFLED) for p in table3.PROTOCOLS},
    6: {*table6.cells(), *table6.FLOORS},
}
FLOORS = {
    1: {"random-weights", "sbert-nli-shuffled", "sbert-nli-random"},
    2: {"random-weights", "sbert-stsb-shuffled", "sbert-stsb-random"},
    4: {"random-weights", "sbert-sections-shuffled", "constant"},
    5: {"random-weights", "raw-mean-shuffled"},
    7: {"random-smart"},
}


def rows(number, profile=MINI):
    return module_of(number).rows(profile)


# ---- the registry


def test_ids_and_names_are_unique_and_each_system_can_be_made():
    assert len({system.id for system in SYSTEMS}) == len(NAMES) == len(SYSTEMS)
    assert {system.how for system in SYSTEMS} == {*MAKERS, TABLE}
    assert all(system.note for system in SYSTEMS)


def test_the_zoo_trains_exactly_the_systems_with_a_recipe():
    wanted = {system.id: system.recipe for system in SYSTEMS if system.recipe}
    assert {id: zoo.get_recipe(id) for id in wanted} == wanted
    assert all(zoo.get_recipe(s.of) for s in SYSTEMS if s.how == "MiniLM recipe")


def test_an_unknown_id_lists_the_ids_and_a_tables_own_system_says_so():
    with pytest.raises(InputError, match="unknown system 'sbert': choose bilstm-afs"):
        get_system("sbert")
    with pytest.raises(InputError, match="made by its table"):
        build("tf-idf", MINI)


@pytest.mark.parametrize(
    ("id", "dimension"), [("word-vectors", None), ("word-vectors-content", None), ("constant", 1)]
)
def test_systems_without_a_network_encode(id, dimension):
    vectors = build(id, MINI).encode(["the dog runs", "a cat"])
    assert vectors.shape == (2, dimension or vectors.shape[1]) and np.isfinite(vectors).all()


def test_the_words_of_a_system_are_those_it_says():
    sentence = ["the dog of the house"]
    plain, content = (build(f"word-vectors{end}", MINI) for end in ("", "-content"))
    assert np.allclose(content.encode(sentence), plain.encode(["dog house"]))
    assert not np.allclose(content.encode(sentence), plain.encode(sentence))


def test_a_trained_system_is_asked_of_the_zoo_by_its_id(monkeypatch):
    asked = []
    monkeypatch.setattr(zoo, "get", lambda name, **given: asked.append((name, given["seed"])))
    ids = [system.id for system in SYSTEMS if system.recipe]
    for id in ids:
        build(id, MINI, 2)
    assert asked == [(id, 2) for id in ids]


def test_backbones_come_with_their_pooling_and_the_profiles_length(monkeypatch):
    from sbert_lab.encoder import SentenceEncoder

    loaded = []
    monkeypatch.setattr(SentenceEncoder, "load", lambda name, **given: loaded.append((name, given)))
    for id in ("raw-mean", "raw-cls", "raw-max", "raw-roberta", "mini-sbert"):
        build(id, MINI)
    poolings = {"mean", "cls", "max"}
    assert {given.get("pooling") for name, given in loaded if name == MINI.backbone} == poolings
    assert all(given["max_length"] == MINI.max_length for _, given in loaded[:4])
    assert loaded[3][0] == MINI.roberta and loaded[4] == ("mini-sbert", {})


# ---- the tables' rows


@pytest.mark.parametrize("number", TABLES)
def test_every_row_is_a_system_of_the_registry_or_a_cell_of_it(number):
    found = rows(number)
    names = [row.name for row in found]
    assert len(set(names)) == len(names) and set(names) <= NAMES | CELLS.get(number, set())
    assert all(row.note for row in found)


@pytest.mark.parametrize("number", [n for n in TABLES if n != 6])
def test_every_base_row_of_the_papers_table_has_a_row_of_ours(number):
    printed = {name for name in paper.table(number)["model"] if not name.endswith("-large")}
    ours = [row.paper for row in rows(number) if row.paper]
    assert set(ours) == printed
    assert number == 3 or len(ours) == len(printed)


@pytest.mark.parametrize("number", FLOORS)
def test_floors_have_one_seed_and_trained_rows_the_profiles(number):
    found = {row.name: row for row in rows(number)}
    floors = [row for row in found.values() if row.kind == "floor"]
    assert {row.name for row in floors} == {name_of(id) for id in FLOORS[number]}
    if number != 7:
        assert {row.seeds for row in floors} == {1}
    for system in SYSTEMS:
        if system.name in found and system.kind != "floor" and number != 7:
            trained = system.trained or system.id == "raw-tuned"
            assert found[system.name].seeds == (MINI.seeds if trained else 1), system.id


@pytest.mark.parametrize("profile", ["mini", "real"])
@pytest.mark.parametrize("number", TABLES)
def test_recorded_rows_have_the_registrys_names(number, profile):
    if not results.has_table(number, profile):
        pytest.skip(f"Table {number} is not recorded in profile {profile}")
    table = results.open_table(number, profile)
    assert set(table.rows) <= NAMES | CELLS.get(number, set())
    runs = {f"{row}/{seed}" for row in table.rows for seed in table.seeds(row)}
    assert {key.rpartition("/")[0] for key in table._predictions} <= runs | {results.GOLD}


RETIRED = (
    *("raw", "raw MEAN", "raw CLS", "raw MAX", "mean vectors", "word vectors", "GloVe"),
    *("USE", "USE, NLI only", "USE + forum", "BiLSTM", "BiLSTM MAX", "BiLSTM MEAN"),
    *("random weights", "shuffled scores", "shuffled roles", "all layers tuned"),
)


@pytest.mark.parametrize(
    "path", sorted(results.results_dir().glob("*/*.json")), ids=lambda p: p.stem
)
def test_no_recorded_run_has_a_retired_name(path):
    assert not set(read_json(path).get("rows", ())) & set(RETIRED)


def test_no_notebook_and_no_figure_calls_a_system_by_a_retired_name():
    root = Path(systems.__file__).parents[2]
    texts = [*root.glob("notebooks/src/*.py"), *root.glob("sbert_lab/course/nb*.py")]
    quoted = re.compile("[\"'](" + "|".join(map(re.escape, RETIRED[1:])) + ")[\"'][,:)\\]]")
    found = {path.name: quoted.findall(path.read_text(encoding="utf-8")) for path in texts}
    assert not {name: names for name, names in found.items() if names}


def test_one_system_has_the_same_score_in_every_table():
    """Word vectors and raw BERT are not trained: Tables 1, 2 and 5 must agree on STSb's test."""
    one, two, five = (results.open_table(number, "mini") for number in (1, 2, 5))
    for id in ("word-vectors", "raw-mean"):
        name = name_of(id)
        assert one.mean(name, "stsb") == pytest.approx(two.mean(name, "test"), abs=0.01)
        assert one.mean(name, "stsb") == pytest.approx(five.mean(name, "stsb"), abs=0.01)


# ---- profiles


def test_no_experiment_asks_for_a_profiles_name():
    asks = re.compile(
        r"""(?<!for )\b(name|profile)\s*(==|!=|not in|in)\s*[(\["']+(mini|real|paper)["']"""
    )
    assert asks.search('if profile.name == "real":') and asks.search('x.name not in ("mini",)')
    folder = Path(systems.__file__).parent
    lines = [line for path in folder.rglob("*.py") for line in path.read_text().splitlines()]
    assert not [line for line in lines if asks.search(line)]
