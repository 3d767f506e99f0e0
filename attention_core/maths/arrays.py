"""What the mathematics takes in: arrays of real numbers, checked once at the public edge.

Numbers are float64, and so is everything computed from whole numbers or lists. Only an array that
already is float32 stays so: large models come that way, and it is more than twice as fast.
"""

import numpy as np
from numpy.typing import ArrayLike, NDArray

from attention_core.errors import ShapeError

type Shape = tuple[int, ...]
Array = NDArray[np.float64]  # what all problems compute with; float32 is let through as well


def real(value: ArrayLike) -> Array:
    """The array in float64, or as it is when it is float32."""
    array: Array = np.asarray(value)
    return array if array.dtype == np.float32 else array.astype(np.float64, copy=False)


def matrix(name: str, value: ArrayLike) -> Array:
    """An array (..., tokens, width)."""
    array = real(value)
    if array.ndim < 2:
        raise ShapeError(f"{name} must be (..., tokens, width); it has shape {array.shape}")
    return array


def vector(name: str, value: ArrayLike) -> Array:
    """An array (..., width) whose last axis holds something."""
    array = real(value)
    if array.ndim < 1 or array.shape[-1] == 0:
        raise ShapeError(
            f"{name} must be (..., width), at least 1 wide; it has shape {array.shape}"
        )
    return array


def joint_shape(what: str, shapes: dict[str, Shape]) -> Shape:
    """The shape that these broadcast to."""
    try:
        return np.broadcast_shapes(*shapes.values())
    except ValueError:
        told = ", ".join(f"{name} has {shape}" for name, shape in shapes.items())
        raise ShapeError(f"the {what} do not broadcast: {told}") from None
