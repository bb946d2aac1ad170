# %% [markdown]
# # 14 · Where does the time go?
#
# After this notebook you will be able to
#
# - count how much of a batch is padding, and predict from that count what sorting will save;
# - build smart batching in four steps, and put the vectors back into the order they were asked in;
# - time several encoders fairly, and read a table of sentences per second with doubt.
#
# About MINUTES minutes, half a minute of it computing · profile mini · paper: section 7, Table 7,
# claims C23 and C24

# %% [markdown]
# A GPU, and a CPU hardly less, wants a **rectangle** of numbers. Sentences are not rectangles: each
# has its own length. So the short ones are filled up with padding, and the network computes
# attention and all its layers for tokens that mean nothing, then throws the result away.
#
# This notebook first counts that waste, then removes it, and only then looks at the clock.

# %% tags=["setup"]
setup("14_computational_efficiency", study_minutes=MINUTES, computing_seconds=40)

import functools
import os
import random
import time

import numpy as np
import pandas as pd
import torch

from sbert_lab import data
from sbert_lab.course import nb14 as checks
from sbert_lab.course import nb14 as figures
from sbert_lab.course import plots
from sbert_lab.devices import pick_precision
from sbert_lab.encoder import SentenceEncoder
from sbert_lab.encoding import plan_batches
from sbert_lab.experiments import paper, results, table7
from sbert_lab.experiments.evaluation import speed
from sbert_lab.profiles import get_profile

profile = get_profile()
encoder = SentenceEncoder.load(profile.backbone, max_length=profile.max_length)

# %% [markdown]
# ## 1 · Sentences are not rectangles
#
# Table 7 was measured on the sentences of the STS benchmark. We take ours: every sentence once,
# in the order of the files. Ten of them, drawn by a fixed seed, with their number of tokens:

# %%
sentences = table7.stsb_sentences(profile)
ids, _ = encoder.tokenize(sentences)
lengths = [len(row) for row in ids]
print("STS benchmark:", data.coverage("stsb", "all"))
print(f"{len(sentences):,} different sentences, {sum(lengths):,} tokens,", end=" ")
print(f"from {min(lengths)} to {max(lengths)} in a sentence\n")
for place in random.Random(14).sample(range(len(sentences)), 10):
    print(f"{lengths[place]:3}  {sentences[place]}")

# %% [markdown]
# The number counts word pieces, and the two special tokens around them. Now cut the list into
# batches of 32, as they come. Each batch becomes as wide as its longest sentence.
#
# **Predict.** Of all tokens that the network then computes, how many per cent are padding?

# %%
guess_padding = None  # your guess, in per cent

# %%
given = speed.count_padding(lengths, speed.in_order(lengths, 32))  # the package counts
print(given)
you_said(guess_padding, round(100 * given.share, 1), unit="%")

# %%
plots.show(
    figures.lengths_and_batch(lengths, lengths[:32]),
    caption="Left, all lengths: most sentences are near the mean, a few are long. Right, the "
    "first batch: one long sentence is enough to make all 32 rows wide.",
    alt="A histogram of tokens per sentence, and a grid of 32 rows in which blue real tokens on "
    "the left are followed by orange padding up to the length of the longest row.",
)

# %% [markdown]
# The longest of 32 is nearly always one of the few long ones. So the width of a batch follows
# the *tail* of the histogram, not its middle. Larger batches make it worse; a batch of one has no
# padding at all, but is slow for other reasons (section 4).
#
# What does a sentence of your own do to the batch on the right? Write a long one.

# %% tags=["nbval-ignore-output"]
my_sentence = (  # change me
    "This sentence goes on and on, with one more clause and then another one after that, because "
    "I want to see what a single long row costs all the short ones that happen to sit beside it."
)
mine = len(encoder.tokenize([my_sentence])[0][0])
print(f"your sentence: {mine} tokens")
for name, some in {"without": lengths[:32], "with": [*lengths[:32], mine]}.items():
    batch = speed.count_padding(some, [range(len(some))])
    print(
        f"the batch {name:7} it: {batch.computed:,} tokens, {100 * batch.share:.0f} % of them padding"
    )

# %% [markdown]
# ### Exercise 1 · The share of padding (2 points)
#
# So far the package counted. Write the count yourself: of all computed tokens, the share (0 to 1)
# that is padding, for batches in the given order, each as wide as its own longest row. The last
# batch may be smaller. Take care *what* you average.


# %% id="14-share" tags=["exercise", "points:2"]
def padding_share(lengths, batch_size):
    """Token counts -> padding / all computed tokens."""
    ### BEGIN SOLUTION
    batches = [lengths[i : i + batch_size] for i in range(0, len(lengths), batch_size)]
    computed = sum(len(batch) * max(batch) for batch in batches)
    return 1 - sum(lengths) / computed
    ### END SOLUTION


