"""What odd input is handed to, and what a right result looks like.

A target calls something of the package and raises Lost if what came back is silently wrong.
"""

import contextlib
import importlib
import inspect
import io
import random
import tempfile
from collections.abc import Callable
from functools import cache, partial
from pathlib import Path

import numpy as np
import torch
from hypothesis import strategies as st

from faults import junk, tiny
from faults.seeds import SEEDS
from faults.table import Lost
from sbert_lab import objectives, similarity
from sbert_lab.data.corpus import Corpus
from sbert_lab.data.formats import READERS
from sbert_lab.data.glove import load_glove
from sbert_lab.data.manifest import expected_rows
from sbert_lab.data.tables import check_values, rows_to_table
from sbert_lab.encode_to_file import read_lines
from sbert_lab.encoder_folder import read_settings
from sbert_lab.experiments.evaluation import duplicates, retrieval, sections, sts
from sbert_lab.profiles import TrainConfig, get_profile
from sbert_lab.search import VectorIndex, best_pairs, clusters, top_k
from sbert_lab.tasks import CrossEncoder, Siamese
from sbert_lab.tasks.siamese import COLUMNS
from sbert_lab.tasks.train_to_folder import read_jsonl
from sbert_lab.word_vectors import WordVectors


def finite(value: object, shape: tuple | None = None) -> None:
    """Numbers, and no nan among them."""
    found = value.detach().numpy() if isinstance(value, torch.Tensor) else np.asarray(value)
    if found.dtype == object or not np.isfinite(found.astype(np.float64)).all():
        raise Lost(f"not finite: {value!r}"[:300])
    if shape is not None and found.shape[: len(shape)] != shape:
        raise Lost(f"shape {found.shape}, expected {shape}")


# ---- texts


@cache
def _encoder():
    return tiny.encoder()


@cache
def _words() -> WordVectors:
    words = tiny.WORDS.split()
    rng = np.random.default_rng(0)
    vectors, buckets = rng.normal(size=(len(words), 8)), rng.normal(size=(50, 8))
    return WordVectors(words, vectors, buckets=buckets)


def encode(sentences) -> None:
    finite(_encoder().encode(sentences), (len(sentences), 16))


def encode_words(sentences) -> None:
    finite(_words().encode(sentences), (len(sentences), 8))


@cache
def _cross():
    return CrossEncoder(_encoder(), "regression").eval()


def cross(given) -> None:
    first, second = given
    finite(_cross().predict(first, second), (len(first),))


@cache
def _task(kind: str):
    return Siamese(_encoder(), kind)


def prepare(given) -> None:
    kind, rows = given
    task = _task(kind)
    prepared = task.prepare(rows)
    if len(prepared) != len(rows):
        raise Lost(f"{len(prepared)} of {len(rows)} rows")
    if len(prepared):
        with torch.no_grad():
            finite(task(task.collate([prepared[i] for i in range(len(prepared))])))


# ---- numbers


OBJECTIVES: dict[str, Callable] = {
    "classification": objectives.classification_loss,
    "regression": objectives.regression_loss,
    "triplet": objectives.triplet_loss,
    "in-batch": objectives.in_batch_negatives_loss,
    "concatenate": objectives.concatenate,
    "cosine": similarity.pairwise_cosine,
    "all cosines": similarity.all_cosine,
    "euclidean": similarity.pairwise_euclidean,
    "all euclidean": similarity.all_euclidean,
}


def objective(given) -> None:
    """A nan that is handed in may come out again; one that is made here may not."""
    name, tensors, labels = given
    takes = {"classification": [tensors[0], labels], "regression": [*tensors[:2], labels]}
    takes["triplet"] = tensors
    arguments = takes.get(name, tensors[:2])
    with torch.no_grad():
        found = OBJECTIVES[name](*arguments)
    if all(one.numel() and one.float().abs().max() < 1e6 for one in arguments):
        finite(found)


