"""The command `sbert-lab`: what is typed and printed. What is done lives in the rooms."""

import argparse
import json
import os
import sys
from collections.abc import Callable
from pathlib import Path

from sbert_lab import __version__
from sbert_lab.course.commands import add_course_commands
from sbert_lab.errors import LabError
from sbert_lab.experiments import STUDIES, TABLES
from sbert_lab.profiles import PROFILES, get_profile

NAMES = [f"table{number}" for number in TABLES]
AGAIN = "An interrupted run goes on when called again; under torchrun processes share the work"
MODEL_HELP = "name, folder or hub id@revision"


def main(arguments: list[str] | None = None) -> int:
    """Run a command; a user's mistake ends in one clear line and exit code 2."""
    given = make_parser().parse_args(arguments)
    try:
        if given.command != "encode" and int(os.environ.get("WORLD_SIZE", "1")) > 1:
            from sbert_lab.training import one_leads

            with one_leads() as first:  # torchrun's other processes help it train
                return (given.run(given) or 0) if first else 0
        return given.run(given) or 0
    except LabError as error:
        print(f"sbert-lab: {error}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        print("sbert-lab: stopped; the same command goes on", file=sys.stderr)
        return 130
    except BrokenPipeError:  # somebody piped us into `head`
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0


def make_parser() -> argparse.ArgumentParser:
    text = "SBERT Lab: train, encode and examine sentence encoders."
    parser = argparse.ArgumentParser(prog="sbert-lab", description=text)
    parser.add_argument("--version", action="version", version=f"sbert-lab {__version__}")
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")
    add_library_commands(commands)
    add_data_commands(commands)
    add_experiment_commands(commands)
    add_course_commands(commands, add)
    return parser


def add(commands, name: str, run: Callable | None, text: str, example: str, *, short: str = ""):
    """A sub-parser whose help shows `text` and an example; `run` gets the arguments."""
    parser = commands.add_parser(
        name,
        help=short or text,
        description=text,
        epilog=f"example:\n  sbert-lab {example}",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.set_defaults(run=run)
    return parser


def add_profile(parser: argparse.ArgumentParser, text: str) -> None:
    parser.add_argument("--profile", choices=list(PROFILES), help=text)


def pick(given: argparse.Namespace, *names: str) -> dict:
    """Those of the arguments that were given, by name."""
    return {name: getattr(given, name) for name in names if getattr(given, name) is not None}


def say(line: str) -> None:
    print(line, flush=True)


# ---- the library: doctor, train, encode, search


def add_library_commands(commands) -> None:
    text = "Tell whether this machine is ready and what is at hand."
    doctor = add(commands, "doctor", run_doctor, text, "doctor --json")
    doctor.add_argument("--json", action="store_true", help="print the report as JSON")

    text = f"Train an encoder (SBERT) or a cross-encoder. {AGAIN}."
    example = "train my-sbert --objective classification --epochs 1"
    train = add(commands, "train", run_train, text, example)
    train.add_argument("output", type=Path, help="folder for the trained model")
    objectives = ["classification", "regression", "triplet"]
    train.add_argument("--objective", choices=objectives, default="classification")
    train.add_argument("--cross-encoder", action="store_true", help="read both sentences at once")
    train.add_argument("--backbone", help=f"{MODEL_HELP} (default: the profile's)")
    train.add_argument("--pooling", choices=["cls", "max", "mean"], help="default: mean")
    train.add_argument("--data", help="corpus name or a .jsonl file (default: by objective)")
    add_profile(train, "default: the current one")
    train.add_argument("--partial", action="store_true", help="accept an incomplete local copy")
    train.add_argument("--rows", type=int, help="use only the first so many rows")
    settings = {"epochs": int, "batch-size": int, "learning-rate": float, "seed": int}
    for name, kind in settings.items():
        train.add_argument(f"--{name}", type=kind, help="default: the profile's")
    train.add_argument("--compile", action="store_true", default=None, help="for long GPU runs")

    text = (
        "Embed a text file of any size, a sentence per line, into a .npy array in the same order. "
        f"{AGAIN}."
    )
    example = "encode sentences.txt vectors.npy --model mini-sbert --normalize"
    encode = add(commands, "encode", run_encode, text, example)
    encode.add_argument("sentences", type=Path, help="text file, UTF-8; '-' reads standard input")
    encode.add_argument("output", type=Path, help=".npy file to write")
    encode.add_argument("--model", default="mini-sbert", help=MODEL_HELP)
    encode.add_argument("--pooling", choices=["cls", "max", "mean"], help="default: the model's")
    encode.add_argument("--normalize", action="store_true", help="give every vector length 1")

    text = (
        "Build an index from a text file (one sentence a line) and answer queries: those of "
        "--query, else one a line from the terminal. With --index the index is kept, and the "
        "next call only opens it."
    )
    example = 'search questions.txt --query "How do I learn to cook?"'
    short = "find the sentences of a text file that are nearest to yours"
    search = add(commands, "search", run_search, text, example, short=short)
    search.add_argument("sentences", type=Path, help="text file, UTF-8, one sentence a line")
    search.add_argument("--query", action="append", metavar="TEXT", help="may be given repeatedly")
    search.add_argument("-k", type=int, default=5, help="answers for each query (default: 5)")
    search.add_argument("--index", help="a folder; for milvus questions.db or http://host:19530")
    search.add_argument("--backend", choices=["exact", "faiss", "milvus"], help="default: faiss")
    search.add_argument("--kind", help="flat (default) or hnsw; faiss: ivfpq; milvus: ivf")
    search.add_argument("--model", default="mini-sbert", help=MODEL_HELP)


def run_doctor(given: argparse.Namespace) -> int:
    from sbert_lab.course.doctor import describe, examine, problems

    report = examine()
    troubles = problems(report)
    as_json = json.dumps({**report, "problems": troubles}, indent=2)
    print(as_json if given.json else describe(report))
    return 1 if troubles else 0


def run_train(given: argparse.Namespace) -> None:
    from sbert_lab.tasks.train_to_folder import train_to_folder

    what = pick(given, "objective", "cross_encoder", "backbone", "pooling")
    rows = pick(given, "data", "partial", "rows")
    config = pick(given, "epochs", "batch_size", "learning_rate", "seed", "compile")
    for line in train_to_folder(given.output, get_profile(given.profile), **what, **rows, **config):
        say(line)


def run_encode(given: argparse.Namespace) -> None:
    from sbert_lab.encode_to_file import check_output, encode_to_file, read_lines
    from sbert_lab.encoder import SentenceEncoder

    typed = str(given.sentences) == "-"
    check_output(given.output)
    if not typed:
        next(read_lines(given.sentences), None)  # a missing file is told before the model loads
    encoder = SentenceEncoder.load(given.model, pooling=given.pooling)
    sentences = sys.stdin.read().splitlines() if typed else given.sentences
    shown = {"normalize": given.normalize, "show_progress": sys.stderr.isatty()}
    vectors = encode_to_file(encoder, sentences, given.output, **shown)
    if os.environ.get("RANK", "0") == "0":  # every process computes its share, the first speaks
        print(f"{vectors.shape[0]:,} sentences, {vectors.shape[1]} dimensions -> {given.output}")


def run_search(given: argparse.Namespace) -> None:
    from sbert_lab.search.kept import search_file

    options = pick(given, "k", "model", "backend", "kind", "index")
    for line in search_file(given.sentences, given.query, **options):
        say(line)


# ---- the corpora: data list, get, check


def add_data_commands(commands) -> None:
    text = "The corpora of the course: what is here, what can be had, from where."
    data = add(commands, "data", None, text, "data list", short="list, fetch and check the corpora")
    actions = data.add_subparsers(dest="action", required=True, metavar="list|get|check")
    text, short = "A line for each corpus.", "show every corpus"
    listing = add(actions, "list", run_list, text, "data list", short=short)
    text = "Fetch, or find, every split of one corpus in profile real."
    get = add(actions, "get", run_get, text, "data get stsb", short="fetch a corpus or minilm")
    get.add_argument("name", metavar="NAME", help="a corpus, or minilm: all-MiniLM-L6-v2")
    text = "accept a copy with fewer rows than the official one"
    get.add_argument("--partial", action="store_true", help=text)
    text = "Read every split that is here; exit code 1 if a file is broken, missing or changed."
    example, short = "data check --profile mini", "count every row here"
    check = add(actions, "check", run_check, text, example, short=short)
    for parser in (listing, check):
        add_profile(parser, "default: $SBERT_LAB_PROFILE, else mini")


def run_list(given: argparse.Namespace) -> None:
    from sbert_lab.data.overview import list_corpora

    print(list_corpora(get_profile(given.profile)))


def run_get(given: argparse.Namespace) -> None:
    from sbert_lab.data.overview import fetch

    for line in fetch(given.name, partial=given.partial):
        say(line)


def run_check(given: argparse.Namespace) -> int:
    from sbert_lab.data.overview import check

    return 1 if check(get_profile(given.profile), say=say) else 0


# ---- the experiments: evaluate, reproduce, ledger, claims


def add_experiment_commands(commands) -> None:
    text = "Measure one table of the paper; rows that are recorded already are not measured again."
    example = 'evaluate table1 --profile mini --rows "SBERT-NLI" --seeds 1'
    evaluate = add(commands, "evaluate", run_evaluate, text, example)
    evaluate.add_argument("table", choices=NAMES, metavar="tableN", help="table1 to table7")
    evaluate.add_argument("--rows", nargs="+", metavar="NAME", help="only these rows")
    evaluate.add_argument("--list", action="store_true", help="list the rows and stop")
    evaluate.add_argument("--again", action="store_true", help="measure recorded rows anew")

    text = f"Measure every table, then the claims. {AGAIN}."
    reproduce = add(commands, "reproduce", run_reproduce, text, "reproduce --profile mini")
    what = reproduce.add_mutually_exclusive_group()
    what.add_argument("--tables", nargs="+", choices=NAMES, metavar="tableN", help="only these")
    text = f"instead a study that is not in the paper: {', '.join(STUDIES)}"
    what.add_argument("--study", choices=list(STUDIES), metavar="NAME", help=text)
    reproduce.add_argument("--rows", nargs="+", metavar="NAME", help="only these, with --study")

    text = "From the recorded runs to the claims' verdicts, data/results/LEDGER.md and the README."
    ledger = add(commands, "ledger", run_ledger, text, "ledger --timings")
    text = "measure the claims about time anew (Table 7 is measured by `evaluate table7 --again`)"
    ledger.add_argument("--timings", action="store_true", help=text)

    text = "The claims C01-C26: recorded runs, and the verdicts found on this machine."
    short = "list the paper's claims and what came out"
    claims = add(commands, "claims", run_claims, text, "claims --json", short=short)
    form = claims.add_mutually_exclusive_group()
    form.add_argument("--json", action="store_true", help="print the ledger as JSON")
    form.add_argument("--markdown", action="store_true", help="print the tables of LEDGER.md")
    for parser in (evaluate, reproduce):
        add_profile(parser, "default: the current one")
        parser.add_argument("--seeds", type=int, help="at most so many seeds a row")
    add_profile(ledger, "default: mini and real")
    add_profile(claims, "of this machine's verdicts")


def run_evaluate(given: argparse.Namespace) -> None:
    from sbert_lab.experiments import module_of
    from sbert_lab.experiments.store import measure

    number, profile = NAMES.index(given.table) + 1, get_profile(given.profile)
    if given.list:
        for row in module_of(number).rows(profile):
            print(f"{row.name:36} {row.seeds} seed{'s' * (row.seeds > 1)}  {row.note}")
        return
    show(measure(number, profile, **pick(given, "rows", "seeds", "again"), say=say))


def run_reproduce(given: argparse.Namespace) -> None:
    from sbert_lab.experiments.ledger_page import update
    from sbert_lab.experiments.store import measure, measure_tables

    profile = get_profile(given.profile)
    if given.study:
        return show(measure(given.study, profile, **pick(given, "rows", "seeds"), say=say))
    tables = [NAMES.index(name) + 1 for name in given.tables or NAMES]
    measure_tables(tables, profile, seeds=given.seeds, say=say)
    update([profile.name], say=say)


def show(results) -> None:
    print(results.frame().to_string())
    print(f"data: {results.about['data']}\nwritten to {results.path}")


def run_ledger(given: argparse.Namespace) -> None:
    from sbert_lab.experiments.ledger_page import PROFILES, update

    update([given.profile] if given.profile else PROFILES, timings=given.timings, say=say)


def run_claims(given: argparse.Namespace) -> None:
    from sbert_lab.experiments.ledger_page import local_entries, markdown, terminal

    profile = get_profile(given.profile).name
    entries = local_entries(profile)
    if given.json:
        print(json.dumps({"profile": profile, "claims": entries}, indent=2))
    else:
        print(markdown(entries) if given.markdown else terminal(entries, profile))
