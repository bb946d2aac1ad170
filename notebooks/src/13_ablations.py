# %% [markdown]
# # 13 · Which part carries the meaning?
#
# After this notebook you will be able to
#
# - read an ablation table by *differences*, and say what a part is worth in which company;
# - show with four pairs what a linear head on (u, v) can never express;
# - stake a range on a run before you start it, and say why one seed is no basis for one.
#
# About MINUTES minutes, half a minute of it computing · profile mini · paper: section 6, Table 6

# %% [markdown]
# SBERT has two dials that nobody derived from theory: how the token vectors become one vector
# (**pooling**), and what the softmax head gets to see (**concatenation**). The paper turned one
# dial at a time and left everything else as it was. That is an **ablation**, and Table 6 is the
# result. It is a small table with a surprise or two in it.

# %% tags=["setup"]
setup("13_ablations", study_minutes=MINUTES, computing_seconds=40)

import numpy as np
import pandas as pd
import torch
from scipy import stats
from sklearn.linear_model import LogisticRegression

from sbert_lab import data
from sbert_lab.course import nb13 as checks
from sbert_lab.course import nb13 as figures
from sbert_lab.course import plots
from sbert_lab.experiments import paper, results, table6
from sbert_lab.experiments.evaluation import ablation, sections, sts
from sbert_lab.objectives import CONCATENATIONS, concatenate
from sbert_lab.profiles import get_profile
from sbert_lab.tasks import Siamese
from sbert_lab.training import take_step

profile = get_profile()

# %% [markdown]
# ## 1 · One judge for all cells
#
# Every cell of the table is an encoder, trained with one setting of the dials and then judged by
# Spearman (does the order of its cosines agree with people's scores?) on the **dev** pairs of STSb,
# the similarity benchmark. Not on the test pairs: once you choose by the test set, you have used it
# up. Ten dev pairs, drawn by a fixed seed:

# %%
dev = data.load("stsb", "dev")
print("dev pairs:", data.coverage("stsb", "dev"))
for row in dev.shuffle(seed=13).select(range(10)):
    print(f"\n{row['score']:.2f}  {row['sentence1']}\n      {row['sentence2']}")

# %% [markdown]
# The softmax head of notebook 05 sees u and v, and whatever else is made of them: the absolute
# difference `|u-v|`, the product `u*v`.
#
# **Predict**, before you see the table: if the head may see *one* part only, which is better,
# `|u-v|` or `u*v`?

# %%
guess_alone = None  # your guess: "|u-v|" or "u*v"

# %% [markdown]
# And this is the table as printed. Column *NLI* means trained with the softmax objective of
# notebook 05, column *STSb* with the regression of notebook 06. There is no head in a regression,
# so nothing to concatenate.

# %%
printed = paper.table(6)
print(printed.fillna("").to_string(index=False))

# %% [markdown]
# ## 2 · What is a part worth?
#
# The paper's sentence about the lower half is that the absolute difference `|u-v|` is the key part,
# and that adding `u*v` does not help (claim C22; a claim has a rule, fixed beforehand, by which we
# measure it).
#
# ### Exercise 1 · Three readings of one table (2 points)
#
# A part has no worth of its own, only a worth *in company*. From the printed scores, find
#
# - `best_alone`: the better of the two parts that stand alone;
# - `added`: what each of the two *adds to (u, v)*, with it minus without it;
# - `last`: what `u*v` adds when u, v and `|u-v|` are there already.

# %%
half = printed[printed["factor"] == "concatenation"]
scores = dict(zip(half["choice"], half["NLI"], strict=True))
print(scores["(u, v)"], "is the score of (u, v)")

# %% id="13-marginal" tags=["exercise", "points:2"]
best_alone = None  # "|u-v|" or "u*v"
added = {"|u-v|": None, "u*v": None}  # two numbers
last = None  # a number
### BEGIN SOLUTION
best_alone = "u*v"
added = {part: scores[f"(u, v, {part})"] - scores["(u, v)"] for part in added}
last = scores["(u, v, |u-v|, u*v)"] - scores["(u, v, |u-v|)"]
### END SOLUTION

# %% id="13-marginal-check" tags=["test", "points:2"]
checks.marginal(best_alone, added, last, scores=scores)

# %% [markdown]
# All pairs of rows that differ in one part only, found by the package:

# %%
for part in ("|u-v|", "u*v", "u, v"):
    print(f"\nadding {part}")
    for (without, together), points in ablation.marginal_values(scores, part).items():
        print(f"  {without:15} -> {together:20} {points:+6.2f}")
