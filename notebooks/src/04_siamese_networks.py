# %% [markdown]
# # 04 · Are the two towers two networks?
#
# After this notebook you will be able to
#
# - write a training loop, and say what each of its lines is for;
# - show in numbers that one set of weights learns from both sentences of a pair, and that the two
#   gradients add up;
# - say when cosine and Euclid choose the same neighbour, and when they do not.
#
# About MINUTES minutes, 25 seconds of it computing · profile mini · paper: section 3

# %% [markdown]
# The paper draws its network as two towers: BERT and pooling on the left for sentence A, BERT and pooling
# on the right for sentence B, and on top something that compares the two vectors. It looks like twice the
# work and twice the memory. It is neither. This notebook takes the drawing apart, and on the way you
# write your **first training loop**.

# %% tags=["setup"]
setup("04_siamese_networks", study_minutes=MINUTES, computing_seconds=25)

import copy

import numpy as np
import torch
from torch.nn import functional as F

from sbert_lab import data
from sbert_lab.course import nb04 as checks
from sbert_lab.course import nb04 as figures
from sbert_lab.course import plots
from sbert_lab.devices import move
from sbert_lab.encoder import SentenceEncoder
from sbert_lab.experiments.evaluation import sts
from sbert_lab.objectives import regression_loss
from sbert_lab.profiles import TrainConfig
from sbert_lab.similarity import all_pairs, pairwise
from sbert_lab.tasks import Siamese
from sbert_lab.tasks.siamese import embed_texts
from sbert_lab.training import train

# %% [markdown]
# ## 1 · Something to learn: pairs with a score
#
# Each row of STSb, the benchmark for similarity, has two sentences and a score: 0 for unrelated, 1
# for the same meaning. Here are ten rows, drawn at random and not picked by us. Read them, and ask
# yourself which scores you would have given.

# %%
stsb = data.load("stsb", "train").shuffle(seed=4)
for row in stsb.select(range(10)):
    print(f"{row['score']:.1f}  {row['sentence1']}\n     {row['sentence2']}\n")

# %% [markdown]
# The first eight of them are our whole training set today. Eight pairs are far too few to learn a
# language from, but just right to watch a network learn *something*.

# %%
eight = list(stsb.select(range(8)))
encoder = SentenceEncoder.load("mini-bert")
first = move(encoder.collate([row["sentence1"] for row in eight]), encoder.device)
second = move(encoder.collate([row["sentence2"] for row in eight]), encoder.device)
scores = torch.tensor([row["score"] for row in eight], device=encoder.device)
print("first", tuple(first["input_ids"].shape), "second", tuple(second["input_ids"].shape))

# %% [markdown]
# `first` and `second` are padded batches of token ids with their masks, as in notebook 02 (`move` puts them
# where the encoder is, on the CPU or a GPU). `encoder(**first)` hands both over by name and gives eight
# vectors. Nothing in it knows that there is a second sentence.

# %% [markdown]
# ## 2 · How many weights do two towers have?
#
# **Predict.** mini-bert has about 2.3 million weights. The package puts it into a task for pairs,
# `Siamese(encoder, "regression")`: two sentences in, and a loss that compares their cosine with the score.
# How many weights does that task have? Write a number.

# %%
guess_weights = None  # your guess


# %%
def count(module):
    return sum(weight.numel() for weight in module.parameters())


task = Siamese(encoder, "regression")
print(f"encoder {count(encoder):,} weights, siamese task {count(task):,} weights")
you_said(guess_weights, count(task))

# %% [markdown]
# Not one more. Here is why: `embed_texts`, which does the work, gives every text of the row to the **same**
# `encoder`. It even puts all texts on one pile first, sentences 1 on top of sentences 2, and cuts the pile
# of vectors apart again at the end (`chunk`). A GPU takes the pile in one go. A CPU loses time on padding,
# so there texts of similar length go through together. Either way each text gets the vector that it would
# get alone.

# %%
peek(embed_texts)