EVALUATIONS: dict[str, Callable] = {
    "spearman": lambda a, b, k: finite(sts.spearman(a, b)),
    "pearson": lambda a, b, k: finite(sts.pearson(a, b)),
    "bootstrap": lambda a, b, k: finite(sts.bootstrap_spearman(a, b, samples=5)),
    "ranks": lambda a, b, k: finite(retrieval.reciprocal_ranks(a, [{0}] * 4)),
    "found": lambda a, b, k: retrieval.found_within(a, [{0}] * 4, k),
    "rerank": lambda a, b, k: finite(retrieval.rerank(a, b, k)),
    "precision": lambda a, b, k: duplicates.precision_recall(a, b, 0.5),
    "threshold": lambda a, b, k: finite(duplicates.best_threshold(a, b)),
}


def evaluation(given) -> None:
    name, first, second, k = given
    EVALUATIONS[name](first, second, k)


def score_rows(given) -> None:
    rows, vectors = given
    finite(sts.score_pairs(lambda texts: vectors, rows).spearman)


def score_triplets(given) -> None:
    rows, vectors = given
    finite(sections.triplet_accuracy(lambda texts: vectors, rows))


SEARCHES: dict[str, Callable] = {
    "top_k": lambda v, q, k: finite(top_k(q, v, k=k)[0]),
    "best_pairs": lambda v, q, k: finite([one[0] for one in best_pairs(v, limit=k)]),
    "communities": lambda v, q, k: clusters.communities(v, min_size=k),
    "kmeans": lambda v, q, k: clusters.kmeans(v, number=k),
    "agglomerate": lambda v, q, k: clusters.agglomerate(v, number=k),
    "exact": lambda v, q, k: _search("exact", v, q, k),
    "flat": lambda v, q, k: _search("flat", v, q, k),
    "hnsw": lambda v, q, k: _search("hnsw", v, q, k),
}


def _search(kind: str, vectors, queries, k) -> None:
    count = len(vectors) if getattr(vectors, "shape", ()) else 1
    index = VectorIndex.build(vectors, ["a sentence"] * count, kind=kind)
    cosines, rows = index.search(queries, k=k)
    finite(cosines[rows >= 0])


def search(given) -> None:
    name, vectors, queries, k = given
    SEARCHES[name](vectors, queries, k)


def index_records(given) -> None:
    sentences, metadata, where = given
    index = VectorIndex.build(np.eye(3, dtype=np.float32), sentences, metadata=metadata)
    index.search(np.eye(3, dtype=np.float32), k=2, where=where)


# ---- settings, the command line, checks


def config(given: dict) -> None:
    made = TrainConfig(**given)
    if not (made.learning_rate > 0 and made.epochs >= 1 and made.batch_size >= 1):
        raise Lost(f"{made}")


@cache
def _places() -> dict[str, str]:
    folder = Path(tempfile.mkdtemp())
    _encoder().save(folder / "model")
    (folder / "x.txt").write_text("A hen runs.\nIt is late.\n", encoding="utf-8")
    (folder / "empty.txt").write_text("")
    (folder / "bytes.txt").write_bytes(b"\xff\x00\xfe\n")
    names = ("model", "x.txt", "empty.txt", "bytes.txt", "none")
    return {name: str(folder / name) for name in names} | {"folder": str(folder)}


COMMANDS = {
    "encode": ["--model", "--pooling", "--normalize"],
    "search": ["--query", "-k", "--index", "--backend", "--kind", "--model"],
    "train": ["--objective", "--data", "--rows", "--epochs", "--batch-size", "--learning-rate",
              "--seed", "--pooling", "--backbone", "--profile"],
    "data": ["list", "get", "check", "--profile", "--partial"],
    "evaluate": ["table1", "--list", "--rows", "--profile"],
    "claims": ["--json", "--markdown"], "nonsense": ["--help"],
}  # fmt: skip


