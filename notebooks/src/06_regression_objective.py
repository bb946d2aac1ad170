# %% [markdown]
# # 06 · Can a cosine be taught to agree with people?
#
# After this notebook you will be able to
#
# - derive what the squared error between cosine and gold score pulls on, and what it never
#   touches;
# - scale gold scores for a cosine, and compute the error that no model can get below if you do
#   not;
# - tell a lower error from a better ranking, and say why MAX pooling starts with a handicap.
#
# About MINUTES minutes, a minute of it computing · profile mini · paper: section 3.1, Tables 2 and 6

# %% [markdown]
# In the last notebook the labels were classes, and a softmax head stood between the embeddings
# and the loss. Here people gave each pair a **score**, and the head is gone: the cosine itself
# is the prediction. What is trained is exactly what is used afterwards.

# %% tags=["setup"]
setup("06_regression_objective", study_minutes=MINUTES, computing_seconds=60)

from dataclasses import replace

import numpy as np
import torch
from torch.nn import functional as F

from sbert_lab import data
from sbert_lab.course import nb06 as checks
from sbert_lab.course import nb06 as figures
from sbert_lab.course import plots
from sbert_lab.encoder import SentenceEncoder
from sbert_lab.experiments import paper
from sbert_lab.experiments.evaluation import sts
from sbert_lab.experiments.results import has_study, has_table, open_study, open_table
from sbert_lab.objectives import regression_loss
from sbert_lab.profiles import get_profile
from sbert_lab.tasks import Siamese
from sbert_lab.training import train

profile = get_profile()

# %% [markdown]
# ## 1 · Pairs with a score
#
# STSb, the *semantic textual similarity benchmark*, has pairs of sentences with a score from 0
# (nothing in common) to 5 (the same meaning). Our loader divides by 5. Ten training pairs,
# drawn by a fixed seed:

# %%
pairs, dev, test = (data.load("stsb", split) for split in ("train", "dev", "test"))
print("training pairs:", data.coverage("stsb", "train"))
for row in pairs.shuffle(seed=6).select(range(10)):
    print(f"\n{row['score']:.2f}  {row['sentence1']}\n      {row['sentence2']}")

# %% [markdown]
# Cover the numbers with your hand and score three of the pairs yourself. Between 1 and 4 points
# it is hard to be sure. In the real STSb each gold score is the mean of several people's
# ratings; in our mini corpus it is one writer's judgement by the same rubric.

# %% [markdown]
# ## 2 · What does the loss pull on?
#
# The prediction is the cosine of the two embeddings, the loss its squared distance from the
# gold score:
#
# $$\cos(u, v) = \frac{u \cdot v}{|u|\,|v|} \qquad\quad L = \bigl(\cos(u, v) - \text{gold}\bigr)^2$$
#
# One pair in two dimensions, u = (3, 4) and v = (4, 3), is enough to see everything. Both have
# the length 5, so the cosine is 24 / 25 = 0.96. People gave this pair 1 point out of 5, that is
# 0.2.
#
# **Predict.** The gradient of L with respect to u is an arrow that starts at the tip of u.
# Which angle does it make with u itself, in degrees?

# %%
guess_angle = None  # your guess, in degrees

# %%
u = torch.tensor([3.0, 4.0], requires_grad=True)
v = torch.tensor([4.0, 3.0])
gold = 0.2

cosine = u @ v / (u.norm() * v.norm())
loss = (cosine - gold) ** 2
loss.backward()

with torch.no_grad():  # the chain rule by hand
    u_unit, v_unit = u / u.norm(), v / v.norm()
    by_hand = 2 * (cosine - gold) * (v_unit - cosine * u_unit) / u.norm()
    angle = torch.rad2deg(torch.acos(u_unit @ by_hand / by_hand.norm()))

torch.testing.assert_close(u.grad, by_hand)
torch.testing.assert_close(loss, regression_loss(u[None], v[None], torch.tensor([gold])))
print(f"cosine {cosine:.2f}, loss {loss:.4f}")
print("gradient of u:", [round(float(value), 4) for value in by_hand])
you_said(guess_angle, round(float(angle)), unit="degrees")

