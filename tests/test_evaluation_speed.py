"""Speed: padding is counted exactly, plans lose no sentence, times are taken in turn."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sbert_lab.encoding import plan_batches
from sbert_lab.errors import InputError
from sbert_lab.experiments.evaluation import speed

LENGTHS = [3, 9, 4, 8, 5, 7]
SENTENCES = [
    "A man is playing a guitar.",
    "Rain.",
    "The old harbour was rebuilt after the great storm of the last century.",
    "Nobody came.",
    "How long should I boil an egg if I like the yolk soft?",
]
counts = st.lists(st.integers(1, 60), min_size=1, max_size=80)


@pytest.fixture(scope="module")
def encoder():
    from sbert_lab.encoder import SentenceEncoder

    return SentenceEncoder.load("mini-bert", device="cpu")


# ---- counting


def test_padding_of_six_sentences_is_as_counted_by_hand():
    given_order = speed.count_padding(LENGTHS, speed.in_order(LENGTHS, 2))
    assert (given_order.real, given_order.computed, given_order.batches) == (36, 48, 3)
    assert given_order.share == pytest.approx(0.25)
    by_length = speed.count_padding(LENGTHS, speed.by_length(LENGTHS, 2))
    assert by_length.computed == 2 * 9 + 2 * 7 + 2 * 4
    fixed = speed.count_padding(LENGTHS, speed.in_order(LENGTHS, 2), width=10)
    assert fixed.computed == 60


def test_the_share_is_a_ratio_of_totals_and_not_a_mean_of_ratios():
    lengths = [2, 10, 3]  # batches of 20 and 3 tokens, with 8 and 0 of padding
    share = speed.count_padding(lengths, speed.in_order(lengths, 2)).share
    assert share == pytest.approx(8 / 23)
    assert share != pytest.approx((8 / 20 + 0 / 3) / 2)


@settings(deadline=None)
@given(counts, st.integers(1, 40))
def test_every_plan_holds_each_sentence_exactly_once(lengths, size):
    plans = (speed.in_order(lengths, size), speed.by_length(lengths, size))
    for batches in (*plans, plan_batches(lengths, token_budget=64)):
        rows = np.concatenate(batches)
        assert sorted(rows.tolist()) == list(range(len(lengths)))


@settings(deadline=None)
@given(counts, st.integers(1, 9), st.randoms(use_true_random=False))
def test_with_full_batches_sorting_never_computes_more_than_another_order(lengths, size, random):
    lengths = lengths * size  # a last, shorter batch may turn it round: [1, 1, 2] in twos
    random.shuffle(lengths)
    given_order = speed.count_padding(lengths, speed.in_order(lengths, size))
    by_length = speed.count_padding(lengths, speed.by_length(lengths, size))
    assert by_length.real <= by_length.computed <= given_order.computed


@settings(deadline=None)
@given(counts)
def test_the_count_is_what_the_package_really_pads(lengths):
    from sbert_lab.encoding import pad

    batches = speed.in_order(lengths, 7)
    made = sum(pad([[1] * lengths[i] for i in batch], 0)[0].numel() for batch in batches)
    assert speed.count_padding(lengths, batches).computed == made


def test_a_batch_of_one_needs_no_padding():
    assert speed.count_padding(LENGTHS, speed.in_order(LENGTHS, 1)).share == 0


@pytest.mark.parametrize(
    ("lengths", "batches", "given", "message"),
    [
        ([], [[0]], {}, "one token count per sentence"),
        ([3, 0], [[0, 1]], {}, "at least 1"),
        ([3, float("nan")], [[0, 1]], {}, "whole numbers"),
        ([3, 4], [[0], [0]], {}, "exactly one batch"),
        ([3, 4], [[0]], {}, "exactly one batch"),
        ([3, 40], [[0, 1]], {"width": 10}, "too small for a sentence of 40"),
    ],
)
def test_what_cannot_be_counted_is_refused(lengths, batches, given, message):
    with pytest.raises(InputError, match=message):
        speed.count_padding(lengths, batches, **given)


def test_a_batch_size_of_zero_is_refused():
    with pytest.raises(InputError, match="batch_size must be at least 1"):
        speed.by_length(LENGTHS, 0)


# ---- encoding


@pytest.mark.parametrize("width", [None, 64])
@pytest.mark.parametrize("plan", [speed.in_order, speed.by_length])
def test_every_plan_gives_the_vectors_of_encode_in_the_same_order(encoder, plan, width):
    def small(lengths):
        return plan(lengths, 2)

    vectors = speed.encode_with(encoder, small, width=width)(SENTENCES)
    np.testing.assert_allclose(vectors, encoder.encode(SENTENCES), atol=1e-5)


def test_a_width_below_the_longest_sentence_is_refused(encoder):
    with pytest.raises(InputError, match="width 4 is too small"):
        speed.encode_with(encoder, speed.in_order, width=4)(SENTENCES)


# ---- timing


class FakeClock:
    """A clock that only moves when a system works: no sleeping, no luck."""

    def __init__(self):
        self.now, self.calls = 0.0, []

    def __call__(self):
        return self.now

    def system(self, name, seconds_per_sentence):
        def encode(sentences):
            self.now += seconds_per_sentence * len(sentences)
            self.calls.append((name, len(sentences)))
            return np.zeros((len(sentences), 2))

        return encode


def test_rates_are_sentences_by_seconds_and_rounds_take_turns():
    clock = FakeClock()
    systems = {name: clock.system(name, cost) for name, cost in (("a", 0.01), ("b", 0.1))}
    found = speed.measure(systems, SENTENCES, rounds=3, clock=clock)
    assert found["a"].rates == pytest.approx([100] * 3)
    assert found["b"].median == pytest.approx(10)
    assert speed.ratio(found["a"], found["b"]) == pytest.approx([10] * 3)
    names = [name for name, _ in clock.calls]
    for start in range(0, len(names), 2):  # the warm-up and each round: everybody once
        assert sorted(names[start : start + 2]) == ["a", "b"]


def test_the_order_within_a_round_changes_and_is_fixed_by_the_seed():
    def order(seed):
        clock = FakeClock()
        systems = {name: clock.system(name, 0.1) for name in "abcd"}
        speed.measure(systems, SENTENCES, rounds=6, seed=seed, clock=clock)
        names = [name for name, _ in clock.calls][4:]
        return ["".join(names[i : i + 4]) for i in range(0, len(names), 4)]

    assert len(set(order(1))) > 1
    assert order(1) == order(1) != order(2)


def test_a_slow_system_may_get_fewer_sentences_and_its_rate_is_still_per_sentence():
    clock = FakeClock()
    systems = {"a": clock.system("a", 0.5), "b": clock.system("b", 0.5)}
    found = speed.measure(systems, SENTENCES * 4, rounds=2, at_most={"b": 3}, clock=clock)
    assert (found["a"].sentences, found["b"].sentences) == (20, 3)
    assert found["a"].median == pytest.approx(found["b"].median)


def test_sentences_are_taken_evenly_and_in_order():
    assert speed.take_evenly("abcdefghi", 3) == ["a", "e", "i"]
    assert speed.take_evenly("abc", None) == speed.take_evenly("abc", 9) == ["a", "b", "c"]


@pytest.mark.parametrize(
    ("systems", "sentences", "rounds", "message"),
    [
        ({}, SENTENCES, 1, "0 systems"),
        ({"a": len}, [], 1, "0 sentences"),
        ({"a": len}, SENTENCES, 0, "0 rounds"),
        ({"a": lambda s: np.zeros((1, 2))}, SENTENCES, 1, "one vector per sentence"),
        ({"a": lambda s: np.full((len(s), 2), np.nan)}, SENTENCES, 1, "NaN or infinity"),
    ],
)
def test_what_cannot_be_timed_is_refused(systems, sentences, rounds, message):
    with pytest.raises(InputError, match=message):
        speed.measure(systems, sentences, rounds=rounds)


def test_a_time_of_zero_is_refused_and_never_an_infinite_rate():
    clock = FakeClock()
    with pytest.raises(InputError, match="give more sentences"):
        speed.measure({"a": clock.system("a", 0.0)}, SENTENCES, clock=clock)


def test_rates_of_different_measurements_are_not_paired():
    with pytest.raises(InputError, match="one measurement"):
        speed.ratio(speed.Speed(np.ones(2), 5), speed.Speed(np.ones(3), 5))


def test_the_clock_waits_for_the_gpu(monkeypatch):
    import torch

    events = []
    monkeypatch.setattr(torch.cuda, "synchronize", lambda: events.append("wait"))

    def encode(sentences):
        events.append("work")
        return np.zeros((len(sentences), 2))

    speed.measure({"a": encode}, SENTENCES, rounds=1, device="cuda")
    assert events == ["work", "wait", "work", "wait"]
