"""Scaled dot-product attention.

Shapes, here and throughout: T query tokens, S key tokens, d_k the width of a query and a key,
d_v the width of a value; `...` stands for any leading batch axes, which broadcast.
"""

import math
from typing import Any, TypedDict

import numpy as np
from numpy.typing import ArrayLike, NDArray

from attention_core.errors import AuthorError, ShapeError
from attention_core.maths.arrays import Array, Shape, joint_shape, matrix
from attention_core.maths.long_sequences import attention_in_blocks, mix
from attention_core.maths.masks import band_mask, reach
from attention_core.maths.softmax import softmax

# Up to so many queries all weights are in memory at once; more go a block at a time.
MAX_UNBLOCKED = 256


class AttentionOptions(TypedDict, total=False):
    """The keyword arguments of `attention_weights`, for functions that pass them on."""

    mask: ArrayLike | None
    causal: bool
    window: int | None
    scale: float | None
    soft_cap: float | None


def attention_scores(
    Q: ArrayLike, K: ArrayLike, *, scale: float | None = None, soft_cap: float | None = None
) -> Array:
    """Return how well each query matches each key: QKᵀ times the scale.

    Args:
        Q: (..., T, d_k) queries.
        K: (..., S, d_k) keys.
        scale: factor on every score; 1/√d_k unless given. `scale=1` leaves the scores raw.
        soft_cap: bends every score s to c·tanh(s/c), so that none exceeds c.

    Returns:
        (..., T, S) scores.

    Raises:
        ShapeError: Q or K is not at least two-dimensional, their widths differ, or their batch
            axes do not broadcast.
        AuthorError: the soft cap is not above 0.

    Source: Vaswani et al. (2017), "Attention Is All You Need", section 3.2.1; for the cap
    Gemma Team (2024), "Gemma 2", section 2.

    >>> attention_scores([[3.0, 4.0]], [[1.0, 0.0], [0.0, 1.0]], scale=1).tolist()
    [[3.0, 4.0]]
    >>> attention_scores([[1000.0]], [[1.0]], soft_cap=50).tolist()
    [[50.0]]
    """
    Q, K = matrix("Q", Q), matrix("K", K)
    scale, soft_cap = _factors(Q, K, scale, soft_cap)
    joint_shape("batch axes", {"Q": Q.shape[:-2], "K": K.shape[:-2]})
    scores = np.matmul(Q, K.swapaxes(-1, -2))
    scores *= scale  # in place: large arrays spend most of their time being copied
    if soft_cap is not None:
        scores = soft_cap * np.tanh(scores / soft_cap)
    return np.asarray(scores)


def attention_weights(
    Q: ArrayLike,
    K: ArrayLike,
    *,
    mask: ArrayLike | None = None,
    causal: bool = False,
    window: int | None = None,
    scale: float | None = None,
    soft_cap: float | None = None,
) -> Array:
    """Return the attention matrix A = softmax(QKᵀ/√d_k): row t is where token t looks.

    Args:
        Q: (..., T, d_k) queries.
        K: (..., S, d_k) keys.
        mask: broadcastable to (..., T, S). Boolean: True where a query may look. Real: added to
            the scaled scores, −∞ where a query may not look.
        causal: a token may look at itself and back, never ahead. The last query stands at the
            last key, so that cached keys (S > T) all lie in the past.
        window: how many tokens a token sees, itself included: those closest to it looking back
            and, unless causal, as many looking ahead.
        scale, soft_cap: as for `attention_scores`.

    Returns:
        (..., T, S) weights. Each row sums to 1; a row that is wholly masked is all 0.

    Raises:
        ShapeError: as for `attention_scores`, or the mask does not broadcast, or there are fewer
            keys than queries under `causal` or `window`.
        AuthorError: as for `attention_scores`, or the window is below 1.

    Source: Vaswani et al. (2017), "Attention Is All You Need", section 3.2.1, equation 1; for the
    window Jiang et al. (2023), "Mistral 7B", section 2.

    >>> attention_weights([[1.0], [1.0]], [[1.0], [1.0]], causal=True).tolist()
    [[1.0, 0.0], [0.5, 0.5]]
    >>> attention_weights([[0.0]] * 3, [[0.0]] * 3, causal=True, window=2).tolist()
    [[1.0, 0.0, 0.0], [0.5, 0.5, 0.0], [0.0, 0.5, 0.5]]
    """
    scores = attention_scores(Q, K, scale=scale, soft_cap=soft_cap)
    return softmax(_masked(scores, mask, causal=causal, window=window))