# %% [markdown]
# The gradient has three factors, and each says something:
#
# - `2 (cos - gold)`: how wrong the pair is. Here it is positive, so the gradient points towards
#   v, and a descent step, which goes *against* it, turns u away;
# - `v_unit - cos * u_unit`: v's direction *minus its part along u*. What is left stands at a
#   right angle to u: the loss **turns** embeddings, it does not ask for longer or shorter ones;
# - `1 / |u|`: a long embedding turns more slowly than a short one.
#
# The loss never asks for another length (lengths may still drift, as the weights that make them
# change), so after this training you should compare with the cosine.
# The package's version is two lines long:

# %%
peek(regression_loss)

# %% [markdown]
# <a id="q-score-scaling"></a>
# ## 3 · Why scale the scores?
#
# A cosine ends at 1, the people's scale at 5. If you forget to divide, nothing crashes: the
# loss simply asks for cosines that do not exist.
#
# **Predict.** Gold is left at 0..5 and the encoder is *perfect*: it gives each pair the best
# cosine there is. What is its mean squared error on our training pairs?

# %%
guess_floor = None  # your guess

# %% [markdown]
# ### Exercise 1 · Scale, and the floor (2 points)
#
# Write both functions for a tensor `gold` of shape (N,). `scale_gold` takes scores from 0 to 5
# to 0..1. `loss_floor` takes *any* gold scores (also negative ones: a cosine ends at -1) and gives
# the lowest mean squared error that cosines can reach on them, if every pair gets the cosine that
# suits it best.


# %% id="06-scale" tags=["exercise", "points:2"]
def scale_gold(gold):
    """(N,) scores from 0 to 5 -> (N,) targets for a cosine."""
    ### BEGIN SOLUTION
    return gold / 5
    ### END SOLUTION


def loss_floor(gold):
    """(N,) gold scores of any range -> one number."""
    ### BEGIN SOLUTION
    return (gold - gold.clamp(-1, 1)).square().mean()
    ### END SOLUTION


# %% id="06-scale-check" tags=["test", "points:2"]
checks.scaling(scale_gold, loss_floor)

# %% [markdown]
# Now the number for our training pairs:

# %%
gold = np.array(pairs["score"])
raw_gold = 5 * gold  # as people gave it
best, floor = figures.perfect_encoder(raw_gold)  # its cosines, its mean squared error
tied = np.mean(best == 1)
print(f"pairs whose best cosine is exactly 1: {100 * tied:.0f} %")
print(f"Spearman of this perfect encoder: {sts.spearman(gold, best):.2f}")
you_said(guess_floor, round(floor, 1))

# %% [markdown]
# The large number is not the worst of it. The same cosine, 1, is now the best answer for
# *slightly related* and for *identical* pairs. The order among them is lost, in a model that
# has done everything right. An optimizer that only sees the loss falling would not tell you.
#
# The package refuses such rows before the first step:

# %%
unscaled = [{"sentence1": "A dog barks.", "sentence2": "A cat sleeps.", "score": 2.5}]
task = Siamese(SentenceEncoder.load(profile.backbone), "regression")
try:
    task.prepare(unscaled)
except ValueError as error:
    print(error)

# %%
plots.show(
    figures.targets(),
    caption="Dashed: unscaled gold is out of a cosine's reach for every score above 1. Solid: "
    "divided by 5, every score has its own cosine. Dotted: also possible, but see below.",
    alt="Three lines over the gold score from 0 to 5. Unscaled gold rises to 5, into a grey area "
    "above 1 that no cosine reaches; gold divided by 5 rises from 0 to 1; a dotted line from -1 "
    "to 1.",
)

