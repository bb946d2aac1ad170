# %% [markdown]
# # 15 · How do you search a million sentences?
#
# After this notebook you will be able to
#
# - search a collection by meaning, and find its duplicates without ever holding all cosines;
# - say what an index saves, what it misses and what it weighs, before you build one;
# - group sentences nobody has labelled, and say how far to trust the groups and their map.
#
# About MINUTES minutes, a minute of it computing · profile mini · paper: section 1, claims C02 and C03

# %% tags=["setup"]
setup(
    "15_search_and_clustering",
    study_minutes=MINUTES,
    computing_seconds=50,
    needs=("faiss-cpu", "umap-learn"),
)

import math
import random
import tempfile
import textwrap
import time

import numpy as np
import pandas as pd

from sbert_lab import data, search
from sbert_lab.course import nb15 as checks
from sbert_lab.course import nb15 as figures
from sbert_lab.course import plots, widgets
from sbert_lab.encoder import SentenceEncoder
from sbert_lab.errors import LabError
from sbert_lab.experiments import paper
from sbert_lab.experiments.evaluation import duplicates, indexes
from sbert_lab.experiments.results import has_study, open_bench, open_study
from sbert_lab.experiments.zoo import random_encoder
from sbert_lab.profiles import get_profile
from sbert_lab.tasks import CrossEncoder
from sbert_lab.word_vectors import WordVectors

profile = get_profile()
recorded = open_study("search_indexes", "mini")

# %% [markdown]
# ## 1 · Search by meaning
#
# The paper opens with a question site: somebody types a question; has it been asked before? Our
# collection is the course's own, in the format of the Quora pairs: two questions and a label,
# **duplicate** or **different**. Ten rows, drawn by a fixed seed:

# %%
rows = data.load("quora", "train", partial=True)
rows = rows.select(range(min(10_000, len(rows))))  # real Quora has 404,290 pairs: some are enough
print("question pairs:", data.coverage("quora", "train"))
for number in random.Random(15).sample(range(len(rows)), 10):
    row = rows[number]
    print(f"\n{'duplicate' if row['label'] else 'different'}\n  {row['sentence1']}")
    print(f"  {row['sentence2']}")

# %% [markdown]
# `collect` takes each question once and joins what chains of duplicates connect: if A is a duplicate
# of B and B of C, then A, B and C are one **group**. Pairs within a group are our
# **gold**: the right answers.

# %%
questions = duplicates.collect(rows)
every_pair = math.comb(len(questions.texts), 2)
print(f"{len(questions.texts):,} questions, {every_pair:,} pairs")
print(f"gold: {questions.gold_pairs:,} of them are duplicates,", end=" ")
print(f"one in {every_pair // questions.gold_pairs:,}")

# %% [markdown]
# One pass per question, once and for all. Then a search is one product: the query's vector with
# all others. The encoder is mini-sbert, a small tuned encoder of ours (notebook 17 says how it was made).

# %% tags=["nbval-ignore-output"]
encoder = SentenceEncoder.load("mini-sbert")
start = time.perf_counter()
vectors = encoder.encode(questions.texts, normalize=True)  # (N, H), each of length 1
embed_seconds = time.perf_counter() - start
print(f"embedding: {embed_seconds:.1f} s")


def ask(query, k=5):
    cosines, found = search.top_k(encoder.encode([query]), vectors, k=k)
    print(query)
    for cosine, row in zip(cosines[0], found[0], strict=True):
        print(f"  {cosine:.3f}  {questions.texts[row]}")


ask("How can I learn to swim as an adult?")  # change me: ask a question of your own

# %% [markdown]
# How many of the five would help the person who asks? A search always answers, whether there is
# something to find or not. Try "How do I get better at cooking?", which nobody here has asked.
#
# Then try three of your own. Look for one whose best answer shares hardly a word with it, and for
# one that the encoder gets wrong. Here the search answers while you type:


# %% tags=["nbval-ignore-output"]
def answers(query):
    cosines, found = search.top_k(encoder.encode([query]), vectors, k=6)
    return figures.hits(cosines[0], [questions.texts[row] for row in found[0]])


_ = widgets.explore(
    answers,
    query=widgets.Words("search", "How can I learn to swim as an adult?"),
    caption="The six nearest questions; a bar is as long as its cosine. Delete the question word by "
    "word: which word did the answers depend on?",
    alt="Six bars, each with a question of the collection and its cosine with the query.",
)

# %% [markdown]
# `top_k` is exact: it computes every cosine, a **block** at a time, and keeps only the best. The
# memory it needs is one block, however many vectors there are. By hand, for one query:


# %%
def five_best(query, vectors, block=500):
    """Rows of the five highest cosines: (H,), (N, H) -> (5,), best first."""
    rows, cosines = np.empty(0, dtype=int), np.empty(0)
    for start in range(0, len(vectors), block):
        found = vectors[start : start + block] @ query  # (block,): all that is held at once
        rows = np.concatenate([rows, np.arange(start, start + len(found))])
        cosines = np.concatenate([cosines, found])
        keep = np.argsort(-cosines)[:5]  # the old best and the new ones compete
        rows, cosines = rows[keep], cosines[keep]
    return rows


