# %% [markdown]
# # 00 · What will I build, and is my machine ready?
#
# After this notebook you will be able to
#
# - see with your own eyes what training does to a sentence encoder;
# - say whether this machine can run the course, and which parts of it need more;
# - answer an exercise, check it, and find the notebook for any question about the paper.
#
# About MINUTES minutes, 10 seconds of it computing · profile mini · paper: a first look at the whole

# %% [markdown]
# The course is about one paper: *Sentence-BERT*, by Nils Reimers and Iryna Gurevych (EMNLP-IJCNLP
# 2019, [arXiv 1908.10084](https://arxiv.org/abs/1908.10084)). **BERT** is a network trained on
# plain text to guess hidden words; this first training is what *pretrained* means. It cuts a
# sentence into **tokens** (words or pieces of words) and gives one vector per token.
#
# The paper's question is practical. BERT judges a pair of sentences very well, but it has to read
# the two together. Can it give each sentence a vector of its own, so that comparing two of them is
# one multiplication?
#
# You will train such an encoder yourself, with every objective of the paper, and measure every
# claim of the paper. **Run a cell with Shift+Enter**, from top to bottom.

# %% tags=["setup"]
setup("00_start_here", study_minutes=MINUTES, computing_seconds=10)

import numpy as np

from sbert_lab.course import doctor, plots, widgets
from sbert_lab.course import nb00 as checks
from sbert_lab.course import nb00 as figures
from sbert_lab.course.nb00 import THEMES, TWELVE
from sbert_lab.encoder import SentenceEncoder
from sbert_lab.pooling import cls_pool

# %% [markdown]
# ## 1 · What will I build?
#
# An encoder that puts sentences close together if they mean about the same. Here are twelve
# sentences in four themes. Within a theme they share a topic, but hardly a word.

# %%
for number, sentence in enumerate(TWELVE):
    print(f"{THEMES[number // 3]:8} {sentence}")

# %% [markdown]
# We give them to two encoders. **mini-bert-2** has only learned to guess hidden words in running
# text; its token vectors are averaged. **mini-sbert** is the same network after some more training:
# a larger encoder showed it where sentences belong. The paper's way is another one, pairs with
# labels: notebook 05 does that, and notebook 17 says more about learning from a teacher.
#
# The closeness of two vectors is measured by their **cosine**: 1 if they point the same way, 0 if
# they are at a right angle, -1 if they point in opposite directions.
#
# **Predict.** Take two sentences from *different* themes, a violin and a boat, say. What is their
# cosine in raw mini-bert-2, on average? Write a number between 0 and 1 in place of `None`.

# %%
guess_between = None  # your guess

# %% [markdown]
# Here is the whole computation: load both encoders, encode the sentences, take all cosines.

# %%
raw = SentenceEncoder.load("mini-bert-2", pooling="mean")
tuned = SentenceEncoder.load("mini-sbert")
vectors = {"raw": raw.encode(TWELVE, normalize=True), "tuned": tuned.encode(TWELVE, normalize=True)}
cosines = {name: u @ u.T for name, u in vectors.items()}  # (12, 12)
print("vectors", vectors["raw"].shape, "cosines", cosines["raw"].shape)

# %% [markdown]
# First a look. A vector has 256 numbers, a page has two directions, so each panel takes the two in
# which its twelve vectors differ most. A triangle joins the three sentences of a theme.

# %%
plots.show(
    figures.map_of_twelve(vectors),
    caption="The same twelve sentences before and after training. Good themes are small triangles "
    "that keep apart. The titles say how much of all differences these two directions show.",
    alt="Two maps of twelve points in four colours, raw mini-bert-2 on the left and tuned mini-sbert "
    "on the right; triangles join the three sentences of each theme.",
)

# %% [markdown]
# A map in two directions hides the other 254, so we count in all of them. A **gap** is how much
# closer sentences of one theme are than sentences of different themes. It says something only beside
# the **spread** of the cosines: 0.1 is a lot if unrelated pairs all lie within 0.05, and little if
# they are scattered over 0.3.

