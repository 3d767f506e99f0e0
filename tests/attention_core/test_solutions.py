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


def add_and_norm(v):
    return {"normed": v.asked @ norm(v.X + v.Z)}


def concat_heads(v):
    return {"output": join_heads(np.stack([v.Z_1, v.Z_2])) @ v.W_O}


def encoder(v):
    block = encoder_block(
        v.X,
        lambda X: attention(X, X, X),
        lambda X: feed_forward(X, v.W_1, v.W_2, b_1=v.b_1, b_2=v.b_2),
        first_norm=norm,
        second_norm=norm,
    )
    return {"output": v.asked @ block}


def fed_forward(v):
    return {"out": feed_forward(v.x, v.W_1, v.W_2, b_1=v.b_1, b_2=v.b_2)}


def grouped_query(v):
    key_heads = np.arange(1, int(v.key_heads) + 1).reshape(-1, 1, 1)
    return {"serves": share_heads(key_heads, len(v.query_head)).ravel()}


def head_split(v):
    return {"head": split_heads(v.Q, len(v.asked))[v.asked.argmax()]}


def kv_cache(v):
    K, V = np.vstack([v.K, v.k]), np.vstack([v.V, v.v])
    return {"output": attention(v.q[None], K, V)[0]}


def multi_head(v):
    W_Q, W_K, W_V = (np.hstack([v[f"W_{name}1"], v[f"W_{name}2"]]) for name in "QKV")
    return {"output": multi_head_attention(v.X, W_Q, W_K, W_V, v.W_O, heads=2)}


def next_token(v):
    return {"probabilities": softmax(v.x @ v.W)}


def pre_post_norm(v):
    return {"pre": v.x + norm(v.x) @ v.W, "post": norm(v.x + v.x @ v.W)}


def root_mean_square(v):
    return {"normalised": rms_norm(v.x, epsilon=0)}


def sliding_window(v):
    T = len(v.scores)
    mask = band_mask(T, T, back=int(-v.window.min()), ahead=int(v.window.max()))
    row = v.asked @ softmax(np.where(mask, v.scores, -np.inf))
    return {"sees": mask, "weights": row[row > 0]}


def softmax_saturation(v):
    return {"after": softmax(v.scores * v.factor)}


def swiglu(v):
    return {"out": gated_feed_forward(v.x, v.W, v.V, v.W_2)}


def score_variance(v):
    one = v.query_variance * v.key_variance
    return {"variance": v.d_k * one, "deviation": (v.d_k * one) ** 0.5, "scaled_variance": one}


AT_ONCE = {
    "add_and_norm": add_and_norm,
    "concat_heads": concat_heads,
    "encoder_block": encoder,
    "feed_forward": fed_forward,
    "grouped_query": grouped_query,
    "head_split": head_split,
    "kv_cache": kv_cache,
    "multi_head": multi_head,
    "next_token": next_token,
    "pre_post_norm": pre_post_norm,
    "rms_norm": root_mean_square,
    "score_variance": score_variance,
    "sliding_window": sliding_window,
    "softmax_saturation": softmax_saturation,
    "swiglu": swiglu,
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
