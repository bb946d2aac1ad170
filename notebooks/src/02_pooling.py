# %% [markdown]
# # 02 · How do many token vectors become one sentence vector?
#
# After this notebook you will be able to
#
# - follow a sentence from text to word pieces, ids, mask and vectors;
# - write CLS, MEAN and MAX pooling so that padding never counts;
# - find both bugs in a max-pooling snippet that many people have copied.
#
# About MINUTES minutes, a few seconds of it computing · profile mini · paper: section 3

# %% tags=["setup"]
setup("02_pooling", study_minutes=MINUTES, computing_seconds=10)

from functools import partial
from textwrap import shorten

import torch

from sbert_lab import data, pooling
from sbert_lab.course import nb02 as checks
from sbert_lab.course import nb02 as figures
from sbert_lab.course import plots, widgets
from sbert_lab.encoder import SentenceEncoder
from sbert_lab.experiments.results import open_table

encoder = SentenceEncoder.load("mini-bert", device="cpu")
torch.set_grad_enabled(False)  # nothing is trained here
print(f"mini-bert: {encoder.dimension} numbers per token, {len(encoder.tokenizer):,} word pieces")

# %% [markdown]
# ## 1 · From text to vectors
#
# A sentence encoder is asked about sentences, but a transformer such as BERT reads rows of whole
# numbers and answers with one vector *per token* (a word, or a piece of one). This notebook is
# about the last step: from those vectors to a single one. First, what arrives there?
#
# Ten sentences from the course's small stand-in for STSb, a set of sentence pairs scored for
# similarity; drawn by a fixed seed, not picked by us:

# %%
rows = data.load("stsb", "test").shuffle(seed=2).select(range(10))
ids, _ = encoder.tokenize(list(rows["sentence1"]))
print("words  tokens")
for sentence, row in zip(rows["sentence1"], ids, strict=True):
    print(f"{len(sentence.split()):5}  {len(row):6}  {shorten(sentence, 84)}")

# %% [markdown]
# There are always more tokens than words. The vocabulary is finite, so a rare word is cut into
# **word pieces** that are in it; `##` marks a piece that continues a word. Full stops count too,
# and every sentence gets `[CLS]` in front, a token made to speak for the whole, and `[SEP]`, the
# separator, at the end.
#
# **Predict.** How many tokens does *"The saxophonists were rehearsing."* become, `[CLS]` and
# `[SEP]` included? Write a number in place of `None`.

# %%
guess_tokens = None  # your guess

# %%
sentence = "The saxophonists were rehearsing."
ids = encoder.tokenize([sentence])[0][0]
pieces = encoder.tokenizer.convert_ids_to_tokens(ids)
for piece, number in zip(pieces, ids, strict=True):
    print(f"{piece:10} {number:6}")
you_said(guess_tokens, len(ids), unit="tokens")

# %% [markdown]
# Frequent words stay whole; rarer ones fall to pieces. Capitals are gone as well: this vocabulary
# is *uncased*, like that of the `bert-base-uncased` behind the paper.
#
# Now a batch. A tensor is a rectangle, sentences are not, so shorter ones are filled up with
# `[PAD]`. The **attention mask** remembers which cells are real (1) and which are padding (0). Put
# a sentence of your own in the last place.

# %%
my_sentence = "My neighbour repairs old bicycles."  # change me
sentences = ["A dog barks.", sentence, my_sentence]
batch = encoder.collate(sentences)
input_ids, attention_mask = batch["input_ids"], batch["attention_mask"]
print("ids ", tuple(input_ids.shape))
print("mask", tuple(attention_mask.shape))
print(attention_mask)

# %% [markdown]
# The **backbone**, the pretrained network itself, turns each id into a vector that has seen the
# whole sentence. We write B for sentences, T for tokens and H for dimensions, here and everywhere
# in the course. (H is 128 in mini-bert, 768 in BERT-base; the 384 that you may have met belongs to
# MiniLM, another model.)

# %%
tokens = encoder.token_embeddings(input_ids, attention_mask)  # (B, T, H)
print("token vectors", tuple(tokens.shape))

# %% [markdown]
# How long are these vectors? The **norm** is a vector's Euclidean length. Here it is for each cell
# of the first row, *"A dog barks."*:

