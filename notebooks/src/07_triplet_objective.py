# %% [markdown]
# # 07 · What can be learned when nobody gives scores?
#
# After this notebook you will be able to
#
# - compute the triplet loss by hand and draw the line at which it becomes zero;
# - tell easy, semi-hard and hard triplets apart, and say which of them still teach;
# - see how a training can run out of lessons, and why a smaller loss need not be a better model.
#
# About MINUTES minutes, a minute of it computing · profile mini · paper: section 3.1, Table 4

# %% [markdown]
# Scores cost money: people have to read every pair. But much text comes *sorted*. Two sentences of
# the same section of an article are probably closer in topic than two of different sections. Nobody
# can say how close; only **which of two is closer**. That is enough for the paper's third objective
# (what a training tries to reach).

# %% tags=["setup"]
setup("07_triplet_objective", study_minutes=MINUTES, computing_seconds=50)

import tempfile
from dataclasses import replace

import numpy as np
import torch

from sbert_lab import data
from sbert_lab.course import nb07 as checks
from sbert_lab.course import nb07 as figures
from sbert_lab.course import plots, widgets
from sbert_lab.encoder import SentenceEncoder
from sbert_lab.experiments import paper
from sbert_lab.experiments.evaluation import sections
from sbert_lab.experiments.results import has_table, open_table
from sbert_lab.objectives import triplet_losses
from sbert_lab.profiles import get_profile
from sbert_lab.tasks import Siamese
from sbert_lab.training import train

profile = get_profile()

# %% [markdown]
# ## 1 · Three sentences, one order
#
# A training example has an **anchor**, a **positive** from the same section and a **negative**
# from another section of the *same article*. Ten of them, drawn by a fixed seed:

# %%
triplets, dev, test = (data.load("wiki_sections", s) for s in ("train", "dev", "test"))
print("training triplets:", data.coverage("wiki_sections", "train"))
print("from", len(set(triplets["article"])), "articles")
for row in triplets.shuffle(seed=7).select(range(10)):
    print(f"\n[{row['article']}]\n  anchor    {row['anchor']}")
    print(f"  positive  {row['positive']}\n  negative  {row['negative']}")

# %% [markdown]
# Cover the labels and try to guess which sentence belongs with the anchor. It is not easy, and
# in some rows nobody could know: a section is a weak hint. The paper's triplets, about 1.8
# million from Wikipedia, have the same weakness. Not a word of them was labelled by hand.
#
# <a id="q-facenet"></a>
# **Where does the triplet loss come from?** The paper's form is close to FaceNet's (Schroff,
# Kalenichenko and Philbin 2015), which learned to recognise faces: two photos of one person
# against a photo of another. FaceNet used *squared* distances between vectors of length 1 and a
# margin of 0.2. The sentence version takes plain Euclidean distances, raw vectors and a margin
# of 1.

# %% [markdown]
# ## 2 · The loss, and the line where it ends
#
# With d(a, p) the Euclidean distance from anchor to positive, and d(a, n) to the negative:
#
# $$L = \max\bigl(d(a, p) - d(a, n) + 1,\; 0\bigr)$$
#
# In words: the negative must be farther away than the positive **by at least the margin 1**.
# A triplet that meets this costs nothing. One thing to know before reading any loss of this kind: an
# encoder that gives every sentence the same vector has both distances 0 and pays exactly **1**.
#
# **Predict.** A positive at distance 2, a negative at distance 2.5. Which loss?

# %%
guess_loss = None  # your guess

# %%
you_said(guess_loss, max(2 - 2.5 + 1, 0))

# %% [markdown]
# ### Exercise 1 · Four triplets by hand (2 points)
#
# Four triplets of points in the plane. Write down their four losses; a pencil is enough.

# %%
for number, (anchor, positive, negative) in enumerate(checks.FOUR, start=1):
    print(f"{number}: anchor {anchor}, positive {positive}, negative {negative}")

