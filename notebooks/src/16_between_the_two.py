# %% [markdown]
# # 16 · Is there something between fast and careful?
#
# After this notebook you will be able to
#
# - count what a query costs with a bi-encoder, a cross-encoder, re-ranking and a poly-encoder;
# - say what re-ranking can win, what it can never win, and when it does harm;
# - build a poly-encoder's attention by hand, and explain why it is not made for clustering.
#
# About MINUTES minutes, 40 seconds of it computing · profile mini · paper: section 2, claim C25

# %% [markdown]
# A **bi-encoder** reads each sentence once and compares vectors. A **cross-encoder** reads every
# *pair*, can look from one sentence into the other, and needs a pass for each. Between fast and
# careful there are *retrieve and re-rank*, and the *poly-encoder*. At the end all of them stand in
# one picture of quality against cost.

# %% tags=["setup"]
setup("16_between_the_two", study_minutes=MINUTES, computing_seconds=40)

import itertools
import math
import time

import numpy as np
import torch

from sbert_lab import data
from sbert_lab.course import nb16 as checks
from sbert_lab.course import nb16 as figures
from sbert_lab.course import plots, widgets
from sbert_lab.encoder import SentenceEncoder
from sbert_lab.experiments import paper
from sbert_lab.experiments.evaluation.retrieval import (
    found_within,
    reciprocal_ranks,
    rerank,
    split_questions,
)
from sbert_lab.experiments.results import has_study, open_study
from sbert_lab.experiments.zoo import random_encoder
from sbert_lab.profiles import TrainConfig, get_profile
from sbert_lab.search import VectorIndex, retrieve_and_rerank
from sbert_lab.tasks import CrossEncoder, PolyEncoder, Siamese
from sbert_lab.training import train
from sbert_lab.words import split_words

profile = get_profile()

# %% [markdown]
# ## 1 · The task: find the twin
#
# A forum gets a new question. Has somebody asked it before, in other words? Our material is pairs
# of questions, labelled as duplicates (1) or not (0). Ten of them, drawn by a fixed seed:

# %%
pairs = data.load("quora", "train")
print(data.coverage("quora", "train"))
for row in pairs.shuffle(seed=16).select(range(10)):
    print(f"{row['label']}  {row['sentence1']}\n   {row['sentence2']}")

# %% [markdown]
# Many pairs labelled 0 look alike but ask for different things. Duplicates of duplicates form **groups**, and
# whole groups go to one side of the split, or the test would ask for questions that were trained on.

# %%
split = split_questions(list(pairs))
test = split.test
trained = {row[side] for row in split.train for side in ("sentence1", "sentence2")}
print(f"{len(split.train):,} training pairs, {len(test.queries)} queries", end=", ")
print(f"{len(test.questions):,} questions to search")
print("test questions seen in training:", len(trained & {*test.questions, *test.queries}))
sizes = np.bincount([len(rows) for rows in test.relevant])
print("duplicates per query:", {count: int(n) for count, n in enumerate(sizes) if n})

# %% [markdown]
# The score is the **mean reciprocal rank**: 1 if the first duplicate stands on rank 1, 1/2 on
# rank 2, 1/10 on rank 10; the mean over all queries, here times 100. Ties count against the query.
#
# **Predict.** A system with *random* scores: which mean reciprocal rank (0 to 100) will it have?

# %%
guess_random = None  # your guess, in points


# %%
def expected_by_chance(questions, duplicates):
    """The mean of 1 / rank of the first of some duplicates in a random order, exactly."""
    orders = math.comb(questions, duplicates)
    first = range(1, questions - duplicates + 2)
    return sum(math.comb(questions - rank, duplicates - 1) / orders / rank for rank in first)


counts = [len(rows) for rows in test.relevant]
chance = 100 * np.mean([expected_by_chance(len(test.questions), count) for count in counts])
you_said(guess_random, round(float(chance), 1), unit="points")

# %% [markdown]
# That is the floor.

# %% [markdown]
# ## 2 · A second stage, and what it can win
#
# **Retrieve and re-rank**: the bi-encoder finds k candidates, a cross-encoder reads those and puts
# them in order.
#
# **Predict.** The first stage has the duplicate among its first 20 in 80 of 100 cases. After a
# *perfect* re-ranking of these 20, in how many of 100 is it among the first 20?

# %%
guess_recall = None  # your guess

