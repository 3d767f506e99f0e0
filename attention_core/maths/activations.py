"""Activation functions, applied to each number by itself."""

import math

import numpy as np
from numpy.typing import ArrayLike

from attention_core.maths.arrays import Array, real
from attention_core.maths.erf import erf


def relu(x: ArrayLike) -> Array:
    """Return max(0, x).

    Source: Nair and Hinton (2010), "Rectified Linear Units Improve Restricted Boltzmann
    Machines", section 2.

    >>> relu([-2.0, 3.0]).tolist()
    [0.0, 3.0]
    """
    return np.maximum(real(x), 0)


def gelu(x: ArrayLike) -> Array:
    """Return x·Φ(x), with Φ the standard normal distribution: x/2 · (1 + erf(x/√2)).

    Source: Hendrycks and Gimpel (2016), "Gaussian Error Linear Units (GELUs)", section 2.

    >>> gelu([-1.0, 0.0, 1.0]).round(4).tolist()
    [-0.1587, 0.0, 0.8413]
    """
    x = real(x)
    return x / 2 * (1 + erf(x / math.sqrt(2)))


def gelu_tanh(x: ArrayLike) -> Array:
    """Return the approximation of `gelu` in GPT-2: x/2 · (1 + tanh(√(2/π) (x + 0.044715 x³))).

    Source: Hendrycks and Gimpel (2016), "Gaussian Error Linear Units (GELUs)", section 2.

    >>> gelu_tanh([-1.0, 0.0, 1.0]).round(4).tolist()
    [-0.1588, 0.0, 0.8412]
    """
    x = real(x)
    return np.asarray(x / 2 * (1 + np.tanh(math.sqrt(2 / math.pi) * (x + 0.044715 * x**3))))


def silu(x: ArrayLike) -> Array:
    """Return x·σ(x), with the sigmoid σ(x) = 1/(1 + exp(−x)); also called Swish.

    Source: Ramachandran, Zoph and Le (2017), "Searching for Activation Functions", section 4.

    >>> silu([-1.0, 0.0, 1.0]).round(4).tolist()
    [-0.2689, 0.0, 0.7311]
    """
    x = real(x)
    # σ(x) = (1 + tanh(x/2))/2, which never overflows.
    return np.asarray(x / 2 * (1 + np.tanh(x / 2)))
