# %% [markdown]
# # 17 · What will your own encoder be good for?
#
# After this notebook you will be able to
#
# - derive in-batch negatives, the objective most people train with today, and say what spoils it;
# - plan a training so that its result can prove you wrong, and report it with all its costs;
# - hand your encoder over: saved, described by a model card, and opened by another library.
#
# About MINUTES minutes, less than a minute of it computing · profile mini · paper: none of it; what
# came after, and all of it: the ledger

# %% [markdown]
# Sixteen notebooks ago you had a question about 49,995,000 passes. Now you have objectives, data
# and tests. This last notebook adds one idea that the paper did not have, and then hands over:
# **you** choose what to train, say beforehand what will come out, and let everything measure it.
#
# The [project sheet](PROJECT_SHEET.md) has the same task as a graded project, with a rubric.

# %% tags=["setup"]
setup(
    "17_your_own_encoder",
    study_minutes=MINUTES,
    computing_seconds=45,
    needs=("sentence-transformers",),
)

import itertools
import tempfile
import textwrap
import warnings
from collections import Counter
from dataclasses import asdict, replace
from pathlib import Path

import numpy as np
import pandas as pd
import torch
from IPython.display import Markdown, display
from torch.nn import functional as F

from sbert_lab import data
from sbert_lab.course import model_card, plots
from sbert_lab.course import nb17 as checks
from sbert_lab.course import nb17 as figures
from sbert_lab.encoder import SentenceEncoder
from sbert_lab.experiments import results
from sbert_lab.experiments.evaluation import everything
from sbert_lab.experiments.ledger_page import by_group, recorded_entries, short, summary
from sbert_lab.experiments.zoo.rows import nli_pairs
from sbert_lab.objectives import in_batch_negatives_loss
from sbert_lab.profiles import get_profile
from sbert_lab.tasks import Siamese, Taught
from sbert_lab.training import train
from sbert_lab.training.plan import plan_epoch

profile = get_profile()

# %% [markdown]
# ## 1 · Negatives for free
#
# The softmax objective needs three labels, the triplet objective a negative for every pair. But
# most pairs in the world come without either: a question and its answer, a title and its text, a
# sentence and one that follows from it. NLI has 'entailment' pairs; let us pretend that it has
# nothing else. Ten of them, drawn by a fixed seed:

# %%
nli = nli_pairs(profile)
print(f"NLI training pairs: {len(nli):,} of", data.coverage(profile.nli, "train"))
entailments = [{"anchor": row["sentence1"], "positive": row["sentence2"]}
               for row in nli if row["label"] == 0]  # fmt: skip
print(f"{len(entailments):,} of them are entailments")
for i in np.random.default_rng(17).choice(len(entailments), size=10, replace=False):
    print()
    for part, text in entailments[i].items():
        print(textwrap.fill(f"{part:8}  {text}", 92, subsequent_indent=" " * 10))

# %% [markdown]
# With pairs alone, "make the two alike" has a lazy answer: one vector for everything. Something has
# to push. The idea: **the other pairs of the batch push**. If the batch holds 32 pairs, then each
# anchor has one positive, and the 31 positives of the *others* are, very probably, wrong for it.
#
# **Predict.** A batch of 32 pairs, 64 sentences encoded. How many (anchor, negative) pairs does it
# give for free?

# %%
guess_free = None  # your guess

# %%
B = 32
print(f"{B} pairs: {2 * B} sentences encoded, {B * B} cosines, {B} of them right")
you_said(guess_free, B * (B - 1))

# %% [markdown]
# ### The matrix
#
# Now by hand, with six pairs: all cosines of an anchor with a positive, a matrix of 6 × 6. Row i
# is a small exam: *which of the six is mine?* The right answer is column i, so the labels are 0, 1,
# 2, 3, 4, 5: `arange`. It is a classification with as many classes as the batch has pairs.

# %% tags=["nbval-ignore-output"]
six = [entailments[i] for i in (0, 700, 1400, 2100, 2800, 3500)]
encoder = SentenceEncoder.load(profile.backbone, max_length=profile.max_length)
u, v = (torch.from_numpy(encoder.encode([row[k] for row in six])) for k in ("anchor", "positive"))
cosines = F.normalize(u, dim=1) @ F.normalize(v, dim=1).T  # (6, 6)
names = {k: [textwrap.shorten(row[k], 28, placeholder=" ...") for row in six] for k in six[0]}
plots.show(
    figures.batch(cosines, names["anchor"], names["positive"]),
    caption="The raw encoder on six pairs. Framed: each anchor's own positive. Training should make "
    "the framed cell the brightest of its row, by far. So far it is in "
    f"{int((cosines.argmax(dim=1) == torch.arange(6)).sum())} of 6.",
    alt="A six by six heat map of cosines between anchors and positives with the diagonal framed.",
)