# %%
print("no guess" if guess_recall is None else f"you said {guess_recall}", end=" / ")
print("80 of 100: reordering cannot add")

# %% [markdown]
# The best judge in the world cannot bring in a twenty-first candidate: the first stage sets a
# **ceiling**. **Re-ranking never changes recall@k**, the share of queries with a duplicate among the
# first k; it changes the order *within* them.

# %% [markdown]
# ### Exercise 1 · The ceiling (2 points)
#
# `ranks` (an array) says on which rank a first stage has the duplicate of each query. A perfect
# second stage re-ranks the first k; what lies below keeps its rank. Give back two numbers from 0
# to 1: recall@k and the mean reciprocal rank, both **after** the re-ranking.

# %%
print("for example: ranks", np.array(checks.RANKS), "and k = 5")


# %% id="16-ceiling" tags=["exercise", "points:2"]
def ceiling(ranks, k):
    """(N,), k -> (recall@k, mean reciprocal rank) after a perfect re-ranking of the first k."""
    ### BEGIN SOLUTION
    seen = ranks <= k
    return seen.mean(), np.where(seen, 1, 1 / ranks).mean()
    ### END SOLUTION


# %% id="16-ceiling-check" tags=["test", "points:2"]
checks.ceiling(ceiling)

# %% [markdown]
# ### How much of it does a good judge win?
#
# [Notebook 09](09_supervised_sts.ipynb) has a cross-encoder that works: from all-MiniLM-L6-v2,
# trained on the scored pairs of STSb, the similarity benchmark. (MiniLM itself was tuned by others
# on pairs that include Quora's, so take the *height* of what follows with care.) Recorded: it
# re-ranks what our bi-encoder finds among real questions, beside the small cross-encoder of this
# course.
#
# **Predict.** It reads the first 20 of the bi-encoder, whose own score is printed here. What will the
# mean reciprocal rank be after that?

# %%
judge, small = open_study("better_judge", "real"), open_study("between_the_two", "real")
ranks = {row: judge.predictions(row, "reciprocal rank")[0] for row in judge.rows}
print(f"the bi-encoder alone: {100 * ranks['bi-encoder'].mean():.1f}")
guess_judge = None  # your guess, in points

# %%
RAW = "raw BERT MEAN"


def bootstrap(values, samples=1000):
    """Means (points) over queries drawn again and again; the same draws for every system."""
    values = np.asarray(values, dtype=np.float64)
    picks = np.random.default_rng(16).integers(len(values), size=(samples, len(values)))
    return 100 * values[picks].mean(axis=1)


for stage in (RAW, "bi-encoder"):
    steps = [f"{k}: {100 * ranks[f'{stage}, re-rank {k}'].mean():.1f}" for k in (5, 20, 50)]
    print(f"{stage:13} alone {100 * ranks[stage].mean():.1f}; re-ranked, k = {', '.join(steps)}")
you_said(guess_judge, round(100 * ranks["bi-encoder, re-rank 20"].mean(), 1), unit="points")
came_from(judge, small)

# %%
few = [5, 20, 50]
alone = ranks["bi-encoder"]
best = [100 * np.where(alone >= 1 / k - 1e-6, 1, alone).mean() for k in few]
judges = {
    "our cross-encoder": [
        100 * small.predictions(f"re-rank {k}", "reciprocal rank")[0].mean() for k in few
    ],
    "the cross-encoder from MiniLM": [100 * ranks[f"bi-encoder, re-rank {k}"].mean() for k in few],
}
plots.show(
    figures.room(few, best, judges, 100 * alone.mean()),
    caption="Recorded, real questions. One first stage, two judges: for a weak judge every further "
    "candidate is a risk, for a good one a chance. The next two sentences say which is which.",
    alt="Mean reciprocal rank against k for a perfect second stage, for our cross-encoder and for the "
    "cross-encoder from MiniLM; a dotted level for the first stage alone.",
)

# %%
shows(
    bootstrap(ranks["bi-encoder, re-rank 20"] - alone),
    more="With the good judge a second stage gains {by:.1f} points at k = 20.",
    less="Even the good judge loses {by:.1f} points at k = 20.",
    same="On so few queries no gain of the good judge is proved.",
)
shows(
    bootstrap(small.predictions("re-rank 20", "reciprocal rank")[0] - alone),
    more="Our small cross-encoder gains {by:.1f}.",
    less="Our small cross-encoder orders **worse** than the vectors: it loses {by:.1f}. A second stage "
    "must be measured before it is trusted.",
    same="Our small cross-encoder makes no clear difference.",
)

