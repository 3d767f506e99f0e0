"""Path lengths: the steps that information takes from one position to another."""

import numpy as np
from numpy.typing import ArrayLike

from attention_core.errors import ShapeError
from attention_core.maths.arrays import Array


def path_lengths(mask: ArrayLike) -> Array:
    """Return the fewest steps from each position s to each position t.

    Args:
        mask: (..., T, T) booleans, True where t takes from s in one step. A recurrent network takes
            from the position before, `band_mask(T, T, back=1, ahead=0)`; attention from wherever
            its mask lets it look.

    Returns:
        (..., T, T) numbers of steps: 0 from a position to itself, ∞ where nothing ever arrives.

    Raises:
        ShapeError: the mask is not square.

    Source: Vaswani et al. (2017), "Attention Is All You Need", section 4, on path lengths.

    >>> from attention_core import band_mask
    >>> path_lengths(band_mask(3, 3, back=1, ahead=0)).tolist()
    [[0.0, inf, inf], [1.0, 0.0, inf], [2.0, 1.0, 0.0]]
    >>> path_lengths(band_mask(3, 3)).tolist()
    [[0.0, 1.0, 1.0], [1.0, 0.0, 1.0], [1.0, 1.0, 0.0]]
    """
    step = np.asarray(mask, dtype=np.bool_)
    if step.ndim < 2 or step.shape[-1] != step.shape[-2]:
        raise ShapeError(f"a mask of steps must be square: it has shape {step.shape}")
    T = step.shape[-1]
    reached = np.broadcast_to(np.eye(T, dtype=np.bool_), step.shape)
    lengths = np.where(reached, 0.0, np.inf)
    for steps in range(1, T):
        reached = reached | (step @ reached)
        lengths = np.where(reached & np.isinf(lengths), float(steps), lengths)
    return lengths
