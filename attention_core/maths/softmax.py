"""Softmax, safe for large scores and for rows that are wholly masked."""

import numpy as np
from numpy.typing import ArrayLike

from attention_core.errors import AuthorError, ShapeError
from attention_core.maths.arrays import Array, real


def softmax(scores: ArrayLike, axis: int = -1, *, temperature: float = 1.0) -> Array:
    """Turn scores into weights: every weight in [0, 1], every slice along `axis` summing to 1.

    The largest score of each slice is subtracted first, so that no exponential overflows. A score
    of −∞ gets the weight 0. A slice that is −∞ throughout has nothing to look at: its weights are
    all 0 (and so is what they mix), never NaN.

    Args:
        scores: (..., n) real numbers or −∞.
        axis: the axis along which the weights sum to 1.
        temperature: divides the scores. Above 1 the weights come closer to each other, below 1
            the largest takes more.

    Raises:
        ShapeError: `scores` is a scalar, or has no such axis.
        AuthorError: the temperature is not above 0.

    Source: Vaswani et al. (2017), "Attention Is All You Need", section 3.2.1; for the temperature
    Hinton, Vinyals and Dean (2015), "Distilling the Knowledge in a Neural Network", equation 1.

    >>> softmax([0.0, 0.0]).tolist()
    [0.5, 0.5]
    >>> softmax([1000.0, 0.0]).tolist()
    [1.0, 0.0]
    >>> softmax([[-np.inf, -np.inf], [-np.inf, 3.0]]).tolist()
    [[0.0, 0.0], [0.0, 1.0]]
    >>> softmax([2.0, 0.0], temperature=2).round(3).tolist()  # as softmax([1.0, 0.0])
    [0.731, 0.269]
    """
    scores = real(scores)
    if not -scores.ndim <= axis < scores.ndim:
        raise ShapeError(f"scores has shape {scores.shape}, which has no axis {axis}")
    if not temperature > 0:
        raise AuthorError(f"a temperature lies above 0; it is {temperature}")
    largest = scores.max(axis=axis, keepdims=True, initial=-np.inf)
    weights = scores - np.where(np.isneginf(largest), 0, largest)
    # In place from here on: large arrays spend most of their time being copied.
    weights /= temperature
    np.exp(weights, out=weights)
    total = weights.sum(axis=axis, keepdims=True)
    weights /= np.where(total == 0, 1, total)
    return weights