# %% [markdown]
# That is retrieve and re-rank: a cheap first stage and a careful second one. What does it cost?

# %% [markdown]
# ## 3 · What does a query cost?
#
# A *pass* is one input through the backbone. The collection can be read **once**, before anybody
# asks. Then a bi-encoder needs one pass for the query, a cross-encoder one for each question.
#
# **Predict.** Two queries, 20 candidates each. How many passes for bi-encoder, retrieve and
# re-rank, cross-encoder?

# %%
print(f"2 queries among {len(test.questions):,} questions, 20 candidates each")
guess_bi, guess_rerank, guess_cross = None, None, None  # your guesses

# %% [markdown]
# We count: a hook on the backbone adds up the rows of every batch, trained or not.

# %%
encoder = SentenceEncoder.load(profile.backbone, max_length=profile.max_length)
untrained = CrossEncoder(encoder, "classification", labels=2).to(encoder.device)
passes = []
hook = encoder.backbone.register_forward_hook(
    lambda module, given, output: passes.append(len(output.last_hidden_state))
)


def count(work):
    """How many inputs the backbone read while `work` ran."""
    passes.clear()
    work()
    return sum(passes)


# %% [markdown]
# The package's `retrieve_and_rerank` takes an index of kept vectors, an `encode` and a `score`:

# %%
index = VectorIndex.build(encoder.encode(test.questions), test.questions, kind="exact")
two = test.queries[:2]


def score_with(cross):
    return lambda some: cross.predict([a for a, _ in some], [b for _, b in some])[:, 1]


def both_stages(queries, cross, bi, where, k=20):
    return retrieve_and_rerank(
        queries, where, encode=bi.encode, score=score_with(cross), candidates=k, k=k
    )


everything = list(itertools.product(two, test.questions))
bi_passes = count(lambda: index.search(encoder.encode(two), k=10))
rerank_passes_seen = count(lambda: both_stages(two, untrained, encoder, index))
cross_passes = count(lambda: score_with(untrained)(everything))
hook.remove()
you_said(guess_bi, bi_passes, unit="passes, bi-encoder")
you_said(guess_rerank, rerank_passes_seen, unit="passes, retrieve and re-rank 20")
you_said(guess_cross, cross_passes, unit="passes, cross-encoder")

# %% [markdown]
# Only the last number grows with the collection. Re-ranking has a **fixed** price.

# %% [markdown]
# ### Exercise 2 · Passes for re-ranking (1 point)
#
# Write the formula for a number of `queries`, a collection of `questions` whose vectors are kept
# already, and `k` candidates for the second stage.


# %% id="16-passes" tags=["exercise", "points:1"]
def rerank_passes(queries, questions, k):
    """How many passes through a backbone, both stages together."""
    ### BEGIN SOLUTION
    return queries * (1 + k)
    ### END SOLUTION


# %% id="16-passes-check" tags=["test", "points:1"]
checks.rerank_passes(rerank_passes)

# %% [markdown]
# ### From passes to products
#
# Cosines cost something, too, and so will the poly-encoder's *meetings* (section 4). So we count
# **multiply-adds**. A pass of T tokens through L layers of width H takes about L (12 T H² + 2 T² H) of
# them; a cosine H; a meeting with M views 2 M H. (MiniLM has 6 layers of width 384.)

# %%
H, L = encoder.dimension, encoder.backbone.config.num_hidden_layers
T = round(np.mean([len(ids) for ids in encoder.tokenize(test.questions)[0]]))


def pass_of(tokens, layers=L, width=H):
    return layers * (12 * tokens * width**2 + 2 * tokens**2 * width)


def cost(system, n):
    """Multiply-adds for one query against n questions whose vectors are kept."""
    number = int("".join(letter for letter in system if letter.isdigit()) or 0)
    if system.startswith("cross"):
        return n * pair_pass
    if system.startswith("poly"):
        return one_pass + 2 * T * number * H + n * (2 * number * H + H)
    reading = pass_of(2 * T, layers=6, width=384) if "MiniLM" in system else pair_pass
    return one_pass + n * H + number * reading  # "re-rank k"; k = 0 is the bi-encoder


