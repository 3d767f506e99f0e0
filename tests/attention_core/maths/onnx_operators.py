"""ONNX's operators on the functions of attention_core: a thin adapter for its test cases.

Each function takes an operator's inputs in their order (None where one is left out) and its
attributes by name, and returns its outputs in their order.
"""

import numpy as np

from attention_core import (
    KeyValueCache,
    attention,
    attention_scores,
    attention_weights,
    band_mask,
    gelu,
    gelu_tanh,
    layer_norm,
    length_mask,
    rms_norm,
    softmax,
)
from attention_core.maths.heads import join_heads, share_heads, split_heads
from attention_core.maths.norms import moments
from attention_core.maths.positions import turn_pairs


def run_attention(
    Q,
    K,
    V,
    mask=None,
    past_key=None,
    past_value=None,
    lengths=None,
    *,
    q_num_heads=None,
    kv_num_heads=None,
    is_causal=0,
    left_window_size=-1,
    right_window_size=-1,
    scale=None,
    softcap=0.0,
    qk_matmul_output_mode=0,
    softmax_precision=None,
):
    joined = Q.ndim == 3
    if joined:
        Q, K, V = split_heads(Q, q_num_heads), *(split_heads(X, kv_num_heads) for X in (K, V))
    cache = KeyValueCache()
    if past_key is not None:
        cache.extend(past_key, past_value)
    first = cache.tokens if lengths is None else lengths[:, None] - Q.shape[-2]
    present = K, V = cache.extend(K, V)
    K, V = share_heads(K, Q.shape[-3]), share_heads(V, Q.shape[-3])

    T, S = Q.shape[-2], K.shape[-2]
    back = None if left_window_size < 0 else left_window_size
    ahead = None if right_window_size < 0 else right_window_size
    may_look = band_mask(T, S, back=back, ahead=0 if is_causal else ahead, first=first)
    if lengths is not None:
        may_look = may_look & length_mask(lengths[:, None], S)
    mask = joint_mask(mask, may_look)

    looking = {"scale": scale, "soft_cap": softcap or None}
    Y = attention(Q, K, V, mask=mask, **looking)
    shown = {
        0: lambda: attention_scores(Q, K, scale=scale),
        1: lambda: attention_scores(Q, K, **looking),
        2: lambda: attention_scores(Q, K, **looking) + additive(mask),
        3: lambda: attention_weights(Q, K, mask=mask, **looking),
    }[qk_matmul_output_mode]()
    return join_heads(Y) if joined else Y, *present, shown


def joint_mask(mask, may_look):
    """Return both masks as one. ONNX lets a mask end early and hides the keys beyond its end."""
    if mask is None:
        return may_look
    missing = may_look.shape[-1] - mask.shape[-1]
    hidden = False if mask.dtype == np.bool_ else -np.inf
    mask = np.pad(mask, [(0, 0)] * (mask.ndim - 1) + [(0, missing)], constant_values=hidden)
    return mask & may_look if mask.dtype == np.bool_ else np.where(may_look, mask, -np.inf)


def additive(mask):
    return np.where(mask, 0.0, -np.inf) if mask.dtype == np.bool_ else mask


def run_layer_normalization(x, gain, shift=None, *, axis=-1, epsilon=1e-5):
    flat = flattened(x, axis)
    mean, spread = moments(flat, epsilon=epsilon)
    y = layer_norm(flat, gain.ravel(), None if shift is None else shift.ravel(), epsilon=epsilon)
    kept = (*x.shape[:axis], *[1] * len(x.shape[axis:]))
    return y.reshape(x.shape), mean.reshape(kept), 1 / spread.reshape(kept)


def run_rms_normalization(x, gain, *, axis=-1, epsilon=1e-5):
    return (rms_norm(flattened(x, axis), gain.ravel(), epsilon=epsilon).reshape(x.shape),)


def flattened(x, axis):
    """Merge the axes from `axis` on: ONNX normalises over all of them, we over the last one."""
    return x.reshape(*x.shape[:axis], -1)


def run_rotary_embedding(
    x, cosines, sines, positions=None, *, interleaved=0, num_heads=0, rotary_embedding_dim=0
):
    joined = x.ndim == 3
    if joined:
        x = split_heads(x, num_heads)
    if positions is not None:
        cosines, sines = cosines[positions], sines[positions]
    assert rotary_embedding_dim in (0, 2 * cosines.shape[-1])
    layout = "interleaved" if interleaved else "halves"
    turned = turn_pairs(x, cosines[:, None], sines[:, None], layout=layout)
    return (join_heads(turned) if joined else turned,)


def run_softmax(x, *, axis=-1):
    return (softmax(x, axis),)


def run_gelu(x, *, approximate=b"none"):
    return (gelu_tanh(x) if approximate == b"tanh" else gelu(x),)
