# %% [markdown]
# # 05 · What can a classifier teach an encoder?
#
# After this notebook you will be able to
#
# - derive the paper's softmax objective, and compute its loss by hand;
# - train an encoder on natural language inference, interrupt it, continue it, and read its curves;
# - judge from controls whether anything was learned, and say why the classifier is thrown away.
#
# About MINUTES minutes, 90 seconds of it computing · profile mini · paper: section 3.1, claim C04

# %% [markdown]
# We want vectors whose cosine means "says the same". But the large collections of sentence pairs do
# not come with similarity scores. They come with **labels** of natural language inference (NLI):
# does the second sentence follow from the first, contradict it, or neither? The paper's most used
# objective (what a training tries to reach) learns similarity from these labels. You will first see
# that it works, then build it, train it yourself, and then doubt it.

# %% tags=["setup"]
setup("05_classification_objective", study_minutes=MINUTES, computing_seconds=90)

import math
from collections import Counter
from dataclasses import replace

import numpy as np
import torch
from sklearn.metrics import roc_auc_score

from sbert_lab import data
from sbert_lab.course import nb05 as checks
from sbert_lab.course import nb05 as figures
from sbert_lab.course import plots
from sbert_lab.encoder import SentenceEncoder
from sbert_lab.experiments import paper
from sbert_lab.experiments.evaluation import sts
from sbert_lab.experiments.results import open_others, open_study, open_table
from sbert_lab.experiments.studies.nli import WATCHED
from sbert_lab.objectives import classification_loss, concatenate
from sbert_lab.profiles import get_profile, lesson
from sbert_lab.tasks import Siamese
from sbert_lab.training import run_folder, take_step, train

# %% [markdown]
# ## 1 · See it: labels in, better cosines out
#
# A recorded run on real data: a small BERT of ours (mini-bert-2, twice as wide as mini-bert) read 16,384 labelled pairs of SNLI and MultiNLI,
# once. Two things were watched on pairs that it was **not** trained on. Left: the percentage of NLI labels that its classifier gets right (33.3
# is guessing). Right: how well its cosines rank the pairs of STSb, whose similarity people scored, as a Spearman correlation times 100 (do cosines
# and people agree in their order?). It never saw a similarity score. (*Dev* pairs are for looking during training, *test* pairs for the score at
# the end.)
#
# **Predict.** How many points do the cosines win or lose on STSb: -2, 0, 2, 5, more?

# %%
guess_gain = None  # your guess, in points

# %% tags=["nbval-ignore-output"]
recorded = open_study("nli", "real")
came_from(recorded)
shown = {"softmax": "the paper's objective", "softmax, shuffled labels": "labels shuffled"}
tested = WATCHED, data.get_corpus("stsb").splits["dev"]
plots.show(
    figures.curves(
        {said: recorded.info(row)["curve"] for row, said in shown.items()}, tested=tested
    ),
    caption="Recorded on real data, one run each. Follow the blue curve in both panels: the "
    "labels teach the classes (left) and, without ever naming it, similarity (right). The "
    "other curve saw the same pairs with shuffled labels. Shaded: the luck of the pairs that "
    "were tested (95 %).",
    alt="Two panels over the number of NLI pairs seen: NLI accuracy with the guessing line at "
    "33 percent, and STSb Spearman, each with a curve for the paper's objective and one for "
    "shuffled labels.",
)
gain = recorded.mean("softmax", "gain")
you_said(guess_gain, f"{gain:+.1f}")
shows(
    gain - recorded.mean("softmax, shuffled labels", "gain"),
    more=f"Training on labels changed the cosines by {gain:+.1f} points on STSb dev, "
    f"{{by:.1f}} points more than training on shuffled labels.",
    less=f"Training on labels changed the cosines by {gain:+.1f} points on STSb dev, "
    f"{{by:.1f}} points less than training on shuffled labels.",
    same=f"Training on labels changed the cosines by {gain:+.1f} points on STSb dev, like "
    f"training on shuffled labels.",
)

# %% tags=["nbval-ignore-output"]
whole = open_table(1, "real")
raw_average, tuned_average = (whole.mean(row, "average") for row in ("raw BERT MEAN", "SBERT-NLI"))
print("average of the seven STS test sets, recorded on real data with 131,072 NLI pairs (Table 1):")
print(
    f"  before {raw_average:.1f}, after {tuned_average:.1f}; the paper's BERT-base: 54.8 and 74.9"
)
came_from(whole)