one_pass, pair_pass = pass_of(T), pass_of(2 * T)  # a pair: two questions in one input
print(f"{T} tokens a question: one pass takes {one_pass / 1e6:.1f} million multiply-adds,", end=" ")
print(
    f"a pair through MiniLM {pass_of(2 * T, layers=6, width=384) / pair_pass:.0f} times a pair here"
)

# %% [markdown]
# Which way is cheap depends on your collection and on how many candidates you re-rank. Set both:


# %%
collections = [10**power for power in range(2, 7)]


def compare_costs(k, questions):
    ways = ("bi-encoder", "poly-encoder, 16 codes", "cross-encoder")
    curves = {way: [cost(way, n) for n in collections] for way in ways}
    curves[f"re-rank {k}"] = [cost(f"re-rank {min(k, n)}", n) for n in collections]
    return figures.cost_by_size(collections, curves, at=questions)


_ = widgets.explore(
    compare_costs,
    k=widgets.Slide("candidates k", [5, 10, 20, 50, 100, 200, 500, 1000], 100),
    questions=widgets.Slide("questions", collections, 10_000),
    caption="All collections are read once beforehand. Re-ranking is flat until plain cosines cost as "
    "much. 16 codes cost as much as re-ranking 100 from about "
    f"{100 * pair_pass / (2 * 16 * H):,.0f} questions on.",
    alt="Log-log lines of multiply-adds per query against the size of the collection with a dotted "
    "line at the chosen size; the legend says how many times the cheapest way each costs there.",
)

# %% [markdown]
# <a id="q-poly-encoder"></a>
# ## 4 · The poly-encoder
#
# Why must *one* vector serve every comparison to come? The **poly-encoder** (Humeau and others 2020)
# keeps several and lets the other sentence choose:
#
# 1. The first sentence, the *context*, goes through the backbone: one vector per token.
# 2. M **codes**, learned vectors, each take a weighted mean of the tokens (attention): M *views*.
# 3. The second sentence, the *candidate*, becomes one vector, as in SBERT. It can be kept.
# 4. When they **meet**, the candidate takes a weighted mean of the M views (attention again); the
#    cosine of that mean with the candidate is the score.
#
# Step 4 by hand, with M = 2 views in H = 4 dimensions, one about *trains*, one about *money*; the
# candidate is about money.
#
# **Predict.** The plain mean of both views has a cosine of 0.71 with the candidate. And the
# candidate's own choice: "less", "the same" or "more"?

# %%
guess_choice = None  # your guess

# %%
views = torch.tensor([[2.0, 0, 0, 0], [0, 2.0, 0, 0]])  # (M, H)
candidate = torch.tensor([0, 2.0, 0, 0])  # (H,)

fits = [float(view @ candidate) / math.sqrt(4) for view in views]  # divided by the root of H
raised = [math.exp(fit) for fit in fits]
weights = [one / sum(raised) for one in raised]  # softmax over the views: their sum is 1
chosen = weights[0] * views[0] + weights[1] * views[1]
by_hand = float(chosen @ candidate / chosen.norm() / candidate.norm())
print(f"how well each view fits {fits}, weights {weights[0]:.3f} and {weights[1]:.3f}")
print(f"the chosen mean {[round(value, 3) for value in chosen.tolist()]}, cosine {by_hand:.3f}")
mean_view = views.mean(dim=0)
plain = float(mean_view @ candidate / mean_view.norm() / candidate.norm())
you_said(guess_choice, "more" if by_hand > plain else "less or the same")
package = PolyEncoder.meet(views[None], candidate[None])  # (1, M, H), (1, H) -> (1, 1)
torch.testing.assert_close(package, torch.tensor([[by_hand]]))

# %% [markdown]
# ### Exercise 3 · Many candidates (3 points)
#
# Now you: one context with its views (M, H), and C candidates (C, H). Give back the C scores,
# without `PolyEncoder` and without a loop over single numbers. Mind the softmax: *who* competes
# with *whom* for the weight?


# %% id="16-meet" tags=["exercise", "points:3"]
def meet(views, candidates):
    """(M, H), (C, H) -> cosines (C,)."""
    ### BEGIN SOLUTION
    fits = candidates @ views.T / views.shape[1] ** 0.5  # (C, M)
    chosen = fits.softmax(dim=1) @ views  # (C, H): the M views of one row compete
    return torch.cosine_similarity(chosen, candidates, dim=1)
    ### END SOLUTION


