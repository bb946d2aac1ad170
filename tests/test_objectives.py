import csv
from pathlib import Path

import pytest
import torch
from torch import nn

from sbert_lab.errors import InputError
from sbert_lab.objectives import (
    CONCATENATIONS,
    classification_loss,
    concatenate,
    in_batch_negatives_loss,
    regression_loss,
    triplet_loss,
    triplet_losses,
)

torch.manual_seed(0)
U, V, W = torch.randn(6, 4), torch.randn(6, 4), torch.randn(6, 4)


def test_the_seven_concatenations_are_those_of_table_6():
    table = Path(__file__).parent.parent / "data/paper/table6_ablation.csv"
    with open(table, encoding="utf-8") as lines:
        named = {row["choice"] for row in csv.DictReader(lines) if row["factor"] == "concatenation"}
    assert named == set(CONCATENATIONS)


@pytest.mark.parametrize("name", CONCATENATIONS)
def test_a_concatenation_is_built_from_its_parts(name):
    parts = {"u": U, "v": V, "|u-v|": torch.abs(U - V), "u*v": torch.mul(U, V)}
    expected = torch.hstack([parts[p.strip()] for p in name.strip("()").split(",")])
    torch.testing.assert_close(concatenate(U, V, name), expected)


def test_only_the_symmetric_concatenations_ignore_the_order():
    for name in CONCATENATIONS:
        same = torch.equal(concatenate(U, V, name), concatenate(V, U, name))
        assert same == ("u, v" not in name), name


def test_classification_equals_log_softmax_by_hand():
    logits, labels = torch.randn(6, 3), torch.tensor([0, 1, 2, 0, 1, 2])
    by_hand = -torch.log(logits.exp() / logits.exp().sum(1, keepdim=True))[range(6), labels].mean()
    torch.testing.assert_close(classification_loss(logits, labels), by_hand)


def test_regression_equals_cosine_and_squared_error_of_torch():
    scores = torch.rand(6)
    cosines = nn.CosineSimilarity(dim=1)(U, V)
    torch.testing.assert_close(regression_loss(U, V, scores), nn.MSELoss()(cosines, scores))


def test_regression_is_symmetric_in_u_and_v():
    torch.testing.assert_close(
        regression_loss(U, V, torch.ones(6)), regression_loss(V, U, torch.ones(6))
    )


def test_triplet_equals_torchs_own_with_margin_one():
    torch.testing.assert_close(triplet_loss(U, V, W), nn.TripletMarginLoss(margin=1.0)(U, V, W))


def test_a_triplet_computed_by_hand():
    anchor, positive, negative = (
        torch.zeros(1, 2),
        torch.tensor([[3.0, 4.0]]),
        torch.tensor([[0.0, 2.0]]),
    )
    assert triplet_losses(anchor, positive, negative).item() == pytest.approx(5 - 2 + 1, abs=1e-4)
    assert triplet_losses(anchor, negative, positive).item() == 0.0


def test_in_batch_negatives_equal_a_loop():
    cosines = nn.functional.cosine_similarity(U[:, None], V[None], dim=-1) * 20
    by_hand = torch.stack([-cosines[i].log_softmax(0)[i] for i in range(6)]).mean()
    torch.testing.assert_close(in_batch_negatives_loss(U, V), by_hand)


def test_an_unknown_concatenation_lists_the_choices():
    with pytest.raises(InputError, match=r"unknown concatenation '\(u\)': choose \(u\*v\)"):
        concatenate(U, V, "(u)")