query = encoder.encode(["How can I learn to swim as an adult?"], normalize=True)
assert five_best(query[0], vectors).tolist() == search.top_k(query, vectors, k=5)[1][0].tolist()
print("five best, block by block: the same rows as the package's")

# %% [markdown]
# ## 2 · Which two are the same question?
#
# Now without a query: find the duplicates in the collection. All pairs compete, and for a big
# collection the matrix of all cosines would be far too large. So again block by block. Two things
# go wrong when people write this for the first time; see whether they happen to you.

# %% [markdown]
# ### Exercise 1 · The closest pairs, block by block (3 points)
#
# Write `closest_pairs`. It gets unit vectors (N, H), and returns the k pairs of row numbers with
# the highest cosine, best first, each as `(i, j)` with i < j. It may compare at most `block` rows
# with the others at a time: no product larger than `block` x N.


# %% id="15-pairs" tags=["exercise", "points:3"]
def closest_pairs(vectors, k, block):
    """(N, H) -> the k most similar pairs [(i, j), ...], i < j, best first."""
    ### BEGIN SOLUTION
    best = []
    for start in range(0, len(vectors), block):
        cosines = vectors[start : start + block] @ vectors[start:].T  # (block, N - start)
        for row, column in zip(*np.triu_indices(len(cosines), 1, cosines.shape[1]), strict=True):
            best.append((cosines[row, column], start + row, start + column))
        best = sorted(best, reverse=True)[:k]
    return [(i, j) for _, i, j in best]
    ### END SOLUTION


# %% id="15-pairs-check" tags=["test", "points:3"]
checks.closest_pairs(closest_pairs)

# %% [markdown]
# The package has the fast version, `search.best_pairs`. On the first 400 questions the matrix of all
# cosines is small enough to look at, so we can check it: the same ten pairs.

# %%
square = np.triu(vectors[:400] @ vectors[:400].T, k=1)  # the upper triangle, each pair once
looked_up = np.argsort(-square, axis=None)[:10]
pairs = [tuple(int(n) for n in np.unravel_index(place, square.shape)) for place in looked_up]
assert pairs == [(i, j) for _, i, j in search.best_pairs(vectors[:400], limit=10, block=128)]
print("block by block and all at once: the same ten pairs")

# %% [markdown]
# **Predict.** We take the 100 pairs of the collection with the highest cosine. How many of them
# are duplicates, according to the labels?

# %%
guess_hundred = None  # your guess, 0 to 100

# %% tags=["nbval-ignore-output"]
start = time.perf_counter()
best = search.best_pairs(vectors, limit=100)
pair_seconds = time.perf_counter() - start
same = [questions.groups[i] == questions.groups[j] for _, i, j in best]
you_said(guess_hundred, sum(same), unit="of 100")
print(f"all {every_pair:,} cosines: {pair_seconds:.1f} s\n")
for (cosine, i, j), gold in list(zip(best, same, strict=True))[:100:10]:
    print(f"{cosine:.3f}  {'gold' if gold else 'not gold'}")
    print(f"  {questions.texts[i]}\n  {questions.texts[j]}")

# %% [markdown]
# Every tenth of the hundred is shown. Read these pairs before you read on. Where they are not gold,
# what differs: a word, a number? Is the label wrong, or the encoder? If you ask about a
# bank account for a child of five, the answer for a child of twelve does not help, and sixty is not
# forty; yet the vectors of such questions are nearly the same.
#
# (Two honest remarks. Nobody labelled *all* pairs, so a pair outside the gold may still be a
# duplicate: the precision below is a lower bound. And our mini collection was made so that many
# questions have near twins with one word changed; real collections have fewer.)

# %% [markdown]
# ### Where to draw the line?
#
# A duplicate detector calls every pair from some cosine on a duplicate. **Precision**: how many
# of the called pairs are duplicates? **Recall**: how many of the duplicates are called? And
# **F1 = 2 hits / (called + duplicates)**, which is high only if both are.

# %% [markdown]
# ### Exercise 2 · Choose the threshold (2 points)
#
# You get cosines and labels (1: duplicate) of *dev* pairs and *test* pairs; one pair in twelve is
# a duplicate. Choose the threshold with the best F1, and report that threshold and the F1 that a
# new user will see. A pair is called a duplicate if its cosine is **at least** the threshold.


