"""How every command of `sbert-lab` is registered: a help text and an example."""

import argparse
from collections.abc import Callable


def add_command(
    commands, name: str, run: Callable[[argparse.Namespace], int], text: str, example: str
) -> argparse.ArgumentParser:
    """A sub-parser whose help shows `text` and an example; `run` gets the arguments."""
    parser = commands.add_parser(
        name,
        help=text,
        description=text,
        epilog=f"example:\n  {example}",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.set_defaults(run=run)
    return parser
