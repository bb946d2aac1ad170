"""The checks of notebook 17: right answers pass in any style, known wrong ones get their hint."""

import numpy as np
import pytest
import torch
from torch.nn import functional as F

from sbert_lab.course import nb17
from sbert_lab.course.diagnose import CORRECT, NOT_ATTEMPTED, verdict_of
from sbert_lab.objectives import in_batch_negatives_loss

# ---- in-batch negatives


def logits_of(u, v, twins, scale):
    return (scale * F.cosine_similarity(u[:, None], v[None], dim=-1)).masked_fill(twins, -torch.inf)


def right_loss(u, v, twins, scale=20.0):
    return F.cross_entropy(logits_of(u, v, twins, scale), torch.arange(len(u)))


def test_the_loss_passes_in_torch_and_by_hand_in_numpy():
    def by_hand(u, v, twins, scale=20.0):
        u, v = (x.double().numpy() for x in (u, v))
        total = 0.0
        for i in range(len(u)):
            cosines = v @ u[i] / np.linalg.norm(v, axis=1) / np.linalg.norm(u[i])
            powers = np.where(twins[i].numpy(), 0, np.exp(scale * cosines))
            total -= np.log(powers[i] / powers.sum())
        return total / len(u)

    assert verdict_of(nb17.in_batch_loss, right_loss) == CORRECT
    assert verdict_of(nb17.in_batch_loss, by_hand) == CORRECT


def test_without_twins_the_answer_is_the_packages_loss():
    u, v, twins = nb17._batch()
    nobody = torch.zeros_like(twins)
    torch.testing.assert_close(right_loss(u, v, nobody), in_batch_negatives_loss(u, v))


def zeros_for_labels(u, v, twins, scale):
    return F.cross_entropy(logits_of(u, v, twins, scale), torch.zeros(len(u), dtype=torch.long))


def dot_products(u, v, twins, scale):
    logits = (scale * u @ v.T).masked_fill(twins, -torch.inf)
    return F.cross_entropy(logits, torch.arange(len(u)))


def zero_at_twins(u, v, twins, scale):
    logits = logits_of(u, v, torch.zeros_like(twins), scale).masked_fill(twins, 0)
    return F.cross_entropy(logits, torch.arange(len(u)))


def columns_choose(u, v, twins, scale):
    return F.cross_entropy(logits_of(u, v, twins, scale).T, torch.arange(len(u)))


def masks_itself(u, v, twins, scale):
    own = twins | torch.eye(len(u), dtype=torch.bool)
    return F.cross_entropy(logits_of(u, v, own, scale), torch.arange(len(u)))


def share(u, v, twins, scale):
    return torch.softmax(logits_of(u, v, twins, scale), dim=1).diag().mean()


def changes_its_input(u, v, twins, scale):
    v *= 2
    return right_loss(u, v, twins, scale)


def six_only(u, v, twins, scale):
    labels = torch.tensor([0, 1, 2, 3, 4, 5])[: len(u)] * (len(u) == 6)
    return F.cross_entropy(logits_of(u, v, twins, scale), labels)


@pytest.mark.parametrize(
    ("answer", "hint"),
    [
        (lambda u, v, t, s: right_loss(u, v, t, 1.0), "there is no scale"),
        (lambda u, v, t, s: right_loss(u, v, t, 1 / s), "you divided by the scale"),
        (zeros_for_labels, "they are arange(B)"),
        (lambda u, v, t, s: in_batch_negatives_loss(u, v, s), "a twin in the batch still counts"),
        (zero_at_twins, "only -inf gives it none"),
        (dot_products, "dot products"),
        (columns_choose, "you ask each v for its u"),
        (lambda u, v, t, s: 6 * right_loss(u, v, t, s), "take the mean"),
        (lambda u, v, t, s: -right_loss(u, v, t, s), "the sign"),
        (share, "negative logarithm"),
        (masks_itself, "right answer"),
        (lambda u, v, t, s: right_loss(u, v, t, 20.0), "not for 5"),
        (six_only, "not for three"),
        (changes_its_input, "work on a copy"),
        (lambda u, v, t, s: 0.123, "four steps"),
        (lambda u, v, t, s: logits_of(u, v, t, s), "one number"),
    ],
)
def test_a_wrong_loss_gets_its_hint(answer, hint):
    assert hint in verdict_of(nb17.in_batch_loss, answer)