# %% id="15-threshold" tags=["exercise", "points:2"]
def choose_threshold(dev_cosines, dev_labels, test_cosines, test_labels):
    """Four arrays (P,) -> (threshold, F1 on test, between 0 and 1)."""

    def f1(cosines, labels, threshold):
        called = cosines >= threshold
        return 2 * (called & (labels == 1)).sum() / (called.sum() + labels.sum())

    ### BEGIN SOLUTION
    best = max(np.unique(dev_cosines), key=lambda one: f1(dev_cosines, dev_labels, one))
    return best, f1(test_cosines, test_labels, best)
    ### END SOLUTION


# %% id="15-threshold-check" tags=["test", "points:2"]
checks.threshold(choose_threshold)

# %% [markdown]
# Now the same with our questions: the threshold from the first half of the labelled pairs, the
# numbers from the second half. Among labelled pairs, more than a third are duplicates. In the
# whole collection it is one pair in thousands.
#
# **Predict.** The same threshold, used on all pairs: what precision, in per cent?

# %%
half = len(rows) // 2
shares = (100 * questions.labels.mean(), 100 * questions.gold_pairs / every_pair)
print("duplicates: {:.0f} % of the labelled pairs, {:.3f} % of all pairs".format(*shares))
guess_precision = None  # your guess, in per cent

# %% tags=["nbval-ignore-output"]
cosines = (vectors[questions.left] * vectors[questions.right]).sum(axis=1)
threshold = duplicates.best_threshold(cosines[:half], questions.labels[:half])
line = np.linspace(0.3, 0.99, 36)
test_labels = questions.labels[half:]
labelled = [duplicates.precision_recall(cosines[half:], test_labels, t)[:2] for t in line]
*everywhere, there = np.transpose(
    duplicates.among_all_pairs(vectors, questions.groups, [*line, threshold])
)  # (precision, recall) for each threshold
you_said(guess_precision, 100 * float(there[0]), unit="%")

# %% tags=["nbval-ignore-output"]
plots.show(
    figures.precision_and_recall(line, np.transpose(labelled), np.transpose(everywhere), threshold),
    caption="One encoder, one threshold, two precisions: follow the solid line at the dotted mark "
    "from the left panel to the right one. Among all pairs so many more can be wrong.",
    alt="Two panels with precision and recall against the threshold, for the labelled pairs on the "
    "left and for all pairs of the collection on the right.",
)

# %% [markdown]
# This is the **base rate** at work, and it is why a score on labelled pairs says little about a
# search. A threshold must be chosen on data that look like its use.
#
# Is the encoder to blame, or the task? Four rows: mini-sbert; averaged word vectors; a network
# with **random weights**; and mini-sbert scored against **shuffled groups**, which is what chance
# gives. "Found" asks the searcher's question: is a duplicate among my 1 or 10 nearest?

# %% tags=["nbval-ignore-output"]
RANDOM = "random weights, untrained"
others = {
    "averaged word vectors": WordVectors.load("word-vectors").encode(questions.texts),
    RANDOM: random_encoder(profile, seed=1).encode(questions.texts),
}
table = {"mini-sbert": duplicates.report(vectors, questions)}
table |= {name: duplicates.report(some, questions) for name, some in others.items()}
draw = np.random.default_rng(1)
shuffled = duplicates.Questions(
    **{**vars(questions), "groups": draw.permutation(questions.groups),
       "labels": draw.permutation(questions.labels)}
)  # fmt: skip
table["mini-sbert, shuffled labels"] = duplicates.report(vectors, shuffled)
if has_study("quora_duplicates", "real"):
    real = open_study("quora_duplicates", "real")
    found = {name: real.mean("mini-sbert", name) for name in real.columns}
    table["mini-sbert, real Quora (recorded)"] = found
    came_from(real)
display(pd.DataFrame(table).T.round(2))
in_ten = {name: row["found in 10"] for name, row in table.items()}
shows(
    in_ten["mini-sbert"] - in_ten["averaged word vectors"],
    margin=1,
    more="Among its ten nearest, mini-sbert finds a duplicate {by:.0f} points more often than averaged "
    "word vectors do.",
    less="Among its ten nearest, mini-sbert finds a duplicate {by:.0f} points *less* often than averaged "
    f"word vectors, which know only which words occur; random weights find {in_ten[RANDOM]:.0f} %.",
    same="Among its ten nearest, mini-sbert finds duplicates as often as averaged word vectors do.",
)

# %% [markdown]
# (Everything but the threshold is in per cent.) Calling *every* labelled pair a duplicate has a recall
# of 100 % and the precision printed above as their share, so the two *labelled* columns tell the rows
# apart far less than *all-pairs precision* and *found* do. Our mini collection is full of near twins,
# where the exact words matter. And note that the teacher of mini-sbert had seen Quora's duplicates:
# the row of real questions is no test of it.
#
# What it cost, beside the paper's claim C02 (one of its sentences that this course measures;
# decided in [notebook 01](01_the_cost_of_comparing.ipynb)):

# %% tags=["nbval-ignore-output"]
claim = paper.get_claim("C02")
print(f"C02: {claim.claim}\n  the paper: {claim.paper}")
print(f"  here, {len(vectors):,} questions: {embed_seconds:.1f} s to embed them,", end=" ")
print(f"{pair_seconds:.2f} s for all {every_pair:,} cosines")