alone = {part: scores[f"({part})"] for part in ("|u-v|", "u*v")}
you_said(guess_alone, max(alone, key=alone.get))

# %% [markdown]
# Both sentences of the paper are about **(u, v)** as company: there `|u-v|` adds more than `u*v`,
# and once it is in, `u*v` adds nothing. Alone the order is the other way round, by less than a
# point. And beside (u, v), whichever of the two comes *second* adds far less than the one that came
# first. Without u and v that is not so: there each still adds about 8 points to the other. So they
# overlap, but they are not the same thing. The next section shows what they have in common.

# %% [markdown]
# ## 3 · What a sum cannot say
#
# Why is (u, v) so poor? It holds both sentences completely; nothing is missing! But the head is
# *linear*: a weighted sum of what it sees. Let us give it the simplest question about two
# vectors: **are they (nearly) the same?** In a toy, half of the pairs are a random vector and a
# slightly noisy copy, half are two unrelated random vectors.
#
# **Predict.** How many per cent of new toy pairs will a linear head on (u, v) get right?

# %%
guess_toy = None  # your guess, in per cent


# %%
def toy_pairs(count, seed, size=8):
    """u, v (count, size) and whether v is a noisy copy of u."""
    generator = torch.Generator().manual_seed(seed)
    u, other, noise = torch.randn(3, count, size, generator=generator)
    same = torch.arange(count) % 2 == 0
    return u, torch.where(same[:, None], u + 0.1 * noise, other), same


u, v, same = toy_pairs(4_000, seed=1)
new_u, new_v, new_same = toy_pairs(2_000, seed=2)
toy = {}
for name in CONCATENATIONS:
    head = LogisticRegression(max_iter=2_000).fit(concatenate(u, v, name), same)
    toy[name] = 100 * head.score(concatenate(new_u, new_v, name), new_same)
coins = [name for name, percent in toy.items() if percent < 60]
print("hardly better than a coin:", ", ".join(coins))
print("right in at least 8 of 10:", sum(percent >= 80 for percent in toy.values()), "of 7")

# %% tags=["nbval-ignore-output"]
you_said(guess_toy, round(toy["(u, v)"]), unit="%")
plots.show(
    figures.equal_or_not(toy),
    caption="A linear head that asks 'are these two the same?'. With all numbers of both vectors "
    "before its eyes it cannot tell; a product or a difference makes it easy.",
    alt="Seven horizontal bars of accuracy, one per concatenation: (u, v) at the coin's 50 per "
    "cent, all others far to the right.",
)

# %% [markdown]
# More training would not help. The head's score of a pair is a sum, *something of u plus something
# of v*:  s(u, v) = w·u + w'·v + c. Such a score is called **additive**. Take any two vectors a and
# b and look at four pairs: the two equal ones, (a, a) and (b, b), and the two mixed ones, (a, b)
# and (b, a). In an additive score both groups contain w·a, w'·a, w·b and w'·b exactly once. So
# equal and mixed pairs have *the same total*, whatever the weights.
#
# ### Exercise 2 · Four pairs (3 points)
#
# Write `interaction`: the scores of the two equal pairs minus the scores of the two mixed pairs.
# `score(x, y)` takes two batches (B, H) and gives one number per row.
#
# Then decide: would it help to force the head to be **symmetric**, the same weights for u and v?
# Set `symmetry_helps` to True or False.


# %% id="13-additive" tags=["exercise", "points:3"]
def interaction(score, a, b):
    """Equal pairs minus mixed pairs, row by row: -> (B,)."""
    ### BEGIN SOLUTION
    return score(a, a) + score(b, b) - score(a, b) - score(b, a)
    ### END SOLUTION


symmetry_helps = None  # True or False
### BEGIN SOLUTION
symmetry_helps = False  # w·u + w·v is still a sum
### END SOLUTION

# %% id="13-additive-check" tags=["test", "points:3"]
checks.additive(interaction, symmetry_helps)

# %% [markdown]
# The same count for random heads on all seven concatenations, with the package's version. Only one
# line can be zero for *every* choice of weights:

# %%
a, b = torch.randn(2, 200, 8, dtype=torch.float64, generator=torch.Generator().manual_seed(3))
for name, parts in CONCATENATIONS.items():
    torch.manual_seed(13)
    head = torch.nn.Linear(8 * len(parts), 1).double()
    with torch.no_grad():
        gap = ablation.interaction(lambda x, y, h=head, n=name: h(concatenate(x, y, n)), a, b)
    print(f"{name:20} {'always 0' if gap.abs().max() < 1e-9 else 'not 0'}")

