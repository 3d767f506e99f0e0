"""Where a formula finds its numbers: readers of givens and earlier steps, and of their sizes."""

from collections.abc import Callable

import numpy as np

from attention_core.maths.arrays import Array
from attention_core.problems.family import Condition, Values
from attention_core.problems.rounding import pick

type Read = Callable[[Values], Array]


def of(key: str) -> Read:
    """A given or an earlier step."""
    return lambda v: v[key]


def row_of(key: str) -> Read:
    """The row of the word asked for, at which the given `asked` is 1."""
    return lambda v: pick(v.asked, v[key])


def width_of(key: str) -> Read:
    """How wide the rows are: the d_k of a key."""
    return lambda v: np.array(float(v[key].shape[-1]))


def is_square(key: str) -> Condition:
    """There are as many rows as columns, so that one can be taken for the other."""
    return lambda v: v[key].shape[-1] == v[key].shape[-2]


def rounds_well(scores: Array) -> bool:
    """Careful rounding survives the softmax of these rows: no score is large, and in each row the
    largest is not negative. (Else every exponential is below 1, and rounding ruins the weights.)
    """
    return bool(np.abs(scores).max() <= 4 and scores.max(axis=-1).min() >= 0)


def is_spread(vector: Array) -> bool:
    """A small deviation makes its own rounding matter more than the vector."""
    return bool(vector.std() >= 0.5)
