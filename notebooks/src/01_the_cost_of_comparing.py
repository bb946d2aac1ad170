# %% [markdown]
# # 01 · Why not just use BERT?
#
# After this notebook you will be able to
#
# - say what a cross-encoder and a bi-encoder read, what they give back, and which one to take;
# - count the passes of a search before you start it, and turn them into hours on your machine;
# - find the most similar pair among 10,000 sentences in the time of a sip of coffee.
#
# About MINUTES minutes, 40 seconds of it computing · profile mini · paper: sections 1 and 2, claims
# C01-C04

# %% tags=["setup"]
setup("01_the_cost_of_comparing", study_minutes=MINUTES, computing_seconds=40)

import itertools
import math
import random
import time

import numpy as np
import torch

from sbert_lab import data
from sbert_lab.course import nb01 as checks
from sbert_lab.course import nb01 as figures
from sbert_lab.course import plots
from sbert_lab.devices import move
from sbert_lab.encoder import SentenceEncoder
from sbert_lab.experiments import paper, results
from sbert_lab.experiments.zoo.rows import nli_pairs
from sbert_lab.profiles import get_profile
from sbert_lab.search import VectorIndex
from sbert_lab.tasks import CrossEncoder, Siamese

profile = get_profile()
encoder = SentenceEncoder.load(profile.backbone)
cross = CrossEncoder(encoder, "regression").to(encoder.device)

# %% [markdown]
# ## 1 · Two ways to compare two sentences
#
# BERT, a network pretrained on plain text, cuts its input into **tokens** (words or pieces of
# words) and gives a vector for each. Two tokens are special: `[CLS]` opens every input, and its
# vector is made to speak for the whole; `[SEP]`, the separator, ends each sentence.
#
# BERT was made to read **two** sentences at once. To score how alike A and B are, you write them
# into one input, `[CLS] A [SEP] B [SEP]`, and put a small layer on top of the first token's vector.
# This is a **cross-encoder**. Every token of A can look at every token of B, so it *can* judge well.
#
# The other way: read A alone, read B alone, keep a vector of each, compare the vectors. This is a
# **bi-encoder**, and Sentence-BERT is one. The picture shows the very tokens that mini-bert reads.
# The numbers under them are the **segment ids**, which tell BERT where the second sentence begins.
# (The code says **backbone** for the pretrained network itself, without anything on top.)

# %%
first, second = "A man is playing a guitar.", "Somebody makes music."


def tokens_and_segments(*sentences):
    """What the backbone reads: the tokens and a segment id for each."""
    read = encoder.tokenizer(*sentences, return_token_type_ids=True)
    return encoder.tokenizer.convert_ids_to_tokens(read["input_ids"]), read["token_type_ids"]


# %%
inputs = [(first, second), (first,), (second,)]
plots.show(
    figures.two_inputs(*(tokens_and_segments(*sentences) for sentences in inputs)),
    caption="Above, one input and one score for each pair. Below, one input and one vector for "
    "each sentence; the vectors stay valid for every comparison to come.",
    alt="Rows of token boxes. Cross-encoder: CLS, the first sentence, SEP with segment id 0, the "
    "second sentence, SEP with segment id 1, leading to one score. Bi-encoder: two separate rows, "
    "each from CLS to SEP with segment id 0, leading to vectors u and v and to cosine(u, v).",
)

# %% [markdown]
# Now let us look at what comes out, and what happens when A and B change places. The
# cross-encoder's last layer is **untrained** here, so its scores mean nothing yet. For this
# notebook that is fine: we measure *time*, and a trained layer takes exactly as long.
#
# **Predict.** Swap the two sentences. Which score changes: `"cross"`, `"bi"`, `"both"` or `"none"`?

# %%
guess_swap = None  # your guess

