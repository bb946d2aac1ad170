# %% [markdown]
# # 03 · Are raw BERT vectors any good?
#
# After this notebook you will be able to
#
# - compare two vectors by cosine, Euclidean and Manhattan distance, and two rankings by Spearman;
# - score any sentence encoder on STSb, and know the lines to compare it with;
# - measure and see *anisotropy*: why all raw BERT sentences look alike.
#
# About MINUTES minutes, 20 s of it computing · profile mini · paper: sections 4 and 4.1, a first look at
# claim C05

# %% tags=["setup"]
setup("03_raw_embeddings", study_minutes=MINUTES, computing_seconds=20)

from textwrap import shorten

import numpy as np
import torch
from transformers import AutoModel

from sbert_lab import data, similarity
from sbert_lab.course import nb03 as checks
from sbert_lab.course import nb03 as figures
from sbert_lab.course import plots
from sbert_lab.encoder import SentenceEncoder
from sbert_lab.experiments import paper
from sbert_lab.experiments.evaluation import sts
from sbert_lab.word_vectors import WordVectors

# %% [markdown]
# ## The data: pairs with a score
#
# The STS benchmark (STSb) asks: how similar in meaning are two sentences, from 0 (nothing in
# common) to 5 (the same)? The real one has 5,749 / 1,500 / 1,379 pairs for training, development
# and test, rated by people. Ours is smaller; we wrote and scored it by the same rules. Ten pairs
# drawn by a fixed seed, not picked:

# %%
rows = data.load("stsb", "test")
print(data.coverage("stsb", "test"))
for row in rows.shuffle(seed=3).select(range(10)):
    print(f"{5 * row['score']:.1f}  {shorten(row['sentence1'], 92)}")
    print(f"     {shorten(row['sentence2'], 92)}")

# %% [markdown]
# `data.load` divides the scores by five, so they lie between 0 and 1. Now a pair of your own, one
# that you find *fairly* similar. It will come back at the end.

# %%
my_pair = ("The train was late again.", "Once more we had to wait for the train.")  # change me

# %% [markdown]
# ## 1 · How close are two vectors?
#
# Three answers, and the paper tries them all. With *u* = (4, 1) and *v* = (2, 3):
#
# - **cosine**: the angle. Dot product (multiply dimension by dimension, then add) over the product
#   of the two lengths; 1 means same direction.
# - **Euclidean distance**: the straight line. Root of the summed squared differences.
# - **Manhattan distance**: along the streets. Sum of the absolute differences.
#
# **Predict.** We make *v* twice as long. Which of the three numbers stays the same?

# %%
guess_stays = None  # "cosine", "euclid" or "manhattan"


# %%
def three_numbers(u, v):
    cosine = (u * v).sum() / ((u * u).sum().sqrt() * (v * v).sum().sqrt())
    euclid = ((u - v) ** 2).sum().sqrt()
    manhattan = (u - v).abs().sum()
    return cosine, euclid, manhattan


u, v = torch.tensor([4.0, 1.0]), torch.tensor([2.0, 3.0])
for name, other in (("v", v), ("2v", 2 * v)):
    cosine, euclid, manhattan = three_numbers(u, other)
    print(f"u and {name:2}  cosine {cosine:.2f}  Euclid {euclid:.2f}  Manhattan {manhattan:.2f}")
you_said(guess_stays, "cosine")

# %% [markdown]
# The cosine ignores lengths, which is often what we want. The package has the same three, with a
# minus before the distances so that *larger is always more alike*:

# %%
pair = u.unsqueeze(0), v.unsqueeze(0)  # a batch of one pair: (1, 2)
for name, ours, sign in zip(similarity.PAIRWISE, three_numbers(u, v), (1, -1, -1), strict=True):
    torch.testing.assert_close(similarity.pairwise(name, *pair)[0], sign * ours)
    print(f"{name:10} agrees with the package")
plots.show(
    figures.three_distances(u, v),
    caption="Stretch v and its angle with u stays; both distances grow.",
    alt="Arrows u and v from the origin, an arc for the angle between them, a straight line and a "
    "two-step path between their tips.",
)