# %% [markdown]
# What does that mean for SBERT? Its head on (u, v) cannot reward the encoder for putting two
# sentences that mean the same *at the same place*. Cosine, which judges later, asks for exactly
# that. With `|u-v|` in the head, "close together" becomes something a weight can pay for.
# (The encoder is trained too, so it finds other ways to serve an additive head: 66.04 is poor,
# but not nothing.)
#
# <a id="q-why-product"></a>
# **Why does `u*v` not help, then?** In part because it answers a question that `|u-v|` has answered
# already. If all numbers were +1 or -1 this would be exact: `u*v = 1 - |u-v|`, and a linear head
# can subtract. For other numbers it is not exact, but in the toy each of them alone does most of
# the work. That cannot be all: without u and v the product adds 8.59 points to `|u-v|`. Why
# (u, v) makes it unnecessary the paper does not say, and we have not measured it.

# %% [markdown]
# ## 4 · Our own seven
#
# Now our encoders. What is trained in one cell, the cell (u, v), say? Ten steps of it by hand: both
# sentences through one encoder, the parts side by side, the head's three numbers, the probability
# of the true label. Dropout is off, so the package's own step must move the head to the same place.


# %%
def step_by_hand(task, rows, optimizer):
    sides = ([row[side] for row in rows] for side in ("sentence1", "sentence2"))
    u, v = (task.encoder(**task.encoder.collate(texts)) for texts in sides)  # (B, H) each
    logits = task.head(concatenate(u, v, "(u, v)"))  # (B, 3)
    labels = torch.tensor([row["label"] for row in rows])
    loss = -logits.log_softmax(dim=1)[torch.arange(len(rows)), labels].mean()
    loss.backward()
    optimizer.step()
    optimizer.zero_grad()


def step_of_package(task, rows, optimizer):
    batch = task.collate(task.prepare(rows))
    take_step(task, [(batch, 1.0)], optimizer=optimizer, rate=1e-4, clip_norm=0)


# %%
nli, heads = ablation.training_pairs("NLI", profile)[:320], []
for step in (step_by_hand, step_of_package):
    start = ablation.start_encoder(table6.cells()["(u, v)"], profile, 1).to("cpu").eval()
    one = Siamese(start, "classification", concatenation="(u, v)")
    optimizer, before = torch.optim.AdamW(one.parameters(), lr=1e-4), one.head.weight.clone()
    for place in range(0, 320, 32):
        step(one, nli[place : place + 32], optimizer)
    heads.append(one.head.weight.detach())
torch.testing.assert_close(*heads, atol=1e-5, rtol=0)
print("the head has moved:", bool((heads[0] - before).abs().max() > 1e-4), "· both the same way")

# %% [markdown]
# All cells of an objective train **on the same pairs with the same settings**, so only the dial
# differs; and each cell is trained with several **seeds**, so that we see how much is chance. That
# takes longer than a lesson, so it was *recorded* (section 6 trains one cell to its end):

# %%
table = results.open_table(6)
print(f"recorded in profile {table.profile}: {len(table.gold(table6.SET)):,} dev pairs,",
      f"{len(table.seeds('MEAN, NLI'))} seeds per cell")  # fmt: skip
for objective, pairs in ablation.PAIRS.items():
    print(f"{objective:4} cells: {pairs:,} training pairs, {ablation.EPOCHS[objective]} epoch(s)")
came_from(table)

# %% [markdown]
# Mind the size: 3,000 pairs once, where the paper had about a million. A cell may be
# *undertrained*, and then a dial has had little time to matter. The short training is the same for
# all cells, which makes the comparison fair, but not the scores comparable with the paper's.
#
# **Predict.** Between the best and the worst of the seven the paper has 14.7 points. How many
# will there be here?

# %%
guess_span = None  # your guess, in points

# %%
ours = {name: table.scores(table6.concatenated(name), table6.SET) for name in CONCATENATIONS}
means = {name: float(values.mean()) for name, values in ours.items()}
best, worst = max(means, key=means.get), min(means, key=means.get)
print(f"best  {best:20} {means[best]:.1f}\nworst {worst:20} {means[worst]:.1f}")
you_said(guess_span, round(means[best] - means[worst], 1), unit="points")


