"""python -m faults.fuzz: atheris changes files towards code that was not reached yet."""

import sys
import tempfile

import atheris

with atheris.instrument_imports(include=["sbert_lab.data.formats", "sbert_lab.data.glove"]):
    from faults import targets
from faults.inputs import handed_in


def main() -> None:
    readers = targets.parsers()
    names = sorted(readers)
    folder = tempfile.TemporaryDirectory()

    def one_input(content: bytes) -> None:
        if content:
            target = readers[names[content[0] % len(names)]]
            handed_in(lambda: target(None, content[1:]))

    corpus = tempfile.mkdtemp(dir=folder.name)
    for place, name in enumerate(names):
        with open(f"{corpus}/{place}", "wb") as file:
            file.write(bytes([place]) + targets.seed_file(name))
    atheris.Setup([*sys.argv, corpus], one_input)
    atheris.Fuzz()


if __name__ == "__main__":
    main()
