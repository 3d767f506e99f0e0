"""Norms: every token by itself, over its features."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from attention_core import layer_norm, rms_norm
from attention_core.errors import ShapeError

TOKENS = arrays(np.float64, (3, 5), elements=st.floats(-100, 100))


@given(TOKENS)
def test_layer_norm_leaves_mean_0_and_at_most_variance_1(x):
    normalised = layer_norm(x)
    assert np.allclose(normalised.mean(axis=-1), 0, atol=1e-6)
    variance = x.var(axis=-1)
    assert np.allclose(normalised.var(axis=-1), variance / (variance + 1e-5), atol=1e-6)


@given(TOKENS, st.floats(-50, 50))
def test_layer_norm_does_not_see_a_shift_of_all_features(x, shift):
    assert np.allclose(layer_norm(x + shift), layer_norm(x), atol=1e-4)


@given(TOKENS)
def test_rms_norm_is_layer_norm_where_the_mean_is_0(x):
    centred = x - x.mean(axis=-1, keepdims=True)
    assert np.allclose(rms_norm(centred), layer_norm(x), atol=1e-6)


def test_gain_and_shift_belong_to_features():
    x = np.random.default_rng(1).normal(size=(2, 4, 3))
    gain, shift = np.array([1.0, 2.0, 0.0]), np.array([0.0, 0.5, -1.0])
    assert np.allclose(layer_norm(x, gain, shift), layer_norm(x) * gain + shift)
    assert np.allclose(rms_norm(x, gain), rms_norm(x) * gain)


def test_epsilon_is_added_to_the_variance():
    assert layer_norm([-1.0, 1.0], epsilon=3).tolist() == [-0.5, 0.5]
    assert rms_norm([-1.0, 1.0], epsilon=3).tolist() == [-0.5, 0.5]


@pytest.mark.parametrize("norm", [layer_norm, rms_norm])
def test_what_does_not_fit_is_named(norm):
    with pytest.raises(ShapeError, match=r"gain .* \(2, 3\); it has shape \(2,\)"):
        norm(np.ones((2, 3)), np.ones(2))
    with pytest.raises(ShapeError, match=r"x must be .*\(\)"):
        norm(1.0)
    with pytest.raises(ShapeError, match=r"x must be .*\(2, 0\)"):
        norm(np.ones((2, 0)))


def test_a_shift_that_does_not_fit_is_named():
    with pytest.raises(ShapeError, match=r"shift .*it has shape \(1,\)"):
        layer_norm(np.ones((2, 3)), None, np.ones(1))