# %%
scores = cross.predict([first, second], [second, first])  # (A, B) and (B, A)
u, v = encoder.encode([first, second], normalize=True)  # two vectors of length 1
print("cross-encoder, one pair:  ", scores[:1].shape, "a score")
print("bi-encoder, one sentence: ", u.shape, "a vector")
print("cross-encoder: swapping changes the score:", abs(scores[0] - scores[1]) > 1e-6)
print("bi-encoder:    swapping changes the cosine:", abs(u @ v - v @ u) > 1e-6)
you_said(guess_swap, "cross")

# %% [markdown]
# Side by side:
#
# | | cross-encoder | bi-encoder (Sentence-BERT) |
# |---|---|---|
# | reads | `[CLS] A [SEP] B [SEP]`, both at once | `[CLS] A [SEP]`, one at a time |
# | gives | one score per pair, or one per class | one vector per sentence, here 128 numbers |
# | (A, B) and (B, A) | two inputs, two scores | the same cosine |
# | to keep | nothing: a new partner is a new pass | the vector: a new partner is a product |
# | passes for one query, n sentences | you will work it out | 1, once the n vectors are there |
# | good for | judging few pairs very well | searching, clustering, comparing many |
#
# Does it judge better, then? Recorded on the real STSb test pairs, scored by people (Spearman: does
# the order agree with theirs? times 100), trained on its training pairs, from two pretrained
# networks:

# %%
recorded, leads = results.open_table(2, "real"), {}
for start, rows in {"our own": "{}", "all-MiniLM-L6-v2": "{}, MiniLM"}.items():
    names = (rows.format(f"{kind}-STSb") for kind in ("cross-encoder", "SBERT"))
    careful, fast = (recorded.mean(name, "test") for name in names)
    leads[start] = careful - fast
    print(f"from {start:17} cross-encoder {careful:.1f}, bi-encoder {fast:.1f}")
printed = paper.table(2).set_index("model")["spearman"]
ways = (printed[f"{kind}-NLI-STSb-base"] for kind in ("BERT", "SBERT"))
print("the paper, BERT-base   cross-encoder {:.1f}, bi-encoder {:.1f} (NLI first)".format(*ways))
shows(
    leads["our own"],
    margin=2,
    more="From our own network the cross-encoder judges better, by {by:.1f} points.",
    less="From our own small network the cross-encoder judges *worse*, by {by:.1f} points: to compare "
    "two sentences inside the network is a skill that it has to learn first.",
    same="From our own network both judge about equally well.",
)

# %% [markdown]
# It depends on the network underneath ([notebook 09](09_supervised_sts.ipynb) looks into that). Here
# we measure *time*, and that does not depend on how well the scores turn out.
#
# The last two rows of the table are the reason for the paper. Let us count.

# %% [markdown]
# ## 2 · Counting passes
#
# A pass is one trip of one input through the network. A cross-encoder needs a pass for every pair.
# Four sentences already make more pairs than sentences:

# %%
pairs = list(itertools.combinations("ABCD", 2))
print(*("".join(pair) for pair in pairs))
for n in (2, 3, 4, 5, 6, 10):
    print(f"{n:2} sentences, {sum(1 for _ in itertools.combinations(range(n), 2)):2} pairs")

# %% [markdown]
# AB and BA count as one pair. (For a cross-encoder the two scores differ, as we saw; the paper,
# too, counts one pass per pair.)
#
# **Predict.** How many pairs do 10,000 sentences make? A rough number will do, say `1e6`.

# %%
guess_pairs = None  # your guess

# %% [markdown]
# ### Exercise 1: two counts
#
# Two tasks that are often mixed up. **One query**: a new sentence arrives, and you want to know
# which of your n sentences is most like it. **All pairs**: which two of your n sentences are most
# alike? Write down how many cross-encoder passes each of them needs.


# %% id="01-passes" tags=["exercise", "points:2"]
def one_query(n):
    """Passes to compare one new sentence with n sentences."""
    ### BEGIN SOLUTION
    return n
    ### END SOLUTION


def all_pairs(n):
    """Passes to compare n sentences with each other."""
    ### BEGIN SOLUTION
    return n * (n - 1) // 2
    ### END SOLUTION


