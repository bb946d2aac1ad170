"""Groups of sentences: communities around a centre, agglomerative clusters, k-means, a map."""

import warnings

import numpy as np

from sbert_lab.errors import InputError
from sbert_lab.search.blocks import BLOCK, blocks_of, check_vectors, checked_units, top_k


def communities(
    vectors, *, threshold: float = 0.75, min_size: int = 10, block: int = BLOCK
) -> list[list[int]]:
    """Groups whose members have at least this cosine with the group's centre, largest first.

    Every sentence proposes itself and its neighbours; proposals are taken largest first, and what
    is taken is not taken again. The centre stands first; many sentences belong to no group. The
    same groups as sentence-transformers' community_detection.
    """
    check_vectors(vectors, block)
    if min_size < 1:
        raise InputError(f"min_size must be at least 1, got {min_size}")
    proposals = []
    for start, some in blocks_of(vectors, block):
        near = [some @ others.T for _, others in blocks_of(vectors, block)]
        for row in range(len(some)):
            cosines = np.concatenate([part[row].numpy() for part in near])
            members = np.flatnonzero(cosines >= threshold)
            if len(members) >= min_size:
                order = np.argsort(-cosines[members], kind="stable")
                proposals.append((start + row, members[order]))
    proposals.sort(key=lambda one: -len(one[1]))  # stable: among equals the first sentence
    taken = np.zeros(len(vectors), dtype=bool)
    found = []
    for centre, members in proposals:
        free = members[~taken[members]]
        if taken[centre] or len(free) < min_size:
            continue
        group = [centre, *(int(one) for one in free if one != centre)]
        taken[group] = True
        found.append(group)
    return sorted(found, key=len, reverse=True)


def agglomerate(
    vectors, *, number: int | None = None, threshold: float | None = None
) -> np.ndarray:
    """Cluster numbers (N,): the two closest clusters merge, again and again (average cosine).

    It ends with `number` clusters, or when no two clusters have an average cosine of `threshold`.
    All pairs are kept in memory: for some ten thousand sentences at most.
    """
    if (number is None) == (threshold is None):
        raise InputError("give either the number of clusters or a threshold for the cosine")
    from sklearn.cluster import AgglomerativeClustering

    units = _units(vectors, 1 if number is None else number)
    if not np.linalg.norm(units, axis=1).all():
        raise InputError("a vector of zeros has no direction: leave it out before clustering")
    model = AgglomerativeClustering(
        n_clusters=number,
        distance_threshold=None if threshold is None else 1 - threshold,
        metric="cosine",
        linkage="average",
    )
    return model.fit_predict(units)


def kmeans(vectors, *, number: int, seed: int = 1) -> np.ndarray:
    """Cluster numbers (N,): each vector (scaled to length 1) goes to the nearest of the means."""
    from sklearn.cluster import KMeans

    return KMeans(number, n_init=4, random_state=seed).fit_predict(_units(vectors, number))


def purity(clusters, labels) -> float:
    """The share (0 to 1) of items that carry the most frequent label of their cluster.

    More clusters are always at least as pure; with one item each it is 1. Compare like with like.
    """
    clusters, labels = np.asarray(clusters), np.asarray(labels)
    if clusters.shape != labels.shape or clusters.ndim != 1 or not len(clusters):
        raise InputError(f"expected two lists of one length, got {clusters.shape}, {labels.shape}")
    hits = 0
    for one in np.unique(clusters):
        hits += np.unique(labels[clusters == one], return_counts=True)[1].max()
    return hits / len(labels)


def map_to_plane(vectors, *, neighbours: int = 15, seed: int = 1) -> np.ndarray:
    """A map by UMAP: (N, H) -> (N, 2). Neighbours stay neighbours; far distances mean nothing.

    UMAP gets the neighbours from our own exact search, which spares it half of its start-up time.
    """
    units = _units(vectors, 1)
    if not 2 <= neighbours <= len(units):
        raise InputError(
            f"{neighbours} neighbours of {len(units)} vectors: choose 2 to {len(units)}"
        )
    import umap

    cosines, rows = top_k(units, units, k=neighbours)  # the first one is itself
    known = (rows, np.maximum(1 - cosines, 0))
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="precomputed_knn|n_jobs value")
        mapper = umap.UMAP(
            metric="cosine",
            n_neighbors=neighbours,
            n_epochs=200,
            precomputed_knn=known,
            random_state=seed,
            n_jobs=1,
        )
        return mapper.fit_transform(units)


def _units(vectors, number: int) -> np.ndarray:
    check_vectors(vectors, BLOCK)
    if not 1 <= number <= len(vectors):
        raise InputError(f"{number} clusters of {len(vectors)} vectors: choose 1 to {len(vectors)}")
    if len(vectors) < 2:
        raise InputError("clustering needs at least two vectors")
    return checked_units(vectors)