# %% tags=["nbval-ignore-output"]
pieces = encoder.tokenizer.convert_ids_to_tokens(input_ids[0])
for piece, norm, real in zip(pieces, tokens[0].norm(dim=-1), attention_mask[0], strict=True):
    print(f"{piece:8} norm {float(norm):5.1f}  {'real' if real else 'padding'}")

# %% [markdown]
# **Padding has vectors too.** Compare their norms with those of the real tokens: they are not zero.
# The model computes something for every cell. Code that turns the cells into one
# vector must know which of them to ignore.

# %% [markdown]
# ## 2 · Three ways to make one vector
#
# The paper compares three poolings:
#
# - **CLS**: the vector of the first token;
# - **MEAN**: the average of the real tokens' vectors, the paper's default;
# - **MAX**: in each dimension the largest value among the real tokens.
#
# Numbers small enough for pen and paper: two sentences, H = 2. The second one has a padding token,
# whose vector is (5, 5).
#
# **Predict.** What is the MAX vector of the second sentence?

# %%
guess_max = None  # your guess, for example [1, 2]

# %%
tiny = torch.tensor(
    [
        [[1.0, 0.0], [3.0, -2.0], [2.0, -1.0]],
        [[0.0, -1.0], [-2.0, -3.0], [5.0, 5.0]],  # the last token is padding
    ]
)
tiny_mask = torch.tensor([[1, 1, 1], [1, 1, 0]])


def pool_slowly(tokens, mask, how):
    pooled = []
    for vectors, keep in zip(tokens, mask, strict=True):
        real = vectors[keep == 1]  # (number of real tokens, H)
        choices = {"cls": real[0], "mean": real.mean(dim=0), "max": real.max(dim=0).values}
        pooled.append(choices[how])
    return torch.stack(pooled)  # (B, H)


for how in ("cls", "mean", "max"):
    print(f"{how:5}", pool_slowly(tiny, tiny_mask, how).tolist())
you_said(guess_max, [int(value) for value in pool_slowly(tiny, tiny_mask, "max")[1]])

# %% [markdown]
# The padding's 5 must not appear. The 0 of the first dimension is real; in the second dimension the largest real
# value is -1, so a 0 there would be wrong.
#
# Our loop is slow but plain. The package does it for whole batches at once; on the real batch both
# agree:

# %%
for how in ("cls", "mean", "max"):
    torch.testing.assert_close(
        pool_slowly(tokens, attention_mask, how), pooling.pool(how, tokens, attention_mask)
    )
    print(f"{how:5} by hand equals the package's: (B, T, H) {tuple(tokens.shape)} -> (B, H)")

# %%
pieces = [encoder.tokenizer.convert_ids_to_tokens(row) for row in input_ids]
plots.show(
    figures.token_grid(pieces, attention_mask, tokens),
    caption="CLS reads one cell. MEAN and MAX read all real cells; MAX then takes each dimension "
    "from a single one of them. Nobody reads the hatched cells.",
    alt="Three rows of word pieces with their mask; short rows end in hatched padding. An orange "
    "box around the first token, a blue box around all real tokens, green numbers where MAX picks.",
)

# %% [markdown]
# <a id="q-max-over-time"></a>
# **What is "max over time"?** An older name for MAX, from recurrent networks that read a sentence
# token after token: "time" is the token axis. Per dimension, the largest value over the real
# tokens. Padding has to be pushed far below every real value first, or it takes part in the
# contest.

# %% [markdown]
# ## 3 · What goes wrong without the mask?
#
# Leave the mask out and no error appears. `tokens.mean(dim=1)` has the right shape and plausible
# values. So let us measure: the same sentence, alone and beside a long neighbour that forces
# padding on it.
#
# **Predict.** *"A dog barks."* has seven tokens and gets about twenty of padding. By how many per
# cent of its norm (Euclidean length) does its MEAN vector move if the pooling ignores the mask?

# %%
guess_shift = None  # your guess, in per cent

# %%
short = "A dog barks."
neighbour = (
    "While the orchestra was still tuning its instruments, three saxophonists in red coats "
    "quietly left the stage and never came back."
)
lone = encoder.token_embeddings(**encoder.collate([short]))  # (1, 7, H), nothing to mask
alone = lone.mean(dim=1)
batch = encoder.collate([short, neighbour])
beside, mask = encoder.token_embeddings(**batch), batch["attention_mask"]


