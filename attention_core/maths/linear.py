"""The learned linear layer, for vectors that are rows."""

from numpy.typing import ArrayLike

from attention_core.errors import ShapeError
from attention_core.maths.arrays import Array, real, vector


def linear(x: ArrayLike, W: ArrayLike, b: ArrayLike | None = None, *, name: str = "W") -> Array:
    """Return xW + b, for vectors that are rows.

    Args:
        x: (..., d) vectors.
        W: (d, n) weights.
        b: (n,) bias; none unless given.
        name: the name of W in error messages.

    Returns:
        (..., n) vectors.

    Raises:
        ShapeError: W is not (d, n), or b is not (n,).

    >>> linear([1.0, 2.0], [[1.0, 0.0, 1.0], [0.0, 1.0, 1.0]], [0.0, 0.0, 0.5]).tolist()
    [1.0, 2.0, 3.5]
    """
    x, W = vector("x", x), real(W)
    if W.ndim != 2 or W.shape[0] != x.shape[-1]:
        raise ShapeError(
            f"{name} must have one row for each of the {x.shape[-1]} features of x, "
            f"whose shape is {x.shape}; it has shape {W.shape}"
        )
    if b is None:
        return x @ W
    b = real(b)
    if b.shape != W.shape[1:]:
        raise ShapeError(
            f"the bias of {name} must have shape {W.shape[1:]}; it has shape {b.shape}"
        )
    return x @ W + b
