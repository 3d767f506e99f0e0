"""Attention over long sequences: the weights of 128 queries at a time, never all T×S of them.

The sums are those of `attention` in another order: the exponentials meet the values first, and
only their narrow product is divided by the sum of the exponentials.

Source: Rabe and Staats (2021), "Self-attention Does Not Need O(n²) Memory", section 2.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from attention_core.maths.arrays import Array
from attention_core.maths.masks import band_mask

BLOCK = 128


def attention_in_blocks(
    Q: Array,
    K: Array,
    V: Array,
    *,
    mask: NDArray[Any] | None,
    back: int | None,
    ahead: int | None,
    scale: float,
    soft_cap: float | None,
    block: int = BLOCK,
) -> Array:
    """Return `attention` of arguments that are checked already.

    Args:
        Q, K, V, mask: as for `attention`.
        back, ahead: how far a query sees, as for `band_mask`. Keys that no query of a block sees
            are not looked at: causal costs half.
        scale, soft_cap: the factor on the scores, and their cap if any.
        block: how many queries at a time.

    >>> ones = np.ones((3, 2))
    >>> attention_in_blocks(
    ...     ones, ones, ones, mask=None, back=None, ahead=0, scale=1, soft_cap=None, block=2
    ... ).tolist()
    [[1.0, 1.0], [1.0, 1.0], [1.0, 1.0]]
    """
    T, S, d_v = Q.shape[-2], *V.shape[-2:]
    masks = () if mask is None else mask.shape[:-2]
    batch = np.broadcast_shapes(Q.shape[:-2], K.shape[:-2], V.shape[:-2], masks)
    Q, K, V = (np.broadcast_to(x, (*batch, *x.shape[-2:])) for x in (Q, K, V))
    if mask is not None:
        mask = np.broadcast_to(mask, (*batch, T, S))
    output = np.empty((*batch, T, d_v), dtype=np.result_type(Q, K, V))
    buffer = np.empty(block * S, dtype=np.result_type(Q, K))

    for each in np.ndindex(*batch):
        for start in range(0, T, block):
            stop = min(start + block, T)
            position = S - T + start  # of the first query, among the keys
            low = 0 if back is None else max(0, position - back)
            high = S if ahead is None else min(S, S - T + stop + ahead)
            rows, keys = slice(start, stop), slice(low, high)

            scores = buffer[: (stop - start) * (high - low)].reshape(stop - start, high - low)
            np.matmul(Q[each][rows] * scale, K[each][keys].T, out=scores)
            if soft_cap is not None:
                scores /= soft_cap
                np.tanh(scores, out=scores)
                scores *= soft_cap
            if mask is not None:
                _apply_mask(scores, mask[each][rows, keys])
            _hide_beyond(scores, position - low, back, ahead)
            output[each][rows] = mix(scores, V[each][keys])
    return output


def mix(scores: Array, V: Array) -> Array:
    """Return softmax(scores) V, dividing last.

    Args:
        scores: (..., T, S), −∞ where a query may not look; overwritten.
        V: (..., S, d_v) values.

    Returns:
        (..., T, d_v) blends; zeros where a query may look at nothing.

    >>> mix(np.array([[0.0, 0.0], [-np.inf, -np.inf]]), np.array([[2.0], [4.0]])).tolist()
    [[3.0], [0.0]]
    """
    largest = scores.max(axis=-1, keepdims=True, initial=-np.inf)
    largest[np.isneginf(largest)] = 0
    scores -= largest
    np.exp(scores, out=scores)
    # A matrix product is the fastest way to add up.
    total = scores @ np.ones((scores.shape[-1], 1), dtype=scores.dtype)
    total[total == 0] = 1
    mixed: Array = np.matmul(scores, V)
    mixed /= total
    return mixed


def _apply_mask(scores: Array, mask: NDArray[Any]) -> None:
    if mask.dtype == np.bool_:
        np.copyto(scores, -np.inf, where=~mask)
    else:
        scores += mask


def _hide_beyond(scores: Array, first: int, back: int | None, ahead: int | None) -> None:
    """Set scores to −∞ where a query does not see: in columns at the two edges only."""
    queries = scores.shape[0]
    if ahead is not None:
        seen_by_all = max(0, first + ahead + 1)
        edge = scores[:, seen_by_all:]
        edge[~band_mask(*edge.shape, ahead=ahead, first=first - seen_by_all)] = -np.inf
    if back is not None:
        seen_by_all = max(0, first + queries - 1 - back)
        edge = scores[:, :seen_by_all]
        edge[~band_mask(*edge.shape, back=back, first=first)] = -np.inf