# %% id="16-meet-check" tags=["test", "points:3"]
checks.meet(meet)

# %% [markdown]
# The package writes both sums as `einsum`:

# %%
peek(PolyEncoder.meet, folded=True)

# %% [markdown]
# ### Training it: the same loop
#
# Bi- and poly-encoder get duplicates, with the other positives of the batch as negatives ([notebook
# 17](17_your_own_encoder.ipynb)). The cross-encoder needs labels, so it gets duplicates, look-alikes,
# and **strangers**, which nearly all pairs of a collection are.

# %%
duplicates = [row for row in split.train if row["label"] == 1]
lookalikes = [row for row in split.train if row["label"] == 0]
alike = [{"anchor": row["sentence1"], "positive": row["sentence2"]} for row in duplicates[:640]]
strangers = [
    {"sentence1": one["sentence1"], "sentence2": other["sentence2"], "label": 0}
    for one, other in zip(duplicates[:640], duplicates[640:1280], strict=True)
]
labelled = [*duplicates[:480], *lookalikes[:480], *strangers]
share = np.mean([row["label"] for row in labelled])  # of duplicates
print(f"{len(alike)} duplicates for bi- and poly-encoder")
print(f"{len(labelled):,} pairs for the cross-encoder, {100 * share:.0f} % of them duplicates")

# %% [markdown]
# **Predict.** After one short epoch on these few pairs: which of the three will find duplicates
# best, "bi", "poly" or "re-rank"?

# %%
guess_best = None  # your guess

# %% tags=["nbval-ignore-output"]
config = TrainConfig(epochs=1, batch_size=32, learning_rate=2e-4)


def fresh():
    return SentenceEncoder.load(profile.backbone, max_length=profile.max_length)


bi = Siamese(fresh(), "in-batch negatives")
poly = PolyEncoder(fresh(), codes=16)
cross = CrossEncoder(fresh(), "classification", labels=2)
one_of_32, constant = math.log(32), -share * math.log(share) - (1 - share) * math.log(1 - share)
for name, task, rows, guessing in (
    ("bi", bi, alike, one_of_32),
    ("poly", poly, alike, one_of_32),
    ("cross", cross, labelled, constant),
):
    loss = np.mean(train(task, rows, config).losses[-10:])
    print(f"{name}: loss {loss:.2f} in the last 10 steps; guessing has {guessing:.2f}")

# %% [markdown]
# Now every query against every question. The cross-encoder re-ranks the first 20 only; all pairs
# would be 150,000 passes. Beside them: the raw backbone, one with **random weights**, and a line of
# code that counts **shared words**.


# %%
def cosines(encoder):
    queries, questions = (
        torch.nn.functional.normalize(torch.from_numpy(encoder.encode(some)))
        for some in (test.queries, test.questions)
    )
    return (queries @ questions.T).numpy()  # (Q, N)


def second_stage(first, k=20):
    """The cross-encoder's scores where the first stage has its top k, 0 elsewhere: (Q, N)."""
    scores = np.zeros_like(first)
    top = np.argsort(-first, axis=1)[:, :k]
    asked = [(test.queries[q], test.questions[row]) for q, rows in enumerate(top) for row in rows]
    np.put_along_axis(scores, top, score_with(cross)(asked).reshape(top.shape), axis=1)
    return scores


# %% tags=["nbval-ignore-output"]
asked, stored = ([set(split_words(t)) for t in some] for some in (test.queries, test.questions))
shared = np.array([[len(a & b) / len(a | b) for b in stored] for a in asked])  # (Q, N)
from_bi = cosines(bi.encoder)
contexts, candidates = poly.encode_contexts(test.queries), poly.encoder.encode(test.questions)
live = {
    "shared words": shared,
    "random weights, untrained": cosines(random_encoder(profile, seed=1)),
    RAW: cosines(encoder),
    "bi-encoder": from_bi,
    "poly-encoder, 16 codes": poly.score_all(contexts, candidates),
    "re-rank 20": rerank(from_bi, second_stage(from_bi), 20),
}
ranks = {name: reciprocal_ranks(scores, test.relevant) for name, scores in live.items()}
print(f"{'by chance, exactly':33} {chance:5.1f}")
for name, values in ranks.items():
    print(f"{name:33} {100 * values.mean():5.1f}   found first {100 * (values == 1).mean():3.0f} %")
