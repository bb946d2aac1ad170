"""The same vectors as sentence-transformers, both ways."""

import warnings

import numpy as np
import pytest

from sbert_lab.encoder import SentenceEncoder
from sbert_lab.pooling import POOLERS

pytestmark = pytest.mark.reference


@pytest.fixture(scope="module")
def theirs():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        import sentence_transformers
        from sentence_transformers.models import Normalize, Pooling, Transformer
    return sentence_transformers.SentenceTransformer, Transformer, Pooling, Normalize


@pytest.mark.parametrize("kind", ["bert", "roberta"])
@pytest.mark.parametrize("pooling", POOLERS)
@pytest.mark.parametrize("normalize", [False, True])
def test_ours_opens_there_with_the_same_vectors(
    tiny_folders, tmp_path, sentences, theirs, kind, pooling, normalize
):
    ours = SentenceEncoder.load(tiny_folders[kind], pooling=pooling)
    ours.normalize = normalize
    path = ours.save(tmp_path / "model")
    reference = theirs[0](str(path), device="cpu")
    np.testing.assert_allclose(ours.encode(sentences), reference.encode(sentences), atol=1e-5)
    assert reference.max_seq_length == ours.max_length


@pytest.mark.parametrize("kind", ["bert", "roberta"])
@pytest.mark.parametrize("pooling", POOLERS)
@pytest.mark.parametrize("normalize", [False, True])
def test_theirs_opens_here_with_the_same_vectors(
    tiny_folders, tmp_path, sentences, theirs, kind, pooling, normalize
):
    model_class, transformer, pooler, normal = theirs
    modules = [transformer(str(tiny_folders[kind])), pooler(32, pooling)]
    reference = model_class(modules=[*modules, normal()] if normalize else modules, device="cpu")
    reference.save(str(tmp_path / "model"))
    ours = SentenceEncoder.load(tmp_path / "model")
    np.testing.assert_allclose(ours.encode(sentences), reference.encode(sentences), atol=1e-5)
    assert (ours.pooling, ours.normalize) == (pooling, normalize)


def test_the_difference_would_be_seen(tiny_bert, sentences):
    """The comparison can fail: another pooling gives other vectors."""
    mean = SentenceEncoder.load(tiny_bert, pooling="mean").encode(sentences)
    largest = SentenceEncoder.load(tiny_bert, pooling="max").encode(sentences)
    assert np.abs(mean - largest).max() > 0.1
