"""Lengths and angles of vectors; the last axis holds a vector's places."""

import numpy as np
from numpy.typing import ArrayLike

from attention_core.errors import ShapeError
from attention_core.maths.arrays import Array, real


def cosine_similarity(a: ArrayLike, b: ArrayLike) -> Array:
    """The cosine of the angle between a and b: their dot product over both lengths.

    Args:
        a, b: (..., d) vectors of the same width.

    Returns:
        (...) numbers in [-1, 1]; NaN where a vector has length 0, and so no direction.

    Raises:
        ShapeError: the widths differ.

    >>> float(cosine_similarity([3.0, 4.0], [4.0, 3.0]))
    0.96
    """
    a, b = real(a), real(b)
    if a.ndim == 0 or b.ndim == 0 or a.shape[-1] != b.shape[-1]:
        raise ShapeError(f"a has shape {a.shape}, b has shape {b.shape}: their widths must agree")
    lengths = np.linalg.norm(a, axis=-1) * np.linalg.norm(b, axis=-1)
    with np.errstate(invalid="ignore"):
        return np.asarray(np.vecdot(a, b) / lengths)