# %% [markdown]
# The paper, with a model fifteen times as large and 942,069 pairs, went from 46.35 to 77.03 on the STSb *test* pairs. How can labels that never
# mention similarity do that?
#
# ## 2 · The data: three labels, no similarity
#
# In profile mini the pairs are our own: everyday scenes in SNLI's style, short statements in MultiNLI's. (You will train mini-bert-2, as in section 1.)
# Ten of them, drawn at random. Decide before you read the last line of each.

# %%
CLASSES = ("entailment", "neutral", "contradiction")  # labels 0, 1, 2
profile = lesson(get_profile())
corpus = profile.nli
nli = data.load(corpus, "train").shuffle(seed=1)
for row in nli.select(range(10)):
    print(f"- {row['sentence1']}\n  {row['sentence2']}\n  = {CLASSES[row['label']]}\n")

# %%
nli_dev, nli_test = (data.load(corpus, split).shuffle(seed=1) for split in ("dev", "test"))
nli_dev, nli_test = (rows.select(range(min(2_000, len(rows)))) for rows in (nli_dev, nli_test))
stsb_dev, stsb_test = data.load("stsb", "dev"), data.load("stsb", "test")
print(f"{corpus} train,", data.coverage(corpus, "train"))
print("per class:", dict(sorted(Counter(nli["label"]).items())))

# %% [markdown]
# The classes are about equally frequent, so **33.3 %** is what a model that learned nothing
# reaches.

# %% [markdown]
# ## 3 · From two vectors to three probabilities
#
# The encoder gives `u` and `v`, each with $n$ numbers. The paper puts three things side by side and
# multiplies them with one matrix of trainable weights:
#
# $$o = \mathrm{softmax}\big(W_t\,(u, v, |u - v|)\big), \qquad W_t \in \mathbb{R}^{3n \times k}$$
#
# with $k = 3$ labels. $|u-v|$ is taken number by number, so it has $n$ numbers too. This matrix (with a bias)
# is called the **head**.
#
# ### Exercise 1: build (u, v, |u-v|) (1 point)
# `u` and `v` are batches: one row per pair.


# %% id="05-features" tags=["exercise", "points:1"]
def features(u, v):
    """What the head sees of each pair: (B, H), (B, H) -> (B, 3H)."""
    ### BEGIN SOLUTION
    return torch.cat([u, v, (u - v).abs()], dim=1)
    ### END SOLUTION


# %% id="05-features-check" tags=["test", "points:1"]
checks.features(features)

# %% [markdown]
# Now the loss. The head gives three numbers per pair, the *logits*; softmax turns them into
# probabilities. The loss of a pair is minus the logarithm of the probability of its true label: 0
# for a sure and right answer, large for a sure and wrong one.
#
# **Predict.** A head that knows nothing gives each class one third. What is its loss, -ln(1/3)?
# (The cell below has a fresh head and 64 pairs; `concatenate` is the package's `features`.)

# %%
guess_start = None  # your guess

# %%
raw = SentenceEncoder.load(profile.backbone)
task = Siamese(raw, "classification")
batch = nli.select(range(64))
u, v = (torch.from_numpy(raw.encode(batch[name])) for name in ("sentence1", "sentence2"))
labels = torch.tensor(batch["label"])

with torch.no_grad():
    logits = task.head.cpu()(concatenate(u, v))  # (64, 3)
exponentials = logits.exp()
probabilities = exponentials / exponentials.sum(dim=1, keepdim=True)  # each row sums to 1
by_hand = -probabilities[torch.arange(64), labels].log().mean()
torch.testing.assert_close(by_hand, classification_loss(logits, labels))
you_said(guess_start, np.log(3))
print("by hand and in the package: the same loss")

# %% tags=["nbval-ignore-output"]
print(f"a fresh head on 64 pairs: loss {by_hand:.3f}; equal thirds: {np.log(3):.3f}")

# %% [markdown]
# <a id="q-why-abs"></a>
# **Why |u-v| and not u-v?** A head is linear: it can add, subtract and scale its inputs, nothing
# else. From `u` and `v` it can already form `u - v` by itself. So `(u, v, u-v)` looks like more,
# but is it? The *rank* of the features counts how many of their columns are really new.
#
# **Predict.** With 256 numbers per vector: what is the rank of `(u, v, u-v)`, and of `(u, v,
# |u-v|)`?