# %% tags=["nbval-ignore-output"]
same_theme = np.kron(np.eye(4), np.ones((3, 3))).astype(bool)  # (12, 12), blocks of 3
other = ~np.eye(12, dtype=bool)  # everything but a sentence with itself
in_spreads = {}
print("       same  different   gap  spread  gap / spread")
for name, matrix in cosines.items():
    inside, between = matrix[same_theme & other].mean(), matrix[~same_theme].mean()
    spread = matrix[~same_theme].std()  # standard deviation of the different-theme cosines
    in_spreads[name] = (inside - between) / spread
    numbers = f"{inside:5.2f} {between:10.2f} {inside - between:5.2f} {spread:7.2f}"
    print(f"{name:5} {numbers} {in_spreads[name]:13.1f}")
you_said(guess_between, cosines["raw"][~same_theme].mean())
shows(
    in_spreads["tuned"] - in_spreads["raw"],
    more="Training moved the themes apart: the gap grew by {by:.1f} spreads.",
    less="Training brought the themes closer together: the gap shrank by {by:.1f} spreads.",
    same="Training left the gap as it was.",
)

# %% [markdown]
# One might expect something near 0 for sentences that have nothing to do with each other. Look how
# far above 0 the raw model is: **a cosine means little by itself.** 0.7 may be *alike* for one
# encoder and *anything* for another. Now sentence by sentence:

# %%
plots.show(
    figures.raw_beside_tuned(cosines["raw"], cosines["tuned"], TWELVE, THEMES),
    caption="Same sentences, same size of network, same colour scale. In which matrix do the four "
    "blocks along the diagonal stand out more? Does every sentence join its theme, in each of them?",
    alt="Two 12 by 12 heat maps of cosines on one colour scale, raw mini-bert-2 on the left and "
    "tuned mini-sbert on the right. White lines part the four themes, so that the blocks on the "
    "diagonal hold the pairs of one theme.",
)

# %% [markdown]
# Let the code answer. For each sentence it looks up the nearest of the other eleven. The sentence
# that lies closer to another theme than to its own, by the largest difference, is named, together
# with the words it shares with that neighbour.

# %% tags=["nbval-ignore-output"]
small = {"a", "the", "is", "in", "on", "of", "to", "and", "with", "for", "at"}
for name, matrix in cosines.items():
    own = np.where(same_theme & other, matrix, -1).max(axis=1)  # nearest of its theme: (12,)
    stranger = np.where(same_theme, -1, matrix)  # cosines with the other themes: (12, 12)
    print(f"{name}: {(own > stranger.max(axis=1)).sum()} of 12 have a neighbour of their own theme")
    lost = int((own - stranger.max(axis=1)).argmin())
    near = int(stranger[lost].argmax())
    if own[lost] < stranger[lost, near]:
        words = [set(TWELVE[i].lower().strip(".").split()) - small for i in (lost, near)]
        print(f"   {TWELVE[lost]!r} ({THEMES[lost // 3]}) is nearest to")
        print(f"   {TWELVE[near]!r}; shared: {', '.join(words[0] & words[1]) or 'no word'}")

# %% [markdown]
# Look at each wrong neighbour, if there is one: do the two sentences share a word, or only their
# form (somebody is doing something somewhere)? An encoder goes by such things as well as by meaning.
# Twelve sentences are few, though: one or two neighbours more may be chance. Which encoder is
# better is decided on many scored pairs, in notebooks 05 and 08.

# %% [markdown]
# ## 2 · Is this machine ready?
#
# Two CPU cores are enough, and nothing has to be downloaded: the course brings small language
# models that were pretrained for it, and its own small data. The doctor looks at what is here.

# %% tags=["nbval-ignore-output"]
report = doctor.examine()
for part in ("python", "system", "processors", "device", "precision", "profile"):
    print(f"{part:11} {report[part]}")
print("models     ", ", ".join(report["models"]))
print("without    ", ", ".join(k for k, v in report["packages"].items() if v is None) or "nothing")

# %%
for problem in doctor.problems(report):
    print("to fix:", problem)