# %% [markdown]
# ## 2 · How well do two rankings agree?
#
# A cosine of 0.83 and a human 3.5 live on different scales. So the paper asks only for the
# **order**: does the model put the pairs in the order in which people put them? That is Spearman's
# correlation: replace every value by its rank, then correlate the ranks. 1 is the same order, -1
# the opposite, 0 no relation.
#
# **Predict.** Five pairs, two systems. Which one has the higher Spearman?

# %%
gold = [0.0, 1.0, 2.5, 4.0, 5.0]
cramped = [0.91, 0.92, 0.93, 0.94, 0.95]  # everything looks alike
lively = [0.05, 0.50, 0.20, 0.80, 0.99]  # nicely spread
guess_better = None  # "cramped" or "lively"

# %%
for name, predicted in (("cramped", cramped), ("lively", lively)):
    print(f"{name:8} Spearman {sts.spearman(gold, predicted):.2f}")
you_said(guess_better, "cramped")

# %% [markdown]
# Spearman does not care that all values are near 0.9, only that their order is right. Keep this in
# mind for section 4.
#
# One detail decides the last digits: **ties**. People give round scores, so many gold values are
# equal, and equal values share the mean of the ranks that they occupy: `[10, 30, 30]` has the ranks
# 1, 2.5, 2.5.

# %%
gold = np.array(rows["score"])
print(f"{len(gold)} pairs, but only {len(np.unique(gold))} different gold scores")

# %% [markdown]
# ### Exercise 1 · Spearman from ranks (3 points)
#
# Write `spearman` with numpy: ranks first (equal values share their mean rank), then the ordinary
# (Pearson) correlation of the two columns of ranks, for which `np.corrcoef(a, b)[0, 1]` is allowed.
# No scipy.
#
# A hint for ranks with ties: if `smaller` values lie below a value and `equal` ones equal it (itself
# included), its rank is smaller + (equal + 1) / 2. And `x[:, None] > x` compares all with all.


# %% id="03-spearman" tags=["exercise", "points:3"]
def spearman(gold, predicted):
    """Two arrays of n numbers -> one number from -1 to 1."""

    ### BEGIN SOLUTION
    def ranks(values):
        values = np.asarray(values)
        smaller = (values[None, :] < values[:, None]).sum(axis=1)
        equal = (values[None, :] == values[:, None]).sum(axis=1)  # with itself
        return smaller + (equal + 1) / 2

    return np.corrcoef(ranks(gold), ranks(predicted))[0, 1]
    ### END SOLUTION


# %% id="03-spearman-check" tags=["test", "points:3"]
checks.spearman(spearman)

# %% [markdown]
# ## 3 · The contest
#
# Who ranks best, without any training on sentence pairs?
#
# - **Word vectors**, averaged: every word has one fixed vector, whatever its sentence. Ours were
#   made from the very text that mini-bert was pretrained on. Once with all words, once without stop
#   words (*the, is, of, ...*) and punctuation.
# - **mini-bert** as pretrained ("raw BERT"): MEAN, CLS and MAX of notebook 02.
# - Two lines to compare with: mini-bert with **random weights**, and real vectors scored against
#   **shuffled** gold.
#
# **Predict.** Order these five from best to worst: W (words, all), S (words without stop words), M
# (MEAN), C (CLS), X (MAX).

# %%
guess_order = None  # your guess, for example "MXSWC"
guess_random = None  # and the score of the random weights, from -100 to 100

# %%
words = WordVectors.load("word-vectors")
bert = {how: SentenceEncoder.load("mini-bert", pooling=how) for how in ("mean", "cls", "max")}
torch.manual_seed(1)
random_backbone = AutoModel.from_config(bert["mean"].backbone.config)
untrained = SentenceEncoder(random_backbone, bert["mean"].tokenizer).eval()

systems = {
    "averaged word vectors": words.encode,
    "averaged word vectors, no stop words": lambda texts: words.encode(texts, drop_stop_words=True),
    "raw BERT MEAN": bert["mean"].encode,
    "raw BERT CLS": bert["cls"].encode,
    "raw BERT MAX": bert["max"].encode,
    "random weights, untrained": untrained.encode,
}

# %% [markdown]
# Each sentence is encoded once; `left` and `right` say which two rows form pair *i*. The score of a
# system is then three steps: look up, cosine, Spearman (times 100, as in the paper).