# %%
guess_rank_plain = None  # your guess
guess_rank_abs = None  # your guess

# %%
some = nli.select(range(1_000))
with torch.no_grad():
    a, b = (
        torch.from_numpy(raw.encode(some[name])).double() for name in ("sentence1", "sentence2")
    )
plain, absolute = torch.cat([a, b, a - b], dim=1), torch.cat([a, b, (a - b).abs()], dim=1)
print("columns", plain.shape[1])
you_said(guess_rank_plain, int(torch.linalg.matrix_rank(plain, rtol=1e-9)))
you_said(guess_rank_abs, int(torch.linalg.matrix_rank(absolute, rtol=1e-9)))

# %% [markdown]
# The signed difference adds nothing. The absolute value bends: no linear head can make `|u-v|` out
# of `u` and `v`. And it is a *distance*, number by number: a head that wants small distances for
# "entailment" pulls the vectors of such pairs together. This is how labels turn into geometry.

# %% [markdown]
# ## 4 · Training
#
# Encoder and head must **both** learn. In public code the head has stayed untrained more than once,
# because the optimizer got the encoder's weights only: no error appears, the loss even falls. So look
# at who is in, and check afterwards who moved.

# %%
encoder_weights = sum(w.numel() for w in task.encoder.parameters())
all_weights = sum(w.numel() for w in task.parameters())
print(f"encoder {encoder_weights:,} + head {all_weights - encoder_weights:,} weights")

# %% [markdown]
# One step as the package takes it. Look for your own lines from notebook 04, then for what came on
# top: this step's learning rate, several batches in one step, half precision on a GPU, a limit on
# the gradient. (`scaler` matters in float16 alone, `_gradients_meet` with several GPUs: skip both.)

# %%
peek(take_step)

# %% [markdown]
# <a id="head-first"></a>
# One setting is not the paper's. **The head starts from nothing, the encoder does not.** As long as the head is random, the gradient that it sends
# back is noise, and the encoder learns noise. The paper has 58,879 steps to repair that; we have a hundred, or a thousand. So our head learns 30
# times as fast as the encoder (`head_times=30`); section 6 shows what happens without.
#
# One pass over the data, in mini over 3,000 pairs, watched as in section 1. `train` keeps the weights with the best accuracy; STSb has no say in
# that choice.

# %%
pairs = profile.live_pairs or len(nli)
rows = nli.select(range(pairs))
watched = nli_dev.select(range(profile.watched_pairs))
batches = math.ceil(pairs / profile.train.batch_size)
every = math.ceil(batches / 6)  # steps between two evaluations
config = replace(profile.train, epochs=1, evaluate_every=every, checkpoint_every=every)
print(f"{pairs:,} pairs, batches of {config.batch_size}, evaluated every {every} steps")
print(
    f"rate {config.learning_rate} for the encoder, {config.head_times:.0f} times that for the head"
)

# %% [markdown]
# Two helpers. `accuracy` scores the head. `teach` is `train` from notebook 04 with a curve that
# grows with each evaluation.


# %%
def accuracy(task, rows):
    """Percent of the pairs to which the head gives their true label."""
    predicted = task.predict_labels(rows["sentence1"], rows["sentence2"])
    return 100 * float((predicted == torch.tensor(rows["label"])).float().mean())


def teach(name, encoder, rows, live=False):
    """Train with the classification objective; gives the task and its curve."""
    task = Siamese(encoder, "classification")

    def evaluate(task):
        spearman = sts.score_pairs(task.encoder.encode, stsb_dev).spearman
        return curve.add(accuracy(task, watched), spearman)

    folder, step = run_folder(task, rows, config, evaluate=evaluate), every * config.batch_size
    curve = figures.Curve(folder, pairs=len(rows), every=step, name=name, live=live)
    if not curve.points:
        evaluate(task)  # before the first step
    train(task, rows, config, evaluate=evaluate)
    return task, curve


# %% [markdown]
# **You can interrupt the next cell** (■) and run it again: it goes on where it stopped. Once
# finished, it opens its result at once. To train anew, delete the folder `runs/training`.
#
# **Predict.** After 3,000 pairs: NLI accuracy in percent (33.3 is guessing)? And will the Spearman
# on STSb be higher, lower, or about the same as before?