# %% [markdown]
# <a id="q-two-towers"></a>
# **Are the two towers two networks?** No: one network, used twice. In the drawing, the line between the
# towers that says "shared" or "tied" weights means exactly this. Hence the name
# *siamese*: like Siamese twins, two bodies that are joined.

# %% [markdown]
# ## 3 · One weight, two uses: what happens to its gradient?
#
# A weight that is used twice is told twice how it should change. Start with the smallest possible case:
# one weight, one formula in which it appears two times.
#
# **Predict.** `y = 3 * w + 4 * w`. After `y.backward()`, what is `w.grad`? And if the two lines
# run a **second** time, with nothing in between?

# %%
guess_once = None  # your guess
guess_again = None  # your guess

# %%
w = torch.tensor(2.0, requires_grad=True)
(3 * w + 4 * w).backward()
you_said(guess_once, w.grad)
(3 * w + 4 * w).backward()
you_said(guess_again, w.grad)

# %% [markdown]
# Two additions, and they are worth telling apart:
#
# - **within one computation** the gradients of all uses add up, 3 + 4 = 7. This is the chain rule. It is what
#   we want: each use of the weight has its say.
# - **from one `backward()` to the next** PyTorch adds to what is already in `.grad`, 7 + 7 = 14. This is
#   bookkeeping. In a training loop you do not want it, hence `zero_grad()`.
#
# Now the same with all weights of mini-bert. The loss is `regression_loss`, the mean of (cosine - score)²
# over the eight pairs. To get the gradient that comes through `u` alone, we cut the other path with
# `v.detach()`: the same numbers, but no gradient flows through them. (`retain_graph` keeps the computation
# of `u` and `v`, because we ask for three gradients of it.)

# %%
u, v = encoder(**first), encoder(**second)  # each (8, 128)
weights = list(encoder.parameters())


def gradient(loss):
    """The gradient with respect to all weights, as one long vector."""
    parts = torch.autograd.grad(loss, weights, retain_graph=True)
    return torch.cat([part.flatten() for part in parts])


via_u = gradient(regression_loss(u, v.detach(), scores))
via_v = gradient(regression_loss(u.detach(), v, scores))
total = gradient(regression_loss(u, v, scores))
torch.testing.assert_close(via_u + via_v, total, rtol=1e-3, atol=1e-5)
print(f"{len(total):,} weights: gradient via u + gradient via v = total")

# %%
last_layer = total[-count(encoder.backbone.encoder.layer[-1]) :]
places = torch.randperm(len(last_layer), generator=torch.Generator().manual_seed(4))[:12]
places = places.to(total.device) + len(total) - len(last_layer)
plots.show(
    figures.gradients_add_up(via_u[places].cpu(), via_v[places].cpu(), total[places].cpu()),
    caption="Follow one weight on the right: the blue bar is what sentence 1 asks for, the orange "
    "bar goes on from there, and the diamond, computed separately, sits exactly at its "
    "end. Where blue and orange point in opposite directions, the two sentences disagree "
    "about this weight.",
    alt="Left: a box with the encoder's weights; sentence 1 and sentence 2 both go in, u and "
    "v come out to the loss, and a dashed gradient arrow returns on each side. Right: for "
    "twelve weights a bar for the gradient via u, a bar for the gradient via v starting "
    "at its end, and a diamond for the total, at the end of the second bar each time.",
)

# %% [markdown]
# **Predict.** A gradient is an arrow, and arrows have a length. If the arrow via `u` and the arrow via `v`
# add up to the total, is the *length* of the total as large as the two lengths together, smaller, or
# larger? Write `"equal"`, `"smaller"` or `"larger"`.

# %%
guess_length = None  # your guess

# %%
both, whole = float(via_u.norm() + via_v.norm()), float(total.norm())
measured = "smaller" if whole < 0.99 * both else "equal" if whole < 1.01 * both else "larger"
you_said(guess_length, measured)

