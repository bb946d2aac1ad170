"""Table 4: its rows, its data in both profiles, its floors, and the rule of C16."""

import numpy as np
import pytest
from conftest import make_results, verdicts

from sbert_lab.experiments import table4
from sbert_lab.experiments.evaluation import sections
from sbert_lab.experiments.paper.claims import HOLDS
from sbert_lab.profiles import get_profile

MINI, REAL = get_profile("mini"), get_profile("real")
CLAIMED = ("SBERT-WikiSec", "Dor et al.", "averaged word vectors", "skip-thoughts")


def recorded(*accuracies, items=400, articles=20):
    """The four rows of C16, three seeds each: right as often as is said."""
    rng = np.random.default_rng(0)
    shares = zip(CLAIMED, accuracies, strict=True)
    hits = {(row, "hits"): (rng.random((3, items)) < share) * 1.0 for row, share in shares}
    return make_results(4, hits, {"article": np.repeat(np.arange(articles), items // articles)})


# ---- rows


@pytest.fixture
def few(monkeypatch):
    """Eight test triplets, and a dozen to train on."""
    sizes = {"train": 12, "test": 8}
    whole = table4.triplets
    monkeypatch.setattr(table4, "triplets", lambda p, split: whole(p, split)[: sizes[split]])


def run(name):
    return next(row for row in table4.rows(MINI) if row.name == name).run(1)


def test_cues_and_the_constant_give_hits_and_ties_per_triplet(few):
    for name in (*sections.CUES, "constant vector", "tf-idf", "averaged word vectors"):
        outcome = run(name)
        hits, ties = outcome.predictions["hits"], outcome.predictions["ties"]
        assert hits.shape == ties.shape == (8,)
        assert not (hits * ties).any()
        assert outcome.scores["accuracy"] == pytest.approx(100 * hits.mean())
        assert outcome.scores["with a coin"] == pytest.approx(100 * (hits + ties / 2).mean())
    assert run("constant vector").scores == {"accuracy": 0, "ties": 100, "with a coin": 50}


def test_blocks_change_no_answer(few, monkeypatch):
    whole = run("averaged word vectors").predictions["hits"]
    monkeypatch.setattr(table4, "BLOCK", 3)
    assert run("averaged word vectors").predictions["hits"].tolist() == whole.tolist()


@pytest.mark.slow
def test_networks_floors_and_the_leaky_split_run_on_a_few_triplets(few):
    for name in ("raw BERT MEAN", "random weights, untrained", "SBERT-WikiSec, shuffled roles"):
        assert run(name).predictions["hits"].shape == (8,)
    leaky = run(table4.LEAKY)
    assert set(leaky.scores) == {"leaky", "leaky, raw"}
    assert "sentences" in leaky.info["leak"]


# ---- data


def test_mini_shares_no_article_and_no_sentence_between_training_and_test():
    counted = sections.leak(table4.triplets(MINI, "train"), table4.triplets(MINI, "test"))
    assert counted.seen_articles == counted.seen_sentences == 0
    assert counted.triplets == 500


def write_articles(folder, *, sentence):
    """Three little WikiText files; `sentence` stands in training and in valid articles."""
    folder.mkdir()
    for part in ("train", "valid", "test"):
        lines = []
        for town in range(3):
            lines.append(f" = {part} town {town} = ")
            for title in ("river", "school"):
                facts = [f"The {title} of {part} {town} has fact {n} ." for n in range(4)]
                extra = [] if part == "test" else [sentence]
                lines += [f" = = {title} = = ", " " + " ".join(facts + extra)]
        (folder / f"wiki.{part}.raw").write_text("\n".join(lines), encoding="utf-8")


def test_real_builds_triplets_from_wikitext_and_drops_sentences_seen_in_training(
    tmp_path, monkeypatch
):
    repeated = "Names that were not given are grey ."
    write_articles(tmp_path / "wikitext2", sentence=repeated)
    monkeypatch.setenv("SBERT_LAB_DATA", str(tmp_path))
    train, test = (table4.triplets(REAL, split) for split in ("train", "test"))
    assert {row["article"].split()[0] for row in train} == {"train"}
    assert {row["article"].split()[0] for row in test} == {"valid", "test"}
    assert any(repeated in row.values() for row in train)
    assert sections.leak(train, test).seen_sentences == 0
    assert "WikiText-2" in table4.data_seen(REAL)


def test_gold_numbers_the_article_of_each_test_triplet():
    numbers = table4.gold(MINI)["article"]
    names = [row["article"] for row in table4.triplets(MINI, "test")]
    assert len(numbers) == len(names)
    assert len(set(zip(numbers, names, strict=True))) == len(set(names)) == len(set(numbers))


def test_swapped_roles_keep_every_sentence_and_turn_about_half():
    rows = table4.triplets(MINI, "train")
    swapped = table4.swap_roles(rows, 1)
    assert swapped == table4.swap_roles(rows, 1) != table4.swap_roles(rows, 2)
    turned = 0
    for old, new in zip(rows, swapped, strict=True):
        assert {old["positive"], old["negative"]} == {new["positive"], new["negative"]}
        assert old["anchor"] == new["anchor"]
        turned += old["positive"] != new["positive"]
    assert 0.45 < turned / len(rows) < 0.55


# ---- C16


def test_the_claim_holds_in_the_papers_world():
    assert verdicts(table4.claims(recorded(0.80, 0.70, 0.60, 0.50))) == {"C16": HOLDS}


def test_each_part_subtracts_the_second_system_from_the_first():
    parts = table4.claims(recorded(0.9, 0.5, 0.7, 0.6))["C16"]
    assert parts["SBERT - BiLSTM"].mean() > 30
    assert parts["BiLSTM - averaged word vectors"].mean() < -10
    assert parts["averaged word vectors - skip-thoughts"].mean() > 3


def test_differences_can_be_drawn_by_whole_articles():
    table = recorded(0.80, 0.70, 0.60, 0.50)
    plain, whole = (table4.differences(table, by_article=flag) for flag in (False, True))
    for part in plain:
        assert whole[part].mean() == pytest.approx(plain[part].mean(), abs=1)
        assert not np.array_equal(whole[part], plain[part])
