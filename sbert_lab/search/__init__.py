"""Find the sentences that belong together: search, best pairs, indexes, clusters, re-ranking.

Everything here works on embeddings (N, H), whoever made them, and compares by cosine.
"""

from sbert_lab.search.backends import BACKENDS, build_index
from sbert_lab.search.blocks import best_pairs, top_k
from sbert_lab.search.clusters import agglomerate, communities, kmeans, map_to_plane, purity
from sbert_lab.search.index import KINDS, VectorIndex, has_faiss
from sbert_lab.search.milvus import MilvusIndex
from sbert_lab.search.milvus_client import has_milvus
from sbert_lab.search.rerank import Hit, retrieve_and_rerank

__all__ = [
    "BACKENDS",
    "KINDS",
    "Hit",
    "MilvusIndex",
    "VectorIndex",
    "agglomerate",
    "best_pairs",
    "build_index",
    "communities",
    "has_faiss",
    "has_milvus",
    "kmeans",
    "map_to_plane",
    "purity",
    "retrieve_and_rerank",
    "top_k",
]