# %%
guess_accuracy = None  # your guess
guess_stsb = None  # "higher", "lower" or "same"

# %% tags=["nbval-ignore-output"]
tuned, curve = teach("pretrained", SentenceEncoder.load(profile.backbone), rows, live=True)

# %% [markdown]
# First the trap. Did the head move, and did the encoder?


# %%
def moved(before, after):
    return any(not torch.equal(a.cpu(), b.cpu()) for a, b in zip(before, after, strict=True))


print("head moved:   ", moved(task.head.parameters(), tuned.head.parameters()))
print("encoder moved:", moved(raw.parameters(), tuned.encoder.parameters()))

# %% [markdown]
# And the clock. The paper says that tuning takes under 20 minutes (claim C04, notebook 01). At the
# pace just measured:

# %% tags=["nbval-ignore-output"]
pace = pairs / curve.seconds
official = data.get_corpus("nli").splits["train"]
hours = official / pace / 3600
print(f"{pairs:,} pairs in {curve.seconds:.0f} s, {pace:.0f} pairs/s")
print(f"one pass over all {official:,} pairs of the paper would take {hours:.1f} h here")

# %% [markdown]
# ## 5 · Is it the labels?
#
# Perhaps any training on these sentences would have done it. The control: train on labels that were **shuffled** among the pairs. Sentences, class
# frequencies and steps stay; the meaning of the labels is gone.

# %% [markdown]
# ### Exercise 2: design the control (3 points)
# Before you run the control, write it down as a function. `fit(rows, seed)` trains a model and gives
# back a function that scores it: `score = fit(rows, seed)`, then `score(rows)` is an accuracy. Return
# the list of accuracies, one per seed. Three decisions are yours: what exactly is shuffled, on which
# rows the model is scored, and what the seeds are for. `train_rows` and `dev_rows` are plain lists of
# dictionaries, each with `sentence1`, `sentence2` and `label`.


# %% id="05-control" tags=["exercise", "points:3"]
def shuffled_control(fit, train_rows, dev_rows, seeds=(1, 2, 3)):
    """Accuracies of models trained on shuffled labels, one per seed."""
    ### BEGIN SOLUTION
    results = []
    for seed in seeds:
        labels = np.random.default_rng(seed).permutation([row["label"] for row in train_rows])
        shuffled = [
            {**row, "label": int(label)} for row, label in zip(train_rows, labels, strict=True)
        ]
        score = fit(shuffled, seed)
        results.append(score(dev_rows))
    return results
    ### END SOLUTION


# %% id="05-control-check" tags=["test", "points:3"]
checks.shuffled_control(shuffled_control)

# %% [markdown]
# Now the real thing, with half as many pairs and one seed. Compare it with the other curve at the same number of pairs.
#
# **Predict.** How many of the NLI test pairs will it get right, in percent?

# %%
guess_control = None  # your guess, in percent