# %% [markdown]
# The loss of a row is the cross-entropy of a softmax over that row: minus the logarithm of the
# share that the right column gets. One thing is still missing, and it is easy to forget.
#
# ### The scale
#
# A cosine ends at 1. Imagine a *perfect* batch of 32: every anchor has cosine 1 with its own
# positive and 0 with the others. Can it get better? No. Its loss should be about 0.
#
# **Predict.** What is the loss of that perfect batch, with the cosines taken as they are?

# %%
guess_perfect = None  # your guess

# %%
perfect = torch.eye(B)
for scale in (1, 5, 20, 50):
    loss = F.cross_entropy(scale * perfect, torch.arange(B))
    print(f"scale {scale:2}: loss {loss:.4f}, share of the right answer {torch.exp(-loss):.3f}")
you_said(guess_perfect, float(F.cross_entropy(perfect, torch.arange(B))))

# %% [markdown]
# Unscaled, perfection looks almost like guessing (the logarithm of 32 is 3.47), and the gradient
# keeps pushing where nothing is wrong. Multiplied by 20, perfection costs nothing. The scale is an
# inverse temperature: how sharply the softmax looks. It is a setting, like the margin of notebook
# 07, but the lengths of the vectors no longer matter.
#
# By hand, and by the package:

# %%
by_hand = 0.0
for i in range(len(six)):
    powers = torch.exp(20 * cosines[i])
    by_hand += -torch.log(powers[i] / powers.sum()) / len(six)
torch.testing.assert_close(by_hand, in_batch_negatives_loss(u, v, scale=20.0))
print(f"{by_hand:.4f} both ways")

# %% [markdown]
# ### What spoils it: a twin in the batch
#
# "The others are wrong for it" is a hope, not a fact. If two rows of the batch have the *same*
# positive, row i is punished for liking its own sentence in column j. Two rows with the same
# anchor are no better. Call such a pair of rows **twins**; the negatives they make are **false
# negatives**. NLI asks several things about one premise, so twins must exist:

# %%
for name in ("anchor", "positive"):
    counts = Counter(row[name] for row in entailments)
    print(f"{len(counts):,} different {name}s in {len(entailments):,} pairs; the most frequent "
          f"{name} stands in {max(counts.values())}")  # fmt: skip

# %% [markdown]
# **Predict.** Cut these pairs into random batches of 32. How many per cent of the batches contain
# at least one pair of twins?

# %%
guess_twins = None  # your guess, in per cent


# %%
def twins_of(rows):
    """Which rows may not serve each other as negatives: (B, B) of True and False."""
    same = [[a["anchor"] == b["anchor"] or a["positive"] == b["positive"] for b in rows]
            for a in rows]  # fmt: skip
    return torch.tensor(same) & ~torch.eye(len(rows), dtype=torch.bool)


def share_with_twins(batch_size):
    plan = plan_epoch(len(entailments), seed=1, epoch=0, batch_size=batch_size)
    return np.mean([twins_of([entailments[i] for i in step[0]]).any().item() for step in plan])


shares = {size: 100 * share_with_twins(size) for size in (8, 32, 64)}
for size, share in shares.items():
    print(f"batches of {size:2}: {share:.0f} % have twins")
you_said(guess_twins, round(float(shares[32])), unit="%")

# %% [markdown]
# The first batch of six that has twins, seen as above. Small batches seldom have any, so we plan one
# epoch after the other until there is one:


# %% tags=["nbval-ignore-output"]
def batches_of_six():
    for epoch in itertools.count():
        for step in plan_epoch(len(entailments), seed=1, epoch=epoch, batch_size=6):
            yield [entailments[i] for i in step[0]]


unlucky = next(rows for rows in batches_of_six() if twins_of(rows).any())
u6, v6 = (
    encoder.encode([row[k] for row in unlucky], normalize=True) for k in ("anchor", "positive")
)
names = {k: [textwrap.shorten(row[k], 28, placeholder=" ...") for row in unlucky] for k in six[0]}
plots.show(
    figures.batch(u6 @ v6.T, names["anchor"], names["positive"], twins_of(unlucky)),
    caption="Hatched: false negatives. The loss would push these cells down, though by the data "
    "they are as right as the framed ones in their rows.",
    alt="A six by six heat map of cosines with the diagonal framed and the twins' cells hatched.",
)

# %% [markdown]
# A birthday party: the chance that *some* two guests share a birthday grows fast with the guests.
# Large batches give more negatives and more false ones. The remedy is cheap: you know the texts, so
# mark the twins, and give them no share in the softmax.

# %% [markdown]
# ### Exercise 1 · The loss, twins excluded (3 points)
#
# Write the loss of a batch. `twins` is the (B, B) matrix of True and False from above; where it is
# True, the column must get *no share at all* of that row's softmax. Do not change the tensors you
# are given, and keep the gradient: the loss is there to be trained with.


