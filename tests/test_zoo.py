import json
import multiprocessing
import os
import signal
import threading
import time
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from sbert_lab.encoder_folder import write_digests
from sbert_lab.errors import DataError, InputError
from sbert_lab.experiments import recipes, zoo
from sbert_lab.experiments.zoo.key import backbone_digest, corpus_digest, system_key
from sbert_lab.experiments.zoo.rows import rows_of
from sbert_lab.experiments.zoo.starts import word_encoder
from sbert_lab.files import locked, sha256
from sbert_lab.profiles import TrainConfig, get_profile
from sbert_lab.word_vectors import WordVectors

SHORT = TrainConfig(max_steps=2, batch_size=4, learning_rate=1e-3)
CORPORA = ("everyday_snli", "everyday_multinli", "stsb", "wiki_sections", "quora", "afs")
WITHOUT_BERT = (
    "infersent-nli infersent-nli-mean use-nli use-forum use-nli-forum dor-sections skip-thoughts"
)


QUORA = "id\tqid1\tqid2\tquestion1\tquestion2\tis_duplicate\n"
AFS = (
    "regression_label,datasetId_1,discussionId_1,postId_1,sentenceIndex_1,"
    "datasetId_2,discussionId_2,postId_2,sentenceIndex_2,sentence_1,sentence_2\n"
)


@pytest.fixture(scope="session")
def small_home(tmp_path_factory) -> Path:
    """A home whose mini corpora have a few rows each."""
    home = tmp_path_factory.mktemp("home")
    words = ["dog", "cat", "man", "bird"]
    pairs = [(f"the {words[i % 4]} runs", f"a {words[i % 3]} sleeps") for i in range(12)]
    labels = ("entailment", "neutral", "contradiction")
    nli = ""
    for i, (a, b) in enumerate(pairs):
        row = {"gold_label": labels[i % 3], "sentence1": a, "sentence2": b, "genre": "x"}
        nli += json.dumps(row) + "\n"
    stsb = "".join(f"g\tf\ty\t{i}\t{i % 6}\t{a}\t{b}\n" for i, (a, b) in enumerate(pairs))
    triplets = "".join(f"{a},{b},not the tree,T\n" for a, b in pairs)
    duplicates = "".join(f"{i}\t{i}\t{i}\t{a}\t{b}\t{i % 2}\n" for i, (a, b) in enumerate(pairs))
    numbers = ",".join(["1"] * 8)
    facets = "".join(f"{i % 6},{numbers},{a},{b}\n" for i, (a, b) in enumerate(pairs))
    article = " = Dog = \n = = Life = = \n" + "".join(f"{a}\n" for a, _ in pairs)
    contents = {
        "wiki_sections/train_articles.txt": article,
        "quora/quora_duplicate_questions.tsv": QUORA + duplicates,
        "afs/ArgPairs_dogs.csv": AFS + facets,
        "everyday_snli/snli_1.0_train.jsonl": nli,
        "everyday_multinli/multinli_1.0_train.jsonl": nli,
        "stsbenchmark/sts-train.csv": stsb,
        "stsbenchmark/sts-dev.csv": stsb.replace("runs", "sings"),
        "wiki_sections/train.csv": "Sentence1,Sentence2,Sentence3,Article\n" + triplets,
    }
    files = {}
    for name, content in contents.items():
        path = home / "data" / "mini" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(content)
        files[name] = {"sha256": sha256(path), "rows": 12}
    counts = {name: {"train": 12, "dev": 12, "all": 12} for name in CORPORA}
    manifest = {"files": files, "corpora": counts}
    (home / "data" / "mini" / "manifest.json").write_text(json.dumps(manifest))
    known = ["the", "a", "dog", "cat", "man", "bird", "runs", "sleeps", "not", "tree"]
    vectors = np.random.default_rng(0).normal(size=(len(known), 8))
    WordVectors(known, vectors).save(home / "data" / "models" / "word-vectors")
    return home


@pytest.fixture(autouse=True)
def own_runs(tmp_path, monkeypatch, small_home):
    monkeypatch.setenv("SBERT_LAB_HOME", str(small_home))
    monkeypatch.setenv("SBERT_LAB_RUNS", str(tmp_path / "runs"))
    monkeypatch.delenv("SBERT_LAB_PROFILE", raising=False)
    monkeypatch.delenv("SBERT_LAB_DATA", raising=False)
    return tmp_path / "runs"