# %% id="07-four" tags=["exercise", "points:2"]
losses = None  # a list of four numbers
### BEGIN SOLUTION
losses = [5 - 2 + 1, max(1 - 5 + 1, 0), 2 - 2.5 + 1, 3 - 4 + 1]
### END SOLUTION

# %% id="07-four-check" tags=["test", "points:2"]
checks.four_losses(losses)

# %% [markdown]
# A triplet has just two numbers that matter, so every triplet is a **point in a plane**: to the
# right the distance to the positive, upwards the distance to the negative. On the diagonal both
# are equal; the dashed line lies one margin above it.
#
# - **easy**: on or above the dashed line. The loss is 0;
# - **semi-hard**: between the lines. The order is right, but the gap is too small;
# - **hard**: on or below the diagonal. The negative is at least as close as the positive.

# %%
points = torch.tensor(checks.FOUR)  # (4, 3, 2): triplet, role, coordinate
to_positive = (points[:, 0] - points[:, 1]).norm(dim=1)
to_negative = (points[:, 0] - points[:, 2]).norm(dim=1)
plots.show(
    figures.regions(to_positive, to_negative, names=["1", "2", "3", "4"]),
    caption="The four triplets of the exercise. Only the height below the dashed line counts: "
    "that height is the loss. Number 4 lies exactly on the line.",
    alt="A square plane, distance to the positive against distance to the negative, with a "
    "diagonal, a dashed line one above it, and three shaded regions: easy, semi-hard and hard.",
)

# %% [markdown]
# <a id="q-hard-semi-hard-easy"></a>
# ### Which triplets still teach?
#
# Triplet 1 has a loss of 4, triplet 3 one of only 0.5.
#
# **Predict.** The gradient says how hard the positive of triplet 1 is pulled towards its
# anchor. How many times harder than the positive of triplet 3?

# %%
guess_pull = None  # your guess: how many times as hard


# %%
def pulls(power):
    """How hard the positives of triplets 1, 2 and 3 are pulled, for d to a power."""
    a, p, n = (points[:3, role].clone().requires_grad_() for role in range(3))
    near, far = (a - p).norm(dim=1) ** power, (a - n).norm(dim=1) ** power
    (near - far + 1).clamp(min=0).sum().backward()
    return p.grad.norm(dim=1)


plain, squared = pulls(1), pulls(2)
print(f"{'pull on the positive':26} hard   easy   semi-hard")
for name, values in {"distances (this paper)": plain, "squared (FaceNet's way)": squared}.items():
    print(f"{name:25}" + "".join(f"{value:5.1f}  " for value in values))
you_said(guess_pull, float(plain[0] / plain[2]), unit="times as hard")

# %% [markdown]
# **Easy triplets teach nothing**: their gradient is zero, they only cost time. **Hard and
# semi-hard ones teach equally strongly**: a plain distance has a slope of 1 everywhere, so each
# active triplet pulls with force 1, whether it is slightly or hopelessly wrong. (With squares
# the force grows with the distance, and triplet 3, at margin 1, would already be at rest: 4 - 6.25
# + 1 < 0.)
#
# Why not use only the hardest, then? FaceNet's authors tried: early in training the very
# hardest negatives drove the network to the one trick that always helps a little, *every vector
# the same*. They took semi-hard ones instead. The paper does no such search: it takes triplets
# as the articles give them.

# %% [markdown]
# ### Exercise 2 · Choose the negatives (2 points)
#
# Now you choose, as FaceNet did. Of each anchor you know the distance to its positive, and those to
# M sentences that may serve as its negative. Give back the place (0 to M - 1) of the **nearest
# semi-hard** one, farther away than the positive but by less than the margin. Where there is none,
# give -1.