short = {"bi": "bi-encoder", "poly": "poly-encoder, 16 codes", "re-rank": "re-rank 20"}
you_said(guess_best, max(short, key=lambda name: ranks[short[name]].mean()))
before, after = (found_within(live[name], test.relevant, 20).mean() for name in
                 ("bi-encoder", "re-rank 20"))  # fmt: skip
print(f"recall@20: {100 * before:.1f} % before and {100 * after:.1f} % after the second stage")
lines = [(line, list(rows)) for line, rows in zip(shared, test.relevant, strict=True)]
own = np.mean([line[rows].max() for line, rows in lines])
other = np.mean([np.delete(line, rows).max() for line, rows in lines])
print(f"of the words of both a query shares {100 * own:.0f} % with its duplicate,", end=" ")
print(f"{100 * other:.0f} % with the most similar other question")

# %% [markdown]
# These are **seconds** of training and one seed; the recorded runs below trained longer. What does
# not depend on that: recall@20 is the same before and after the second stage.
#
# Your own question now:

# %% tags=["nbval-ignore-output"]
mine = "How do I get my dog to stop barking?"  # change me
index = VectorIndex.build(bi.encoder.encode(test.questions), test.questions, kind="exact")
found = both_stages([mine], cross, bi.encoder, index)[0]
order = np.argsort([-hit.cosine for hit in found])
print(f"{mine}\n\nre-ranked (its rank in the first stage in brackets)")
for place, hit in enumerate(found[:5], start=1):
    print(f"  {place}  [{int(np.flatnonzero(order == place - 1)[0]) + 1:2}]  {hit.sentence}")
scores = poly.score_all(poly.encode_contexts([mine]), candidates)[0]
print("\nthe poly-encoder")
for place, row in enumerate(np.argsort(-scores)[:5], start=1):
    print(f"  {place}        {test.questions[row]}")

# %% [markdown]
# ### Who is the context?
#
# One sentence became M views, the other one vector. For a search that is natural: the query is the
# context. But for two sentences side by side?
#
# **Predict.** Twelve questions, 66 pairs. For how many pairs does the score change when the two
# swap places: with the bi-encoder, and with the poly-encoder?

# %%
guess_swap_bi, guess_swap_poly = None, None  # your guesses

# %%
some = test.questions[:12]
twelve = list(itertools.combinations(some, 2))
left, right = [a for a, _ in twelve], [b for _, b in twelve]
vectors = {text: torch.from_numpy(bi.encoder.encode([text])[0]) for text in some}


def bi_scores(first, second):
    both = zip(first, second, strict=True)
    return np.array([float(torch.cosine_similarity(vectors[a], vectors[b], 0)) for a, b in both])


def swapped(score):
    """How many of the pairs have another score when their sentences change places."""
    return int((np.abs(score(left, right) - score(right, left)) > 1e-6).sum())


changed = {"bi": swapped(bi_scores), "poly": swapped(poly.score)}
you_said(guess_swap_bi, changed["bi"], unit="of 66, bi-encoder")
you_said(guess_swap_poly, changed["poly"], unit="of 66, poly-encoder")

# %% [markdown]
# So *all pairs* of n sentences means **both orders** of each pair. How many meetings is that?


# %%
def meetings_of(sentences):
    """How many scores it takes to meet every other sentence, in both orders."""
    views = torch.from_numpy(poly.encode_contexts(sentences))  # one pass a sentence: (n, M, H)
    vectors = torch.from_numpy(poly.encoder.encode(sentences))  # and one more: (n, H)
    rest = [[j for j in range(len(vectors)) if j != i] for i in range(len(vectors))]
    return sum(
        PolyEncoder.meet(view[None], vectors[others]).numel()
        for view, others in zip(views, rest, strict=True)
    )


counted = {n: meetings_of(test.questions[:n]) for n in (12, 24, 48)}
for n, meetings in counted.items():
    print(f"n = {n}: {2 * n} passes, {meetings:,} meetings; n(n-1) = {n * (n - 1):,}")

# %% [markdown]
# Two passes for each sentence, but for twice the sentences four times the meetings: **cheaper than a
# cross-encoder, and still quadratic**. The paper's claim C25 (a sentence of it with a rule fixed
# beforehand) looks at the swap and the count:

# %%
asymmetric = changed["poly"] > 0 and changed["bi"] == 0
quadratic = all(meetings == n * (n - 1) for n, meetings in counted.items())
verdict = paper.claim("C25", holds=asymmetric and quadratic)