# %% id="01-passes-check" tags=["test", "points:2"]
checks.passes(one_query, all_pairs)

# %% [markdown]
# Here is the count for 10,000 sentences. The first has nobody to be compared with, the second one, the
# third two, and so on: we add up.

# %%
N = 10_000
N_PAIRS = sum(range(N))
by_counting = sum(1 for _ in itertools.combinations(range(200), 2))
print("200 sentences, counted one by one:", by_counting, "| added up:", sum(range(200)))
print("10,000 sentences, added up:")
you_said(guess_pairs, N_PAIRS, unit="pairs")

# %% [markdown]
# Three numbers to keep apart, for n = 10,000: the bi-encoder's **10,000** passes (one per
# sentence), the cross-encoder's **49,995,000** (one per pair), and **99,990,000** = n(n-1), which
# you find in some notes and which counts every pair twice.
#
# The first claim of the paper is this count, so it needs no stopwatch:

# %%
claim = paper.claim("C01", holds=by_counting == sum(range(200)) and N_PAIRS == 49_995_000)

# %% [markdown]
# ## 3 · How fast is this machine?
#
# A count becomes a time once you know how many passes fit into a second. The paper's authors had a
# V100, a large GPU of that time: 49,995,000 pairs in 65 hours are 213.7 pairs per second. What do
# you have?
#
# First the sentences. We collect what the course's own corpora offer: questions, news, captions,
# forum posts, encyclopedia articles. Each one once (capitals and the full stop do not make a new
# one), and 10,000 of them.

# %%
corpora = ["quora", "stsb", "sick", "sts12", "sts13", "sts14", "sts15", "sts16", "wiki_sections"]
sentences = {}  # a dictionary keeps the order and drops what comes twice
for name in corpora:
    rows = data.load(name, "all")
    for column in ("sentence1", "sentence2", "anchor", "positive", "negative"):
        if column in rows.column_names and len(sentences) < N:
            sentences.update((s.lower().rstrip(" .?!"), s) for s in rows[column])
sentences = list(sentences.values())[:N]
print(f"{len(sentences):,} sentences, {math.comb(len(sentences), 2):,} pairs")

# %% [markdown]
# Ten of them, drawn by a fixed seed, not picked by us:

# %%
for sentence in random.Random(1).sample(sentences, 10):
    print("-", sentence)

# %% [markdown]
# **Predict.** How many *pairs* per second does the cross-encoder manage here, and how many
# *sentences* per second does the bi-encoder? Both use the same mini-bert.

# %%
guess_pairs_per_second = None  # your guess
guess_sentences_per_second = None  # your guess

# %% [markdown]
# We time them in turn, five rounds of each. So a machine that is busy with something else slows
# down both alike, and the median ignores a round that went wrong.


# %%
def seconds(task):
    """How long a function takes."""
    start = time.perf_counter()
    task()
    return time.perf_counter() - start


# %% tags=["nbval-ignore-output"]
draw = random.Random(2)
cross_times, encode_times = [], []
for _ in range(6):
    left, right = draw.sample(sentences, 400), draw.sample(sentences, 400)
    cross_times.append(seconds(lambda a=left, b=right: cross.predict(a, b)))
    encode_times.append(seconds(lambda a=left, b=right: encoder.encode(a + b)))
pairs_per_second = 400 / np.median(cross_times[1:])  # the first round only warms up
sentences_per_second = 800 / np.median(encode_times[1:])
you_said(guess_pairs_per_second, pairs_per_second, unit="pairs/s")
you_said(guess_sentences_per_second, sentences_per_second, unit="sentences/s")

# %% [markdown]
# <a id="q-one-pass"></a>
# **Is one pass of Sentence-BERT cheaper than a pass of BERT, then?** Per token no: it is the same
# network. Per pass about half, because it is shorter: one sentence instead of two, and what costs
# time is the number of tokens.

