"""Search in blocks, indexes, clusters and re-ranking."""

import tracemalloc

import numpy as np
import pytest
import torch
from sentence_transformers import util
from sklearn.cluster import AgglomerativeClustering

from sbert_lab import search
from sbert_lab.errors import CheckpointError, InputError
from sbert_lab.experiments.evaluation import indexes
from sbert_lab.search import VectorIndex, best_pairs, communities, purity, top_k
from sbert_lab.search.index import recall_of


def random_vectors(count: int, width: int = 16, seed: int = 0) -> np.ndarray:
    return np.random.default_rng(seed).normal(size=(count, width)).astype(np.float32)


def grouped_vectors(groups: int = 20, each: int = 15, spread: float = 0.5) -> np.ndarray:
    centres = random_vectors(groups)
    return np.repeat(centres, each, axis=0) + spread * random_vectors(groups * each, seed=1)


def names(count: int) -> list[str]:
    return [f"sentence {number}" for number in range(count)]


# ---- top k


@pytest.mark.parametrize("block", [1, 7, 64, 1000])
def test_top_k_equals_semantic_search_whatever_the_block(block):
    queries, vectors = random_vectors(23, seed=1), random_vectors(200)
    scores, rows = top_k(queries, vectors, k=5, block=block)
    found = util.semantic_search(torch.from_numpy(queries), torch.from_numpy(vectors), top_k=5)
    assert rows.tolist() == [[hit["corpus_id"] for hit in one] for one in found]
    assert scores == pytest.approx(np.array([[h["score"] for h in one] for one in found]), abs=1e-6)


@pytest.mark.parametrize("block", [7, 50, 300])
def test_no_row_finds_itself_when_the_queries_are_the_vectors(block):
    vectors = random_vectors(120)
    scores, rows = top_k(vectors, vectors, k=4, block=block, skip_self=True)
    assert not (rows == np.arange(120)[:, None]).any()
    with_self = top_k(vectors, vectors, k=5)[1]
    assert (with_self[:, 0] == np.arange(120)).all()
    assert (rows == with_self[:, 1:]).all()


def test_fewer_vectors_than_k_give_fewer_columns_and_a_zero_vector_is_like_nothing():
    vectors = np.vstack([random_vectors(3), np.zeros((1, 16), np.float32)])
    scores, rows = top_k(vectors[:1], vectors, k=10)
    assert rows.shape == (1, 4)
    assert scores[0][rows[0] == 3] == 0


def test_a_memory_mapped_file_is_searched_without_being_read_whole(tmp_path):
    count, width = 40_000, 64
    np.save(tmp_path / "v.npy", random_vectors(count, width))
    mapped = np.load(tmp_path / "v.npy", mmap_mode="r")
    tracemalloc.start()
    try:
        _, rows = top_k(np.array(mapped[:8]), mapped, k=3, block=1000)
        assert tracemalloc.get_traced_memory()[1] < mapped.nbytes / 4
    finally:
        tracemalloc.stop()
    assert rows[:, 0].tolist() == list(range(8))


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda v: top_k(v, v, k=0), "k must be at least 1, got 0"),
        (lambda v: top_k(v[:, :8], v), "queries have 8 numbers each, the vectors 16"),
        (lambda v: top_k(v[:3], v, skip_self=True), "got 3 and 30 rows"),
        (lambda v: top_k(v, v[:0]), "with N > 0"),
        (lambda v: search.kmeans(v[:, :0], number=2), "H > 0"),
        (lambda v: top_k(v[0], v), r"shape \(N, H\)"),
        (lambda v: top_k(v, v, block=0), "block must be at least 1"),
        (lambda v: best_pairs(v[:1]), "a pair needs two vectors"),
        (lambda v: best_pairs(v, limit=0), "limit and per_sentence must be at least 1"),
        (lambda v: best_pairs(np.where(np.arange(30)[:, None] == 17, np.nan, v), block=8),
         "vector 17 holds NaN"),
    ],
)  # fmt: skip
def test_unusable_input_is_named(call, message):
    with pytest.raises(InputError, match=message):
        call(random_vectors(30))