# %% [markdown]
# **Why not use it for clustering?** Clustering needs *one* distance between a and b, and gets two.
# And there is no one vector per sentence: no mean of a cluster, no index as in notebook 15.

# %% [markdown]
# ## 5 · Quality against cost
#
# The clock first, as a check on the count: ten queries in turn (three for the cross-encoder).
# Products are not all of it (Python, tokenizing, memory), so do not expect the same ratios.

# %% tags=["nbval-ignore-output"]
jobs = {
    "bi-encoder": lambda query: index.search(bi.encoder.encode([query]), k=10),
    "poly-encoder, 16 codes": lambda q: poly.score_all(poly.encode_contexts([q]), candidates),
    "re-rank 20": lambda query: both_stages([query], cross, bi.encoder, index),
    "cross-encoder": lambda query: score_with(cross)([(query, text) for text in test.questions]),
}
spent = {name: [] for name in jobs}
for number, query in enumerate(test.queries[:11]):
    for name, job in jobs.items():
        if name == "cross-encoder" and number > 3:
            continue
        began = time.perf_counter()
        job(query)
        spent[name].append(1000 * (time.perf_counter() - began))
for name, (_, *values) in spent.items():  # the first one warms up
    products = cost(name, len(test.questions)) / 1e6
    print(f"{name:24} {np.median(values):8.1f} ms per query, {products:10,.1f} million products")

# %% [markdown]
# For quality the training above is too short. The recorded runs trained all systems for three
# epochs on the same split and scored every query against every question. Real questions come first,
# with the good judge of section 2: trust them more than mini.

# %%
runs = {}
for name in ("real", "mini"):
    if has_study("between_the_two", name):
        study = open_study("between_the_two", name)
        ranks = {row: study.predictions(row, "reciprocal rank")[0] for row in study.rows}
        runs[name] = study.about, ranks
        came_from(study)
for k in few:
    of_judge = judge.predictions(f"bi-encoder, re-rank {k}", "reciprocal rank")[0]
    runs["real"][1][f"MiniLM re-rank {k}"] = of_judge  # the same queries and questions
for name, (about, _) in runs.items():
    print(f"{name}: {about['queries']} queries, {about['questions']:,} questions;", end=" ")
    print(f"{about['training pairs']:,} training pairs")


# %%
points = {}  # profile -> system -> (cost, low, mean, high)
for name, (about, quality) in runs.items():
    rows = {}
    for system in sorted(quality, key=lambda one: (cost(one, about["questions"]), one != RAW)):
        low, high = np.quantile(bootstrap(quality[system]), [0.025, 0.975])
        mean = 100 * quality[system].mean()
        rows[system] = cost(system, about["questions"]), low, mean, high
    points[name] = rows

# %%
print(f"by chance (live collection) {chance:20.1f}")
for name, (_, quality) in runs.items():
    print(f"\n{name:24} passes' worth  mean reciprocal rank   found first")
    for system, (price, low, mean, high) in points[name].items():
        first = 100 * (quality[system] == 1).mean()
        line = f"{price / one_pass:13,.1f}  {mean:5.1f} ({low:.1f} to {high:.1f})"
        print(f"{system:24} {line:38} {first:5.1f} %")

# %% [markdown]
# **Why do raw vectors do so much better on real questions than in mini?** They do about what counting
# *shared words* does (section 4), and our collection was written so that other questions share more
# words with a query than its duplicate does. Nobody wrote the real questions to that end: there a
# duplicate is more often the one that looks alike, too. (That is a likely reason; the count of
# shared words was not recorded for the real questions.)
#
# Intervals overlap easily; paired differences over the *same* queries say more:

# %%
contests = [
    ("bi-encoder", RAW),
    ("poly-encoder, 16 codes", "bi-encoder"),
    ("poly-encoder, 64 codes", "poly-encoder, 4 codes"),
    ("re-rank 20", "bi-encoder"),
    ("MiniLM re-rank 20", "bi-encoder"),
    ("cross-encoder", "bi-encoder"),
]
for name, (_, quality) in runs.items():
    print(name)
    for one, other in (both for both in contests if both[0] in quality):
        low, high = np.quantile(bootstrap(quality[one] - quality[other]), [0.025, 0.975])
        word = "above" if low > 0 else "below" if high < 0 else "no clear difference to"
        print(f"  {one}: {word} {other} ({low:+.1f} to {high:+.1f} points)")

