"""MiniLM in the tables of profile real: as it is, and as a second backbone."""

from dataclasses import replace

import pytest

from sbert_lab import data
from sbert_lab.experiments import minilm, table2, zoo
from sbert_lab.profiles import PROFILES, get_profile


@pytest.fixture
def folder(monkeypatch, tmp_path):
    monkeypatch.setattr(data, "minilm_folder", lambda: tmp_path)
    return tmp_path


def test_as_a_backbone_it_changes_the_model_and_its_settings_and_nothing_else(folder):
    real = get_profile("real")
    changed = minilm.as_backbone(real)
    assert changed.backbone == str(folder)
    assert changed.sts == PROFILES["paper"].sts and changed.train == PROFILES["paper"].train
    assert replace(changed, backbone=real.backbone, sts=real.sts, train=real.train) == real


def test_its_rows_ask_the_zoo_for_the_same_systems_with_another_backbone(folder, monkeypatch):
    asked = {}

    def get(name, *, seed, profile, show_progress):
        asked[name] = profile.backbone
        raise LookupError

    monkeypatch.setattr(zoo, "get", get)
    rows = [row for row in table2.rows(get_profile("real")) if row.name.endswith(", MiniLM")]
    assert [row.kind for row in rows] == ["extra", "extra"]
    for row in rows:
        with pytest.raises(LookupError):
            row.run(1)
    assert asked == {"sbert-stsb": str(folder), "cross-stsb": str(folder)}


@pytest.mark.parametrize("profile", ["mini", "paper"])
def test_other_profiles_have_no_such_rows(profile):
    assert not [r.name for r in table2.rows(get_profile(profile)) if "MiniLM" in r.name]