# ---- best pairs


@pytest.mark.parametrize("block", [3, 17, 64, 500])
@pytest.mark.parametrize(
    ("per_sentence", "limit"), [(100, 60), (2, 10_000), (1, 25), (200, 10_000)]
)
def test_best_pairs_are_those_of_paraphrase_mining(block, per_sentence, limit):
    vectors = random_vectors(101)
    mined = util.paraphrase_mining_embeddings(
        torch.from_numpy(vectors), top_k=per_sentence, max_pairs=limit
    )
    found = best_pairs(vectors, per_sentence=per_sentence, limit=limit, block=block)
    assert [(i, j) for _, i, j in found] == [(i, j) for _, i, j in mined]
    assert [s for s, *_ in found] == pytest.approx([s for s, *_ in mined], abs=1e-6)


@pytest.mark.parametrize(("block", "tile"), [(3, 512), (40, 16), (500, 512), (500, 7)])
def test_without_a_limit_per_sentence_all_pairs_compete(block, tile, monkeypatch):
    monkeypatch.setattr("sbert_lab.search.blocks.TILE", tile)
    vectors = random_vectors(101)
    found = best_pairs(vectors, limit=10**6, block=block)
    assert len(found) == 101 * 100 // 2 == len({(i, j) for _, i, j in found})
    assert all(i < j for _, i, j in found)
    assert best_pairs(vectors, limit=70, block=block) == [
        (pytest.approx(score, abs=1e-6), i, j) for score, i, j in found[:70]
    ]
    above = best_pairs(vectors, limit=10**6, minimum=0.5, block=block)
    assert [(i, j) for _, i, j in above] == [(i, j) for s, i, j in found if s >= 0.5]
    mined = util.paraphrase_mining_embeddings(torch.from_numpy(vectors), top_k=100, max_pairs=70)
    assert {(i, j) for _, i, j in found[:70]} == {(i, j) for _, i, j in mined}


@pytest.mark.parametrize(("block", "tile"), [(10, 512), (50, 10)])
def test_only_the_upper_triangle_is_computed(block, tile, monkeypatch):
    from sbert_lab.search import blocks

    sizes = []
    real = blocks.upper_triangle

    def counted(*given, **named):
        for start, offset, cosines in real(*given, **named):
            assert offset >= start
            assert cosines.shape[0] <= 10 and cosines.shape[1] <= 10
            sizes.append(cosines.numel())
            yield start, offset, cosines

    monkeypatch.setattr(blocks, "upper_triangle", counted)
    monkeypatch.setattr(blocks, "TILE", tile)
    best_pairs(random_vectors(100), block=block)
    assert sum(sizes) == 55 * 100  # 10 tiles on the diagonal and 45 above it, of 100


# ---- the index


@pytest.mark.parametrize("kind", ["exact", "flat"])
def test_an_exact_index_finds_what_top_k_finds(kind):
    vectors = random_vectors(300)
    index = VectorIndex.build(vectors, names(300), kind=kind)
    queries = random_vectors(20, seed=3) * 7  # the length of a query does not matter
    scores, rows = index.search(queries, k=6)
    expected_scores, expected = top_k(queries, vectors, k=6)
    assert (rows == expected).all()
    assert scores == pytest.approx(expected_scores, abs=1e-5)
    assert index.recall(queries, vectors) == 1
    assert index.dimension == 16 and len(index) == 300


@pytest.mark.parametrize(("kind", "least"), [("hnsw", 0.95), ("ivfpq", 0.3)])
def test_an_approximate_index_reports_its_recall(kind, least):
    vectors = grouped_vectors(40, 25)
    index = VectorIndex.build(vectors, names(1000), kind=kind)
    recall = index.recall(vectors[::20], vectors, k=10)
    truth = [set(row) for row in top_k(vectors[::20], vectors, k=10)[1]]
    found = index.search(vectors[::20], k=10)[1]
    by_hand = np.mean([len(true & set(row)) / 10 for true, row in zip(truth, found, strict=True)])
    assert recall == pytest.approx(by_hand)
    assert least <= recall <= 1