# %% tags=["nbval-ignore-output"]
pair_tokens = np.mean([len(tokens_and_segments(a, b)[0]) for a, b in zip(left, right, strict=True)])
sentence_tokens = np.mean([len(tokens_and_segments(a)[0]) for a in left + right])
print(f"{'':14} {'tokens':>8} {'passes/s':>10} {'tokens/s':>10}")
for name, tokens, rate in (
    ("cross-encoder", pair_tokens, pairs_per_second),
    ("bi-encoder", sentence_tokens, sentences_per_second),
):
    print(f"{name:14} {tokens:8.1f} {rate:10,.0f} {tokens * rate:10,.0f}")
per_token = sentence_tokens * sentences_per_second / (pair_tokens * pairs_per_second)
print(f"per token the bi-encoder is {per_token:.1f} times as fast")
shows(
    per_token - 1,
    margin=0.15,
    more="It is the same network, so this should be 1; the rest may come from shorter rows, which "
    "have less padding and less to look at.",
    less="It is the same network, so this should be 1; here shorter rows use the machine less well.",
    same="About 1, as it should be: it is the same network.",
)

# %% [markdown]
# So that is not where 65 hours go. The large saving is **n passes instead of n(n-1)/2**, and it
# shows when you search, not when you train.
#
# Now multiply. One pass per pair, 49,995,000 pairs:

# %% tags=["nbval-ignore-output"]
cross_seconds = N_PAIRS / pairs_per_second
config = encoder.backbone.config
size = f"{config.num_hidden_layers} layers of {config.hidden_size} here, 12 layers of 768 there"
table = [
    ("cross-encoder, pairs per second", f"{pairs_per_second:,.0f}", "213.7", size),
    ("all pairs of 10,000 sentences", f"{cross_seconds / 3600:.1f} h, extrapolated", "65 h", size),
    ("10,000 sentences, embedded", f"{N / sentences_per_second:.1f} s, extrapolated", "5 s", size),
]
columns = ("what", "measured", "paper", "why")
paper.compare(
    [dict(zip(columns, row, strict=True)) for row in table], data=f"{N:,} sentences of our own"
)
times = cross_seconds / (N / sentences_per_second)
shows(
    np.log10(times) - 2,
    more=f"All pairs would take {times:,.0f} times as long as embedding: {cross_seconds / 3600:.0f} hours "
    f"against {N / sentences_per_second:.0f} seconds, on one machine and with one network.",
    less=f"Here all pairs would take only {times:,.0f} times as long as embedding.",
    same=f"All pairs would take {times:,.0f} times as long as embedding.",
)

# %% [markdown]
# An extrapolation is a promise, not a measurement. The third row we can afford to check: the next
# section embeds all 10,000, though in mini with a wider, slower network. The second one you may
# check if you have a night or two.

# %% [markdown]
# ### Exercise 2: where do the 46,800 come from?
#
# 65 hours against 5 seconds is a factor of 65 · 3600 / 5 = **46,800**. It has two parts: there are
# *fewer* passes, and each pass is *cheaper*. Split it: `fewer_passes * cheaper_pass` should be
# 46,800.

# %% id="01-split" tags=["exercise", "points:2"]
fewer_passes = None  # passes of the cross-encoder / passes of the bi-encoder, 10,000 sentences
cheaper_pass = None  # what is left of the 46,800
### BEGIN SOLUTION
fewer_passes = 49_995_000 / 10_000
cheaper_pass = 46_800 / fewer_passes
### END SOLUTION
print("46,800 =", fewer_passes, "x", cheaper_pass)

# %% id="01-split-check" tags=["test", "points:2"]
checks.split(fewer_passes, cheaper_pass)

# %% [markdown]
# <details><summary>Why is a pass cheaper at all, if it is the same network?</summary>
#
# Half the tokens alone make it about twice as cheap; the table above shows what else short rows
# bring on your machine. The paper does not say where the rest of its second factor comes from;
# batches that are filled better are the likely reason, since sentences of one length need no
# padding. Notebook 14 measures that.
# </details>