# %% [markdown]
# ## 3 · An index: look at less
#
# Exact search looks at every vector. For a million of them that takes a while, for forty million a
# long while. An **index** looks at fewer. FAISS, the library that the paper names, offers many; the
# package wraps three:
#
# - **flat**: no trick at all, every vector, exact;
# - **HNSW**: a graph. Each vector is linked to some near ones; a query walks along the links
#   towards its neighbours. *Effort*: how many candidates it keeps in mind;
# - **IVF-PQ**: two tricks. The space is cut into cells, and a query looks into the nearest few
#   (*effort*: how many). And each vector is **compressed**: cut into pieces, each replaced by the
#   nearest of 256 learned pieces, so one byte a piece.
#
# What an index may lose is measured by **recall@10**: of the ten true nearest, how many does it
# find? Recall against *exact search*, not against what people would say.

# %% [markdown]
# ### Exercise 3 · The recall of an index (1 point)
#
# `exact` holds the k true nearest of each query, `found` what an index gave, as row numbers; -1
# stands where it found fewer than k. The order within a query does not count. Give back the
# recall@k, the mean over the queries.


# %% id="15-recall" tags=["exercise", "points:1"]
def recall(found, exact):
    """Row numbers (Q, k), (Q, k) -> the share of the exact neighbours that were found, 0 to 1."""
    ### BEGIN SOLUTION
    return np.mean([len(set(f) & set(e)) / len(e) for f, e in zip(found, exact, strict=True)])
    ### END SOLUTION


# %% id="15-recall-check" tags=["test", "points:1"]
checks.recall(recall)

# %% [markdown]
# ### Vectors to fill it with
#
# We have a few thousand questions and want a hundred thousand vectors. Random ones would be easy
# to make, and misleading. We make new ones by **perturbing** real embeddings: a question's vector,
# moved by 0.3 of the difference between two other questions: a + 0.3 (b - c).
#
# **To be plain: no sentence belongs to these vectors.** They also come in families: about 15
# children of each question among 100,000, about 150 in a million, and most of a query's ten nearest
# are its own siblings (counted below). They can show time, memory and recall, not whether answers
# are good. Do they at least lie as real ones do? Look at how near the neighbours are:

# %%
peek(indexes.perturb)
made = indexes.perturb(vectors, 100_000, seed=1)
noise = np.random.default_rng(1).normal(size=vectors.shape).astype(np.float32)
print("made:", made.shape, "| for the comparison, as many random ones as questions:", noise.shape)

# %% tags=["nbval-ignore-output"]
curves = {
    f"questions ({len(vectors):,})": indexes.neighbour_curve(vectors),
    f"perturbed ({len(vectors):,})": indexes.neighbour_curve(made[: len(vectors)]),
    f"random ({len(vectors):,})": indexes.neighbour_curve(noise),
    f"perturbed ({len(made):,})": indexes.neighbour_curve(made, sample=200),
}
plots.show(
    figures.neighbour_curves(curves),
    caption="Compare curves of equal number: perturbed vectors have neighbours about as near as "
    "real questions have, random ones have no near neighbour at all. More vectors, nearer ones.",
    alt="Mean cosine against the rank of the neighbour for questions, perturbed vectors and random "
    "vectors; the first two lie close together, the random curve far below.",
)

# %% [markdown]
# No random vector is near any other: the first neighbour is farther away than the hundredth
# of a real question. A benchmark on random vectors measures a problem that nobody has.
#
# And the families? The uppermost curve bends near rank 15: there the siblings end. A made vector's
# parent is nearly always the real question nearest to it, so we can count, for the 200 queries that
# we will ask:

# %% tags=["nbval-ignore-output"]
queries = indexes.perturb(vectors, 200, seed=2)
nearest = made[search.top_k(queries, made, k=10)[1].ravel()]  # (200 * 10, H)
parent, parents = (search.top_k(some, vectors, k=1)[1] for some in (queries, nearest))
siblings = (parents.reshape(-1, 10) == parent).mean()
print(f"{100 * siblings:.0f} % of a query's ten nearest are its siblings;", end=" ")
print(f"each question has about {len(made) / len(vectors):.0f} children")

# %% [markdown]
# ### Three indexes, 100,000 vectors
#
# **Predict.** An HNSW index with effort 64 on 100,000 vectors: how many times as fast as flat?
# And what recall@10, in per cent, does IVF-PQ reach with 8 cells visited?

# %%
guess_faster = None  # your guess: how many times as fast
guess_recall = None  # your guess, in per cent

# %% [markdown]
# We ask 200 queries, one at a time, as users come: first among our own questions, then among the
# 100,000. The clock counts processor time, so that a busy machine does not disturb it. This is the
# longest cell of the notebook; most of it goes into building the graph.