def test_more_probes_never_find_less():
    vectors = grouped_vectors(40, 25, spread=1.5)
    few, many = (
        VectorIndex.build(vectors, names(1000), kind="ivfpq", cells=30, probes=p, code_bytes=16)
        for p in (1, 30)
    )
    assert few.recall(vectors[:100], vectors) < many.recall(vectors[:100], vectors)


@pytest.mark.parametrize(("kind", "settings"), [("hnsw", {}), ("ivfpq", {"code_bytes": 16})])
def test_more_effort_finds_more(kind, settings):
    vectors = random_vectors(2000)
    index = VectorIndex.build(vectors, names(2000), kind=kind, **settings)
    index.set_effort(1)
    little = index.recall(vectors[:100], vectors)
    index.set_effort(200)
    assert little < index.recall(vectors[:100], vectors)
    with pytest.raises(InputError, match="effort must be at least 1, got 0"):
        index.set_effort(0)


def test_bytes_per_vector_count_numbers_links_and_ids():
    vectors = random_vectors(2000, 32)
    sizes = {
        kind: VectorIndex.build(vectors, names(2000), kind=kind).bytes_per_vector
        for kind in search.KINDS
    }
    assert sizes["exact"] == 4 * 32
    assert sizes["flat"] == pytest.approx(4 * 32, rel=0.01)
    assert sizes["hnsw"] > 4 * 32 + 4 * 32  # 32 links of 4 bytes upwards
    assert 8 + 8 < sizes["ivfpq"] < 4 * 32  # 8 bytes of code, 8 of id, and the learned means


@pytest.mark.parametrize("kind", search.KINDS)
def test_a_saved_index_answers_alike_and_brings_its_sentences(kind, tmp_path):
    vectors = random_vectors(300)
    sentences = [f"line\nbreak, tab\t, \u2028 and ümlaut {n}" for n in range(300)]
    index = VectorIndex.build(vectors, sentences, kind=kind, about={"model": "tiny"})
    opened = VectorIndex.load(index.save(tmp_path / "index"))
    assert opened.sentences == sentences
    assert opened.kind == kind and opened.about["model"] == "tiny"
    for mine, theirs in zip(index.search(vectors[:9]), opened.search(vectors[:9]), strict=True):
        assert np.array_equal(mine, theirs)
    index.save(tmp_path / "index")  # over an older one
    assert [path.name for path in tmp_path.iterdir()] == ["index"]


@pytest.mark.parametrize("kind", ["exact", "hnsw"])
@pytest.mark.parametrize(
    ("part", "harm"),
    [
        *((part, harm) for part in ("sentences.jsonl", "engine") for harm in ("cut", "changed")),
        *((part, "gone") for part in ("sentences.jsonl", "engine", "index.json")),
        ("index.json", "cut"),  # a changed description cannot be told from another one
    ],
)
def test_a_damaged_index_is_noticed(kind, part, harm, tmp_path):
    folder = VectorIndex.build(random_vectors(50), names(50), kind=kind).save(tmp_path / "index")
    engine = "vectors.npy" if kind == "exact" else "index.faiss"
    file = folder / (engine if part == "engine" else part)
    content = file.read_bytes()
    if harm == "gone":
        file.unlink()
    else:
        changed = content[:-5] + bytes([content[-5] ^ 1]) + content[-4:]
        file.write_bytes(content[: len(content) // 2] if harm == "cut" else changed)
    with pytest.raises(CheckpointError, match=file.name):
        VectorIndex.load(folder)


def test_without_faiss_every_kind_is_exact_search(monkeypatch, tmp_path):
    vectors = random_vectors(300)
    made = VectorIndex.build(vectors, names(300), kind="hnsw").save(tmp_path / "made")
    monkeypatch.setattr("sbert_lab.search.index.has_faiss", lambda: False)
    with pytest.warns(UserWarning, match="FAISS is not installed"):
        index = VectorIndex.build(vectors, names(300), kind="ivfpq", probes=3)
    assert index.kind == "exact" and index.recall(vectors[:20], vectors) == 1
    opened = VectorIndex.load(index.save(tmp_path / "own"))
    assert (opened.search(vectors[:5])[1] == top_k(vectors[:5], vectors)[1]).all()
    with pytest.raises(CheckpointError, match="pip install faiss-cpu"):
        VectorIndex.load(made)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"kind": "annoy"}, "unknown kind of index 'annoy'"),
        ({"kind": "ivfpq"}, "at least 256 vectors, got 30"),
        ({"kind": "flat", "probes": 3}, "flat has no setting 'probes'"),
        ({"sentences": ["a"]}, "30 vectors but 1 sentences"),
    ],
)
def test_an_impossible_index_is_refused(given, message):
    with pytest.raises(InputError, match=message):
        VectorIndex.build(random_vectors(30), **{"sentences": names(30), **given})