# %%
sentences = sorted({*rows["sentence1"], *rows["sentence2"]})
vectors = {name: encode(sentences) for name, encode in systems.items()}  # each (N, H)
place = {sentence: number for number, sentence in enumerate(sentences)}
left = [place[sentence] for sentence in rows["sentence1"]]
right = [place[sentence] for sentence in rows["sentence2"]]


def cosines(matrix, first=left, second=right):
    u, v = (torch.from_numpy(matrix[side]) for side in (first, second))
    return similarity.pairwise_cosine(u, v).numpy()


scores = {name: 100 * sts.spearman(gold, cosines(vectors[name])) for name in systems}
shuffled = np.random.default_rng(1).permutation(gold)
floor = 100 * sts.spearman(shuffled, cosines(vectors["raw BERT MEAN"]))
scores["raw BERT MEAN, shuffled gold"] = floor
print(f"{len(sentences)} different sentences, {len(systems)} systems")

# %% tags=["nbval-ignore-output"]
stsb = paper.table(1).set_index("model")["STSb"]
glove = {"paper": stsb["Avg. GloVe embeddings"], "why": "our own vectors and smaller data"}
beside = {
    "averaged word vectors": glove,
    "averaged word vectors, no stop words": glove,
    "raw BERT MEAN": {
        "paper": stsb["Avg. BERT embeddings"],
        "why": "smaller model and data; paper: second-last layer",
    },
    "raw BERT CLS": {"paper": stsb["BERT CLS-vector"], "why": "smaller model and data"},
}
table = [
    {"what": name, "measured": score, **beside.get(name, {})} for name, score in scores.items()
]
paper.compare(table, data=data.coverage("stsb", "test"))

# %% tags=["nbval-ignore-output"]
letters = dict(zip("WSMCX", systems, strict=False))
order = "".join(sorted(letters, key=lambda letter: -scores[letters[letter]]))
you_said(guess_order, order)
line = scores["random weights, untrained"]
you_said(guess_random, round(line))
short = [name for name in letters.values() if scores[name] < line]
print("do not reach the line of random weights:", ", ".join(short) or "none")
shows(
    scores["averaged word vectors"] - scores["raw BERT MEAN"],
    margin=1,
    more="Averaged word vectors lead raw BERT MEAN by {by:.1f} points, as they do in the paper.",
    less="Raw BERT MEAN leads averaged word vectors by {by:.1f} points; in the paper it trails.",
    same="Averaged word vectors and raw BERT MEAN are level; in the paper the words lead.",
)

# %%
print("MEAN beats CLS:", scores["raw BERT MEAN"] > scores["raw BERT CLS"])
shows(
    line - scores["raw BERT MEAN, shuffled gold"],
    margin=5,
    more="The random weights were never trained, and still they are {by:.0f} points above the "
    "shuffled gold.",
    less="The random weights are {by:.0f} points below the shuffled gold.",
    same="The random weights, never trained, are about as good as the shuffled gold.",
)

# %% [markdown]
# The order of the paper's three rows, GloVe over averaged BERT over CLS, is claim **C05**: one of
# the paper's sentences that the course measures. Its verdict comes in notebook 08, on seven test
# sets and with error bars. Here, on one small set, a gap of a point means nothing.
#
# Why can random weights score at all? A random network gives every word *some* fixed vector, so
# sentences that share words land close together, and sentences that share words are often alike.
# What a model has learned shows only **above** that line. A raw system below it may still have
# learned a lot: its cosines just do not show it.

# %% [markdown]
# Does it matter which of the three measures we use? The paper found hardly any difference (claim
# C09, decided in 08). For MEAN:

# %% tags=["nbval-ignore-output"]
u, v = (torch.from_numpy(vectors["raw BERT MEAN"][side]) for side in (left, right))
by_measure = {}
for name in similarity.PAIRWISE:
    by_measure[name] = 100 * sts.spearman(gold, similarity.pairwise(name, u, v).numpy())
    print(f"{name:10} Spearman {by_measure[name]:.1f}")
print(f"best and worst are {np.ptp(list(by_measure.values())):.1f} points apart")

# %% [markdown]
# ## 4 · Everything is similar to everything
#
# What is wrong with the raw vectors? Take two sentences at random. They have nothing to do with
# each other, so their cosine should be small.
#
# **Predict.** What is the mean cosine of random pairs under raw BERT MEAN?