def shift(embedding, truth):
    return 100 * float((embedding - truth).norm() / truth.norm())


with_mask = shift(pooling.mean_pool(beside, mask)[:1], alone)
without_mask = shift(beside.mean(dim=1)[:1], alone)
print(f"padding tokens: {int((mask[0] == 0).sum())}")
print(f"moved with the mask: {with_mask:.0f} %")

# %% tags=["nbval-ignore-output"]
print("moved without the mask:")
you_said(guess_shift, round(without_mask), unit="%")

# %% [markdown]
# With the mask the neighbour is invisible. Without it the sentence's vector depends on *who else
# happens to be in the batch*: shuffle your data and the scores change.
#
# The mask is needed in two places, and each can be forgotten on its own: in the **model**, where
# real tokens would otherwise pay attention to padding, and in the **pooling**. All four
# combinations:


# %%
def embed(added, mask_in_model, mask_in_pooling, sentence=short):
    ids = encoder.tokenize([sentence])[0][0]
    padded = torch.tensor([ids + [encoder.tokenizer.pad_token_id] * added])
    mask = torch.tensor([[1] * len(ids) + [0] * added])
    vectors = encoder.token_embeddings(padded, mask if mask_in_model else None)
    return pooling.pool("mean", vectors, mask if mask_in_pooling else None)


added = [0, 1, 2, 4, 8, 16, 32, 64]
cases = {
    "both masks": (True, True),
    "model only": (True, False),
    "pooling only": (False, True),
    "no mask": (False, False),
}
truth = embed(0, True, True)
shifts = {name: [shift(embed(n, *case), truth) for n in added] for name, case in cases.items()}
print("with both masks the vector stays:", max(shifts["both masks"]) < 0.5)

# %% tags=["nbval-ignore-output"]
for name, values in shifts.items():
    print(f"{name:13} 16 padding tokens move the vector by {values[5]:3.0f} %")

# %%
plots.show(
    figures.padding_shift(added, shifts),
    caption="With both masks: flat at zero, whatever the padding. Each forgotten mask moves the "
    "vector, and the two together move it most.",
    alt="Four lines against the number of padding tokens added: with both masks the shift stays at "
    "zero, with one or no mask it leaves zero as padding is added.",
)

# %% [markdown]
# Now move it yourself. These are the token vectors of *"A dog barks."*, seen along the two
# directions in which they differ most. Pull the slider: each orange dot is a padding token that now
# takes part.

# %%
ids = encoder.tokenize([short])[0][0]
padded = torch.tensor([ids + [encoder.tokenizer.pad_token_id] * 64])
vectors = encoder.token_embeddings(padded, torch.tensor([[1] * len(ids) + [0] * 64]))[0]
_ = widgets.explore(
    partial(figures.mean_moves, vectors, len(ids)),
    padding=widgets.Slide("padding tokens", range(65), 16),
    caption="The mean with the mask stays where it is. Without it the mean walks over to the "
    "padding, fast at first: seven real tokens are soon outvoted.",
    alt="Dots for real tokens and padding tokens in a plane, and two crosses: the mean with the "
    "mask among the real tokens, the mean without it on its way to the padding.",
)

# %% [markdown]
# ### Exercise 1 · MEAN without a loop (2 points)
#
# Write `mean_pool` for a whole batch, with tensor operations only. The mask has whole numbers and
# the shape (B, T); to weight vectors of shape (B, T, H) it needs one more axis: `unsqueeze(-1)`.


# %% id="02-mean" tags=["exercise", "points:2"]
def mean_pool(token_embeddings, attention_mask):
    """(B, T, H), (B, T) -> (B, H): the average of the real tokens."""
    ### BEGIN SOLUTION
    weights = attention_mask.unsqueeze(-1).to(token_embeddings.dtype)  # (B, T, 1)
    return (token_embeddings * weights).sum(dim=1) / weights.sum(dim=1).clamp(min=1)
    ### END SOLUTION


# %% id="02-mean-check" tags=["test", "points:2"]
checks.mean_pool(mean_pool)

# %% [markdown]
# ## 4 · A snippet in circulation
#
# Look for max pooling with transformers and you will meet these lines, in public model descriptions
# and in tutorials. They are copied a lot, and on most days they do what they should.