# %%
def levels_of(one):
    """Two rows to compare the concatenations with, from a recorded table."""
    rows = {"raw BERT MEAN": "raw BERT MEAN", "shuffled labels": table6.SHUFFLED}
    return {name: one.mean(row, table6.SET) for name, row in rows.items()}


def order_agrees(found):
    """Spearman between the seven means and the paper's seven."""
    return sts.spearman([scores[n] for n in found], [found[n].mean() for n in found])


plots.show(
    figures.parts_and_bars(
        {name: ablation.presence(name) for name in CONCATENATIONS},
        ours,
        scores,
        lines=levels_of(table),
    ),
    caption="Black dots: what the head sees; small dots: the seeds; ticks: the paper. Rank correlation "
    f"of our order with the paper's: {order_agrees(ours):+.2f} (1 would be the same order). A bar left "
    "of the dashed line means that this training did harm to the cosines.",
    alt="A grid of dots for the parts u, v, |u-v| and u*v beside seven horizontal bars of Spearman "
    "with one dot per seed, the paper's value as a tick, and vertical lines, or a common one where "
    "they coincide, for the raw encoder and for shuffled labels.",
)

# %% [markdown]
# Two spreads must not be mixed up: that between **seeds** (the dots), and that between **test
# pairs**, which the bootstrap measures (draw the pairs again and again, with repeats). The claim's
# intervals draw both again:

# %%
differences = table6.claims(table)
verdicts = {"C22": paper.claim("C22", difference=differences["C22"])}

# %% tags=["nbval-ignore-output"]
print(verdicts["C22"].details)

# %% [markdown]
# The floors belong in every table: *random weights, untrained* (nothing was ever learned), *MEAN, NLI,
# shuffled labels* (the labels mean nothing), and the *raw* encoder. (The rows trained on STSb follow
# in section 5.)

# %%
shown = table.frame()
shown.insert(0, "kind", [table.kind(row) for row in table.rows])
first = shown[~shown.index.str.contains("STSb")]
print(first.to_string(), "\n")
floor = table.mean(table6.RANDOM, table6.SET)
under = [row for row in first.index if table.mean(row, table6.SET) < floor]
print(f"below {table6.RANDOM} ({floor:.1f}): {'; '.join(under) or 'none'}")

# %% [markdown]
# A row below *random weights, untrained* ranks the pairs worse than a network that has never read a word.
# Comparing two of these says which is less bad, and nothing more.
#
# Now the cell that the paper would choose. Did the training do it good, and did the *labels*?

# %%
raw_mean = table.mean("raw BERT MEAN", table6.SET)
nonsense = table.mean(table6.SHUFFLED, table6.SET)
gain, labels = (table.mean("MEAN, NLI", table6.SET) - level for level in (raw_mean, nonsense))
side = "above" if gain > 0 else "below"
print(f"the paper's own cell is {abs(gain):.1f} points {side} raw BERT MEAN")
print(f"and {abs(labels):.1f} points {'above' if labels > 0 else 'below'} shuffled labels")
print(f"(the standard deviation of its seeds is {table.spread('MEAN, NLI', table6.SET):.1f})")
print("of the seven concatenations", sum(mean < raw_mean for mean in means.values()), end=" ")
print(f"lie below raw BERT MEAN; shuffled labels are {abs(nonsense - raw_mean):.1f} points away")
if gain < 0 and abs(nonsense - raw_mean) < 1:
    print("So the training as such costs nothing here; with the true labels this cell loses.")
shows(
    gain,
    more="This short training did the cosines good, so the table compares how much good.",
    less="So this table compares how much *harm* each concatenation does, not how much good: another "
    "question than the paper's, and a reason not to read the paper's order into ours.",
    same="This training changed nothing on average.",
)

# %% [markdown]
# What do the labels ask of the encoder? One cheap answer can be counted: **shared words**. A raw
# average counts them well, and pairs that share words often get high STSb scores. If entailments
# share clearly more words with their premise than contradictions do, the labels reward an encoder
# for what its raw average can do already; if not, they push it away from that.

# %%
names = ("entailment", "neutral", "contradiction")
overlap = {name: [] for name in names}
for row in ablation.training_pairs("NLI", profile):
    shared = sections.word_overlap(row["sentence1"], row["sentence2"])
    overlap[names[row["label"]]].append(shared)
for name, values in overlap.items():
    print(f"{name:13} {len(values):5,} pairs, shared words {100 * np.mean(values):4.1f} %")
