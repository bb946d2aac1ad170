# %% [markdown]
# # Appendix: how much PyTorch do I need?
#
# After this page you will be able to
#
# - say the shape of a tensor before you print it, and of a result before you compute it;
# - average a padded batch with a mask, in one line of broadcasting;
# - tell what `softmax` and `backward` did, and check both by hand.
#
# *MINUTES minutes, a few seconds of computing, any profile. No section of the paper: this is what
# notebooks 00 to 17 take for granted.* Five ideas, each one small enough to verify by hand. If
# you answered all five questions of the self-test in notebook 00, you can skip this page.

# %% tags=["setup"]
setup("A1_pytorch_refresher", study_minutes=MINUTES, computing_seconds=5)

import torch

from sbert_lab.course import plots

# %% [markdown]
# <a id="shape"></a>
# ## 1. A tensor is numbers with a shape
#
# Four letters are enough for the whole course: `B` sentences in a batch, `T` tokens in each, `H`
# numbers for each token, `K` labels. A batch of token vectors has the shape `(B, T, H)`.
#
# **Predict.** Here `B, T, H = 2, 3, 4`. What shape is left after `sum(dim=1)`? Write it as a
# tuple.

# %%
guess_shape = None  # your guess, for example (2, 3)

# %%
B, T, H = 2, 3, 4
tokens = torch.arange(B * T * H, dtype=torch.float32).reshape(B, T, H)
print("tokens:          ", tuple(tokens.shape))
print("first sentence:  ", tuple(tokens[0].shape))
print("all first tokens:", tuple(tokens[:, 0].shape))
you_said(guess_shape, tuple(tokens.sum(dim=1).shape))

# %% [markdown]
# The dimension that you name disappears. `sum(dim=1)` adds up over the tokens, so each of the `B`
# sentences keeps one vector of `H` numbers. `keepdim=True` would leave a 1 in its place: `(B, 1,
# H)`.

# %% [markdown]
# <a id="broadcasting"></a>
# ## 2. Broadcasting: a 1 stretches
#
# Two shapes fit if, read from the right, each pair of sizes is equal or one of them is 1 (or
# missing). The 1 is stretched without copying anything.
#
# **Predict.** We compare `u` with the shape `(2, 1, 4)` and `v` with `(1, 3, 4)`. What is the
# shape of `u - v`?

# %%
guess_difference = None  # your guess

# %%
u = torch.ones(2, 1, 4)
v = torch.zeros(1, 3, 4)
you_said(guess_difference, tuple((u - v).shape))

# %% [markdown]
# Every `u` met every `v`: that is how all distances between two sets of sentences come out of one
# line. What does not fit is an error, and the message names the sizes. The dangerous case is the
# one that fits by accident:

# %%
scores = torch.tensor([1.0, 2.0, 3.0])  # (3,)
gold = torch.tensor([[1.0], [2.0], [3.0]])  # (3, 1)
print("difference:   ", tuple((scores - gold).shape), "where (3,) was meant")
print("loss as meant:", ((scores - gold.squeeze(1)) ** 2).mean().item())
print("loss as typed:", round(((scores - gold) ** 2).mean().item(), 2))

# %% [markdown]
# No error, no warning, a wrong loss. So print shapes when a loss looks odd.

# %% [markdown]
# <a id="mask"></a>
# ## 3. A mask says which numbers count
#
# Sentences differ in length, tensors do not: short sentences are filled up with padding. The
# attention mask has a 1 for each real token and a 0 for each padding token, with the shape `(B,
# T)`.
#
# **Predict.** One sentence has the token values 2 and 4, then two padding tokens that hold 9
# each. What is its mean if the padding counts, and what if it does not?

# %%
guess_plain, guess_masked = None, None  # your guesses

# %%
values = torch.tensor([[[2.0], [4.0], [9.0], [9.0]]])  # (B, T, H) = (1, 4, 1)
mask = torch.tensor([[1, 1, 0, 0]])  # (B, T)
weights = mask.unsqueeze(-1)  # (B, T, 1): the 1 stretches over H
masked_mean = (values * weights).sum(dim=1) / weights.sum(dim=1)  # (B, H)
you_said(guess_plain, values.mean(dim=1).item())
you_said(guess_masked, masked_mean.item())

# %% [markdown]
# Multiplying by the mask removes the padding from the sum, and dividing by the mask's own sum
# counts real tokens only. You need both. For a maximum, a product with 0 would not do: 0 is
# larger than any negative number, so padding is set to minus infinity instead. Notebook 02 shows
# what goes wrong otherwise.

# %% [markdown]
# <a id="softmax"></a>
# ## 4. Softmax turns scores into shares
#
# `softmax` raises $e$ to each score and divides by the total, so the shares are positive and add
# up to 1. `dim` names the dimension that adds up to 1: for scores `(B, K)` that is the last one.
#
# **Predict.** The scores are 0, 1 and 2. We add 10 to each of them. Does the largest share grow,
# shrink or stay?