# %%
def max_pool_copied(token_embeddings, attention_mask):
    mask = attention_mask.unsqueeze(-1).expand(token_embeddings.size()).float()
    token_embeddings[mask == 0] = -1e9  # padding gets a large negative value
    return torch.max(token_embeddings, 1)[0]


# %% [markdown]
# Read it slowly before you go on. We will put it through four trials:
#
# - **a** an ordinary padded batch;
# - **b** a sentence alone, then beside a longer one;
# - **c** MAX first; afterwards somebody looks at the same token vectors again;
# - **d** MAX first, then the masked MEAN, in half precision (float16), as is usual on a GPU.
#
# **Predict.** Which trials does it fail? Write their letters.

# %%
guess_trials = None  # your guess, for example "ab"

# %%
expected = pooling.max_pool(beside, mask)
single, half = beside.clone(), beside.half()  # two copies of what the model gave us
passed = {
    "a": torch.allclose(max_pool_copied(single, mask), expected),
    "b": torch.allclose(max_pool_copied(lone, torch.ones(1, 7)), expected[:1], atol=1e-4),
    "c": torch.equal(single, beside),
}
max_pool_copied(half, mask)
passed["d"] = bool(pooling.mean_pool(half, mask).isfinite().all())
for trial, fine in passed.items():
    print(trial, "passed" if fine else "FAILED")
you_said(guess_trials, "".join(trial for trial, fine in passed.items() if not fine))

# %% [markdown]
# The maximum itself came out right. The damage lies in what the function leaves behind. Be the
# detective and name both bugs before you unfold the answer. Here is the scene: one padding token,
# before and after, and what a MEAN taken afterwards makes of it.

# %% tags=["nbval-ignore-output"]
place = 7  # the first padding token behind "A dog barks.", its first three dimensions
states = {"before": (beside, beside.half()), "after": (single, half)}
for when, (full, halved) in states.items():
    for dtype, vectors in (("float32", full), ("float16", halved)):
        print(f"{dtype}, {when + ':':7}", [round(v, 2) for v in vectors[0, place, :3].tolist()])

# %%
print("MEAN with the mask afterwards, float32, right?", end=" ")
print(torch.allclose(pooling.mean_pool(single, mask), pooling.mean_pool(beside, mask)))
print("MEAN with the mask afterwards, float16:", pooling.mean_pool(half, mask)[0, :3].tolist())
print("MEAN without it afterwards, float32: below -1,000,000?", float(single.mean()) < -1e6)
print("largest number in float16:", torch.finfo(torch.float16).max)

# %% [markdown]
# <details><summary>The two bugs</summary>
#
# **It writes into its input.** `token_embeddings[mask == 0] = ...` changes the model's own output.
# The next reader of those vectors (a mean, a norm, a plot, `hidden_states[-1]`, which is the same
# memory) finds -1,000,000,000 there. A masked mean survives in float32, because 0 · (-1e9) = 0:
# that is why the bug stays unnoticed.
#
# **-1e9 does not fit into float16**, which ends at -65,504. This spelling silently stores minus
# infinity, and now the masked mean dies as well: 0 · (-∞) is NaN. The spelling `masked_fill(...,
# -1e9)` refuses with an error instead, often on the day the model first meets a GPU.
#
# </details>

# %% [markdown]
# A tool that leaves its input alone: `x.masked_fill(where, value)` gives a **copy** of `x` in which
# `value` stands wherever `where` is True. `where` needs no more axes than it has to: a size of 1 is
# stretched, as always in PyTorch. (Infinity is a number, too: `float("inf")`, with or without a
# minus.)

# %%
numbers = torch.tensor([[4.0, 7.0], [1.0, 2.0]])
hidden = torch.tensor([[False], [True]])  # (2, 1): the second row, all of it
print(numbers.masked_fill(hidden, 0.5).tolist(), "and still", numbers.tolist())

# %% [markdown]
# ### Exercise 2 · MAX without the bugs (2 points)
#
# Write a `max_pool` that leaves its input alone and works in float32 *and* float16, giving back the
# type that it was given. Tempting, and wrong: multiplying by the mask. Section 2's second sentence
# shows why.


# %% id="02-max" tags=["exercise", "points:2"]
def max_pool(token_embeddings, attention_mask):
    """(B, T, H), (B, T) -> (B, H): per dimension the largest value of the real tokens."""
    ### BEGIN SOLUTION
    padding = attention_mask.unsqueeze(-1) == 0  # (B, T, 1)
    return token_embeddings.masked_fill(padding, float("-inf")).max(dim=1).values
    ### END SOLUTION


