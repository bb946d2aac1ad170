"""Table 7: one measurement shared by all rows, exact token counts, claims by their rules."""

import numpy as np
import pytest
from conftest import make_results

from sbert_lab.experiments import table7
from sbert_lab.profiles import get_profile

MINI = get_profile("mini")


@pytest.fixture(scope="module")
def outcomes():
    sentences = table7.stsb_sentences(MINI)[:40]
    return table7.measure_all(MINI, 1, sentences, rounds=2)


def test_the_rows_are_the_measured_systems_and_one_is_a_floor(outcomes):
    rows = table7.rows(MINI)
    assert [row.name for row in rows if row.name in outcomes] == [row.name for row in rows]
    assert [row.name for row in rows if row.kind == "floor"] == [table7.RANDOM]
    assert len({row.seeds for row in rows}) == 1


def test_all_rows_of_a_seed_share_one_measurement(monkeypatch, outcomes):
    calls = []

    def fake(profile, seed, sentences):
        calls.append(seed)
        return outcomes

    monkeypatch.setattr(table7, "measure_all", fake)
    table7.measurement.cache_clear()
    for seed in (1, 2):
        for row in table7.rows(MINI):
            assert row.run(seed) is outcomes[row.name]
    assert calls == [1, 2]
    table7.measurement.cache_clear()


def test_every_outcome_has_a_rate_its_rounds_and_its_tokens(outcomes):
    for name, one in outcomes.items():
        rates = one.predictions["CPU rounds"]
        assert rates.shape == (2,) and (rates > 0).all(), name
        assert one.scores["CPU"] == pytest.approx(np.median(rates))
        assert one.scores["computed tokens"] >= one.scores["real tokens"] > 0


def test_the_token_counts_fall_step_by_step(outcomes):
    steps = (table7.FIXED, table7.GIVEN, table7.SMART)
    computed = [outcomes[name].scores["computed tokens"] for name in steps]
    assert computed[0] == 128 * 40
    assert computed[0] > computed[1] > computed[2]
    assert len({outcomes[name].scores["real tokens"] for name in steps}) == 1


def test_all_sbert_rows_give_the_same_vectors():
    sentences = table7.stsb_sentences(MINI)[:12]
    systems = table7.build_systems(MINI, "cpu", sentences, 1)
    expected = systems[table7.BUDGET].encode(sentences)
    same = [table7.FIXED, table7.GIVEN, table7.SMART]
    same += [table7.OTHERS] if table7.OTHERS in systems else []
    for name in same:
        np.testing.assert_allclose(systems[name].encode(sentences), expected, atol=1e-5)
    assert not np.allclose(systems[table7.RANDOM].encode(sentences), expected, atol=1e-2)


def test_the_sentences_are_different_and_in_file_order():
    from sbert_lab import data

    sentences = table7.stsb_sentences(MINI)
    first = data.load("stsb", "all", profile=MINI)[0]
    assert sentences[:2] == [first["sentence1"], first["sentence2"]]
    assert len(sentences) == len(set(sentences))
    assert f"{len(sentences):,} sentences" in table7.data_seen(MINI)


# ---- claims


def judged(rates, gpu=()):
    """The claims about times of a table with these rates (one seed)."""
    scores = {(name, "CPU"): rate for name, rate in rates.items()}
    scores |= {(name, "GPU"): rate for name, rate in dict(gpu).items()}
    return table7.time_claims(make_results(7, {}, scores=scores))


PAPER = {table7.WORDS: 6469, table7.INFERSENT: 137, table7.USE: 67, table7.GIVEN: 44}
PAPER |= {table7.SMART: 83}
GPU = {table7.WORDS: 9000, table7.INFERSENT: 1876, table7.USE: 1318, table7.GIVEN: 1378}
GPU |= {table7.SMART: 2042}


def test_the_papers_own_numbers_make_both_claims_hold():
    found = judged(PAPER)
    assert found["C23"][0] is True and found["C24"][0] is True
    assert "+89 %" in found["C23"][1]
    assert all("GPU half not measurable here" in note for _, note in found.values())


def test_with_a_gpu_both_devices_must_gain():
    assert judged(PAPER, GPU)["C23"][0] is True
    slower = GPU | {table7.SMART: 1000}
    holds, note = judged(PAPER, slower)["C23"]
    assert holds is False and "GPU 1,378 to 1,000" in note


@pytest.mark.parametrize(
    ("change", "claim"),
    [
        ({table7.SMART: 44}, "C23"),
        ({table7.SMART: 140}, "C24"),
        ({table7.INFERSENT: 7000}, "C24"),
        ({table7.USE: 7000}, "C24"),
    ],
)
def test_each_claim_can_fail(change, claim):
    assert judged(PAPER | change)[claim][0] is False


def test_a_claim_without_its_rows_is_left_out():
    one = {table7.WORDS: 10.0, table7.SMART: 5.0}
    assert judged(one) == {}