# %%
guess_random_pairs = None  # your guess, between -1 and 1

# %% tags=["nbval-ignore-output"]
shuffle = np.random.default_rng(0).permutation(len(sentences))
partner = np.roll(shuffle, 1)  # everybody is paired with a stranger
random_pairs = {name: cosines(vectors[name], shuffle, partner) for name in systems}
similar_pairs = {name: cosines(vectors[name])[gold >= 0.8] for name in systems}
for name in systems:
    means = random_pairs[name].mean(), similar_pairs[name].mean()
    print(f"{name:36} random {means[0]:.2f}  similar {means[1]:.2f}")
you_said(guess_random_pairs, round(float(random_pairs["raw BERT MEAN"].mean()), 2))
for name in ("averaged word vectors", "raw BERT MEAN"):
    gap = similar_pairs[name].mean() - random_pairs[name].mean()
    print(f"{name}: similar pairs are {gap:.2f} above strangers")

# %%
shown = ["averaged word vectors, no stop words", "raw BERT MEAN", "raw BERT CLS"]
of_words, of_bert = (random_pairs[name].mean() for name in shown[:2])
print("strangers look more alike to mini-bert than to word vectors:", bool(of_bert > of_words))
plots.show(
    figures.cosine_histograms(
        {name: random_pairs[name] for name in shown}, {name: similar_pairs[name] for name in shown}
    ),
    caption="A cosine means nothing by itself: compare it with what strangers get. The narrower "
    "the gap between the dashed means, the harder it is to tell similar from random.",
    alt="Three histograms of cosines. In each, random pairs lie to the left of similar pairs; the "
    "two overlap, and for raw mini-bert even random pairs have high cosines.",
)

# %% [markdown]
# Vectors that crowd into one part of the space are called **anisotropic**: not the same in all
# directions. A cosine of 0.8 sounds like "very similar" and can be quite ordinary. Remember section
# 2, though: Spearman only needs the *order*, and a crowd can still be ordered.

# %% [markdown]
# ### Exercise 2 · Mean cosine of random pairs (2 points)
#
# We sampled one stranger each. Now take them all: `u` and `v` hold the two sides of N gold pairs,
# row *i* of `u` belongs to row *i* of `v`. Give back the mean cosine of `u[i]` and `v[j]` over all
# *i* ≠ *j*, with numpy.


# %% id="03-random-pairs" tags=["exercise", "points:2"]
def random_pair_cosine(u, v):
    """(N, H), (N, H) -> one number."""
    ### BEGIN SOLUTION
    u = u / np.linalg.norm(u, axis=1, keepdims=True)
    v = v / np.linalg.norm(v, axis=1, keepdims=True)
    table = u @ v.T  # (N, N)
    return (table.sum() - np.trace(table)) / (len(u) * (len(u) - 1))
    ### END SOLUTION


# %% id="03-random-pairs-check" tags=["test", "points:2"]
checks.random_pair_cosine(random_pair_cosine)

# %% [markdown]
# ## 5 · Seeing the crowd
#
# How many directions does a system really use? The **singular value decomposition** (SVD) finds the
# directions in which the vectors are longest: first the best single one, then the best one at a
# right angle to it, and so on. If all directions were used alike, each of the 128 would hold 1/128
# of the squared length.
#
# **Predict.** How many per cent of the squared length of the MEAN vectors lie in the first
# direction alone?

# %%
guess_first = None  # your guess, in per cent


# %% tags=["nbval-ignore-output"]
def energies(name, centred=False):
    matrix = figures.centre(vectors[name]) if centred else vectors[name]  # (N, H)
    return np.linalg.svd(matrix, compute_uv=False) ** 2  # largest first


spectra = {name: energies(name) for name in shown}
spectra["raw BERT MEAN, centred"] = energies("raw BERT MEAN", centred=True)
for name, values in spectra.items():
    print(f"{name:36} first direction {100 * values[0] / values.sum():3.0f} %")
first_share = spectra["raw BERT MEAN"][0] / spectra["raw BERT MEAN"].sum()
you_said(guess_first, round(100 * float(first_share)), unit="%")

