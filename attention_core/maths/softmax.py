"""Softmax, safe for large scores and for rows that are wholly masked."""

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from attention_core.errors import AuthorError, ShapeError
from attention_core.maths.arrays import Array, real


def softmax(scores: ArrayLike, axis: int = -1, *, temperature: float = 1.0) -> Array:
    """Turn scores into weights: every weight in [0, 1], every slice along `axis` summing to 1.

    The largest score of each slice is subtracted first, so that no exponential overflows. A score
    of −∞ gets the weight 0. A slice that is −∞ throughout has nothing to look at: its weights are
    all 0 (and so is their blend), never NaN.

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
    _, weights, sums = _powers(scores, axis, temperature)
    # In place: large arrays spend most of their time being copied.
    weights /= np.where(sums == 0, 1, sums)
    return weights


class SoftmaxParts(NamedTuple):
    """The intermediate results of a softmax of scores (..., n) along their last axis.

    Attributes:
        largest: (..., 1) the largest score, which is subtracted; 0 where all scores are −∞.
        powers: (..., n) e to the power of (score − largest) / temperature.
        sums: (..., 1) sums of the powers.
        weights: (..., n) the powers over their sum, as `softmax` gives them.
    """

    largest: Array
    powers: Array
    sums: Array
    weights: Array


def softmax_parts(scores: ArrayLike, *, temperature: float = 1.0) -> SoftmaxParts:
    """Return the softmax in parts: the largest score, powers of e, their sum, the weights.

    Args:
        scores, temperature: as for `softmax`.

    Raises:
        ShapeError, AuthorError: as for `softmax`.

    Source: as for `softmax`; for the largest score, which is subtracted so that no power
    overflows, Goodfellow, Bengio and Courville (2016), "Deep Learning", section 4.1.

    >>> parts = softmax_parts([[1.0, -np.inf, 1.0], [0.0, 0.0, 0.0]])
    >>> parts.largest.tolist(), parts.sums.tolist()
    ([[1.0], [0.0]], [[2.0], [3.0]])
    >>> parts.powers.tolist()
    [[1.0, 0.0, 1.0], [1.0, 1.0, 1.0]]
    >>> parts.weights[0].tolist()
    [0.5, 0.0, 0.5]
    """
    largest, powers, sums = _powers(scores, -1, temperature)
    return SoftmaxParts(largest, powers, sums, powers / np.where(sums == 0, 1, sums))


def _powers(scores: ArrayLike, axis: int, temperature: float) -> tuple[Array, Array, Array]:
    """Return the largest scores, the powers of e once they are subtracted, and their sums."""
    scores = real(scores)
    if not -scores.ndim <= axis < scores.ndim:
        raise ShapeError(f"scores has shape {scores.shape}, which has no axis {axis}")
    if not temperature > 0:
        raise AuthorError(f"a temperature lies above 0; it is {temperature}")
    largest = scores.max(axis=axis, keepdims=True, initial=-np.inf)
    largest = np.where(np.isneginf(largest), 0, largest)
    powers = scores - largest
    powers /= temperature
    np.exp(powers, out=powers)
    return largest, powers, powers.sum(axis=axis, keepdims=True)
