"""Attention: masks, scale, batches, and errors for shapes that do not fit."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from attention_core import attention, attention_weights
from attention_core.errors import ShapeError
from tests.attention_core.drawn import drawn

NUMBERS = st.floats(-3, 3)
SIZES = st.integers(1, 4)


def by_the_definition(Q, K, V, may_look, scale):
    """Compute attention one cell at a time, with Python's own arithmetic."""
    output = []
    for t, query in enumerate(Q):
        exponentials = [
            math.exp(scale * sum(a * b for a, b in zip(query, key, strict=True)))
            if may_look[t][s]
            else 0.0
            for s, key in enumerate(K)
        ]
        total = sum(exponentials) or 1.0
        output.append(
            [sum(e / total * V[s][j] for s, e in enumerate(exponentials)) for j in range(len(V[0]))]
        )
    return output


@given(st.data(), SIZES, SIZES, SIZES, SIZES)
def test_it_computes_what_the_definition_says(data, T, S, d_k, d_v):
    Q = data.draw(arrays(np.float64, (T, d_k), elements=NUMBERS))
    K = data.draw(arrays(np.float64, (S, d_k), elements=NUMBERS))
    V = data.draw(arrays(np.float64, (S, d_v), elements=NUMBERS))
    mask = data.draw(arrays(np.bool_, (T, S)))
    expected = by_the_definition(Q, K, V, mask, 1 / math.sqrt(d_k))
    assert np.allclose(attention(Q, K, V, mask=mask), expected)


def test_batch_axes_broadcast():
    Q, K, V = drawn(3, 1, 4, 5), drawn(2, 6, 5), drawn(6, 7)
    assert np.allclose(attention(Q, K, V)[2, 1], attention(Q[2, 0], K[1], V))


def test_an_additive_mask_is_added_to_the_scaled_scores():
    Q, K = drawn(2, 3), drawn(2, 3)
    weights = attention_weights(Q, K, mask=np.array([[0.0, 1.0], [0.0, -np.inf]]))
    odds = attention_weights(Q, K)[0]
    assert np.isclose(weights[0, 1] / weights[0, 0], math.e * odds[1] / odds[0])
    assert weights[1].tolist() == [1.0, 0.0]


@pytest.mark.parametrize("cached", [0, 3])
def test_causal_hides_what_lies_ahead_and_shows_all_else(cached):
    weights = attention_weights(drawn(4, 3), drawn(cached + 4, 3), causal=True)
    assert ((weights > 0) == np.tri(4, cached + 4, cached, dtype=bool)).all()
    assert np.allclose(weights.sum(axis=-1), 1)


def test_the_scale_can_be_chosen():
    Q, K = drawn(2, 4), drawn(3, 4)
    assert np.allclose(attention_weights(Q, K, scale=1.0), attention_weights(Q * 2, K))


@pytest.mark.parametrize(
    ("Q", "K", "V", "options", "message"),
    [
        ((3,), (2, 3), (2, 3), {}, r"Q must be .*\(3,\)"),
        ((2, 3), (2, 4), (2, 3), {}, r"Q has shape \(2, 3\), K has shape \(2, 4\)"),
        ((2, 3), (2, 3), (3, 3), {}, r"K has 2 tokens, V has shape \(3, 3\)"),
        ((2, 2, 3), (3, 2, 3), (2, 3), {}, r"Q has \(2,\), K has \(3,\)"),
        ((2, 3), (2, 3), (2, 3), {"mask": np.ones((3, 2), bool)}, r"mask has shape \(3, 2\)"),
        ((2, 3), (2, 3), (2, 3), {"mask": np.ones((2, 3), bool)}, r"mask has shape \(2, 3\)"),
        ((3, 3), (2, 3), (2, 3), {"causal": True}, "T = 3, S = 2"),
        ((2, 0), (2, 0), (2, 3), {}, "width d_k of at least 1"),
    ],
)
def test_shapes_that_do_not_fit_are_named(Q, K, V, options, message):
    with pytest.raises(ShapeError, match=message):
        attention(np.zeros(Q), np.zeros(K), np.zeros(V), **options)
