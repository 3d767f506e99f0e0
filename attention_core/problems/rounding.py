"""The ways of computing one formula: exactly, or rounding as careful people do on paper.

A family writes its formula once, against a `Way`. The exact way gives the solution; the careful
rounders show how far rounding alone may stray, and so which tolerance a step needs.
"""

from dataclasses import dataclass

import numpy as np

from attention_core.maths import norms
from attention_core.maths.arrays import Array
from attention_core.maths.softmax import softmax


@dataclass(frozen=True)
class Way:
    """A way of computing: how intermediate results are rounded, and by which usual route.

    Attributes:
        name: its name in reports.
        decimals: the decimals of every intermediate result; None rounds nothing.
        shifted: whether the softmax subtracts the largest score first.
        reciprocal: whether a division multiplies by the rounded reciprocal of the divisor.
        shortcut: whether a variance is the mean of the squares less the square of the mean.
    """

    name: str
    decimals: int | None = None
    shifted: bool = False
    reciprocal: bool = False
    shortcut: bool = False

    @property
    def exact(self) -> bool:
        """Whether nothing is rounded, so that a formula may be computed by any route."""
        return self.decimals is None

    def round(self, result: Array) -> Array:
        """Return an intermediate result, rounded as this way does."""
        return result if self.decimals is None else np.round(result, self.decimals)

    def product(self, A: Array, B: Array) -> Array:
        """Return the matrix product AB: (..., n, m) and (..., m, p) give (..., n, p)."""
        return self.round(A @ B)

    def dot(self, a: Array, b: Array) -> Array:
        """Return the dot product over the last axis: (..., n) and (..., n) give (...)."""
        return self.round(np.vecdot(a, b))

    def mix(self, weights: Array, rows: Array) -> Array:
        """Return a weighted sum of rows: (..., n) and (..., n, m) give (..., m)."""
        return self.round(np.vecmat(weights, rows))

    def times(self, rows: Array, matrix: Array) -> Array:
        """Return one row, or rows, times a matrix: the result of `mix` or `product`."""
        return self.product(rows, matrix) if rows.ndim == matrix.ndim else self.mix(rows, matrix)

    def layer(self, x: Array, W: Array, b: Array) -> Array:
        """Return xW + b, a layer's matrix and bias."""
        return self.round(self.mix(x, W) + b)

    def root(self, x: Array) -> Array:
        """Return the square root."""
        with np.errstate(invalid="ignore"):
            return self.round(np.sqrt(x))

    def length(self, a: Array) -> Array:
        """Return the length of a vector: (..., n) gives (...)."""
        return self.root(self.dot(a, a))

    def mean(self, x: Array) -> Array:
        """Return the mean over the last axis: (..., n) gives (...)."""
        return self.round(x.mean(axis=-1))

    def deviations(self, x: Array) -> Array:
        """Return each number less the mean of its vector: (..., d) gives (..., d)."""
        return self.round(x - self.mean(x)[..., None])

    def layer_norm(self, x: Array) -> Array:
        """Return deviations over their standard deviation: (..., d) gives (..., d)."""
        if self.exact:
            with np.errstate(divide="ignore", invalid="ignore"):
                return norms.layer_norm(x, epsilon=0)
        return self.divide(self.deviations(x), self.standard_deviation(x))

    def standard_deviation(self, x: Array) -> Array:
        """Return the root of the mean squared deviation: (..., n) gives (...)."""
        if self.shortcut:
            return self.root(self.mean(x * x) - self.round(self.mean(x) ** 2))
        deviations = self.deviations(x)
        return self.root(self.mean(deviations * deviations))

    def rms_norm(self, x: Array) -> Array:
        """Return each vector over its root mean square: (..., d) gives (..., d)."""
        if self.exact:
            with np.errstate(divide="ignore", invalid="ignore"):
                return norms.rms_norm(x, epsilon=0)
        return self.divide(x, self.root(self.mean(x * x)))

    def divide(self, x: Array, divisor: Array) -> Array:
        """Return x over the divisor, which broadcasts over the last axes of x."""
        divisor = _spread(divisor, x)
        with np.errstate(divide="ignore", invalid="ignore"):
            if self.reciprocal:
                return self.round(x * self.round(1.0 / divisor))
            return self.round(x / divisor)

    def scale(self, scores: Array, d_k: Array | float) -> Array:
        """Return scores over √d_k."""
        return self.divide(scores, self.root(np.asarray(d_k, dtype=np.float64)))

    def multiply(self, x: Array, factor: Array) -> Array:
        """Return x times the factor, which broadcasts over the last axes of x."""
        return self.round(x * _spread(factor, x))

    def normalise(self, parts: Array, axis: int = -1) -> Array:
        """Return parts over their sum along the axis."""
        return self.divide(parts, self.round(parts.sum(axis=axis, keepdims=True)))

    def exponentials(self, scores: Array, axis: int = -1) -> Array:
        """Return e to each score, less the largest along the axis if this way shifts."""
        if self.shifted:
            largest = scores.max(axis=axis, keepdims=True)
            scores = scores - np.where(np.isneginf(largest), 0.0, largest)
        with np.errstate(over="ignore"):
            return self.round(np.exp(scores))

    def softmax(self, scores: Array, axis: int = -1) -> Array:
        """Return the softmax along the axis."""
        if self.exact:
            return softmax(scores, axis=axis)
        return self.normalise(self.exponentials(scores, axis), axis)


EXACT = Way("exact")

# Answers are asked to three decimals; a careful student keeps as many on the way.
CAREFUL = (
    Way("plain softmax", decimals=3),
    Way("largest subtracted, variance by shortcut", decimals=3, shifted=True, shortcut=True),
    Way("reciprocals", decimals=3, reciprocal=True),
)


def transpose(matrix: Array) -> Array:
    """Return the matrix with rows and columns exchanged: (..., n, m) gives (..., m, n).

    >>> transpose(np.array([[1, 2], [3, 4]])).tolist()
    [[1, 3], [2, 4]]
    """
    return matrix.swapaxes(-1, -2)


def select_row(which: Array, rows: Array) -> Array:
    """Return the row at which `which` is 1 and not 0: (..., n) and (..., n, m) give (..., m).

    >>> select_row(np.array([0, 1]), np.array([[1, 2], [3, 4]])).tolist()
    [3, 4]
    """
    return np.asarray(np.vecmat(which, rows))


def _spread(small: Array, over: Array) -> Array:
    return np.reshape(small, np.shape(small) + (1,) * (np.ndim(over) - np.ndim(small)))