# %%
print("one direction holds more than half of raw BERT MEAN:", bool(first_share > 0.5))
plots.show(
    figures.spectrum(spectra),
    caption="Raw mini-bert starts high: one direction, shared by every sentence, holds most of the "
    "length. Subtract the mean (centred) and that direction is gone.",
    alt="Rising curves of the share of the squared length against the number of directions kept. "
    "Raw mini-bert, MEAN and CLS, starts high at one direction; word vectors and the centred "
    "vectors start low.",
)

# %% [markdown]
# In raw mini-bert one direction holds most of the length, and nearly all of that is the *mean*
# vector, which says nothing about any single sentence.
#
# Next a picture in the plane of the two main directions, with every vector at length 1. Principal
# component analysis (PCA) makes such pictures: it subtracts the mean, then keeps only the few
# directions in which the vectors differ most. We leave the subtracting out, to see the crowd first.


# %%
def main_plane(name, centred=False):
    matrix = figures.centre(vectors[name]) if centred else vectors[name]
    matrix = matrix / np.linalg.norm(matrix, axis=1, keepdims=True)
    _, _, directions = np.linalg.svd(matrix, full_matrices=False)
    plane = matrix @ directions[:2].T  # (N, 2)
    return plane * np.sign(plane[:, 0].mean())


plots.show(
    figures.cones(
        {
            "averaged word vectors, no stop words": main_plane(shown[0]),
            "raw BERT MEAN": main_plane("raw BERT MEAN"),
            "raw BERT MEAN, centred": main_plane("raw BERT MEAN", centred=True),
        }
    ),
    caption="Each dot is a sentence, the cross is the origin. Raw mini-bert sits in a narrow cone "
    "on one side; word vectors spread wider, and centring opens the cone.",
    alt="Three unit circles with dots: word vectors fill a wide part of the right half, raw "
    "mini-bert a small cluster at the right edge, the centred vectors surround the origin.",
)

# %% [markdown]
# ### Exercise 3 · Centre the vectors (2 points)
#
# So subtract the mean! Write `centred_cosine`: one mean vector over *all* sentences, left and
# right, is subtracted from every vector; then the cosine of each pair (in numpy).
#
# **Predict** before you measure: will the Spearman of raw BERT MEAN rise by 5 points or more, stay
# within 5, or fall by 5 or more?

# %%
guess_centring = None  # "rise", "stay" or "fall"


# %% id="03-centre" tags=["exercise", "points:2"]
def centred_cosine(u, v):
    """(N, H), (N, H) -> (N,): cosines after centring."""
    ### BEGIN SOLUTION
    mean = np.concatenate([u, v]).mean(axis=0)  # (H,)
    u, v = u - mean, v - mean
    return (u * v).sum(axis=1) / (np.linalg.norm(u, axis=1) * np.linalg.norm(v, axis=1))
    ### END SOLUTION


# %% id="03-centre-check" tags=["test", "points:2"]
checks.centred_cosine(centred_cosine)

# %% [markdown]
# Measured for every system, before and after:

# %% tags=["nbval-ignore-output"]
changes = {}
print(f"{'':28} random pairs      Spearman")
for name in systems:
    centred = figures.centre(vectors[name])
    strangers = cosines(centred, shuffle, partner).mean()
    after = 100 * sts.spearman(gold, cosines(centred))
    changes[name] = after - scores[name]
    print(f"{name:36} {random_pairs[name].mean():5.2f} -> {strangers:5.2f}", end="   ")
    print(f"{scores[name]:5.1f} -> {after:5.1f}")

# %% tags=["nbval-ignore-output"]
change = changes["raw BERT MEAN"]
you_said(guess_centring, "rise" if change >= 5 else "fall" if change <= -5 else "stay")
lost = [name for name in changes if name.startswith("raw BERT") and changes[name] < -0.5]
print("raw BERT rows that lose more than half a point:", ", ".join(lost) or "none")
crowded = max(systems, key=lambda name: random_pairs[name].mean())
behind = [name for name in systems if scores[name] < scores[crowded]]
print(f"most crowded: {crowded}, yet it ranks pairs better than: {', '.join(behind) or 'none'}")
largest = max(map(abs, changes.values()))
shows(
    largest - 10,
    more=f"The order of the pairs changes, too: one Spearman moves by {largest:.1f} points.",
    less=f"The order of the pairs changes little: no Spearman moves by more than {largest:.1f} points.",
    same="The order of the pairs changes: one Spearman moves by ten points.",
)

