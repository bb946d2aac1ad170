"""What has to run in a process of its own: python jobs.py NAME ARGUMENTS prints JSON."""

import json
import sys
import tempfile
import time
import warnings
from pathlib import Path

import numpy as np
import torch
from clock import Watch, resident, watched

WIDTH = {"pairs": 384, "search": 128, "place": 256}


def vectors(count: int, width: int) -> np.ndarray:
    return np.random.default_rng(0).standard_normal((count, width), dtype=np.float32)


def pairs(whose: str, count: int) -> dict:
    """The 1,000 best pairs."""
    given = vectors(count, WIDTH["pairs"])
    if whose == "ours":
        from sbert_lab.search import best_pairs

        best_pairs(given[:2000])
        return watched(lambda: best_pairs(given, limit=1000))
    from sentence_transformers.util import paraphrase_mining_embeddings

    tensor = torch.from_numpy(given)
    paraphrase_mining_embeddings(tensor[:2000], max_pairs=1000)
    return watched(lambda: paraphrase_mining_embeddings(tensor, max_pairs=1000))


def search(count: int) -> dict:
    """The ten nearest of 100 queries, exactly; the vectors lie in a file, a million take 512 MB."""
    from sbert_lab.search import top_k

    with tempfile.TemporaryDirectory() as folder:
        np.save(Path(folder) / "vectors.npy", vectors(count, WIDTH["search"]))
        kept = np.load(Path(folder) / "vectors.npy", mmap_mode="r")
        queries = vectors(100, WIDTH["search"])
        top_k(queries, kept[:1000])
        return watched(lambda: top_k(queries, kept))


def place(backend: str, count: int) -> dict:
    """What an index of so many vectors, 256 wide, costs where it is kept; files in megabytes."""
    from sbert_lab.search import build_index

    given = vectors(count, WIDTH["place"])
    queries, names = vectors(20, WIDTH["place"]), ["-"] * count
    with tempfile.TemporaryDirectory() as folder:
        more = {"milvus": {"uri": f"{folder}/all.db"}, "faiss": {"kind": "hnsw"}}.get(backend, {})
        built = []
        costs = watched(lambda: built.append(build_index(given, names, backend=backend, **more)))
        built[0].search(queries[:1], k=10)
        start = time.process_time()
        for i in range(len(queries)):
            built[0].search(queries[i : i + 1], k=10)
        costs["ms"] = round(1000 * (time.process_time() - start) / len(queries), 3)
        sizes = [path.stat().st_size for path in Path(folder).rglob("*") if path.is_file()]
    return {**costs, "file_mb": round(sum(sizes) / 1e6, 1)}


def sentences(count: int):
    """So many different sentences, one at a time: those of the mini corpora, numbered."""
    from sbert_lab import data

    rows = data.load("nli", "train", profile="mini")
    listed = sorted({*rows["sentence1"], *rows["sentence2"]})
    for number in range(count):
        yield f"{listed[number % len(listed)]} {number // len(listed)}"


def encode(count: int) -> dict:
    """Sentences to a file with mini-bert: seconds, memory above the model, memory over time."""
    from sbert_lab import SentenceEncoder
    from sbert_lab.encode_to_file import encode_to_file

    encoder = SentenceEncoder.load("mini-bert")
    encoder.encode(list(sentences(64)))
    loaded, start = resident(), time.process_time()
    with tempfile.TemporaryDirectory() as folder, Watch(every=0.2) as watch:
        text = Path(folder) / "sentences.txt"
        with open(text, "w", encoding="utf-8") as file:
            file.writelines(f"{one}\n" for one in sentences(count))
        encode_to_file(encoder, text, Path(folder) / "vectors.npy")
    places = np.linspace(0, len(watch.samples) - 1, 60).astype(int) if watch.samples else []
    curve = [[round(watch.samples[i][0], 1), round(watch.samples[i][1] - loaded, 1)]
             for i in places]  # fmt: skip
    seconds = time.process_time() - start
    return {"seconds": round(seconds, 3), "mb": round(max(0.0, watch.peak - loaded), 1),
            "mb_over_time": curve}  # fmt: skip


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    torch.set_num_threads(1)
    name, *given = sys.argv[1:]
    print(json.dumps(globals()[name](*(int(g) if g.isdigit() else g for g in given))))
