"""Rows of numbers, whoever made them."""

import numpy as np


def unit_rows(vectors: np.ndarray) -> np.ndarray:
    """Rows scaled to length 1: (N, H) -> (N, H). A row of zeros stays zero: like nothing."""
    return vectors / np.maximum(np.linalg.norm(vectors, axis=1, keepdims=True), 1e-12)