# %% id="14-share-check" tags=["test", "points:2"]
checks.padding_share(padding_share)

# %% [markdown]
# ## 2 · Smart batching in four steps
#
# Here is an encoder loop as plain as can be. It gets a *plan*: which sentences go into which
# batch. Note the last line of the loop: every vector is written to the place of its sentence, so
# the plan may mix them as it likes.


# %%
def encode_slowly(sentences, batches, width=None):
    """Vectors (N, H) in the order of the sentences. Batches are lists of sentence numbers."""
    ids, _ = encoder.tokenize(sentences)
    vectors = torch.empty(len(ids), encoder.dimension)
    for batch in batches:
        longest = width or max(len(ids[i]) for i in batch)
        padded = torch.full((len(batch), longest), encoder.tokenizer.pad_token_id)  # (B, T)
        mask = torch.zeros_like(padded)
        for row, i in enumerate(batch):
            padded[row, : len(ids[i])] = torch.tensor(ids[i])
            mask[row, : len(ids[i])] = 1
        with torch.inference_mode():
            output = encoder(padded.to(encoder.device), mask.to(encoder.device))  # (B, H)
        vectors[torch.as_tensor(batch)] = output.cpu()
    return vectors


# %% [markdown]
# **Step 1, fixed width.** The simplest code pads every sentence to the limit of the model.
#
# **Step 2, dynamic padding.** Each batch is as wide as its own longest sentence.
#
# **Step 3, sorting.** Before cutting, sort *all* sentences by length. Now neighbours are alike.
#
# **Step 4, a token budget.** Sorted batches differ in size: 32 short rows are little work, 32 long
# ones much. So do not fix the rows but the tokens: as many rows as fit into, say, 2,048.
#
# Three small functions make these plans:


# %%
def in_order(lengths, size=32):
    return [list(range(i, min(i + size, len(lengths)))) for i in range(0, len(lengths), size)]


def by_length(lengths, size=32):
    order = sorted(range(len(lengths)), key=lambda i: -lengths[i])  # longest first
    return [order[i : i + size] for i in range(0, len(order), size)]