# %% [markdown]
# ### Exercise 4 · Who is on the front? (2 points)
#
# Which of these systems would anybody buy? A system is **beaten** if another costs no more and is
# no worse, and is cheaper or better (or both). The systems that nobody beats are the **Pareto
# front**, after the economist Vilfredo Pareto. Two that are equal in both do not beat each other.


# %% id="16-front" tags=["exercise", "points:2"]
def on_front(costs, qualities):
    """(N,), (N,) -> N times True or False: is the system on the Pareto front?"""
    ### BEGIN SOLUTION
    front = []
    for cost, quality in zip(costs, qualities, strict=True):
        rivals = (costs <= cost) & (qualities >= quality)
        front.append(not (rivals & ((costs < cost) | (qualities > quality))).any())
    return front
    ### END SOLUTION


# %% id="16-front-check" tags=["test", "points:2"]
checks.on_front(on_front)

# %% [markdown]
# All of it in one picture. The dashed line is the front. Whatever lies clearly below it is a bad buy;
# where bars overlap, nobody can tell yet.

# %%
titles = {name: f"{name}, recorded: {runs[name][0]['questions']:,} questions" for name in runs}
plots.show(
    figures.quality_and_cost({titles[name]: points[name] for name in runs}, unit=one_pass),
    caption="Quality against cost per query, with 95 % intervals over the queries. Small numbers: "
    "codes (squares) and candidates k (triangles). The lines below name the front.",
    alt="Mean reciprocal rank against multiply-adds per query on a log axis: raw and bi-encoder at "
    "the left, poly-encoders close beside them, re-ranking by two judges in the middle, the "
    "cross-encoder far right, and the front as a dashed line of steps.",
)
for name, rows in points.items():
    chosen = figures.front_of([row[0] for row in rows.values()], [row[2] for row in rows.values()])
    print(f"{name}, on the Pareto front: {'; '.join(list(rows)[one] for one in chosen)}")

# %% [markdown]
# **Is it always like that?** Humeau and others, with a full-size BERT and far more pairs,
# found the cross-encoder to be the best judge, the poly-encoder next, the bi-encoder last. A small
# cross-encoder may be weak (a guess) because it has to *learn* to look from one question to the
# other, with one label a pass, while the bi-encoder starts from vectors that already carry meaning.

# %% [markdown]
# ### Explain your number (3 points, read by a person)
#
# A forum has 1,000 questions today and expects 1,000,000. Choose a system for today and one for
# then. In five sentences: which, at what quality and cost (give numbers), what could make you
# change your mind, and what you would measure first.

# %% [markdown] id="16-explain" tags=["manual", "points:3"]
# ### BEGIN SOLUTION
# Rubric, one point each: (1) names a system on the front (or defends one within the intervals)
# with its mean reciprocal rank and its cost; (2) sees that cost at a million questions is another
# order: the cross-encoder is out, poly-encoder meetings grow with n, re-ranking stays 1 + k
# passes, an index helps only where there is one vector per question; (3) uses the intervals, or
# the ceiling recall@k, to say what is uncertain, and proposes a measurement on their own
# questions before paying for a second stage.
# ### END SOLUTION

# %% [markdown]
# ## Recap
#
# Re-ranking costs 1 + k passes however large the collection is, and can only reorder what the first
# stage found: a good judge gains, a weak one harms. A poly-encoder lets one sentence choose among M
# views of the other: one pass and n meetings per query, and a score that depends on who is the
# context. Draw the front, with intervals, on your own data.
#
# ## Questions
#
# <details><summary>1. A colleague re-ranks 100 instead of 20 candidates and is proud of a better
# recall@100. What happened?</summary>
#
# Nothing that re-ranking did: recall@100 belongs to the first stage. With k = 20 it was the same.
# </details>
#
# <details><summary>2. What is a poly-encoder with a single code?</summary>
#
# One view, so the candidate has nothing to choose. A bi-encoder, then, whose first sentence is pooled
# by a learned attention: not even this one is symmetric.
# </details>
#
# <details><summary>3. Which side should be the context when users ask a stored
# collection?</summary>
#
# The query. The other way round M vectors of each question must be kept: M times the memory.
# </details>
#
# **Next:** [17_your_own_encoder](17_your_own_encoder.ipynb). In-batch negatives, which trained
# two of the systems here, and then an encoder of your own.