# %% id="07-choose" tags=["exercise", "points:2"]
def choose_negatives(to_positive, to_candidates, margin=1.0):
    """Distances (N,), (N, M) -> places (N,), -1 where no candidate is semi-hard."""
    ### BEGIN SOLUTION
    positive = to_positive.unsqueeze(1)  # (N, 1)
    semi_hard = (to_candidates > positive) & (to_candidates < positive + margin)
    nearest = to_candidates.masked_fill(~semi_hard, torch.inf).argmin(dim=1)
    return torch.where(semi_hard.any(dim=1), nearest, -1)
    ### END SOLUTION


# %% id="07-choose-check" tags=["test", "points:2"]
checks.choose_negatives(choose_negatives)

# %% [markdown]
# ## 3 · A toy in two dimensions
#
# Before sentences, twelve points in a plane, in three groups of four. They do not come from a
# network: each point moves freely along its own gradient. All triplets of the twelve take part in
# every step.
#
# We run it three times: with the loss as it is; with the margin forgotten (0 instead of 1); and
# with the max forgotten, so that easy triplets go on pulling.
#
# The points, their triplets, and the plainest gradient descent there is:

# %%
groups = torch.arange(12) // 4
everyone = [(a, p, n) for a in range(12) for p in range(12) for n in range(12)]
chosen = [(a, p, n) for a, p, n in everyone if a != p and groups[a] == groups[p] != groups[n]]
print(f"{len(chosen)} triplets")
start = 0.8 * torch.randn(12, 2, generator=torch.Generator().manual_seed(3), dtype=torch.float64)


def move_points(margin, clamp, steps=150, rate=0.4):
    where, path = start.clone().requires_grad_(), [start]
    for _ in range(steps):
        a, p, n = where[torch.tensor(chosen)].unbind(dim=1)
        gap = (a - p).norm(dim=1) - (a - n).norm(dim=1) + margin
        (gap.clamp(min=0) if clamp else gap).mean().backward()
        with torch.no_grad():
            where -= rate * where.grad
        where.grad = None
        path.append(where.detach().clone())
    return torch.stack(path)  # (steps + 1, 12, 2)


# %% [markdown]
# **Predict.** Which run never comes to rest: "paper", "no margin" or "no max"?

# %%
guess_restless = None  # your guess

# %%
paths = {"paper": move_points(1, True), "no margin": move_points(0, True),
         "no max": move_points(1, False)}  # fmt: skip
for name, path in paths.items():
    moving = float((path[-1] - path[-2]).norm()) > 0
    print(f"{name:10} {'still moving' if moving else 'at rest'} after 150 steps")
restless = [name for name, path in paths.items() if (path[-1] != path[-2]).any()]
you_said(guess_restless, ", ".join(restless))

# %%
plots.show(
    figures.toy_paths(
        {"as in the paper": paths["paper"], "margin 0": paths["no margin"],
         "without max(..., 0)": paths["no max"]},
        groups,
    ),
    caption="Mind the axes. With margin and max the groups part and stop. Without the margin "
    "they stop as soon as the order is right, elbow to elbow. Without the max they never stop.",
    alt="Three panels with the paths of twelve points in three groups: clear clusters; groups "
    "that only just part; groups flying far apart along straight lines.",
)  # fmt: skip

# %% [markdown]
# Each part of the formula has its job: the **margin** asks for a gap that a new sentence will
# not destroy at once, the **max** says when to stop. And stopping has a price, which the next
# exercise counts.
#
# How large should the margin be? Drag it, and watch the four triplets of Exercise 1 change their
# kind and the toy come to rest elsewhere.


# %%
def with_margin(margin):
    distances = to_positive.numpy(), to_negative.numpy()
    return figures.margin_moves(margin, distances, move_points(margin, True), groups)


_ = widgets.explore(
    with_margin,
    margin=widgets.Slide("margin", [step / 4 for step in range(13)], 1.0),
    caption="The dashed line rises with the margin, so fewer triplets are easy, and the groups end "
    "up farther apart. The network could also meet any margin by making all vectors longer.",
    alt="Left: the plane of both distances with the dashed line one margin above the diagonal and "
    "four triplets. Right: the paths of the twelve toy points for this margin.",
)