@pytest.mark.parametrize("kind", search.KINDS)
def test_rows_are_chosen_added_and_deleted_and_stay_so_when_saved(kind, tmp_path):
    vectors, more = random_vectors(300), random_vectors(4, seed=5)
    known = [{"year": n % 3, "topic": "a" if n % 2 else "ü"} for n in range(300)]
    index = VectorIndex.build(vectors, names(300), kind=kind, metadata=known)
    index.set_effort(300)  # so that the approximate ones look everywhere
    assert index.add(more, list("wxyz"), metadata=[{"year": 9}] * 4).tolist() == [*range(300, 304)]
    assert index.delete([3, 3, 6, 999]) == 2
    assert index.delete(where={"year": 1, "topic": "a"}) == 50
    kept = np.array([n not in (3, 6) and not (n % 3 == 1 and n % 2) for n in range(300)])
    opened = VectorIndex.load(index.save(tmp_path / "index"))
    opened.set_effort(300)
    for where, chosen in (
        (None, np.append(kept, [True] * 4)),
        ({"year": [0, 2]}, np.append(kept & (np.arange(300) % 3 != 1), [False] * 4)),
        ({"topic": "ü", "year": 0}, np.append(kept & (np.arange(300) % 6 == 0), [False] * 4)),
    ):
        rows = np.flatnonzero(chosen)
        truth = rows[top_k(vectors[:20], np.vstack([vectors, more])[rows], k=10)[1]]
        for one in (index, opened):
            found = one.search(vectors[:20], k=10, where=where)[1]
            assert set(found.ravel()) <= set(rows)
            assert recall_of(found, truth) >= (0.3 if kind == "ivfpq" else 1)
    for one in (index, opened):
        assert len(one) == 300 - 52 + 4
        assert one.search(more, k=500, where={"year": 9})[1].shape == (4, 4)
        assert one.search(more, where={"year": 4})[1].shape == (4, 0)
        assert one.texts([303, 0]) == ["z", "sentence 0"]


@pytest.mark.parametrize(
    ("metadata", "where", "message"),
    [
        (None, {"year": 1}, "built without metadata"),
        ([{}] * 30, {}, "where is {}"),
        ([{}] * 30, "year > 3", "where is 'year > 3'"),
        ([{}] * 30, {"year": []}, "no value for 'year'"),
        ([{}] * 30, {"year": None}, "metadata 'year' is None"),
        ([{}] * 30, {"a b": 1}, "cannot be called 'a b'"),
        ([{}], {"year": 1}, "30 sentences but metadata of 1"),
        ([{"row": 3}] * 30, {"year": 1}, "cannot be called 'row'"),
        ([{"year": float("nan")}] * 30, {"year": 1}, "'year' is nan"),
    ],
)
def test_metadata_that_cannot_be_asked_for_is_refused(metadata, where, message):
    with pytest.raises(InputError, match=message):
        VectorIndex.build(random_vectors(30), names(30), metadata=metadata).search(
            random_vectors(1), where=where
        )