# %% tags=["nbval-ignore-output"]
EFFORTS = {"flat": [1], "hnsw": [16, 64, 256], "ivfpq": [1, 8, 64]}


def try_indexes(collection, kinds):
    """Recall, ms per query and bytes per vector of each kind and effort."""
    truth, entries = search.top_k(queries, collection, k=10)[1], []  # the truth is exact
    for kind in kinds:
        begin, settings = time.process_time(), recorded.about["settings"][kind]
        index = search.VectorIndex.build(collection, ["-"] * len(collection), kind=kind, **settings)
        about = {"build_seconds": time.process_time() - begin, "bytes": index.bytes_per_vector}
        for effort in EFFORTS[kind]:
            index.set_effort(effort)
            found = indexes.measure_index(index, queries, truth, clock=time.process_time)
            name = {"vectors": len(collection), "kind": kind, "effort": effort}
            entries.append({**name, **found, **about})
    return entries


small = try_indexes(vectors, ["flat", "hnsw"])  # a few thousand need no compressing
live = try_indexes(made, EFFORTS)

# %% tags=["nbval-ignore-output"]
seen = pd.DataFrame([*small, *live]).set_index(["vectors", "kind", "effort"])
overview = {
    "recall@10 (%)": (100 * seen["recall"]).round(1),
    "ms per query": seen["ms"].round(2),
    "build (s)": seen["build_seconds"].round(1),
    "bytes per vector": seen["bytes"].round().astype(int),
}
display(pd.DataFrame(overview))

# %% tags=["nbval-ignore-output"]
by_effort = {(entry["kind"], entry["effort"]): entry for entry in live}
faster = by_effort["flat", 1]["ms"] / by_effort["hnsw", 64]["ms"]
you_said(guess_faster, faster, unit="times as fast")
you_said(guess_recall, 100 * by_effort["ivfpq", 8]["recall"], unit="%")
few = {(entry["kind"], entry["effort"]): entry["ms"] for entry in small}
print(f"among {len(vectors):,} vectors: {few['flat', 1] / few['hnsw', 64]:.1f} times as fast")

# %% [markdown]
# A graph pays where there is much to skip. Here is one million, recorded with the same functions
# because building such a graph takes minutes (times are processor time again):

# %%
million = []
for row in recorded.rows:
    measured = {name: recorded.mean(row, name) for name in recorded.columns}
    million += [recorded.info(row) | measured] if "1,000,000" in row else []
came_from(recorded)
for entry in million:
    name = f"{figures.NAMES[entry['kind']]:7} effort {entry['effort']:3}"
    print(f"{name}  recall {100 * entry['recall']:5.1f} %  {entry['ms']:7.2f} ms", end="  ")
    print(f"{entry['bytes']:5.0f} bytes  built in {entry['build_seconds']:.0f} s")

# %% tags=["nbval-ignore-output"]
sides = {"live": live, "million": million}
most = {
    kind: {
        name: 100 * max(e["recall"] for e in side if e["kind"] == kind)
        for name, side in sides.items()
    }
    for kind in ("hnsw", "ivfpq")
}
plots.show(
    figures.recall_against_time({"100,000 vectors, live": live, "1,000,000, recorded": million}),
    caption="Top left is best: fast and nothing missed. A dot's area is its bytes per vector, the "
    "small number beside it its effort. With the most effort: "
    + "; ".join(
        f"{figures.NAMES[kind]} {best['live']:.0f} % on the left, {best['million']:.0f} % on the right"
        for kind, best in most.items()
    )
    + ".",
    alt="Two panels of recall at 10 against milliseconds per query on a log axis with dots for "
    "flat, HNSW and IVF-PQ; flat at the right with full recall, the others further left.",
)

# %% [markdown]
# On the right there are ten times as many vectors. Follow each colour: flat has to look at all of
# them, the other two need not. Effort buys recall with time. But look where
# IVF-PQ's dots end as the effort grows: what compressing has thrown away, looking harder does not
# bring back. Then compare where a colour ends on the left and on the right:

# %% tags=["nbval-ignore-output"]
shows(
    min(best["live"] - best["million"] for best in most.values()),
    margin=1,
    more="Both end lower among a million, by {by:.0f} points or more. The families are probably the reason: "
    "there the ten nearest are ten of some 150 siblings, and such small differences are what a short code "
    "leaves out and what a graph needs more effort for.",
    less="Not both end lower among a million.",
    same="They end at about the same height.",
)

# %% [markdown]
# Do not read these recalls as those of a million different questions.
#
# The paper's claim C03 was waiting for such an index. Its rule looks at two times: the index's, and
# a cross-encoder's, which we extrapolate from 200 pairs. First the clock:

# %% tags=["nbval-ignore-output"]
cross = CrossEncoder(encoder, "regression").to(encoder.device)  # untrained: only its time counts
some = questions.texts[:200]
cross.predict(some[:50], some[50:100])  # warm up
start = time.perf_counter()
cross.predict(some, some[::-1])
pairs_per_second = 200 / (time.perf_counter() - start)
start = time.perf_counter()
_ = [encoder.encode([text]) for text in some[:20]]
encode_ms = 1000 * (time.perf_counter() - start) / 20
print(f"cross-encoder: {pairs_per_second:,.0f} pairs per second;", end=" ")
print(f"one query's vector: {encode_ms:.1f} ms")

# %% [markdown]
# Then the claim. For the paper's own case, forty million questions, there is no index here; the
# cross-encoder's time grows with the pairs, so that one can be extrapolated:

# %% tags=["nbval-ignore-output"]
claim = paper.get_claim("C03")
for text in (f"C03: {claim.claim}", f"rule: {claim.rule}", f"the paper: {claim.paper}"):
    print(textwrap.fill(text, 92, subsequent_indent="  "))
collections = {"100,000, live": (live, 100_000), "1,000,000, recorded": (million, 1_000_000)}
for name, (entries, count) in collections.items():
    ms = next(e["ms"] for e in entries if (e["kind"], e["effort"]) == ("hnsw", 64)) + encode_ms
    hours = count / pairs_per_second / 3600
    share = "at most" if ms / 1000 <= hours * 3.6 else "more than"
    print(f"  {name}: index and the query's pass {ms:.1f} ms, cross-encoder {hours:.2f} h,")
    print(f"    so {'under' if ms < 100 else 'over'} 0.1 s and {share} a thousandth")
hours = 40e6 / pairs_per_second / 3600
print(f"  40,000,000, extrapolated: cross-encoder {hours:.1f} h with our small backbone")

# %% [markdown]
# ### What would 40 million need?
#
# With an index, memory decides, not time. Here is what forty million vectors of our width weigh,
# from the bytes per vector that we measured, and what BERT-base's 768 numbers would:

# %%
M = 40_000_000
for kind in ("flat", "hnsw", "ivfpq"):
    size = next(e["bytes"] for e in million if e["kind"] == kind)
    print(f"{figures.NAMES[kind]:7} {size:5.0f} bytes x 40 million = {size * M / 1e9:6.1f} GB")
print(f"with 768 numbers, flat: {768 * 4 * M / 1e9:.1f} GB")
flat_ms = next(e["ms"] for e in million if e["kind"] == "flat")
print(f"flat, one query, extrapolated from the recorded million: {40 * flat_ms / 1000:.1f} s")

# %% [markdown]
# HNSW weighs *more* than flat: the vectors and their links. IVF-PQ weighs a tenth or less. The
# bytes of IVF-PQ are mostly its code and, for each vector, an **id** (its number, 8 bytes),
# because in a cell the order is lost.

# %% [markdown]
# ### Exercise 4 · Forty million in eight gigabytes (2 points)
#
# Your server has 8 GB (8e9 bytes) for the index of 40 million vectors. Each vector needs its code
# and an id of 64 bits. How many **bytes** are left for one vector's code? And how many float32
# numbers would that be, if you did not compress but cut the vectors short? (Cells and learned
# pieces weigh next to nothing.)

# %% id="15-budget" tags=["exercise", "points:2"]
code_bytes = None
floats = None
### BEGIN SOLUTION
code_bytes = 8e9 / 40e6 - 8
floats = code_bytes / 4
### END SOLUTION

# %% id="15-budget-check" tags=["test", "points:2"]
checks.budget(code_bytes, floats)

# %% [markdown]
# ### Keep it
#
# An index is saved with its sentences, in one folder that appears whole or not at all, with a
# digest of each file: a damaged copy is noticed when it is opened. In a terminal `sbert-lab search
# questions.txt --index my-index` does all of this section. For a file too large for your memory
# there is `sbert-lab encode` (in Python `encode_to_file`): it goes on where it was cut off.

# %%
folder = tempfile.TemporaryDirectory()
index = search.VectorIndex.build(vectors, questions.texts, kind="hnsw")
index.save(f"{folder.name}/questions")
again = search.VectorIndex.load(f"{folder.name}/questions")
first, second = (one.search(vectors[:50], k=5)[1] for one in (index, again))
print(f"opened again: {len(again):,} sentences, {again.kind}")
print("same answers:", bool((first == second).all()))

# %% [markdown]
# ### Beyond one machine
#
# An index that has outgrown one machine belongs in a program made for that, and you need not write
# it. **Milvus** is one: a database for vectors that runs inside Python with its data in a local
# `.db` folder, on a server, or on a cluster of many. Our package speaks to it with the same three
# lines: build, search, read. Only the place changes:

# %% tags=["nbval-ignore-output"]
places = {
    "in memory, exact": {"backend": "exact"},
    "in memory, FAISS": {"backend": "faiss", "kind": "hnsw"},
    "on disk, Milvus": {"backend": "milvus", "uri": f"{folder.name}/all.db", "replace": True},
    # a cluster: {"backend": "milvus", "kind": "hnsw", "uri": "http://your-milvus:19530"}
}
for place, given in places.items():
    try:
        index = search.build_index(vectors, questions.texts, **given)
        cosines, rows = index.search(encoder.encode(["How can I learn to swim as an adult?"]), k=1)
        print(f"{place}: {cosines[0, 0]:.3f}  {index.texts(rows[0])[0]}")
    except LabError as error:  # Milvus is optional
        print(f"{place}: {error}")

# %% [markdown]
# All of them can also `add` and `delete`, and look only where you say:
# `index.search(query, where={"language": "en", "year": [2023, 2024]})`. In a terminal it is
# `sbert-lab search questions.txt --backend milvus --index questions.db`.
#
# What do they cost? Recorded by `make bench`, with random vectors as wide as ours:

# %% tags=["nbval-ignore-output"]
for name, row in open_bench()["rows"].items():
    for place, cost in row.get("costs", {}).items():
        print(f"{name:17} {place:6}  built in {cost['seconds']:6.1f} s", end="  ")
        print(
            f"{cost['ms']:6.2f} ms a query  {cost['mb']:6,.0f} MB  {cost['file_mb']:6,.0f} MB on disk"
        )

# %% [markdown]
# On one machine Milvus is for trying things out: it is a whole database, so it takes more memory
# than the bare arrays. It pays off when the vectors no longer fit. So, on paper, how many machines
# do forty million need?

# %%
width = vectors.shape[1]
numbers = M * width * 4  # vectors x numbers x bytes of a float32
links = M * 2 * 32 * 4  # a graph's lowest layer: up to 2 x 32 links of 4 bytes for each vector
room = 8e9  # of a machine's 16 GB, half for the index
print(f"vectors: 40,000,000 x {width} x 4 bytes  = {numbers / 1e9:.1f} GB")
print(f"links:   40,000,000 x 2 x 32 x 4     = {links / 1e9:.1f} GB")
for name, size in {"flat": numbers, "HNSW": numbers + links}.items():
    machines = math.ceil(size / room)
    print(f"{name}: {size / 1e9:.1f} GB / 8 GB = {machines} machines, {2 * machines} with a copy")

# %% [markdown]
# The sentences and what Milvus needs for itself come on top, so take this as the least. IVF-PQ
# from above would fit on one machine: before you rent a cluster, ask whether shorter codes will do.

# %% [markdown]
# ## 4 · Groups that nobody labelled
#
# Search needs a query, duplicates need a threshold. **Clustering** needs neither: it asks what
# belongs together. To see whether it works we need a corpus whose groups are known: TREC's
# questions, labelled by the *kind of answer* they want. Ten of them:

# %%
kinds = ["abbreviation", "description", "entity", "human", "location", "number"]
trec = data.load("trec", "train")
print("TREC:", data.coverage("trec", "train"))
for number in random.Random(4).sample(range(len(trec)), 10):
    print(f"  {kinds[trec[number]['label']]:12} {trec[number]['text']}")

# %% [markdown]
# Two ways. **k-means** puts six means among the vectors and gives each vector to the nearest.
# **Agglomerative** clustering begins with every sentence alone and joins the two closest clusters,
# again and again, until six are left. The measure is **purity**: the share of sentences that carry
# their cluster's most frequent label.
#
# **Predict.** If the clusters were made blindly, what purity would you see: 0 %, 17 % or more?

# %%
guess_blind = None  # your guess, in per cent

# %% tags=["nbval-ignore-output"]
trec_vectors = encoder.encode(list(trec["text"]), normalize=True)
labels = np.array(trec["label"])
found = {
    "k-means": search.kmeans(trec_vectors, number=6),
    "agglomerative": search.agglomerate(trec_vectors, number=6),
    "agglomerative, 40 clusters": search.agglomerate(trec_vectors, number=40),
}
blind = np.random.default_rng(1).permutation(labels)
for name, clusters in found.items():
    sizes = sorted(np.bincount(clusters).tolist(), reverse=True)
    print(f"{name:26} purity {100 * search.purity(clusters, labels):.0f} %,", end=" ")
    print(f"shuffled labels {100 * search.purity(clusters, blind):.0f} %, sizes {sizes[:6]}")
you_said(guess_blind, 100 * search.purity(found["k-means"], blind), unit="%")

# %% [markdown]
# Three things to see. Compare purity with *shuffled labels*, never with 0. More clusters are always
# purer (one sentence each: 100 %), so compare equal numbers only. And look at the sizes: joining
# the closest again and again may grow one giant and leave crumbs.
#
# A low purity need not mean bad vectors. "Who painted the ceiling?" and "Where is the ceiling?" are
# close in topic, and TREC's label looks at the kind of answer. **Clusters answer the question that
# the vectors ask, not yours.**
#
# Where clusters are small and many, as duplicates are, a third way fits better. **Communities**: each
# question proposes itself and all that have at least some cosine with it; the largest proposal
# wins, its members are taken, and so on. Most questions stay alone, and that is right.