@st.composite
def typed(draw) -> list[str]:
    """A command with options and values that do not belong together."""
    places = _places()
    command = draw(st.sampled_from(list(COMMANDS)))
    values = st.one_of(
        st.sampled_from([*places.values(), "-1", "0", "1", "nan", "exact", "mini", "cls", "stsb"]),
        junk.texts.filter(lambda text: "\x00" not in text),
    )
    words = draw(st.lists(st.one_of(st.sampled_from(COMMANDS[command]), values), max_size=6))
    if command == "train":  # a training that would really begin is not what is tried here
        words = [*words, "--rows", "0"]
    model = ["--model", places["model"]] if command in ("encode", "search") else []
    return [command, *words, *model]


def command_line(arguments: list[str]) -> None:
    from sbert_lab.cli import main

    said = io.StringIO()
    stdin = io.StringIO("a query\n")
    try:
        with (
            contextlib.redirect_stdout(io.StringIO()),
            contextlib.redirect_stderr(said),
            tiny.replaced_stdin(stdin),
            contextlib.chdir(_places()["folder"]),
        ):
            code = main(arguments)
    except SystemExit as ended:
        code = ended.code
    if code not in (0, 1, 2) or (code == 2 and len(said.getvalue()) < 15):
        raise Lost(f"exit code {code!r}: {said.getvalue()!r}")


@cache
def checks() -> list[Callable]:
    modules = [importlib.import_module(f"sbert_lab.course.nb{n:02}") for n in range(18)]
    found = [one for module in modules for one in vars(module).values()]
    return [one for one in dict.fromkeys(f for f in found if inspect.isfunction(f))
            if hasattr(one, "verdict")]  # fmt: skip


def check(given) -> None:
    """Whatever is handed in as an answer, there is a verdict, and it is not "correct"."""
    number, answers = given
    chosen = checks()[number % len(checks())]
    parameters = inspect.signature(inspect.unwrap(chosen)).parameters.values()
    asked = [one for one in parameters if one.kind is not one.KEYWORD_ONLY]
    named = [one for one in parameters if one.kind is one.KEYWORD_ONLY]
    keywords = {one.name: chosen.beside[one.name] for one in named if one.name in chosen.beside}
    if any(one.default is one.empty and one.name not in keywords for one in named):
        return
    line = chosen.verdict(*(answers * len(asked))[: len(asked)], **keywords)
    if not isinstance(line, str) or not line:
        raise Lost(f"{chosen.__name__} said {line!r}")


two = st.tuples(junk.sentences, junk.sentences)
tensors = st.lists(junk.arrays(tensor=True), min_size=3, max_size=3)
same_shapes = st.integers(0, 99).map(
    lambda seed: list(torch.randn(3, 4, 3, generator=torch.Generator().manual_seed(seed)))
)
labels = st.one_of(
    junk.arrays(tensor=True),
    st.lists(st.integers(-1, 3), min_size=4, max_size=4).map(torch.tensor),
    st.lists(st.floats(0, 1, width=32), min_size=4, max_size=4).map(torch.tensor),
)
metadata = st.one_of(st.none(), st.lists(st.dictionaries(junk.texts, junk.scalars), max_size=4))
fields = list(TrainConfig.__dataclass_fields__)
settings = st.dictionaries(st.one_of(st.sampled_from(fields), junk.texts), junk.things, max_size=4)

# name -> (inputs, target, how many of the 100,000)
GENERATED: dict[str, tuple] = {
    "encode": (junk.sentences, encode, 4000),
    "encode, word vectors": (junk.sentences, encode_words, 4000),
    "cross-encoder": (two, cross, 3000),
    "training rows": (st.tuples(st.sampled_from(list(COLUMNS)), junk.rows), prepare, 4000),
    "objectives, similarities": (
        st.tuples(st.sampled_from(list(OBJECTIVES)), tensors | same_shapes, labels),
        objective, 10000,
    ),
    "evaluations": (
        st.tuples(st.sampled_from(list(EVALUATIONS)), junk.numbers, junk.numbers, junk.small),
        evaluation, 10000,
    ),
    "scoring pairs": (st.tuples(junk.rows, junk.arrays()), score_rows, 2000),
    "scoring triplets": (st.tuples(junk.rows, junk.arrays()), score_triplets, 2000),
    "search": (
        st.tuples(st.sampled_from(list(SEARCHES)), junk.arrays() | junk.things,
                  junk.arrays() | junk.things, junk.small),
        search, 6000,
    ),
    "index records": (
        st.tuples(junk.sentences, metadata, st.one_of(st.none(), junk.things)), index_records, 3000,
    ),
    "training settings": (settings, config, 4000),
    "the course's checks": (
        st.tuples(st.integers(0, 10_000), st.lists(junk.things | junk.arrays(), min_size=1)),
        check, 6000,
    ),
    "the command line": (typed(), command_line, 2000),
    "profile": (junk.things, lambda given: get_profile(given), 1000),
}  # fmt: skip