# ---- measuring


def test_perturbed_vectors_are_new_unit_vectors_near_their_origin_and_come_again_by_seed():
    vectors = grouped_vectors()
    made = indexes.perturb(vectors, 500, seed=3)
    assert made.shape == (500, 16) and made.dtype == np.float32
    assert np.linalg.norm(made, axis=1) == pytest.approx(np.ones(500), abs=1e-5)
    assert np.array_equal(made, indexes.perturb(vectors, 500, seed=3))
    assert not np.array_equal(made, indexes.perturb(vectors, 500, seed=4))
    nearest = top_k(made, vectors, k=1)[0][:, 0]
    assert 0.5 < nearest.mean() < 0.999
    assert top_k(random_vectors(500, seed=9), vectors, k=1)[0].mean() < nearest.mean()


def test_the_neighbour_curve_is_the_mean_cosine_by_rank():
    vectors = random_vectors(80)
    curve = indexes.neighbour_curve(vectors, ranks=5, sample=80)
    units = vectors / np.linalg.norm(vectors, axis=1, keepdims=True)
    cosines = units @ units.T - 9 * np.eye(80)
    assert curve == pytest.approx(-np.sort(-cosines, axis=1)[:, :5].mean(axis=0), abs=1e-5)
    with pytest.raises(InputError, match="80 neighbours of each of 80 vectors"):
        indexes.neighbour_curve(vectors, ranks=80)


def test_an_index_is_measured_query_by_query():
    vectors = random_vectors(200)
    index = VectorIndex.build(vectors, names(200))
    truth = top_k(vectors[:10], vectors, k=4)[1]
    ticks = iter(range(0, 1000, 3))
    assert indexes.measure_index(index, vectors[:10], truth, clock=lambda: next(ticks)) == {
        "recall": 1.0,
        "ms": 300.0,  # three seconds for ten queries
    }


# ---- clusters


@pytest.mark.parametrize("block", [13, 2048])
@pytest.mark.parametrize(("threshold", "min_size"), [(0.7, 3), (0.5, 5), (0.8, 2), (0.99, 1)])
def test_communities_are_those_of_sentence_transformers(block, threshold, min_size):
    vectors = grouped_vectors()
    theirs = util.community_detection(vectors, threshold=threshold, min_community_size=min_size)
    ours = communities(vectors, threshold=threshold, min_size=min_size, block=block)
    assert [sorted(one) for one in ours] == [sorted(map(int, one)) for one in theirs]
    assert [one[0] for one in ours] == [int(one[0]) for one in theirs]
    assert len(ours) > 3


def test_agglomerative_clusters_are_those_of_scikit_learn_and_end_at_the_threshold():
    vectors = grouped_vectors()
    reference = AgglomerativeClustering(20, metric="cosine", linkage="average").fit_predict(vectors)
    ours = search.agglomerate(vectors, number=20)
    assert purity(ours, reference) == purity(reference, ours) == 1
    by_threshold = search.agglomerate(vectors, threshold=0.6)
    assert 2 < len(set(by_threshold)) < 300
    assert len(set(search.agglomerate(vectors, threshold=0.999))) > len(set(by_threshold))


def test_clear_groups_are_found_by_every_method():
    vectors, labels = grouped_vectors(8, 12, spread=0.1), np.repeat(np.arange(8), 12)
    for found in (search.kmeans(vectors, number=8), search.agglomerate(vectors, number=8)):
        assert purity(found, labels) == 1


