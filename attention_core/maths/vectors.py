"""Lengths and angles of vectors; the last axis is a vector's dimensions."""

import numpy as np
from numpy.typing import ArrayLike

from attention_core.errors import ShapeError
from attention_core.maths.arrays import Array, real


def cosine_similarity(a: ArrayLike, b: ArrayLike) -> Array:
    """Return the cosine of the angle between a and b: their dot product over both lengths.

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


def angle(a: ArrayLike, b: ArrayLike) -> Array:
    """Return the angle between a and b in degrees, 0 to 180; NaN where a vector has length 0.

    >>> float(angle([1.0, 0.0], [0.0, 2.0]))
    90.0
    """
    return np.degrees(np.arccos(np.clip(cosine_similarity(a, b), -1, 1)))


def length(a: ArrayLike) -> Array:
    """Return the lengths (...) of the vectors a, (..., d).

    >>> float(length([3.0, 4.0]))
    5.0
    """
    return np.asarray(np.linalg.norm(real(a), axis=-1))


def convex_hull(points: ArrayLike) -> Array:
    """Return the corners of the smallest convex region around points of the plane, anticlockwise.

    Every mean of the points with weights from 0 to 1 that sum to 1 lies in it.

    Args:
        points: (n, 2), at least one.

    Returns:
        (m, 2) of the points, none between two others.

    Raises:
        ShapeError: they are no points of the plane.

    >>> convex_hull([[0, 0], [2, 0], [1, 1], [1, 3]]).tolist()
    [[0.0, 0.0], [2.0, 0.0], [1.0, 3.0]]
    """
    points = real(points)
    if points.ndim != 2 or points.shape[1] != 2 or len(points) == 0:
        raise ShapeError(f"points has shape {points.shape}: it must be (n, 2)")
    ordered = np.unique(points, axis=0)
    if len(ordered) == 1:
        return ordered
    return np.array(_chain(ordered)[:-1] + _chain(ordered[::-1])[:-1])


def _chain(ordered: Array) -> list[Array]:
    """Return the points at which a line from the first to the last must turn left."""
    chain: list[Array] = []
    for point in ordered:
        while len(chain) > 1 and _turn(chain[-2], chain[-1], point) <= 0:
            chain.pop()
        chain.append(point)
    return chain


def _turn(a: Array, b: Array, c: Array) -> float:
    """Return a number above 0 if the way from a over b to c turns left."""
    (ux, uy), (vx, vy) = b - a, c - b
    return float(ux * vy - uy * vx)
