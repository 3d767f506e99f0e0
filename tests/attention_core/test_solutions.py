"""A family's steps compute what the core's own functions compute at once."""

from functools import partial

import numpy as np

from attention_core import (
    attention,
    band_mask,
    encoder_block,
    family,
    feed_forward,
    gated_feed_forward,
    layer_norm,
    multi_head_attention,
    rms_norm,
    softmax,
)
from attention_core.maths.heads import join_heads, share_heads, split_heads
from tests.attention_core.drawn import problem_of
from tests.each import each

norm = partial(layer_norm, epsilon=0)


def encoder(v):
    feed = partial(feed_forward, W_1=v.W_1, W_2=v.W_2, b_1=v.b_1, b_2=v.b_2)
    block = partial(encoder_block, attend=lambda X: attention(X, X, X), feed=feed)
    return {"output": v.asked @ block(v.X, first_norm=norm, second_norm=norm)}


def grouped_query(v):
    key_heads = np.arange(1, int(v.key_heads) + 1).reshape(-1, 1, 1)
    return {"serves": share_heads(key_heads, len(v.query_head)).ravel()}


def kv_cache(v):
    K, V = np.vstack([v.K, v.k]), np.vstack([v.V, v.v])
    return {"output": attention(v.q[None], K, V)[0]}


def multi_head(v):
    W_Q, W_K, W_V = (np.hstack([v[f"W_{name}1"], v[f"W_{name}2"]]) for name in "QKV")
    return {"output": multi_head_attention(v.X, W_Q, W_K, W_V, v.W_O, heads=2)}


def score_variance(v):
    one = v.query_variance * v.key_variance
    return {"variance": v.d_k * one, "deviation": (v.d_k * one) ** 0.5, "scaled_variance": one}


def sliding_window(v):
    T = len(v.scores)
    mask = band_mask(T, T, back=int(-v.window.min()), ahead=int(v.window.max()))
    row = v.asked @ softmax(np.where(mask, v.scores, -np.inf))
    return {"sees": mask, "weights": row[row > 0]}


AT_ONCE = {
    "add_and_norm": lambda v: {"normed": v.asked @ norm(v.X + v.Z)},
    "concat_heads": lambda v: {"output": join_heads(np.stack([v.Z_1, v.Z_2])) @ v.W_O},
    "encoder_block": encoder,
    "feed_forward": lambda v: {"out": feed_forward(v.x, v.W_1, v.W_2, b_1=v.b_1, b_2=v.b_2)},
    "grouped_query": grouped_query,
    "head_split": lambda v: {"head": split_heads(v.Q, len(v.asked))[v.asked.argmax()]},
    "kv_cache": kv_cache,
    "multi_head": multi_head,
    "next_token": lambda v: {"probabilities": softmax(v.x @ v.W)},
    "pre_post_norm": lambda v: {"pre": v.x + norm(v.x) @ v.W, "post": norm(v.x + v.x @ v.W)},
    "rms_norm": lambda v: {"normalised": rms_norm(v.x, epsilon=0)},
    "score_variance": score_variance,
    "sliding_window": sliding_window,
    "softmax_saturation": lambda v: {"after": softmax(v.scores * v.factor)},
    "swiglu": lambda v: {"out": gated_feed_forward(v.x, v.W, v.V, v.W_2)},
}


@each("key", AT_ONCE)
@each("seed", range(3))
def test_its_steps_lead_where_the_core_goes_at_once(key, seed):
    values = problem_of(key, seed).values
    for step, wanted in AT_ONCE[key](values).items():
        assert np.allclose(values[step], wanted, atol=1e-9)


def test_a_stored_variance_of_a_score_keeps_the_variance_of_one_that_it_was_asked_with():
    """Version 1 gave no variances: all entries had the variance 1."""
    values = family("score_variance").solve({"d_k": np.array(64.0)})
    assert [values[step.key] for step in family("score_variance").steps] == [64, 8, 1]
