"""Arrays of real numbers, checked once where public functions take them in.

Numbers are float64, and so is everything computed from whole numbers or lists. Only an array that
already is float32 stays so: large models come that way, and it is more than twice as fast.
"""

import numpy as np
from numpy.typing import ArrayLike, NDArray

from attention_core.errors import ShapeError

type Shape = tuple[int, ...]
type Nested = float | list["Nested"]
Array = NDArray[np.float64]  # what all problems compute with; float32 is let through as well


def real(value: ArrayLike) -> Array:
    """Return the value as an array in float64, or unchanged if it is float32.

    >>> real([1, 2]).dtype, real(np.float32([1])).dtype
    (dtype('float64'), dtype('float32'))
    """
    array: Array = np.asarray(value)
    return array if array.dtype == np.float32 else array.astype(np.float64, copy=False)


def shape_of(value: Array | Nested) -> Shape:
    """Return the shape of an array, or of nested lists, which are not checked for evenness.

    >>> shape_of([[1.0, 2.0, 3.0]]), shape_of(1.0), shape_of(np.zeros((2, 1)))
    ((1, 3), (), (2, 1))
    """
    if isinstance(value, np.ndarray):
        return value.shape
    shape: Shape = ()
    while isinstance(value, list):
        shape += (len(value),)
        value = value[0] if value else 0.0
    return shape


def matrix(name: str, value: ArrayLike) -> Array:
    """Return the value as an array (..., tokens, width).

    Raises:
        ShapeError: it has fewer axes; the message names it and its shape.

    >>> matrix("Q", [1, 2])
    Traceback (most recent call last):
    attention_core.errors.ShapeError: Q must be (..., tokens, width); it has shape (2,)
    """
    array = real(value)
    if array.ndim < 2:
        raise ShapeError(f"{name} must be (..., tokens, width); it has shape {array.shape}")
    return array


def vector(name: str, value: ArrayLike) -> Array:
    """Return the value as an array (..., width), at least 1 wide.

    Raises:
        ShapeError: it is a number or empty; the message names it and its shape.

    >>> vector("x", [3, 4]).tolist()
    [3.0, 4.0]
    """
    array = real(value)
    if array.ndim < 1 or array.shape[-1] == 0:
        raise ShapeError(
            f"{name} must be (..., width), at least 1 wide; it has shape {array.shape}"
        )
    return array


def joint_shape(what: str, shapes: dict[str, Shape]) -> Shape:
    """Return the shape that these broadcast to.

    Raises:
        ShapeError: they do not broadcast; the message lists them.

    >>> joint_shape("batches", {"Q": (2, 1), "K": (3,)})
    (2, 3)
    """
    try:
        return np.broadcast_shapes(*shapes.values())
    except ValueError:
        listed = ", ".join(f"{name} has {shape}" for name, shape in shapes.items())
        raise ShapeError(f"the {what} do not broadcast: {listed}") from None
