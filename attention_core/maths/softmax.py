"""Softmax, safe for large scores and for rows that are wholly masked."""

import numpy as np
from numpy.typing import ArrayLike, NDArray

from attention_core.errors import ShapeError

Array = NDArray[np.float64]


def softmax(scores: ArrayLike, axis: int = -1) -> Array:
    """Turn scores into weights: every weight in [0, 1], every slice along `axis` summing to 1.

    The largest score of each slice is subtracted first, so that no exponential overflows. A score
    of −∞ gets the weight 0. A slice that is −∞ throughout has nothing to look at: its weights are
    all 0 (and so is what they mix), never NaN.

    Args:
        scores: (..., n) real numbers or −∞.
        axis: the axis along which the weights sum to 1.

    Raises:
        ShapeError: `scores` is a scalar, or has no such axis.

    Source: Vaswani et al. (2017), "Attention Is All You Need", section 3.2.1.

    >>> softmax([0.0, 0.0]).tolist()
    [0.5, 0.5]
    >>> softmax([1000.0, 0.0]).tolist()
    [1.0, 0.0]
    >>> softmax([[-np.inf, -np.inf], [-np.inf, 3.0]]).tolist()
    [[0.0, 0.0], [0.0, 1.0]]
    """
    scores = np.asarray(scores, dtype=np.float64)
    if not -scores.ndim <= axis < scores.ndim:
        raise ShapeError(f"scores has shape {scores.shape}, which has no axis {axis}")
    largest = scores.max(axis=axis, keepdims=True, initial=-np.inf)
    exponentials = np.exp(scores - np.where(np.isneginf(largest), 0.0, largest))
    total = exponentials.sum(axis=axis, keepdims=True)
    return exponentials / np.where(total == 0.0, 1.0, total)
