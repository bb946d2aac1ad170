"""The command `sbert-lab`."""

import argparse
import json
import os
import sys
from pathlib import Path

from sbert_lab import __version__
from sbert_lab.cli.claims import add_claims_command
from sbert_lab.cli.command import add_command
from sbert_lab.cli.data import add_data_command
from sbert_lab.cli.evaluate import add_evaluate_commands
from sbert_lab.cli.search import add_search_command
from sbert_lab.errors import InputError, LabError

OBJECTIVE_DATA = {"classification": "nli", "regression": "stsb", "triplet": "wiki_sections"}


def main(arguments: list[str] | None = None) -> int:
    """Run a command; a user's mistake ends in one clear line and exit code 2."""
    given = _parser().parse_args(arguments)
    try:
        return given.run(given)
    except LabError as error:
        print(f"sbert-lab: {error}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        print("sbert-lab: stopped; the same command goes on", file=sys.stderr)
        return 130
    except BrokenPipeError:  # somebody piped us into `head`
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="sbert-lab", description="SBERT Lab: train, encode and examine sentence encoders."
    )
    parser.add_argument("--version", action="version", version=f"sbert-lab {__version__}")
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")
    _add_doctor(commands)
    _add_train(commands)
    _add_encode(commands)
    add_search_command(commands)
    add_data_command(commands)
    add_evaluate_commands(commands)
    add_claims_command(commands)
    return parser


# ---- doctor


def _add_doctor(commands) -> None:
    text = "Tell whether this machine is ready and what is at hand."
    parser = add_command(commands, "doctor", _doctor, text, "sbert-lab doctor --json")
    parser.add_argument("--json", action="store_true", help="print the report as JSON")


def _doctor(given: argparse.Namespace) -> int:
    from sbert_lab.course.doctor import describe, examine, problems

    report = examine()
    troubles = problems(report)
    if given.json:
        print(json.dumps({**report, "problems": troubles}, indent=2))
    else:
        print(describe(report))
    return 1 if troubles else 0


# ---- train


def _add_train(commands) -> None:
    text = (
        "Train an encoder (SBERT) or a cross-encoder. An interrupted run goes on when called again."
    )
    example = "sbert-lab train my-sbert --objective classification --epochs 1"
    parser = add_command(commands, "train", _train, text, example)
    parser.add_argument("output", type=Path, help="folder for the trained model")
    parser.add_argument("--objective", choices=sorted(OBJECTIVE_DATA), default="classification")
    parser.add_argument("--cross-encoder", action="store_true", help="read both sentences at once")
    parser.add_argument(
        "--backbone", help="name, folder or hub id@revision (default: the profile's)"
    )
    parser.add_argument("--pooling", choices=["cls", "max", "mean"], help="default: mean")
    parser.add_argument("--data", help="corpus name or a .jsonl file (default: by objective)")
    parser.add_argument("--profile", choices=["mini", "real", "paper"])
    parser.add_argument("--partial", action="store_true", help="accept an incomplete local copy")
    parser.add_argument("--rows", type=int, help="use only the first so many rows")
    for name, kind in (
        ("epochs", int),
        ("batch-size", int),
        ("learning-rate", float),
        ("seed", int),
    ):
        parser.add_argument(f"--{name}", type=kind, help="default: the profile's")


def _train(given: argparse.Namespace) -> int:
    from dataclasses import replace

    from sbert_lab.encoder import SentenceEncoder
    from sbert_lab.profiles import get_profile
    from sbert_lab.tasks import CrossEncoder, Siamese
    from sbert_lab.training import train

    profile = get_profile(given.profile)
    settings = {"classification": profile.train, "regression": profile.sts}
    config = settings.get(given.objective, profile.sections)
    names = ("epochs", "batch_size", "learning_rate", "seed")
    config = replace(
        config, **{n: getattr(given, n) for n in names if getattr(given, n) is not None}
    )
    rows = _rows(given.data or OBJECTIVE_DATA[given.objective], profile.name, given.partial)
    rows = rows[: given.rows] if given.rows else rows
    encoder = SentenceEncoder.load(given.backbone or profile.backbone, pooling=given.pooling)
    kind = CrossEncoder if given.cross_encoder else Siamese
    task = kind(encoder, given.objective, seed=config.seed)
    print(f"{len(rows):,} rows, objective {given.objective}, {profile}")
    history = train(task, rows, config, run_dir=given.output.with_name(given.output.name + ".run"))
    if os.environ.get("RANK", "0") != "0":
        return 0  # under torchrun the first process writes
    (task if given.cross_encoder else encoder).save(given.output)
    print(f"loss {history.losses[0]:.3f} -> {history.losses[-1]:.3f}; saved in {given.output}")
    return 0


def _rows(data: str, profile: str, partial: bool) -> list[dict]:
    if data.endswith(".jsonl"):
        return read_jsonl(Path(data))
    from sbert_lab.data import load

    return list(load(data, "train", profile=profile, partial=partial))


def read_jsonl(path: Path) -> list[dict]:
    """Rows of a .jsonl file; a broken line is named."""
    rows = []
    for number, line in enumerate(_lines(path), start=1):
        if line.strip():
            try:
                rows.append(json.loads(line))
            except ValueError as error:
                raise InputError(f"{path}, line {number}: not JSON ({error})") from error
    return rows


# ---- encode


def _add_encode(commands) -> None:
    text = (
        "Embed a text file of any size, a sentence per line, into a .npy array in the same order. "
        "An interrupted run goes on when called again; under torchrun processes share the work."
    )
    example = "sbert-lab encode sentences.txt vectors.npy --model mini-sbert --normalize"
    parser = add_command(commands, "encode", _encode, text, example)
    parser.add_argument("sentences", type=Path, help="text file, UTF-8; '-' reads standard input")
    parser.add_argument("output", type=Path, help=".npy file to write")
    parser.add_argument("--model", default="mini-sbert", help="name, folder or hub id@revision")
    parser.add_argument("--pooling", choices=["cls", "max", "mean"], help="default: the model's")
    parser.add_argument("--normalize", action="store_true", help="give every vector length 1")


def _encode(given: argparse.Namespace) -> int:
    from sbert_lab.encode_to_file import encode_to_file, read_lines
    from sbert_lab.encoder import SentenceEncoder

    if str(given.sentences) != "-":
        next(read_lines(given.sentences), None)  # a missing file is told before the model loads
    encoder = SentenceEncoder.load(given.model, pooling=given.pooling)
    sentences = sys.stdin.read().splitlines() if str(given.sentences) == "-" else given.sentences
    options = {"normalize": given.normalize, "show_progress": sys.stderr.isatty()}
    vectors = encode_to_file(encoder, sentences, given.output, **options)
    if os.environ.get("RANK", "0") != "0":
        return 0  # under torchrun every process computes its share, the first one speaks
    print(f"{vectors.shape[0]:,} sentences, {vectors.shape[1]} dimensions -> {given.output}")
    return 0


def _lines(path: Path) -> list[str]:
    if str(path) == "-":
        return sys.stdin.read().splitlines()
    try:
        return path.read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(f"cannot read {path}: {error}") from error


if __name__ == "__main__":
    sys.exit(main())
