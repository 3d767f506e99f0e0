"""Readers of givens, earlier steps and their sizes, and conditions on them."""

from collections.abc import Callable

import numpy as np

from attention_core.maths.arrays import Array
from attention_core.problems.family import Condition, Values
from attention_core.problems.rounding import select_row

type Read = Callable[[Values], Array]


def reader(key: str) -> Read:
    """Return a reader of a given or an earlier step."""
    return lambda v: v[key]


def row_of(key: str) -> Read:
    """Return a reader of the row of the word asked for, at which the given `asked` is 1."""
    return lambda v: select_row(v.asked, v[key])


def width_of(key: str) -> Read:
    """Return a reader of the width of the rows: the d_k of a key."""
    return lambda v: np.array(float(v[key].shape[-1]))


def is_square(key: str) -> Condition:
    """Return a condition: as many rows as columns, so that one can be taken for the other."""
    return lambda v: v[key].shape[-1] == v[key].shape[-2]


def rounds_well(scores: Array) -> bool:
    """Return whether the softmax of these rows survives careful rounding.

    No score may be large, and in each row the largest must not be negative: else every exponential
    is below 1, and rounding ruins the weights.
    """
    return bool(np.abs(scores).max() <= 4 and scores.max(axis=-1).min() >= 0)


def is_spread(vector: Array) -> bool:
    """Return whether the standard deviation is large enough to outweigh its rounding."""
    return bool(vector.std() >= 0.5)