shows(
    100 * (np.mean(overlap["entailment"]) - np.mean(overlap["contradiction"])),
    margin=3,
    more="Entailments share {by:.0f} points more of their words with the premise than contradictions.",
    less="Entailments share {by:.0f} points *fewer* of their words with the premise than contradictions.",
    same="Entailments and contradictions share about as many words with their premise.",
)

# %% [markdown]
# A count like this fits a story; it does not prove it. (Notebook 05 has the longer one, with curves.)

# %% [markdown]
# ## 5 · Three poolings, two objectives
#
# In notebook 06 you looked at the cosine of *random* pairs under MAX pooling before any training,
# and predicted what a regression on cosines would make of it. Claim C20 says that with NLI the
# pooling hardly matters; claim C21 that with regression MAX is far worse than MEAN and CLS.
#
# **Predict.** After our short regression on STSb: how many points does MAX lie below MEAN?

# %%
guess_max = None  # your guess, in points

# %%
panels = {}
for objective, title in {"NLI": "NLI, softmax", "STSb": "STSb, regression"}.items():
    column = printed.set_index("choice")[objective]
    panels[title] = {
        choice: (table.scores(table6.pooled(choice, objective), table6.SET), float(column[choice]))
        for choice in ablation.POOLINGS
    }
raw = {choice: table.mean(row, table6.SET) for choice, row in table6.RAW.items()}


def lifts(values, start):
    return values.mean() - start > values.std(ddof=1)


plots.show(
    figures.poolings(panels, raw=raw),
    caption="Each bar beside its dotted line: where a pooling starts, and whether training lifts it "
    "by more than the standard deviation of its seeds. "
    + " ".join(
        f"{title}: {', '.join(c for c in part if lifts(part[c][0], raw[c])) or 'none'} lifted."
        for title, part in panels.items()
    ),
    alt="Two panels, softmax and regression, each with bars for MEAN, MAX and CLS, a dot per seed, "
    "the paper's value as an orange line and the untrained encoder's as a dotted line.",
)

# %%
second = shown[shown.index.str.contains("STSb")]
print(second.to_string(), "\n")
lost = table.mean("MEAN, STSb", table6.SET) - table.mean("MAX, STSb", table6.SET)
you_said(guess_max, round(lost, 1), unit="points")
worse = [row for row in second.index if table.mean(row, table6.SET) < floor]
print(f"below {table6.RANDOM} ({floor:.1f}): {'; '.join(worse) or 'none'}\n")
for claim in ("C20", "C21"):
    verdicts[claim] = paper.claim(claim, difference=differences[claim])

# %% tags=["nbval-ignore-output"]
print(verdicts["C20"].details, verdicts["C21"].details, sep="\n")

# %% [markdown]
# **C20** says *equal*, and its rule fixes what that means: both differences inside -2 to +2 points.
# An interval wholly outside fails the claim, and more dev pairs would not save it. **C21** says
# *above*. An interval that covers 0 leaves it *inconclusive*: more pairs could decide it either way.
#
# Could C20 have been *shown* here, had the poolings been equal? An equality within ±2 points needs
# an interval that fits in there, at most 4 points wide. Here is how wide it is, and how many dev
# pairs would be needed (an interval shrinks with the square root of their number):

# %%
low, high = sts.interval(differences["C20"]["MEAN - MAX, NLI"])
count = len(table.gold(table6.SET))
needed = count * ((high - low) / 4) ** 2
print(f"{count:,} pairs give an interval {high - low:.1f} points wide; 4 are allowed at most")
print(f"so even for two equal systems about {max(count, round(needed, -2)):,.0f} pairs are needed")

# %% [markdown]
# ### And a BiLSTM?
#
# Before BERT, InferSent pooled a BiLSTM, and its authors found MAX clearly better than MEAN. The
# paper notes that for SBERT it is the other way round (claim C26). We have such a BiLSTM: two
# directions of 128 numbers over frozen word vectors, trained on all NLI pairs that this profile
# trains on.
#
# <a id="q-infersent-concatenation"></a>
# **InferSent and the Universal Sentence Encoder (USE) were trained with `(u, v, |u-v|, u*v)`**, all
# four parts. Our rows *InferSent* (MAX) and *InferSent MEAN* are, too: a row that stands for
# somebody's system should be trained as they trained it, and not with the concatenation that suits
# us.

# %%
for name in table6.LSTM.values():
    print(f"{name:14} {table.mean(name, table6.SET):.1f} ± {table.spread(name, table6.SET):.1f}")
low = [name for name in table6.LSTM.values() if table.mean(name, table6.SET) < floor]
print(f"below {table6.RANDOM}: {', '.join(low) or 'none'}")
verdicts["C26"] = paper.claim("C26", difference=differences["C26"])