# ---- files


def parsers() -> dict[str, Callable]:
    """Name -> target(chance, content): a spoiled file, or the content that a fuzzer gives."""
    return {name: partial(parse, name) for name in SEEDS}


def seed_file(name: str) -> bytes:
    return SEEDS[name][0][1]


def parse(name: str, chance: random.Random | None, content: bytes | None = None) -> None:
    with tempfile.TemporaryDirectory() as place:
        folder, paths = Path(place), []
        victim = chance.randrange(len(SEEDS[name])) if chance else 0
        for number, (file, seed) in enumerate(SEEDS[name]):
            path = folder / file
            path.parent.mkdir(exist_ok=True)
            given = content if content is not None else junk.spoiled(seed, chance)
            path.write_bytes(given if number == victim else seed)
            paths.append(path)
        READ.get(name, _read_corpus)(name, paths)


def _read_corpus(name: str, paths: list[Path]) -> None:
    """The parser's rows must go into a table and through its checks, as in data.load."""
    rows = list(READERS[name](paths))
    columns = tuple(rows[0]) if rows else ("text",)
    table = rows_to_table(rows, columns)
    labels = tuple(map(str, range(6)))
    corpus = Corpus(name=name, title="", columns=columns, splits={}, licence="", citation="",
                    labels=labels)  # fmt: skip
    check_values(table, corpus, name)


READ: dict[str, Callable] = {
    "glove": lambda name, paths: finite(load_glove(paths[0])[1]),
    "jsonl": lambda name, paths: _task("classification").prepare(read_jsonl(paths[0])),
    "lines": lambda name, paths: list(read_lines(paths[0])),
    "manifest": lambda name, paths: expected_rows(paths[0].parent, "stsb", "dev") + 1,
    "index": lambda name, paths: VectorIndex.load(paths[0].parent),
    "modules": lambda name, paths: read_settings(paths[0].parent),
}


# ---- single ones


def climbing_tar() -> None:
    import tarfile

    from sbert_lab.data.hub import unpack_senteval
    from sbert_lab.errors import DataError

    names = ("../MR/x", "/tmp/MR/faults-escaped", "MR/../../x", "a/MR/../../../x")
    for name in names:
        for kind in (tarfile.REGTYPE, tarfile.SYMTYPE, tarfile.LNKTYPE):
            with tempfile.TemporaryDirectory() as place:
                tar, folder = Path(place, "x.tar"), Path(place, "in", "to")
                folder.mkdir(parents=True)
                with tarfile.open(tar, "w") as archive:
                    member = tarfile.TarInfo(name if kind == tarfile.REGTYPE else "MR/link")
                    member.type, member.linkname = kind, f"../../{name}"
                    archive.addfile(member)
                with contextlib.suppress(DataError):
                    unpack_senteval(tar, folder)
                outside = {p.name for p in Path(place).rglob("*")} - {"x.tar", "in", "to", "MR"}
                inside = {p.name for p in folder.rglob("*")}
                if outside - inside or Path("/tmp/MR/faults-escaped").exists():
                    raise Lost(f"{name} climbed out")