print("ready" if not doctor.problems(report) else "not ready yet")

# %% [markdown]
# `ready` means that all notebooks run. The part after *without* is optional: a notebook that
# would use it says so and does without. The device is `cpu` on most laptops, and that is fine.
#
# The word **profile** decides how large everything is. (The *seeds* that the first cell printed are
# repetitions of a training with other random numbers; *folds* are the parts into which some tests
# cut their data.) The cells stay the same:
#
# | profile | model | data | made for |
# |---|---|---|---|
# | `mini` (now) | mini-bert: 4 layers, width 128 | our own small corpora | two CPU cores |
# | `real` | mini-bert-2, twice as wide, or one you name | what you have of the real corpora | a CPU and patience |
# | `paper` | BERT-base: 12 layers, width 768 | the real corpora | one GPU or several |
#
# To change it, set the environment variable `SBERT_LAB_PROFILE` before you start Jupyter. **Mini is
# a small world with real training in it.** It shows how things work, not how high the scores get;
# where mini and real data disagree, trust the real.

# %% [markdown]
# ## 3 · How exercises work
#
# In each notebook you meet four kinds of cells that want something from you:
#
# - **Predict** cells, `guess = None`. Write your guess down before you run on; later it is printed
#   beside the measurement. Being wrong is the useful case.
# - **Exercises**: replace `pass` by your answer. The cell below checks it and says one of three
#   things: `not attempted yet`, `not there yet:` with a hint for that very mistake, or `correct`.
#   Try as often as you like. If your code fails, you see your line, Python's message and often a hint.
# - **Explain your number**: a short text, read by a person if you take the course in a class.
# - **Questions** at the end, with folded answers.
#
# No later cell needs your answer, so you can always go on and come back. `peek` shows how the
# package does a thing, right where you are. Here is the simplest way to make one vector of many:
# take that of the first token. (In section 1 we took their mean; you will write that yourself in
# notebook 02.)

# %%
peek(cls_pool)

# %% [markdown]
# ### Exercise 1: cosine in one line
#
# $\cos(u, v) = \dfrac{u \cdot v}{\lVert u \rVert \, \lVert v \rVert}$: the dot product, divided by
# both lengths. In NumPy `u @ v` is the dot product and `np.linalg.norm(u)` is a length. A vector
# that is ten times as long points the same way, so it must get the same cosine.


# %% id="00-cosine" tags=["exercise", "points:1"]
def cosine(u, v):
    """The cosine of two vectors: (H,), (H,) -> one number."""
    ### BEGIN SOLUTION
    return u @ v / (np.linalg.norm(u) * np.linalg.norm(v))
    ### END SOLUTION


# %% id="00-cosine-check" tags=["test", "points:1"]
checks.cosine(cosine)

# %% [markdown]
# ### Exercise 2: the nearest of twelve
#
# Now a sentence of your own. Write any English sentence that is not among the twelve, encode it and
# them with `tuned`, and find the one that lies closest. `tuned.encode([...])` takes a **list** of
# sentences and gives an array with one row for each; `np.argmax` gives the place of the largest
# number.

# %% id="00-nearest" tags=["exercise", "points:2"]
my_sentence = None  # a sentence of your own
nearest_sentence = None  # the one of TWELVE with the highest cosine to it
### BEGIN SOLUTION
my_sentence = "My aunt plays the flute in an orchestra."
mine = tuned.encode([my_sentence], normalize=True)[0]
nearest_sentence = TWELVE[int(np.argmax(tuned.encode(TWELVE, normalize=True) @ mine))]
### END SOLUTION
print(my_sentence, "->", nearest_sentence)

# %% id="00-nearest-check" tags=["test", "points:2"]
checks.nearest(my_sentence, nearest_sentence)

# %% [markdown]
# Was it the one you would have chosen? If not, you have found your first error of the encoder. Keep
# such sentences: in notebook 17 you collect five that fool your own.
#
# Try more of them here: type, and watch where your sentence lands in both encoders. (The line to
# type in needs a running notebook; elsewhere you see one example.)


