"""Attention masks, True where query t may look at key s.

Combine them with `&`, and hand them to `attention` as its mask.
"""

import numpy as np
from numpy.typing import ArrayLike, NDArray

from attention_core.errors import AuthorError, ShapeError

Mask = NDArray[np.bool_]


def band_mask(
    T: int,
    S: int,
    *,
    back: int | None = None,
    ahead: int | None = None,
    first: ArrayLike | None = None,
) -> Mask:
    """Return the mask by which a query at position p sees the keys from p − back to p + ahead.

    Args:
        T, S: how many queries and keys there are; the keys stand at the positions 0 to S − 1.
        back, ahead: how far a query sees to each side; without end unless given.
        first: (...) the position of the first query, the others following it; S − T unless given,
            so that the last query stands at the last key.

    Returns:
        (..., T, S) booleans.

    >>> band_mask(3, 3, ahead=0).astype(int).tolist()  # causal
    [[1, 0, 0], [1, 1, 0], [1, 1, 1]]
    >>> band_mask(2, 4, back=1, ahead=0).astype(int).tolist()  # the last two of four, a window of 2
    [[0, 1, 1, 0], [0, 0, 1, 1]]
    """
    first = np.asarray(S - T if first is None else first)
    queries = first[..., None, None] + np.arange(T)[:, None]
    distance = np.arange(S) - queries
    mask = np.ones(distance.shape, dtype=np.bool_)
    if back is not None:
        mask &= distance >= -back
    if ahead is not None:
        mask &= distance <= ahead
    return mask


def length_mask(lengths: ArrayLike, S: int) -> Mask:
    """Return a mask that hides the padding of sequences shorter than the S keys of their batch.

    Args:
        lengths: (...) how many keys of each sequence are real. Its axes are the batch axes of the
            scores: for queries (batch, heads, T, d_k) give lengths of the shape (batch, 1).
        S: how many keys there are, padding included.

    Returns:
        (..., 1, S) booleans.

    Raises:
        ShapeError: a length lies outside 0 to S.

    >>> length_mask([1, 3], 3).astype(int).tolist()
    [[[1, 0, 0]], [[1, 1, 1]]]
    """
    lengths = np.asarray(lengths)
    if lengths.size and not (lengths.min() >= 0 and lengths.max() <= S):
        raise ShapeError(
            f"lengths must lie between 0 and the {S} keys; they are {lengths.tolist()}"
        )
    return np.asarray(np.arange(S) < lengths[..., None, None])


def reach(T: int, S: int, *, causal: bool, window: int | None) -> tuple[int | None, int | None]:
    """Return how far back and how far ahead a query sees; None for without end.

    >>> reach(5, 5, causal=True, window=4), reach(5, 5, causal=False, window=4)
    ((3, 0), (3, 3))
    """
    if window is not None and window < 1:
        raise AuthorError(f"a window holds at least the token itself; it was {window}")
    if S < T and (causal or window):
        raise ShapeError(
            f"{'causal' if causal else 'windowed'} attention needs a key for each query: "
            f"T = {T}, S = {S}"
        )
    back = None if window is None else window - 1
    return back, 0 if causal else back