# %% [markdown]
# <a id="q-cosine-zero"></a>
# ### What does a cosine of 0 mean for "unrelated"?
#
# Cosines start at -1, so why not use the whole range, -1 for unrelated and 1 for the same?
# Because *unrelated* is not *opposite*. Two sentences can point in opposite directions. A third
# that is unrelated to both has nowhere left to go.
#
# Take n unit vectors. The squared length of their sum is n + n (n - 1) times their mean cosine,
# and no squared length is below 0. So the mean cosine cannot be below -1 / (n - 1).
#
# **Predict.** A thousand sentences that have nothing to do with one another: what is the lowest
# mean cosine that any encoder can give them?

# %%
guess_lowest = None  # your guess

# %%
for n in (2, 3, 10, 1000):
    lowest = -1 / (n - 1)
    print(f"{n:5} unrelated sentences: mean cosine at least {lowest:6.3f}, "
          f"so the error against -1 is at least {(1 + lowest) ** 2:.2f}")  # fmt: skip
directions = torch.randn(1000, 128, generator=torch.Generator().manual_seed(6))
cosines = F.normalize(directions, dim=-1) @ F.normalize(directions, dim=-1).T
strangers = cosines[~torch.eye(1000, dtype=torch.bool)]
print(f"random directions, H = 128: mean {abs(strangers.mean()):.1f}, spread {strangers.std():.2f}")
you_said(guess_lowest, round(-1 / 999, 3))

# %% [markdown]
# With many sentences, "all unrelated pairs at -1" is as far out of reach as a cosine of 5. But 0, a
# right angle, has room for everybody: random directions in 128 dimensions are all at nearly right
# angles. So 0 is the natural place for unrelated sentences, and **negative cosines carry no meaning
# here**: no training pair ever asks for one, and "opposite in meaning" is not what -0.3 says.

# %% [markdown]
# ## 4 · Train it
#
# Now the real thing: the whole encoder, all its weights, on the training pairs: 4 epochs, batches
# of 16, as in the paper. (For a small encoder the learning rate is larger.)
#
# First the state before. Put a pair of your own into `my_pair`: two sentences and, in your
# head, a score from 0 to 5. One single pair may well get worse; the test pairs decide.

# %% tags=["nbval-ignore-output"]
my_pair = ("My neighbour repairs old bicycles.", "The man next door fixes bikes.")  # change me
mine = [{"sentence1": my_pair[0], "sentence2": my_pair[1]}]

encoder = SentenceEncoder.load(profile.backbone)  # MEAN pooling
test_gold = np.array(test["score"])
before = sts.similarities(encoder.encode, test)
mine_before = sts.similarities(encoder.encode, mine)[0]
dev_before = sts.score_pairs(encoder.encode, dev).spearman
print(f"raw {profile.backbone} on {len(test)} test pairs: {sts.correlations(test_gold, before)}")
print(f"its cosines lie between {before.min():.2f} and {before.max():.2f}")
print(f"your pair: {mine_before:.2f}")

# %% [markdown]
# **Predict.** After the training, what will Spearman on the test pairs be (does the order of the
# cosines agree with the order of the scores? times 100)?

# %%
guess_spearman = None  # your guess

# %% [markdown]
# The next cell trains. You may stop it (the square button) and run it again: it goes on where
# it was, even after a restart. After each epoch the dev pairs are scored, and the best epoch's
# weights are kept.


# %% tags=["nbval-ignore-output"]
def dev_spearman(task):
    return sts.score_pairs(task.encoder.encode, dev).spearman


task = Siamese(encoder, "regression")
history = train(task, pairs, profile.sts, evaluate=dev_spearman)
plots.show(
    figures.learning_curve(
        history.rows_seen,
        history.losses,
        [0, *(step * profile.sts.batch_size for step in history.score_steps)],
        [dev_before, *history.scores],
    ),
    caption="Left: the error on pairs that are seen again in every epoch. Right: unseen pairs. Best "
    f"on them: epoch {1 + int(np.argmax(history.scores))} of {len(history.scores)}, which is kept.",
    alt="Left: the training error per step, noisy, and its running mean against pairs seen. "
    "Right: Spearman on the dev pairs, of the raw encoder and after each epoch.",
)

