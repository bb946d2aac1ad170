import pytest
import torch
from scipy.spatial.distance import cdist
from sklearn.metrics.pairwise import paired_cosine_distances

from sbert_lab.errors import InputError
from sbert_lab.similarity import ALL_PAIRS, PAIRWISE, all_pairs, pairwise

torch.manual_seed(0)
U, V = torch.randn(7, 5, dtype=torch.float64), torch.randn(7, 5, dtype=torch.float64)
SCIPY = {"cosine": "cosine", "euclidean": "euclidean", "manhattan": "cityblock"}


@pytest.mark.parametrize("name", ALL_PAIRS)
def test_all_pairs_equal_scipy(name):
    distances = torch.from_numpy(cdist(U.numpy(), V.numpy(), SCIPY[name]))
    expected = 1 - distances if name == "cosine" else -distances
    torch.testing.assert_close(all_pairs(name, U, V), expected)


@pytest.mark.parametrize("name", PAIRWISE)
def test_pairwise_is_the_diagonal_of_all_pairs(name):
    torch.testing.assert_close(pairwise(name, U, V), all_pairs(name, U, V).diagonal())


def test_pairwise_cosine_equals_scikit_learn():
    expected = torch.from_numpy(1 - paired_cosine_distances(U.numpy(), V.numpy()))
    torch.testing.assert_close(pairwise("cosine", U, V), expected)


@pytest.mark.parametrize("name", PAIRWISE)
def test_similarity_is_symmetric(name):
    torch.testing.assert_close(pairwise(name, U, V), pairwise(name, V, U))


def test_scaling_a_vector_leaves_its_cosines_alone():
    torch.testing.assert_close(pairwise("cosine", U * 7, V), pairwise("cosine", U, V))


def test_a_zero_vector_is_like_nothing():
    assert pairwise("cosine", torch.zeros(1, 5), torch.ones(1, 5)).item() == 0.0


@pytest.mark.parametrize("name", PAIRWISE)
@pytest.mark.parametrize("kind", [torch.float16, torch.bfloat16, torch.float64])
def test_other_precisions_are_compared_like_float32(name, kind):
    zero, other = torch.zeros(1, 5, dtype=kind), V.to(kind)
    for function in (PAIRWISE[name], ALL_PAIRS[name]):
        torch.testing.assert_close(
            function(other, U.float()), function(other.double(), U.float().double()),
            check_dtype=False, atol=1e-5, rtol=1e-5,
        )  # fmt: skip
        assert function(zero, zero).item() == 0.0


def test_unequal_shapes_are_explained():
    with pytest.raises(InputError, match=r"\(7, 5\) and \(3, 5\).*all_"):
        pairwise("cosine", U, V[:3])
    with pytest.raises(InputError, match="with one H"):
        all_pairs("euclidean", U, V[:, :2])


def test_an_unknown_similarity_lists_the_choices():
    with pytest.raises(InputError, match="choose cosine, euclidean or manhattan"):
        pairwise("dot", U, V)
