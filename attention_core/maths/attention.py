"""Scaled dot-product attention.

Shapes, here and throughout: T query tokens, S key tokens, d_k the width of a query and a key,
d_v the width of a value; `...` stands for any leading batch axes, which broadcast.
"""

import numpy as np
from numpy.typing import ArrayLike

from attention_core.errors import ShapeError
from attention_core.maths.softmax import Array, softmax


def attention_scores(Q: ArrayLike, K: ArrayLike, *, scale: float | None = None) -> Array:
    """How well each query matches each key: QKᵀ times the scale.

    Args:
        Q: (..., T, d_k) queries.
        K: (..., S, d_k) keys.
        scale: factor on every score; 1/√d_k unless given. `scale=1` leaves the scores raw.

    Returns:
        (..., T, S) scores.

    Raises:
        ShapeError: Q or K is not at least two-dimensional, their widths differ, or their batch
            axes do not broadcast.

    >>> attention_scores([[3.0, 4.0]], [[1.0, 0.0], [0.0, 1.0]], scale=1).tolist()
    [[3.0, 4.0]]
    """
    Q, K = _matrix("Q", Q), _matrix("K", K)
    if Q.shape[-1] != K.shape[-1] or Q.shape[-1] == 0:
        raise ShapeError(
            f"a query and a key must share a width d_k of at least 1: "
            f"Q has shape {Q.shape}, K has shape {K.shape}"
        )
    _must_broadcast({"Q": Q.shape[:-2], "K": K.shape[:-2]})
    if scale is None:
        scale = 1.0 / np.sqrt(Q.shape[-1])
    return np.asarray(Q @ K.swapaxes(-1, -2) * scale)


def attention_weights(
    Q: ArrayLike,
    K: ArrayLike,
    *,
    mask: ArrayLike | None = None,
    causal: bool = False,
    scale: float | None = None,
) -> Array:
    """The attention matrix A = softmax(QKᵀ/√d_k): row t is where token t looks.

    Args:
        Q: (..., T, d_k) queries.
        K: (..., S, d_k) keys.
        mask: broadcastable to (..., T, S). Boolean: True where a query may look. Real: added to
            the scaled scores, −∞ where a query may not look.
        causal: a token may look at itself and back, never ahead. The last query stands at the
            last key, so that cached keys (S > T) all lie in the past.
        scale: factor on every score; 1/√d_k unless given.

    Returns:
        (..., T, S) weights. Each row sums to 1; a row that is wholly masked is all 0.

    Raises:
        ShapeError: as for `attention_scores`, or the mask does not broadcast, or there are fewer
            keys than queries under `causal`.

    Source: Vaswani et al. (2017), "Attention Is All You Need", section 3.2.1, equation 1.

    >>> attention_weights([[1.0], [1.0]], [[1.0], [1.0]], causal=True).tolist()
    [[1.0, 0.0], [0.5, 0.5]]
    """
    scores = attention_scores(Q, K, scale=scale)
    T, S = scores.shape[-2:]
    if mask is not None:
        scores = _masked(scores, np.asarray(mask))
    if causal:
        if S < T:
            raise ShapeError(f"causal attention needs a key for each query: T = {T}, S = {S}")
        may_look = np.tri(T, S, S - T, dtype=bool)
        scores = np.where(may_look, scores, -np.inf)
    return softmax(scores)


def attention(
    Q: ArrayLike,
    K: ArrayLike,
    V: ArrayLike,
    *,
    mask: ArrayLike | None = None,
    causal: bool = False,
    scale: float | None = None,
) -> Array:
    """Attention(Q, K, V) = softmax(QKᵀ/√d_k) V: each token's blend of the values.

    Args:
        Q: (..., T, d_k) queries.
        K: (..., S, d_k) keys.
        V: (..., S, d_v) values.
        mask, causal, scale: as for `attention_weights`.

    Returns:
        (..., T, d_v) outputs. A token that may look at nothing gets zeros.

    Raises:
        ShapeError: as for `attention_weights`, or K and V differ in their number of tokens.

    Source: Vaswani et al. (2017), "Attention Is All You Need", section 3.2.1, equation 1.

    >>> attention([[0.0]], [[1.0], [2.0]], [[2.0, 4.0], [4.0, 0.0]]).tolist()
    [[3.0, 2.0]]
    """
    A = attention_weights(Q, K, mask=mask, causal=causal, scale=scale)
    V = _matrix("V", V)
    if V.shape[-2] != A.shape[-1]:
        raise ShapeError(
            f"every key needs a value: K has {A.shape[-1]} tokens, V has shape {V.shape}"
        )
    _must_broadcast({"weights": A.shape[:-2], "V": V.shape[:-2]})
    return np.asarray(A @ V)


def _masked(scores: Array, mask: np.ndarray) -> Array:
    try:
        fits = np.broadcast_shapes(scores.shape, mask.shape)
    except ValueError:
        fits = ()
    if fits[-2:] != scores.shape[-2:]:
        raise ShapeError(
            f"mask has shape {mask.shape}, which does not broadcast to the scores' {scores.shape}"
        )
    if mask.dtype == np.bool_:
        return np.where(mask, scores, -np.inf)
    return np.asarray(scores + mask.astype(np.float64))


def _matrix(name: str, value: ArrayLike) -> Array:
    array = np.asarray(value, dtype=np.float64)
    if array.ndim < 2:
        raise ShapeError(f"{name} must be (..., tokens, width); it has shape {array.shape}")
    return array


def _must_broadcast(batch_axes: dict[str, tuple[int, ...]]) -> None:
    try:
        np.broadcast_shapes(*batch_axes.values())
    except ValueError:
        told = ", ".join(f"{name} has {shape}" for name, shape in batch_axes.items())
        raise ShapeError(f"the batch axes do not broadcast: {told}") from None