# %% [markdown]
# Is the change more than the luck of the test pairs? `bootstrap_difference` draws the test
# pairs again and again, with repeats, and takes the difference each time. If the middle 95 % of
# these differences lie on one side of 0, we say so; otherwise we do not. (Another training seed
# adds luck of its own: notebook 09.)


# %% tags=["nbval-ignore-output"]
def verdict(differences, words=("better", "worse")):
    low, high = sts.interval(differences)
    word = words[0] if low > 0 else words[1] if high < 0 else "no clear difference"
    return f"{word} (95 % interval {low:+.1f} to {high:+.1f} points)"


after = sts.similarities(encoder.encode, test)
score_before = sts.correlations(test_gold, before)
score_after = sts.correlations(test_gold, after)
print(f"Spearman on test: {score_before.spearman:.1f} -> {score_after.spearman:.1f}")
print(verdict(sts.bootstrap_difference(test_gold, after, before)))
print(f"your pair: {mine_before:.2f} -> {sts.similarities(encoder.encode, mine)[0]:.2f}")
you_said(guess_spearman, round(score_after.spearman, 1))

# %% tags=["nbval-ignore-output"]
mse_before, mse_after = (np.mean((one - test_gold) ** 2) for one in (before, after))
print(f"squared error on the test pairs: {mse_before:.3f} raw, {mse_after:.3f} trained")

# %% tags=["nbval-ignore-output"]
plots.show(
    figures.gold_against_cosine(
        test_gold,
        {
            f"before: error {mse_before:.3f}, Spearman {score_before.spearman:.0f}": before,
            f"after: error {mse_after:.3f}, Spearman {score_after.spearman:.0f}": after,
        },
    ),
    caption=f"The mean cosine went from {before.mean():.2f} to {after.mean():.2f}; the mean gold score "
    f"is {test_gold.mean():.2f}. The squared error depends on the height of the bars and on their "
    "order, Spearman on the order alone.",
    alt="Two scatter plots of cosine against gold score for the test pairs, one colour per band "
    "of the gold score, a bar at each band's mean and a dashed line where cosine equals gold.",
)

# %% [markdown]
# Training has two jobs: bring the crowd of raw cosines (notebook 03) down to the people's scale,
# and sort it. The next section takes the two apart. But first, our number beside the paper's:

# %% tags=["nbval-ignore-output"]
# Recorded run on the real STSb: shown as soon as the file is there.
recorded = open_table(2, "real") if has_table(2, "real") else None
in_paper = paper.table(2).set_index("model")["spearman"]
paper.compare(
    [
        {
            "what": "trained on STSb, Spearman on its test set",
            "measured": score_after.spearman,
            "recorded": recorded and recorded.scores("SBERT-STSb", "test")[0],
            "paper": in_paper["SBERT-STSb-base"],
            "why": "mini: a small encoder, pairs of our own, one seed; paper: BERT-base, 10 seeds",
        },
        {
            "what": "the same encoder, raw",
            "measured": score_before.spearman,
            "recorded": recorded and recorded.mean("raw BERT MEAN", "test"),
            "paper": in_paper["Avg. BERT embeddings"],
            "why": "other pairs, another encoder, other layers",
        },
    ],
    data=data.coverage("stsb", "train"),
)
gains = {"here": score_after.spearman - score_before.spearman}
if recorded:
    came_from(recorded)
    gains["recorded, real pairs"] = recorded.mean("SBERT-STSb", "test") - recorded.mean(
        "raw BERT MEAN", "test"
    )
gains["paper"] = in_paper["SBERT-STSb-base"] - in_paper["Avg. BERT embeddings"]
print("what training changed:", ", ".join(f"{name} {gain:+.1f}" for name, gain in gains.items()))

