"""The checks of notebook 17: right answers pass in any style; wrong ones beyond the tables."""

import numpy as np
import pytest
import torch
from conftest import expect
from torch.nn import functional as F

from sbert_lab.course import nb17
from sbert_lab.course.diagnose import CORRECT, NOT_ATTEMPTED
from sbert_lab.encoder import SentenceEncoder
from sbert_lab.objectives import in_batch_negatives_loss

# ---- in-batch negatives


def logits_of(u, v, twins, scale):
    return (scale * F.cosine_similarity(u[:, None], v[None], dim=-1)).masked_fill(twins, -torch.inf)


def in_torch(u, v, twins, scale=20.0):
    return F.cross_entropy(logits_of(u, v, twins, scale), torch.arange(len(u)))


def by_hand(u, v, twins, scale=20.0):
    total = 0.0
    for i in range(len(u)):
        powers = torch.exp(scale * (v @ u[i]) / v.norm(dim=1) / u[i].norm())
        total -= torch.log(powers[i] / powers[~twins[i]].sum())
    return total / len(u)


def with_fill(fill):
    """The loss with something else than -inf at the twins."""

    def answer(u, v, twins, scale):
        logits = scale * F.cosine_similarity(u[:, None], v[None], dim=-1)
        return F.cross_entropy(fill(logits, twins), torch.arange(len(u)))

    return answer


def changes_its_input(u, v, twins, scale):
    v *= 2
    return in_torch(u, v, twins, scale)


def six_only(u, v, twins, scale):
    labels = torch.tensor([0, 1, 2, 3, 4, 5])[: len(u)] * (len(u) == 6)
    return F.cross_entropy(logits_of(u, v, twins, scale), labels)


@pytest.mark.parametrize(
    ("answer", "line"),
    [
        (in_torch, CORRECT),
        (by_hand, CORRECT),
        (lambda *given: in_torch(*given).item(), "the gradient is lost"),
        (lambda u, v, t, s: in_torch(u, v.detach(), t, s), "only one of u and v"),
        (with_fill(lambda logits, t: logits.masked_fill(t, -20)), "still gets a share"),
        (with_fill(lambda logits, t: logits - 10 * t), "still gets a share"),
        (lambda *given: -(torch.exp(-in_torch(*given)) + 1e-6).log(), "is a number added"),
        (lambda u, v, t, s: in_torch(u, v, t, 20.0), "not for 5"),
        (six_only, "not for three"),
        (changes_its_input, "work on a copy"),
        (lambda u, v, t, s: -torch.inf, "the loss is -inf"),
        (lambda u, v, t, s: 0.123, "four steps"),
        (logits_of, "one number"),
    ],
)
def test_the_loss_passes_in_torch_and_by_hand(answer, line):
    expect(line, nb17.in_batch_loss, answer)


def test_without_twins_the_answer_is_the_packages_loss():
    u, v, twins = nb17._batch()
    nobody = torch.zeros_like(twins)
    torch.testing.assert_close(in_torch(u, v, nobody), in_batch_negatives_loss(u, v))


# ---- a prediction

GOOD = {"metric": "sts", "low": 55, "high": 65, "why": "raw has 59 and training may help"}


def predicted(line, folder, answer):
    metrics = ("sts", "sections")
    expect(line, nb17.prediction, answer, run_dir=folder / "run", metrics=metrics)


def test_a_prediction_after_training_is_a_memory(tmp_path):
    (tmp_path / "run").mkdir()
    predicted("a memory, not a prediction", tmp_path, GOOD)


def test_a_prediction_may_be_changed_until_training_and_then_the_last_one_counts(tmp_path):
    predicted(CORRECT, tmp_path, {**GOOD, "low": 50.5, "metric": "sections"})
    predicted(CORRECT, tmp_path, GOOD)
    (tmp_path / "run").mkdir()
    predicted("not what you wrote before training", tmp_path, {**GOOD, "high": 70})
    predicted(CORRECT, tmp_path, GOOD)


@pytest.mark.parametrize(
    ("answer", "line"),
    [
        ({**GOOD, "metric": "loss"}, "no metric of ours"),
        ({**GOOD, "low": 65, "high": 55}, "low must lie below high"),
        ({**GOOD, "low": 0.5, "high": 0.6}, "in points"),
        ({**GOOD, "low": 0, "high": 100}, "can hardly be wrong"),
        ({**GOOD, "why": "feeling"}, "why this range"),
        ({**GOOD, "low": "many"}, "one number"),
        ([55, 65], "a dictionary is needed"),
        ({"metric": None, "low": None, "high": None, "why": ""}, NOT_ATTEMPTED),
    ],
)
def test_a_prediction_that_says_nothing_gets_its_hint(answer, line, tmp_path):
    predicted(line, tmp_path, answer)
    assert not list(tmp_path.iterdir())  # nothing sealed


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


def fooled(expected, answer, line=0.5):
    given = {"encode": letters, "line": line, "others": {"raw mini-bert": lengths}}
    expect(expected, nb17.five_pairs, answer, **given)


def replaced(number, pair):
    return scored([*PAIRS[:number], pair, *PAIRS[number + 1 :]])


