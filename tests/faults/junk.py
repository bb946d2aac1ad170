"""What people (and other programs) hand in: odd texts, odd numbers, odd shapes, odd types."""

import random

import numpy as np
import torch
from hypothesis import strategies as st

ODD_TEXTS = [
    "", " ", "\t\n", "\x00", "a\x00b", "\ud800", "\udfff tail", "👩‍👩‍👧‍👦🏳️‍🌈", "שלום עולם",
    "\u202eabc\u202c", "مرحبا", "a\u0301" * 40, "\u2028", "\ufeff", "ﬁ½", "İ", "[CLS] [SEP] [PAD]",
    "../../etc/passwd", "; rm -rf /", "{}", "%s%n", "NaN", "-0", "1e999", "'" * 99, "x" * 5000,
]  # fmt: skip
MEGABYTE = "word " * 200_000
characters = st.characters(codec=None)  # lone surrogates, too
texts = st.one_of(st.sampled_from(ODD_TEXTS), st.text(characters, max_size=40))
floats = st.one_of(
    st.floats(), st.sampled_from([float("nan"), float("inf"), -0.0, 1e38, 1e-45, 1e300])
)
scalars = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(),
    st.integers(-2, 6),
    floats,
    texts,
    st.binary(max_size=9),
)
things = st.recursive(
    scalars,
    lambda inner: st.one_of(
        st.lists(inner, max_size=4),
        st.dictionaries(texts, inner, max_size=3),
        st.tuples(inner, inner),
        st.sets(st.integers(), max_size=3),
    ),
    max_leaves=6,
)
listed_texts = st.lists(texts, min_size=1, max_size=6)
sentences = st.one_of(listed_texts, st.lists(st.one_of(texts, scalars), max_size=5), things)
small = st.integers(-2, 7)


@st.composite
def arrays(draw, *, tensor: bool | None = None):
    """Small arrays of any shape and kind; numbers may be NaN, infinite or huge."""
    shape = draw(
        st.one_of(st.just((4, 3)), st.just((4, 3)), st.lists(st.integers(0, 4), max_size=3))
    )
    rng = np.random.default_rng(draw(st.integers(0, 9)))
    values = rng.normal(size=tuple(shape))
    kind = draw(st.sampled_from(["plain"] * 6 + ["odd", "int", "half", "zeros", "object", "huge"]))
    if kind == "odd" and values.size:
        values.flat[draw(st.integers(0, values.size - 1))] = draw(floats)
    if kind == "zeros":
        values = np.zeros_like(values)
    if kind == "huge":
        values = values * 1e37
    if kind == "object" and not tensor:
        return values.astype(object)
    types = {"int": np.int64, "half": np.float16}
    with np.errstate(all="ignore"):
        values = values.astype(types.get(kind, np.float32))
    as_tensor = draw(st.booleans()) if tensor is None else tensor
    return torch.from_numpy(np.ascontiguousarray(values)) if as_tensor else values


numbers = st.one_of(
    st.lists(st.floats(-5, 5), max_size=6), st.lists(floats, max_size=6), arrays(), things
)
rows = st.one_of(
    st.lists(
        st.fixed_dictionaries(
            {name: texts for name in ("sentence1", "sentence2", "anchor", "positive", "negative")}
            | {"label": st.integers(0, 2), "score": st.floats(0, 1)}
        ),
        min_size=1,
        max_size=4,
    ),
    st.lists(
        st.dictionaries(
            st.sampled_from(["sentence1", "sentence2", "label", "score", "anchor", "text"]), things
        ),
        max_size=4,
    ),
    things,
)


def spoiled(content: bytes, chance: random.Random) -> bytes:
    """A file with a few accidents: bytes changed, cut, doubled, or odd ones put in."""
    content = bytearray(content)
    odd = [b"\x00", b"\xff\xfe", b"\r", b"\t", b'"', b"\n\n", "\u2028".encode(), b"NaN", b"1e999",
           b"[" * 3000, b"\\ud800", b"null", b"-1", b"9" * 40, b"\xed\xa0\x80", b"{}"]  # fmt: skip
    for _ in range(chance.randint(1, 4)):
        place = chance.randint(0, len(content))
        accident = chance.randrange(4)
        if accident == 0 and content:
            content[place % len(content)] = chance.randrange(256)
        elif accident == 1:
            del content[place : place + chance.randint(1, 30)]
        elif accident == 2:
            content[place:place] = content[place : place + chance.randint(1, 30)]
        else:
            content[place:place] = chance.choice(odd)
    return bytes(content)