# %% tags=["nbval-ignore-output"]
angle = float(F.cosine_similarity(via_u, via_v, dim=0))
print(f"length via u {via_u.norm():.3f}, via v {via_v.norm():.3f}, together {both:.3f}")
print(f"length of the total {whole:.3f}; cosine between the two gradients {angle:.2f}")

# %% [markdown]
# Keep these numbers. The last question of this notebook asks you to explain them.

# %% [markdown]
# ## 4 · Your first training loop
#
# Training repeats one small step: see how wrong you are, ask every weight which way is better, move all
# weights a little. In PyTorch:
#
# | line | its job |
# |---|---|
# | `optimizer = torch.optim.Adam(encoder.parameters(), lr=learning_rate)` | once, before the loop: who may be changed, and how fast |
# | `u = encoder(**first)` and the same for `v` | two embeddings per pair, from one encoder |
# | `loss = ((F.cosine_similarity(u, v) - scores) ** 2).mean()` | how wrong are we? |
# | `optimizer.zero_grad()` | forget the gradients of the step before |
# | `loss.backward()` | a gradient for every weight |
# | `optimizer.step()` | move every weight a little |
# | `losses.append(loss.item())` | remember the number, not the whole computation |
#
# ### Exercise 1: memorise eight pairs (4 points)
# Put the lines together. `memorise` repeats the step `steps` times and returns the list of losses, one
# number per step. The check tries your loop on a much smaller encoder, so it takes a second.


# %% id="04-loop" tags=["exercise", "points:4"]
def memorise(encoder, first, second, scores, steps=40, learning_rate=5e-4):
    """Train the encoder on these pairs; return the loss of each step, a list of numbers."""
    ### BEGIN SOLUTION
    optimizer = torch.optim.Adam(encoder.parameters(), lr=learning_rate)
    losses = []
    for _ in range(steps):
        u = encoder(**first)  # (B, H)
        v = encoder(**second)  # (B, H), the same encoder again
        loss = ((F.cosine_similarity(u, v) - scores) ** 2).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    return losses
    ### END SOLUTION


# %% id="04-loop-check" tags=["test", "points:4"]
checks.memorise(memorise)

# %% [markdown]
# Now on the real thing. As long as there is no answer above, `my_losses` stays empty, and the figure
# below shows the package's run alone.

# %% tags=["nbval-ignore-output"]
my_losses = memorise(SentenceEncoder.load("mini-bert"), first, second, scores)
print("no loop yet" if my_losses is None else f"{my_losses[0]:.4f} -> {my_losses[-1]:.4f}")

# %% [markdown]
# The package has **one** loop for the whole course, `train(task, rows, config)`. Its heart is
# the same seven lines. Around them it has what long runs need: shuffled batches, warm-up and decay of the
# learning rate, gradient clipping, a progress bar, checkpoints. The checkpoints lie under `runs/training`, in
# a folder that is named after the task, the rows and the settings: run the cell again, and the finished run
# is opened at once.
#
# Here we switch most of that off, to make it as plain as yours: 40 rounds with all eight pairs in
# one batch, at a constant rate.
#
# **Predict.** After the 40 steps, what is the largest error |cosine - score| among the eight pairs?

# %%
guess_error = None  # your guess

# %% tags=["nbval-ignore-output"]
constant = {"warmup_share": 0, "schedule": "constant", "weight_decay": 0}
plain = TrainConfig(epochs=40, batch_size=8, learning_rate=5e-4, **constant)
trained = copy.deepcopy(encoder)
history = train(Siamese(trained, "regression"), eight, plain)
print(f"{history.losses[0]:.4f} -> {history.losses[-1]:.4f}")

# %%
plots.show(
    figures.losses({"train() of the package": history.losses, "your memorise()": my_losses}),
    caption="The loss of eight pairs, on a log axis. The package trains with dropout: in each "
    "step some numbers inside the network are set to zero at random, so its loss is never "
    "quite at rest. Your loop takes the encoder as it was loaded, without dropout.",
    alt="Loss against training step on a logarithmic axis, falling over 40 steps by far more "
    "than half.",
)