def test_the_loss_stub_is_not_attempted():
    def in_batch_loss(u, v, twins, scale=20.0): ...

    assert verdict_of(nb17.in_batch_loss, in_batch_loss) == NOT_ATTEMPTED


# ---- a prediction

GOOD = {"metric": "sts", "low": 55, "high": 65, "why": "raw has 59 and training may help"}


def judged(answer, folder):
    return verdict_of(nb17.prediction, answer, run_dir=folder / "run", metrics=("sts", "sections"))


def test_a_prediction_before_training_passes_and_may_be_changed_until_then(tmp_path):
    assert judged(GOOD, tmp_path) == CORRECT
    assert judged({**GOOD, "low": 50.5, "metric": "sections"}, tmp_path) == CORRECT


def test_a_prediction_after_training_is_a_memory(tmp_path):
    (tmp_path / "run").mkdir()
    assert "a memory, not a prediction" in judged(GOOD, tmp_path)


def test_a_prediction_changed_after_training_is_refused_and_the_first_one_still_passes(tmp_path):
    assert judged(GOOD, tmp_path) == CORRECT
    (tmp_path / "run").mkdir()
    assert "not what you wrote before training" in judged({**GOOD, "high": 70}, tmp_path)
    assert judged(GOOD, tmp_path) == CORRECT


@pytest.mark.parametrize(
    ("changed", "hint"),
    [
        ({"metric": "loss"}, "no metric of ours"),
        ({"low": 65, "high": 55}, "low must lie below high"),
        ({"low": 0.5, "high": 0.6}, "in points"),
        ({"low": 0, "high": 100}, "can hardly be wrong"),
        ({"why": "feeling"}, "why this range"),
        ({"low": "many"}, "one number"),
    ],
)
def test_a_prediction_that_says_nothing_gets_its_hint(changed, hint, tmp_path):
    assert hint in judged({**GOOD, **changed}, tmp_path)
    assert not list(tmp_path.iterdir())  # nothing sealed


def test_the_prediction_stub_is_not_attempted(tmp_path):
    assert judged(None, tmp_path) == NOT_ATTEMPTED
    empty = {"metric": None, "low": None, "high": None, "why": ""}
    assert judged(empty, tmp_path) == NOT_ATTEMPTED
    assert "a dictionary is needed" in judged([55, 65], tmp_path)


# ---- five pairs

PAIRS = [
    ("negation", "The shop is open today.", "The shop is not open today."),
    ("negation", "He will come back.", "He won't come back."),
    ("number", "Two boats left the harbour.", "Seven boats left the harbour."),
    ("number", "The train leaves at 9.", "The train leaves at 4."),
    ("role swap", "The cat chased the dog.", "The dog chased the cat."),
]


def letters(sentences):
    """Counts of letters: fooled by nearly everything."""
    return np.array([[s.lower().count(c) for c in "abcdefghijklmnopqrstuvwxyz"] for s in sentences])


def lengths(sentences):
    return np.array([[len(s), 20.0] for s in sentences])


def scored(pairs, encode=letters):
    rows = [(*pair, 0.0) for pair in pairs]
    values = nb17._cosines_of(encode, rows)
    return [(*pair, float(value)) for pair, value in zip(pairs, values, strict=True)]


def fooled(answer, line=0.5):
    others = {"raw mini-bert": lengths}
    return verdict_of(nb17.five_pairs, answer, encode=letters, line=line, others=others)


def test_five_own_pairs_pass_as_tuples_and_as_rounded_lists():
    assert fooled(scored(PAIRS)) == CORRECT
    rounded = [[*row[:3], round(row[3], 3)] for row in scored(PAIRS[::-1])]
    assert fooled(rounded) == CORRECT


def replaced(number, pair):
    return scored([*PAIRS[:number], pair, *PAIRS[number + 1 :]])


