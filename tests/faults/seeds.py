"""A small right file for every parser, to be spoiled."""

NLI = b'{"gold_label": "neutral", "sentence1": "A hen runs.", "sentence2": "It is late."}\n'
STSB = b"main\tx\t2012\t1\t2.5\tA hen runs.\tA bird runs.\n"

SEEDS: dict[str, tuple[tuple[str, bytes], ...]] = {
    "nli": (("a.jsonl", NLI * 3),),
    "nli_genre": (("a.jsonl", NLI.replace(b"}", b', "genre": "fiction"}') * 2),),
    "nli_source": (("a.tsv", b"label\tsentence1\tsentence2\tsource\nneutral\ta\tb\tsnli\n"),),
    "stsb": (("sts-dev.csv", STSB * 3),),
    "sts": (("STS.input.x.txt", b"a b\tc d\ne\tf\n"), ("STS.gs.x.txt", b"2.5\n\n")),
    "sick": (("s.txt", b"sentence_A\tsentence_B\trelatedness_score\na\tb\t3.5\nc\td\t1\n"),),
    "afs": (
        ("ArgPairs_DP.csv", b'regression_label,sentence_1,sentence_2\n2.5,"a, b",c\n0,d,e\n'),
    ),
    "afs_binary": (("b.tsv", b"topic\tsentence1\tsentence2\tlabel\nt\ta\tb\tSimilar\n"),),
    "ukp_aspect": (("u.tsv", b"topic\tsentence_1\tsentence_2\tlabel\nt\ta\tb\tHS\n"),),
    "wiki_sections": (("t.csv", b'Sentence1,Sentence2,Sentence3\n"a, b",c,d\ne,f,"g ""h"""\n'),),
    "wikitext": (("w.raw", b" = Title = \n\n Text , 3 @.@ 1 . \n = = S = = \n More . \n"),),
    "two_files": (("pos", b"good\nfine\n"), ("neg", b"bad\n\n")),
    "sst": (("sst", b"a good film\t1\na bad one\t0\n"),),
    "trec": (("t.label", b"NUM:count How many ?\nLOC:city Where ?\n"),),
    "mrpc": (("m.txt", b"\xef\xbb\xbfQuality\t#1 String\t#2 String\n1\ta\tb\n"),),
    "quora": (("q.tsv", b'id\tquestion1\tquestion2\tis_duplicate\n1\t"a\nb"\tc\t0\n'),),
    "tatoeba": (("e.tsv", b"A hen runs.\tsomebody\nIt is late.\tanother\n"),),
    "glove": (("g.txt", b"the 0.1 0.2 0.3\nhen 1 2 3\n"),),
    "jsonl": (("rows.jsonl", NLI * 2),),
    "lines": (("x.txt", b"A hen runs.\n\nIt is late.\n"),),
    "manifest": (("manifest.json", b'{"corpora": {"stsb": {"dev": 2}}, "files": {}}'),),
    "index": (("index.json", b'{"kind": "exact", "about": {}, "sha256": {}}'),),
    "modules": (
        ("modules.json", b'[{"idx": 0, "path": "", "type": "x.Transformer"}, '
         b'{"path": "1_Pooling", "type": "x.Pooling"}]'),
        ("sentence_bert_config.json", b'{"max_seq_length": 64, "do_lower_case": false}'),
        ("1_Pooling/config.json", b'{"pooling_mode_mean_tokens": true}'),
    ),
}  # fmt: skip