def attention(
    Q: ArrayLike,
    K: ArrayLike,
    V: ArrayLike,
    *,
    mask: ArrayLike | None = None,
    causal: bool = False,
    window: int | None = None,
    scale: float | None = None,
    soft_cap: float | None = None,
) -> Array:
    """Return Attention(Q, K, V) = softmax(QKᵀ/√d_k) V: each token's blend of the values.

    Args:
        Q: (..., T, d_k) queries.
        K: (..., S, d_k) keys.
        V: (..., S, d_v) values.
        mask, causal, window, scale, soft_cap: as for `attention_weights`.

    Returns:
        (..., T, d_v) outputs. A token that may look at nothing gets zeros.

    Raises:
        ShapeError: as for `attention_weights`, or K and V differ in their number of tokens.
        AuthorError: as for `attention_weights`.

    Source: Vaswani et al. (2017), "Attention Is All You Need", section 3.2.1, equation 1.

    >>> attention([[0.0]], [[1.0], [2.0]], [[2.0, 4.0], [4.0, 0.0]]).tolist()
    [[3.0, 2.0]]
    """
    Q, K, V = matrix("Q", Q), matrix("K", K), matrix("V", V)
    T, S = Q.shape[-2], K.shape[-2]
    if V.shape[-2] != S:
        raise ShapeError(f"every key needs a value: K has {S} tokens, V has shape {V.shape}")
    batch = joint_shape("batch axes", {"Q": Q.shape[:-2], "K": K.shape[:-2], "V": V.shape[:-2]})
    if T <= MAX_UNBLOCKED:
        scores = attention_scores(Q, K, scale=scale, soft_cap=soft_cap)
        scores = _masked(scores, mask, causal=causal, window=window)
        joint_shape("batch axes", {"weights": scores.shape[:-2], "V": V.shape[:-2]})
        return mix(scores, V)

    scale, soft_cap = _factors(Q, K, scale, soft_cap)
    back, ahead = reach(T, S, causal=causal, window=window)
    if mask is not None:
        mask = _read_mask(mask, (*batch, T, S))
    return attention_in_blocks(
        Q, K, V, mask=mask, back=back, ahead=ahead, scale=scale, soft_cap=soft_cap
    )


def _masked(scores: Array, mask: ArrayLike | None, *, causal: bool, window: int | None) -> Array:
    """Return the scores, −∞ where a query may not look."""
    T, S = scores.shape[-2:]
    if mask is not None:
        mask = _read_mask(mask, scores.shape)
        if mask.dtype == np.bool_:
            scores = np.where(mask, scores, -np.inf)
        else:
            scores = np.add(scores, mask, dtype=scores.dtype)
    back, ahead = reach(T, S, causal=causal, window=window)
    if causal or window:
        np.copyto(scores, -np.inf, where=~band_mask(T, S, back=back, ahead=ahead))
    return scores


def _factors(
    Q: Array, K: Array, scale: float | None, soft_cap: float | None
) -> tuple[float, float | None]:
    if Q.shape[-1] != K.shape[-1] or Q.shape[-1] == 0:
        raise ShapeError(
            f"a query and a key must share a width d_k of at least 1: "
            f"Q has shape {Q.shape}, K has shape {K.shape}"
        )
    if soft_cap is not None and not soft_cap > 0:
        raise AuthorError(f"a soft cap lies above 0; it is {soft_cap}")
    # Python's own floats: NumPy's would turn float32 into float64.
    scale = 1 / math.sqrt(Q.shape[-1]) if scale is None else float(scale)
    return scale, None if soft_cap is None else float(soft_cap)


def _read_mask(mask: ArrayLike, scores: Shape) -> NDArray[Any]:
    """Return the mask, checked to broadcast: it may add batch axes, but no queries or keys."""
    mask = np.asarray(mask)
    if mask.dtype != np.bool_ and not np.issubdtype(mask.dtype, np.floating):
        # Whole numbers could mean either; a 0 that should hide would add nothing.
        raise AuthorError(f"a mask holds booleans or real numbers; this one holds {mask.dtype}")
    try:
        fits = np.broadcast_shapes(scores, mask.shape)[-2:] == scores[-2:]
    except ValueError:
        fits = False
    if not fits:
        raise ShapeError(
            f"mask has shape {mask.shape}, which does not broadcast to the scores' {scores}"
        )
    return mask