# %% tags=["nbval-ignore-output"]
print(verdicts["C26"].details)

# %% [markdown]
# Why should the two poolings differ at all? A guess, and marked as one: a BiLSTM's numbers lie
# between -1 and 1 and many stay near 0, so a maximum picks out the one word that speaks up. BERT's
# layers mix every token with every other before pooling, so that each token already carries the
# sentence, and an average loses little.

# %% [markdown]
# ## 6 · Stake a range, then run
#
# Enough of other people's numbers. Choose a cell and train it **with a seed that was not
# recorded**. But first say where its score will fall. A range that is too wide says nothing, one
# that is too narrow will be wrong: aim at a range that is right 95 times in 100.

# %%
print("the cells:", " · ".join(table6.cells()))
my_cell = "(u, v)"  # or another
my_range = (None, None)  # your stake by feeling: lower and upper end

# %% [markdown]
# ### Exercise 3 · A range from seeds (3 points)
#
# Write `stake`: from the scores of n seeds (mean m, standard deviation s with ddof=1), the range
# for **one new seed**, right 95 times in 100:
#
# $$m \pm t \cdot s \cdot \sqrt{1 + 1/n}$$
#
# The 1 under the root is the new run's own luck, the 1/n that of the mean. t is
# `stats.t.ppf(0.975, n - 1)`; with n = 3 it is 4.30, and not 1.96, because s itself is a guess from
# three numbers. What if there is **one** seed? Then raise a `ValueError` that says why.


# %% id="13-stake" tags=["exercise", "points:3"]
def stake(scores):
    """Scores of n seeds -> (low, high) for the next one."""
    ### BEGIN SOLUTION
    n = len(scores)
    if n < 2:
        raise ValueError("one seed has no spread: run at least two")
    half = stats.t.ppf(0.975, n - 1) * np.std(scores, ddof=1) * np.sqrt(1 + 1 / n)
    return np.mean(scores) - half, np.mean(scores) + half
    ### END SOLUTION


# %% id="13-stake-check" tags=["test", "points:3"]
checks.stake(stake)

# %% [markdown]
# With three seeds the range is wide. But we have more than three numbers: all cells of an objective
# trained alike, so let us *assume* that they share one spread, and pool it. Nine NLI cells of three
# seeds leave 18 degrees of freedom instead of 2, and t falls from 4.30 to 2.10.

# %%
cell = table6.cells()[my_cell]
alike = [name for name, one in table6.cells().items() if one.objective == cell.objective]
runs = [table.scores(name, table6.SET) for name in alike]
freedom = sum(len(values) - 1 for values in runs)
pooled = np.sqrt(sum(((values - values.mean()) ** 2).sum() for values in runs) / freedom)
known = table.scores(my_cell, table6.SET)
half = stats.t.ppf(0.975, freedom) * pooled * np.sqrt(1 + 1 / len(known))
low, high = known.mean() - half, known.mean() + half
own = stats.t.ppf(0.975, len(known) - 1) * known.std(ddof=1) * np.sqrt(1 + 1 / len(known))
print(f"pooled standard deviation {pooled:.2f}, {freedom} degrees of freedom")
print(f"{my_cell}, a new seed: {low:.1f} to {high:.1f}")
print(f"from its own {len(known)} seeds: {known.mean() - own:.1f} to {known.mean() + own:.1f}")

# %% [markdown]
# Does the assumption hold? The spreads that went into the pooled one:

# %%
spreads = dict(zip(alike, [values.std(ddof=1) for values in runs], strict=True))
print("; ".join(f"{name}: {spread:.1f}" for name, spread in spreads.items()))
widest = max(spreads, key=spreads.get)
others = [values for name, values in zip(alike, runs, strict=True) if name != widest]
rest = np.sqrt(np.mean([values.var(ddof=1) for values in others]))
print(f"pooled without {widest}: {rest:.2f} instead of {pooled:.2f}")

# %% [markdown]
# Where one cell inflates the pooled spread, the range is too wide for the steady ones. It is still
# better than to believe three seeds that happen to lie close together: three numbers are a poor
# estimate of a spread.
#
# Now run it. This is the recorded training, cell for cell; only the seed is new. Put in a pair of
# your own, too, and see whether this training brings it together or apart.

