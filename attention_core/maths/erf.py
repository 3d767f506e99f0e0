"""The error function for arrays, as accurate as float64 allows; Python's own takes one number."""

import math

import numpy as np
from numpy.typing import ArrayLike

from attention_core.maths.arrays import Array, real

# Numerators and denominators, highest power first.
NEAR = (
    (1.85777706184603153e-1, 3.16112374387056560, 1.13864154151050156e2, 3.77485237685302021e2,
     3.20937758913846947e3),
    (1.0, 2.36012909523441209e1, 2.44024637934444173e2, 1.28261652607737228e3,
     2.84423683343917062e3),
)  # fmt: skip
MIDDLE = (
    (2.15311535474403846e-8, 5.64188496988670089e-1, 8.88314979438837594, 6.61191906371416295e1,
     2.98635138197400131e2, 8.81952221241769090e2, 1.71204761263407058e3, 2.05107837782607147e3,
     1.23033935479799725e3),
    (1.0, 1.57449261107098347e1, 1.17693950891312499e2, 5.37181101862009858e2,
     1.62138957456669019e3, 3.29079923573345963e3, 4.36261909014324716e3, 3.43936767414372164e3,
     1.23033935480374942e3),
)  # fmt: skip
FAR = (
    (1.63153871373020978e-2, 3.05326634961232344e-1, 3.60344899949804439e-1,
     1.25781726111229246e-1, 1.60837851487422766e-2, 6.58749161529837803e-4),
    (1.0, 2.56852019228982242, 1.87295284992346725, 5.27905102951428412e-1,
     6.05183413124413191e-2, 2.33520497626869185e-3),
)  # fmt: skip


def erf(x: ArrayLike) -> Array:
    """Return erf(x) = 2/√π ∫₀ˣ exp(−t²) dt.

    Args:
        x: (...) numbers.

    Returns:
        (...) numbers in [-1, 1], within 2⁻⁵² of the exact ones.

    Source: Cody (1969), "Rational Chebyshev Approximations for the Error Function", Mathematics
    of Computation 23, 631-637.

    >>> erf([0.0, 0.5, -3.0]).round(6).tolist()
    [0.0, 0.5205, -0.999978]
    """
    x = real(x)
    size = np.minimum(np.abs(x), 6)  # beyond 6, erf is 1 to the last bit
    ranges = [size <= 0.46875, (size > 0.46875) & (size <= 4)]
    return np.asarray(np.copysign(np.piecewise(size, ranges, [_near, _middle, _far]), x))


def _near(x: Array) -> Array:
    return x * _ratio(NEAR, x * x)


def _middle(x: Array) -> Array:
    return 1 - np.exp(-x * x) * _ratio(MIDDLE, x)


def _far(x: Array) -> Array:
    tail = 1 / math.sqrt(math.pi) - _ratio(FAR, 1 / (x * x)) / (x * x)
    return 1 - np.exp(-x * x) / x * tail


def _ratio(polynomials: tuple[tuple[float, ...], tuple[float, ...]], x: Array) -> Array:
    above, below = (np.polyval(np.array(p, dtype=x.dtype), x) for p in polynomials)
    return np.asarray(above / below)
