from dataclasses import replace

import numpy as np
import pytest
from conftest import make_results, noisy

from sbert_lab.errors import InputError
from sbert_lab.experiments import paper, table6
from sbert_lab.experiments.evaluation import ablation
from sbert_lab.experiments.evaluation.ablation import Cell
from sbert_lab.experiments.results import Results
from sbert_lab.objectives import CONCATENATIONS
from sbert_lab.profiles import TrainConfig, get_profile

SET = table6.SET
SHORT = TrainConfig(max_steps=2, batch_size=4, learning_rate=1e-3)


@pytest.fixture
def profile(tiny_folders):
    settings = {"train": SHORT, "sts": SHORT}
    return replace(get_profile("mini"), backbone=str(tiny_folders["bert"]), **settings)


# ---- cells


@pytest.mark.parametrize(
    "cell",
    [
        Cell(),
        Cell(pooling="max", concatenation="(u, v)"),
        Cell(objective="STSb", pooling="cls"),
        Cell(start="random"),
        Cell(objective="STSb", shuffled=True),
    ],
)
def test_a_cell_trains_and_the_seed_decides(profile, cell):
    sentence = ["the dog runs"]
    one, again, other = (
        ablation.train_cell(cell, profile, seed).encode(sentence) for seed in (1, 1, 2)
    )
    assert np.array_equal(one, again) and not np.allclose(one, other)
    start = ablation.start_encoder(cell, profile, 1)
    assert start.pooling == cell.pooling and not np.allclose(start.encode(sentence), one)


def test_the_concatenation_changes_the_outcome(profile):
    vectors = [
        ablation.train_cell(Cell(concatenation=name), profile, 1).encode(["the dog runs"])
        for name in ("(u, v)", "(|u-v|)")
    ]
    assert not np.allclose(*vectors)


@pytest.mark.parametrize(("objective", "column"), [("NLI", "label"), ("STSb", "score")])
def test_all_cells_of_an_objective_see_the_same_pairs(objective, column):
    profile = get_profile("mini")
    rows = ablation.training_pairs(objective, profile)
    assert len(rows) == ablation.PAIRS[objective]
    assert rows == ablation.training_pairs(objective, profile)
    mixed = ablation.training_pairs(objective, profile, shuffled=True)
    assert [r["sentence1"] for r in mixed] == [r["sentence1"] for r in rows]
    answers, before = [r[column] for r in mixed], [r[column] for r in rows]
    assert sorted(answers) == sorted(before) and answers != before


def test_profile_paper_keeps_its_own_settings():
    mini, full = get_profile("mini"), get_profile("paper")
    assert ablation.settings("NLI", mini, 3).epochs == ablation.EPOCHS["NLI"]
    assert ablation.settings("STSb", full, 3) == replace(full.sts, seed=3)
    assert ablation.settings("NLI", mini, 3).learning_rate == mini.train.learning_rate


@pytest.mark.parametrize(
    "wrong",
    [{"objective": "AFS"}, {"pooling": "last"}, {"concatenation": "(u)"}, {"start": "zero"}],
)
def test_a_wrong_dial_is_named(wrong):
    with pytest.raises(InputError, match=next(iter(wrong.values()))):
        Cell(**wrong)


# ---- reading the table


def papers_concatenations() -> dict[str, float]:
    table = paper.table(6)
    half = table[table["factor"] == "concatenation"]
    return dict(zip(half["choice"], half["NLI"], strict=True))


def test_presence_says_what_the_head_sees():
    assert ablation.presence("(u, v, u*v)") == {"u": True, "v": True, "|u-v|": False, "u*v": True}