# %% [markdown]
# The strangers' cosine drops to about zero for every system: the crowd is gone. But a crowd that is
# gone and an order that is right are two things. Anisotropy makes single cosines unreadable, but it is a symptom: the
# space was never made for cosines. Removing the mean removes the symptom; it does not teach the
# model which sentences are similar.

# %% [markdown]
# <a id="q-averaged-bert-worse-than-glove"></a>
# **Why is averaged BERT worse than GloVe when BERT is the better model?** It is better at what it
# was trained for: guessing masked words, through an output layer that may weigh every dimension as
# it likes. Nobody ever asked that the *cosine* of two averages mean something. The shared direction
# makes cosines unreadable, but subtracting it does not cure that (section 5): what is left was
# never trained for cosines either. Word vectors are built so that closeness itself carries the
# information.
#
# That is half of the answer. The other half is in notebook 12: give the same raw vectors to a
# classifier, which *can* weigh dimensions, and they are fine.
#
# And the settings matter: on the real STSb, dropping stop words and punctuation alone moves averaged
# GloVe by more than ten points (notebook 08). The paper's BERT rows pooled the second-last layer.

# %% [markdown]
# ### Explain your number (3 points, read by a person)
#
# Your pair from the beginning, and how many random pairs have a *lower* cosine:

# %% tags=["nbval-ignore-output"]
for name in shown:
    u, v = (torch.from_numpy(vector) for vector in systems[name](list(my_pair)))
    cosine = float(torch.cosine_similarity(u, v, dim=0))
    below = 100 * (random_pairs[name] < cosine).mean()
    print(f"{name:36} cosine {cosine:.2f}, above {below:3.0f} % of the random pairs")

# %% [markdown]
# Take the system of your choice. Is the cosine of your pair high? Say in three or four sentences
# what the number alone tells you, what the percentage adds, and whether "duplicates have a cosine
# above 0.8" would be a good rule for this system.

# %% [markdown] id="03-explain" tags=["manual", "points:3"]
# ### BEGIN SOLUTION
# Rubric, one point each: (1) quotes the pair's own numbers and says that a cosine can be read only
# against the cosines of random pairs of the same system; (2) uses the percentage as that
# comparison; (3) rejects a fixed 0.8, because under raw BERT MEAN or CLS many strangers lie near or
# above it, or accepts it for a system where the histogram shows that they do not.
# ### END SOLUTION

# %% [markdown]
# ## Recap
#
# Cosine reads directions, the two distances read positions, and Spearman reads only the order. Raw
# vectors of a pretrained transformer crowd into a narrow cone, so that even strangers have high
# cosines, and plain averaged word vectors are a serious rival. Centring removes the crowd, not the
# problem: the model must be *taught* to put similar sentences close together, and that is what the
# next four notebooks do.
#
# ## Questions
#
# <details><summary>1. You multiply all embeddings by 10. Which of cosine, Euclid and Manhattan
# change, and which Spearmans?</summary>
#
# Both distances grow tenfold, the cosine stays. No Spearman changes, since all distances keep their
# order.
# </details>
#
# <details><summary>2. Every random pair has a cosine of 0.95. Can this encoder still have a
# Spearman of 1?</summary>
#
# Yes: only the order counts. In practice the differences are then small and easily drowned by what
# has nothing to do with meaning.
# </details>
#
# <details><summary>3. Why do random weights not score 0?</summary>
#
# Equal words get equal input vectors, whatever the weights. Shared words make random vectors
# similar, and shared words also go with higher human scores. Shuffled gold is the line that really
# is about 0.
# </details>
#
# <details><summary>4. Dropping stop words helps averaged GloVe a lot and does not help ours.
# Why?</summary>
#
# In a plain average "the" weighs as much as "saxophonist", and it pulls all sentences towards the
# same point: the crowd again. Our vectors were built so that very frequent words have hardly any
# length; there is little left to drop.
# </details>
#
# **Next:** [04_siamese_networks](04_siamese_networks.ipynb). One network, used twice, and your
# first training loop.
