"""Parsers for the official files. Each takes the paths of one split and yields rows (dicts).

A line that does not fit is an error that names the file and the line.
"""

from collections.abc import Callable, Iterator
from pathlib import Path

from sbert_lab.data.formats import arguments, nli, questions, senteval, sts, wikipedia

Reader = Callable[[list[Path]], Iterator[dict]]

READERS: dict[str, Reader] = {
    "nli": nli.read_nli,
    "nli_genre": nli.read_nli_genre,
    "nli_source": nli.read_nli_source,
    "stsb": sts.read_stsb,
    "sts": sts.read_sts,
    "sick": sts.read_sick,
    "afs": arguments.read_afs,
    "afs_binary": arguments.read_afs_binary,
    "ukp_aspect": arguments.read_ukp_aspect,
    "wiki_sections": wikipedia.read_section_triplets,
    "wikitext": wikipedia.read_paragraphs,
    "two_files": senteval.read_two_files,
    "sst": senteval.read_sst,
    "trec": senteval.read_trec,
    "mrpc": senteval.read_mrpc,
    "quora": questions.read_quora,
    "tatoeba": questions.read_tatoeba,
}