@pytest.mark.parametrize(
    ("answer", "line"),
    [
        (scored(PAIRS), CORRECT),
        ([[*row[:3], round(row[3], 3)] for row in scored(PAIRS[::-1])], CORRECT),
        (scored(PAIRS, lengths), "scores of raw mini-bert, not of the encoder that you trained"),
        ([(*row[:3], 0.1) for row in scored(PAIRS)], "your encoder says"),
        (scored(PAIRS)[:4], "a list of five rows"),
        (scored([*PAIRS[:4], PAIRS[0]]), "one is there twice"),
        (replaced(1, ("negation", *(t.upper() for t in PAIRS[0][1:]))), "one is there twice"),
        (replaced(4, ("role swap", "A cat and a dog ran.", "A dog and a cat ran.")), "x and y"),
        (
            replaced(4, ("role swap", "Now the cat ran.", "The cat ran now.")),
            "only 'now' has moved",
        ),
        (
            replaced(4, ("role swap", "Last year the cat ran.", "The cat ran last year.")),
            "only 'last year' has moved",
        ),
        (replaced(4, ("synonym", "A big dog.", "A large dog.")), "'synonym' is no kind"),
        (replaced(4, PAIRS[0][:1] + ("It is late.", "It isn't late.")), "no pair of the kind"),
        (replaced(0, ("negation", "It is open.", "It is shut.")), "must deny something"),
        (replaced(2, ("number", "Two boats.", "Two ships.")), "the numbers are the same"),
        (replaced(4, ("role swap", "A cat ran.", "A dog ran.")), "same words in another order"),
        (replaced(4, ("role swap", "A cat ran.", "A cat ran!")), "in the same order"),
        (5, "a list of five rows"),
    ],
)
def test_five_own_pairs_pass_as_tuples_and_as_rounded_lists(answer, line):
    fooled(line, answer)


DIFFERENT_NUMBERS = [
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
]
EQUAL_NUMBERS = [
    ("She has two cats.", "She has 2 cats."),
    ("She has twenty-five cats.", "She has 25 cats."),
    ("It weighs 5kg.", "It weighs five kilos."),
    ("It cost two hundred euros.", "It cost 200 euros."),
    ("It cost 3 million.", "It cost 3,000,000."),
    ("He came 3rd.", "He came third."),
    ("They are twelve.", "They are a dozen."),
    ("It weighs 30 kilos.", "It weighs 30.0 kilograms."),
]
NEGATIONS = [
    ("It isn’t open.", "It is open."),
    ("It is nowhere open.", "It is open."),
    ("He hardly sleeps.", "He sleeps."),
    ("He can swim.", "He cannot swim."),
]


@pytest.mark.parametrize(
    ("kind", "pair", "line"),
    [
        *(("number", pair, CORRECT) for pair in DIFFERENT_NUMBERS),
        *(("number", pair, "the numbers are the same") for pair in EQUAL_NUMBERS),
        *(("negation", pair, CORRECT) for pair in NEGATIONS),
    ],
)
def test_numbers_and_negations_in_any_form_count(kind, pair, line):
    fooled(line, replaced(2 if kind == "number" else 0, (kind, *pair)))


def test_a_near_encoders_scores_are_told_apart():
    def nearly(sentences):
        return letters(sentences) + 0.01

    given = {"encode": letters, "line": 0.5, "others": {"mini-sbert": nearly}}
    expect("the scores of mini-sbert", nb17.five_pairs, scored(PAIRS, nearly), **given)
    rounded = [(*row[:3], round(row[3], 3)) for row in scored(PAIRS)]
    expect(CORRECT, nb17.five_pairs, rounded, **given | {"others": {"raw": lengths}})


def test_a_pair_below_the_line_does_not_fool():
    fooled("does not fool it", scored(PAIRS), line=0.99999)


# ---- the same vectors in sentence-transformers


def opened(folder):
    from sentence_transformers import SentenceTransformer

    return SentenceTransformer(str(folder), device="cpu")


def right_difference(encoder, folder, sentences):
    encoder.save(folder)
    return float(np.abs(encoder.encode(sentences) - opened(folder).encode(sentences)).max())


def with_tensors(encoder, folder, sentences):
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


def opened_by_the_package(encoder, folder, sentences):
    again = SentenceEncoder.load(encoder.save(folder))
    return np.abs(encoder.encode(sentences) - again.encode(sentences)).max()


def difference_of(measure):
    return lambda encoder, folder, sentences: measure(
        encoder.encode(sentences), opened(encoder.save(folder)).encode(sentences)
    )


@pytest.mark.reference
@pytest.mark.parametrize(
    ("answer", "line"),
    [
        (right_difference, CORRECT),
        (with_tensors, CORRECT),
        (left_in_train_mode, "still in train mode"),
        (backbone_only, "the pooling is missing"),
        (compares_with_itself, "and you found nothing"),
        (opened_by_the_package, "and you found nothing"),
        (difference_of(lambda a, b: (a - b).max()), "largest in size"),
        (difference_of(lambda a, b: (b - a).max()), "largest in size"),
        (difference_of(lambda a, b: abs(a - b)[:2].max()), "largest in size"),
        (difference_of(lambda a, b: abs(a - b)[:, 0].max()), "largest in size"),
        (difference_of(lambda a, b: round(float(abs(a - b).max()), 2)), "largest in size"),
        (lambda encoder, folder, sentences: 0.0, "nothing was saved"),
    ],
)
def test_equal_vectors_pass(answer, line):
    expect(line, nb17.largest_difference, answer)