def by_budget(lengths, tokens=2048):
    order, plan = sorted(range(len(lengths)), key=lambda i: -lengths[i]), []
    while order:
        rows = max(1, tokens // lengths[order[0]])  # the first one is the longest
        plan, order = [*plan, order[:rows]], order[rows:]
    return plan


# %% [markdown]
# **Predict.** After sorting, batches of 32 again: how many per cent are still padding?

# %%
guess_sorted = None  # your guess, in per cent

# %% [markdown]
# We count with the package's `count_padding`, which also makes sure that a plan neither loses nor
# repeats a sentence. These counts need no clock: they are the same on every machine.

# %%
LIMIT = profile.max_length
plans = {
    "1 fixed width": (in_order(lengths), LIMIT),
    "2 dynamic padding": (in_order(lengths), None),
    "3 sorted": (by_length(lengths), None),
    "4 token budget": (by_budget(lengths), None),
}
counts = {name: speed.count_padding(lengths, plan, width=w) for name, (plan, w) in plans.items()}
for name, count in counts.items():
    print(f"{name:18} {count}")
you_said(guess_sorted, round(100 * counts["3 sorted"].share, 1), unit="%")

# %% [markdown]
# Each step has its own job. Dynamic padding removes what *nobody* in the batch needs. Sorting
# removes what *most* in the batch do not need. The token budget is no third attack on padding
# (compare the last two lines): it makes **fewer and evenly sized** batches, which matters for
# memory and for the work around each batch.

# %% [markdown]
# <a id="q-smart-batching"></a>
# ### Is padding to the longest in the batch enough?
#
# No, as lines 2 and 3 show: with batches in the given order, much of the padding stays. The
# paper's smart batching has two parts: sentences **of similar length are grouped**, *and* each
# mini-batch is padded to its own longest. Without the grouping only step 2 is left.
#
# <a id="q-the-function-of-that-name"></a>
# **Why is the function of that name in the public library not it?** sentence-transformers has long
# had a `smart_batching_collate`. It is handed the examples that the data loader has *already*
# drawn, at random, and pads them to their longest: step 2. It sees one batch at a time, so it
# could not sort even if it wanted to. The sorting is done elsewhere in that library: in `encode`,
# which orders all sentences by their number of *characters* before it cuts them up.

# %% [markdown]
# Does the given order matter? Files are often grouped by source, captions here and news there,
# so that neighbours are already somewhat alike. Shuffling takes that away; sorting does not care.
# Is this file grouped in that way?

# %%
shuffled = np.random.default_rng(0).permutation(lengths)
for name, some in {"order of the files": lengths, "shuffled": shuffled}.items():
    given = speed.count_padding(some, speed.in_order(some))
    best = speed.count_padding(some, speed.by_length(some))
    print(f"{name:18} given order {100 * given.share:4.1f} %, sorted {100 * best.share:4.1f} %")
    if some is lengths:
        from_file = given.share
grouped = given.share - from_file > 0.02
print("neighbours in the file are", "alike" if grouped else "no more alike than any two sentences")

# %% [markdown]
# ### The way back
#
# Nobody should notice that you sorted: vector number 7 must belong to sentence number 7. Our loop
# wrote each row to its place. Often, though, you get all vectors in sorted order, in one array.

# %% [markdown]
# ### Exercise 2 · Restore the order (2 points)
#
# `order` lists the sentence numbers in sorted order: row i of `sorted_vectors` is the vector of
# sentence `order[i]`. Give the vectors back in the order of the sentences, as a new array.


# %% id="14-restore" tags=["exercise", "points:2"]
def restore(sorted_vectors, order):
    """(N, H), (N,) -> (N, H), row j for sentence j."""
    ### BEGIN SOLUTION
    return sorted_vectors[np.argsort(order)]
    ### END SOLUTION


# %% id="14-restore-check" tags=["test", "points:2"]
checks.restore(restore)

# %% [markdown]
# Four plans, one network: do they give the same vectors? If padding leaked into the result, they
# would not. And do they agree with `encoder.encode`, the version that lasts?

# %%
few = speed.take_evenly(sentences, 96)
few_lengths = [len(row) for row in encoder.tokenize(few)[0]]
expected = torch.from_numpy(encoder.encode(few, precision="fp32"))
for plan, width in ((in_order, LIMIT), (in_order, None), (by_length, None), (by_budget, None)):
    vectors = encode_slowly(few, plan(few_lengths), width)
    torch.testing.assert_close(vectors, expected, atol=1e-4, rtol=1e-4)
print("four plans, the same", tuple(vectors.shape), "vectors")

# %% [markdown]
# The package's planner does what `by_budget` does, without copying lists:

# %%
ours, theirs = by_budget(lengths), plan_batches(lengths, token_budget=2048)
print("the same batches:", all(list(b) == a for a, b in zip(ours, theirs, strict=True)))
peek(plan_batches)

# %% [markdown]
# ## 3 · Now the clock
#
# Timing is easy to get wrong. Three rules, which `speed.measure` follows:
#
# - **in turn**: one round of every system, then the next round, each in another order. If the
#   machine is busy for a while, it slows all of them, and rates of the same round still compare;
# - **warm up** first, and repeat: a single number without its spread says little;
# - on a GPU, **wait** before reading the clock. A GPU takes orders and returns at once; without
#   waiting you time how fast you can give orders.

# %% [markdown]
# (`peek(speed.measure)` shows its code, if you would like to read it.)

# %% [markdown]
# ### Exercise 3 · The saving, predicted (2 points)
#
# If time goes with the number of tokens, you know the gain before you measure it. Write `saving`:
# tokens computed with batches in the given order, divided by tokens computed after sorting. Both
# times each batch is padded to its own longest.


# %% id="14-saving" tags=["exercise", "points:2"]
def saving(lengths, batch_size):
    """Token counts -> by which factor sorting reduces the computed tokens."""

    ### BEGIN SOLUTION
    def computed(some):
        batches = [some[i : i + batch_size] for i in range(0, len(some), batch_size)]
        return sum(len(batch) * max(batch) for batch in batches)

    return computed(lengths) / computed(sorted(lengths))
    ### END SOLUTION


# %% id="14-saving-check" tags=["test", "points:2"]
checks.saving(saving)

# %% [markdown]
# Some hundred sentences, taken evenly from the list, are enough here. What their token counts
# promise, for each step against the one before:

# %%
sample = speed.take_evenly(sentences, 600)
sample_lengths = [len(row) for row in encoder.tokenize(sample)[0]]
budget = functools.partial(plan_batches, token_budget=2048)  # the function, its budget filled in
ways = {
    "fixed width": (speed.in_order, LIMIT),
    "dynamic padding": (speed.in_order, None),
    "sorted": (speed.by_length, None),
    "token budget": (budget, None),
}
tokens = {
    name: speed.count_padding(sample_lengths, plan(sample_lengths), width=width)
    for name, (plan, width) in ways.items()
}
for one, other in (("fixed width", "dynamic padding"), ("dynamic padding", "sorted")):
    factor = tokens[one].computed / tokens[other].computed
    print(f"{one} -> {other}: tokens divided by {factor:.2f}")

# %% [markdown]
# **Predict.** Sorted batches against the given order, both padded to their longest: how many
# times as many sentences per second will this machine encode?

# %%
guess_factor = None  # your guess, for example 1.2

# %% [markdown]
# Fixed width is slow, so it gets a few sentences only; its rate is per second all the same. Each
# line has the median of three rounds and, in brackets, the slowest and the fastest. The factor is
# taken *round by round*, and then its median: so it need not equal the ratio of the two medians.

# %% tags=["nbval-ignore-output"]
systems = {n: speed.encode_with(encoder, plan, width=width) for n, (plan, width) in ways.items()}
device = encoder.device.type
measured = speed.measure(systems, sample, rounds=3, at_most={"fixed width": 48}, device=device)
for name, rate in measured.items():
    print(f"{name:16} {rate}")
factors = speed.ratio(measured["sorted"], measured["dynamic padding"])
promised = tokens["dynamic padding"].computed / tokens["sorted"].computed
you_said(guess_factor, float(np.median(factors)), unit="times as fast")
print(f"rounds from {factors.min():.2f} to {factors.max():.2f}; tokens promised {promised:.2f}")
shows(
    factors - promised,
    more="The clock gave more than the tokens promised, by {by:.2f}.",
    less="The clock gave less than the tokens promised, by {by:.2f}.",
    same="The clock kept the promise of the tokens, within the spread of the rounds.",
)

# %% tags=["nbval-ignore-output"]
panels, notes = {}, {}
for name in ("fixed width", "dynamic padding", "sorted"):
    plan = ways[name][0](lengths)
    chosen = np.linspace(0, len(plan) - 2, 4).astype(int)  # the last batch may be smaller
    panels[name] = [[lengths[i] for i in plan[number]] for number in chosen]
    count = speed.count_padding(lengths, plan, width=ways[name][1])
    rate = f"{measured[name].median:,.0f} sentences/s"
    notes[name] = f"{100 * count.share:.0f} % padding\n{rate}"
plots.show(
    figures.mosaics(panels, {"fixed width": LIMIT}, notes),
    caption="Four batches of 32 of each kind. Over all batches the blue is the same work; only the "
    "orange differs. Padding is counted over all batches, the rates are this machine's.",
    alt="Three panels of stacked rectangles of tokens. Fixed width: mostly orange padding. Dynamic "
    "padding: narrower rectangles, still much orange. Sorted: mostly blue. Below each, the "
    "share of padding and the sentences per second.",
)

# %% [markdown]
# Why a promise may be kept only in part: tokenizing costs the same in all ways, every batch has some
# fixed work around it, and wide batches may use the processor better than narrow ones.

# %% [markdown]
# ## 4 · What else costs time
#
# **Length.** Attention compares every token with every token, so people say BERT is quadratic. How
# bad is it? Per token and layer of width H, the linear parts need 12 H² products (4 H² for the
# attention's own projections, 8 H² for the two layers after it). Scores and weighted sums of
# attention need 2 T H, for T tokens. So the quadratic part is 2T / (12H + 2T) of the whole.
#
# **Predict.** For BERT-base (H = 768) and a sentence of 32 tokens, which per cent is that?

# %%
guess_attention = None  # your guess, in per cent

# %%
widths = [8, 16, 32, 64, LIMIT]
sizes = {"BERT-base, H = 768": 768, f"here, H = {encoder.dimension}": encoder.dimension}
shares = {name: [2 * t / (12 * h + 2 * t) for t in widths] for name, h in sizes.items()}
for name, values in shares.items():
    line = ", ".join(f"{t}: {100 * v:.1f} %" for t, v in zip(widths, values, strict=True))
    print(f"{name:20} {line}")
you_said(guess_attention, round(100 * 2 * 32 / (12 * 768 + 2 * 32), 1), unit="%")
print(f"the quadratic part is half of the whole at T = 6 H: {6 * 768:,} tokens for BERT-base")

# %% [markdown]
# For sentences the famous square hardly shows: cost is nearly **proportional to tokens**, which is
# why the count of section 2 predicts so much. Measured, with the same number of tokens in every
# batch, cut into shorter or longer rows:


# %% tags=["nbval-ignore-output"]
def seconds_per_token(length, total=1024):
    rows = torch.randint(5, 1000, (total // length, length), device=encoder.device)
    speed.synchronize(device)
    start = time.perf_counter()
    with torch.inference_mode():
        encoder(rows)
    speed.synchronize(device)
    return (time.perf_counter() - start) / rows.numel()


rounds = [[seconds_per_token(length) for length in widths] for _ in range(5)]
per_token = np.median(rounds[1:], axis=0)  # the first round warms up
plots.show(
    figures.cost_by_length(widths, per_token, shares),
    caption=f"Left, the clock: a token in a row of {widths[-1]} takes {per_token[-1] / per_token[0]:.2f} "
    f"times as long as in a row of {widths[0]}. Right, arithmetic: the share of attention.",
    alt="Left, microseconds per token against tokens per sentence from 8 to the limit. Right, two "
    "rising curves of the share of attention, lower for BERT-base than for the small encoder.",
)

# %% [markdown]
# **Batch size and threads.** A batch of one has no padding, but every call has fixed costs, and
# small matrices keep a processor waiting. More threads help only while there are idle cores.

# %% tags=["nbval-ignore-output"]
several = {}
for size in (1, 8, 32, 128):
    plan = functools.partial(speed.by_length, batch_size=size)
    several[f"batches of {size}"] = speed.encode_with(encoder, plan)
shown = speed.measure(several, speed.take_evenly(sentences, 256), rounds=3, device=device)
threads = torch.get_num_threads()
try:
    for count in sorted({1, os.cpu_count() or 1}):
        torch.set_num_threads(count)
        rate = speed.measure({"sorted": systems["sorted"]}, sample[:64], rounds=2, device=device)
        shown[f"sorted, {count} thread{'s' if count > 1 else ''}"] = rate["sorted"]
finally:
    torch.set_num_threads(threads)
for name, rate in shown.items():
    print(f"{name:18} {rate}")
print("fastest:", max(several, key=lambda name: shown[name].median))

# %% [markdown]
# Batches larger than the fastest cost memory and bring nothing: a larger batch spans more lengths, so
# it has more padding, and perhaps (a guess) its numbers no longer fit into the processor's cache. (The
# two lines with threads were not taken in turn, so trust them less.)
#
# **Half precision.** On a GPU, `torch.autocast` runs the large products in 16 bits: half the
# memory to move, and special units to do it. TF32 keeps 32 bits and rounds them inside the
# product only. On CPUs it depends: some know bfloat16, some emulate
# it slowly, on some it ends the program with an illegal instruction. So this cell asks only a GPU.

# %% tags=["nbval-ignore-output"]
if device == "cuda":
    kinds = ["fp32", "tf32", pick_precision("auto", torch.device(device))]
    precise = {kind: functools.partial(encoder.encode, precision=kind) for kind in kinds}
    for kind, rate in speed.measure(precise, sample, rounds=5, device=device).items():
        print(f"{kind:5} {rate}")
else:
    print("no GPU here: half precision is not measured")

# %% [markdown]
# **Compiling.** `torch.compile(model)` fuses small operations into larger ones. It pays after many
# calls: compiling takes long, and may start again for every new shape (B, T). Smart batching
# makes many shapes, so `sbert-lab train --compile` rounds T up to a multiple of 8: a little padding
# for fewer shapes. We do not compile here: half a minute of work would not repay it.
#
# **More than one GPU, more than one machine.** `torchrun --nproc-per-node 4 -m sbert_lab encode
# sentences.txt vectors.npy` deals the sentences out to four GPUs. With
# `--nnodes 2 --rdzv-backend c10d --rdzv-endpoint HOST:29500` in front of `-m`, typed on both of two
# machines, the eight GPUs of both share the work; `train` and `evaluate` go the same way.

# %% [markdown]
# ## 5 · Table 7
#
# All systems, measured in one go and *recorded*: several rounds in turn, and all of it again. Our
# rows of the paper's systems are networks of this course's size (the averaging net stands for the
# Universal Sentence Encoder, USE), and not trained for any task:
# training changes what a weight is, not how long it takes to multiply by it. The row *random
# weights, smart batching* puts that to the test below. (That is also why this table has no row with
# shuffled labels.) "±" is the standard deviation over the repetitions.

# %% tags=["nbval-ignore-output"]
recorded = results.open_table(7, profile if results.has_table(7, profile) else "mini")
came_from(recorded)
print(f"profile {recorded.profile}, {recorded.info(table7.SMART)['threads']} thread(s)")
shown = recorded.frame([one for one in ("CPU", "GPU") if one in recorded.columns], digits=0)
shown["tokens"] = [f"{recorded.mean(row, 'computed tokens'):,.0f}" for row in recorded.rows]
shown["padding"] = [f"{recorded.mean(row, 'padding'):.0f} %" for row in recorded.rows]
print("sentences per second; tokens computed, padding included, and its share")
print(shown.to_string())
if "GPU" not in recorded.columns:
    print("\nGPU: not measurable here")

# %% tags=["nbval-ignore-output"]
table = paper.table(7).set_index("model")
names = [row for row in recorded.rows if row != table7.FIXED]
rounds = {name: recorded.predictions(name, "CPU rounds") for name in names}
papers = {n: table.loc[recorded.paper_name(n), "CPU"] for n in names if recorded.paper_name(n)}
plots.show(
    figures.rates(rounds, papers),
    caption="Each factor of ten is one step to the right. Compare the order of the rows, not the "
    "distance between circle and diamond: other networks, another processor. Fastest: "
    f"{max(names, key=lambda n: np.median(rounds[n]))}; slowest: {min(names, key=lambda n: np.median(rounds[n]))}.",
    alt="For each system a row with ticks for all recorded rounds, a circle at their median and, "
    "for the paper's five systems, a diamond at the paper's CPU value, on a log axis of sentences "
    "per second.",
)

# %% [markdown]
# Two of these rows are one network twice: the same layers and the same batches, once with the
# pretrained weights and once with random ones.

# %% tags=["nbval-ignore-output"]
for name in (table7.SMART, table7.RANDOM):
    mean, spread = recorded.mean(name, "CPU"), recorded.spread(name, "CPU")
    print(f"{name:30} {mean:,.0f} ± {spread:,.0f} sentences/s")
same = rounds[table7.RANDOM] / rounds[table7.SMART]
print(f"ratio, round by round: median {np.median(same):.2f},", end=" ")
print(f"rounds from {same.min():.2f} to {same.max():.2f}")

# %% [markdown]
# There is no reason in the network why these two should differ. Whatever gap you see comes from the
# machine and its other work. That makes it a measure for the whole table: two other rows whose
# ratio is no further from 1 than this one's may be equally fast.
#
# Our live run of section 3 beside the recorded one. The rates differ from machine to machine; the
# *ratio* of sorted to given order should differ less.

# %% tags=["nbval-ignore-output"]
pairs = rounds[table7.SMART] / rounds[table7.GIVEN]  # (seeds, rounds)
print("how many times as fast sorted batches are:")
print(
    f"live {np.median(factors):.2f}, paper {83 / 44:.2f}, recorded {np.median(pairs):.2f}", end=" "
)
print(f"(rounds from {pairs.min():.2f} to {pairs.max():.2f})")
live = {table7.GIVEN: "dynamic padding", table7.SMART: "sorted"}
why = {
    table7.WORDS: "no network at all: a look-up per word and a mean, as in the paper",
    table7.INFERSENT: "BiLSTM of 2 x 128 here, 2 x 2,048 there",
    table7.USE: "ours applies its layers once per sentence; theirs is a TensorFlow module",
    table7.GIVEN: "BERT-base has about a hundred times the weights per token",
    table7.SMART: "the same",
}
lines = []
for name, reason in why.items():
    ours = (recorded.mean(name, "CPU"), recorded.spread(name, "CPU"))
    now = measured[live[name]].median if name in live else None
    line = {"what": name, "measured": now, "recorded": ours, "paper": papers[name], "why": reason}
    lines.append(line)
paper.compare(lines, data=recorded.about["data"], digits=0)

# %% [markdown]
# The two claims, by their rules. A verdict about time belongs to a machine; yours may differ.

# %% tags=["nbval-ignore-output"]
for number, (holds, note) in table7.time_claims(recorded).items():
    verdict = paper.claim(number, holds=holds, note=note, profile=recorded.profile)
    print(verdict.details, "\n")
here = {name: recorded.mean(name, "CPU") for name in papers}
for place, found in {"recorded": here, "paper": papers}.items():
    print(f"{place + ', fastest first:':25}", " > ".join(sorted(found, key=found.get)[::-1]))
if max(here, key=here.get) == table7.WORDS:
    print("averaged word vectors are fastest of all, as in the paper")
else:
    print(f"averaged word vectors are not fastest here: {max(here, key=here.get)} is")

# %% [markdown]
# C23 is about *sorting*, and both of its rows pad to the batch's longest. The paper gives 44 and
# 83 sentences/s on the CPU: 47 % of the time is gone. If time goes with tokens, about 47 % of
# theirs were padding. Compare that with your count in section 1.
#
# C24 has two parts. *Averaged word vectors fastest of all* compares them with every system, our
# averaging net among them. That one averages word vectors, too, and then applies its few small layers once per
# sentence, which is next to nothing. So between these two the arithmetic hardly decides; the code
# that splits sentences into words and collects their vectors does, and that is a matter of how it
# was written. The paper's USE was a much larger program, slower than SBERT with smart batching.
#
# *InferSent faster than SBERT* depends on sizes. The more weights a token has to pass, the slower;
# the next lines are arithmetic, for ours and for the paper's networks. And mind the column of
# tokens above: InferSent reads words, SBERT word pieces and two special tokens.

# %%
ours = {name: recorded.info(name)["weights"] for name in (table7.INFERSENT, table7.SMART)}
theirs = {table7.INFERSENT: 2 * 4 * 2048 * (300 + 2048), table7.SMART: 12 * 12 * 768**2}
for name in ours:
    print(f"{name:22} weights per token: here {ours[name]:10,}, paper {theirs[name]:11,}")
for place, weights in {"here": ours, "paper": theirs}.items():
    ratio = weights[table7.SMART] / weights[table7.INFERSENT]
    print(f"{place}: SBERT has {ratio:.1f} times the weights per token")

# %% [markdown]
# But weights are not all. A BiLSTM must read word after word: step 7 waits for step 6. A
# transformer does all words at once. On a CPU that matters less, and fewer weights count; a GPU
# has thousands of units that sit idle while one step waits for the next. That is the likely reason
# why the order is reversed in the paper's GPU column: SBERT 2,042, InferSent 1,876, USE 1,318.

# %% [markdown]
# ### How much faster is InferSent, really?
#
# The paper says that on a CPU InferSent is about 65 % faster than SBERT.
#
# **Predict.** From the paper's CPU column, without smart batching: how many times as fast as SBERT
# is InferSent?

# %%
guess_infersent = None  # your guess

# %%
cpu = paper.table(7).set_index("model")["CPU"]
with_sorting = cpu["InferSent"] / cpu["SBERT-base - smart batching"]
without = cpu["InferSent"] / cpu["SBERT-base"]
print(f"against SBERT with smart batching: {with_sorting - 1:.0%} faster")
you_said(guess_infersent, round(without, 1), unit="times as fast")

# %% [markdown]
# Both numbers are in the table; the sentence chose one. It is the fair one if InferSent's batches
# were sorted too, which its public code does, and unfair if not. **Ask of every "x % faster":
# faster than which variant?**
#
# And the public library? The row *sentence-transformers* ran on the same folder in the same
# rounds. Its vectors are the same as ours (a test of this course compares them). Its time, and the
# tokens it computed, since it sorts by characters:

# %% tags=["nbval-ignore-output"]
if recorded.exists(table7.OTHERS):
    both = rounds[table7.BUDGET] / rounds[table7.OTHERS]
    print(f"encoder.encode / sentence-transformers: {np.median(both):.2f} times as fast", end="")
    print(f" (rounds from {both.min():.2f} to {both.max():.2f})")
    for name in (table7.SMART, table7.OTHERS):
        print(f"{name:22} {recorded.mean(name, 'computed tokens'):,.0f} tokens in batches of 32")
else:
    print("sentence-transformers was not installed when Table 7 was recorded")

# %% [markdown]
# ### The same on real sentences
#
# The same networks, on sentences of the official STS benchmark. Their lengths differ from ours, and
# so does the share of padding that sorting can remove. The two tables were recorded on different
# days, perhaps on different machines: compare rates within a column, and between the columns only
# ratios.

# %% tags=["nbval-ignore-output"]
if results.has_table(7, profile="real"):
    both = {name: results.open_table(7, name) for name in ("mini", "real")}
    came_from(*both.values())
    columns = {f"{name}, CPU": one.frame(["CPU"], digits=0)["CPU"] for name, one in both.items()}
    for name, one in both.items():
        waste = {row: f"{one.mean(row, 'padding'):.0f} %" for row in one.rows}
        columns[f"{name}, padding"] = pd.Series(waste)
    print(f"\n{pd.DataFrame(columns).reindex(both['mini'].rows).fillna('-').to_string()}")
else:
    both = {}
    print("no run on real sentences is recorded here")

# %% tags=["nbval-ignore-output"]
for name, one in both.items():
    fast, slow = (one.predictions(row, "CPU rounds") for row in (table7.SMART, table7.GIVEN))
    many, few = (one.mean(row, "computed tokens") for row in (table7.GIVEN, table7.SMART))
    print(f"{name}: sorted batches {np.median(fast / slow):.2f} times as fast;", end=" ")
    print(f"tokens divided by {many / few:.2f}")
    if name != recorded.profile:  # the verdicts of that one stand above
        for id, (holds, note) in table7.time_claims(one).items():
            print(f"   {id} {paper.judge(id, holds=holds, profile=name).verdict}: {note}")

# %% [markdown]
# ## 6 · Beside the library everybody uses
#
# `make bench` runs this package and sentence-transformers side by side: the same weights,
# sentences and single thread, in turn, several rounds, and the vectors are compared. The clock
# counts *processor* seconds, so that neighbours on the machine matter less. The table is recorded.
#
# Where did the time go before? A profile of `encode` said: two thirds in the matrix products, an
# eighth in attention, the rest in GELU, copies and sums between the products. So on a CPU `encode`
# now packs the tokens of a batch one after another, (N, H), with no padding and no mask at all;
# makes query, key and value in one product; and has GELU and the sums done inside the products.
# Training packs a batch in the same way, except that attention sees texts of similar length as
# padded rectangles. The products themselves, forward and backward, are done by **oneDNN**: torch's
# usual library, MKL, does not use the widest instructions of an AMD processor. So expect other
# ratios on another processor; the table says which one it was.
#
# **Predict.** How many times as fast as sentence-transformers does that make mini-bert?

# %%
guess_library = None  # your guess, for example 1.3

# %% tags=["nbval-ignore-output"]
bench = results.open_bench()
print(f"{bench['about']['hardware']}; {bench['about']['clock']}\n")
print(figures.bench_table(bench))
ours = bench["rows"]["encode mini-bert"]
you_said(guess_library, ours["ratio"]["median"], unit="times as fast")
print(f"largest difference between the vectors: {ours['largest_difference']:.0e}")
for name, row in bench["rows"].items():
    if "share of the products' rate" in row:
        share = row["share of the products' rate"]["median"]
        print(f"{name}: {100 * share:.0f} % of the rate of bare matrix products")

# %% tags=["nbval-ignore-output"]
aims = {name: row for name, row in bench["rows"].items() if row.get("goal") and "ratio" in row}
missed = [
    name
    for name, row in aims.items()
    if row["ratio"]["median"] < row["goal"] or row.get("recall", 1) < 0.95
]
plots.show(
    figures.bench_picture(bench),
    caption="Dots to the right of the dashed line are faster than sentence-transformers. Diamonds "
    f"are the goals that were set before. Missed: {', '.join(missed) or 'none'}.",
    alt="A row for each work: a dot at the median ratio, a bar from the slowest to the fastest "
    "round, a diamond at the goal, and a dashed line at 1.",
)

# %% [markdown]
# **Eight bits.** `SentenceEncoder.load(name, precision="int8")` stores the weights of the products
# in 8 bits instead of 32 and rounds what goes into them, too. That costs a little accuracy. How
# much, in Spearman's rank correlation with the human scores of STSb (times 100)?

# %% tags=["nbval-ignore-output"]
for name, row in bench["rows"].items():
    if name.startswith("int8"):
        print(f"{name}: {row['fp32']:.2f} -> {row['int8']:.2f} ({row['what']})")
    if "int8 against ours" in row:
        faster = row["int8 against ours"]
        print(f"{name}: int8 is {faster['median']:.2f} times as fast as our fp32", end=" ")
        print(f"(rounds from {faster['low']:.2f} to {faster['high']:.2f})")

# %% [markdown]
# **How cost grows.** Ten times as many sentences should cost ten times the time to encode, and no
# more memory, if they go to a file. The best pairs of *all* pairs are another matter.

# %% tags=["nbval-ignore-output"]
plots.show(
    figures.growth_picture(bench),
    caption="Both axes in steps of ten. One step up for each step to the right is linear, two "
    "steps up is quadratic, a flat line costs nothing more.",
    alt="Two panels against the number of sentences or vectors on log axes: seconds and memory "
    "of encoding to a file, of exact search, and of finding the best pairs.",
)

# %% [markdown]
# ### Explain your number (3 points, read by a person)
#
# Take two numbers of section 3: the factor that the token counts promised for sorting, and the
# factor that your clock measured (with its spread). Say in four or five sentences: do they agree
# within the spread, what could explain the difference, and what would you expect of the same
# comparison with BERT-base instead of this small network?

# %% [markdown] id="14-explain" tags=["manual", "points:3"]
# ### BEGIN SOLUTION
# Rubric, one point each: (1) quotes both factors and the spread of the rounds, and compares them
# rightly; (2) names a cost that does not go with the tokens (tokenizing, Python and call overhead
# per batch, moving memory) or a reason why wide batches are relatively cheaper; or, if the clock
# beats the promise, a reason such as the mask or the cache; (3) concludes that with a larger
# network the fixed costs weigh less, so that the measured factor should come closer to the
# promised one.
# ### END SOLUTION

# %% [markdown]
# ## Recap
#
# Padding is work that nobody asked for, and it can be counted exactly before anything is timed.
# Smart batching means sorting by length, *then* padding each batch to its longest, then putting the
# vectors back in order; dynamic padding alone leaves all the padding that a long neighbour causes.
# Times depend on machine, size and variant, so measure in turn, give the spread, and say what was
# compared.
#
# ## Questions
#
# <details><summary>1. Training batches are drawn at random. Can smart batching be used there?
# </summary>
#
# Not by sorting everything: each epoch would see the same batches, short ones first or last. A
# compromise is to shuffle, sort within large buckets, cut into batches, and shuffle the batches.
# </details>
#
# <details><summary>2. Why longest first and not shortest first?</summary>
#
# The count is nearly the same. But the longest batch needs the most memory: if it fits, all fit,
# and you learn it at the start and not after an hour. The progress bar errs on the safe side, too.
# </details>
#
# <details><summary>3. A colleague reports 50,000 sentences per second on a GPU, a hundred times
# more than yesterday. What do you ask first?</summary>
#
# Whether the clock waited for the GPU. Without waiting you time the orders, not the work.
# </details>
#
# <details><summary>4. All your sentences have exactly 20 tokens. What does smart batching bring?
# </summary>
#
# Nothing: there is no padding to remove. The gain depends on how much the lengths differ.
# </details>
#
# <details><summary>5. Why is the mean of the batches' padding shares not the share of padding?
# </summary>
#
# Batches differ in width and rows. A narrow batch counts as much as a wide one in the mean of
# ratios, but not in the work. Add up first, then divide.
# </details>
#
# **Next:** [15_search_and_clustering](15_search_and_clustering.ipynb). The vectors are made, and
# fast. What can you do with a million of them?
