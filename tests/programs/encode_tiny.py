"""Embed a text file: encode_tiny.py BACKBONE SENTENCES OUT.npy WINDOW [die in this batch].

With a batch to die in, the process kills itself with SIGKILL before that batch is computed.
"""

import os
import signal
import sys

import torch

from sbert_lab.encode_to_file import encode_to_file
from sbert_lab.encoder import SentenceEncoder
from sbert_lab.training.processes import Processes


def main() -> None:
    torch.set_num_threads(1)
    backbone, sentences, output, window = sys.argv[1:5]
    die_in = int(sys.argv[5]) if len(sys.argv) > 5 else None
    encoder = SentenceEncoder.load(backbone)
    real, calls = encoder.begin, []

    def begin(batch, **given):
        calls.append(len(batch))
        if len(calls) == die_in:
            os.kill(os.getpid(), signal.SIGKILL)
        return real(batch, **given)

    tokenize, read, talks = encoder.tokenize, [], []
    encoder.tokenize = lambda sentences: (read.extend(sentences), tokenize(sentences))[1]
    for name in ("tell", "wait"):
        plain = getattr(Processes, name)
        setattr(Processes, name, lambda *a, plain=plain: (talks.append(1), plain(*a))[1])
    encoder.begin = begin
    encode_to_file(encoder, sentences, output, token_budget=64, window=int(window))
    rank = os.environ.get("RANK", "0")
    print(f"rank {rank}: {len(calls)} batches, {len(read)} read, {len(talks)} talks", flush=True)


if __name__ == "__main__":
    main()