# %% tags=["nbval-ignore-output"]
def cosines(model):
    u = model.encode([row["sentence1"] for row in eight], normalize=True)
    v = model.encode([row["sentence2"] for row in eight], normalize=True)
    return (u * v).sum(axis=1)


gold = np.array([row["score"] for row in eight])
before, after = cosines(encoder), cosines(trained)
print("score   ", *(f"{x:5.2f}" for x in gold))
print("before  ", *(f"{x:5.2f}" for x in before))
print("after   ", *(f"{x:5.2f}" for x in after))
you_said(guess_error, np.abs(after - gold).max())

# %%
print("every pair closer to its score than 0.25:", bool(np.abs(after - gold).max() < 0.25))
print("as close before training:", bool(np.abs(before - gold).max() < 0.25))

# %% [markdown]
# A loop that cannot memorise eight pairs has a bug, so this is the first thing to try
# with any new training code. But **memorising is not learning**. Has the encoder become better at
# pairs that it never saw? Take the pairs of STSb's dev split, scored by Spearman (times 100: do the
# cosines put the pairs in the order that people do? notebook 03), and a sentence of your own.

# %%
my_sentence = "The baker closes early on Mondays."  # write your own sentence
my_other = "On Mondays the bakery shuts before noon."  # and one that means nearly the same

# %% tags=["nbval-ignore-output"]
dev, on_dev = data.load("stsb", "dev"), []
for name, model in (("before", encoder), ("after", trained)):
    mine = model.encode([my_sentence, my_other], normalize=True)
    on_dev.append(sts.score_pairs(model.encode, dev).spearman)
    print(f"{name:7} Spearman on dev {on_dev[-1]:5.1f}, your two sentences {mine[0] @ mine[1]:.2f}")
shows(
    on_dev[1] - on_dev[0],
    margin=1,
    more="The eight pairs lifted the dev score by {by:.1f} points: luck, for they know little.",
    less="The eight pairs are known by heart, and all other pairs paid for it: {by:.1f} points lost.",
    same="The eight pairs are known by heart, and the dev score has hardly moved.",
)

# %% [markdown]
# Eight pairs say nothing about the rest of the language. Real training, in the next notebooks, uses the
# same loop with thousands of pairs.

# %% [markdown]
# ## 5 · And if they *were* two networks?
#
# Nothing forbids it. We write a task with two encoders: the right one starts as an exact copy of the
# left one, and then each is trained on its own side of the eight pairs. A task is anything with
# `collate(rows)` and `forward(batch)`, so a subclass with one changed method is enough.


# %%
class TwoTowers(Siamese):
    def __init__(self, encoder):
        super().__init__(encoder, "regression")
        self.twin = copy.deepcopy(encoder)

    def forward(self, batch):
        u = self.encoder(**batch["sentence1"])
        v = self.twin(**batch["sentence2"])  # the other network
        return regression_loss(u, v, batch["answer"])


towers = TwoTowers(copy.deepcopy(encoder))
print(f"two towers: {count(towers):,} weights")

# %% [markdown]
# **Predict.** After training, we give *the same* sentence to both towers. What is the cosine of the two
# vectors they make of it? (The package's `pairwise` compares row by row.)

# %%
guess_same = None  # your guess, as a number

# %% tags=["nbval-ignore-output"]
train(towers, eight, plain)
left, right = (model.encode([my_sentence, my_other]) for model in (towers.encoder, towers.twin))
left, right = torch.from_numpy(left), torch.from_numpy(right)
same = pairwise("cosine", left, right)  # each sentence with itself, once per tower
you_said(guess_same, same[0])

# %% tags=["nbval-ignore-output"]
# (mine left, other right) and (other left, mine right)
swapped = pairwise("cosine", left, right.flip(0))
once = torch.from_numpy(trained.encode([my_sentence, my_other]))
shared = pairwise("cosine", once, once.flip(0))
print(f"two towers: mine-other {swapped[0]:.4f}, other-mine {swapped[1]:.4f}")
print(f"siamese:    mine-other {shared[0]:.4f}, other-mine {shared[1]:.4f}")