# %% tags=["nbval-ignore-output"]
mine = ("The committee rejected the plan.", "The plan was turned down.")  # write your own
new_seed = max(table.seeds(my_cell)) + 1
before = ablation.start_encoder(cell, profile, new_seed).encode(list(mine), normalize=True)
encoder = ablation.train_cell(cell, profile, new_seed, show_progress=True)
live = sts.score_pairs(encoder.encode, dev).spearman
after = encoder.encode(list(mine), normalize=True)
print(f"{my_cell}, seed {new_seed}: {live:.1f}; {'inside' if low <= live <= high else 'OUTSIDE'}")
print(f"your pair: cosine {before[0] @ before[1]:.2f} before, {after[0] @ after[1]:.2f} after")
felt = "no stake by feeling" if None in my_range else f"you staked {my_range[0]} to {my_range[1]}"
print(felt)

# %% tags=["nbval-ignore-output"]
plots.show(
    figures.stakes(known, low, high, live),
    caption="The band is what three seeds and a pooled spread promise for a fourth. One seed in "
    "twenty falls outside, so a single miss is nothing special, and a single hit proves nothing.",
    alt="One line of Spearman values: a band for the staked range, dots for the recorded seeds and "
    "a diamond for the new seed.",
)

# %% [markdown]
# Had you known only *one* recorded seed, you could have named a middle, but no width: nothing in
# one number says how far the next will be. That is why a table of single runs cannot tell a better
# dial from a luckier seed, however many rows it has.

# %% [markdown]
# ## 7 · Beside the paper
#
# One line per cell of Table 6. *Measured* is your live run; its seed is not among the recorded
# ones.

# %% tags=["nbval-ignore-output"]
lines = []
for name, one in table6.cells().items():
    choice = table.paper_name(name)
    column = printed.set_index("choice").loc[choice, one.objective]
    lines.append({"what": name, "measured": live if name == my_cell else None,
                  "recorded": (table.mean(name, table6.SET), table.spread(name, table6.SET)),
                  "paper": float(column)})  # fmt: skip
lines[0]["why"] = "3,000 pairs seen, not about a million; a small encoder, not BERT-base"
paper.compare(lines, data="as listed above")
short_of = {line["what"]: line["paper"] - line["recorded"][0] for line in lines}
farthest, nearest = max(short_of, key=short_of.get), min(short_of, key=short_of.get)
print(f"below the paper by {short_of[nearest]:.0f} points ({nearest}) to", end=" ")
print(f"{short_of[farthest]:.0f} points ({farthest})")

# %% [markdown]
# ### The same cells on real pairs
#
# Mini's dev set is small and its text is ours. The same cells were recorded once more, from the
# same small encoder, on *real* pairs: 3,000 of NLI once or 1,500 of STSb twice, judged by the real
# dev pairs. Each cell has as many seeds as in mini, the BiLSTM rows have one.
#
# **Predict.** Which of C20, C21, C22 and C26 will come out differently?

# %%
guess_changed = None  # your guess, for example "C20, C26"

# %%
real = results.open_table(6, "real") if results.has_table(6, "real") else None
if real:
    both = {"mini": results.open_table(6, "mini"), "real": real}
    columns = {name: one.frame()[table6.SET] for name, one in both.items()}
    print(pd.DataFrame(columns).reindex(both["mini"].rows).fillna("-").to_string())
    came_from(real)
else:
    print("no run on real pairs is recorded here")

# %%
if real:
    again = {
        id: paper.judge(id, difference=parts, profile="real")
        for id, parts in sorted(table6.claims(real).items())
    }
    changed = [id for id, found in again.items() if found.verdict != verdicts[id].verdict]
    for id, found in again.items():
        print(f"{id}, real: {found.verdict}{' (not so in mini)' if id in changed else ''}")
    you_said(guess_changed, ", ".join(changed) or "none")

# %% tags=["nbval-ignore-output"]
if real:
    print(*(found.details for found in again.values()), sep="\n\n")

# %% [markdown]
# Beside each verdict belong the *size* of the difference in the paper, the seeds, and the raw encoder:

