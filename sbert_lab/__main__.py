"""`python -m sbert_lab` is the command `sbert-lab`."""

import sys

from sbert_lab.cli import main

if __name__ == "__main__":
    sys.exit(main())