# %% tags=["nbval-ignore-output"]
groups = search.communities(vectors, threshold=0.85, min_size=5)
print(f"{len(groups)} communities, {sum(map(len, groups)):,} of {len(vectors):,} questions\n")
for group in groups[:3]:
    print(*(questions.texts[row] for row in group[:4]), sep="\n", end="\n\n")

# %% [markdown]
# ### A map, with a warning
#
# **UMAP** draws vectors in the plane so that neighbours stay neighbours. It may tear and stretch
# all the rest: distances between far groups, sizes and empty spaces mean nothing. A map suggests
# questions; numbers like the purity above answer them.

# %% tags=["nbval-ignore-output"]
points = search.map_to_plane(trec_vectors)  # (N, 2)
away = np.linalg.norm(points[:400, None] - points, axis=2)  # (400, N)
away[np.arange(len(away)), np.arange(len(away))] = np.inf  # nobody is its own neighbour
alike = np.mean(labels[away.argmin(axis=1)] == labels[: len(away)])
blindly = np.sum((np.bincount(labels) / len(labels)) ** 2)
plots.show(
    figures.label_map(points, labels, kinds),
    caption="TREC's questions, placed by UMAP from the embeddings alone; colours and shapes are the "
    f"labels, which UMAP never saw. {100 * alike:.0f} % of the dots have a nearest dot of their own "
    f"colour; blindly it would be {100 * blindly:.0f} %.",
    alt="A scatter plot of questions in two dimensions with six colours and shapes for the kinds of "
    "answer: abbreviation, description, entity, human, location, number.",
)

# %% [markdown]
# The same map for your pointer: hold it over a dot to read the question. (It needs a page that
# shows HTML, such as JupyterLab or Colab; elsewhere the figure above has to do.)

# %% tags=["nbval-ignore-output"]
shown = np.random.default_rng(1).permutation(len(points))[:200]
html = figures.hover_map(points[shown], labels[shown], [trec[int(i)]["text"] for i in shown])
display({"text/html": html, "text/plain": "a map with the questions as hover text"}, raw=True)

# %% [markdown]
# ### Explain your number (3 points, read by a person)
#
# A colleague reports a duplicate detector with "precision and recall of
# about 60 % on labelled pairs" and wants to run it on a collection of a million questions. Take
# your own two precisions from section 2 and explain, in three to five sentences, what will
# happen, why, and what you would measure or change first.

# %% [markdown] id="15-explain" tags=["manual", "points:3"]
# ### BEGIN SOLUTION
# Rubric, one point each. (1) Quotes both own precisions (labelled pairs, all pairs) and says that
# recall is about the same while precision collapses. (2) Gives the reason: the base rate. Among
# labelled pairs more than a third are duplicates, among all pairs one in thousands, so even a small
# share of false calls outnumbers the hits; with a million questions there are 5e11 pairs and it
# gets worse. (3) Proposes something sensible: choose the threshold on pairs drawn as in use, show
# the k nearest to a person instead of deciding, re-rank candidates with a cross-encoder (notebook
# 16), or label a sample of the called pairs; or notes that unlabelled pairs make it a lower bound.
# ### END SOLUTION

# %% [markdown]
# ## Recap
#
# Embeddings make search one product of matrices, and blocks keep its memory small. An index trades
# recall, time and memory against each other, and only a measurement on vectors that lie like yours
# tells the price. Thresholds, clusters and maps answer the question that their data ask: check the
# base rate, the shuffled labels and the sentences themselves.

# %% [markdown]
# ## Questions
#
# <details><summary>Why must a search for pairs look at the upper triangle only?</summary>
#
# The cosine of (i, j) is that of (j, i), and (i, i) is always 1. The upper triangle holds every
# pair once: half the work, and no sentence that wins by meeting itself.
# </details>
#
# <details><summary>A graph index can find nearly everything in a fraction of the time. Why not
# always take it?</summary>
#
# It needs more memory than the vectors themselves, building it takes long, and a changed collection
# means more building. For some ten thousand sentences exact search is fast enough and simpler.
# </details>
#
# <details><summary>Recall@10 of an index is 79 %. Are 21 % of the users' answers wrong?</summary>
#
# No. It says that 21 % of the *exact* ten nearest are replaced by others, often nearly as near.
# Whether exact or replaced answers are *good* is another question, answered by the encoder and
# measured in section 2.
# </details>
#
# <details><summary>Why do more clusters have a higher purity?</summary>
#
# Splitting a cluster cannot lower the sum of the most frequent labels, and a cluster of one is
# always pure. So purity compares methods with the same number of clusters only.
# </details>

# %% [markdown]
# Next: [16 · Between the two](16_between_the_two.ipynb) lets a cross-encoder read what the index
# found.
