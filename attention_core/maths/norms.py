"""Layer norm and RMS norm of each token over its own features: the last axis, d wide."""

import numpy as np
from numpy.typing import ArrayLike

from attention_core.errors import ShapeError
from attention_core.maths.arrays import Array, real, vector


def moments(x: ArrayLike, *, epsilon: float = 1e-5) -> tuple[Array, Array]:
    """Return the mean and √(variance + ε), which layer norm subtracts and divides by.

    Args:
        x: (..., d) vectors.
        epsilon: keeps a constant vector from dividing by 0.

    Returns:
        (..., 1) means and (..., 1) spreads. The variance divides by d, not by d − 1.

    Raises:
        ShapeError: x is a scalar, or d is 0.

    >>> mean, spread = moments([[1.0, 3.0]], epsilon=0)
    >>> mean.tolist(), spread.tolist()
    ([[2.0]], [[1.0]])
    """
    x = vector("x", x)
    mean = x.mean(axis=-1, keepdims=True)
    variance = np.square(x - mean).mean(axis=-1, keepdims=True)
    return mean, np.sqrt(variance + float(epsilon))


def layer_norm(
    x: ArrayLike,
    gain: ArrayLike | None = None,
    shift: ArrayLike | None = None,
    *,
    epsilon: float = 1e-5,
) -> Array:
    """Return LayerNorm(x) = (x − mean) / √(variance + ε) · gain + shift.

    Args:
        x: (..., d) vectors, each normalised by itself.
        gain, shift: (d,) learned factors and summands; 1 and 0 unless given.
        epsilon: keeps a constant vector from dividing by 0.

    Returns:
        (..., d) vectors.

    Raises:
        ShapeError: x is a scalar, d is 0, or a gain or shift is not (d,).

    Source: Ba, Kiros and Hinton (2016), "Layer Normalization", section 3, equations 3 and 4.

    >>> layer_norm([1.0, 3.0], epsilon=0).tolist()
    [-1.0, 1.0]
    >>> layer_norm([[1.0, 3.0], [10.0, 30.0]], [2.0, 1.0], [0.5, 0.0], epsilon=0).tolist()
    [[-1.5, 1.0], [-1.5, 1.0]]
    """
    x = vector("x", x)
    mean, spread = moments(x, epsilon=epsilon)
    normalised = (x - mean) / spread
    if gain is not None:
        normalised = normalised * _per_feature("gain", gain, x)
    if shift is not None:
        normalised = normalised + _per_feature("shift", shift, x)
    return normalised


def rms_norm(x: ArrayLike, gain: ArrayLike | None = None, *, epsilon: float = 1e-5) -> Array:
    """Return RMSNorm(x) = x / √(mean of squares + ε) · gain: layer norm without the mean.

    Args:
        x: (..., d) vectors, each normalised by itself.
        gain: (d,) learned factors; 1 unless given.
        epsilon: keeps a vector of zeros from dividing by 0.

    Returns:
        (..., d) vectors.

    Raises:
        ShapeError: x is a scalar, d is 0, or the gain is not (d,).

    Source: Zhang and Sennrich (2019), "Root Mean Square Layer Normalization", section 4,
    equation 4.

    >>> rms_norm([1.0, 7.0], epsilon=0).tolist()
    [0.2, 1.4]
    """
    x = vector("x", x)
    normalised = x / np.sqrt(np.square(x).mean(axis=-1, keepdims=True) + float(epsilon))
    return normalised if gain is None else normalised * _per_feature("gain", gain, x)


def _per_feature(name: str, value: ArrayLike, x: Array) -> Array:
    array = real(value)
    if array.shape != x.shape[-1:]:
        raise ShapeError(
            f"{name} must have one number for each of the {x.shape[-1]} features of x, "
            f"whose shape is {x.shape}; it has shape {array.shape}"
        )
    return array