@pytest.mark.slow
def test_the_map_keeps_groups_together_and_comes_again_by_seed():
    vectors, labels = grouped_vectors(4, 25, spread=0.1), np.repeat(np.arange(4), 25)
    points = search.map_to_plane(vectors, neighbours=10)
    assert points.shape == (100, 2) and np.isfinite(points).all()
    distances = np.linalg.norm(points[:, None] - points, axis=2) + 1e9 * np.eye(100)
    assert (labels[distances.argmin(axis=1)] == labels).mean() > 0.95
    assert np.array_equal(points, search.map_to_plane(vectors, neighbours=10))
    with pytest.raises(InputError, match="200 neighbours of 100 vectors"):
        search.map_to_plane(vectors, neighbours=200)


def test_purity_by_hand():
    assert purity([0, 0, 0, 1, 1, 2], ["a", "a", "b", "b", "c", "c"]) == pytest.approx(4 / 6)
    assert purity([5, 5, 5], ["a", "b", "c"]) == pytest.approx(1 / 3)
    assert purity([1, 2, 3], ["a", "a", "a"]) == 1


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda v: search.agglomerate(v), "either the number"),
        (lambda v: search.agglomerate(v, number=3, threshold=0.5), "either the number"),
        (lambda v: search.agglomerate(v * 0, number=3), "a vector of zeros"),
        (lambda v: search.kmeans(v, number=31), "31 clusters of 30 vectors"),
        (lambda v: search.kmeans(v * np.nan, number=3), "vector 0 holds NaN"),
        (lambda v: communities(v, min_size=0), "min_size must be at least 1"),
        (lambda v: purity([1, 2], ["a"]), "two lists of one length"),
        (lambda v: purity([], []), "two lists of one length"),
    ],
)
def test_impossible_clusters_are_refused(call, message):
    with pytest.raises(InputError, match=message):
        call(random_vectors(30))


# ---- retrieve and re-rank


@pytest.fixture
def shelf():
    vectors = random_vectors(60)
    return VectorIndex.build(vectors, names(60), kind="exact"), vectors


def encode_names(vectors):
    return lambda queries: np.stack([vectors[int(q.split()[-1])] for q in queries])


def test_re_ranking_orders_the_candidates_by_the_scorer(shelf):
    index, vectors = shelf
    asked = []

    def score(pairs):
        asked.extend(pairs)
        return np.array([-int(sentence.split()[-1]) for _, sentence in pairs])

    queries = ["sentence 7", "sentence 30"]
    hits = search.retrieve_and_rerank(
        queries, index, encode=encode_names(vectors), score=score, candidates=12, k=3
    )
    assert len(asked) == 24  # candidates a query, not all 60
    for query, found in zip((7, 30), hits, strict=True):
        rows = top_k(vectors[[query]], vectors, k=12)[1][0]
        assert [hit.row for hit in found] == sorted(rows)[:3]
        for hit in found:
            assert hit.sentence == f"sentence {hit.row}" and hit.score == -hit.row
            cosine = vectors[query] @ vectors[hit.row]
            cosine /= np.linalg.norm(vectors[query]) * np.linalg.norm(vectors[hit.row])
            assert hit.cosine == pytest.approx(cosine, abs=1e-5)


def test_equal_scores_keep_the_order_of_the_cosines(shelf):
    index, vectors = shelf
    (hits,) = search.retrieve_and_rerank(
        ["sentence 7"], index, encode=encode_names(vectors), score=lambda p: [0] * len(p), k=5
    )
    assert [hit.row for hit in hits] == top_k(vectors[[7]], vectors, k=5)[1][0].tolist()


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"k": 20, "candidates": 10}, "between 1 and candidates"),
        ({"score": lambda pairs: [1.0]}, "one number for each"),
        ({"score": lambda pairs: [np.nan] * len(pairs)}, "NaN or infinity"),
    ],
)
def test_a_scorer_that_cannot_be_used_is_named(shelf, given, message):
    index, vectors = shelf
    settings = {"encode": encode_names(vectors), "score": lambda pairs: [0.0] * len(pairs), **given}
    with pytest.raises(InputError, match=message):
        search.retrieve_and_rerank(["sentence 1"], index, **settings)