# %% [markdown]
# ## 5 · Lower error, better ranking?
#
# Take the *raw* cosines and a ruler: fit one straight line, `slope * cosine + shift`, to the
# dev pairs. Two numbers, no training of the encoder at all.
#
# **Predict.** The training changed the squared error on the test pairs, as printed above. How many
# per cent of that change does the line alone bring? And Spearman: "rises", "falls" or "stays"?

# %%
guess_line = None  # your guess, in per cent
guess_line_spearman = None  # your guess, a word

# %%
raw = SentenceEncoder.load(profile.backbone)
slope, shift = np.polyfit(sts.similarities(raw.encode, dev), np.array(dev["score"]), 1)
ruled = slope * before + shift
mse_ruled = np.mean((ruled - test_gold) ** 2)
same = abs(sts.spearman(test_gold, ruled) - sts.spearman(test_gold, before)) < 1e-9
print("the line goes up:", bool(slope > 0))
print("Spearman with the line is that of the raw cosines:", same)
you_said(guess_line_spearman, "stays" if same else "changes")

# %% tags=["nbval-ignore-output"]
for name, values in {"raw": before, "raw and a line": ruled, "trained": after}.items():
    error, rank = np.mean((values - test_gold) ** 2), 100 * sts.spearman(test_gold, values)
    print(f"{name:15} squared error {error:.3f}   Spearman {rank:5.1f}")
share = 100 * (mse_before - mse_ruled) / (mse_before - mse_after)
you_said(guess_line, round(float(share)), unit="%")
shows(
    share - 100,
    more=f"Two numbers lower the error more than the whole training did ({share:.0f} %), and not one pair "
    "changed its place.",
    less=f"Two numbers alone give {share:.0f} % of what training gave, and not one pair changed its place.",
    same="Two numbers lower the error as much as the training did.",
)

# %% [markdown]
# A rising line cannot move a pair past another. So a falling squared error alone never proves that
# an encoder understands more; part of it is moving to the right scale. That is why the paper
# *trains* with squared error, which has a gradient everywhere, and *judges* with Spearman, whose
# gradient is zero almost everywhere.

# %% [markdown]
# ### Exercise 2 · Worse error, perfect ranking (2 points)
#
# Six pairs have the gold scores below, and a careful encoder gives them the cosines `CAREFUL`.
# Its error is tiny, but it swaps two pairs. Find six cosines with a **larger** squared error
# and a **Spearman of exactly 1**. There are countless answers; any one will do.

# %%
print("gold   ", checks.GOLD)
print("CAREFUL", checks.CAREFUL)
careful_error = np.mean((np.array(checks.GOLD) - checks.CAREFUL) ** 2)
print(f"its squared error is {careful_error:.4f}, its Spearman "
      f"{sts.spearman(checks.GOLD, checks.CAREFUL):.2f}")  # fmt: skip

# %% id="06-ranking" tags=["exercise", "points:2"]
my_cosines = None  # a list of six numbers
### BEGIN SOLUTION
my_cosines = [0.94, 0.95, 0.96, 0.97, 0.98, 0.99]
### END SOLUTION

# %% id="06-ranking-check" tags=["test", "points:2"]
checks.ranking(my_cosines)

# %% [markdown]
# ## 6 · MEAN against MAX
#
# For the classification objective the paper finds that pooling matters little. For this one it
# matters much. Before we see numbers, look at what MAX does to a vector: in each dimension it
# keeps the *largest* of a dozen values.
#
# **Predict.** In raw mini-bert about half of all values in a MEAN vector are positive. And in a
# MAX vector?

# %%
guess_positive = None  # your guess, in per cent

# %%
sentences = list(dev["sentence1"])
encoders = {how: SentenceEncoder.load(profile.backbone, pooling=how) for how in ("mean", "max")}
raw_vectors = {how: one.encode(sentences) for how, one in encoders.items()}
positive = {how: 100 * np.mean(vectors > 0) for how, vectors in raw_vectors.items()}
print(f"about half of MEAN's values are positive: {bool(40 < positive['mean'] < 60)}")
print(f"of MAX's values more than 90 %: {bool(positive['max'] > 90)}")