# %%
def place(sentence):
    encoders = {"raw mini-bert-2": raw, "tuned mini-sbert": tuned}
    found = {
        name: one.encode([sentence, *TWELVE], normalize=True) for name, one in encoders.items()
    }
    return figures.among_twelve({name: u[1:] @ u[0] for name, u in found.items()})


_ = widgets.explore(
    place,
    sentence=widgets.Words("your sentence", "My aunt plays the flute in an orchestra."),
    caption="The longest bar of each panel has a black frame; the title names its theme. Type a "
    "sentence about dogs that never says dog: does it get there in both panels?",
    alt="Two panels of twelve bars, the cosines of one sentence with the twelve, for raw mini-bert-2 "
    "and tuned mini-sbert; colours are the themes, a black frame marks the nearest.",
)

# %% [markdown]
# ### Exercise 3: a self-test
#
# The course is written for people who have seen PyTorch before. Five questions tell whether you
# have seen enough. Answer them in your head first; then you may try them out in a new cell.
#
# Three words you will need: **padding** fills short sentences up to the length of the longest, a
# **mask** says which values are real (1) and which are padding (0), and **logits** are the scores
# of the classes before softmax turns them into probabilities.
#
# 1. **shape**: `x` has the shape `(2, 3, 4)`. What is the shape of `x.mean(dim=1)`? (a tuple)
# 2. **broadcasting**: the same `x`, multiplied by a tensor of the shape `(2, 3, 1)`. What is the
#    shape of the result? (a tuple, or `"error"`)
# 3. **mask**: one sentence has the values `[2., 4., 0.]` and the mask `[1, 1, 0]`; the third value
#    is padding. What is the mean of the real values? (a number)
# 4. **softmax**: two classes get the logits `log 3` and `0`. What is the probability of the first?
#    (a number)
# 5. **autograd**: `y = x**2 + 6 * x`, and `x` is 3. After `y.backward()`, what is `x.grad`? (a
#    number)

# %% id="00-self-test" tags=["exercise", "points:5"]
answers = {
    "shape": None,
    "broadcasting": None,
    "mask": None,
    "softmax": None,
    "autograd": None,
}
### BEGIN SOLUTION
answers = {
    "shape": (2, 4),
    "broadcasting": (2, 3, 4),
    "mask": 3.0,
    "softmax": 0.75,
    "autograd": 12.0,
}
### END SOLUTION
print(sum(answer is not None for answer in answers.values()), "of 5 answered")

# %% id="00-self-test-check" tags=["test", "points:5"]
checks.self_test(answers)

# %% [markdown]
# Each hint names a part of [A1, the PyTorch refresher](A1_pytorch_refresher.ipynb): one page,
# twenty minutes. With four or five right answers you are fine. With three or fewer, read it now; it
# pays off in notebook 02.

# %% [markdown] id="00-explain" tags=["manual", "points:3"]
# **Explain your number.** A friend says: "My encoder gives these two sentences a cosine of 0.8, so
# they mean about the same." Use the numbers that section 1 printed on *your* machine to answer in
# three or four sentences: what would you ask your friend for before you believe it?
#
# ### BEGIN SOLUTION
# Rubric, one point each. (1) Quotes the raw encoder's mean cosine of different themes from section
# 1 and says how near to 0.8 unrelated sentences already come. (2) Concludes that a cosine has to be
# compared with those of unrelated pairs *of the same encoder*: the gap, measured against their
# spread, matters, not the height. (3) Asks for something that would settle it: cosines of random
# pairs, of pairs known to be alike, or a ranking against human scores.
# ### END SOLUTION

