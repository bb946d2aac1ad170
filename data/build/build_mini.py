"""Build data/mini from data/build/sources, byte for byte the same on every machine.

`python data/build/build_mini.py` writes data/mini and the computed parts of data/README.md;
`--check` compares both with what is there and writes nothing.
"""

import argparse
import sys
from pathlib import Path

import afs
import card
import everyday
import nli
import questions
import sections
import senteval
import sts
from output import Output, differences, write_folder
from templates import SourceError

DATA = Path(__file__).resolve().parents[1]
BUILDERS = (
    *(nli.build, everyday.build, sts.build, afs.build),
    *(sections.build, senteval.build, questions.build),
)


def build() -> Output:
    """All corpora, in memory."""
    output = Output()
    for build_corpus in BUILDERS:
        build_corpus(output)
    return output


def check(output: Output) -> list[str]:
    """What differs from the sources in data/mini and data/README.md."""
    problems = differences(output.all_files(), DATA / "mini")
    text = (DATA / "README.md").read_text(encoding="utf-8")
    if card.fill(text, output) != text:
        problems.append("data/README.md differs in its sizes or rows")
    return problems


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description="Build data/mini from data/build/sources.")
    parser.add_argument("--check", action="store_true", help="compare only, write nothing")
    options = parser.parse_args(arguments)
    try:
        output = build()
    except SourceError as problem:
        print(problem, file=sys.stderr)
        return 1
    files = output.all_files()
    if options.check:
        problems = check(output)
        print("\n".join(problems) or f"data/mini is as its sources say: {len(files)} files")
        return 1 if problems else 0
    write_folder(files, DATA / "mini")
    readme = DATA / "README.md"
    text = card.fill(readme.read_text(encoding="utf-8"), output)
    readme.write_text(text, encoding="utf-8", newline="\n")
    print(f"data/mini: {len(files)} files, {sum(map(len, files.values())) / 1e6:.1f} MB")
    return 0


if __name__ == "__main__":
    sys.exit(main())