# %% [markdown] id="01-explain" tags=["manual", "points:3"]
# **Explain your number.** A laptop with mini-bert may reach or beat the V100's 213.7 pairs per
# second. Is it as fast as a V100, then? Explain the number you measured in three or four
# sentences. Compare the sizes of the two networks: a layer of width H has about 12 H² weights, and
# every token goes through all of them.
#
# ### BEGIN SOLUTION
# Rubric, one point each. (1) Quotes the own pairs per second and says that the two numbers are for
# different networks, so they do not compare the machines. (2) Works out the ratio: 4 layers of 12 ·
# 128² weights, about 0.8 million, against 12 layers of 12 · 768², about 85 million: some 108 times
# less work per token. (3) Draws the consequence: a BERT-base on this laptop would get roughly a
# hundredth of the measured rate, or points out that length of the sentences and precision differ as
# well.
# ### END SOLUTION

# %% [markdown]
# ## 4 · Find the most similar pair among 10,000
#
# Now we do it. First embed all sentences, then take all cosines. Vectors of length 1 make it easy:
# their cosine is their dot product, and all dot products together are one matrix product.
#
# The whole matrix would have 100 million entries, so we go block by block and keep only the best.
# Within a block everything on or left of the diagonal is struck out: a sentence with itself, or a
# pair that was seen before. You need not follow the code; it returns the five best pairs.


# %%
def most_similar_pairs(vectors, *, keep=5, block=1000):
    """The best pairs as (cosine, i, j), and how many pairs were compared: unit vectors (N, H)."""
    found, compared = [], 0
    for start in range(0, len(vectors), block):
        cosines = vectors[start : start + block] @ vectors[start:].T  # (block, N - start)
        rows = len(cosines)
        cosines[:, :rows].masked_fill_(torch.ones(rows, rows).tril().bool(), -2)
        compared += cosines.numel() - rows * (rows + 1) // 2
        best = torch.topk(cosines.flatten(), min(keep, cosines.numel()))
        for cosine, place in zip(best.values.tolist(), best.indices.tolist(), strict=True):
            i, j = divmod(place, cosines.shape[1])
            found.append((cosine, start + i, start + j))
    return sorted(found, reverse=True)[:keep], compared


# %% [markdown]
# Before we trust it, a test on something small: 300 random vectors, every pair compared one by one.

# %%
small = torch.nn.functional.normalize(torch.randn(300, 16), dim=1)
(found, *_), compared = most_similar_pairs(small, block=64)
every_pair = itertools.combinations(range(300), 2)
one_by_one = max((float(small[i] @ small[j]), i, j) for i, j in every_pair)
print("same pair as one by one:", found[1:] == one_by_one[1:])
print("pairs compared:", compared, "of", math.comb(300, 2))

# %% [markdown]
# **Predict.** How many seconds for the 10,000 sentences, embedding and all cosines together?

# %%
guess_search = None  # your guess

# %% [markdown]
# We search with mini-sbert, a tuned encoder of ours (notebook 17 says how it was made). It is twice
# as wide as mini-bert, so slower than the table of section 3 says. (The other profiles search with
# their raw encoder: training does not change the time.)

# %%
searcher = SentenceEncoder.load("mini-sbert") if profile.name == "mini" else encoder
start = time.perf_counter()
vectors = torch.from_numpy(searcher.encode(sentences, normalize=True))  # (10000, H)
embed_seconds = time.perf_counter() - start
best, compared = most_similar_pairs(vectors)
search_seconds = time.perf_counter() - start
cosine_seconds = search_seconds - embed_seconds
print(f"{len(vectors):,} vectors, {compared:,} pairs compared")

# %% tags=["nbval-ignore-output"]
you_said(guess_search, search_seconds, unit="s")
print(f"embedding {embed_seconds:.1f} s, all cosines {cosine_seconds:.2f} s")
print(f"with the cross-encoder: {cross_seconds / 3600:.1f} h\n")
for cosine, i, j in best:
    print(f"{cosine:.3f}  {sentences[i]}\n       {sentences[j]}")

