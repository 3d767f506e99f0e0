"""Feed-forward layers and their activations."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from attention_core import feed_forward, gated_feed_forward, gelu, gelu_tanh, relu, silu
from attention_core.errors import ShapeError
from attention_core.maths.erf import erf
from tests.attention_core.drawn import drawn

NUMBERS = st.floats(-50, 50)


def test_erf_agrees_with_python_to_the_last_bit_or_two():
    x = np.concatenate([np.linspace(-7, 7, 20_001), drawn(5_000) / 100, [1e-320, 1e300, np.inf]])
    exact = np.array([math.erf(number) for number in x])
    assert np.abs(erf(x) - exact).max() <= 2**-52
    assert np.allclose(erf(x), exact, rtol=1e-15, atol=0)
    assert math.isnan(erf(math.nan))


@given(NUMBERS)
def test_each_activation_is_what_its_paper_says(x):
    assert relu(x) == max(0, x)
    assert math.isclose(gelu(x), x / 2 * math.erfc(-x / math.sqrt(2)), abs_tol=1e-14)
    sigmoid = 1 / (1 + math.exp(-x))
    assert math.isclose(silu(x), x * sigmoid, abs_tol=1e-14)
    inner = math.sqrt(2 / math.pi) * (x + 0.044715 * x**3)
    assert math.isclose(gelu_tanh(x), x / 2 * (1 + math.tanh(inner)), abs_tol=1e-14)


@pytest.mark.parametrize("activation", [relu, gelu, gelu_tanh, silu])
def test_large_numbers_do_not_overflow(activation):
    with np.errstate(all="raise", under="ignore"):
        assert activation([-1e4, 1e4]).tolist() == [0, 1e4]


@pytest.mark.parametrize("activation", [relu, gelu, silu])
def test_every_token_goes_through_alone(activation):
    x, W_1, W_2, b_1, b_2 = drawn(2, 3, 4), drawn(4, 6), drawn(6, 4), drawn(6), drawn(4)
    output = feed_forward(x, W_1, W_2, b_1=b_1, b_2=b_2, activation=activation)
    token = activation(x[1, 2] @ W_1 + b_1) @ W_2 + b_2
    assert output.shape == x.shape
    assert np.allclose(output[1, 2], token)


def test_a_gate_decides_what_passes():
    x, W, V, W_2 = drawn(3, 4), drawn(4, 6), 2 * drawn(4, 6), drawn(6, 4)
    assert np.allclose(gated_feed_forward(x, W, V, W_2), (silu(x @ W) * (x @ V)) @ W_2)
    relu_gate = gated_feed_forward(x, W, V, W_2, activation=relu)
    assert np.allclose(relu_gate, (np.maximum(x @ W, 0) * (x @ V)) @ W_2)


def test_what_does_not_fit_is_named():
    x, W_1, W_2 = drawn(3, 4), drawn(4, 6), drawn(6, 4)
    with pytest.raises(ShapeError, match=r"W_1 .*4 features of x.*it has shape \(6, 4\)"):
        feed_forward(x, W_2, W_2)
    with pytest.raises(ShapeError, match=r"W_2 .*6 features.*it has shape \(4, 6\)"):
        feed_forward(x, W_1, W_1)
    with pytest.raises(ShapeError, match=r"the bias of W_1 must have shape \(6,\).*\(4,\)"):
        feed_forward(x, W_1, W_2, b_1=np.ones(4))
    with pytest.raises(ShapeError, match="W gives 6 features, V gives 5"):
        gated_feed_forward(x, W_1, W_1[:, 1:], W_2)
