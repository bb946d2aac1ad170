"""`make proof`: in a few minutes, evidence for a stranger that the course's code is real.

Each part prints what was done and what came out. Nothing here is recorded: it all runs now.
"""

import os
import subprocess
import sys
import tempfile
import time
import warnings
from pathlib import Path

os.environ.setdefault("HF_HUB_OFFLINE", "1")
os.environ.setdefault("TOKENIZERS_PARALLELISM", "false")
warnings.filterwarnings("ignore")
ROOT = Path(__file__).resolve().parent.parent
STARTED = time.time()


def title(text: str) -> None:
    print(f"\n[{time.time() - STARTED:4.0f} s] {text}", flush=True)


def quiet() -> None:
    """Keep the libraries' loading bars out of the report."""
    from transformers.utils import logging

    logging.set_verbosity_error()
    logging.disable_progress_bar()


def core_tests() -> None:
    title("1. Core tests: pooling, similarity, objectives, smart batching")
    names = ["pooling", "similarity", "objectives", "encoding"]
    files = [f"tests/test_{name}.py" for name in names]
    result = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", *files], cwd=ROOT, capture_output=True, text=True
    )
    print(result.stdout.strip().splitlines()[-1])
    if result.returncode:
        sys.exit(result.stdout)


def same_vectors() -> None:
    title("2. The same vectors as sentence-transformers, for the same folder")
    import numpy as np
    from sentence_transformers import SentenceTransformer

    from sbert_lab.data import load
    from sbert_lab.encoder import SentenceEncoder
    from sbert_lab.encoder_folder import find_folder

    sentences = list(load("stsb", "test", profile="mini")["sentence1"])
    for name in ("mini-bert", "mini-bert-2", "mini-roberta", "mini-sbert"):
        ours = SentenceEncoder.load(name).encode(sentences)
        theirs = SentenceTransformer(str(find_folder(name)), device="cpu").encode(sentences)
        apart = np.abs(ours - theirs).max()
        print(f"{name}: {len(sentences)} sentences, largest difference {apart:.1e}")


def kill_and_resume() -> None:
    title("3. A training killed with SIGKILL and continued ends with the same bytes")
    sys.path.insert(0, str(ROOT / "tests"))
    from conftest import make_backbone, make_tokenizer

    program = ROOT / "tests/programs/train_tiny.py"
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder)
        tokenizer = make_tokenizer("bert")
        make_backbone("bert", tokenizer).save_pretrained(place / "tiny")
        tokenizer.save_pretrained(place / "tiny")
        run = [sys.executable, str(program), str(place / "tiny")]
        subprocess.run([*run, place / "a", place / "a.safetensors"], check=True)
        died = subprocess.run([*run, place / "b", place / "b.safetensors", "13"]).returncode
        subprocess.run([*run, place / "b", place / "b.safetensors"], check=True)
        same = (place / "a.safetensors").read_bytes() == (place / "b.safetensors").read_bytes()
    print(f"killed in step 13 of 24 (exit code {died}), continued: identical weights: {same}")
    if not same:
        sys.exit("the weights differ")


def smart_batching() -> None:
    title("4. Smart batching: padding and time, sorted by length against in the order given")
    import numpy as np

    from sbert_lab.data import load
    from sbert_lab.encoder import SentenceEncoder
    from sbert_lab.encoding import pad, plan_batches

    encoder = SentenceEncoder.load("mini-bert")
    sentences = list(load("nli", "train", profile="mini")["sentence1"])[:3000]
    ids, _ = encoder.tokenize(sentences)
    lengths = np.array([len(row) for row in ids])
    plans = {
        "in the order given": [np.arange(i, min(i + 64, 3000)) for i in range(0, 3000, 64)],
        "sorted by length": plan_batches(lengths, token_budget=4096, max_rows=64),
    }
    seconds: dict[str, list[float]] = {name: [] for name in plans}
    import torch

    with torch.inference_mode():
        for _ in range(3):
            for name, plan in plans.items():
                start = time.perf_counter()
                for batch in plan:
                    encoder(*pad([ids[i] for i in batch], encoder.tokenizer.pad_token_id))
                seconds[name].append(time.perf_counter() - start)
    for name, plan in plans.items():
        padded = sum(len(batch) * lengths[batch].max() for batch in plan)
        print(f"{name}: {100 * (1 - lengths.sum() / padded):.0f} % of the tokens are padding")
    given, ordered = (min(seconds[name]) for name in plans)
    print(f"sorted is {given / ordered:.2f} times as fast")


def real_scores() -> None:
    title("5. Real STSb and all-MiniLM-L6-v2 out of pinned wheels, scored by our code")
    from sbert_lab.data import load, minilm_folder
    from sbert_lab.encoder import SentenceEncoder
    from sbert_lab.errors import LabError
    from sbert_lab.experiments.evaluation.sts import score_pairs

    try:
        rows = load("stsb", "test", profile="real")
        models = {"all-MiniLM-L6-v2 (known: 82.0)": minilm_folder()}
    except LabError as error:
        print(f"left out, it needs a package registry: {error}")
        return
    models |= {name: name.partition(",")[0] for name in ("mini-bert-2, raw", "mini-sbert")}
    for name, model in models.items():
        print(f"{name}: {score_pairs(SentenceEncoder.load(model).encode, rows)}")


def one_notebook() -> None:
    title("6. One notebook, every output compared by nbval")
    notebook = ROOT / "notebooks/02_pooling.ipynb"
    if not notebook.is_file():
        print("the notebooks are not built yet")
        return
    command = [sys.executable, "-m", "pytest", "-q", "--nbval", "--nbval-current-env"]
    command += ["--nbval-sanitize-with=notebooks/nbval.cfg", str(notebook)]
    result = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    print(result.stdout.strip().splitlines()[-1])
    if result.returncode:
        sys.exit(result.stdout)


def main() -> None:
    quiet()
    core_tests()
    same_vectors()
    kill_and_resume()
    smart_batching()
    real_scores()
    one_notebook()
    title("Done.")


if __name__ == "__main__":
    main()