# %% [markdown]
# Every one of the 49,995,000 pairs was looked at: nothing was skipped, nothing was approximated.
#
# Now read the winners closely. How many words do they share, and what differs: a number, a name,
# the order of two words? Where that changes the meaning and the cosine is still close to 1, the
# encoder has hardly noticed: **the highest cosine does not promise the same meaning.**
#
# That is the price. A bi-encoder has to squeeze a sentence into one vector without knowing what it
# will be compared with. How much quality that costs, you will measure in notebooks 09 and 10;
# notebook 16 lets a cross-encoder re-read the best candidates.
#
# Next, a sentence of your own. Change it and run the cell again: one query, one pass. Is the answer
# about the topic of your sentence, or only about its form?

# %% tags=["nbval-ignore-output"]
my_sentence = "How can I learn to cook?"  # change me
mine = torch.from_numpy(searcher.encode([my_sentence], normalize=True))  # (1, H)
best_cosine, closest = (vectors @ mine.T).squeeze(1).max(dim=0)
print(f"{best_cosine:.3f}  {sentences[closest]}")

# %% [markdown]
# ## 5 · Cost against n
#
# One number of sentences is one point. What happens if there are ten times as many?
#
# **Predict.** The cross-encoder compares all pairs of n sentences. For 10 n sentences, how many
# times as long does it take?

# %%
guess_growth = None  # your guess

# %%
print("computed from the number of pairs:")
you_said(guess_growth, round(math.comb(100_000, 2) / math.comb(10_000, 2)), unit="times as long")

# %% [markdown]
# We measure some points that a minute allows, all pairs of up to 64 sentences for the
# cross-encoder, and draw the curves through them from the rates of sections 3 and 4. On axes where
# each step is a factor of ten, a cost that grows with n is a line of slope 1, and one that grows
# with n² is a line of slope 2.

# %% tags=["nbval-ignore-output"]
points = {"pairs": [], "query": [], "encode": [(N, search_seconds)]}
for n in (16, 32, 64):
    some = list(itertools.combinations(sentences[:n], 2))
    points["pairs"].append((n, seconds(lambda a=some: cross.predict(*zip(*a, strict=True)))))
for n in (100, 1000):
    some = sentences[:n]
    points["query"].append((n, seconds(lambda a=some: cross.predict([my_sentence] * len(a), a))))
    points["encode"].append((n, seconds(lambda a=some: searcher.encode(a))))

# %% tags=["nbval-ignore-output"]
cosines_per_second = N_PAIRS / cosine_seconds
rates = pairs_per_second, N / embed_seconds, cosines_per_second
axes = figures.cost_of_n(*rates, measured=points)
plots.show(
    axes,
    caption="Dots are measured here, lines are extrapolated, diamonds are the paper's. Follow the "
    "steep line from a coffee to a term: little more than a hundred times as many sentences.",
    alt="Seconds against the number of sentences, both axes logarithmic. The line for all pairs "
    "with a cross-encoder is steep and passes the marks for a coffee, a night and a term; the "
    "lines for one query and for embedding all are flatter, the latter bending upwards.",
)

# %% [markdown]
# The blue line bends upwards: all cosines are n(n-1)/2 products of vectors. That is far cheaper per
# pair, but still quadratic; for few sentences you do not notice, for a million you will. **The
# quadratic cost has not gone, it has moved to a much cheaper operation.**

# %% [markdown]
# ### Exercise 3: one night
#
# You let the cross-encoder run on all pairs for one night. How many sentences can it compare? Write
# it for any rate and any number of hours. (Mind the direction: the pairs are given, n is wanted.
# Two sentences more or less do not matter.)


# %% id="01-night" tags=["exercise", "points:2"]
def sentences_in(pairs_per_second, hours):
    """The largest n whose pairs can all be scored in that time."""
    ### BEGIN SOLUTION
    pairs = pairs_per_second * hours * 3600
    return int((1 + math.sqrt(1 + 8 * pairs)) / 2)
    ### END SOLUTION


# %% id="01-night-check" tags=["test", "points:2"]
checks.one_night(sentences_in)