# %% [markdown]
# ## 4 · The map of the course
#
# Each notebook stands alone, so you may jump; each says on top how long it takes. Two kinds of data
# have short names: **NLI**, natural language inference (does sentence B follow from sentence A?),
# and **STS**, semantic textual similarity (pairs scored by people: how alike in meaning?).
#
# | no. | its question | paper |
# |---|---|---|
# | **Why and what** | | |
# | 00 start here | What will I build, and is my machine ready? | |
# | [01 the cost of comparing](01_the_cost_of_comparing.ipynb) | Why not just use BERT? | s. 1 |
# | [02 pooling](02_pooling.ipynb) | How do many token vectors become one? | s. 3 |
# | [03 raw embeddings](03_raw_embeddings.ipynb) | Are raw BERT vectors any good? | Table 1 |
# | **Training** | | |
# | [04 siamese networks](04_siamese_networks.ipynb) | How is one network used twice? | s. 3 |
# | [05 classification objective](05_classification_objective.ipynb) | What does NLI teach? | s. 3 |
# | [06 regression objective](06_regression_objective.ipynb) | How do I train a cosine? | s. 3 |
# | [07 triplet objective](07_triplet_objective.ipynb) | What if I only know an order? | s. 3 |
# | **The paper's tables** | | |
# | [08 unsupervised STS](08_unsupervised_sts.ipynb) | Which number is the model's score? | Table 1 |
# | [09 supervised STS](09_supervised_sts.ipynb) | How sure is a difference of 0.7? | Table 2 |
# | [10 argument facets](10_argument_facets.ipynb) | Did it learn or remember? | Table 3 |
# | [11 Wikipedia sections](11_wikipedia_sections.ipynb) | What does a section label teach? | Table 4 |
# | [12 SentEval](12_senteval.ipynb) | Why does a classifier forgive? | Table 5 |
# | [13 ablations](13_ablations.ipynb) | Which part carries the meaning? | Table 6 |
# | [14 computational efficiency](14_computational_efficiency.ipynb) | Where does the time go? | Table 7 |
# | **Using it** | | |
# | [15 search and clustering](15_search_and_clustering.ipynb) | How do I find things in a large collection? | s. 1 |
# | [16 between the two](16_between_the_two.ipynb) | How much quality can I buy for how much time? | s. 2 |
# | [17 your own encoder](17_your_own_encoder.ipynb) | Can I train, test and publish one? | |
#
# Short of time? **00, 01, 02, 03, 05, 08** carry the main thread. If you want to *use* encoders, add
# 15 and 16; if you want to *publish* about them, add 09, 10 and 13. A1 is the PyTorch refresher.
#
# **Claims.** A *claim*, C01 to C26, is one sentence of the paper that can be measured, such as C05:
# averaged raw BERT vectors rank sentence pairs worse than averaged word vectors. For each the rule
# (what is measured, and when the claim *holds*) was written down before anything was run. The
# *ledger* is the table of all verdicts, in mini and on real data; notebook 17 shows it.

# %% [markdown]
# ## Recap
#
# A sentence encoder turns a sentence into one vector, so that comparing two sentences is comparing
# two vectors. What counts is the gap between related and unrelated sentences, measured against the
# spread of the cosines, and not the height of a single cosine. Everything in this course is
# computed in front of you or marked as recorded.
#
# ## Questions
#
# <details><summary>1. Both matrices are 1 on the diagonal. Why?</summary>
#
# Each sentence is compared with itself there: same vector, angle zero, cosine 1. That is why we
# left the diagonal out of all averages. Notebook 03 has an exercise on what happens if you forget.
# </details>
#
# <details><summary>2. Both matrices are symmetric. Would that also be so if BERT read the two
# sentences together?</summary>
#
# Not by itself: (A, B) and (B, A) would be two different inputs with two different scores. Notebook
# 01 shows both inputs side by side.
# </details>
#
# <details><summary>3. We encoded twelve sentences and got 66 cosines of different sentences. How
# often did the network run?</summary>
#
# It read twelve sentences. The cosines are multiplications of vectors that were already there. This
# is the idea of the whole paper, and notebook 01 is about what it saves.
# </details>
#
# <details><summary>4. Could we have cheated in the figure?</summary>
#
# Easily: with a colour scale for each matrix, both would fill the whole scale, however small their
# differences. With one scale for both, colours can be compared. And we could have picked sentences
# that work; so try your own.
# </details>
#
# **Next:** [01 · Why not just use BERT?](01_the_cost_of_comparing.ipynb)