# %% id="02-max-check" tags=["test", "points:2"]
checks.max_pool(max_pool)

# %% [markdown]
# Done? Compare with the package, which also thinks of a row that is nothing but padding:

# %%
peek(pooling.max_pool, folded=True)

# %% [markdown]
# ## 5 · Who speaks in the pooled vector?
#
# MEAN gives every token one vote. MAX lets the tokens compete, dimension by dimension. Do the words
# that carry the meaning win?
#
# **Predict.** Which token of *"Three children are building a sandcastle on the beach."* wins the
# most dimensions?

# %%
guess_winner = None  # your guess, for example "beach"

# %%
scene = "Three children are building a sandcastle on the beach."
ids = torch.tensor(encoder.tokenize([scene])[0])
vectors = encoder.token_embeddings(ids)[0]  # (T, H), no padding
names = encoder.tokenizer.convert_ids_to_tokens(ids[0])
wins = torch.bincount(vectors.argmax(dim=0), minlength=len(names))  # (T,)
content = {"three", "children", "building", "sand", "##cast", "##le", "beach"}
is_content = torch.tensor([name in content for name in names])  # (T,)
print("dimensions won by all tokens together:", int(wins.sum()), "of", encoder.dimension)

# %% [markdown]
# How many of the tokens are (pieces of) content words, words that carry meaning like *beach*, and
# which share of the dimensions do they win?

# %% tags=["nbval-ignore-output"]
of_tokens, of_wins = is_content.float().mean(), wins[is_content].sum() / wins.sum()
print(f"content words: {int(is_content.sum())} of {len(names)} tokens, {of_tokens:.0%};", end=" ")
print(f"they win {int(wins[is_content].sum())} of {int(wins.sum())} dimensions, {of_wins:.0%}")
shows(
    100 * float(of_wins - of_tokens),
    margin=10,
    more="Content words win {by:.0f} points more of the dimensions than they have of the tokens: here "
    "MAX listens to meaning.",
    less="Content words win {by:.0f} points less of the dimensions than they have of the tokens: the "
    "small tokens speak louder.",
    same="Content words win about the share of the dimensions that they have of the tokens: MAX "
    "collects peaks, wherever they are, and does not look for meaning.",
)
you_said(guess_winner, names[int(wins.argmax())])

# %%
plots.show(
    figures.max_picks(names, vectors),
    caption="Black dots mark the winner of each dimension, bars count the wins. Some go to the full "
    "stop, to [SEP] and to small words.",
    alt="Left: a table of values, tokens by the first 32 dimensions, one black dot per column on "
    "the largest value. Right: bars with the number of dimensions that each token wins.",
)

# %% [markdown]
# This is one sentence, an example, not a proof: put in your own and count again.

# %% [markdown]
# <a id="q-which-layer-which-tokens"></a>
# **Which layer, and which tokens? Are the special tokens averaged in?** In SBERT all three poolings
# read the *last* layer. CLS is the first token's vector as it stands, without the extra dense layer
# that BERT puts on it for its next-sentence task. MEAN and MAX take every token whose mask is 1,
# and that includes `[CLS]` and `[SEP]`.
#
# How much does it matter? The cosine (1: same direction) with the standard MEAN vector of the scene
# above:

# %% tags=["nbval-ignore-output"]
output = encoder.backbone(input_ids=ids, output_hidden_states=True)
layers = output.hidden_states  # the input and four layers, each (1, T, H)
standard = layers[-1][0].mean(dim=0)
variants = {
    "MEAN without [CLS] and [SEP]": layers[-1][0, 1:-1].mean(dim=0),
    "MEAN of the second-last layer": layers[-2][0].mean(dim=0),
    "CLS": layers[-1][0, 0],
    "MAX": layers[-1][0].max(dim=0).values,
}
for name, variant in variants.items():
    print(f"{name:30} {float(torch.cosine_similarity(standard, variant, dim=0)):.2f}")