# %%
guess_shift = None  # "grows", "shrinks" or "stays"

# %%
scores = torch.tensor([0.0, 1.0, 2.0])
by_hand = scores.exp() / scores.exp().sum()
shares = scores.softmax(dim=-1)
torch.testing.assert_close(by_hand, shares)
shifted = (scores + 10).softmax(dim=-1)
print("shares:", [round(share, 2) for share in shares.tolist()])
you_said(guess_shift, "stays" if torch.allclose(shares, shifted) else "changes")

# %% [markdown]
# Only differences between scores matter. Stretching them does change the shares: scores twice as far
# apart give a much more decided answer.

# %%
figure, axes = plots.new(6, 2.8)
for shift, factor in ((-0.2, 1), (0.2, 2)):
    heights = (factor * scores).softmax(dim=-1).tolist()
    bars = axes.bar([k + shift for k in range(3)], heights, width=0.38, label=f"scores x {factor}")
    axes.bar_label(bars, fmt="%.2f", fontsize=9)
axes.set_xticks(range(3), ["score 0", "score 1", "score 2"])
axes.set(ylabel="share (softmax)", ylim=(0, 1))
axes.legend(loc="upper left")
plots.show(
    axes,
    caption="Doubling the scores leaves their order alone and gives the winner more of the total.",
    alt="Bars of the softmax shares of three scores: 0.09, 0.24 and 0.67; with doubled scores "
    "0.02, 0.12 and 0.87.",
)

# %% [markdown]
# <a id="autograd"></a>
# ## 5. Autograd: who is to blame for the loss?
#
# A tensor with `requires_grad=True` remembers what was done with it. `loss.backward()` then walks
# back through these steps and leaves, in `.grad`, how much the loss would change for a small
# change of each number.
#
# **Predict.** The loss is $(3w - 6)^2$ and $w = 1$. What is the gradient? Should $w$ grow or
# shrink?

# %%
guess_gradient = None  # your guess

# %%
w = torch.tensor(1.0, requires_grad=True)
loss = (3 * w - 6) ** 2
loss.backward()
you_said(guess_gradient, w.grad)
step = 1e-3
nudged = (3 * (1 + step) - 6) ** 2
print(f"by nudging w a little: {(nudged - loss.item()) / step:.1f}")

# %% [markdown]
# By hand: $2 \cdot (3w - 6) \cdot 3 = -18$. The gradient is negative, so the loss falls when $w$
# grows. Gradients **add up** until you clear them, which is why every training loop has a line
# for that:

# %%
w = torch.tensor(1.0, requires_grad=True)
optimizer = torch.optim.SGD([w], lr=0.02)
for number in range(1, 6):
    optimizer.zero_grad()  # forget the gradients of the step before
    loss = (3 * w - 6) ** 2
    loss.backward()  # fill w.grad
    optimizer.step()  # move w against its gradient
    print(f"step {number}: loss {loss.item():.2f}, w is now {w.item():.2f}")

# %% [markdown]
# Those four lines are the heart of notebook 04. When you only want vectors and no training, say
# `with torch.no_grad():` (or `torch.inference_mode()`), and nothing is remembered: faster, and
# lighter on memory.

# %% [markdown]
# ## Recap
#
# A shape tells which dimension means what. The dimension you name in `sum` or `mean` disappears; the
# one you name in `softmax` stays, and its numbers add up to 1. A mask with a 1 at its end broadcasts
# over the hidden size, and a masked mean divides by the mask's sum. `backward` adds gradients to
# `.grad`, so they are cleared before each step.
#
# ## Questions
#
# <details><summary>1. <code>embeddings</code> has the shape (B, H). What is the shape of
# <code>embeddings @ embeddings.T</code>, and what is in it?</summary>
#
# `(B, B)`: the dot product of every sentence with every other, each sentence with itself on the
# diagonal.
# </details>
#
# <details><summary>2. Why <code>mask.unsqueeze(-1)</code> and not just
# <code>mask</code>?</summary>
#
# `(B, T, H)` times `(B, T)` lines up `H` with `T` and `T` with `B`: an error, or, if the sizes happen
# to fit, silently wrong. `(B, T, 1)` lines up as meant.
# </details>
#
# <details><summary>3. What do the columns of <code>softmax(dim=0)</code> of a (B, K) tensor add
# up to, and is that what a classifier needs?</summary>
#
# To 1 over the batch. A classifier needs 1 over the labels, `dim=-1`: one sentence's answer must
# not depend on its neighbours in the batch.
# </details>
#
# <details><summary>4. You call <code>loss.backward()</code> for two batches and then
# <code>optimizer.step()</code> once. Is that a mistake?</summary>
#
# Not if you mean it: gradients add up, so it acts like one batch of twice the size (its loss
# summed, not averaged). It is called gradient accumulation. Forgetting `zero_grad` does the same
# by accident, for ever.
# </details>
#
# **Next:** back to [notebook 00](00_start_here.ipynb), or on to [01: why not just use
# BERT?](01_the_cost_of_comparing.ipynb)