def refused(*arguments: str, says: str) -> str:
    """The command ends with exit code 2 and a message with these words."""
    from sbert_lab.cli import main

    said = io.StringIO()
    with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(said):
        code = main(list(arguments))
    if code != 2 or says not in said.getvalue():
        raise Lost(f"exit code {code}: {said.getvalue()!r}")
    return said.getvalue()


def corrected_data() -> None:
    """Refused rows leave nothing that is in the way of the corrected ones."""
    from sbert_lab.cli import main

    model = _places()["model"]
    with tempfile.TemporaryDirectory() as place:
        data, out = Path(place, "rows.jsonl"), str(Path(place, "model"))
        row = '{"sentence1": "a dog", "sentence2": "a cat", "label": %d}\n'
        given = ["train", out, "--data", str(data), "--backbone", model, "--epochs", "1"]
        data.write_text(row % 7)
        refused(*given, says="label 7")
        data.write_text(row % 1)
        with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
            if main(given) or not Path(out, "config.json").is_file():
                raise Lost("the corrected rows were not trained on")


def other_data() -> None:
    """Other rows for a model that is trained already: what to do is said in the command's words."""
    from sbert_lab.cli import main

    with tempfile.TemporaryDirectory() as place:
        data, out = Path(place, "rows.jsonl"), str(Path(place, "model"))
        row = '{"sentence1": "a dog", "sentence2": "a cat", "label": %d}\n'
        given = ["train", out, "--data", str(data), "--backbone", _places()["model"]]
        data.write_text(row % 0)
        with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
            main([*given, "--epochs", "1"])
        data.write_text(row % 1)
        said = refused(*given, "--epochs", "1", says=f"{out}.run holds another run")
        if "run_dir" in said or "delete it" not in said:
            raise Lost(f"no way out is said: {said}")


def typed_before() -> None:
    """What people typed before it was refused."""
    text, folder = _places()["x.txt"], _places()["folder"]
    for rows in ("-12290", "0"):
        refused("train", f"{folder}/new", "--rows", rows, says="--rows must be at least 1")
    refused("train", text, says="is a file")
    refused("encode", text, f"{folder}/v.txt", says="should end in .npy")
    refused("search", text, "--query", " ", says="empty query")


def empty_lines() -> None:
    """The real CR and MPQA have lines without a text, and SentEval counts them."""
    from sbert_lab import data

    for name in ("cr", "mpqa"):
        corpus = data.get_corpus(name)
        with tempfile.TemporaryDirectory() as place:
            files = [Path(place, file) for file in ("pos", "neg")]
            for path in files:
                path.write_bytes(b"a text\n\n \nanother\n")
            rows = list(READERS[corpus.reader](files))
            check_values(rows_to_table(rows, corpus.columns), corpus, name)
        if [row["text"] for row in rows] != ["a text", "", "", "another"] * 2:
            raise Lost(f"{name}: {rows}")


def odd_numbers_of_things() -> None:
    """No sentence and many; a vector of each size; huge k."""
    finite(_encoder().encode([]), (0, 16))
    many = np.ones((50_000, 3), dtype=np.float32)
    finite(top_k(many[:2], many, k=10**9)[0], (2, 50_000))
    finite(_words().encode(["dog"] * 100_000), (100_000, 8))


SINGLE: dict[str, Callable] = {
    "a megabyte of text: encode": lambda: encode([junk.MEGABYTE, "x" * 1_000_000]),
    "a megabyte of text: word vectors": lambda: encode_words([junk.MEGABYTE, "x" * 1_000_000]),
    "a megabyte of emoji: encode": lambda: encode(["👩‍👩‍👧" * 90_000]),
    "20,000 sentences at once": lambda: encode(["a dog"] * 20_000),
    "commands that were taken wrongly once": typed_before,
    "refused rows, then corrected ones": corrected_data,
    "other rows for a trained model": other_data,
    "empty lines of the real CR and MPQA": empty_lines,
    "no sentence, 100,000, k of a thousand million": odd_numbers_of_things,
    "tar members that climb out of the folder": climbing_tar,
}