# %% id="17-loss" tags=["exercise", "points:3"]
def in_batch_loss(u, v, twins, scale=20.0):
    """(B, H), (B, H), (B, B) -> the mean loss, one number."""
    ### BEGIN SOLUTION
    cosines = F.normalize(u, dim=-1) @ F.normalize(v, dim=-1).T
    logits = (scale * cosines).masked_fill(twins, float("-inf"))
    return F.cross_entropy(logits, torch.arange(len(u)))
    ### END SOLUTION


# %% id="17-loss-check" tags=["test", "points:3"]
checks.in_batch_loss(in_batch_loss)

# %% [markdown]
# When you are done, compare with the package's version, which knows no twins:

# %%
peek(in_batch_negatives_loss, folded=True)

# %% [markdown]
# ## 2 · The same sentences, two objectives
#
# Is it better than the paper's softmax? Most comparisons that you will meet are not fair. Nor were
# ours, until now: Table 1's recorded rows have *SBERT-NLI* (softmax, our own NLI) and *mini-sbert*,
# but mini-sbert is a larger network that copied the vectors of a much larger encoder. Another
# network, other data, another budget: no contest. (The end of this section is about that way of learning.)

# %%
if results.has_table(1, "mini"):
    table1 = results.open_table(1, "mini")
    print("Table 1, recorded, mini: average over the STS sets")
    for name in ("random weights, untrained", "raw BERT MEAN", "SBERT-NLI", "mini-sbert"):
        if table1.exists(name):
            print(f"  {name:25} {table1.mean(name, 'average'):.1f}  ({table1.note(name)})")
    shows(
        table1.mean("SBERT-NLI", "average") - table1.mean("raw BERT MEAN", "average"),
        margin=1,
        more="The softmax training gained {by:.1f} points over the raw backbone (notebook 08).",
        less="The softmax training cost {by:.1f} points against the raw backbone (notebook 08). The "
        "short run below has less time for that.",
        same="The softmax training left the backbone's cosines about as they were (notebook 08).",
    )

# %% [markdown]
# The fair version, recorded once: same start, same corpus, same number of pairs through the
# encoder, same settings (those of profile mini; its fast head was chosen for softmax, and in-batch
# negatives have no head), three seeds each. Only the rows differ, as they must: softmax sees all
# three labels, in-batch negatives only entailments.
# The metric was fixed before the run: the mean over the seven STS sets.

# %%
recorded = results.open_study("in_batch_negatives", "mini")
about = recorded.about
came_from(recorded)
print(f"{about['pairs seen']:,} pairs seen")
print(", ".join(f"{name} {value}" for name, value in about["settings"].items()))
for name in recorded.rows:
    seeds, kind = len(recorded.seeds(name)), recorded.kind(name)
    line = f"{name:23} {seeds} seed(s), {kind:6}  {recorded.note(name)}"
    print(textwrap.fill(line, 92, subsequent_indent=" " * 43))

# %% [markdown]
# `evaluation.everything` scores one encode function on all that is cheap: seven STS sets, section
# triplets, three SentEval tasks and the search for duplicate questions. (*STS*: pairs that people
# scored for similarity. *Spearman*: how well the order of the cosines agrees with that of the
# scores.) Four summary numbers, all in points:

# %%
for name, meaning in everything.MEANING.items():
    print(f"{name:10} {meaning}")

# %% [markdown]
# **Predict.** Which of "softmax" and "in-batch negatives" has the higher mean on STS after so few
# pairs? And does masking the twins help ("yes", "no", "cannot tell")?

# %%
guess_objective = None  # your guess
guess_mask = None  # your guess


# %%
def verdict(first, second, score):
    """Three seeds each: only if every seed of one beats every seed of the other is it said."""
    a, b = recorded.scores(first, score), recorded.scores(second, score)
    if a.min() > b.max():
        return f"{first} is ahead with every seed"
    return f"{second} is ahead with every seed" if b.min() > a.max() else "the seeds overlap"


means = {name: {k: recorded.mean(name, k) for k in everything.SUMMARY} for name in recorded.rows}
print(everything.frame(means).to_string())
for other in ("softmax", "in-batch, twins masked"):
    gaps = recorded.scores("in-batch negatives", "sts") - recorded.scores(other, "sts")
    print(f"\nSTS, in-batch negatives minus {other}: {verdict('in-batch negatives', other, 'sts')}")
    print("  seed by seed:", ", ".join(f"{gap:+.2f}" for gap in gaps))
ahead = max(("softmax", "in-batch negatives"), key=lambda name: means[name]["sts"])
you_said(guess_objective, ahead)
masked = verdict("in-batch, twins masked", "in-batch negatives", "sts")
answers = {"the seeds overlap": "cannot tell", "in-batch negatives is ahead with every seed": "no"}
you_said(guess_mask, answers.get(masked, "yes"))
widest, seeds = np.abs(gaps).max(), np.ptp(recorded.scores("in-batch negatives", "sts"))
print(f"  masked or not: at most {widest:.2f} points apart; two seeds: up to {seeds:.2f}")
if widest < seeds:
    print("  if masking matters here, it matters less than the seed")