# %% tags=["nbval-ignore-output"]
half = rows.select(range(pairs // 2))
labels = np.random.default_rng(1).permutation(half["label"]).tolist()
shuffled_rows = half.remove_columns("label").add_column("label", labels)
from_shuffled, shuffled_curve = teach(
    "shuffled labels", SentenceEncoder.load(profile.backbone), shuffled_rows
)
runs = {"pretrained": curve, "shuffled labels": shuffled_curve}
plots.show(
    figures.curves(
        {name: run.points for name, run in runs.items()},
        pairs=pairs,
        tested=(len(watched), len(stsb_dev)),
    ),
    caption="Your own two runs. Compare each panel at the same number of pairs: the distance "
    "of the two curves is what the meaning of the labels is worth. Shaded: the luck of the pairs "
    "that were tested (95 %); where the bands overlap, wait for the test below.",
    alt="Two panels over the number of NLI pairs seen: NLI accuracy with the guessing line at "
    "33 percent, and STSb Spearman, each with two curves: pretrained and shuffled labels.",
)

# %% [markdown]
# Curves tempt us to see what we hope for. So a rule judges, on the **test** splits:
#
# - an accuracy counts as *above guessing* if its 95 % interval lies above one third;
# - a change in Spearman counts if the 95 % interval of the difference does not contain 0, when the
#   pairs are drawn again and again (a *bootstrap*).
#
# One seed only, and the rule was chosen after first trials. (Pairs of one scene resemble each other, so
# the true intervals are wider than these: a control may land a little above guessing.)


# %%
def word(low, high, names):
    """Below, around or above zero: the three names in this order."""
    return names[2] if low > 0 else names[0] if high < 0 else names[1]


def judge_accuracy(percent, pairs):
    margin = 1.96 * (percent * (100 - percent) / pairs) ** 0.5
    above = percent - 100 / 3
    return word(
        above - margin, above + margin, ("below guessing", "like guessing", "above guessing")
    )


def judge_change(before, after):
    gold = stsb_test["score"]
    change = sts.bootstrap_difference(gold, after, before)
    return word(*sts.interval(change), ("lower", "no clear change", "higher"))


# %% tags=["nbval-ignore-output"]
systems = {"pretrained": tuned, "shuffled labels": from_shuffled}
before = sts.similarities(raw.encode, stsb_test)
was = 100 * sts.spearman(stsb_test["score"], before)
test_accuracy, after = {}, {}
for name, system in systems.items():
    after[name] = sts.similarities(system.encoder.encode, stsb_test)
    test_accuracy[name] = accuracy(system, nli_test)
    verdict = judge_accuracy(test_accuracy[name], len(nli_test))
    print(f"{name:16} NLI test {test_accuracy[name]:.1f} %: {verdict};", end=" ")
    now = 100 * sts.spearman(stsb_test["score"], after[name])
    print(f"STSb test {was:.1f} -> {now:.1f}: {judge_change(before, after[name])}")
you_said(guess_accuracy, test_accuracy["pretrained"], "%")
you_said(guess_stsb, judge_change(before, after["pretrained"]))
you_said(guess_control, test_accuracy["shuffled labels"], "%")
shows(
    sts.bootstrap_difference(stsb_test["score"], after["pretrained"], before),
    more=f"{pairs:,} labels made the cosines **better**: {{by:.1f}} points on STSb test.",
    less=f"{pairs:,} labels made the cosines **worse**: {{by:.1f}} points on STSb test.",
    same=f"Whether {pairs:,} labels changed the cosines, this small test set cannot tell.",
)
shows(
    test_accuracy["pretrained"] - test_accuracy["shuffled labels"],
    margin=abs(test_accuracy["shuffled labels"] - 100 / 3),
    more=f"On NLI {pairs:,} true labels are worth {{by:.1f}} points more than {len(half):,} shuffled "
    "ones. Compare with the control's own distance from 33.3, which no meaning can explain.",
    less="On NLI the true labels did worse than shuffled ones, by {by:.1f} points.",
    same="On NLI the true labels are no further above the control than the control is from 33.3: "
    "no sign of learning.",
)

# %% [markdown]
# **Did it learn to infer, or situations by heart?** A much harder set of ours has long sentences that contradict one fact each. mini-bert was trained
# on all of its 12,300 pairs, three times. Part *new-wording* tests new wordings of situations from training; the other parts test new situations,
# writers and kinds of inference.

# %% tags=["nbval-ignore-output"]
hard = open_study("trained_floors")
came_from(hard)
parts = [name for name in hard.columns if name.startswith("test ") and name != "test all"]
for name in parts:
    print(f"{name.removeprefix('test '):13} {hard.mean('SBERT', name):5.1f} % right")
new = [hard.mean("SBERT", name) for name in parts if "new-wording" not in name]
known = next(hard.mean("SBERT", name) for name in parts if "new-wording" in name)
shows(
    known - max(new),
    more="It does {by:.0f} points better on situations that it knows than on any that are new: "
    "much of its accuracy is memory.",
    less="It does no better on situations that it knows.",
    same="Known and new situations come out alike.",
)

# %% [markdown]
# ### Beside the paper

# %% tags=["nbval-ignore-output"]
gold = stsb_test["score"]
table = paper.table(1).set_index("model")["STSb"]
share = f"{pairs:,} pairs, not 942,069; {all_weights / 1e6:.1f} M weights, not 110 M"
real_raw, real_tuned = (recorded.mean(row, "stsb") for row in ("raw BERT MEAN", "softmax"))
paper.compare(
    [
        {"what": "STSb test, averaged raw vectors", "measured": was, "recorded": real_raw,
         "paper": float(table["Avg. BERT embeddings"]), "why": "another, smaller model"},
        {"what": "STSb test, after NLI", "measured": 100 * sts.spearman(gold, after["pretrained"]),
         "recorded": real_tuned, "paper": float(table["SBERT-NLI-base"]), "why": share},
        {"what": "the same with shuffled labels",
         "measured": 100 * sts.spearman(gold, after["shuffled labels"]),
         "recorded": recorded.mean("softmax, shuffled labels", "stsb"),
         "why": f"measured: only {len(half):,} pairs"},
    ],
    data=[
        f"{name}: {data.coverage(name, split)}"
        for name, split in ((corpus, "train"), ("stsb", "test"))
    ],
)  # fmt: skip
came_from(recorded)
shows(
    real_tuned - real_raw,
    more="On the real test pairs (*recorded*) the labels gained {by:.1f} points; the paper's "
    "model gained 30.7.",
    less="On the real test pairs (*recorded*) the labels cost {by:.1f} points; the paper's "
    "model gained 30.7.",
    same="On the real test pairs (*recorded*) the labels changed nothing; the paper's model "
    "gained 30.7.",
)

# %% [markdown]
# ## 6 · When does NLI help?
#
# Back to the recorded study. Each of its other runs changes one thing: the head learns at the encoder's own rate (*one rate*); the network starts
# with random weights (*random start*); the labels are shuffled; our backbone stops at 20 of its 47 million tokens of pretraining; a larger network
# takes its place (the lower half of all-MiniLM-L6-v2, a published encoder); and another objective, *in-batch negatives* on the entailments alone
# (each sentence must find its partner in the batch; notebook 17).
#
# **Predict.** Which of these runs end with worse cosines than they began with?

# %%
guess_worse = None  # your guess, for example "one rate, random start"

# %% tags=["nbval-ignore-output"]
tuned_rows = [row for row in recorded.rows if row != "raw BERT MEAN"]
plots.show(
    figures.gains(recorded, open_others("nli", "real"), whole),
    caption="Left: change of Spearman on real STSb dev since the start, doubling the pairs from mark "
    "to mark; a ring where a curve crosses zero. Right: the average of the seven test sets at the "
    "end, where a run began with the raw backbone; the star is the paper's own gain. One run each, "
    "so a difference of a point means little.",
    alt="Left, curves over the number of NLI pairs seen, one for each variant of the training, with "
    "rings on the zero line. Right, one mark for each run on the seven test sets, among them "
    "Table 1's at 131,072 pairs and the paper's at 942,069.",
)
average = {row: recorded.mean(row, "average") for row in recorded.rows}
for row in tuned_rows:
    seen, gain = recorded.info(row)["pairs"], recorded.mean(row, "gain")
    print(
        f"{row:30} {gain:+5.1f} on STSb dev after {seen:,} pairs; average of seven test sets "
        f"{average[row]:.1f}"
    )
print(f"{'raw BERT MEAN':30} {'':5} average of seven test sets {average['raw BERT MEAN']:.1f}")
print(
    f"The same network, taught by a larger encoder's vectors (mini-sbert, notebook 17): "
    f"{whole.mean('mini-sbert', 'average'):.1f}. It is not too small."
)
worse = [row.removeprefix("softmax, ") for row in tuned_rows if recorded.mean(row, "gain") < 0]
you_said(guess_worse, ", ".join(worse) or "none")
shows(
    recorded.mean("softmax", "gain") - recorded.mean("softmax, one rate", "gain"),
    more="The head's own rate is worth {by:.1f} points: same pairs, same labels, same objective.",
    less="The head's own rate costs {by:.1f} points here.",
    same="The head's own rate makes no difference here.",
)
shows(
    recorded.mean("in-batch negatives", "gain") - recorded.mean("softmax", "gain"),
    margin=1,
    more="In-batch negatives gain {by:.1f} points more than softmax, from a third of the pairs.",
    less="In-batch negatives gain {by:.1f} points less than softmax, from a third of the pairs.",
    same="In-batch negatives gain as much as softmax, from a third of the pairs.",
)

# %% [markdown]
# Three things were varied: how soon the head stops sending noise, how much the network knows beforehand, and how much a single pair says. Which of
# them mattered most above?
#
# <details><summary>With a GPU and the hub: the same study with a public BERT</summary>
#
# In Colab: `!SBERT_LAB_BACKBONE=bert-base sbert-lab reproduce --study nli --profile real` (or a folder, or `hub/id@revision`; for `bert-mini` and `bert-small` the error message says how to convert them first).
#
# It writes `data/results/real/on-bert-base-uncased/nli.json`; run the cell above again, or copy that folder to your own clone, and its curve joins the figure.
# </details>

# %% [markdown]
# ## 7 · What did the labels do to the cosines, and why is the head thrown away?
#
# The objective never mentions a cosine. Still, if small distances mean "entailment" to the head, the
# cosines of the three classes should part: entailment above neutral above contradiction.

# %% tags=["nbval-ignore-output"]
labels = np.array(nli_dev["label"])
cosines = {}
for name, encoder in (("before", raw), ("after", tuned.encoder)):
    u, v = (encoder.encode(nli_dev[side], normalize=True) for side in ("sentence1", "sentence2"))
    cosines[name] = (u * v).sum(axis=1)
    means = [cosines[name][labels == number].mean() for number in range(3)]
    print(name, ", ".join(f"{c} {m:.2f}" for c, m in zip(CLASSES, means, strict=True)))
plots.show(
    figures.label_cosines(cosines["before"], cosines["after"], labels, classes=CLASSES),
    caption="The cosine of each NLI dev pair, by its label. Dashed: the means. The further "
    "the three part, the more of the label can be read off the cosine alone.",
    alt="Two panels of three outlined histograms each, for entailment, neutral and "
    "contradiction: cosines of the dev pairs before and after training, with a dashed line at "
    "each mean.",
)
gaps = [c[labels == 0].mean() - c[labels == 2].mean() for c in cosines.values()]
shows(
    100 * (gaps[1] - gaps[0]),
    more="Training moved entailment and contradiction further apart, by {by:.0f} hundredths of "
    "a cosine.",
    less="Training moved entailment and contradiction closer together, by {by:.0f} hundredths "
    "of a cosine.",
    same="The distance between entailment and contradiction stayed as it was.",
)

# %% [markdown]
# ### Exercise 3: are the classes in order? (2 points)
# The distance of two means says little alone: 0.05 is a lot between narrow histograms and nothing between wide
# ones. Here is a number that needs no scale: draw one entailment and one contradiction. How often does the
# entailment have the higher cosine? Write this share for all such draws, each entailment with each
# contradiction; a tie counts half. An encoder that knows nothing gets 0.5.


# %% id="05-order" tags=["exercise", "points:2"]
def in_order(entailment, contradiction):
    """Cosines (N,) and (M,), NumPy arrays -> how often an entailment has the higher one, 0 to 1."""
    ### BEGIN SOLUTION
    column = entailment[:, None]  # (N, 1) against (M,): every draw
    return ((column > contradiction) + 0.5 * (column == contradiction)).mean()
    ### END SOLUTION


# %% id="05-order-check" tags=["test", "points:2"]
checks.in_order(in_order)

# %% [markdown]
# Statisticians know this share as the *area under the ROC curve*, and scikit-learn has it. On our dev pairs:

# %% tags=["nbval-ignore-output"]
extremes = labels != 1  # without the neutral pairs
shares = {name: roc_auc_score(labels[extremes] == 0, c[extremes]) for name, c in cosines.items()}
for name, share in shares.items():
    print(f"{name:6} the entailment is higher in {100 * share:.0f} of 100 draws")
shows(
    100 * (shares["after"] - shares["before"]),
    margin=1,
    more="The labels put {by:.0f} of 100 draws more into the right order, though no cosine was ever taught.",
    less="After training {by:.0f} of 100 draws fewer are in the right order.",
    same="Training has hardly changed how many draws are in order.",
)

# %% [markdown]
# `|u-v|` is the same for (u, v) and (v, u). What happens to the head's answer if the two sentences change
# places?
#
# **Predict.** For what share of the dev pairs does the predicted class flip?

# %%
guess_flip = None  # your guess, between 0 and 1

# %% [markdown]
# ### Exercise 4: measure it (2 points)
# `head` maps features (B, 3H) to logits (B, 3). `concatenate(u, v)` of the package builds the features.


# %% id="05-flip" tags=["exercise", "points:2"]
def flip_share(head, u, v):
    """Share of the pairs whose most likely class changes when u and v change places."""
    ### BEGIN SOLUTION
    here = head(concatenate(u, v)).argmax(dim=1)
    there = head(concatenate(v, u)).argmax(dim=1)
    return (here != there).float().mean()
    ### END SOLUTION


# %% id="05-flip-check" tags=["test", "points:2"]
checks.flip_share(flip_share)

# %% tags=["nbval-ignore-output"]
you_said(guess_flip, figures.flips(tuned, nli_dev))

# %% [markdown]
# For NLI this is right: "a dog runs" follows from "a brown dog runs fast", not the other way round.
# For similarity it would be wrong.
#
# <a id="q-concatenation-later"></a>
# **Is the concatenation used when two sentences are compared later? No**, only in training.
# Afterwards the head is thrown away and the cosine compares: the head answers another question, in
# which the order matters; it needs *both* sentences, so n(n-1)/2 runs; and an index for fast search
# knows distances, not heads. Try it on a pair of your own:

# %%
my_premise = "A man in a red jacket is repairing a bicycle."  # write your own
my_hypothesis = "Somebody is fixing a bike."  # and something that follows from it, or does not

# %% tags=["nbval-ignore-output"]
mine = [torch.from_numpy(tuned.encoder.encode([text])) for text in (my_premise, my_hypothesis)]
with torch.no_grad():
    chances = tuned.head.cpu()(concatenate(*mine)).softmax(dim=1)[0]
print("head:  ", ", ".join(f"{name} {p:.2f}" for name, p in zip(CLASSES, chances, strict=True)))
old = raw.encode([my_premise, my_hypothesis], normalize=True)
new = torch.cosine_similarity(*mine).item()
print(f"cosine: {new:.2f} after training, {old[0] @ old[1]:.2f} before")

# %%
kept = sum(w.numel() for w in tuned.encoder.parameters())
print(f"kept {kept:,} weights, thrown away {all_weights - kept:,}")

# %% [markdown]
# ### Explain your numbers (3 points, read by a person)
#
# Does your run give evidence that training on NLI labels made the vectors better for similarity?
# Answer with your numbers: NLI accuracy, STSb Spearman before and after, the control. Say what the
# control rules out, what the random start of section 6 adds, and which one further run you would pay for.

# %% [markdown] id="05-explain" tags=["manual", "points:3"]
# ### BEGIN SOLUTION
# *Rubric; any outcome can get full points, what counts is that the answer fits the numbers*
#
# - **1 point:** uses both measures with the interval words: accuracy against 33.3 %, and the *change* of
#   Spearman, not its level; does not call a change real that the rule calls unclear.
# - **1 point:** shuffled labels rule out that mere training on these sentences (steps, dropout, class
#   frequencies) explains the change; the random start shows what comes from pretraining and not from NLI.
# - **1 point:** a sensible next run with a reason: more seeds, more pairs, several shuffles, real data; names a
#   limit (one seed, 3,000 pairs, few test pairs).
# ### END SOLUTION

# %% [markdown]
# ## Recap
#
# The softmax objective puts u, v and |u-v| side by side and lets a linear head tell three classes
# apart; the absolute difference turns labels into distances. Then the head is thrown away and the
# cosine takes its place. Whether the cosines gained anything needs a test set, an interval and two
# controls.

# %% [markdown]
# ## Questions
#
# <details><summary>1. The loss starts near 1.1 and stays there. What does that tell you?</summary>
#
# 1.099 is ln 3, the loss of equal thirds: nothing is being learned. Look at the learning rate, at the labels
# (shuffled by mistake?), and at whether the optimizer has the weights at all.
# </details>
#
# <details><summary>2. NLI accuracy rises and STSb Spearman falls. Is that a contradiction?</summary>
#
# No. The head may use directions of u and v that cosine does not care about, and training may shrink or
# stretch others. Accuracy asks what a trained classifier can read out of the vectors, cosine weighs
# all their numbers alike.
# </details>
#
# <details><summary>3. A model trained on shuffled labels reaches 60 % on its training pairs. Did it learn?</summary>
#
# It memorised. Shuffled labels have nothing in them that carries over to other pairs, so on pairs that it
# never saw it should be at 33 %. Always score a control on unseen pairs.
# </details>

# %% [markdown]
# **Next:** [06 · Can a cosine be taught to agree with people?](06_regression_objective.ipynb) There the score of a pair
# is known, and no head is needed.