# %% [markdown]
# With that function you can compute where the figure's steep line crosses the night.

# %% [markdown]
# ## 6 · One query against 40 million
#
# The paper's second example is a question site, Quora, with its 40 million questions. Somebody
# types a new one; has it been asked before? That is *one query*, so 40 million passes, not 40
# million times 40 million.
#
# **Predict.** For one query against 40 million vectors that are already there: how many seconds, if
# we compare it with each of them by a dot product, on this machine?

# %%
guess_forty = None  # your guess

# %% tags=["nbval-ignore-output"]
M = 40_000_000
query_seconds = min(seconds(lambda: searcher.encode([my_sentence])) for _ in range(10))
dot_seconds = min(seconds(lambda: (vectors @ mine.T).argmax()) for _ in range(20))
flat_seconds = query_seconds + dot_seconds * M / N
print(f"40 million: extrapolated from {N:,} vectors, not measured:")
you_said(guess_forty, flat_seconds, unit="s, extrapolated")
print(f"measured, one query among {N:,}: {1000 * (query_seconds + dot_seconds):.1f} ms")
cross_hours = M / pairs_per_second / 3600
print(f"cross-encoder, among 40 million: {cross_hours:.1f} h here, extrapolated;", end=" ")
print("V100: 52 h, from 213.7/s")
gigabytes = [M * width * 4 / 1e9 for width in (searcher.dimension, 768)]
print("memory for 40 million vectors: {:.0f} GB, with width 768 {:.0f} GB".format(*gigabytes))

# %% [markdown]
# Hours became seconds. (Perhaps a few more than printed: 10,000 vectors fit into the processor's
# cache, 40 million do not.) And there could be fewer: an **index**, made with a library such as
# FAISS, looks at a small part of the vectors only; with it the paper speaks of milliseconds. It
# may then miss a neighbour now and then. Notebook 15 builds one and measures what it misses.

# %% [markdown]
# ### Exercise 4: when does it pay?
#
# Embedding has a price before anybody asks: n passes. Then a query costs the bi-encoder one pass. The
# cross-encoder starts at once and pays for n pairs with every query; a pair costs as much as
# `pair_cost` sentences (about 2 for the same network, less for a smaller one). From how many queries
# on does the bi-encoder cost **less** in all? The products of vectors count as nothing.


# %% id="01-pays" tags=["exercise", "points:1"]
def pays_off(n, pair_cost):
    """n sentences -> the smallest number of queries for which embedding first costs less."""
    ### BEGIN SOLUTION
    queries = 1
    while n + queries >= queries * n * pair_cost:
        queries += 1
    return queries
    ### END SOLUTION


# %% id="01-pays-check" tags=["test", "points:1"]
checks.pays_off(pays_off)

# %% [markdown]
# ## 7 · The paper's claims
#
# C01 is settled. Three claims about time are left; their rules were fixed before any run and stand
# in `data/paper/claims.csv`. C03 is about an index, so we build one over our 10,000 vectors and
# time a query; notebook 15 explains it and goes to a million.

# %% tags=["nbval-ignore-output"]
index = VectorIndex.build(vectors.numpy(), sentences, kind="hnsw")
index_seconds = min(seconds(lambda: index.search(mine.numpy(), k=10)) for _ in range(20))
crossed = N / pairs_per_second
print(f"one query among {N:,}: {1000 * (query_seconds + index_seconds):.1f} ms with an index,")
print(f"{crossed:.0f} s with the cross-encoder, extrapolated")

# %% [markdown]
# For C04 (*tuning takes minutes*) we time some steps of the paper's training on NLI (pairs with the
# question: does sentence B follow from A?), and multiply. Notebooks 04 and 05 explain this
# training; here we only time it.