# %% tags=["nbval-ignore-output"]
print(f"positive values: MEAN {positive['mean']:.1f} %, MAX {positive['max']:.1f} %")
you_said(guess_positive, round(float(positive["max"])), unit="%")

# %% [markdown]
# Vectors without negative entries all live in one corner of the space. **There, no cosine is
# below 0**, and it is 0 only if the two have no dimension in common. But 0 is what the gold
# scores ask for strangers. To get there, MAX must push *every* token of a sentence below zero
# in a dimension; MEAN needs only some.

# %% [markdown]
# ### Exercise 3 · How alike are strangers under MAX? (2 points)
#
# Write `random_pair_cosine`: pool a batch of token vectors with MAX, then give the mean cosine
# over all pairs of *different* sentences. Mind what you learned in notebook 02.


# %% id="06-random" tags=["exercise", "points:2"]
def random_pair_cosine(token_embeddings, attention_mask):
    """(B, T, H), (B, T) -> one number."""
    ### BEGIN SOLUTION
    padding = attention_mask.unsqueeze(-1) == 0
    pooled = token_embeddings.masked_fill(padding, float("-inf")).max(dim=1).values  # (B, H)
    unit = F.normalize(pooled, dim=-1)
    n = len(unit)
    return ((unit @ unit.T).sum() - n) / (n * (n - 1))
    ### END SOLUTION


# %% id="06-random-check" tags=["test", "points:2"]
checks.random_pairs(random_pair_cosine)

# %% [markdown]
# The same for both poolings and for sentences of the dev set, most of which have nothing to do with
# one another:


# %%
raw_cosines = {
    how.upper(): figures.stranger_cosines(vectors) for how, vectors in raw_vectors.items()
}
mean_cosine = {how: values.mean() for how, values in raw_cosines.items()}
print("strangers are more alike under MAX:", bool(mean_cosine["MAX"] > mean_cosine["MEAN"]))

# %% tags=["nbval-ignore-output"]
print(f"mean cosine of strangers: MEAN {mean_cosine['MEAN']:.2f}, MAX {mean_cosine['MAX']:.2f}")

# %% [markdown]
# Now the paper's claim C21 (a claim is one of its sentences, with a rule by which this course
# measures it). Trained with this objective, MEAN reached a Spearman of 87.44 on the real STSb dev
# set (Table 6, ten seeds).
#
# **Predict.** What did MAX reach there?

# %%
guess_c21 = None  # your guess

# %%
claim = paper.get_claim("C21")
table6 = paper.table(6).query("factor == 'pooling'").set_index("choice")["STSb"]
print(f"C21: {claim.claim}")
print(f"the paper, {claim.paper}")
you_said(guess_c21, float(table6["MAX"]))

# %% [markdown]
# And here? A short race, one epoch each from the same start. It is a first look with a single
# seed; [notebook 13](13_ablations.ipynb) decides the claim, with more seeds and by a rule fixed
# beforehand.

# %% tags=["nbval-ignore-output"]
one_epoch = replace(profile.sts, epochs=1)
dev_gold, raced = np.array(dev["score"]), {}
for how, one in encoders.items():
    train(Siamese(one, "regression"), pairs, one_epoch)
    raced[how.upper()] = sts.similarities(one.encode, dev)
gaps = sts.bootstrap_difference(dev_gold, raced["MEAN"], raced["MAX"])
print("after one epoch:", verdict(gaps, words=("MEAN ahead", "MAX ahead")))

# %% tags=["nbval-ignore-output"]
raced_vectors = {how.upper(): one.encode(sentences) for how, one in encoders.items()}
raced_cosines = {how: figures.stranger_cosines(vectors) for how, vectors in raced_vectors.items()}
plots.show(
    figures.cosine_histograms({"raw": raw_cosines, "after one epoch": raced_cosines}),
    caption="Left: where strangers start. Right: after one epoch they are at "
    + " and ".join(f"{values.mean():.2f} under {how}" for how, values in raced_cosines.items())
    + " on average. People would score most of them near 0.",
    alt="Two panels with histograms of the cosines of random pairs, MEAN and MAX, before and "
    "after one epoch of training; vertical lines mark the means.",
)