steps = about["settings"]["steps"]
met = steps * shares[about["settings"]["batch_size"]] / 100
print(f"  by the share counted above, about {met:.0f} of {steps} steps met twins")
start, end = means["raw BERT MEAN"], means["in-batch negatives"]
paid = [f"{name} {end[name] - start[name]:+.1f}" for name in everything.SUMMARY]
print("\nin-batch negatives against raw BERT MEAN, where it started:", ", ".join(paid))

# %% [markdown]
# Read the table from the floors upwards. *Random weights* is not at zero: a mean of random word
# vectors still notices shared words. *Shuffled* pairs teach bonds that do not exist. A training
# has to beat not only these floors but the **raw** row: that is where it started. The last line
# says in which columns it does, and where it pays.
#
# And the twins? A mask can only change the steps that meet some; the count under the table says how
# many. Those that share a *positive* are also milder than they look: their two columns hold the same
# vector, so what one pushes the other pulls back: the loss is larger, but its gradient points the
# same way and is only weaker. What hurts more is a false negative that is right in
# *other* words, and no comparison of texts finds that one.
#
# Now one live run with a seed that is not among the recorded ones, scored on the metric only:

# %%
tests = everything.load_tests(profile)
workshop = tempfile.TemporaryDirectory()  # for checkpoints and the saved encoder
for name, size in tests.about.items():
    print(f"{name:10} {size}")

# %% tags=["nbval-ignore-output"]
settings = about["settings"]
tuned = SentenceEncoder.load(profile.backbone, max_length=profile.max_length)
config = replace(profile.train, batch_size=settings["batch_size"], max_steps=settings["steps"],
                 learning_rate=settings["learning_rate"], bucket_batches=0, seed=4)  # fmt: skip
history = train(Siamese(tuned, "in-batch negatives"), entailments, config)
only_sts = replace(tests, triplets=(), tasks={}, questions=None)
live = everything.score(tuned.encode, only_sts)
spread = recorded.scores("in-batch negatives", "sts")
print(f"live, seed 4: STS {live['sts']:.1f}; recorded seeds "
      f"{', '.join(f'{value:.1f}' for value in spread)}")  # fmt: skip
print(f"loss: {history.losses[0]:.2f} at first, {history.losses[-1]:.2f} at the end")

# %% tags=["nbval-ignore-output"]
rivals = [name for name in recorded.rows if name != "mini-sbert"]
plots.show(
    figures.systems(
        {name: {k: recorded.scores(name, k) for k in everything.SUMMARY} for name in recorded.rows},
        {"sts": "STS, mean of 7", "sections": "sections", "senteval": "3 classifiers",
         "questions": "duplicates found"},
        kinds={name: recorded.kind(name) for name in recorded.rows},
        live=("in-batch negatives", live),
    ),
    caption="One dot per seed, a bar at the mean; the black diamond is your live run. Squares are "
    "floors, the triangle is mini-sbert, which had more and other data. Best without it: "
    + ", ".join(f"{k} {max(rivals, key=lambda n: means[n][k])}" for k in everything.SUMMARY)
    + ".",
    alt="Four panels of dots, one line per system from random weights to mini-sbert, with a black "
    "diamond for the live run in the first panel.",
)  # fmt: skip
lost = [k for k in everything.SUMMARY
        if recorded.kind(max(rivals, key=lambda n, k=k: means[n][k])) == "floor"]  # fmt: skip
print("a floor is best in:", ", ".join(lost) or "no column")

# %% [markdown]
# What to conclude, and what not: this is a *short* training of a *small* encoder on *our own*
# sentences. It says which objective makes more of a few pairs here, not which is better as such; and
# of a column in which a floor is best it says nothing at all.
#
# A thought to compare with the table (a guess, not a measurement): in-batch negatives train the
# very cosine that STS asks for, against 31 opponents a row; softmax trains a head on (u, v, |u-v|)
# that is thrown away, and the cosine changes only as a side effect. Many public encoders of today
# are trained with in-batch negatives; the card of all-MiniLM-L6-v2 counts more than a billion
# pairs.

# %% [markdown]
# ### A third way: a teacher
#
# Softmax needs labels, in-batch negatives need pairs. What if you have plain sentences only, but
# also an encoder that is better than yours? Then let yours place sentences where the other one
# places them. **mini-sbert** was made like this. Its teacher was all-MiniLM-L6-v2, three times as
# large; no label and no pair was used. Two things were asked of it: within a batch, all cosines
# should be the teacher's, and a linear map should turn its vectors into the teacher's. (The map is
# thrown away, like the softmax head.)

# %%
peek(Taught.forward)

# %%
made = results.open_pretraining("mini-sbert")
print("recorded by data/build/teach_sbert.py; Spearman of the cosine on real STSb dev:")
print(f"  before                       {made['stsb_dev_before']:.1f}")
for epoch, score in enumerate(made["stsb_dev_by_epoch"], start=1):
    print(f"  after {epoch * made['sentences']:9,} sentences    {score:.1f}")
