"""Multi-head attention: several heads side by side, each with its own weights.

Shapes: T tokens, d the width of a token, h heads of queries, g heads of keys and values, S keys,
d_k the width of a head (usually d / h), d_v that of its values, n the width of the result.
"""

from typing import Unpack

import numpy as np
from numpy.typing import ArrayLike

from attention_core.errors import ShapeError
from attention_core.maths.arrays import Array, matrix
from attention_core.maths.attention import AttentionOptions, attention, attention_weights
from attention_core.maths.cache import KeyValueCache
from attention_core.maths.linear import linear


def split_heads(X: ArrayLike, heads: int) -> Array:
    """Cut each token into one slice per head: (..., T, h·d_k) → (..., h, T, d_k).

    Raises:
        ShapeError: the width is not a multiple of the number of heads.

    >>> split_heads([[1.0, 2.0, 3.0, 4.0]], heads=2).tolist()
    [[[1.0, 2.0]], [[3.0, 4.0]]]
    """
    X = matrix("X", X)
    if heads < 1 or X.shape[-1] % heads:
        raise ShapeError(f"X has shape {X.shape}; its width does not split into {heads} heads")
    sliced = X.reshape(*X.shape[:-1], heads, X.shape[-1] // heads)
    return sliced.swapaxes(-2, -3)


def join_heads(X: ArrayLike) -> Array:
    """Put the heads' slices side by side: (..., h, T, d_v) → (..., T, h·d_v).

    Raises:
        ShapeError: X has no axis for heads.

    >>> join_heads([[[1.0, 2.0]], [[3.0, 4.0]]]).tolist()
    [[1.0, 2.0, 3.0, 4.0]]
    """
    X = matrix("X", X)
    if X.ndim < 3:
        raise ShapeError(f"X must be (..., heads, tokens, width); it has shape {X.shape}")
    beside = X.swapaxes(-2, -3)
    return beside.reshape(*beside.shape[:-2], -1)


def share_heads(X: ArrayLike, heads: int) -> Array:
    """Repeat each of X's g heads of keys or values h / g times.

    (..., g, T, d_k) → (..., h, T, d_k): g = h is multi-head attention, 1 < g < h grouped-query and
    g = 1 multi-query attention.

    Args:
        heads: h, the heads of queries.

    Raises:
        ShapeError: X has no axis for heads, or its number of heads does not divide `heads`.

    Source: Ainslie et al. (2023), "GQA: Training Generalized Multi-Query Transformer Models from
    Multi-Head Checkpoints", section 2.2; Shazeer (2019), "Fast Transformer Decoding: One
    Write-Head is All You Need", section 3.

    >>> share_heads([[[1.0]], [[2.0]]], heads=4).tolist()
    [[[1.0]], [[1.0]], [[2.0]], [[2.0]]]
    """
    X = matrix("X", X)
    if X.ndim < 3 or X.shape[-3] == 0 or heads % X.shape[-3]:
        raise ShapeError(
            f"X must be (..., heads, tokens, width), its heads a divisor of {heads}; "
            f"it has shape {X.shape}"
        )
    if X.shape[-3] == heads:
        return X
    return np.repeat(X, heads // X.shape[-3], axis=-3)


def multi_head_weights(
    X: ArrayLike,
    W_Q: ArrayLike,
    W_K: ArrayLike,
    *,
    heads: int,
    key_heads: int | None = None,
    b_Q: ArrayLike | None = None,
    b_K: ArrayLike | None = None,
    memory: ArrayLike | None = None,
    **looking: Unpack[AttentionOptions],
) -> Array:
    """Return the attention weights of each head.

    Args:
        All as for `multi_head_attention`.

    Returns:
        (..., h, T, S) weights.

    >>> I = np.eye(2)
    >>> multi_head_weights([[2.0, 0.0], [0.0, 2.0]], I, I, heads=2).round(2).tolist()
    [[[0.98, 0.02], [0.5, 0.5]], [[0.5, 0.5], [0.02, 0.98]]]
    """
    X = matrix("X", X)
    source = X if memory is None else matrix("memory", memory)
    groups = heads if key_heads is None else key_heads
    Q = split_heads(linear(X, W_Q, b_Q, name="W_Q"), heads)
    K = split_heads(linear(source, W_K, b_K, name="W_K"), groups)
    return attention_weights(Q, share_heads(K, heads), **looking)


def multi_head_attention(
    X: ArrayLike,
    W_Q: ArrayLike,
    W_K: ArrayLike,
    W_V: ArrayLike,
    W_O: ArrayLike,
    *,
    heads: int,
    key_heads: int | None = None,
    b_Q: ArrayLike | None = None,
    b_K: ArrayLike | None = None,
    b_V: ArrayLike | None = None,
    b_O: ArrayLike | None = None,
    memory: ArrayLike | None = None,
    cache: KeyValueCache | None = None,
    **looking: Unpack[AttentionOptions],
) -> Array:
    """Return MultiHead(X) = Concat(head₁, …, headₕ) W_O.

    Each headᵢ is Attention(X W_Qᵢ, X W_Kᵢ, X W_Vᵢ); the heads' projections stand side by side
    in W_Q, W_K and W_V.

    Args:
        X: (..., T, d) tokens.
        W_Q: (d, h·d_k) makes queries.
        W_K: (d, g·d_k) makes keys.
        W_V: (d, g·d_v) makes values.
        W_O: (h·d_v, n) mixes the heads' outputs; n is usually d.
        heads: h, the heads of queries.
        key_heads: g, the heads of keys and values, each serving h / g heads of queries; h unless
            given.
        b_Q, b_K, b_V, b_O: biases of the four; none unless given.
        memory: (..., S, d) tokens to look at instead of X, as a decoder looks at an encoder.
        cache: keys and values of earlier tokens; those of this call are added to it.
        looking: mask, causal, window, scale, soft_cap, as for `attention_weights`. The scores
            that a mask must broadcast to are (..., h, T, S).

    Returns:
        (..., T, n) outputs.

    Raises:
        ShapeError: weights or biases do not fit, the heads do not divide the widths, or as for
            `attention`.

    Source: Vaswani et al. (2017), "Attention Is All You Need", section 3.2.2.

    >>> X, I = [[2.0, 0.0], [0.0, 2.0]], np.eye(2)
    >>> multi_head_attention(X, I, I, I, I, heads=2).round(2).tolist()
    [[1.96, 1.0], [1.0, 1.96]]

    One token after the other, with what came before in the cache:

    >>> cache = KeyValueCache()
    >>> rows = [multi_head_attention([x], I, I, I, I, heads=2, cache=cache) for x in X]
    >>> whole = multi_head_attention(X, I, I, I, I, heads=2, causal=True)
    >>> np.allclose(np.concatenate(rows), whole)
    True
    """
    X = matrix("X", X)
    source = X if memory is None else matrix("memory", memory)
    groups = heads if key_heads is None else key_heads
    Q = split_heads(linear(X, W_Q, b_Q, name="W_Q"), heads)
    K = split_heads(linear(source, W_K, b_K, name="W_K"), groups)
    V = split_heads(linear(source, W_V, b_V, name="W_V"), groups)
    if cache is not None:
        K, V = cache.extend(K, V)
    found = attention(Q, share_heads(K, heads), share_heads(V, heads), **looking)
    return linear(join_heads(found), W_O, b_O, name="W_O")
