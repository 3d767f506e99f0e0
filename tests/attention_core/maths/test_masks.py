"""Masks: which token may attend to which, cell by cell."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from attention_core import attention_weights, band_mask, length_mask
from attention_core.errors import AuthorError, ShapeError
from tests.each import each

FAR = st.none() | st.integers(0, 4)


@given(st.integers(1, 5), st.integers(1, 5), FAR, FAR, st.none() | st.integers(-3, 6))
def test_a_band_reaches_back_and_ahead_of_each_position(T, S, back, ahead, first):
    mask = band_mask(T, S, back=back, ahead=ahead, first=first)
    for t, s in np.ndindex(T, S):
        position = t + (S - T if first is None else first)
        near_enough = position - s <= (99 if back is None else back)
        early_enough = s - position <= (99 if ahead is None else ahead)
        assert mask[t, s] == (near_enough and early_enough)


def test_each_sequence_of_a_batch_may_start_elsewhere():
    masks = band_mask(2, 4, ahead=0, first=[[0], [2]])
    assert masks.shape == (2, 1, 2, 4)
    assert masks[0, 0].tolist() == band_mask(2, 4, ahead=0, first=0).tolist()
    assert masks[1, 0].tolist() == band_mask(2, 4, ahead=0).tolist()


def test_padding_gets_no_weight():
    rng = np.random.default_rng(1)
    Q, K = rng.normal(size=(2, 3, 4, 5)), rng.normal(size=(2, 3, 6, 5))
    padded = attention_weights(Q, K, mask=length_mask([[2], [6]], 6))
    assert (padded[0, :, :, 2:] == 0).all()
    assert np.allclose(padded[0, :, :, :2], attention_weights(Q[0], K[0, :, :2]))
    assert np.allclose(padded[1], attention_weights(Q[1], K[1]))


@pytest.mark.parametrize("lengths", [[-1], [4]])
def test_a_length_that_cannot_be_is_told(lengths):
    with pytest.raises(ShapeError, match="between 0 and the 3 keys"):
        length_mask(lengths, 3)


@pytest.mark.parametrize("causal", [True, False])
@pytest.mark.parametrize("window", [1, 2, 3, 9])
def test_a_window_sees_the_token_and_its_neighbours(window, causal):
    rng = np.random.default_rng(2)
    weights = attention_weights(
        rng.normal(size=(5, 3)), rng.normal(size=(7, 3)), causal=causal, window=window
    )
    for t, s in np.ndindex(5, 7):
        distance = s - (t + 2)  # the last query is at the last key
        seen = -window < distance < (1 if causal else window)
        assert (weights[t, s] > 0) == seen


@each(
    "options, message",
    [
        ({"window": 0}, "it was 0"),
        ({"mask": [[1]]}, r"booleans or real numbers.*int"),
        ({"soft_cap": 0}, "soft cap lies above 0; it is 0"),
    ],
)
def test_options_without_a_meaning_are_refused(options, message):
    with pytest.raises(AuthorError, match=message):
        attention_weights([[1.0]], [[1.0]], **options)


@pytest.mark.parametrize("shape", [(1, 4), (1, 7), (3, 6)])
def test_a_mask_that_does_not_end_where_the_scores_do_is_refused(shape):
    with pytest.raises(ShapeError, match=rf"mask has shape \({shape[0]}, {shape[1]}\).*\(1, 6\)"):
        attention_weights(np.ones((1, 2)), np.ones((6, 2)), mask=np.ones(shape, bool))


@pytest.mark.parametrize("mask", [np.eye(3, k=1) > 0, np.where(np.eye(3, k=1) > 0, 0, -np.inf)])
def test_what_a_mask_shows_and_causal_hides_leaves_nothing(mask):
    weights = attention_weights(np.ones((3, 2)), np.ones((3, 2)), mask=mask, causal=True)
    assert not weights.any()