# %% [markdown]
# ### Exercise 3 · The share with nothing to teach (2 points)
#
# Write `zero_share`: of a batch of triplets, the share (0 to 1) whose loss, and so whose
# gradient, is zero. Both distances are tensors of shape (N,). A triplet exactly on the dashed line
# may count either way: with real sentences hardly any lies there.


# %% id="07-share" tags=["exercise", "points:2"]
def zero_share(to_positive, to_negative, margin=1.0):
    """(N,), (N,) -> the share of triplets with zero gradient."""
    ### BEGIN SOLUTION
    return float((to_positive + margin <= to_negative).float().mean())
    ### END SOLUTION


# %% id="07-share-check" tags=["test", "points:2"]
checks.zero_share(zero_share)

# %% [markdown]
# ## 4 · Half a minute of sentences
#
# Now an encoder. The paper's score for this task is the **accuracy**: how often is the positive
# closer than the negative, on articles never seen in training? No margin there; guessing gets
# 50 %.
#
# Write a triplet of your own: two sentences that belong together and one, on a related matter,
# that does not.

# %% tags=["nbval-ignore-output"]
mine = {
    "anchor": ["The old harbour was rebuilt after the great storm."],  # change me
    "positive": ["Merchants paid for the new quay themselves."],
    "negative": ["Gulls nest on the roofs in spring."],
}


def distances(encoder, rows):
    names = ("anchor", "positive", "negative")
    a, p, n = (encoder.encode(list(rows[name])) for name in names)  # each (N, H)
    return np.linalg.norm(a - p, axis=1), np.linalg.norm(a - n, axis=1)


encoder = SentenceEncoder.load(profile.backbone)
before = distances(encoder, test)
mine_before = figures.kind_of(*distances(encoder, mine))[0]
accuracy_before = sections.triplet_accuracy(encoder.encode, test)
print(f"raw {profile.backbone}, {len(test)} test triplets: accuracy {accuracy_before:.1f} %")
print(f"zero loss already: {100 * np.mean(before[0] + 1 <= before[1]):.0f} %")
print(f"your triplet: {mine_before}")

# %% [markdown]
# **Predict.** After one pass over the training triplets, how many per cent of the *test*
# triplets will have the positive closer?

# %%
guess_accuracy = None  # your guess, in per cent

# %% [markdown]
# While it trains, we look about ten times at 150 training triplets and 150 dev triplets (other
# articles) and note the share with zero loss. You may stop the training cell and run it again:
# it goes on.