shows(
    made["stsb_dev_after"] - results.open_study("nli", "real").mean("softmax", "stsb dev"),
    more="That is {by:.1f} points above what the softmax objective reached from the same network with "
    "real NLI pairs (notebook 05).",
    less="That is {by:.1f} points *below* what the softmax objective reached from the same network with "
    "real NLI pairs (notebook 05).",
    same="The softmax objective reached the same from this network with real NLI pairs (notebook 05).",
)

# %% [markdown]
# So the network is not too small for good sentence vectors: it can hold them. What differs is how
# much each training row says. A label says one of three things about one pair. A teacher says, for
# *every* two of the 128 sentences in a batch, how close they belong. The price: the pupil learns
# the teacher's mistakes, too, and its scores prove nothing about labels. This teacher has seen NLI
# and a billion other pairs.

# %% [markdown]
# ## 3 · Your encoder
#
# Now you. Four choices (data, backbone, pooling, objective), how many steps, a seed. The defaults
# below train an encoder for **finding duplicate questions**. Keep them or change them now; every
# other choice becomes a run of its own. **Do not run past Exercise 2 before your prediction is
# sealed.** If you have already (Run All does), set another `seed` and continue from here.

# %%
choice = {
    "data": "questions",  # questions, nli, sections, stsb
    "backbone": "mini-bert",  # mini-bert, mini-roberta, mini-sbert
    "pooling": "mean",  # mean, cls, max
    "objective": "in-batch negatives",  # see the menu below
    "steps": 40,
    "seed": 1,
}
purpose = "finding the duplicate of a question in a collection"  # your own sentence

# %% [markdown]
# What fits together? An objective needs the answers it learns from. Duplicate questions come from
# `question_split(...).train`: whole groups of duplicates were set aside for the test.


# %%
def pairs(rows, first="sentence1", second="sentence2"):
    return [{"anchor": row[first], "positive": row[second]} for row in rows]


def load(name, split="train"):
    return data.load(name, split)


MENU = {
    ("questions", "in-batch negatives"): lambda: pairs(
        row for row in everything.question_split(profile).train if row["label"] == 1
    ),
    ("nli", "in-batch negatives"): lambda: entailments,
    ("nli", "classification"): lambda: list(nli),
    ("sections", "triplet"): lambda: list(load("wiki_sections")),
    ("sections", "in-batch negatives"): lambda: pairs(load("wiki_sections"), "anchor", "positive"),
    ("stsb", "regression"): lambda: list(load("stsb")),
}
for of, objective in MENU:
    print(f"{of:9} with {objective}")

# %%
rows = MENU[choice["data"], choice["objective"]]()
print(f"{len(rows):,} training rows; ten of them, drawn by a fixed seed:")
for i in np.random.default_rng(1).choice(len(rows), size=10, replace=False):
    print()
    for part, value in rows[i].items():
        print(textwrap.fill(f"{part:9} {value}", 92, subsequent_indent=" " * 10))

# %% [markdown]
# ### Is the exam in the textbook?
#
# Before anything is trained: how many sentences of each test stand in the training rows? For the
# test that you care about, the answer must be 0, or you will measure memory.

# %%
trained_on = {text for row in rows for text in row.values() if isinstance(text, str)}
asked = {"sts": {row[k] for one in tests.sts.values() for row in one
                 for k in ("sentence1", "sentence2")},
         "sections": {row[k] for row in tests.triplets for k in ("anchor", "positive", "negative")},
         "senteval": {text for task in tests.tasks.values()
                      for text in [*task.first, *(task.second or [])]},
         "questions": {*tests.questions.questions, *tests.questions.queries}
         if tests.questions else set()}  # fmt: skip
for name, texts in asked.items():
    print(
        f"{name:10} {len(texts & trained_on):,} of {len(texts):,} test sentences seen in training"
    )

# %% [markdown]
# ### Exercise 2 · A prediction that can fail (2 points)
#
# The starting point, recorded: what raw BERT MEAN and the others score on everything.

# %%
shown = ("random weights, untrained", "raw BERT MEAN", "mini-sbert")
print(everything.frame({name: means[name] for name in shown}).to_string())

# %% [markdown]
# Choose **one** metric that stands for your purpose, and a range of at most 20 points in which your
# encoder will end up. Say why in a sentence. The check seals your range beside the run: written
# after the training has begun, it is no longer a prediction, and the check will say so.

# %% id="17-prediction" tags=["exercise", "points:2"]
prediction = {"metric": None, "low": None, "high": None, "why": ""}
### BEGIN SOLUTION
prediction = {  # written before the first run of this notebook; it missed, and it stays
    "metric": "questions",
    "low": 32,
    "high": 50,
    "why": "the raw encoder has 25; training on duplicates should help, but there are few of them",
}
### END SOLUTION