# %% tags=["nbval-ignore-output"]
rows = nli_pairs(profile)
task = Siamese(SentenceEncoder.load(profile.backbone), "classification").to(encoder.device).train()
optimizer = torch.optim.AdamW(task.parameters(), lr=profile.train.learning_rate)
size, steps = profile.train.batch_size, []
for number in range(12):
    batch = [rows[i] for i in range(number * size, (number + 1) * size)]
    start = time.perf_counter()
    optimizer.zero_grad()
    loss = task(move(task.collate(task.prepare(batch)), encoder.device))
    loss.backward()
    optimizer.step()
    loss.item()  # a GPU works on in the background: wait for it
    steps.append(time.perf_counter() - start)
pairs_to_see = len(rows) * profile.train.epochs
tuning_minutes = np.median(steps[2:]) * pairs_to_see / size / 60
print(f"{pairs_to_see:,} pairs to see: {tuning_minutes:.1f} minutes, extrapolated")

# %% [markdown]
# The verdicts. A rule that looks at a clock can come out differently on another machine.

# %% tags=["nbval-ignore-output"]
paper.claim("C02", holds=bool(search_seconds <= cross_seconds / 100))
one = query_seconds + index_seconds
paper.claim("C03", holds=bool(one < 0.1 and one <= crossed / 1000))
note = f"{tuning_minutes:.1f} minutes on our corpus, extrapolated from ten steps; it is far smaller"
note += " than the paper's, whose speed is not tested"
verdict = paper.claim("C04", holds=bool(tuning_minutes < 20), note=note)
print("   ", note)

# %% [markdown]
# What these verdicts cover and what they do not:
#
# | claim | measured here | paper |
# |---|---|---|
# | C01 | counted, exactly | 49,995,000 passes, 65 h on a V100 |
# | C02 | the search; the cross-encoder's hours are extrapolated | 5 s, and 0.01 s for the cosines |
# | C03 | a query among 10,000, not among 40 million | over 50 h (52 h, from 213.7/s); milliseconds |
# | C04 | ten steps on our far smaller corpus, extrapolated | under 20 minutes, a million pairs |
#
# One detail: 0.01 s for 50 million cosines of 768 numbers means 8 to 15 *trillion* multiplications
# and additions a second. That is a matrix product on a GPU. A CPU is slower at this; compare its
# time for all cosines in section 4 with that for the embedding.

# %% [markdown]
# ## Recap
#
# A cross-encoder reads a pair and gives a score, so n sentences cost n(n-1)/2 passes and one query
# costs n; a bi-encoder reads a sentence and gives a vector, so n sentences cost n passes and the
# rest is multiplication. Most of the factor comes from the number of passes, not from a cheaper
# pass. What you give up is that the two sentences see each other, and the rest of the course is
# about making that loss small.
#
# ## Questions
#
# <details><summary>1. You have 1,000 documents and one query a day. Do you need
# Sentence-BERT?</summary>
#
# Hardly. Table 7 has 44 to 83 sentences a second for a BERT-base on a CPU. A pair is about two
# sentences, so 1,000 pairs take a minute or less, and a cross-encoder usually judges better. The
# count decides, not the fashion.
# </details>
#
# <details><summary>2. You get 100 new questions a minute and have 10,000 old ones. Passes per
# minute with either encoder?</summary>
#
# Cross-encoder: 100 · 10,000 = 1,000,000. Bi-encoder: 100, plus a million dot products.
# </details>
#
# <details><summary>3. Why not simply store the cross-encoder's result for each pair once and for all?
# </summary>
#
# You can, after 49,995,000 passes for 10,000 sentences. But the next sentence brings 10,000 new
# pairs, and nothing that is stored helps with them.
# </details>
#
# <details><summary>4. Does Sentence-BERT also save time in training?</summary>
#
# No. A training pair costs two passes of one sentence instead of one pass of two: about the same
# number of tokens. The saving comes at search time.
# </details>
#
# <details><summary>5. Why did we time the two encoders in turn and not one after the
# other?</summary>
#
# A machine's speed drifts: other programs, heat, power saving. Measured in turn, both meet the same
# conditions, so their *ratio* can be trusted even if neither number can.
# </details>
#
# **Next:** [02 · How do many token vectors become one sentence vector?](02_pooling.ipynb)