# %%
samples = {
    "training articles": triplets.select(range(150)),
    "other articles": dev.select(range(150)),
}
watched = {name: [] for name in samples}
steps = -(-len(triplets) // profile.sections.batch_size)  # rounded up
config = replace(profile.sections, evaluate_every=max(1, steps // 10))
folder = tempfile.TemporaryDirectory()  # for the checkpoints


def watch(task):
    """Note the shares, and choose nothing: `train` keeps the weights with the highest score.

    A score that rises with every look means the last step's weights, good or not.
    """
    for name, rows in samples.items():
        near, far = distances(task.encoder, rows)
        watched[name].append(float(np.mean(near + 1 <= far)))
    return float(len(watched["other articles"]))


_ = watch(Siamese(encoder, "triplet"))  # before the first step

# %% tags=["nbval-ignore-output"]
history = train(Siamese(encoder, "triplet"), triplets, config, evaluate=watch, run_dir=folder.name)
after = distances(encoder, test)
accuracy_after = sections.triplet_accuracy(encoder.encode, test)
gains = sections.bootstrap_difference(after[0] < after[1], before[0] < before[1])
low, high = np.quantile(gains, [0.025, 0.975])
print(f"accuracy on test: {accuracy_before:.1f} % -> {accuracy_after:.1f} %")
print(f"95 % interval of the gain over the test triplets: {low:+.1f} to {high:+.1f} points")
print(f"your triplet: {mine_before} -> {figures.kind_of(*distances(encoder, mine))[0]}")
you_said(guess_accuracy, round(accuracy_after, 1), unit="%")

# %% [markdown]
# "After" means after the **last step**. Picking the best of ten looks would be one more choice, and
# mostly luck: a share of 150 triplets has a standard error of about 4 points.
#
# All test triplets in the plane, before and after. Learning should move the cloud up and to the left.
# Can you see it?

# %% tags=["nbval-ignore-output"]
plots.show(
    figures.planes({"before": before, "after": after}),
    caption="Each dot is a test triplet. Above the diagonal, which counts for the accuracy: "
    f"{accuracy_before:.0f} % before, {accuracy_after:.0f} % after. Above the dashed line, which counts "
    f"for the loss: {100 * np.mean(before[0] + 1 <= before[1]):.0f} %, then "
    f"{100 * np.mean(after[0] + 1 <= after[1]):.0f} %.",
    alt="Two planes of distance to the positive against distance to the negative with all test "
    "triplets as dots, coloured and shaped by easy, semi-hard and hard, before and after "
    "training.",
)

# %% [markdown]
# What moved, and on which articles? The same count for triplets that were trained on:

# %% tags=["nbval-ignore-output"]
trained_on = distances(encoder, samples["training articles"])
resting = {
    "training": (watched["training articles"][0], np.mean(trained_on[0] + 1 <= trained_on[1])),
    "test": (np.mean(before[0] + 1 <= before[1]), np.mean(after[0] + 1 <= after[1])),
}
for name, (first, last) in resting.items():
    print(f"{name:8} articles, triplets without loss: {100 * first:.0f} % -> {100 * last:.0f} %")
grew, grew_test = (100 * (last - first) for first, last in resting.values())
extra = grew - grew_test
word = "about as much as" if abs(extra) < 5 else "more than" if extra > 0 else "less than"
print(f"training articles gained {word} test articles: {grew:+.0f} and {grew_test:+.0f} points")

# %% [markdown]
# Whatever training articles gain beyond test articles is **learned by heart**: it helps with these
# articles and with no others. [Notebook 11](11_wikipedia_sections.ipynb) asks why.
#
# And over time: how much of the material has become useless, because its gradient is zero?

# %% tags=["nbval-ignore-output"]
seen = [0, *(step * config.batch_size for step in history.score_steps)]
plots.show(
    figures.shares_over_time(seen, watched),
    caption="The share of triplets with zero gradient. Whatever lies below the curve costs "
    "computing time and moves nothing. The curves may differ from the start; how much their "
    "distance grew is what was learned by heart.",
    alt="Two curves of the share of triplets with zero loss against the triplets trained on, for "
    "training articles and for other articles.",
)
first, last = (100 * watched["training articles"][i] for i in (0, -1))
print(f"training articles, zero gradient: {first:.0f} % at first, {last:.0f} % at the last look")
for moment, percent in {"first": first, "last": last}.items():
    print(f"{moment:5} look: about {16 * (1 - percent / 100):.0f} of 16 triplets still pull")

# %% [markdown]
# The more triplets are at rest, the less a batch teaches. This is why people *mine* triplets: they
# search for those that are not yet easy. Our number beside the paper's, which had 1.8 million
# triplets to learn from:

# %% tags=["nbval-ignore-output"]
# Recorded run on the real articles: shown as soon as the file is there.
recorded = open_table(4, "real") if has_table(4, "real") else None
table4 = paper.table(4).set_index("model")["accuracy"] * 100
paper.compare(
    [
        {
            "what": "accuracy on test triplets, trained",
            "measured": accuracy_after,
            "recorded": recorded and recorded.mean("SBERT-WikiSec", "accuracy"),
            "paper": table4["SBERT-WikiSec-base"],
            "why": "mini: a small encoder, triplets of our own; paper: BERT-base, 1.8 million",
        },
        {
            "what": "the same encoder, raw",
            "measured": accuracy_before,
            "recorded": recorded and recorded.mean("raw BERT MEAN", "accuracy"),
            "paper": None,
            "why": "not in the paper; its averaged word vectors reach 65",
        },
    ],
    data=data.coverage("wiki_sections", "train"),
)
if recorded:
    came_from(recorded)
shows(
    gains,
    more="Training on sections helped on unseen articles here, by {by:.1f} points.",
    less="Training on sections did harm on unseen articles here, by {by:.1f} points.",
    same="One pass over a few thousand triplets moved unseen articles by {by:.1f} points, which the luck "
    "of the test triplets can do too.",
)

# %%
claim = paper.get_claim("C16")
print(f"C16: {claim.claim}")
print(f"the paper, {claim.paper}")

# %% [markdown]
# The claim compares four systems. [Notebook 11](11_wikipedia_sections.ipynb) builds the other
# three and decides it, and asks what a section label can teach at all.

# %% [markdown]
# ## 5 · Embeddings times ten
#
# The loss is a length in the space of embeddings, and so is the margin. Nothing ties that space
# to a scale. Multiply every embedding by ten, and every distance grows tenfold.

# %% [markdown]
# ### Exercise 4 · A cheap success (2 points)
#
# Here are both distances of five triplets. Find a factor for all embeddings that cuts their
# mean loss to **half or less**, and write down the accuracy (0 to 1) that the five have
# *afterwards*.

# %%
near_five, far_five = checks.FIVE
print("to the positive", near_five)
print("to the negative", far_five)
print(f"mean loss {np.maximum(np.array(near_five) - far_five + 1, 0).mean():.3f}")

# %% id="07-ten" tags=["exercise", "points:2"]
factor = None
accuracy = None
### BEGIN SOLUTION
factor = 10
accuracy = 4 / 5
### END SOLUTION

# %% id="07-ten-check" tags=["test", "points:2"]
checks.magnifier(factor, accuracy)

# %% [markdown]
# Now the same with the encoder that you trained, and a factor of ten.
#
# **Predict.** What does the mean loss on the test triplets do: "falls" or "rises"? And the
# accuracy: "falls", "rises" or "stays"?

# %%
guess_ten = None  # your guess: the loss
guess_ten_accuracy = None  # your guess: the accuracy

# %%
near, far = after
same = np.array_equal(near < far, 10 * near < 10 * far)
print("not one triplet changed sides:", same)
you_said(guess_ten_accuracy, "stays" if same else "changes")


# %% tags=["nbval-ignore-output"]
def mean_loss(pair, factor=1.0):
    near, far = pair
    return float(np.maximum(factor * near - factor * far + 1, 0).mean())


loss_one, loss_ten = mean_loss(after), mean_loss(after, 10)
print(f"mean loss on test: {loss_one:.2f}, times ten: {loss_ten:.2f}")
you_said(guess_ten, "falls" if loss_ten < loss_one else "rises")

# %% [markdown]
# A factor is a **magnifying glass**. For a triplet in the right order the gap grows until the
# loss is zero; for one in the wrong order the loss grows without end. Which of the two wins
# depends on how many are wrong, and by how much. So there is a best factor, different for every
# set of triplets:

# %% tags=["nbval-ignore-output"]
factors = np.geomspace(0.01, 10, 120)
curves = {
    f"training articles, accuracy {100 * np.mean(trained_on[0] < trained_on[1]):.0f} %": trained_on,
    f"test articles, accuracy {100 * np.mean(after[0] < after[1]):.0f} %": after,
}
curves = {name: [mean_loss(pair, f) for f in factors] for name, pair in curves.items()}
plots.show(
    figures.stretching(factors, curves),
    caption="The same encoder, stretched. Along each curve the accuracy never changes, the loss "
    "does. Least loss: "
    + ", ".join(
        f"{min(values):.2f} at a factor of {factors[int(np.argmin(values))]:.2f} ({name.split(',')[0]})"
        for name, values in curves.items()
    )
    + ". At the far left all vectors are nearly equal: loss 1.",
    alt="Two curves of mean triplet loss against a factor from 0.01 to 10 on a log axis, "
    "starting at 1 on the left, with a dot at the lowest point of each.",
)

# %% [markdown]
# Two lessons. Where most triplets are in order (Exercise 4), *longer* vectors lower the loss;
# where many are wrong, *shorter* ones do. Neither puts one triplet right, so **never compare
# triplet losses of two encoders**, compare accuracies. And the margin 1 means nothing by itself:
# for vectors of length 1, as in FaceNet, distances end at 2, and 1 would ask for very much.

# %% [markdown]
# Last, the package's loss. It does for a whole batch what you did by hand, and both agree:

# %%
exact = (to_positive - to_negative + 1).clamp(min=0)
torch.testing.assert_close(triplet_losses(*points.unbind(dim=1)), exact, atol=1e-4, rtol=0)
peek(triplet_losses)

# %% [markdown]
# ### Explain your number (3 points, read by a person)
#
# Take the share with zero gradient on the training articles, at the first and the last look, and
# the two accuracies on the test triplets. Say in four or five sentences: what did the first share
# tell you about the lessons in a batch of 16, what did the last one, and why can the share rise
# while the accuracy stays?

# %% [markdown] id="07-explain" tags=["manual", "points:3"]
# ### BEGIN SOLUTION
# Rubric, one point each: (1) turns both shares into numbers of active triplets, 16 times (1 -
# share); (2) says that triplets with zero gradient cost time and move nothing, whatever the
# direction in which the share went; (3) gives a way in which the share rises without the
# accuracy: longer vectors, or semi-hard triplets that become easy while the hard ones stay
# hard, or learning by heart.
# ### END SOLUTION

# %% [markdown]
# ## Recap
#
# The triplet loss asks for an order with a gap: the negative farther than the positive by the
# margin. Easy triplets are at rest, all others pull with the same force, and the more become
# easy the less a batch teaches. Loss and margin are lengths without a fixed scale, so judge by
# accuracy: a stretched copy of an encoder has another loss and not one better neighbour.
#
# ## Questions
#
# <details><summary>1. An encoder reports a mean triplet loss of 0.98 at margin 1. Is that
# good?</summary>
#
# Hardly: an encoder that gives every sentence the same vector has exactly 1.
# </details>
#
# <details><summary>2. Why does the negative come from the same article?</summary>
#
# A sentence from another article is easy to tell by its names and its topic: an easy triplet,
# with no gradient. The same article keeps the topic and leaves the section as the difference.
# </details>
#
# <details><summary>3. Someone swaps positive and negative by mistake and trains for a day. What
# does the accuracy look like?</summary>
#
# Below 50 %, if anything was learned: the sections' order is learned upside down. An accuracy
# clearly below chance is a sign of a swap.
# </details>
#
# <details><summary>4. Train and test come from different articles. What would go wrong
# otherwise?</summary>
#
# Sentences of one article appear in many triplets. The encoder could learn by heart which of
# them go together, and the test would reward that.
# </details>
#
# <details><summary>5. Which of the three objectives would you take for data that says only
# "these two questions are duplicates"?</summary>
#
# There are no scores and no classes of pairs, but other questions can serve as negatives: a
# triplet loss, or its descendant with in-batch negatives, which notebook 17 builds.
# </details>
#
# **Next:** [08_unsupervised_sts](08_unsupervised_sts.ipynb). Three objectives, one question:
# which number is the model's score?