# %% id="17-prediction-check" tags=["test", "points:2"]
run_dir = Path(workshop.name, "-".join(str(value) for value in choice.values()))
checks.prediction(prediction, run_dir=run_dir, metrics=everything.SUMMARY)

# %% [markdown]
# ### Train
#
# One loop for all objectives, as since notebook 04; batches of mixed length, as in the recorded
# runs.

# %% tags=["nbval-ignore-output"]
mine = SentenceEncoder.load(
    choice["backbone"], pooling=choice["pooling"], max_length=profile.max_length
)
my_config = replace(profile.train, epochs=10, max_steps=choice["steps"], seed=choice["seed"],
                    learning_rate=4e-4, bucket_batches=0)  # fmt: skip
task = Siamese(mine, choice["objective"], seed=choice["seed"])
my_history = train(task, rows, my_config, run_dir=run_dir)
print(f"{my_history.rows_seen[-1]:,} rows seen; loss {my_history.losses[0]:.2f} -> "
      f"{my_history.losses[-1]:.2f}")  # fmt: skip

# %% [markdown]
# ### Everything
#
# Not only your metric: what did the training give, and **what did it cost elsewhere**?

# %% tags=["nbval-ignore-output"]
my_scores = everything.score(mine.encode, tests)
others = {name: {k: recorded.mean(name, k) for k in recorded.columns}
          for name in ("random weights, untrained", "raw BERT MEAN", "mini-sbert")}  # fmt: skip
others = {f"{name} (recorded)": scores for name, scores in others.items()}
print(everything.frame({"my encoder": my_scores, **others}).T.to_string())
said = prediction if prediction["metric"] in my_scores else None
you_said(said and f"{said['metric']} {said['low']} to {said['high']}",
         f"{said['metric'] if said else 'questions'} "
         f"{my_scores[said['metric'] if said else 'questions']:.1f}")  # fmt: skip
for name in everything.SUMMARY:
    gap = my_scores[name] - others["raw BERT MEAN (recorded)"][name]
    print(f"{name:10} {gap:+5.1f} points against raw BERT MEAN")

# %% [markdown]
# One seed, so do not read much into a point or two: the recorded seeds above show how far they lie
# apart. For the project sheet you train at least three.

# %% [markdown]
# ## 4 · Where it fails
#
# A mean over tests hides *how* an encoder errs. Encoders of this family look at the words, and
# three kinds of change reverse the meaning with hardly a word changed: a **negation**, a
# **number**, a **role swap** ("the dog chased the cat", "the cat chased the dog").
#
# When does a pair count as "looks alike"? Let the encoder say it: the line is its median cosine for
# STSb dev pairs that people gave at least 4 of 5.

# %% tags=["nbval-ignore-output"]
alike = [row for row in data.load("stsb", "dev") if row["score"] >= 0.8]


def cosine_of(encoder, first, second):
    u, v = encoder.encode([first, second], normalize=True)
    return float(u @ v)


left, right = (mine.encode([row[k] for row in alike], normalize=True)
               for k in ("sentence1", "sentence2"))  # fmt: skip
line = float(np.median((left * right).sum(axis=1)))
print(f"the line: {line:.2f} ({len(alike)} pairs)")
print(f"a role swap: {cosine_of(mine, 'The dog chased the cat.', 'The cat chased the dog.'):.2f}")

# %% [markdown]
# ### Exercise 3 · Five pairs that fool it (3 points)
#
# Write five pairs whose meanings **differ** and whose cosine is on or above the line anyway.
# Each row: kind ("negation", "number" or "role swap"), first, second, and the cosine that *your*
# encoder gives them. All three kinds must occur. A role swap has exactly the same words in another
# order.

# %% id="17-fool" tags=["exercise", "points:3"]
fooled = None  # a list of five (kind, first, second, cosine)
### BEGIN SOLUTION
five = [
    (
        "negation",
        "The museum is open on Mondays in winter.",
        "The museum is not open on Mondays in winter.",
    ),
    (
        "negation",
        "She has always liked the sound of the old organ.",
        "She has never liked the sound of the old organ.",
    ),
    (
        "number",
        "The ferry carries 30 people across the lake every morning.",
        "The ferry carries 900 people across the lake every morning.",
    ),
    (
        "role swap",
        "The teacher thanked the student for the book.",
        "The student thanked the teacher for the book.",
    ),
    (
        "role swap",
        "The small firm bought the large firm last year.",
        "The large firm bought the small firm last year.",
    ),
]
fooled = [(kind, a, b, cosine_of(mine, a, b)) for kind, a, b in five]
### END SOLUTION

# %% id="17-fool-check" tags=["test", "points:3"]
checks.five_pairs(
    fooled,
    encode=mine.encode,
    line=line,
    others={name: SentenceEncoder.load(name).encode for name in ("mini-bert", "mini-sbert")},
)

# %% [markdown]
# What do they have in common? The two sentences of a role swap consist of the same words, and a
# mean barely notices order. That is not your mistake: it is what the pooling, the data and the
# objective reward. Training pairs in which such a change *matters* are the known remedy.

