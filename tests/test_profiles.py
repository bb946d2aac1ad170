from dataclasses import FrozenInstanceError, replace

import pytest

from sbert_lab import data
from sbert_lab.errors import InputError
from sbert_lab.experiments import lines
from sbert_lab.experiments.evaluation import ablation
from sbert_lab.experiments.recipes import get_recipe
from sbert_lab.experiments.zoo.rows import nli_pairs, rows_of
from sbert_lab.profiles import PROFILES, TrainConfig, get_profile, lesson


def test_the_default_profile_is_mini(monkeypatch):
    monkeypatch.delenv("SBERT_LAB_PROFILE", raising=False)
    assert get_profile().name == "mini"


def test_the_environment_chooses_the_profile(monkeypatch):
    monkeypatch.setenv("SBERT_LAB_PROFILE", "paper")
    assert get_profile().name == "paper"


def test_an_unknown_profile_lists_the_choices():
    with pytest.raises(InputError, match="unknown profile 'big': choose mini, paper or real"):
        get_profile("big")


def test_a_misspelt_field_lists_the_fields():
    with pytest.raises(InputError, match="no field 'epoch': choose .*epochs.*seed"):
        replace(TrainConfig(), epoch=3)


def test_settings_cannot_be_changed_in_place():
    with pytest.raises(FrozenInstanceError):
        TrainConfig().epochs = 2


@pytest.mark.parametrize(
    "wrong",
    [
        {"epochs": 0},
        {"batch_size": -1},
        {"learning_rate": float("nan")},
        {"head_times": 0},
        {"head_times": "ten"},
        {"warmup_share": 1.0},
        {"schedule": "lineal"},
        {"precision": "fp8"},
        {"max_steps": 0},
    ],
)
def test_impossible_settings_are_refused(wrong):
    with pytest.raises(InputError):
        TrainConfig(**wrong)


def test_the_paper_profile_has_the_papers_settings():
    train = PROFILES["paper"].train
    assert (train.epochs, train.batch_size, train.learning_rate) == (1, 16, 2e-5)
    assert train.warmup_share == 0.1
    assert PROFILES["paper"].sts.epochs == 4
    assert PROFILES["paper"].seeds == PROFILES["paper"].folds == 10


def test_one_setting_names_another_backbone_for_profile_real(monkeypatch):
    monkeypatch.setenv("SBERT_LAB_BACKBONE", "owner/small-bert@" + 40 * "0")
    assert get_profile("real").backbone == "owner/small-bert@" + 40 * "0"
    assert get_profile("mini").backbone == "mini-bert"  # nothing else is committed for mini
    assert get_profile("paper").backbone == PROFILES["paper"].backbone


def test_the_lesson_has_the_studied_backbone_and_its_rates():
    mini, real = get_profile("mini"), get_profile("real")
    assert lesson(mini).backbone == real.backbone and lesson(mini).train == real.train
    assert lesson(real) is real


def test_whatever_trains_on_nli_takes_the_profiles_corpus():
    mini, real = get_profile("mini"), get_profile("real")
    assert (mini.nli, real.nli) == ("everyday", "nli")
    pairs = nli_pairs(mini)
    recipe = rows_of(get_recipe("sbert-nli"), mini)
    assert len(pairs) == mini.nli_pairs == len(recipe.rows)
    assert pairs[:50] == recipe.rows[:50]
    few = {row["sentence1"] for row in ablation.training_pairs("NLI", mini)}
    assert few <= set(data.load("everyday", "train", profile=mini)["sentence1"])
    assert "everyday train" in lines.data_seen(mini, [("nli", "train")])
