"""Softmax: weights that sum to 1 for any scores."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import array_shapes, arrays

from attention_core import softmax, softmax_parts
from attention_core.errors import AuthorError, ShapeError

SCORES = arrays(
    np.float64, array_shapes(min_dims=1, max_dims=4, max_side=5), elements=st.floats(-1e6, 1e6)
)


@given(SCORES)
def test_every_row_sums_to_one_and_keeps_its_order(scores):
    weights = softmax(scores)
    assert np.allclose(weights.sum(axis=-1), 1)
    assert (weights >= 0).all()
    larger = scores[..., :, None] > scores[..., None, :]
    assert (weights[..., :, None] >= weights[..., None, :])[larger].all()


@given(SCORES, st.floats(-1e3, 1e3))
def test_adding_a_constant_changes_nothing(scores, constant):
    assert np.allclose(softmax(scores + constant), softmax(scores), atol=1e-6)


def test_large_scores_do_not_overflow():
    with np.errstate(all="raise", under="ignore"):
        assert softmax([1e300, 0.0]).tolist() == [1.0, 0.0]
        assert np.allclose(softmax([800.0, 799.0]), softmax([1.0, 0.0]))


def test_it_normalises_along_the_axis_asked_for():
    scores = np.arange(6.0).reshape(2, 3)
    assert np.allclose(softmax(scores, axis=0), softmax(scores.T).T)


@pytest.mark.parametrize("axis", [1, -2])
def test_an_axis_that_is_not_there_is_named(axis):
    with pytest.raises(ShapeError, match=rf"shape \(3,\), which has no axis {axis}"):
        softmax([1.0, 2.0, 3.0], axis=axis)


@pytest.mark.parametrize("temperature", [0.01, 0.5, 1, 2])
def test_the_temperature_divides_the_scores(temperature):
    scores = np.array([[1.0, 2.0, 4.0], [0.0, -np.inf, -1.0]])
    assert np.allclose(softmax(scores, temperature=temperature), softmax(scores / temperature))


@pytest.mark.parametrize("temperature", [0, -1, float("nan")])
def test_a_temperature_that_divides_by_nothing_is_refused(temperature):
    with pytest.raises(AuthorError, match="above 0"):
        softmax([1.0, 2.0], temperature=temperature)


@given(SCORES, st.sampled_from([0.5, 1.0, 2.0]))
def test_its_parts_lead_to_its_weights(scores, temperature):
    parts = softmax_parts(scores, temperature=temperature)
    assert np.array_equal(parts.largest, scores.max(axis=-1, keepdims=True))
    assert np.array_equal(parts.powers, np.exp((scores - parts.largest) / temperature))
    assert np.array_equal(parts.sums, parts.powers.sum(axis=-1, keepdims=True))
    assert np.array_equal(parts.weights, parts.powers / parts.sums)
    assert np.array_equal(parts.weights, softmax(scores, temperature=temperature))


def test_a_row_that_is_masked_throughout_gets_zeros_not_nan_and_so_do_its_parts():
    assert softmax([[-np.inf, -np.inf], [0.0, 0.0]]).tolist() == [[0.0, 0.0], [0.5, 0.5]]
    largest, powers, sums, weights = softmax_parts([-np.inf, -np.inf])
    assert (largest.tolist(), powers.tolist(), sums.tolist()) == ([0.0], [0.0, 0.0], [0.0])
    assert weights.tolist() == [0.0, 0.0]


def test_its_scores_are_left_as_they_were():
    scores = np.array([1.0, 2.0])
    softmax(scores)
    softmax_parts(scores)
    assert scores.tolist() == [1.0, 2.0]