# %% [markdown]
# ## 5 · Hand it over
#
# An encoder that only you can open helps nobody, and one that nobody can judge is worse. A **model
# card** says on what it was trained and how much of it, with which settings, what it scores beside
# which floor, what was predicted, and what it must not be used for. Write limits that are true of
# *this* encoder.

# %%
limits = [
    "English only; at most 128 tokens are read.",
    "Trained on short, clean sentences that were written for a course: no typing errors, no slang.",
    "Word order, negation and numbers hardly move its vectors: not for telling such pairs apart.",
]  # yours

# %% tags=["nbval-ignore-output"]
names = {"questions": "quora", "sections": "wiki_sections", "nli": profile.nli}
corpus = names.get(choice["data"], choice["data"])
seen = my_history.rows_seen[-1]
used = f"{len(rows):,} of them fit the objective, {min(seen, len(rows)):,} were used"
# Either the steps or the epochs ended the run: the other number would be false on the card.
idle = "epochs" if my_history.steps[-1] == my_config.max_steps else "max_steps"
promise = said and model_card.Prediction(
    metric=said["metric"], low=said["low"], high=said["high"],
    written="sealed before the first step",
)  # fmt: skip
card = model_card.ModelCard(
    name="my encoder", start=choice["backbone"], objective=choice["objective"],
    data={corpus: f"{data.coverage(corpus, 'train')}; {used}"}, pairs_seen=seen,
    settings={name: value for name, value in asdict(my_config).items() if name != idle},
    scores={"my encoder": my_scores, **others}, tests=tests.about,
    prediction=promise, profile=profile.name, limits=[f"Made for {purpose}.", *limits],
    licence="Weights: yours to choose. Data of profile mini: see data/mini.",
)  # fmt: skip
folder = mine.save(Path(workshop.name, "my-encoder"))
path = model_card.write_card(folder, card)
display(Markdown(path.read_text(encoding="utf-8").split("---\n", 2)[2].replace("\n#", "\n###")))

# %% [markdown]
# What lies in the folder? Weights, tokenizer, the pooling in `1_Pooling`, and `modules.json`,
# which says in which order they are used. Nothing in it is ours alone: no class of this course,
# no pickle.

# %%
for file in sorted(folder.rglob("*")):
    if file.is_file():
        print(file.relative_to(folder).as_posix())

# %% [markdown]
# The other library, without its warnings and progress bars (loading it takes a few seconds):

# %%
from transformers.utils import logging as transformers_logging

transformers_logging.disable_progress_bar()
with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    from sentence_transformers import SentenceTransformer

# %% [markdown]
# ### Exercise 4 · The same vectors elsewhere (2 points)
#
# Write the test that belongs to every export: save the encoder into `folder`, open the folder in
# **sentence-transformers** (`SentenceTransformer(str(folder), device="cpu")`, it has an `encode`,
# too), encode the sentences with both, and give the largest absolute difference. The check's
# encoder comes straight from training and pools by MAX: `save` and `encode` take care of both,
# shortcuts do not.


# %% id="17-export" tags=["exercise", "points:2"]
def largest_difference(encoder, folder, sentences):
    """Save, open in sentence-transformers, compare: one number."""
    ### BEGIN SOLUTION
    encoder.save(folder)
    other = SentenceTransformer(str(folder), device="cpu")
    return np.abs(encoder.encode(sentences) - other.encode(sentences)).max()
    ### END SOLUTION


# %% id="17-export-check" tags=["test", "points:2"]
checks.largest_difference(largest_difference)

# %% [markdown]
# And yours: the folder that you just saved, in the other library.

# %%
sentences = ["How do I learn to swim?", "What is the way to learn swimming?", purpose]
theirs = SentenceTransformer(str(folder), device="cpu").encode(sentences)
np.testing.assert_allclose(mine.encode(sentences), theirs, atol=1e-5)
print("same vectors in sentence-transformers:", theirs.shape)

# %% [markdown]
# **Publishing it** (optional, not run here). With an account on the hub: `hf auth login` once, then
# `hf upload your-name/my-encoder path/to/my-encoder` in a terminal. The card becomes the page.
# Before you do: may the *data* be used that way? Is there anything in it about people? And keep the
# folder: the one above is deleted when this kernel ends. `mine.save("runs/my-encoder")` keeps it.

# %% [markdown]
# ## 6 · The ledger
#
# Every claim of the paper is measured in this course by a rule fixed before the run. Here are all
# of them, as recorded. *mini* are our small encoders on our own corpora, *real* small encoders
# of ours on real corpora as far as we had them, *paper* is what was claimed, with
# BERT-base and almost a million pairs. Three kinds are counted apart: a **finding** could have come
# out either way; a **timing** depends on the machine; and a few claims are arithmetic or true by
# construction, so that they hold everywhere. Look at the findings.

# %%
entries = recorded_entries()
print(textwrap.fill(summary(entries), 92))