@pytest.fixture
def profile(tiny_folders):
    models = {"backbone": str(tiny_folders["bert"]), "roberta": str(tiny_folders["roberta"])}
    return replace(
        get_profile("mini"), **models, train=SHORT, sts=SHORT, sections=SHORT, words=SHORT
    )


@pytest.fixture
def trainings(monkeypatch):
    """Every call of train(), by its number of rows."""
    calls, real = [], zoo.train

    def counted(task, rows, *arguments, **options):
        calls.append(len(rows))
        return real(task, rows, *arguments, **options)

    monkeypatch.setattr(zoo, "train", counted)
    return calls


def get(name, profile, **options):
    return zoo.get(name, profile=profile, show_progress=False, **options)


# ---- systems


def test_a_system_is_trained_once_and_opened_afterwards(profile, trainings, own_runs, encoder):
    first = get("sbert-stsb", profile)
    second = get("sbert-stsb", profile)
    assert len(trainings) == 1
    assert first is not second
    assert np.array_equal(first.encode(["the dog runs"]), second.encode(["the dog runs"]))
    assert not np.allclose(first.encode(["the dog runs"]), encoder.encode(["the dog runs"]))
    left = sorted(p.name for p in (own_runs / "zoo").iterdir() if p.is_dir())
    assert left == [zoo.folder_of("sbert-stsb", profile=profile).name]


def test_another_seed_is_another_system(profile, trainings):
    one, two = get("sbert-stsb", profile, seed=1), get("sbert-stsb", profile, seed=2)
    assert len(trainings) == 2
    assert not np.array_equal(one.encode(["the dog"]), two.encode(["the dog"]))


def test_a_system_may_start_from_another(profile, trainings):
    get("sbert-nli-stsb", profile)
    assert zoo.is_trained("sbert-nli", profile=profile)
    assert len(trainings) == 2
    get("sbert-nli", profile)
    assert len(trainings) == 2


def test_a_cross_encoder_scores_pairs(profile):
    scores = get("cross-stsb", profile).predict(["the dog"], ["the cat"])
    assert scores.shape == (1,)


def test_the_softmax_head_lies_beside_the_encoder_not_inside(profile):
    folder = zoo.folder_of("sbert-nli", profile=profile)
    get("sbert-nli", profile)
    assert (folder / "head.safetensors").is_file()
    assert not (folder / "model" / "head.safetensors").exists()


def test_a_system_tells_how_it_came_to_be(profile):
    with pytest.raises(InputError, match="not trained yet"):
        zoo.about("sbert-sections", profile=profile)
    get("sbert-sections", profile, seed=3)
    record = zoo.about("sbert-sections", seed=3, profile=profile)
    assert record["seed"] == record["settings"]["seed"] == 3
    assert record["data"]["text"].startswith("mini: ") and not record["data"]["partial"]
    assert record["history"]


def test_an_unknown_name_lists_the_names():
    with pytest.raises(InputError, match="unknown system 'sbert': choose cross-nli"):
        zoo.get("sbert")


def test_the_environment_chooses_the_profile(monkeypatch):
    def named(recipe, seed, profile, show_progress):
        raise RuntimeError(profile.name)

    monkeypatch.setattr(zoo, "_ready", named)
    monkeypatch.setenv("SBERT_LAB_PROFILE", "real")
    with pytest.raises(RuntimeError, match="real"):
        zoo.get("sbert-nli")


def test_a_new_system_can_be_registered(profile, monkeypatch):
    monkeypatch.setattr(recipes, "RECIPES", dict(recipes.RECIPES))
    settings = {"corpus": "stsb", "settings": "sts", "objective": "regression"}
    zoo.register(zoo.Recipe(name="sbert-cls-stsb", pooling="cls", **settings))
    assert get("sbert-cls-stsb", profile).pooling == "cls"
    with pytest.raises(InputError, match="has a 'sbert-cls-stsb' already"):
        zoo.register(zoo.Recipe(name="sbert-cls-stsb", pooling="max", **settings))