# %%
print("does swapping the two sentences change their cosine?")
print("siamese:   ", not torch.equal(shared[0], shared[1]))
print("two towers:", bool((swapped[0] - swapped[1]).abs() > 1e-4))

# %% [markdown]
# With one network the similarity is **symmetric** by construction: A to B is B to A, and a sentence is at
# cosine 1 to itself. With two networks none of this holds any more, each sentence needs two vectors, and
# "find the most similar pair" has two answers per pair.
#
# Two networks are not wrong as such. Search engines use them where the two sides really differ, short
# questions left and long passages right. Comparing sentences with sentences is not such a case.

# %% [markdown]
# ## 6 · Cosine or Euclid?
#
# Once sentences are vectors, "similar" can mean a small angle (cosine) or a small distance (Euclid). For
# vectors of length 1 these are two names for one thing. Multiply out:
#
# $$\|u - v\|^2 = u \cdot u - 2\, u \cdot v + v \cdot v = 1 - 2\cos + 1 = 2 - 2\cos$$
#
# ### Exercise 2: the distance, from the cosine and two lengths (2 points)
# That was for **unit vectors**, the vectors divided by their own length. Multiply out again for vectors of
# any length, and write the Euclidean distance of `u` and `v` as a function of their cosine and their two
# lengths; the vectors themselves are not given. Rounding may push a cosine a hair above 1: mind the root.


# %% id="04-distance" tags=["exercise", "points:2"]
def distance_from_cosine(cosine, length_u, length_v):
    """Euclidean distance of u and v, for N pairs at once: (N,), (N,), (N,) -> (N,)."""
    ### BEGIN SOLUTION
    squared = length_u**2 + length_v**2 - 2 * length_u * length_v * cosine
    return squared.clamp(min=0).sqrt()
    ### END SOLUTION


# %% id="04-distance-check" tags=["test", "points:2"]
checks.distance_from_cosine(distance_from_cosine)

# %% [markdown]
# mini-bert's vectors do not have length 1. What does that change? We take 200 sentences of the dev split
# and let every sentence choose its nearest neighbour, once by cosine and once by distance, first with
# the raw vectors and then with the same vectors divided by their length. (`all_pairs` compares every row
# with every row: here (200, H) with itself, (200, 200).)
#
# **Predict.** For how many of the 200 sentences do the two choices differ, with raw vectors?

# %%
guess_differ = None  # your guess

# %%
sentences = list(dict.fromkeys([*dev["sentence1"], *dev["sentence2"]]))[:200]
raw = torch.from_numpy(encoder.encode(sentences))  # (200, H)
unit = F.normalize(raw, dim=1)


def neighbours(similarity, vectors):
    """Each row's nearest other row."""
    return all_pairs(similarity, vectors, vectors).fill_diagonal_(-torch.inf).argmax(dim=1)


differ_raw = int((neighbours("cosine", raw) != neighbours("euclidean", raw)).sum())
differ_unit = int((neighbours("cosine", unit) != neighbours("euclidean", unit)).sum())
print("with unit vectors the choices differ for", differ_unit, "of", len(sentences))

# %% tags=["nbval-ignore-output"]
you_said(guess_differ, differ_raw)
lengths = raw.norm(dim=1)
print(f"raw lengths from {lengths.min():.1f} to {lengths.max():.1f}")

# %%
pairs = torch.combinations(torch.arange(40))  # 780 pairs of the first 40 sentences
one, two = pairs[:, 0], pairs[:, 1]
plots.show(
    figures.cosine_against_distance(
        pairwise("cosine", raw[one], raw[two]),
        pairwise("euclidean", raw[one], raw[two]) ** 2,
        pairwise("euclidean", unit[one], unit[two]) ** 2,
    ),
    caption="Each dot is a pair of sentences. Right: with length 1 all dots lie on the line 2 - 2 "
    "cos, so sorting by cosine or by distance is the same. Left: the more the lengths "
    "differ, the wider the band, and inside the band the two orders can disagree.",
    alt="Two scatter plots of squared distance against cosine for 780 pairs. With raw vectors "
    "the dots form a falling band; with unit vectors they lie exactly on a falling line.",
)