# %% tags=["nbval-ignore-output"]
plots.show(
    figures.ledger([entry for group in by_group(entries).values() for entry in group]),
    caption="The paper's claims: findings, then timings, then what is true by construction. Read a column downwards: where mini and real "
    "disagree, trust real; where both disagree with the paper, think of size first. Shape and "
    "colour say the same.",
    alt="A strip of 26 claims by three lines, mini, real and paper, with a symbol for each "
    "verdict.",
)

# %% [markdown]
# Where do the two kinds of corpora give different verdicts? Choose a claim that surprises you, and
# go back to its notebook. (The README lists all claims.)

# %% tags=["nbval-ignore-output"]
open_ones = {"not recorded", "not measurable here"}
findings = by_group(entries)["finding"]
both = [entry for entry in findings if not open_ones & {entry["mini"], entry["real"]}]
differ = [entry for entry in both if entry["mini"] != entry["real"]]
print(f"{len(both)} findings have two verdicts; {len(differ)} of these disagree")
columns = ["id", "mini", "real", "notebook", "claim"]
with pd.option_context("display.max_colwidth", None):
    display(pd.DataFrame(differ, columns=columns).set_index("id").map(short))

# %% [markdown]
# "Does not hold at this scale" is not "the paper is wrong". A small encoder, few sentence pairs and
# tests of a few hundred are another world than BERT-base. But the reverse is true as well: a claim
# that fails here **depends on something**, be it size, data or settings, that the paper does not
# name.

# %% [markdown]
# ### Explain your number (3 points, read by a person)
#
# Take your metric: the range that you sealed, what was measured, the raw encoder's value, and one
# *other* score that went up or down. Say in five or six sentences: did the prediction hold, and
# what was right or wrong in its reason? What did the training cost elsewhere, or why did it cost
# nothing? Which single further run would teach you most, and what do you expect of it?

# %% [markdown] id="17-explain" tags=["manual", "points:3"]
# ### BEGIN SOLUTION
# Rubric, one point each: (1) compares range and outcome honestly and comes back to the *reason*,
# not only to hit or miss; (2) names a second score with its change, and weighs it against the
# seeds' spread before calling it a gain or a loss; (3) proposes one run that changes one thing
# (data, objective, seeds, twins), with an expected range.
# ### END SOLUTION

# %% [markdown]
# ## Recap
#
# In-batch negatives turn every batch into an exam in which each anchor must find its own positive;
# they need pairs only, a scale, and an eye on twins. A training becomes knowledge when metric and
# range were written first, when floors and the starting point stand beside it, and when everything
# is measured and not just the gain. An encoder is finished when a stranger can open it, get the
# same vectors, and read what it is not for.
#
# ## Questions
#
# <details><summary>1. Why is the loss of a random encoder about log(B), and what follows for
# comparing two losses?</summary>
#
# Guessing gives each of B columns a share of 1/B. So a larger batch has a larger loss for the same
# encoder: losses of different batch sizes cannot be compared.
# </details>
#
# <details><summary>2. Gradient accumulation makes a batch of 128 out of four of 32. Does it help
# in-batch negatives?</summary>
#
# Not as 128 would: each of the four only sees its own 31 negatives. The gradient is less noisy,
# the exam is as easy as before.
# </details>
#
# <details><summary>3. Your batches are sorted so that each holds pairs of one topic. Better or
# worse?</summary>
#
# Harder negatives, so more to learn from each; and more false negatives, because pairs of one
# topic are more often right for each other. Whether it pays is measured, not known.
# </details>
#
# <details><summary>4. Someone shows a gain of 3 points on the test set that was used to choose
# the number of steps. What do you ask for?</summary>
#
# A test that no choice has seen, several seeds, and the starting point's score on it.
# </details>
#
# <details><summary>5. Your encoder finds duplicates better and ranks STS pairs worse. Is it
# better?</summary>
#
# For what? That is why the purpose comes first: the card should say both.
# </details>

# %% [markdown]
# ## Goodbye
#
# You began with a cost: all pairs of 10,000 sentences, 65 hours. On the way you pooled tokens, put
# one network to use twice, derived three objectives and a fourth, and rebuilt seven tables. Some of
# what the paper says, you saw with your own eyes; some of it you could not see from here, and now
# you know how to tell the two apart. That habit outlasts any model.
#
# **Where to go on**
#
# - **Larger:** `SBERT_LAB_PROFILE=paper` runs the same cells with BERT-base on a GPU.
# - **Newer:** read about hard negatives, multilingual encoders by distillation, and embeddings
#   that can be cut short (Matryoshka); each changes one part that you have built: the data, the
#   teacher, the loss.
# - **Further in:** pick a claim from the ledger that is open, and design the run that would
#   decide it.
# - **Outward:** the [project sheet](PROJECT_SHEET.md), with data that *you* care about.
#
# Write one more sentence, here or on paper: *what would you now ask of anyone who shows you a
# table?* Thank you for reading to the end.