# %% tags=["nbval-ignore-output"]
race = open_study("pooling_race", "real") if has_study("pooling_race", "real") else None
why = "here one epoch and one seed, in mini also a small encoder; paper: 4 epochs, 10 seeds"
rows = [
    {
        "what": f"{how}, Spearman on STSb dev",
        "measured": 100 * sts.spearman(dev_gold, raced[how]),
        "recorded": race and race.mean(how, "dev"),
        "paper": table6[how],
        "why": why,
    }
    for how in ("MEAN", "MAX")
]
paper.compare(rows, data=data.coverage("stsb", "train"))
if race:
    came_from(race)
for column in ("measured", "recorded", "paper"):
    if rows[0][column]:
        print(f"MEAN minus MAX, {column}: {rows[0][column] - rows[1][column]:+.1f} points")

# %% [markdown]
# The *sign* of MEAN minus MAX is what C21 is about; its *size* depends on model, data and epochs.
# And we have only *seen* that strangers start more alike under MAX. That this is why MAX scores lower
# in the paper is a good guess, which this race cannot prove.

# %% [markdown]
# ### Explain your number (3 points, read by a person)
#
# Take the two cosines of your own pair from section 4, before and after, and the score that you
# had in mind. Say in four or five sentences: which of the three is closest to which, why the
# *first* cosine was no measure of similarity on its own, and what a cosine of -0.1 after
# training would have told you.

# %% [markdown] id="06-explain" tags=["manual", "points:3"]
# ### BEGIN SOLUTION
# Rubric, one point each: (1) quotes both cosines and the own score divided by 5, and compares
# on the same scale; (2) says that raw cosines are high for almost every pair, so that a cosine
# can be read only against those of strangers; (3) reads -0.1 as "unrelated, like 0", since no
# training pair asks for a negative cosine, and not as "opposite in meaning".
# ### END SOLUTION

# %% [markdown]
# ## Recap
#
# The regression objective compares the cosine itself with the gold score; its gradient turns
# embeddings and never asks for another length. Gold must be scaled to what a cosine can reach, with
# strangers at 0, or even a perfect encoder loses the order. A lower squared error may be
# nothing but a better scale, so we judge by Spearman; and MAX, whose vectors share one corner
# of the space, starts farther from where strangers belong.
#
# ## Questions
#
# <details><summary>1. You multiply all embeddings of a trained encoder by 10. What happens to
# the loss, and to its gradient?</summary>
#
# The loss stays: cosines ignore lengths. The gradient with respect to the embeddings becomes
# ten times smaller, because of the factor 1 / |u|.
# </details>
#
# <details><summary>2. Two other sets of scored pairs: AFS (arguments from debates, notebook 10)
# runs from 0 to 5, SICK (sentences about pictures) from 1 to 5. How do you scale each?</summary>
#
# AFS: s / 5. SICK: (s - 1) / 4, so that its lowest score becomes 0 as well.
# </details>
#
# <details><summary>3. Why not train on Spearman, if that is what we report?</summary>
#
# It depends on ranks only. A tiny change of one cosine changes no rank, so the gradient is zero
# almost everywhere, and it needs many pairs at once to be computed at all.
# </details>
#
# <details><summary>4. The classification objective has a head with weights of its own. What is
# there to throw away here?</summary>
#
# Nothing. The cosine has no weights, and what was trained is what is used.
# </details>
#
# <details><summary>5. Under MAX, how many tokens of a sentence receive a gradient in one
# dimension?</summary>
#
# One: the winner. Under MEAN all real tokens do, each with the same share.
# </details>
#
# **Next:** [07_triplet_objective](07_triplet_objective.ipynb). What if nobody gives scores, and
# all we know is that A is closer to B than to C?