def test_marginal_values_of_the_papers_table():
    scores = papers_concatenations()
    assert set(scores) == set(CONCATENATIONS)
    difference = ablation.marginal_values(scores, "|u-v|")
    assert difference["(u, v)", "(u, v, |u-v|)"] == pytest.approx(14.74)
    assert difference["(u, v, u*v)", "(u, v, |u-v|, u*v)"] == pytest.approx(3.00)
    assert difference["(u*v)", "(|u-v|, u*v)"] == pytest.approx(7.83)
    assert len(difference) == 3
    product = ablation.marginal_values(scores, "u*v")
    assert product["(u, v)", "(u, v, u*v)"] == pytest.approx(11.40)
    assert product["(u, v, |u-v|)", "(u, v, |u-v|, u*v)"] == pytest.approx(-0.34)
    assert len(ablation.marginal_values(scores, "u, v")) == 3


def test_marginal_values_need_two_rows_that_differ_in_the_part():
    with pytest.raises(InputError, match="no two rows"):
        ablation.marginal_values({"(u, v)": 1.0}, "u*v")
    with pytest.raises(InputError, match="unknown part"):
        ablation.marginal_values(papers_concatenations(), "w")


@pytest.mark.parametrize("name", CONCATENATIONS)
def test_only_heads_with_a_product_or_a_difference_see_an_interaction(name):
    import torch

    from sbert_lab.objectives import concatenate

    torch.manual_seed(0)
    a, b = torch.randn(2, 5, 4, dtype=torch.float64)
    head = torch.nn.Linear(4 * len(CONCATENATIONS[name]), 3).double()
    with torch.no_grad():
        found = ablation.interaction(lambda u, v: head(concatenate(u, v, name)), a, b)
    assert found.shape == (5, 3)
    assert torch.allclose(found, torch.zeros_like(found)) == (name == "(u, v)")


# ---- the table


def test_the_rows_cover_the_papers_table_and_the_floors():
    rows = table6.rows(get_profile("mini"))
    names = [row.name for row in rows]
    assert len(set(names)) == len(names)
    table = paper.table(6)
    for _, line in table.iterrows():
        if line["factor"] == "pooling":
            wanted = [table6.pooled(line["choice"], "NLI"), table6.pooled(line["choice"], "STSb")]
        else:
            wanted = [table6.concatenated(line["choice"])]
        assert set(wanted) <= set(names)
    assert {*table6.LSTM.values(), *table6.RAW.values()} <= set(names)
    floors = [row for row in rows if row.kind == "floor"]
    assert {row.seeds for row in floors} == {1} and len(floors) == 4
    assert all(row.note for row in rows)
    chosen = {row.name: row for row in rows}
    assert chosen["MEAN, NLI"].seeds == get_profile("mini").seeds
    assert chosen["MAX, STSb"].paper == "MAX" and chosen["(u*v)"].paper == "(u*v)"


def world(**better: float) -> Results:
    """Every row of the claims with noise 0.5, or with its own noise."""
    gold = np.random.default_rng(0).random(300)
    names = {n for parts in table6._claim_parts().values() for pair in parts.values() for n in pair}
    given = {name.replace("_", ", "): noise for name, noise in better.items()}
    names = sorted(filter(None, names))
    answers = {(n, SET): noisy(gold, given.get(n, 0.5), i, 2) for i, n in enumerate(names)}
    return make_results(6, answers, {SET: gold})


def test_a_worse_max_pooling_shows_in_the_claims():
    found = table6.claims(world(MAX_STSb=3.0, MAX_NLI=3.0), samples=200)
    assert paper.judge("C21", difference=found["C21"], profile="mini").holds is True
    assert (found["C20"]["MEAN - MAX, NLI"] > 0).mean() > 0.95
    assert (found["C26"]["SBERT MAX - SBERT MEAN"] < 0).mean() > 0.95


def test_claims_whose_rows_are_missing_are_left_out():
    gold = np.random.default_rng(0).random(50)
    rows = {f"{pooling}, STSb": noisy(gold, 0.1, i) for i, pooling in enumerate(ablation.POOLINGS)}
    only = make_results(6, {(row, SET): values for row, values in rows.items()}, {SET: gold})
    assert set(table6.claims(only, samples=10)) == {"C21"}