@pytest.mark.parametrize(
    ("answer", "hint"),
    [
        (scored(PAIRS, lengths), "scores of raw mini-bert, not of the encoder that you trained"),
        ([(*row[:3], 0.1) for row in scored(PAIRS)], "your encoder says"),
        (scored(PAIRS)[:4], "a list of five rows"),
        (scored([*PAIRS[:4], PAIRS[0]]), "one is there twice"),
        (replaced(4, ("synonym", "A big dog.", "A large dog.")), "'synonym' is no kind"),
        (replaced(4, PAIRS[0][:1] + ("It is late.", "It isn't late.")), "no pair of the kind"),
        (replaced(0, ("negation", "It is open.", "It is shut.")), "must deny something"),
        (replaced(2, ("number", "Two boats.", "Two ships.")), "the numbers are the same"),
        (replaced(4, ("role swap", "A cat ran.", "A dog ran.")), "same words in another order"),
        (replaced(4, ("role swap", "A cat ran.", "A cat ran!")), "in the same order"),
        (5, "a list of five rows"),
    ],
)
def test_wrong_pairs_get_their_hint(answer, hint):
    assert hint in fooled(answer)


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("She is fifteen.", "She is sixteen."),
        ("He came 3rd.", "He came 4th."),
        ("It weighs 5kg.", "It weighs 50kg."),
        ("The 30s were hard.", "The 40s were hard."),
        ("It costs 2.5 euros.", "It costs 5.2 euros."),
        ("She paid 1,000 euros.", "She paid 9,000 euros."),
        ("It took a dozen eggs.", "It took two dozen eggs."),
        ("She won twenty-five races.", "She won twenty-six races."),
        ("Wait a second.", "Wait two seconds."),
        ("He came first.", "He came third."),
    ],
)
def test_numbers_in_any_form_may_differ(first, second):
    assert fooled(replaced(2, ("number", first, second))) == CORRECT


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("She has two cats.", "She has 2 cats."),
        ("She has twenty-five cats.", "She has 25 cats."),
        ("It weighs 5kg.", "It weighs five kilos."),
        ("It cost two hundred euros.", "It cost 200 euros."),
        ("It cost 3 million.", "It cost 3,000,000."),
        ("He came 3rd.", "He came third."),
        ("They are twelve.", "They are a dozen."),
    ],
)
def test_the_same_number_written_otherwise_is_no_other_number(first, second):
    assert "the numbers are the same" in fooled(replaced(2, ("number", first, second)))


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("It isn’t open.", "It is open."),
        ("It is nowhere open.", "It is open."),
        ("He hardly sleeps.", "He sleeps."),
        ("He can swim.", "He cannot swim."),
    ],
)
def test_negations_in_any_form_count(first, second):
    assert fooled(replaced(0, ("negation", first, second))) == CORRECT


def test_a_pair_below_the_line_does_not_fool():
    assert "does not fool it" in fooled(scored(PAIRS), line=0.99999)


def test_the_pairs_stub_is_not_attempted():
    assert fooled(None) == NOT_ATTEMPTED


# ---- the same vectors in sentence-transformers


def opened(folder):
    from sentence_transformers import SentenceTransformer

    return SentenceTransformer(str(folder), device="cpu")


def right_difference(encoder, folder, sentences):
    encoder.save(folder)
    return float(np.abs(encoder.encode(sentences) - opened(folder).encode(sentences)).max())


def in_torch(encoder, folder, sentences):
    other = opened(encoder.save(folder)).encode(sentences, convert_to_tensor=True)
    return (torch.from_numpy(encoder.encode(sentences)) - other).abs().max()


def left_in_train_mode(encoder, folder, sentences):
    encoder.save(folder)
    torch.manual_seed(0)
    with torch.no_grad():
        own = encoder(**encoder.collate(sentences)).numpy()
    return np.abs(own - opened(folder).encode(sentences)).max()


def backbone_only(encoder, folder, sentences):
    encoder.backbone.save_pretrained(folder)
    encoder.tokenizer.save_pretrained(folder)
    return np.abs(encoder.encode(sentences) - opened(folder).encode(sentences)).max()


def compares_with_itself(encoder, folder, sentences):
    encoder.save(folder)
    return np.abs(encoder.encode(sentences) - encoder.encode(sentences)).max()


@pytest.mark.reference
@pytest.mark.parametrize("answer", [right_difference, in_torch])
def test_equal_vectors_pass(answer):
    assert verdict_of(nb17.largest_difference, answer) == CORRECT


@pytest.mark.reference
@pytest.mark.parametrize(
    ("answer", "hint"),
    [
        (left_in_train_mode, "still in train mode"),
        (backbone_only, "the pooling is missing"),
        (compares_with_itself, "off by 0.5 passes as equal"),
        (lambda encoder, folder, sentences: 0.0, "nothing was saved"),
    ],
)
def test_a_wrong_comparison_gets_its_hint(answer, hint):
    assert hint in verdict_of(nb17.largest_difference, answer)


def test_the_difference_stub_is_not_attempted():
    def largest_difference(encoder, folder, sentences): ...

    assert verdict_of(nb17.largest_difference, largest_difference) == NOT_ATTEMPTED