# %%
if real:
    after = {n: real.scores(table6.concatenated(n), table6.SET) for n in CONCATENATIONS}
    for other in ("(u, v)", "(u, v, u*v)"):
        gap = after["(u, v, |u-v|)"].mean() - after[other].mean()
        pair = [after["(u, v, |u-v|)"], after[other]]
        error = np.sqrt(sum(values.var(ddof=1) / len(values) for values in pair))
        print(f"(u, v, |u-v|) - {other}: real {gap:+.1f} (standard error over seeds {error:.1f}),",
              f"paper {scores['(u, v, |u-v|)'] - scores[other]:+.1f}")  # fmt: skip
    for name, level in levels_of(real).items():
        below = sum(values.mean() < level for values in after.values())
        print(f"{below} of 7 concatenations lie below {name} ({level:.1f})")
    plots.show(
        figures.parts_and_bars(
            {name: ablation.presence(name) for name in CONCATENATIONS},
            after,
            scores,
            lines=levels_of(real),
        ),
        caption="The same figure as in section 4, recorded on real pairs. Rank correlation of the "
        f"order with the paper's: {order_agrees(after):+.2f}, in {table.profile} {order_agrees(ours):+.2f}.",
        alt="A grid of dots for the parts of the concatenation beside seven horizontal bars of "
        "Spearman on real pairs with one dot per seed, the paper's value as a tick, and vertical "
        "lines for the raw encoder and for shuffled labels.",
    )
    raw_real = levels_of(real)["raw BERT MEAN"]
    shows(
        np.median([values.mean() for values in after.values()]) - raw_real,
        more="Most cells are above the raw encoder: this table compares how much good each "
        "concatenation does.",
        less="Most cells are below the raw encoder, so on real pairs this is a table of *harm*, in "
        "whatever order.",
        same="The cells lie around the raw encoder: neither good nor harm.",
    )

# %% [markdown]
# Where mini and real disagree, trust the real one: its text was not made by us, and its dev set has
# about five times as many pairs, so its intervals are less than half as wide.

# %% [markdown]
# ### Explain your number (3 points, read by a person)
#
# Take three recorded scores of mini: (u, v, |u-v|), which is the row *MEAN, NLI*, then *raw BERT MEAN*
# and *MEAN, NLI, shuffled labels*. In four or five sentences: what did this training do to the cosines,
# is the difference larger than the spread over seeds, and may this table speak for or against the
# paper's Table 6?

# %% [markdown] id="13-explain" tags=["manual", "points:3"]
# ### BEGIN SOLUTION
# Rubric, one point each: (1) quotes the three scores and reads them together: the step from raw to
# the cell is what this training did, the step from shuffled labels to the cell is what the *true*
# labels did, and both have a sign; (2) sets the two steps beside the sd over the cell's three seeds
# (section 4 prints it), sees that the floor has one seed, and says how sure that makes them; (3)
# concludes that cells of 3,000 pairs, a few points apart, can neither confirm nor refute an order
# found after a million pairs with BERT-base, and names what would: more pairs, a larger encoder, or
# the real run.
# ### END SOLUTION

# %% [markdown]
# ## Recap
#
# An ablation turns one dial and keeps the rest; its result is a difference, and a part's worth
# depends on the company it is in. A linear head on (u, v) is a sum, so it cannot ask whether two
# vectors are alike. `|u-v|` and `u*v` both can; in the paper, beside (u, v), the first of them
# helps much and the second little. A difference between cells means something only beside the
# spread over seeds and over test pairs, and with a single seed there is no spread to put it beside.

# %% [markdown]
# ## Questions
#
# <details><summary>1. A student writes: "Table 6 proves that <code>|u-v|</code> is the best
# feature." What is wrong?</summary>
#
# Alone, `u*v` scores higher (70.54 against 69.78). What the table shows is that `|u-v|` adds more
# *to (u, v)*, and that `u*v` adds nothing once both are there. Best in which company?
# </details>
#
# <details><summary>2. Is the head on (u, v) bad because swapping u and v changes its answer?
# </summary>
#
# No. A symmetric head, the same weights for both, is still a sum and still gives equal and mixed
# pairs the same total. NLI even needs an unsymmetric head: entailment has a direction.
# </details>
#
# <details><summary>3. Two rows differ by 1 point, each was run once, and the seeds' sd is about 1.
# Which is better?</summary>
#
# Nobody can know. The difference of two single runs has a standard deviation of about 1.4 (the
# square root of 2), so a point is well within chance.
# </details>
#
# <details><summary>4. Why is the concatenation scored by a cosine that never uses it?</summary>
#
# The head is thrown away after training. What a concatenation leaves behind is the encoder that it
# taught, and this is what the table measures.
# </details>
#
# <details><summary>5. Would you choose the winning cell on STSb's test pairs?</summary>
#
# No: the best of several is partly the luckiest. Choose on dev, then report the chosen one on test,
# once.
# </details>

# %% [markdown]
# **Next:** [14 · Where does the time go?](14_computational_efficiency.ipynb) The same vectors, but
# faster.