# %% [markdown]
# The nearer to 1, the less the choice matters: two more votes among many change little, another
# layer or another pooling gives quite another vector. This matters when you compare numbers: the paper's rows for *raw* BERT came from a service that pools the second-last layer
# unless told otherwise, so "averaged BERT" in two papers may be two different things.
#
# **Which pooling is better, then?** Here are the three poolings of this very encoder, untrained, on
# the real pairs of STSb, as recorded for Table 6: the Spearman (how well the order of the cosines
# agrees with the order of people's scores, times 100).

# %%
recorded = open_table(6, "real")
came_from(recorded)
raw = {how: recorded.mean(f"raw BERT {how}", "stsb dev") for how in ("MEAN", "MAX", "CLS")}
print(", ".join(f"{how} {score:.1f}" for how, score in raw.items()))
best, second, _ = sorted(raw, key=raw.get, reverse=True)
shows(
    raw[best] - raw[second],
    margin=1,
    more=f"{best} is best, {{by:.1f}} points above {second}.",
    less="",
    same=f"{best} and {second} are less than a point apart.",
)

# %% [markdown]
# Training can change that order, and the paper says that it does: [notebook
# 13](13_ablations.ipynb) trains all three, with two objectives.

# %% [markdown]
# ### Exercise 3 · Two sentences, one vector (2 points)
#
# Pooling is not the first step that loses information. Find two **different** sentences (not just
# in their white space) to which mini-bert gives the *identical* vector. Everyone's answer
# will differ. Hint: go back to section 1 and ask at each step what cannot be undone.

# %% id="02-twins" tags=["exercise", "points:2"]
first = second = None
### BEGIN SOLUTION
first = "The plumber from the US left early."
second = "The plumber from the us left early."  # lower-casing threw the country away
### END SOLUTION
twins = (first, second)

# %% id="02-twins-check" tags=["test", "points:2"]
checks.same_vector(first, second)

# %% [markdown]
# ### Explain your number (3 points, read by a person)
#
# Your own sentence from section 1, with 16 padding tokens and without the mask in the pooling:

# %% tags=["nbval-ignore-output"]
truth = embed(0, True, True, my_sentence)
print(f"{my_sentence!r} moves by {shift(embed(16, True, False, my_sentence), truth):.0f} %")

# %% [markdown]
# Say in three or four sentences: how large is the shift, would a sentence of forty words move more
# or less under the same 16 padding tokens, and why does a test with one sentence at a time never
# find this bug?

# %% [markdown] id="02-explain" tags=["manual", "points:3"]
# ### BEGIN SOLUTION
# Rubric, one point each: (1) a number that the cell gives for the sentence that is named; (2) the
# longer sentence moves less, because 16 padding votes stand against forty-odd real ones instead of
# a handful; (3) a single sentence has no padding (B = 1, T = its own length), so masked and
# unmasked mean are the same.
# ### END SOLUTION

# %% [markdown]
# ## Recap
#
# A sentence becomes pieces, ids and a mask, and the model returns one vector per cell, padding
# included. CLS takes the first cell, MEAN averages the real ones, MAX takes the largest real value
# per dimension. Forget the mask, or write into the model's output, and nothing crashes: the numbers
# are just wrong.
#
# ## Questions
#
# <details><summary>1. Why does CLS pooling need no mask, and does that make it safe from
# padding?</summary>
#
# The first cell is always real, so the pooling cannot read padding. But if the <em>model</em> gets
# no mask, the first token still pays attention to padding and its vector moves.
# </details>
#
# <details><summary>2. Your MEAN divides the masked sum by T instead of the number of real tokens.
# Does the cosine notice?</summary>
#
# No: every vector is only shortened by a factor, and the cosine ignores lengths. Euclidean and
# Manhattan distance and the dot product do notice.
# </details>
#
# <details><summary>3. Why is multiplying by the mask right before a sum and wrong before a
# maximum?</summary>
#
# 0 is neutral for a sum. For a maximum the neutral value is minus infinity; 0 beats every negative
# value.
# </details>
#
# <details><summary>4. Is MEAN pooling a bag of words, since it forgets the order?</summary>
#
# The mean forgets the order of the <em>vectors</em>, but each vector was computed with its position
# and its neighbours in view. "Dog bites man" and "man bites dog" get different vectors; averaged
# word vectors, in the next notebook, cannot tell them apart.
# </details>
#
# **Next:** [03_raw_embeddings](03_raw_embeddings.ipynb). We have a vector per sentence. Is it any
# good?