def test_a_system_may_bring_its_own_task(profile, monkeypatch):
    """The extension point for systems without a BERT in them."""
    import torch

    class Constant(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.weight = torch.nn.Parameter(torch.zeros(1))

        def collate(self, rows):
            return {"score": torch.tensor([row["score"] for row in rows])}

        def forward(self, batch):
            return ((self.weight - batch["score"]) ** 2).mean()

    def save(task, folder):
        folder.mkdir()
        (folder / "weight.json").write_text(json.dumps(task.weight.tolist()))

    def load(folder):
        return json.loads((folder / "weight.json").read_text())

    monkeypatch.setattr(recipes, "RECIPES", dict(recipes.RECIPES))
    own = zoo.Builder(lambda recipe, start, seed: Constant(), save, load, lambda system: None)
    monkeypatch.setitem(zoo.BUILDERS, "constant", own)
    new = {"corpus": "stsb", "settings": "sts", "start": None, "builder": "constant"}
    zoo.register(zoo.Recipe(name="constant", **new))
    assert get("constant", profile)[0] != 0


# ---- systems without a BERT in them, and floors


@pytest.mark.parametrize("name", WITHOUT_BERT.split())
def test_systems_without_a_bert_are_trained_and_opened(profile, trainings, name):
    first, second = get(name, profile), get(name, profile)
    assert len(trainings) == (2 if name == "use-nli-forum" else 1)
    assert np.array_equal(first.encode(["the dog runs"]), second.encode(["the dog runs"]))
    recipe = zoo.get_recipe(name)
    assert first.settings.network == recipe.network
    start = word_encoder(recipe, profile, 1)
    assert not np.allclose(start.encode(["the dog runs"]), first.encode(["the dog runs"]))


def test_infersents_head_sees_four_parts(profile):
    from safetensors.numpy import load_file

    encoder = get("infersent-nli", profile)
    head = zoo.folder_of("infersent-nli", profile=profile) / "head.safetensors"
    assert load_file(head)["weight"].shape == (3, 4 * encoder.dimension)


def test_questions_and_forum_rows_are_the_pairs_that_people_called_alike(profile):
    found = rows_of(zoo.get_recipe("use-forum"), profile)
    assert found.text == "6 duplicate questions (quora), 6 pairs of afs"
    assert set(found.rows[0]) == {"anchor", "positive"} and not found.partial


def test_neighbours_in_mini_are_the_lines_of_an_article_one_after_the_other(profile):
    pairs = rows_of(zoo.get_recipe("skip-thoughts"), profile).rows
    assert len(pairs) == 11
    following = [pair["anchor"] for pair in pairs[1:]]
    assert following == [pair["positive"] for pair in pairs[:-1]]


def test_shuffled_labels_are_the_same_labels_of_the_same_pairs(profile):
    recipe = zoo.get_recipe("sbert-nli-shuffled")
    mixed = rows_of(recipe, profile).rows
    plain = list(rows_of(replace(recipe, shuffled=False), profile).rows)
    assert [r["sentence1"] for r in mixed] == [r["sentence1"] for r in plain]
    labels, before = [r["label"] for r in mixed], [r["label"] for r in plain]
    assert sorted(labels) == sorted(before) and labels != before
    assert labels == [r["label"] for r in rows_of(recipe, profile).rows]
    with pytest.raises(InputError, match="column to shuffle"):
        rows_of(replace(zoo.get_recipe("sbert-sections"), shuffled=True), profile)


def test_floors_are_trained(profile):
    floors = [get(name, profile) for name in ("sbert-nli-shuffled", "sbert-nli-random")]
    vectors = [e.encode(["the dog runs"]) for e in [*floors, get("sbert-nli", profile)]]
    assert not any(np.allclose(a, b) for a, b in zip(vectors, vectors[1:], strict=False))


def test_a_random_encoder_has_the_backbones_shape_and_nothing_of_its_weights(profile, encoder):
    one, again, other = (zoo.random_encoder(profile, seed) for seed in (1, 1, 2))
    assert one.dimension == encoder.dimension
    assert one.tokenize(["the dog"]) == encoder.tokenize(["the dog"])
    assert np.array_equal(one.encode(["the dog"]), again.encode(["the dog"]))
    assert not np.allclose(one.encode(["the dog"]), other.encode(["the dog"]))
    pretrained = encoder.backbone.state_dict()
    for name, weight in one.backbone.state_dict().items():
        if weight.is_floating_point() and weight.ndim == 2:
            assert not np.allclose(weight, pretrained[name]), name
    assert zoo.random_encoder(profile, 1, pooling="max").pooling == "max"


def write_articles(folder: Path) -> None:
    (folder / "wikitext2").mkdir(parents=True)
    text = ""
    for title in ("Dog", "Cat"):
        text += f" = {title} = \n \n A lead that says what it is . \n \n"
        for section in ("Home", "Food"):
            text += f" = = {section} = = \n \n"
            text += "".join(f" The {title} has {section} number {i} here . " for i in range(3))
            text = text.replace("  ", " ") + "\n \n"
    (folder / "wikitext2" / "wiki.train.raw").write_text(text)


def test_profile_real_builds_sections_and_neighbours_from_articles(profile, tmp_path, monkeypatch):
    write_articles(tmp_path / "copy")
    monkeypatch.setenv("SBERT_LAB_DATA", str(tmp_path / "copy"))
    changed = ("name", "own_data", "partial", "built_sections", "arguments")
    real = replace(profile, **{name: getattr(get_profile("real"), name) for name in changed})
    recipe = zoo.get_recipe("dor-sections")
    triplets = rows_of(recipe, real)
    assert len(triplets.rows) == 12 and "WikiText-2" in triplets.text and triplets.partial
    pairs = rows_of(zoo.get_recipe("skip-thoughts"), real).rows
    numbers = {(p["anchor"].split()[5], p["positive"].split()[5]) for p in pairs}
    assert len(pairs) == 8 and numbers == {("0", "1"), ("1", "2")}
    before = system_key(recipe, 1, real)
    with open(tmp_path / "copy/wikitext2/wiki.train.raw", "a") as file:
        file.write(" = Bird = \n")
    assert system_key(recipe, 1, real) != before != system_key(recipe, 1, profile)


def test_other_word_vectors_make_another_system(profile, small_home):
    recipe = zoo.get_recipe("use-nli")
    before = system_key(recipe, 1, profile)
    path = small_home / "data/models/word-vectors/sbert_lab.json"
    kept = path.read_text()
    path.write_text(json.dumps({"sha256": {"words.txt": "0"}}))
    try:
        assert system_key(recipe, 1, profile) != before
    finally:
        path.write_text(kept)


# ---- failures


def test_a_training_that_fails_leaves_no_system_and_frees_the_lock(profile, monkeypatch):
    def broken(*_, **__):
        raise RuntimeError("power cut")

    with monkeypatch.context() as patch:
        patch.setattr(zoo, "train", broken)
        with pytest.raises(RuntimeError, match="power cut"):
            get("sbert-stsb", profile)
    assert not zoo.is_trained("sbert-stsb", profile=profile)
    assert get("sbert-stsb", profile).encode(["dog"]).shape == (1, 32)


def test_under_torchrun_only_the_first_process_asks(profile, monkeypatch):
    monkeypatch.setenv("WORLD_SIZE", "2")
    with pytest.raises(InputError, match="the first process asks the zoo.*one_leads"):
        get("sbert-stsb", profile)


def write_partial_copy(folder: Path) -> None:
    (folder / "stsbenchmark").mkdir(parents=True)
    lines = [f"main\tfile\t2012\t{i}\t{i % 6}\tthe dog {i}\ta cat {i}\n" for i in range(12)]
    (folder / "stsbenchmark" / "sts-train.csv").write_text("".join(lines))


def test_partial_data_is_allowed_in_profile_real_and_said(profile, tmp_path, monkeypatch, capsys):
    write_partial_copy(tmp_path / "copy")
    monkeypatch.setenv("SBERT_LAB_DATA", str(tmp_path / "copy"))
    real = replace(profile, name="real", own_data=False, partial=True)
    for _ in range(2):
        get("sbert-stsb", real)
        assert "profile real: trained on stsb, partial: 12 of 5,749" in capsys.readouterr().out


def test_the_paper_profile_wants_all_the_data(profile, tmp_path, monkeypatch):
    write_partial_copy(tmp_path / "copy")
    monkeypatch.setenv("SBERT_LAB_DATA", str(tmp_path / "copy"))
    with pytest.raises(DataError, match="12 rows"):
        get("sbert-stsb", replace(profile, name="paper"))


# ---- the key


def test_the_key_changes_with_all_that_changes_the_outcome(profile, tiny_folders):
    recipe = zoo.get_recipe("sbert-stsb")
    first = system_key(recipe, 1, profile)
    assert first == system_key(recipe, 1, profile)
    others = [
        system_key(recipe, 2, profile),
        system_key(replace(recipe, version=2), 1, profile),
        system_key(replace(recipe, pooling="max"), 1, profile),
        system_key(recipe, 1, replace(profile, sts=replace(SHORT, learning_rate=2e-3))),
        system_key(recipe, 1, replace(profile, backbone=str(tiny_folders["roberta"]))),
        system_key(recipe, 1, replace(profile, max_length=16)),
        system_key(replace(recipe, split="dev"), 1, profile),
        system_key(replace(recipe, shuffled=True), 1, profile),
    ]
    assert len({first, *others}) == len(others) + 1
    after, longer = zoo.get_recipe("sbert-nli-stsb"), replace(SHORT, epochs=2)
    assert system_key(after, 1, profile) != system_key(after, 1, replace(profile, train=longer))


def test_the_key_does_not_change_with_what_does_not(profile):
    recipe = zoo.get_recipe("sbert-stsb")
    often = replace(profile, sts=replace(SHORT, checkpoint_every=7))
    assert system_key(recipe, 1, profile) == system_key(recipe, 1, often)
    elsewhere = replace(profile, train=replace(SHORT, epochs=9), seeds=9)
    assert system_key(recipe, 1, profile) == system_key(recipe, 1, elsewhere)


def test_changed_local_data_is_other_data(tmp_path, monkeypatch):
    write_partial_copy(tmp_path / "copy")
    monkeypatch.setenv("SBERT_LAB_DATA", str(tmp_path / "copy"))
    before = corpus_digest("stsb", "train", "real")
    with open(tmp_path / "copy/stsbenchmark/sts-train.csv", "a") as file:
        file.write("main\tfile\t2012\t99\t1\tthe dog\ta cat\n")
    assert corpus_digest("stsb", "train", "real") != before
    assert corpus_digest("stsb", "train", "mini") != before


def test_a_saved_folder_and_a_pinned_hub_id_have_digests(encoder, tmp_path):
    folder = encoder.save(tmp_path / "saved")
    assert backbone_digest(str(folder)) == backbone_digest(str(encoder.save(tmp_path / "again")))
    pinned = "google-bert/bert-base-uncased@" + "0" * 40
    assert backbone_digest(pinned) == pinned


def test_a_card_that_is_worded_anew_trains_nothing_anew(encoder, tmp_path):
    folder = encoder.save(tmp_path / "saved")
    before = backbone_digest(str(folder))
    for name, another in (("README.md", False), ("notes.txt", True)):
        (folder / name).write_text("anew", encoding="utf-8")
        (folder / "sbert_lab.json").unlink()
        write_digests(folder)
        assert (backbone_digest(str(folder)) != before) is another


def test_everybody_trains_on_the_same_part_of_nli(profile):
    recipes = [zoo.get_recipe(name) for name in ("sbert-nli", "cross-nli", "infersent-nli")]
    whole, few = (replace(profile, nli_pairs=most) for most in (None, 3))
    chosen = [list(zoo.rows_of(recipe, few).rows) for recipe in recipes]
    assert len(chosen[0]) == 3 and chosen[0] == chosen[1] == chosen[2]
    assert zoo.rows_of(recipes[0], few).text.endswith("3 of them used")
    assert len({system_key(recipes[0], 1, one) for one in (whole, few)}) == 2


# ---- the lock


def count_up(path: str, times: int) -> None:
    """Read, pause, write: two at once would lose counts."""
    for _ in range(times):
        with locked(path + ".lock"):
            value = int(Path(path).read_text())
            time.sleep(0.002)
            Path(path).write_text(str(value + 1))


def die_inside(path: str) -> None:
    with locked(path):
        os.kill(os.getpid(), signal.SIGKILL)


def in_processes(work, arguments: tuple, *, count: int) -> None:
    context = multiprocessing.get_context("fork")
    workers = [context.Process(target=work, args=arguments) for _ in range(count)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join(timeout=60)


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_only_one_process_at_a_time(tmp_path):
    counter = tmp_path / "counter"
    counter.write_text("0")
    in_processes(count_up, (str(counter), 10), count=3)
    assert counter.read_text() == "30"


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_a_lock_left_by_a_dead_process_is_no_obstacle(tmp_path, capsys):
    in_processes(die_inside, (str(tmp_path / "x"),), count=1)
    assert (tmp_path / "x").exists()
    with locked(tmp_path / "x", waiting="waiting"):
        assert capsys.readouterr().out == ""


def test_two_notebooks_at_once_train_once(profile, trainings, capsys):
    found = []
    threads = [
        threading.Thread(target=lambda: found.append(get("sbert-stsb", profile))) for _ in range(2)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(timeout=120)
    assert len(trainings) == 1 and len(found) == 2
    assert capsys.readouterr().out.count("another process is training it") <= 1
