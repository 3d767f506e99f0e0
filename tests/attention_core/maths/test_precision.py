"""Computation in float64, or in float32 for float32 input."""

from functools import partial

import numpy as np
import pytest

from attention_core import (
    attention,
    attention_weights,
    encoder_block,
    feed_forward,
    gated_feed_forward,
    gelu,
    gelu_tanh,
    layer_norm,
    length_mask,
    multi_head_attention,
    relu,
    rms_norm,
    rotary_positions,
    silu,
    softmax,
)
from tests.each import each


def project(X):
    I = np.eye(4, dtype=X.dtype)  # noqa: E741
    return multi_head_attention(X, I, I, I, I, heads=2, b_Q=I[0], causal=True)


def feed(X):
    I = np.eye(4, dtype=X.dtype)  # noqa: E741
    return feed_forward(X, I, I, b_1=I[0], activation=gelu)


FUNCTIONS = {
    "softmax": partial(softmax, temperature=np.float64(2)),
    "weights": lambda X: attention_weights(X, X, mask=length_mask([2], len(X))[0], soft_cap=2),
    "bias": lambda X: attention_weights(X, X, mask=np.zeros((1, len(X)))),
    "attention": lambda X: attention(X, X, X, window=2, scale=np.float64(0.5)),
    "long": lambda X: attention(*[np.tile(X, (100, 1))] * 3, causal=True, soft_cap=np.float64(2)),
    "long bias": lambda X: attention(*[np.tile(X, (100, 1))] * 3, mask=np.zeros(300)),
    "heads": project,
    "feed": feed,
    "gated": lambda X: gated_feed_forward(X, *[np.eye(4, dtype=X.dtype)] * 3),
    "block": lambda X: encoder_block(X, project, feed),
    "layer norm": lambda X: layer_norm(X, X[0], X[1], epsilon=np.float64(1e-5)),
    "rms norm": lambda X: rms_norm(X, X[0]),
    "rotary": rotary_positions,
    "relu": relu,
    "gelu": gelu,
    "gelu tanh": gelu_tanh,
    "silu": silu,
}


@each("name", FUNCTIONS)
def test_the_precision_that_comes_in_goes_out(name):
    X = np.random.default_rng(7).normal(size=(3, 4))
    exact, quick = FUNCTIONS[name](X), FUNCTIONS[name](X.astype(np.float32))
    assert exact.dtype == np.float64
    assert quick.dtype == np.float32
    assert np.allclose(quick, exact, rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("kind", [np.int64, np.float16, np.bool_])
def test_all_else_is_computed_in_float64(kind):
    assert layer_norm(np.array([1, 0, 1], dtype=kind)).dtype == np.float64