# %% [markdown]
# <a id="q-cosine-or-euclid"></a>
# **So what is the difference between cosine and Euclid?** For normalised vectors: none that a ranking could
# show. For raw vectors Euclid also sees the lengths, and cosine does not; how much that matters depends on
# how much the lengths vary. The paper tried both (and Manhattan) and found about the same ranking.
# Notebook 08 measures this as claim C09.
#
# ### Exercise 3: make them disagree (2 points)
# Find three vectors, a query and two candidates, such that one candidate is nearer by cosine and the
# other one is nearer by Euclid. Two numbers per vector are enough; draw them on paper first.

# %% id="04-neighbours" tags=["exercise", "points:2"]
three = None  # (query, a, b), each a list of numbers
### BEGIN SOLUTION
three = ([1, 0], [9, 1], [1, 1])
### END SOLUTION
print("your three:", three)

# %% id="04-neighbours-check" tags=["test", "points:2"]
checks.different_neighbours(three)

# %% [markdown]
# ### Explain your numbers (3 points, read by a person)
# In section 3 you saw four numbers: the length of the gradient via `u`, via `v`, both lengths together, and
# the length of the total. The gradients add up exactly, their lengths do not. Explain why, using your
# numbers and the cosine between the two gradients. When would the lengths add up exactly? What would it
# mean for training if that cosine were -1 and both lengths were equal?

# %% [markdown] id="04-explain" tags=["manual", "points:3"]
# ### BEGIN SOLUTION
# *Rubric*
#
# - **1 point:** gradients are vectors and add per weight, with signs; the length of a sum is at most the sum
#   of the lengths (triangle inequality), so the numbers do not contradict each other.
# - **1 point:** uses the own numbers: |total|² = |via u|² + |via v|² + 2 cos |via u| |via v|, or the same in
#   words with the numbers put in; the lengths add up exactly only at cosine 1.
# - **1 point:** at cosine -1 with equal lengths the two sentences ask for opposite changes, the total is zero
#   and no weight moves: the pair teaches nothing, although each side alone would have.
# ### END SOLUTION

# %% [markdown]
# ## Recap
#
# A siamese network is one encoder called once per sentence; each weight gets a gradient through every
# call, and these gradients add up. A training loop is seven lines: two embeddings, a loss, forget,
# backward, step, remember. Sharing the weights makes the similarity symmetric, and with vectors of
# length 1 cosine and Euclid choose the same neighbours.

# %% [markdown]
# ## Questions
#
# <details><summary>1. You train with <code>v</code> computed under <code>torch.no_grad()</code>. The loss still falls. What is lost?</summary>
#
# The gradient through v: half of the message. The encoder learns only to move u towards or away from where
# v happens to be. And since v comes from the same weights, it moves too, without anybody having asked it to.
# </details>
#
# <details><summary>2. What happens if you forget <code>optimizer.zero_grad()</code>?</summary>
#
# Each step uses the sum of all gradients since the start. Old advice counts as much as new: the steps become
# too large and point in outdated directions. Often the loss still falls at first, so the bug hides.
# </details>
#
# <details><summary>3. Does a siamese network need twice the memory of one encoder?</summary>
#
# Not for the weights: they exist once. During training, the intermediate results of both calls must be
# kept until <code>backward()</code>, as with a batch twice as large. After training, each sentence is encoded alone.
# </details>
#
# <details><summary>4. Your vector index knows only Euclidean distance, your model was trained with cosine. What do you do?</summary>
#
# Divide every vector by its length before storing it, and the query too. Then the nearest by Euclid is the
# nearest by cosine, because the squared distance is 2 - 2 cos.
# </details>

# %% [markdown]
# **Next:** [05 · What can a classifier teach an encoder?](05_classification_objective.ipynb) The same loop,
# with a softmax on top and thousands of pairs of natural language inference.
